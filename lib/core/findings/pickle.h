/* Findings of the pickle machine and its judge (lib/judges/pickle), in the order of formats/pickle. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_PICKLE(X)                                                                                         \
	X(PICKLE_GLOBAL_DANGEROUS, "pickle-global-dangerous", MALICIOUS, CRITICAL,                                     \
	  "the pickle imports something that acts on the machine that loads it",                                       \
	  "Loading a pickle runs what it names; no model needs this to hold its weights.",                             \
	  "Do not load this file; publish the weights as safetensors.",                                                \
	  "formats/pickle, section 4")                                                                                 \
	X(PICKLE_CALL_DANGEROUS, "pickle-call-dangerous", MALICIOUS, CRITICAL,                                         \
	  "the pickle calls something that acts on the machine that loads it",                                         \
	  "The call happens while the file is being loaded, before anybody can look at the result.",                   \
	  "Do not load this file; publish the weights as safetensors.",                                                \
	  "formats/pickle, section 4")                                                                                 \
	X(PICKLE_GLOBAL_UNKNOWN, "pickle-global-unknown", UNSUPPORTED, MEDIUM,                                         \
	  "the pickle imports something that is not known to be harmless",                                             \
	  "Importing a name runs the code of its module, and loading calls what it names.",                            \
	  "Publish the weights as safetensors, or let the policy name what its readers trust.",                        \
	  "formats/pickle, section 4")                                                                                 \
	X(PICKLE_GLOBAL_ALLOWED, "pickle-global-allowed", CODE, INFO,                                                  \
	  "the pickle imports a data type that is known to be harmless",                                               \
	  "It is listed so that a reader sees everything that loading brings in.",                                     \
	  "Nothing to do.",                                                                                            \
	  "formats/pickle, section 4")                                                                                 \
	X(PICKLE_GLOBAL_DYNAMIC, "pickle-global-dynamic", MALICIOUS, CRITICAL,                                         \
	  "the pickle computes the name of what it imports",                                                           \
	  "No program that writes pickles does so; it hides the name from whoever looks.",                             \
	  "Do not load this file.",                                                                                    \
	  "formats/pickle, section 4")                                                                                 \
	X(PICKLE_GLOBAL_NAME, "pickle-global-name", MALFORMED, HIGH,                                                   \
	  "the pickle imports a name that cannot exist",                                                               \
	  "Loaders fail at it, after they have run everything before it.",                                             \
	  "Write the file again.",                                                                                     \
	  "formats/pickle, section 3")                                                                                 \
	X(PICKLE_CALLEE_DYNAMIC, "pickle-callee-dynamic", MALICIOUS, CRITICAL,                                         \
	  "the pickle calls something that it did not import by name",                                                 \
	  "What is called was computed by an earlier call, so nobody can tell what it is without loading the file.",   \
	  "Do not load this file.",                                                                                    \
	  "formats/pickle, section 4")                                                                                 \
	X(PICKLE_ARGUMENTS, "pickle-arguments", UNSUPPORTED, MEDIUM,                                                   \
	  "a harmless name is used in a way that no program writes",                                                   \
	  "Data types are harmless with the arguments they are saved with; with others they call or exhaust.",         \
	  "Write the file again with an unmodified library.",                                                          \
	  "formats/pickle, section 4")                                                                                 \
	X(PICKLE_USE, "pickle-use", UNSUPPORTED, HIGH,                                                                 \
	  "the pickle uses an allowed name in a way that it is not allowed for",                                       \
	  "A pack vouches for instances as picklers write them; a call with arguments runs the library's code.",       \
	  "Write the file again with an unmodified library, or let the policy name what its readers trust.",           \
	  "formats/pickle, section 4")                                                                                 \
	X(PICKLE_GETATTR, "pickle-getattr", UNSUPPORTED, MEDIUM,                                                       \
	  "the pickle looks an attribute up by its name",                                                              \
	  "Python 3.11 saves the members of an Enum this way; the same call reaches methods and modules.",             \
	  "Save plain values instead of Enum members.",                                                                \
	  "formats/pickle, section 4")                                                                                 \
	X(PICKLE_BUILD_ON_GLOBAL, "pickle-build-on-global", MALICIOUS, CRITICAL,                                       \
	  "the pickle sets attributes of an imported class, function or module",                                       \
	  "It changes the program that loads it, and with it the meaning of names that look harmless.",                \
	  "Do not load this file.",                                                                                    \
	  "formats/pickle, section 4")                                                                                 \
	X(PICKLE_BUILD_DUNDER, "pickle-build-dunder", MALICIOUS, CRITICAL,                                             \
	  "the pickle sets one of Python's own attributes of an object",                                               \
	  "Attributes such as __class__ decide what the object does when it is used.",                                 \
	  "Do not load this file.",                                                                                    \
	  "formats/pickle, section 4")                                                                                 \
	X(PICKLE_BUILD_FUNCTION, "pickle-build-function", MALICIOUS, HIGH,                                             \
	  "the pickle sets a class, function or unseen attributes where its object keeps none",                        \
	  "An attribute hides the method of its name: the next use of the object calls what the file put there.",      \
	  "Do not load this file.",                                                                                    \
	  "formats/pickle, section 4")                                                                                 \
	X(PICKLE_FUNCTION_VALUE, "pickle-function-value", MALICIOUS, HIGH,                                             \
	  "the pickle hands on a function that it may only call",                                                      \
	  "Whoever calls it later does so with arguments that nobody has seen; getattr reaches everything that way.",  \
	  "Do not load this file.",                                                                                    \
	  "formats/pickle, section 4")                                                                                 \
	X(PICKLE_STATE_CHANGED, "pickle-state-changed", MALICIOUS, HIGH,                                               \
	  "the pickle changes the attributes of an object after it was given them",                                    \
	  "Some classes keep the dictionary itself: what is added to it becomes an attribute that was not judged.",    \
	  "Do not load this file.",                                                                                    \
	  "formats/pickle, section 4")                                                                                 \
	X(PICKLE_METHOD_ON_OBJECT, "pickle-method-on-object", MALICIOUS, HIGH,                                         \
	  "the pickle treats as a container what is none",                                                             \
	  "append, extend, add and __setitem__ of any object are called this way; PyTorch had its memory corrupted.",  \
	  "Do not load this file.",                                                                                    \
	  "formats/pickle, section 4")                                                                                 \
	X(PICKLE_EXT_OPCODE, "pickle-ext-opcode", UNSUPPORTED, MEDIUM,                                                 \
	  "the pickle names something by a number of the program that loads it",                                       \
	  "Only that program's extension registry says what the number means.",                                        \
	  "Write the file again without registered extensions.",                                                       \
	  "formats/pickle, section 4")                                                                                 \
	X(PICKLE_PERSID, "pickle-persid", UNSUPPORTED, MEDIUM,                                                         \
	  "the pickle refers to something outside itself",                                                             \
	  "What a persistent id means is decided by the program that loads it.",                                       \
	  "Save the data itself.",                                                                                     \
	  "formats/pickle, section 4")                                                                                 \
	X(PICKLE_OOB_BUFFER, "pickle-oob-buffer", MALFORMED, HIGH,                                                     \
	  "the pickle asks for a buffer that a file cannot have",                                                      \
	  "Out-of-band buffers are passed beside a pickle; in a file there are none, and loading fails.",              \
	  "Write the file without buffer_callback.",                                                                   \
	  "formats/pickle, section 4")                                                                                 \
	X(PICKLE_NESTED, "pickle-nested", AMBIGUOUS, MEDIUM,                                                           \
	  "a constant of the pickle is a pickle itself",                                                               \
	  "It does nothing until some program unpickles it, and nothing but that can be its purpose.",                 \
	  "Save the data itself instead of its pickle.",                                                               \
	  "formats/pickle, section 8")                                                                                 \
	X(PICKLE_MALFORMED, "pickle-malformed", MALFORMED, HIGH,                                                       \
	  "an opcode has an argument that no loader takes",                                                            \
	  "Loaders fail here, after they have run everything before it: a way to hide a payload from scanners.",       \
	  "Write the file again.",                                                                                     \
	  "formats/pickle, section 3")                                                                                 \
	X(PICKLE_OPERAND, "pickle-operand", MALFORMED, HIGH,                                                           \
	  "an opcode has an operand of a kind that no loader takes",                                                   \
	  "Loaders fail here, after they have run everything before it: a way to hide a payload from scanners.",       \
	  "Write the file again.",                                                                                     \
	  "formats/pickle, section 3")                                                                                 \
	X(PICKLE_OPCODE_UNKNOWN, "pickle-opcode-unknown", MALFORMED, HIGH,                                             \
	  "a byte where an opcode belongs is none",                                                                    \
	  "Loaders fail here, after they have run everything before it: a way to hide a payload from scanners.",       \
	  "Write the file again; if it is no pickle, give it another name.",                                           \
	  "formats/pickle, section 2")                                                                                 \
	X(PICKLE_TRUNCATED, "pickle-truncated", MALFORMED, HIGH,                                                       \
	  "the pickle ends before its STOP opcode",                                                                    \
	  "Loaders fail here, after they have run everything before it.",                                              \
	  "Upload the whole file; the transfer may have been cut.",                                                    \
	  "formats/pickle, section 9")                                                                                 \
	X(PICKLE_LENGTH, "pickle-length", MALFORMED, HIGH,                                                             \
	  "a length inside the pickle goes past its end",                                                              \
	  "Careless readers allocate what it claims.",                                                                 \
	  "Upload the whole file; the transfer may have been cut.",                                                    \
	  "formats/pickle, section 6")                                                                                 \
	X(PICKLE_STACK_UNDERFLOW, "pickle-stack-underflow", MALFORMED, HIGH,                                           \
	  "an opcode takes more from the stack than there is",                                                         \
	  "Loaders fail here, after they have run everything before it.",                                              \
	  "Write the file again.",                                                                                     \
	  "formats/pickle, section 3")                                                                                 \
	X(PICKLE_MARK_MISSING, "pickle-mark-missing", MALFORMED, HIGH,                                                 \
	  "an opcode looks for a mark that nobody set",                                                                \
	  "Loaders fail here, after they have run everything before it.",                                              \
	  "Write the file again.",                                                                                     \
	  "formats/pickle, section 3")                                                                                 \
	X(PICKLE_MEMO_MISSING, "pickle-memo-missing", MALFORMED, HIGH,                                                 \
	  "an opcode fetches what was never stored",                                                                   \
	  "Loaders fail here, after they have run everything before it.",                                              \
	  "Write the file again.",                                                                                     \
	  "formats/pickle, section 3")                                                                                 \
	X(PICKLE_STACK_LEFTOVER, "pickle-stack-leftover", AMBIGUOUS, INFO,                                             \
	  "objects are left behind when the pickle ends",                                                              \
	  "They were made while loading and are not part of the result.",                                              \
	  "Write the file again with an unmodified library.",                                                          \
	  "formats/pickle, section 3")                                                                                 \
	X(PICKLE_PROTOCOL, "pickle-protocol", MALFORMED, HIGH,                                                         \
	  "the pickle announces a protocol that does not exist",                                                       \
	  "Loaders refuse it, after they have run everything before it.",                                              \
	  "Write the file again with protocol 5 or below.",                                                            \
	  "formats/pickle, section 1")                                                                                 \
	X(PICKLE_PROTOCOL_CHANGED, "pickle-protocol-changed", AMBIGUOUS, MEDIUM,                                       \
	  "the pickle changes its protocol half-way",                                                                  \
	  "What a dotted name means depends on the protocol, so readers may see two things.",                          \
	  "Write the file again with an unmodified library.",                                                          \
	  "formats/pickle, section 3")                                                                                 \
	X(PICKLE_OPCODE_PROTOCOL, "pickle-opcode-protocol", AMBIGUOUS, INFO,                                           \
	  "the pickle uses opcodes of a later protocol than it announces",                                             \
	  "Loaders do not mind.",                                                                                      \
	  "Nothing to do.",                                                                                            \
	  "formats/pickle, section 1")                                                                                 \
	X(PICKLE_FRAME_BOUNDS, "pickle-frame-bounds", AMBIGUOUS, HIGH,                                                 \
	  "a frame of the pickle is cut by an opcode, by another frame, or by bytes that are no opcodes",              \
	  "Loaders disagree: one drops what is left of a frame, and executes what another one takes for data.",        \
	  "Write the file again with an unmodified library.",                                                          \
	  "formats/pickle, section 3")                                                                                 \
	X(PICKLE_FRAME_PAST_END, "pickle-frame-past-end", MALFORMED, HIGH,                                             \
	  "a frame inside the pickle goes past its end",                                                               \
	  "Some loaders fail here, others go on.",                                                                     \
	  "Upload the whole file; the transfer may have been cut.",                                                    \
	  "formats/pickle, section 3")                                                                                 \
	X(PICKLE_MEMO_INDEX, "pickle-memo-index", AMBIGUOUS, MEDIUM,                                                   \
	  "an object is stored under a number far above the number of objects",                                        \
	  "Loaders allocate a table up to that number: gigabytes for a few bytes of file.",                            \
	  "Write the file again with an unmodified library.",                                                          \
	  "formats/pickle, section 3")                                                                                 \
	X(PICKLE_INT_DIGITS, "pickle-int-digits", AMBIGUOUS, MEDIUM,                                                   \
	  "a decimal number has thousands of digits",                                                                  \
	  "Reading it takes a loader time that grows with the square of its length.",                                  \
	  "Write the file again with protocol 2 or above.",                                                            \
	  "formats/pickle, section 3")                                                                                 \
	X(PICKLE_NUMBER_TEXT, "pickle-number-text", AMBIGUOUS, MEDIUM,                                                 \
	  "a number is written in a way that only some loaders read",                                                  \
	  "Readers that disagree see two different files.",                                                            \
	  "Write the file again with an unmodified library.",                                                          \
	  "formats/pickle, section 6")                                                                                 \
	X(PICKLE_STRING_ENCODING, "pickle-string-encoding", AMBIGUOUS, LOW,                                            \
	  "an old string holds bytes that some loaders refuse and others read",                                        \
	  "Python 2 wrote such strings; readers have to be told their encoding.",                                      \
	  "Write the file again with Python 3.",                                                                       \
	  "formats/pickle, section 3")                                                                                 \
	X(PICKLE_FLOAT_NONFINITE, "pickle-float-nonfinite", QUALITY, INFO,                                             \
	  "a single number of the pickle is infinite or not a number",                                                 \
	  "Best losses and bounds begin this way; it is no weight.",                                                   \
	  "Nothing to do.",                                                                                            \
	  "formats/pickle, section 7")                                                                                 \
	X(PICKLE_ARRAY_STATE, "pickle-array-state", MALFORMED, HIGH,                                                   \
	  "an array or its type is given a state that NumPy does not write",                                           \
	  "NumPy believes it: elements that are longer, elsewhere or pointers are read and written outside of the array.",\
	  "Write the file again with an unmodified library.",                                                          \
	  "formats/pickle, section 7")                                                                                 \
	X(PICKLE_ARRAY_TYPES, "pickle-array-types", AMBIGUOUS, MEDIUM,                                                 \
	  "the same bytes are elements of two types",                                                                  \
	  "They are numbers under one type and may be none under the other; NumPy writes the elements of each array anew.",\
	  "Write the file again with an unmodified library.",                                                          \
	  "formats/pickle, section 7")                                                                                 \
	X(PICKLE_ARRAY_SIZE, "pickle-array-size", MALFORMED, HIGH,                                                     \
	  "an array's bytes are not what its shape and type need",                                                     \
	  "NumPy refuses such an array; other readers may read past its end.",                                         \
	  "Write the file again with an unmodified library.",                                                          \
	  "formats/pickle, section 7")                                                                                 \
	X(PICKLE_TRAILING_BYTES, "pickle-trailing-bytes", AMBIGUOUS, MEDIUM,                                           \
	  "bytes follow the end of the pickle",                                                                        \
	  "Loaders ignore them; other programs may not.",                                                              \
	  "Write the file again.",                                                                                     \
	  "formats/pickle, section 9")                                                                                 \
	X(PICKLE_DATA_ONLY, "pickle-data-only", QUALITY, INFO,                                                         \
	  "the pickle holds plain data and imports nothing",                                                           \
	  "Loading it runs no code.",                                                                                  \
	  "Nothing to do.",                                                                                            \
	  "formats/pickle, section 4")                                                                                 \
	X(PICKLE_EXPANSION, "pickle-expansion", AMBIGUOUS, MEDIUM,                                                     \
	  "a small value stands for an astronomically large one",                                                      \
	  "Loaders that walk through it, to use it as a key, never come back.",                                        \
	  "Write the file again with an unmodified library.",                                                          \
	  "formats/pickle, section 5")                                                                                 \
	X(PICKLE_LOAD_TIME, "pickle-load-time", MALICIOUS, HIGH,                                                       \
	  "loading the pickle takes far longer than a file of its size should",                                        \
	  "Keys that all collide and containers that are copied again and again are made to keep a loader busy.",      \
	  "Do not load this file; write it again with an unmodified library.",                                         \
	  "formats/pickle, section 5")                                                                                 \
	X(PICKLE_LOAD_MEMORY, "pickle-load-memory", MALICIOUS, HIGH,                                                   \
	  "loading the pickle takes far more memory than a file of its size should",                                   \
	  "A few bytes that ask for gigabytes are made to end the program that loads them.",                           \
	  "Do not load this file; write it again with an unmodified library.",                                         \
	  "formats/pickle, section 5")                                                                                 \
	X(PICKLE_LIMIT_DEPTH, "pickle-limit-depth", AMBIGUOUS, MEDIUM,                                                 \
	  "containers are nested more than a thousand deep",                                                           \
	  "Programs that walk through them run out of stack.",                                                         \
	  "Flatten the data.",                                                                                         \
	  "formats/pickle, section 5")                                                                                 \
	X(PICKLE_LIMIT_OPCODES, "pickle-limit-opcodes", INCOMPLETE, MEDIUM,                                            \
	  "the pickle has more opcodes than a scan follows",                                                           \
	  "What was not followed cannot be vouched for.",                                                              \
	  "Save large data as arrays instead of lists of numbers.",                                                    \
	  "formats/pickle, section 5")                                                                                 \
	X(PICKLE_LIMIT_MEMORY, "pickle-limit-memory", INCOMPLETE, MEDIUM,                                              \
	  "following the pickle needs more memory than a scan may take",                                               \
	  "What was not followed cannot be vouched for.",                                                              \
	  "Save large data as arrays instead of lists of numbers.",                                                    \
	  "formats/pickle, section 5")
/* clang-format on */
