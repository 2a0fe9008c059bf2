/* Findings of the GGUF reader (lib/formats/gguf/gguf*.c), in the order of formats/gguf.  Those of chat templates are in
 * template.h. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_GGUF(X)                                                                                           \
	X(GGUF_BAD_MAGIC, "gguf-bad-magic", MALFORMED, HIGH,                                                           \
	  "the file does not begin with GGUF",                                                                         \
	  "No reader takes it for what its name says.",                                                                \
	  "Give the file the name of its format, or upload the model it should be.",                                   \
	  "formats/gguf, rule 1")                                                                                      \
	X(GGUF_LEGACY_MAGIC, "gguf-legacy-magic", UNSUPPORTED, HIGH,                                                   \
	  "a predecessor of GGUF (ggml, ggmf, ggjt or ggla)",                                                          \
	  "Loaders dropped these formats, and those that remain read them without checks.",                            \
	  "Convert the model again with a current converter.",                                                         \
	  "formats/gguf, section 1")                                                                                   \
	X(GGUF_VERSION_ZERO, "gguf-version-zero", MALFORMED, HIGH,                                                     \
	  "the version is 0",                                                                                          \
	  "No such version exists.",                                                                                   \
	  "Convert the model again with a current converter.",                                                         \
	  "formats/gguf, rule 2")                                                                                      \
	X(GGUF_BIG_ENDIAN, "gguf-big-endian", UNSUPPORTED, HIGH,                                                       \
	  "the file is written for machines of the other byte order",                                                  \
	  "Loaders on common machines refuse it; its numbers were not looked at.",                                     \
	  "Convert the model on, or for, a little-endian machine.",                                                    \
	  "formats/gguf, rule 3")                                                                                      \
	X(GGUF_VERSION_OBSOLETE, "gguf-version-obsolete", UNSUPPORTED, HIGH,                                           \
	  "version 1 of the format",                                                                                   \
	  "Implementations disagree about its lengths: two readers see two files.",                                    \
	  "Convert the model again with a current converter.",                                                         \
	  "formats/gguf, rule 4")                                                                                      \
	X(GGUF_VERSION_FUTURE, "gguf-version-future", UNSUPPORTED, HIGH,                                               \
	  "a version that is not defined yet",                                                                         \
	  "What its bytes mean is unknown.",                                                                           \
	  "Write version 3.",                                                                                          \
	  "formats/gguf, rule 5")                                                                                      \
	X(GGUF_TRUNCATED, "gguf-truncated", MALFORMED, HIGH,                                                           \
	  "the file ends before its header, a tensor or its padding does",                                             \
	  "A loader reads past the end, or fails; the transfer may have been cut.",                                    \
	  "Upload the whole file.",                                                                                    \
	  "formats/gguf, rules 30 and 35")                                                                             \
	X(GGUF_TENSOR_COUNT, "gguf-tensor-count", MALFORMED, CRITICAL,                                                 \
	  "more tensors than the limit, or than fit the file",                                                         \
	  "Loaders allocate by this number (CVE-2024-21836).",                                                         \
	  "Convert the model again with a current converter.",                                                         \
	  "formats/gguf, rule 6")                                                                                      \
	X(GGUF_KV_COUNT, "gguf-kv-count", MALFORMED, CRITICAL,                                                         \
	  "more metadata than the limit, or than fits the file",                                                       \
	  "Loaders allocate by this number (CVE-2024-23605).",                                                         \
	  "Convert the model again with a current converter.",                                                         \
	  "formats/gguf, rule 7")                                                                                      \
	X(GGUF_KEY_LENGTH, "gguf-key-length", MALFORMED, CRITICAL,                                                     \
	  "a metadata key is longer than allowed, or than the file",                                                   \
	  "Loaders allocate and copy by this number.",                                                                 \
	  "Write keys of at most 65,535 bytes.",                                                                       \
	  "formats/gguf, rule 8")                                                                                      \
	X(GGUF_KEY_EMPTY, "gguf-key-empty", MALFORMED, HIGH,                                                           \
	  "a metadata key is empty",                                                                                   \
	  "Loaders refuse it.",                                                                                        \
	  "Name the key or leave it out.",                                                                             \
	  "formats/gguf, rule 9")                                                                                      \
	X(GGUF_KEY_DUPLICATE, "gguf-key-duplicate", AMBIGUOUS, HIGH,                                                   \
	  "a metadata key is given twice",                                                                             \
	  "Readers keep the first or the last: they see different models.",                                            \
	  "Write each key once.",                                                                                      \
	  "formats/gguf, rule 10")                                                                                     \
	X(GGUF_KEY_CHARSET, "gguf-key-charset", MALFORMED, HIGH,                                                       \
	  "a metadata key, or the architecture that keys begin with, holds other characters than "                     \
	  "letters, digits, _, - and dots between",                                                                    \
	  "Keys are compared byte by byte; people and terminals see something else.",                                  \
	  "Write lower-case words joined by dots.",                                                                    \
	  "formats/gguf, rule 11")                                                                                     \
	X(GGUF_KEY_UPPER_CASE, "gguf-key-upper-case", QUALITY, INFO,                                                   \
	  "a metadata key holds upper-case letters",                                                                   \
	  "The format asks for lower case; readers look keys up as they are written.",                                 \
	  "Write lower-case words joined by dots.",                                                                    \
	  "formats/gguf, note A")                                                                                      \
	X(GGUF_VALUE_TYPE, "gguf-value-type", MALFORMED, HIGH,                                                         \
	  "a metadata value of a type that is not defined",                                                            \
	  "Its length is unknown, and so is everything behind it.",                                                    \
	  "Convert the model again with a current converter.",                                                         \
	  "formats/gguf, rule 12")                                                                                     \
	X(GGUF_ARRAY_NESTED, "gguf-array-nested", UNSUPPORTED, HIGH,                                                   \
	  "an array of arrays",                                                                                        \
	  "The reference reader refuses it, and others recurse as deep as the file says.",                             \
	  "Write flat arrays.",                                                                                        \
	  "formats/gguf, rule 13")                                                                                     \
	X(GGUF_ARRAY_LENGTH, "gguf-array-length", MALFORMED, CRITICAL,                                                 \
	  "an array is longer than allowed, or than the file",                                                         \
	  "Loaders allocate by this number (CVE-2024-21825).",                                                         \
	  "Convert the model again with a current converter.",                                                         \
	  "formats/gguf, rule 14")                                                                                     \
	X(GGUF_STRING_LENGTH, "gguf-string-length", MALFORMED, CRITICAL,                                               \
	  "a string is longer than allowed, or than the file",                                                         \
	  "Loaders allocate and copy by this number (CVE-2024-23496, CVE-2025-49847).",                                \
	  "Convert the model again with a current converter.",                                                         \
	  "formats/gguf, rule 15")                                                                                     \
	X(GGUF_BOOL_INVALID, "gguf-bool-invalid", MALFORMED, HIGH,                                                     \
	  "a boolean in the metadata is neither 0 nor 1",                                                              \
	  "The format calls it invalid; programs disagree on its truth.",                                              \
	  "Write 0 or 1.",                                                                                             \
	  "formats/gguf, rule 16")                                                                                     \
	X(GGUF_STRING_UTF8, "gguf-string-utf8", MALFORMED, HIGH,                                                       \
	  "a name or text is not UTF-8",                                                                               \
	  "Readers refuse it or see different texts.",                                                                 \
	  "Write text as UTF-8.",                                                                                      \
	  "formats/gguf, rule 17")                                                                                     \
	X(GGUF_STRING_NUL, "gguf-string-nul", AMBIGUOUS, HIGH,                                                         \
	  "a text in the metadata holds NUL",                                                                          \
	  "Readers in C see it end there, others do not.",                                                             \
	  "Leave NUL out.",                                                                                            \
	  "formats/gguf, rule 17")                                                                                     \
	X(GGUF_TOKEN_UTF8, "gguf-token-utf8", QUALITY, INFO,                                                           \
	  "entries of the tokenizer are not UTF-8, or hold NUL",                                                       \
	  "Some vocabularies are made of raw bytes; nothing need be wrong.",                                           \
	  "Nothing to do.",                                                                                            \
	  "formats/gguf, note B")                                                                                      \
	X(GGUF_META_NONFINITE, "gguf-meta-nonfinite", QUALITY, MEDIUM,                                                 \
	  "a number in the metadata is not finite",                                                                    \
	  "Hyperparameters and scores that are NaN or infinite spoil what is computed with them.",                     \
	  "Write finite numbers.",                                                                                     \
	  "formats/gguf, section 2")                                                                                   \
	X(GGUF_ALIGNMENT_TYPE, "gguf-alignment-type", MALFORMED, HIGH,                                                 \
	  "general.alignment is not a 32-bit unsigned integer",                                                        \
	  "Readers stop, or fall back to 32 and see the tensors elsewhere.",                                           \
	  "Write it as u32.",                                                                                          \
	  "formats/gguf, rule 18")                                                                                     \
	X(GGUF_ALIGNMENT_VALUE, "gguf-alignment-value", MALFORMED, HIGH,                                               \
	  "general.alignment is no power of two from 8 to 65,536",                                                     \
	  "The format wants a multiple of 8, the reference reader a power of two; padding sums wrap for huge ones.",   \
	  "Use 32.",                                                                                                   \
	  "formats/gguf, rule 19")                                                                                     \
	X(GGUF_ALIGNMENT_SMALL, "gguf-alignment-small", AMBIGUOUS, MEDIUM,                                             \
	  "general.alignment is below 8",                                                                              \
	  "The reference reader takes it and the format's text does not.",                                             \
	  "Use 32.",                                                                                                   \
	  "formats/gguf, section 4")                                                                                   \
	X(GGUF_TENSOR_NAME_LENGTH, "gguf-tensor-name-length", MALFORMED, HIGH,                                         \
	  "a tensor's name is longer than 63 bytes",                                                                   \
	  "Loaders keep names in 64 bytes and refuse or cut others.",                                                  \
	  "Shorten the name.",                                                                                         \
	  "formats/gguf, rule 20")                                                                                     \
	X(GGUF_TENSOR_NAME_CHARSET, "gguf-tensor-name-charset", MALFORMED, HIGH,                                       \
	  "a tensor's name is empty or holds NUL or control characters",                                               \
	  "C readers see it end at NUL; terminals obey control characters.",                                           \
	  "Name tensors with visible characters.",                                                                     \
	  "formats/gguf, rule 22")                                                                                     \
	X(GGUF_TENSOR_NAME_DUPLICATE, "gguf-tensor-name-duplicate", AMBIGUOUS, HIGH,                                   \
	  "two tensors have the same name",                                                                            \
	  "Readers keep the first or the last: they see different weights.",                                           \
	  "Write each tensor once.",                                                                                   \
	  "formats/gguf, rule 21")                                                                                     \
	X(GGUF_TENSOR_DIMS, "gguf-tensor-dims", MALFORMED, MEDIUM,                                                     \
	  "a tensor has no dimensions, or more than 4",                                                                \
	  "Readers disagree on a tensor without dimensions, and hold 4 of them.",                                      \
	  "Write 1 to 4 dimensions.",                                                                                  \
	  "formats/gguf, rules 23 and 31")                                                                             \
	X(GGUF_TENSOR_DIMS_LIMIT, "gguf-tensor-dims-limit", MALFORMED, CRITICAL,                                       \
	  "a tensor has more than 4 dimensions",                                                                       \
	  "Loaders wrote them behind an array of four (CVE-2024-21802).",                                              \
	  "Write 1 to 4 dimensions.",                                                                                  \
	  "formats/gguf, rule 23")                                                                                     \
	X(GGUF_TENSOR_SHAPE_NEGATIVE, "gguf-tensor-shape-negative", MALFORMED, HIGH,                                   \
	  "a dimension is negative",                                                                                   \
	  "Sizes computed from it wrap.",                                                                              \
	  "Convert the model again with a current converter.",                                                         \
	  "formats/gguf, rule 24")                                                                                     \
	X(GGUF_TENSOR_EMPTY, "gguf-tensor-empty", QUALITY, MEDIUM,                                                     \
	  "a tensor has a dimension of zero",                                                                          \
	  "It holds nothing, and loaders once divided by it.",                                                         \
	  "Leave empty tensors out.",                                                                                  \
	  "formats/gguf, rule 32")                                                                                     \
	X(GGUF_TENSOR_SIZE_OVERFLOW, "gguf-tensor-size-overflow", MALFORMED, CRITICAL,                                 \
	  "the size of a tensor, or of all of them, does not fit 63 bits",                                             \
	  "Loaders compute a small size and write behind it (CVE-2025-53630, CVE-2026-33298).",                        \
	  "Convert the model again with a current converter.",                                                         \
	  "formats/gguf, rules 25, 29 and 34")                                                                         \
	X(GGUF_TYPE_UNKNOWN, "gguf-type-unknown", UNSUPPORTED, HIGH,                                                   \
	  "an element type that ggml does not define",                                                                 \
	  "What its bytes mean, and how many they are, is unknown.",                                                   \
	  "Convert the model again with a current converter.",                                                         \
	  "formats/gguf, rule 26")                                                                                     \
	X(GGUF_TYPE_REMOVED, "gguf-type-removed", UNSUPPORTED, HIGH,                                                   \
	  "an element type that was removed from the format",                                                          \
	  "Loaders refuse it.",                                                                                        \
	  "Quantise the model again.",                                                                                 \
	  "formats/gguf, rule 27")                                                                                     \
	X(GGUF_TYPE_RUNTIME_ONLY, "gguf-type-runtime-only", QUALITY, MEDIUM,                                           \
	  "an element type that is only made while computing",                                                         \
	  "No converter writes it, and the reference reader's check of its rows fails.",                               \
	  "Quantise the model again.",                                                                                 \
	  "formats/gguf, rule 38")                                                                                     \
	X(GGUF_TENSOR_ROW_BLOCK, "gguf-tensor-row-block", MALFORMED, HIGH,                                             \
	  "rows are no whole number of blocks of their type",                                                          \
	  "Readers see rows begin in the middle of a block.",                                                          \
	  "Choose a type whose blocks fit the rows.",                                                                  \
	  "formats/gguf, rule 28")                                                                                     \
	X(GGUF_TENSOR_OFFSET, "gguf-tensor-offset", MALFORMED, HIGH,                                                   \
	  "a tensor does not begin where the one before it ends",                                                      \
	  "Tensors follow each other in the order of the table; the reference reader refuses anything else.",          \
	  "Convert the model again with a current converter.",                                                         \
	  "formats/gguf, rule 33")                                                                                     \
	X(GGUF_TENSOR_OVERLAP, "gguf-tensor-overlap", AMBIGUOUS, CRITICAL,                                             \
	  "tensors overlap",                                                                                           \
	  "The same bytes are two things.",                                                                            \
	  "Convert the model again with a current converter.",                                                         \
	  "formats/gguf, rule 33")                                                                                     \
	X(GGUF_TENSOR_HOLE, "gguf-tensor-hole", MALFORMED, HIGH,                                                       \
	  "bytes between tensors belong to none",                                                                      \
	  "Nobody looks at them, so anything can hide there.",                                                         \
	  "Convert the model again with a current converter.",                                                         \
	  "formats/gguf, rule 33")                                                                                     \
	X(GGUF_TENSOR_MISALIGNED, "gguf-tensor-misaligned", MALFORMED, HIGH,                                           \
	  "a tensor's offset is no multiple of the alignment",                                                         \
	  "Mapped tensors must be aligned; the reference reader refuses it.",                                          \
	  "Convert the model again with a current converter.",                                                         \
	  "formats/gguf, rule 33")                                                                                     \
	X(GGUF_TRAILING_BYTES, "gguf-trailing-bytes", MALFORMED, HIGH,                                                 \
	  "bytes follow the last tensor and its padding",                                                              \
	  "Readers ignore them, so anything can hide there, an archive for one.",                                      \
	  "Remove them.",                                                                                              \
	  "formats/gguf, rule 36")                                                                                     \
	X(GGUF_PADDING_NONZERO, "gguf-padding-nonzero", MALFORMED, HIGH,                                               \
	  "padding holds other bytes than zero",                                                                       \
	  "Readers ignore padding, so anything can hide there.",                                                       \
	  "Convert the model again with a current converter.",                                                         \
	  "formats/gguf, rule 37")                                                                                     \
	X(GGUF_FINAL_PADDING_MISSING, "gguf-final-padding-missing", QUALITY, INFO,                                     \
	  "the padding behind the last tensor is missing, or incomplete",                                              \
	  "The reference reader needs it to load the data; llama.cpp does not.",                                       \
	  "Convert the model again with a current converter.",                                                         \
	  "formats/gguf, section 6")                                                                                   \
	X(GGUF_REQUIRED_KEY, "gguf-required-key", MALFORMED, MEDIUM,                                                   \
	  "a required metadata key is missing",                                                                        \
	  "Without it nobody knows what the tensors are for, or how they are quantised.",                              \
	  "Convert the model again with a current converter.",                                                         \
	  "formats/gguf, rule 40")                                                                                     \
	X(GGUF_EMPTY, "gguf-empty", MALFORMED, HIGH,                                                                   \
	  "neither metadata nor tensors",                                                                              \
	  "Readers take it for a model, and there is none: a conversion was cut, or it stands for something else.",    \
	  "Convert the model again, or upload the file that was meant.",                                               \
	  "formats/gguf, section 1")                                                                                   \
	X(GGUF_KEY_TYPE, "gguf-key-type", MALFORMED, HIGH,                                                             \
	  "a known metadata key has a value of another type than documented",                                          \
	  "Loaders that ask for the documented type abort.",                                                           \
	  "Convert the model again with a current converter.",                                                         \
	  "formats/gguf, rule 41")                                                                                     \
	X(GGUF_TOKENIZER_MISMATCH, "gguf-tokenizer-mismatch", MALFORMED, HIGH,                                         \
	  "the tokenizer's arrays do not fit each other",                                                              \
	  "Loaders index one by the length of the other and read past its end.",                                       \
	  "Convert the model again with a current converter.",                                                         \
	  "formats/gguf, rule 42")                                                                                     \
	X(GGUF_TOKEN_BYTE_FORM, "gguf-token-byte-form", MALFORMED, CRITICAL,                                           \
	  "a byte token is not spelled <0xHH>",                                                                        \
	  "Loaders index a table with what stands there (llama.cpp issue 25969).",                                     \
	  "Convert the model again with a current converter.",                                                         \
	  "formats/gguf, rule 43")                                                                                     \
	X(GGUF_HPARAM_ZERO, "gguf-hparam-zero", QUALITY, MEDIUM,                                                       \
	  "a number of blocks is zero",                                                                                \
	  "Loaders divide by it (CVE-2024-8063).",                                                                     \
	  "Convert the model again with a current converter.",                                                         \
	  "formats/gguf, rule 44")                                                                                     \
	X(GGUF_HPARAM_RANGE, "gguf-hparam-range", QUALITY, MEDIUM,                                                     \
	  "more blocks than any loader has room for",                                                                  \
	  "Loaders keep what belongs to a block in arrays of a fixed length, and some wrote behind them.",             \
	  "Convert the model again with a current converter.",                                                         \
	  "formats/gguf, rule 44")                                                                                     \
	X(GGUF_CONTROL_VECTOR_INDEX, "gguf-control-vector-index", MALFORMED, HIGH,                                     \
	  "a control vector's tensor is not called direction.N, with N from 1 to 65,535",                              \
	  "Loaders index layers by what stands there.",                                                                \
	  "Name the tensors direction.1, direction.2 and so on.",                                                      \
	  "formats/gguf, rule 45")                                                                                     \
	X(GGUF_META_URL_SCHEME, "gguf-meta-url-scheme", QUALITY, INFO,                                                 \
	  "a link in the metadata is neither http nor https",                                                          \
	  "Programs that offer it as a link open whatever it names.",                                                  \
	  "Write an https address.",                                                                                   \
	  "formats/gguf, rule 48")                                                                                     \
	X(GGUF_F64_EXCEEDS_F32, "gguf-f64-exceeds-f32", QUALITY, INFO,                                                 \
	  "doubles are too large for a 32-bit float",                                                                  \
	  "Loaders that narrow them see infinity.",                                                                    \
	  "Scale the tensor, or store it as F32.",                                                                     \
	  "formats/gguf, section 5")                                                                                   \
	X(GGUF_NVFP4_SCALE_INVALID, "gguf-nvfp4-scale-invalid", QUALITY, MEDIUM,                                       \
	  "scales of NVFP4 blocks are NaN or negative",                                                                \
	  "ggml decodes 0x7F to zero and others to NaN; a scale has no sign.",                                         \
	  "Quantise the model again.",                                                                                 \
	  "formats/gguf, section 5")
/* clang-format on */
