/* Any bytes as a pickle, through the machine: however the bytes are cut, the events are the same; events come in order
 * and point inside; memory keeps to its bound; and what a summary denies is not there. */
#include <string.h>

#include "fuzz.h"
#include "pickle.h"

#define DEPTH_LOOKED 4
#define ITEMS_LOOKED 4
#define MEMORY_SLACK ((size_t)4096)

struct seen {
	uint64_t size, events, last, hash;
};

static void mix(struct seen *s, uint64_t v)
{
	s->hash = (s->hash ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	s->hash ^= s->hash >> 29;
}

static void mix_bytes(struct seen *s, struct bytes b)
{
	const struct siphash_key key = { .k0 = 1, .k1 = 2 };

	mix(s, b.n > 0 ? siphash13(b.at, b.n, &key) : 0);
}

static void look_at_string(struct seen *s, const struct pickle *p, pickle_value v)
{
	uint64_t n = 0, offset = 0, payload_n = 0;
	struct bytes head;

	if (!pickle_head(p, v, &head, &n))
		return;
	FUZZ_REQUIRE(head.n <= PICKLE_TEXT_MAX && head.n <= n);
	mix_bytes(s, head);
	if (!pickle_payload(p, v, &offset, &payload_n))
		return;
	FUZZ_REQUIRE(payload_n == n && offset <= s->size && payload_n <= s->size - offset);
	mix(s, offset);
}

static void look(struct seen *s, const struct pickle *p, pickle_value v, unsigned depth);

/* What is inside v: `outer` is what v said of it. */
static void look_inside(struct seen *s, const struct pickle *p, pickle_value outer, pickle_value v, unsigned depth)
{
	if (v == PICKLE_NO_VALUE)
		return;
	FUZZ_REQUIRE(!pickle_inert(p, outer) || pickle_inert(p, v));
	FUZZ_REQUIRE(pickle_holds_global(p, outer) || !pickle_holds_global(p, v));
	FUZZ_REQUIRE(pickle_holds_object(p, outer) || !pickle_holds_object(p, v));
	FUZZ_REQUIRE(pickle_holds_dunder_key(p, outer) || !pickle_holds_dunder_key(p, v));
	look(s, p, v, depth + 1);
}

static void look(struct seen *s, const struct pickle *p, pickle_value v, unsigned depth)
{
	pickle_value key, value;
	struct bytes a, b;
	int64_t number;

	mix(s, pickle_kind(p, v));
	mix(s, pickle_count(p, v));
	if (pickle_int(p, v, &number))
		mix(s, (uint64_t)number);
	look_at_string(s, p, v);
	if (pickle_global_mapped(p, v, &a, &b)) {
		mix_bytes(s, a);
		mix_bytes(s, b);
		FUZZ_REQUIRE(!pickle_inert(p, v) && pickle_holds_global(p, v));
	}
	for (uint64_t i = 0; i < ITEMS_LOOKED && depth < DEPTH_LOOKED; i++) {
		look_inside(s, p, v, pickle_item(p, v, i), depth);
		if (!pickle_pair(p, v, i, &key, &value))
			continue;
		look_inside(s, p, v, key, depth);
		look_inside(s, p, v, value, depth);
		if (pickle_text(p, key, &a) && a.n > 4 && memcmp(a.at, "__", 2) == 0 &&
		    memcmp(a.at + a.n - 2, "__", 2) == 0)
			FUZZ_REQUIRE(pickle_holds_dunder_key(p, v));
	}
}

static void see(void *ctx, struct pickle *p, const struct pickle_event *e)
{
	struct seen *s = ctx;

	FUZZ_REQUIRE(e->offset < s->size && e->offset >= s->last && pickle_after_opcode(p) <= s->size);
	s->last = e->offset;
	s->events++;
	mix(s, e->act);
	mix(s, e->opcode);
	mix(s, e->offset);
	mix(s, e->act == PICKLE_ACT_NOTE ? e->note + e->number : 0);
	look(s, p, e->target, 0);
	look(s, p, e->args, 0);
	look(s, p, e->kwargs, 0);
	look(s, p, e->key, 0);
	if (e->result != PICKLE_NO_VALUE && (e->offset & 1) != 0)
		pickle_set_tag(p, e->result, (uint32_t)e->offset);
	if (e->act == PICKLE_ACT_BUILD && (e->offset & 7) == 7)
		pickle_skip(p, e->offset & 8);
}

/* All streams of the run, in pieces of exactly their size. */
static struct seen walk(const uint8_t *data, size_t n, size_t piece)
{
	struct seen s = { .size = n };
	struct pickle_options o = { .size = n, .opcodes_max = UINT64_MAX, .event = see, .ctx = &s };
	struct arena arena;
	struct pickle *p;
	uint64_t offset = 0;

	arena_init(&arena, SIZE_MAX);
	p = pickle_new(&arena, &o);
	FUZZ_REQUIRE(p != NULL);
	do {
		pickle_begin(p, offset);
		while (offset < n) {
			size_t here = piece < n - offset ? piece : (size_t)(n - offset);
			uint8_t *copy = malloc(here);
			uint64_t next;

			FUZZ_REQUIRE(copy != NULL);
			memcpy(copy, data + offset, here);
			next = pickle_feed(p, copy, here, offset);
			free(copy);
			if (next == FEED_END)
				break;
			FUZZ_REQUIRE(next >= offset + here);
			offset = next;
		}
		mix(&s, pickle_finish(p));
		mix(&s, pickle_position(p));
		mix(&s, pickle_opcodes(p));
		FUZZ_REQUIRE(pickle_position(p) <= n || pickle_ended(p) == PICKLE_TRUNCATED);
		offset = pickle_position(p);
	} while (pickle_ended(p) == PICKLE_STOPPED && offset < n);
	FUZZ_REQUIRE(arena.used <= PICKLE_MEMORY_BASE + 8 * pickle_opcodes(p) + MEMORY_SLACK);
	arena_done(&arena);
	return s;
}

static void sniff(const uint8_t *data, size_t n)
{
	struct arena arena;
	bool acts;

	arena_init(&arena, SIZE_MAX);
	pickle_sniff(data, n, n, &arena, &acts);
	FUZZ_REQUIRE(arena.used == 0);
	arena_done(&arena);
}

int fuzz_one(const uint8_t *data, size_t n)
{
	static const size_t pieces[] = { 1, 3, 17 };
	struct seen whole = walk(data, n, SIZE_MAX);

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		struct seen cut = walk(data, n, pieces[i]);

		FUZZ_REQUIRE(cut.hash == whole.hash && cut.events == whole.events);
	}
	sniff(data, n);
	return 0;
}
