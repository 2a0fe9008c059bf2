/* SipHash-1-3: one round a word, three to finish.  Aumasson and Bernstein, "SipHash: a fast short-input PRF",
 * 2012, section 2. */
#include "bytes.h"
#include "siphash.h"

struct sip {
	uint64_t v0, v1, v2, v3;
};

static inline uint64_t rotate(uint64_t x, unsigned bits)
{
	return x << bits | x >> (64 - bits);
}

static inline void sip_round(struct sip *s)
{
	s->v0 += s->v1;
	s->v1 = rotate(s->v1, 13) ^ s->v0;
	s->v0 = rotate(s->v0, 32);
	s->v2 += s->v3;
	s->v3 = rotate(s->v3, 16) ^ s->v2;
	s->v0 += s->v3;
	s->v3 = rotate(s->v3, 21) ^ s->v0;
	s->v2 += s->v1;
	s->v1 = rotate(s->v1, 17) ^ s->v2;
	s->v2 = rotate(s->v2, 32);
}

static inline void sip_word(struct sip *s, uint64_t m)
{
	s->v3 ^= m;
	sip_round(s);
	s->v0 ^= m;
}

/* The last word: the bytes that are left over, and the length modulo 256 on top.  Behind a whole word they are the high
 * end of the last eight bytes, which is one load instead of a loop that no branch predictor can foresee. */
static uint64_t last_word(const uint8_t *tail, size_t n)
{
	uint64_t m = (uint64_t)(n & 0xff) << 56;

	if (n % 8 == 0)
		return m;
	if (n > 8)
		return m | load_u64le(tail - (8 - n % 8)) >> (64 - 8 * (n % 8));
	for (size_t i = 0; i < n % 8; i++)
		m |= (uint64_t)tail[i] << (8 * i);
	return m;
}

uint64_t siphash13(const void *data, size_t n, const struct siphash_key *key)
{
	const uint8_t *at = data;
	struct sip s = {
		.v0 = key->k0 ^ UINT64_C(0x736f6d6570736575),
		.v1 = key->k1 ^ UINT64_C(0x646f72616e646f6d),
		.v2 = key->k0 ^ UINT64_C(0x6c7967656e657261),
		.v3 = key->k1 ^ UINT64_C(0x7465646279746573),
	};

	for (size_t words = n / 8; words > 0; words--, at += 8)
		sip_word(&s, load_u64le(at));
	sip_word(&s, last_word(at, n));
	s.v2 ^= 0xff;
	for (int i = 0; i < 3; i++)
		sip_round(&s);
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3;
}
