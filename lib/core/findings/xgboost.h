/* Findings of XGBoost's models (formats/others, row XGBoost). */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_XGBOOST(X)                                                                                        \
	X(XGBOOST_SYNTAX, "xgboost-syntax", MALFORMED, HIGH,                                                           \
	  "a model that is no JSON, or no universal binary JSON",                                                      \
	  "Readers differ in what they make of it, and XGBoost's own has crashed on such files.",                      \
	  "Write the model with save_model().", "formats/others, row XGBoost")                                         \
	X(XGBOOST_LENGTH, "xgboost-length", MALFORMED, HIGH,                                                           \
	  "a length or count beyond the end of the file, or below zero",                                               \
	  "XGBoost allocates it before it reads.",                                                                     \
	  "Write the model with save_model(), and upload it whole.", "formats/others, row XGBoost")                    \
	X(XGBOOST_DEPTH, "xgboost-depth", MALFORMED, HIGH,                                                             \
	  "objects and arrays nested more than 32 deep",                                                               \
	  "XGBoost reads them by recursion and runs out of stack.",                                                    \
	  "Write the model with save_model().", "formats/others, row XGBoost")                                         \
	X(XGBOOST_TRAILING_BYTES, "xgboost-trailing-bytes", AMBIGUOUS, HIGH,                                           \
	  "bytes follow the model",                                                                                    \
	  "XGBoost does not look at them, and another program may.",                                                   \
	  "Cut the file off behind the model.", "formats/others, row XGBoost")                                         \
	X(XGBOOST_DUPLICATE_KEY, "xgboost-duplicate-key", AMBIGUOUS, HIGH,                                             \
	  "a name twice in one object",                                                                                \
	  "One reader keeps the first value, another the last: the file is two models.",                               \
	  "Write each name once.", "formats/others, row XGBoost")                                                      \
	X(XGBOOST_STRUCTURE, "xgboost-structure", MALFORMED, HIGH,                                                     \
	  "something that a model has is missing, or of another type",                                                 \
	  "XGBoost fails on it, or takes it for something else.",                                                      \
	  "Write the model with save_model().", "formats/others, row XGBoost")                                         \
	X(XGBOOST_TREE, "xgboost-tree", MALFORMED, HIGH,                                                               \
	  "arrays that are not a tree, or not those of this model",                                                    \
	  "XGBoost follows children, features and groups by index without a look: beyond the array, or in a circle.",  \
	  "Write the model with save_model().", "formats/others, row XGBoost")                                         \
	X(XGBOOST_UNKNOWN_KEY, "xgboost-unknown-key", UNSUPPORTED, MEDIUM,                                             \
	  "a name that this build does not know in a model",                                                           \
	  "What it means, and whether what stands under it is sound, was not checked.",                                \
	  "Write the model with a version of XGBoost that is known, or wait for a newer build.",                       \
	  "formats/others, row XGBoost")
/* clang-format on */
