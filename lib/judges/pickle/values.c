/* Values of the pickle machine: how they are made and change, and what they hold.
 *
 * What a container holds is summed up when a child enters, so a question costs nothing.  A tuple may be built before
 * the list in it is filled; whatever enters a container that another one already holds is therefore also noted in
 * `late`, and believed of every container with something mutable inside.  Honest pickles fill a container before they
 * store it, cycles apart. */
#include <string.h>

#include "checked.h"
#include "cost.h"

#define SIZE_SATURATED UINT32_MAX
#define HASHING_MAX \
	(UINT64_C(1) << 28) /* nodes: a loader takes seconds for them; no pickle of 2^26 opcodes comes near */

#define TRAVERSAL_SMALL (UINT32_C(1) << 20) /* nodes: of more than these, and than the file has, values are shared */

/* Bytes in CPython 3.11, the garbage collector's share and the memo's place included. */
#define TUPLE_BYTES 72u
#define LIST_BYTES 88u
#define DICT_BYTES 80u
#define SET_BYTES 232u
#define INT_BYTES 32u
#define ITEM_BYTES 9u   /* of a list, which grows by an eighth */
#define PAIR_BYTES 104u /* of a dict that has just grown */
#define ELEMENT_BYTES 80u

pickle_value value_int(struct pickle *p, int64_t v)
{
	uint64_t index, *word;

	cost_bytes(p, v >= -5 && v <= 256 ? 0 : INT_BYTES); /* the others are there already */
	if (v >= -(INT64_C(1) << 57) && v < INT64_C(1) << 57)
		return handle(PICKLE_INT, (uint64_t)v & CONTENT_MAX);
	word = heap_take(p, 1, ESSENTIAL, &index);
	if (word == NULL)
		return PICKLE_NO_VALUE;
	memcpy(word, &v, sizeof(v));
	return handle(PICKLE_INT, index) | SPILLED;
}

pickle_value value_long(struct pickle *p, const uint8_t *at, uint64_t n)
{
	uint64_t index, *word = heap_take(p, LONG_WORDS, DEGRADABLE, &index);

	cost_bytes(p, INT_BYTES + n);
	if (word == NULL)
		return handle(PICKLE_BIG_INT, 0);
	*(struct long_int *)(void *)word =
	    (struct long_int){ .bytes = n, .hash = at != NULL ? collision_hash_integer(at, (size_t)n) : UINT64_MAX };
	return handle(PICKLE_BIG_INT, index + 1);
}

static const struct long_int *long_of(const struct pickle *p, pickle_value v)
{
	return content_of(v) > 0 ? (const struct long_int *)(const void *)heap_at(p, content_of(v) - 1) : NULL;
}

/* Of one that nobody kept: as many as were read. */
uint64_t value_long_bytes(const struct pickle *p, pickle_value v)
{
	const struct long_int *l = long_of(p, v);

	return l != NULL ? l->bytes : p->op_offset - p->cost.origin;
}

bool value_long_hash(const struct pickle *p, pickle_value v, uint64_t *ret)
{
	const struct long_int *l = long_of(p, v);

	*ret = l != NULL ? l->hash : UINT64_MAX;
	return *ret != UINT64_MAX;
}

/* -- summaries -- */

static uint8_t bare_flags(pickle_value v)
{
	return (uint8_t)(content_of(v) >> BARE_FLAGS_SHIFT);
}

/* What somebody who holds v holds. */
uint8_t value_flags(const struct pickle *p, pickle_value v)
{
	switch (kind_of(v)) {
	case PICKLE_GLOBAL: return HOLDS_GLOBAL;
	case PICKLE_OBJECT: return HOLDS_OBJECT;
	case PICKLE_UNKNOWN:
	case PICKLE_PERSISTENT:
	case PICKLE_EXTENSION:
	case PICKLE_BUFFER: return HOLDS_OPAQUE;
	case PICKLE_BYTEARRAY: return HOLDS_UNHASHABLE;
	case PICKLE_TUPLE:
	case PICKLE_FROZENSET: return is_spilled(v) ? bare_flags(v) : node_of(p, v)->flags;
	case PICKLE_LIST:
	case PICKLE_DICT:
	case PICKLE_SET:
		return HOLDS_MUTABLE | HOLDS_UNHASHABLE |
		       ((is_spilled(v) ? p->spilled : node_of(p, v)->flags) & HOLDS_INHERITED);
	default: return 0;
	}
}

