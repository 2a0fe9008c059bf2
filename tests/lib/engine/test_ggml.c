/* ggml's types and their kernels, beside a table and a reading of floats of their own. */
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "elements.h"
#include "ggml.h"
#include "told.h"
#include "xorshift.h"

/* formats/gguf, section 5, as it is printed there. */
enum form { NO_SCALE, F16, F32, NIBBLES, E8M0, UE4M3 };

static const struct row {
	uint32_t id;
	enum wlk_dtype dtype;
	unsigned block, bytes, n_scales;
	enum form form;
	size_t at[4];
	bool runtime_only;
} rows[] = {
	{ 0, WLK_DTYPE_F32, 1, 4, 0, NO_SCALE, { 0 }, false },
	{ 1, WLK_DTYPE_F16, 1, 2, 0, NO_SCALE, { 0 }, false },
	{ 2, WLK_DTYPE_Q4_0, 32, 18, 1, F16, { 0 }, false },
	{ 3, WLK_DTYPE_Q4_1, 32, 20, 2, F16, { 0, 2 }, false },
	{ 6, WLK_DTYPE_Q5_0, 32, 22, 1, F16, { 0 }, false },
	{ 7, WLK_DTYPE_Q5_1, 32, 24, 2, F16, { 0, 2 }, false },
	{ 8, WLK_DTYPE_Q8_0, 32, 34, 1, F16, { 0 }, false },
	{ 9, WLK_DTYPE_Q8_1, 32, 36, 2, F16, { 0, 2 }, true },
	{ 10, WLK_DTYPE_Q2_K, 256, 84, 2, F16, { 80, 82 }, false },
	{ 11, WLK_DTYPE_Q3_K, 256, 110, 1, F16, { 108 }, false },
	{ 12, WLK_DTYPE_Q4_K, 256, 144, 2, F16, { 0, 2 }, false },
	{ 13, WLK_DTYPE_Q5_K, 256, 176, 2, F16, { 0, 2 }, false },
	{ 14, WLK_DTYPE_Q6_K, 256, 210, 1, F16, { 208 }, false },
	{ 15, WLK_DTYPE_Q8_K, 256, 292, 1, F32, { 0 }, true },
	{ 16, WLK_DTYPE_IQ2_XXS, 256, 66, 1, F16, { 0 }, false },
	{ 17, WLK_DTYPE_IQ2_XS, 256, 74, 1, F16, { 0 }, false },
	{ 18, WLK_DTYPE_IQ3_XXS, 256, 98, 1, F16, { 0 }, false },
	{ 19, WLK_DTYPE_IQ1_S, 256, 50, 1, F16, { 0 }, false },
	{ 20, WLK_DTYPE_IQ4_NL, 32, 18, 1, F16, { 0 }, false },
	{ 21, WLK_DTYPE_IQ3_S, 256, 110, 1, F16, { 0 }, false },
	{ 22, WLK_DTYPE_IQ2_S, 256, 82, 1, F16, { 0 }, false },
	{ 23, WLK_DTYPE_IQ4_XS, 256, 136, 1, F16, { 0 }, false },
	{ 24, WLK_DTYPE_I8, 1, 1, 0, NO_SCALE, { 0 }, false },
	{ 25, WLK_DTYPE_I16, 1, 2, 0, NO_SCALE, { 0 }, false },
	{ 26, WLK_DTYPE_I32, 1, 4, 0, NO_SCALE, { 0 }, false },
	{ 27, WLK_DTYPE_I64, 1, 8, 0, NO_SCALE, { 0 }, false },
	{ 28, WLK_DTYPE_F64, 1, 8, 0, NO_SCALE, { 0 }, false },
	{ 29, WLK_DTYPE_IQ1_M, 256, 56, 1, NIBBLES, { 48 }, false },
	{ 30, WLK_DTYPE_BF16, 1, 2, 0, NO_SCALE, { 0 }, false },
	{ 34, WLK_DTYPE_TQ1_0, 256, 54, 1, F16, { 52 }, false },
	{ 35, WLK_DTYPE_TQ2_0, 256, 66, 1, F16, { 64 }, false },
	{ 39, WLK_DTYPE_MXFP4, 32, 17, 1, E8M0, { 0 }, false },
	{ 40, WLK_DTYPE_NVFP4, 64, 36, 4, UE4M3, { 0, 1, 2, 3 }, false },
	{ 41, WLK_DTYPE_Q1_0, 128, 18, 1, F16, { 0 }, false },
	{ 42, WLK_DTYPE_Q2_0, 64, 18, 1, F16, { 0 }, false },
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

START_TEST(test_the_table_is_that_of_the_format)
{
	size_t next = 0;

	for (uint32_t id = 0; id < 43; id++) {
		const struct ggml_type *type = ggml_type(id);
		const struct row *row = &rows[next];

		ck_assert_ptr_nonnull(type);
		if (next == N_ROWS || row->id != id) {
			ck_assert_msg(type->block == 0 && type->dtype == WLK_DTYPE_NONE, "%u was removed", id);
			continue;
		}
		ck_assert_msg(type->dtype == row->dtype && type->block == row->block && type->bytes == row->bytes &&
				  type->runtime_only == row->runtime_only,
		    "%u", id);
		ck_assert_uint_eq(dtype_info(row->dtype)->bits, row->bytes * 8);
		ck_assert((dtype_info(row->dtype)->kind == DTYPE_BLOCK) == (row->block > 1));
		next++;
	}
	ck_assert_uint_eq(next, N_ROWS);
	ck_assert_ptr_null(ggml_type(43));
	ck_assert_ptr_null(ggml_type(UINT32_MAX));
	ck_assert_ptr_null(ggml_type(UINT32_C(1) << 31));
}
END_TEST

/* -- the kernels beside floating point -- */

static double half_to_double(uint16_t x)
{
	int exponent = x >> 10 & 31, mantissa = x & 1023;
	double v;

	if (exponent == 31)
		v = mantissa != 0 ? (double)NAN : (double)INFINITY;
	else
		v = exponent == 0 ? ldexp(mantissa, -24) : ldexp(1024 + mantissa, exponent - 25);
	return x & 0x8000 ? -v : v;
}

static double scale_of(const struct row *row, const uint8_t *block, unsigned k)
{
	const uint8_t *at = block + row->at[k];
	unsigned x = 0;
	float f;

	switch (row->form) {
	case F16: return half_to_double(load_u16le(at));
	case F32: memcpy(&f, at, sizeof(f)); return (double)f;
	case NIBBLES:
		for (unsigned i = 0; i < 4; i++)
			x |= (unsigned)(load_u16le(at + 2 * i) >> 12) << 4 * i;
		return half_to_double((uint16_t)x);
	case E8M0: return *at == 255 ? (double)NAN : ldexp(1, *at - 127);
	default: return 0;
	}
}

static void oracle(const struct row *row, const uint8_t *at, size_t n, struct nonfinite_counts *c, size_t *first)
{
	*first = n;
	for (size_t i = 0; i < n; i += row->bytes) {
		for (unsigned k = 0; k < row->n_scales; k++) {
			double v = scale_of(row, at + i, k);
			uint8_t byte = at[i + row->at[k]];
			bool invalid = row->form == UE4M3 && ((byte & 0x80) != 0 || byte == 0x7f);

			c->nan += isnan(v) != 0;
			c->pos_inf += isinf(v) && v > 0;
			c->neg_inf += isinf(v) && v < 0;
			c->invalid += invalid;
			if (*first == n && (invalid || !isfinite(v)))
				*first = i + row->at[k];
		}
	}
}

/* Asserting is a system call: only what is wrong is asserted. */
#define REQUIRE(row, what)                                                                     \
	do {                                                                                   \
		if (!(what))                                                                   \
			ck_abort_msg("%s: not so: %s", dtype_info((row)->dtype)->name, #what); \
	} while (0)

static void check_kernel(const struct row *row, const uint8_t *at, size_t n)
{
	const struct nonfinite_kernel *k = nonfinite_kernel(row->dtype);
	struct nonfinite_counts want = { 0 }, got = { 0 };
	size_t first, block;

	oracle(row, at, n, &want, &first);
	REQUIRE(row, k == ggml_kernel(row->dtype));
	REQUIRE(row, k->element_bytes == row->bytes && k->scales == row->n_scales);
	k->count(at, n, &got);
	REQUIRE(row, memcmp(&want, &got, sizeof(want)) == 0);
	REQUIRE(row, k->any(at, n) == (first < n));
	if (first == n)
		return;
	block = first - first % row->bytes;
	REQUIRE(row, block + k->where(at + block) == first);
}

static uint64_t state = 0x9E3779B97F4A7C15;

static uint8_t next_byte(void)
{
	return (uint8_t)(xorshift_next(&state) >> 56);
}

START_TEST(test_every_pattern_of_a_scale_is_judged_right)
{
	uint8_t block[292];

	for (size_t r = 0; r < N_ROWS; r++) {
		for (unsigned k = 0; k < rows[r].n_scales; k++) {
			for (uint32_t x = 0; x < 65536; x++) {
				memset(block, 0x55, sizeof(block));
				if (rows[r].form == NIBBLES) {
					for (unsigned i = 0; i < 4; i++)
						block[48 + 2 * i + 1] = (uint8_t)((x >> 4 * i & 15) << 4 | 15);
				} else if (rows[r].form == F32) {
					store_u32le(block, x << 16 | 1);
				} else {
					block[rows[r].at[k]] = (uint8_t)x;
					if (rows[r].form == F16)
						block[rows[r].at[k] + 1] = (uint8_t)(x >> 8);
				}
				check_kernel(&rows[r], block, rows[r].bytes);
			}
		}
	}
}
END_TEST

START_TEST(test_random_blocks_are_counted_exactly)
{
	static uint8_t blocks[292 * 64];

	for (size_t r = 0; r < N_ROWS; r++) {
		for (unsigned round = 0; round < 200 && rows[r].block > 1; round++) {
			size_t n = rows[r].bytes * (1 + round % 64);

			for (size_t i = 0; i < n; i++)
				blocks[i] = round % 3 == 0 ? 0xff : next_byte();
			check_kernel(&rows[r], blocks, n);
		}
	}
}
END_TEST

START_TEST(test_no_bit_but_the_scales_matters)
{
	uint8_t block[292];

	for (size_t r = 0; r < N_ROWS; r++) {
		if (rows[r].block == 1)
			continue;
		memset(block, 0xff, sizeof(block));
		for (unsigned k = 0; k < rows[r].n_scales; k++)
			memset(block + rows[r].at[k], 0x7b, rows[r].form == F16 || rows[r].form == F32 ? 2 : 1);
		if (rows[r].form == F32)
			memset(block, 0x7b, 4);
		if (rows[r].form == NIBBLES)
			for (unsigned i = 0; i < 4; i++)
				block[48 + 2 * i + 1] = 0x7f;
		ck_assert_msg(
		    !ggml_kernel(rows[r].dtype)->any(block, rows[r].bytes), "%s", dtype_info(rows[r].dtype)->name);
	}
}
END_TEST

/* -- through the sink -- */

#define BLOCKS 700u /* of 144 bytes: several pieces */
#define BEGIN 1024u

/* Q4_K in feeds of so many bytes, with dmin of one block NaN. */
static void feed_q4_k(struct told *t, size_t piece, unsigned bad_block)
{
	static uint8_t data[BLOCKS * 144];
	struct extent e = {
		.begin = BEGIN, .end = BEGIN + sizeof(data), .kind = EXTENT_TENSOR, .dtype = WLK_DTYPE_Q4_K, .name_n = 1
	};
	struct extents x = { .list = &e, .n = 1, .names = bytes_of_text("w") };
	struct elements el;
	struct pass_sink sink;

	memset(data, 0x11, sizeof(data));
	store_u16le(data + bad_block * 144 + 2, 0x7e00);
	told_init(t);
	elements_init(&el, &x, &t->report);
	sink = elements_sink(&el);
	sink.begin(sink.ctx, &e);
	for (size_t done = 0, n; done < sizeof(data); done += n) {
		n = sizeof(data) - done < piece ? sizeof(data) - done : piece;
		sink.feed(sink.ctx, &e, data + done, n, BEGIN + done);
	}
	sink.end(sink.ctx, &e);
	elements_end(&el);
	told_end(t, UINT64_C(1) << 20);
}

START_TEST(test_blocks_that_come_in_pieces_are_examined_once)
{
	static const size_t pieces[] = { SIZE_MAX, 1, 7, 143, 144, 145, 30 * 1024, 65536 };
	static const unsigned bad[] = { 0, 1, 212, 213, 214, BLOCKS - 1 };
	struct told t;

	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]) * 6; i++) {
		unsigned block = bad[i % 6];
		char text[64];

		feed_q4_k(&t, pieces[i / 6], block);
		ck_assert_uint_eq(t.facts->n_findings, 1);
		ck_assert_uint_eq(t.facts->findings[0].code, WLK_F_WEIGHTS_NAN);
		ck_assert_uint_eq(t.facts->findings[0].offset, BEGIN + block * 144 + 2);
		snprintf(text, sizeof(text), "1 scale, in block %u", block);
		ck_assert(bytes_equal(t.facts->findings[0].found.text, bytes_of_text(text)));
		ck_assert_uint_eq(t.facts->rows[0].nan, 1);
		ck_assert_uint_eq(t.facts->final.totals.elements, 2 * BLOCKS);
		told_done(&t);
	}
}
END_TEST

