/* What of a host's bytes was judged as a member of its own, and is no second nature of the host: asked while the pass goes by,
 * so that nothing in a member takes the place of what stands outside. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "extents.h"
#include "work.h"

struct judged_members {
	const struct extents *extents; /* of the host; NULL: it has none */
	struct scan_work *work;
};

/**
 * is_judged_member() - does a member that was judged by its content begin here, or is this inside one that is an archive?
 * Also true when the work of the scan is spent: it ends as incomplete.
 * Return: *ret_until: where that member ends.
 */
bool is_judged_member(const struct judged_members *j, uint64_t at, uint64_t *ret_until);
