/* Where may one of the signatures of search.c begin?  Three bytes of each, by the halves of each byte: six tables of sixteen
 * say which of eight groups of signatures a byte may belong to, as hyperscan's "Teddy" does it, so that the number of
 * signatures costs nothing where none stands. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define CANDIDATE_BYTES 3u

struct candidates {
	uint8_t low[CANDIDATE_BYTES][16], high[CANDIDATE_BYTES][16]; /* bits: groups */
};

/* Add a group's three bytes; -1: any. */
void candidates_add(struct candidates *c, unsigned group, const int16_t bytes[CANDIDATE_BYTES]);

/**
 * candidates_next() - the first place at or behind i whose three bytes may be those of a group
 * Return: its index; n when there is none.
 */
size_t candidates_next(const struct candidates *c, const uint8_t *at, size_t i, size_t n);
/* The same by the build without wide registers, which must answer alike. */
size_t candidates_next_baseline(const struct candidates *c, const uint8_t *at, size_t i, size_t n);
