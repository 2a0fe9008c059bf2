/* The table of operators: see tf_ops.h. */
#include "tf_ops.h"

#include <string.h>

/* clang-format off */
const struct tf_op tf_ops[] = { /* in order of strcmp() */
	{ "Abort", WLK_F_TF_OP_ABORT, TF_OP_ALWAYS },
	{ "AccumulatorTakeGradient", WLK_F_TF_OP_ABORT, TF_OP_ALWAYS },
	{ "Barrier", WLK_F_TF_OP_ABORT, TF_OP_ALWAYS },
	{ "BigQueryReader", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "CSVDataset", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "CacheDataset", WLK_F_TF_OP_FILE_WRITE, TF_OP_NAMED },
	{ "ConfigureAndInitializeGlobalTPU", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "ConfigureDistributedTPU", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "ConfigureTPUEmbedding", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "ConfigureTPUEmbeddingHost", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "ConfigureTPUEmbeddingMemory", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "ConnectTPUEmbeddingHosts", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "CreateSummaryDbWriter", WLK_F_TF_OP_FILE_WRITE, TF_OP_ALWAYS },
	{ "CreateSummaryFileWriter", WLK_F_TF_OP_FILE_WRITE, TF_OP_ALWAYS },
	{ "DTensorRestore", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "DTensorSetGlobalTPUArray", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "DTensorShardedPrefix", WLK_F_TF_OP_SAVER, TF_OP_ALWAYS },
	{ "DatasetFromGraph", WLK_F_TF_NESTED_GRAPH, TF_OP_ALWAYS },
	{ "DatasetToGraph", WLK_F_TF_NESTED_GRAPH, TF_OP_ALWAYS },
	{ "DatasetToTFRecord", WLK_F_TF_OP_FILE_WRITE, TF_OP_ALWAYS },
	{ "DebugIdentity", WLK_F_TF_OP_NETWORK, TF_OP_URLS },
	{ "DebugNanCount", WLK_F_TF_OP_NETWORK, TF_OP_URLS },
	{ "DebugNumericSummary", WLK_F_TF_OP_NETWORK, TF_OP_URLS },
	{ "DecodeProto", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "DeserializeIterator", WLK_F_TF_NESTED_GRAPH, TF_OP_ALWAYS },
	{ "DistributedSave", WLK_F_TF_OP_FILE_WRITE, TF_OP_ALWAYS },
	{ "EagerPyFunc", WLK_F_TF_OP_PYTHON, TF_OP_ALWAYS },
	{ "EncodeProto", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "FIFOQueue", WLK_F_TF_OP_ABORT, TF_OP_ALWAYS },
	{ "FileSystemSetConfiguration", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "FinalizeTPUEmbedding", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "FixedLengthRecordDataset", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "FixedLengthRecordReader", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "FixedUnigramCandidateSampler", WLK_F_TF_OP_FILE_READ, TF_OP_ATTRIBUTE },
	{ "GenerateBigQueryReaderPartitions", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "GenerateVocabRemapping", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "IfrtRestoreVariable", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "ImmutableConst", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "ImportEvent", WLK_F_TF_OP_FILE_WRITE, TF_OP_ALWAYS },
	{ "InitializeHostForDistributedTPU", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "InitializeTRTResource", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "InitializeTableFromTextFile", WLK_F_TF_OP_FILE_READ, TF_OP_VOCABULARY },
	{ "IteratorFromStringHandle", WLK_F_TF_NESTED_GRAPH, TF_OP_ALWAYS },
	{ "LMDBDataset", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "LMDBReader", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "ListSnapshotChunksDataset", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "LoadAndRemapMatrix", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "LoadDataset", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "MapPeek", WLK_F_TF_OP_ABORT, TF_OP_ALWAYS },
	{ "MapStage", WLK_F_TF_OP_ABORT, TF_OP_ALWAYS },
	{ "MapUnstage", WLK_F_TF_OP_ABORT, TF_OP_ALWAYS },
	{ "MapUnstageNoKey", WLK_F_TF_OP_ABORT, TF_OP_ALWAYS },
	{ "MatchingFiles", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "MatchingFilesDataset", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "MergeV2Checkpoints", WLK_F_TF_OP_FILE_WRITE, TF_OP_SAVER },
	{ "MlirPassthroughOp", WLK_F_TF_OP_NATIVE, TF_OP_ALWAYS },
	{ "MultiDeviceIteratorFromStringHandle", WLK_F_TF_NESTED_GRAPH, TF_OP_ALWAYS },
	{ "OneShotIterator", WLK_F_TF_NESTED_GRAPH, TF_OP_ALWAYS },
	{ "OrderedMapPeek", WLK_F_TF_OP_ABORT, TF_OP_ALWAYS },
	{ "OrderedMapStage", WLK_F_TF_OP_ABORT, TF_OP_ALWAYS },
	{ "OrderedMapUnstage", WLK_F_TF_OP_ABORT, TF_OP_ALWAYS },
	{ "OrderedMapUnstageNoKey", WLK_F_TF_OP_ABORT, TF_OP_ALWAYS },
	{ "PaddingFIFOQueue", WLK_F_TF_OP_ABORT, TF_OP_ALWAYS },
	{ "Print", WLK_F_TF_OP_PRINT, TF_OP_ALWAYS },
	{ "PriorityQueue", WLK_F_TF_OP_ABORT, TF_OP_ALWAYS },
	{ "PyFunc", WLK_F_TF_OP_PYTHON, TF_OP_ALWAYS },
	{ "PyFuncStateless", WLK_F_TF_OP_PYTHON, TF_OP_ALWAYS },
	{ "RandomShuffleQueue", WLK_F_TF_OP_ABORT, TF_OP_ALWAYS },
	{ "ReadFile", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "RecordInput", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "Recv", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "RemoteCall", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "RemoteFusedGraphExecute", WLK_F_TF_OP_NATIVE, TF_OP_ALWAYS },
	{ "ResourceAccumulatorTakeGradient", WLK_F_TF_OP_ABORT, TF_OP_ALWAYS },
	{ "Restore", WLK_F_TF_OP_FILE_READ, TF_OP_SAVER },
	{ "RestoreSlice", WLK_F_TF_OP_FILE_READ, TF_OP_SAVER },
	{ "RestoreV2", WLK_F_TF_OP_FILE_READ, TF_OP_SAVER },
	{ "Save", WLK_F_TF_OP_FILE_WRITE, TF_OP_SAVER },
	{ "SaveDataset", WLK_F_TF_OP_FILE_WRITE, TF_OP_ALWAYS },
	{ "SaveSlices", WLK_F_TF_OP_FILE_WRITE, TF_OP_SAVER },
	{ "SaveV2", WLK_F_TF_OP_FILE_WRITE, TF_OP_SAVER },
	{ "Send", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "SerializeTRTResource", WLK_F_TF_OP_FILE_WRITE, TF_OP_ALWAYS },
	{ "ShardedFilename", WLK_F_TF_OP_SAVER, TF_OP_ALWAYS },
	{ "ShutdownDistributedTPU", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "ShutdownTPUSystem", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "Skipgram", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "SleepDataset", WLK_F_TF_OP_ABORT, TF_OP_ALWAYS },
	{ "SnapshotChunkDataset", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "SnapshotDataset", WLK_F_TF_OP_FILE_WRITE, TF_OP_ALWAYS },
	{ "SnapshotDatasetReader", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "SnapshotNestedDatasetReader", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "SparseAccumulatorTakeGradient", WLK_F_TF_OP_ABORT, TF_OP_ALWAYS },
	{ "SqlDataset", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "Stage", WLK_F_TF_OP_ABORT, TF_OP_ALWAYS },
	{ "StagePeek", WLK_F_TF_OP_ABORT, TF_OP_ALWAYS },
	{ "SymbolicGradient", WLK_F_TF_NESTED_GRAPH, TF_OP_ALWAYS },
	{ "TFRecordDataset", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "TFRecordReader", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "TPUCompile", WLK_F_TF_OP_NATIVE, TF_OP_ALWAYS },
	{ "TPUCompileMlirAndExecute", WLK_F_TF_OP_NATIVE, TF_OP_ALWAYS },
	{ "TPUExecute", WLK_F_TF_OP_NATIVE, TF_OP_ALWAYS },
	{ "TPUExecuteAndUpdateVariables", WLK_F_TF_OP_NATIVE, TF_OP_ALWAYS },
	{ "TRTEngineOp", WLK_F_TF_OP_NATIVE, TF_OP_ALWAYS },
	{ "TextLineDataset", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "TextLineReader", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "TpuExecute", WLK_F_TF_OP_NATIVE, TF_OP_ALWAYS },
	{ "TryRpc", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "Unstage", WLK_F_TF_OP_ABORT, TF_OP_ALWAYS },
	{ "WaitForDistributedTPU", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "WholeFileReader", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "WorkerHeartbeat", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "WriteAudioSummary", WLK_F_TF_OP_FILE_WRITE, TF_OP_ALWAYS },
	{ "WriteFile", WLK_F_TF_OP_FILE_WRITE, TF_OP_ALWAYS },
	{ "WriteGraphSummary", WLK_F_TF_OP_FILE_WRITE, TF_OP_ALWAYS },
	{ "WriteHistogramSummary", WLK_F_TF_OP_FILE_WRITE, TF_OP_ALWAYS },
	{ "WriteImageSummary", WLK_F_TF_OP_FILE_WRITE, TF_OP_ALWAYS },
	{ "WriteRawProtoSummary", WLK_F_TF_OP_FILE_WRITE, TF_OP_ALWAYS },
	{ "WriteScalarSummary", WLK_F_TF_OP_FILE_WRITE, TF_OP_ALWAYS },
	{ "WriteSummary", WLK_F_TF_OP_FILE_WRITE, TF_OP_ALWAYS },
	{ "XlaCallModule", WLK_F_TF_OP_STABLEHLO, TF_OP_ALWAYS },
	{ "XlaCompile", WLK_F_TF_OP_XLA, TF_OP_ALWAYS },
	{ "XlaCustomCall", WLK_F_TF_OP_NATIVE, TF_OP_ALWAYS },
	{ "XlaLaunch", WLK_F_TF_OP_XLA, TF_OP_ALWAYS },
	{ "XlaRun", WLK_F_TF_OP_XLA, TF_OP_ALWAYS },
	{ "_ConfigureDistributedTPU", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "_ConfigureTPUEmbeddingMemory", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "_ConnectInterTPUEmbeddingCommunication", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "_DisconnectHostFromDistributedTPUSystem", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "_FinalizeTPUEmbedding", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "_HostRecv", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "_HostSend", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "_InitializeHostForDistributedTPU", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "_Recv", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "_Send", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "_SetGlobalTPUArray", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "_ShutdownDistributedTPU", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "_TPUCompileMlir", WLK_F_TF_OP_NATIVE, TF_OP_ALWAYS },
	{ "_TPUCompileMlirPlaceholderProgramKey", WLK_F_TF_OP_NATIVE, TF_OP_ALWAYS },
	{ "_WaitForDistributedTPU", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "_XlaCompile", WLK_F_TF_OP_XLA, TF_OP_ALWAYS },
	{ "_XlaMerge", WLK_F_TF_OP_XLA, TF_OP_ALWAYS },
	{ "_XlaRecvAtHost", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "_XlaRun", WLK_F_TF_OP_XLA, TF_OP_ALWAYS },
	{ "_XlaSendFromHost", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
};
const size_t tf_n_ops = sizeof(tf_ops) / sizeof(tf_ops[0]);

static const struct tf_op families[] = {
	{ "BarrierI*", WLK_F_TF_OP_ABORT, TF_OP_ALWAYS },
	{ "BarrierTake*", WLK_F_TF_OP_ABORT, TF_OP_ALWAYS },
	{ "BigQuery*", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "Collective*", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "DataServiceDataset*", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "GcsConfigure*", WLK_F_TF_OP_FILE_READ, TF_OP_ALWAYS },
	{ "RegisterDataset*", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
	{ "Rpc*", WLK_F_TF_OP_NETWORK, TF_OP_ALWAYS },
};
/* clang-format on */

static int compare(struct bytes name, const char *row)
{
	size_t n = strlen(row);
	int c = memcmp(name.at, row, name.n < n ? name.n : n);

	return c != 0 ? c : name.n < n ? -1 : name.n > n;
}

static const struct tf_op *find_exact(struct bytes name)
{
	size_t low = 0, high = tf_n_ops;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int c = compare(name, tf_ops[middle].name);

		if (c == 0)
			return &tf_ops[middle];
		if (c < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

static const struct tf_op *find_family(struct bytes name)
{
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		size_t n = strlen(families[i].name) - 1;

		if (name.n >= n && memcmp(name.at, families[i].name, n) == 0)
			return &families[i];
	}
	return NULL;
}

static bool is_version(struct bytes name)
{
	return name.n > 2 && name.at[name.n - 2] == 'V' && name.at[name.n - 1] >= '2' && name.at[name.n - 1] <= '4';
}

/* Operators of tf.data were called so before they were settled. */
#define EXPERIMENTAL "Experimental"
#define EXPERIMENTAL_BYTES 12u

static bool is_experimental(struct bytes name)
{
	return name.n > EXPERIMENTAL_BYTES && memcmp(name.at, EXPERIMENTAL, EXPERIMENTAL_BYTES) == 0;
}

static struct bytes settled_name(struct bytes name)
{
	return is_experimental(name) ? bytes_of(name.at + EXPERIMENTAL_BYTES, name.n - EXPERIMENTAL_BYTES) : name;
}

static bool is_listed(struct bytes name)
{
	size_t low = 0, high = tf_n_known_ops;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int c = compare(name, tf_known_ops[middle]);

		if (c == 0)
			return true;
		if (c < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return false;
}

bool tf_op_is_known(struct bytes name)
{
	return is_listed(name) || is_listed(settled_name(name)) || tf_op_find(name) != NULL;
}

const struct tf_op *tf_op_find(struct bytes name)
{
	const struct tf_op *op;

	if (name.n == 0 || name.n > TF_OP_NAME_MAX)
		return NULL;
	name = settled_name(name);
	op = find_exact(name);
	if (op == NULL && is_version(name))
		op = find_exact(bytes_of(name.at, name.n - 2));
	return op != NULL ? op : find_family(name);
}
