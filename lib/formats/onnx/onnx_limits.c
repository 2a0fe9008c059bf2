/* Nodes against the table of limits (lib/judges/limits/onnx.tsv): what runtimes divide by, index with or take memory by.  Nodes stand
 * before initializers, and both before the version of the operators, so what may be asked for is kept and judged at the end:
 * of constants their shape and where their values are, of nodes with a row their inputs and the numbers among their attributes.
 * Nodes of functions are not judged: their attributes come from the call. */
#include <string.h>

#include "checked.h"
#include "limits_onnx.h"
#include "onnx.h"
#include "onnx_operators.h"

#define STEPS_MAX 8u

enum form { FORM_NONE, FORM_POOL, FORM_RAW, FORM_DECLARED, FORM_ALIAS };

struct constant {
	struct scoped_name id, of; /* of: FORM_ALIAS */
	uint64_t at;               /* FORM_RAW */
	int64_t elements;
	uint32_t first; /* in the pool: the dimensions, and of FORM_POOL behind them the values */
	uint8_t rank, dtype;
	uint8_t form;
};

struct attribute {
	uint64_t name;
	uint32_t node, first, n;
	bool floats; /* how many is known and no more */
};

struct node {
	uint64_t at;
	uint32_t row, ordinal, attributes, n_attributes, inputs, n_in, n_out;
};

struct loop {
	uint64_t at;
	struct scoped_name trips, start, again, goes_on; /* again: what the body is told; goes_on: what it answers */
};

struct onnx_limits {
	struct loop *loops;
	size_t n_loops, loops_room;
	int64_t *pool;
	size_t pool_n, pool_room;
	struct constant *constants;
	size_t n_constants, constants_room;
	struct attribute *attributes;
	size_t n_attributes, attributes_room;
	struct node *nodes;
	size_t n_nodes, nodes_room;
	struct scoped_name *inputs;
	size_t n_inputs, inputs_room;
	uint32_t *slots; /* of constants by name, + 1 */
	size_t mask;
	uint32_t data_first, data_n; /* numbers of the tensor that is open */
	uint32_t ints_first, ints_n; /* and of the attribute */
	int64_t declared;
	unsigned declared_rank;
	/* while a node is judged */
	const struct node *node;
	struct onnx *o;
	int64_t values[3][LIMITS_VALUES_MAX];
	unsigned n_values;
	int64_t fallback[2]; /* a term has two at most */
	unsigned n_fallbacks;
	bool failed;
};

/* -- memory -- */

static void *grow(struct onnx *o, void *list, size_t n, size_t *room, size_t size)
{
	size_t more = *room > 0 ? 2 * *room : 64;

	if (n < *room)
		return list;
	list = arena_resize_raw(o->l->arena, list, more, size);
	if (list != NULL)
		*room = more;
	return list;
}

#define ADD(o, s, list, n, room)                                                             \
	do {                                                                                 \
		void *grown_ = grow((o), (s)->list, (s)->n, &(s)->room, sizeof(*(s)->list)); \
		if (grown_ == NULL)                                                          \
			return onnx_stop(o);                                                 \
		(s)->list = grown_;                                                          \
	} while (0)

bool onnx_limits_begin(struct onnx *o)
{
	o->limits = arena_alloc(o->l->arena, 1, sizeof(*o->limits));
	if (o->limits != NULL)
		o->limits->o = o;
	return o->limits != NULL;
}

static bool pool_add(struct onnx *o, int64_t value)
{
	struct onnx_limits *s = o->limits;

	ADD(o, s, pool, pool_n, pool_room);
	s->pool[s->pool_n++] = value;
	return true;
}

/* -- tensors -- */

void onnx_limits_tensor_begin(struct onnx *o)
{
	if (o->limits == NULL)
		return;
	o->limits->data_first = (uint32_t)o->limits->pool_n;
	o->limits->data_n = 0;
}

/* A number of int32_data or int64_data. */
bool onnx_limits_datum(struct onnx *o, uint64_t value)
{
	if (o->limits == NULL || o->limits->data_n >= LIMITS_VALUES_MAX)
		return true;
	o->limits->data_n++;
	return pool_add(o, (int64_t)value);
}

static unsigned width_of(unsigned dtype)
{
	static const uint8_t widths[] = {
		[1] = 4, [2] = 1, [3] = 1, [4] = 2, [5] = 2, [6] = 4, [7] = 8, [9] = 1, [11] = 8, [12] = 4, [13] = 8
	};

	return dtype < sizeof(widths) ? widths[dtype] : 0;
}

