/* What a tensor's elements are as numbers, for the manifest: a sink beside digests.h, of the bytes that its row's offsets
 * span.  The same whatever pieces they come in and whatever the machine.  None of what is no plain number: blocks with
 * scales, elements that share bytes, complex and 80-bit ones, text, fields of records. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "extents.h"
#include "report.h"
#include "stats_kernels.h"

/* Zeroed once, then one tensor after the other. */
struct stats {
	const struct stats_kernel *kernel; /* NULL: none of this extent */
	struct stats_sums sums;
	uint64_t row, elements;
	size_t swap_bytes;              /* weights_swap_unit(), of what is stored back to front */
	size_t carry_n;                 /* bytes of a group of lanes that is not whole */
	uint8_t carry[STATS_LANES * 8]; /* of the widest */
};

/* Nothing unless @r wants them and the extent is listed. */
void stats_begin(struct stats *s, const struct extents *x, const struct extent *e, const struct report *r);
void stats_feed(struct stats *s, const uint8_t *at, size_t n);
/* All of the tensor went by: its statistics go into the report. */
void stats_end(struct stats *s, struct report *r);

/* The widest build that this processor runs, or one by name ("baseline", "avx2"); NULL: the type has none, or there is no
 * such build. */
const struct stats_kernel *stats_kernel(const char *build, enum wlk_dtype dtype);
