/* Weights in records: arrays whose elements are structures (NumPy's structured types, and whatever else interleaves
 * numbers with other bytes at a fixed pitch).  The elements of each tensor are gathered into a small buffer of its own and
 * given to the kernel of their type, so that counts are exact and a field is a tensor of its own in the report. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "bytes.h"
#include "dtype.h"
#include "extents.h"
#include "report.h"
#include "weights.h"

/* A tensor of which each record holds some elements. */
struct record_tensor {
	struct bytes name; /* in the report */
	enum wlk_dtype dtype;
	bool big_endian;
	uint64_t per_record; /* elements of it in each record */
};

/* A run of elements in the record. */
struct record_field {
	uint64_t offset; /* in the record, bytes */
	uint64_t bytes;  /* a whole number of elements; > 0 */
	uint32_t tensor; /* whose they are; several runs of a record can belong to one */
};

struct record_type {
	uint64_t bytes; /* of one record; > 0 */
	const struct record_tensor *tensors;
	size_t n_tensors;
	const struct record_field *fields; /* in order of their offsets, disjoint, inside the record */
	size_t n_fields;
	bool settings;      /* of algorithms, where infinity is one like any other */
	uint32_t first_row; /* of the tensors, in the manifest: behind extents.row_base */
};

/* The elements of @e, a tensor of @x, are records of this type, which is borrowed.  Return: false when the arena is
 * spent. */
bool records_attach(struct extents *x, struct extent *e, const struct record_type *type);

static inline const struct record_type *records_of(const struct extents *x, const struct extent *e)
{
	return x->records[e->index];
}

/* -- in the pass: zeroed once, then one array of records after the other -- */

#define RECORD_BUFFER 960u /* bytes gathered before the kernel looks at them: whole elements of any type */

struct record_column; /* what is gathered of one tensor */

struct records {
	const struct record_type *type; /* NULL: memory failed, or there is nothing to examine */
	struct record_column *columns;  /* one for each tensor; kept for the next array */
	size_t n_columns;
	uint64_t at;  /* bytes of the current record that went by */
	size_t field; /* the first field that does not end before them */
	bool failed;  /* the arena could not hold the columns: nothing was examined */
};

void records_begin(struct records *r, const struct record_type *type, struct arena *a);
void records_feed(struct records *r, const uint8_t *at, size_t n);
/* Findings, rows and totals. @x: the extents, @begin: where in them the array began. */
void records_end(struct records *r, struct report *report, const struct extents *x, uint64_t begin);