enum { FLOAT = 1, INT8 = 3, INT16 = 5, INT32 = 6, INT64 = 7, DOUBLE = 11 };

static void place_values(const struct onnx_limits *s, const struct onnx_tensor *t, struct constant *c)
{
	uint64_t elements = t->elements, bytes;
	unsigned width = width_of((unsigned)t->dtype);

	c->form = FORM_NONE;
	if (elements > LIMITS_VALUES_MAX || t->location != 0 || t->dtype >= UINT8_MAX || width == 0)
		return;
	if (t->present == 1u << ONNX_DATA_RAW && mul_u64(elements, width, &bytes) &&
	    t->counts[ONNX_DATA_RAW] == bytes) {
		c->form = FORM_RAW;
		c->at = t->data_at;
	} else if ((t->present == 1u << ONNX_DATA_INT64 || t->present == 1u << ONNX_DATA_INT32) &&
		   s->data_n == elements) {
		c->form = FORM_POOL;
	}
}

/* The tensor has ended; *ret: its number + 1, for the node whose attribute it is. */
bool onnx_limits_tensor_end(struct onnx *o, const struct onnx_tensor *t, struct scoped_name id, uint32_t *ret)
{
	struct onnx_limits *s = o->limits;
	struct constant c = { .id = id, .rank = (uint8_t)t->rank, .dtype = (uint8_t)t->dtype };

	if (s == NULL || t->bad_dims || t->overflow)
		return true;
	c.first = s->data_first;
	c.elements = (int64_t)t->elements;
	place_values(s, t, &c);
	if (c.form != FORM_POOL)
		s->pool_n = s->data_first;
	for (unsigned i = 0; i < t->rank; i++) /* behind the values, if there are any */
		if (!pool_add(o, (int64_t)t->shape[i]))
			return false;
	ADD(o, s, constants, n_constants, constants_room);
	s->constants[s->n_constants++] = c;
	*ret = (uint32_t)s->n_constants;
	return true;
}

/* -- declared shapes -- */

void onnx_limits_declare_begin(struct onnx *o)
{
	if (o->limits == NULL)
		return;
	o->limits->declared = 1;
	o->limits->declared_rank = 0;
}

void onnx_limits_declare(struct onnx *o, uint64_t dim)
{
	if (o->limits == NULL)
		return;
	o->limits->declared = dim > INT64_MAX ? -1 : (int64_t)dim;
	o->limits->declared_rank++;
}

/* A list whose length is declared, and longer than any rank: nothing else proves anything. */
bool onnx_limits_declare_end(struct onnx *o, struct scoped_name id)
{
	struct onnx_limits *s = o->limits;

	if (s == NULL || s->declared_rank != 1 || s->declared <= 64)
		return true;
	ADD(o, s, constants, n_constants, constants_room);
	s->constants[s->n_constants++] = (struct constant){ .id = id, .elements = s->declared, .form = FORM_DECLARED };
	return true;
}

/* -- attributes and nodes -- */

void onnx_limits_attribute_begin(struct onnx *o)
{
	if (o->limits == NULL)
		return;
	o->limits->ints_first = (uint32_t)o->limits->pool_n;
	o->limits->ints_n = 0;
}

bool onnx_limits_int(struct onnx *o, uint64_t value)
{
	struct onnx_limits *s = o->limits;

	if (s == NULL)
		return true;
	return s->ints_n++ >= LIMITS_VALUES_MAX || pool_add(o, (int64_t)value);
}

bool onnx_limits_attribute_end(struct onnx *o, struct onnx_node *n, const struct onnx_attribute *a)
{
	struct onnx_limits *s = o->limits;

	if (s == NULL || a->is_reference)
		return true;
	if (a->type == ONNX_ATTR_INT && !onnx_limits_int(o, a->number))
		return false;
	if (a->type != ONNX_ATTR_INT && a->type != ONNX_ATTR_INTS && a->type != ONNX_ATTR_FLOATS)
		return true;
	ADD(o, s, attributes, n_attributes, attributes_room);
	s->attributes[s->n_attributes++] = (struct attribute){ .name = a->name.id.a,
		.node = n->ordinal,
		.first = s->ints_first,
		.n = a->type == ONNX_ATTR_FLOATS ? (uint32_t)min_u64(a->n_floats, UINT32_MAX) : s->ints_n,
		.floats = a->type == ONNX_ATTR_FLOATS };
	return true;
}

void onnx_limits_node_begin(struct onnx *o, struct onnx_node *n)
{
	n->ordinal = o->n_nodes;
	if (o->limits != NULL)
		n->attributes_first = (uint32_t)o->limits->n_attributes;
}

