/* How a GGUF reader gets at its bytes: in order, through a window, without keeping them.  Metadata may be a gigabyte of
 * strings; what is remembered of it is an index.  What is read is guarded like any preview (preview.h). */
#pragma once

#include "format.h"

#define GGUF_WINDOW ((size_t)64 * 1024) /* the most that can be looked at in one piece: any key, any token */

enum gguf_in_err {
	GGUF_IN_OK,
	GGUF_IN_SHORT,  /* fewer bytes remain than were asked for */
	GGUF_IN_FAILED, /* source or arena: layout_stop() */
};

struct gguf_in {
	const struct part *part;
	uint64_t pos, end; /* in the part; nothing is read at or behind end */
	enum gguf_in_err err;
	uint8_t *window; /* bytes [window_at, window_at + window_n) of the part */
	uint64_t window_at;
	size_t window_n;
};

/* @end: at most the part's size.  Return: false when the arena is spent. */
bool gguf_in_init(struct gguf_in *in, struct layout *l, uint64_t end);

static inline uint64_t gguf_left(const struct gguf_in *in)
{
	return in->end - in->pos;
}

/* Take the next n bytes, at most GGUF_WINDOW.  Return: them, valid until the next call; NULL: in->err, which is
 * kept. */
const uint8_t *gguf_take(struct gguf_in *in, size_t n);
/* After in->pos was set: the window is somewhere else. */
void gguf_in_forget(struct gguf_in *in);
bool gguf_skip(struct gguf_in *in, uint64_t n);
bool gguf_take_u32(struct gguf_in *in, uint32_t *ret);
bool gguf_take_u64(struct gguf_in *in, uint64_t *ret);
