/* What the elements of R's vectors hold: see rds.h.
 *
 * R's "not available" is a NaN whose lower word is 1954 (R's src/main/arithmetic.c, R_NaReal, R_IsNA): statistics say with it
 * that a value is missing, on purpose.  So it counts as a number; every other NaN, and infinity, counts as it does in any
 * format. */
#include "rds.h"

#include <string.h>

#include "checked.h"
#include "decimal.h"

#define NA_LOWER_WORD 1954u
#define NA_INTEGER UINT32_C(0x80000000)

/* -- numbers -- */

static unsigned element_bytes(enum rds_type t)
{
	switch (t) {
	case RDS_RAW: return 1;
	case RDS_REAL: return 8;
	case RDS_CPLX: return 16;
	default: return 4;
	}
}

bool rds_numbers_begin(struct rds_walk *w, uint64_t n)
{
	if (!mul_u64(n, element_bytes(w->value.type), &w->run) || w->run > rds_left(w))
		return false;
	w->value.n = n;
	w->value.plain = true;
	w->value.product = 1;
	w->element_n = 0;
	w->elements = 0;
	w->n_vectors++;
	/* of a type whose elements stand in order: the order of bytes is undone before it looks */
	weights_begin(&w->weights, w->value.type == RDS_CPLX ? WLK_DTYPE_C128 : WLK_DTYPE_F64, false);
	return true;
}

static uint64_t double_bits(const struct rds_walk *w, const uint8_t *at)
{
	return w->little_endian ? load_u64le(at) : (uint64_t)load_u32be(at) << 32 | load_u32be(at + 4);
}

static bool is_na(uint64_t bits)
{
	return (bits << 1) > UINT64_C(0xFFE0000000000000) && (uint32_t)bits == NA_LOWER_WORD;
}

static void note_double(struct rds_walk *w, const uint8_t *at)
{
	uint64_t bits = double_bits(w, at);

	if (w->value.n <= RDS_FIRST_MAX)
		memcpy(&w->value.first[w->elements], &bits, sizeof(bits));
}

/* A negative one, and NA, is no dimension. */
static void note_integer(struct rds_walk *w, const uint8_t *at)
{
	uint32_t n = w->little_endian ? load_u32le(at) : load_u32be(at);

	if (n > INT32_MAX || !mul_u64(w->value.product, n, &w->value.product))
		w->value.product = UINT64_MAX;
	if (w->value.n <= RDS_FIRST_MAX)
		w->value.first[w->elements] = (double)(int32_t)n;
}

static void examine(struct rds_walk *w, const uint8_t *element, unsigned n, uint64_t at)
{
	uint8_t plain[16];

	for (unsigned i = 0; i < n; i += 8) {
		uint64_t bits = double_bits(w, element + i);

		store_u64le(plain + i, is_na(bits) ? 0 : bits);
	}
	weights_examine(&w->weights, plain, n, w->l->extents->origin + at);
}

/* Only what has an exponent of all ones has to be looked at again. */
static bool is_finite(const struct rds_walk *w, const uint8_t *at)
{
	uint64_t bits = double_bits(w, at);

	return (bits << 1) < UINT64_C(0xFFE0000000000000);
}

static void take_element(struct rds_walk *w, const uint8_t *at, uint64_t offset)
{
	unsigned n = element_bytes(w->value.type);

	if (w->value.type == RDS_REAL)
		note_double(w, at);
	else if (w->value.type == RDS_INT && w->value.n <= 64)
		note_integer(w, at);
	if (n >= 8 && (!is_finite(w, at) || (n == 16 && !is_finite(w, at + 8)) || w->weights.maybe_mask))
		examine(w, at, n, offset);
	w->elements++;
}

void rds_numbers_piece(struct rds_walk *w, const uint8_t *at, size_t n)
{
	unsigned size = element_bytes(w->value.type);
	uint64_t offset = w->offset - n; /* the piece is counted already */
	size_t done = 0;

	if (size == 1 || (size == 4 && w->value.n > 64))
		return;
	while (done < n) {
		size_t wanted = size - w->element_n, take = n - done < wanted ? n - done : wanted;

		if (w->element_n == 0 && take == size) {
			take_element(w, at + done, offset + done);
		} else {
			memcpy(w->element + w->element_n, at + done, take);
			w->element_n += (unsigned)take;
			if (w->element_n == size) {
				w->element_n = 0;
				take_element(w, w->element, offset + done + take - size);
			}
		}
		done += take;
	}
}

