/* What is kept of a graph to be judged when it is whole: see tf_limits.h. */
#include "tf_limits.h"

#include <string.h>

#include "checked.h"

#define ADD(t, s, list, n, room) \
	((s)->list = tf_grow((t), (s)->list, (s)->n, &(s)->room, sizeof(*(s)->list)), !(t)->stopped)

bool tf_limits_begin(struct tf *t)
{
	t->limits = arena_alloc(t->l->arena, 1, sizeof(*t->limits));
	if (t->limits == NULL)
		return tf_stop(t);
	t->limits->t = t;
	return true;
}

void tf_limits_walk_begin(struct tf *t)
{
	struct tf_limits *s = t->limits;

	s->n_pool = s->n_values = s->n_inputs = s->n_nodes = s->n_constants = s->n_fresh = 0;
	s->graph = 0;
	memset(s->shadowed, 0, sizeof(s->shadowed));
}

/* More than the first of them that there may be are told elsewhere. */
void tf_limits_graph_begin(struct tf *t)
{
	if (t->limits->graph < TF_META_GRAPHS_MAX)
		t->limits->graph++;
}

static bool pool_add(struct tf *t, int64_t value)
{
	struct tf_limits *s = t->limits;

	if (!ADD(t, s, pool, n_pool, pool_room))
		return false;
	s->pool[s->n_pool++] = value;
	return true;
}

/* -- functions -- */

void tf_limits_function(struct tf *t, struct bytes name)
{
	size_t row = limits_tf_find(name);

	t->limits->n_outs = 0;
	if (row < limits_tf_n_ops)
		t->limits->shadowed[t->limits->graph][row / 8] |= (uint8_t)(1u << row % 8);
}

/* A result of the function, and what its `ret` would call it: a key of that map (tf_graph.c, take_key). */
bool tf_limits_result(struct tf *t, struct bytes name, uint64_t map)
{
	struct tf_limits *s = t->limits;

	if (!ADD(t, s, outs, n_outs, outs_room))
		return false;
	s->outs[s->n_outs++] = scoped_name_of(&t->names, name, ~map);
	return true;
}

void tf_limits_function_end(struct tf *t, uint64_t at)
{
	const struct tf_limits *s = t->limits;

	for (uint32_t i = 0; i < s->n_outs; i++)
		if (scoped_names_find(&t->names, s->outs[i], 1u << SCOPED_KEY, t->function_base) == NULL)
			tf_limits_tell(t, at, "function", "a function's result comes from somewhere", false, i);
	t->limits->n_outs = 0;
}

void tf_limits_argument_begin(struct tf *t)
{
	t->limits->argument = (struct tf_kept){ .row = TF_ROW_ARGUMENT };
}

void tf_limits_argument_name(struct tf *t, struct scoped_name id)
{
	t->limits->argument.id = id;
}

void tf_limits_argument_type(struct tf *t, uint64_t type)
{
	t->limits->argument.dtype = type < TF_REFERENCE ? (uint8_t)type : 0;
}

static bool keep(struct tf *t, struct tf_kept kept)
{
	struct tf_limits *s = t->limits;

	if (!ADD(t, s, nodes, n_nodes, nodes_room))
		return false;
	s->nodes[s->n_nodes++] = kept;
	return true;
}

bool tf_limits_argument_end(struct tf *t)
{
	return keep(t, t->limits->argument);
}

/* -- nodes -- */

void tf_limits_node_begin(struct tf *t)
{
	struct tf_limits *s = t->limits;

	s->n_fresh = 0;
	s->first_input = s->n_inputs;
	s->constant = 0;
	s->row = TF_ROW_NONE;
}

/* Few operators make a graph: the last ones are remembered. */
void tf_limits_op(struct tf *t)
{
	struct tf_limits *s = t->limits;
	const struct tf_word *op = &t->node.op;
	size_t place = (size_t)op->id.a % TF_ROWS_REMEMBERED, row;

	if (s->remembered[place].op.a != op->id.a || s->remembered[place].op.b != op->id.b) {
		row = op->bytes == op->n ? limits_tf_find(tf_word_bytes(op)) : limits_tf_n_ops;
		s->remembered[place].op = op->id;
		s->remembered[place].row = row == limits_tf_n_ops ? TF_ROW_NONE : (uint16_t)row;
	}
	s->row = s->remembered[place].row;
}

static int64_t number_of(struct bytes text)
{
	int64_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (text.at[i] < '0' || text.at[i] > '9' || n > INT32_MAX)
			return -1;
		n = n * 10 + text.at[i] - '0';
	}
	return text.n > 0 ? n : -1;
}

