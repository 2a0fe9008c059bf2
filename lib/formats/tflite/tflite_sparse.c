/* Sparse tensors: their indices against their shape, as the runtime's converter to dense will follow them.  The schema's
 * comment on SparsityParameters is the clause: levels in the order of traversal, those beyond the rank are inside a block. */
#include "tflite.h"

#include "checked.h"

#define LEVELS_MAX (2 * MANIFEST_RANK_MAX)

struct levels {
	struct fb_table table;
	const uint64_t *shape;
	unsigned rank, n;
	uint64_t order[LEVELS_MAX]; /* which dimension a level goes through */
	uint64_t map[LEVELS_MAX];   /* of block dimension i: the one it divides */
	uint64_t size[LEVELS_MAX];  /* of a dimension, counted in blocks; behind the rank: of a block */
	uint64_t values;            /* stored down to here */
};

/* One of the unions that holds indices. */
struct indices {
	struct fb_table table;
	unsigned bytes;
	uint32_t n;
};

static bool read_indices(struct tflite *t, const struct fb_table *d, unsigned type_field, struct indices *ret)
{
	static const unsigned bytes[] = { 4, 2, 1 };
	const struct fb_schema *schema = tflite_index_vector(d->value[type_field]);

	ret->n = 0;
	ret->bytes = 0; /* none */
	if (schema == NULL || !fb_has(d, type_field + 1))
		return true;
	if (!fb_open(&t->fb, d->value[type_field + 1], schema, &ret->table))
		return false;
	ret->bytes = bytes[d->value[type_field] - 1];
	ret->n = ret->table.count[0];
	return fb_visit(&t->fb, ret->n, d->at);
}

/* Segments ascend from 0 to the number of indices, one for each value above; indices are below the dimension's size. */
static bool check_rows(
    struct tflite *t, const struct indices *segments, const struct indices *indices, uint64_t size, bool *ret_sound)
{
	uint64_t before = 0, number;

	for (uint32_t i = 0; i < segments->n; i++) {
		if (!fb_number(&t->fb, &segments->table, 0, i, segments->bytes, &number))
			return false;
		*ret_sound = *ret_sound && number >= before && (i > 0 || number == 0);
		before = number;
	}
	*ret_sound = *ret_sound && before == indices->n;
	for (uint32_t i = 0; i < indices->n; i++) {
		if (!fb_number(&t->fb, &indices->table, 0, i, indices->bytes, &number))
			return false;
		*ret_sound = *ret_sound && number < size;
	}
	return true;
}

static bool read_level(struct tflite *t, struct levels *v, const struct fb_table *d, uint64_t size, bool *ret_sound)
{
	struct indices segments, indices;

	if (!read_indices(t, d, DIMENSION_SEGMENTS_TYPE, &segments) ||
	    !read_indices(t, d, DIMENSION_INDICES_TYPE, &indices))
		return false;
	if (d->value[DIMENSION_FORMAT] == 0) {
		*ret_sound = d->value[DIMENSION_SIZE] == size && mul_u64(v->values, size, &v->values) &&
			     v->values <= INT64_MAX / 16;
		return true;
	}
	*ret_sound = d->value[DIMENSION_FORMAT] == 1 && segments.bytes > 0 && indices.bytes > 0 && segments.n > 0 &&
		     segments.n - 1 == v->values;
	v->values = indices.n;
	return !*ret_sound || check_rows(t, &segments, &indices, size, ret_sound);
}

/* Every dimension once, block dimensions behind the others; each divides the one it is mapped to. */
static bool read_order(struct tflite *t, struct levels *v, bool *ret_sound)
{
	uint64_t seen[LEVELS_MAX / 64] = { 0 };
	unsigned n_map = v->table.count[SPARSITY_BLOCK_MAP];

	*ret_sound = v->n >= v->rank && n_map == v->n - v->rank;
	for (unsigned i = 0; i < v->n && *ret_sound; i++) {
		uint64_t dimension;

		if (!fb_number(&t->fb, &v->table, SPARSITY_ORDER, i, 4, &dimension))
			return false;
		*ret_sound = dimension < v->n && (dimension < v->rank) == (i < v->rank) &&
			     (seen[dimension / 64] >> dimension % 64 & 1) == 0;
		if (*ret_sound)
			seen[dimension / 64] |= UINT64_C(1) << dimension % 64;
		v->order[i] = dimension;
	}
	for (unsigned i = 0; i < n_map && *ret_sound; i++) {
		if (!fb_number(&t->fb, &v->table, SPARSITY_BLOCK_MAP, i, 4, &v->map[i]))
			return false;
		*ret_sound = v->map[i] < v->rank;
	}
	return true;
}

static bool open_level(struct tflite *t, const struct levels *v, unsigned i, struct fb_table *ret)
{
	uint64_t at;

	return fb_element(&t->fb, &v->table, SPARSITY_DIMENSIONS, i, &at) &&
	       fb_open(&t->fb, at, &tflite_dimension, ret);
}

/* Blocks first: what is left of a dimension is counted in them. */
static bool read_blocks(struct tflite *t, struct levels *v, bool *ret_sound)
{
	struct fb_table d;

	for (unsigned i = 0; i < v->rank; i++)
		v->size[i] = v->shape[i];
	for (unsigned i = v->rank; i < v->n && *ret_sound; i++) {
		uint64_t *dimension = &v->size[v->map[v->order[i] - v->rank]], block;

		if (!open_level(t, v, i, &d))
			return false;
		block = d.value[DIMENSION_SIZE];
		*ret_sound = d.value[DIMENSION_FORMAT] == 0 && block > 0 && *dimension % block == 0;
		if (*ret_sound)
			*dimension /= block;
		v->size[v->order[i]] = block;
	}
	return true;
}

bool tflite_read_sparsity(
    struct tflite *t, uint64_t at, const uint64_t *shape, unsigned rank, uint64_t *ret_n, bool *ret_sound)
{
	struct levels v = { .shape = shape, .rank = rank, .values = 1 };
	struct fb_table d;

	if (!fb_open(&t->fb, at, &tflite_sparsity, &v.table))
		return false;
	v.n = v.table.count[SPARSITY_ORDER];
	*ret_sound = v.n <= LEVELS_MAX && v.n == v.table.count[SPARSITY_DIMENSIONS];
	if (!*ret_sound)
		return true;
	if (!read_order(t, &v, ret_sound) || !read_blocks(t, &v, ret_sound))
		return false;
	for (unsigned i = 0; i < v.n && *ret_sound; i++) {
		if (!open_level(t, &v, i, &d) || !read_level(t, &v, &d, v.size[v.order[i]], ret_sound))
			return false;
	}
	*ret_n = v.values;
	return true;
}
