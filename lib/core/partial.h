/* A file of which only the structure is read (JOB_STRUCTURE): which of its bytes are there, and what they must be.
 *
 * What a whole scan read before its pass is noted, block by block, with the digests of these blocks as they went by under the
 * file's own.  Who later claims that a file is the same is held to it: each block is read whole and compared before any
 * parser sees a byte of it, and one that was not noted is not read.  So what a worker is given are bytes of the file that is
 * named, or none; whatever they make of it, they could have made of it then.
 *
 * The document, little endian: the 8 bytes of PARTIAL_MAGIC; u8 flags (1: blocks are known; 2: not all is
 * there); u32 ranges; u32 blocks; ranges that are there, u64 begin and u64 end each, ascending, apart from each other; blocks, u64 index and SHA-256
 * each, ascending. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "sha256.h"

#define PARTIAL_MAGIC "wlkpart"          /* with its NUL: 8 bytes */
#define PARTIAL_BLOCK ((uint64_t)65536)  /* as previews read (preview.h) */
#define PARTIAL_BLOCKS_MAX 1024u         /* 64 MiB of structure; of more nothing is noted */
#define PARTIAL_RANGES_MAX 512u          /* there, or needed */
#define PARTIAL_TAIL ((uint64_t)1 << 16) /* bytes: where archives are found from */
#define PARTIAL_AHEAD_MAX ((uint64_t)256 << 20)
#define PARTIAL_DOCUMENT_MAX (8 + 1 + 4 + 4 + PARTIAL_RANGES_MAX * 16 + PARTIAL_BLOCKS_MAX * 40)

struct partial_range {
	uint64_t begin, end; /* begin < end */
};

struct partial_block {
	uint64_t index;
	uint8_t sha256[SHA256_BYTES];
};

/* Filled by partial_decode() but for the last three. */
struct partial {
	bool sparse; /* no more than these are there */
	struct partial_range there[PARTIAL_RANGES_MAX];
	size_t n_there;
	bool known; /* only bytes of `blocks` may be read */
	struct partial_block blocks[PARTIAL_BLOCKS_MAX];
	size_t n_blocks;

	struct partial_range wanted[PARTIAL_RANGES_MAX]; /* borders of blocks; in no order, may touch */
	size_t n_wanted;
	bool ahead; /* the next read is one of many in a row */
};

/* What a whole scan notes. */
struct partial_notes {
	struct partial_block blocks[PARTIAL_BLOCKS_MAX]; /* ascending; digests once the pass has gone by */
	size_t n;
	bool over;            /* there were more: nothing is noted */
	size_t next;          /* of the pass */
	struct sha256 digest; /* of that block */
};

/* @at: PARTIAL_DOCUMENT_MAX bytes.  Return: bytes written. */
size_t partial_encode(const struct partial *p, uint8_t *at);
/* Strict. */
bool partial_decode(struct bytes at, struct partial *ret);

/* Is [begin, end) there? */
bool partial_has(const struct partial *p, uint64_t begin, uint64_t end);
/* It should be: out to the borders of blocks, and if `ahead` as much again as is there before it, and more. */
void partial_want(struct partial *p, uint64_t begin, uint64_t end, uint64_t size);
/* Ascending, apart.  After the last partial_want(). */
void partial_sort(struct partial *p);
const struct partial_block *partial_find(const struct partial *p, uint64_t index);

/* [begin, end) is read before the pass. */
void partial_note(struct partial_notes *n, uint64_t begin, uint64_t end);
/* The pass, in order. */
void partial_pass(struct partial_notes *n, const uint8_t *at, uint64_t offset, size_t size, uint64_t file_size);

/**
 * partial_read_ranges() - a list as HTTP writes it: "0-65535,131072-196607", first and last byte of each, ascending;
 * "none": nothing is there
 * Return: false: it is none, or has more than PARTIAL_RANGES_MAX.
 */
bool partial_read_ranges(struct bytes text, struct partial *ret);
