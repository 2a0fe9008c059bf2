/* TensorFlow's SavedModels, graphs and meta graphs: see tf_graph.h for how the reader is cut.  Here: the walk, the wire's
 * errors, meta graphs, and graphs within strings. */
#include "tf_limits.h"

#include "checked.h"
#include "keras_config.h"
#include "stream.h"

#include <string.h>

/* -- findings -- */

bool tf_breaks(enum wlk_finding code)
{
	const struct finding_info *info = finding_info(code);

	return info->class == CLASS_UNSUPPORTED ||
	       (info->severity >= SEVERITY_HIGH && (info->class == CLASS_MALFORMED || info->class == CLASS_AMBIGUOUS));
}

/* Is it about an operator that would matter at load (tf_load.c)? */
static bool is_operator(enum wlk_finding code)
{
	return code >= WLK_F_TF_OP_PYTHON && code <= WLK_F_TF_NESTED_GRAPH &&
	       finding_info(code)->severity >= SEVERITY_MEDIUM;
}

static void tell(struct tf *t, const struct finding *f)
{
	t->broken = t->broken || tf_breaks(f->code);
	t->found = t->found || is_operator(f->code);
	layout_finding(t->l, f);
}

void tf_tell(struct tf *t, enum wlk_finding code, uint64_t at, struct bytes subject)
{
	tell(t, &(struct finding){ .code = code, .has_offset = true, .offset = at, .subject = subject });
}

void tf_value(struct tf *t, enum wlk_finding code, uint64_t at, struct bytes subject, uint64_t found, uint64_t allowed)
{
	tell(t, &(struct finding){ .code = code,
		    .has_offset = true,
		    .offset = at,
		    .subject = subject,
		    .found = value_number(found),
		    .allowed = value_number(allowed) });
}

bool tf_stop(struct tf *t)
{
	if (!t->stopped)
		layout_stop(t->l);
	t->stopped = true;
	return false;
}

void tf_word_set(const struct tf *t, struct tf_word *w, struct bytes text, uint64_t n)
{
	w->id = scoped_name_of(&t->names, text, 0);
	w->n = (uint8_t)min_u64(text.n, TF_WORD_MAX);
	w->bytes = n;
	bytes_copy(w->at, bytes_of(text.at, w->n));
}

bool tf_word_is(const struct tf_word *w, const char *text)
{
	return w->bytes == w->n && bytes_equal(tf_word_bytes(w), bytes_of_text(text));
}

void *tf_grow(struct tf *t, void *list, uint32_t n, uint32_t *room, size_t size)
{
	uint32_t more = *room > 0 ? *room * 2 : 64;
	void *grown = list;

	if (n < *room)
		return list;
	grown = more < UINT32_MAX / 4 ? arena_resize_raw(t->l->arena, list, more, size) : NULL;
	if (grown == NULL) {
		tf_stop(t);
		return list;
	}
	*room = more;
	return grown;
}

bool tf_is_second(struct tf *t, struct bytes name, uint64_t salt, uint64_t at)
{
	struct scoped_name id = scoped_name_of(&t->names, name, ~salt);
	bool second = scoped_names_find(&t->names, id, 1u << SCOPED_KEY, 0) != NULL;

	if (!second)
		scoped_names_add(&t->names, id, SCOPED_KEY, at);
	return second;
}

/* -- the wire -- */

static const enum wlk_finding wire_codes[PB_N_ERRORS] = {
	[PB_VARINT] = WLK_F_TF_VARINT,
	[PB_TAG] = WLK_F_TF_TAG,
	[PB_GROUP] = WLK_F_TF_GROUP,
	[PB_TRUNCATED] = WLK_F_TF_TRUNCATED,
	[PB_DEPTH] = WLK_F_TF_DEPTH,
	[PB_OVERLONG] = WLK_F_TF_VARINT_OVERLONG,
	[PB_OVERLONG_VALUE] = WLK_F_TF_VALUE_OVERLONG,
	[PB_WIRETYPE] = WLK_F_TF_WIRETYPE,
	[PB_UNKNOWN] = WLK_F_TF_UNKNOWN_FIELD,
	[PB_RESERVED] = WLK_F_TF_RESERVED_FIELD,
	[PB_DUPLICATE] = WLK_F_TF_DUPLICATE_FIELD,
	[PB_ONEOF] = WLK_F_TF_ONEOF_MULTIPLE,
	[PB_UTF8] = WLK_F_TF_UTF8,
	[PB_CONTROL] = WLK_F_TF_STRING_CONTROL,
	[PB_RANGE] = WLK_F_TF_INT_RANGE,
	[PB_PACKED] = WLK_F_TF_PACKED,
};

