/* Every weight, once: the pass's sink.  Feeds each tensor's bytes to the kernel of its type, carries elements
 * that are split between two feeds, keeps exact counts, and reports weights-nan, weights-inf,
 * weights-inf-mask and weights-bool-invalid with a row per tensor. */
#pragma once

#include <stdbool.h>

#include "digests.h"
#include "export.h"
#include "extents.h"
#include "pass.h"
#include "records.h"
#include "report.h"
#include "stats.h"
#include "weights.h"

#define ELEMENT_BYTES_MAX 292 /* a block of Q8_K; of what is no block: two 80-bit floats with their padding */

struct elements {
	const struct extents *extents; /* those of the file */
	struct report *report;
	/* The current tensor: */
	const struct extents *home; /* the extents it is one of */
	const struct extent *extent;
	struct weights weights;
	struct records records;           /* instead, when it is one of records */
	struct digests digests;           /* beside them */
	struct stats stats;               /* likewise */
	struct exports *exports;          /* likewise; NULL: nobody converts.  Set after elements_init() */
	uint8_t carry[ELEMENT_BYTES_MAX]; /* the beginning of an element whose rest comes with the next feed */
	size_t carry_n;
	uint64_t carry_offset;
	bool nonzero; /* of padding: a byte that is not zero was reported */
	bool counted; /* all of these bytes are counted as other tensors': set after elements_init() */
};

/* @x, @r: borrowed.  @x may still be empty. */
void elements_init(struct elements *el, const struct extents *x, struct report *r);
/* For a file without members; lib/engine/member.h has the sink for those with. */
struct pass_sink elements_sink(struct elements *el);

/* Memory was spent: not everything was examined, or digested. */
static inline bool elements_failed(const struct elements *el)
{
	return el->records.failed;
}

/* One tensor after the other; what is no tensor is passed over. @x: the extents that @e is one of. */
void elements_tensor_begin(struct elements *el, const struct extents *x, const struct extent *e);
void elements_tensor_feed(struct elements *el, const uint8_t *at, size_t n, uint64_t offset);
void elements_tensor_end(struct elements *el);

/**
 * elements_end() - after the pass, also one that ended early: the number of tensors, in all and by type, into the
 * report.  Counts what the layout declared, in members too, contradictory tensors too.
 *
 * The other totals grow as tensors end.  `elements` counts tensor elements of floating-point types that were
 * examined (a complex one once); `nan` and the infinities count parts (a complex one up to twice).
 */
void elements_end(struct elements *el);

/* After the pass: was every byte of tensors examined as what its entry says it is?  Not when bytes belong to no tensor
 * or to two, or when an entry was given twice or contradicts itself: somebody reads elements there that nobody looked
 * at.  Nor when a member is not understood, or did not decode to what its layout had seen. */
bool elements_all_examined(const struct extents *x);
