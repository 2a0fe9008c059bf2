/* Where do the signatures stand that readers search for?  Looked for while the pass goes by, in the windows that
 * formats/polyglots, section 6 gives (7z and RAR: 4 MiB; phar: first and last MiB), so that nothing of the head has to be
 * kept.  What stands behind a signature is confirmed after the pass. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum search_kind { SEARCH_7Z, SEARCH_RAR, SEARCH_PHAR, SEARCH_KINDS };

#define SEARCH_HEAD ((uint64_t)4 << 20)
#define SEARCH_PHAR_WITHIN ((uint64_t)1 << 20)
#define SEARCH_SIGNATURE_MAX 18u
/* Signatures of one kind that are confirmed one by one.  Chance makes none, and nobody but an author of hiding places
 * writes as many: one more is a find as it stands. */
#define SEARCH_HITS_MAX 64u

struct search_hits {
	uint64_t at[SEARCH_HITS_MAX + 1]; /* file offsets, ascending */
	size_t n;
};

struct search {
	uint64_t size; /* of the file */
	struct search_hits hits[SEARCH_KINDS];
	uint8_t carry[SEARCH_SIGNATURE_MAX - 1]; /* the last bytes seen, ... */
	size_t n_carry;
	uint64_t carry_end; /* ... which end at this offset */
};

/* @s: zeroed.  @size: of the file. */
void search_begin(struct search *s, uint64_t size);
/* The next piece of the file, in order. */
void search_feed(struct search *s, const uint8_t *at, size_t n, uint64_t offset);
