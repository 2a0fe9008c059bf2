/* Findings of the deathtensors reader, in the order of its checks (lib/formats/deathtensors/deathtensors.c).  The clauses are those of
 * docs/formats/deathtensors.md. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_DEATHTENSORS(X)                                                                                   \
	X(DT_BAD_MAGIC, "dt-bad-magic", MALFORMED, HIGH,                                                               \
	  "the file does not begin with DTLEGION",                                                                     \
	  "Its name promises a deathtensors file, and nothing in it is one.",                                          \
	  "Write the file with a deathtensors library, or give it the name of its format.",                            \
	  "formats/deathtensors, section 2")                                                                           \
	X(DT_TRUNCATED, "dt-truncated", MALFORMED, HIGH,                                                               \
	  "the file ends before its prefix, padding or footer does",                                                   \
	  "The file is cut, or its prefix lies to readers that trust it.",                                             \
	  "Upload the whole file; the transfer may have been cut.",                                                    \
	  "formats/deathtensors, section 2")                                                                           \
	X(DT_VERSION, "dt-version", UNSUPPORTED, HIGH,                                                                 \
	  "a version of the format that is not defined",                                                               \
	  "What another version means by the same bytes nobody can say.",                                              \
	  "Write version 1.",                                                                                          \
	  "formats/deathtensors, section 2")                                                                           \
	X(DT_FLAG_RESERVED, "dt-flag-reserved", UNSUPPORTED, HIGH,                                                     \
	  "a flag for compression or encryption is set",                                                               \
	  "Version 1 reserves both and defines neither: the data cannot be read, and readers that guess differ.",      \
	  "Write the data as it is, without compression or encryption.",                                               \
	  "formats/deathtensors, section 2")                                                                           \
	X(DT_FLAG_UNKNOWN, "dt-flag-unknown", UNSUPPORTED, HIGH,                                                       \
	  "a flag that no version defines is set",                                                                     \
	  "A reader that ignores it reads something else than the writer meant.",                                      \
	  "Write the file with a deathtensors library.",                                                               \
	  "formats/deathtensors, section 2")                                                                           \
	X(DT_HEADER_SIZE, "dt-header-size", MALFORMED, HIGH,                                                           \
	  "the header's size is out of bounds",                                                                        \
	  "A header is at least {}, at most 100,000,000 bytes, and within the file.",                                  \
	  "Upload the whole file; the transfer may have been cut.",                                                    \
	  "formats/deathtensors, section 2")                                                                           \
	X(DT_PADDING_NONZERO, "dt-padding-nonzero", MALFORMED, HIGH,                                                   \
	  "the padding behind the header is not zero",                                                                 \
	  "Padding that nobody reads is a place to hide bytes.",                                                       \
	  "Pad with zeros.",                                                                                           \
	  "formats/deathtensors, section 2")                                                                           \
	X(DT_PADDING_AMBIGUOUS, "dt-padding-ambiguous", AMBIGUOUS, HIGH,                                               \
	  "eight zeros follow a header that needs no padding",                                                         \
	  "Readers differ on where the tensors begin, and so on every weight.",                                        \
	  "Pad to the next multiple of 8, and not at all where the header ends on one.",                               \
	  "formats/deathtensors, ambiguity 1")                                                                         \
	X(DT_HEADER_WHITESPACE, "dt-header-whitespace", MALFORMED, HIGH,                                               \
	  "the header does not begin with { and end with }",                                                           \
	  "Padding belongs behind the header; what strict readers refuse before or behind the object others skip.",    \
	  "Pad with zeros behind the header, and leave out the byte order mark.",                                      \
	  "formats/deathtensors, section 3")                                                                           \
	X(DT_HEADER_UTF8, "dt-header-utf8", MALFORMED, HIGH,                                                           \
	  "the header is not valid UTF-8",                                                                             \
	  "Readers replace or drop invalid bytes differently, so names differ between them.",                          \
	  "Write names and metadata in UTF-8.",                                                                        \
	  "formats/deathtensors, section 3; Unicode 15, table 3-7")                                                    \
	X(DT_JSON_SYNTAX, "dt-json-syntax", MALFORMED, HIGH,                                                           \
	  "the header is not one JSON object",                                                                         \
	  "Readers that forgive different errors see different tensors.",                                              \
	  "Write the file with a deathtensors library.",                                                               \
	  "RFC 8259")                                                                                                  \
	X(DT_JSON_DEPTH, "dt-json-depth", MALFORMED, HIGH,                                                             \
	  "the header is nested deeper than the format has levels",                                                    \
	  "Deep nesting exhausts the stack of recursive readers.",                                                     \
	  "Remove the nested values; the format has no use for them.",                                                 \
	  "formats/deathtensors, section 3")                                                                           \
	X(DT_JSON_SURROGATE, "dt-json-surrogate", MALFORMED, HIGH,                                                     \
	  "a string escape is half of a surrogate pair",                                                               \
	  "It stands for no character; readers replace it or fail.",                                                   \
	  "Write the character itself or the whole pair.",                                                             \
	  "RFC 8259, section 8.2")                                                                                     \
	X(DT_KEY_DUPLICATE, "dt-key-duplicate", AMBIGUOUS, CRITICAL,                                                   \
	  "a key appears twice in one object",                                                                         \
	  "Readers keep the first or the last: what was reviewed is not what is loaded.",                              \
	  "Give every key one value.",                                                                                 \
	  "formats/deathtensors, section 3")                                                                           \
	X(DT_KEY_UNKNOWN, "dt-key-unknown", MALFORMED, HIGH,                                                           \
	  "a key that the format does not know",                                                                       \
	  "Readers drop it unseen, or do what nobody here knows.",                                                     \
	  "Move the value to the metadata.",                                                                           \
	  "formats/deathtensors, ambiguity 9")                                                                         \
	X(DT_KEY_MISSING, "dt-key-missing", MALFORMED, HIGH,                                                           \
	  "a key that the format requires is missing",                                                                 \
	  "Without it nobody knows what the file is, or what its bytes are.",                                          \
	  "Write the file with a deathtensors library.",                                                               \
	  "formats/deathtensors, ambiguity 9")                                                                         \
	X(DT_KEY_TYPE, "dt-key-type", MALFORMED, HIGH,                                                                 \
	  "a value has the wrong JSON type, or is too long",                                                           \
	  "Lenient readers accept several spellings of a header and read different things.",                           \
	  "Write strings where the format has strings, and other values as JSON text in a string.",                    \
	  "formats/deathtensors, section 3")                                                                           \
	X(DT_FORMAT_NAME, "dt-format-name", MALFORMED, HIGH,                                                           \
	  "the header names another format",                                                                           \
	  "Prefix and header contradict each other.",                                                                  \
	  "Write the file with a deathtensors library.",                                                               \
	  "formats/deathtensors, section 3")                                                                           \
	X(DT_VERSION_MISMATCH, "dt-version-mismatch", MALFORMED, HIGH,                                                 \
	  "the header's version is not that of the prefix",                                                            \
	  "Prefix and header contradict each other.",                                                                  \
	  "Write the file with a deathtensors library.",                                                               \
	  "formats/deathtensors, section 3")                                                                           \
	X(DT_NUMBER_FORM, "dt-number-form", MALFORMED, HIGH,                                                           \
	  "a number is not a plain decimal integer below 2^63",                                                        \
	  "Readers round fractions and exponents, and wrap signs and sizes, differently.",                             \
	  "Write shapes, offsets and versions as plain integers.",                                                     \
	  "formats/deathtensors, section 3; RFC 7493, section 2.2")                                                    \
	X(DT_TENSOR_COUNT, "dt-tensor-count", MALFORMED, HIGH,                                                         \
	  "more than 1,048,576 tensors",                                                                               \
	  "No published model comes near the limit; such headers are made to exhaust their reader.",                   \
	  "Split the model into several files.",                                                                       \
	  "formats/deathtensors, section 3")                                                                           \
	X(DT_NAME_LENGTH, "dt-name-length", MALFORMED, HIGH,                                                           \
	  "a tensor's name is empty or longer than 1024 bytes",                                                        \
	  "Frameworks drop empty names, and long ones exhaust what prints or stores them.",                            \
	  "Name the tensor in 1 to 1024 bytes.",                                                                       \
	  "formats/deathtensors, section 3")                                                                           \
	X(DT_NAME_CONTROL, "dt-name-control", AMBIGUOUS, HIGH,                                                         \
	  "a tensor's name holds control characters",                                                                  \
	  "NUL cuts names in C readers; escape sequences act on the terminal that prints them.",                       \
	  "Use printable characters in names.",                                                                        \
	  "formats/deathtensors, section 3")                                                                           \
	X(DT_NAME_UNICODE, "dt-name-unicode", AMBIGUOUS, HIGH,                                                         \
	  "a tensor's name holds invisible or direction-changing characters",                                          \
	  "Two names look the same to a person and differ to a program.",                                              \
	  "Use visible characters in names.",                                                                          \
	  "formats/deathtensors, section 5; UTS 39")                                                                   \
	X(DT_NAME_PATH, "dt-name-path", AMBIGUOUS, HIGH,                                                               \
	  "a tensor's name climbs out of a folder",                                                                    \
	  "Tools that write one file a tensor would write outside their folder.",                                      \
	  "Remove the .. components from the name.",                                                                   \
	  "formats/deathtensors, section 5; CWE-22")                                                                   \
	X(DT_METADATA_CONTROL, "dt-metadata-control", QUALITY, MEDIUM,                                                 \
	  "metadata holds control characters",                                                                         \
	  "Escape sequences act on the terminal that prints them.",                                                    \
	  "Keep to printable text, tab and line breaks.",                                                              \
	  "formats/deathtensors, section 5")                                                                           \
	X(DT_METADATA_UNICODE, "dt-metadata-unicode", QUALITY, MEDIUM,                                                 \
	  "metadata holds direction overrides",                                                                        \
	  "The text reads differently to a person than to a program.",                                                 \
	  "Remove the bidirectional control characters.",                                                              \
	  "formats/deathtensors, section 5; UTS 39")                                                                   \
	X(DT_DTYPE_UNKNOWN, "dt-dtype-unknown", UNSUPPORTED, HIGH,                                                     \
	  "a type that the format does not have",                                                                      \
	  "Nobody knows how to read the tensor's bytes.",                                                              \
	  "Convert the tensor to one of the format's 15 types, spelled in capitals.",                                  \
	  "formats/deathtensors, section 3")                                                                           \
	X(DT_SHAPE, "dt-shape", MALFORMED, HIGH,                                                                       \
	  "a shape is not a list of at most 32 dimensions",                                                            \
	  "Readers that expect one read something else, or past their arrays.",                                        \
	  "Write the shape as a list of integers; reshape tensors of more dimensions.",                                \
	  "formats/deathtensors, section 3")                                                                           \
	X(DT_SIZE_OVERFLOW, "dt-size-overflow", MALFORMED, CRITICAL,                                                   \
	  "the size of a tensor does not fit in 64 bits",                                                              \
	  "A reader that multiplies without looking gets a small number and writes past its buffer.",                  \
	  "Write the file with a deathtensors library.",                                                               \
	  "formats/deathtensors, section 4")                                                                           \
	X(DT_OFFSETS, "dt-offsets", MALFORMED, CRITICAL,                                                               \
	  "the offsets of a tensor are not a range of the blob",                                                       \
	  "The file is cut, or it makes readers read what is not theirs.",                                             \
	  "Upload the whole file; the transfer may have been cut.",                                                    \
	  "formats/deathtensors, section 3")                                                                           \
	X(DT_SIZE_MISMATCH, "dt-size-mismatch", MALFORMED, CRITICAL,                                                   \
	  "the bytes of a tensor are not what its shape and type need",                                                \
	  "Readers that trust the shape read past the tensor's bytes.",                                                \
	  "Write the file with a deathtensors library.",                                                               \
	  "formats/deathtensors, section 3")                                                                           \
	X(DT_TENSOR_OVERLAP, "dt-tensor-overlap", AMBIGUOUS, CRITICAL,                                                 \
	  "two tensors share bytes",                                                                                   \
	  "Changing one changes the other, and small files unfold into huge ones.",                                    \
	  "Give every tensor bytes of its own.",                                                                       \
	  "formats/deathtensors, ambiguity 5")                                                                         \
	X(DT_TENSOR_GAP, "dt-tensor-gap", MALFORMED, CRITICAL,                                                         \
	  "bytes between tensors belong to no tensor",                                                                 \
	  "A gap is a place to hide another file.",                                                                    \
	  "Write the tensors one after the other.",                                                                    \
	  "formats/deathtensors, ambiguity 5")                                                                         \
	X(DT_TENSOR_GAP_ALIGNED, "dt-tensor-gap-aligned", MALFORMED, HIGH,                                             \
	  "zeros align a tensor to a multiple of 8",                                                                   \
	  "The format is shown without gaps; readers that expect none read the wrong bytes.",                          \
	  "Write the tensors one after the other, or allow the code in the policy.",                                   \
	  "formats/deathtensors, ambiguity 5")                                                                         \
	X(DT_TRAILING_BYTES, "dt-trailing-bytes", MALFORMED, CRITICAL,                                                 \
	  "bytes follow the last tensor",                                                                              \
	  "Appended bytes are where another file hides; 32 of them may be a footer whose flag was cleared.",           \
	  "Remove them; write the file with a deathtensors library.",                                                  \
	  "formats/deathtensors, ambiguities 3 and 5")                                                                 \
	X(DT_ORDER, "dt-order", QUALITY, INFO,                                                                         \
	  "the header lists tensors in another order than their data",                                                 \
	  "Nothing is wrong with it; readers that stream the file would rather have them in order.",                   \
	  "Nothing to do.",                                                                                            \
	  "formats/deathtensors, ambiguity 6")                                                                         \
	X(DT_CHECKSUM, "dt-checksum", MALFORMED, CRITICAL,                                                             \
	  "the footer is not the SHA-256 of header, padding and data",                                                 \
	  "The file was damaged or changed after it was written.",                                                     \
	  "Upload the file again, or write it anew.",                                                                  \
	  "formats/deathtensors, ambiguities 3 and 4")                                                                 \
	X(DT_NO_AUTHENTICITY, "dt-no-authenticity", QUALITY, INFO,                                                     \
	  "the footer proves that nothing was damaged, not who wrote it",                                              \
	  "Whoever changes the file can write the footer anew, and it leaves out the prefix.",                         \
	  "Nothing to do; sign the file to say whose it is.",                                                          \
	  "formats/deathtensors, ambiguity 3")
/* clang-format on */