enum wlk_finding tf_wire_code(enum pb_error e)
{
	return wire_codes[e];
}

static bool on_error(void *ctx, enum pb_error e, const struct pb_place *at, uint32_t number, uint64_t found)
{
	struct tf *t = ctx;

	/* Messages whose tables are not the sheet's (decision 1). */
	if (e == PB_UNKNOWN &&
	    (at->message == &tf_tensor_info || at->message == &tf_argument || at->message == &tf_saver))
		return true;
	tell(t, &(struct finding){ .code = wire_codes[e],
		    .has_offset = true,
		    .offset = t->base + at->offset,
		    .subject = bytes_of_text(at->message != NULL ? at->message->name : ""),
		    .found = value_number(e == PB_TRUNCATED ? found : number) });
	return true;
}

/* -- graphs within strings: rule 5 -- */

#define NESTED_BYTES_MIN 16u

bool tf_may_be_graph(struct tf *t, uint64_t at, uint64_t n)
{
	if (n < NESTED_BYTES_MIN)
		return true;
	t->nested = tf_grow(t, t->nested, t->n_nested, &t->nested_room, sizeof(*t->nested));
	if (!t->stopped)
		t->nested[t->n_nested++] = (struct tf_range){ at, n, t->nesting + 1 };
	return !t->stopped;
}

/* -- meta graphs -- */

/* A set of tags, in any order. */
static void take_tag(struct tf *t, struct bytes tag)
{
	t->tags += scoped_name_of(&t->names, tag, 1).a;
}

static void check_asset(struct tf *t, struct bytes name, uint64_t at)
{
	bool bad = name.n == 0 || name.at[0] == '/' || memchr(name.at, '\\', name.n) != NULL ||
		   memchr(name.at, ':', name.n) != NULL;

	for (size_t i = 0; i < name.n; i++)
		bad = bad || (name.at[i] == '.' && i + 1 < name.n && name.at[i + 1] == '.' &&
				 (i == 0 || name.at[i - 1] == '/') && (i + 2 == name.n || name.at[i + 2] == '/'));
	if (bad)
		tf_tell(t, WLK_F_TF_ASSET_TRAVERSAL, at, name);
}

static bool end_meta_graph(struct tf *t)
{
	uint8_t tags[8];

	store_u64le(tags, t->tags);
	if (tf_is_second(t, bytes_of(tags, sizeof(tags)), 2, t->base))
		tf_tell(t, WLK_F_TF_TAGS_DUPLICATE, t->base, (struct bytes){ 0 });
	t->tags = 0;
	if (++t->n_meta_graphs == TF_META_GRAPHS_MAX + 1)
		tf_value(
		    t, WLK_F_TF_META_GRAPH_COUNT, t->base, (struct bytes){ 0 }, t->n_meta_graphs, TF_META_GRAPHS_MAX);
	tf_objects_finish(t);
	return tf_saver_finish(t);
}

/* Rule 12: what Keras wrote beside the graph, and reads back.  Longer than what the walker gathers: from the file. */
static bool judge_keras(struct tf *t, uint64_t at, uint64_t n)
{
	uint8_t *text = n <= KERAS_CONFIG_MAX ? arena_resize_raw(t->l->arena, NULL, (size_t)n, 1) : NULL;
	enum wlk_status status;

	if (n == 0)
		return true;
	if (text == NULL || !part_read_guarded(&t->l->part, at, text, (size_t)n))
		return tf_stop(t);
	status = keras_config_check(t->l, bytes_of(text, (size_t)n), at);
	arena_release(t->l->arena, text);
	t->broken = t->broken || status == WLK_BROKEN;
	t->stopped = t->stopped || status == WLK_INCOMPLETE;
	return !t->stopped;
}

/* -- which message is whose -- */

/* An attribute's value of a node that is open, and not of a function that an attribute names. */
static bool is_of_node(const struct tf_level *v)
{
	if (v->message == &tf_list)
		v--;
	return v->message == &tf_attr && v[-2].message == &tf_node;
}

