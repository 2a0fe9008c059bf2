/* Operators that read and write files are how a model saves and restores itself, and how a bad one does anything else.
 * Honest ones (decision 5) get their file name from the tensor that the meta graph's SaverDef names: directly, or as an
 * argument of a function that only the nodes named there call; or it is the name that TensorFlow 1 gives its savers
 * ("model"), of which a graph may hold several. */
#include "tf_limits.h"

#include <string.h>

#define ARGUMENT UINT64_MAX             /* the first of a function, which callers are asked about */
#define OTHER_ARGUMENT (UINT64_MAX - 1) /* any other */
#define STEPS_MAX 16u                   /* from an operator to where its file name comes from */

#define SELECT "Select"

/* Operators that hand on a file name, or a part of one. */
static bool carries(struct bytes op)
{
	static const char *const names[] = { "Identity", "StringJoin", "ShardedFilename", "Pack",
		"PlaceholderWithDefault", SELECT, SELECT "V2" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (bytes_equal(op, bytes_of_text(names[i])))
			return true;
	return false;
}

/* Lists by kind: carriers; strings that may stand behind a file name; strings that are a path to somewhere. */
#define CARRIER SCOPED_KEY
#define PLAIN SCOPED_OUTPUT
#define PATH SCOPED_PENDING
/* Of kind INPUT, by these: strings that are empty, and tensors that assets are known by. */
#define ASSET_SALT 3u
#define EMPTY_SALT 5u

static bool keep_input(struct tf *t, struct scoped_name input)
{
	t->carried_inputs =
	    tf_grow(t, t->carried_inputs, t->n_carried_inputs, &t->carried_inputs_room, sizeof(*t->carried_inputs));
	if (!t->stopped)
		t->carried_inputs[t->n_carried_inputs++] = input;
	return !t->stopped;
}

static struct scoped_name input_of(const struct tf *t, const struct tf_carrier *c, unsigned i)
{
	return t->carried_inputs[c->first + i];
}

static bool add_carrier(struct tf *t, struct scoped_name id)
{
	const struct tf_node *n = &t->node;
	struct tf_carrier *c;

	t->carried = tf_grow(t, t->carried, t->n_carried, &t->carried_room, sizeof(*t->carried));
	if (t->stopped)
		return false;
	scoped_names_add(&t->carriers, id, CARRIER, t->n_carried);
	c = &t->carried[t->n_carried++];
	*c = (struct tf_carrier){ .first = t->n_carried_inputs,
		.n_inputs = n->n_inputs,
		.joins = tf_word_is(&n->op, "StringJoin"),
		.packs = tf_word_is(&n->op, "Pack"),
		.selects = tf_word_is(&n->op, SELECT) || tf_word_is(&n->op, SELECT "V2") };
	for (unsigned i = 0; i < TF_INPUTS_KEPT && i < n->n_inputs; i++)
		if (!keep_input(t, t->inputs[i]))
			return false;
	return !t->carriers.failed || tf_stop(t);
}

static bool has(struct bytes b, const char *text)
{
	return b.n > 0 && memmem(b.at, b.n, text, strlen(text)) != NULL;
}

/* Does not lead upwards, however it is joined with others of its kind. */
static bool is_plain(struct bytes b)
{
	return b.n == 0 || (!has(b, "..") && b.at[b.n - 1] != '.' && memcmp(b.at, "./", b.n < 2 ? b.n : 2) != 0);
}

void tf_saver_string(struct tf *t, struct bytes text)
{
	struct tf_node *n = &t->node;

	/* The node's only string: which attribute it is read from does not matter then. */
	n->default_name = n->n_contents++ == 0 && bytes_equal(text, bytes_of_text("model"));
	n->is_plain = is_plain(text);
	n->is_empty = text.n == 0;
	n->is_path = n->is_path || has(text, "..") || has(text, "://") || (text.n > 0 && text.at[0] == '/');
}

/* Return: false: memory is spent. */
static bool add_string(struct tf *t, struct scoped_name id)
{
	const struct tf_node *n = &t->node;

	if (n->default_name && n->n_contents == 1)
		scoped_names_add(&t->carriers, id, SCOPED_INITIALIZER, 0);
	if (!n->bound && (n->n_contents == 0 || (n->n_contents == 1 && n->is_plain)))
		scoped_names_add(&t->carriers, id, PLAIN, 0);
	if (n->is_empty && n->n_contents == 1)
		scoped_names_add(&t->carriers, (struct scoped_name){ id.a ^ EMPTY_SALT, id.b }, SCOPED_INPUT, 0);
	if (n->is_path || n->n_contents > 1)
		scoped_names_add(&t->carriers, id, PATH, 0);
	return !t->carriers.failed || tf_stop(t);
}

bool tf_saver_argument(struct tf *t, struct bytes name)
{
	uint64_t which = t->n_arguments++ == 0 ? ARGUMENT : OTHER_ARGUMENT;

	scoped_names_add(&t->carriers, tf_node_id(t, name, t->scope), SCOPED_KEY, which);
	return !t->carriers.failed || tf_stop(t);
}

#define MERGE "MergeV2Checkpoints"

/* Which of its inputs is the file name. */
static unsigned file_input(const struct tf_op *op)
{
	return op->when != TF_OP_SAVER || strcmp(op->name, MERGE) == 0 ? 1 : 0;
}

static struct scoped_name input_at(const struct tf *t, unsigned i)
{
	return i < t->node.n_inputs ? t->inputs[i] : (struct scoped_name){ 0 };
}

bool tf_saver_node(struct tf *t, const struct tf_op *op)
{
	const struct tf_node *n = &t->node;
	bool whole = n->name.bytes == n->name.n; /* else it could pass for the node of its beginning */

	if (whole && carries(tf_word_bytes(&n->op)) && n->n_inputs > 0 &&
	    !(n->dots && tf_word_is(&n->op, "StringJoin")) && /* a separator */
	    !add_carrier(t, tf_node_id(t, tf_word_bytes(&n->name), t->scope)))
		return false;
	if (whole && tf_word_is(&n->op, "Const") && !add_string(t, tf_node_id(t, tf_word_bytes(&n->name), t->scope)))
		return false;
	if (op == NULL || op->when == TF_OP_ALWAYS || op->when == TF_OP_URLS || op->when == TF_OP_ATTRIBUTE)
		return true;
	t->pending = tf_grow(t, t->pending, t->n_pending, &t->pending_room, sizeof(*t->pending));
	if (t->stopped)
		return false;
	t->pending[t->n_pending++] = (struct tf_pending){ .op = op,
		.at = n->at,
		.function = t->function,
		.merges = strcmp(op->name, MERGE) == 0,
		.file = input_at(t, file_input(op)),
		.merged = input_at(t, 0) };
	return true;
}

/* -- where names come from -- */

enum origin { ELSEWHERE, FROM_SAVER, FROM_ARGUMENT, FROM_OTHER_ARGUMENT };

/* "save/Const:0" is the first output of the node save/Const. */
static struct bytes node_of(const struct tf_word *tensor)
{
	const uint8_t *colon = memchr(tensor->at, ':', tensor->n);

	return colon != NULL ? bytes_of(tensor->at, (size_t)(colon - tensor->at)) : tf_word_bytes(tensor);
}

static bool is_node(const struct tf *t, struct scoped_name id, const struct tf_word *tensor)
{
	struct scoped_name want;

	if (tensor->n == 0 || tensor->bytes > tensor->n)
		return false;
	want = tf_node_id(t, node_of(tensor), t->main_scope);
	return id.a == want.a && id.b == want.b;
}

static bool is_kind(const struct tf *t, struct scoped_name id, unsigned kind)
{
	return scoped_names_find(&t->carriers, id, 1u << kind, 0) != NULL;
}

static const struct tf_carrier *carrier_of(const struct tf *t, struct scoped_name id)
{
	const struct scoped_entry *e = scoped_names_find(&t->carriers, id, 1u << CARRIER, 0);

	return e != NULL && e->at < OTHER_ARGUMENT ? &t->carried[e->at] : NULL;
}

/* What savers join to a file name: a plain string, or (TensorFlow 2) one of two. */
static bool is_suffix(const struct tf *t, struct scoped_name id)
{
	const struct tf_carrier *c = carrier_of(t, id);

	return is_kind(t, id, PLAIN) ||
	       (c != NULL && c->selects && c->n_inputs == 3 && is_kind(t, input_of(t, c, 1), PLAIN) &&
		   is_kind(t, input_of(t, c, 2), PLAIN));
}

/* Only the first input says where a file is. */
static bool is_join_sound(const struct tf *t, const struct tf_carrier *c)
{
	return !c->joins || c->n_inputs == 1 || (c->n_inputs == 2 && is_suffix(t, input_of(t, c, 1)));
}

/* A saver names the tensor that is its file name; what stands there if nobody gives one may be a constant, but not a
 * path: a signature could run the saver. */
static bool is_default_sound(const struct tf *t, struct scoped_name id)
{
	for (unsigned i = 0; i < STEPS_MAX; i++) {
		const struct tf_carrier *c = carrier_of(t, id);

		if (is_kind(t, id, PATH))
			return false;
		if (c == NULL)
			return true;
		if (c->selects || !is_join_sound(t, c))
			return false;
		id = input_of(t, c, 0);
	}
	return false;
}

static enum origin origin_of(const struct tf *t, struct scoped_name id)
{
	for (unsigned i = 0; i < STEPS_MAX; i++) {
		const struct scoped_entry *e;
		const struct tf_carrier *c;

		if (is_kind(t, id, SCOPED_INITIALIZER))
			return FROM_SAVER;
		if (is_node(t, id, &t->filename))
			return is_default_sound(t, id) ? FROM_SAVER : ELSEWHERE;
		e = scoped_names_find(&t->carriers, id, 1u << CARRIER, 0);
		if (e == NULL)
			return ELSEWHERE;
		if (e->at >= OTHER_ARGUMENT)
			return e->at == ARGUMENT ? FROM_ARGUMENT : FROM_OTHER_ARGUMENT;
		c = &t->carried[e->at];
		if (c->selects || (c->packs && c->n_inputs > 1) || !is_join_sound(t, c))
			return ELSEWHERE;
		id = input_of(t, c, 0);
	}
	return ELSEWHERE;
}

/* Of all names in a list. */
static enum origin origin_of_list(const struct tf *t, struct scoped_name id)
{
	const struct tf_carrier *c = carrier_of(t, id);
	enum origin first;

	if (c == NULL || !c->packs)
		return origin_of(t, id);
	first = c->n_inputs <= TF_INPUTS_KEPT ? origin_of(t, input_of(t, c, 0)) : ELSEWHERE;
	for (unsigned i = 1; i < c->n_inputs && first != ELSEWHERE; i++)
		first = origin_of(t, input_of(t, c, i)) == first ? first : ELSEWHERE;
	return first;
}

bool tf_saver_asset(struct tf *t, struct bytes tensor)
{
	const uint8_t *colon = tensor.n > 0 ? memchr(tensor.at, ':', tensor.n) : NULL;
	struct bytes name = colon != NULL ? bytes_of(tensor.at, (size_t)(colon - tensor.at)) : tensor;
	struct scoped_name id = tf_node_id(t, name, t->main_scope);

	id.a ^= ASSET_SALT;
	scoped_names_add(&t->carriers, id, SCOPED_INPUT, 0);
	return !t->carriers.failed || tf_stop(t);
}

static bool is_asset(const struct tf *t, struct scoped_name id)
{
	for (unsigned i = 0; i < STEPS_MAX; i++) {
		struct scoped_name asset = { id.a ^ ASSET_SALT, id.b };
		const struct scoped_entry *e;

		if (scoped_names_find(&t->carriers, asset, 1u << SCOPED_INPUT, 0) != NULL)
			return true;
		e = scoped_names_find(&t->carriers, id, 1u << SCOPED_KEY, 0);
		if (e == NULL || e->at >= OTHER_ARGUMENT)
			return false;
		id = input_of(t, &t->carried[e->at], 0);
	}
	return false;
}

static bool is_empty(const struct tf *t, struct scoped_name id)
{
	return is_kind(t, (struct scoped_name){ id.a ^ EMPTY_SALT, id.b }, SCOPED_INPUT);
}

static uint32_t function_of(const struct tf *t, struct scoped_name name)
{
	const struct scoped_entry *e = scoped_names_find(&t->functions, name, 1u << SCOPED_KEY, 0);

	return e != NULL ? (uint32_t)e->at + 1 : 0;
}

/* May this node run the saver? */
static bool call_is_honest(const struct tf *t, const struct tf_call *c)
{
	return c->from == 0 && origin_of(t, c->file) == FROM_SAVER &&
	       (is_node(t, c->node, &t->save) || is_node(t, c->node, &t->restore));
}

static void tell_pending(struct tf *t, const struct tf_pending *p, const bool *misused)
{
	enum origin origin =
	    p->merges && origin_of_list(t, p->merged) != origin_of(t, p->file) ? ELSEWHERE : origin_of(t, p->file);
	struct bytes name = bytes_of_text(p->op->name);
	bool honest = p->function == 0 ? origin == FROM_SAVER : origin == FROM_ARGUMENT && !misused[p->function];

	if (p->op->when == TF_OP_NAMED && is_empty(t, p->file))
		return; /* in memory */
	if (p->op->when == TF_OP_VOCABULARY)
		tf_tell(t,
		    is_asset(t, p->file)      ? WLK_F_TF_OP_ASSET_READ
		    : origin >= FROM_ARGUMENT ? WLK_F_TF_OP_VOCABULARY
					      : p->op->code,
		    p->at, name);
	else
		tf_tell(t, honest && p->op->when == TF_OP_SAVER ? WLK_F_TF_OP_SAVER : p->op->code, p->at, name);
}

/* -- functions -- */

/* There is no such function. */
static void tell_missing(struct tf *t, const struct tf_call *c)
{
	switch (c->kind) {
	case TF_CALL_ATTRIBUTE: break; /* an operator's name */
	case TF_CALL_FUNCTION:
		tf_limits_tell(t, c->at, "function", "a function that is named is there", false, 0);
		break;
	case TF_CALL_OPERATOR: tf_tell(t, WLK_F_TF_OP_NAME, c->at, (struct bytes){ 0 }); break;
	case TF_CALL_CUSTOM: tf_tell(t, WLK_F_TF_CUSTOM_OP, c->at, bytes_of(t->pool + c->name_at, c->name_n)); break;
	case TF_CALL_GRADIENT: tf_tell(t, WLK_F_TF_GRADIENT_MISSING, c->at, (struct bytes){ 0 }); break;
	}
}

/* Edges between functions that are there.  Return: false: memory is spent. */
static bool check_circles(struct tf *t)
{
	struct call_edge *edges = arena_resize_raw(t->l->arena, NULL, (size_t)t->n_calls + 1, sizeof(*edges));
	uint32_t n = 0, circles;

	if (edges == NULL)
		return tf_stop(t);
	for (uint32_t i = 0; i < t->n_calls; i++) {
		uint32_t to = function_of(t, t->calls[i].callee);

		if (to == 0)
			tell_missing(t, &t->calls[i]);
		if (to > 0 && t->calls[i].from > 0)
			edges[n++] = (struct call_edge){ t->calls[i].from - 1, to - 1 };
	}
	if (!call_graph_circles(t->l->arena, t->n_functions, edges, n, &circles))
		return tf_stop(t);
	arena_release(t->l->arena, edges);
	if (circles > 0)
		tf_value(t, WLK_F_TF_FUNCTION_CYCLE, t->base, (struct bytes){ 0 }, circles, 0);
	return true;
}

bool tf_saver_finish(struct tf *t)
{
	bool *misused = arena_resize(t->l->arena, NULL, (size_t)t->n_functions + 1, sizeof(*misused));

	if (misused == NULL || !check_circles(t))
		return tf_stop(t);
	for (uint32_t i = 0; i < t->n_calls; i++) {
		uint32_t to = function_of(t, t->calls[i].callee);

		misused[to] = misused[to] || !call_is_honest(t, &t->calls[i]);
	}
	for (uint32_t i = 0; i < t->n_pending; i++)
		tell_pending(t, &t->pending[i], misused);
	arena_release(t->l->arena, misused);
	scoped_names_cut(&t->functions, 0);
	scoped_names_cut(&t->carriers, 0);
	t->n_functions = t->n_calls = t->n_pending = t->n_carried = t->n_carried_inputs = 0;
	t->filename = t->save = t->restore = (struct tf_word){ 0 };
	return true;
}
