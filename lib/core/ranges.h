/* Ranges of other files that a file speaks about: put in order, so that what overlaps and what is left out is seen by going
 * through them once. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"

struct range {
	uint64_t begin, end; /* begin <= end */
	uint32_t file;       /* which one, as the caller counts them */
	uint32_t index;      /* the caller's own */
};

struct ranges {
	struct arena *arena; /* borrowed */
	struct range *list;
	size_t n, room;
};

/* Return: false: the arena is spent. */
bool ranges_add(struct ranges *r, struct range range);
/* By file, begin and end.  In place and never quadratic: who wrote the file chose the order. */
void ranges_sort(struct ranges *r);
/* How many from @first on are of its file.  After ranges_sort(). */
size_t ranges_of_file(const struct ranges *r, size_t first);
