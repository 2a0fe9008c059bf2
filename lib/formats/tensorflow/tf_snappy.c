/* Snappy: see tf_snappy.h.  A length, then elements: literal bytes, or a copy of what came before. */
#include "tf_snappy.h"

#include "cursor.h"

enum { LITERAL, COPY_SHORT, COPY, COPY_FAR };

/* Seven bits a byte, the lowest first; at most 32 bits. */
static bool take_length(struct cursor *c, uint64_t *ret)
{
	uint64_t length = 0;
	uint8_t byte;

	for (unsigned shift = 0; shift < 35; shift += 7) {
		if (!cur_u8(c, &byte))
			return false;
		length |= (uint64_t)(byte & 127) << shift;
		if (byte < 128) {
			*ret = length;
			return length <= UINT32_MAX;
		}
	}
	return false;
}

bool snappy_length(struct bytes coded, uint64_t *ret)
{
	struct cursor c = cur_over(coded, 0);

	return take_length(&c, ret);
}

/* @n: bytes of a number, one to four. */
static bool take_number(struct cursor *c, unsigned n, uint64_t *ret)
{
	struct bytes at;

	*ret = 0;
	if (!cur_bytes(c, n, &at))
		return false;
	for (unsigned i = 0; i < n; i++)
		*ret |= (uint64_t)at.at[i] << 8 * i;
	return true;
}

struct output {
	uint8_t *at;
	size_t n, done;
};

static bool put_literal(struct output *o, struct cursor *c, uint8_t tag)
{
	uint64_t length = tag >> 2;
	struct bytes literal;

	if (length >= 60 && !take_number(c, (unsigned)length - 59, &length))
		return false;
	if (length >= o->n - o->done || !cur_bytes(c, length + 1, &literal))
		return false;
	bytes_copy(o->at + o->done, literal);
	o->done += literal.n;
	return true;
}

/* What is copied may reach into what the copy writes: byte by byte. */
static bool put_copy(struct output *o, uint64_t back, size_t length)
{
	if (back == 0 || back > o->done || length > o->n - o->done)
		return false;
	for (size_t i = 0; i < length; i++, o->done++)
		o->at[o->done] = o->at[o->done - back];
	return true;
}

static bool put_element(struct output *o, struct cursor *c)
{
	uint64_t back;
	uint8_t tag;

	if (!cur_u8(c, &tag))
		return false;
	switch (tag & 3) {
	case LITERAL: return put_literal(o, c, tag);
	case COPY_SHORT:
		return take_number(c, 1, &back) && put_copy(o, back | (uint64_t)(tag >> 5) << 8, (tag >> 2 & 7u) + 4u);
	case COPY: return take_number(c, 2, &back) && put_copy(o, back, (tag >> 2) + 1u);
	default: return take_number(c, 4, &back) && put_copy(o, back, (tag >> 2) + 1u);
	}
}

bool snappy_decode(struct bytes coded, uint8_t *out, size_t n)
{
	struct cursor c = cur_over(coded, 0);
	struct output o = { .at = out, .n = n };
	uint64_t length;

	if (!take_length(&c, &length) || length != n)
		return false;
	while (cur_left(&c) > 0)
		if (!put_element(&o, &c))
			return false;
	return o.done == n;
}
