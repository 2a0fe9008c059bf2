/* The extensions of a Flax checkpoint: 1 is an array, 3 a NumPy scalar (shape, type, data each), 2 a complex number
 * (rules 8 to 11 of formats/flax-msgpack).  Their payload is MessagePack again, and the walker enters it. */
#include "flax.h"

#include "checked.h"

#define POOL_MAX (UINT32_C(256) << 20)

enum { TYPE_ARRAY = 1, TYPE_COMPLEX = 2, TYPE_SCALAR = 3 };
enum { PART_SHAPE = 1, PART_DTYPE, PART_DATA }; /* of an array, by the number of those that began */

/* -- what is in it -- */

enum msgpack_take flax_array_begin(struct flax *f, const struct msgpack_object *o)
{
	if (o->type < TYPE_ARRAY || o->type > TYPE_SCALAR) {
		flax_value(f, WLK_F_FLAX_EXT_TYPE, o->offset, (uint8_t)o->type, TYPE_SCALAR);
		flax_sequence_other(&f->levels[o->depth > 0 ? o->depth - 1 : 0].own);
		f->broken = true;
		return MSGPACK_SKIP;
	}
	f->array =
	    (struct flax_array){ .open = true, .at = o->offset, .type = o->type, .depth = o->depth + 1, .elements = 1 };
	return MSGPACK_ENTER;
}

void flax_array_break(struct flax *f, uint64_t at)
{
	if (!f->array.broken)
		flax_at(f, f->array.type == TYPE_COMPLEX ? WLK_F_FLAX_COMPLEX : WLK_F_FLAX_NDARRAY_LAYOUT, at);
	f->array.broken = f->broken = true;
}

static unsigned depth_in(const struct flax_array *a, const struct msgpack_object *o)
{
	return o->depth - a->depth;
}

static void take_dim(struct flax_array *a, const struct msgpack_object *o)
{
	if (o->negative || o->value > FLAX_DIM_MAX || a->rank == FLAX_RANK_MAX)
		a->shape_bad = true;
	else
		a->shape[a->rank++] = o->value;
}

static void take_complex_part(struct flax *f, const struct msgpack_object *o)
{
	if (o->kind == MSGPACK_FLOAT32 || o->kind == MSGPACK_FLOAT64)
		flax_float(f, o->kind == MSGPACK_FLOAT32 ? WLK_DTYPE_F32 : WLK_DTYPE_F64, o->value, o->payload);
	else if (o->kind != MSGPACK_INT)
		flax_array_break(f, o->offset);
}

void flax_array_scalar(struct flax *f, const struct msgpack_object *o)
{
	struct flax_array *a = &f->array;

	if (a->broken)
		return;
	if (a->type == TYPE_COMPLEX && depth_in(a, o) == 1)
		take_complex_part(f, o);
	else if (a->type != TYPE_COMPLEX && depth_in(a, o) == 2 && o->kind == MSGPACK_INT)
		take_dim(a, o);
	else
		flax_array_break(f, o->offset);
}

void flax_array_open(struct flax *f, const struct msgpack_object *o)
{
	struct flax_array *a = &f->array;
	unsigned depth = depth_in(a, o);
	bool outermost = depth == 0 && o->n == (a->type == TYPE_COMPLEX ? 2u : 3u);
	bool shape = depth == 1 && a->type != TYPE_COMPLEX && a->part == 0;

	if (o->kind != MSGPACK_ARRAY || (!outermost && !shape))
		flax_array_break(f, o->offset);
	if (shape)
		a->part = PART_SHAPE;
}

enum msgpack_take flax_array_data(struct flax *f, const struct msgpack_object *o)
{
	struct flax_array *a = &f->array;

	if (o->kind == MSGPACK_EXT || a->type == TYPE_COMPLEX || depth_in(a, o) != 1 || a->part < PART_SHAPE) {
		flax_array_break(f, o->offset);
		return MSGPACK_SKIP;
	}
	a->part++;
	if (a->part == PART_DTYPE) {
		a->dtype_at = o->payload;
		a->dtype_n = o->n;
		return o->n <= FLAX_DTYPE_BYTES_MAX ? MSGPACK_PIECES : MSGPACK_SKIP;
	}
	a->data_at = o->payload;
	a->data_n = o->n;
	if (o->kind == MSGPACK_STR)
		flax_at(f, WLK_F_FLAX_LEGACY_STR, o->offset);
	return MSGPACK_SKIP;
}

/* Of the type's name, which fits. */
uint64_t flax_array_piece(struct flax *f, const uint8_t *at, size_t n, uint64_t offset)
{
	struct flax_array *a = &f->array;

	bytes_copy(a->dtype_text + (offset - a->dtype_at), bytes_of(at, n));
	return offset + n;
}

/* -- where it is -- */

bool flax_cover(struct flax *f, uint64_t end)
{
	struct extent *e = end > f->covered ? extents_add(f->l->extents) : NULL;

	if (end > f->covered && e == NULL)
		return flax_stop(f);
	if (e != NULL)
		*e = (struct extent){ .begin = f->covered, .end = end, .kind = EXTENT_METADATA };
	f->covered = end;
	return true;
}

/* Return: bytes of the path that are kept; the caller's name begins at f->pool_n - that. */
static bool keep_path(struct flax *f, size_t *ret_n)
{
	struct bytes path = flax_path(f);
	size_t n = path.n < REPORT_STRING_MAX ? path.n : REPORT_STRING_MAX;

	if (f->pool_room - f->pool_n < n) {
		size_t room = f->pool_room > 0 ? f->pool_room * 2 : 65536;
		uint8_t *pool = room <= POOL_MAX ? arena_resize_raw(f->l->arena, f->pool, room, 1) : NULL;

		if (pool == NULL)
			return flax_stop(f);
		f->pool = pool;
		f->pool_room = room;
	}
	bytes_copy(f->pool + f->pool_n, bytes_of(path.at, n));
	f->pool_n += n;
	*ret_n = n;
	return true;
}

