/* See keeper_wire.h. */
#include "keeper_wire.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void keeper_frame_head(const struct keeper_frame *f, uint8_t head[KEEPER_HEAD])
{
	assert(f->payload.n <= KEEPER_PAYLOAD_MAX);
	store_u32le(head, (uint32_t)f->payload.n);
	store_u16le(head + 4, f->kind);
	store_u16le(head + 6, f->status);
	store_u64le(head + 8, f->id);
}

/* Bytes of the frame that begins there, as far as is known. */
static size_t frame_needs(const struct keeper_reader *r)
{
	uint32_t n;

	if (r->end - r->begin < KEEPER_HEAD)
		return KEEPER_HEAD;
	n = load_u32le(r->at + r->begin);
	return n <= KEEPER_PAYLOAD_MAX ? KEEPER_HEAD + (size_t)n : 0;
}

enum keeper_progress keeper_reader_next(struct keeper_reader *r, struct keeper_frame *ret)
{
	size_t needs = frame_needs(r);
	const uint8_t *at;

	if (needs == 0)
		return KEEPER_BAD;
	if (r->end - r->begin < KEEPER_HEAD || r->end - r->begin < needs)
		return KEEPER_NEED_MORE;
	at = r->at + r->begin;
	*ret = (struct keeper_frame){ .kind = load_u16le(at + 4),
		.status = load_u16le(at + 6),
		.id = load_u64le(at + 8),
		.payload = bytes_of(at + KEEPER_HEAD, needs - KEEPER_HEAD) };
	r->begin += needs;
	return KEEPER_FRAME;
}

/* What is left moves to the beginning: less than a frame, unless somebody asks for room before taking all frames. */
static void make_compact(struct keeper_reader *r)
{
	if (r->begin == 0)
		return;
	memmove(r->at, r->at + r->begin, r->end - r->begin);
	r->end -= r->begin;
	r->begin = 0;
}

uint8_t *keeper_reader_room(struct keeper_reader *r, size_t *ret_n)
{
	size_t wanted;
	uint8_t *bigger;

	make_compact(r);
	wanted = frame_needs(r);
	if (wanted < r->end + KEEPER_READ_MIN)
		wanted = r->end + KEEPER_READ_MIN;
	if (wanted > r->room) {
		bigger = realloc(r->at, wanted);
		if (bigger == NULL)
			return NULL;
		r->at = bigger;
		r->room = wanted;
	}
	*ret_n = r->room - r->end;
	return r->at + r->end;
}

void keeper_reader_add(struct keeper_reader *r, size_t n)
{
	assert(n <= r->room - r->end);
	r->end += n;
}

void keeper_reader_done(struct keeper_reader *r)
{
	free(r->at);
	*r = (struct keeper_reader){ 0 };
}
