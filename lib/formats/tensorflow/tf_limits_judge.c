/* Nodes of a graph that is whole, one after the other: arity, attributes, who feeds whom, and the terms of the row.  See
 * tf_limits.h. */
#include "tf_limits.h"

#include <string.h>

#include "checked.h"

#define STEPS_MAX 8u  /* from a node to a constant */
#define TYPES_MAX 64u /* of DataType: more than there are */

void tf_limits_tell(struct tf *t, uint64_t at, const char *op, const char *rule, bool mild, int64_t found)
{
	t->broken = t->broken || !mild;
	layout_finding(t->l, &(struct finding){ .code = mild ? WLK_F_TF_RUNTIME_RANGE : WLK_F_TF_RUNTIME_LIMIT,
				 .has_offset = true,
				 .offset = at,
				 .subject = bytes_of_text(op),
				 .found = value_number((uint64_t)found),
				 .allowed = value_text(bytes_of_text(rule)) });
}

static void tell(struct tf_limits *s, const char *rule, int64_t found)
{
	tf_limits_tell(s->t, s->node->at, limits_tf_ops[s->node->row].name, rule, false, found);
}

/* -- by name -- */

static bool is_equal(struct scoped_name a, struct scoped_name b)
{
	return a.a == b.a && a.b == b.b;
}

static bool index_nodes(struct tf *t)
{
	struct tf_limits *s = t->limits;
	size_t size = 16;

	while (size / 2 < s->n_nodes) /* below the file's size */
		size *= 2;
	s->slots = arena_resize(t->l->arena, NULL, size, sizeof(*s->slots));
	s->mask = size - 1;
	for (uint32_t i = 0; s->slots != NULL && i < s->n_nodes; i++) {
		size_t at = (size_t)s->nodes[i].id.a & s->mask;

		while (s->slots[at] != 0)
			at = (at + 1) & s->mask;
		s->slots[at] = i + 1;
	}
	return s->slots != NULL || tf_stop(t);
}

static bool is_shadowed(const struct tf_limits *s, const struct tf_kept *n)
{
	return n->row != TF_ROW_ARGUMENT && (s->shadowed[n->graph][n->row / 8] & 1u << n->row % 8) != 0;
}

/* NULL: of its operator nothing is known. */
static const struct tf_kept *find_node(const struct tf_limits *s, struct scoped_name id)
{
	for (size_t at = (size_t)id.a & s->mask; s->slots[at] != 0; at = (at + 1) & s->mask) {
		const struct tf_kept *n = &s->nodes[s->slots[at] - 1];

		if (is_equal(n->id, id))
			return is_shadowed(s, n) ? NULL : n;
	}
	return NULL;
}

/* -- attributes -- */

static const struct tf_value *value_of(const struct tf_limits *s, const struct tf_kept *n, uint8_t index)
{
	for (uint16_t i = 0; i < n->n_values; i++)
		if (s->values[n->values + i].index == index)
			return &s->values[n->values + i];
	return NULL;
}

/* A number that an attribute is, or its default. */
static bool number_of(const struct tf_limits *s, const struct tf_kept *n, uint8_t index, int64_t *ret)
{
	const struct limits_tf_attr *a = &limits_tf_ops[n->row].attrs[index];
	const struct tf_value *v = value_of(s, n, index);

	*ret = v != NULL ? v->number : a->n_fallback == 1 ? a->fallback[0] : 0;
	return v != NULL ? !v->bound && !v->list && v->kind == a->kind : a->n_fallback == 1;
}

/* How many a list has. */
static bool length_of(const struct tf_limits *s, const struct tf_kept *n, uint8_t index, int64_t *ret)
{
	const struct limits_tf_attr *a = &limits_tf_ops[n->row].attrs[index];
	const struct tf_value *v = value_of(s, n, index);

	*ret = v != NULL ? v->n : a->n_fallback;
	return v != NULL ? !v->bound && v->list : a->has_fallback;
}

