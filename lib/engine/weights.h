/* One tensor's elements against the kernel of their type: exact counts, the offset of the first bad one, the mask rule,
 * and what is reported of it.  Who cuts the bytes into whole elements: elements.c for those that stand side by side,
 * records.c for those that stand in records. */
#pragma once

#include <stdbool.h>

#include "nonfinite.h"
#include "report.h"

struct weights {
	enum wlk_dtype dtype;
	const struct nonfinite_kernel *kernel; /* NULL: nothing can be wrong with it */
	size_t swap_bytes;                     /* units of so many bytes are stored back to front; 0: they are not */
	struct nonfinite_counts counts;
	uint64_t first_offset; /* as the offsets given to weights_examine() */
	bool found;            /* first_offset is set */
	bool maybe_mask;       /* so far only zeros and infinities */
	bool settings;         /* record_type.settings; set after weights_begin() */
	bool unfilled;         /* its reader has seen that not one element is a number */
	bool narrowed;         /* of doubles: loaders make 32-bit floats of them; set after weights_begin() */
	uint64_t beyond;       /* then: finite ones that become infinite, and the first of them */
	uint64_t beyond_offset;
};

void weights_begin(struct weights *w, enum wlk_dtype dtype, bool big_endian);

/* What is stored back to front: elements, and of complex ones each half.  In bytes; 0: of one byte, there is nothing to turn. */
size_t weights_swap_unit(enum wlk_dtype dtype);
/* Units turned round, of n bytes.  @to: may be @at. */
void weights_swap(uint8_t *to, const uint8_t *at, size_t n, size_t unit);

/* Was anything found that weights_report() has to tell? */
static inline bool weights_found(const struct weights *w)
{
	return w->found || w->beyond > 0;
}

/* Numbers in so many bytes of elements: scales, of those that are blocks.  w->kernel is set. */
uint64_t weights_numbers(const struct weights *w, uint64_t bytes);

/* Whole elements as they are stored; w->kernel is set. @offset: of at[0]. */
void weights_examine(struct weights *w, const uint8_t *at, size_t n, uint64_t offset);

/* Only the first tensors of each kind are listed: will the name of this one, in which something was found, be? */
bool weights_name_wanted(const struct weights *w, const struct report *r);

/* Where the tensor is, for findings. */
struct weights_place {
	struct bytes name;      /* empty when it is not wanted */
	struct bytes member;    /* path in the archive, or empty */
	uint64_t begin;         /* of the tensor; only for those of blocks.  All as findings print offsets */
	uint64_t first_offset;  /* of the first bad element, of whichever kind */
	uint64_t beyond_offset; /* only when there are any */
	bool counted;           /* the same bytes have been, as those of another tensor: findings only, no row */
};

/* A row, unless they are counted, and up to four findings; weights_found(). */
void weights_report(const struct weights *w, struct report *r, const struct weights_place *place);