/* What the table of limits may ask for; of a field of a list `list`. */
static bool begin_limits(struct tf *t, const struct tf_level *v)
{
	bool list = v[-1].message == &tf_list;

	if (v->message == &tf_attr_entry && v[-1].message == &tf_node)
		tf_limits_attr_begin(t);
	else if (v->message == &tf_list && is_of_node(v))
		tf_limits_list(t);
	else if (v->message == &tf_shape)
		tf_limits_shape_begin(t);
	else if (v->message == &tf_dim)
		t->dim = 0; /* which is not written */
	else if (v->message == &tf_argument)
		tf_limits_argument_begin(t);
	if (v->message == &tf_tensor)
		tf_limits_tensor_begin(t);
	if ((v->message == &tf_tensor || v->message == &tf_func) && is_of_node(v - 1))
		tf_limits_other(t, v->message == &tf_tensor ? LIMITS_TF_TENSOR : LIMITS_TF_FUNC, list);
	return true;
}

/* An argument that a node of a function may take, or one that it gives. */
static bool is_argument(const struct tf_level *v, uint32_t field)
{
	return v->message == &tf_argument && v->field->number == field && v[-2].message == &tf_function;
}

static bool end_dim(struct tf *t, const struct tf_level *v)
{
	if (v[-2].message == &tf_tensor)
		tf_tensor_dim(t, t->dim);
	return tf_limits_dim(t, (int64_t)t->dim);
}

static bool end_limits(struct tf *t, const struct tf_level *v)
{
	if (v->message == &tf_attr_entry && v[-1].message == &tf_node)
		return tf_limits_attr_end(t);
	if (v->message == &tf_dim)
		return end_dim(t, v);
	if (v->message == &tf_shape && v[-1].message != &tf_tensor)
		tf_limits_shape_end(t, v->at, v[-1].message == &tf_list, is_of_node(v - 1));
	return !is_argument(v, 2) || tf_limits_argument_end(t);
}

static bool on_begin(void *ctx, const struct pb_place *at, const struct pb_field *f, uint64_t n)
{
	struct tf *t = ctx;
	struct tf_level *v = &t->levels[at->depth + 1];

	(void)n;
	t->depth = at->depth + 1;
	*v = (struct tf_level){ f, f->message, t->base + at->offset };
	if (v->message == &tf_graph) {
		tf_graph_begin(t);
	} else if (v->message == &tf_function) {
		tf_function_begin(t);
	} else if (v->message == &tf_node) {
		t->node = (struct tf_node){ .at = v->at, .first_call = t->n_calls };
		tf_limits_node_begin(t);
		if (++t->n_nodes > TF_NODES_MAX) {
			tf_value(t, WLK_F_TF_LIMIT, v->at, bytes_of_text("nodes"), t->n_nodes, TF_NODES_MAX);
			return false;
		}
	} else if (v->message == &tf_tensor) {
		tf_tensor_begin(t, v->at);
	} else if (v->message == &tf_attr_entry && v[-1].message == &tf_node) {
		t->node.n_attributes++;
		t->key = (struct tf_word){ 0 };
	} else if (v->message == &tf_meta_graph) {
		t->main_scope = t->next_scope + 1; /* of a saver without graph */
	}
	t->n_objects += v->message == &tf_object;
	t->n_assets += v->message == &tf_asset;
	return begin_limits(t, v);
}

static bool on_end(void *ctx, const struct pb_place *at, const struct pb_field *f)
{
	struct tf *t = ctx;
	const struct tf_level *v = &t->levels[at->depth];
	bool ret = true;

	(void)f;
	if (v->message == &tf_graph)
		ret = tf_graph_end(t);
	else if (v->message == &tf_function)
		ret = tf_function_end(t, v->at);
	else if (v->message == &tf_node)
		ret = tf_node_end(t);
	else if (v->message == &tf_tensor)
		ret = tf_tensor_end(t, t->base + at->offset);
	else if (v->message == &tf_meta_graph)
		ret = end_meta_graph(t);
	ret = ret && end_limits(t, v);
	t->depth = at->depth - 1;
	return ret && !t->stopped;
}

/* -- fields -- */