static uint16_t depth_of(const struct pickle *p, pickle_value v)
{
	enum pickle_kind k = kind_of(v);

	if (k < PICKLE_TUPLE || k > PICKLE_OBJECT || k == PICKLE_GLOBAL)
		return 0;
	if (!is_spilled(v))
		return k == PICKLE_OBJECT ? thing_of(p, v)->depth : node_of(p, v)->depth;
	return is_growing(k) ? 1 : (uint16_t)(content_of(v) >> BARE_DEPTH_SHIFT & BARE_DEPTH_MAX);
}

/* Each digit of a long integer counts, for hashing goes through them. */
static uint32_t size_of_scalar(const struct pickle *p, pickle_value v)
{
	return kind_of(v) == PICKLE_BIG_INT ? 1 + (uint32_t)min_u64(value_long_bytes(p, v) / 16, UINT32_MAX / 2) : 1;
}

/* Eight digits, rounded up: what many objects hold, each inside the next, is not doubled by each of them. */
static uint32_t size_of_thing(const struct thing *t)
{
	uint64_t size = (uint64_t)(t->size & THING_DIGITS_MASK) << (t->size >> THING_DIGITS);

	return size == 0 ? 1 : (uint32_t)min_u64(size, SIZE_SATURATED);
}

void value_enlarge(struct pickle *p, pickle_value object, uint64_t size)
{
	uint32_t exponent = 0;

	if (kind_of(object) != PICKLE_OBJECT || size <= size_of_thing(thing_of(p, object)))
		return;
	size = min_u64(size, SIZE_SATURATED);
	for (; size > THING_DIGITS_MASK; exponent++)
		size = size / 2 + size % 2;
	thing_of(p, object)->size = (exponent << THING_DIGITS | (uint32_t)size) & 0x1fff;
}

/* A frozenset remembers its hash; but whoever compares two goes through them. */
uint32_t value_size(const struct pickle *p, pickle_value v)
{
	enum pickle_kind k = kind_of(v);
	uint64_t log2;

	if (k == PICKLE_OBJECT)
		return size_of_thing(thing_of(p, v));
	if (k != PICKLE_TUPLE && k != PICKLE_FROZENSET && !is_growing(k))
		return size_of_scalar(p, v);
	if (is_growing(k) && is_spilled(v))
		return 1;
	if (!is_spilled(v))
		return node_of(p, v)->size;
	log2 = content_of(v) >> BARE_SIZE_SHIFT;
	return log2 >= 32 ? SIZE_SATURATED : UINT32_C(1) << log2;
}

struct sum {
	uint8_t flags;
	uint16_t depth;
	uint32_t size;
};

static uint32_t add_saturating(uint32_t a, uint32_t b)
{
	return a > SIZE_SATURATED - b ? SIZE_SATURATED : a + b;
}

/* A container is about to hold v. */
static void sum_add(struct pickle *p, struct sum *s, pickle_value v)
{
	uint16_t depth;

	if (is_scalar(kind_of(v))) {
		s->size = add_saturating(s->size, size_of_scalar(p, v));
		return;
	}
	if (kind_of(v) == PICKLE_GLOBAL && (thing_of(p, v)->marks & PICKLE_MARK_CALLEE) != 0)
		note(p, PICKLE_NOTE_CALLEE_HELD, 0);
	s->flags |= value_flags(p, v);
	s->size = add_saturating(s->size, value_size(p, v));
	depth = depth_of(p, v);
	if (depth >= s->depth)
		s->depth = depth == UINT16_MAX ? depth : (uint16_t)(depth + 1);
	if (is_growing(kind_of(v)) && !is_spilled(v))
		node_of(p, v)->flags |= IS_HELD;
	else if (kind_of(v) == PICKLE_OBJECT)
		thing_of(p, v)->is_held = true;
}

