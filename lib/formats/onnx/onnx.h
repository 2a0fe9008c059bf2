/* The ONNX reader's own parts.  A model is one protobuf message; a walker goes through it once (lib/grammars/protobuf), and
 * what it meets is judged here, message by message, as each of them ends: onnx.c the wire and the model, onnx_graph.c
 * graphs, nodes and attributes, onnx_tensor.c tensors and where their weights are, onnx_external.c data in other files,
 * onnx_functions.c functions and operator sets.  Follows formats/onnx. */
#pragma once

#include "format.h"
#include "scoped_names.h"
#include "onnx_schema.h"
#include "weights.h"

#define ONNX_SIZE_MAX UINT64_C(2147483647) /* what protobuf can count: formats/onnx, section 1 */
#define ONNX_DIMS_MAX 32u
#define ONNX_DIM_MAX (UINT64_C(1) << 48)
#define ONNX_NAME_BYTES_MAX 4096u
#define ONNX_NODES_MAX (1u << 20)
#define ONNX_INITIALIZERS_MAX (1u << 20)
#define ONNX_ATTRIBUTES_MAX 256u /* of a node */
#define ONNX_MESSAGES_MAX (1u << 24)
#define ONNX_GRAPH_DEPTH_MAX 16u
#define ONNX_FUNCTIONS_MAX 10000u
#define ONNX_CALL_DEPTH_MAX 100u
#define ONNX_METADATA_MAX 1024u /* entries of an object */
#define ONNX_METADATA_BYTES_MAX (UINT64_C(16) << 20)
#define ONNX_DOC_MAX (UINT64_C(1) << 20)
#define ONNX_DOMAINS_MAX 64u
#define ONNX_WORD_MAX 96u /* bytes of an operator, a domain, a key that are looked at and printed */

/* The beginning of a text: what findings need of it; and the whole of it as a hash, which is what decisions compare. */
struct onnx_word {
	struct scoped_name id; /* zero of an empty text, which is the same as none */
	uint8_t at[ONNX_WORD_MAX];
	uint8_t n;
	uint32_t bytes; /* of the whole text */
};

static inline struct bytes onnx_word_bytes(const struct onnx_word *w)
{
	return bytes_of(w->at, w->n);
}

static inline bool onnx_id_equal(struct scoped_name a, struct scoped_name b)
{
	return a.a == b.a && a.b == b.b;
}

static inline bool onnx_word_is(const struct onnx_word *w, const char *text)
{
	return w->bytes == w->n && bytes_equal(onnx_word_bytes(w), bytes_of_text(text));
}

/* A file name, as far as one can be good: longer ones are bad as they are. */
#define ONNX_LOCATION_MAX 255u
struct onnx_location {
	uint8_t at[ONNX_LOCATION_MAX];
	uint8_t n;
	uint64_t bytes; /* of the whole text */
};

/* One domain with its version: imported, or used. */
struct onnx_domain {
	struct onnx_word name;
	uint64_t version, at;
};

/* Whose operators are looked up together: the model, or a function of it. */
struct onnx_unit {
	struct onnx_domain imported[ONNX_DOMAINS_MAX], used[ONNX_DOMAINS_MAX];
	unsigned n_imported, n_used;
};

struct onnx_graph {
	uint32_t base; /* its first entry among the names */
	bool training;
	unsigned n_inputs, n_outputs;
	struct scoped_name second_input, first_output; /* of a loop's body: whether it goes on */
};

#define ONNX_ATTRIBUTE_SLOTS (2 * ONNX_ATTRIBUTES_MAX)

#define ONNX_INPUTS_KEPT 9u /* for limits: more than any row asks for */

/* Numbers of an attribute that may be no weights: whether they are is known at the end of the node, for its domain stands behind its
 * attributes.  A function of the model may have the operator's name. */
struct onnx_marker {
	bool kept;
	struct onnx_word name;
	struct weights weights;          /* of those that are not examined in place */
	size_t first_extent, end_extent; /* of a tensor; none of a number */
};

struct onnx_node {
	uint64_t at;
	uint32_t ordinal, attributes_first, constant; /* onnx_limits.c */
	struct scoped_name inputs[ONNX_INPUTS_KEPT];
	struct scoped_name body_input, body_output; /* of the graph among its attributes */
	struct onnx_word op, domain;
	struct scoped_name overload;
	uint32_t first; /* of its entries among the names */
	unsigned n_inputs, n_outputs;
	struct scoped_name input, output; /* the first of each */
	unsigned n_attributes;
	uint64_t attributes[ONNX_ATTRIBUTE_SLOTS]; /* hashes of their names, by hash; 0: none */
	bool embed;                                /* EPContext: the blob is in the model */
	bool names_a_model;                        /* EPContext: onnx_model_filename */
	struct onnx_marker marker;
	bool huge; /* Constant: of a number that no loop should be told */
};

