/* Implements lengths.h: columns of calls.tsv, and what classes of arrays keep. */
#include "arguments_impl.h"
#include "lengths.h"

#define PARTS_MAX 4096 /* of one call: as many as a tree of arguments may have */
#define PARTS_DEPTH_MAX 6

/* Of what an array was made; PICKLE_NO_VALUE: it has no state yet, or is no array.  joblib's wrapper says it by name. */
static pickle_value shape_of(const struct pickle_context *c, pickle_value v)
{
	pickle_value parts = PICKLE_NO_VALUE, shape = PICKLE_NO_VALUE;
	uint64_t state, place = 2;

	if (object_map_get(c->states, v, &state)) {
		parts = state;
		if (kind_of(c, parts) == PICKLE_DICT)
			return pickle_lookup(c->machine, parts, "shape", &shape) ? shape : PICKLE_NO_VALUE;
		place = pickle_count(c->machine, parts) == 4 ? 0 : 1;
	} else if (kind_of(c, v) == PICKLE_OBJECT &&
		   (pickle_made_by(c->machine, v, "numpy.core.numeric", "_frombuffer") ||
		       pickle_made_by(c->machine, v, "numpy._core.numeric", "_frombuffer"))) {
		parts = pickle_call_arguments(c->machine, v);
	}
	return parts != PICKLE_NO_VALUE && kind_of(c, parts) == PICKLE_TUPLE ? pickle_item(c->machine, parts, place)
									     : PICKLE_NO_VALUE;
}

unsigned pickle_dimensions(const struct pickle_context *c, pickle_value v, uint64_t ret[PICKLE_DIMENSIONS])
{
	pickle_value shape = shape_of(c, v);
	uint64_t n = kind_of(c, shape) == PICKLE_TUPLE ? pickle_count(c->machine, shape) : 0;
	int64_t dimension;

	if (n > PICKLE_DIMENSIONS)
		return 0;
	for (uint64_t i = 0; i < n; i++) {
		pickle_value item = pickle_item(c->machine, shape, i);

		if (item == PICKLE_NO_VALUE || !pickle_int(c->machine, item, &dimension) || dimension < 0)
			return 0;
		ret[i] = (uint64_t)dimension;
	}
	return (unsigned)n;
}

bool pickle_length(const struct pickle_context *c, pickle_value v, uint64_t *ret)
{
	uint64_t dimensions[PICKLE_DIMENSIONS];

	if (v == PICKLE_NO_VALUE)
		return false;
	if (object_map_get(c->lengths, v, ret))
		return true;
	if (pickle_dimensions(c, v, dimensions) != 1)
		return false;
	*ret = dimensions[0];
	return true;
}

/* Of anything that a call may go through. */
static uint64_t items_of(const struct pickle_context *c, pickle_value v)
{
	uint64_t dimensions[PICKLE_DIMENSIONS], n = 1;
	unsigned rank;

	if (object_map_get(c->lengths, v, &n))
		return n;
	rank = pickle_dimensions(c, v, dimensions);
	if (rank == 0)
		return 0;
	for (unsigned i = 0; i < rank; i++)
		if (!mul_u64(n, dimensions[i], &n))
			return UINT64_MAX;
	return n;
}

struct parts {
	const struct pickle_context *c;
	uint64_t items;
	unsigned n;
};

static void add_items(struct parts *p, pickle_value v, unsigned depth)
{
	const struct pickle *machine = p->c->machine;
	enum pickle_kind kind = kind_of(p->c, v);
	pickle_value key, value;

	if (++p->n > PARTS_MAX || depth > PARTS_DEPTH_MAX)
		return; /* no table takes such arguments */
	if (kind == PICKLE_OBJECT && !add_u64(p->items, items_of(p->c, v), &p->items))
		p->items = UINT64_MAX;
	if (kind != PICKLE_DICT && kind != PICKLE_TUPLE && kind != PICKLE_LIST)
		return;
	for (uint64_t i = 0; i < pickle_count(machine, v) && p->n <= PARTS_MAX; i++) {
		if (kind != PICKLE_DICT)
			add_items(p, pickle_item(machine, v, i), depth + 1);
		else if (pickle_pair(machine, v, i, &key, &value))
			add_items(p, value, depth + 1);
	}
}

