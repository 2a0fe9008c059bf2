/* Statistics of elements: whatever pieces they come in and whichever build counts, the same bits. */
#include "harness.h"

#include <math.h>

#include "stats.h"

#define BYTES 40000u

static struct tensor_stats told;
static unsigned n_told;

static bool take(void *ctx, const uint8_t *at, size_t n)
{
	(void)ctx;
	for (size_t i = 0; i + 5 <= n; i += 5 + load_u32le(at + i)) {
		if (at[i + 4] != RECORD_STATS)
			continue;
		n_told++;
		ck_assert_uint_eq(load_u64le(at + i + 5), 7);
		ck_assert(tensor_stats_decode(at + i + 13, &told));
	}
	return true;
}

/* In pieces of @piece bytes; 0: of all sizes in turn. */
static struct tensor_stats count(const uint8_t *at, size_t n, size_t piece, enum wlk_dtype dtype, unsigned flags)
{
	const struct extents x = { .rows = ROWS_BY_INDEX };
	const struct extent e = {
		.end = n, .kind = EXTENT_TENSOR, .dtype = (uint8_t)dtype, .flags = (uint8_t)flags, .index = 7
	};
	struct report *r = malloc(sizeof(*r));
	const struct report_final final = { .size = n };
	struct stats s = { 0 };

	report_init(r, take, NULL, NULL);
	r->wants_rows = r->wants_stats = true;
	told = (struct tensor_stats){ .elements = 99 };
	stats_begin(&s, &x, &e, r);
	for (size_t i = 0, next = 1; i < n; next++) {
		size_t now = piece > 0 ? piece : next;

		now = now < n - i ? now : n - i;
		stats_feed(&s, at + i, now);
		i += now;
	}
	stats_end(&s, r);
	(void)report_end(r, &final);
	free(r);
	return told;
}

static void fill(uint8_t *at, size_t n)
{
	uint64_t x = 88172645463325252u;

	for (size_t i = 0; i < n; i++) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		at[i] = (uint8_t)(x >> 32);
	}
}

static void assert_same(const struct tensor_stats *a, const struct tensor_stats *b)
{
	uint8_t left[TENSOR_STATS_BYTES], right[TENSOR_STATS_BYTES];

	tensor_stats_encode(a, left);
	tensor_stats_encode(b, right);
	ck_assert_mem_eq(left, right, sizeof(left));
}

START_TEST(test_pieces_of_any_size_come_to_the_same)
{
	static const size_t pieces[] = { 0, 1, 7, 64, 255, 4096, 16384, 16385 };
	uint8_t at[BYTES];

	fill(at, sizeof(at));
	for (unsigned dtype = 1; dtype < WLK_N_DTYPES; dtype++) {
		struct tensor_stats whole = count(at, BYTES, BYTES, (enum wlk_dtype)dtype, 0);

		for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
			struct tensor_stats got = count(at, BYTES, pieces[i], (enum wlk_dtype)dtype, 0);

			assert_same(&whole, &got);
		}
	}
	ck_assert_uint_gt(n_told, 0);
}
END_TEST

START_TEST(test_builds_come_to_the_same)
{
	uint8_t at[BYTES];

	fill(at, sizeof(at));
	for (unsigned dtype = 1; dtype < WLK_N_DTYPES; dtype++) {
		const struct stats_kernel *base = stats_kernel("baseline", (enum wlk_dtype)dtype),
					  *wide = stats_kernel("avx2", (enum wlk_dtype)dtype);
		struct stats_sums a = { .least = INT64_MAX, .most = INT64_MIN }, b = a;

		if (base == NULL || wide == NULL)
			continue;
		base->feed(&a, at, BYTES);
		wide->feed(&b, at, BYTES);
		ck_assert_mem_eq(&a, &b, sizeof(a));
	}
}
END_TEST

START_TEST(test_small_floats_are_what_their_bits_say)
{
	/* 1.0, 2^-24, -2.0, NaN, Inf, -0 of F16; 448, 2^-9, NaN of F8_E4M3 */
	static const uint16_t half[] = { 0x3c00, 0x0001, 0xc000, 0x7e00, 0x7c00, 0x8000 };
	static const uint8_t byte[] = { 0x7e, 0x01, 0xff };
	uint8_t at[sizeof(half)];
	struct tensor_stats s;

	for (size_t i = 0; i < 6; i++)
		memcpy(at + 2 * i, &half[i], 2);
	s = count(at, sizeof(at), 5, WLK_DTYPE_F16, 0);
	ck_assert(s.elements == 6 && s.finite == 4 && s.zeros == 1);
	ck_assert(s.min == -2.0 && s.max == 1.0 && s.mean == (-1.0 + ldexp(1, -24)) / 4);
	s = count(byte, sizeof(byte), 1, WLK_DTYPE_F8_E4M3, 0);
	ck_assert(s.elements == 3 && s.finite == 2 && s.min == ldexp(1, -9) && s.max == 448);
}
END_TEST

START_TEST(test_elements_stored_back_to_front_are_turned)
{
	static const uint8_t at[] = { 0x3f, 0x80, 0, 0, 0x40, 0, 0, 0, 0, 0, 0 };
	struct tensor_stats s = count(at, 8, 3, WLK_DTYPE_F32, EXTENT_BIG_ENDIAN);

	ck_assert(s.elements == 2 && s.min == 1 && s.max == 2 && s.mean == 1.5);
}
END_TEST

START_TEST(test_what_is_not_finite_is_counted_and_left_out)
{
	const double huge[] = { 1.7e308, 1.7e308 }, none[] = { (double)NAN, (double)INFINITY };
	struct tensor_stats s = count((const uint8_t *)huge, sizeof(huge), 16, WLK_DTYPE_F64, 0);

	ck_assert(s.finite == 2 && isnan(s.mean) && s.max == 1.7e308);
	s = count((const uint8_t *)none, sizeof(none), 16, WLK_DTYPE_F64, 0);
	ck_assert(s.elements == 2 && s.finite == 0 && s.min == 0 && s.max == 0 && s.mean == 0);
}
END_TEST

START_TEST(test_what_is_no_plain_number_has_none)
{
	uint8_t at[640] = { 0 };
	unsigned before = n_told;

	(void)count(at, sizeof(at), 64, WLK_DTYPE_Q4_0, 0);
	(void)count(at, sizeof(at), 64, WLK_DTYPE_C64, 0);
	(void)count(at, sizeof(at), 64, WLK_DTYPE_F32, EXTENT_RECORDS);
	ck_assert_uint_eq(n_told, before);
}
END_TEST

HARNESS("stats", test_pieces_of_any_size_come_to_the_same, test_builds_come_to_the_same,
    test_small_floats_are_what_their_bits_say, test_elements_stored_back_to_front_are_turned,
    test_what_is_not_finite_is_counted_and_left_out, test_what_is_no_plain_number_has_none)
