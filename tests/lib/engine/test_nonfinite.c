/* The kernels against an oracle that decodes each element the slow way. */
#include "harness.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "bytes.h"
#include "dtype.h"
#include "nonfinite.h"
#include "xorshift.h"

static const char *const builds[] = { "baseline", "avx2" };

/* What one element is.  C64 is two F32 and asked part by part. */
enum is { IS_ORDINARY, IS_ZERO, IS_NAN, IS_POS_INF, IS_NEG_INF, IS_INVALID };

static enum is is_double(double d)
{
	if (isnan(d))
		return IS_NAN;
	if (isinf(d))
		return d > 0 ? IS_POS_INF : IS_NEG_INF;
	return d == 0 ? IS_ZERO : IS_ORDINARY;
}

/* From exponent and mantissa, for types the host has no arithmetic for. */
static enum is is_small(unsigned bits, unsigned width, unsigned mantissa_bits)
{
	unsigned exponent_bits = width - 1 - mantissa_bits;
	unsigned mantissa = bits & ((1u << mantissa_bits) - 1);
	unsigned exponent = bits >> mantissa_bits & ((1u << exponent_bits) - 1);
	unsigned sign = bits >> (width - 1);

	if (exponent == (1u << exponent_bits) - 1)
		return mantissa != 0 ? IS_NAN : sign ? IS_NEG_INF : IS_POS_INF;
	return exponent == 0 && mantissa == 0 ? IS_ZERO : IS_ORDINARY;
}

/* What the processor itself says; it takes encodings without the integer bit for no number at all. */
static enum is is_x87(const uint8_t *at)
{
	long double x = 0, sum;
	uint16_t sign_exponent;
	uint64_t mantissa;

	memcpy(&mantissa, at, 8);
	memcpy(&sign_exponent, at + 8, 2);
	if (LDBL_MANT_DIG != 64) { /* no such processor: by the book */
		unsigned exponent = sign_exponent & 0x7fff;

		if (exponent == 0)
			return mantissa == 0 ? IS_ZERO : IS_ORDINARY;
		if (!(mantissa >> 63) || (exponent == 0x7fff && mantissa << 1 != 0))
			return IS_NAN;
		return exponent != 0x7fff ? IS_ORDINARY : sign_exponent >> 15 ? IS_NEG_INF : IS_POS_INF;
	}
	memcpy(&x, at, 10);
	sum = x + 0.0L; /* an operation: that is where invalid ones become NaN */
	if (sum != sum)
		return IS_NAN;
	if (sum - sum != sum - sum)
		return sum > 0 ? IS_POS_INF : IS_NEG_INF;
	return sum == 0 ? IS_ZERO : IS_ORDINARY;
}

static enum is oracle(enum wlk_dtype dtype, const uint8_t *at)
{
	uint16_t u16 = 0;
	double d;
	float f;

	switch (dtype) {
	case WLK_DTYPE_C128:
	case WLK_DTYPE_F64: memcpy(&d, at, 8); return is_double(d);
	case WLK_DTYPE_LD12:
	case WLK_DTYPE_LD16:
	case WLK_DTYPE_CLD24:
	case WLK_DTYPE_CLD32: return is_x87(at);
	case WLK_DTYPE_C64:
	case WLK_DTYPE_F32: memcpy(&f, at, 4); return is_double((double)f);
	case WLK_DTYPE_C32:
	case WLK_DTYPE_F16: memcpy(&u16, at, 2); return is_small(u16, 16, 10);
	case WLK_DTYPE_BF16: memcpy(&u16, at, 2); return is_small(u16, 16, 7);
	case WLK_DTYPE_F8_E5M2: return is_small(*at, 8, 2);
	case WLK_DTYPE_F8_E4M3: return *at == 0x7f || *at == 0xff ? IS_NAN : IS_ORDINARY;
	case WLK_DTYPE_F8_E4M3FNUZ:
	case WLK_DTYPE_F8_E5M2FNUZ: return *at == 0x80 ? IS_NAN : IS_ORDINARY;
	case WLK_DTYPE_F8_E8M0: return *at == 0xff ? IS_NAN : IS_ORDINARY;
	case WLK_DTYPE_UCS4: return load_u32le(at) > 0x10ffff ? IS_INVALID : IS_ORDINARY;
	case WLK_DTYPE_BOOL: return *at > 1 ? IS_INVALID : IS_ORDINARY;
	default: ck_abort_msg("no oracle for dtype %d", (int)dtype);
	}
}

