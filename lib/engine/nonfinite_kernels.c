/* The inner loops that look at every weight.  Compiled once per instruction set, with -O3 (GCC 12 does not
 * vectorise at -O2); KERNEL_BUILD names the table.  What a non-finite element looks like, per type:
 * formats/safetensors, section 2.
 *
 * Written so that compilers vectorise them, without intrinsics:
 * - loads are memcpy of one element, so no alignment is assumed;
 * - each loop computes in the element's own unsigned type: nothing widens, and a vector holds as many as fit;
 * - no branch and no early exit inside a loop: the cost does not depend on the data;
 * - no unsigned comparison, which SSE2 lacks: either an addition carries the answer into the top bit, or the
 *   sign is masked off first so that a signed comparison gives the same answer;
 * - counters are of the element's type too, and are folded into 64 bits before they can wrap. */
#include <string.h>

#include "nonfinite_kernels.h"

#ifndef KERNEL_BUILD
#error "KERNEL_BUILD names the table: baseline or avx2"
#endif

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements are loaded as the file stores them");

/* Elements between two folds: below what a counter of the type can hold, and whole vectors. */
#define FOLD_uint8_t 224u
#define FOLD_uint16_t 32768u
#define FOLD_uint32_t 1048576u
#define FOLD_uint64_t 1048576u

#define SIGN(T) ((T)((T)1 << (8 * sizeof(T) - 1)))

/* The element at index i of unaligned bytes. */
#define DEFINE_LOAD(T)                                        \
	static inline T load_##T(const uint8_t *at, size_t i) \
	{                                                     \
		T x;                                          \
                                                              \
		memcpy(&x, at + i * sizeof(T), sizeof(T));    \
		return x;                                     \
	}
DEFINE_LOAD(uint8_t)
DEFINE_LOAD(uint16_t)
DEFINE_LOAD(uint32_t)
DEFINE_LOAD(uint64_t)

/* bool name(at, n): EACH, an expression of the element x, is or-ed over all elements; true if DECIDE, an
 * expression of the sum m, holds. */
#define DEFINE_ANY(name, T, EACH, DECIDE)                    \
	static bool name(const uint8_t *at, size_t n)        \
	{                                                    \
		T m = 0;                                     \
                                                             \
		for (size_t i = 0; i < n / sizeof(T); i++) { \
			T x = load_##T(at, i);               \
                                                             \
			m |= (T)(EACH);                      \
		}                                            \
		return DECIDE;                               \
	}

/* void name(at, n, counts): adds to one counter the number of elements x for which EACH is 1. */
#define DEFINE_COUNT_ONE(name, T, counter, EACH)                                       \
	static void name(const uint8_t *at, size_t n, struct nonfinite_counts *counts) \
	{                                                                              \
		for (size_t left = n / sizeof(T); left > 0;) {                         \
			size_t fold = left < FOLD_##T ? left : FOLD_##T;               \
			T c = 0;                                                       \
                                                                                       \
			for (size_t i = 0; i < fold; i++) {                            \
				T x = load_##T(at, i);                                 \
                                                                                       \
				c = (T)(c + (EACH));                                   \
			}                                                              \
			counts->counter += c;                                          \
			at += fold * sizeof(T);                                        \
			left -= fold;                                                  \
		}                                                                      \
	}

/* IEEE layouts.  INF is the exponent mask: all ones there is infinite, anything above is NaN.  LSB is the
 * lowest bit of the exponent: added to an exponent of all ones, and to no other, it carries into the sign. */
#define LSB(T, INF) ((T)(SIGN(T) - (INF)))
#define MAGNITUDE(T, x) ((T)((x) & (T)~SIGN(T)))

/* Three questions about x, answered by 1 or 0; S is the signed twin of T.  By comparison. */
#define COMPARE_NAN(T, S, INF, x) ((S)MAGNITUDE(T, x) > (S)(INF))
#define COMPARE_POS(T, INF, x) ((x) == (INF))
#define COMPARE_NEG(T, INF, x) ((x) == ((INF) | SIGN(T)))

/* By carry into the top bit: for 64 bits, which SSE2 cannot compare (twice as fast there, measured). */
#define TOP(T, x) ((T)(x) >> (8 * sizeof(T) - 1))
#define CARRY_NAN(T, S, INF, x) TOP(T, (INF)-MAGNITUDE(T, x))
#define CARRY_INF(T, INF, x) ((MAGNITUDE(T, x) + LSB(T, INF)) & ~((INF)-MAGNITUDE(T, x)))
#define CARRY_POS(T, INF, x) TOP(T, CARRY_INF(T, INF, x) & ~(x))
#define CARRY_NEG(T, INF, x) TOP(T, CARRY_INF(T, INF, x) & (x))

