/* Findings about an index of shards, in the order of its reader (lib/formats/safetensors/index.c), and about sets of files
 * (lib/sets): an index against its shards, the parts of a split GGUF. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_INDEX(X)                                                                                          \
	X(INDEX_TOO_LARGE, "index-too-large", MALFORMED, HIGH,                                                         \
	  "the index is larger than 64 MiB",                                                                           \
	  "No published index comes near it; such files are made to exhaust their reader.",                            \
	  "Publish the index that the library wrote.", "formats/safetensors-index, section 2")                         \
	X(INDEX_JSON_SYNTAX, "index-json-syntax", MALFORMED, HIGH,                                                     \
	  "the index is not one JSON object in UTF-8",                                                                 \
	  "Readers that forgive different errors see different shards.",                                               \
	  "Write the index with the library that wrote the shards.", "formats/safetensors-index, section 2; RFC 8259") \
	X(INDEX_JSON_DEPTH, "index-json-depth", MALFORMED, HIGH,                                                       \
	  "the index is nested deeper than four levels",                                                               \
	  "Deep nesting exhausts the stack of recursive readers, and no index has a use for it.",                      \
	  "Remove the nested values.", "formats/safetensors-index, section 2")                                         \
	X(INDEX_TRAILING, "index-trailing-bytes", MALFORMED, HIGH,                                                     \
	  "bytes other than line ends follow the index's object",                                                      \
	  "Appended bytes are where another file hides.",                                                              \
	  "Remove what follows the closing brace.", "formats/safetensors-index, section 7")                            \
	X(INDEX_KEY_DUPLICATE, "index-key-duplicate", AMBIGUOUS, HIGH,                                                 \
	  "a key of the index appears twice",                                                                          \
	  "Readers keep the first or the last: the shard that was reviewed is not the one that is loaded.",            \
	  "Give every key one value.", "formats/safetensors-index, section 2")                                         \
	X(INDEX_KEY_UNKNOWN, "index-key-unknown", MALFORMED, MEDIUM,                                                   \
	  "the index has a key that indexes do not have",                                                              \
	  "A loader that knows the key may do something with it that nobody looked at.",                               \
	  "Keep to metadata and weight_map.", "formats/safetensors-index, section 2")                                  \
	X(INDEX_WEIGHT_MAP, "index-weight-map", MALFORMED, HIGH,                                                       \
	  "weight_map is not a map of 1 to 1048576 tensors to file names",                                             \
	  "Loaders take file names from it without looking.",                                                          \
	  "Map each tensor's name to the name of its shard.", "formats/safetensors-index, section 2")                  \
	X(INDEX_METADATA, "index-metadata", MALFORMED, HIGH,                                                           \
	  "the index's metadata is of a wrong type or range",                                                          \
	  "Loaders size their memory by it.",                                                                          \
	  "Write total_size and total_parameters as integers and format as text.",                                     \
	  "formats/safetensors-index, section 2")                                                                      \
	X(INDEX_METADATA_KEY, "index-metadata-key", QUALITY, INFO,                                                     \
	  "the index's metadata has a key of its own",                                                                 \
	  "Some tools leave notes there; loaders do not look.",                                                        \
	  "Nothing to do.", "formats/safetensors-index, section 9")                                                    \
	X(INDEX_NUMBER_FORM, "index-number-form", QUALITY, INFO,                                                       \
	  "a total of the index is 0 or written as a float",                                                           \
	  "Older tools did so; what cannot be told exactly is not compared.",                                          \
	  "Write totals as plain integers.", "formats/safetensors-index, sections 2 and 9")                            \
	X(INDEX_TENSOR_NAME, "index-tensor-name", AMBIGUOUS, HIGH,                                                     \
	  "a tensor's name in the index is empty, too long, or not all visible",                                       \
	  "Escape sequences act on terminals, NUL cuts names in C readers, and two names can look the same.",          \
	  "Use visible characters in names.", "policy; formats/safetensors, rule 23")                                  \
	X(INDEX_SHARD_TRAVERSAL, "index-shard-traversal", MALICIOUS, CRITICAL,                                         \
	  "a shard's name leads out of the model's folder",                                                            \
	  "Loaders join it to the folder unchecked: a path replaces the folder, .. leaves it, a URL fetches.",         \
	  "Name a file beside the index.", "formats/safetensors-index, rule 1; CWE-22")                                \
	X(INDEX_SHARD_NAME, "index-shard-name", MALFORMED, HIGH,                                                       \
	  "a shard's name is not a plain file name",                                                                   \
	  "Only letters, digits, dot, dash and underscore mean the same to every file system and shell.",              \
	  "Rename the shard.", "formats/safetensors-index, rule 1")                                                    \
	X(INDEX_SHARD_EXTENSION, "index-shard-extension", AMBIGUOUS, HIGH,                                             \
	  "a shard's extension is not that of the index",                                                              \
	  "Loaders go by the extension: one shard that is not .safetensors turns them to pickle, which runs code.",    \
	  "Convert all shards to one format.", "formats/safetensors-index, rule 2")                                    \
	X(INDEX_SHARD_CASE, "index-shard-case-collision", AMBIGUOUS, HIGH,                                             \
	  "two shards have names that differ in case alone",                                                           \
	  "Where file names ignore case one replaces the other.",                                                      \
	  "Rename one of them.", "formats/safetensors-index, rule 4")                                                  \
	X(INDEX_SHARD_SEQUENCE, "index-shard-sequence", MALFORMED, HIGH,                                               \
	  "the numbers in the shards' names do not form one whole sequence",                                           \
	  "A part is missing, or parts of two models are mixed.",                                                      \
	  "Upload every shard and the index that was written with them.", "formats/safetensors-index, rule 5")         \
	X(INDEX_SHARD_NAMING, "index-shard-naming", QUALITY, INFO,                                                     \
	  "a shard is not named as the libraries name them",                                                           \
	  "Loaders go by the index, so nothing is wrong with it.",                                                     \
	  "Nothing to do.", "formats/safetensors-index, section 1")                                                    \
	X(INDEX_SINGLE_SHARD, "index-single-shard", QUALITY, INFO,                                                     \
	  "the index names a single shard",                                                                            \
	  "Libraries leave the index out then.",                                                                       \
	  "Nothing to do.", "formats/safetensors-index, rule 15")                                                      \
	X(INDEX_UNCHECKED, "index-shards-unchecked", QUALITY, INFO,                                                    \
	  "the index was not compared with what the shards hold",                                                      \
	  "An index alone says nothing about its shards, and not every format tells its tensors' names.",              \
	  "Scan the folder as a set.", "formats/safetensors-index, section 4")                                         \
	X(INDEX_SHARD_MISSING, "index-shard-missing", MALFORMED, HIGH,                                                 \
	  "a shard that the index names is not there",                                                                 \
	  "The model does not load, or loads whatever is put there later.",                                            \
	  "Upload every shard.", "formats/safetensors-index, rule 6")                                                  \
	X(INDEX_SHARD_SYMLINK, "index-shard-symlink", AMBIGUOUS, HIGH,                                                 \
	  "a shard is a symbolic link",                                                                                \
	  "What it leads to is decided later and elsewhere.",                                                          \
	  "Put the file itself beside the index.", "formats/safetensors-index, rule 3")                                \
	X(INDEX_SHARD_TYPE, "index-shard-type", MALFORMED, HIGH,                                                       \
	  "a shard is not a regular file",                                                                             \
	  "Reading a FIFO or a device blocks, never ends, or acts.",                                                   \
	  "Put the file itself beside the index.", "formats/safetensors-index, rule 3")                                \
	X(INDEX_SHARD_FORMAT, "index-shard-format", AMBIGUOUS, HIGH,                                                   \
	  "a shard is of another format than the index is for",                                                        \
	  "Programs that go by the name and programs that go by the content do different things with it.",             \
	  "Convert all shards to one format.", "formats/safetensors-index, rule 17")                                   \
	X(INDEX_SHARD_UNREFERENCED, "index-shard-unreferenced", AMBIGUOUS, MEDIUM,                                     \
	  "a shard lies beside the index and is not named in it",                                                      \
	  "Loaders that take all files of a folder load it; those that go by the index do not.",                       \
	  "Remove the file, or name its tensors in the index.", "formats/safetensors-index, rule 7")                   \
	X(INDEX_TENSOR_MISSING, "index-tensor-missing", MALFORMED, HIGH,                                               \
	  "a tensor is not in the shard that the index says",                                                          \
	  "The model does not load, or loads without it.",                                                             \
	  "Write index and shards together.", "formats/safetensors-index, rule 9")                                     \
	X(INDEX_TENSOR_UNLISTED, "index-tensor-unlisted", AMBIGUOUS, HIGH,                                             \
	  "a shard holds a tensor that the index does not list",                                                       \
	  "Loaders load it anyway, though nobody who reads the index knows of it.",                                    \
	  "Write index and shards together.", "formats/safetensors-index, rule 10")                                    \
	X(INDEX_TENSOR_WRONG_SHARD, "index-tensor-wrong-shard", AMBIGUOUS, HIGH,                                       \
	  "a tensor is in another shard than the index says",                                                          \
	  "Loaders that go by the index and loaders that go through the shards see two models.",                       \
	  "Write index and shards together.", "formats/safetensors-index, rule 10")                                    \
	X(INDEX_TENSOR_DUPLICATE, "index-tensor-duplicate", AMBIGUOUS, CRITICAL,                                       \
	  "a tensor is in two shards",                                                                                 \
	  "The one that is loaded last wins silently: the tensor that was reviewed is not the one that is used.",      \
	  "Keep each tensor in one shard.", "formats/safetensors-index, rule 11")                                      \
	X(INDEX_TOTAL_SIZE, "index-total-size", QUALITY, MEDIUM,                                                       \
	  "total_size is not the size of the tensors",                                                                 \
	  "The index was not written with these shards.",                                                              \
	  "Write index and shards together.", "formats/safetensors-index, rule 12")                                    \
	X(INDEX_TOTAL_FILES, "index-total-size-files", QUALITY, INFO,                                                  \
	  "total_size is the size of the files instead of the tensors",                                                \
	  "Some tools sum it up that way.",                                                                            \
	  "Nothing to do.", "formats/safetensors-index, rule 12")                                                      \
	X(INDEX_TOTAL_PARAMETERS, "index-total-parameters", QUALITY, INFO,                                             \
	  "total_parameters is not the number of elements",                                                            \
	  "Quantised models count what they were made from.",                                                          \
	  "Nothing to do.", "formats/safetensors-index, rule 13")                                                      \
	X(INDEX_AMBIGUOUS_SET, "index-ambiguous-set", AMBIGUOUS, MEDIUM,                                               \
	  "the folder holds the same model twice",                                                                     \
	  "Which one is loaded depends on the loader and its options.",                                                \
	  "Publish one of them.", "formats/safetensors-index, rule 14")                                                \
	X(INDEX_FORMAT_MISMATCH, "index-format-mismatch", AMBIGUOUS, MEDIUM,                                           \
	  "the shards were written for different frameworks",                                                          \
	  "Loaders convert by what the first or the last shard says.",                                                 \
	  "Write all shards with one library.", "formats/safetensors-index, rule 16")                                  \
	X(GGUF_SPLIT_MISMATCH, "gguf-split-mismatch", MALFORMED, HIGH,                                                 \
	  "the parts of a split model do not fit together",                                                            \
	  "A part is missing or belongs to another model; loaders go by names and by counts, which must agree.",       \
	  "Upload every part, named as the tool that split it named them.", "formats/gguf, rule 47")
/* clang-format on */
