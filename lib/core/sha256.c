/* See sha256.h. */
#define OPENSSL_SUPPRESS_DEPRECATED

#include "sha256.h"

#include <assert.h>

#include "bytes.h"

/* None of the three can fail: they return 1. */

void sha256_begin(struct sha256 *s)
{
	(void)SHA256_Init(&s->state);
}

void sha256_feed(struct sha256 *s, const uint8_t *at, size_t n)
{
	(void)SHA256_Update(&s->state, at, n);
}

void sha256_end(struct sha256 *s, uint8_t ret_digest[SHA256_BYTES])
{
	(void)SHA256_Final(ret_digest, &s->state);
}

void sha256_chain(const struct sha256 *s, uint8_t ret_chain[SHA256_BYTES])
{
	assert(s->state.num == 0);
	for (size_t i = 0; i < 8; i++)
		store_u32le(ret_chain + 4 * i, s->state.h[i]);
}

void sha256_resume(struct sha256 *s, const uint8_t chain[SHA256_BYTES], uint64_t before)
{
	assert(before % SHA256_CBLOCK == 0);
	sha256_begin(s);
	for (size_t i = 0; i < 8; i++)
		s->state.h[i] = load_u32le(chain + 4 * i);
	s->state.Nl = (SHA_LONG)(before << 3);
	s->state.Nh = (SHA_LONG)(before >> 29);
}