static size_t part_bytes(enum wlk_dtype dtype)
{
	enum dtype_kind kind = dtype_info(dtype)->kind;
	size_t bytes = dtype_info(dtype)->bits / 8;

	return kind == DTYPE_COMPLEX || kind == DTYPE_X87_COMPLEX ? bytes / 2 : bytes;
}

/* All three answers of a kernel on these bytes are the oracle's. */
static void check_kernel(const char *build, enum wlk_dtype dtype, const uint8_t *at, size_t n)
{
	const struct nonfinite_kernel *k = nonfinite_kernel_of(build, dtype);
	uint64_t seen[IS_INVALID + 1] = { 0 };
	struct nonfinite_counts c = { 0 };

	for (size_t i = 0; i < n; i += part_bytes(dtype))
		seen[oracle(dtype, at + i)]++;
	k->count(at, n, &c);
	ck_assert_msg(c.nan == seen[IS_NAN] && c.pos_inf == seen[IS_POS_INF] && c.neg_inf == seen[IS_NEG_INF] &&
			  c.invalid == seen[IS_INVALID],
	    "%s %s: wrong counts for %zu bytes", build, dtype_info(dtype)->name, n);
	ck_assert_msg(k->any(at, n) == (seen[IS_NAN] + seen[IS_POS_INF] + seen[IS_NEG_INF] + seen[IS_INVALID] > 0),
	    "%s %s: any() is wrong for %zu bytes", build, dtype_info(dtype)->name, n);
	if (k->all_zero_or_inf)
		ck_assert_msg(k->all_zero_or_inf(at, n) == (seen[IS_ORDINARY] + seen[IS_NAN] == 0),
		    "%s %s: all_zero_or_inf() is wrong for %zu bytes", build, dtype_info(dtype)->name, n);
}

/* For every build this machine can run and every type that has a kernel. */
static void each_kernel(void (*check)(const char *build, enum wlk_dtype dtype))
{
	for (size_t b = 0; b < sizeof(builds) / sizeof(builds[0]); b++) {
		for (int d = 0; d < WLK_N_DTYPES; d++) {
			if (nonfinite_kernel_of(builds[b], (enum wlk_dtype)d))
				check(builds[b], (enum wlk_dtype)d);
		}
	}
}

START_TEST(test_every_type_in_which_something_can_be_wrong_has_a_kernel)
{
	for (int d = 0; d < WLK_N_DTYPES; d++) {
		const struct nonfinite_kernel *k = nonfinite_kernel((enum wlk_dtype)d);
		const struct dtype_info *info = dtype_info((enum wlk_dtype)d);

		ck_assert_msg((k != NULL) == (info->kind != DTYPE_OPAQUE), "%s", info->name);
		if (k)
			ck_assert_uint_eq(k->element_bytes * 8, info->bits);
	}
}
END_TEST

START_TEST(test_the_widest_build_is_chosen)
{
	const struct nonfinite_kernel *avx2 = nonfinite_kernel_of("avx2", WLK_DTYPE_F32);
	const struct nonfinite_kernel *baseline = nonfinite_kernel_of("baseline", WLK_DTYPE_F32);

	ck_assert_ptr_nonnull(baseline);
	ck_assert_ptr_eq(nonfinite_kernel(WLK_DTYPE_F32), avx2 ? avx2 : baseline);
	ck_assert_ptr_null(nonfinite_kernel_of("avx9", WLK_DTYPE_F32));
}
END_TEST

