/* Implements arguments.h.  Rules are told apart by the act where a name is called and its instances are built. */
#include "arguments.h"

#include <string.h>

#include "checked.h"

#define STORAGE_ELEMENTS_MAX ((int64_t)1 << 24) /* torch.FloatStorage(n) allocates: no file needs more */
#define NUMBER_TEXT_MAX 4300                    /* bytes: int() of more is quadratic; Python's own limit */

/* -- what a value is -- */

static bool text_is(struct bytes b, const char *text)
{
	return bytes_equal(b, bytes_of_text(text));
}

static bool global_is(const struct pickle *p, pickle_value v, const char *module, const char *name)
{
	struct bytes m, n;

	return v != PICKLE_NO_VALUE && pickle_kind(p, v) == PICKLE_GLOBAL && pickle_global_mapped(p, v, &m, &n) &&
	       text_is(m, module) && text_is(n, name);
}

bool pickle_made_by(const struct pickle *p, pickle_value object, const char *module, const char *name)
{
	return pickle_kind(p, object) == PICKLE_OBJECT && global_is(p, pickle_callee(p, object), module, name);
}

struct pickle_standing pickle_global_standing(
    const struct pickle *p, pickle_value global, const struct pickle_names *extra)
{
	const struct pickle_standing unknown = { .tier = PICKLE_TIER_UNKNOWN, .uses = ~0u };
	const struct pickle_standing unnamed = { .tier = PICKLE_TIER_DENIED, .does = "hides what it names" };
	struct pickle_standing written;
	struct bytes module, name;

	if (global == PICKLE_NO_VALUE || pickle_kind(p, global) != PICKLE_GLOBAL)
		return unknown;
	if (!pickle_global(p, global, &module, &name))
		return unnamed;
	written = pickle_name_standing(module, name, extra);
	if (text_is(module, "__builtin__")) /* Python 2's name of builtins: a dunder that means nothing */
		written.tier = PICKLE_TIER_UNKNOWN;
	if (written.tier == PICKLE_TIER_DENIED || !pickle_global_mapped(p, global, &module, &name))
		return written;
	return pickle_name_standing(module, name, extra);
}

pickle_value pickle_class_of(const struct pickle_context *c, pickle_value object)
{
	uint64_t class;

	if (object_map_get(c->classes, object, &class))
		return class;
	return pickle_kind(c->machine, object) == PICKLE_OBJECT ? pickle_callee(c->machine, object) : PICKLE_NO_VALUE;
}

/* -- arguments, by position -- */

static uint64_t n_args(const struct pickle_context *c)
{
	return pickle_count(c->machine, c->event->args);
}

/* PICKLE_NO_VALUE beyond the last one. */
static pickle_value arg(const struct pickle_context *c, uint64_t i)
{
	return i < n_args(c) ? pickle_item(c->machine, c->event->args, i) : PICKLE_NO_VALUE;
}

static enum pickle_kind kind_of(const struct pickle_context *c, pickle_value v)
{
	return v == PICKLE_NO_VALUE ? PICKLE_UNKNOWN : pickle_kind(c->machine, v);
}

static enum pickle_kind kind(const struct pickle_context *c, uint64_t i)
{
	return kind_of(c, arg(c, i));
}

static bool is_inert(const struct pickle_context *c, uint64_t i)
{
	pickle_value v = arg(c, i);

	return v != PICKLE_NO_VALUE && pickle_inert(c->machine, v);
}

/* Bytes as any protocol writes them: protocols below 3 spell them _codecs.encode(text, "latin1"). */
static bool is_bytes_value(const struct pickle_context *c, pickle_value v)
{
	enum pickle_kind k = kind_of(c, v);

	return k == PICKLE_BYTES || k == PICKLE_BYTEARRAY || k == PICKLE_STR ||
	       (k == PICKLE_OBJECT && (pickle_made_by(c->machine, v, "_codecs", "encode") ||
					  pickle_made_by(c->machine, v, "builtins", "bytes") ||
					  pickle_made_by(c->machine, v, "builtins", "bytearray")));
}

