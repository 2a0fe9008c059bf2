/* Findings every format can raise: weights, identification, budgets. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_COMMON(X)                                                                                         \
	X(WEIGHTS_NAN, "weights-nan", QUALITY, MEDIUM,                                                                 \
	  "a tensor holds elements that are not a number",                                                             \
	  "NaN spreads through every computation it meets; a trained model does not contain it.",                      \
	  "Find the training step that diverged and publish a checkpoint from before it.",                             \
	  "formats/safetensors, rule 26")                                                                              \
	X(WEIGHTS_INF, "weights-inf", QUALITY, MEDIUM,                                                                 \
	  "a tensor holds infinite elements",                                                                          \
	  "Infinity among ordinary weights comes from an overflow and turns into NaN on use.",                         \
	  "Convert with a wider type or clip before saving.",                                                          \
	  "formats/safetensors, rule 26")                                                                              \
	X(WEIGHTS_INF_MASK, "weights-inf-mask", QUALITY, INFO,                                                         \
	  "a tensor holds only zero and one infinity: a mask",                                                         \
	  "Attention masks are stored this way; nothing is wrong with it.",                                            \
	  "Nothing to do.",                                                                                            \
	  "formats/safetensors, rule 26")                                                                              \
	X(WEIGHTS_BOOL_INVALID, "weights-bool-invalid", QUALITY, MEDIUM,                                               \
	  "a BOOL tensor holds bytes other than 0 and 1",                                                              \
	  "Programs disagree on the truth of such a byte, and in some languages loading it is undefined behaviour.",   \
	  "Write booleans as 0 and 1, or store the data as U8.",                                                       \
	  "formats/safetensors, section 2")                                                                            \
	X(WEIGHTS_IN_SET, "weights-in-set", QUALITY, INFO,                                                             \
	  "weights in other files of the set, which the verdict about the set speaks of",                              \
	  "This verdict is about the model's own bytes: without the other files the model is not whole.",              \
	  "Go by the verdict about the set.", "formats/sets, section 5")                                               \
	X(FORMAT_UNKNOWN, "format-unknown", UNSUPPORTED, MEDIUM,                                                       \
	  "no format this build knows",                                                                                \
	  "What is not understood cannot be vouched for.",                                                             \
	  "Publish the model in a format that can be checked, such as safetensors.",                                   \
	  "formats/others, Decisions 1")                                                                               \
	X(FORMAT_EXTENSION_MISMATCH, "format-extension-mismatch", AMBIGUOUS, HIGH,                                     \
	  "the content is of another format than the name says",                                                       \
	  "Programs that go by the name and programs that go by the content do different things with it.",             \
	  "Give the file the name of its format.",                                                                     \
	  "formats/others, Decisions 1")                                                                               \
	X(FORMAT_IDENTIFIED_ONLY, "format-identified-only", UNSUPPORTED, MEDIUM,                                       \
	  "a format this build names and does not vouch for",                                                          \
	  "Which program opens it, and what it makes of it, nobody can say.",                                          \
	  "Publish the model in a format that can be checked, such as safetensors.",                                   \
	  "formats/others, Decisions 1")                                                                               \
	X(FORMAT_NOT_ALLOWED, "format-not-allowed", UNSUPPORTED, HIGH,                                                 \
	  "a format the policy does not allow",                                                                        \
	  "Whoever runs this check takes only the formats that the policy names.",                                     \
	  "Convert the model to a format the policy allows.",                                                          \
	  "weighlock.policy(5), FORMATS")                                                                              \
	X(LFS_POINTER, "lfs-pointer-unresolved", UNSUPPORTED, MEDIUM,                                                  \
	  "a git-lfs pointer, not the model it points to",                                                             \
	  "The model itself was not seen.",                                                                            \
	  "Fetch the object (git lfs pull) and scan it.",                                                              \
	  "formats/others, Decisions 2")                                                                               \
	X(LIMIT_SIZE, "limit-size", INCOMPLETE, MEDIUM,                                                                \
	  "the file is larger than the policy scans",                                                                  \
	  "What was not read cannot be vouched for.",                                                                  \
	  "Split the model into shards, or raise the limit in the policy.",                                            \
	  "docs/architecture, Limits")                                                                                 \
	X(LIMIT_MEMORY, "limit-memory", INCOMPLETE, MEDIUM,                                                            \
	  "examining the file needs more memory than a scan may take",                                                 \
	  "What was not examined cannot be vouched for.",                                                              \
	  "Simplify the file's structure, or raise the limit in the policy.",                                          \
	  "docs/architecture, Limits")                                                                                 \
	X(LIMIT_TIME, "limit-time", INCOMPLETE, MEDIUM,                                                                \
	  "the scan did not end in time",                                                                              \
	  "What was not examined cannot be vouched for.",                                                              \
	  "Try again when the machine is less busy.",                                                                  \
	  "docs/architecture, Limits")                                                                                 \
	X(LIMIT_REREAD, "limit-reread", INCOMPLETE, MEDIUM,                                                            \
	  "examining the file needs more re-reading than a scan may do",                                               \
	  "What was not examined cannot be vouched for.",                                                              \
	  "Send the file by upload instead of by descriptor.",                                                         \
	  "docs/architecture, Limits")                                                                                 \
	X(LIMIT_WORK, "limit-work", INCOMPLETE, MEDIUM,                                                                \
	  "examining the file needs more work than a scan does for a file of its size",                                \
	  "What was not examined cannot be vouched for.",                                                              \
	  "Write the file again with an unmodified library.",                                                          \
	  "docs/architecture, Limits")                                                                                 \
	X(LIMIT_TENSORS, "limit-tensors", INCOMPLETE, HIGH,                                                            \
	  "more tensors than a scan examines",                                                                         \
	  "No published model comes near the limit; such headers are made to exhaust their reader.",                   \
	  "Split the model into shards.",                                                                              \
	  "docs/architecture, Limits")                                                                                 \
	X(LIMIT_METADATA_KEYS, "limit-metadata-keys", INCOMPLETE, HIGH,                                                \
	  "more metadata keys than a scan examines",                                                                   \
	  "No published model comes near the limit; such headers are made to exhaust their reader.",                   \
	  "Move the data into a tensor or a file of its own.",                                                         \
	  "docs/architecture, Limits") \
	X(LIMIT_NESTED, "limit-nested", INCOMPLETE, MEDIUM,                                                            \
	  "a compressed member that has to be read at random is larger than a scan unpacks",                           \
	  "What was not examined cannot be vouched for.",                                                              \
	  "Publish the inner archive as a file of its own, or store it without compression.",                          \
	  "docs/architecture, Containers")
/* clang-format on */
