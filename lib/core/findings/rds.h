/* Findings of R's serialised objects (formats/others, row RDS). */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_RDS(X)                                                                                            \
	X(RDS_VERSION, "rds-version", UNSUPPORTED, HIGH,                                                               \
	  "a header of serialised R objects that no R writes",                                                         \
	  "R refuses it, or its two headers disagree.",                                                                \
	  "Write the file with saveRDS() or save().", "formats/others, row RDS")                                       \
	X(RDS_TRUNCATED, "rds-truncated", MALFORMED, HIGH,                                                             \
	  "the file ends within an object",                                                                            \
	  "What is missing was not seen; R refuses it.",                                                               \
	  "Upload the file again, whole.", "formats/others, row RDS")                                                  \
	X(RDS_TRAILING_BYTES, "rds-trailing-bytes", AMBIGUOUS, HIGH,                                                   \
	  "bytes follow the object",                                                                                   \
	  "R does not look at them, and another program may.",                                                         \
	  "Cut the file off behind the object.", "formats/others, row RDS")                                            \
	X(RDS_STRUCTURE, "rds-structure", MALFORMED, HIGH,                                                             \
	  "an object that has no place where it stands",                                                               \
	  "R takes what comes and relies on its type afterwards: such files crash it.",                                \
	  "Write the file with saveRDS() or save().", "formats/others, row RDS")                                       \
	X(RDS_DEPTH, "rds-depth", MALFORMED, HIGH,                                                                     \
	  "objects nested too deeply",                                                                                 \
	  "R reads them by recursion and runs out of stack.",                                                          \
	  "Store flat objects.", "formats/others, row RDS")                                                            \
	X(RDS_LENGTH, "rds-length", MALFORMED, HIGH,                                                                   \
	  "a length that is negative, too long, or beyond the end of the file",                                        \
	  "R allocates it before it reads.",                                                                           \
	  "Write the file with saveRDS() or save().", "formats/others, row RDS")                                       \
	X(RDS_REFERENCE, "rds-reference", MALFORMED, HIGH,                                                             \
	  "a reference to an object that did not come, or too many of them",                                           \
	  "R refuses it, or takes another object.",                                                                    \
	  "Write the file with saveRDS() or save().", "formats/others, row RDS")                                       \
	X(RDS_STRING, "rds-string", MALFORMED, HIGH,                                                                   \
	  "text that is not in the encoding it claims",                                                                \
	  "R's own functions fail on it or see other characters.",                                                     \
	  "Mark text with its encoding, or convert it with enc2utf8().", "formats/others, row RDS")                    \
	X(RDS_ATTRIBUTE, "rds-attribute", MALFORMED, HIGH,                                                             \
	  "an attribute that does not fit its object, or is given twice",                                              \
	  "R does not check dimensions and names when it loads, and reads beyond the vector when it uses them.",       \
	  "Write the file with saveRDS() or save().", "formats/others, row RDS")                                       \
	X(RDS_CODE, "rds-code", CODE, HIGH,                                                                            \
	  "an R object holds code",                                                                                    \
	  "A promise runs when the object is used (CVE-2024-27322); functions, calls and formulas when their model is.", \
	  "Save coefficients and data instead of fitted objects, functions and formulas.",                             \
	  "formats/others, row RDS")                                                                                   \
	X(RDS_BUILTIN, "rds-builtin", CODE, MEDIUM,                                                                    \
	  "an R object holds one of R's own functions",                                                                \
	  "It runs when the object's user calls it, with what arguments the object says.",                             \
	  "Save data only.", "formats/others, row RDS")                                                                \
	X(RDS_ALTREP_FILE, "rds-altrep-file", CODE, HIGH,                                                              \
	  "a vector that is read from another file when it is loaded",                                                 \
	  "R maps whatever file the object names.",                                                                    \
	  "Store the vector itself.", "formats/others, row RDS")                                                       \
	X(RDS_ALTREP_CLASS, "rds-altrep-class", CODE, MEDIUM,                                                          \
	  "a vector of a class that some package makes",                                                               \
	  "R loads the package, whose code makes the vector.",                                                         \
	  "Store ordinary vectors.", "formats/others, row RDS")                                                        \
	X(RDS_NAMESPACE, "rds-namespace", CODE, MEDIUM,                                                                \
	  "an object refers to a package's namespace",                                                                 \
	  "R loads the package when it loads the object.",                                                             \
	  "Save data only.", "formats/others, row RDS")                                                                \
	X(RDS_PERSISTENT, "rds-persistent", UNSUPPORTED, MEDIUM,                                                       \
	  "an object that the loading program has to supply",                                                          \
	  "What it will be only that program knows.",                                                                  \
	  "Save without refhook.", "formats/others, row RDS")                                                          \
	X(RDS_RAW, "rds-raw", UNSUPPORTED, MEDIUM,                                                                     \
	  "bytes in an R object that have no meaning of their own",                                                    \
	  "Packages keep serialised models and objects in such vectors, and unserialise them.",                        \
	  "Publish what the bytes are as a file of its own.", "formats/others, row RDS")                               \
	X(RDS_ENVIRONMENT, "rds-environment", QUALITY, INFO,                                                           \
	  "an R object holds an environment",                                                                          \
	  "It may hold much that nobody meant to publish.",                                                            \
	  "Save lists instead.", "formats/others, row RDS")                                                            \
	X(RDS_S4, "rds-s4", QUALITY, INFO,                                                                             \
	  "an object of a formal class",                                                                               \
	  "What it means only its package knows.",                                                                     \
	  "Save lists of vectors instead.", "formats/others, row RDS")
/* clang-format on */
