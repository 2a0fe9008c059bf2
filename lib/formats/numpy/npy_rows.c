/* See npy_rows.h. */
#include "npy_rows.h"

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
	return layout_tensor(l, &row);
}