/* -- where a length comes from -- */

static bool length_under(const struct pickle_context *c, pickle_value dict, const char *key, uint64_t *ret)
{
	pickle_value v;

	return kind_of(c, dict) == PICKLE_DICT && pickle_lookup(c->machine, dict, key, &v) && pickle_length(c, v, ret);
}

static bool int_under(const struct pickle_context *c, pickle_value dict, const char *key, int64_t *ret)
{
	pickle_value v;

	return pickle_lookup(c->machine, dict, key, &v) && pickle_int(c->machine, v, ret);
}

/* range(start, stop, step) */
static bool length_of_range(const struct pickle_context *c, pickle_value dict, uint64_t *ret)
{
	int64_t start, stop, step;
	uint64_t apart, stride;

	if (!int_under(c, dict, "start", &start) || !int_under(c, dict, "stop", &stop) ||
	    !int_under(c, dict, "step", &step) || step == 0)
		return false;
	apart = step > 0 ? (uint64_t)stop - (uint64_t)start : (uint64_t)start - (uint64_t)stop;
	stride = step > 0 ? (uint64_t)step : UINT64_C(0) - (uint64_t)step;
	*ret = (step > 0 ? stop > start : start > stop) ? (apart - 1) / stride + 1 : 0;
	return true;
}

static bool length_of_codes(const struct pickle_context *c, pickle_value dict, uint64_t *ret)
{
	pickle_value codes;

	return pickle_lookup(c->machine, dict, "codes", &codes) && kind_of(c, codes) == PICKLE_LIST &&
	       pickle_count(c->machine, codes) > 0 && pickle_length(c, pickle_item(c->machine, codes, 0), ret);
}

static bool length_of_index(const struct pickle_context *c, uint64_t *ret)
{
	pickle_value dict = arg(c, 1);

	return kind_of(c, dict) == PICKLE_DICT &&
	       (length_under(c, dict, "data", ret) || length_under(c, dict, "left", ret) ||
		   length_of_range(c, dict, ret) || length_of_codes(c, dict, ret));
}

static bool length_of_first(const struct pickle_context *c, uint64_t *ret)
{
	int64_t n;

	if (arg(c, 0) == PICKLE_NO_VALUE || !pickle_int(c->machine, arg(c, 0), &n))
		return false;
	*ret = n > 0 ? (uint64_t)n : 0;
	return true;
}

/* (dtype, array, ...), in either order. */
static bool length_of_state(const struct pickle_context *c, uint64_t *ret)
{
	return pickle_length(c, arg(c, 0), ret) || (arg(c, 1) != PICKLE_NO_VALUE && pickle_length(c, arg(c, 1), ret));
}

/* What stands for as many items as its owner: of a type of categories, as many as it tells apart. */
static bool length_of_attributes(const struct pickle_context *c, uint64_t *ret)
{
	static const char *const keys[] = { "_data", "_left", "_sparse_index", "categories" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (length_under(c, c->event->args, keys[i], ret))
			return true;
	return false;
}

bool argument_sizes_note(const struct pickle_context *c, enum call_size size)
{
	struct parts p = { .c = c };
	uint64_t length = 0;
	bool known = false;

	switch (size) {
	case CALL_SIZE_NONE: return true;
	case CALL_SIZE_ITEMS: break;
	case CALL_SIZE_FIRST: known = !is_build(c) && length_of_first(c, &length); break;
	case CALL_SIZE_INDEX: known = !is_build(c) && length_of_index(c, &length); break;
	case CALL_SIZE_STATE: known = is_build(c) && length_of_state(c, &length); break;
	}
	add_items(&p, c->event->args, 0);
	pickle_cost_items(c->machine, p.items);
	return !known || object_map_put(c->lengths, is_build(c) ? c->event->target : c->event->result, length);
}

bool argument_attributes_note(const struct pickle_context *c)
{
	uint64_t length;

	return !is_build(c) || !length_of_attributes(c, &length) ||
	       object_map_put(c->lengths, c->event->target, length);
}
