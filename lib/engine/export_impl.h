/* Between the files of the conversion; nobody else's. */
#pragma once

#include "export.h"
#include "manifest.h"
#include "sha256.h"

#define WINDOW_BYTES ((uint64_t)16 << 20) /* whole elements of any type; so large a matrix is turned in one go */
#define STAGING_BYTES ((size_t)128 << 10) /* one write of scattered elements that are neighbours in the output */

struct export_gather;

/* Elements as they stand: a row of the source. */
struct export_row {
	uint64_t index, bytes, fed;
	uint32_t first, n;            /* its tensors */
	struct export_gather *gather; /* of one in pieces; else NULL */
};

struct export_tensor {
	struct bytes name;
	const uint64_t *shape, *stride;   /* stride NULL: in one run */
	uint64_t begin;                   /* bytes of the row in front of it */
	uint64_t bytes, at;               /* its own, and where they go, behind the header */
	uint64_t taken;                   /* bytes of the row that it is made of: of one run */
	const struct export_tensor *same; /* the one that is kept instead, having the same elements; NULL: it is kept */
	uint32_t row, index;              /* index: order in the output */
	uint8_t dtype, source, rank;      /* source: its type in the row; another one: export_cast() */
};

/* Scattered elements on their way out. */
struct staging {
	uint8_t *bytes;
	size_t n;
	uint64_t at; /* where they go: bytes of the source's type behind the tensor's begin */
	const struct export_tensor *t;
};

struct exports {
	struct export_options o;
	struct report_taker taker;
	struct export_row *rows;
	struct export_tensor *tensors;
	struct export_tensor **order; /* all of them, sorted: those that are kept come first, as the output has them */
	size_t n_rows, rows_capacity, n_tensors, tensors_capacity, n_kept;
	uint64_t header_bytes, data_bytes, output_bytes;
	enum convert_reason refused;
	uint8_t subject[REPORT_STRING_MAX];
	size_t subject_n;
	uint64_t n_left;
	struct bytes *left; /* names, and why; sent with the rows */
	enum convert_reason left_why[CONVERT_LEFT_MAX];
	/* In the pass: */
	struct export_row *row; /* NULL: no tensor */
	bool windowed, big_endian;
	uint8_t *window;
	uint64_t window_size, window_n;
	struct staging staging;
	struct sha256 digest;
	bool digesting;            /* what is written next is one tensor, in order */
	const struct range *piece; /* of the row; NULL: it is in one */
	uint64_t piece_fed;
};

/* Bytes of an element in the output; 0: less than one. */
static inline uint64_t export_element(const struct export_tensor *t)
{
	return dtype_info((enum wlk_dtype)t->dtype)->bits / 8u;
}

/* The header as it is written: strict JSON, padded.  Twice: to know its length, and to write it. */
bool export_header(struct exports *ex, struct bytes framework);

/* Likewise in the row. */
static inline uint64_t export_source_element(const struct export_tensor *t)
{
	return dtype_info((enum wlk_dtype)t->source)->bits / 8u;
}

/* -- other types (export_cast.c) -- */

/* n bytes of whole elements of the row's type as those of the tensor's, from number @index of it on. */
void export_cast(struct exports *ex, const struct export_tensor *t, uint64_t index, const uint8_t *at, size_t n);

/* -- in the pass (export.c) -- */

struct export_row *export_find_row(const struct exports *ex, uint64_t index);
bool export_have_window(struct exports *ex);
/* Elements of the other byte order are turned once, as the row's type says: what would be of another one is refused. */
void export_window_turn(struct exports *ex);
void export_digest_begin(struct exports *ex);
void export_digest_end(struct exports *ex, const struct export_tensor *t);
/* Elements that are neighbours in the output, @to: bytes of the row's type behind the tensor's begin. */
void export_write_scattered(
    struct exports *ex, const struct export_tensor *t, uint64_t to, const uint8_t *at, size_t n);

/* -- tensors in pieces (export_pieces.c) -- */

/* What is remembered of one from piece to piece.  NULL: the arena is spent. */
struct export_gather *export_gather_new(struct arena *a, const struct tensor_pieces *pieces);
/* Is the extent a piece of a row?  Then it is fed to export_piece_feed(), and ex->row is set. */
bool export_piece_begin(struct exports *ex, const struct extents *x, const struct extent *e);
void export_piece_feed(struct exports *ex, const uint8_t *at, size_t n);
void export_piece_end(struct exports *ex);

/* One write.  False: refused. */
bool export_write(struct exports *ex, uint64_t at, const uint8_t *bytes, size_t n);
