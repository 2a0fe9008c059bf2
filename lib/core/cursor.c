/* The cursor: see cursor.h.  Everything goes through cur_bytes(), the one place that compares and moves. */
#include <assert.h>

#include "checked.h"
#include "cursor.h"

struct cursor cur_over(struct bytes data, uint64_t origin)
{
	struct cursor c = { .base = data.at, .origin = origin, .pos = origin };

	/* Pinned bytes lie inside a file, whose offsets do not wrap. */
	if (!add_u64(origin, data.n, &c.end))
		assert(false);
	return c;
}

bool cur_bytes(struct cursor *c, uint64_t n, struct bytes *ret)
{
	*ret = (struct bytes){ 0 };
	if (c->err == CUR_OK && n > c->end - c->pos)
		c->err = CUR_SHORT;
	if (c->err != CUR_OK)
		return false;
	if (n > 0)
		*ret = bytes_of(c->base + (c->pos - c->origin), (size_t)n);
	c->pos += n;
	return true;
}

bool cur_skip(struct cursor *c, uint64_t n)
{
	struct bytes skipped;

	return cur_bytes(c, n, &skipped);
}

bool cur_u8(struct cursor *c, uint8_t *ret)
{
	struct bytes b;
	bool ok = cur_bytes(c, 1, &b);

	*ret = ok ? b.at[0] : 0;
	return ok;
}

bool cur_u16le(struct cursor *c, uint16_t *ret)
{
	struct bytes b;
	bool ok = cur_bytes(c, 2, &b);

	*ret = ok ? load_u16le(b.at) : 0;
	return ok;
}

bool cur_u32le(struct cursor *c, uint32_t *ret)
{
	struct bytes b;
	bool ok = cur_bytes(c, 4, &b);

	*ret = ok ? load_u32le(b.at) : 0;
	return ok;
}

bool cur_u64le(struct cursor *c, uint64_t *ret)
{
	struct bytes b;
	bool ok = cur_bytes(c, 8, &b);

	*ret = ok ? load_u64le(b.at) : 0;
	return ok;
}

bool cur_carve(struct cursor *c, uint64_t n, struct cursor *ret_sub)
{
	uint64_t at = c->pos;
	struct bytes b;

	*ret_sub = (struct cursor){ .err = CUR_SHORT };
	if (!cur_bytes(c, n, &b))
		return false;
	*ret_sub = cur_over(b, at);
	return true;
}