START_TEST(test_doubles_are_beyond_when_they_round_to_infinity)
{
	static const struct {
		double v;
		bool beyond;
	} cases[] = { { 0, false }, { 1e38, false }, { 3.4028235677973362e38, false }, { 3.4028235677973366e38, true },
		{ -3.4028235677973366e38, true }, { 1e300, true }, { -1e308, true }, { (double)INFINITY, false },
		{ -(double)INFINITY, false }, { (double)NAN, false }, { 5e-324, false } };
	double all[2];
	uint64_t count;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		all[0] = 1;
		all[1] = cases[i].v;
		count = 0;
		ck_assert_uint_eq(
		    ggml_beyond_f32((const uint8_t *)all, sizeof(all), &count), cases[i].beyond ? 8 : sizeof(all));
		ck_assert_msg(count == cases[i].beyond, "%g", cases[i].v);
		ck_assert(
		    isnan(cases[i].v) || cases[i].beyond == (isfinite(cases[i].v) && !isfinite((float)cases[i].v)));
	}
}
END_TEST

HARNESS("ggml", test_the_table_is_that_of_the_format, test_every_pattern_of_a_scale_is_judged_right,
    test_random_blocks_are_counted_exactly, test_no_bit_but_the_scales_matters,
    test_blocks_that_come_in_pieces_are_examined_once, test_doubles_are_beyond_when_they_round_to_infinity)
