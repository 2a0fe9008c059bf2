/* Nodes against the table of TensorFlow's operators (lib/judges/limits/tf.tsv).  tf_limits.c keeps what may be asked for while
 * the graph goes by: of nodes whose operator has a row inputs and attributes, of constants shape and values.
 * tf_limits_judge.c judges when all of it went by: only then are all functions known, one of which may have an operator's name,
 * and may the file be read elsewhere. */
#pragma once

#include "limits_tf.h"
#include "tf_graph.h"

#define TF_TEXT_KEPT 32u /* bytes of an attribute: more than any word that one has to be */

/* What an attribute holds. */
struct tf_value {
	uint64_t key;     /* scoped_name.a; of a kept one nothing */
	uint8_t kind;     /* enum limits_tf_kind; 0: nothing, or an empty list */
	bool list, bound; /* bound: what the caller of its function says */
	bool rank_known;  /* of a shape */
	bool in_file;     /* floats: at `number` */
	uint8_t index;    /* in the row's attributes */
	int64_t number;
	uint32_t first, n; /* in the pool: numbers of a list, dimensions, or a text's bytes; n: how many there are */
};

struct tf_input {
	struct scoped_name node; /* salted by its scope */
	uint64_t arg;            /* of a function's: the name of the output ... */
	int64_t port;            /* ... and which of it; below 0: nobody knows */
	bool named;
};

#define TF_ROWS_REMEMBERED 64u
#define TF_ROW_NONE (UINT16_MAX - 1)
#define TF_ROW_ARGUMENT UINT16_MAX /* of a function; the type is in `dtype` */

struct tf_kept {
	struct scoped_name id;
	uint64_t at;
	uint32_t values, inputs, n_inputs;
	uint32_t constant; /* its tensor + 1; 0: none */
	uint16_t row, n_values;
	uint8_t dtype, graph;
};

struct tf_constant {
	uint64_t at;          /* of values in the file: `n` of them ... */
	uint32_t first, data; /* in the pool: dimensions; values that are not in the file */
	uint32_t n;
	int64_t elements;
	uint16_t dtype;
	uint8_t rank;
	bool in_file, known;
};

struct tf_limits {
	struct tf *t;
	int64_t *pool;
	uint32_t n_pool, pool_room;
	struct tf_value *values;
	uint32_t n_values, values_room;
	struct tf_input *inputs;
	uint32_t n_inputs, inputs_room;
	struct tf_kept *nodes;
	uint32_t n_nodes, nodes_room;
	struct tf_constant *constants;
	uint32_t n_constants, constants_room;
	uint8_t shadowed[TF_META_GRAPHS_MAX + 1]
			[2048 / 8]; /* of a graph, a bit for each row: a function has its name */
	uint8_t graph;              /* which one goes by */
	/* while a node goes by */
	struct tf_value *fresh; /* all its attributes */
	uint32_t n_fresh, fresh_room;
	uint32_t first_input, constant;
	uint16_t row; /* of its operator; TF_ROW_NONE: it has none, or did not come yet */
	struct {
		struct scoped_name op;
		uint16_t row;
	} remembered[TF_ROWS_REMEMBERED];
	struct tf_value open;     /* the attribute that is open */
	struct scoped_name *outs; /* output arguments of the function that is open, as its `ret` names them */
	uint32_t n_outs, outs_room;
	struct tf_kept argument; /* that is open */
	/* while a shape goes by */
	uint64_t dim;
	int64_t elements;
	bool bad_shape, unknown_rank;
	/* while a tensor does */
	uint64_t data_at;
	uint32_t n_data, data_first;
	bool data_in_file, data_twice;
	uint32_t shape_first, shape_n;
	/* while nodes are judged */
	uint32_t *slots; /* of nodes by name, + 1 */
	size_t mask;
	const struct tf_kept *node;
	int64_t read[3][LIMITS_VALUES_MAX];
	unsigned n_read;
	uint32_t part; /* of an argument that is several: which is judged */
	bool failed;
};

/* -- tf_limits_judge.c -- */

/* Of what went by.  Return: false: memory or the source is spent. */
bool tf_limits_judge(struct tf *t);
void tf_limits_tell(struct tf *t, uint64_t at, const char *op, const char *rule, bool mild, int64_t found);
