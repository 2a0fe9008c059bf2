/* What a codec is to stream.c: bytes in, bytes out, a step at a time.  One file per family here, each a thin layer over
 * a library; memory comes from the arena, so that a budget bounds it and nothing can leak. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

struct codec_io {
	const uint8_t *in; /* a step moves both forward */
	size_t in_n;
	uint8_t *out;
	size_t out_n;
};

enum codec_step {
	CODEC_MORE,     /* wants more input, or room */
	CODEC_END,      /* the coding has ended: what is left of the input is not its own */
	CODEC_MISMATCH, /* has ended, and its checksum or length is wrong */
	CODEC_BROKEN,
	CODEC_FAILED, /* no memory */
};

#define CODEC_MAGIC_MAX 6

struct codec_ops {
	size_t state_bytes; /* zeroed before the first begin() */
	/* Also again after an end, for a further stream.  False: no memory. */
	bool (*begin)(void *state, struct arena *a);
	enum codec_step (*step)(void *state, struct codec_io *io);
	void (*done)(void *state);
	/* How a further stream begins that loaders would go on reading; magic_n 0: none do. */
	uint8_t magic[CODEC_MAGIC_MAX];
	size_t magic_n;
	bool zeros_between; /* they skip zero bytes on the way to it */
};

extern const struct codec_ops codec_deflate, codec_zlib, codec_gzip, codec_bzip2, codec_xz, codec_lzma_alone, codec_lz4,
    codec_zstd;

/* Take a byte of input.  False when there is none. */
static inline bool codec_take(struct codec_io *io, uint8_t *ret)
{
	if (io->in_n == 0)
		return false;
	*ret = *io->in++;
	io->in_n--;
	return true;
}
