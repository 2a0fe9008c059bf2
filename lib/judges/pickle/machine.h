/* Inside the pickle machine: its state, and what its parts share.  Nobody outside this folder includes it.
 *
 * A value is a 64-bit handle: five bits of kind, one that says "spilled", 58 of content.  Scalars are the content;
 * strings, containers, globals and objects are an index into a heap of 8-byte words, which only grows while a stream
 * lasts.  When the machine's memory is nearly spent, what can degrade degrades and stays on the safe side:
 *   - strings go to a ring, where the latest are still known: a name is used at once or not at all;
 *   - containers become handles without children; those that can change share one summary, in `spilled`.
 * Globals, objects and persistent ids never degrade: they end the walk. */
#pragma once

#include <assert.h>

#include "object_map.h"
#include "opcodes.h"
#include "pickle.h"
#include "utf8.h"

#define KIND_BITS 5
#define SPILLED ((pickle_value)1 << KIND_BITS)
#define CONTENT_SHIFT (KIND_BITS + 1)
#define CONTENT_MAX (UINT64_MAX >> CONTENT_SHIFT)

/* Heap: segments of 1 MiB that never move, so that texts handed out stay where they are. */
#define SEGMENT_SHIFT 17
#define SEGMENT_WORDS (UINT32_C(1) << SEGMENT_SHIFT)
#define SEGMENT_FIRST UINT32_C(2048) /* words of the first: most pickles need no more */
#define SEGMENTS_MAX 1024u

#define RING_WORDS UINT32_C(65536) /* the latest 512 KiB of strings */
#define RESERVE ((size_t)4 << 20)  /* bytes that only what cannot degrade may take */

#define HEAD_KEPT 256  /* bytes of a string above PICKLE_TEXT_MAX that are kept */
#define LINE_KEPT 4400 /* bytes of a line: more than names (4096) and numbers (4300 digits) may have */
#define NAME_MAX_BYTES 4096
#define DIGITS_MAX 4300 /* sys.int_info.default_max_str_digits */
#define DEPTH_MAX 1000
#define STACK_MAX UINT32_C(0x04000000)
#define MEMO_SLACK 1024 /* keys up to the number of opcodes and this are dense */

/* What a value holds, itself included; see holds(). */
enum {
	HOLDS_GLOBAL = 1,
	HOLDS_OBJECT = 2,
	HOLDS_OPAQUE = 4, /* persistent ids, extensions, buffers, unknowns: not data */
	HOLDS_DUNDER = 8,
	HOLDS_MUTABLE = 16,    /* a list, dict or set that may still change */
	HOLDS_UNHASHABLE = 32, /* of tuples: hash() of it raises */
	HAS_OPAQUE_KEY = 32,   /* of dicts: a key is not known, for a call made it; of lists and sets: a child */
	IS_HELD = 64,          /* of lists, dicts, sets and objects: some container holds it */
	IS_DISORDERED = 128,   /* of the same: which children are where is no longer known */
};
#define HOLDS_INHERITED (HOLDS_GLOBAL | HOLDS_OBJECT | HOLDS_OPAQUE | HOLDS_DUNDER | HOLDS_MUTABLE)

/* Containers; tuples and frozensets are followed by their children. */
struct node {
	uint8_t flags;
	uint8_t is_state : 1; /* of dicts: PICKLE_MARK_STATE */
	uint8_t
	    wide : 7; /* of lists, dicts and sets: children, or keys, whose hash is the file's choice; WIDE_MANY at most */
	uint16_t depth;
	uint32_t size;  /* nodes of a traversal, saturating */
	uint32_t count; /* children, or pairs */
	uint32_t room;  /* of lists, dicts and sets: children or pairs there is room for at items */
};
#define NODE_WORDS 2u
_Static_assert(sizeof(struct node) == NODE_WORDS * sizeof(uint64_t), "words of the heap");
#define WIDE_MANY 127u

static inline void node_widen(struct node *node)
{
	if (node->wide < WIDE_MANY)
		node->wide = (node->wide + 1u) & WIDE_MANY;
}

