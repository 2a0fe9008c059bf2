/* The table of TensorFlow Lite's operators: tflite.tsv says what it holds. */
#pragma once

#include "limits.h"

struct limits_tflite_op {
	const char *name;            /* NULL: of this code nothing is known */
	const char *options;         /* NULL: the kernel reads none */
	uint64_t optional, variable; /* a bit for each input */
	struct limits_rule rule;
};

extern const struct limits_tflite_op limits_tflite_ops[]; /* by code */
extern const size_t limits_tflite_n_ops;
