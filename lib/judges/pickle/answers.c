/* What a client of the pickle machine may ask of a value; nothing here changes one, tags apart. */
#include <string.h>

#include "machine.h"

static bool holds(const struct pickle *p, pickle_value v, uint8_t flags)
{
	enum pickle_kind k = kind_of(v);
	uint8_t own = value_flags(p, v);

	/* A list itself is seen as it is now; only what is inside it may have changed behind its back. */
	if (is_growing(k) && !is_spilled(v))
		own = node_of(p, v)->flags;
	if ((own & HOLDS_MUTABLE) != 0)
		own |= p->late;
	return (own & flags) != 0;
}

bool pickle_inert(const struct pickle *p, pickle_value v)
{
	return v != PICKLE_NO_VALUE && !holds(p, v, HOLDS_GLOBAL | HOLDS_OBJECT | HOLDS_OPAQUE);
}

bool pickle_holds_global(const struct pickle *p, pickle_value v)
{
	return holds(p, v, HOLDS_GLOBAL);
}

bool pickle_holds_object(const struct pickle *p, pickle_value v)
{
	return holds(p, v, HOLDS_OBJECT);
}

bool pickle_is_held(const struct pickle *p, pickle_value v)
{
	return pickle_kind(p, v) == PICKLE_OBJECT && thing_of(p, v)->is_held;
}

bool pickle_holds_dunder_key(const struct pickle *p, pickle_value v)
{
	return holds(p, v, HOLDS_DUNDER);
}

bool pickle_has_opaque_key(const struct pickle *p, pickle_value dict)
{
	if (kind_of(dict) != PICKLE_DICT)
		return false;
	return is_spilled(dict) ? pickle_holds_object(p, dict) : (node_of(p, dict)->flags & HAS_OPAQUE_KEY) != 0;
}

enum pickle_kind pickle_kind(const struct pickle *p, pickle_value v)
{
	(void)p;
	return v == PICKLE_NO_VALUE ? PICKLE_UNKNOWN : kind_of(v);
}

bool pickle_int(const struct pickle *p, pickle_value v, int64_t *ret)
{
	if (kind_of(v) != PICKLE_INT)
		return false;
	if (is_spilled(v))
		memcpy(ret, heap_at(p, content_of(v)), sizeof(*ret));
	else
		*ret = (int64_t)v >> CONTENT_SHIFT;
	return true;
}

bool pickle_bool(const struct pickle *p, pickle_value v, bool *ret)
{
	(void)p;
	if (kind_of(v) != PICKLE_BOOL)
		return false;
	*ret = content_of(v) != 0;
	return true;
}

bool pickle_float(const struct pickle *p, pickle_value v, double *ret)
{
	uint64_t bits = content_of(v) << CONTENT_SHIFT;

	(void)p;
	if (kind_of(v) != PICKLE_FLOAT || content_of(v) == CONTENT_MAX)
		return false;
	memcpy(ret, &bits, sizeof(bits));
	return true;
}

uint64_t pickle_count(const struct pickle *p, pickle_value v)
{
	switch (kind_of(v)) {
	case PICKLE_TUPLE:
	case PICKLE_FROZENSET: return is_spilled(v) ? (uint32_t)content_of(v) : node_of(p, v)->count;
	case PICKLE_LIST:
	case PICKLE_DICT:
	case PICKLE_SET: return is_spilled(v) ? UINT64_MAX : node_of(p, v)->count;
	default: return 0;
	}
}

/* Children or pairs whose handles are at hand. */
static uint64_t kept_of(const struct pickle *p, pickle_value v)
{
	const struct node *node;

	if (kind_of(v) < PICKLE_TUPLE || kind_of(v) > PICKLE_FROZENSET || is_spilled(v))
		return 0;
	node = node_of(p, v);
	if (!is_growing(kind_of(v)))
		return node->count < PICKLE_TUPLE_KEPT ? node->count : PICKLE_TUPLE_KEPT;
	if ((node->flags & IS_DISORDERED) != 0)
		return 0;
	return node->count < p->options.items_kept ? node->count : p->options.items_kept;
}

pickle_value pickle_item(const struct pickle *p, pickle_value v, uint64_t i)
{
	if (i >= kept_of(p, v) || kind_of(v) == PICKLE_DICT)
		return PICKLE_NO_VALUE;
	if (is_growing(kind_of(v)))
		return heap_at(p, growing_of(p, v)->items)[i];
	return heap_at(p, content_of(v))[NODE_WORDS + i];
}