/* Lists, dicts and sets. */
struct growing {
	struct node node;
	uint64_t items; /* heap index of children; pairs of a dict are two words */
};
#define GROWING_WORDS 3u
_Static_assert(sizeof(struct growing) == GROWING_WORDS * sizeof(uint64_t), "words of the heap");

/* Globals, objects, persistent ids, extensions. */
struct thing {
	uint32_t is_held : 1;
	uint32_t marks : 8;  /* enum pickle_mark */
	uint32_t depth : 10; /* THING_DEPTH_MAX at most */
	uint32_t
	    size : 13; /* of objects: nodes that going through it takes, of eight digits and an exponent: thing_enlarge() */
	uint32_t tag;
	pickle_value first;  /* module; callee; id; code */
	pickle_value second; /* name; - */
};
#define THING_WORDS 3u
_Static_assert(sizeof(struct thing) == THING_WORDS * sizeof(uint64_t), "words of the heap");
#define THING_DEPTH_MAX 1023u /* above DEPTH_MAX */
#define THING_DIGITS 8u
#define THING_DIGITS_MASK ((1u << THING_DIGITS) - 1)

/* An integer of more than 64 bits. */
struct long_int {
	uint64_t bytes;
	uint64_t hash; /* UINT64_MAX: not known */
};
#define LONG_WORDS 2u

/* What loading costs so far: see cost.h. */
struct pickle_cost {
	uint64_t steps, bytes;
	uint64_t origin; /* where the run's first pickle begins */
	bool steps_noted, bytes_noted;
	struct collisions *listed; /* of the list of integers at work, as if it were a set: collisions.c */
	uint64_t list, list_n;     /* which one; items that are in it */
	struct object_map tables;  /* of containers whose keys may collide: collisions.c */
};

/* A string: one or two words, then the bytes that are kept. */
struct text {
	uint64_t offset : 48; /* of the payload in the run */
	uint64_t kept : 11;
	uint64_t whole : 1; /* kept is all of it; else the next word is its length */
	uint64_t plain : 1; /* the payload stands at offset as it is */
	uint64_t spare : 3;
};
static_assert(sizeof(struct text) == 8, "one word");

/* Beginnings of long strings: the latest, in a ring.  What is shown depends on them, and nothing that is judged. */
#define LONG_TEXTS 32u
struct long_texts {
	unsigned next;
	struct {
		pickle_value v;
		size_t n;
		uint8_t head[PICKLE_LONG_MAX];
	} of[LONG_TEXTS];
};

/* What ran last, in a ring. */
struct trace {
	uint64_t n; /* so far, of this stream */
	struct pickle_traced of[PICKLE_TRACED];
};

struct memo_entry {
	uint64_t key;
	pickle_value value; /* PICKLE_NO_VALUE: free */
};

struct memo {
	pickle_value *dense;
	uint32_t dense_n, dense_room; /* slots in use at most, and there */
	uint64_t entries;             /* of both */
	struct memo_entry *sparse;
	uint32_t sparse_n, sparse_room; /* room: a power of two */
};

/* A text opcode's argument while it is decoded. */
struct decoding {
	uint8_t state;  /* see text.c */
	uint8_t digits; /* of an escape, still to come */
	int16_t held;   /* STRING: the last byte, which may be the closing quote; -1: none */
	uint8_t quote;
	bool bad, nonascii;
	uint32_t code;  /* point, of an escape */
	uint64_t total; /* bytes decoded */
	size_t n;       /* bytes kept */
	uint8_t kept[PICKLE_LONG_MAX];
};

enum feed_state { AT_OPCODE, IN_PAYLOAD, IN_LINE, IN_EXPECTED };

struct pickle {
	struct pickle_options options;
	struct arena *arena;
	enum pickle_end end;
	enum feed_state state;

