/* See tensor_list.h.  The extents of each level are numbered before those of the members in it, so that indexes ascend. */
#include "tensor_list.h"

#include "checked.h"
#include "member.h"

/* Elements of so many bytes; blocks that share scales are not told apart here. */
static uint64_t count_elements(uint64_t bytes, enum wlk_dtype dtype)
{
	unsigned bits = dtype_info(dtype)->bits;
	uint64_t n;

	if (bits % 8 == 0)
		return bytes / (bits / 8);
	return mul_u64(bytes, 8, &n) ? n / bits : bytes;
}

/* Of one dimension. */
static struct manifest_row row_of(
    const struct extents *x, uint64_t row, struct bytes name, uint64_t begin, uint64_t end, enum wlk_dtype dtype)
{
	struct manifest_row listed = { .kind = MANIFEST_TENSOR,
		.name = name,
		.name_bytes = name.n,
		.dtype = bytes_of_text(dtype_info(dtype)->name),
		.member = x->member,
		.index = row,
		.begin = x->origin + begin,
		.end = x->origin + end,
		.rank = 1 };

	listed.shape[0] = count_elements(end - begin, dtype);
	return listed;
}

static void set_shape(struct manifest_row *row, const uint64_t *shape, unsigned rank)
{
	if (shape == NULL)
		return;
	memcpy(row->shape, shape, rank * sizeof(*shape));
	row->rank = rank;
}

static bool list_extent(struct report *r, const struct extents *x, const struct extent *e, uint64_t row)
{
	uint8_t name[MANIFEST_NAME_MAX];
	struct manifest_row listed = row_of(x, row, extents_name(x, e, name, sizeof(name)), e->begin, e->end, e->dtype);
	unsigned rank = 0;
	const uint64_t *shape = x->shape != NULL ? x->shape(x, e, &rank) : NULL;

	set_shape(&listed, shape, rank);
	listed.views = x->views != NULL ? x->views(x, e) : NULL;
	return report_manifest_row(r, &listed);
}

/* A member that is one tensor. */
static bool list_member(struct report *r, struct member *m, uint64_t row)
{
	const struct extents placed = { .member = m->stream.part.member, .origin = stream_origin(&m->stream) };
	struct manifest_row listed =
	    row_of(&placed, row, m->tensor.n > 0 ? m->tensor : m->stream.part.member, 0, m->stream.size, m->dtype);

	m->listed = true;
	m->row = row;
	set_shape(&listed, m->shape, m->rank);
	listed.views = m->views;
	return report_manifest_row(r, &listed);
}

/* Those of one level. */
static bool list_level(struct extents *x, struct report *r)
{
	if (x->rows != ROWS_NONE)
		return true;
	extents_list(x, ROWS_BY_PLACE, r);
	for (size_t i = 0; i < x->n; i++) {
		const struct extent *e = &x->list[i];
		struct member *m = e->kind == EXTENT_MEMBER ? x->members[e->index] : NULL;
		bool ok = true;

		if ((e->flags & (EXTENT_DEAD | EXTENT_RECORDS | EXTENT_PIECE | EXTENT_CODED)) != 0)
			continue;
		if (e->kind == EXTENT_TENSOR)
			ok = list_extent(r, x, e, x->row_base + i);
		else if (m != NULL && member_is_tensor(m))
			ok = list_member(r, m, x->row_base + i);
		if (!ok)
			return false;
	}
	return true;
}

bool tensor_list_rest(struct extents *x, struct report *r)
{
	struct {
		struct extents *x;
		size_t next;
	} levels[MEMBER_DEPTH_MAX + 1] = { { .x = x } };
	unsigned depth = 1;

	if (!list_level(x, r))
		return false;
	while (depth > 0) {
		struct extents *at = levels[depth - 1].x, *inner;

		if (levels[depth - 1].next == at->n_members) {
			depth--;
			continue;
		}
		inner = at->members[levels[depth - 1].next++]->inner;
		if (inner == NULL || depth > MEMBER_DEPTH_MAX)
			continue;
		if (!list_level(inner, r))
			return false;
		levels[depth].x = inner;
		levels[depth++].next = 0;
	}
	return true;
}

bool tensor_list_is_complete(const struct report *r)
{
	return !r->manifest_partial && r->manifest_tensors == r->totals.tensors;
}
