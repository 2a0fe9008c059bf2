/* TensorFlow operators that a graph should not hold, by name: formats/savedmodel, section 4. */
#pragma once

#include <stdbool.h>

#include "bytes.h"
#include "findings.h"

#define TF_OP_NAME_MAX 64u /* bytes of the longest name in the table */

/* When it is found. */
enum tf_op_when {
	TF_OP_ALWAYS,
	TF_OP_SAVER,      /* unless it is the model's own saver: decision 5 */
	TF_OP_VOCABULARY, /* unless the file is an asset */
	TF_OP_URLS,       /* when it is given addresses to send to */
	TF_OP_NAMED,      /* when it is given a file name that is not empty */
	TF_OP_ATTRIBUTE,  /* when its attribute `vocab_file` is not empty */
};

struct tf_op {
	const char *name; /* a last '*' stands for any rest */
	enum wlk_finding code;
	enum tf_op_when when;
};

/* The row for an operator, NULL: nothing is found.  Versions (V2 to V4) are judged as the operator without, unless they
 * have a row of their own. */
const struct tf_op *tf_op_find(struct bytes name);
/* Is it an operator of TensorFlow's own, dangerous or not? */
bool tf_op_is_known(struct bytes name);
/* The rows themselves, for those who search text for names: exact ones, in order of strcmp(). */
extern const struct tf_op tf_ops[];
extern const size_t tf_n_ops;

/* The names of all others: tf_known_ops.c. */
extern const char *const tf_known_ops[];
extern const size_t tf_n_known_ops;
