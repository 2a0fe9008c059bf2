/* Coverage by claims: see claims.h. */
#include "claims.h"

static bool add_extent(struct layout *l, const struct extent *e)
{
	struct extent *to = extents_add(l->extents);

	if (to != NULL)
		*to = *e;
	return to != NULL;
}

bool claims_take(struct layout *l, const struct extents *claims)
{
	for (size_t i = 0; i < claims->n; i++)
		if (!add_extent(l, &claims->list[i]))
			return false;
	return true;
}

bool claims_pad(struct layout *l, uint64_t begin, uint64_t end)
{
	return begin >= end || add_extent(l, &(struct extent){ .begin = begin, .end = end, .kind = EXTENT_ZERO });
}

uint64_t claims_end(const struct extents *claims)
{
	uint64_t end = 0;

	for (size_t i = 0; i < claims->n; i++)
		end = claims->list[i].end > end ? claims->list[i].end : end;
	return end;
}

bool claims_fill(struct layout *l, uint64_t begin, uint64_t end, claims_left_fn *left, void *ctx)
{
	uint64_t from, to;

	while (begin < end && left != NULL && left(ctx, begin, end, &from, &to)) {
		if (!claims_pad(l, begin, from) ||
		    !add_extent(l, &(struct extent){ .begin = from, .end = to, .kind = EXTENT_METADATA }))
			return false;
		begin = to;
	}
	return claims_pad(l, begin, end);
}

/* Holes hold zeros, as many as the writer liked, and what is left.  The list is in order. */
static bool fill_holes(struct layout *l, claims_left_fn *left, void *ctx)
{
	size_t n = l->extents->n;
	uint64_t at = 0;

	for (size_t i = 0; i < n; i++) {
		const struct extent e = l->extents->list[i];

		if (!claims_fill(l, at, e.begin, left, ctx))
			return false;
		at = e.end > at ? e.end : at;
	}
	return true;
}

enum wlk_status claims_prove_left(
    struct layout *l, const struct coverage_codes *codes, bool broken, claims_left_fn *left, void *ctx)
{
	struct coverage_codes c = *codes;

	c.gaps_unknown = true;
	if (extents_cover(l->extents, 0, l->part.size, &c, l->report) != WLK_DONE)
		return layout_stop(l);
	if (l->report->per_code[c.overlap] > 0 || broken)
		return WLK_BROKEN;
	if (!fill_holes(l, left, ctx))
		return layout_stop(l);
	c.gaps_unknown = l->extents->gaps = false;
	return extents_cover(l->extents, 0, l->part.size, &c, l->report) == WLK_DONE ? WLK_DONE : layout_stop(l);
}

enum wlk_status claims_prove(struct layout *l, const struct coverage_codes *codes, bool broken)
{
	return claims_prove_left(l, codes, broken, NULL, NULL);
}
