/* Arguments of what policies grant: the classes and functions of packs. */
#include "arguments_impl.h"
#include "bounds.h"

/* How picklers write instances; what comes with the state is judged in state.c. */
bool rule_object(const struct pickle_context *c)
{
	return is_build(c) ? bounds_sparse_fit(c) : n_args(c) == 0;
}

#define PLAIN_INT_MAX 65536 /* nodes, classes, columns: more than that comes as an array */

/* The functions that Cython makes take a checksum, and what becomes attributes. */
static bool is_cython(const struct pickle_context *c)
{
	const struct bytes own = bytes_of_text("__pyx_unpickle_");
	struct bytes module, name;

	return pickle_global_mapped(c->machine, c->event->target, &module, &name) && name.n > own.n &&
	       memcmp(name.at, own.at, own.n) == 0;
}

static bool is_small(const struct pickle_context *c, pickle_value v, int64_t max)
{
	int64_t n;

	return kind_of(c, v) != PICKLE_BIG_INT &&
	       (kind_of(c, v) != PICKLE_INT || (pickle_int(c->machine, v, &n) && n >= -max && n <= max));
}

/* A shape, of an array that a state will fill. */
static bool is_plain_tuple(const struct pickle_context *c, pickle_value v)
{
	if (kind_of(c, v) != PICKLE_TUPLE || !pickle_inert(c->machine, v))
		return false;
	for (uint64_t i = 0; i < pickle_count(c->machine, v); i++) {
		pickle_value item = pickle_item(c->machine, v, i);

		if (is_container_value(c, item) || (!is_cython(c) && !is_small(c, item, 0)))
			return false;
	}
	return true;
}

/* A class of the library whose function is called: some make an instance of what they are given, with arguments of the
 * file's (numpy.random's __randomstate_ctor(x, f) calls f(x)). */
bool argument_is_of_library(const struct pickle_context *c, pickle_value callee, pickle_value global)
{
	struct bytes own, other, name;
	size_t n = 0;

	if (!pickle_global_mapped(c->machine, callee, &own, &name) ||
	    !pickle_global_mapped(c->machine, global, &other, &name))
		return false;
	while (n < own.n && own.at[n] != '.')
		n++;
	return other.n >= n && memcmp(own.at, other.at, n) == 0 && (other.n == n || other.at[n] == '.');
}

static bool is_granted_argument(const struct pickle_context *c, uint64_t i)
{
	pickle_value v = arg(c, i);

	switch (kind(c, i)) {
	case PICKLE_GLOBAL:
		return (pickle_global_standing(c->machine, v, c->extra).tier == PICKLE_TIER_EXTRA &&
			   argument_is_of_library(c, c->event->target, v)) ||
		       global_is(c->machine, v, "numpy", "ndarray");
	case PICKLE_OBJECT: return pickle_is_array(c, v) || is_bytes(c, i);
	case PICKLE_TUPLE: return is_plain_tuple(c, v);
	default: return is_plain(c, i) && (is_cython(c) || is_small(c, v, PLAIN_INT_MAX));
	}
}

/* numpy.ma.core._mareconstruct(class, ndarray, (0,), b"b"): makes an instance of any class of that library, whose state is
 * one of an array: see rule_ndarray(). */

bool argument_is_masked(const struct pickle_context *c)
{
	pickle_value callee = is_build(c) ? pickle_callee(c->machine, c->event->target) : c->event->target;

	return global_is(c->machine, callee, "numpy.ma.core", "_mareconstruct");
}

/* __randomstate_ctor("MT19937", __bit_generator_ctor), from NumPy 2 on __randomstate_ctor(generator) and
 * __bit_generator_ctor(MT19937): with another function its first argument becomes a seed, which takes seconds. */
static bool is_random(const struct pickle_context *c)
{
	pickle_value callee = is_build(c) ? pickle_class_of(c, c->event->target) : c->event->target;
	struct bytes module, name;

	return callee != PICKLE_NO_VALUE && pickle_global_mapped(c->machine, callee, &module, &name) &&
	       (text_is(module, "numpy.random._pickle") || text_is(module, "numpy.random"));
}

