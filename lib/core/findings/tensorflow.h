/* Findings of the TensorFlow readers (lib/formats/tensorflow/tf_*.c), in the order of formats/tensorflow. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_TENSORFLOW(X) \
	X(TF_VARINT, "tf-varint", MALFORMED, HIGH, \
	  "a number of more than ten bytes or 64 bits", \
	  "Readers drop the excess bits, each in its own way.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, section 2") \
	X(TF_VARINT_OVERLONG, "tf-varint-overlong", AMBIGUOUS, HIGH, \
	  "a tag or length that is not in its shortest form", \
	  "No writer does this; it hides fields from readers that compare bytes.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, section 2") \
	X(TF_VALUE_OVERLONG, "tf-value-overlong", AMBIGUOUS, MEDIUM, \
	  "a value that is not in its shortest form", \
	  "No writer of TensorFlow does this.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, section 2") \
	X(TF_TAG, "tf-tag", MALFORMED, HIGH, \
	  "bytes that are no field: its number is 0 or too large, or its wire type does not exist", \
	  "The message ends in something that is not protobuf.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, section 2") \
	X(TF_WIRETYPE, "tf-wiretype", AMBIGUOUS, HIGH, \
	  "a known field with the wire type of another", \
	  "Protobuf readers keep it silently as unknown.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, section 2") \
	X(TF_GROUP, "tf-group", MALFORMED, HIGH, \
	  "a protobuf group, which TensorFlow does not have", \
	  "Readers skip groups without looking: room for anything.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, section 2") \
	X(TF_TRUNCATED, "tf-truncated", MALFORMED, HIGH, \
	  "a field that is longer than what it is in", \
	  "The transfer may have been cut, or the lengths lie.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, section 2") \
	X(TF_UNKNOWN_FIELD, "tf-unknown-field", UNSUPPORTED, MEDIUM, \
	  "a field that this build does not know", \
	  "Readers keep it without a look; what it means is unknown.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, section 2") \
	X(TF_RESERVED_FIELD, "tf-reserved-field", AMBIGUOUS, HIGH, \
	  "a field whose number was given up", \
	  "Old readers and new ones see different models.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, section 2") \
	X(TF_DUPLICATE_FIELD, "tf-duplicate-field", AMBIGUOUS, HIGH, \
	  "a field that may come once comes twice", \
	  "Readers keep the last or merge both.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, section 2") \
	X(TF_ONEOF_MULTIPLE, "tf-oneof-multiple", AMBIGUOUS, HIGH, \
	  "two of several fields that exclude each other", \
	  "Readers keep the last; a scanner that takes the first sees another value.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, section 2") \
	X(TF_UTF8, "tf-utf8", MALFORMED, HIGH, \
	  "a text that is not UTF-8", \
	  "Protobuf refuses it, or each language reads it in its own way.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, section 2") \
	X(TF_STRING_CONTROL, "tf-string-control", AMBIGUOUS, HIGH, \
	  "a control character in a name", \
	  "It is printed as something else, or ends the name early.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, section 2") \
	X(TF_DEPTH, "tf-depth", MALFORMED, HIGH, \
	  "messages nested deeper than any graph needs", \
	  "Readers recurse until their stack ends.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, section 2") \
	X(TF_INT_RANGE, "tf-int-range", MALFORMED, HIGH, \
	  "a number that does not fit its field", \
	  "Readers cut it, each in its own way.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, section 2") \
	X(TF_PACKED, "tf-packed", MALFORMED, HIGH, \
	  "a packed run that is no whole number of items", \
	  "Readers drop the rest or refuse the model.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, section 2") \
	X(TF_MAP_DUPLICATE, "tf-map-duplicate", AMBIGUOUS, HIGH, \
	  "a map with the same key twice", \
	  "Readers keep the last value; a scanner that takes the first sees another.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, section 2") \
	X(TF_TOO_LARGE, "tf-too-large", MALFORMED, HIGH, \
	  "a graph of 2 GiB or more", \
	  "Protobuf cannot hold it.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, rule 13") \
	X(TF_LIMIT, "tf-limit", UNSUPPORTED, MEDIUM, \
	  "more nodes, functions, attributes or levels than this build goes through", \
	  "What is beyond the limit is not examined.", \
	  "Split the model.", "formats/tensorflow, rule 13") \
	X(TF_UNSUPPORTED, "tf-unsupported", UNSUPPORTED, MEDIUM, \
	  "an element type that this build does not know", \
	  "What its bytes mean is not examined.", \
	  "Ask for a newer release of this program.", "formats/tensorflow, rule 6") \
	X(TF_SCHEMA_VERSION, "tf-schema-version", MALFORMED, HIGH, \
	  "a SavedModel of a schema other than 1", \
	  "There is none.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, rule 2") \
	X(TF_META_GRAPH_COUNT, "tf-meta-graph-count", MALFORMED, HIGH, \
	  "no meta graph, or more than sixteen", \
	  "Loaders choose one by its tags: the others are where things hide.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, rule 2") \
	X(TF_TAGS_DUPLICATE, "tf-tags-duplicate", AMBIGUOUS, MEDIUM, \
	  "two meta graphs with the same tags", \
	  "Loaders take the first that fits.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, rule 2") \
	X(TF_NODE_NAME, "tf-node-name", MALFORMED, HIGH, \
	  "a node whose name TensorFlow does not allow", \
	  "Names are how nodes are found: control characters and separators confuse tools.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, rule 3") \
	X(TF_NODE_DUPLICATE, "tf-node-duplicate", AMBIGUOUS, HIGH, \
	  "two nodes of one name", \
	  "A tool that takes the first sees another graph than one that takes the last.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, rule 3") \
	X(TF_OP_NAME, "tf-op-name", MALFORMED, HIGH, \
	  "a node whose operator is neither an operator's name nor a function of the graph", \
	  "No runtime can run it.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, rule 3") \
	X(TF_INPUT, "tf-input", MALFORMED, HIGH, \
	  "an input of a node that does not exist, or behind a control input", \
	  "The graph cannot be built.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, rule 8") \
	X(TF_DEVICE_REMOTE, "tf-device-remote", MALICIOUS, HIGH, \
	  "a node that is placed on another machine", \
	  "Running it means a connection to that machine.", \
	  "Clear devices when exporting the graph.", "formats/tensorflow, rule 8") \
	X(TF_FUNCTION_DUPLICATE, "tf-function-duplicate", AMBIGUOUS, HIGH, \
	  "two functions of one name", \
	  "Which one is called depends on the reader.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, rule 9") \
	X(TF_FUNCTION_CYCLE, "tf-function-cycle", QUALITY, MEDIUM, \
	  "functions that call each other in a circle", \
	  "Inference may never end.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, rule 9") \
	X(TF_GRADIENT_MISSING, "tf-gradient-missing", QUALITY, MEDIUM, \
	  "a gradient of a function, or by a function, that is not there", \
	  "Training that asks for it fails, or finds another function of that name.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, rule 9") \
	X(TF_TENSOR_SIZE, "tf-tensor-size", MALFORMED, HIGH, \
	  "a constant whose shape, type and values do not agree", \
	  "Readers repeat or cut values, each in its own way.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, rule 6") \
	X(TF_TENSOR_BOMB, "tf-tensor-bomb", MALICIOUS, HIGH, \
	  "a small constant that becomes more than a gigabyte of memory", \
	  "One value is repeated to fill the shape when the graph is loaded.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, rule 6") \
	X(TF_VARIANT, "tf-variant", CODE, HIGH, \
	  "a constant that is a handle or a variant", \
	  "Decoders of variants are code that is chosen by the file.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, rule 7") \
	X(TF_ASSET_TRAVERSAL, "tf-asset-traversal", MALICIOUS, HIGH, \
	  "an asset whose name leads out of the model's folder", \
	  "Loaders join it to the folder and read what is there.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, rule 10") \
	X(TF_CUSTOM_OP, "tf-custom-op", CODE, MEDIUM, \
	  "an operator that TensorFlow does not have", \
	  "A library brings it; what it does is not in the model.", \
	  "Use the operators of TensorFlow, or allow it by policy.", "formats/tensorflow, section 4") \
	X(TF_OP_ASSET_READ, "tf-op-asset-read", QUALITY, INFO, \
	  "an operator that reads one of the model's own files", \
	  "Vocabularies are loaded so.", \
	  "Nothing to do.", "formats/tensorflow, section 4") \
	X(TF_OP_VOCABULARY, "tf-op-vocabulary", QUALITY, MEDIUM, \
	  "a function that reads a vocabulary from a file it is told", \
	  "Which file it is, the caller says.", \
	  "Nothing to do, if it is an asset of the model.", "formats/tensorflow, section 4") \
	X(TF_OP_PYTHON, "tf-op-python", MALICIOUS, CRITICAL, \
	  "an operator that calls Python", \
	  "It runs whatever function is registered in the process that loads the graph.", \
	  "Export the model without it, or run it only where it may do anything.", "formats/tensorflow, group Python") \
	X(TF_OP_FILE_READ, "tf-op-file-read", MALICIOUS, HIGH, \
	  "an operator that reads files of the machine it runs on", \
	  "A model has no need of them; what it reads can leave by its outputs.", \
	  "Export the model without it, or run it only where it may do anything.", "formats/tensorflow, group file read") \
	X(TF_OP_FILE_WRITE, "tf-op-file-write", MALICIOUS, CRITICAL, \
	  "an operator that writes files of the machine it runs on", \
	  "A file written in the right place is a program that runs.", \
	  "Export the model without it, or run it only where it may do anything.", "formats/tensorflow, group file write") \
	X(TF_OP_SAVER, "tf-op-saver", QUALITY, INFO, \
	  "operators that save and restore the model's own variables", \
	  "TensorFlow puts them into every graph with variables; they run when somebody asks to save or restore.", \
	  "Nothing to do.", "formats/tensorflow, decision 5") \
	X(TF_OP_NETWORK, "tf-op-network", MALICIOUS, HIGH, \
	  "an operator that talks to other machines", \
	  "Inference then depends on, and tells, somebody else.", \
	  "Export the model without it, or run it only where it may do anything.", "formats/tensorflow, group network") \
	X(TF_OP_NATIVE, "tf-op-native", CODE, HIGH, \
	  "an operator that carries compiled code", \
	  "Nobody can read here what it does.", \
	  "Export the model without precompiled engines.", "formats/tensorflow, group native code") \
	X(TF_OP_XLA, "tf-op-xla", UNSUPPORTED, MEDIUM, \
	  "an operator of the XLA compiler", \
	  "Part of the graph is compiled when it runs; what it holds is not examined.", \
	  "Export the model without XLA clusters.", "formats/tensorflow, decision 3") \
	X(TF_OP_STABLEHLO, "tf-op-stablehlo", QUALITY, INFO, \
	  "an operator that carries a StableHLO program", \
	  "Exports of JAX models consist of it; it computes and does nothing else.", \
	  "Nothing to do.", "formats/tensorflow, group native code") \
	X(TF_OP_ABORT, "tf-op-abort", QUALITY, MEDIUM, \
	  "an operator that ends the process or waits for something outside of the graph", \
	  "Inference can stop for ever.", \
	  "Export the model without it, or run it only where it may do anything.", "formats/tensorflow, decision 3") \
	X(TF_OP_PRINT, "tf-op-print", QUALITY, INFO, \
	  "an operator that prints", \
	  "It fills the log of whoever runs the model.", \
	  "Nothing to do.", "formats/tensorflow, group process") \
	X(TF_NESTED_GRAPH, "tf-nested-graph", CODE, MEDIUM, \
	  "a graph within the graph, or an operator that builds one when it runs", \
	  "It is run without ever being part of what tools show.", \
	  "Export the model without serialised data sets.", "formats/tensorflow, rule 5") \
	X(PB_AMBIGUOUS, "pb-ambiguous", AMBIGUOUS, HIGH, \
	  "bytes that are a meta graph and a graph at once", \
	  "Which one is loaded depends on who loads it.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, section 1") \
	X(TF_OBJECT_ID, "tf-object-id", MALFORMED, HIGH, \
	  "an object of the object graph that refers to one that is not there", \
	  "Loaders follow such numbers.", \
	  "Write the model with TensorFlow.", "formats/tensorflow, rule 12") \
	X(TF_OP_AT_LOAD, "tf-op-at-load", CODE, HIGH, \
	  "such an operator runs when the model is loaded", \
	  "Nobody has to ask the model for anything.", \
	  "Export the model without it.", "formats/tensorflow, rule 11") \
	X(TF_TEXT_PROTO, "tf-text-proto", UNSUPPORTED, MEDIUM, \
	  "a message of TensorFlow in text form, which this build does not read", \
	  "What it holds is not examined.", \
	  "Publish the binary form.", "formats/tensorflow, section 1") \
	X(TF_CHECKPOINT_PATH, "tf-checkpoint-path", AMBIGUOUS, MEDIUM, \
	  "a checkpoint that lies outside of this folder", \
	  "Loaders that ask for the latest checkpoint open what is there.", \
	  "Name the checkpoint without a folder.", "formats/tensorflow, decision 4") \
	X(TF_CHECKPOINT_ABSOLUTE, "tf-checkpoint-absolute", QUALITY, INFO, \
	  "a checkpoint that is named with the folders of the machine it was written on", \
	  "It is not there on any other.", \
	  "Name the checkpoint without a folder.", "formats/tensorflow, decision 4") \
	X(TF_CHECKPOINT_CONTROL, "tf-checkpoint-control", QUALITY, INFO, \
	  "values that a graph may be steered by", \
	  "A graph can choose what it runs by a variable: a checkpoint is as trusted as the graph it goes with.", \
	  "Nothing to do.", "formats/tensorflow, section 5") \
	X(TF_DATA_UNCHECKED, "tf-data-unchecked", QUALITY, INFO, \
	  "weights in other files, which this verdict says nothing about", \
	  "The checkpoint is not whole without them.", \
	  "Scan the folder with all its files.", "formats/tensorflow, decision 3") \
	X(TF_DATA_MISSING, "tf-data-missing", MALFORMED, HIGH, \
	  "a data file of the checkpoint that is not there", \
	  "Restoring fails, or finds another file of that name.", \
	  "Upload the checkpoint with all its files.", "formats/tensorflow, decision 3") \
	X(TFCKPT_MAGIC, "tfckpt-magic", MALFORMED, HIGH, \
	  "the index of a checkpoint that does not end as one", \
	  "The transfer may have been cut.", \
	  "Upload the file again.", "formats/tensorflow, section 5") \
	X(TFCKPT_BLOCK, "tfckpt-block", MALFORMED, HIGH, \
	  "a block of the index that is none", \
	  "Readers follow the lengths and places it gives.", \
	  "Write the checkpoint with TensorFlow.", "formats/tensorflow, section 5") \
	X(TFCKPT_CRC, "tfckpt-crc", MALFORMED, HIGH, \
	  "a block of the index with a wrong checksum", \
	  "It was damaged, or changed by somebody who did not know of it.", \
	  "Upload the file again.", "formats/tensorflow, section 5") \
	X(TFCKPT_KEYS, "tfckpt-keys", AMBIGUOUS, HIGH, \
	  "names of the index that are not in order, or twice", \
	  "Readers that search find another tensor than those that go through it.", \
	  "Write the checkpoint with TensorFlow.", "formats/tensorflow, section 5") \
	X(TFCKPT_LIMIT, "tfckpt-limit", UNSUPPORTED, MEDIUM, \
	  "an index larger than this build goes through", \
	  "What is beyond the limit is not examined.", \
	  "Split the checkpoint.", "formats/tensorflow, section 5") \
	X(TFCKPT_HEADER, "tfckpt-header", MALFORMED, HIGH, \
	  "an index without a header, or with a broken one", \
	  "Nobody can know how many files it speaks of.", \
	  "Write the checkpoint with TensorFlow.", "formats/tensorflow, section 5") \
	X(TFCKPT_ENDIANNESS, "tfckpt-endianness", UNSUPPORTED, MEDIUM, \
	  "a checkpoint of numbers stored most significant byte first", \
	  "TensorFlow refuses it on other machines; what it holds is not examined.", \
	  "Write the checkpoint on a little-endian machine.", "formats/tensorflow, section 5") \
	X(TFCKPT_SHARDS, "tfckpt-shards", MALFORMED, HIGH, \
	  "a number of data files that cannot be, or another than their names say", \
	  "The files are of two checkpoints.", \
	  "Upload the checkpoint with its own files.", "formats/tensorflow, section 5") \
	X(TFCKPT_ENTRY, "tfckpt-entry", MALFORMED, HIGH, \
	  "an entry of the index that is no description of a tensor", \
	  "Readers refuse it, or each reads it in its own way.", \
	  "Write the checkpoint with TensorFlow.", "formats/tensorflow, section 5") \
	X(TFCKPT_BOUNDS, "tfckpt-bounds", MALFORMED, HIGH, \
	  "a tensor outside of its data file, or in a file that is not of the checkpoint", \
	  "Readers read beyond the file, or refuse the checkpoint.", \
	  "Upload the files that belong to the checkpoint.", "formats/tensorflow, section 5") \
	X(TFCKPT_SIZE, "tfckpt-size", MALFORMED, HIGH, \
	  "a tensor of another length than its shape and type", \
	  "What is missing is read from elsewhere.", \
	  "Write the checkpoint with TensorFlow.", "formats/tensorflow, section 5") \
	X(TFCKPT_OVERLAP, "tfckpt-overlap", AMBIGUOUS, HIGH, \
	  "two tensors of a checkpoint overlap", \
	  "Bytes are one tensor's and another's: no writer does this.", \
	  "Write the checkpoint with TensorFlow.", "formats/tensorflow, section 5") \
	X(TFCKPT_HOLE, "tfckpt-hole", AMBIGUOUS, HIGH, \
	  "bytes of a checkpoint that belong to nothing", \
	  "Another file can hide there.", \
	  "Write the checkpoint with TensorFlow.", "formats/tensorflow, section 5") \
	X(TFCKPT_SLICES, "tfckpt-slices", MALFORMED, HIGH, \
	  "a tensor in slices that do not fit it, or are not there", \
	  "Readers put it together from what they find.", \
	  "Write the checkpoint with TensorFlow.", "formats/tensorflow, section 5") \
	X(TFCKPT_OBJECT_GRAPH, "tfckpt-object-graph", QUALITY, MEDIUM, \
	  "an object graph that is no single string", \
	  "Objects cannot be matched with their values.", \
	  "Write the checkpoint with TensorFlow.", "formats/tensorflow, section 5")
/* clang-format on */
