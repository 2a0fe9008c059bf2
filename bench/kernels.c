/* bench_kernels SECONDS: the non-finite kernels alone, out of the second-level cache, each of them for SECONDS.
 * Prints one JSON object a line: build, dtype, op ("any" over finite elements, "exact" over NaN), GB/s.
 *
 * "any" sees what nearly all blocks are; "exact" the worst a file can do to us. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "nonfinite.h"
#include "pass.h"

static uint8_t buffer[PASS_BLOCK]; /* what the pass feeds */
static volatile uint64_t sink;     /* keeps the results alive */

static void run_once(const struct nonfinite_kernel *k, bool exact)
{
	struct nonfinite_counts counts = { 0 };

	if (exact) {
		k->count(buffer, sizeof(buffer), &counts);
		sink += counts.nan;
	} else {
		sink += k->any(buffer, sizeof(buffer));
	}
}

/* Return: GB/s of the best of five slices: a slice in which something else ran says nothing about a kernel. */
static double measure(const struct nonfinite_kernel *k, bool exact, double seconds)
{
	double best = 0;

	for (int slice = 0; slice < 5; slice++) {
		double start = seconds_now(), took = 0;
		size_t rounds = 0;

		do {
			for (int i = 0; i < 16; i++, rounds++)
				run_once(k, exact);
			took = seconds_now() - start;
		} while (took < seconds / 5);
		if ((double)rounds * sizeof(buffer) / took > best)
			best = (double)rounds * sizeof(buffer) / took;
	}
	return best / 1e9;
}

static void measure_dtype(const char *build, enum wlk_dtype dtype, double seconds)
{
	const struct nonfinite_kernel *k = nonfinite_kernel_of(build, dtype);
	const char *name = dtype_info(dtype)->name;

	if (k == NULL)
		return;
	memset(buffer, 0x11, sizeof(buffer)); /* finite in each of these types */
	printf("{\"build\":\"%s\",\"dtype\":\"%s\",\"op\":\"any\",\"gbps\":%.3f}\n", build, name,
	    measure(k, false, seconds));
	memset(buffer, 0xff, sizeof(buffer)); /* NaN in each of these types */
	printf("{\"build\":\"%s\",\"dtype\":\"%s\",\"op\":\"exact\",\"gbps\":%.3f}\n", build, name,
	    measure(k, true, seconds));
}

int main(int argc, char **argv)
{
	static const char *const builds[] = { "baseline", "avx2" };
	static const enum wlk_dtype dtypes[] = { WLK_DTYPE_BF16, WLK_DTYPE_F16, WLK_DTYPE_F32, WLK_DTYPE_F64,
		WLK_DTYPE_F8_E4M3, WLK_DTYPE_F8_E5M2 };
	double seconds = argc == 2 ? strtod(argv[1], NULL) : 0;

	if (seconds <= 0) {
		fprintf(stderr, "usage: bench_kernels SECONDS\n");
		return 4;
	}
	for (size_t b = 0; b < sizeof(builds) / sizeof(builds[0]); b++)
		for (size_t d = 0; d < sizeof(dtypes) / sizeof(dtypes[0]); d++)
			measure_dtype(builds[b], dtypes[d], seconds);
	return 0;
}
