/* Cuts a run of bytes along extents: the file as the pass reads it, or a member as it is decoded. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "extents.h"

/* Sees the pieces of each extent, in order, in one or more calls; begin and end frame each extent that is not dead and
 * does not overlap, empty ones too. */
struct pass_sink {
	void *ctx;
	void (*begin)(void *ctx, const struct extent *e);
	void (*feed)(void *ctx, const struct extent *e, const uint8_t *at, size_t n, uint64_t offset);
	void (*end)(void *ctx, const struct extent *e);
};

struct slicer {
	const struct extent *list;
	size_t n, next;
	bool begun; /* begin() was called for list[next] */
	struct pass_sink sink;
};

/* @x: sorted by extents_cover(); borrowed.  NULL: nothing to cut. */
void slicer_init(struct slicer *s, const struct extents *x, struct pass_sink sink);

/**
 * slicer_feed() - the next piece of the run, in order, without gaps
 * @last: no more will come.  An empty extent at the very end of a piece belongs to the next one; the last piece, which
 * may be empty, takes all that remain and begin in it.
 */
void slicer_feed(struct slicer *s, const uint8_t *at, size_t n, uint64_t offset, bool last);
