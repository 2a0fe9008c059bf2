/* Segments, and the tensors whose data are in them or in the program: see executorch_impl.h. */
#include "executorch_impl.h"

#include "checked.h"

#include <string.h>

/* -- segments -- */

static void place_segment(struct executorch *e, const struct fb_table *t, struct et_segment *ret)
{
	uint64_t offset = t->value[SEGMENT_OFFSET], bytes = t->value[SEGMENT_BYTES], room = e->base_end - e->base;

	if (bytes == 0 && offset == 0) /* writers keep the place of constants that a program does not have */
		return;
	if (e->base == 0 || offset > room || bytes > room - offset) {
		et_wrong(e, t->at, "segment", offset, room);
		return;
	}
	ret->begin = e->base + offset;
	ret->end = ret->begin + bytes;
}

bool et_read_segments(struct executorch *e, const struct fb_table *t, unsigned field)
{
	struct fb_table s;
	uint64_t at;

	e->n_segments = t->count[field];
	e->segments = arena_alloc(e->l->arena, e->n_segments, sizeof(*e->segments));
	if (e->segments == NULL)
		return fb_fail(&e->fb, FB_FAILED, "", 0);
	for (uint32_t i = 0; i < e->n_segments; i++) {
		if (!fb_element(&e->fb, t, field, i, &at) || !fb_open(&e->fb, at, &et_segment_table, &s))
			return false;
		place_segment(e, &s, &e->segments[i]);
	}
	return true;
}

bool et_claim_segments(struct executorch *e)
{
	for (uint32_t i = 0; i < e->n_segments; i++) {
		const struct et_segment *s = &e->segments[i];

		if (!s->shared && s->end > s->begin && !fb_claim(&e->fb, s->begin, s->end, NULL, NULL))
			return false;
	}
	return true;
}

/* -- lists of tensors -- */

static bool make_list(struct executorch *e, uint32_t n, struct et_list *ret)
{
	ret->n = n;
	ret->begin = arena_alloc(e->l->arena, n, sizeof(*ret->begin));
	ret->end = arena_alloc(e->l->arena, n, sizeof(*ret->end));
	return (ret->begin != NULL && ret->end != NULL) || fb_fail(&e->fb, FB_FAILED, "", 0);
}

/* Offsets into a segment.  An empty list names none. */
static bool read_offsets(struct executorch *e, uint64_t at, struct et_list *ret)
{
	struct et_segment *s;
	struct fb_table t;
	uint64_t offset;

	if (!fb_open(&e->fb, at, &et_offsets, &t) || !fb_visit(&e->fb, t.count[OFFSETS_LIST], at) ||
	    !make_list(e, t.count[OFFSETS_LIST], ret))
		return false;
	if (ret->n == 0)
		return true;
	if (t.value[OFFSETS_SEGMENT] >= e->n_segments) {
		et_wrong(e, at, "segment", t.value[OFFSETS_SEGMENT], e->n_segments);
		return true;
	}
	s = &e->segments[t.value[OFFSETS_SEGMENT]];
	s->shared = true;
	for (uint32_t i = 0; i < ret->n; i++) {
		if (!fb_number(&e->fb, &t, OFFSETS_LIST, i, 8, &offset))
			return false;
		if (offset > s->end - s->begin) {
			et_wrong(e, at, "offset", offset, s->end - s->begin);
			continue;
		}
		ret->begin[i] = s->begin + offset;
		ret->end[i] = s->end;
	}
	return true;
}

static bool read_inline(struct executorch *e, const struct fb_table *program, struct et_list *ret)
{
	struct fb_table b;
	uint64_t at;

	if (!make_list(e, program->count[PROGRAM_CONSTANTS], ret))
		return false;
	for (uint32_t i = 0; i < ret->n; i++) {
		if (!fb_element(&e->fb, program, PROGRAM_CONSTANTS, i, &at) || !fb_open(&e->fb, at, &et_buffer, &b))
			return false;
		ret->begin[i] = b.value[0];
		ret->end[i] = b.value[0] + b.count[0]; /* in the program */
	}
	return true;
}

bool et_read_constants(struct executorch *e, const struct fb_table *program)
{
	uint64_t at;

	e->n_mutables = program->count[PROGRAM_MUTABLE_SEGMENTS];
	e->mutables = arena_alloc(e->l->arena, e->n_mutables, sizeof(*e->mutables));
	if (e->mutables == NULL)
		return fb_fail(&e->fb, FB_FAILED, "", 0);
	for (uint32_t i = 0; i < e->n_mutables; i++)
		if (!fb_element(&e->fb, program, PROGRAM_MUTABLE_SEGMENTS, i, &at) ||
		    !read_offsets(e, at, &e->mutables[i]))
			return false;
	if (fb_has(program, PROGRAM_CONSTANT_SEGMENT) &&
	    !read_offsets(e, program->value[PROGRAM_CONSTANT_SEGMENT], &e->constants))
		return false;
	if (program->count[PROGRAM_CONSTANTS] == 0)
		return true;
	if (e->constants.n > 0) /* the schema: one or the other */
		et_wrong(e, program->at, "constants", program->count[PROGRAM_CONSTANTS], 0);
	return read_inline(e, program, &e->constants);
}

