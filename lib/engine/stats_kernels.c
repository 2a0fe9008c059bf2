/* Minimum, maximum, sum, zeros and numbers of elements.  Compiled once per instruction set like nonfinite_kernels.c, and
 * written by the same rules; without contraction of a * b + c, which some machines have and others have not.
 *
 * Every element becomes a double exactly, so only additions round, and theirs is one order (STATS_LANES).  Small floats
 * become 32-bit ones by moving their bits: those below the smallest normal one by a subtraction, since processors take
 * a hundred cycles over a subnormal number, and a file may consist of them. */
#include <string.h>

#include "stats_kernels.h"

#ifndef KERNEL_BUILD
#error "KERNEL_BUILD names the table: baseline or avx2"
#endif

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "elements are loaded as the file stores them");

/* Elements between two folds of counters of the element's type: below what one can hold, and whole groups of lanes. */
#define FOLD_uint8_t 224u
#define FOLD_uint16_t 4096u
#define FOLD_uint32_t 4096u
#define FOLD_uint64_t 4096u

#define SIGN(T) ((T)((T)1 << (8 * sizeof(T) - 1)))
#define MAGNITUDE(T, x) ((T)((x) & (T)~SIGN(T)))

static inline double f64_of(uint64_t bits)
{
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

static inline float f32_of(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static inline uint32_t bits_of(float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	return bits;
}

/* A float of few bits: its magnitude where a 32-bit one has its own, the sign at the top, and what lacks in the exponent. */
static inline float widen(uint32_t magnitude, uint32_t sign, uint32_t lacks)
{
	uint32_t normal = magnitude + (lacks << 23), one = (lacks + 1) << 23;
	uint32_t small = bits_of(f32_of(magnitude + one) - f32_of(one));
	uint32_t is_small = (uint32_t)0 - (uint32_t)(magnitude < UINT32_C(1) << 23);

	return f32_of((small & is_small) | (normal & ~is_small) | sign);
}

#define WIDEN8(x, shift, lacks) widen((uint32_t)((x)&0x7f) << (shift), (uint32_t)((x)&0x80) << 24, lacks)
#define WIDEN16(x) widen((uint32_t)((x)&0x7fff) << 13, (uint32_t)((x)&0x8000) << 16, 112)

/* Keys: a signed integer for each number, in their order.  Each is its own inverse. */
#define KEY_FLOAT(T, S, x) ((T)((x) ^ MAGNITUDE(T, (T)((S)(x) >> (8 * sizeof(T) - 1)))))
#define KEY_SIGNED(T, S, x) (x)
#define KEY_UNSIGNED(T, S, x) ((T)((x) ^ SIGN(T)))

/* FINITE, ZERO: 1 or 0.  NUMBER: of an element, which is 0 where it is not finite. */
#define DEFINE_STATS(name, T, S, KEY, FINITE, ZERO, NUMBER)                             \
	static double name##_number(int64_t key)                                        \
	{                                                                               \
		T x = (T)key;                                                           \
                                                                                        \
		x = KEY(T, S, x);                                                       \
		return (double)(NUMBER);                                                \
	}                                                                               \
                                                                                        \
	static inline T name##_at(const uint8_t *at, size_t i)                          \
	{                                                                               \
		T x;                                                                    \
                                                                                        \
		memcpy(&x, at + i * sizeof(T), sizeof(T));                              \
		return x;                                                               \
	}                                                                               \
                                                                                        \
	static void name##_compare(struct stats_sums *s, const uint8_t *at, size_t n)   \
	{                                                                               \
		S least = (S)(T)~SIGN(T), most = (S)SIGN(T);                            \
		T zeros = 0, finite = 0;                                                \
                                                                                        \
		for (size_t i = 0; i < n; i++) {                                        \
			T x = name##_at(at, i), is = (T)(FINITE), all = (T)((T)0 - is); \
			S key = (S)KEY(T, S, x);                                        \
			S low = (S)(T)(((T)key & all) | (T)(~all & (T)~SIGN(T)));       \
			S high = (S)(T)(((T)key & all) | (T)(~all & SIGN(T)));          \
                                                                                        \
			least = low < least ? low : least;                              \
			most = high > most ? high : most;                               \
			zeros = (T)(zeros + (T)(ZERO));                                 \
			finite = (T)(finite + is);                                      \
		}                                                                       \
		s->least = least < s->least ? least : s->least;                         \
		s->most = most > s->most ? most : s->most;                              \
		s->zeros += zeros;                                                      \
		s->finite += finite;                                                    \
	}                                                                               \
                                                                                        \
	static inline double name##_addend(T x)                                         \
	{                                                                               \
		x = (T)(x & (T)((T)0 - (T)(FINITE)));                                   \
		return (double)(NUMBER);                                                \
	}                                                                               \
                                                                                        \
	static void name##_add(double sum[STATS_LANES], const uint8_t *at, size_t n)    \
	{                                                                               \
		size_t i = 0;                                                           \
                                                                                        \
		for (; n - i >= STATS_LANES; i += STATS_LANES)                          \
			for (size_t j = 0; j < STATS_LANES; j++)                        \
				sum[j] += name##_addend(name##_at(at, i + j));          \
		for (size_t j = 0; i < n; i++, j++)                                     \
			sum[j] += name##_addend(name##_at(at, i));                      \
	}                                                                               \
                                                                                        \
	static void name##_feed(struct stats_sums *s, const uint8_t *at, size_t n)      \
	{                                                                               \
		double sum[STATS_LANES];                                                \
                                                                                        \
		memcpy(sum, s->sum, sizeof(sum));                                       \
		for (size_t left = n / sizeof(T); left > 0;) {                          \
			size_t fold = left < FOLD_##T ? left : FOLD_##T;                \
                                                                                        \
			name##_compare(s, at, fold);                                    \
			name##_add(sum, at, fold);                                      \
			at += fold * sizeof(T);                                         \
			left -= fold;                                                   \
		}                                                                       \
		memcpy(s->sum, sum, sizeof(sum));                                       \
	}

#define DEFINE_IEEE(name, T, S, INF, NUMBER) \
	DEFINE_STATS(name, T, S, KEY_FLOAT, (S)MAGNITUDE(T, x) < (S)(INF), MAGNITUDE(T, x) == 0, NUMBER)
#define DEFINE_INTEGER(name, T, S, KEY, NUMBER) DEFINE_STATS(name, T, S, KEY, x == x, x == 0, NUMBER)

DEFINE_IEEE(f64, uint64_t, int64_t, UINT64_C(0x7ff0000000000000), f64_of(x))
DEFINE_IEEE(f32, uint32_t, int32_t, UINT32_C(0x7f800000), f32_of(x))
DEFINE_IEEE(bf16, uint16_t, int16_t, 0x7f80, f32_of((uint32_t)x << 16))
DEFINE_IEEE(f16, uint16_t, int16_t, 0x7c00, WIDEN16(x))
DEFINE_IEEE(e5m2, uint8_t, int8_t, 0x7c, WIDEN8(x, 21, 112))
DEFINE_IEEE(e4m3, uint8_t, int8_t, 0x7f, WIDEN8(x, 20, 120))
/* One zero, and where the other would be NaN. */
DEFINE_STATS(e4m3fnuz, uint8_t, int8_t, KEY_FLOAT, x != 0x80, x == 0, WIDEN8(x, 20, 119))
DEFINE_STATS(e5m2fnuz, uint8_t, int8_t, KEY_FLOAT, x != 0x80, x == 0, WIDEN8(x, 21, 111))
DEFINE_INTEGER(u8, uint8_t, int8_t, KEY_UNSIGNED, (int32_t)x)
DEFINE_INTEGER(i8, uint8_t, int8_t, KEY_SIGNED, (int8_t)x)
DEFINE_INTEGER(u16, uint16_t, int16_t, KEY_UNSIGNED, (int32_t)x)
DEFINE_INTEGER(i16, uint16_t, int16_t, KEY_SIGNED, (int16_t)x)
DEFINE_INTEGER(u32, uint32_t, int32_t, KEY_UNSIGNED, x)
DEFINE_INTEGER(i32, uint32_t, int32_t, KEY_SIGNED, (int32_t)x)
DEFINE_INTEGER(u64, uint64_t, int64_t, KEY_UNSIGNED, x)
DEFINE_INTEGER(i64, uint64_t, int64_t, KEY_SIGNED, (int64_t)x)

#define STATS(name, bytes)                                                                   \
	{                                                                                    \
		.feed = name##_feed, .number = name##_number, .element_bytes = (size_t)bytes \
	}

const struct stats_kernel STATS_TABLE(KERNEL_BUILD)[WLK_N_DTYPES] = {
	[WLK_DTYPE_F64] = STATS(f64, 8),
	[WLK_DTYPE_F32] = STATS(f32, 4),
	[WLK_DTYPE_F16] = STATS(f16, 2),
	[WLK_DTYPE_BF16] = STATS(bf16, 2),
	[WLK_DTYPE_F8_E5M2] = STATS(e5m2, 1),
	[WLK_DTYPE_F8_E4M3] = STATS(e4m3, 1),
	[WLK_DTYPE_F8_E4M3FNUZ] = STATS(e4m3fnuz, 1),
	[WLK_DTYPE_F8_E5M2FNUZ] = STATS(e5m2fnuz, 1),
	[WLK_DTYPE_BOOL] = STATS(u8, 1),
	[WLK_DTYPE_U8] = STATS(u8, 1),
	[WLK_DTYPE_I8] = STATS(i8, 1),
	[WLK_DTYPE_U16] = STATS(u16, 2),
	[WLK_DTYPE_I16] = STATS(i16, 2),
	[WLK_DTYPE_U32] = STATS(u32, 4),
	[WLK_DTYPE_I32] = STATS(i32, 4),
	[WLK_DTYPE_U64] = STATS(u64, 8),
	[WLK_DTYPE_I64] = STATS(i64, 8),
};
