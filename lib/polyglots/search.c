/* All signatures in one go: see search.h.  Three bytes of each tell where one may stand (candidates.h); only there is it
 * looked at, with what else can be said of it from the bytes around.  The three are chosen to be rare in text and in weights. */
#include "search.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "checked.h"
#include "cpio.h"
#include "probes.h"
#include "tar_blocks.h"

/* -- what stands around signatures that are too short, or that people write about -- */

static bool is_arj(struct bytes b)
{
	return b.n > 4 + ARJ_TYPE && load_u16le(b.at + 2) >= ARJ_HEADER_MIN && load_u16le(b.at + 2) <= ARJ_HEADER_MAX &&
	       b.at[4 + ARJ_TYPE] == ARJ_MAIN;
}

static bool is_tar(struct bytes b)
{
	uint64_t next;

	return b.n >= TAR_BLOCK && tar_block_is_header(b.at, &next);
}

/* ext4, "The Super Block": counts, a first block, a size of blocks and a revision that exist.  Linux and e2fsprogs look at no
 * state, and at no system that made it. */
static bool is_ext(struct bytes b)
{
	return b.n >= 84 && load_u32le(b.at) != 0 && load_u32le(b.at + 4) != 0 && load_u32le(b.at + 20) <= 1 &&
	       load_u32le(b.at + 24) <= 6 && load_u32le(b.at + 32) != 0 && load_u32le(b.at + 40) != 0 &&
	       load_u32le(b.at + 76) <= 1;
}

static bool is_pdf(struct bytes b)
{
	return b.n >= 8 && is_digit(b.at[5]) && b.at[6] == '.' && is_digit(b.at[7]);
}

#define SUPERBLOCK 1024 /* of ext, behind what is nobody's */

static const struct signature {
	const char *bytes;
	uint16_t n, at,
	    all; /* their number; where they stand in what is looked at; bytes of that, or up to the file's end */
	bool (*fits)(struct bytes b); /* NULL: the signature says it all */
	uint8_t group, pick;          /* bytes from `pick` on tell where it may stand */
	bool tail;                    /* looked for at the end of the file as well */
	bool members;                 /* and in members that were judged */
	uint16_t lead;
	uint32_t reach; /* hits that are as near to each other are one */
} signatures[SEARCH_KINDS] = {
	[SEARCH_7Z] = { "7z\xBC\xAF\x27\x1C", 6, 0, 6, NULL, 0, 2, false, false, 0, 0 },
	[SEARCH_RAR] = { "Rar!\x1A\x07", 6, 0, 6, NULL, 0, 3, false, false, 0, 0 },
	[SEARCH_PHAR] = { "__HALT_COMPILER();", 18, 0, 18, NULL, 1, 1, true, true, 0, 0 },
	[SEARCH_PDF] = { "%PDF-", 5, 0, 8, is_pdf, 1, 0, true, false, 0, POLYGLOT_PDF_BEHIND },
	[SEARCH_TAR] = { "ustar", 5, 257, TAR_BLOCK, is_tar, 2, 0, false, false, 0, 0 },
	[SEARCH_ARJ] = { "\x60\xEA", 2, 0, 11, is_arj, 3, 0, false, false, 0, 0 },
	[SEARCH_CPIO] = { "07070", 5, 0, 110, cpio_is_ascii, 4, 0, true, false, 0, 0 },
	[SEARCH_CPIO_LE] = { "\xC7\x71", 2, 0, SEARCH_BYTES_MAX, cpio_is_little, 5, 0, true, false, 0, 0 },
	[SEARCH_CPIO_BE] = { "\x71\xC7", 2, 0, SEARCH_BYTES_MAX, cpio_is_big, 6, 0, true, false, 0, 0 },
	[SEARCH_EXT] = { "\x53\xEF", 2, 56, 84, is_ext, 7, 0, false, false, SUPERBLOCK, 0 },
};
static_assert(
    (SEARCH_HEAD + SEARCH_TAIL) / POLYGLOT_PDF_BEHIND + 3 < SEARCH_HITS_MAX, "no more documents than are looked at");

