/* Zstandard (RFC 8878), by libzstd: one frame with a window of at most 2^27 bytes, no dictionary.  The library would skip
 * frames that are meant to be skipped and go on with the next frame, so the first bytes of a frame are looked at here, and
 * it is asked for no more than one. */
#include <string.h>

/* For the custom allocator: the arena counts what libzstd takes. */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>
#include <zstd_errors.h>

#include "codec.h"

#define MAGIC "\x28\xb5\x2f\xfd"
#define MAGIC_BYTES 4u
#define HEAD_MAX 18u /* the longest frame header */
#define WINDOW_LOG_MAX 27

struct zstd {
	ZSTD_DCtx *ctx;
	uint8_t head[HEAD_MAX];
	size_t head_n, head_wants;
	size_t head_taken; /* by the library */
	size_t wants;      /* input bytes it asks for next */
};

static void *take_memory(void *arena, size_t n)
{
	return arena_resize_raw(arena, NULL, n, 1);
}

static void give_memory(void *arena, void *at)
{
	arena_release(arena, at);
}

static void zstd_done(void *state)
{
	struct zstd *z = state;

	(void)ZSTD_freeDCtx(z->ctx);
	z->ctx = NULL;
}

static bool zstd_begin(void *state, struct arena *a)
{
	struct zstd *z = state;
	const ZSTD_customMem memory = { .customAlloc = take_memory, .customFree = give_memory, .opaque = a };

	zstd_done(z);
	z->head_n = z->head_taken = 0;
	z->head_wants = MAGIC_BYTES + 1;
	z->wants = HEAD_MAX;
	z->ctx = ZSTD_createDCtx_advanced(memory);
	return z->ctx != NULL && !ZSTD_isError(ZSTD_DCtx_setParameter(z->ctx, ZSTD_d_windowLogMax, WINDOW_LOG_MAX));
}

/* Gather the frame's header.  Return: CODEC_MORE until it is whole, CODEC_END once it is, and of a kind that is read. */
static enum codec_step take_head(struct zstd *z, struct codec_io *io)
{
	ZSTD_frameHeader header;

	while (z->head_n < z->head_wants) {
		size_t got;

		if (!codec_take(io, &z->head[z->head_n]))
			return CODEC_MORE;
		z->head_n++;
		if (z->head_n < z->head_wants)
			continue;
		if (memcmp(z->head, MAGIC, MAGIC_BYTES) != 0)
			return CODEC_BROKEN;
		got = ZSTD_getFrameHeader(&header, z->head, z->head_n);
		if (ZSTD_isError(got) || got > HEAD_MAX)
			return CODEC_BROKEN;
		z->head_wants = got > z->head_n ? got : z->head_n;
		if (got == 0 && (header.dictID != 0 || header.windowSize > UINT64_C(1) << WINDOW_LOG_MAX))
			return CODEC_BROKEN;
	}
	return CODEC_END;
}

/* No more input than the library asks for: then what a block decodes to has been handed out before the checksum behind
 * the blocks is read, for a call that fails hands out nothing. */
static enum codec_step decompress(struct zstd *z, const uint8_t *at, size_t n, size_t *ret_taken, struct codec_io *io)
{
	ZSTD_inBuffer in = { .src = at, .size = n < z->wants ? n : z->wants };
	ZSTD_outBuffer out = { .dst = io->out, .size = io->out_n };
	size_t got = ZSTD_decompressStream(z->ctx, &out, &in);

	*ret_taken = in.pos;
	io->out += out.pos;
	io->out_n -= out.pos;
	if (!ZSTD_isError(got)) {
		z->wants = got;
		return got == 0 ? CODEC_END : CODEC_MORE;
	}
	switch (ZSTD_getErrorCode(got)) {
	case ZSTD_error_checksum_wrong: return CODEC_MISMATCH;
	case ZSTD_error_memory_allocation: return CODEC_FAILED;
	default: return CODEC_BROKEN;
	}
}

static enum codec_step zstd_step(void *state, struct codec_io *io)
{
	struct zstd *z = state;
	enum codec_step step = CODEC_END;
	size_t taken;

	if (z->head_n < z->head_wants)
		step = take_head(z, io);
	if (step != CODEC_END)
		return step;
	while (z->head_taken < z->head_n) {
		step = decompress(z, z->head + z->head_taken, z->head_n - z->head_taken, &taken, io);
		z->head_taken += taken;
		if (step != CODEC_MORE || taken == 0)
			return step;
	}
	step = decompress(z, io->in, io->in_n, &taken, io);
	io->in += taken;
	io->in_n -= taken;
	return step;
}

const struct codec_ops codec_zstd = {
	.state_bytes = sizeof(struct zstd),
	.begin = zstd_begin,
	.step = zstd_step,
	.done = zstd_done,
	.magic = MAGIC,
	.magic_n = MAGIC_BYTES,
};
