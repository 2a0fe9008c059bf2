/* Findings of the PaddlePaddle readers (lib/formats/paddle/paddle*.c), in the order of formats/paddle. */
#pragma once

/* clang-format off */
#define WLK_FINDINGS_PADDLE(X) \
	X(PADDLE_STRUCTURE, "paddle-structure", MALFORMED, HIGH, \
	  "bytes that are no message of a program, or a message without what it must have", \
	  "Readers stop here, or go on in ways of their own.", \
	  "Write the model with PaddlePaddle.", "formats/paddle, section 2") \
	X(PADDLE_AMBIGUOUS, "paddle-ambiguous", AMBIGUOUS, HIGH, \
	  "a message that two readers would read as two things", \
	  "Readers of protobuf keep the last of two values, merge messages, or skip a field in silence.", \
	  "Write the model with PaddlePaddle.", "formats/paddle, section 2") \
	X(PADDLE_UNKNOWN_FIELD, "paddle-unknown-field", UNSUPPORTED, MEDIUM, \
	  "a field or a type that this build does not know", \
	  "Readers keep it without a look; what it means is unknown.", \
	  "Write the model with PaddlePaddle.", "formats/paddle, section 2") \
	X(PADDLE_BLOCK, "paddle-block", MALFORMED, HIGH, \
	  "a block that is not where its number says, or one that is named and not there", \
	  "Runtimes take it from an array without looking.", \
	  "Write the model with PaddlePaddle.", "formats/paddle, section 3") \
	X(PADDLE_ATTRIBUTE, "paddle-attribute", MALFORMED, HIGH, \
	  "an attribute whose value is not of the type it says", \
	  "Runtimes read the field of the type, tools the one that is there.", \
	  "Write the model with PaddlePaddle.", "formats/paddle, section 3") \
	X(PADDLE_OP_PYTHON, "paddle-op-python", MALICIOUS, CRITICAL, \
	  "an operator that calls Python, or runs a program of its caller", \
	  "It runs whatever is registered in the process that loads the model.", \
	  "Export the model without it, or run it only where it may do anything.", "formats/paddle, group Python") \
	X(PADDLE_OP_FILE, "paddle-op-file", MALICIOUS, HIGH, \
	  "an operator that reads or writes files of the machine it runs on", \
	  "A file written in the right place is a program that runs; what is read can leave by the outputs.", \
	  "Export the model without it, or run it only where it may do anything.", "formats/paddle, group files") \
	X(PADDLE_OP_NETWORK, "paddle-op-network", MALICIOUS, HIGH, \
	  "an operator that talks to other machines", \
	  "Inference then depends on, and tells, somebody else.", \
	  "Export the model for inference on one machine.", "formats/paddle, group network") \
	X(PADDLE_OP_NATIVE, "paddle-op-native", CODE, HIGH, \
	  "an operator that carries a compiled engine", \
	  "Nobody can read here what it does.", \
	  "Export the model without precompiled engines.", "formats/paddle, group native code") \
	X(PADDLE_OP_UNKNOWN, "paddle-op-unknown", CODE, MEDIUM, \
	  "an operator that this build does not know", \
	  "It may be one of a library of its own: what it does is not in the model.", \
	  "Use the operators of PaddlePaddle, or allow it by policy.", "formats/paddle, section 4") \
	X(PADDLE_OP_PRINT, "paddle-op-print", QUALITY, INFO, \
	  "an operator that prints", \
	  "It fills the log of whoever runs the model.", \
	  "Nothing to do.", "formats/paddle, section 4") \
	X(PADDLE_TENSOR, "paddle-tensor", MALFORMED, HIGH, \
	  "a tensor whose header, description or size is wrong", \
	  "A reader takes other bytes for weights than those that were meant.", \
	  "Write the parameters with PaddlePaddle.", "formats/paddle, section 5") \
	X(PADDLE_LIMIT, "paddle-limit", UNSUPPORTED, MEDIUM, \
	  "more operators, blocks or tensors than this build goes through", \
	  "What is beyond the limit is not examined.", \
	  "Split the model.", "formats/paddle, section 3") \
	X(PADDLE_PIR, "paddle-pir", MALFORMED, HIGH, \
	  "a program in JSON whose outermost parts are not those of one", \
	  "Runtimes refuse it, or read something else than tools do.", \
	  "Write the model with PaddlePaddle.", "formats/paddle, section 6")
/* clang-format on */