static struct sum sum_of(struct pickle *p, const pickle_value *items, uint32_t n)
{
	struct sum s = { .depth = 1, .size = 1 };

	for (uint32_t i = 0; i < n; i++)
		sum_add(p, &s, items[i]);
	return s;
}

static void check_depth(struct pickle *p, uint16_t depth)
{
	if (depth <= DEPTH_MAX || p->depth_noted)
		return;
	p->depth_noted = true;
	note(p, PICKLE_NOTE_DEPTH, depth);
}

/* -- tuples and frozensets -- */

static pickle_value bare_tuple(enum pickle_kind kind, const struct sum *s, uint32_t n)
{
	uint64_t depth = s->depth < BARE_DEPTH_MAX ? s->depth : BARE_DEPTH_MAX, log2 = 0;

	while (log2 < 32 && UINT64_C(1) << log2 < s->size)
		log2++;
	return SPILLED | handle(kind, n | (uint64_t)s->flags << BARE_FLAGS_SHIFT | depth << BARE_DEPTH_SHIFT |
					  log2 << BARE_SIZE_SHIFT);
}

pickle_value value_tuple(struct pickle *p, enum pickle_kind kind, const pickle_value *items, uint32_t n)
{
	uint32_t kept = n < PICKLE_TUPLE_KEPT ? n : PICKLE_TUPLE_KEPT;
	struct sum s = sum_of(p, items, n);
	uint64_t index, *word;

	check_depth(p, s.depth);
	cost_bytes(p, n == 0                 ? 0
		      : kind == PICKLE_TUPLE ? TUPLE_BYTES + n * UINT64_C(8)
					     : SET_BYTES + n * (uint64_t)ELEMENT_BYTES);
	if (n == 0)
		return bare_tuple(kind, &s, 0);
	word = heap_take(p, NODE_WORDS + kept, DEGRADABLE, &index);
	if (word == NULL)
		return bare_tuple(kind, &s, n);
	*(struct node *)(void *)word = (struct node){ .flags = s.flags, .depth = s.depth, .size = s.size, .count = n };
	memcpy(word + NODE_WORDS, items, kept * sizeof(*items));
	return handle(kind, index);
}

/* -- lists, dicts, sets -- */

pickle_value value_growing(struct pickle *p, enum pickle_kind kind)
{
	uint64_t index, *word = heap_take(p, GROWING_WORDS, DEGRADABLE, &index);

	cost_bytes(p, kind == PICKLE_SET ? SET_BYTES : kind == PICKLE_DICT ? DICT_BYTES : LIST_BYTES);
	if (word == NULL)
		return SPILLED | handle(kind, 0);
	*(struct growing *)(void *)word = (struct growing){ .node = { .depth = 1, .size = 1 } };
	return handle(kind, index);
}

/* Room for n children or pairs, of words each. */
static bool make_room(struct pickle *p, struct growing *g, uint32_t n, uint32_t words)
{
	uint32_t room = g->node.room * 2 < n ? n : g->node.room * 2;
	uint64_t index, *items;

	if (n <= g->node.room)
		return true;
	if (room > p->options.items_kept)
		room = p->options.items_kept;
	items = heap_take(p, room * words, DEGRADABLE, &index);
	if (items == NULL)
		return false;
	if (g->node.count > 0)
		memcpy(items, heap_at(p, g->items), (size_t)g->node.count * words * sizeof(*items));
	g->items = index;
	g->node.room = room;
	return true;
}

