/* The table of ONNX's operators: onnx.tsv says what it holds. */
#pragma once

#include "limits.h"

struct limits_onnx_op {
	const char *name; /* in the order of bytes, then by version */
	bool ml;          /* of ai.onnx.ml; else of ai.onnx */
	uint16_t since;
	struct limits_rule rule;
};

extern const struct limits_onnx_op limits_onnx_ops[];
extern const size_t limits_onnx_n_ops;

/* The first row of an operator; limits_onnx_n_ops: it has none. */
size_t limits_onnx_find(struct bytes name, bool ml);
/* Its row in this version; NULL: there is none. */
const struct limits_onnx_op *limits_onnx_version(size_t first, uint64_t version);