static void check_every_pattern(const char *build, enum wlk_dtype dtype)
{
	for (uint32_t x = 0; part_bytes(dtype) <= 2 && x < 1u << (8 * part_bytes(dtype)); x++)
		check_kernel(build, dtype, (const uint8_t *)&x, part_bytes(dtype));
}

START_TEST(test_every_pattern_of_8_and_16_bits_is_judged_right)
{
	each_kernel(check_every_pattern);
}
END_TEST

/* Every combination of sign, exponent and mantissa from the edges of both. */
static void check_combinations(const char *build, enum wlk_dtype dtype, unsigned mantissa_bits, unsigned exponent_bits)
{
	uint64_t m_max = (UINT64_C(1) << mantissa_bits) - 1, e_max = (UINT64_C(1) << exponent_bits) - 1;
	const uint64_t mantissas[] = { 0, 1, 2, m_max / 2, m_max / 2 + 1, m_max - 1, m_max };
	const uint64_t exponents[] = { 0, 1, e_max / 2, e_max / 2 + 1, e_max - 1, e_max };

	for (uint64_t sign = 0; sign < 2; sign++) {
		for (size_t e = 0; e < sizeof(exponents) / sizeof(exponents[0]); e++) {
			for (size_t m = 0; m < sizeof(mantissas) / sizeof(mantissas[0]); m++) {
				uint64_t x = sign << (mantissa_bits + exponent_bits) | exponents[e] << mantissa_bits |
					     mantissas[m];

				check_kernel(build, dtype, (const uint8_t *)&x, part_bytes(dtype));
			}
		}
	}
}

/* With and without the integer bit; the padding is noise. */
static void check_x87(const char *build, enum wlk_dtype dtype)
{
	static const uint64_t mantissas[] = { 0, 1, UINT64_C(1) << 62, (UINT64_C(1) << 63) - 1, UINT64_C(1) << 63,
		(UINT64_C(1) << 63) + 1, UINT64_C(3) << 62, UINT64_MAX };
	static const uint16_t exponents[] = { 0, 1, 0x3fff, 0x7ffe, 0x7fff };

	for (size_t i = 0; i < 2 * 5 * 8; i++) {
		uint8_t at[32];
		uint16_t sign_exponent = (uint16_t)(exponents[i / 2 % 5] | (i % 2 ? 0x8000 : 0));

		memset(at, i % 3 ? 0xff : 0, sizeof(at));
		memcpy(at, &mantissas[i / 10], 8);
		memcpy(at + 8, &sign_exponent, 2);
		check_kernel(build, dtype, at, part_bytes(dtype));
	}
}

static void check_edges(const char *build, enum wlk_dtype dtype)
{
	if (dtype_info(dtype)->kind == DTYPE_X87 || dtype_info(dtype)->kind == DTYPE_X87_COMPLEX)
		check_x87(build, dtype);
	else if (part_bytes(dtype) == 4)
		check_combinations(build, dtype, 23, 8);
	if (part_bytes(dtype) == 8)
		check_combinations(build, dtype, 52, 11);
}

START_TEST(test_the_edges_of_32_and_64_bit_types_are_judged_right)
{
	each_kernel(check_edges);
}
END_TEST

static uint64_t random_state = 1;

static uint32_t random_u32(void)
{
	return (uint32_t)(xorshift_next(&random_state) >> 32);
}

#define LENGTH_MAX 300
#define ALIGNMENTS 32

/* Bytes that are often the ends of infinities, zeros and NaN. */
static void fill_random(uint8_t *at, size_t n, unsigned kind)
{
	static const uint8_t edges[] = { 0x00, 0x7f, 0x80, 0xff, 0x7c, 0xf0, 0x01, 0xfc };

	for (size_t i = 0; i < n; i++) {
		uint32_t r = random_u32();

		if (kind == 0)
			at[i] = (uint8_t)(r % 2); /* ordinary everywhere, or valid BOOL */
		else if (kind == 1)
			at[i] = edges[r % sizeof(edges)];
		else
			at[i] = (uint8_t)r;
	}
}

