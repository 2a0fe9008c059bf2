/* A tensor's elements: see weights.h.  What counts as non-finite, and the findings: formats/safetensors, section 2 and
 * rule 26; the mask rule: docs/internals.md, "Report, policy, verdict". */
#include "weights.h"

#include <string.h>

#include "decimal.h"
#include "ggml.h"

size_t weights_swap_unit(enum wlk_dtype dtype)
{
	const struct dtype_info *type = dtype_info(dtype);
	size_t bytes = type->bits / 8u;

	if (bytes < 2)
		return 0;
	return type->kind == DTYPE_COMPLEX || type->kind == DTYPE_X87_COMPLEX ? bytes / 2 : bytes;
}

void weights_begin(struct weights *w, enum wlk_dtype dtype, bool big_endian)
{
	const struct nonfinite_kernel *k = nonfinite_kernel(dtype);

	*w = (struct weights){ .dtype = dtype,
		.kernel = k,
		.swap_bytes = big_endian ? weights_swap_unit(dtype) : 0,
		.maybe_mask = k != NULL && k->all_zero_or_inf };
}

/* Most blocks are clean.  A piece this small is still in the first-level cache when a hit makes us look
 * again, and large enough that calls cost nothing. */
#define PIECE ((size_t)30 * 1024)
_Static_assert(PIECE % (12 * 16) == 0, "a piece holds whole elements of any type");

/* Where the first bad element is; there is one.  By halves: as cheap as one more look at all of them. */
static size_t first_bad(const struct nonfinite_kernel *k, const uint8_t *at, size_t n)
{
	size_t begin = 0;

	while (n > k->element_bytes) {
		size_t half = n / k->element_bytes / 2 * k->element_bytes;

		if (k->any(at + begin, half)) {
			n = half;
		} else {
			begin += half;
			n -= half;
		}
	}
	return begin + (k->where != NULL ? k->where(at + begin) : 0);
}

/* Whole elements in the host's order, a piece at most. */
static void examine_native(struct weights *w, const uint8_t *at, size_t n, uint64_t offset)
{
	const struct nonfinite_kernel *k = w->kernel;

	if (w->maybe_mask)
		w->maybe_mask = k->all_zero_or_inf(at, n);
	if (!k->any(at, n))
		return;
	if (!w->found) {
		w->found = true;
		w->first_offset = offset + first_bad(k, at, n);
	}
	k->count(at, n, &w->counts);
}

#define DEFINE_SWAP(bits)                                                 \
	static void swap_##bits(uint8_t *to, const uint8_t *at, size_t n) \
	{                                                                 \
		for (size_t i = 0; i < n; i += (bits) / 8) {              \
			uint##bits##_t x;                                 \
                                                                          \
			memcpy(&x, at + i, sizeof(x));                    \
			x = __builtin_bswap##bits(x);                     \
			memcpy(to + i, &x, sizeof(x));                    \
		}                                                         \
	}
DEFINE_SWAP(16)
DEFINE_SWAP(32)
DEFINE_SWAP(64)

static void swap_any(uint8_t *to, const uint8_t *at, size_t n, size_t unit)
{
	for (size_t i = 0; i < n; i += unit)
		for (size_t j = 0; j < unit; j++)
			to[i + j] = at[i + unit - 1 - j];
}

void weights_swap(uint8_t *to, const uint8_t *at, size_t n, size_t unit)
{
	switch (unit) {
	case 2: swap_16(to, at, n); break;
	case 4: swap_32(to, at, n); break;
	case 8: swap_64(to, at, n); break;
	default: swap_any(to, at, n, unit); break;
	}
}

/* A function of its own: nobody else pays for the buffer. */
__attribute__((noinline)) static void examine_swapped(struct weights *w, const uint8_t *at, size_t n, uint64_t offset)
{
	uint8_t swapped[PIECE];

	weights_swap(swapped, at, n, w->swap_bytes);
	examine_native(w, swapped, n, offset);
}

/* Whole elements as they are stored, a piece at most. */
static void examine_piece(struct weights *w, const uint8_t *at, size_t n, uint64_t offset)
{
	if (w->swap_bytes > 0)
		examine_swapped(w, at, n, offset);
	else
		examine_native(w, at, n, offset);
}

static void look_beyond_f32(struct weights *w, const uint8_t *at, size_t n, uint64_t offset)
{
	uint64_t before = w->beyond;
	size_t first = ggml_beyond_f32(at, n, &w->beyond);

	if (before == 0 && w->beyond > 0)
		w->beyond_offset = offset + first;
}

void weights_examine(struct weights *w, const uint8_t *at, size_t n, uint64_t offset)
{
	size_t most = PIECE - PIECE % w->kernel->element_bytes; /* blocks come in any size */

	for (size_t done = 0; done < n;) {
		size_t piece = n - done < most ? n - done : most;

		examine_piece(w, at + done, piece, offset + done);
		if (w->narrowed)
			look_beyond_f32(w, at + done, piece, offset + done);
		done += piece;
	}
}

