/* Files recognised as a whole, by a grammar of their own. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

/**
 * identify_lfs_pointer() - is this a git-lfs pointer instead of the file it stands for?
 * @file: the whole file.
 * @ret_oid: the object's SHA-256 as 64 lower-case hex digits, a view into @file; @ret_size: its bytes.
 * Written only on success. Strict: version line, optional ext lines by ascending digit, oid, size, each ended
 * by a line feed, nothing else, at most 1024 bytes (git-lfs spec v1).
 */
bool identify_lfs_pointer(struct bytes file, struct bytes *ret_oid, uint64_t *ret_size);