static bool is_bytes(const struct pickle_context *c, uint64_t i)
{
	return is_bytes_value(c, arg(c, i));
}

/* A list, tuple, dict or set that stands in this pickle as such: going through it costs no more than its opcodes. */
static bool is_container_value(const struct pickle_context *c, pickle_value v)
{
	enum pickle_kind k = kind_of(c, v);

	return k == PICKLE_LIST || k == PICKLE_TUPLE || k == PICKLE_DICT || k == PICKLE_SET || k == PICKLE_FROZENSET;
}

static bool is_container(const struct pickle_context *c, uint64_t i)
{
	return is_container_value(c, arg(c, i));
}

static bool is_build(const struct pickle_context *c)
{
	return c->event->act == PICKLE_ACT_BUILD;
}

static bool all_args(const struct pickle_context *c, bool (*fits)(const struct pickle_context *, uint64_t))
{
	for (uint64_t i = 0; i < n_args(c); i++)
		if (!fits(c, i))
			return false;
	return true;
}

static bool is_text(const struct pickle_context *c, uint64_t i)
{
	return kind(c, i) == PICKLE_STR;
}

static bool text_among(const struct pickle_context *c, uint64_t i, const char *const *list)
{
	struct bytes text;

	if (!is_text(c, i) || !pickle_text(c->machine, arg(c, i), &text))
		return false;
	for (; *list != NULL; list++)
		if (text_is(text, *list))
			return true;
	return false;
}

/* -- Python's types -- */

/* Nothing is asked; what a BUILD may set is judged for every name alike. */
static bool rule_none(const struct pickle_context *c)
{
	(void)c;
	return true;
}

static bool rule_inert(const struct pickle_context *c)
{
	return is_build(c) || all_args(c, is_inert);
}

static bool is_inert_or_container(const struct pickle_context *c, uint64_t i)
{
	return is_inert(c, i) || is_container(c, i);
}

/* Filled from a container: with what is in it, but never from an object that is asked for its items. */
static bool rule_content(const struct pickle_context *c)
{
	return is_build(c) || (n_args(c) <= 2 && all_args(c, is_inert_or_container));
}

static bool rule_one_int(const struct pickle_context *c)
{
	int64_t n;

	return n_args(c) == 1 && kind(c, 0) == PICKLE_INT && pickle_int(c->machine, arg(c, 0), &n) && n >= 0 &&
	       n <= STORAGE_ELEMENTS_MAX;
}

static bool rule_one_text(const struct pickle_context *c)
{
	return n_args(c) == 1 && is_text(c, 0);
}

static bool rule_texts(const struct pickle_context *c)
{
	return all_args(c, is_text);
}

/* Codecs of text alone: others decompress, are slow, or are found by importing a module of that name. */
static bool is_codec(const struct pickle_context *c, uint64_t i)
{
	static const char *const codecs[] = { "latin1", "latin-1", "latin_1", "iso-8859-1", "utf-8", "utf8", "ascii",
		NULL };

	return text_among(c, i, codecs);
}

/* bytes(n) allocates n bytes: no number, no object. */
static bool rule_bytes(const struct pickle_context *c)
{
	return n_args(c) == 0 || (n_args(c) == 1 && (is_bytes(c, 0) || kind(c, 0) == PICKLE_LIST)) ||
	       (n_args(c) == 2 && is_text(c, 0) && is_codec(c, 1));
}

static bool rule_encode(const struct pickle_context *c)
{
	return n_args(c) == 2 && is_text(c, 0) && is_codec(c, 1);
}

static bool is_plain(const struct pickle_context *c, uint64_t i)
{
	return is_inert(c, i) && !is_container(c, i);
}

/* str() of a container writes out all that is in it, as often as it is in it. */
static bool rule_text(const struct pickle_context *c)
{
	return n_args(c) <= 1 ? all_args(c, is_plain) : n_args(c) == 2 && is_bytes(c, 0) && is_codec(c, 1);
}