uint64_t weights_numbers(const struct weights *w, uint64_t bytes)
{
	uint64_t elements = bytes / w->kernel->element_bytes;

	return w->kernel->scales > 0 ? elements * w->kernel->scales : elements; /* fewer than bytes */
}

/* A tensor whose only elements are zero and one infinity, or a single infinite constant, is a mask. */
static bool is_mask(const struct weights *w)
{
	return w->maybe_mask && (w->counts.pos_inf == 0 || w->counts.neg_inf == 0);
}

/* What an invalid element is. */
static enum wlk_finding invalid_code(const struct weights *w)
{
	if (dtype_info(w->dtype)->kind == DTYPE_UCS4)
		return WLK_F_NPY_UNICODE_RANGE;
	return w->dtype == WLK_DTYPE_NVFP4 ? WLK_F_GGUF_NVFP4_SCALE_INVALID : WLK_F_WEIGHTS_BOOL_INVALID;
}

/* What one tensor raises. */
struct weights_finding {
	enum wlk_finding code;
	uint64_t count;
};

#define WEIGHTS_FINDINGS 4

static enum wlk_finding infinite_code(const struct weights *w)
{
	if (is_mask(w))
		return WLK_F_WEIGHTS_INF_MASK;
	return w->settings ? WLK_F_WEIGHTS_INF_RECORD : WLK_F_WEIGHTS_INF;
}

static void list_findings(const struct weights *w, struct weights_finding ret[WEIGHTS_FINDINGS])
{
	const struct nonfinite_counts *c = &w->counts;

	ret[0] = (struct weights_finding){ w->unfilled ? WLK_F_WEIGHTS_UNFILLED : WLK_F_WEIGHTS_NAN, c->nan };
	ret[1] = (struct weights_finding){ infinite_code(w), c->pos_inf + c->neg_inf };
	ret[2] = (struct weights_finding){ invalid_code(w), c->invalid };
	ret[3] = (struct weights_finding){ WLK_F_GGUF_F64_EXCEEDS_F32, w->beyond };
}

bool weights_name_wanted(const struct weights *w, const struct report *r)
{
	struct weights_finding all[WEIGHTS_FINDINGS];
	bool wanted = r->n_rows < REPORT_NONFINITE_MAX;

	list_findings(w, all);
	for (size_t i = 0; i < WEIGHTS_FINDINGS; i++)
		wanted |= all[i].count > 0 && report_wants(r, all[i].code);
	return wanted;
}

static void report_row(const struct weights *w, struct report *r, const struct weights_place *place)
{
	const struct nonfinite row = {
		.tensor = place->name,
		.dtype = w->dtype,
		.nan = w->counts.nan,
		.pos_inf = w->counts.pos_inf,
		.neg_inf = w->counts.neg_inf,
		.bool_invalid = w->counts.invalid,
		.first_offset = place->first_offset,
	};

	report_nonfinite(r, &row);
}

#define IN_BLOCKS_MAX 96u

static size_t put_text(char *to, const char *text)
{
	size_t n = strlen(text);

	memcpy(to, text, n);
	return n;
}

/* "3 scales, the first in block 17": whoever looks for it counts blocks, not bytes. */
static struct bytes count_in_blocks(
    char buf[IN_BLOCKS_MAX], const struct weights *w, uint64_t count, const struct weights_place *place)
{
	size_t n = decimal_text(count, buf);

	n += put_text(buf + n, count == 1 ? " scale, in block " : " scales, the first in block ");
	n += decimal_text((place->first_offset - place->begin) / w->kernel->element_bytes, buf + n);
	return bytes_of(buf, n);
}

static void raise_finding(
    const struct weights *w, const struct weights_finding *f, struct report *r, const struct weights_place *place)
{
	bool beyond = f->code == WLK_F_GGUF_F64_EXCEEDS_F32, blocks = w->kernel->scales > 0;
	char text[IN_BLOCKS_MAX];

	report_finding(
	    r, &(struct finding){ .code = f->code,
		   .has_offset = true,
		   .offset = beyond ? place->beyond_offset : place->first_offset,
		   .subject = place->name,
		   .member = place->member,
		   .found = blocks ? value_text(count_in_blocks(text, w, f->count, place)) : value_number(f->count) });
}

/* Rows are of numbers; text, and scales that a loader reads in a way of its own, are listed by their findings only. */
static bool has_row(const struct weights *w)
{
	return w->found && (w->counts.invalid == 0 || invalid_code(w) == WLK_F_WEIGHTS_BOOL_INVALID);
}

void weights_report(const struct weights *w, struct report *r, const struct weights_place *place)
{
	struct weights_finding all[WEIGHTS_FINDINGS];

	list_findings(w, all);
	if (has_row(w) && !place->counted)
		report_row(w, r, place);
	for (size_t i = 0; i < WEIGHTS_FINDINGS; i++) {
		if (all[i].count > 0)
			raise_finding(w, &all[i], r, place);
	}
}
