/* What `weighlock inspect` shows beside a verdict, for jobs that ask for it (report.h, enum view_kind): a map of the file, the
 * members of an archive, the bytes around findings.  Nothing here is judged, and nothing that is judged depends on it. */
#pragma once

#include "extents.h"
#include "format.h"
#include "report.h"

/* After the layout, whatever came of it: extents that do not cover the file leave the rest unexplained. */
void view_layout(const struct extents *x, uint64_t size, struct report *r);

/**
 * view_places() - the bytes around what was found
 * @x: still as at view_layout(), its members too.  @read: bytes are read once more, for display alone, and not held to be
 * those that were judged.
 * At most VIEW_DECODED_MAX bytes are decoded on the way.
 */
void view_places(
    const struct extents *x, source_read_fn read, void *ctx, uint64_t size, struct arena *a, struct report *r);
