/* The cursor: how a layout reads pinned bytes.  Compares by subtraction (it cannot wrap); the first failure
 * sticks; a refused read moves nothing and stores zero; a nested structure gets its own cursor and cannot see
 * further. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "bytes.h"

enum cur_err {
	CUR_OK,
	CUR_SHORT, /* fewer bytes remain than were asked for */
};

struct cursor {
	const uint8_t *base; /* pinned bytes; base[0] is the byte at file offset `origin` */
	uint64_t origin;
	uint64_t pos;     /* file offset of the next byte */
	uint64_t end;     /* first offset we may not read; pos <= end */
	enum cur_err err; /* first failure, kept */
};

/* @data: borrowed, outlives the cursor; @origin: its offset in the file. */
struct cursor cur_over(struct bytes data, uint64_t origin);

static inline uint64_t cur_left(const struct cursor *c)
{
	return c->err == CUR_OK ? c->end - c->pos : 0;
}

/* Take n bytes; *ret is a view into the pinned bytes. */
bool cur_bytes(struct cursor *c, uint64_t n, struct bytes *ret);
bool cur_skip(struct cursor *c, uint64_t n);
bool cur_u8(struct cursor *c, uint8_t *ret);
bool cur_u16le(struct cursor *c, uint16_t *ret);
bool cur_u32le(struct cursor *c, uint32_t *ret);
bool cur_u64le(struct cursor *c, uint64_t *ret);
/* A cursor over the next n bytes, which the parent skips. */
bool cur_carve(struct cursor *c, uint64_t n, struct cursor *ret_sub);