uint64_t search_lead(enum search_kind kind)
{
	return signatures[kind].lead;
}

/* A run of bytes that is searched.  At a border, what is wanted begins before `news` and ends behind it: all others are
 * met in a piece. */
struct run {
	const uint8_t *at;
	size_t n, news; /* news: 0, or where the border is */
	uint64_t offset;
	bool last; /* it ends with the file */
};

/* Where programs search is said of the first byte of what they find. */
static bool in_window(const struct search *s, enum search_kind kind, uint64_t at)
{
	uint64_t begin;

	if (!sub_u64(at, signatures[kind].lead, &begin))
		return false;
	return (kind == SEARCH_PHAR ? begin < SEARCH_PHAR_WITHIN : begin <= SEARCH_HEAD) ||
	       (signatures[kind].tail && s->size - begin <= SEARCH_TAIL);
}

static void add_hit(struct search *s, enum search_kind kind, uint64_t at)
{
	struct search_hits *h = &s->hits[kind];
	uint64_t until;

	if (!in_window(s, kind, at) || (!signatures[kind].members && is_judged_member(&s->members, at, &until)))
		return;
	if (h->n > 0 && at - h->hit[h->n - 1].last <= signatures[kind].reach)
		h->hit[h->n - 1].last = at;
	else if (h->n <= SEARCH_HITS_MAX)
		h->hit[h->n++] = (struct search_hit){ at, at };
}

/* What a signature that may begin there is judged by; none when it does not, or when the next run has all of it. */
static struct bytes window_of(const struct signature *g, const struct run *r, size_t begin)
{
	size_t left = r->n - begin;

	if (left < g->all && !r->last)
		return bytes_of(r->at, 0);
	return bytes_of(r->at + begin, min_u64(left, g->all));
}

/* Does a signature have its three bytes at i? */
static void look_at(struct search *s, const struct run *r, size_t i)
{
	for (unsigned k = 0; k < SEARCH_KINDS; k++) {
		const struct signature *g = &signatures[k];
		size_t before = (size_t)g->at + g->pick, begin = i - before;
		struct bytes b;

		if (i < before || (r->news > 0 && (begin >= r->news || begin + g->all <= r->news)))
			continue;
		b = window_of(g, r, begin);
		if (b.n >= (size_t)g->at + g->n && memcmp(b.at + g->at, g->bytes, g->n) == 0 &&
		    (g->fits == NULL || g->fits(b)))
			add_hit(s, (enum search_kind)k, r->offset + begin);
	}
}

static void search_run(struct search *s, const struct run *r)
{
	for (size_t i = 0; (i = candidates_next(&s->candidates, r->at, i, r->n)) < r->n; i++)
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
	r.last = offset + n == s->size;
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
	const struct run r = { .at = at, .n = n, .offset = offset, .last = offset + n == s->size };

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

void search_begin(struct search *s, uint64_t size, struct judged_members members)
{
	s->size = size;
	s->members = members;
	for (unsigned k = 0; k < SEARCH_KINDS; k++) {
		const struct signature *g = &signatures[k];
		int16_t bytes[CANDIDATE_BYTES];

		for (unsigned i = 0; i < CANDIDATE_BYTES; i++)
			bytes[i] = g->pick + i < g->n ? (int16_t)(uint8_t)g->bytes[g->pick + i] : -1;
		candidates_add(&s->candidates, g->group, bytes);
	}
}

void search_feed(struct search *s, const uint8_t *at, size_t n, uint64_t offset)
{
	const uint64_t head_end = SEARCH_HEAD + 1 + SUPERBLOCK + SEARCH_BYTES_MAX;
	uint64_t tail = s->size > SEARCH_TAIL ? s->size - SEARCH_TAIL : 0;

	search_within(s, at, n, offset, 0, head_end);
	search_within(s, at, n, offset, tail > head_end ? tail : head_end, s->size);
}