struct onnx_attribute {
	uint64_t at;
	struct onnx_word name;
	uint64_t type, number, n_floats;
	uint32_t fields; /* which payloads: bit i is table index i */
	bool has_type, is_reference;
	struct weights weights; /* of floats that are not examined in place */
};

/* Which data a tensor brings. */
enum onnx_data {
	ONNX_DATA_RAW,
	ONNX_DATA_FLOAT,
	ONNX_DATA_INT32,
	ONNX_DATA_STRING,
	ONNX_DATA_INT64,
	ONNX_DATA_DOUBLE,
	ONNX_DATA_UINT64,
	ONNX_N_DATA
};

/* What entries of external_data say. */
struct onnx_external {
	unsigned seen; /* a bit a key */
	unsigned n;
	bool number_bad;
	uint64_t offset, length;
	bool has_length;
	struct onnx_location location;
	uint64_t at; /* of the location */
};

struct onnx_tensor {
	uint64_t at;
	struct onnx_word name;
	size_t name_at;  /* in the pool ... */
	uint32_t name_n; /* ... cut to REPORT_STRING_MAX */
	unsigned rank;
	uint64_t shape[ONNX_DIMS_MAX];
	uint64_t elements;
	bool bad_dims, overflow, has_type;
	bool early; /* values came before the type */
	uint64_t dtype;
	uint64_t location;
	unsigned present;             /* a bit for each onnx_data */
	uint64_t counts[ONNX_N_DATA]; /* values; of RAW bytes */
	uint64_t data_at;             /* of the first data */
	bool range_bad;
	uint64_t last_value;
	uint64_t scalar;        /* of eight bytes of raw data: the number they are */
	size_t first_extent;    /* those from here on are its own */
	unsigned n_runs;        /* of them that hold values */
	struct weights weights; /* of values that are not examined in place */
	struct onnx_external external;
};

/* Indices as they go by: rows of one number, or of one for each dimension. */
struct onnx_indices {
	unsigned columns, column; /* 0: not known when they went by */
	uint64_t n;
	bool bad; /* negative, out of order or twice */
	bool ascends;
	int64_t row[ONNX_DIMS_MAX]; /* the last one that is whole, as far as the next has not replaced it */
	int64_t most[ONNX_DIMS_MAX];
};

struct onnx_sparse {
	uint64_t at;
	uint64_t nnz, n_indices, index_rank, values_rank, index_dtype;
	bool has_values, has_indices, indices_elsewhere;
	unsigned rank;
	uint64_t elements;
	uint64_t shape[ONNX_DIMS_MAX];
	bool bad;
	struct onnx_indices indices;
	uint64_t raw_at; /* of indices that are raw: looked at after the walk */
	bool raw;
};

#define ONNX_SPARSE_MAX 65536u /* tensors */

struct onnx_entry_text {
	uint64_t at;
	struct onnx_word key;
	struct onnx_location value; /* its beginning */
	uint64_t value_at;
};

struct onnx_function {
	uint64_t at;
	struct onnx_word name, domain;
	struct scoped_name overload;
	uint32_t base;
};

struct onnx_value_info {
	struct onnx_word name;
	uint64_t at;
	bool has_type;
};

/* A message that is open.  What its fields mean to the one around it is done when it ends. */
struct onnx_level {
	const struct pb_field *field; /* by which it was entered; NULL: the model */
	const struct pb_message *message;
	bool has_element; /* of a tensor's type */
	uint64_t at;
	unsigned n_metadata;
	uint64_t metadata_bytes;
	union {
		struct onnx_graph graph;
		struct onnx_node *node;
		struct onnx_attribute attribute;
		struct onnx_tensor *tensor;
		struct onnx_sparse *sparse;
		struct onnx_entry_text *entry;
		struct onnx_function function;
		struct onnx_value_info value;
		struct onnx_domain *opset;
	};
};

struct onnx_functions; /* onnx_functions.c */

/* A byte of raw data whose unused bits must be zero; looked at after the walk. */
struct onnx_tail {
	uint64_t at;
	uint8_t mask;
};

