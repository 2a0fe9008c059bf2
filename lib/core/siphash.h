/* SipHash-1-3 with a key the caller gives: names are the attacker's, so the table they meet in must not be
 * predictable.  Follows Aumasson and Bernstein, "SipHash: a fast short-input PRF" (2012); 1-3 rounds as in most
 * language runtimes' hash tables. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct siphash_key {
	uint64_t k0, k1;
};

uint64_t siphash13(const void *data, size_t n, const struct siphash_key *key);
