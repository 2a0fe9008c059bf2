/* See stats.h. */
#include "stats.h"

#include <math.h>
#include <string.h>

#include "weights.h"

#define PIECE ((size_t)16 << 10) /* in the first-level cache while it is looked at twice; whole groups of any type */

const struct stats_kernel *stats_kernel(const char *build, enum wlk_dtype dtype)
{
	const struct stats_kernel *table = stats_kernels_baseline;

#ifdef WLK_KERNELS_AVX2
	if ((build == NULL || strcmp(build, "avx2") == 0) && __builtin_cpu_supports("avx2"))
		table = stats_kernels_avx2;
#endif
	if (build != NULL && strcmp(build, "avx2") == 0 && table == stats_kernels_baseline)
		return NULL;
	return table[dtype].feed != NULL ? &table[dtype] : NULL;
}

void stats_begin(struct stats *s, const struct extents *x, const struct extent *e, const struct report *r)
{
	s->kernel = NULL;
	if (!r->wants_stats || r->taker != NULL || e->kind != EXTENT_TENSOR || (e->flags & EXTENT_RECORDS) != 0 ||
	    !extents_row(x, e, &s->row))
		return;
	s->kernel = stats_kernel(NULL, (enum wlk_dtype)e->dtype);
	s->sums = (struct stats_sums){ .least = INT64_MAX, .most = INT64_MIN };
	s->elements = 0;
	s->swap_bytes = e->flags & EXTENT_BIG_ENDIAN ? weights_swap_unit((enum wlk_dtype)e->dtype) : 0;
	s->carry_n = 0;
}

/* A piece at most, which begins a group of lanes. */
static void feed_piece(struct stats *s, const uint8_t *at, size_t n)
{
	uint8_t swapped[PIECE];

	if (s->swap_bytes > 0) {
		weights_swap(swapped, at, n, s->swap_bytes);
		at = swapped;
	}
	s->kernel->feed(&s->sums, at, n);
	s->elements += n / s->kernel->element_bytes;
}

void stats_feed(struct stats *s, const uint8_t *at, size_t n)
{
	size_t group, taken, piece;

	if (s->kernel == NULL)
		return;
	group = STATS_LANES * s->kernel->element_bytes;
	if (s->carry_n > 0) {
		taken = n < group - s->carry_n ? n : group - s->carry_n;
		memcpy(s->carry + s->carry_n, at, taken);
		s->carry_n += taken;
		if (s->carry_n < group)
			return;
		feed_piece(s, s->carry, group);
		at += taken;
		n -= taken;
	}
	for (; n >= group; at += piece, n -= piece) {
		piece = n < PIECE ? n - n % group : PIECE;
		feed_piece(s, at, piece);
	}
	memcpy(s->carry, at, n);
	s->carry_n = n;
}

/* In one order as well: each half is added to the other. */
static double sum_of(const struct stats_sums *s)
{
	double sum[STATS_LANES];

	memcpy(sum, s->sum, sizeof(sum));
	for (size_t half = STATS_LANES / 2; half > 0; half /= 2)
		for (size_t i = 0; i < half; i++)
			sum[i] += sum[i + half];
	return sum[0];
}

void stats_end(struct stats *s, struct report *r)
{
	const struct stats_sums *sums = &s->sums;
	struct tensor_stats told;

	if (s->kernel == NULL)
		return;
	feed_piece(s, s->carry, s->carry_n - s->carry_n % s->kernel->element_bytes);
	told = (struct tensor_stats){ .elements = s->elements, .finite = sums->finite, .zeros = sums->zeros };
	if (sums->finite > 0) {
		told.min = s->kernel->number(sums->least) + 0.0; /* of the two zeros the plain one */
		told.max = s->kernel->number(sums->most) + 0.0;
		told.mean = sum_of(sums) / (double)sums->finite;
		/* A mean of rounded sums may lie a little outside; one that is infinite is none. */
		if (!isfinite(told.mean))
			told.mean = (double)NAN;
		else if (told.mean < told.min || told.mean > told.max)
			told.mean = told.mean < told.min ? told.min : told.max;
	}
	report_manifest_stats(r, s->row, &told);
	s->kernel = NULL;
}
