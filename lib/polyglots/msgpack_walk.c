/* P12, MessagePack: see msgpack_walk.h.  Keys may be bytes too, as Python's msgpack takes them.
 *
 * Chance: byte 0 is a map (4 bits), byte 1 begins a text (3 bits), and so does every key; the last object has to end with
 * the last byte of the file (its size's bits).  Headers of JSON are numbers to MessagePack but for their letters beyond
 * ASCII: the map ends with the first value, long before the file does. */
#include "probes.h"

#include "checked.h"

/* The types that come with more than their first byte: big-endian bytes that follow it, and what they count. */
enum counts { COUNTS_BYTES, COUNTS_ITEMS, COUNTS_PAIRS, COUNTS_NOTHING };
static const struct coded {
	uint8_t missing;  /* of the number */
	uint8_t and_more; /* bytes behind it that go with any number: an extension's type, a number's value */
	uint8_t counts;   /* enum counts */
	bool text;        /* may be a key */
} coded[0x20] = {
	/* nil, (none), false, true */
	[0x00] = { 0, 0, COUNTS_NOTHING, false },
	[0x02] = { 0, 0, COUNTS_NOTHING, false },
	[0x03] = { 0, 0, COUNTS_NOTHING, false },
	/* bin */
	[0x04] = { 1, 0, COUNTS_BYTES, true },
	[0x05] = { 2, 0, COUNTS_BYTES, true },
	[0x06] = { 4, 0, COUNTS_BYTES, true },
	/* ext */
	[0x07] = { 1, 1, COUNTS_BYTES, false },
	[0x08] = { 2, 1, COUNTS_BYTES, false },
	[0x09] = { 4, 1, COUNTS_BYTES, false },
	/* float, uint, int */
	[0x0a] = { 0, 4, COUNTS_NOTHING, false },
	[0x0b] = { 0, 8, COUNTS_NOTHING, false },
	[0x0c] = { 0, 1, COUNTS_NOTHING, false },
	[0x0d] = { 0, 2, COUNTS_NOTHING, false },
	[0x0e] = { 0, 4, COUNTS_NOTHING, false },
	[0x0f] = { 0, 8, COUNTS_NOTHING, false },
	[0x10] = { 0, 1, COUNTS_NOTHING, false },
	[0x11] = { 0, 2, COUNTS_NOTHING, false },
	[0x12] = { 0, 4, COUNTS_NOTHING, false },
	[0x13] = { 0, 8, COUNTS_NOTHING, false },
	/* fixext */
	[0x14] = { 0, 2, COUNTS_NOTHING, false },
	[0x15] = { 0, 3, COUNTS_NOTHING, false },
	[0x16] = { 0, 5, COUNTS_NOTHING, false },
	[0x17] = { 0, 9, COUNTS_NOTHING, false },
	[0x18] = { 0, 17, COUNTS_NOTHING, false },
	/* str */
	[0x19] = { 1, 0, COUNTS_BYTES, true },
	[0x1a] = { 2, 0, COUNTS_BYTES, true },
	[0x1b] = { 4, 0, COUNTS_BYTES, true },
	/* array, map */
	[0x1c] = { 2, 0, COUNTS_ITEMS, false },
	[0x1d] = { 4, 0, COUNTS_ITEMS, false },
	[0x1e] = { 2, 0, COUNTS_PAIRS, false },
	[0x1f] = { 4, 0, COUNTS_PAIRS, false },
};
#define CODED 0xc0u     /* types from here on are of the table, up to: */
#define CODED_END 0xdfu /* beyond: negative numbers */
#define NEVER_USED 0xc1u

void msgpack_walk_begin(struct msgpack_walk *w, uint64_t size)
{
	w->size = size;
}

static void die(struct msgpack_walk *w)
{
	w->dead = true;
	w->next = UINT64_MAX;
}

static void skip(struct msgpack_walk *w, uint64_t n)
{
	if (n > w->size - w->next)
		die(w);
	else
		w->next += n;
}

/* Each object takes a byte at least. */
static void open_level(struct msgpack_walk *w, uint64_t left, bool map)
{
	if (w->depth == MSGPACK_DEPTH_MAX || left > w->size - w->next)
		die(w);
	else
		w->open[w->depth++] = (struct msgpack_open){ .left = left, .map = map };
}

/* An object is whole, or a container has begun: those that are full now end. */
static void close_full(struct msgpack_walk *w)
{
	while (!w->dead && w->depth > 0 && w->open[w->depth - 1].left == 0)
		w->depth--;
	if (!w->dead && w->depth == 0 && w->next != w->size)
		die(w); /* the map is whole, and something follows */
}

static bool is_text(uint8_t type)
{
	return (type & 0xe0) == 0xa0 || (type >= CODED && type <= CODED_END && coded[type - CODED].text);
}

static bool is_map(uint8_t type)
{
	return (type & 0xf0) == 0x80 || type == 0xde || type == 0xdf;
}

/* May an object of this type stand here?  The first is a map, and keys are text. */
static bool may_follow(const struct msgpack_walk *w, uint8_t type)
{
	const struct msgpack_open *o = w->depth > 0 ? &w->open[w->depth - 1] : NULL;

	if (o == NULL)
		return is_map(type);
	return type != NEVER_USED && (!o->map || o->left % 2 != 0 || is_text(type));
}

static void act(struct msgpack_walk *w, enum counts counts, uint64_t number)
{
	switch (counts) {
	case COUNTS_BYTES: skip(w, number); break;
	case COUNTS_ITEMS: open_level(w, number, false); break;
	case COUNTS_PAIRS: open_level(w, number * 2, true); break; /* of 32 bits at most */
	default: break;
	}
	close_full(w);
}

static void take_coded(struct msgpack_walk *w)
{
	const struct coded *c = &coded[w->type - CODED];

	skip(w, c->and_more);
	if (!w->dead)
		act(w, (enum counts)c->counts, w->number);
}

static void take_type(struct msgpack_walk *w, uint8_t type)
{
	if (!may_follow(w, type)) {
		die(w);
		return;
	}
	if (w->depth > 0)
		w->open[w->depth - 1].left--;
	w->type = type;
	w->number = 0;
	if ((type & 0xf0) == 0x80)
		act(w, COUNTS_PAIRS, type & 0x0f);
	else if ((type & 0xf0) == 0x90)
		act(w, COUNTS_ITEMS, type & 0x0f);
	else if ((type & 0xe0) == 0xa0)
		act(w, COUNTS_BYTES, type & 0x1f);
	else if (type < CODED || type > CODED_END)
		act(w, COUNTS_NOTHING, 0);
	else if ((w->missing = coded[type - CODED].missing) == 0)
		take_coded(w);
}

static void take_byte(struct msgpack_walk *w, uint8_t byte)
{
	w->next++;
	if (w->missing == 0) {
		take_type(w, byte);
		return;
	}
	w->number = w->number << 8 | byte;
	if (--w->missing == 0)
		take_coded(w);
}

void msgpack_walk_feed(struct msgpack_walk *w, const uint8_t *at, size_t n, uint64_t offset)
{
	while (w->next < offset + n)
		take_byte(w, at[w->next - offset]);
}

bool msgpack_walk_is_map(const struct msgpack_walk *w)
{
	return !w->dead && w->size > 0 && w->next == w->size && w->depth == 0 && w->missing == 0;
}

void find_msgpack(struct view *v)
{
	if (msgpack_walk_is_map(&v->pg->walk->msgpack))
		found(v, WLK_F_POLYGLOT_MSGPACK, 0, "MessagePack", "the whole file is a map with text for keys");
}