#define DEFINE_IEEE(name, T, S, INF, IS)                                                               \
	DEFINE_ANY(name##_any, T, MAGNITUDE(T, x) + LSB(T, INF), (m & SIGN(T)) != 0)                   \
	DEFINE_ANY(name##_other, T, (T)(MAGNITUDE(T, x) != 0) & (T)(MAGNITUDE(T, x) != (INF)), m != 0) \
                                                                                                       \
	static bool name##_all_zero_or_inf(const uint8_t *at, size_t n)                                \
	{                                                                                              \
		return !name##_other(at, n);                                                           \
	}                                                                                              \
                                                                                                       \
	static void name##_count(const uint8_t *at, size_t n, struct nonfinite_counts *counts)         \
	{                                                                                              \
		for (size_t left = n / sizeof(T); left > 0;) {                                         \
			size_t fold = left < FOLD_##T ? left : FOLD_##T;                               \
			T nan = 0, pos = 0, neg = 0;                                                   \
                                                                                                       \
			for (size_t i = 0; i < fold; i++) {                                            \
				T x = load_##T(at, i);                                                 \
                                                                                                       \
				nan = (T)(nan + IS##_NAN(T, S, INF, x));                               \
				pos = (T)(pos + IS##_POS(T, INF, x));                                  \
				neg = (T)(neg + IS##_NEG(T, INF, x));                                  \
			}                                                                              \
			counts->nan += nan;                                                            \
			counts->pos_inf += pos;                                                        \
			counts->neg_inf += neg;                                                        \
			at += fold * sizeof(T);                                                        \
			left -= fold;                                                                  \
		}                                                                                      \
	}

DEFINE_IEEE(f64, uint64_t, int64_t, UINT64_C(0x7ff0000000000000), CARRY)
DEFINE_IEEE(f32, uint32_t, int32_t, UINT32_C(0x7f800000), COMPARE)
DEFINE_IEEE(f16, uint16_t, int16_t, 0x7c00, COMPARE)
DEFINE_IEEE(bf16, uint16_t, int16_t, 0x7f80, COMPARE)
DEFINE_IEEE(e5m2, uint8_t, int8_t, 0x7c, COMPARE)

/* 8-bit types without infinities: one or two bytes are NaN. */
DEFINE_ANY(e4m3_any, uint8_t, MAGNITUDE(uint8_t, x) + 1, (m & 0x80) != 0)
DEFINE_COUNT_ONE(e4m3_count, uint8_t, nan, MAGNITUDE(uint8_t, x) == 0x7f)
DEFINE_ANY(fnuz_any, uint8_t, x == 0x80, m != 0)
DEFINE_COUNT_ONE(fnuz_count, uint8_t, nan, x == 0x80)
DEFINE_ANY(e8m0_any, uint8_t, x == 0xff, m != 0)
DEFINE_COUNT_ONE(e8m0_count, uint8_t, nan, x == 0xff)

DEFINE_ANY(bool_any, uint8_t, x & 0xfe, m != 0)
DEFINE_COUNT_ONE(bool_count, uint8_t, invalid, (x & 0xfe) != 0)

/* The 80-bit type of x87, at a pitch of 12 or 16 bytes: 64 bits of mantissa with an explicit integer bit, then sign and
 * exponent, then padding that means nothing.  Without the integer bit only a zero exponent makes a number; of anything
 * else the processor makes NaN (Intel SDM 1, 8.2.2).  Nobody trains with it: these loops need not be fast. */
#define X87_INTEGER_BIT (UINT64_C(1) << 63)
#define X87_EXPONENT 0x7fffu

struct x87 {
	uint64_t mantissa;
	uint16_t sign_exponent;
};

static inline struct x87 load_x87(const uint8_t *at)
{
	return (struct x87){ load_uint64_t(at, 0), load_uint16_t(at, 4) };
}

static inline bool x87_is_inf(struct x87 x)
{
	return (x.sign_exponent & X87_EXPONENT) == X87_EXPONENT && x.mantissa == X87_INTEGER_BIT;
}

static inline bool x87_is_nan(struct x87 x)
{
	unsigned exponent = x.sign_exponent & X87_EXPONENT;

	return exponent != 0 && !x87_is_inf(x) && (exponent == X87_EXPONENT || !(x.mantissa & X87_INTEGER_BIT));
}

static bool x87_any(const uint8_t *at, size_t n, size_t pitch)
{
	bool any = false;

	for (size_t i = 0; i < n; i += pitch) {
		struct x87 x = load_x87(at + i);

		any = any || x87_is_inf(x) || x87_is_nan(x);
	}
	return any;
}

static void x87_count(const uint8_t *at, size_t n, size_t pitch, struct nonfinite_counts *counts)
{
	for (size_t i = 0; i < n; i += pitch) {
		struct x87 x = load_x87(at + i);
		bool negative = x.sign_exponent & ~X87_EXPONENT;

		counts->nan += x87_is_nan(x);
		counts->pos_inf += x87_is_inf(x) && !negative;
		counts->neg_inf += x87_is_inf(x) && negative;
	}
}

static bool x87_all_zero_or_inf(const uint8_t *at, size_t n, size_t pitch)
{
	bool all = true;

	for (size_t i = 0; i < n; i += pitch) {
		struct x87 x = load_x87(at + i);

		all = all && (x87_is_inf(x) || (x.mantissa == 0 && (x.sign_exponent & X87_EXPONENT) == 0));
	}
	return all;
}

#define DEFINE_X87(name, pitch)                                                                \
	static bool name##_any(const uint8_t *at, size_t n)                                    \
	{                                                                                      \
		return x87_any(at, n, pitch);                                                  \
	}                                                                                      \
                                                                                               \
	static void name##_count(const uint8_t *at, size_t n, struct nonfinite_counts *counts) \
	{                                                                                      \
		x87_count(at, n, pitch, counts);                                               \
	}                                                                                      \
                                                                                               \
	static bool name##_all_zero_or_inf(const uint8_t *at, size_t n)                        \
	{                                                                                      \
		return x87_all_zero_or_inf(at, n, pitch);                                      \
	}

DEFINE_X87(ld12, 12)
DEFINE_X87(ld16, 16)

/* Adding this carries every character above U+10FFFF into the top bit, in which those beyond 31 bits are already. */
#define UCS4_CARRY(x) ((x) + (SIGN(uint32_t) - UINT32_C(0x110000)))
DEFINE_ANY(ucs4_any, uint32_t, x | UCS4_CARRY(x), (m & SIGN(uint32_t)) != 0)
DEFINE_COUNT_ONE(ucs4_count, uint32_t, invalid, TOP(uint32_t, x | UCS4_CARRY(x)))

#define IEEE(name, T)                                                                                \
	{                                                                                            \
		.any = name##_any, .count = name##_count, .all_zero_or_inf = name##_all_zero_or_inf, \
		.element_bytes = sizeof(T)                                                           \
	}
#define X87(name, pitch)                                                                             \
	{                                                                                            \
		.any = name##_any, .count = name##_count, .all_zero_or_inf = name##_all_zero_or_inf, \
		.element_bytes = (pitch)                                                             \
	}
#define BYTE(name)                                                           \
	{                                                                    \
		.any = name##_any, .count = name##_count, .element_bytes = 1 \
	}

const struct nonfinite_kernel KERNEL_TABLE(KERNEL_BUILD)[WLK_N_DTYPES] = {
	[WLK_DTYPE_F64] = IEEE(f64, uint64_t),
	[WLK_DTYPE_F32] = IEEE(f32, uint32_t),
	[WLK_DTYPE_F16] = IEEE(f16, uint16_t),
	[WLK_DTYPE_BF16] = IEEE(bf16, uint16_t),
	[WLK_DTYPE_F8_E5M2] = IEEE(e5m2, uint8_t),
	[WLK_DTYPE_F8_E4M3] = BYTE(e4m3),
	[WLK_DTYPE_F8_E4M3FNUZ] = BYTE(fnuz),
	[WLK_DTYPE_F8_E5M2FNUZ] = BYTE(fnuz),
	[WLK_DTYPE_F8_E8M0] = BYTE(e8m0),
	[WLK_DTYPE_BOOL] = BYTE(bool),
	/* Complex: two parts, each counted on its own.  Never a mask: nobody masks with complex numbers, and an
     * infinite part beside a zero one is no single constant. */
	[WLK_DTYPE_C32] = { .any = f16_any, .count = f16_count, .element_bytes = 4 },
	[WLK_DTYPE_C64] = { .any = f32_any, .count = f32_count, .element_bytes = 8 },
	[WLK_DTYPE_C128] = { .any = f64_any, .count = f64_count, .element_bytes = 16 },
	[WLK_DTYPE_CLD24] = { .any = ld12_any, .count = ld12_count, .element_bytes = 24 },
	[WLK_DTYPE_CLD32] = { .any = ld16_any, .count = ld16_count, .element_bytes = 32 },
	[WLK_DTYPE_UCS4] = { .any = ucs4_any, .count = ucs4_count, .element_bytes = 4 },
	[WLK_DTYPE_LD12] = X87(ld12, 12),
	[WLK_DTYPE_LD16] = X87(ld16, 16),
};
