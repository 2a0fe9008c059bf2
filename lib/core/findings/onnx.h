/* Findings of the ONNX reader (lib/formats/onnx/onnx*.c), in the order of formats/onnx. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_ONNX(X)                                                                                           \
	X(ONNX_VARINT, "onnx-varint", MALFORMED, HIGH,                                                                 \
	  "a number of more than ten bytes or 64 bits",                                                                \
	  "Readers drop the excess bits, each in its own way.",                                                        \
	  "Write the model with the onnx package.", "formats/onnx, W1")                                                \
	X(ONNX_VARINT_OVERLONG, "onnx-varint-overlong", AMBIGUOUS, HIGH,                                               \
	  "a tag or length that is not in its shortest form",                                                          \
	  "No writer does this; it hides fields from readers that compare bytes.",                                     \
	  "Write the model with the onnx package.", "formats/onnx, W2")                                                \
	X(ONNX_VALUE_OVERLONG, "onnx-value-overlong", AMBIGUOUS, MEDIUM,                                               \
	  "a value that is not in its shortest form",                                                                  \
	  "No writer of ONNX does this.",                                                                              \
	  "Write the model with the onnx package.", "formats/onnx, W2")                                                \
	X(ONNX_TAG, "onnx-tag", MALFORMED, HIGH,                                                                       \
	  "bytes that are no field: its number is 0 or too large, or its wire type does not exist",                    \
	  "The message ends in something that is not protobuf.",                                                       \
	  "Write the model with the onnx package.", "formats/onnx, W3")                                                \
	X(ONNX_WIRETYPE, "onnx-wiretype", AMBIGUOUS, HIGH,                                                             \
	  "a known field with the wire type of another",                                                               \
	  "Protobuf readers keep it silently as unknown: this is how a file of another format passes for a model.",    \
	  "Write the model with the onnx package.", "formats/onnx, W4")                                                \
	X(ONNX_GROUP, "onnx-group", MALFORMED, HIGH,                                                                   \
	  "a protobuf group, which ONNX does not have",                                                                \
	  "Readers skip groups without looking: room for anything.",                                                   \
	  "Write the model with the onnx package.", "formats/onnx, W5")                                                \
	X(ONNX_TRUNCATED, "onnx-truncated", MALFORMED, HIGH,                                                           \
	  "a field that is longer than what it is in",                                                                 \
	  "The transfer may have been cut, or the lengths lie.",                                                       \
	  "Upload the whole file.", "formats/onnx, W6")                                                                \
	X(ONNX_TRAILING_BYTES, "onnx-trailing-bytes", AMBIGUOUS, HIGH,                                                 \
	  "bytes behind the model",                                                                                    \
	  "Another file can hide there.",                                                                              \
	  "Write the model with the onnx package.", "formats/onnx, rule 1")                                            \
	X(ONNX_UNKNOWN_FIELD, "onnx-unknown-field", UNSUPPORTED, MEDIUM,                                               \
	  "a field that this version of ONNX does not define",                                                         \
	  "Readers keep it without a look; what it means is unknown.",                                                 \
	  "Convert the model to a released version of ONNX.", "formats/onnx, W7")                                      \
	X(ONNX_UNKNOWN_PAYLOAD, "onnx-unknown-payload", AMBIGUOUS, HIGH,                                               \
	  "more or longer undefined fields than a newer version explains",                                             \
	  "Undefined fields are room for another file.",                                                               \
	  "Write the model with the onnx package.", "formats/onnx, W7")                                                \
	X(ONNX_RESERVED_FIELD, "onnx-reserved-field", MALFORMED, HIGH,                                                 \
	  "a field number that ONNX has taken out of use",                                                             \
	  "No writer uses it; readers keep its bytes without a look.",                                                 \
	  "Write the model with the onnx package.", "formats/onnx, W8")                                                \
	X(ONNX_DUPLICATE_FIELD, "onnx-duplicate-field", AMBIGUOUS, HIGH,                                               \
	  "a field twice that may be there once",                                                                      \
	  "Protobuf merges messages and lets the last number win: one who stops at the first sees another model.",     \
	  "Write the model with the onnx package.", "formats/onnx, W9")                                                \
	X(ONNX_ONEOF_MULTIPLE, "onnx-oneof-multiple", AMBIGUOUS, HIGH,                                                 \
	  "two of several fields that exclude each other",                                                             \
	  "Protobuf lets the last one win: one who stops at the first sees another model.",                            \
	  "Write the model with the onnx package.", "formats/onnx, W10")                                               \
	X(ONNX_UTF8, "onnx-utf8", MALFORMED, HIGH,                                                                     \
	  "a text that is not UTF-8",                                                                                  \
	  "Readers refuse it, replace characters or keep the bytes: names stop being the same.",                       \
	  "Write names and descriptions in UTF-8.", "formats/onnx, W11")                                               \
	X(ONNX_STRING_CONTROL, "onnx-string-control", MALFORMED, HIGH,                                                 \
	  "a control character in a text",                                                                             \
	  "Names with NUL are cut by some readers, others act on terminals.",                                          \
	  "Take control characters out of names.", "formats/onnx, W11")                                                \
	X(ONNX_DEPTH, "onnx-depth", MALFORMED, HIGH,                                                                   \
	  "messages are nested too deeply",                                                                            \
	  "Readers that recurse run out of stack.",                                                                    \
	  "Flatten the model's subgraphs.", "formats/onnx, W12")                                                       \
	X(ONNX_INT_RANGE, "onnx-int-range", MALFORMED, HIGH,                                                           \
	  "a number that does not fit its field",                                                                      \
	  "Readers cut it to 32 bits and see another.",                                                                \
	  "Write the model with the onnx package.", "formats/onnx, W13")                                               \
	X(ONNX_ENUM, "onnx-enum", MALFORMED, HIGH,                                                                     \
	  "a value that its enumeration does not have",                                                                \
	  "Readers take it for the default, or keep it as unknown.",                                                   \
	  "Write the model with the onnx package.", "formats/onnx, W14")                                               \
	X(ONNX_PACKED, "onnx-packed", MALFORMED, HIGH,                                                                 \
	  "a packed run that is no whole number of values",                                                            \
	  "Readers drop the rest or refuse the model.",                                                                \
	  "Write the model with the onnx package.", "formats/onnx, section 2")                                         \
	X(ONNX_TOO_LARGE, "onnx-too-large", MALFORMED, HIGH,                                                           \
	  "the file is larger than a protobuf message can be",                                                         \
	  "No reader takes 2 GiB or more; lengths wrap in some.",                                                      \
	  "Keep the weights in external data.", "formats/onnx, section 1")                                             \
	X(ONNX_REQUIRED_FIELD, "onnx-required-field", MALFORMED, HIGH,                                                 \
	  "the model lacks its version, its graph or its operator sets",                                               \
	  "What is missing decides how everything else is read.",                                                      \
	  "Write the model with the onnx package and run its checker.", "formats/onnx, rule 2")                        \
	X(ONNX_IR_OLD, "onnx-ir-old", QUALITY, MEDIUM,                                                                 \
	  "a version of ONNX from before its first release",                                                           \
	  "Some of its rules were others.",                                                                            \
	  "Convert the model with onnx.version_converter.", "formats/onnx, section 3")                                 \
	X(ONNX_IR_FUTURE, "onnx-ir-future", UNSUPPORTED, HIGH,                                                         \
	  "a version of ONNX that does not exist yet",                                                                 \
	  "What its fields mean is unknown.",                                                                          \
	  "Write the model in a released version of ONNX.", "formats/onnx, section 3")                                 \
	X(ONNX_OPSET_DUPLICATE, "onnx-opset-duplicate", AMBIGUOUS, HIGH,                                               \
	  "a domain imported in two versions",                                                                         \
	  "Runtimes take the first or the last: operators differ between versions.",                                   \
	  "Import each domain once.", "formats/onnx, rule 2")                                                          \
	X(ONNX_OPSET_REPEATED, "onnx-opset-repeated", QUALITY, MEDIUM,                                                 \
	  "a domain imported twice in the same version",                                                               \
	  "The checker of ONNX refuses it.",                                                                           \
	  "Import each domain once.", "formats/onnx, decision 7")                                                      \
	X(ONNX_OPSET_VERSION, "onnx-opset-version", MALFORMED, HIGH,                                                   \
	  "an operator set version that cannot be",                                                                    \
	  "Runtimes use it to look up operators.",                                                                     \
	  "Write the model with the onnx package.", "formats/onnx, rule 2")                                            \
	X(ONNX_DIMS, "onnx-dims", MALFORMED, HIGH,                                                                     \
	  "a tensor with a negative or very large dimension, or with too many",                                        \
	  "Loaders multiply dimensions to size buffers.",                                                              \
	  "Write the model with the onnx package.", "formats/onnx, rule 3")                                            \
	X(ONNX_TENSOR_SIZE_OVERFLOW, "onnx-tensor-size-overflow", MALFORMED, CRITICAL,                                 \
	  "the size of a tensor overflows 64 bits",                                                                    \
	  "Loaders that do not notice allocate too little and write beyond it.",                                       \
	  "Write the model with the onnx package.", "formats/onnx, rule 3")                                            \
	X(ONNX_DTYPE, "onnx-dtype", MALFORMED, HIGH,                                                                   \
	  "a tensor of an element type that does not exist, or of none",                                               \
	  "Its bytes mean nothing, or something else in each reader.",                                                 \
	  "Write the model with the onnx package.", "formats/onnx, rule 4")                                            \
	X(ONNX_DATA_FIELDS, "onnx-data-fields", AMBIGUOUS, HIGH,                                                       \
	  "a tensor with no data field, or with more than one",                                                        \
	  "Each reader takes the one it looks for first.",                                                             \
	  "Write each tensor's values once.", "formats/onnx, rule 5")                                                  \
	X(ONNX_RAW_SIZE, "onnx-raw-size", MALFORMED, HIGH,                                                             \
	  "raw data of another size than shape and type say",                                                          \
	  "What is missing is read from elsewhere, what is too much can be another file.",                             \
	  "Write the model with the onnx package.", "formats/onnx, rule 6")                                            \
	X(ONNX_DATA_COUNT, "onnx-data-count", MALFORMED, HIGH,                                                         \
	  "a tensor whose values are of another type or number than it says",                                          \
	  "What is missing is read from elsewhere, what is too much is hidden.",                                       \
	  "Write the model with the onnx package.", "formats/onnx, rule 7")                                            \
	X(ONNX_DATA_RANGE, "onnx-data-range", MALFORMED, HIGH,                                                         \
	  "a value that does not fit the element type",                                                                \
	  "Readers cut it and see another value.",                                                                     \
	  "Write the model with the onnx package.", "formats/onnx, rule 8")                                            \
	X(ONNX_SUBBYTE_PADDING, "onnx-subbyte-padding", QUALITY, MEDIUM,                                               \
	  "unused bits behind the last element are not zero",                                                          \
	  "They belong to no element.",                                                                                \
	  "Write the model with the onnx package.", "formats/onnx, rule 9")                                            \
	X(ONNX_SEGMENT, "onnx-segment", UNSUPPORTED, HIGH,                                                             \
	  "a tensor that is a segment of another",                                                                     \
	  "Nobody implements it: readers take the part for the whole.",                                                \
	  "Write whole tensors.", "formats/onnx, rule 10")                                                             \
	X(ONNX_NAME_DUPLICATE, "onnx-name-duplicate", AMBIGUOUS, HIGH,                                                 \
	  "two initializers of one graph with the same name",                                                          \
	  "Each runtime keeps the first or the last.",                                                                 \
	  "Give each initializer a name of its own.", "formats/onnx, rule 11")                                         \
	X(ONNX_INITIALIZER_NAME, "onnx-initializer-name", MALFORMED, HIGH,                                             \
	  "an initializer without a name",                                                                             \
	  "No node can use it: it is there for something else.",                                                       \
	  "Give each initializer a name of its own.", "formats/onnx, decision 5")                                      \
	X(ONNX_SPARSE, "onnx-sparse", MALFORMED, HIGH,                                                                 \
	  "a sparse tensor whose values, indices and shape do not fit together",                                       \
	  "Runtimes write values where the indices say.",                                                              \
	  "Write the model with the onnx package.", "formats/onnx, rule 11")                                           \
	X(ONNX_EXTERNAL_KEY, "onnx-external-key", MALICIOUS, CRITICAL,                                                 \
	  "external data with an unknown, missing or repeated key",                                                    \
	  "The reference sets attributes by these keys (CVE-2026-34445).",                                             \
	  "Use location, offset, length and checksum, once each.", "formats/onnx, section 5")                          \
	X(ONNX_EXTERNAL_BASEPATH, "onnx-external-basepath", MALICIOUS, HIGH,                                           \
	  "external data with a base path",                                                                            \
	  "It moves the data to another folder of the machine that loads the model.",                                  \
	  "Save the external data beside the model.", "formats/onnx, section 5")                                       \
	X(ONNX_EXTERNAL_TRAVERSAL, "onnx-external-traversal", MALICIOUS, CRITICAL,                                     \
	  "external data in a file outside the model's folder",                                                        \
	  "Loading the model reads a file of the machine it is loaded on (CVE-2022-25882 and those after it).",        \
	  "Save the external data beside the model.", "formats/onnx, section 5")                                       \
	X(ONNX_EXTERNAL_NAME, "onnx-external-name", AMBIGUOUS, HIGH,                                                   \
	  "external data in a file whose name is not portable",                                                        \
	  "Systems read such a name differently.",                                                                     \
	  "Name the file with letters, digits, dots and dashes.", "formats/onnx, section 5")                           \
	X(ONNX_EXTERNAL_MEMORY, "onnx-external-memory-address", MALICIOUS, CRITICAL,                                   \
	  "external data at an address in memory",                                                                     \
	  "Runtimes that know the marker take the offset for a pointer.",                                              \
	  "Save the model from disk, not from a session.", "formats/onnx, section 5")                                  \
	X(ONNX_EXTERNAL_NUMBER, "onnx-external-number", MALFORMED, HIGH,                                               \
	  "offset or length of external data that is no plain number",                                                 \
	  "Readers convert it in different ways.",                                                                     \
	  "Write the model with the onnx package.", "formats/onnx, section 5")                                         \
	X(ONNX_EXTERNAL_SIZE, "onnx-external-size", MALFORMED, HIGH,                                                   \
	  "external data of another length than shape and type say",                                                   \
	  "What is missing is read from elsewhere.",                                                                   \
	  "Write the model with the onnx package.", "formats/onnx, section 5")                                         \
	X(ONNX_EXTERNAL_SHADOW, "onnx-external-shadow", AMBIGUOUS, HIGH,                                               \
	  "a tensor with values of its own and external data",                                                         \
	  "Each reader takes the one it looks for first.",                                                             \
	  "Write each tensor's values once.", "formats/onnx, rules 12 and 13")                                         \
	X(ONNX_EXTERNAL_UNCHECKED, "onnx-external-unchecked", QUALITY, MEDIUM,                                         \
	  "weights in other files, which this verdict says nothing about",                                             \
	  "The model is not whole without them.",                                                                      \
	  "Scan the folder with all its files.", "formats/onnx, section 5")                                            \
	X(ONNX_EXTERNAL_MISSING, "onnx-external-missing", MALFORMED, HIGH,                                             \
	  "external data in a file that is not there",                                                                 \
	  "Loading the model fails, or finds another file of that name.",                                              \
	  "Upload the model with all its files.", "formats/onnx, section 5")                                           \
	X(ONNX_EXTERNAL_BOUNDS, "onnx-external-bounds", MALFORMED, HIGH,                                               \
	  "external data that ends behind the end of its file",                                                        \
	  "Loaders read beyond the file, or refuse the model.",                                                        \
	  "Upload the files that belong to the model.", "formats/onnx, section 5")                                     \
	X(ONNX_EXTERNAL_OVERLAP, "onnx-external-overlap", AMBIGUOUS, HIGH,                                             \
	  "two tensors of external data overlap",                                                                      \
	  "Bytes are one tensor's and another's: no writer does this.",                                                \
	  "Save the external data again.", "formats/onnx, section 5")                                                  \
	X(ONNX_EXTERNAL_HOLE, "onnx-external-hole", AMBIGUOUS, HIGH,                                                   \
	  "bytes of a file of external data that belong to no tensor",                                                 \
	  "Another file can hide there.",                                                                              \
	  "Save the external data again.", "formats/onnx, section 5")                                                  \
	X(ONNX_ATTRIBUTE_TYPE, "onnx-attribute-type", AMBIGUOUS, HIGH,                                                 \
	  "an attribute whose value is not of the type it says, or that has several",                                  \
	  "Each reader takes the field it looks for.",                                                                 \
	  "Write the model with the onnx package.", "formats/onnx, rule 14")                                           \
	X(ONNX_ATTRIBUTE_DUPLICATE, "onnx-attribute-duplicate", AMBIGUOUS, HIGH,                                       \
	  "two attributes of one node with the same name",                                                             \
	  "Each runtime keeps the first or the last.",                                                                 \
	  "Write the model with the onnx package.", "formats/onnx, rule 14")                                           \
	X(ONNX_ATTRIBUTE_NAME, "onnx-attribute-name", MALFORMED, HIGH,                                                 \
	  "an attribute without a name, or a reference outside a function",                                            \
	  "No operator can use it: it is there for something else.",                                                   \
	  "Write the model with the onnx package.", "formats/onnx, rule 14")                                           \
	X(ONNX_OP_TYPE, "onnx-op-type", MALFORMED, HIGH,                                                               \
	  "a node without an operator",                                                                                \
	  "What it computes is unknown.",                                                                              \
	  "Write the model with the onnx package.", "formats/onnx, rule 15")                                           \
	X(ONNX_DOMAIN_UNIMPORTED, "onnx-domain-unimported", MALFORMED, HIGH,                                           \
	  "an operator of a domain that the model does not import",                                                    \
	  "Which version of the operator is meant is unknown.",                                                        \
	  "Import every domain that is used.", "formats/onnx, rule 15")                                                \
	X(ONNX_SSA, "onnx-ssa", AMBIGUOUS, HIGH,                                                                       \
	  "a value that is given twice, or used before or without being given",                                        \
	  "What a node computes depends on the order in which the runtime takes them.",                                \
	  "Run onnx.checker and sort the nodes.", "formats/onnx, rule 15")                                             \
	X(ONNX_GRAPH_DEPTH, "onnx-graph-depth", MALFORMED, HIGH,                                                       \
	  "subgraphs are nested too deeply",                                                                           \
	  "Runtimes that recurse run out of stack.",                                                                   \
	  "Flatten the model's subgraphs.", "formats/onnx, rule 16")                                                   \
	X(ONNX_FUNCTION_COUNT, "onnx-function-count", MALFORMED, HIGH,                                                 \
	  "more functions than a model has",                                                                           \
	  "Runtimes inline each of them.",                                                                             \
	  "Inline functions before saving.", "formats/onnx, rule 17")                                                  \
	X(ONNX_FUNCTION_CYCLE, "onnx-function-cycle", MALFORMED, CRITICAL,                                             \
	  "a function that calls itself, directly or not",                                                             \
	  "Runtimes inline functions until their stack is spent (GHSA-7w46-vvrh-m8q5).",                               \
	  "Take the cycle out of the model's functions.", "formats/onnx, rule 17")                                     \
	X(ONNX_FUNCTION_DEPTH, "onnx-function-depth", MALFORMED, HIGH,                                                 \
	  "functions call each other too deeply",                                                                      \
	  "Runtimes that recurse run out of stack.",                                                                   \
	  "Inline functions before saving.", "formats/onnx, decision 5")                                               \
	X(ONNX_FUNCTION_DUPLICATE, "onnx-function-duplicate", AMBIGUOUS, HIGH,                                         \
	  "two functions with the same name",                                                                          \
	  "Each runtime keeps the first or the last.",                                                                 \
	  "Give each function a name of its own.", "formats/onnx, rule 17")                                            \
	X(ONNX_FUNCTION_SHADOW, "onnx-function-shadow", AMBIGUOUS, MEDIUM,                                             \
	  "a function in the place of a standard operator",                                                            \
	  "The operator does what the file says instead of what its name says.",                                       \
	  "Define functions in a domain of your own.", "formats/onnx, rule 18")                                        \
	X(ONNX_METADATA_DUPLICATE, "onnx-metadata-duplicate", AMBIGUOUS, HIGH,                                         \
	  "a metadata key twice",                                                                                      \
	  "Readers keep the first or the last.",                                                                       \
	  "Write each key once.", "formats/onnx, rule 19")                                                             \
	X(ONNX_METADATA_SIZE, "onnx-metadata-size", MALFORMED, HIGH,                                                   \
	  "more metadata or documentation than a model needs",                                                         \
	  "Text nobody reads is room for another file.",                                                               \
	  "Shorten metadata and doc strings.", "formats/onnx, rule 19")                                                \
	X(ONNX_TRAINING_INFO, "onnx-training-info", QUALITY, MEDIUM,                                                   \
	  "training information",                                                                                      \
	  "Hardly anything reads it; what it does was checked like any other graph.",                                  \
	  "Save the model for inference.", "formats/onnx, rule 20")                                                    \
	X(ONNX_LIMIT, "onnx-limit", MALFORMED, HIGH,                                                                   \
	  "more nodes, tensors, attributes or messages than a model has, or a longer name",                            \
	  "Loaders keep each of them in memory.",                                                                      \
	  "Split the model.", "formats/onnx, rule 21")                                                                 \
	X(ONNX_VALUE_INFO, "onnx-value-info", MALFORMED, HIGH,                                                         \
	  "an input or output of the graph without a type, or of one that does not exist",                             \
	  "Callers size buffers by it.",                                                                               \
	  "Run onnx.checker.", "formats/onnx, rule 22")                                                                \
	X(ONNX_VALUE_INFO_DIM, "onnx-value-info-dim", QUALITY, INFO,                                                   \
	  "a negative dimension in a type",                                                                            \
	  "Exporters write -1 for a dimension they do not know.",                                                      \
	  "Leave the dimension empty or name it.", "formats/onnx, decision 7")                                         \
	X(ONNX_CUSTOM_DOMAIN, "onnx-custom-domain", CODE, MEDIUM,                                                      \
	  "an operator that needs a library of its own",                                                               \
	  "Whoever runs the model has to load native code for it.",                                                    \
	  "Use standard operators, or define it as a function in the model.", "formats/onnx, section 6")               \
	X(ONNX_OP_NATIVE_BLOB, "onnx-op-native-blob", MALICIOUS, HIGH,                                                 \
	  "an operator that holds a program for a driver or plug-in",                                                  \
	  "What it does cannot be seen; the driver runs it.",                                                          \
	  "Ship the model without compiled contexts.", "formats/onnx, section 6")                                      \
	X(ONNX_OP_FILE_PATH, "onnx-op-file-path", MALICIOUS, HIGH,                                                     \
	  "an operator that reads a file by its name",                                                                 \
	  "Loading the model reads, and may run, a file of the machine it is loaded on.",                              \
	  "Ship the model without compiled contexts.", "formats/onnx, section 6")                                      \
	X(ONNX_OP_PYTHON, "onnx-op-python", MALICIOUS, CRITICAL,                                                       \
	  "an operator that runs Python",                                                                              \
	  "Running the model runs code that is not in it.",                                                            \
	  "Use standard operators.", "formats/onnx, section 6")                                                        \
	X(ONNX_OP_ATEN, "onnx-op-aten", MALICIOUS, HIGH,                                                               \
	  "an operator that calls any function of PyTorch by its name",                                                \
	  "What it does depends on the name alone.",                                                                   \
	  "Export the model without ATen fallback.", "formats/onnx, section 6")                                        \
	X(ONNX_ORT_CONFIG, "onnx-ort-config", CODE, MEDIUM,                                                            \
	  "session options for a runtime",                                                                             \
	  "A runtime that is told to takes its configuration from the model.",                                         \
	  "Configure the runtime outside the model.", "formats/onnx, section 6")                                       \
	X(ONNX_LOOP_TRIP, "onnx-loop-trip", QUALITY, INFO,                                                             \
	  "a loop that a constant tells to run very often",                                                            \
	  "Unless its condition ends it, running the model does not end.",                                             \
	  "Bound the loop by the length of its input.", "formats/onnx, section 6")                                     \
	X(ONNX_FIELD_ORDER, "onnx-field-order", UNSUPPORTED, MEDIUM,                                                   \
	  "values stand before the type that says what they are",                                                      \
	  "No writer does this; the values were not examined.",                                                        \
	  "Write the model with the onnx package.", "formats/onnx, section 3")                                         \
	X(ONNX_TENSOR_ONLY, "onnx-tensor-only", QUALITY, MEDIUM,                                                       \
	  "a tensor on its own, not a model",                                                                          \
	  "It is what conformance tests are fed with; nothing in it was found to be a model.",                         \
	  "Publish test data apart from models.", "formats/onnx, section 1")
/* clang-format on */
