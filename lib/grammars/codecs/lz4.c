/* The LZ4 frame format, by liblz4.  It would skip frames of other kinds (skippable ones) and take a dictionary's number
 * without the dictionary, so the first bytes of a frame are looked at here. */
#include <string.h>

/* For the custom allocator: the arena counts what liblz4 takes. */
#define LZ4F_STATIC_LINKING_ONLY
#include <lz4frame.h>

#include "codec.h"

#define MAGIC "\x04\x22\x4d\x18"
#define MAGIC_BYTES 4u
#define HEAD 5u /* magic and FLG */
#define FLG_DICTIONARY 0x01u

struct lz4 {
	LZ4F_dctx *ctx;
	uint8_t head[HEAD];
	size_t head_n;
	size_t wants; /* input bytes the library asks for next */
};

static void *take_memory(void *arena, size_t n)
{
	return arena_resize_raw(arena, NULL, n, 1);
}

static void *take_zeroed(void *arena, size_t n)
{
	return arena_resize(arena, NULL, n, 1);
}

static void give_memory(void *arena, void *at)
{
	arena_release(arena, at);
}

static void lz4_done(void *state)
{
	struct lz4 *l = state;

	LZ4F_freeDecompressionContext(l->ctx);
	l->ctx = NULL;
}

static bool lz4_begin(void *state, struct arena *a)
{
	struct lz4 *l = state;
	const LZ4F_CustomMem memory = {
		.customAlloc = take_memory, .customCalloc = take_zeroed, .customFree = give_memory, .opaqueState = a
	};

	lz4_done(l);
	l->head_n = 0;
	l->wants = HEAD;
	l->ctx = LZ4F_createDecompressionContext_advanced(memory, LZ4F_VERSION);
	return l->ctx != NULL;
}

/* No more input than the library asks for: then what a block decodes to has been handed out before the checksum behind
 * the blocks is read, for a call that fails hands out nothing. */
static enum codec_step decompress(struct lz4 *l, const uint8_t *in, size_t *in_n, uint8_t *out, size_t *out_n)
{
	size_t got;
	const char *name;

	*in_n = *in_n < l->wants ? *in_n : l->wants;
	got = LZ4F_decompress(l->ctx, out, out_n, in, in_n, NULL);
	if (!LZ4F_isError(got)) {
		l->wants = got;
		return got == 0 ? CODEC_END : CODEC_MORE;
	}
	*in_n = *out_n = 0;
	name = LZ4F_getErrorName(got); /* the numbers are not in its public interface */
	if (strcmp(name, "ERROR_contentChecksum_invalid") == 0)
		return CODEC_MISMATCH;
	return strcmp(name, "ERROR_allocation_failed") == 0 ? CODEC_FAILED : CODEC_BROKEN;
}

/* Return: CODEC_MORE once all of it went to the library, or is not here yet. */
static enum codec_step take_head(struct lz4 *l, struct codec_io *io)
{
	size_t in_n = HEAD, out_n = 0;

	while (l->head_n < HEAD && codec_take(io, &l->head[l->head_n]))
		l->head_n++;
	if (l->head_n < HEAD)
		return CODEC_MORE;
	if (memcmp(l->head, MAGIC, MAGIC_BYTES) != 0 || l->head[MAGIC_BYTES] & FLG_DICTIONARY)
		return CODEC_BROKEN;
	return decompress(l, l->head, &in_n, io->out, &out_n);
}

static enum codec_step lz4_step(void *state, struct codec_io *io)
{
	struct lz4 *l = state;
	size_t in_n, out_n;
	enum codec_step step;

	if (l->head_n < HEAD) {
		step = take_head(l, io);
		if (step != CODEC_MORE || l->head_n < HEAD)
			return step;
	}
	in_n = io->in_n;
	out_n = io->out_n;
	step = decompress(l, io->in, &in_n, io->out, &out_n);
	io->in += in_n;
	io->in_n -= in_n;
	io->out += out_n;
	io->out_n -= out_n;
	return step;
}

const struct codec_ops codec_lz4 = {
	.state_bytes = sizeof(struct lz4),
	.begin = lz4_begin,
	.step = lz4_step,
	.done = lz4_done,
	.magic = MAGIC,
	.magic_n = MAGIC_BYTES,
};
