/* Nodes and functions: rules 3, 4, 8 and 9, and the table of operators. */
#include "tf_limits.h"

#include "checked.h"

#include <string.h>

#define FUNCTION_SALT 1u

struct scoped_name tf_node_id(const struct tf *t, struct bytes name, uint64_t scope)
{
	return scoped_name_of(&t->names, name, scope << 2);
}

/* -- names -- */

static bool is_letter(uint8_t c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

/* [A-Za-z0-9.][A-Za-z0-9_>./\\-]* */
static bool is_node_name(struct bytes b)
{
	for (size_t i = 0; i < b.n; i++)
		if (!is_letter(b.at[i]) && !is_digit(b.at[i]) && b.at[i] != '.' &&
		    (i == 0 || b.at[i] == 0 || strchr("_>/\\-", b.at[i]) == NULL))
			return false;
	return b.n > 0;
}

/* [A-Z][A-Za-z0-9_>]*, or with an underscore in front for TensorFlow's own; two of them are a function's. */
static bool is_op_name(struct bytes b)
{
	for (size_t i = 0; i < b.n; i++)
		if (!is_letter(b.at[i]) && b.at[i] != '_' && (i == 0 || (!is_digit(b.at[i]) && b.at[i] != '>')))
			return false;
	return b.n > 0 && b.at[0] < 'a' && (b.n < 2 || b.at[0] != '_' || b.at[1] != '_');
}

/* -- functions that are named -- */

static bool add_call(struct tf *t, struct scoped_name callee, uint64_t at, enum tf_call_kind kind)
{
	t->calls = tf_grow(t, t->calls, t->n_calls, &t->calls_room, sizeof(*t->calls));
	if (t->stopped)
		return false;
	t->calls[t->n_calls++] = (struct tf_call){ .callee = callee, .at = at, .from = t->function, .kind = kind };
	return true;
}

/* An operator that TensorFlow does not have: a library's, unless it is a function of this model. */
static bool add_custom(struct tf *t, struct scoped_name callee, struct bytes name, uint64_t at)
{
	struct tf_call *c;

	if (!add_call(t, callee, at, TF_CALL_CUSTOM))
		return false;
	c = &t->calls[t->n_calls - 1];
	return tf_keep_name(t, name, &c->name_at, &c->name_n);
}

bool tf_call_named(struct tf *t, struct bytes name, uint64_t at, enum tf_call_kind kind)
{
	const struct tf_op *op = tf_op_find(name); /* a function, or an operator in its place */

	if (op != NULL)
		tf_tell(t, op->code, at, name);
	t->node.prints = t->node.prints || (op != NULL && op->code == WLK_F_TF_OP_PRINT);
	if (kind == TF_CALL_ATTRIBUTE && limits_tf_find(name) == limits_tf_n_ops && !tf_op_is_known(name))
		kind = TF_CALL_FUNCTION;
	return add_call(t, scoped_name_of(&t->functions, name, FUNCTION_SALT), at, kind);
}

/* Rule 15: the operators that the exporter used, of which some may be another library's. */
bool tf_listed_op(struct tf *t, struct bytes name, uint64_t at)
{
	struct bytes word = bytes_of(name.at, min_u64(name.n, TF_WORD_MAX));

	return tf_op_is_known(name) || add_custom(t, scoped_name_of(&t->functions, name, FUNCTION_SALT), word, at);
}

void tf_function_begin(struct tf *t)
{
	t->scope = ++t->next_scope;
	t->function_base = t->names.n;
	t->function = t->n_functions + 1;
	t->n_arguments = 0;
}

bool tf_function_name(struct tf *t, struct bytes name, uint64_t at)
{
	struct scoped_name id = scoped_name_of(&t->functions, name, FUNCTION_SALT);

	if (scoped_names_find(&t->functions, id, 1u << SCOPED_KEY, 0) != NULL)
		tf_tell(t, WLK_F_TF_FUNCTION_DUPLICATE, at, name);
	scoped_names_add(&t->functions, id, SCOPED_KEY, t->n_functions);
	tf_limits_function(t, name);
	/* Any node can call it by its operator, which is not kept: as if somebody did who should not. */
	if (is_op_name(name)) {
		if (!tf_call_named(t, name, at, TF_CALL_ATTRIBUTE))
			return false;
		t->calls[t->n_calls - 1].from = 0;
	}
	return !t->functions.failed || tf_stop(t);
}

/* -- inputs: rule 8 -- */

struct bytes tf_node_of_input(struct bytes input)
{
	const uint8_t *colon;

	if (input.n > 0 && input.at[0] == '^')
		input = bytes_of(input.at + 1, input.n - 1);
	colon = input.n > 0 ? memchr(input.at, ':', input.n) : NULL;
	return colon != NULL ? bytes_of(input.at, (size_t)(colon - input.at)) : input;
}

/* There is such a node, or will be. */
static bool expect_node(struct tf *t, struct scoped_name id, uint64_t at)
{
	uint32_t base = t->function > 0 ? t->function_base : t->graph_base;

	if (scoped_names_find(&t->names, id, 1u << SCOPED_OUTPUT | 1u << SCOPED_PENDING, base) == NULL)
		scoped_names_add(&t->names, id, SCOPED_PENDING, at);
	return !t->names.failed || tf_stop(t);
}

bool tf_function_source(struct tf *t, struct bytes input, uint64_t at)
{
	return expect_node(t, tf_node_id(t, tf_node_of_input(input), t->scope), at);
}

static bool take_input(struct tf *t, struct bytes input, uint64_t at)
{
	bool control = input.n > 0 && input.at[0] == '^';
	struct scoped_name id = tf_node_id(t, tf_node_of_input(input), t->scope);

	if (!control && t->node.control)
		tf_tell(t, WLK_F_TF_INPUT, at, input);
	t->node.control = t->node.control || control;
	if (!control && t->node.n_inputs < TF_INPUTS_KEPT)
		t->inputs[t->node.n_inputs] = id;
	t->node.n_inputs += control ? 0 : 1;
	return (control || tf_limits_input(t, id, input)) && expect_node(t, id, at);
}

/* Those that have come by now are settled. */
static void tell_pending(struct tf *t, uint32_t base)
{
	for (uint32_t i = base; i < t->names.n; i++) {
		const struct scoped_entry *e = &t->names.list[i];

		if (e->kind == SCOPED_PENDING &&
		    scoped_names_find(&t->names, e->name, 1u << SCOPED_OUTPUT, base) == NULL)
			tf_tell(t, WLK_F_TF_INPUT, e->at, (struct bytes){ 0 });
	}
	scoped_names_cut(&t->names, base);
}

bool tf_node_define(struct tf *t, struct bytes name, uint64_t at)
{
	struct scoped_name id = tf_node_id(t, name, t->scope);
	uint32_t base = t->function > 0 ? t->function_base : t->graph_base;

	if (scoped_names_find(&t->names, id, 1u << SCOPED_OUTPUT, base) != NULL)
		tf_tell(t, WLK_F_TF_NODE_DUPLICATE, at, name);
	scoped_names_add(&t->names, id, SCOPED_OUTPUT, at);
	return !t->names.failed || tf_stop(t);
}

void tf_graph_begin(struct tf *t)
{
	t->scope = t->main_scope = ++t->next_scope;
	t->graph_base = t->names.n;
	t->function = 0;
	tf_limits_graph_begin(t);
}

bool tf_graph_end(struct tf *t)
{
	tell_pending(t, t->graph_base);
	return true;
}

bool tf_function_end(struct tf *t, uint64_t at)
{
	tf_limits_function_end(t, at);
	tell_pending(t, t->function_base);
	t->scope = t->main_scope;
	t->function = 0;
	if (++t->n_functions > TF_FUNCTIONS_MAX) {
		tf_value(t, WLK_F_TF_LIMIT, t->base, bytes_of_text("functions"), t->n_functions, TF_FUNCTIONS_MAX);
		return false;
	}
	return true;
}

/* -- nodes -- */

static bool contains(struct bytes b, const char *text)
{
	return b.n > 0 && memmem(b.at, b.n, text, strlen(text)) != NULL;
}

static bool begins_with(struct bytes b, const char *text)
{
	return b.n >= strlen(text) && memcmp(b.at, text, strlen(text)) == 0;
}

#define JOB "/job:"
#define LOCALHOST "/job:localhost"

static bool is_local(struct bytes job)
{
	size_t n = strlen(LOCALHOST);

	return begins_with(job, LOCALHOST) && (job.n == n || job.at[n] == '/');
}

/* A job may be named more than once, and the last one counts: each has to be this machine. */
static void check_device(struct tf *t, struct bytes device, uint64_t at)
{
	for (size_t i = 0; i < device.n; i++) {
		struct bytes rest = bytes_of(device.at + i, device.n - i);

		if (begins_with(rest, JOB) && !is_local(rest)) {
			tf_tell(t, WLK_F_TF_DEVICE_REMOTE, at, device);
			return;
		}
	}
}

bool tf_node_text(struct tf *t, uint32_t field, struct bytes bytes, uint64_t n, uint64_t at)
{
	switch (field) {
	case 1: tf_word_set(t, &t->node.name, bytes, n); return tf_node_define(t, bytes, at);
	case 2:
		tf_word_set(t, &t->node.op, bytes, n);
		t->node.op_function = scoped_name_of(&t->functions, bytes, FUNCTION_SALT);
		tf_limits_op(t);
		return true;
	case 3: return take_input(t, bytes, at);
	default: check_device(t, bytes, at); return true;
	}
}

/* A key may come behind its value: what is an address counts under any. */
bool tf_attr_bytes(struct tf *t, struct bytes bytes, uint64_t n, uint64_t at)
{
	t->node.urls = t->node.urls || (n > 0 && tf_word_is(&t->key, "debug_urls")) || contains(bytes, "://");
	t->node.names_file = t->node.names_file || (n > 0 && (t->key.bytes == 0 || tf_word_is(&t->key, "vocab_file")));
	t->node.dots = t->node.dots || contains(bytes, ".");
	t->node.file_url = t->node.file_url || begins_with(bytes, "file://");
	return tf_may_be_graph(t, at, n);
}

static void judge_operator(struct tf *t, const struct tf_op *op)
{
	struct tf_node *n = &t->node;
	struct bytes name = tf_word_bytes(&n->op);

	bool prints = n->prints || (op != NULL && op->code == WLK_F_TF_OP_PRINT);

	if (op != NULL && (op->when == TF_OP_ALWAYS || (op->when == TF_OP_URLS && (n->urls || n->bound)) ||
			      (op->when == TF_OP_ATTRIBUTE && (n->names_file || n->bound))))
		tf_tell(t, op->code, n->at, name);
	/* Print has no address, and its type may be bound. */
	if (prints && (n->file_url || (n->bound && !tf_word_is(&n->op, "Print"))))
		tf_tell(t, WLK_F_TF_OP_FILE_WRITE, n->at, name);
}

/* What is no operator's name is a function's; what is none that TensorFlow has may be either. */
static bool name_operator(struct tf *t)
{
	const struct tf_node *n = &t->node;
	struct bytes op = tf_word_bytes(&n->op);

	if (!is_op_name(op))
		return add_call(t, n->op_function, n->at, TF_CALL_OPERATOR);
	return (n->op.bytes == n->op.n && tf_op_is_known(op)) || add_custom(t, n->op_function, op, n->at);
}

bool tf_node_end(struct tf *t)
{
	struct tf_node *n = &t->node;
	const struct tf_op *op = n->op.bytes == n->op.n ? tf_op_find(tf_word_bytes(&n->op)) : NULL;

	if (!is_node_name(tf_word_bytes(&n->name)))
		tf_tell(t, WLK_F_TF_NODE_NAME, n->at, tf_word_bytes(&n->name));
	if (!name_operator(t))
		return false;
	for (uint32_t i = n->first_call; i < t->n_calls; i++) {
		t->calls[i].node = tf_node_id(t, tf_word_bytes(&n->name), t->scope);
		t->calls[i].file = n->n_inputs > 0 ? t->inputs[0] : (struct scoped_name){ 0 };
	}
	if (n->n_attributes > TF_ATTRIBUTES_MAX)
		tf_value(t, WLK_F_TF_LIMIT, n->at, tf_word_bytes(&n->name), n->n_attributes, TF_ATTRIBUTES_MAX);
	judge_operator(t, op);
	return tf_limits_node_end(t) && tf_saver_node(t, op);
}