/* Text as long as numbers are, and without what makes a few digits a number of millions: Fraction("1e999999999"). */
static bool is_number_part(const struct pickle_context *c, uint64_t i)
{
	struct bytes text;

	if (kind(c, i) != PICKLE_STR && !is_bytes(c, i))
		return is_plain(c, i);
	return pickle_text(c->machine, arg(c, i), &text) && text.n <= NUMBER_TEXT_MAX;
}

static bool rule_number(const struct pickle_context *c)
{
	return is_build(c) || (n_args(c) <= 2 && all_args(c, is_number_part));
}

static bool is_ratio_part(const struct pickle_context *c, uint64_t i)
{
	struct bytes text;

	return is_number_part(c, i) &&
	       (!is_text(c, i) || (pickle_text(c->machine, arg(c, i), &text) && memchr(text.at, 'e', text.n) == NULL &&
				      memchr(text.at, 'E', text.n) == NULL));
}

static bool rule_ratio(const struct pickle_context *c)
{
	return is_build(c) || (n_args(c) <= 2 && all_args(c, is_ratio_part));
}

static bool is_int(const struct pickle_context *c, uint64_t i)
{
	enum pickle_kind k = kind(c, i);

	return k == PICKLE_INT || k == PICKLE_BIG_INT;
}

static bool rule_range(const struct pickle_context *c)
{
	return n_args(c) >= 1 && n_args(c) <= 3 && all_args(c, is_int);
}

/* defaultdict(factory) calls it for every key that is missing. */
static bool rule_factory(const struct pickle_context *c)
{
	static const char *const names[] = { "list", "dict", "int", "float", "set", "str", "bool", "tuple", NULL };
	pickle_value factory = arg(c, 0);

	if (is_build(c) || n_args(c) == 0 || (n_args(c) == 1 && kind(c, 0) == PICKLE_NONE))
		return true;
	for (const char *const *name = names; n_args(c) == 1 && *name != NULL; name++)
		if (global_is(c->machine, factory, "builtins", *name))
			return true;
	return n_args(c) == 1 && (global_is(c->machine, factory, "collections", "OrderedDict") ||
				     global_is(c->machine, factory, "collections", "Counter"));
}

static bool is_moment(const struct pickle_context *c, uint64_t i)
{
	pickle_value v = arg(c, i);

	return is_inert(c, i) || is_bytes(c, i) || pickle_made_by(c->machine, v, "datetime", "timezone") ||
	       pickle_made_by(c->machine, v, "datetime", "timedelta");
}

static bool rule_moment(const struct pickle_context *c)
{
	return n_args(c) <= 10 && all_args(c, is_moment);
}

static bool rule_uuid(const struct pickle_context *c)
{
	pickle_value n, safe, state = c->event->args;

	if (!is_build(c))
		return n_args(c) == 0;
	if (pickle_kind(c->machine, state) != PICKLE_DICT || !pickle_lookup(c->machine, state, "int", &n) ||
	    (kind_of(c, n) != PICKLE_INT && kind_of(c, n) != PICKLE_BIG_INT))
		return false;
	return pickle_count(c->machine, state) == 1 ||
	       (pickle_count(c->machine, state) == 2 && pickle_lookup(c->machine, state, "is_safe", &safe) &&
		   pickle_made_by(c->machine, safe, "uuid", "SafeUUID"));
}

/* copyreg._reconstructor(class, object, None): how protocols 0 and 1 make an instance. */
static bool rule_reconstructor(const struct pickle_context *c)
{
	struct pickle_standing class = pickle_global_standing(c->machine, arg(c, 0), c->extra);

	return n_args(c) == 3 && kind(c, 0) == PICKLE_GLOBAL && (class.uses & PICKLE_USE_NEW) != 0 &&
	       global_is(c->machine, arg(c, 1), "builtins", "object") && kind(c, 2) == PICKLE_NONE;
}

