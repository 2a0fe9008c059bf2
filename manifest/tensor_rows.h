/* The manifest of one file as the front keeps it: rows, digests and statistics as a worker's report brings them (facts.h hands
 * them to the sink), in three memfds that exist only once something is in them.  A list of two million tensors costs no memory of
 * the process's own but three small windows; what the memfds hold is bounded by the caller.
 *
 * Rows lie one behind the other, each behind a u32 with its length, as set documents want them.  The digest of row
 * `index` lies at 33 * index of its memfd: a byte that says that it is there, and 32 bytes.  Statistics likewise. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "manifest.h"
#include "set_document.h"

struct tensor_rows;

/* @bytes_max: what the memfds together may hold.  Return: NULL without memory. */
struct tensor_rows *tensor_rows_new(uint64_t bytes_max);
void tensor_rows_free(struct tensor_rows *t); /* NULL is fine */

/* For facts_want_rows(): lives as long as the rows.  It refuses what would exceed bytes_max, and everything after a failure
 * of the kernel's (no descriptor, no memory): tensor_rows_error(). */
const struct manifest_sink *tensor_rows_sink(struct tensor_rows *t);

/**
 * tensor_rows_end() - no more will come: what is still buffered goes out
 * Call it before anything is read.  Return: 0 or negative errno (that of tensor_rows_error(), if it is set).
 */
int tensor_rows_end(struct tensor_rows *t);
/* Forget everything and give the memory back (a report that turned out to be malformed); then it is like new. */
void tensor_rows_discard(struct tensor_rows *t);

uint64_t tensor_rows_count(const struct tensor_rows *t);    /* rows */
uint64_t tensor_rows_mappings(const struct tensor_rows *t); /* those of them that are mappings */
uint64_t tensor_rows_bytes(const struct tensor_rows *t);    /* of the rows, with their lengths: set_member.rows_bytes */
uint64_t tensor_rows_held(const struct tensor_rows *t);     /* of all memfds: what counts against bytes_max */
/* 0; -ENOSPC when bytes_max was reached; else the negative errno that ended the taking. */
int tensor_rows_error(const struct tensor_rows *t);

/* All rows with their lengths to @write, in order.  Return: 0; negative errno; -ECANCELED when @write refused. */
int tensor_rows_copy(const struct tensor_rows *t, set_write_fn write, void *ctx);

/* -- one row after the other -- */

struct tensor_rows_item {
	struct manifest_row row; /* views stay valid until the next call */
	uint64_t at;             /* where it is: for tensor_rows_seek() */
	bool has_sha256, has_stats;
	uint8_t sha256[32];
	struct tensor_stats stats;
};

struct tensor_rows_reader;

/* Several may read the same rows at the same time.  @t: borrowed, and after tensor_rows_end().  Return: NULL without
 * memory. */
struct tensor_rows_reader *tensor_rows_reader_new(const struct tensor_rows *t);
void tensor_rows_reader_free(struct tensor_rows_reader *r); /* NULL is fine */
/* The next row.  Return: 1; 0 at the end; negative errno. */
int tensor_rows_next(struct tensor_rows_reader *r, struct tensor_rows_item *ret);
/* Go on with the row at @at (item.at of an earlier one; 0: the first). */
void tensor_rows_seek(struct tensor_rows_reader *r, uint64_t at);
