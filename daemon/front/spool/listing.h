/* An answer that is made while it is written: a verdict with the tensors of its file, or a set's with the verdicts of its
 * files.  Such text can be a hundred megabytes long; what is held of it is the verdict, while lists stay where they are
 * (memfds) and are turned into text piece by piece, as fast as the client takes it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "rows.h"

#define LISTING_PIECE ((size_t)64 << 10) /* bytes made at a time */

struct listing;

/* @text: a JSON object that is not empty; copied.  What is added below becomes its last members.  Return: NULL without
 * memory. */
struct listing *listing_new(const char *text);
void listing_free(struct listing *l); /* NULL is fine */

/* The manifest, as manifest/tensors_json.h has it.  @rows: taken, also on failure.  @listed: it is all there is.
 * Return: false without memory. */
bool listing_add_rows(struct listing *l, struct rows *rows, bool listed);

/* "files": the texts in these ranges of @fd, in this order; each with the comma behind it, the last one without. */
struct listing_range {
	uint64_t at, n; /* bytes */
};

/* @fd: borrowed.  @ranges: malloc()ed and taken.  @release: lets go of the descriptor and what it costs. */
void listing_add_files(
    struct listing *l, int fd, struct listing_range *ranges, size_t n, void (*release)(void *ctx), void *ctx);

/* The next bytes: at most @n > 0, fewer only at the end.  Return: how many; 0: that was all; negative errno. */
ssize_t listing_read(struct listing *l, char *buf, size_t n);

/* Bytes of this process's memory that it holds until it is written. */
size_t listing_held(const struct listing *l);
