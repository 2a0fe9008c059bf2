/* A file of records one behind the other, each of which says how long it is: read from front to back, before the pass, in small
 * pieces.  What was skipped is not read. */
#pragma once

#include "format.h"

struct sequence {
	struct layout *l;
	uint64_t pos;         /* of what comes next, in the part */
	enum wlk_finding cut; /* what it is when the part ends too early */
	bool broken;          /* something was found after which nothing can be read */
};

static inline bool sequence_ends(const struct sequence *s)
{
	return s->pos == s->l->part.size;
}

/* A finding at @at after which nothing can be read.  @what: who it is about, may be empty; @found: in words, static.
 * Return: false, to be passed on. */
bool sequence_fault(struct sequence *s, enum wlk_finding code, uint64_t at, struct bytes what, const char *found);

/* Likewise, about a number just read, of @bytes bytes, and the bound that it broke. */
bool sequence_fault_number(
    struct sequence *s, enum wlk_finding code, unsigned bytes, const char *what, uint64_t found, uint64_t allowed);

/* The next n bytes.  Return, of all: false when there are not so many (told), or the source refused (not broken). */
bool sequence_skip(struct sequence *s, uint64_t n);
bool sequence_take(struct sequence *s, void *to, size_t n);
bool sequence_u8(struct sequence *s, uint32_t *ret);
bool sequence_u16(struct sequence *s, uint32_t *ret); /* little endian */
bool sequence_u32(struct sequence *s, uint32_t *ret);
