/* Findings of the reader of Flax's MessagePack checkpoints (lib/formats/flax/flax*.c), in the order of formats/flax-msgpack,
 * section 3. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_FLAX(X)                                                                                           \
	X(FLAX_TOPLEVEL, "flax-toplevel", MALFORMED, HIGH,                                                             \
	  "the outermost object is no map",                                                                            \
	  "Flax stores a state as a map; something else is no checkpoint.",                                            \
	  "Write the file with flax.serialization.", "formats/flax-msgpack, rule 2")                                   \
	X(FLAX_TRAILING_BYTES, "flax-trailing-bytes", AMBIGUOUS, HIGH,                                                 \
	  "bytes behind the outermost object",                                                                         \
	  "Some readers refuse them, others never look; another file can hide in them.",                               \
	  "Write the file with flax.serialization.", "formats/flax-msgpack, rule 1")                                   \
	X(FLAX_TRUNCATED, "flax-truncated", MALFORMED, HIGH,                                                           \
	  "the file ends before an object does",                                                                       \
	  "The transfer may have been cut.",                                                                           \
	  "Upload the whole file.", "formats/flax-msgpack, rules 1 and 6")                                             \
	X(FLAX_COUNT, "flax-count", MALFORMED, HIGH,                                                                   \
	  "an array or map of more objects than there are bytes left",                                                 \
	  "Readers that trust the count reserve memory for it.",                                                       \
	  "Write the file with flax.serialization.", "formats/flax-msgpack, rule 6")                                   \
	X(FLAX_BAD_BYTE, "flax-bad-byte", MALFORMED, HIGH,                                                             \
	  "the byte C1, which MessagePack never uses",                                                                 \
	  "It was changed or damaged.",                                                                                \
	  "Write the file with flax.serialization.", "formats/flax-msgpack, section 2")                                \
	X(FLAX_DEPTH, "flax-depth", MALFORMED, HIGH,                                                                   \
	  "objects in each other deeper than any model has them",                                                      \
	  "Such files are made to exhaust their reader's stack.",                                                      \
	  "Write the file with flax.serialization.", "formats/flax-msgpack, rule 5")                                   \
	X(FLAX_LIMIT, "flax-limit", INCOMPLETE, HIGH,                                                                  \
	  "more objects, entries or bytes than are examined",                                                          \
	  "No published model comes near the limit; such files are made to exhaust their reader.",                     \
	  "Split the checkpoint.", "formats/flax-msgpack, rule 15")                                                    \
	X(FLAX_NONCANONICAL, "flax-noncanonical", QUALITY, MEDIUM,                                                     \
	  "a number or length that is longer than it need be",                                                         \
	  "Writers use the shortest form; others are made by hand.",                                                   \
	  "Write the file with flax.serialization.", "formats/flax-msgpack, rule 7")                                   \
	X(FLAX_KEY_TYPE, "flax-key-type", MALFORMED, HIGH,                                                             \
	  "a key that is no text",                                                                                     \
	  "Readers refuse it, or take it for another key.",                                                            \
	  "Use text for all keys.", "formats/flax-msgpack, rule 3")                                                    \
	X(FLAX_KEY_UTF8, "flax-key-utf8", MALFORMED, HIGH,                                                             \
	  "a key that is no UTF-8",                                                                                    \
	  "Readers refuse it, or each makes another name of it.",                                                      \
	  "Write names in UTF-8.", "formats/flax-msgpack, rule 3")                                                     \
	X(FLAX_KEY_CONTROL, "flax-key-control", MALFORMED, HIGH,                                                       \
	  "a key with control characters",                                                                             \
	  "They change what a terminal or a log shows.",                                                               \
	  "Use printable names.", "formats/flax-msgpack, decision 1")                                                  \
	X(FLAX_KEY_LENGTH, "flax-key-length", MALFORMED, HIGH,                                                         \
	  "an empty key, or one of more than 1024 bytes",                                                              \
	  "No parameter is called so.",                                                                                \
	  "Use shorter names.", "formats/flax-msgpack, rule 3")                                                        \
	X(FLAX_KEY_DUPLICATE, "flax-key-duplicate", AMBIGUOUS, HIGH,                                                   \
	  "a key twice in one map",                                                                                    \
	  "One reader keeps the first value, another the last: the file is two models.",                               \
	  "Write each parameter once.", "formats/flax-msgpack, rule 3")                                                \
	X(FLAX_EXT_TYPE, "flax-ext-type", UNSUPPORTED, HIGH,                                                           \
	  "an extension that Flax does not have",                                                                      \
	  "Flax hands it on unread; who gets it may do anything with it.",                                             \
	  "Store arrays, numbers and text only.", "formats/flax-msgpack, rule 8")                                      \
	X(FLAX_NDARRAY_LAYOUT, "flax-ndarray-layout", MALFORMED, HIGH,                                                 \
	  "an array that is not shape, type and data",                                                                 \
	  "Readers fail on it, or read something else.",                                                               \
	  "Write the file with flax.serialization.", "formats/flax-msgpack, rule 9")                                   \
	X(FLAX_SHAPE, "flax-shape", MALFORMED, HIGH,                                                                   \
	  "a shape with a negative or huge dimension, or with too many",                                               \
	  "NumPy takes -1 for whatever fits, so the shape is not what it says.",                                       \
	  "Write the file with flax.serialization.", "formats/flax-msgpack, rule 9")                                   \
	X(FLAX_DTYPE, "flax-dtype", UNSUPPORTED, MEDIUM,                                                               \
	  "an element type by a name that Flax does not write",                                                        \
	  "A type string such as <f4 names a byte order, which Flax never does.",                                      \
	  "Write the file with flax.serialization.", "formats/flax-msgpack, decision 2")                               \
	X(FLAX_DTYPE_UNKNOWN, "flax-dtype-unknown", MALFORMED, HIGH,                                                   \
	  "an element type that no array of numbers has",                                                              \
	  "How large an element is nobody can say; objects, text and dates cannot be stored.",                         \
	  "Store numbers and booleans only.", "formats/flax-msgpack, rule 16")                                         \
	X(FLAX_SIZE_MISMATCH, "flax-size-mismatch", MALFORMED, HIGH,                                                   \
	  "more or fewer bytes of data than shape and type say",                                                       \
	  "Readers fail on it, or read past the data.",                                                                \
	  "Write the file with flax.serialization.", "formats/flax-msgpack, rule 9")                                   \
	X(FLAX_SIZE_OVERFLOW, "flax-size-overflow", MALFORMED, HIGH,                                                   \
	  "a shape whose size does not fit 64 bits",                                                                   \
	  "Readers that multiply without looking get a small number and a large loop.",                                \
	  "Write the file with flax.serialization.", "formats/flax-msgpack, rule 9")                                   \
	X(FLAX_SCALAR_SHAPE, "flax-scalar-shape", MALFORMED, HIGH,                                                     \
	  "a scalar with dimensions",                                                                                  \
	  "Readers make an array of it.",                                                                              \
	  "Write the file with flax.serialization.", "formats/flax-msgpack, rule 10")                                  \
	X(FLAX_COMPLEX, "flax-complex", MALFORMED, HIGH,                                                               \
	  "a complex number that is not two numbers",                                                                  \
	  "Readers fail on it, or pass over the rest.",                                                                \
	  "Write the file with flax.serialization.", "formats/flax-msgpack, rule 11")                                  \
	X(FLAX_CHUNKED, "flax-chunked", MALFORMED, HIGH,                                                               \
	  "a split array that is not a marker, a shape and chunks",                                                    \
	  "Flax fails on it, or takes it for a map.",                                                                  \
	  "Write the file with flax.serialization.", "formats/flax-msgpack, rule 4")                                   \
	X(FLAX_CHUNKED_SIZE, "flax-chunked-size", MALFORMED, HIGH,                                                     \
	  "the chunks of a split array do not make its shape",                                                         \
	  "A chunk is missing, or one too many, or of another type.",                                                  \
	  "Write the file with flax.serialization.", "formats/flax-msgpack, rule 12")                                  \
	X(FLAX_LEGACY_STR, "flax-legacy-str", QUALITY, MEDIUM,                                                         \
	  "an array's data is stored as text",                                                                         \
	  "Old writers of MessagePack did so; readers of today may decode it.",                                        \
	  "Load the checkpoint and save it again.", "formats/flax-msgpack, decision 2")                                \
	X(FLAX_BLOB, "flax-blob", UNSUPPORTED, MEDIUM,                                                                 \
	  "text or bytes of more than 64 KiB that are no array",                                                       \
	  "What they are nobody can say; weights are stored as arrays.",                                               \
	  "Store weights as arrays, and other data in files of its own.", "formats/flax-msgpack, rule 13")             \
	X(FLAX_UTF8, "flax-utf8", MALFORMED, HIGH,                                                                     \
	  "text that is no UTF-8",                                                                                     \
	  "Readers refuse it, or each makes other text of it.",                                                        \
	  "Store bytes as bytes.", "formats/flax-msgpack, rule 14")                                                    \
	X(FLAX_EMBEDDED_PICKLE, "flax-embedded-pickle", CODE, MEDIUM,                                                  \
	  "a leaf holds a pickle that imports something",                                                              \
	  "Flax does not load it; a program that does runs what it says.",                                             \
	  "Store arrays, numbers and text only.", "formats/flax-msgpack, section 5")
/* clang-format on */