static bool is_type(int64_t type)
{
	return (type > 0 && type < (int64_t)TYPES_MAX) ||
	       (type > (int64_t)TF_REFERENCE && type < (int64_t)(TF_REFERENCE + TYPES_MAX));
}

static void check_type(struct tf_limits *s, const struct limits_tf_attr *a, int64_t type)
{
	if (!is_type(type))
		tell(s, "a type is one that there is", type);
	else if (a->types != 0 && type < (int64_t)TF_REFERENCE && (type >= 32 || (a->types & UINT32_C(1) << type) == 0))
		tell(s, "a type is one that the operator takes", type);
}

static bool is_word(const char *words, const char *text, uint32_t n)
{
	for (const char *at = words; at != NULL; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, text, n) == 0 && (at[n] == ',' || at[n] == 0))
			return true;
	}
	return false;
}

static void check_text(struct tf_limits *s, const struct limits_tf_attr *a, const struct tf_value *v)
{
	char text[TF_TEXT_KEPT] = { 0 };

	if (a->words == NULL || v->list)
		return;
	if (v->n <= TF_TEXT_KEPT)
		memcpy(text, s->pool + v->first, v->n);
	if (v->n > TF_TEXT_KEPT || !is_word(a->words, text, v->n))
		tell(s, "a text is one of the operator's words", v->n);
}

static void check_attr(struct tf_limits *s, const struct limits_tf_attr *a, const struct tf_value *v)
{
	if (v->bound)
		return;
	if (v->list != a->list || (v->kind != a->kind && !(v->list && v->kind == 0))) {
		tell(s, "an attribute is of the operator's kind", v->kind);
		return;
	}
	if (a->bounded && (v->list || v->kind == LIMITS_TF_INT) && (v->list ? (int64_t)v->n : v->number) < a->least)
		tell(s, "an attribute is not below its least", v->list ? (int64_t)v->n : v->number);
	if (v->kind == LIMITS_TF_TYPE && !v->list)
		check_type(s, a, v->number);
	for (uint32_t i = 0; v->kind == LIMITS_TF_TYPE && v->list && i < v->n && i < LIMITS_VALUES_MAX; i++)
		check_type(s, a, s->pool[v->first + i]);
	if (v->kind == LIMITS_TF_STRING)
		check_text(s, a, v);
}

static void check_attrs(struct tf_limits *s)
{
	const struct limits_tf_op *op = &limits_tf_ops[s->node->row];

	for (uint8_t i = 0; i < op->n_attrs; i++) {
		const struct tf_value *v = value_of(s, s->node, i);

		if (v != NULL)
			check_attr(s, &op->attrs[i], v);
		else if (op->attrs[i].required)
			tell(s, "an attribute without a default is there", i);
	}
}

/* -- inputs and outputs -- */

