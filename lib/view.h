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
 * @x: still as at view_layout(), its members too.  @judged: after the pass.  What is shown is proven to be what was hashed
 * (source_reread()); where it is not, or a file that others may change was not read to its end, nothing is shown.
 * At most VIEW_DECODED_MAX bytes are decoded on the way.
 */
void view_places(const struct extents *x, struct source *judged, struct arena *a, struct report *r);
