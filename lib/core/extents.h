/* What every byte of the file is.  A layout says it as extents; one routine proves for all formats that they
 * cover the file with no hole, overlap or trailing byte. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "bytes.h"
#include "dtype.h"
#include "findings.h"
#include "report.h"

enum extent_kind {
	EXTENT_HEADER,
	EXTENT_TENSOR,
	EXTENT_ZERO, /* padding that must be zero */
	EXTENT_MEMBER,
	EXTENT_METADATA,
};

/* 32 bytes: a million of them is what a large header costs.  name_at/name_n locate the raw name in the layout's
 * pinned bytes; the layout's namer turns them into text only when somebody asks. */
struct extent {
	uint64_t begin, end; /* offsets in the file, or in the member the extents belong to; begin <= end */
	uint32_t name_at;    /* offset of the raw name in the layout's pinned bytes */
	uint32_t name_n;     /* raw bytes */
	uint8_t kind;        /* enum extent_kind */
	uint8_t dtype;       /* enum wlk_dtype */
	uint8_t flags;       /* EXTENT_* below */
	uint8_t spare;       /* the layout's own */
	uint32_t index;      /* order in the header; of a member, of records: its place in extents.members, .records */
};

#define EXTENT_DEAD 1u       /* takes no part in coverage or the pass (its own values were contradictory) */
#define EXTENT_OVERLAP 2u    /* starts inside an earlier one: covered, but its elements are not checked twice */
#define EXTENT_BIG_ENDIAN 4u /* of a tensor: its elements are stored most significant byte first */
#define EXTENT_RECORDS 8u    /* of a tensor: its elements are records, in which each field is a tensor (records.h) */
#define EXTENT_NARROWED 16u  /* of doubles: loaders make 32-bit floats of them (weights.h) */
#define EXTENT_PIECE 32u     /* of a tensor: more of the one before, or numbers of no tensor; not counted, has no row */
#define EXTENT_CODED 64u     /* of a tensor, and empty: its values are no bytes of the file; counted, has no row */

/* How rows of the manifest (manifest.h) are numbered, when there are any of these extents: behind extents.row_base, ... */
enum extents_rows {
	ROWS_NONE,
	ROWS_BY_INDEX, /* ... by extent.index: the layout listed them (layout_tensor()) */
	ROWS_BY_PLACE, /* ... by the place in the list: they were listed from the extents (tensor_list.h) */
	ROWS_MOVED,    /* not at all: the layout listed them, and then found that they are elsewhere */
};

struct extents;
struct member;      /* lib/engine/member.h */
struct record_type; /* lib/engine/records.h */

/* Decode the name of an extent for a finding: into buf (size n).  Return: its length in bytes; for a longer name
 * anything above n (nobody decodes megabytes to print a kilobyte). */
typedef size_t (*extent_name_fn)(const struct extents *x, const struct extent *e, uint8_t *buf, size_t n);

/* The dimensions of a tensor, at most MANIFEST_RANK_MAX, for a manifest that is made from extents (tensor_list.h); NULL:
 * one, of all its elements. */
typedef const uint64_t *(*extent_shape_fn)(const struct extents *x, const struct extent *e, unsigned *ret_rank);

/* What a loader makes of its elements, for who converts. */
typedef const struct tensor_view *(*extent_views_fn)(const struct extents *x, const struct extent *e);

struct extents {
	struct arena *arena; /* borrowed */
	struct extent *list;
	size_t n, capacity;
	bool gaps;                /* extents_cover() found bytes that belong to none */
	enum wlk_finding nonzero; /* a byte other than zero in EXTENT_ZERO; 0: the pass does not look */
	struct bytes names;       /* what name_at points into */
	extent_name_fn name;      /* NULL: names are the raw bytes */
	extent_shape_fn shape;    /* NULL: nobody knows */
	extent_views_fn views;    /* NULL: the tensor, row by row */
	/* Of a member's content: how findings name it, and what their offsets begin with (part.h). */
	struct bytes member;
	uint64_t origin;
	uint64_t archive;        /* where an archive begins that the layout has read, up to the end; 0: none */
	struct member **members; /* of the extents of kind MEMBER, by their index (member_add()) */
	size_t n_members, members_capacity;
	enum extents_rows rows;
	uint64_t row_base;
	const struct record_type **records; /* of the tensors with EXTENT_RECORDS, by their index (records_attach()) */
	size_t n_records;
};

void extents_init(struct extents *x, struct arena *arena);
/* Room for one more, zeroed; NULL when the arena is spent. */
struct extent *extents_add(struct extents *x);
/* Where the list of these extents begins in the manifest: behind all rows so far.  Once. */
void extents_list(struct extents *x, enum extents_rows rows, const struct report *r);
/* The number of a tensor's row.  False: it has none. */
bool extents_row(const struct extents *x, const struct extent *e, uint64_t *ret);
/* The decoded name, bounded to n bytes. */
struct bytes extents_name(const struct extents *x, const struct extent *e, uint8_t *buf, size_t n);

/* Which finding says what, per format. */
struct coverage_codes {
	enum wlk_finding overlap, hole, out_of_bounds, trailing;
	/* The range of some owner could not be read, so bytes without an owner prove nothing: holes and trailing
	 * bytes are not reported (the layout returns WLK_BROKEN). */
	bool gaps_unknown;
	/* Holes that extents_is_padding() of this are left to the layout, which says what they are once it has seen that
	 * they hold zeros; 0: none. */
	uint64_t align;
};

/* Might a writer that aligns have left [from, to)?  Shorter than `align`, up to a multiple of it behind `base`. */
static inline bool extents_is_padding(uint64_t from, uint64_t to, uint64_t base, uint64_t align)
{
	return align > 0 && from < to && to - from < align && (to - base) % align == 0;
}

/**
 * extents_cover() - prove that the extents tile [begin, end) exactly
 * Sorts x->list by (begin, end, index); in file order already it is left as it is, otherwise the sort is a radix
 * sort: linear, whatever the order.  Dead extents go last and are ignored.  Reports every hole, overlap, extent
 * past the end and the bytes left over; an extent past `end` (or before `begin`) becomes dead, an overlapping one
 * gets EXTENT_OVERLAP.  Empty extents own nothing and may lie on any boundary, or in a hole; one strictly inside
 * another extent counts as an overlap, for the reference safetensors reader refuses that too.
 * Return: WLK_DONE also with findings; WLK_INCOMPLETE when the arena is spent.
 */
enum wlk_status extents_cover(
    struct extents *x, uint64_t begin, uint64_t end, const struct coverage_codes *codes, struct report *r);
