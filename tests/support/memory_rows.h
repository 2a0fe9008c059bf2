/* The manifest that a report brings, in memory: for tests that look at its rows. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "memory_scan.h"

struct memory_row {
	struct manifest_row row; /* views into .encoded */
	uint8_t *encoded;
	unsigned n_digests;
	uint8_t sha256[32];
};

/* Zeroed: empty.  Free with memory_rows_free(). */
struct memory_rows {
	struct memory_row *list;
	size_t n;
	size_t n_strays; /* digests of rows that had not come before them */
};

static inline void memory_rows_free(struct memory_rows *rows)
{
	for (size_t i = 0; i < rows->n; i++)
		free(rows->list[i].encoded);
	free(rows->list);
	*rows = (struct memory_rows){ 0 };
}

static inline bool memory_take_row(void *ctx, const struct manifest_row *row, struct bytes encoded)
{
	struct memory_rows *rows = ctx;
	struct memory_row *added;

	(void)row;
	if ((rows->n & (rows->n - 1)) == 0) { /* full: a power of two, or none */
		rows->list = realloc(rows->list, (rows->n > 0 ? 2 * rows->n : 1) * sizeof(*rows->list));
		if (rows->list == NULL)
			abort();
	}
	added = &rows->list[rows->n++];
	*added = (struct memory_row){ .encoded = malloc(encoded.n) };
	if (added->encoded == NULL)
		abort();
	memcpy(added->encoded, encoded.at, encoded.n);
	return manifest_decode(bytes_of(added->encoded, encoded.n), &added->row);
}

static inline struct memory_row *memory_row_at(const struct memory_rows *rows, uint64_t index)
{
	size_t from = 0, to = rows->n;

	while (from < to) { /* indexes ascend */
		size_t middle = from + (to - from) / 2;

		if (rows->list[middle].row.index < index)
			from = middle + 1;
		else
			to = middle;
	}
	return from < rows->n && rows->list[from].row.index == index ? &rows->list[from] : NULL;
}

static inline bool memory_take_digest(void *ctx, uint64_t index, const uint8_t sha256[32])
{
	struct memory_rows *rows = ctx;
	struct memory_row *row = memory_row_at(rows, index);

	if (row == NULL) {
		rows->n_strays++;
		return true;
	}
	row->n_digests++;
	memcpy(row->sha256, sha256, sizeof(row->sha256));
	return true;
}

static inline struct manifest_sink memory_rows_sink(struct memory_rows *rows)
{
	return (struct manifest_sink){ .ctx = rows, .row = memory_take_row, .digest = memory_take_digest };
}

/* Scan with rows and digests, whatever else the job says; free both. */
static inline struct facts *memory_scan_rows(const void *at, size_t n, const struct job *job, struct memory_rows *ret)
{
	const struct manifest_sink sink = memory_rows_sink(ret);
	struct facts_expect expect = { .size = job->size };
	struct facts *f = facts_new();
	struct job asking = *job;
	struct memory_report raw;

	*ret = (struct memory_rows){ 0 };
	asking.rows = asking.digests = true;
	if (f == NULL)
		abort();
	memory_scan_raw(at, n, &asking, &raw);
	facts_want_rows(f, &sink);
	facts_feed(f, raw.at, raw.n);
	facts_finish(f, WLK_CAUSE_NONE, &expect);
	free(raw.at);
	return f;
}
