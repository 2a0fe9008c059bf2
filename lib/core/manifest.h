/* The manifest: what a file holds, tensor by tensor, and what it says about other files.  Sent by the worker on
 * request, row by row and never held as a whole, so that a list of a million tensors costs no more memory than one row:
 * the front appends the rows to a memfd as they come (manifest/tensor_rows.h), prints them from there, and lays them
 * beside those of other files in a set document (set_document.h).
 *
 * A row is: u8 kind; u16 length and bytes of the name; u64 length of the whole name; u8 length and bytes of the dtype; u16
 * length and bytes of the member; u16 length and bytes of the file; u64 index; u64 begin; u64 end; u8 rank and a u64 for
 * each dimension; little endian.  In memfds and documents a u32 length stands before each row. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

#define MANIFEST_NAME_MAX 4096u                  /* bytes of a name; of a longer one its beginning, and its length */
#define MANIFEST_PATH_MAX 1024u                  /* of a member's path, of a file's name */
#define MANIFEST_DTYPE_MAX 32u                   /* of a type's name */
#define MANIFEST_RANK_MAX 64u                    /* NumPy's limit, and every format's here */
#define MANIFEST_ROW_MAX 7168u                   /* bytes of the largest row, with room */
#define MANIFEST_BYTES_MAX ((uint64_t)256 << 20) /* rows of one file: two million tensors of 128 bytes */
#define MANIFEST_ROWS_MAX ((uint64_t)4 << 20)    /* and so many: twice as many tensors as a scan takes */

struct tensor_view;
struct tensor_pieces;

enum manifest_kind {
	MANIFEST_TENSOR = 1, /* the file holds this tensor, in [begin, end) of it */
	MANIFEST_MAPPING =
	    2, /* the file says that tensor `name` is in `file` (in [begin, end) of it, if end is not 0) */
};

/* All views are borrowed. */
struct manifest_row {
	enum manifest_kind kind;
	struct bytes name;   /* file bytes, decoded; at most MANIFEST_NAME_MAX */
	uint64_t name_bytes; /* of the whole name; larger than name.n: cut */
	struct bytes dtype;  /* as verdicts print it */
	struct bytes member; /* path of the archive member it is in, or empty */
	struct bytes file;   /* MAPPING: as the file spells it */
	uint64_t index;      /* ascending, though not without gaps; what its digest is filed under */
	uint64_t begin, end; /* file offsets, begin <= end; in decoded bytes for a coded member */
	unsigned rank;
	uint64_t shape[MANIFEST_RANK_MAX];
	/* Not sent: what loaders make of the elements, for who converts (convert.h).  NULL: the tensor, row by row. */
	const struct tensor_view *views;
	const struct tensor_pieces *pieces; /* likewise; NULL: they stand in one run */
};

/* What its elements are as numbers, on request (stats_kernels.h says how they are added). */
struct tensor_stats {
	uint64_t elements, finite, zeros; /* zeros <= finite <= elements */
	double min, max;                  /* of those that are finite; 0 where there is none */
	double mean;                      /* likewise; NaN: their sum is beyond what a double holds */
};

#define TENSOR_STATS_BYTES 48u

/* The numbers of *s in their order, eight bytes each. */
void tensor_stats_encode(const struct tensor_stats *s, uint8_t buf[TENSOR_STATS_BYTES]);
/* Return: false: they contradict each other. */
bool tensor_stats_decode(const uint8_t buf[TENSOR_STATS_BYTES], struct tensor_stats *ret);

/* Return: bytes written to buf. */
size_t manifest_encode(const struct manifest_row *row, uint8_t buf[MANIFEST_ROW_MAX]);
/* What manifest_encode() wrote: strict, exact length, within the bounds above.  *ret has views of @row. */
bool manifest_decode(struct bytes row, struct manifest_row *ret);

/**
 * Where rows go that a report brings (facts.h).  The row was decoded, @encoded is how it was written; indexes ascend.
 * digest(): the SHA-256 of the tensor's bytes, for an index below MANIFEST_ROWS_MAX; may come before or after others.
 * NULL: nobody asked for digests, and a report with any is malformed.  stats(): likewise.
 * Return: false: no more can be taken (the report ends there, limit-output).
 */
struct manifest_sink {
	void *ctx;
	bool (*row)(void *ctx, const struct manifest_row *row, struct bytes encoded);
	bool (*digest)(void *ctx, uint64_t index, const uint8_t sha256[32]);
	bool (*stats)(void *ctx, uint64_t index, const uint8_t encoded[TENSOR_STATS_BYTES]);
};
