/* Kernels for statistics: stats_kernels.c is compiled twice, baseline and AVX2, and both come to the same bits. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "dtype.h"

/* The sum of a tensor is that of so many partial sums: element i is added to number i % STATS_LANES.  So the order of all
 * additions is fixed, whatever vectors a machine has. */
#define STATS_LANES 32u

struct stats_sums {
	double sum[STATS_LANES];
	int64_t least, most; /* as the type's keys, which are in the order of its numbers */
	uint64_t zeros, finite;
};

struct stats_kernel {
	/* n bytes: whole elements in the host's order, the first of which is added to the first of the sums. */
	void (*feed)(struct stats_sums *s, const uint8_t *at, size_t n);
	double (*number)(int64_t key);
	size_t element_bytes;
};

#define STATS_TABLE_(build) stats_kernels_##build
#define STATS_TABLE(build) STATS_TABLE_(build)

/* feed is NULL for types without statistics. */
extern const struct stats_kernel stats_kernels_baseline[WLK_N_DTYPES], stats_kernels_avx2[WLK_N_DTYPES];
