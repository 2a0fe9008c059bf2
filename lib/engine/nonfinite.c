/* Chooses a build of the kernels.  No ifunc: it is awkward with sanitizers, musl and static builds, and one
 * test of a flag libgcc reads at start costs nothing beside a block of weights. */
#include "nonfinite.h"

#include <string.h>

#include "ggml.h"
#include "nonfinite_kernels.h"

static const struct nonfinite_kernel *in_table(const struct nonfinite_kernel *table, enum wlk_dtype dtype)
{
	return table[dtype].any ? &table[dtype] : NULL;
}

/* Asks the processor and the system: AVX2 needs both (the system saves the wide registers). */
static const struct nonfinite_kernel *avx2_table(void)
{
#ifdef WLK_KERNELS_AVX2
	if (__builtin_cpu_supports("avx2"))
		return nonfinite_kernels_avx2;
#endif
	return NULL;
}

const struct nonfinite_kernel *nonfinite_kernel(enum wlk_dtype dtype)
{
	const struct nonfinite_kernel *wide = avx2_table();

	if (dtype_info(dtype)->kind == DTYPE_BLOCK)
		return ggml_kernel(dtype);
	return in_table(wide ? wide : nonfinite_kernels_baseline, dtype);
}

const struct nonfinite_kernel *nonfinite_kernel_of(const char *build, enum wlk_dtype dtype)
{
	const struct nonfinite_kernel *table = NULL;

	if (strcmp(build, "baseline") == 0)
		table = nonfinite_kernels_baseline;
	else if (strcmp(build, "avx2") == 0)
		table = avx2_table();
	return table != NULL ? in_table(table, dtype) : NULL;
}
