/* What the bytes of a file are, for a reader that goes through it once: runs of numbers where they stand, in order, and
 * everything between them.  Runs may have names, which findings print. */
#pragma once

#include "format.h"

struct runs {
	struct layout *l;
	uint64_t covered; /* extents reach up to here */
	uint8_t *pool;    /* names: extents.names */
	size_t pool_n, pool_room;
	struct bytes last; /* the name that was kept last, in the pool */
};

/* What lies before @end and belongs to no run is of this kind.  Return, of all: false when memory is spent. */
bool runs_cover(struct runs *r, uint64_t end, enum extent_kind kind);

/**
 * runs_add() - numbers at [at, at + n), behind all so far and inside the part
 * What is between is metadata.  An empty run is none.
 * @name: at most REPORT_STRING_MAX bytes are kept.
 */
bool runs_add(struct runs *r, uint64_t at, uint64_t n, enum wlk_dtype dtype, struct bytes name);

/* Behind the last run: the rest is metadata.  Hands the names to the extents and proves that they tile the part. */
enum wlk_status runs_finish(struct runs *r, enum wlk_finding broken);