static bool keep_node(struct onnx *o, const struct onnx_node *n, size_t row)
{
	struct onnx_limits *s = o->limits;
	unsigned known = n->n_inputs < ONNX_INPUTS_KEPT ? n->n_inputs : ONNX_INPUTS_KEPT;

	ADD(o, s, nodes, n_nodes, nodes_room);
	s->nodes[s->n_nodes++] = (struct node){ .at = n->at,
		.row = (uint32_t)row,
		.ordinal = n->ordinal,
		.attributes = n->attributes_first,
		.n_attributes = (uint32_t)s->n_attributes - n->attributes_first,
		.inputs = (uint32_t)s->n_inputs,
		.n_in = n->n_inputs,
		.n_out = n->n_outputs };
	for (unsigned i = 0; i < known; i++) {
		ADD(o, s, inputs, n_inputs, inputs_room);
		s->inputs[s->n_inputs++] = n->inputs[i];
	}
	return true;
}

static bool keep_alias(struct onnx *o, const struct onnx_node *n)
{
	struct onnx_limits *s = o->limits;

	ADD(o, s, constants, n_constants, constants_room);
	s->constants[s->n_constants++] = (struct constant){ .id = n->output, .of = n->input, .form = FORM_ALIAS };
	return true;
}

/* Of value_int and value_ints: numbers that are the last in the pool. */
static bool keep_numbers(struct onnx *o, const struct onnx_node *n)
{
	struct onnx_limits *s = o->limits;
	const struct attribute *a = s->n_attributes > n->attributes_first ? &s->attributes[s->n_attributes - 1] : NULL;
	uint64_t one = onnx_id_of(o, bytes_of_text("value_int")).a, many = onnx_id_of(o, bytes_of_text("value_ints")).a;
	struct constant c = { .id = n->output, .dtype = INT64, .form = FORM_POOL };

	if (a == NULL || a->node != n->ordinal || a->floats || a->n > LIMITS_VALUES_MAX ||
	    s->pool_n != (size_t)a->first + a->n || (a->name != many && (a->name != one || a->n != 1)))
		return true;
	c.first = a->first;
	c.elements = a->n;
	c.rank = a->name == many;
	if (c.rank > 0 && !pool_add(o, a->n))
		return false;
	ADD(o, s, constants, n_constants, constants_room);
	s->constants[s->n_constants++] = c;
	return true;
}

static bool keep_loop(struct onnx *o, const struct onnx_node *n)
{
	struct onnx_limits *s = o->limits;

	ADD(o, s, loops, n_loops, loops_room);
	s->loops[s->n_loops++] = (struct loop){ n->at, n->inputs[0], n->inputs[1], n->body_input, n->body_output };
	return true;
}

bool onnx_limits_node_end(struct onnx *o, const struct onnx_node *n)
{
	bool ml = onnx_word_is(&n->domain, "ai.onnx.ml"),
	     is_standard = n->domain.bytes == 0 || onnx_word_is(&n->domain, "ai.onnx");
	struct onnx_limits *s = o->limits;
	size_t row;

	if (s == NULL || o->unit == &o->function_unit || (!ml && !is_standard))
		return true;
	if (!ml && onnx_word_is(&n->op, "Constant") && n->constant > 0 && n->constant <= s->n_constants)
		s->constants[n->constant - 1].id = n->output;
	else if (!ml && onnx_word_is(&n->op, "Constant") && !keep_numbers(o, n))
		return false;
	if (!ml && onnx_word_is(&n->op, "Identity") && n->n_inputs == 1 && n->n_outputs == 1)
		return keep_alias(o, n);
	if (!ml && onnx_word_is(&n->op, "Loop") && !keep_loop(o, n))
		return false;
	row = limits_onnx_find(onnx_word_bytes(&n->op), ml);
	return row == limits_onnx_n_ops || keep_node(o, n, row);
}

/* -- when all is known -- */

static bool index_constants(struct onnx *o)
{
	struct onnx_limits *s = o->limits;
	size_t size = 16;

	while (size / 2 < s->n_constants) /* below the file's size */
		size *= 2;
	s->slots = arena_alloc(o->l->arena, size, sizeof(*s->slots));
	s->mask = size - 1;
	for (size_t i = 0; s->slots != NULL && i < s->n_constants; i++) {
		size_t at = (size_t)s->constants[i].id.a & s->mask;

		while (s->slots[at] != 0 && !onnx_id_equal(s->constants[s->slots[at] - 1].id, s->constants[i].id))
			at = (at + 1) & s->mask;
		if (s->slots[at] == 0)
			s->slots[at] = (uint32_t)i + 1;
		else if (s->constants[i].form != FORM_DECLARED) /* two of a name: which one depends on the graph */
			s->constants[s->slots[at] - 1].form = FORM_NONE,
						    s->constants[s->slots[at] - 1].rank = UINT8_MAX;
	}
	return s->slots != NULL || onnx_stop(o);
}

