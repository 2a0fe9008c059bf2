/* The reader of TensorFlow graphs' own parts.  tf_graph.c the walk, the wire's errors, meta graphs and what bytes are;
 * tf_node.c nodes, functions and names; tf_tensor.c constants; tf_saver.c operators that read and write files, and whether
 * they are the model's own saver; tf_identify.c what a file is; tf_schema.c the messages.  Follows formats/savedmodel, which
 * is docs/formats/tensorflow.md.  The file is gone through once; graphs in its strings are gone through after it. */
#pragma once

#include "call_graph.h"
#include "format.h"
#include "scoped_names.h"
#include "tf_ops.h"
#include "tf_schema.h"
#include "weights.h"

#define TF_SIZE_MAX ((UINT64_C(1) << 31) - 1)
#define TF_NODES_MAX (1u << 21)
#define TF_FUNCTIONS_MAX (1u << 17)
#define TF_ATTRIBUTES_MAX 1024u
#define TF_META_GRAPHS_MAX 16u
#define TF_NESTING_MAX 4u
#define TF_WORD_MAX 96u
#define TF_RANK_MAX 64u
#define TF_INPUTS_KEPT 64u /* of a node: as many devices as may each save a part */

struct tf_word {
	struct scoped_name id; /* of the whole text, without salt */
	uint8_t at[TF_WORD_MAX];
	uint8_t n;
	uint64_t bytes; /* of the whole */
};

static inline struct bytes tf_word_bytes(const struct tf_word *w)
{
	return bytes_of(w->at, w->n);
}

struct tf_node {
	uint64_t at;
	struct tf_word name, op;
	struct scoped_name op_function; /* what its operator would be called as a function */
	unsigned n_inputs, n_attributes;
	bool control; /* a control input came */
	bool urls, file_url;
	bool names_file;                  /* an attribute `vocab_file` does, or one whose key came behind it */
	bool prints;                      /* names a printer as a function */
	bool bound;                       /* an attribute is what the caller of its function says */
	bool dots;                        /* an attribute has one */
	bool default_name;                /* a constant that is the name savers give by default */
	bool is_plain, is_path, is_empty; /* what its last string is: tf_saver_string() */
	uint32_t n_contents;              /* strings and contents of its tensors */
	uint32_t first_call;              /* its functions, among tf.calls */
};

struct tf_tensor {
	uint64_t at, dtype, elements, values, content, last; /* last: bytes of the last string */
	unsigned rank;
	uint64_t shape[TF_RANK_MAX];
	bool bad_dims, unknown_rank, handles, has_content;
	uint32_t fields; /* bit n: field n has values */
	size_t first_extent;
	struct weights weights; /* of halves, which are written as numbers */
};

/* An operator on files that may be the model's own saver, until the meta graph is known as a whole. */
struct tf_pending {
	const struct tf_op *op;
	uint64_t at;
	uint32_t function; /* index + 1; 0: the main graph */
	bool merges;       /* files that others wrote, which it then deletes */
	struct scoped_name file, merged;
};

/* How a function is named, which says what it means that there is none. */
enum tf_call_kind {
	TF_CALL_ATTRIBUTE, /* an operator stands there, or may */
	TF_CALL_FUNCTION,  /* no operator does */
	TF_CALL_OPERATOR,  /* by a node, as its operator: no other may have such a name */
	TF_CALL_CUSTOM,    /* likewise, but an operator may: one that TensorFlow does not have */
	TF_CALL_GRADIENT,  /* as the gradient of another, or as that other */
};

/* Something names a function. */
struct tf_call {
	struct scoped_name callee, node, file;
	uint64_t at;
	uint32_t from;            /* function index + 1; 0: the main graph */
	uint32_t name_at, name_n; /* in the pool, of CUSTOM */
	enum tf_call_kind kind;
};

/* A node that hands on what its inputs say. */
struct tf_carrier {
	uint32_t first; /* of its inputs, among carried_inputs; at most TF_INPUTS_KEPT of them */
	unsigned n_inputs;
	bool joins, selects, packs;
};

struct tf_range {
	uint64_t at, n;
	unsigned depth;
};

struct tf_level {
	const struct pb_field *field;
	const struct pb_message *message;
	uint64_t at;
};

struct tf_limits;