/* getattr() is judged by what it reaches: see judge.c. */
static bool rule_attribute(const struct pickle_context *c)
{
	(void)c;
	return true;
}

/* -- NumPy's types -- */

static uint64_t dtype_facts(const struct pickle_context *c, pickle_value v)
{
	uint64_t facts;

	return object_map_get(c->dtypes, v, &facts) ? facts : DTYPE_OF_OBJECTS | DTYPE_USED;
}

static bool is_dtype_value(const struct pickle_context *c, pickle_value v)
{
	uint64_t facts;

	return kind_of(c, v) == PICKLE_OBJECT && object_map_get(c->dtypes, v, &facts);
}

/* -- what policies grant -- */

/* How picklers write instances; what comes with the state is judged in state.c. */
static bool rule_object(const struct pickle_context *c)
{
	return is_build(c) || n_args(c) == 0;
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

bool pickle_is_array(const struct pickle_context *c, pickle_value v)
{
	static const char *const modules[] = { "numpy.core.multiarray", "numpy._core.multiarray", "numpy.core.numeric",
		"numpy._core.numeric" };

	for (size_t i = 0; i < sizeof(modules) / sizeof(modules[0]); i++)
		if (pickle_made_by(c->machine, v, modules[i], i < 2 ? "_reconstruct" : "_frombuffer") ||
		    pickle_made_by(c->machine, v, modules[i], "scalar"))
			return true;
	return is_dtype_value(c, v) ||
	       global_is(c->machine, pickle_class_of(c, v), "joblib.numpy_pickle", "NumpyArrayWrapper");
}

/* A class of the library whose function is called: some make an instance of what they are given, with arguments of the
 * file's (numpy.random's __randomstate_ctor(x, f) calls f(x)). */
static bool is_of_same_library(const struct pickle_context *c, pickle_value global)
{
	struct bytes own, other, name;
	size_t n = 0;

	if (!pickle_global_mapped(c->machine, c->event->target, &own, &name) ||
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
			   is_of_same_library(c, v)) ||
		       global_is(c->machine, v, "numpy", "ndarray");
	case PICKLE_OBJECT: return pickle_is_array(c, v) || is_bytes(c, i);
	case PICKLE_TUPLE: return is_plain_tuple(c, v);
	default: return is_plain(c, i) && (is_cython(c) || is_small(c, v, PLAIN_INT_MAX));
	}
}

/* numpy.ma.core._mareconstruct(class, ndarray, (0,), b"b"): makes an instance of any class of that library, whose state is
 * one of an array: see rule_ndarray(). */
static bool is_masked(const struct pickle_context *c)
{
	pickle_value callee = is_build(c) ? pickle_callee(c->machine, c->event->target) : c->event->target;

	return global_is(c->machine, callee, "numpy.ma.core", "_mareconstruct");
}

static bool rule_masked(const struct pickle_context *c);

/* __randomstate_ctor("MT19937", __bit_generator_ctor), from NumPy 2 on __randomstate_ctor(generator) and
 * __bit_generator_ctor(MT19937): with another function its first argument becomes a seed, which takes seconds. */
