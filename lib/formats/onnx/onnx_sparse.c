/* Sparse tensors of an ONNX model: rule 11 of formats/onnx.  Typed indices are looked at as they go by, raw ones after the
 * walk; both must be in range and strictly ascend, or readers put two values in one place, or one outside the tensor. */
#include "checked.h"
#include "onnx.h"

#define DTYPE_INT64 7u

void onnx_sparse_dim(struct onnx_sparse *s, uint64_t value)
{
	if (s->rank == ONNX_DIMS_MAX || value > ONNX_DIM_MAX || !mul_u64(s->elements, value, &s->elements))
		s->bad = true;
	else
		s->shape[s->rank++] = value;
}

/* -- indices -- */

/* Numbers of one index: [nnz] into the flattened tensor, or [nnz, rank].  0: no such shape. */
static unsigned columns_of(uint64_t rank, const uint64_t *shape)
{
	if (rank == 1)
		return 1;
	return rank == 2 && shape[1] <= ONNX_DIMS_MAX ? (unsigned)shape[1] : 0;
}

/* One index after the other: the first number that differs from the index before decides. */
static void take_index(struct onnx_indices *x, int64_t value)
{
	unsigned c = x->column;

	if (x->columns == 0 || value < 0) {
		x->bad = true;
		return;
	}
	if (c == 0)
		x->ascends = x->n == 0;
	if (!x->ascends && value < x->row[c])
		x->bad = true;
	x->ascends = x->ascends || value > x->row[c];
	if (c + 1 == x->columns && !x->ascends)
		x->bad = true;
	x->row[c] = value;
	x->most[c] = value > x->most[c] ? value : x->most[c];
	x->column = (c + 1) % x->columns;
	x->n++;
}

void onnx_sparse_index(struct onnx_sparse *s, const struct onnx_tensor *t, uint64_t value)
{
	if (s->indices.n == 0)
		s->indices.columns = columns_of(t->rank, t->shape);
	take_index(&s->indices, (int64_t)value);
}

void onnx_sparse_indices_end(struct onnx_sparse *s, const struct onnx_tensor *t)
{
	s->has_indices = true;
	s->n_indices = t->elements;
	s->index_rank = t->rank;
	s->index_dtype = t->dtype;
	s->raw = t->present == 1u << ONNX_DATA_RAW && t->counts[ONNX_DATA_RAW] > 0;
	s->raw_at = t->data_at;
	s->indices_elsewhere = t->external.n > 0;
	if (s->raw)
		s->indices.columns = columns_of(t->rank, t->shape);
}

/* -- the whole -- */

static bool fits(const struct onnx_sparse *s)
{
	uint64_t per_value = s->index_rank == 2 ? s->rank : 1;

	if (!s->has_values || !s->has_indices || s->bad || s->rank == 0)
		return false;
	return s->values_rank == 1 && s->index_dtype == DTYPE_INT64 && (s->index_rank == 1 || s->index_rank == 2) &&
	       s->nnz <= s->elements && s->n_indices % per_value == 0 && s->n_indices / per_value == s->nnz;
}

static bool in_range(const struct onnx_sparse *s)
{
	const struct onnx_indices *x = &s->indices;

	if (x->bad || x->n != s->n_indices || (x->n > 0 && s->index_rank == 2 && x->columns != s->rank))
		return false;
	for (unsigned c = 0; x->n > 0 && c < x->columns; c++) {
		if ((uint64_t)x->most[c] >= (s->index_rank == 2 ? s->shape[c] : s->elements))
			return false;
	}
	return true;
}

static bool keep(struct onnx *o, const struct onnx_sparse *s)
{
	struct onnx_sparse *copy;

	if (o->n_sparses == ONNX_SPARSE_MAX) {
		onnx_value(o, WLK_F_ONNX_LIMIT, s->at, bytes_of_text("sparse"), ONNX_SPARSE_MAX + 1, ONNX_SPARSE_MAX);
		return true;
	}
	if (o->n_sparses == o->sparses_room) {
		uint32_t room = o->sparses_room > 0 ? o->sparses_room * 2 : 64;
		struct onnx_sparse **list = arena_resize_raw(o->l->arena, o->sparses, room, sizeof(*list));

		if (list == NULL)
			return onnx_stop(o);
		o->sparses = list;
		o->sparses_room = room;
	}
	copy = arena_alloc(o->l->arena, 1, sizeof(*copy));
	if (copy == NULL)
		return onnx_stop(o);
	*copy = *s;
	o->sparses[o->n_sparses++] = copy;
	return true;
}

/* Nobody looks at indices in another file: a set reads it as weights, and weights are in no range.  Outside of a set all that is
 * external has that finding already. */
static void indices_unseen(struct onnx *o, uint64_t at)
{
	o->broken = true;
	if (o->l->of_set)
		onnx_at(o, WLK_F_ONNX_EXTERNAL_UNCHECKED, at, (struct bytes){ 0 });
}

bool onnx_sparse_end(struct onnx *o, struct onnx_level *v)
{
	const struct onnx_sparse *s = v->sparse;

	if (!fits(s)) {
		onnx_at(o, WLK_F_ONNX_SPARSE, v->at, (struct bytes){ 0 });
		return true;
	}
	if (s->indices_elsewhere)
		indices_unseen(o, v->at);
	else if (s->raw)
		return keep(o, s);
	else if (!in_range(s))
		onnx_at(o, WLK_F_ONNX_SPARSE, v->at, (struct bytes){ 0 });
	return true;
}

/* -- raw indices, after the walk -- */

struct reading {
	struct onnx_indices *x;
	uint64_t number;
	unsigned shift;
};

static uint64_t feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct reading *r = ctx;

	for (size_t i = 0; i < n; i++) {
		r->number |= (uint64_t)at[i] << r->shift;
		r->shift += 8;
		if (r->shift == 64) {
			take_index(r->x, (int64_t)r->number);
			r->number = 0;
			r->shift = 0;
		}
	}
	return offset + n;
}

bool onnx_sparse_finish(struct onnx *o)
{
	for (uint32_t i = 0; i < o->n_sparses; i++) {
		struct onnx_sparse *s = o->sparses[i];
		struct reading r = { .x = &s->indices };
		uint64_t bytes, end;

		/* A size that does not suit has been told. */
		if (!mul_u64(s->n_indices, 8, &bytes) || !add_u64(s->raw_at, bytes, &end) || end > o->l->part.size) {
			s->indices.bad = true;
		} else {
			struct part part = part_range(&o->l->part, s->raw_at, bytes);

			if (!part_preview(&part, 0, (struct feeder){ feed, &r }))
				return false;
		}
		if (!in_range(s))
			onnx_at(o, WLK_F_ONNX_SPARSE, s->at, (struct bytes){ 0 });
	}
	return true;
}