static const struct constant *find_one(const struct onnx_limits *s, struct scoped_name id)
{
	for (size_t at = (size_t)id.a & s->mask; s->slots[at] != 0; at = (at + 1) & s->mask)
		if (onnx_id_equal(s->constants[s->slots[at] - 1].id, id))
			return &s->constants[s->slots[at] - 1];
	return NULL;
}

static const struct constant *find_constant(const struct onnx_limits *s, struct scoped_name id)
{
	const struct constant *c = find_one(s, id);

	for (unsigned i = 0; c != NULL && c->form == FORM_ALIAS && i < STEPS_MAX; i++)
		c = find_one(s, c->of);
	return c != NULL && c->form != FORM_ALIAS && c->rank != UINT8_MAX ? c : NULL;
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

static int64_t number_of(unsigned dtype, const uint8_t *at)
{
	uint64_t wide = 0;
	float f;
	double d;

	memcpy(&wide, at, width_of(dtype));
	switch (dtype) {
	case FLOAT: memcpy(&f, at, sizeof(f)); return from_real((double)f);
	case DOUBLE: memcpy(&d, at, sizeof(d)); return from_real(d);
	case INT8: return (int8_t)wide;
	case INT16: return (int16_t)wide;
	case INT32: return (int32_t)wide;
	case INT64: return (int64_t)wide;
	default: return wide > INT64_MAX ? INT64_MAX : (int64_t)wide;
	}
}

static const int64_t *read_raw(struct onnx_limits *s, const struct constant *c)
{
	uint8_t bytes[LIMITS_VALUES_MAX * sizeof(uint64_t)];
	unsigned width = width_of(c->dtype);
	int64_t *values = s->values[s->n_values++ % 3];

	if (!part_read_guarded(&s->o->l->part, c->at, bytes, (size_t)c->elements * width)) {
		s->failed = true;
		return NULL;
	}
	for (int64_t i = 0; i < c->elements; i++)
		values[i] = number_of(c->dtype, bytes + (size_t)i * width);
	return values;
}

static bool find_input(struct onnx_limits *s, unsigned i, struct limits_operand *ret)
{
	const struct constant *c = NULL;

	if (i < s->node->n_in && i < ONNX_INPUTS_KEPT)
		c = find_constant(s, s->inputs[s->node->inputs + i]);
	if (c == NULL)
		return false;
	ret->n = (size_t)c->elements;
	ret->is_integer = c->dtype != FLOAT && c->dtype != DOUBLE && width_of(c->dtype) > 0;
	if (c->form == FORM_DECLARED) {
		ret->is_list = true;
		return true;
	}
	ret->rank = c->rank;
	ret->dims = s->pool + c->first + (c->form == FORM_POOL ? c->elements : 0);
	ret->values = c->form == FORM_POOL ? s->pool + c->first : c->form == FORM_RAW ? read_raw(s, c) : NULL;
	ret->values_known = ret->values != NULL;
	return !s->failed;
}

#define HAS_DEFAULT (-2) /* limits_name: limits.py */

static bool find_attribute(struct onnx_limits *s, const struct limits_name *name, struct limits_operand *ret)
{
	uint64_t id = onnx_id_of(s->o, bytes_of_text(name->text)).a;

	for (uint32_t i = 0; i < s->node->n_attributes; i++) {
		const struct attribute *a = &s->attributes[s->node->attributes + i];

		if (a->name != id || a->node != s->node->ordinal)
			continue;
		ret->is_list = ret->is_integer = true;
		ret->n = a->n;
		ret->values_known = !a->floats && a->n <= LIMITS_VALUES_MAX;
		ret->values = ret->values_known ? s->pool + a->first : NULL;
		return true;
	}
	s->fallback[s->n_fallbacks % 2] = name->fallback;
	ret->values = &s->fallback[s->n_fallbacks++ % 2];
	ret->n = 1;
	ret->values_known = ret->is_integer = true;
	return name->input == HAS_DEFAULT;
}

static bool find(void *ctx, const struct limits_name *name, struct limits_operand *ret)
{
	struct onnx_limits *s = ctx;

	return name->input >= 0 ? find_input(s, (unsigned)name->input, ret) : find_attribute(s, name, ret);
}

static uint64_t version_of(const struct onnx *o, bool ml)
{
	for (unsigned i = 0; i < o->model.n_imported; i++) {
		const struct onnx_word *name = &o->model.imported[i].name;

		if (ml ? onnx_word_is(name, "ai.onnx.ml") : name->bytes == 0 || onnx_word_is(name, "ai.onnx"))
			return o->model.imported[i].version;
	}
	return 0;
}

static void judge(struct onnx *o, const struct limits_onnx_op *op, const struct node *n)
{
	struct onnx_limits *s = o->limits;
	const struct limits_env env = { .find = find, .ctx = s, .in = n->n_in, .out = n->n_out };
	int64_t found;

	s->node = n;
	for (unsigned i = 0; i < op->rule.n_terms && !s->failed; i++) {
		const struct limits_term *t = &op->rule.terms[i];

		if (limits_judge(t, &env, &found) != LIMITS_FAILS || s->failed)
			continue;
		layout_finding(
		    o->l, &(struct finding){ .code = t->mild ? WLK_F_ONNX_RUNTIME_RANGE : WLK_F_ONNX_RUNTIME_LIMIT,
			      .has_offset = true,
			      .offset = n->at,
			      .subject = bytes_of_text(op->name),
			      .found = value_number((uint64_t)found),
			      .allowed = value_text(bytes_of_text(t->text)) });
		o->broken = o->broken || !t->mild;
	}
}

/* -- loops -- */

#define TRIPS_MAX (INT64_C(1) << 31)

static bool is_absent(struct scoped_name id)
{
	return id.a == 0 && id.b == 0;
}

/* The number that a constant is. */
static bool one_value(struct onnx_limits *s, struct scoped_name id, int64_t *ret)
{
	const struct constant *c = find_constant(s, id);
	const int64_t *values = NULL;

	if (c == NULL || c->elements != 1)
		return false;
	if (c->form == FORM_POOL)
		values = s->pool + c->first;
	else if (c->form == FORM_RAW)
		values = read_raw(s, c);
	if (values == NULL)
		return false;
	*ret = *values;
	return true;
}

static bool is_same(const struct onnx_limits *s, struct scoped_name id, struct scoped_name other)
{
	const struct constant *c;

	for (unsigned i = 0; i <= STEPS_MAX; i++) {
		if (onnx_id_equal(id, other))
			return true;
		c = find_one(s, id);
		if (c == NULL || c->form != FORM_ALIAS || c->rank == UINT8_MAX)
			return false;
		id = c->of;
	}
	return false;
}

/* Nothing that it does can end it.  A trip count of 2^63-1 alone is honest: exporters write it for `while`. */
static bool is_endless(struct onnx_limits *s, const struct loop *l)
{
	int64_t trips = INT64_MAX, start = 1, again = 0;

	if (!is_absent(l->trips) && (!one_value(s, l->trips, &trips) || trips <= TRIPS_MAX))
		return false;
	if (!is_absent(l->start) && (!one_value(s, l->start, &start) || start == 0))
		return false;
	if (is_absent(l->goes_on))
		return false;
	return is_same(s, l->goes_on, l->again) || (one_value(s, l->goes_on, &again) && again != 0);
}

static void check_loops(struct onnx *o)
{
	struct onnx_limits *s = o->limits;

	for (size_t i = 0; i < s->n_loops && !s->failed; i++) {
		if (!is_endless(s, &s->loops[i]) || s->failed)
			continue;
		layout_finding(o->l, &(struct finding){ .code = WLK_F_ONNX_RUNTIME_LIMIT,
					 .has_offset = true,
					 .offset = s->loops[i].at,
					 .subject = bytes_of_text("Loop"),
					 .allowed = value_text(bytes_of_text("a loop ends")) });
		o->broken = true;
	}
}

bool onnx_limits_finish(struct onnx *o)
{
	struct onnx_limits *s = o->limits;
	uint64_t versions[] = { version_of(o, false), version_of(o, true) };

	if (s == NULL || s->n_nodes + s->n_loops == 0)
		return true;
	if (!index_constants(o))
		return false;
	for (size_t i = 0; i < s->n_nodes && !s->failed; i++) {
		const struct limits_onnx_op *op =
		    limits_onnx_version(s->nodes[i].row, versions[limits_onnx_ops[s->nodes[i].row].ml]);

		if (op != NULL)
			judge(o, op, &s->nodes[i]);
	}
	check_loops(o);
	return !s->failed || onnx_stop(o);
}