	/* where we are, as offsets in the run */
	uint64_t op_offset;                /* of the opcode at work */
	uint64_t op_end;                   /* behind it and its argument, during events */
	uint64_t expected;                 /* of the next byte we want */
	uint64_t run_end;                  /* where the run ends, if known */
	uint64_t frame_end;                /* 0: in no frame */
	uint64_t skip;                     /* asked for by the client during an event */
	uint8_t wanted[PICKLE_EXPECT_MAX]; /* likewise: what the next bytes have to be */
	uint8_t n_wanted, n_met;
	bool pausing; /* likewise: what follows is somebody else's */
	uint64_t opcodes;
	uint8_t op;
	uint8_t protocol;
	bool begun, spent, depth_noted, expansion_noted;
	bool refused; /* at refused_at: only the Python reader is still at it */
	uint64_t refused_at;
	uint8_t used[256];

	/* the stack, and the depths at which marks stand; fence: the topmost of them, or 0 */
	pickle_value *stack;
	uint32_t n, room, fence;
	uint32_t *marks;
	uint32_t n_marks, marks_room;
	struct memo memo;

	/* the heap */
	uint64_t *segments[SEGMENTS_MAX];
	uint32_t segment, top, segment_room; /* the one at work */
	uint64_t *ring;
	uint64_t ring_top;
	struct long_texts *longs; /* NULL: they are not remembered, or there was none yet */
	struct trace *trace;      /* NULL: nobody asked */
	size_t held;              /* bytes of all the above */
	uint8_t late;             /* what entered a container that another one already held */
	uint8_t spilled;          /* what entered containers without a node */
	uint64_t hashing;         /* nodes that hashing of keys went through, saturating */
	struct pickle_cost cost;

	/* an opcode that the end of a piece cut in two */
	uint8_t carry[9];
	uint8_t n_carry;
	struct {
		uint64_t offset, n, left;
		struct utf8_stream utf8;
		uint32_t kept;
		uint8_t head[PICKLE_LONG_MAX];
	} payload;
	struct {
		unsigned number; /* GLOBAL and INST have two */
		uint64_t total;  /* bytes of the line at work */
		size_t n[2];
		uint8_t kept[2][LINE_KEPT];
		struct decoding decoding;
	} line;
	uint64_t used_words[4], *used_bits; /* the latter points to the former */
};

/* -- handles -- */

static inline enum pickle_kind kind_of(pickle_value v)
{
	return (enum pickle_kind)(v & (((pickle_value)1 << KIND_BITS) - 1));
}

static inline pickle_value handle(enum pickle_kind kind, uint64_t content)
{
	return (pickle_value)kind | content << CONTENT_SHIFT;
}

static inline uint64_t content_of(pickle_value v)
{
	return v >> CONTENT_SHIFT;
}

static inline bool is_spilled(pickle_value v)
{
	return (v & SPILLED) != 0;
}

static inline uint64_t *heap_at(const struct pickle *p, uint64_t index)
{
	return p->segments[index >> SEGMENT_SHIFT] + (index & (SEGMENT_WORDS - 1));
}

static inline struct node *node_of(const struct pickle *p, pickle_value v)
{
	return (struct node *)(void *)heap_at(p, content_of(v));
}

static inline struct growing *growing_of(const struct pickle *p, pickle_value v)
{
	return (struct growing *)(void *)heap_at(p, content_of(v));
}

static inline struct thing *thing_of(const struct pickle *p, pickle_value v)
{
	return (struct thing *)(void *)heap_at(p, content_of(v));
}

/* Holds nothing, can be hashed, takes one node. */
static inline bool is_scalar(enum pickle_kind k)
{
	return k >= PICKLE_NONE && k <= PICKLE_BYTES;
}

static inline bool is_growing(enum pickle_kind k)
{
	return k == PICKLE_LIST || k == PICKLE_DICT || k == PICKLE_SET;
}

static inline bool is_thing(enum pickle_kind k)
{
	return k == PICKLE_GLOBAL || k == PICKLE_OBJECT || k == PICKLE_PERSISTENT || k == PICKLE_EXTENSION;
}

/* Something that Python code outside the machine made: it may be called, iterated, subscripted, nobody knows. */
static inline bool is_opaque(enum pickle_kind k)
{
	return k == PICKLE_UNKNOWN || is_thing(k);
}