static void check_lengths_and_alignments(const char *build, enum wlk_dtype dtype)
{
	static uint8_t buf[LENGTH_MAX * 32 + ALIGNMENTS];
	size_t size = nonfinite_kernel_of(build, dtype)->element_bytes;

	for (unsigned kind = 0; kind < 3; kind++) {
		fill_random(buf, sizeof(buf), kind);
		for (size_t align = 0; align < ALIGNMENTS; align++) {
			for (size_t n = 0; n <= LENGTH_MAX; n += size > 8 ? 7 : 1)
				check_kernel(build, dtype, buf + align, n * size);
		}
	}
}

START_TEST(test_every_length_at_every_alignment_gives_the_same_answer)
{
	each_kernel(check_lengths_and_alignments);
}
END_TEST

/* A byte that makes a bad element of any width: 0xff, but FNUZ types know one NaN only. */
static uint8_t bad_byte(enum wlk_dtype dtype)
{
	return dtype_info(dtype)->kind == DTYPE_FNUZ ? 0x80 : 0xff;
}

/* In a vector, in its tail, at either end. */
static void check_places(const char *build, enum wlk_dtype dtype)
{
	const struct nonfinite_kernel *k = nonfinite_kernel_of(build, dtype);
	size_t size = part_bytes(dtype), parts = 134;

	for (size_t i = 0; i < parts; i++) {
		uint8_t buf[134 * 16] = { 0 };
		struct nonfinite_counts c = { 0 };

		memset(buf + i * size, bad_byte(dtype), size);
		ck_assert(k->any(buf, parts * size));
		k->count(buf, parts * size, &c);
		ck_assert_uint_eq(c.nan + c.invalid, 1);
	}
}

START_TEST(test_one_bad_element_is_found_at_every_place)
{
	each_kernel(check_places);
}
END_TEST

/* Lengths on both sides of every fold, and of what 8 and 16 bits can count. */
static void check_folds(const char *build, enum wlk_dtype dtype)
{
	static const size_t lengths[] = { 223, 224, 225, 255, 256, 257, 448, 511, 32767, 32768, 32769, 65535, 65536,
		65537, 131073, 1048575, 1048576, 1048577 };
	static uint8_t buf[1048577 * 32];
	const struct nonfinite_kernel *k = nonfinite_kernel_of(build, dtype);

	memset(buf, bad_byte(dtype), sizeof(buf));
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		size_t n = lengths[i] * k->element_bytes;
		struct nonfinite_counts c = { 0 };

		k->count(buf, n, &c);
		ck_assert_uint_eq(c.nan + c.invalid, n / part_bytes(dtype));
		ck_assert_uint_eq(c.pos_inf + c.neg_inf, 0);
	}
}

START_TEST(test_counters_are_folded_before_they_wrap)
{
	each_kernel(check_folds);
}
END_TEST

START_TEST(test_counts_are_added_to_what_was_there)
{
	const uint8_t x[4] = { 0x7f, 0x00, 0xff, 0x7f };
	struct nonfinite_counts c = { .nan = 10, .pos_inf = 1 };

	nonfinite_kernel(WLK_DTYPE_F8_E4M3)->count(x, sizeof(x), &c);
	ck_assert_uint_eq(c.nan, 13);
	ck_assert_uint_eq(c.pos_inf, 1);
}
END_TEST

HARNESS("nonfinite", test_every_type_in_which_something_can_be_wrong_has_a_kernel, test_the_widest_build_is_chosen,
    test_every_pattern_of_8_and_16_bits_is_judged_right, test_the_edges_of_32_and_64_bit_types_are_judged_right,
    test_every_length_at_every_alignment_gives_the_same_answer, test_one_bad_element_is_found_at_every_place,
    test_counters_are_folded_before_they_wrap, test_counts_are_added_to_what_was_there)