/* "a:1" in a graph, "a:output:1" or the name of an argument in a function. */
bool tf_limits_input(struct tf *t, struct scoped_name id, struct bytes input)
{
	struct tf_limits *s = t->limits;
	struct tf_input in = { .node = id };
	const uint8_t *colon = input.n > 0 ? memchr(input.at, ':', input.n) : NULL;

	if (!ADD(t, s, inputs, n_inputs, inputs_room))
		return false;
	if (colon != NULL) {
		struct bytes rest = bytes_of(colon + 1, (size_t)(input.at + input.n - colon - 1));
		const uint8_t *second = rest.n > 0 ? memchr(rest.at, ':', rest.n) : NULL;

		in.port = number_of(rest);
		if (second != NULL) {
			in.named = true;
			in.arg = scoped_name_of(&t->names, bytes_of(rest.at, (size_t)(second - rest.at)), 0).a;
			in.port = number_of(bytes_of(second + 1, (size_t)(rest.at + rest.n - second - 1)));
		}
	}
	s->inputs[s->n_inputs++] = in;
	return true;
}

/* -- attributes -- */

void tf_limits_attr_begin(struct tf *t)
{
	t->limits->open = (struct tf_value){ .first = t->limits->n_pool, .index = LIMITS_TF_NONE };
}

/* Which may come behind its value, and before keys of the functions in it. */
void tf_limits_key(struct tf *t)
{
	struct tf_limits *s = t->limits;

	s->open.key = t->key.id.a;
	s->open.index = LIMITS_TF_NONE;
	if (s->row == TF_ROW_NONE)
		return;
	for (uint8_t i = 0; i < limits_tf_ops[s->row].n_attrs; i++)
		if (tf_word_is(&t->key, limits_tf_ops[s->row].attrs[i].name))
			s->open.index = i;
}

/* A number; @field: of AttrValue, or of its list. */
bool tf_limits_number(struct tf *t, uint32_t field, bool list, uint64_t value)
{
	struct tf_value *v = &t->limits->open;

	v->kind = (uint8_t)field;
	v->list = list;
	if (!list) {
		v->number = (int64_t)value;
		return true;
	}
	return v->n++ >= LIMITS_VALUES_MAX || pool_add(t, (int64_t)value);
}

/* Floats in a row, which stay in the file; of several rows how many there are is enough. */
void tf_limits_floats(struct tf *t, uint64_t at, uint64_t n)
{
	struct tf_value *v = &t->limits->open;

	v->in_file = v->n == 0;
	v->kind = LIMITS_TF_FLOAT;
	v->list = true;
	v->number = (int64_t)at;
	v->n += (uint32_t)min_u64(n / sizeof(float), UINT32_MAX / 2 - v->n / 2);
}

void tf_limits_list(struct tf *t)
{
	t->limits->open.list = true;
}

void tf_limits_bound(struct tf *t)
{
	t->limits->open.bound = true;
}

/* Another kind of value: that there is one is enough. */
void tf_limits_other(struct tf *t, uint8_t kind, bool list)
{
	struct tf_value *v = &t->limits->open;

	v->kind = kind;
	v->list = list;
	v->n++;
}

bool tf_limits_text(struct tf *t, struct bytes text, uint64_t n, bool list)
{
	struct tf_value *v = &t->limits->open;
	int64_t words[TF_TEXT_KEPT / sizeof(int64_t)] = { 0 };

	tf_limits_other(t, LIMITS_TF_STRING, list);
	if (list || n > TF_TEXT_KEPT)
		return true;
	v->n = (uint32_t)n;
	memcpy(words, text.at, (size_t)n);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!pool_add(t, words[i]))
			return false;
	return true;
}

bool tf_limits_attr_end(struct tf *t)
{
	struct tf_limits *s = t->limits;

	if (s->row != TF_ROW_NONE && s->open.index == LIMITS_TF_NONE)
		return true; /* none of the operator's */
	if (!ADD(t, s, fresh, n_fresh, fresh_room))
		return false;
	s->fresh[s->n_fresh++] = s->open;
	return true;
}

/* -- shapes -- */

void tf_limits_shape_begin(struct tf *t)
{
	struct tf_limits *s = t->limits;

	s->elements = 1;
	s->bad_shape = s->unknown_rank = false;
	s->shape_first = s->n_pool;
	s->shape_n = 0;
}

/* Of size 0 nothing is written. */
bool tf_limits_dim(struct tf *t, int64_t size)
{
	struct tf_limits *s = t->limits;

	s->bad_shape =
	    s->bad_shape || size < -1 || (size > 0 && __builtin_mul_overflow(s->elements, size, &s->elements));
	if (size == 0)
		s->elements = 0;
	if (s->shape_n >= TF_RANK_MAX)
		return true;
	s->shape_n++;
	return pool_add(t, size);
}

void tf_limits_unknown_rank(struct tf *t)
{
	t->limits->unknown_rank = true;
}

