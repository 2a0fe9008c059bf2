/* The operators of PaddlePaddle: what each does besides computing.  Follows docs/formats/paddle.md, section 4. */
#pragma once

#include "bytes.h"
#include "findings.h"

enum paddle_op_kind {
	PADDLE_OP_COMPUTES,
	PADDLE_OP_PRINTS,
	PADDLE_OP_PYTHON_,
	PADDLE_OP_FILE_,
	PADDLE_OP_NETWORK_,
	PADDLE_OP_NATIVE_,
	PADDLE_OP_UNKNOWN_, /* not in the tables: maybe of a library of its own */
};

/* @name: as programs spell it, without a dialect.  A gradient (`_grad`) and an in-place variant (`_`) are what they are of. */
enum paddle_op_kind paddle_op_kind(struct bytes name);

/* What is told of an operator of this kind.  False: nothing. */
bool paddle_op_finding(enum paddle_op_kind kind, enum wlk_finding *ret);
