/* Implements arguments.h.  Rules are told apart by the act where a name is called and its instances are built. */
#include "arguments_impl.h"

#define STORAGE_ELEMENTS_MAX ((int64_t)1 << 24) /* torch.FloatStorage(n) allocates: no file needs more */
#define NUMBER_TEXT_MAX 4300                    /* bytes: int() of more is quadratic; Python's own limit */

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

/* What a class that is a dictionary as well is made of: no name of Python's own is a key, for one whose attributes are its
 * items would find __setstate__ there. */
static bool is_content(const struct pickle_context *c, pickle_value dict)
{
	return kind_of(c, dict) == PICKLE_DICT && !pickle_holds_dunder_key(c->machine, dict) &&
	       !pickle_has_opaque_key(c->machine, dict) && !pickle_holds_global(c->machine, dict);
}

/* copyreg._reconstructor(class, object, None): how protocols 0 and 1 make an instance; (class, dict, {...}): one that is a
 * dictionary too, as SciPy's dok_matrix is. */
static bool rule_reconstructor(const struct pickle_context *c)
{
	struct pickle_standing class = pickle_global_standing(c->machine, arg(c, 0), c->extra);

	if (n_args(c) != 3 || kind(c, 0) != PICKLE_GLOBAL || (class.uses & PICKLE_USE_NEW) == 0)
		return false;
	if (global_is(c->machine, arg(c, 1), "builtins", "object"))
		return kind(c, 2) == PICKLE_NONE;
	return class.tier == PICKLE_TIER_EXTRA && (class.uses & PICKLE_USE_SETITEM) != 0 &&
	       global_is(c->machine, arg(c, 1), "builtins", "dict") && is_content(c, arg(c, 2));
}

/* getattr() is judged by what it reaches: see judge.c. */
static bool rule_attribute(const struct pickle_context *c)
{
	(void)c;
	return true;
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