/* A tuple without a node has a count of 32 bits, and then: */
#define BARE_FLAGS_SHIFT 32
#define BARE_DEPTH_SHIFT 40
#define BARE_DEPTH_MAX UINT64_C(1023)
#define BARE_SIZE_SHIFT 50 /* logarithm, rounded up */
#define EMPTY_TUPLE (SPILLED | handle(PICKLE_TUPLE, UINT64_C(1) << BARE_DEPTH_SHIFT))

/* -- heap.c: memory -- */

/* Grow an array of the machine's; false when the budget is spent. */
bool machine_resize(struct pickle *p, void **array, size_t old_bytes, size_t new_bytes);
/* n words, all to be written; NULL: none left.  ESSENTIAL may take from the reserve. */
enum need { DEGRADABLE, ESSENTIAL };
uint64_t *heap_take(struct pickle *p, uint32_t words, enum need need, uint64_t *ret_index);
uint64_t *ring_take(struct pickle *p, uint32_t words, uint64_t *ret_position);
void heap_reset(struct pickle *p);

/* -- values.c: making values; PICKLE_NO_VALUE: no memory -- */

pickle_value value_int(struct pickle *p, int64_t v);
/* An integer that fits no int64_t, of n bytes in two's complement, all of which are at `at`; NULL: nobody kept them. */
pickle_value value_long(struct pickle *p, const uint8_t *at, uint64_t n);
uint64_t value_long_bytes(const struct pickle *p, pickle_value v);
bool value_long_hash(const struct pickle *p, pickle_value v, uint64_t *ret);
/* Nodes of a traversal, saturating. */
uint32_t value_size(const struct pickle *p, pickle_value v);
/* Of n bytes; as many of them as text_wanted() says are at `at`. */
pickle_value value_text(
    struct pickle *p, enum pickle_kind kind, const uint8_t *at, uint64_t n, uint64_t offset, bool plain);
pickle_value value_name(struct pickle *p, struct bytes text);
pickle_value value_tuple(struct pickle *p, enum pickle_kind kind, const pickle_value *items, uint32_t n);
pickle_value value_growing(struct pickle *p, enum pickle_kind kind);
pickle_value value_thing(struct pickle *p, enum pickle_kind kind, pickle_value first, pickle_value second);
/* Going through the object goes through so many nodes at least. */
void value_enlarge(struct pickle *p, pickle_value object, uint64_t size);
/* The object keeps what it is given: a state, or items.  Who frees it goes as deep. */
void value_deepen(struct pickle *p, pickle_value object, pickle_value held);
/* Append items to a list or set, or n/2 pairs to a dict. */
void value_add(struct pickle *p, pickle_value container, const pickle_value *items, uint32_t n);
/* Its children may now be anything among what it held and these. */
void value_disorder(struct pickle *p, pickle_value container, const pickle_value *items, uint32_t n);
/* What somebody who holds v holds: HOLDS_* */
uint8_t value_flags(const struct pickle *p, pickle_value v);
bool value_hashable(struct pickle *p, pickle_value v);
/* A call is given args, or an object a state: either may go through all that is in them. */
void value_traversed(struct pickle *p, pickle_value args);
bool value_falsy(const struct pickle *p, pickle_value v);
static inline size_t text_wanted(const struct pickle *p, uint64_t n)
{
	uint64_t most = p->options.remember ? PICKLE_LONG_MAX : PICKLE_TEXT_MAX;

	return (size_t)(n < most ? n : most);
}
/* Bytes that are kept of a string: false when they were spilled and are gone. */
bool value_kept(const struct pickle *p, pickle_value v, struct bytes *ret, uint64_t *ret_n);

/* -- memo.c -- */

bool memo_put_slow(struct pickle *p, uint64_t key, pickle_value v);
pickle_value memo_get_slow(const struct pickle *p, uint64_t key);
void memo_reset(struct memo *m);

/* -- acts.c: opcodes that do more than move values.  false: the walk has ended -- */

