/* The names of an audit log's files before the one that is being written: by the number of their first line. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define AUDIT_NAME_BYTES 64u                 /* room for a name of a file, with NUL */
#define AUDIT_OLD_FORMAT "audit-%020" PRIu64 /* and .jsonl, or -1.jsonl ... where there is such a file */
#define AUDIT_NAMES_MAX 1000u                /* of files whose first lines have one number */

/* Which file of those with the number @first: 0, or the 1 of -1.jsonl.  @name: AUDIT_NAME_BYTES. */
void audit_old_name(uint64_t first, unsigned which, char *name);

/**
 * audit_newest_name() - the last file before the present one
 * @dir: descriptor of the folder; borrowed
 * @name: AUDIT_NAME_BYTES bytes; "": there is none
 * Return: 0 or negative errno.
 */
int audit_newest_name(int dir, char *name);
