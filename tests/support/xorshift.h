/* Numbers that a test draws: xorshift64*, so the same on every machine. */
#pragma once

#include <stdint.h>

/* @state: any number but 0.  Return: 64 bits, of which the upper ones are the better. */
static inline uint64_t xorshift_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(2685821657736338717);
}

static inline uint32_t xorshift_below(uint64_t *state, uint32_t n)
{
	return (uint32_t)(xorshift_next(state) >> 32) % n;
}