struct tf {
	struct layout *l;
	struct tf_limits *limits;
	struct pb_walker *walker;
	struct tf_level levels[PB_DEPTH_MAX + 1];
	unsigned depth;
	uint64_t base;    /* of the graph that is walked, in the part */
	unsigned nesting; /* 0: the file itself */
	bool broken, stopped;
	bool found; /* an operator that should not be there */
	unsigned n_unknown;
	uint32_t n_nodes, n_meta_graphs;
	uint64_t n_objects, n_assets;     /* of the meta graph */
	uint64_t past_object, past_asset; /* one more than the largest number of one that something refers to ... */
	uint64_t object_at, asset_at;     /* ... and where */
	uint64_t next_scope, scope, main_scope; /* salts */
	uint32_t function;                      /* that is open: index + 1 */
	struct scoped_names names;              /* nodes, inputs that wait for theirs, keys */
	uint32_t graph_base, function_base;
	uint32_t n_arguments;          /* of the function that is open */
	struct scoped_names functions; /* by name: at is the index */
	uint32_t n_functions;
	struct scoped_names carriers; /* nodes that hand on a file name: at is an index into carried, or an argument */
	struct tf_carrier *carried;
	uint32_t n_carried, carried_room;
	struct scoped_name *carried_inputs;
	uint32_t n_carried_inputs, carried_inputs_room;
	struct tf_pending *pending;
	uint32_t n_pending, pending_room;
	struct tf_call *calls;
	uint32_t n_calls, calls_room;
	struct tf_word filename, save, restore; /* of the saver */
	bool has_schema;
	uint64_t schema, tags;
	struct tf_node node;
	struct scoped_name inputs[TF_INPUTS_KEPT]; /* of the node: the first ones, salted by their scope */
	struct tf_tensor tensor;
	uint64_t dim;       /* of the shape that is open */
	struct tf_word key; /* of the attribute that is open */
	struct tf_range *nested;
	uint32_t n_nested, nested_room;
	uint64_t memory; /* that constants take, bytes */
	uint64_t covered;
	uint8_t *pool; /* names of nodes with constants */
	size_t pool_n, pool_room;
};

/* -- tf_graph.c -- */

/* Does it mean that the file is not what it says? */
bool tf_breaks(enum wlk_finding code);
/* What an error of the wire is called. */
enum wlk_finding tf_wire_code(enum pb_error e);
void tf_tell(struct tf *t, enum wlk_finding code, uint64_t at, struct bytes subject);
void tf_value(struct tf *t, enum wlk_finding code, uint64_t at, struct bytes subject, uint64_t found, uint64_t allowed);
bool tf_stop(struct tf *t); /* false */
void tf_word_set(const struct tf *t, struct tf_word *w, struct bytes text, uint64_t n);
bool tf_word_is(const struct tf_word *w, const char *text);
/* Room for one more of `size` bytes.  NULL: memory is spent. */
void *tf_grow(struct tf *t, void *list, uint32_t n, uint32_t *room, size_t size);
static inline struct tf_level *tf_level(struct tf *t)
{
	return &t->levels[t->depth];
}
/* A name of this owner and kind came: is it the second time? */
bool tf_is_second(struct tf *t, struct bytes name, uint64_t salt, uint64_t at);
/* These bytes may be a graph: look, when the file has been gone through. */
bool tf_may_be_graph(struct tf *t, uint64_t at, uint64_t n);

/* -- tf_node.c -- */

void tf_graph_begin(struct tf *t);
bool tf_graph_end(struct tf *t);
bool tf_node_text(struct tf *t, uint32_t field, struct bytes bytes, uint64_t n, uint64_t at);
bool tf_node_end(struct tf *t);
/* A node, or an argument of a function. */
bool tf_node_define(struct tf *t, struct bytes name, uint64_t at);
bool tf_attr_bytes(struct tf *t, struct bytes bytes, uint64_t n, uint64_t at);
void tf_function_begin(struct tf *t);
bool tf_function_name(struct tf *t, struct bytes name, uint64_t at);
/* A result, or what is to run as well, comes from there. */
bool tf_function_source(struct tf *t, struct bytes input, uint64_t at);
bool tf_function_end(struct tf *t, uint64_t at);
/* An attribute, or a gradient, names a function. */
bool tf_call_named(struct tf *t, struct bytes name, uint64_t at, enum tf_call_kind kind);
/* The list of what a model is made of names an operator. */
bool tf_listed_op(struct tf *t, struct bytes name, uint64_t at);
/* "^a" and "a:1" are of the node a. */
struct bytes tf_node_of_input(struct bytes input);
struct scoped_name tf_node_id(const struct tf *t, struct bytes name, uint64_t scope);

/* -- tf_objects.c -- */

