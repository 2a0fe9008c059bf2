/* The schema of TensorFlow Lite: see tflite_schema.h. */
#include "tflite_schema.h"

const struct fb_schema tflite_model = { "Model", "4VVsViVV" };
const struct fb_schema tflite_operator_code = { "OperatorCode", "1s44" };
const struct fb_schema tflite_subgraph = { "SubGraph", "ViiVs4" };
const struct fb_schema tflite_tensor = { "Tensor", "i14sr1ri1V" };
const struct fb_schema tflite_variant = { "VariantSubType", "i11" };
const struct fb_schema tflite_quantization = { "QuantizationParameters", "iiiluU4" };
const struct fb_schema tflite_sparsity = { "SparsityParameters", "iiV" };
const struct fb_schema tflite_dimension = { "DimensionMetadata", "14uUuU" };
const struct fb_schema tflite_operator = { "Operator", "4iiuUb1bi88uU4" };
const struct fb_schema tflite_buffer = { "Buffer", "d88" };
const struct fb_schema tflite_metadata = { "Metadata", "s4" };
const struct fb_schema tflite_tensor_map = { "TensorMap", "s4" };
const struct fb_schema tflite_signature = { "SignatureDef", "VVss4" };

/* BuiltinOptions from 1 on.  An empty line is a table without fields. */
static const struct fb_schema options[] = {
	{ "Conv2DOptions", "1441441" },
	{ "DepthwiseConv2DOptions", "1444144" },
	{ "ConcatEmbeddingsOptions", "4ii" },
	{ "LSHProjectionOptions", "1" },
	{ "Pool2DOptions", "144441" },
	{ "SVDFOptions", "411" },
	{ "RNNOptions", "11" },
	{ "FullyConnectedOptions", "11111" },
	{ "SoftmaxOptions", "4" },
	{ "ConcatenationOptions", "41" },
	{ "AddOptions", "11" },
	{ "L2NormOptions", "1" },
	{ "LocalResponseNormalizationOptions", "4444" },
	{ "LSTMOptions", "14411" },
	{ "ResizeBilinearOptions", "4411" },
	{ "CallOptions", "g" },
	{ "ReshapeOptions", "i" },
	{ "SkipGramOptions", "441" },
	{ "SpaceToDepthOptions", "4" },
	{ "EmbeddingLookupSparseOptions", "1" },
	{ "MulOptions", "1" },
	{ "PadOptions", "" },
	{ "GatherOptions", "44" },
	{ "BatchToSpaceNDOptions", "" },
	{ "SpaceToBatchNDOptions", "" },
	{ "TransposeOptions", "" },
	{ "ReducerOptions", "1" },
	{ "SubOptions", "11" },
	{ "DivOptions", "1" },
	{ "SqueezeOptions", "i" },
	{ "SequenceRNNOptions", "111" },
	{ "StridedSliceOptions", "444441" },
	{ "ExpOptions", "" },
	{ "TopKV2Options", "" },
	{ "SplitOptions", "4" },
	{ "LogSoftmaxOptions", "" },
	{ "CastOptions", "11" },
	{ "DequantizeOptions", "" },
	{ "MaximumMinimumOptions", "" },
	{ "ArgMaxOptions", "1" },
	{ "LessOptions", "" },
	{ "NegOptions", "" },
	{ "PadV2Options", "" },
	{ "GreaterOptions", "" },
	{ "GreaterEqualOptions", "" },
	{ "LessEqualOptions", "" },
	{ "SelectOptions", "" },
	{ "SliceOptions", "" },
	{ "TransposeConvOptions", "14411" },
	{ "SparseToDenseOptions", "1" },
	{ "TileOptions", "" },
	{ "ExpandDimsOptions", "" },
	{ "EqualOptions", "" },
	{ "NotEqualOptions", "" },
	{ "ShapeOptions", "1" },
	{ "PowOptions", "" },
	{ "ArgMinOptions", "1" },
	{ "FakeQuantOptions", "4441" },
	{ "PackOptions", "44" },
	{ "LogicalOrOptions", "" },
	{ "OneHotOptions", "4" },
	{ "LogicalAndOptions", "" },
	{ "LogicalNotOptions", "" },
	{ "UnpackOptions", "44" },
	{ "FloorDivOptions", "" },
	{ "SquareOptions", "" },
	{ "ZerosLikeOptions", "" },
	{ "FillOptions", "" },
	{ "BidirectionalSequenceLSTMOptions", "144111" },
	{ "BidirectionalSequenceRNNOptions", "1111" },
	{ "UnidirectionalSequenceLSTMOptions", "144111" },
	{ "FloorModOptions", "" },
	{ "RangeOptions", "" },
	{ "ResizeNearestNeighborOptions", "11" },
	{ "LeakyReluOptions", "4" },
	{ "SquaredDifferenceOptions", "" },
	{ "MirrorPadOptions", "1" },
	{ "AbsOptions", "" },
	{ "SplitVOptions", "4" },
	{ "UniqueOptions", "1" },
	{ "ReverseV2Options", "" },
	{ "AddNOptions", "" },
	{ "GatherNdOptions", "" },
	{ "CosOptions", "" },
	{ "WhereOptions", "" },
	{ "RankOptions", "" },
	{ "ReverseSequenceOptions", "44" },
	{ "MatrixDiagOptions", "" },
	{ "QuantizeOptions", "" },
	{ "MatrixSetDiagOptions", "" },
	{ "HardSwishOptions", "" },
	{ "IfOptions", "gg" },
	{ "WhileOptions", "gg" },
	{ "DepthToSpaceOptions", "4" },
	{ "NonMaxSuppressionV4Options", "" },
	{ "NonMaxSuppressionV5Options", "" },
	{ "ScatterNdOptions", "" },
	{ "SelectV2Options", "" },
	{ "DensifyOptions", "" },
	{ "SegmentSumOptions", "" },
	{ "BatchMatMulOptions", "111" },
	{ "CumsumOptions", "11" },
	{ "CallOnceOptions", "g" },
	{ "BroadcastToOptions", "" },
	{ "Rfft2dOptions", "" },
	{ "Conv3DOptions", "14441444" },
	{ "HashtableOptions", "411" },
	{ "HashtableFindOptions", "" },
	{ "HashtableImportOptions", "" },
	{ "HashtableSizeOptions", "" },
	{ "VarHandleOptions", "ss" },
	{ "ReadVariableOptions", "" },
	{ "AssignVariableOptions", "" },
	{ "RandomOptions", "88" },
	{ "BucketizeOptions", "i" },
	{ "GeluOptions", "1" },
	{ "DynamicUpdateSliceOptions", "" },
	{ "UnsortedSegmentProdOptions", "" },
	{ "UnsortedSegmentMaxOptions", "" },
	{ "UnsortedSegmentMinOptions", "" },
	{ "UnsortedSegmentSumOptions", "" },
	{ "ATan2Options", "" },
	{ "SignOptions", "" },
	{ "BitcastOptions", "" },
	{ "BitwiseXorOptions", "" },
	{ "RightShiftOptions", "" },
};