static bool on_number(void *ctx, const struct pb_place *at, const struct pb_field *f, uint64_t value)
{
	struct tf *t = ctx;
	const struct tf_level *v = &t->levels[at->depth];

	if (v->message == &tf_tensor)
		return tf_tensor_number(t, f->number, value, t->base + at->offset);
	if ((v->message == &tf_attr || v->message == &tf_list) && is_of_node(v))
		return tf_limits_number(t, f->number, v->message == &tf_list, value);
	if (v->message == &tf_dim)
		t->dim = value;
	if (v->message == &tf_shape && value != 0)
		tf_limits_unknown_rank(t);
	if (is_argument(v, 2))
		tf_limits_argument_type(t, value);
	tf_object_number(t, v->message, f->number, value, t->base + at->offset);
	if (v->message == &tf_saved_model) {
		t->schema = value;
		t->has_schema = true;
	}
	return true;
}

static void take_saver(struct tf *t, uint32_t field, struct bytes bytes, uint64_t n)
{
	if (field <= 3)
		tf_word_set(t, field == 1 ? &t->filename : field == 2 ? &t->save : &t->restore, bytes, n);
}

/* Keys of a map: the owner's place and the field tell maps apart. */
static uint64_t map_salt(uint64_t owner, uint32_t field)
{
	return owner * 16 + field;
}

static void take_key(struct tf *t, const struct tf_level *v, struct bytes key, uint64_t at)
{
	if (tf_is_second(t, key, map_salt(v[-1].at, v->field->number), at))
		tf_tell(t, WLK_F_TF_MAP_DUPLICATE, at, key);
}

/* Of an operator's definition: TensorFlow looks attributes up in a list that it takes for a map (CVE-2022-23565). */
static void take_op_attr(struct tf *t, const struct tf_level *v, struct bytes name, uint64_t at)
{
	if (tf_is_second(t, name, map_salt(v[-1].at, v->field->number), at))
		tf_limits_tell(t, at, "OpDef", "an attribute is defined once", false, 2);
}

#define FUNCTION_RET 4u /* the map that says where results come from */

static bool on_data(void *ctx, const struct pb_place *at, const struct pb_field *f, struct bytes bytes, uint64_t n)
{
	struct tf *t = ctx;
	const struct tf_level *v = &t->levels[at->depth];
	uint64_t place = t->base + at->offset;

	if (f->kind == PB_STRING && n > PB_COLLECT_MAX) {
		tf_value(t, WLK_F_TF_LIMIT, place, (struct bytes){ 0 }, n, PB_COLLECT_MAX);
		return false;
	}
	if (v->message == &tf_node)
		return tf_node_text(t, f->number, bytes, n, place);
	if (v->message == &tf_tensor)
		return tf_tensor_data(t, f->number, bytes, n, place);
	if ((v->message == &tf_attr_entry || v->message == &tf_map_entry || v->message == &tf_text_entry) &&
	    f->number == 1) {
		tf_word_set(t, &t->key, bytes, n);
		take_key(t, v, bytes, place);
		if (v->message == &tf_attr_entry && v[-1].message == &tf_node)
			tf_limits_key(t);
	} else if (v->message == &tf_text_entry && v[-1].message == &tf_function) {
		return tf_function_source(t, bytes, place);
	} else if (v->message == &tf_op_attr && f->number == 1) {
		take_op_attr(t, v, bytes, place);
	} else if ((v->message == &tf_attr || v->message == &tf_list) && f->number == 2) {
		return tf_attr_bytes(t, bytes, n, place) &&
		       (!is_of_node(v) || tf_limits_text(t, bytes, n, v->message == &tf_list));
	} else if (v->message == &tf_list && f->number == 4 && is_of_node(v)) {
		tf_limits_floats(t, place, n);
	} else if (v->message == &tf_attr && f->number == 9) {
		t->node.bound = true;
		if (is_of_node(v))
			tf_limits_bound(t);
	} else if (v->message == &tf_func && f->number == 1) {
		return n == 0 || tf_call_named(t, bytes, place, TF_CALL_ATTRIBUTE);
	} else if (v->message == &tf_signature && f->number == 1) {
		return v[-1].message == &tf_op_list ? tf_listed_op(t, bytes, place) : tf_function_name(t, bytes, place);
	} else if (is_argument(v, 2) && f->number == 1) {
		tf_limits_argument_name(t, tf_node_id(t, bytes, t->scope));
		return tf_node_define(t, bytes, place) && tf_saver_argument(t, bytes);
	} else if (is_argument(v, 3) && f->number == 1) {
		return tf_limits_result(t, bytes, map_salt(v[-2].at, FUNCTION_RET));
	} else if (v->message == &tf_saver) {
		take_saver(t, f->number, bytes, n);
	} else if (v->message == &tf_meta_info && f->number == 4) {
		take_tag(t, bytes);
	} else if (v->message == &tf_asset) {
		check_asset(t, bytes, place);
	} else if (v->message == &tf_tensor_info && f->number == 1 && v[-1].message == &tf_asset) {
		return tf_saver_asset(t, bytes);
	} else if (v->message == &tf_gradient) {
		return tf_call_named(t, bytes, place, TF_CALL_GRADIENT);
	} else if (v->message == &tf_user_object && f->number == 3) {
		return judge_keras(t, place, n);
	}
	return !t->names.failed || tf_stop(t);
}

