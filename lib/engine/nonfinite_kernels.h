/* The two builds of nonfinite_kernels.c, for the dispatcher in nonfinite.c alone. */
#pragma once

#include "nonfinite.h"

/* One table per build, indexed by enum wlk_dtype; all members NULL for types in which nothing can be wrong.
 */
#define KERNEL_TABLE(build) KERNEL_TABLE_(build)
#define KERNEL_TABLE_(build) nonfinite_kernels_##build

extern const struct nonfinite_kernel nonfinite_kernels_baseline[WLK_N_DTYPES];
#ifdef WLK_KERNELS_AVX2
extern const struct nonfinite_kernel nonfinite_kernels_avx2[WLK_N_DTYPES];
#endif
