/* What shows, without reading it, that a file is the one that was read. */
#pragma once

#include <stdbool.h>

#include "scans.h"

/* What an equal inode says of a file's bytes, on its file system. */
enum stamp_trust { STAMP_TELLS_NOTHING, STAMP_NEEDS_DIGEST, STAMP_TELLS_ALL };

struct stamp {
	struct scans_stat stat;
	enum stamp_trust trust;
	bool settled; /* old enough that a change from now on gives another stat */
};

/* Looks at an open file.  @fd: negative: there is none, and nothing is told. */
void stamp_take(struct stamp *s, int fd);

/* The same for a file that is read next, of @s from stamp_take(): what is stored from now on changes its inode, or the stamp is not
 * settled. */
void stamp_before_reading(struct stamp *s, int fd);
