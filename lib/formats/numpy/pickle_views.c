/* What a loader makes of the arrays of a pickle, for who converts: their dimensions and order, and which of them do not stand in the
 * file as they are. */
#include "checked.h"
#include "convert.h"
#include "pickle_arrays_impl.h"

void pickle_views_shape(
    struct pickle_arrays *a, struct thing *array, const struct pickle *p, pickle_value shape, bool column_major)
{
	uint64_t n = pickle_count(p, shape);
	uint64_t *dims;
	int64_t dim;

	if (!a->lists || n > MANIFEST_RANK_MAX)
		return;
	dims = arena_alloc(a->l->arena, n > 0 ? n : 1, sizeof(*dims));
	if (dims == NULL) {
		a->status = WLK_INCOMPLETE;
		return;
	}
	for (uint64_t i = 0; i < n; i++) {
		if (!pickle_int(p, pickle_item(p, shape, i), &dim) || dim < 0)
			return; /* which was said */
		dims[i] = (uint64_t)dim;
	}
	array->shape = dims;
	array->rank = (uint32_t)n;
	array->column_major = column_major;
}

/* Is an element a number, and no text, time or raw bytes? */
static bool is_number(const struct thing *t)
{
	return t->record == NULL && t->type.kind != '\0' && strchr("biufc", t->type.kind) != NULL;
}

static bool is_empty(const struct thing *t)
{
	for (uint32_t i = 0; i < t->rank; i++)
		if (t->shape[i] == 0)
			return true;
	return false;
}

static struct bytes name_of(const struct pickle_arrays *a, const struct thing *t)
{
	return bytes_of(a->names + t->name_at, t->name_n);
}

bool pickle_views_leave(struct pickle_arrays *a, const struct thing *t)
{
	const struct report_taker *taker = a->l->report->taker;

	if (is_number(t) && t->shape != NULL && is_empty(t))
		return true;
	if (t->record != NULL)
		taker->leave(taker->ctx, name_of(a, t), CONVERT_SHAPE, true);
	else if (is_number(t))
		taker->leave(taker->ctx, name_of(a, t), CONVERT_PIECES, true);
	else
		taker->leave(taker->ctx, name_of(a, t), CONVERT_NO_TENSOR, false);
	return false;
}

/* NULL: memory is spent. */
static struct tensor_view *make_view(struct pickle_arrays *a, const struct thing *t, struct bytes name)
{
	struct tensor_view *v = arena_alloc(a->l->arena, 1, sizeof(*v));
	uint64_t *strides = arena_alloc(a->l->arena, t->rank > 0 ? t->rank : 1, sizeof(*strides)), step = 1;

	if (v == NULL || strides == NULL)
		return NULL;
	for (uint32_t i = 0; i < t->rank; i++) {
		uint32_t at = t->column_major ? i : t->rank - 1 - i;

		strides[at] = step;
		(void)mul_u64(
		    step, t->shape[at], &step); /* the product is known not to wrap, but where a dimension is 0 */
	}
	*v = (struct tensor_view){
		.name = name, .dtype = t->type.dtype, .rank = t->rank, .shape = t->shape, .stride = strides
	};
	return v;
}

/* Whose elements would be others than its own, or not be known? */
static bool is_sound(const struct thing *t, const struct thing *first)
{
	return t->shape != NULL && t->n == first->n && t->type.big_endian == first->type.big_endian;
}

static bool add_view(struct pickle_arrays *a, const struct thing *t, struct bytes name, const struct tensor_view **list)
{
	struct tensor_view *v = make_view(a, t, name);

	if (v == NULL)
		return false;
	v->next = *list != &tensor_view_none ? *list : NULL;
	*list = v;
	return true;
}

/* Under each of its names. */
static bool add_views(struct pickle_arrays *a, const struct thing *t, const struct tensor_view **list)
{
	for (const struct pickle_alias *other = t->others; other != NULL; other = other->next)
		if (other->name.n > 0 && !add_view(a, t, other->name, list))
			return false;
	return add_view(a, t, name_of(a, t), list);
}

/* *ret is tensor_view_none where none of them is a tensor. */
static bool make_views(struct pickle_arrays *a, const struct thing *list, uint32_t n, const struct tensor_view **ret)
{
	const struct report_taker *taker = a->l->report->taker;

	*ret = &tensor_view_none;
	for (uint32_t i = n; i-- > 0;) {
		if (!is_number(&list[i]) || !is_sound(&list[i], list)) {
			taker->leave(taker->ctx, name_of(a, &list[i]),
			    is_number(&list[i]) ? CONVERT_PIECES : CONVERT_NO_TENSOR, is_number(&list[i]));
			continue;
		}
		if (!add_views(a, &list[i], ret))
			return false;
	}
	return true;
}

bool pickle_views_list(struct pickle_arrays *a, struct extents *x, const struct extent *e, uint32_t first, uint32_t n)
{
	const struct thing *t = &a->things[first];
	struct manifest_row row = { .kind = MANIFEST_TENSOR,
		.name = name_of(a, t),
		.name_bytes = t->name_n,
		.dtype = bytes_of_text(dtype_info(t->type.dtype)->name),
		.index = e->index,
		.begin = e->begin,
		.end = e->end,
		.rank = 1 };

	if (a->l->extents != x || !make_views(a, t, n, &row.views))
		return false;
	row.shape[0] = t->n;
	if (row.views == &tensor_view_none)
		return true; /* which was said */
	return layout_tensor(a->l, &row);
}
