/* A file whose bytes are still coming: what lies below its mark is final, what lies above must not be looked at yet.
 * The injected reader of such a file waits here before it reads, so nothing else knows of it: a layout that begins
 * with the header goes along with the upload, one that begins at the end finds itself waiting for all of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Wait for the next mark: so many bytes from the beginning on are there.  Return: false when none will come. */
typedef bool (*arrival_next_fn)(void *ctx, uint64_t *ret_mark);

struct arrival {
	arrival_next_fn next;
	void *ctx;
	uint64_t size; /* bytes, when everything is there */
	uint64_t mark; /* bytes that are there; begins with 0 */
};

/**
 * arrival_wait() - until [offset, offset+n) may be read, as far as it lies inside the file
 * Nothing lies at or behind `size`, so a read there (does the file end?) waits for the whole file and no longer.
 * Return: false when the bytes will not come: no more marks, or one that is lower than the last or beyond the size.
 */
bool arrival_wait(struct arrival *a, uint64_t offset, size_t n);
