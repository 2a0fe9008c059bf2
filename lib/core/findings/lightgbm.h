/* Findings of LightGBM's and CatBoost's models (formats/others, rows LightGBM and CatBoost). */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_LIGHTGBM(X)                                                                                       \
	X(LIGHTGBM_STRUCTURE, "lightgbm-structure", MALFORMED, HIGH,                                                   \
	  "a line that has no place where it stands, or one that is missing",                                          \
	  "LightGBM fails on it, or reads another model.",                                                             \
	  "Write the model with save_model().", "formats/others, row LightGBM")                                        \
	X(LIGHTGBM_LINE, "lightgbm-line", MALFORMED, HIGH,                                                             \
	  "a line of more than 16 MiB",                                                                                \
	  "No model has lists so long; it exhausts whoever reads it.",                                                 \
	  "Write the model with save_model().", "formats/others, row LightGBM")                                        \
	X(LIGHTGBM_TREE, "lightgbm-tree", MALFORMED, HIGH,                                                             \
	  "lists that are not a tree, or not one of this model",                                                       \
	  "LightGBM follows children and features by index without a look: beyond the list, or in a circle.",          \
	  "Write the model with save_model().", "formats/others, row LightGBM")                                        \
	X(LIGHTGBM_PATH, "lightgbm-path", QUALITY, INFO,                                                               \
	  "a parameter names a file",                                                                                  \
	  "It tells about the machine it was trained on; a program that trains on would open it.",                     \
	  "Remove the parameters.", "formats/others, row LightGBM")                                                    \
	X(CATBOOST_LENGTH, "catboost-length", MALFORMED, HIGH,                                                         \
	  "a model's core that is longer than the file",                                                               \
	  "It was cut, or lies about its length.",                                                                     \
	  "Upload the file again, whole.", "formats/others, row CatBoost")
/* clang-format on */