/* -- tensors -- */

#define NO_TYPE UINT8_MAX

/* ScalarType by number. */
static const uint8_t types[] = { WLK_DTYPE_U8, WLK_DTYPE_I8, WLK_DTYPE_I16, WLK_DTYPE_I32, WLK_DTYPE_I64, WLK_DTYPE_F16,
	WLK_DTYPE_F32, WLK_DTYPE_F64, WLK_DTYPE_C32, WLK_DTYPE_C64, WLK_DTYPE_C128, WLK_DTYPE_BOOL, WLK_DTYPE_I8,
	WLK_DTYPE_U8, WLK_DTYPE_I32, WLK_DTYPE_BF16, WLK_DTYPE_U8, WLK_DTYPE_U8, NO_TYPE, NO_TYPE, NO_TYPE, NO_TYPE,
	NO_TYPE, WLK_DTYPE_F8_E5M2, WLK_DTYPE_F8_E4M3, WLK_DTYPE_F8_E5M2FNUZ, WLK_DTYPE_F8_E4M3FNUZ, WLK_DTYPE_U16,
	WLK_DTYPE_U32, WLK_DTYPE_U64 };

static bool find_type(unsigned type, enum wlk_dtype *ret)
{
	if (type >= sizeof(types) || types[type] == NO_TYPE)
		return false;
	*ret = types[type];
	return true;
}

bool et_read_shape(struct executorch *e, const struct fb_table *t, unsigned field, struct et_tensor *ret)
{
	uint64_t dim;

	ret->rank = t->count[field];
	if (ret->rank > MANIFEST_RANK_MAX)
		return fb_fail(&e->fb, FB_LIMIT, "sizes", t->at);
	for (unsigned i = 0; i < ret->rank; i++) {
		if (!fb_number(&e->fb, t, field, i, 4, &dim))
			return false;
		if (dim > INT32_MAX)
			et_wrong(e, t->at, "sizes", dim, INT32_MAX);
		ret->shape[i] = dim;
	}
	return true;
}

static bool bytes_of_tensor(const struct et_tensor *t, enum wlk_dtype dtype, uint64_t *ret)
{
	uint64_t n = dtype_info(dtype)->bits / 8; /* whole bytes, all of them */

	for (unsigned i = 0; i < t->rank; i++)
		if (!mul_u64(n, t->shape[i], &n))
			return false;
	*ret = n;
	return true;
}

static bool keep_name(struct executorch *e, struct bytes name)
{
	if (e->names_room - e->names_n < name.n) {
		size_t room = e->names_room > 0 ? 2 * e->names_room : 65536;
		uint8_t *names = room < UINT32_MAX ? arena_resize_raw(e->l->arena, e->names, room, 1) : NULL;

		if (names == NULL)
			return fb_fail(&e->fb, FB_FAILED, "", 0);
		e->names = names;
		e->names_room = room;
	}
	bytes_copy(e->names + e->names_n, name);
	e->names_n += name.n;
	return true;
}

static bool list_tensor(struct executorch *e, const struct et_tensor *t, const struct extent *x)
{
	struct manifest_row row = { .kind = MANIFEST_TENSOR,
		.name = t->name,
		.name_bytes = t->name.n,
		.dtype = bytes_of_text(dtype_info(x->dtype)->name),
		.index = x->index,
		.begin = x->begin,
		.end = x->end,
		.rank = t->rank };

	memcpy(row.shape, t->shape, t->rank * sizeof(t->shape[0]));
	if (!layout_wants_tensors(e->l) || layout_tensor(e->l, &row))
		return true;
	e->fb.failed = true;
	return false;
}

/* Data that two tensors share are the first one's, and are examined as numbers if either says that they are. */
static bool own_extent(struct executorch *e, const struct et_tensor *t, enum wlk_dtype dtype, uint32_t index)
{
	struct extent *x = &e->claims.list[index];

	if (x->kind == EXTENT_TENSOR) {
		if (dtype_is_float(dtype) && !dtype_is_float(x->dtype))
			x->dtype = (uint8_t)dtype;
		return true;
	}
	x->kind = EXTENT_TENSOR;
	x->dtype = (uint8_t)dtype;
	x->name_at = (uint32_t)e->names_n;
	x->name_n = (uint32_t)t->name.n;
	x->index = e->n_listed++;
	return keep_name(e, t->name) && list_tensor(e, t, x);
}

bool et_own_data(struct executorch *e, const struct et_tensor *t, uint64_t begin, uint64_t limit)
{
	enum wlk_dtype dtype;
	uint32_t index;
	uint64_t n;

	if (!find_type(t->type, &dtype)) {
		et_tell(e, WLK_F_EXECUTORCH_UNSUPPORTED, t->at, bytes_of_text("scalar type"));
		return true;
	}
	if (!bytes_of_tensor(t, dtype, &n) || n > limit - begin) {
		et_wrong(e, t->at, "tensor", n, limit - begin);
		return true;
	}
	return n == 0 || (fb_claim(&e->fb, begin, begin + n, &index, NULL) && own_extent(e, t, dtype, index));
}
