/* bzip2, by libbz2. */
#include <bzlib.h>

#include "codec.h"

struct bzip2 {
	bz_stream s;
	bool open;
};

static void *take_memory(void *arena, int n, int size)
{
	return n >= 0 && size >= 0 ? arena_resize_raw(arena, NULL, (size_t)n, (size_t)size) : NULL;
}

static void give_memory(void *arena, void *at)
{
	arena_release(arena, at);
}

static void bzip2_done(void *state)
{
	struct bzip2 *b = state;

	if (b->open)
		BZ2_bzDecompressEnd(&b->s);
	b->open = false;
}

static bool bzip2_begin(void *state, struct arena *a)
{
	struct bzip2 *b = state;

	bzip2_done(b);
	b->s = (bz_stream){ .bzalloc = take_memory, .bzfree = give_memory, .opaque = a };
	b->open = BZ2_bzDecompressInit(&b->s, 0, 0) == BZ_OK;
	return b->open;
}

static enum codec_step bzip2_step(void *state, struct codec_io *io)
{
	struct bzip2 *b = state;
	int got;

	b->s.next_in = (char *)(uintptr_t)io->in; /* libbz2's type; it does not write there */
	b->s.avail_in = (unsigned)io->in_n;
	b->s.next_out = (char *)io->out;
	b->s.avail_out = (unsigned)io->out_n;
	got = BZ2_bzDecompress(&b->s);
	io->in += io->in_n - b->s.avail_in;
	io->in_n = b->s.avail_in;
	io->out += io->out_n - b->s.avail_out;
	io->out_n = b->s.avail_out;
	switch (got) {
	case BZ_OK: return CODEC_MORE;
	case BZ_STREAM_END: return CODEC_END;
	case BZ_MEM_ERROR: return CODEC_FAILED;
	default: return CODEC_BROKEN;
	}
}

const struct codec_ops codec_bzip2 = {
	.state_bytes = sizeof(struct bzip2),
	.begin = bzip2_begin,
	.step = bzip2_step,
	.done = bzip2_done,
	.magic = "BZh",
	.magic_n = 3,
};
