/* The table of TensorFlow's operators: tf.tsv says what it holds. */
#pragma once

#include "limits.h"

#define LIMITS_TF_NONE UINT8_MAX

/* Of an attribute: the field of AttrValue that holds it. */
enum limits_tf_kind {
	LIMITS_TF_STRING = 2,
	LIMITS_TF_INT = 3,
	LIMITS_TF_FLOAT = 4,
	LIMITS_TF_BOOL = 5,
	LIMITS_TF_TYPE = 6,
	LIMITS_TF_SHAPE = 7,
	LIMITS_TF_TENSOR = 8,
	LIMITS_TF_FUNC = 10,
};

/* An input or output, which may be several. */
struct limits_tf_arg {
	const char *name;
	uint8_t type;   /* a DataType; 0: `attr` says it */
	uint8_t attr;   /* an attribute that is a type, or with `list` as many types; LIMITS_TF_NONE */
	uint8_t number; /* an attribute that says how many; LIMITS_TF_NONE */
	bool list, reference;
};

struct limits_tf_attr {
	const char *name;
	uint8_t kind; /* enum limits_tf_kind */
	bool list, required, bounded;
	int32_t least;     /* when it is bounded; of a list: of its length */
	uint32_t types;    /* a bit for each DataType that it may be; 0: any */
	const char *words; /* joined by commas; NULL: any */
	const int64_t *fallback;
	uint8_t n_fallback;
	bool has_fallback;
};

struct limits_tf_op {
	const char *name; /* in the order of bytes */
	const struct limits_tf_arg *inputs, *outputs;
	const struct limits_tf_attr *attrs;
	uint8_t n_inputs, n_outputs, n_attrs;
	struct limits_rule rule; /* of a name: the number of an input, or -1 - that of an attribute */
};

extern const struct limits_tf_op limits_tf_ops[];
extern const size_t limits_tf_n_ops;

/* Return: its number; limits_tf_n_ops: there is none. */
size_t limits_tf_find(struct bytes name);