/* BuiltinOptions2 from 1 on. */
static const struct fb_schema options_2[] = {
	{ "StablehloConcatenateOptions", "8" },
	{ "StablehloBroadcastInDimOptions", "l" },
	{ "StablehloSliceOptions", "lll" },
	{ "StablehloConvolutionOptions", "llllb88l88l88l88i" },
	{ "StablehloCustomCallOptions", "s1s4Gb" },
	{ "StablehloReduceOptions", "lg" },
	{ "StablehloScatterOptions", "1lll81g" },
	{ "StablehloCompareOptions", "44" },
	{ "StablehloDynamicSliceOptions", "l" },
	{ "StablehloPadOptions", "lll" },
	{ "StablehloIotaOptions", "8" },
	{ "StablehloDotGeneralOptions", "lllli" },
	{ "StablehloReduceWindowOptions", "lllllg" },
	{ "StablehloSortOptions", "81g" },
	{ "StablehloWhileOptions", "gg" },
	{ "StablehloGatherOptions", "lll8l1" },
	{ "StablehloTransposeOptions", "l" },
	{ "DilateOptions", "" },
	{ "StablehloRngBitGeneratorOptions", "1" },
	{ "ReduceWindowOptions", "4" },
	{ "StableHLOCompositeOptions", "sgb14" },
	{ "StablehloShiftLeftOptions", "" },
	{ "StablehloCaseOptions", "G" },
};

static const struct fb_schema index_vectors[] = { { "Int32Vector", "i" }, { "Uint16Vector", "h" },
	{ "Uint8Vector", "b" } };
static const struct fb_schema quantization_details[] = { { "CustomQuantization", "b" },
	{ "BlockwiseQuantization", "444" } };

#define MEMBER(list, type) ((type)-1 < sizeof(list) / sizeof((list)[0]) ? &(list)[(type)-1] : NULL)

/* Type 0, none, wraps to the largest number. */
const struct fb_schema *tflite_options(uint64_t type)
{
	return MEMBER(options, type);
}

const struct fb_schema *tflite_options_2(uint64_t type)
{
	return MEMBER(options_2, type);
}

const struct fb_schema *tflite_index_vector(uint64_t type)
{
	return MEMBER(index_vectors, type);
}

const struct fb_schema *tflite_quantization_details(uint64_t type)
{
	return MEMBER(quantization_details, type);
}