static struct bytes dtype_name(const struct flax_array *a)
{
	return bytes_of(a->dtype_text, a->dtype_n <= FLAX_DTYPE_BYTES_MAX ? (size_t)a->dtype_n : 0);
}

static bool list_tensor(struct flax *f, const struct extent *e, const struct flax_dtype *type)
{
	const struct flax_array *a = &f->array;
	struct manifest_row row = { .kind = MANIFEST_TENSOR,
		.name = flax_path(f),
		.name_bytes = f->path_bytes,
		.dtype = type->kind == FLAX_DTYPE_OPAQUE ? dtype_name(a) : bytes_of_text(dtype_info(type->dtype)->name),
		.index = e->index,
		.begin = e->begin,
		.end = e->end,
		.rank = a->rank };

	for (unsigned i = 0; i < a->rank; i++)
		row.shape[i] = a->shape[i];
	if (layout_tensor(f->l, &row))
		return true;
	f->stopped = true;
	return false;
}

static bool add_tensor(struct flax *f, const struct flax_dtype *type)
{
	const struct flax_array *a = &f->array;
	struct extent *e;
	size_t name_n;

	if (f->n_tensors == f->l->lim->tensors) {
		layout_value(f->l, WLK_F_LIMIT_TENSORS, a->at, f->n_tensors + 1, f->l->lim->tensors);
		return false;
	}
	if (!flax_cover(f, a->data_at) || !keep_path(f, &name_n))
		return false;
	e = extents_add(f->l->extents);
	if (e == NULL)
		return flax_stop(f);
	*e = (struct extent){ .begin = a->data_at,
		.end = a->data_at + a->data_n, /* within the file */
		.kind = EXTENT_TENSOR,
		.dtype = (uint8_t)type->dtype,
		.flags = type->big_endian ? EXTENT_BIG_ENDIAN : 0,
		.name_at = (uint32_t)(f->pool_n - name_n),
		.name_n = (uint32_t)name_n,
		.index = (uint32_t)f->n_tensors++ };
	f->covered = e->end;
	return list_tensor(f, e, type);
}

/* -- the whole array -- */

/* Rule 9: a product that overflows does so whatever dimension is zero. */
static bool multiply_shape(struct flax_array *a, uint64_t item_bytes, uint64_t *ret_bytes)
{
	uint64_t product = 1;
	bool empty = false, fits = true;

	for (unsigned i = 0; i < a->rank; i++) {
		empty = empty || a->shape[i] == 0;
		fits = fits && mul_u64(product, a->shape[i] > 0 ? a->shape[i] : 1, &product);
	}
	fits = fits && mul_u64(product, item_bytes, ret_bytes);
	a->elements = empty ? 0 : product;
	if (empty)
		*ret_bytes = 0;
	return fits;
}

static void check_dtype(struct flax *f, const struct flax_dtype *type)
{
	const struct flax_array *a = &f->array;
	struct finding found = { .code = WLK_F_FLAX_DTYPE,
		.has_offset = true,
		.offset = a->dtype_at,
		.subject = flax_path(f),
		.found = value_text(dtype_name(a)) };

	if (found.subject.n > REPORT_STRING_MAX)
		found.subject.n = REPORT_STRING_MAX;
	if (type->kind == FLAX_DTYPE_KNOWN)
		return;
	layout_finding(f->l, &found);
	if (type->kind != FLAX_DTYPE_UNKNOWN)
		return;
	found.code = WLK_F_FLAX_DTYPE_UNKNOWN;
	layout_finding(f->l, &found);
}

/* Return: shape, type and data agree. */
static bool check_array(struct flax *f, const struct flax_dtype *type)
{
	struct flax_array *a = &f->array;
	uint64_t want;

	if (a->shape_bad) {
		flax_at(f, WLK_F_FLAX_SHAPE, a->at);
		return false;
	}
	if (a->type == TYPE_SCALAR && a->rank > 0)
		flax_value(f, WLK_F_FLAX_SCALAR_SHAPE, a->at, a->rank, 0);
	if (!multiply_shape(a, type->bytes > 0 ? type->bytes : 1, &want)) {
		flax_at(f, WLK_F_FLAX_SIZE_OVERFLOW, a->at);
		return false;
	}
	if (type->kind != FLAX_DTYPE_UNKNOWN && a->data_n != want) {
		flax_value(f, WLK_F_FLAX_SIZE_MISMATCH, a->data_at, a->data_n, want);
		return false;
	}
	return type->kind != FLAX_DTYPE_UNKNOWN;
}

bool flax_array_end(struct flax *f, uint64_t offset)
{
	struct flax_array *a = &f->array;
	struct flax_level *v = a->depth > 1 ? &f->levels[a->depth - 2] : NULL;
	struct flax_dtype type = { .kind = FLAX_DTYPE_UNKNOWN };

	(void)offset;
	a->open = false;
	if (!a->broken && a->type != TYPE_COMPLEX) {
		type = flax_dtype_of(dtype_name(a));
		check_dtype(f, &type);
		if (!check_array(f, &type))
			f->broken = a->broken = true;
	}
	if (v != NULL && !a->broken && a->type != TYPE_COMPLEX)
		flax_sequence_chunk(&v->own, a, type.dtype);
	else if (v != NULL)
		flax_sequence_other(&v->own);
	return a->broken || a->type == TYPE_COMPLEX || add_tensor(f, &type);
}