/* -- the walk -- */

/* Return: all of it was read. */
static bool walk(struct tf *t, const struct pb_message *root, const struct part *p)
{
	static const struct pb_handler events = { NULL, on_begin, on_end, on_number, on_data, on_error };
	struct pb_handler handler = events;

	handler.ctx = t;
	t->levels[0] = (struct tf_level){ .message = root, .at = t->base };
	t->depth = 0;
	tf_limits_walk_begin(t);
	if (root == &tf_graph)
		tf_graph_begin(t);
	pb_begin(t->walker, root, p->size, &handler);
	if (!part_preview(p, 0, (struct feeder){ pb_feed, t->walker }))
		return tf_stop(t);
	if (!pb_finish(t->walker) || t->stopped)
		return false;
	return (root != &tf_graph || tf_graph_end(t)) && (root == &tf_saved_model || end_meta_graph(t)) &&
	       tf_limits_judge(t);
}

/* A graph with a node, as far as readers of protobuf mind, who do not mind most faults. */
struct sight {
	bool node;
};

static bool sight_data(void *ctx, const struct pb_place *at, const struct pb_field *f, struct bytes bytes, uint64_t n)
{
	struct sight *s = ctx;

	s->node = s->node || (at->message == &tf_node && f->number == 2 && n > 0 && bytes.at[0] < 'a');
	return true;
}

static bool sight_error(void *ctx, enum pb_error e, const struct pb_place *at, uint32_t number, uint64_t found)
{
	(void)ctx, (void)at, (void)number, (void)found;
	return !pb_error_is_fatal(e) && e != PB_UTF8 && e != PB_CONTROL;
}

static bool is_also(struct tf *t, const struct part *p, const struct pb_message *root)
{
	struct sight sight = { 0 };
	const struct pb_handler handler = { .ctx = &sight, .data = sight_data, .error = sight_error };

	pb_begin(t->walker, root, p->size, &handler);
	if (!part_preview(p, 0, (struct feeder){ pb_feed, t->walker }))
		return tf_stop(t);
	return pb_finish(t->walker) && sight.node;
}

/* What is found in them may be looked into again. */
static bool walk_nested(struct tf *t)
{
	for (uint32_t i = 0; i < t->n_nested; i++) {
		const struct tf_range r = t->nested[i];
		const struct part p = part_range(&t->l->part, r.at, r.n);

		if (!is_also(t, &p, &tf_graph)) {
			if (t->stopped)
				return false;
			continue;
		}
		tf_tell(t, WLK_F_TF_NESTED_GRAPH, r.at, (struct bytes){ 0 });
		if (r.depth > TF_NESTING_MAX) {
			tf_value(t, WLK_F_TF_LIMIT, r.at, bytes_of_text("nesting"), r.depth, TF_NESTING_MAX);
			continue;
		}
		t->base = r.at;
		t->nesting = r.depth;
		t->tags = ++t->next_scope; /* no tags of a model */
		if (!walk(t, &tf_graph, &p))
			return false;
	}
	return true;
}

/* Nothing says which message a file is: what one loader takes for a graph another may take for a meta graph. */
static void check_ambiguity(struct tf *t, const struct pb_message *root)
{
	if (root != &tf_saved_model && is_also(t, &t->l->part, root == &tf_graph ? &tf_meta_graph : &tf_graph))
		tf_tell(t, WLK_F_PB_AMBIGUOUS, 0, (struct bytes){ 0 });
}

