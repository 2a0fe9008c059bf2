/* Findings of MXNet's parameters and symbols (formats/others, row MXNet). */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_MXNET(X)                                                                                          \
	X(MXNET_STRUCTURE, "mxnet-structure", MALFORMED, HIGH,                                                         \
	  "a header, rank, type or count that no MXNet writes",                                                        \
	  "MXNet fails on it, or takes what follows for something else.",                                              \
	  "Write the file with save_parameters().", "formats/others, row MXNet")                                       \
	X(MXNET_SIZE, "mxnet-size", MALFORMED, HIGH,                                                                   \
	  "a count, shape or length beyond the end of the file",                                                       \
	  "MXNet allocates it before it reads.",                                                                       \
	  "Write the file with save_parameters(), and upload it whole.", "formats/others, row MXNet")                  \
	X(MXNET_NAME, "mxnet-name", MALFORMED, HIGH,                                                                   \
	  "a parameter's name that is empty, too long, given twice, or no clean text",                                 \
	  "One of two parameters of a name is lost, and control characters change what people see.",                   \
	  "Give each parameter a plain name of its own.", "formats/others, row MXNet")                                 \
	X(MXNET_TRAILING_BYTES, "mxnet-trailing-bytes", AMBIGUOUS, HIGH,                                               \
	  "bytes follow the last name",                                                                                \
	  "MXNet does not look at them, and another program may.",                                                     \
	  "Cut the file off behind the last name.", "formats/others, row MXNet")                                       \
	X(MXNET_LIBRARY, "mxnet-library", CODE, HIGH,                                                                  \
	  "a symbol names a library to be loaded",                                                                     \
	  "Its code runs when the model is loaded.",                                                                   \
	  "Use MXNet's own operators only.", "formats/others, row MXNet")                                              \
	X(MXNET_CUSTOM_OP, "mxnet-custom-op", CODE, MEDIUM,                                                            \
	  "a symbol has an operator that the loading program supplies",                                                \
	  "What it does only that program knows.",                                                                     \
	  "Use MXNet's own operators only.", "formats/others, row MXNet")
/* clang-format on */