static bool is_generator_class(const struct pickle_context *c, pickle_value v)
{
	return global_is(c->machine, v, "numpy.random._mt19937", "MT19937") ||
	       global_is(c->machine, v, "numpy.random._pcg64", "PCG64") ||
	       global_is(c->machine, v, "numpy.random._pcg64", "PCG64DXSM") ||
	       global_is(c->machine, v, "numpy.random._philox", "Philox") ||
	       global_is(c->machine, v, "numpy.random._sfc64", "SFC64");
}

static bool rule_random(const struct pickle_context *c)
{
	static const char *const names[] = { "MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64", NULL };
	pickle_value first = arg(c, 0);

	if (n_args(c) > 2)
		return false;
	if (n_args(c) == 2 && !global_is(c->machine, arg(c, 1), "numpy.random._pickle", "__bit_generator_ctor"))
		return false;
	return n_args(c) == 0 || text_among(c, 0, names) || is_generator_class(c, first) ||
	       pickle_made_by(c->machine, first, "numpy.random._pickle", "__bit_generator_ctor");
}

#define TWISTER_WORDS 624 /* of the Mersenne twister; Philox buffers four */
#define PHILOX_WORDS 4

static bool is_at_most(const struct pickle_context *c, pickle_value v, int64_t most)
{
	int64_t n;

	return v != PICKLE_NO_VALUE && pickle_int(c->machine, v, &n) && n >= 0 && n <= most;
}

/* {"bit_generator": name, "state": {...}}, from NumPy 2 on with its seed; RandomState's old (name, words, place, ...).  The next number is
 * read at this place, unchecked. */
static bool is_random_state(const struct pickle_context *c)
{
	pickle_value dict = c->event->args, inner, place;

	if (kind_of(c, dict) == PICKLE_TUPLE && kind(c, 0) == PICKLE_STR)
		return is_at_most(c, arg(c, 2), TWISTER_WORDS);
	if (kind_of(c, dict) == PICKLE_TUPLE)
		dict = arg(c, 0);
	if (kind_of(c, dict) == PICKLE_NONE) /* a generator that its argument has made whole */
		return true;
	if (kind_of(c, dict) != PICKLE_DICT || !pickle_lookup(c->machine, dict, "state", &inner) ||
	    kind_of(c, inner) != PICKLE_DICT || pickle_count(c->machine, inner) > PICKLE_ITEMS_KEPT ||
	    pickle_has_opaque_key(c->machine, inner)) /* str("pos") */
		return false;
	return (!pickle_lookup(c->machine, inner, "pos", &place) || is_at_most(c, place, TWISTER_WORDS)) &&
	       (!pickle_lookup(c->machine, dict, "buffer_pos", &place) || is_at_most(c, place, PHILOX_WORDS));
}

bool rule_granted_call(const struct pickle_context *c)
{
	if (argument_is_masked(c))
		return rule_masked(c);
	if (is_build(c))
		return !is_random(c) || is_random_state(c);
	if (is_random(c))
		return rule_random(c);
	if (argument_call(c) != CALL_UNLISTED)
		return argument_call(c) == CALL_FITS;
	return n_args(c) <= 4 && all_args(c, is_granted_argument);
}

/* Color(1), Color("red") */
bool rule_member(const struct pickle_context *c)
{
	return !is_build(c) && n_args(c) == 1 && is_plain(c, 0);
}

bool pickle_names_member(const struct pickle_context *c, pickle_value owner, struct bytes attribute)
{
	bool capital = attribute.n > 0 && attribute.at[0] >= 'A' && attribute.at[0] <= 'Z';

	for (size_t i = 1; i < attribute.n; i++) {
		uint8_t b = attribute.at[i];

		capital &= (b >= 'A' && b <= 'Z') || (b >= '0' && b <= '9') || b == '_';
	}
	return capital && kind_of(c, owner) == PICKLE_GLOBAL &&
	       pickle_global_standing(c->machine, owner, c->extra).rule == PICKLE_RULE_MEMBER;
}

bool pickle_is_member(const struct pickle_context *c, pickle_value object)
{
	return (pickle_marks(c->machine, object) & PICKLE_MARK_MEMBER) != 0;
}
