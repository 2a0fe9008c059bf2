/* Rows of the manifest, both ways.  See manifest.h. */
#include "manifest.h"

#include <math.h>
#include <string.h>

#include "cursor.h"

static uint8_t *put_text(uint8_t *at, struct bytes b, size_t max)
{
	size_t n = b.n < max ? b.n : max;

	store_u16le(at, (uint16_t)n);
	bytes_copy(at + 2, bytes_of(b.at, n));
	return at + 2 + n;
}

static uint8_t *put_u64(uint8_t *at, uint64_t v)
{
	store_u64le(at, v);
	return at + 8;
}

size_t manifest_encode(const struct manifest_row *row, uint8_t buf[MANIFEST_ROW_MAX])
{
	size_t dtype_n = row->dtype.n < MANIFEST_DTYPE_MAX ? row->dtype.n : MANIFEST_DTYPE_MAX;
	unsigned rank = row->rank < MANIFEST_RANK_MAX ? row->rank : MANIFEST_RANK_MAX;
	uint8_t *at = buf;

	*at++ = (uint8_t)row->kind;
	at = put_text(at, row->name, MANIFEST_NAME_MAX);
	at = put_u64(at, row->name_bytes);
	*at++ = (uint8_t)dtype_n;
	bytes_copy(at, bytes_of(row->dtype.at, dtype_n));
	at = put_text(at + dtype_n, row->member, MANIFEST_PATH_MAX);
	at = put_text(at, row->file, MANIFEST_PATH_MAX);
	at = put_u64(at, row->index);
	at = put_u64(at, row->begin);
	at = put_u64(at, row->end);
	*at++ = (uint8_t)rank;
	for (unsigned i = 0; i < rank; i++)
		at = put_u64(at, row->shape[i]);
	return (size_t)(at - buf);
}

_Static_assert(1 + 2 + MANIFEST_NAME_MAX + 8 + 1 + MANIFEST_DTYPE_MAX + 2 * (2 + MANIFEST_PATH_MAX) + 3 * 8 + 1 +
		       8 * MANIFEST_RANK_MAX <=
		   MANIFEST_ROW_MAX,
    "the largest row does not fit");

static bool take_text(struct cursor *c, size_t max, struct bytes *ret)
{
	uint16_t n;

	return cur_u16le(c, &n) && n <= max && cur_bytes(c, n, ret);
}

static bool take_shape(struct cursor *c, struct manifest_row *ret)
{
	uint8_t rank;

	if (!cur_u8(c, &rank) || rank > MANIFEST_RANK_MAX)
		return false;
	ret->rank = rank;
	for (unsigned i = 0; i < rank; i++) {
		if (!cur_u64le(c, &ret->shape[i]))
			return false;
	}
	return true;
}

bool manifest_decode(struct bytes row, struct manifest_row *ret)
{
	struct cursor c = cur_over(row, 0);
	uint8_t kind, dtype_n;

	ret->rank = 0;
	if (!cur_u8(&c, &kind) || (kind != MANIFEST_TENSOR && kind != MANIFEST_MAPPING) ||
	    !take_text(&c, MANIFEST_NAME_MAX, &ret->name) || !cur_u64le(&c, &ret->name_bytes) ||
	    ret->name_bytes < ret->name.n || !cur_u8(&c, &dtype_n) || dtype_n > MANIFEST_DTYPE_MAX ||
	    !cur_bytes(&c, dtype_n, &ret->dtype) || !take_text(&c, MANIFEST_PATH_MAX, &ret->member) ||
	    !take_text(&c, MANIFEST_PATH_MAX, &ret->file) || !cur_u64le(&c, &ret->index) ||
	    !cur_u64le(&c, &ret->begin) || !cur_u64le(&c, &ret->end) || ret->begin > ret->end || !take_shape(&c, ret))
		return false;
	ret->kind = (enum manifest_kind)kind;
	return cur_left(&c) == 0;
}

/* -- statistics -- */

static uint8_t *put_double(uint8_t *at, double d)
{
	uint64_t bits;

	memcpy(&bits, &d, sizeof(bits));
	return put_u64(at, bits);
}

static double load_double(const uint8_t *at)
{
	uint64_t bits = load_u64le(at);
	double d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

void tensor_stats_encode(const struct tensor_stats *s, uint8_t buf[TENSOR_STATS_BYTES])
{
	uint8_t *at = put_u64(put_u64(put_u64(buf, s->elements), s->finite), s->zeros);

	(void)put_double(put_double(put_double(at, s->min), s->max), s->mean);
}

bool tensor_stats_decode(const uint8_t buf[TENSOR_STATS_BYTES], struct tensor_stats *ret)
{
	*ret = (struct tensor_stats){ .elements = load_u64le(buf),
		.finite = load_u64le(buf + 8),
		.zeros = load_u64le(buf + 16),
		.min = load_double(buf + 24),
		.max = load_double(buf + 32),
		.mean = load_double(buf + 40) };
	if (ret->zeros > ret->finite || ret->finite > ret->elements)
		return false;
	if (ret->finite == 0)
		return ret->min == 0 && ret->max == 0 && ret->mean == 0;
	return isfinite(ret->min) && isfinite(ret->max) && ret->min <= ret->max &&
	       (isnan(ret->mean) || (ret->min <= ret->mean && ret->mean <= ret->max));
}
