/* xz and its predecessor, by liblzma: single-threaded, one stream, an integrity check it knows. */
#include <lzma.h>

#include "codec.h"

#define MEMORY_MAX (UINT64_C(128) << 20) /* xz -9 takes 65 MiB; formats/others, section 2 */

struct xz {
	lzma_stream s;
	lzma_allocator allocator;
	struct arena *arena;
};

static void *take_memory(void *arena, size_t n, size_t size)
{
	return arena_resize_raw(arena, NULL, n, size);
}

static void give_memory(void *arena, void *at)
{
	arena_release(arena, at);
}

static void xz_done(void *state)
{
	struct xz *x = state;

	lzma_end(&x->s);
}

static void set_memory(struct xz *x, struct arena *a)
{
	x->arena = a;
	x->allocator = (lzma_allocator){ .alloc = take_memory, .free = give_memory, .opaque = a };
	x->s.allocator = &x->allocator;
}

/* liblzma reuses what it has when the stream is set up again. */
static bool xz_begin(void *state, struct arena *a)
{
	struct xz *x = state;

	set_memory(x, a);
	return lzma_stream_decoder(&x->s, MEMORY_MAX, LZMA_TELL_UNSUPPORTED_CHECK) == LZMA_OK;
}

static bool lzma_alone_begin(void *state, struct arena *a)
{
	struct xz *x = state;

	set_memory(x, a);
	return lzma_alone_decoder(&x->s, MEMORY_MAX) == LZMA_OK;
}

static enum codec_step xz_step(void *state, struct codec_io *io)
{
	struct xz *x = state;
	lzma_ret got;

	x->s.next_in = io->in;
	x->s.avail_in = io->in_n;
	x->s.next_out = io->out;
	x->s.avail_out = io->out_n;
	got = lzma_code(&x->s, LZMA_RUN);
	io->in = x->s.next_in;
	io->in_n = x->s.avail_in;
	io->out = x->s.next_out;
	io->out_n = x->s.avail_out;
	switch (got) {
	case LZMA_OK:
	case LZMA_BUF_ERROR: return CODEC_MORE;
	case LZMA_STREAM_END: return CODEC_END;
	case LZMA_MEMLIMIT_ERROR: x->arena->exhausted = true; return CODEC_FAILED;
	case LZMA_MEM_ERROR: return CODEC_FAILED;
	default: return CODEC_BROKEN;
	}
}

const struct codec_ops codec_xz = {
	.state_bytes = sizeof(struct xz),
	.begin = xz_begin,
	.step = xz_step,
	.done = xz_done,
	.magic = { 0xfd, '7', 'z', 'X', 'Z', 0 },
	.magic_n = 6,
};

const struct codec_ops codec_lzma_alone = {
	.state_bytes = sizeof(struct xz),
	.begin = lzma_alone_begin,
	.step = xz_step,
	.done = xz_done,
};
