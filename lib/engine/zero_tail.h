/* weights-zero-tail: the end of the file is zeros that begin inside one tensor and go on through the next ones.  So looks a
 * download that stopped: whoever fetches in several connections, or reserves the room before, has a file of the right size. */
#pragma once

#include "extents.h"
#include "pass.h"
#include "report.h"

/* Tensors behind the one in which the zeros begin hold so many of them at least.  The smallest piece in which clients that
 * reserve room fetch is 1 MiB (aria2, --min-split-size); and biases and tables that begin with zeros are smaller. */
#define ZERO_TAIL_BEHIND ((uint64_t)1 << 20)
/* And that one ends with a page of them: a tensor may end with a number that is zero, or whose last bytes are. */
#define ZERO_TAIL_PAGE ((uint64_t)4096)

struct zero_tail {
	uint64_t begin; /* of the zeros at the end of what went by */
};

/* Sees every byte of the file once. */
struct walker zero_tail_walker(struct zero_tail *z);
/* After a pass that was whole; @x: of the file, in order. */
void zero_tail_report(const struct zero_tail *z, const struct extents *x, uint64_t size, struct report *r);