struct onnx {
	struct layout *l;
	struct pb_walker *walker;
	struct scoped_names names;
	struct onnx_level levels[PB_DEPTH_MAX + 1];
	unsigned depth; /* of the open message */
	unsigned outer; /* levels around the outermost message of the file: 1 of a tensor on its own */
	/* of the model */
	uint64_t ir_version;
	bool has_ir, has_graph, external;
	bool broken;                  /* something is not understood, or can be understood in two ways */
	unsigned n_unknown, n_graphs; /* graphs that are open */
	uint32_t n_nodes, n_initializers, n_messages, n_functions;
	uint64_t covered; /* extents reach up to here */
	uint64_t n_rows;  /* of the manifest */
	/* names of tensors, for findings: extents.names */
	uint8_t *pool;
	size_t pool_n, pool_room;
	struct onnx_unit model, *unit; /* unit: whose nodes these are */
	struct onnx_unit function_unit;
	struct onnx_functions *functions;
	struct onnx_tail *tails;
	uint32_t n_tails, tails_room;
	struct onnx_sparse **sparses; /* whose indices are raw */
	uint32_t n_sparses, sparses_room;
	struct onnx_limits *limits; /* onnx_limits.c; NULL: of a tensor on its own */
	struct onnx_trips *trips;   /* onnx_trips.c; NULL: nothing to tell */
	/* one of each kind that is large; they do not nest in themselves, but for nodes */
	struct onnx_node nodes[ONNX_GRAPH_DEPTH_MAX + 1]; /* by the graphs around them */
	struct onnx_tensor tensor;
	struct onnx_sparse sparse;
	struct onnx_entry_text entry;
	struct onnx_domain opset;
	uint64_t offset; /* where the message ends that has ended last */
	bool stopped;    /* a limit or memory: the cause is recorded */
};

/* -- onnx.c -- */

void onnx_at(struct onnx *o, enum wlk_finding code, uint64_t at, struct bytes subject);
void onnx_value(
    struct onnx *o, enum wlk_finding code, uint64_t at, struct bytes subject, uint64_t found, uint64_t allowed);
/* Memory is spent.  Return: false, to be passed on to the walker. */
bool onnx_stop(struct onnx *o);
/* A reader of this file.  NULL: the file is too large (told), or memory is spent (*ret_status says which). */
struct onnx *onnx_open(struct layout *l, enum wlk_status *ret_status);
/* Through the whole file, which is a message of this kind.  Return: as pb_finish(); false also when o->stopped. */
bool onnx_walk(struct onnx *o, const struct pb_message *root);
/* Names for the extents, and the proof that they tile the file. */
enum wlk_status onnx_cover_all(struct onnx *o);
void onnx_word_set(const struct onnx *o, struct onnx_word *w, struct bytes text, uint64_t n);
/* Zero of an empty text. */
struct scoped_name onnx_id_of(const struct onnx *o, struct bytes text);
static inline struct onnx_level *onnx_level(struct onnx *o)
{
	return &o->levels[o->depth];
}
/* The innermost open message of this kind, or NULL. */
struct onnx_level *onnx_enclosing(struct onnx *o, const struct pb_message *m);

/* -- onnx_identify.c -- */

bool onnx_last_resort(struct layout *l, const struct stream *s);

/* -- onnx_markers.c -- */

/* Is this attribute one that may hold such numbers?  The sets of a TreeEnsemble; what an Imputer replaces. */
bool onnx_is_list_of_sets(const struct onnx_level *tensor);
bool onnx_is_marker(const struct onnx_level *attribute);
void onnx_marker_keep(struct onnx *o, struct onnx_node *n, const struct onnx_marker *m);
/* The node is read: what is no marker is weights. */
void onnx_marker_end(struct onnx *o, struct onnx_node *n);

/* -- onnx_tensor.c -- */

void onnx_tensor_begin(struct onnx *o, struct onnx_level *v);
bool onnx_tensor_number(struct onnx *o, struct onnx_tensor *t, uint32_t field, uint64_t value, uint64_t at);
bool onnx_tensor_data(
    struct onnx *o, struct onnx_tensor *t, uint32_t field, struct bytes bytes, uint64_t n, uint64_t at);
bool onnx_tensor_end(struct onnx *o, struct onnx_level *v);
/* An attribute's own floats: a run, one, and all of them but the runs. */
bool onnx_floats_in_place(struct onnx *o, uint64_t at, uint64_t n, struct bytes name);
void onnx_float(struct onnx *o, struct weights *w, uint32_t bits, uint64_t at);
void onnx_floats_end(struct onnx *o, const struct weights *w, struct bytes name);
/* Bits behind the last element of packed tensors, after the walk. */
bool onnx_check_tails(struct onnx *o);
/* Bytes up to `end` belong to no tensor.  Return: false when memory is spent. */
bool onnx_cover(struct onnx *o, uint64_t end);

/* -- onnx_sparse.c -- */