bool pickle_pair(const struct pickle *p, pickle_value dict, uint64_t i, pickle_value *ret_key, pickle_value *ret_value)
{
	const uint64_t *pair;

	if (kind_of(dict) != PICKLE_DICT || i >= kept_of(p, dict))
		return false;
	pair = heap_at(p, growing_of(p, dict)->items) + 2 * i;
	*ret_key = pair[0];
	*ret_value = pair[1];
	return true;
}

bool pickle_lookup(const struct pickle *p, pickle_value dict, const char *key, pickle_value *ret)
{
	struct bytes wanted = bytes_of_text(key), text;
	uint64_t n = kept_of(p, dict);
	pickle_value k, value;

	if (kind_of(dict) != PICKLE_DICT || n != pickle_count(p, dict))
		return false;
	while (n-- > 0) {
		if (pickle_pair(p, dict, n, &k, &value) && pickle_text(p, k, &text) && bytes_equal(text, wanted)) {
			*ret = value;
			return true;
		}
	}
	return false;
}

static struct bytes name_text(const struct pickle *p, pickle_value name)
{
	const uint64_t *word = heap_at(p, content_of(name));

	return bytes_of(word + 2, (size_t)word[1]);
}

bool pickle_global(const struct pickle *p, pickle_value v, struct bytes *ret_module, struct bytes *ret_name)
{
	if (kind_of(v) != PICKLE_GLOBAL)
		return false;
	*ret_module = name_text(p, thing_of(p, v)->first);
	*ret_name = name_text(p, thing_of(p, v)->second);
	return true;
}

bool pickle_global_mapped(const struct pickle *p, pickle_value v, struct bytes *ret_module, struct bytes *ret_name)
{
	if (!pickle_global(p, v, ret_module, ret_name))
		return false;
	compat_map(ret_module, ret_name);
	return true;
}

pickle_value pickle_callee(const struct pickle *p, pickle_value v)
{
	return kind_of(v) == PICKLE_OBJECT ? thing_of(p, v)->first : PICKLE_NO_VALUE;
}

pickle_value pickle_call_arguments(const struct pickle *p, pickle_value v)
{
	return kind_of(v) == PICKLE_OBJECT ? thing_of(p, v)->second : PICKLE_NO_VALUE;
}

pickle_value pickle_persistent_id(const struct pickle *p, pickle_value v)
{
	return v != PICKLE_NO_VALUE && kind_of(v) == PICKLE_PERSISTENT ? thing_of(p, v)->first : PICKLE_NO_VALUE;
}

void pickle_mark(struct pickle *p, pickle_value v, unsigned marks)
{
	if (is_thing(kind_of(v)))
		thing_of(p, v)->marks |= marks & UINT8_MAX;
	else if (kind_of(v) == PICKLE_DICT && !is_spilled(v))
		node_of(p, v)->is_state |= (marks & PICKLE_MARK_STATE) != 0;
}

void pickle_hash_by_state(struct pickle *p, pickle_value object)
{
	if (kind_of(object) == PICKLE_OBJECT)
		thing_of(p, object)->marks |= PICKLE_MARK_HASHED;
}

void pickle_enlarge(struct pickle *p, pickle_value object, pickle_value held)
{
	if (object != PICKLE_NO_VALUE && held != PICKLE_NO_VALUE)
		value_enlarge(p, object, value_size(p, held));
}

unsigned pickle_marks(const struct pickle *p, pickle_value v)
{
	if (v != PICKLE_NO_VALUE && is_thing(kind_of(v)))
		return thing_of(p, v)->marks;
	if (v == PICKLE_NO_VALUE || kind_of(v) != PICKLE_DICT || is_spilled(v))
		return 0;
	return node_of(p, v)->is_state ? PICKLE_MARK_STATE : 0;
}

void pickle_set_tag(struct pickle *p, pickle_value v, uint32_t tag)
{
	if (is_thing(kind_of(v)))
		thing_of(p, v)->tag = tag;
}

uint32_t pickle_tag(const struct pickle *p, pickle_value v)
{
	return is_thing(kind_of(v)) ? thing_of(p, v)->tag : 0;
}
