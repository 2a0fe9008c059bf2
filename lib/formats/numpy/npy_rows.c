/* See npy_rows.h. */
#include "npy_rows.h"

#include "convert.h"
#include "records.h"

_Static_assert(NUMPY_DIMENSIONS_MAX <= MANIFEST_RANK_MAX, "an array's shape does not fit a row");

static void set_shape(struct manifest_row *row, const struct numpy_shape *shape)
{
	row->rank = shape->n;
	for (unsigned i = 0; i < shape->n; i++)
		row->shape[i] = shape->dims[i];
}

static void add_dimension(struct manifest_row *row, uint64_t n)
{
	if (n != 1 && row->rank < MANIFEST_RANK_MAX)
		row->shape[row->rank++] = n;
}

static void set_name(struct manifest_row *row, struct bytes name, enum wlk_dtype dtype)
{
	row->name = name;
	row->name_bytes = name.n;
	row->dtype = bytes_of_text(dtype_info(dtype)->name);
}

static bool list_fields(
    struct layout *l, const struct npy_header *h, const struct record_type *records, struct manifest_row *row)
{
	for (size_t i = 0; i < records->n_tensors; i++) {
		const struct record_tensor *t = &records->tensors[i];

		set_name(row, t->name, t->dtype);
		set_shape(row, &h->shape);
		add_dimension(row, t->per_record);
		row->index = records->first_row + i;
		if (!layout_tensor(l, row))
			return false;
	}
	return true;
}

/* Is an element a number, and no text, time or raw bytes? */
static bool is_number(const struct numpy_type *t)
{
	return t->kind != '\0' && strchr("biufc", t->kind) != NULL;
}

/* The order of Fortran: the first dimension runs fastest. */
static const struct tensor_view *column_view(struct layout *l, const struct npy_header *h, struct bytes key)
{
	const struct numpy_shape *shape = &h->shape;
	struct tensor_view *v = arena_alloc(l->arena, 1, sizeof(*v));
	uint64_t *sizes = arena_alloc(l->arena, 2 * shape->n, sizeof(*sizes)), *strides, step = 1;

	if (v == NULL || sizes == NULL)
		return NULL;
	strides = sizes + shape->n;
	for (unsigned i = 0; i < shape->n; i++) {
		sizes[i] = shape->dims[i];
		strides[i] = step;
		step *= shape->dims[i]; /* the product is known not to wrap */
	}
	*v = (struct tensor_view){ .name = key, .rank = shape->n, .shape = sizes, .stride = strides };
	return v;
}

bool npy_list(struct layout *l, const struct npy_header *h, const struct extent *e, struct bytes key)
{
	struct manifest_row row = { .kind = MANIFEST_TENSOR, .begin = e->begin, .end = e->end };

	if (!layout_wants_tensors(l))
		return true;
	if ((e->flags & EXTENT_RECORDS) != 0)
		return list_fields(l, h, records_of(l->extents, e), &row);
	set_name(&row, key, e->dtype);
	set_shape(&row, &h->shape);
	add_dimension(&row, h->record.type.bytes / (dtype_info(e->dtype)->bits / 8));
	row.index = e->index;
	if (layout_wants_views(l) && !is_number(&h->record.type)) {
		row.views = &tensor_view_none;
	} else if (layout_wants_views(l) && h->fortran_order && h->shape.n > 1) {
		row.views = column_view(l, h, key);
		if (row.views == NULL)
			return false;
	}
	return layout_tensor(l, &row);
}