/* Of an attribute. */
void tf_limits_shape_end(struct tf *t, uint64_t at, bool list, bool of_node)
{
	struct tf_limits *s = t->limits;
	const char *op = "shape";

	if (s->bad_shape)
		tf_limits_tell(
		    t, at, op, "dimensions are -1 or more, and their product fits 63 bits", false, s->elements);
	else if (s->elements > (int64_t)LIMITS_OUTPUT_BYTES_MAX)
		tf_limits_tell(t, at, op, "no more elements than an output has bytes", true, s->elements);
	if (of_node)
		tf_limits_other(t, LIMITS_TF_SHAPE, list);
	if (list || !of_node) {
		s->n_pool = s->shape_first;
		return;
	}
	s->open.first = s->shape_first;
	s->open.n = s->shape_n;
	s->open.rank_known = !s->unknown_rank && s->shape_n < TF_RANK_MAX;
}

/* -- constants -- */

void tf_limits_tensor_begin(struct tf *t)
{
	struct tf_limits *s = t->limits;

	tf_limits_shape_begin(t);
	s->n_data = 0;
	s->data_in_file = s->data_twice = false;
}

/* A number that stands by itself. */
bool tf_limits_datum(struct tf *t, uint64_t value)
{
	struct tf_limits *s = t->limits;

	if (s->n_data == 0)
		s->data_first = s->n_pool;
	s->data_twice = s->data_twice || s->data_in_file;
	if (s->n_data++ >= LIMITS_VALUES_MAX)
		return true;
	s->data_twice = s->data_twice || s->n_pool != s->data_first + s->n_data - 1;
	return pool_add(t, (int64_t)value);
}

/* Content, or floats in a row. */
void tf_limits_run(struct tf *t, uint64_t at, uint64_t n)
{
	struct tf_limits *s = t->limits;

	s->data_twice = s->data_twice || s->data_in_file || s->n_data > 0;
	s->data_in_file = true;
	s->data_at = at;
	s->n_data = (uint32_t)min_u64(n, UINT32_MAX);
}

bool tf_limits_tensor_end(struct tf *t, bool sound)
{
	struct tf_limits *s = t->limits;
	const struct tf_type *type = tf_type_of(t->tensor.dtype);
	struct tf_constant c = { .dtype = t->tensor.dtype < UINT16_MAX ? (uint16_t)t->tensor.dtype : 0,
		.elements = s->elements,
		.rank = (uint8_t)s->shape_n,
		.in_file = s->data_in_file,
		.at = s->data_at };
	uint32_t bytes = type != NULL ? type->bits / 8 : 0;

	if (!sound || s->bad_shape || s->unknown_rank || s->shape_n >= TF_RANK_MAX)
		return true;
	c.first = s->shape_first;
	c.data = s->data_first;
	c.n = s->data_in_file && bytes > 0 ? s->n_data / bytes : s->n_data;
	c.known = bytes > 0 && bytes <= 8 && type->parts == 1 && !s->data_twice && c.elements <= LIMITS_VALUES_MAX &&
		  c.n <= c.elements && t->tensor.dtype != TF_TYPE_BFLOAT16 && t->tensor.dtype != TF_TYPE_HALF;
	if (!ADD(t, s, constants, n_constants, constants_room))
		return false;
	s->constants[s->n_constants++] = c;
	if (t->key.bytes == 0 || tf_word_is(&t->key, "value"))
		s->constant = s->n_constants;
	return true;
}

/* -- the node at its end -- */

/* An attribute that stands before the operator, which no writer does, is known by its hash. */
static uint8_t index_of(struct tf *t, const struct limits_tf_op *op, const struct tf_value *v)
{
	for (uint8_t i = 0; v->index == LIMITS_TF_NONE && i < op->n_attrs; i++)
		if (scoped_name_of(&t->names, bytes_of_text(op->attrs[i].name), 0).a == v->key)
			return i;
	return v->index;
}

/* Those that the row has, the first of each. */
static bool keep_values(struct tf *t, const struct limits_tf_op *op, struct tf_kept *kept)
{
	struct tf_limits *s = t->limits;

	kept->values = s->n_values;
	for (uint32_t k = 0; k < s->n_fresh; k++) {
		uint8_t index = index_of(t, op, &s->fresh[k]);

		if (index == LIMITS_TF_NONE || kept->n_values >= op->n_attrs)
			continue;
		if (!ADD(t, s, values, n_values, values_room))
			return false;
		s->values[s->n_values] = s->fresh[k];
		s->values[s->n_values++].index = index;
		kept->n_values++;
	}
	return true;
}

bool tf_limits_node_end(struct tf *t)
{
	struct tf_limits *s = t->limits;
	const struct tf_node *n = &t->node;
	struct tf_kept kept = { .id = tf_node_id(t, tf_word_bytes(&n->name), t->scope),
		.at = n->at,
		.row = s->row,
		.inputs = s->first_input,
		.n_inputs = s->n_inputs - s->first_input,
		.constant = s->constant,
		.graph = s->graph };

	if (s->row == TF_ROW_NONE || n->name.bytes != n->name.n || n->n_attributes > TF_ATTRIBUTES_MAX) {
		s->n_inputs = s->first_input;
		return true;
	}
	return keep_values(t, &limits_tf_ops[s->row], &kept) && keep(t, kept);
}
