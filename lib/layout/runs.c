/* Runs of numbers: see runs.h. */
#include "runs.h"

#include "checked.h"

#define POOL_MAX ((size_t)256 << 20)

bool runs_cover(struct runs *r, uint64_t end, enum extent_kind kind)
{
	struct extent *e;

	if (end <= r->covered)
		return true;
	e = extents_add(r->l->extents);
	if (e == NULL)
		return false;
	*e = (struct extent){ .begin = r->covered, .end = end, .kind = (uint8_t)kind };
	r->covered = end;
	return true;
}

/* Runs of one owner come one after the other: its name is kept once. */
static bool keep_name(struct runs *r, struct bytes name)
{
	size_t n = (size_t)min_u64(name.n, REPORT_STRING_MAX);

	if (bytes_equal(r->last, bytes_of(name.at, n)))
		return true;
	if (r->pool_room - r->pool_n < n) {
		size_t room = r->pool_room > 0 ? r->pool_room * 2 : 65536;
		uint8_t *pool = room <= POOL_MAX ? arena_resize_raw(r->l->arena, r->pool, room, 1) : NULL;

		if (pool == NULL)
			return false;
		r->pool = pool;
		r->pool_room = room;
	}
	bytes_copy(r->pool + r->pool_n, bytes_of(name.at, n));
	r->last = bytes_of(r->pool + r->pool_n, n);
	r->pool_n += n;
	return true;
}

bool runs_add(struct runs *r, uint64_t at, uint64_t n, enum wlk_dtype dtype, struct bytes name)
{
	struct extent *e;

	if (n == 0)
		return true;
	e = runs_cover(r, at, EXTENT_METADATA) && keep_name(r, name) ? extents_add(r->l->extents) : NULL;
	if (e == NULL)
		return false;
	*e = (struct extent){ .begin = at, .end = at + n, .kind = EXTENT_TENSOR, .dtype = (uint8_t)dtype };
	e->name_at = (uint32_t)(r->last.n > 0 ? r->last.at - r->pool : 0);
	e->name_n = (uint32_t)r->last.n;
	r->covered = e->end;
	return true;
}

enum wlk_status runs_finish(struct runs *r, enum wlk_finding broken)
{
	const struct coverage_codes codes = {
		.overlap = broken, .hole = broken, .out_of_bounds = broken, .trailing = broken
	};
	struct layout *l = r->l;

	if (!runs_cover(r, l->part.size, EXTENT_METADATA))
		return layout_stop(l);
	l->extents->names = bytes_of(r->pool, r->pool_n);
	return extents_cover(l->extents, 0, l->part.size, &codes, l->report);
}