static int64_t min_i64(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static bool count_of(const struct tf_limits *s, const struct tf_kept *n, const struct limits_tf_arg *a, int64_t *ret)
{
	*ret = 1;
	if (a->list)
		return length_of(s, n, a->attr, ret);
	return a->number == LIMITS_TF_NONE || (number_of(s, n, a->number, ret) && *ret >= 0);
}

/* The argument that number i of these is a part of; *i: which part.  NULL: nobody knows, or it is none; then *ret_all says how
 * many there are, or -1. */
static const struct limits_tf_arg *arg_at(const struct tf_limits *s, const struct tf_kept *n,
    const struct limits_tf_arg *args, unsigned n_args, int64_t *i, int64_t *ret_all)
{
	*ret_all = 0;
	for (unsigned k = 0; k < n_args; k++) {
		int64_t count;

		if (!count_of(s, n, &args[k], &count)) {
			*ret_all = -1;
			return NULL;
		}
		if (*i < count)
			return &args[k];
		*i -= count;
		*ret_all = min_i64(*ret_all + min_i64(count, INT32_MAX), INT32_MAX); /* more than any node has */
	}
	return NULL;
}

/* Its type, without whether it is a reference; 0: unknown. */
static unsigned type_of(const struct tf_limits *s, const struct tf_kept *n, const struct limits_tf_arg *a, int64_t part)
{
	const struct tf_value *v;
	int64_t type = a->type;

	if (type == 0 && !a->list && !number_of(s, n, a->attr, &type))
		return 0;
	if (a->list) {
		v = value_of(s, n, a->attr);
		if (v == NULL || v->bound || !v->list || part >= (int64_t)v->n || part >= (int64_t)LIMITS_VALUES_MAX)
			return 0;
		type = s->pool[v->first + part];
	}
	return is_type(type) ? (unsigned)(type % (int64_t)TF_REFERENCE) : 0;
}

/* Of a function's node: "node:output:1" names it. */
static const struct limits_tf_arg *named_output(
    const struct tf_limits *s, const struct limits_tf_op *op, const struct tf_input *in)
{
	for (unsigned i = 0; i < op->n_outputs; i++)
		if (scoped_name_of(&s->t->names, bytes_of_text(op->outputs[i].name), 0).a == in->arg)
			return &op->outputs[i];
	return NULL;
}

/* What comes from where an input says.  Return: its type; 0: unknown, or told. */
static unsigned source_type(struct tf_limits *s, const struct tf_kept *from, const struct tf_input *in)
{
	const struct limits_tf_op *op;
	const struct limits_tf_arg *a;
	int64_t i = in->port, all, count;

	if (from->row == TF_ROW_ARGUMENT)
		return from->dtype;
	op = &limits_tf_ops[from->row];
	if (i < 0)
		return 0;
	if (in->named) {
		a = named_output(s, op, in);
		if (a == NULL || (count_of(s, from, a, &count) && i >= count)) {
			tell(s, "an input is an output that there is", i);
			return 0;
		}
		return type_of(s, from, a, i);
	}
	a = arg_at(s, from, op->outputs, op->n_outputs, &i, &all);
	if (a == NULL && all >= 0)
		tell(s, "an input is an output that there is", in->port);
	return a == NULL ? 0 : type_of(s, from, a, i);
}

static void check_edges(struct tf_limits *s)
{
	const struct limits_tf_op *op = &limits_tf_ops[s->node->row];
	unsigned k = 0;
	int64_t part = 0, count = 0;
	bool known = op->n_inputs > 0 && count_of(s, s->node, &op->inputs[0], &count);

	for (uint32_t i = 0; i < s->node->n_inputs; i++) {
		const struct tf_input *in = &s->inputs[s->node->inputs + i];
		const struct tf_kept *from = find_node(s, in->node);
		unsigned gives = from != NULL ? source_type(s, from, in) : 0, takes = 0;

		for (; known && part >= count; part = 0) {
			known = ++k < op->n_inputs;
			known = known && count_of(s, s->node, &op->inputs[k], &count);
		}
		if (known)
			takes = type_of(s, s->node, &op->inputs[k], part++);
		if (gives != 0 && takes != 0 && gives != takes)
			tell(s, "an input is of the type that the operator takes", gives);
	}
}

static void check_arity(struct tf_limits *s)
{
	const struct limits_tf_op *op = &limits_tf_ops[s->node->row];
	int64_t i = INT64_MAX, all;

	if (arg_at(s, s->node, op->inputs, op->n_inputs, &i, &all) == NULL && all >= 0 && all != s->node->n_inputs)
		tell(s, "inputs are as many as the operator takes", s->node->n_inputs);
}

/* -- constants -- */

static const struct tf_constant *constant_of(const struct tf_limits *s, const struct tf_kept *n)
{
	return n->constant > 0 ? &s->constants[n->constant - 1] : NULL;
}

static bool is_op(const struct tf_kept *n, const char *name)
{
	return n->row != TF_ROW_ARGUMENT && strcmp(limits_tf_ops[n->row].name, name) == 0;
}

static void check_constant(struct tf_limits *s)
{
	const struct tf_constant *c = constant_of(s, s->node);
	int64_t type;

	if (c != NULL && is_op(s->node, "Const") && number_of(s, s->node, 1, &type) && type != c->dtype)
		tell(s, "a constant is of its node's type", c->dtype);
	/* Whoever optimises the graph makes a tensor of it (CVE-2022-23588). */
	if ((is_op(s->node, "Placeholder") || is_op(s->node, "PlaceholderWithDefault")) &&
	    number_of(s, s->node, 0, &type) && type > (int64_t)TF_REFERENCE)
		tell(s, "what a caller gives is no reference", type);
}

static bool text_of(const struct tf_limits *s, uint8_t index, char text[static TF_TEXT_KEPT], uint32_t *n)
{
	const struct tf_value *v = value_of(s, s->node, index);

	if (v == NULL || v->bound || v->list || v->kind != LIMITS_TF_STRING || v->n > TF_TEXT_KEPT)
		return false;
	memcpy(text, s->pool + v->first, v->n);
	*n = v->n;
	return true;
}

static unsigned times_in(const char *text, uint32_t n, char letter)
{
	unsigned times = 0;

	for (uint32_t i = 0; i < n; i++)
		times += text[i] == letter;
	return times;
}

/* Where a dimension goes is where its letter stands in the other text, which a kernel looks up (CVE-2020-26267).  Attributes: T and
 * both texts; of one that is left out its default is a sound one. */
static void check_formats(struct tf_limits *s)
{
	char from[TF_TEXT_KEPT], to[TF_TEXT_KEPT];
	uint32_t n_from, n_to;

	if ((!is_op(s->node, "DataFormatVecPermute") && !is_op(s->node, "DataFormatDimMap")) ||
	    !text_of(s, 1, from, &n_from) || !text_of(s, 2, to, &n_to))
		return;
	for (uint32_t i = 0; i < n_from; i++)
		if (n_from != n_to || times_in(from, n_from, from[i]) != 1 || times_in(to, n_to, from[i]) != 1) {
			tell(s, "two formats are of the same letters", (int64_t)i);
			return;
		}
}

/* Who follows the frames of a graph takes for granted that each way out has a way in (CVE-2021-41217). */
static void check_frames(struct tf_limits *s)
{
	const struct tf_kept *leaves = NULL;

	for (uint32_t i = 0; i < s->n_nodes; i++) {
		if (is_op(&s->nodes[i], "Enter") || is_op(&s->nodes[i], "RefEnter"))
			return;
		if (is_op(&s->nodes[i], "Exit") || is_op(&s->nodes[i], "RefExit"))
			leaves = &s->nodes[i];
	}
	if (leaves != NULL)
		tf_limits_tell(s->t, leaves->at, "Exit", "a frame that is left is entered", false, 0);
}

static const struct tf_constant *input_constant(const struct tf_limits *s, uint32_t i)
{
	const struct tf_kept *n = find_node(s, s->inputs[s->node->inputs + i].node);

	for (unsigned step = 0; n != NULL && step < STEPS_MAX && is_op(n, "Identity") && n->n_inputs == 1; step++)
		n = find_node(s, s->inputs[n->inputs].node);
	return n != NULL && is_op(n, "Const") ? constant_of(s, n) : NULL;
}

/* Away from zero, so that what is not 0 does not become it. */
static int64_t from_real(double d)
{
	if (!(d > -9e18 && d < 9e18))
		return d < 0 ? INT64_MIN : INT64_MAX;
	if (d > 0 && (double)(int64_t)d < d)
		return (int64_t)d + 1;
	return d < 0 && (double)(int64_t)d > d ? (int64_t)d - 1 : (int64_t)d;
}

enum { FLOAT = 1, DOUBLE = 2, INT32 = 3, INT16 = 5, INT8 = 6, INT64 = 9, QINT8 = 11, QINT32 = 13, QINT16 = 15 };

static int64_t element_of(unsigned dtype, const uint8_t *at, unsigned width)
{
	uint64_t wide = 0;
	float f;
	double d;

	for (unsigned i = 0; i < width; i++)
		wide |= (uint64_t)at[i] << 8 * i;
	switch (dtype) {
	case FLOAT: memcpy(&f, at, sizeof(f)); return from_real((double)f);
	case DOUBLE: memcpy(&d, at, sizeof(d)); return from_real(d);
	case INT8:
	case QINT8: return (int8_t)wide;
	case INT16:
	case QINT16: return (int16_t)wide;
	case INT32:
	case QINT32: return (int32_t)wide;
	case INT64: return (int64_t)wide;
	default: return wide > INT64_MAX ? INT64_MAX : (int64_t)wide;
	}
}

/* All values: the last that is there stands for the rest, none for zeros. */
static const int64_t *read_values(struct tf_limits *s, const struct tf_constant *c)
{
	uint8_t bytes[LIMITS_VALUES_MAX * sizeof(uint64_t)];
	unsigned width = tf_type_of(c->dtype)->bits / 8;
	int64_t *values = s->read[s->n_read++ % 3];

	if (c->in_file && !part_read_guarded(&s->t->l->part, c->at, bytes, (size_t)c->n * width)) {
		s->failed = true;
		return NULL;
	}
	for (int64_t i = 0; i < c->elements; i++) {
		uint32_t k = i < c->n ? (uint32_t)i : c->n - 1;

		values[i] = c->n == 0    ? 0
			    : c->in_file ? element_of(c->dtype, bytes + (size_t)k * width, width)
					 : s->pool[c->data + k];
	}
	return values;
}

/* -- operands -- */

static bool is_several(const struct limits_tf_arg *a)
{
	return a->list || a->number != LIMITS_TF_NONE;
}

/* The input that an argument is; of several the one that is being judged. */
static bool place_of(const struct tf_limits *s, unsigned arg, uint32_t *ret)
{
	const struct limits_tf_op *op = &limits_tf_ops[s->node->row];
	int64_t at = 0, count;

	for (unsigned i = 0; i < arg; i++) {
		if (!count_of(s, s->node, &op->inputs[i], &count) || count > (int64_t)s->node->n_inputs)
			return false;
		at += count;
	}
	at += is_several(&op->inputs[arg]) ? s->part : 0;
	*ret = (uint32_t)at;
	return at < (int64_t)s->node->n_inputs;
}

static bool find_input(struct tf_limits *s, unsigned arg, struct limits_operand *ret)
{
	const struct tf_constant *c;
	uint32_t i;

	if (!place_of(s, arg, &i) || (c = input_constant(s, i)) == NULL)
		return false;
	ret->rank = c->rank;
	ret->dims = s->pool + c->first;
	ret->n = (size_t)c->elements;
	ret->is_integer = c->dtype != FLOAT && c->dtype != DOUBLE && c->dtype != TF_TYPE_BFLOAT16 &&
			  c->dtype != TF_TYPE_HALF && c->dtype != TF_TYPE_STRING && tf_type_of(c->dtype) != NULL;
	ret->values = c->known ? read_values(s, c) : NULL;
	ret->values_known = ret->values != NULL;
	return !s->failed;
}

static int64_t real_of(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return from_real((double)f);
}

/* Numbers of an attribute that is a list.  NULL: not kept. */
static const int64_t *list_of(struct tf_limits *s, const struct tf_value *v)
{
	uint8_t bytes[LIMITS_VALUES_MAX * sizeof(float)];
	int64_t *values = s->read[s->n_read % 3];

	if (v->n > LIMITS_VALUES_MAX || (v->n > 0 && v->kind != LIMITS_TF_INT && !v->in_file))
		return NULL;
	if (!v->in_file)
		return s->pool + v->first;
	if (!part_read_guarded(&s->t->l->part, (uint64_t)v->number, bytes, v->n * sizeof(float))) {
		s->failed = true;
		return NULL;
	}
	s->n_read++;
	for (uint32_t i = 0; i < v->n; i++)
		values[i] = real_of(load_u32le(bytes + sizeof(float) * i));
	return values;
}

static const int64_t *number_as_list(struct tf_limits *s, const struct tf_value *v)
{
	int64_t *one = s->read[s->n_read++ % 3];

	one[0] = v->kind == LIMITS_TF_FLOAT ? real_of((uint32_t)v->number) : v->number;
	return one;
}

static bool find_attr(struct tf_limits *s, uint8_t index, struct limits_operand *ret)
{
	const struct limits_tf_attr *a = &limits_tf_ops[s->node->row].attrs[index];
	const struct tf_value *v = value_of(s, s->node, index);

	ret->is_integer = a->kind == LIMITS_TF_INT;
	ret->is_list = a->list;
	if (v == NULL) {
		ret->values = a->fallback;
		ret->n = a->n_fallback;
		ret->values_known = a->has_fallback;
		return a->has_fallback;
	}
	if (v->bound || v->list != a->list || (v->kind != a->kind && v->kind != 0))
		return false;
	if (a->kind == LIMITS_TF_SHAPE && !a->list) {
		ret->rank = v->rank_known ? v->n : LIMITS_RANK_UNKNOWN;
		ret->dims = s->pool + v->first;
		return v->rank_known;
	}
	ret->n = v->list ? v->n : 1;
	ret->values = v->list ? list_of(s, v) : number_as_list(s, v);
	ret->values_known = ret->values != NULL;
	return !s->failed;
}

static bool find(void *ctx, const struct limits_name *name, struct limits_operand *ret)
{
	struct tf_limits *s = ctx;
	const struct limits_tf_op *op = &limits_tf_ops[s->node->row];

	if (name->input >= 0)
		return find_input(s, (unsigned)name->input, ret);
	if (name->input != INT16_MIN)
		return find_attr(s, (uint8_t)(-1 - name->input), ret);
	for (uint8_t i = 0; i < op->n_attrs; i++)
		if (limits_is(name, op->attrs[i].name))
			return find_attr(s, i, ret);
	return false;
}

static uint32_t output_width(const struct tf_limits *s)
{
	const struct limits_tf_op *op = &limits_tf_ops[s->node->row];
	const struct tf_type *type = op->n_outputs > 0 ? tf_type_of(type_of(s, s->node, &op->outputs[0], 0)) : NULL;

	return type != NULL ? type->bits / 8 : 0;
}

/* How often a term is judged: once, or for each that its argument is. */
static uint32_t parts_of(const struct tf_limits *s, const struct limits_term *t)
{
	const struct limits_tf_op *op = &limits_tf_ops[s->node->row];
	int64_t count;

	if (t->left.name.input < 0 || !is_several(&op->inputs[t->left.name.input]))
		return 1;
	if (!count_of(s, s->node, &op->inputs[t->left.name.input], &count))
		return 0;
	return (uint32_t)min_i64(count, s->node->n_inputs);
}

static void check_terms(struct tf_limits *s)
{
	const struct limits_tf_op *op = &limits_tf_ops[s->node->row];
	const struct limits_env env = {
		.find = find, .ctx = s, .in = s->node->n_inputs, .element_bytes = output_width(s)
	};
	int64_t found;

	for (unsigned i = 0; i < op->rule.n_terms && !s->failed; i++) {
		const struct limits_term *term = &op->rule.terms[i];
		uint32_t parts = parts_of(s, term);
		bool fails = false;

		for (s->part = 0; s->part < parts && !fails && !s->failed; s->part++)
			fails = limits_judge(term, &env, &found) == LIMITS_FAILS;
		if (fails && !s->failed)
			tf_limits_tell(s->t, s->node->at, op->name, term->text, term->mild, found);
	}
}

bool tf_limits_judge(struct tf *t)
{
	struct tf_limits *s = t->limits;

	if (t->broken || s->n_nodes == 0) /* of what is broken nobody knows what names what */
		return true;
	if (!index_nodes(t))
		return false;
	for (uint32_t i = 0; i < s->n_nodes && !s->failed; i++) {
		s->node = &s->nodes[i];
		if (s->node->row == TF_ROW_ARGUMENT || is_shadowed(s, s->node))
			continue;
		check_attrs(s);
		check_arity(s);
		check_edges(s);
		check_constant(s);
		check_formats(s);
		check_terms(s);
	}
	check_frames(s);
	arena_release(t->l->arena, s->slots);
	return !s->failed || tf_stop(t);
}