/* vector-N, in the order of the file: their names come later, if they have any. */
static size_t vector_name(const struct rds_walk *w, uint8_t buf[32])
{
	char digits[DECIMAL_MAX];
	size_t n = decimal_text(w->n_vectors, digits);

	memcpy(buf, "vector-", 7);
	memcpy(buf + 7, digits, n);
	return 7 + n;
}

static void report_weights(struct rds_walk *w)
{
	struct report *r = w->l->report;
	struct weights_place place = { .member = w->l->extents->member, .first_offset = w->weights.first_offset };
	uint8_t name[32];
	size_t n = vector_name(w, name);

	if (weights_name_wanted(&w->weights, r))
		place.name = bytes_of(name, n);
	weights_report(&w->weights, r, &place);
}

void rds_numbers_end(struct rds_walk *w)
{
	if (w->value.type == RDS_RAW && w->value.n > RDS_RAW_MAX)
		rds_number(w, WLK_F_RDS_RAW, w->value.n, RDS_RAW_MAX);
	if (w->value.type != RDS_REAL && w->value.type != RDS_CPLX)
		return;
	w->l->report->totals.elements += w->value.n; /* of at most the file's bytes */
	if (weights_found(&w->weights))
		report_weights(w);
}

/* -- text -- */

/* "gp" of a text, above the flags' twelfth bit. */
enum encoding_mark { MARK_BYTES = 1u << 13, MARK_LATIN1 = 1u << 14, MARK_UTF8 = 1u << 15, MARK_ASCII = 1u << 18 };

void rds_text_begin(struct rds_walk *w)
{
	w->utf8 = (struct utf8_stream){ 0 };
	w->bad_text = false;
	w->text_n = 0;
}

static bool is_utf8(const struct rds_walk *w)
{
	if ((w->flags & MARK_UTF8) != 0)
		return true;
	return w->native_utf8 && (w->flags & (MARK_BYTES | MARK_LATIN1)) == 0;
}

static bool has_high_byte(const uint8_t *at, size_t n)
{
	uint8_t all = 0;

	for (size_t i = 0; i < n; i++)
		all |= at[i];
	return all >= 0x80;
}

void rds_text_piece(struct rds_walk *w, const uint8_t *at, size_t n)
{
	size_t room = w->text_n < RDS_TEXT_BYTES ? RDS_TEXT_BYTES - w->text_n : 0;

	memcpy(w->text + (RDS_TEXT_BYTES - room), at, n < room ? n : room);
	w->text_n += n;
	if (memchr(at, 0, n) != NULL || ((w->flags & MARK_ASCII) != 0 && has_high_byte(at, n)) ||
	    (is_utf8(w) && !utf8_stream_feed(&w->utf8, at, n)))
		w->bad_text = true;
}

void rds_text_end(struct rds_walk *w)
{
	if (w->bad_text || (is_utf8(w) && !utf8_stream_whole(&w->utf8)))
		rds_finding(w, WLK_F_RDS_STRING, NULL);
}

enum rds_name rds_text_name(const struct rds_walk *w)
{
	static const struct {
		const char *text;
		enum rds_name name;
	} known[] = {
		{ "names", RDS_NAME_NAMES },
		{ "dim", RDS_NAME_DIM },
		{ "dimnames", RDS_NAME_DIMNAMES },
		{ "class", RDS_NAME_CLASS },
		{ "tsp", RDS_NAME_TSP },
		{ "base", RDS_NAME_BASE },
		{ "compact_intseq", RDS_NAME_COMPACT_INT },
		{ "compact_realseq", RDS_NAME_COMPACT_REAL },
		{ "deferred_string", RDS_NAME_DEFERRED },
		{ "wrap_integer", RDS_NAME_WRAP_INT },
		{ "wrap_logical", RDS_NAME_WRAP_LGL },
		{ "wrap_real", RDS_NAME_WRAP_REAL },
		{ "wrap_complex", RDS_NAME_WRAP_CPLX },
		{ "wrap_raw", RDS_NAME_WRAP_RAW },
		{ "wrap_string", RDS_NAME_WRAP_STR },
		{ "wrap_list", RDS_NAME_WRAP_LIST },
		{ "mmap_integer", RDS_NAME_MMAP_INT },
		{ "mmap_real", RDS_NAME_MMAP_REAL },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]) && w->text_n <= RDS_TEXT_BYTES; i++)
		if (bytes_equal(bytes_of(w->text, w->text_n), bytes_of_text(known[i].text)))
			return known[i].name;
	return RDS_NAME_OTHER;
}