/* The first children, as long as there are not too many; words: of each, which is a key and a value in a dict. */
static void keep(struct pickle *p, struct growing *g, const pickle_value *items, uint32_t n, uint32_t words)
{
	uint32_t count = g->node.count, kept = p->options.items_kept - count;

	if (count >= p->options.items_kept || (g->node.flags & IS_DISORDERED) != 0)
		return;
	if (kept > n)
		kept = n;
	if (!make_room(p, g, count + kept, words)) {
		g->node.flags |= IS_DISORDERED;
		return;
	}
	memcpy(heap_at(p, g->items) + count * words, items, (size_t)kept * words * sizeof(*items));
}

/* v, which was holding `had`, now holds `flags` too. */
static void learn(struct pickle *p, struct node *node, uint8_t flags)
{
	uint8_t news = flags & HOLDS_INHERITED & (uint8_t)~node->flags;

	node->flags |= news;
	if ((node->flags & IS_HELD) != 0)
		p->late |= news;
}

static void take_in(struct pickle *p, pickle_value container, const struct sum *s)
{
	struct node *node = node_of(p, container);

	learn(p, node, s->flags);
	node->size = add_saturating(node->size, s->size);
	if (s->depth > node->depth) {
		node->depth = s->depth;
		check_depth(p, s->depth);
	}
}

static bool dunder(const struct pickle *p, pickle_value key)
{
	struct bytes kept;
	uint64_t n;

	if (kind_of(key) == PICKLE_UNKNOWN)
		return true;
	if (kind_of(key) != PICKLE_STR)
		return false;
	if (!value_kept(p, key, &kept, &n))
		return true; /* nobody knows any more */
	if (kept.n < 4 || memcmp(kept.at, "__", 2) != 0)
		return false;
	return n != kept.n || memcmp(kept.at + kept.n - 2, "__", 2) == 0;
}

static uint8_t dunder_keys(const struct pickle *p, const pickle_value *items, uint32_t n)
{
	for (uint32_t i = 0; i < n; i += 2)
		if (dunder(p, items[i]))
			return HOLDS_DUNDER;
	return 0;
}

/* Of a dict's keys (step 2), or of children (1). */
static uint8_t opaque_keys(const pickle_value *items, uint32_t n, uint32_t step)
{
	for (uint32_t i = 0; i < n; i += step)
		if (is_opaque(kind_of(items[i])))
			return HAS_OPAQUE_KEY;
	return 0;
}

/* Of a list, in case that a set is made of it: how many children have a hash of the file's choice. */
static void count_wide(struct pickle *p, struct node *node, const pickle_value *items, uint32_t n)
{
	for (uint32_t i = 0; i < n && node->wide < WIDE_MANY; i++)
		if (collision_is_wide(p, items[i]))
			node_widen(node);
}

static void cost_items(struct pickle *p, pickle_value container, uint32_t n)
{
	switch (kind_of(container)) {
	case PICKLE_DICT: cost_bytes(p, n / 2 * (uint64_t)PAIR_BYTES); break;
	case PICKLE_SET: cost_bytes(p, n * (uint64_t)ELEMENT_BYTES); break;
	default: cost_bytes(p, n * (uint64_t)ITEM_BYTES); break;
	}
}

void value_add(struct pickle *p, pickle_value container, const pickle_value *items, uint32_t n)
{
	struct sum s = sum_of(p, items, n);
	uint32_t words = 1;

	cost_items(p, container, n);
	if (kind_of(container) == PICKLE_DICT) {
		s.flags |= dunder_keys(p, items, n);
		words = 2;
	}
	if (is_spilled(container)) {
		/* A holder had no way to know: what any of them holds is believed of all. */
		p->late |= s.flags & HOLDS_INHERITED & (uint8_t)~p->spilled;
		p->spilled |= s.flags & HOLDS_INHERITED;
		return;
	}
	if (node_of(p, container)->is_state)
		note(p, PICKLE_NOTE_STATE_CHANGED, 0);
	node_of(p, container)->flags |= opaque_keys(items, n, words);
	if (kind_of(container) == PICKLE_LIST) {
		count_wide(p, node_of(p, container), items, n);
		if (n > 0)
			collision_list(p, container, items, n, node_of(p, container)->count);
	}
	keep(p, growing_of(p, container), items, n / words, words);
	node_of(p, container)->count += n / words;
	take_in(p, container, &s);
}

