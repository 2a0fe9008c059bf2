/* Kernels that find NaN and infinities: plain C that vectorises.  nonfinite_kernels.c is compiled twice,
 * baseline and AVX2. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dtype.h"

struct nonfinite_counts {
	uint64_t nan, pos_inf, neg_inf;
	uint64_t invalid; /* BOOL bytes other than 0 and 1 */
};

struct nonfinite_kernel {
	/* Is any element of these n bytes (a whole number of elements, any alignment) non-finite or invalid?
	 * Exact. */
	bool (*any)(const uint8_t *at, size_t n);
	/* Add exact counts.  No branch depends on the data: a hostile file is no slower. */
	void (*count)(const uint8_t *at, size_t n, struct nonfinite_counts *counts);
	/* Are all elements zero or infinite?  NULL for types without infinities. */
	bool (*all_zero_or_inf)(const uint8_t *at, size_t n);
	size_t element_bytes;
	/* Of elements that are blocks with scales of their own (ggml.h): how many a block has, and where in a block in
	 * which something is wrong the first such scale begins.  0 and NULL for others. */
	unsigned scales;
	size_t (*where)(const uint8_t *element);
};

/* The widest build this processor runs; NULL for types in which nothing can be wrong.  Needs no preparation
 * and makes no system call. */
const struct nonfinite_kernel *nonfinite_kernel(enum wlk_dtype dtype);

/* For tests and benchmarks: one build by name, "baseline" or "avx2"; NULL when not built or the CPU lacks it.
 */
const struct nonfinite_kernel *nonfinite_kernel_of(const char *build, enum wlk_dtype dtype);
