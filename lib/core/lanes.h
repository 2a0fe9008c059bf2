/* Sixteen bytes at a time, written with the compilers' vector types (GCC and clang, any machine).  Only the question
 * "which lanes" is asked in the machine's own words where it has one instruction for it. */
#pragma once

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define LANES 16
typedef uint8_t u8x16 __attribute__((vector_size(LANES)));
typedef uint64_t u64x2 __attribute__((vector_size(LANES)));

static inline u8x16 load_lanes(const uint8_t *p)
{
	u8x16 v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Below, a lane is set when its top bit is: so is every lane for which a comparison is true. */

static inline bool any_lane(u8x16 v)
{
#ifdef __SSE2__
	return _mm_movemask_epi8((__m128i)v) != 0;
#else
	u64x2 halves = (u64x2)(v & 0x80);

	return (halves[0] | halves[1]) != 0;
#endif
}

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "first_lane() counts from the low end");

/* The first lane that is set; there is one. */
static inline size_t first_lane(u8x16 v)
{
#ifdef __SSE2__
	return (size_t)__builtin_ctz((unsigned)_mm_movemask_epi8((__m128i)v));
#else
	u64x2 halves = (u64x2)(v & 0x80);

	if (halves[0] != 0)
		return (size_t)__builtin_ctzll(halves[0]) / 8;
	return 8 + (size_t)__builtin_ctzll(halves[1]) / 8;
#endif
}
