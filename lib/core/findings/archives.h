/* Findings about archives that are models: skops, TorchServe, NeMo (lib/formats/archives/skops*.c, torchserve.c, tar.c).  Follows
 * formats/others, section 1. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_ARCHIVES(X)                                                                                       \
	X(ZIP_TWO_FORMATS, "zip-two-formats", AMBIGUOUS, HIGH,                                                         \
	  "the archive is a model of two formats at once",                                                             \
	  "Each loader takes the members it knows: they load different models, and only one was looked at.",           \
	  "Publish an archive for each.", "formats/others, section 1")                                                 \
	X(SKOPS_NOT_ZIP, "skops-not-zip", AMBIGUOUS, HIGH,                                                             \
	  "named as a skops archive, and none",                                                                        \
	  "Some loaders then take it for a pickle and run it (CVE-2025-54886).",                                       \
	  "Save the model with skops.io.", "formats/others, section 1 (skops)")                                        \
	X(SKOPS_SCHEMA, "skops-schema", MALFORMED, HIGH,                                                               \
	  "the archive's tree of objects is missing, no strict JSON, or no tree",                                      \
	  "Each loader stops, or goes on, somewhere else.",                                                            \
	  "Save the model with skops.io.", "formats/others, section 1 (skops)")                                        \
	X(SKOPS_DUPLICATE_KEY, "skops-duplicate-key", AMBIGUOUS, HIGH,                                                 \
	  "a key twice in one object of the tree",                                                                     \
	  "Python keeps the last, others the first: they make different objects.",                                     \
	  "Save the model with skops.io.", "formats/others, section 1 (skops)")                                        \
	X(SKOPS_TYPE_DANGEROUS, "skops-type-dangerous", MALICIOUS, CRITICAL,                                           \
	  "the tree names a class or function that acts on the machine that loads it",                                 \
	  "Loaders that are told to trust the file import and call it.",                                               \
	  "Remove the object.", "formats/others, section 1 (skops)")                                                   \
	X(SKOPS_TYPE_UNLISTED, "skops-type-unlisted", CODE, MEDIUM,                                                    \
	  "the tree names a class that is not known to be harmless",                                                   \
	  "skops.io makes it only when its user trusts it by name.",                                                   \
	  "Use classes of scikit-learn, NumPy and SciPy.", "formats/others, section 1 (skops)")                        \
	X(SKOPS_FUNCTION, "skops-function", CODE, MEDIUM,                                                              \
	  "the tree hands on a function that is not one of NumPy's or SciPy's",                                        \
	  "The model calls it when it is used; skops.io asks its user to trust it by name.",                           \
	  "Use elementwise functions of NumPy or SciPy.", "formats/others, section 1 (skops)")                         \
	X(SKOPS_PARTIAL, "skops-partial", CODE, MEDIUM,                                                                \
	  "the tree hands on a function with arguments of the file's choice",                                          \
	  "The model calls it when it is used; skops.io asks its user to trust it.",                                   \
	  "Use a class instead.", "formats/others, section 1 (skops)")                                                 \
	X(SKOPS_CALL_NODE, "skops-call-node", MALICIOUS, CRITICAL,                                                     \
	  "a node of the tree that calls an operator, or reaches for a method",                                        \
	  "Loading runs code of the file's choice under a harmless name (CVE-2025-54412, CVE-2025-54413).",            \
	  "Remove the object.", "formats/others, Decision 6")                                                          \
	X(SKOPS_LOADER_UNKNOWN, "skops-loader-unknown", UNSUPPORTED, MEDIUM,                                           \
	  "a node of the tree with a loader that this build does not know",                                            \
	  "What it makes of its content nobody can say.",                                                              \
	  "Save the model without it.", "formats/others, section 1 (skops)")                                           \
	X(SKOPS_FILE_MISSING, "skops-file-missing", MALFORMED, HIGH,                                                   \
	  "the tree names a member that the archive does not have",                                                    \
	  "The model does not load, or loads what somebody puts there.",                                               \
	  "Save the model with skops.io.", "formats/others, section 1 (skops)")                                        \
	X(SKOPS_FILE_CONTENT, "skops-file-content", MALFORMED, HIGH,                                                   \
	  "a member that the tree takes for an array is none",                                                         \
	  "Loaders that allow it run a pickle there.",                                                                 \
	  "Save the model with skops.io.", "formats/others, section 1 (skops)")                                        \
	X(SKOPS_MEMBER_UNEXPECTED, "skops-member-unexpected", QUALITY, MEDIUM,                                         \
	  "a member that the tree does not name",                                                                      \
	  "skops.io ignores it: it is there for something else.",                                                      \
	  "Save the model with skops.io.", "formats/others, section 1 (skops)")                                        \
	X(MAR_MANIFEST, "mar-manifest", MALFORMED, HIGH,                                                               \
	  "TorchServe's manifest is missing, no strict JSON, or names no handler",                              \
	  "The server refuses the archive, or reads another manifest than others do.",                                 \
	  "Pack the model with torch-model-archiver.", "formats/others, section 1 (TorchServe archive)")               \
	X(MAR_HANDLER_CODE, "mar-handler-code", CODE, HIGH,                                                            \
	  "the archive brings code that TorchServe runs",                                                              \
	  "The server imports it and calls it with every request.",                                                    \
	  "Use one of TorchServe's own handlers, or publish the code apart.",                                          \
	  "formats/others, section 1 (TorchServe archive)")                                                            \
	X(MAR_REQUIREMENTS, "mar-requirements", CODE, MEDIUM,                                                          \
	  "the archive asks the server to install packages",                                                           \
	  "Installing a package runs its code, with versions and addresses that the file chooses.",                    \
	  "Install what the model needs on the server.", "formats/others, section 1 (TorchServe archive)")             \
	X(MAR_FILE_MISSING, "mar-file-missing", MALFORMED, MEDIUM,                                                     \
	  "the manifest names a file that the archive does not have",                                                  \
	  "The server does not find its model, or finds another of that name.",                                        \
	  "Pack the model with torch-model-archiver.", "formats/others, section 1 (TorchServe archive)")
/* clang-format on */
