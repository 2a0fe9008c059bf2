/* The SHA-256 of each tensor, for the manifest: a sink beside elements.h that works from the extents alone, and costs
 * nothing but a test when nobody wants it.  What is hashed are the bytes that the row's offsets span, decoded. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "extents.h"
#include "report.h"
#include "sha256.h"

/* Zeroed once, then one tensor after the other. */
struct digests {
	struct sha256 state;
	bool open;            /* the current extent is a tensor with a row */
	uint64_t row, n_rows; /* records have a row for each field, and one digest */
};

/* Nothing unless @r wants digests and the extent is listed. */
void digests_begin(struct digests *d, const struct extents *x, const struct extent *e, const struct report *r);
void digests_feed(struct digests *d, const uint8_t *at, size_t n);
/* All of the tensor went by: its digest goes into the report. */
void digests_end(struct digests *d, struct report *r);
