/* Reading before the pass without keeping: a block at a time, and of a mutable file a keyed hash of each block that was
 * read.  The pass compares: what was previewed is what was hashed.  Behind part_preview() (part.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "siphash.h"

struct source;

#define PREVIEW_BLOCK ((size_t)64 * 1024) /* aligned: many small members in file order cost one read a block */
#define PREVIEW_WORK 1u                   /* for each byte that is read */
#define PREVIEW_LEAF_BLOCKS 512u          /* hashes in a leaf of the table: 4 KiB of them for 32 MiB of file */

/* Part of struct source.  The table holds 8 bytes a block where the file is previewed at all; looking up and adding cost
 * the same whatever the order, which is the file's choice. */
struct preview {
	struct siphash_key seed; /* fresh random bytes: whoever changes the file must not know what would go unseen */
	uint8_t *block;          /* the last block read, in the arena; during the pass: one that comes in pieces */
	uint64_t index;          /* which one it is */
	bool valid;
	uint64_t **leaves; /* [index / PREVIEW_LEAF_BLOCKS]; NULL: none of them read.  Hash 0: not read */
};

/* Set once, before the first preview. */
void preview_set_seed(struct source *src, struct siphash_key seed);

/**
 * preview_block() - an aligned block of the file, before the pass
 * Pinned bytes come from their pins.
 * @index: of the block, which begins inside the file; the last one may be shorter.
 * Return: its bytes, valid until the next call; NULL: src->err says why (SOURCE_CHANGED when the block was read before
 * and has changed).
 */
const uint8_t *preview_block(struct source *src, uint64_t index, size_t *ret_n);

/* For source_hash(): the next n bytes are these.  Return: false when a preview saw others (SOURCE_CHANGED). */
bool preview_compare(struct source *src, const uint8_t *at, size_t n);
