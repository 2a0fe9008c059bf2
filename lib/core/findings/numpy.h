/* Findings of the NumPy readers (lib/formats/numpy/npy.c, npz.c), in the order of formats/npy. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_NUMPY(X)                                                                                          \
	X(NPY_BAD_MAGIC, "npy-bad-magic", MALFORMED, HIGH,                                                             \
	  "the file does not begin with NumPy's magic",                                                                \
	  "numpy.load takes any other file for a pickle, or refuses it.",                                              \
	  "Write the file with numpy.save.", "formats/npy, rule 1")                                                \
	X(NPY_VERSION, "npy-version", MALFORMED, HIGH,                                                                 \
	  "a format version that NumPy does not define",                                                               \
	  "No reader takes it; what the bytes mean is unknown.",                                                       \
	  "Write the file with numpy.save.", "formats/npy, rule 1")                                                \
	X(NPY_TRUNCATED, "npy-truncated", MALFORMED, HIGH,                                                             \
	  "the file ends before its header or data do",                                                                \
	  "The array cannot be read; the transfer may have been cut.",                                                 \
	  "Upload the whole file.", "formats/npy, rules 2 and 7")                                                  \
	X(NPY_HEADER_LARGE, "npy-header-large", QUALITY, MEDIUM,                                                       \
	  "the header is longer than NumPy reads without trusting the file",                                           \
	  "NumPy evaluates headers as Python literals and refuses long ones unless told to trust.",                    \
	  "Use shorter field names or fewer fields.", "formats/npy, section 3")                                    \
	X(NPY_HEADER_TOO_LARGE, "npy-header-too-large", MALFORMED, HIGH,                                               \
	  "the header is longer than any array needs",                                                                 \
	  "NumPy evaluates headers as Python literals: long ones exhaust its parser.",                                 \
	  "Use shorter field names or fewer fields.", "formats/npy, section 3")                                    \
	X(NPY_HEADER_SYNTAX, "npy-header-syntax", MALFORMED, HIGH,                                                     \
	  "the header is not a dictionary of literals",                                                                \
	  "NumPy refuses it, or a reader that evaluates headers runs it.",                                             \
	  "Write the file with numpy.save.", "formats/npy, section 3")                                             \
	X(NPY_HEADER_KEYS, "npy-header-keys", AMBIGUOUS, HIGH,                                                         \
	  "the header lacks a key, or has one twice or one too many",                                                  \
	  "Readers keep the first or the last of two: they see different arrays.",                                     \
	  "Write the file with numpy.save.", "formats/npy, section 3")                                             \
	X(NPY_HEADER_NONCANONICAL, "npy-header-noncanonical", AMBIGUOUS, MEDIUM,                                       \
	  "the header uses forms that NumPy reads and never writes",                                                   \
	  "Readers in other languages understand comments, escapes and odd numbers differently or not at all.",        \
	  "Write the file with numpy.save.", "formats/npy, section 3")                                             \
	X(NPY_HEADER_NEWLINE, "npy-header-newline", QUALITY, INFO,                                                     \
	  "the header does not end with a line feed",                                                                  \
	  "Writers in other languages leave it out; every reader copes.",                                              \
	  "Nothing to do.", "formats/npy, section 2")                                                              \
	X(NPY_HEADER_MISALIGNED, "npy-header-misaligned", QUALITY, INFO,                                               \
	  "the data does not begin at a multiple of 16 bytes",                                                         \
	  "Mapped arrays are slower to read; nothing else is wrong.",                                                  \
	  "Nothing to do.", "formats/npy, section 2")                                                              \
	X(NPY_PYTHON2_LONG, "npy-python2-long", QUALITY, INFO,                                                         \
	  "a dimension is written as a Python 2 long integer",                                                         \
	  "NumPy strips the letter with a warning.",                                                                   \
	  "Nothing to do.", "formats/npy, section 3")                                                              \
	X(NPY_DESCR_UNKNOWN, "npy-descr-unknown", MALFORMED, HIGH,                                                     \
	  "an element type that NumPy does not define",                                                                \
	  "What the bytes mean is unknown.",                                                                           \
	  "Write the file with numpy.save.", "formats/npy, section 3")                                             \
	X(NPY_DESCR_NONCANONICAL, "npy-descr-noncanonical", AMBIGUOUS, MEDIUM,                                         \
	  "an element type is written as NumPy reads it and never writes it",                                          \
	  "Readers in other languages may take it for another type.",                                                  \
	  "Write the file with numpy.save.", "formats/npy, section 3")                                             \
	X(NPY_DESCR_REDUNDANT_ORDER, "npy-descr-redundant-order", QUALITY, INFO,                                       \
	  "a byte order is given for one-byte elements",                                                               \
	  "Writers in other languages produce it; it means nothing.",                                                  \
	  "Nothing to do.", "formats/npy, Severities")                                                             \
	X(NPY_DESCR_NATIVE, "npy-descr-native", AMBIGUOUS, MEDIUM,                                                     \
	  "an element type without a byte order",                                                                      \
	  "It is read as another number on machines of the other order.",                                              \
	  "Write the byte order into the type.", "formats/npy, section 3")                                         \
	X(NPY_LONGDOUBLE, "npy-longdouble", QUALITY, MEDIUM,                                                           \
	  "elements of extended precision",                                                                            \
	  "Their layout depends on the platform: elsewhere the same bytes are other numbers.",                         \
	  "Convert to float64 before saving.", "formats/npy, section 3")                                           \
	X(NPY_VOID_OPAQUE, "npy-void-opaque", QUALITY, INFO,                                                           \
	  "elements of raw bytes without a type",                                                                      \
	  "bfloat16 and float8 arrays are saved this way; what they hold cannot be checked.",                          \
	  "Save a type that NumPy knows, or use safetensors.", "formats/npy, section 3")                           \
	X(NPY_UNICODE_RANGE, "npy-unicode-range", MALFORMED, MEDIUM,                                                   \
	  "a text element holds numbers that are no characters",                                                       \
	  "NumPy fails with an internal error when it reads them.",                                                    \
	  "Write the file with numpy.save.", "formats/npy, section 3")                                             \
	X(NPY_FIELD_DUPLICATE, "npy-field-duplicate", AMBIGUOUS, HIGH,                                                 \
	  "a record has two fields of one name",                                                                       \
	  "Readers keep the first or the last, or refuse it.",                                                         \
	  "Give every field a name of its own.", "formats/npy, section 3")                                         \
	X(NPY_FIELD_LIMIT, "npy-field-limit", MALFORMED, HIGH,                                                         \
	  "a record with more fields, deeper nesting or larger items than any array has",                              \
	  "Such headers are made to exhaust their reader.",                                                            \
	  "Use fewer fields.", "formats/npy, section 3")                                                           \
	X(NPY_NDIM, "npy-ndim", QUALITY, MEDIUM,                                                                       \
	  "more dimensions than most versions of NumPy read",                                                          \
	  "NumPy 1 refuses more than 32.",                                                                             \
	  "Reshape the array before saving.", "formats/npy, rule 4")                                               \
	X(NPY_NDIM_LIMIT, "npy-ndim-limit", MALFORMED, HIGH,                                                           \
	  "more dimensions than any version of NumPy reads",                                                           \
	  "No reader takes the array.",                                                                                \
	  "Reshape the array before saving.", "formats/npy, rule 4")                                               \
	X(NPY_SHAPE, "npy-shape", MALFORMED, HIGH,                                                                     \
	  "the shape is not a tuple of sizes",                                                                         \
	  "A negative size is read as all that is left, a bool as a number: the array is not what the header says.",   \
	  "Write the file with numpy.save.", "formats/npy, rule 5")                                                \
	X(NPY_SIZE_OVERFLOW, "npy-size-overflow", MALFORMED, HIGH,                                                     \
	  "the shape multiplies to more bytes than can be counted",                                                    \
	  "Readers whose product wraps read another number of bytes.",                                                 \
	  "Write the file with numpy.save.", "formats/npy, rule 6")                                                \
	X(NPY_TRAILING_BYTES, "npy-trailing-bytes", MALFORMED, HIGH,                                                   \
	  "bytes follow the array",                                                                                    \
	  "NumPy ignores them: a place to hide something.",                                                            \
	  "Write the file with numpy.save.", "formats/npy, rule 7")                                                \
	X(NPY_ITEMSIZE_ZERO, "npy-itemsize-zero", MALFORMED, HIGH,                                                     \
	  "a huge number of elements of no bytes",                                                                     \
	  "A tiny file makes its reader work on billions of elements.",                                                \
	  "Write the file with numpy.save.", "formats/npy, rule 9")                                                \
	X(NPY_OBJECT_PICKLE, "npy-object-pickle", CODE, HIGH,                                                          \
	  "the array holds Python objects: its data is a pickle",                                                      \
	  "Loading it with allow_pickle runs whatever the pickle says.",                                               \
	  "Save arrays of numbers or fixed-length text.", "formats/npy, rule 10")                                  \
	X(NPY_FORTRAN_REDUNDANT, "npy-fortran-redundant", QUALITY, INFO,                                               \
	  "an array of one dimension is marked as column-major",                                                       \
	  "It means nothing; NumPy's writer says row-major.",                                                          \
	  "Nothing to do.", "formats/npy, rule 12")                                                                \
	X(NPY_IS_PICKLE, "npy-is-pickle", CODE, MEDIUM,                                                                \
	  "a pickle under the name of an array",                                                                       \
	  "numpy.load with allow_pickle loads it as a pickle.",                                                        \
	  "Save the array with numpy.save.", "formats/npy, rule 14")                                               \
	X(NPY_IS_PICKLE_IMPORTING, "npy-is-pickle-importing", MALICIOUS, HIGH,                                         \
	  "a pickle under the name of an array, and it imports names",                                                 \
	  "numpy.load with allow_pickle loads it as a pickle and runs what it imports.",                               \
	  "Save the array with numpy.save.", "formats/npy, rule 14")                                               \
	X(NPZ_FOREIGN_MEMBER, "npz-foreign-member", UNSUPPORTED, MEDIUM,                                               \
	  "a member of the archive is not an array",                                                                   \
	  "numpy.load hands out its raw bytes.",                                                                       \
	  "Save arrays only.", "formats/npy, section 5, rule 1")                                                   \
	X(NPZ_KEY_COLLISION, "npz-key-collision", AMBIGUOUS, HIGH,                                                     \
	  "two members have one key",                                                                                  \
	  "Readers hand out one or the other.",                                                                        \
	  "Give every array a name of its own.", "formats/npy, section 5, rule 2")                                 \
	X(NPZ_MIXED_METHOD, "npz-mixed-method", QUALITY, MEDIUM,                                                       \
	  "some members are compressed and some are not",                                                              \
	  "NumPy writes all of them one way: the archive was edited.",                                                 \
	  "Write the file with numpy.savez.", "formats/npy, section 5, rule 6")                                    \
	X(NPZ_EMPTY, "npz-empty", QUALITY, MEDIUM,                                                                     \
	  "an archive without arrays",                                                                                 \
	  "There is nothing to load.",                                                                                 \
	  "Upload the file that was meant.", "formats/npy, section 5, rule 9")
/* clang-format on */
