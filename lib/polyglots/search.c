/* All signatures in one go: see search.h.  Three bytes of each tell where one may stand (candidates.h); only there is it
 * looked at, with what else can be said of it from the bytes around.  The three are chosen to be rare in text and in weights. */
#include "search.h"

#include <stdbool.h>
#include <string.h>

#include "bytes.h"
#include "checked.h"

/* -- what stands around signatures that are too short, or that people write about -- */

static bool is_arj(const uint8_t *b)
{
	return load_u16le(b + 2) >= ARJ_HEADER_MIN && load_u16le(b + 2) <= ARJ_HEADER_MAX &&
	       b[4 + ARJ_TYPE] == ARJ_MAIN;
}

static bool is_cpio(const uint8_t *b)
{
	return b[5] == '1' || b[5] == '2' || b[5] == '7';
}

/* A type of file, and a name of a length that a system opens and with a first character (cpio(5), "Old Binary Format"). */
static bool is_cpio_binary(unsigned mode, unsigned name_bytes, uint8_t first)
{
	return cpio_has_type(mode) && name_bytes >= 2 && name_bytes <= 4096 && first > ' ' && first < 0x7f;
}

static bool is_cpio_le(const uint8_t *b)
{
	return is_cpio_binary(load_u16le(b + 6), load_u16le(b + 20), b[26]);
}

static bool is_cpio_be(const uint8_t *b)
{
	return is_cpio_binary((unsigned)b[6] << 8 | b[7], (unsigned)b[20] << 8 | b[21], b[26]);
}

/* From the checksum's field on: a digit in it. */
static bool is_tar(const uint8_t *b)
{
	unsigned digits = 0;

	for (unsigned i = 0; i < 8; i++)
		digits += b[i] >= '0' && b[i] <= '7';
	return digits > 0;
}

/* ext4, "The Super Block": counts, a first block, a size of blocks and a revision that exist.  Linux and e2fsprogs look at no
 * state, and at no system that made it. */
static bool is_ext(const uint8_t *b)
{
	return load_u32le(b) != 0 && load_u32le(b + 4) != 0 && load_u32le(b + 20) <= 1 && load_u32le(b + 24) <= 6 &&
	       load_u32le(b + 32) != 0 && load_u32le(b + 40) != 0 && load_u32le(b + 76) <= 1;
}

static bool is_pdf(const uint8_t *b)
{
	return b[5] >= '0' && b[5] <= '9' && b[6] == '.' && b[7] >= '0' && b[7] <= '9';
}

static const struct signature {
	const char *bytes;
	uint8_t n, at, all;             /* their number; where they stand in what is looked at; bytes of that */
	bool (*fits)(const uint8_t *b); /* NULL: the signature says it all */
	uint8_t group, pick;            /* bytes from `pick` on tell where it may stand */
	bool tail;                      /* looked for at the end of the file as well */
} signatures[SEARCH_KINDS] = {
	[SEARCH_7Z] = { "7z\xBC\xAF\x27\x1C", 6, 0, 6, NULL, 0, 2, false },
	[SEARCH_RAR] = { "Rar!\x1A\x07", 6, 0, 6, NULL, 0, 3, false },
	[SEARCH_PHAR] = { "__HALT_COMPILER();", 18, 0, 18, NULL, 1, 1, true },
	[SEARCH_PDF] = { "%PDF-", 5, 0, 8, is_pdf, 1, 0, true },
	[SEARCH_TAR] = { "ustar", 5, 109, 115, is_tar, 2, 0, false },
	[SEARCH_ARJ] = { "\x60\xEA", 2, 0, 11, is_arj, 3, 0, false },
	[SEARCH_CPIO] = { "07070", 5, 0, 6, is_cpio, 4, 0, true },
	[SEARCH_CPIO_LE] = { "\xC7\x71", 2, 0, 27, is_cpio_le, 5, 0, true },
	[SEARCH_CPIO_BE] = { "\x71\xC7", 2, 0, 27, is_cpio_be, 6, 0, true },
	[SEARCH_EXT] = { "\x53\xEF", 2, 56, 84, is_ext, 7, 0, false },
};

/* A run of bytes that is searched.  At a border, what is wanted begins before `news` and ends behind it: all others are
 * met in a piece. */
struct run {
	const uint8_t *at;
	size_t n, news; /* news: 0, or where the border is */
	uint64_t offset;
};

static bool in_window(const struct search *s, enum search_kind kind, uint64_t at)
{
	return (kind == SEARCH_PHAR ? at < SEARCH_PHAR_WITHIN : at <= SEARCH_HEAD) ||
	       (signatures[kind].tail && s->size - at <= SEARCH_TAIL);
}

static void add_hit(struct search *s, enum search_kind kind, uint64_t at)
{
	struct search_hits *h = &s->hits[kind];

	if (in_window(s, kind, at) && h->n <= SEARCH_HITS_MAX)
		h->at[h->n++] = at;
}

/* Does a signature have its three bytes at i? */
static void look_at(struct search *s, const struct run *r, size_t i)
{
	for (unsigned k = 0; k < SEARCH_KINDS; k++) {
		const struct signature *g = &signatures[k];
		size_t before = (size_t)g->at + g->pick, begin = i - before;

		if (i < before || g->all > r->n - begin || memcmp(r->at + begin + g->at, g->bytes, g->n) != 0 ||
		    (g->fits != NULL && !g->fits(r->at + begin)))
			continue;
		if (r->news == 0 || (begin < r->news && begin + g->all > r->news))
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
	const uint64_t head_end = SEARCH_HEAD + 1 + SEARCH_BYTES_MAX;
	uint64_t tail = s->size > SEARCH_TAIL ? s->size - SEARCH_TAIL : 0;

	search_within(s, at, n, offset, 0, head_end);
	search_within(s, at, n, offset, tail > head_end ? tail : head_end, s->size);
}