/* Rule 12: what objects refer to. */
void tf_object_number(struct tf *t, const struct pb_message *message, uint32_t field, uint64_t value, uint64_t at);
/* At the end of a meta graph. */
void tf_objects_finish(struct tf *t);

/* -- tf_tensor.c -- */

void tf_tensor_begin(struct tf *t, uint64_t at);
bool tf_tensor_number(struct tf *t, uint32_t field, uint64_t value, uint64_t at);
bool tf_tensor_data(struct tf *t, uint32_t field, struct bytes bytes, uint64_t n, uint64_t at);
void tf_tensor_dim(struct tf *t, uint64_t size);
bool tf_tensor_end(struct tf *t, uint64_t end);
bool tf_cover(struct tf *t, uint64_t end);
/* Keep a name in the pool. */
bool tf_keep_name(struct tf *t, struct bytes name, uint32_t *ret_at, uint32_t *ret_n);

/* -- types of elements: tf_tensor.c -- */

enum { TF_TYPE_STRING = 7, TF_TYPE_BFLOAT16 = 14, TF_TYPE_HALF = 19, TF_TYPE_RESOURCE = 20, TF_TYPE_VARIANT = 21 };

#define TF_REFERENCE 100u /* is added to a type */

struct tf_type {
	uint8_t dtype;
	uint8_t bits;         /* of an element; 0: not stored as numbers */
	uint8_t field, parts; /* where values stand one by one, and how many make one */
};

/* By TensorFlow's number; NULL: this build does not know it. */
const struct tf_type *tf_type_of(uint64_t number);

/* -- tf_limits.c: what goes by, in the order of the file -- */

bool tf_limits_begin(struct tf *t);
void tf_limits_walk_begin(struct tf *t);
void tf_limits_graph_begin(struct tf *t);
void tf_limits_function(struct tf *t, struct bytes name);
bool tf_limits_result(struct tf *t, struct bytes name, uint64_t map);
void tf_limits_function_end(struct tf *t, uint64_t at);
void tf_limits_argument_begin(struct tf *t);
void tf_limits_argument_name(struct tf *t, struct scoped_name id);
void tf_limits_argument_type(struct tf *t, uint64_t type);
bool tf_limits_argument_end(struct tf *t);
void tf_limits_node_begin(struct tf *t);
void tf_limits_op(struct tf *t);
bool tf_limits_input(struct tf *t, struct scoped_name id, struct bytes input);
void tf_limits_attr_begin(struct tf *t);
void tf_limits_key(struct tf *t);
bool tf_limits_number(struct tf *t, uint32_t field, bool list, uint64_t value);
void tf_limits_floats(struct tf *t, uint64_t at, uint64_t n);
void tf_limits_list(struct tf *t);
void tf_limits_bound(struct tf *t);
void tf_limits_other(struct tf *t, uint8_t kind, bool list);
bool tf_limits_text(struct tf *t, struct bytes text, uint64_t n, bool list);
bool tf_limits_attr_end(struct tf *t);
void tf_limits_shape_begin(struct tf *t);
bool tf_limits_dim(struct tf *t, int64_t size);
void tf_limits_unknown_rank(struct tf *t);
void tf_limits_shape_end(struct tf *t, uint64_t at, bool list, bool of_node);
void tf_limits_tensor_begin(struct tf *t);
bool tf_limits_datum(struct tf *t, uint64_t value);
void tf_limits_run(struct tf *t, uint64_t at, uint64_t n);
bool tf_limits_tensor_end(struct tf *t, bool sound);
bool tf_limits_node_end(struct tf *t);

/* -- tf_saver.c -- */

bool tf_saver_node(struct tf *t, const struct tf_op *op);
/* A string of a node's tensor. */
void tf_saver_string(struct tf *t, struct bytes text);
bool tf_saver_argument(struct tf *t, struct bytes name);
/* The tensor that an asset is known by. */
bool tf_saver_asset(struct tf *t, struct bytes tensor);
/* At the end of a meta graph, or of a graph without one. */
bool tf_saver_finish(struct tf *t);

/* -- tf_load.c -- */

/* Rule 11, of a part that was walked already.  Return: false: memory or the source is spent. */
bool tf_load_check(struct tf *t, const struct pb_message *root, const struct part *p);

/* -- tf_identify.c -- */

/* UNKNOWN: none of them. */
enum wlk_format_id tf_identify(struct layout *l, const struct stream *s);

extern const struct wlk_format format_savedmodel, format_tf_graph, format_tf_metagraph;
