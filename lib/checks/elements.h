/* Every weight, once: the pass's sink.  Feeds each tensor's bytes to the kernel of its type, carries elements
 * that are split between two feeds, keeps exact counts, and reports weights-nan, weights-inf,
 * weights-inf-mask and weights-bool-invalid with a row per tensor. */
#pragma once

#include <stdbool.h>

#include "extents.h"
#include "nonfinite.h"
#include "pass.h"
#include "report.h"

#define ELEMENT_BYTES_MAX 8 /* F64 and C64 */

struct elements {
	const struct extents *extents;
	struct report *report;
	const struct nonfinite_kernel *kernel; /* of the current tensor; NULL: nothing can be wrong with it */
	struct nonfinite_counts counts;
	uint64_t first_offset;
	bool found;                       /* first_offset is set */
	bool maybe_mask;                  /* so far only zeros and infinities */
	uint8_t carry[ELEMENT_BYTES_MAX]; /* the beginning of an element whose rest comes with the next feed */
	size_t carry_n;
	uint64_t carry_offset;
};

/* @x, @r: borrowed.  @x may still be empty. */
void elements_init(struct elements *el, const struct extents *x, struct report *r);
struct pass_sink elements_sink(struct elements *el);

/**
 * elements_end() - after the pass, also one that ended early: the number of tensors, in all and by type, into the
 * report.  Counts what the layout declared, contradictory tensors too.
 *
 * The other totals grow as tensors end.  `elements` counts tensor elements of floating-point types that were
 * examined (a complex one once); `nan` and the infinities count parts (a complex one up to twice).
 */
void elements_end(struct elements *el);

/* Was every byte of tensors examined as what its entry says it is?  Not when bytes belong to no tensor or to two, or
 * when an entry was given twice or contradicts itself: somebody reads elements there that nobody looked at. */
bool elements_all_examined(const struct extents *x);
