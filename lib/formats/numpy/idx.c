/* IDX arrays: see idx.h. */
#include "idx.h"

#include "checked.h"
#include "member.h"
#include "stream.h"

#define IDX_RANK_MAX 8u /* images of several channels have four */
#define IDX_HEAD_MAX (4u + 4u * IDX_RANK_MAX)

struct idx {
	enum wlk_dtype dtype;
	unsigned rank;
	uint64_t dims[IDX_RANK_MAX];
	uint64_t head, bytes; /* of the header and of the elements */
};

static enum wlk_dtype dtype_of(uint8_t code)
{
	switch (code) {
	case 0x08: return WLK_DTYPE_U8;
	case 0x09: return WLK_DTYPE_I8;
	case 0x0b: return WLK_DTYPE_I16;
	case 0x0c: return WLK_DTYPE_I32;
	case 0x0d: return WLK_DTYPE_F32;
	case 0x0e: return WLK_DTYPE_F64;
	default: return WLK_DTYPE_NONE;
	}
}

/* No array without elements is published, and zeros begin much else. */
static bool read_head(struct bytes head, struct idx *ret)
{
	*ret = (struct idx){ .dtype = WLK_DTYPE_NONE };
	if (head.n < 4 || head.at[0] != 0 || head.at[1] != 0)
		return false;
	ret->dtype = dtype_of(head.at[2]);
	ret->rank = head.at[3];
	ret->head = 4 + 4 * (uint64_t)ret->rank;
	if (ret->dtype == WLK_DTYPE_NONE || ret->rank == 0 || ret->rank > IDX_RANK_MAX || head.n < ret->head)
		return false;
	ret->bytes = dtype_info(ret->dtype)->bits / 8;
	for (unsigned i = 0; i < ret->rank; i++) {
		ret->dims[i] = load_u32be(head.at + 4 + 4 * (size_t)i);
		if (ret->dims[i] == 0 || !mul_u64(ret->bytes, ret->dims[i], &ret->bytes))
			return false;
	}
	return true;
}

static bool fits(const struct idx *x, uint64_t size)
{
	return size > x->head && size - x->head == x->bytes;
}

/* Where the length is not known before it is decoded, the header alone has to do: what does not keep to it is not understood. */
static bool probe(const struct probe *p)
{
	struct idx x;

	return read_head(bytes_of(p->head, p->n), &x) && (p->size == STREAM_SIZE_UNKNOWN || fits(&x, p->size));
}

/* -- the array -- */

static struct extent *add_extent(struct layout *l, enum extent_kind kind, uint64_t begin, uint64_t end)
{
	struct extent *e = extents_add(l->extents);

	if (e != NULL) {
		e->begin = begin;
		e->end = end;
		e->kind = (uint8_t)kind;
		e->name_n = (uint32_t)l->extents->names.n; /* the only name */
	}
	return e;
}

static bool list(struct layout *l, const struct idx *x, const struct extent *e)
{
	struct manifest_row row = { .kind = MANIFEST_TENSOR,
		.name = l->extents->names,
		.name_bytes = l->extents->names.n,
		.dtype = bytes_of_text(dtype_info(x->dtype)->name),
		.begin = e->begin,
		.end = e->end,
		.index = e->index,
		.rank = x->rank };

	for (unsigned i = 0; i < x->rank; i++)
		row.shape[i] = x->dims[i];
	return !layout_wants_tensors(l) || layout_tensor(l, &row);
}

static enum wlk_status describe(struct layout *l, const struct idx *x)
{
	struct extent *e;

	l->extents->names = bytes_of_text("data");
	if (add_extent(l, EXTENT_HEADER, 0, x->head) == NULL)
		return layout_stop(l);
	e = add_extent(l, EXTENT_TENSOR, x->head, x->head + x->bytes);
	if (e == NULL)
		return layout_stop(l);
	e->dtype = (uint8_t)x->dtype;
	e->flags = EXTENT_BIG_ENDIAN;
	return list(l, x, e) ? WLK_DONE : WLK_INCOMPLETE;
}

static enum wlk_status read_array(struct layout *l, const struct stream *s)
{
	struct bytes head;
	struct idx x;

	if (!stream_head(s, l->arena, IDX_HEAD_MAX, &head))
		return layout_stop(l);
	if (!read_head(head, &x) || !fits(&x, s->size)) {
		layout_at(l, WLK_F_FORMAT_PARTLY_CHECKED, 0);
		return WLK_BROKEN;
	}
	return describe(l, &x);
}

static enum wlk_status layout(struct layout *l)
{
	const struct stream s = {
		.part = l->part, .codec = CODEC_STORED, .size = l->part.size, .size_limit = l->part.size
	};

	return read_array(l, &s);
}

static uint64_t pass_over(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	(void)ctx;
	(void)at;
	return offset + n;
}

static enum wlk_status judge(struct layout *l, struct member *m)
{
	struct stream *s = &m->stream;

	if (s->size == STREAM_SIZE_UNKNOWN) {
		struct stream_state state;
		enum stream_end end = stream_preview(s, l->arena, (struct feeder){ .feed = pass_over }, &state);

		if (end == STREAM_FAILED)
			return layout_stop(l);
		if (!stream_end_is_usable(end))
			return WLK_BROKEN;
		s->size = state.decoded;
	}
	return read_array(l, s);
}

const struct wlk_format format_idx = {
	.id = WLK_FORMAT_IDX, .probe = probe, .layout = layout, .nested = NESTED_STREAM, .judge = judge
};