static bool is_random(const struct pickle_context *c)
{
	struct bytes module, name;

	return pickle_global_mapped(c->machine, c->event->target, &module, &name) &&
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

static bool rule_granted_call(const struct pickle_context *c)
{
	if (is_masked(c))
		return rule_masked(c);
	if (is_build(c))
		return true;
	if (is_random(c))
		return rule_random(c);
	return n_args(c) <= 4 && all_args(c, is_granted_argument);
}

/* Color(1), Color("red") */
static bool rule_member(const struct pickle_context *c)
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

/* -- NumPy -- */

static bool is_dtype_of_objects(const struct pickle_context *c, pickle_value v)
{
	return is_dtype_value(c, v) && (dtype_facts(c, v) & DTYPE_OF_OBJECTS) != 0;
}

/* (dtype, ...): the base of a sub-array, or a field. */
static bool starts_with_objects(const struct pickle_context *c, pickle_value tuple)
{
	pickle_value first = kind_of(c, tuple) == PICKLE_TUPLE ? pickle_item(c->machine, tuple, 0) : PICKLE_NO_VALUE;

	return first != PICKLE_NO_VALUE && is_dtype_of_objects(c, first);
}

/* Does this state add objects?  Fields that are not kept may be. */
static bool state_adds_objects(const struct pickle_context *c)
{
	pickle_value fields = arg(c, 4), key, value;

	if (starts_with_objects(c, arg(c, 2)))
		return true;
	if (kind_of(c, fields) != PICKLE_DICT)
		return false;
	for (uint64_t i = 0; i < pickle_count(c->machine, fields); i++)
		if (!pickle_pair(c->machine, fields, i, &key, &value) || starts_with_objects(c, value))
			return true;
	return false;
}

#define DTYPE_HOLDS_POINTERS 3 /* NPY_ITEM_REFCOUNT and NPY_LIST_PICKLE: flags of every dtype of objects */

/* The last of (3, order, base, names, fields, size, alignment, flags): what a dtype says of itself must be what it is. */
static bool flags_fit(const struct pickle_context *c, bool objects)
{
	int64_t flags = 0;
	bool known = n_args(c) >= 8 && kind(c, 7) == PICKLE_INT && pickle_int(c->machine, arg(c, 7), &flags);

	return !objects || (known && (flags & DTYPE_HOLDS_POINTERS) == DTYPE_HOLDS_POINTERS);
}

/* Of a dtype's state: version, byte order, base and shape, names, fields, sizes, flags, metadata. */
static bool is_dtype_part(const struct pickle_context *c, uint64_t i)
{
	return is_inert(c, i) || is_container(c, i) || is_dtype_value(c, arg(c, i)) || is_bytes(c, i);
}

/* (dtype, offset) or (dtype, offset, title), under its name. */
static bool is_field(const struct pickle_context *c, pickle_value value)
{
	uint64_t n = kind_of(c, value) == PICKLE_TUPLE ? pickle_count(c->machine, value) : 0;
	int64_t offset;

	return (n == 2 || n == 3) && is_dtype_value(c, pickle_item(c->machine, value, 0)) &&
	       pickle_int(c->machine, pickle_item(c->machine, value, 1), &offset) && offset >= 0;
}

static bool has_field(const struct pickle_context *c, pickle_value fields, pickle_value name)
{
	pickle_value key, value;
	struct bytes wanted, text;

	if (name == PICKLE_NO_VALUE || !pickle_text(c->machine, name, &wanted))
		return false;
	for (uint64_t i = 0; i < pickle_count(c->machine, fields); i++)
		if (pickle_pair(c->machine, fields, i, &key, &value) && pickle_text(c->machine, key, &text) &&
		    bytes_equal(text, wanted))
			return true;
	return false;
}

/* NumPy looks each name up among the fields, and believes that it is there. */
static bool fields_fit(const struct pickle_context *c)
{
	pickle_value names = arg(c, 3), fields = arg(c, 4), key, value;

	if (kind_of(c, fields) != PICKLE_DICT)
		return kind_of(c, names) == PICKLE_NONE && kind_of(c, fields) == PICKLE_NONE;
	if (kind_of(c, names) != PICKLE_TUPLE || pickle_count(c->machine, fields) > PICKLE_ITEMS_KEPT ||
	    pickle_count(c->machine, names) > pickle_count(c->machine, fields))
		return false;
	for (uint64_t i = 0; i < pickle_count(c->machine, fields); i++)
		if (!pickle_pair(c->machine, fields, i, &key, &value) || kind_of(c, key) != PICKLE_STR ||
		    !is_field(c, value))
			return false;
	for (uint64_t i = 0; i < pickle_count(c->machine, names); i++)
		if (!has_field(c, fields, pickle_item(c->machine, names, i)))
			return false;
	return true;
}

static bool dtype_state_fits(const struct pickle_context *c)
{
	uint64_t facts = dtype_facts(c, c->event->target);
	bool objects = (facts & DTYPE_OF_OBJECTS) != 0 || state_adds_objects(c);

	return (facts & (DTYPE_BUILT | DTYPE_USED)) == 0 && kind_of(c, c->event->args) == PICKLE_TUPLE &&
	       all_args(c, is_dtype_part) && flags_fit(c, objects) && fields_fit(c);
}

#define TYPE_TEXT_MAX 64 /* bytes: each comma in it begins a field, which takes NumPy microseconds */

/* numpy.dtype(x) asks x for its `dtype` unless x is text; a list of fields is written by no release. */
static bool is_type_part(const struct pickle_context *c, uint64_t i)
{
	struct bytes text;
	enum pickle_kind k = kind(c, i);

	if (k != PICKLE_STR && !is_bytes(c, i))
		return is_plain(c, i) && k != PICKLE_BIG_INT;
	return is_plain(c, i) && pickle_text(c->machine, arg(c, i), &text) && text.n <= TYPE_TEXT_MAX;
}

static bool rule_dtype(const struct pickle_context *c)
{
	return is_build(c) ? dtype_state_fits(c) : n_args(c) <= 3 && all_args(c, is_type_part);
}

/* NumPy takes as many objects from the list as the shape says, whether they are there or not (_setlist_pkl). */
static bool is_list_of_shape(const struct pickle_context *c, pickle_value list, pickle_value shape)
{
	uint64_t n = 1;
	int64_t dimension;

	for (uint64_t i = 0; i < pickle_count(c->machine, shape); i++) {
		pickle_value v = pickle_item(c->machine, shape, i);

		if (v == PICKLE_NO_VALUE || !pickle_int(c->machine, v, &dimension) || dimension < 0 ||
		    !mul_u64(n, (uint64_t)dimension, &n))
			return false;
	}
	return kind_of(c, list) == PICKLE_LIST && pickle_count(c->machine, list) == n;
}

/* An array's state: [version,] shape, dtype, order, content.  The content of object arrays is a list.  `more` follows. */
static bool array_state_fits(const struct pickle_context *c, uint64_t more)
{
	uint64_t first = n_args(c) == 5 + more ? 1 : 0;

	return pickle_kind(c->machine, c->event->args) == PICKLE_TUPLE && n_args(c) == first + 4 + more &&
	       (first == 0 || kind(c, 0) == PICKLE_INT) && kind(c, first) == PICKLE_TUPLE && is_inert(c, first) &&
	       is_dtype_value(c, arg(c, first + 1)) && is_inert(c, first + 2) &&
	       (is_dtype_of_objects(c, arg(c, first + 1)) ? is_list_of_shape(c, arg(c, first + 3), arg(c, first))
							  : is_bytes(c, first + 3));
}

/* (0,): what a state will fill.  Any other shape is memory that the file asks for. */
static bool is_empty_shape(const struct pickle_context *c, pickle_value shape)
{
	int64_t n;

	return kind_of(c, shape) == PICKLE_TUPLE && pickle_count(c->machine, shape) == 1 &&
	       pickle_int(c->machine, pickle_item(c->machine, shape, 0), &n) && n == 0;
}

static bool rule_ndarray(const struct pickle_context *c)
{
	if (is_build(c))
		return array_state_fits(c, 0);
	return n_args(c) == 3 && global_is(c->machine, arg(c, 0), "numpy", "ndarray") && is_empty_shape(c, arg(c, 1)) &&
	       is_bytes(c, 2);
}

static bool is_fill_value(const struct pickle_context *c, uint64_t i)
{
	return is_plain(c, i) || is_bytes(c, i) || pickle_is_array(c, arg(c, i));
}

/* (1, shape, dtype, order, content, mask, fill value): NumPy asks the mask for its length. */
static bool rule_masked(const struct pickle_context *c)
{
	if (is_build(c))
		return n_args(c) == 7 && array_state_fits(c, 2) && is_bytes(c, 5) && is_fill_value(c, 6);
	return n_args(c) == 4 &&
	       (global_is(c->machine, arg(c, 0), "numpy.ma.core", "MaskedArray") ||
		   global_is(c->machine, arg(c, 0), "numpy.ma", "MaskedArray")) &&
	       global_is(c->machine, arg(c, 1), "numpy", "ndarray") && is_empty_shape(c, arg(c, 2)) &&
	       (is_bytes(c, 3) || is_text(c, 3));
}

/* A scalar of objects unpickles its bytes in old releases. */
static bool rule_scalar(const struct pickle_context *c)
{
	return n_args(c) == 2 && is_dtype_value(c, arg(c, 0)) && !is_dtype_of_objects(c, arg(c, 0)) && is_bytes(c, 1);
}

static bool rule_frombuffer(const struct pickle_context *c)
{
	return n_args(c) == 4 && (is_bytes(c, 0) || kind(c, 0) == PICKLE_BUFFER) && is_dtype_value(c, arg(c, 1)) &&
	       !is_dtype_of_objects(c, arg(c, 1)) && kind(c, 2) == PICKLE_TUPLE && is_inert(c, 2) && is_text(c, 3);
}

/* Raw bytes follow it: only joblib's reader knows to step over them. */
static bool rule_array_wrapper(const struct pickle_context *c)
{
	if (c->profile != PICKLE_JOBLIB)
		return false;
	return is_build(c) ? pickle_kind(c->machine, c->event->args) == PICKLE_DICT : n_args(c) == 0;
}

/* -- PyTorch: in its own files the reader behind the judge checks tensors against storages -- */

static bool is_tensor_part(const struct pickle_context *c, uint64_t i)
{
	enum pickle_kind k = kind(c, i);

	return is_inert(c, i) || is_container(c, i) || k == PICKLE_OBJECT || k == PICKLE_PERSISTENT;
}

static bool rule_tensor(const struct pickle_context *c)
{
	if (is_build(c))
		return c->profile == PICKLE_TORCH && pickle_kind(c->machine, c->event->args) == PICKLE_TUPLE &&
		       n_args(c) >= 4 && n_args(c) <= 5 && all_args(c, is_tensor_part);
	if (c->profile != PICKLE_TORCH) /* numbers of a list, or of memory that a storage class allocated */
		return n_args(c) == 0;
	return n_args(c) <= 2 && all_args(c, is_tensor_part) && !is_int(c, 0); /* Tensor(n) allocates */
}

static bool rule_rebuild(const struct pickle_context *c)
{
	return c->profile == PICKLE_TORCH;
}

/* _rebuild_from_type_v2(function, class, arguments, state) calls the function. */
static bool rule_rebuild_from_type(const struct pickle_context *c)
{
	struct pickle_standing function = pickle_global_standing(c->machine, arg(c, 0), c->extra);

	return c->profile == PICKLE_TORCH && n_args(c) == 4 && kind(c, 0) == PICKLE_GLOBAL &&
	       (function.rule == PICKLE_RULE_REBUILD || function.rule == PICKLE_RULE_REBUILD_FROM_TYPE) &&
	       kind(c, 1) == PICKLE_GLOBAL && kind(c, 2) == PICKLE_TUPLE && kind(c, 3) != PICKLE_GLOBAL;
}

bool pickle_arguments_fit(const struct pickle_context *c, enum pickle_rule rule)
{
	static bool (*const rules[])(const struct pickle_context *) = {
#define X(id, function) function,
		PICKLE_RULES(X)
#undef X
	};

	if (c->event->act == PICKLE_ACT_NEW && c->event->kwargs != PICKLE_NO_VALUE &&
	    pickle_count(c->machine, c->event->kwargs) > 0)
		return false;
	return rules[rule](c);
}

/* -- what later rules ask -- */

/* Type strings as releases write them: order, kind, size.  "object" is a name of objects too, "i4,object" a record of
 * them: whatever is not of that form counts as objects. */
static bool is_type_of_data(struct bytes text)
{
	size_t i = text.n > 0 && memchr("<>=|", text.at[0], 4) != NULL ? 1 : 0;

	if (i == text.n || memchr("?bBiufcSaUVmM", text.at[i], 13) == NULL)
		return false;
	while (++i < text.n && text.at[i] >= '0' && text.at[i] <= '9')
		;
	return i == text.n || (text.at[i] == '[' && text.at[text.n - 1] == ']' && memchr(text.at, ',', text.n) == NULL);
}

/* numpy.dtype("O8"), numpy.dtypes.ObjectDType(); fields as a list are written by no release. */
static bool note_dtype(const struct pickle_context *c)
{
	struct bytes module, name, text = { 0 };
	pickle_value first = arg(c, 0);
	bool plain = first != PICKLE_NO_VALUE && pickle_text(c->machine, first, &text);
	bool objects = plain ? !is_type_of_data(text)
			     : !pickle_global_mapped(c->machine, c->event->target, &module, &name) ||
				   text_is(name, "dtype") || text_is(name, "ObjectDType");

	return object_map_put(c->dtypes, c->event->result, objects ? DTYPE_OF_OBJECTS : 0);
}

static bool use_dtype(const struct pickle_context *c, pickle_value v)
{
	return !is_dtype_value(c, v) || object_map_put(c->dtypes, v, dtype_facts(c, v) | DTYPE_USED);
}

static bool use_first(const struct pickle_context *c, pickle_value tuple)
{
	pickle_value first = kind_of(c, tuple) == PICKLE_TUPLE ? pickle_item(c->machine, tuple, 0) : PICKLE_NO_VALUE;

	return first == PICKLE_NO_VALUE || use_dtype(c, first);
}

/* A state that comes later to a field's type would change the record behind its back. */
static bool use_parts(const struct pickle_context *c)
{
	pickle_value fields = arg(c, 4), key, value;

	if (!use_first(c, arg(c, 2)))
		return false;
	for (uint64_t i = 0; kind_of(c, fields) == PICKLE_DICT && i < pickle_count(c->machine, fields); i++)
		if (pickle_pair(c->machine, fields, i, &key, &value) && !use_first(c, value))
			return false;
	return true;
}

static bool note_dtype_state(const struct pickle_context *c)
{
	uint64_t facts = dtype_facts(c, c->event->target) | DTYPE_BUILT;

	if (kind_of(c, arg(c, 4)) == PICKLE_DICT) /* NumPy keeps it */
		pickle_mark(c->machine, arg(c, 4), PICKLE_MARK_STATE);
	return use_parts(c) &&
	       object_map_put(c->dtypes, c->event->target, state_adds_objects(c) ? facts | DTYPE_OF_OBJECTS : facts);
}

static bool note_used(const struct pickle_context *c)
{
	for (uint64_t i = 0; i < n_args(c) && i < 4; i++) {
		if (!use_dtype(c, arg(c, i)))
			return false;
	}
	return true;
}

bool pickle_arguments_note(const struct pickle_context *c, enum pickle_rule rule)
{
	bool builds = is_build(c);

	if (!builds && c->event->result == PICKLE_NO_VALUE)
		return true;
	switch (rule) {
	case PICKLE_RULE_RECONSTRUCTOR:
		return builds || arg(c, 0) == PICKLE_NO_VALUE ||
		       object_map_put(c->classes, c->event->result, arg(c, 0));
	case PICKLE_RULE_DTYPE: return builds ? note_dtype_state(c) : note_dtype(c);
	case PICKLE_RULE_NDARRAY:
	case PICKLE_RULE_SCALAR:
	case PICKLE_RULE_FROMBUFFER: return note_used(c);
	case PICKLE_RULE_GRANTED_CALL: return !is_masked(c) || note_used(c);
	default: return true;
	}
}
