/* Where do the signatures stand that readers search for?  Looked for while the pass goes by, in the windows that
 * docs/formats/polyglots.md gives (the first 8 MiB, as 7-Zip; the first and last MiB of what others search all of), so that
 * nothing of the head has to be kept.  What stands around a signature is confirmed after the pass. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "candidates.h"
#include "members.h"

enum search_kind {
	SEARCH_7Z,
	SEARCH_RAR,
	SEARCH_PHAR,
	SEARCH_ARJ,
	SEARCH_CPIO,
	SEARCH_CPIO_LE,
	SEARCH_CPIO_BE,
	SEARCH_TAR,
	SEARCH_EXT, /* hits are the superblock: search_lead() */
	SEARCH_PDF,
	SEARCH_KINDS
};

#define SEARCH_HEAD \
	((uint64_t)8 << 20) /* 7-Zip takes what begins at 8,388,608 and nothing behind it [measured with 26.02] */
#define SEARCH_PHAR_WITHIN ((uint64_t)1 << 20)
#define SEARCH_TAIL ((uint64_t)1 << 20)
#define SEARCH_BYTES_MAX 512u /* around a signature that say whether it is one at all: a header of tar */
/* Signatures of one kind, outside of members, that are confirmed one by one.  Chance makes none, and nobody but an author of hiding
 * places writes as many: one more is a find as it stands. */
#define SEARCH_HITS_MAX 160u

#define ARJ_HEADER_MIN 30u
#define ARJ_HEADER_MAX 2600u
#define ARJ_TYPE 6
#define ARJ_MAIN 2 /* 7-Zip asks for it */

struct search_hit {
	uint64_t at,
	    last; /* file offsets; `last` is the last of those that count as one, as none is further from the next than reach */
};

struct search_hits {
	struct search_hit hit[SEARCH_HITS_MAX + 1]; /* ascending */
	size_t n;
};

struct search {
	uint64_t size; /* of the file */
	struct judged_members members;
	struct candidates candidates;
	struct search_hits hits[SEARCH_KINDS];
	uint8_t carry[SEARCH_BYTES_MAX - 1]; /* the last bytes seen, ... */
	size_t n_carry;
	uint64_t carry_end; /* ... which end at this offset */
};

/* @s: zeroed.  @size: of the file.  @members: of the host; what stands in them is no hit. */
void search_begin(struct search *s, uint64_t size, struct judged_members members);
/* The next piece of the file, in order. */
void search_feed(struct search *s, const uint8_t *at, size_t n, uint64_t offset);
/* Bytes from the beginning of what is sought to where its hits are. */
uint64_t search_lead(enum search_kind kind);
