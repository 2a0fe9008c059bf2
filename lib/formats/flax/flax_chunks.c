/* Arrays of more than 2^30 bytes, which Flax splits: a map of a marker, the shape, and flat arrays to be put together
 * (rules 4 and 12 of formats/flax-msgpack).  Keys come in any order, so every map keeps the sum of what it holds. */
#include "flax.h"

#include "checked.h"
#include "decimal.h"

enum flax_role flax_role_of(struct bytes key)
{
	if (bytes_equal(key, bytes_of_text("__msgpack_chunked_array__")))
		return FLAX_MARKER;
	if (bytes_equal(key, bytes_of_text("shape")))
		return FLAX_SHAPE;
	return bytes_equal(key, bytes_of_text("chunks")) ? FLAX_CHUNKS : FLAX_OTHER;
}

void flax_sequence_key(struct flax_sequence *s, struct bytes key)
{
	char text[DECIMAL_MAX];

	if (!bytes_equal(key, bytes_of(text, decimal_text(s->n++, text))))
		s->keys_bad = true;
}

void flax_sequence_dim(struct flax_sequence *s, uint64_t value)
{
	s->chunks_bad = true;
	if (s->n > FLAX_RANK_MAX || value > FLAX_DIM_MAX || !mul_u64(s->product, value, &s->product))
		s->dims_bad = true;
}

void flax_sequence_chunk(struct flax_sequence *s, const struct flax_array *a, enum wlk_dtype dtype)
{
	s->dims_bad = true;
	if (s->n == 1)
		s->dtype = (uint8_t)dtype;
	if (a->type != 1 || a->rank != 1 || dtype == WLK_DTYPE_NONE || s->dtype != dtype ||
	    !add_u64(s->elements, a->elements, &s->elements))
		s->chunks_bad = true;
}

void flax_sequence_other(struct flax_sequence *s)
{
	s->dims_bad = s->chunks_bad = true;
}

/* Rule 12. */
static bool fits(const struct flax_sequence *shape, const struct flax_sequence *chunks)
{
	return !shape->keys_bad && !shape->dims_bad && !chunks->keys_bad && !chunks->chunks_bad && chunks->n > 0 &&
	       chunks->elements == shape->product;
}

void flax_chunks_check(struct flax *f, const struct flax_level *v)
{
	const unsigned all = 1u << FLAX_MARKER | 1u << FLAX_SHAPE | 1u << FLAX_CHUNKS;

	if (v->marker_bad || v->roles != all || !v->shape.given || !v->chunks.given)
		flax_at(f, WLK_F_FLAX_CHUNKED, v->at);
	else if (!fits(&v->shape, &v->chunks))
		flax_value(f, WLK_F_FLAX_CHUNKED_SIZE, v->at, v->chunks.elements, v->shape.product);
}
