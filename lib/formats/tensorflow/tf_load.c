/* Rule 11: operators that run when the model is loaded, without anybody asking it for anything.  Loaders run what the
 * collections of TensorFlow 1 and the signature of TensorFlow 2 name as initialisers, and all that those need.
 *
 * Asked only of models in which an operator was found, which honest ones are not: they are gone through once more. */
#include "tf_graph.h"

/* -- the messages, as far as they say who runs what -- */

#define FIELD(no, kind_, ...)                                   \
	{                                                       \
		.number = (no), .kind = PB_##kind_, __VA_ARGS__ \
	}
#define MSG(no, name) FIELD(no, MESSAGE, .message = &name)
#define MSGS(no, name) FIELD(no, MESSAGE, .repeated = true, .message = &name)
#define MESSAGE(name, ...)                                              \
	static const struct pb_field name##_fields[] = { __VA_ARGS__ }; \
	static const struct pb_message name = { #name, name##_fields,   \
		sizeof(name##_fields) / sizeof(name##_fields[0]), NULL };

/* clang-format off: a table */
MESSAGE(node_list, FIELD(1, STRING, .repeated = true))
MESSAGE(collection, MSG(1, node_list))
MESSAGE(collection_entry, FIELD(1, STRING), MSG(2, collection))
MESSAGE(output, FIELD(1, STRING))
MESSAGE(output_entry, MSG(2, output))
MESSAGE(signature, MSGS(2, output_entry))
MESSAGE(signature_entry, FIELD(1, STRING), MSG(2, signature))
MESSAGE(meta_graph, MSG(2, tf_graph), MSGS(4, collection_entry), MSGS(5, signature_entry))
MESSAGE(model, MSGS(2, meta_graph))
/* clang-format on */

/* Collections, and the one signature. */
static bool is_initialiser(struct bytes key)
{
	static const char *const keys[] = { "saved_model_main_op", "legacy_init_op", "saved_model_init_op",
		"table_initializer", "__saved_model_init_op" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (bytes_equal(key, bytes_of_text(keys[i])))
			return true;
	return false;
}

/* -- what is gathered of one meta graph -- */

/* What runs as one: a node of the main graph, or a function.  And a name, which needs what it is the name of: names may
 * be used before they are given. */
struct unit {
	uint64_t at; /* of an operator that something was found of */
	bool found;
};

struct load {
	struct tf *t;
	struct scoped_names names; /* at: which unit */
	struct unit *units;
	struct call_edge *edges; /* from who needs to what is needed */
	uint32_t *roots;
	uint32_t n_units, units_room, n_edges, edges_room, n_roots, roots_room;
	uint32_t unit; /* that is open */
	bool in_function;
	uint32_t first_root; /* of the entry that is open ... */
	bool initialises;    /* ... and is what its key says */
};

enum { NODE_SALT = 11, FUNCTION_SALT };

static bool add_unit(struct load *d, uint32_t *ret)
{
	d->units = tf_grow(d->t, d->units, d->n_units, &d->units_room, sizeof(*d->units));
	*ret = d->n_units;
	if (!d->t->stopped)
		d->units[d->n_units++] = (struct unit){ 0 };
	return !d->t->stopped;
}

static bool unit_of(struct load *d, struct bytes name, uint64_t salt, uint32_t *ret)
{
	struct scoped_name id = scoped_name_of(&d->names, name, salt);
	const struct scoped_entry *e = scoped_names_find(&d->names, id, 1u << SCOPED_KEY, 0);

	if (e != NULL) {
		*ret = (uint32_t)e->at;
		return true;
	}
	if (!add_unit(d, ret))
		return false;
	scoped_names_add(&d->names, id, SCOPED_KEY, *ret);
	return !d->names.failed || tf_stop(d->t);
}

static bool add_edge(struct load *d, uint32_t from, uint32_t to)
{
	d->edges = tf_grow(d->t, d->edges, d->n_edges, &d->edges_room, sizeof(*d->edges));
	if (!d->t->stopped)
		d->edges[d->n_edges++] = (struct call_edge){ from, to };
	return !d->t->stopped;
}

/* The unit that is open has this name. */
static bool take_name(struct load *d, struct bytes name, uint64_t salt)
{
	uint32_t named;

	return unit_of(d, name, salt, &named) && add_edge(d, named, d->unit);
}

/* It needs what has this name. */
static bool need(struct load *d, struct bytes name, uint64_t salt)
{
	uint32_t needed;

	return unit_of(d, name, salt, &needed) && add_edge(d, d->unit, needed);
}

static bool add_root(struct load *d, struct bytes name)
{
	uint32_t root;

	if (!unit_of(d, tf_node_of_input(name), NODE_SALT, &root))
		return false;
	d->roots = tf_grow(d->t, d->roots, d->n_roots, &d->roots_room, sizeof(*d->roots));
	if (!d->t->stopped)
		d->roots[d->n_roots++] = root;
	return !d->t->stopped;
}

/* Found whatever it is given: tables from assets, and savers, are how honest models begin. */
static bool take_op(struct load *d, struct bytes name, uint64_t at)
{
	const struct tf_op *op = tf_op_find(name);

	if (op != NULL && op->when == TF_OP_ALWAYS && finding_info(op->code)->severity >= SEVERITY_MEDIUM)
		d->units[d->unit] = (struct unit){ .at = at, .found = true };
	return tf_op_is_known(name) || need(d, name, FUNCTION_SALT);
}

/* -- a meta graph at its end -- */

static void forget(struct load *d)
{
	scoped_names_cut(&d->names, 0);
	d->n_units = d->n_edges = d->n_roots = 0;
}

static bool judge(struct load *d)
{
	bool *runs = arena_resize(d->t->l->arena, NULL, (size_t)d->n_units + 1, sizeof(*runs));

	if (runs == NULL)
		return tf_stop(d->t);
	for (uint32_t i = 0; i < d->n_roots; i++)
		runs[d->roots[i]] = true;
	if (!call_graph_reach(d->t->l->arena, d->n_units, d->edges, d->n_edges, runs))
		return tf_stop(d->t);
	for (uint32_t i = 0; i < d->n_units; i++)
		if (runs[i] && d->units[i].found)
			tf_tell(d->t, WLK_F_TF_OP_AT_LOAD, d->units[i].at, (struct bytes){ 0 });
	arena_release(d->t->l->arena, runs);
	forget(d);
	return true;
}

/* -- the walk -- */

static bool on_begin(void *ctx, const struct pb_place *at, const struct pb_field *f, uint64_t n)
{
	struct load *d = ctx;

	(void)at;
	(void)n;
	if (f->message == &tf_function)
		d->in_function = true;
	if (f->message == &collection_entry || f->message == &signature_entry) {
		d->first_root = d->n_roots;
		d->initialises = false;
	}
	return (f->message != &tf_function && (f->message != &tf_node || d->in_function)) || add_unit(d, &d->unit);
}

static bool on_end(void *ctx, const struct pb_place *at, const struct pb_field *f)
{
	struct load *d = ctx;

	(void)at;
	if (f->message == &tf_function)
		d->in_function = false;
	if ((f->message == &collection_entry || f->message == &signature_entry) && !d->initialises)
		d->n_roots = d->first_root;
	return f->message != &meta_graph || judge(d);
}

static bool take_node(struct load *d, uint32_t field, struct bytes bytes, uint64_t at)
{
	if (field == 2)
		return take_op(d, bytes, at);
	if (d->in_function || field > 3)
		return true;
	return field == 1 ? take_name(d, bytes, NODE_SALT) : need(d, tf_node_of_input(bytes), NODE_SALT);
}

static bool on_data(void *ctx, const struct pb_place *at, const struct pb_field *f, struct bytes bytes, uint64_t n)
{
	struct load *d = ctx;

	(void)n;
	if (at->message == &tf_node)
		return take_node(d, f->number, bytes, at->offset);
	if (at->message == &tf_func)
		return take_op(d, bytes, at->offset);
	if (at->message == &tf_signature && d->in_function && f->number == 1)
		return take_name(d, bytes, FUNCTION_SALT);
	if (at->message == &node_list || at->message == &output)
		return add_root(d, bytes);
	if (at->message == &collection_entry || at->message == &signature_entry)
		d->initialises = is_initialiser(bytes);
	return true;
}

/* The first walk has told of them. */
static bool on_error(void *ctx, enum pb_error e, const struct pb_place *at, uint32_t number, uint64_t found)
{
	(void)ctx;
	(void)e;
	(void)at;
	(void)number;
	(void)found;
	return true;
}

bool tf_load_check(struct tf *t, const struct pb_message *root, const struct part *p)
{
	struct load d = { .t = t };
	const struct pb_handler handler = {
		.ctx = &d, .begin = on_begin, .end = on_end, .data = on_data, .error = on_error
	};

	if (root == &tf_graph)
		return true;
	scoped_names_init(&d.names, t->l->arena, &t->l->seed);
	pb_begin(t->walker, root == &tf_saved_model ? &model : &meta_graph, p->size, &handler);
	if (!part_preview(p, 0, (struct feeder){ pb_feed, t->walker }))
		return tf_stop(t);
	return pb_finish(t->walker) && (root == &tf_saved_model || judge(&d));
}
