/* Three signatures in one go: see search.h.  Two bytes of each are compared in sixteen places at once; only where both
 * stand side by side is the whole signature looked at.  The two are chosen to be rare in text and in weights. */
#include "search.h"

#include <stdbool.h>
#include <string.h>

#include "checked.h"

static const struct signature {
	const char *bytes;
	uint8_t n, pair; /* length; where the two bytes stand in it */
} signatures[SEARCH_KINDS] = {
	[SEARCH_7Z] = { "7z\xBC\xAF\x27\x1C", 6, 2 },
	[SEARCH_RAR] = { "Rar!\x1A\x07", 6, 3 },
	[SEARCH_PHAR] = { "__HALT_COMPILER();", 18, 1 },
};

#define LANES 16u
#define STEP (4 * LANES)
typedef uint8_t lanes __attribute__((vector_size(LANES)));
typedef uint64_t halves __attribute__((vector_size(LANES)));

static inline lanes load_lanes(const uint8_t *at)
{
	lanes v;

	memcpy(&v, at, sizeof(v));
	return v;
}

static inline lanes pairs_in(const uint8_t *at)
{
	lanes a = load_lanes(at), b = load_lanes(at + 1);

	return (lanes)((a == 0xBC) & (b == 0xAF)) | (lanes)((a == '!') & (b == 0x1A)) |
	       (lanes)((a == '_') & (b == 'H'));
}

/* Is there a pair that begins in these STEP bytes?  One byte behind them is read. */
static inline bool any_pair(const uint8_t *at)
{
	lanes any = pairs_in(at) | pairs_in(at + LANES) | pairs_in(at + 2 * LANES) | pairs_in(at + 3 * LANES);
	halves h = (halves)any;

	return (h[0] | h[1]) != 0;
}

/* A run of bytes that is searched.  At a border, what is wanted begins before `news` and ends behind it: all others are
 * met in a piece. */
struct run {
	const uint8_t *at;
	size_t n, news; /* news: 0, or where the border is */
	uint64_t offset;
};

static bool in_window(const struct search *s, enum search_kind kind, uint64_t at)
{
	if (kind == SEARCH_PHAR)
		return at < SEARCH_PHAR_WITHIN || s->size - at <= SEARCH_PHAR_WITHIN;
	return at < SEARCH_HEAD;
}

static void add_hit(struct search *s, enum search_kind kind, uint64_t at)
{
	struct search_hits *h = &s->hits[kind];

	if (in_window(s, kind, at) && h->n <= SEARCH_HITS_MAX)
		h->at[h->n++] = at;
}

/* Does a signature have its pair at i? */
static void look_at(struct search *s, const struct run *r, size_t i)
{
	for (unsigned k = 0; k < SEARCH_KINDS; k++) {
		const struct signature *g = &signatures[k];
		size_t begin = i - g->pair;

		if (i < g->pair || g->n > r->n - begin || memcmp(r->at + begin, g->bytes, g->n) != 0)
			continue;
		if (r->news == 0 || (begin < r->news && begin + g->n > r->news))
			add_hit(s, (enum search_kind)k, r->offset + begin);
	}
}

static void search_run(struct search *s, const struct run *r)
{
	size_t i = 0;

	for (; i + STEP < r->n; i += STEP)
		if (any_pair(r->at + i))
			for (size_t k = i; k < i + STEP; k++)
				look_at(s, r, k);
	for (; i + 1 < r->n; i++)
		look_at(s, r, i);
}

/* What began in the pieces before. */
static void search_border(struct search *s, const uint8_t *at, size_t n, uint64_t offset)
{
	uint8_t both[2 * sizeof(s->carry)];
	struct run r = { .at = both, .news = s->n_carry, .offset = offset - s->n_carry };

	n = n < sizeof(s->carry) ? n : sizeof(s->carry);
	memcpy(both, s->carry, s->n_carry);
	memcpy(both + s->n_carry, at, n);
	r.n = s->n_carry + n;
	search_run(s, &r);
}

static void keep_carry(struct search *s, const uint8_t *at, size_t n)
{
	size_t room = sizeof(s->carry), kept;

	if (n >= room) {
		memcpy(s->carry, at + (n - room), room);
		s->n_carry = room;
		return;
	}
	kept = s->n_carry < room - n ? s->n_carry : room - n;
	memmove(s->carry, s->carry + (s->n_carry - kept), kept);
	memcpy(s->carry + kept, at, n);
	s->n_carry = kept + n;
}

static void search_piece(struct search *s, const uint8_t *at, size_t n, uint64_t offset)
{
	const struct run r = { .at = at, .n = n, .offset = offset };

	if (s->carry_end != offset)
		s->n_carry = 0;
	if (s->n_carry > 0)
		search_border(s, at, n, offset);
	search_run(s, &r);
	keep_carry(s, at, n);
	s->carry_end = offset + n;
}

/* The part of a piece that lies in [begin, end). */
static void search_within(struct search *s, const uint8_t *at, size_t n, uint64_t offset, uint64_t begin, uint64_t end)
{
	uint64_t from = offset > begin ? offset : begin, to = min_u64(offset + n, end);

	if (from < to)
		search_piece(s, at + (from - offset), (size_t)(to - from), from);
}

void search_begin(struct search *s, uint64_t size)
{
	s->size = size;
}

void search_feed(struct search *s, const uint8_t *at, size_t n, uint64_t offset)
{
	const uint64_t head_end = SEARCH_HEAD + SEARCH_SIGNATURE_MAX;
	uint64_t tail = s->size > SEARCH_PHAR_WITHIN ? s->size - SEARCH_PHAR_WITHIN : 0;

	search_within(s, at, n, offset, 0, head_end);
	search_within(s, at, n, offset, tail > head_end ? tail : head_end, s->size);
}