void value_disorder(struct pickle *p, pickle_value container, const pickle_value *items, uint32_t n)
{
	struct sum s = sum_of(p, items, n);

	if (is_spilled(container)) {
		p->late |= s.flags & HOLDS_INHERITED;
		p->spilled |= s.flags & HOLDS_INHERITED;
		return;
	}
	node_of(p, container)->flags |= IS_DISORDERED;
	take_in(p, container, &s);
}

/* -- things -- */

pickle_value value_thing(struct pickle *p, enum pickle_kind kind, pickle_value first, pickle_value second)
{
	uint64_t index, *word = heap_take(p, THING_WORDS, ESSENTIAL, &index);

	if (word == NULL)
		return PICKLE_NO_VALUE;
	*(struct thing *)(void *)word = (struct thing){ .first = first, .second = second };
	if (kind == PICKLE_OBJECT && second != PICKLE_NO_VALUE) {
		uint16_t depth = depth_of(p, second);

		thing_of(p, handle(kind, index))->depth =
		    (depth < THING_DEPTH_MAX ? depth + 1u : THING_DEPTH_MAX) & THING_DEPTH_MAX;
		check_depth(p, depth);
	}
	return handle(kind, index);
}

void value_deepen(struct pickle *p, pickle_value object, pickle_value held)
{
	uint16_t depth;

	if (kind_of(object) != PICKLE_OBJECT || held == PICKLE_NO_VALUE)
		return;
	depth = depth_of(p, held);
	depth = depth < THING_DEPTH_MAX ? (uint16_t)(depth + 1) : THING_DEPTH_MAX;
	if (depth <= thing_of(p, object)->depth)
		return;
	thing_of(p, object)->depth = depth & THING_DEPTH_MAX;
	check_depth(p, depth);
}

/* -- questions of the machine -- */

static void count_traversal(struct pickle *p, uint32_t size)
{
	p->hashing = p->hashing > UINT64_MAX - size ? UINT64_MAX : p->hashing + size;
	if (p->hashing > HASHING_MAX && !p->expansion_noted) {
		p->expansion_noted = true;
		note(p, PICKLE_NOTE_EXPANSION, size);
	}
	cost_steps(p, size);
}

bool value_hashable(struct pickle *p, pickle_value v)
{
	if ((value_flags(p, v) & HOLDS_UNHASHABLE) != 0)
		return false;
	count_traversal(p, value_size(p, v));
	return true;
}

void value_traversed(struct pickle *p, pickle_value args)
{
	uint32_t size = value_size(p, args);

	if (p->depth_noted) /* the stack ends first; sizes of what lies so deep add up to its square */
		return;
	if (size > TRAVERSAL_SMALL && size > p->opcodes)
		count_traversal(p, size);
	else
		cost_steps(p, size);
}

bool value_falsy(const struct pickle *p, pickle_value v)
{
	struct bytes kept;
	uint64_t n;
	bool truth;

	switch (kind_of(v)) {
	case PICKLE_NONE: return true;
	case PICKLE_BOOL: return pickle_bool(p, v, &truth) && !truth;
	case PICKLE_INT: return content_of(v) == 0;
	case PICKLE_FLOAT: /* +0.0 and -0.0; of a text nobody kept the value */
		return content_of(v) == 0 || content_of(v) == CONTENT_MAX / 2 + 1 || content_of(v) == CONTENT_MAX;
	case PICKLE_STR:
	case PICKLE_BYTES:
	case PICKLE_BYTEARRAY: return !value_kept(p, v, &kept, &n) || n == 0;
	case PICKLE_TUPLE:
	case PICKLE_LIST:
	case PICKLE_DICT:
	case PICKLE_SET:
	case PICKLE_FROZENSET: return pickle_count(p, v) == 0;
	default: return false;
	}
}
