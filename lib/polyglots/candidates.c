/* See candidates.h.  What AVX2 does for 32 places at once, a loop does where there is none. */
#include "candidates.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

void candidates_add(struct candidates *c, unsigned group, const int16_t bytes[CANDIDATE_BYTES])
{
	uint8_t bit = (uint8_t)(1u << group);

	for (unsigned k = 0; k < CANDIDATE_BYTES; k++)
		for (int half = 0; half < 16; half++) {
			if (bytes[k] < 0 || (bytes[k] & 15) == half)
				c->low[k][half] |= bit;
			if (bytes[k] < 0 || bytes[k] >> 4 == half)
				c->high[k][half] |= bit;
		}
}

size_t candidates_next_baseline(const struct candidates *c, const uint8_t *at, size_t i, size_t n)
{
	for (; i + CANDIDATE_BYTES <= n; i++) {
		unsigned groups = c->low[0][at[i] & 15] & c->high[0][at[i] >> 4];

		if (groups != 0 && (groups & c->low[1][at[i + 1] & 15] & c->high[1][at[i + 1] >> 4] &
				       c->low[2][at[i + 2] & 15] & c->high[2][at[i + 2] >> 4]) != 0)
			return i;
	}
	return n;
}

#if defined(__x86_64__)
#define LANES 32u
#define AVX2 __attribute__((target("avx2")))

AVX2 static inline __m256i both_halves(const uint8_t table[16])
{
	return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)table));
}

AVX2 static inline __m256i groups_of(__m256i v, __m256i low, __m256i high)
{
	const __m256i half = _mm256_set1_epi8(15);

	return _mm256_and_si256(_mm256_shuffle_epi8(low, _mm256_and_si256(v, half)),
	    _mm256_shuffle_epi8(high, _mm256_and_si256(_mm256_srli_epi16(v, 4), half)));
}

AVX2 static inline __m256i load_lanes(const uint8_t *at)
{
	return _mm256_loadu_si256((const __m256i *)(const void *)at);
}

AVX2 static size_t next_avx2(const struct candidates *c, const uint8_t *at, size_t i, size_t n)
{
	const __m256i l0 = both_halves(c->low[0]), h0 = both_halves(c->high[0]), l1 = both_halves(c->low[1]),
		      h1 = both_halves(c->high[1]), l2 = both_halves(c->low[2]), h2 = both_halves(c->high[2]);

	for (; n - i >= LANES + CANDIDATE_BYTES - 1; i += LANES) {
		__m256i g = _mm256_and_si256(
		    groups_of(load_lanes(at + i), l0, h0), _mm256_and_si256(groups_of(load_lanes(at + i + 1), l1, h1),
							       groups_of(load_lanes(at + i + 2), l2, h2)));
		uint32_t none = (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(g, _mm256_setzero_si256()));

		if (none != UINT32_MAX)
			return i + (size_t)__builtin_ctz(~none);
	}
	return candidates_next_baseline(c, at, i, n);
}
#endif

size_t candidates_next(const struct candidates *c, const uint8_t *at, size_t i, size_t n)
{
#if defined(__x86_64__)
	if (i < n && __builtin_cpu_supports("avx2"))
		return next_avx2(c, at, i, n);
#endif
	return candidates_next_baseline(c, at, i, n);
}
