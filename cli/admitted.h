/* The folder in which accepted files are kept, as clients/python keeps them: sha256/ab/cdef.../NAME.  It is the caller's, nobody
 * else can write in it or exchange it, and a file gets its name there by one linkat(2), after it was judged. */
#pragma once

#include <limits.h>
#include <stdint.h>

/**
 * admitted_open() - the folder, made where it is missing
 * @ret_path: its real path, PATH_MAX bytes
 * Says what is wrong.  Return: a descriptor, or negative errno.
 */
int admitted_open(const char *path, char *ret_path);

/**
 * admitted_copy() - a copy of a file without a name, and its digest
 * @source: a regular file.  As many of its bytes as it has now; what comes out is to be judged, whatever happens meanwhile.
 * Return: a descriptor for reading, the only one, or negative errno.
 */
int admitted_copy(int folder, int source, uint64_t *ret_size, uint8_t ret_sha256[32]);

/**
 * admitted_link() - the place of an accepted copy
 * @ret_path: below the folder, PATH_MAX bytes.  A file that is there already stays if it has this digest, else it is replaced.
 * Return: 0 or negative errno.
 */
int admitted_link(int folder, int copy, const uint8_t sha256[32], const char *name, char *ret_path);