/* Modules of TensorFlow Hub have no schema, and loaders do not ask. */
static void check_model(struct tf *t)
{
	if (t->has_schema && t->schema != 1)
		tf_value(t, WLK_F_TF_SCHEMA_VERSION, 0, (struct bytes){ 0 }, t->schema, 1);
	if (t->n_meta_graphs == 0)
		tf_value(t, WLK_F_TF_META_GRAPH_COUNT, 0, (struct bytes){ 0 }, 0, 1);
}

#define MEMORY_MAX (UINT64_C(256) << 20)

static enum wlk_status layout(struct layout *l, const struct pb_message *root)
{
	static const struct coverage_codes codes = { .overlap = WLK_F_TF_TRUNCATED,
		.hole = WLK_F_TF_TRUNCATED,
		.out_of_bounds = WLK_F_TF_TRUNCATED,
		.trailing = WLK_F_TF_TRUNCATED };
	struct tf *t = arena_alloc(l->arena, 1, sizeof(*t));
	uint64_t memory;

	if (l->part.size > TF_SIZE_MAX) {
		layout_value(l, WLK_F_TF_TOO_LARGE, 0, l->part.size, TF_SIZE_MAX);
		return WLK_BROKEN;
	}
	layout_raise_memory(l, mul_u64(l->part.size, 8, &memory) ? min_u64(memory, MEMORY_MAX) : MEMORY_MAX);
	if (t == NULL || (t->walker = arena_alloc(l->arena, 1, sizeof(*t->walker))) == NULL)
		return layout_stop(l);
	l->state = t;
	t->l = l;
	scoped_names_init(&t->names, l->arena, &l->seed);
	scoped_names_init(&t->functions, l->arena, &l->seed);
	scoped_names_init(&t->carriers, l->arena, &l->seed);
	if (!tf_limits_begin(t))
		return WLK_INCOMPLETE;
	if (!walk(t, root, &l->part) || !tf_cover(t, l->part.size))
		return t->stopped ? WLK_INCOMPLETE : WLK_BROKEN;
	if (root == &tf_saved_model)
		check_model(t);
	check_ambiguity(t, root);
	if (!walk_nested(t) || (t->found && !tf_load_check(t, root, &l->part)))
		return t->stopped ? WLK_INCOMPLETE : WLK_BROKEN;
	l->extents->names = bytes_of(t->pool, t->pool_n);
	return extents_cover(l->extents, 0, l->part.size, &codes, l->report);
}

/* The weights were examined; but is it one model? */
static enum wlk_status finish(struct layout *l)
{
	const struct tf *t = l->state;

	return t == NULL || t->broken ? WLK_BROKEN : WLK_DONE;
}

static enum wlk_status layout_model(struct layout *l)
{
	return layout(l, &tf_saved_model);
}

static enum wlk_status layout_graph(struct layout *l)
{
	return layout(l, &tf_graph);
}

static enum wlk_status layout_meta_graph(struct layout *l)
{
	return layout(l, &tf_meta_graph);
}

static bool no_probe(const struct probe *p)
{
	(void)p;
	return false;
}

static bool is_model(struct layout *l, const struct stream *s)
{
	return tf_identify(l, s) == WLK_FORMAT_SAVEDMODEL;
}

static bool is_frozen(struct layout *l, const struct stream *s)
{
	return tf_identify(l, s) == WLK_FORMAT_TF_GRAPH;
}

static bool is_meta_graph(struct layout *l, const struct stream *s)
{
	return tf_identify(l, s) == WLK_FORMAT_TF_METAGRAPH;
}

#define GRAPH .probe = no_probe, .finish = finish, .nested = NESTED_RANDOM
const struct wlk_format format_savedmodel = {
	.id = WLK_FORMAT_SAVEDMODEL, .layout = layout_model, .last_resort = is_model, GRAPH
};
const struct wlk_format format_tf_graph = {
	.id = WLK_FORMAT_TF_GRAPH, .layout = layout_graph, .last_resort = is_frozen, GRAPH
};
const struct wlk_format format_tf_metagraph = {
	.id = WLK_FORMAT_TF_METAGRAPH, .layout = layout_meta_graph, .last_resort = is_meta_graph, GRAPH
};
