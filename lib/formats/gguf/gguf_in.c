/* The window of the GGUF reader: see gguf_in.h. */
#include "gguf_in.h"

#include <assert.h>

#include "checked.h"

bool gguf_in_init(struct gguf_in *in, struct layout *l, uint64_t end)
{
	assert(end <= l->part.size);
	*in = (struct gguf_in){ .part = &l->part, .end = end };
	in->window = arena_alloc(l->arena, (size_t)min_u64(GGUF_WINDOW, end), 1);
	return in->window != NULL;
}

/* Are the next n bytes there to be taken? */
static bool in_reach(struct gguf_in *in, uint64_t n)
{
	if (in->err == GGUF_IN_OK && n > gguf_left(in))
		in->err = GGUF_IN_SHORT;
	return in->err == GGUF_IN_OK;
}

static bool refill(struct gguf_in *in)
{
	size_t n = (size_t)min_u64(GGUF_WINDOW, gguf_left(in));

	in->window_n = 0;
	if (!part_read_guarded(in->part, in->pos, in->window, n)) {
		in->err = GGUF_IN_FAILED;
		return false;
	}
	in->window_at = in->pos;
	in->window_n = n;
	return true;
}

void gguf_in_forget(struct gguf_in *in)
{
	in->window_at = in->pos;
	in->window_n = 0;
}

const uint8_t *gguf_take(struct gguf_in *in, size_t n)
{
	uint64_t before;

	assert(n <= GGUF_WINDOW);
	if (!in_reach(in, n))
		return NULL;
	before = in->pos - in->window_at; /* the window never begins behind pos */
	if (before > in->window_n || n > in->window_n - before) {
		if (!refill(in))
			return NULL;
		before = 0;
	}
	in->pos += n; /* up to end */
	return in->window + before;
}

bool gguf_skip(struct gguf_in *in, uint64_t n)
{
	if (!in_reach(in, n))
		return false;
	in->pos += n; /* up to end */
	return true;
}

bool gguf_take_u32(struct gguf_in *in, uint32_t *ret)
{
	const uint8_t *at = gguf_take(in, sizeof(*ret));

	*ret = at != NULL ? load_u32le(at) : 0;
	return at != NULL;
}

bool gguf_take_u64(struct gguf_in *in, uint64_t *ret)
{
	const uint8_t *at = gguf_take(in, sizeof(*ret));

	*ret = at != NULL ? load_u64le(at) : 0;
	return at != NULL;
}
