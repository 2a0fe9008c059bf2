/* Standard input as a file that can be read at any offset and cannot change. */
#pragma once

#include "walk.h"

/**
 * spool_stdin() - fill in @ret's descriptor, size and source
 * A regular file on standard input, at its start and open for reading only, is used in place.  Anything else
 * is copied: up to SPOOL_MEMORY_MAX bytes into a sealed memfd, beyond that into an unlinked file in $TMPDIR
 * (or /var/tmp), and its digest is taken on the way. Return: 0; -EINTR when a signal came; other negative errno.
 */
int spool_stdin(struct input *ret);

#define SPOOL_MEMORY_MAX ((uint64_t)64 << 20)