void onnx_sparse_dim(struct onnx_sparse *s, uint64_t value);
/* A number of the indices, and the end of them. */
void onnx_sparse_index(struct onnx_sparse *s, const struct onnx_tensor *t, uint64_t value);
void onnx_sparse_indices_end(struct onnx_sparse *s, const struct onnx_tensor *t);
bool onnx_sparse_end(struct onnx *o, struct onnx_level *v);
/* After the walk: the raw ones.  Return: false when the source or memory refused. */
bool onnx_sparse_finish(struct onnx *o);

/* -- onnx_trips.c -- */

/* An INT64 of one element, initializer or constant: is it one that no loop should be told? */
bool onnx_is_huge(uint64_t value);
/* A value of that size, and the trip count of a loop, by name.  Those that do not fit are forgotten: it is for
 * information. */
void onnx_trips_value(struct onnx *o, struct scoped_name id);
void onnx_trips_loop(struct onnx *o, struct scoped_name id, uint64_t at);
void onnx_trips_finish(struct onnx *o);

/* -- onnx_limits.c: what goes by is kept, and judged at the end; false when memory is spent -- */

bool onnx_limits_begin(struct onnx *o);
void onnx_limits_tensor_begin(struct onnx *o);
bool onnx_limits_datum(struct onnx *o, uint64_t value);
bool onnx_limits_tensor_end(struct onnx *o, const struct onnx_tensor *t, struct scoped_name id, uint32_t *ret);
void onnx_limits_declare_begin(struct onnx *o);
void onnx_limits_declare(struct onnx *o, uint64_t dim);
bool onnx_limits_declare_end(struct onnx *o, struct scoped_name id);
void onnx_limits_attribute_begin(struct onnx *o);
bool onnx_limits_int(struct onnx *o, uint64_t value);
bool onnx_limits_attribute_end(struct onnx *o, struct onnx_node *n, const struct onnx_attribute *a);
void onnx_limits_node_begin(struct onnx *o, struct onnx_node *n);
bool onnx_limits_node_end(struct onnx *o, const struct onnx_node *n);
bool onnx_limits_finish(struct onnx *o);

/* -- onnx_graph.c -- */

bool onnx_graph_begin(struct onnx *o, struct onnx_level *v);
bool onnx_graph_end(struct onnx *o, struct onnx_level *v);
bool onnx_node_begin(struct onnx *o, struct onnx_level *v);
bool onnx_node_text(struct onnx *o, struct onnx_level *v, uint32_t field, struct bytes bytes, uint64_t n, uint64_t at);
bool onnx_node_end(struct onnx *o, struct onnx_level *v);
bool onnx_attribute_end(struct onnx *o, struct onnx_level *v);
bool onnx_value_info_end(struct onnx *o, struct onnx_level *v);
void onnx_tensor_type_end(struct onnx *o, const struct onnx_level *v);
/* An initializer, dense or sparse, of the graph around it. */
void onnx_initializer(struct onnx *o, struct onnx_level *graph, const struct onnx_word *name, uint64_t at);
/* A value that a function is given. */
void onnx_function_input(struct onnx *o, const struct onnx_function *f, struct bytes name, uint64_t at);
/* Names that are used and may be defined later: what is still pending at the end of this scope goes to the one around it. */
bool onnx_scope_end(struct onnx *o, uint32_t base, uint32_t outer_base, bool outermost);

/* -- onnx_external.c -- */

/* An entry of external_data. */
void onnx_external_entry(struct onnx *o, struct onnx_tensor *t, const struct onnx_entry_text *e);
/* @bytes: what shape and type ask for; UINT64_MAX when unknown. */
void onnx_external_end(struct onnx *o, struct onnx_tensor *t, uint64_t bytes);

/* -- onnx_functions.c -- */

bool onnx_functions_init(struct onnx *o);
void onnx_unit_import(struct onnx *o, struct onnx_unit *u, const struct onnx_domain *d);
void onnx_unit_use(struct onnx *o, struct onnx_unit *u, const struct onnx_word *domain, uint64_t at);
/* Of a function whose body has ended, and of the model. */
void onnx_unit_end(struct onnx *o, struct onnx_unit *u);
struct scoped_name onnx_function_id(
    const struct onnx *o, const struct onnx_word *domain, const struct onnx_word *name, struct scoped_name overload);
/* A node of the function that is open, or of the graph, may call this. */
bool onnx_function_call(
    struct onnx *o, const struct onnx_word *domain, const struct onnx_word *op, struct scoped_name id, uint64_t at);
/* A name that a function declares for an attribute, with or without a default. */
void onnx_function_attribute(struct onnx *o, const struct onnx_function *f, struct scoped_name id, uint64_t at);
bool onnx_function_end(struct onnx *o, struct onnx_level *v);
/* After the walk: cycles, depth, domains nobody defines. */
bool onnx_functions_finish(struct onnx *o);

extern const struct wlk_format format_onnx, format_onnx_tensor;