bool end_walk(struct pickle *p, enum pickle_end end);
void note(struct pickle *p, enum pickle_note n, uint64_t number);
bool act_global(struct pickle *p, struct bytes module, struct bytes name);
bool act_inst(struct pickle *p, struct bytes module, struct bytes name);
bool act_stack_global(struct pickle *p);
bool act_reduce(struct pickle *p);
bool act_newobj(struct pickle *p);
bool act_newobj_ex(struct pickle *p);
bool act_obj(struct pickle *p);
bool act_build(struct pickle *p);
bool act_append(struct pickle *p, uint32_t from);
bool act_setitem(struct pickle *p, uint32_t from);
bool act_additems(struct pickle *p, uint32_t from);
bool act_dict(struct pickle *p);
bool act_frozenset(struct pickle *p);
bool act_persid(struct pickle *p, pickle_value id);
bool act_ext(struct pickle *p, int64_t code);
bool act_next_buffer(struct pickle *p);
bool act_readonly_buffer(struct pickle *p);
bool act_stop(struct pickle *p);

/* -- line.c: arguments that are lines -- */

void line_begin(struct pickle *p);
/* Take bytes up to the line's end; returns behind what it took.  When the last line is whole, the opcode is executed. */
const uint8_t *line_feed(struct pickle *p, const uint8_t *at, const uint8_t *end, uint64_t offset);
void line_cut(struct pickle *p);

/* -- text.c -- */

void decoding_begin(struct decoding *d);
void decoding_string(struct decoding *d, const uint8_t *at, size_t n);
bool decoding_string_end(struct decoding *d);
void decoding_unicode(struct decoding *d, const uint8_t *at, size_t n);
bool decoding_unicode_end(struct decoding *d);
/* As Python reads it, with surrogates. */
bool utf8_whole(const uint8_t *at, size_t n);
bool text_is_ascii(struct bytes b);

/* -- number.c -- */

enum number_form { NUMBER_PLAIN, NUMBER_ODD, NUMBER_BAD };
struct number {
	enum number_form form;
	bool fits; /* value says it; of ODD ones only when asked in base 10 */
	int64_t value;
};
struct number number_int(struct bytes line);  /* INT, without its booleans */
struct number number_long(struct bytes line); /* LONG */
struct number number_index(struct bytes line);
enum number_form number_float(struct bytes line, bool *ret_nonfinite);
/* LONG1 and LONG4: two's complement, little-endian. */
struct number number_binary(const uint8_t *at, size_t n);

/* -- literals.c: a call that makes a number of text is about to come -- */

void literals_call(struct pickle *p, pickle_value target, pickle_value args);

/* -- compat.c -- */

/* Replaces both by what Python 3 calls it, if it was moved. */
void compat_map(struct bytes *module, struct bytes *name);

/* -- the stack -- */

bool stack_grow(struct pickle *p);
bool mark_grow(struct pickle *p);

static inline bool push(struct pickle *p, pickle_value v)
{
	if (p->n == p->room && !stack_grow(p))
		return false;
	p->stack[p->n++] = v;
	return true;
}

/* A value that may be "no memory". */
static inline bool push_new(struct pickle *p, pickle_value v)
{
	return v != PICKLE_NO_VALUE ? push(p, v) : end_walk(p, PICKLE_LIMIT_MEMORY);
}

/* k items above the topmost mark. */
static inline bool need(struct pickle *p, uint32_t k)
{
	return p->n - p->fence >= k || end_walk(p, PICKLE_STACK_UNDERFLOW);
}

static inline bool pop_mark(struct pickle *p, uint32_t *ret_from)
{
	if (p->n_marks == 0) {
		end_walk(p, PICKLE_MARK_MISSING);
		return false;
	}
	*ret_from = p->marks[--p->n_marks];
	p->fence = p->n_marks > 0 ? p->marks[p->n_marks - 1] : 0;
	return true;
}

static inline bool memo_put(struct pickle *p, uint64_t key, pickle_value v)
{
	struct memo *m = &p->memo;

	if (key >= m->dense_n || m->dense[key] == PICKLE_NO_VALUE)
		return memo_put_slow(p, key, v);
	m->dense[key] = v;
	return true;
}

static inline pickle_value memo_get(const struct pickle *p, uint64_t key)
{
	const struct memo *m = &p->memo;

	return key < m->dense_n && m->dense[key] != PICKLE_NO_VALUE ? m->dense[key] : memo_get_slow(p, key);
}
