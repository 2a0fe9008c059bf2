/* P3, tar, anywhere: GNU tar skips what is no header to the next block that is one, and unpacks from there.  Every block of 512
 * bytes is asked as it goes by; the first byte of the checksum's field says of nearly all that they are none.  The first header
 * that no member explains is the find: nothing has to be remembered of those in front of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "members.h"

#define TAR_BLOCK 512u

struct tar_blocks {
	uint8_t carry[TAR_BLOCK]; /* the beginning of a block that the pieces cut */
	size_t n_carry;
	struct judged_members members;
	uint64_t next, until; /* where the archive that was met last goes on, and the member ends that it stands in */
	uint64_t found;       /* 0: nothing */
};

/* @t: zeroed but for members.  The next piece of the file, in order. */
void tar_blocks_feed(struct tar_blocks *t, const uint8_t *at, size_t n, uint64_t offset);

/**
 * tar_block_is_header() - would GNU tar go on with this block?
 * Its checksum has to be right and its size a number; and as GNU tar asks for no more, one more thing of a header that an
 * archive without magic has as well: two numbers of four, or a name in ASCII.
 * Chance: 14 bits of digits and 13 of the sum, 10 of the size, 15 of the others; or 40 of the magic.
 * Return: *ret_next: bytes to the next header.
 */
bool tar_block_is_header(const uint8_t block[TAR_BLOCK], uint64_t *ret_next);
