/* Findings of the safetensors reader, in the order of its checks (lib/formats/safetensors/safetensors.c).  "Format" is the
 * published format text in the safetensors README; "policy" marks rules of ours that go beyond it. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_SAFETENSORS(X)                                                                                    \
	X(ST_FILE_TOO_SHORT, "safetensors-file-too-short", MALFORMED, HIGH,                                            \
	  "the file is shorter than the 8-byte header length",                                                         \
	  "There is no header, so nothing says what the bytes are.",                                                   \
	  "Upload the whole file; the transfer may have been cut.", "Format: 8 bytes N")                               \
	X(ST_HEADER_TOO_LARGE, "safetensors-header-too-large", MALFORMED, HIGH,                                        \
	  "the header length is above the format's limit",                                                             \
	  "Readers refuse such files or spend their memory on them; often it is another format renamed.",              \
	  "Check that this is a safetensors file; split the model if its header is really this long.",                 \
	  "Format: header limit of 100,000,000 bytes")                                                                 \
	X(ST_HEADER_PAST_EOF, "safetensors-header-past-eof", MALFORMED, HIGH,                                          \
	  "the header reaches past the end of the file",                                                               \
	  "The file is cut, or its length field lies to readers that trust it.",                                       \
	  "Upload the whole file; the transfer may have been cut.", "Format: 8+N <= file size")                        \
	X(ST_HEADER_TOO_SMALL, "safetensors-header-too-small", MALFORMED, HIGH,                                        \
	  "the header is too small for a JSON object",                                                                 \
	  "The smallest object is two bytes.",                                                                         \
	  "Write the file with a safetensors library.", "Format: header is a JSON object")                             \
	X(ST_HEADER_START, "safetensors-header-start", MALFORMED, HIGH,                                                \
	  "the header does not begin with {",                                                                          \
	  "The format demands it; a reader that skips other bytes sees a file that strict readers refuse.",            \
	  "Write the file with a safetensors library.", "Format: must begin with {")                                   \
	X(ST_HEADER_UTF8, "safetensors-header-utf8", MALFORMED, HIGH,                                                  \
	  "the header is not valid UTF-8",                                                                             \
	  "Readers replace or drop invalid bytes differently, so names differ between them.",                          \
	  "Write names and metadata in UTF-8.", "Format: UTF-8 JSON; Unicode 15, table 3-7")                           \
	X(ST_JSON_SYNTAX, "safetensors-json-syntax", MALFORMED, HIGH,                                                  \
	  "the header is not one JSON object",                                                                         \
	  "Readers that forgive different errors see different tensors.",                                              \
	  "Write the file with a safetensors library.", "RFC 8259")                                                    \
	X(ST_JSON_DEPTH, "safetensors-json-depth", MALFORMED, HIGH,                                                    \
	  "the header is nested deeper than the format has levels",                                                    \
	  "Deep nesting exhausts the stack of recursive readers.",                                                     \
	  "Remove the nested values; the format has no use for them.", "policy")                                       \
	X(ST_JSON_SURROGATE, "safetensors-json-surrogate", MALFORMED, HIGH,                                            \
	  "a string escape is half of a surrogate pair",                                                               \
	  "It stands for no character; readers replace it or fail.",                                                   \
	  "Write the character itself or the whole pair.", "RFC 8259, section 8.2")                                    \
	X(ST_DUPLICATE_TENSOR, "safetensors-duplicate-tensor", AMBIGUOUS, CRITICAL,                                    \
	  "a tensor name appears twice",                                                                               \
	  "Readers keep the first or the last: the tensor that was reviewed is not the one that is loaded.",           \
	  "Give every tensor one entry.", "Format: duplicate keys are disallowed")                                     \
	X(ST_DUPLICATE_METADATA, "safetensors-duplicate-metadata", AMBIGUOUS, HIGH,                                    \
	  "__metadata__ appears twice",                                                                                \
	  "Readers keep the first or the last.",                                                                       \
	  "Merge the metadata into one object.", "Format: duplicate keys are disallowed")                              \
	X(ST_DUPLICATE_METADATA_KEY, "safetensors-duplicate-metadata-key", AMBIGUOUS, HIGH,                            \
	  "a metadata key appears twice",                                                                              \
	  "Readers keep the first or the last.",                                                                       \
	  "Give every metadata key one value.", "Format: duplicate keys are disallowed")                               \
	X(ST_DUPLICATE_FIELD, "safetensors-duplicate-field", AMBIGUOUS, HIGH,                                          \
	  "a field of a tensor's entry appears twice",                                                                 \
	  "Readers keep the first or the last.",                                                                       \
	  "Write the file with a safetensors library.", "Format: duplicate keys are disallowed")                       \
	X(ST_FIELD_TYPE, "safetensors-field-type", MALFORMED, HIGH,                                                    \
	  "a value in a tensor's entry has the wrong JSON type",                                                       \
	  "Lenient readers accept several spellings of an entry and read different tensors.",                          \
	  "Write the file with a safetensors library.", "Format: dtype string, shape list, data_offsets list")         \
	X(ST_MISSING_FIELD, "safetensors-missing-field", MALFORMED, HIGH,                                              \
	  "a tensor's entry lacks dtype, shape or data_offsets",                                                       \
	  "Without all three nobody knows what the bytes are.",                                                        \
	  "Write the file with a safetensors library.", "Format: dtype, shape, data_offsets")                          \
	X(ST_UNKNOWN_FIELD, "safetensors-unknown-field", MALFORMED, HIGH,                                              \
	  "a tensor's entry has a field the format does not know",                                                     \
	  "Readers drop it unseen, which makes it a place to hide data.",                                              \
	  "Move the value to __metadata__.", "Format: dtype, shape, data_offsets")                                     \
	X(ST_OFFSETS_ARITY, "safetensors-offsets-arity", MALFORMED, HIGH,                                              \
	  "data_offsets does not hold exactly two numbers",                                                            \
	  "It is the begin and the end of the tensor's bytes.",                                                        \
	  "Write the file with a safetensors library.", "Format: data_offsets [BEGIN, END]")                           \
	X(ST_METADATA_TYPE, "safetensors-metadata-type", MALFORMED, HIGH,                                              \
	  "__metadata__ is not a map from strings to strings",                                                         \
	  "The format allows nothing else, and readers fail or convert differently.",                                  \
	  "Store other values as JSON text in a string.", "Format: arbitrary JSON is not allowed in __metadata__")     \
	X(ST_METADATA_NULL, "safetensors-metadata-null", QUALITY, INFO,                                                \
	  "__metadata__ is null",                                                                                      \
	  "A widely used framework writes it; every reader takes it for no metadata.",                                 \
	  "Leave __metadata__ out.", "formats/safetensors, section 7")                                                 \
	X(ST_INTEGER_FORMAT, "safetensors-integer-format", MALFORMED, HIGH,                                            \
	  "a number is not written as a plain decimal integer",                                                        \
	  "Readers round fractions and exponents differently.",                                                        \
	  "Write shapes and offsets as plain integers.", "policy; RFC 7493, section 2.2")                              \
	X(ST_INTEGER_NEGATIVE, "safetensors-integer-negative", MALFORMED, HIGH,                                        \
	  "a number carries a minus sign",                                                                             \
	  "A negative size or offset wraps to a huge one in readers that do not look.",                                \
	  "Write the file with a safetensors library.", "Format: unsigned sizes and offsets")                          \
	X(ST_INTEGER_RANGE, "safetensors-integer-range", MALFORMED, HIGH,                                              \
	  "a number is above 2^53-1",                                                                                  \
	  "Readers with floating-point numbers see another value than readers with integers.",                         \
	  "No real tensor needs it; write the file with a safetensors library.", "policy; RFC 7493, section 2.2")      \
	X(ST_UNKNOWN_DTYPE, "safetensors-unknown-dtype", MALFORMED, HIGH,                                              \
	  "an element type the format does not know",                                                                  \
	  "Nobody can say how many bytes such a tensor has.",                                                          \
	  "Convert the tensor to one of the 22 types of the format.", "Format: Dtype, 22 names")                       \
	X(ST_HEADER_PADDING, "safetensors-header-padding", MALFORMED, HIGH,                                            \
	  "something other than spaces follows the header's object",                                                   \
	  "The padding is where data hides from readers that stop at the closing brace.",                              \
	  "Pad the header with spaces (0x20) only.", "Format: trailing padding of 0x20")                               \
	X(ST_RANK_TOO_LARGE, "safetensors-rank-too-large", MALFORMED, MEDIUM,                                          \
	  "a tensor has more dimensions than any library handles",                                                     \
	  "Frameworks stop at 64 or below; more serves to exhaust a reader.",                                          \
	  "Reshape the tensor.", "policy")                                                                             \
	X(ST_SHAPE_OVERFLOW, "safetensors-shape-overflow", MALFORMED, CRITICAL,                                        \
	  "the size of a tensor does not fit in 64 bits",                                                              \
	  "A reader that multiplies without looking gets a small number and writes past its buffer.",                  \
	  "Write the file with a safetensors library.", "Format; checked whatever the order of dimensions")            \
	X(ST_SUBBYTE_MISALIGNED, "safetensors-subbyte-misaligned", MALFORMED, HIGH,                                    \
	  "the elements of a tensor do not fill whole bytes",                                                          \
	  "The last byte would be shared or padded, and readers differ on which.",                                     \
	  "Pad the tensor to a whole number of bytes.", "Format: sub-byte dtypes, size divisible by 8 bits")           \
	X(ST_OFFSETS_ORDER, "safetensors-offsets-order", MALFORMED, CRITICAL,                                          \
	  "a tensor ends before it begins",                                                                            \
	  "The difference wraps to a huge length in readers that do not look.",                                        \
	  "Write the file with a safetensors library.", "Format: BEGIN <= END")                                        \
	X(ST_SIZE_MISMATCH, "safetensors-size-mismatch", MALFORMED, CRITICAL,                                          \
	  "the bytes of a tensor are not what its shape and type need",                                                \
	  "Readers that trust the shape read past the tensor's bytes.",                                                \
	  "Write the file with a safetensors library.", "Format: END - BEGIN = size of shape and dtype")               \
	X(ST_DATA_OVERLAP, "safetensors-data-overlap", AMBIGUOUS, CRITICAL,                                            \
	  "two tensors share bytes",                                                                                   \
	  "Changing one changes the other, and small files unfold into huge ones.",                                    \
	  "Give every tensor bytes of its own.", "Format: no overlap")                                                 \
	X(ST_DATA_HOLE, "safetensors-data-hole", MALFORMED, CRITICAL,                                                  \
	  "bytes between tensors belong to no tensor",                                                                 \
	  "A hole is a place to hide another file.",                                                                   \
	  "Write the tensors one after the other.", "Format: no holes")                                                \
	X(ST_OFFSETS_OUT_OF_BOUNDS, "safetensors-offsets-out-of-bounds", MALFORMED, CRITICAL,                          \
	  "a tensor reaches past the end of the file",                                                                 \
	  "The file is cut, or it makes readers read what is not theirs.",                                             \
	  "Upload the whole file; the transfer may have been cut.", "Format: offsets inside the buffer")               \
	X(ST_DATA_TRAILING, "safetensors-data-trailing", MALFORMED, CRITICAL,                                          \
	  "bytes follow the last tensor",                                                                              \
	  "Appended bytes are where another file hides.",                                                              \
	  "Remove them; write the file with a safetensors library.", "Format: the buffer is covered exactly")          \
	X(ST_TENSOR_NAME_EMPTY, "safetensors-tensor-name-empty", QUALITY, HIGH,                                        \
	  "a tensor has an empty name",                                                                                \
	  "Frameworks drop it or fail on it.",                                                                         \
	  "Name the tensor.", "policy")                                                                                \
	X(ST_TENSOR_NAME_LONG, "safetensors-tensor-name-long", QUALITY, MEDIUM,                                        \
	  "a tensor's name is longer than 1024 bytes",                                                                 \
	  "Real names are below 300 bytes; long ones exhaust what prints or stores them.",                             \
	  "Shorten the name.", "policy")                                                                               \
	X(ST_TENSOR_NAME_CONTROL, "safetensors-tensor-name-control", AMBIGUOUS, HIGH,                                  \
	  "a tensor's name holds control characters",                                                                  \
	  "NUL cuts names in C readers; escape sequences act on the terminal that prints them.",                       \
	  "Use printable characters in names.", "policy")                                                              \
	X(ST_TENSOR_NAME_UNICODE, "safetensors-tensor-name-unicode", AMBIGUOUS, HIGH,                                  \
	  "a tensor's name holds invisible or direction-changing characters",                                          \
	  "Two names look the same to a person and differ to a program.",                                              \
	  "Use visible characters in names.", "policy; UTS 39")                                                        \
	X(ST_TENSOR_NAME_PATH, "safetensors-tensor-name-path", AMBIGUOUS, HIGH,                                        \
	  "a tensor's name climbs out of a folder",                                                                    \
	  "Tools that write one file a tensor would write outside their folder.",                                      \
	  "Remove the .. components from the name.", "policy; CWE-22")                                                 \
	X(ST_METADATA_CONTROL, "safetensors-metadata-control", QUALITY, MEDIUM,                                        \
	  "metadata holds control characters",                                                                         \
	  "Escape sequences act on the terminal that prints them.",                                                    \
	  "Keep to printable text, tab and line breaks.", "policy")                                                    \
	X(ST_METADATA_UNICODE, "safetensors-metadata-unicode", QUALITY, MEDIUM,                                        \
	  "metadata holds direction overrides",                                                                        \
	  "The text reads differently to a person than to a program.",                                                 \
	  "Remove the bidirectional control characters.", "policy; UTS 39")                                            \
	X(ST_HEADER_LARGE, "safetensors-header-large", QUALITY, INFO,                                                  \
	  "the header is unusually large",                                                                             \
	  "Only models with a very large number of tensors have such headers.",                                        \
	  "Nothing to do.", "formats/safetensors, rule 27")
/* clang-format on */
