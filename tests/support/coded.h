/* Coded inputs for tests, made by the codecs' own libraries. */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <bzlib.h>
#include <lz4frame.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "stream.h"

struct coded {
	uint8_t *at;
	size_t n;
};

#define CODED_SLACK 4096

static inline struct coded coded_deflate(const uint8_t *at, size_t n, int window_bits)
{
	struct coded c = { .at = malloc(n + n / 8 + CODED_SLACK) };
	z_stream z = { .next_in = (uint8_t *)(uintptr_t)at,
		.avail_in = (uInt)n,
		.next_out = c.at,
		.avail_out = (uInt)(n + n / 8 + CODED_SLACK) };

	if (deflateInit2(&z, 6, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) != Z_OK ||
	    deflate(&z, Z_FINISH) != Z_STREAM_END)
		abort();
	c.n = z.total_out;
	deflateEnd(&z);
	return c;
}

static inline struct coded coded_bzip2(const uint8_t *at, size_t n)
{
	unsigned room = (unsigned)(n + n / 8 + CODED_SLACK);
	struct coded c = { .at = malloc(room) };

	if (BZ2_bzBuffToBuffCompress((char *)c.at, &room, (char *)(uintptr_t)at, (unsigned)n, 9, 0, 0) != BZ_OK)
		abort();
	c.n = room;
	return c;
}

static inline struct coded coded_xz(const uint8_t *at, size_t n)
{
	size_t room = n + n / 8 + CODED_SLACK;
	struct coded c = { .at = malloc(room) };

	if (lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, at, n, c.at, &c.n, room) != LZMA_OK)
		abort();
	return c;
}

static inline struct coded coded_lzma_alone(const uint8_t *at, size_t n)
{
	size_t room = n + n / 8 + CODED_SLACK;
	struct coded c = { .at = malloc(room) };
	lzma_stream s = LZMA_STREAM_INIT;
	lzma_options_lzma options;

	if (lzma_lzma_preset(&options, 1) || lzma_alone_encoder(&s, &options) != LZMA_OK)
		abort();
	s.next_in = at;
	s.avail_in = n;
	s.next_out = c.at;
	s.avail_out = room;
	if (lzma_code(&s, LZMA_FINISH) != LZMA_STREAM_END)
		abort();
	c.n = room - s.avail_out;
	lzma_end(&s);
	return c;
}

static inline struct coded coded_lz4(const uint8_t *at, size_t n)
{
	const LZ4F_preferences_t prefs = { .frameInfo = { .contentChecksumFlag = LZ4F_contentChecksumEnabled } };
	size_t room = LZ4F_compressFrameBound(n, &prefs);
	struct coded c = { .at = malloc(room) };

	c.n = LZ4F_compressFrame(c.at, room, at, n, &prefs);
	if (LZ4F_isError(c.n))
		abort();
	return c;
}

static inline struct coded coded_zstd(const uint8_t *at, size_t n)
{
	size_t room = ZSTD_compressBound(n);
	struct coded c = { .at = malloc(room) };
	ZSTD_CCtx *ctx = ZSTD_createCCtx();

	if (ctx == NULL || ZSTD_isError(ZSTD_CCtx_setParameter(ctx, ZSTD_c_checksumFlag, 1)))
		abort();
	c.n = ZSTD_compress2(ctx, c.at, room, at, n);
	if (ZSTD_isError(c.n))
		abort();
	ZSTD_freeCCtx(ctx);
	return c;
}

static inline struct coded coded_by(enum codec codec, const uint8_t *at, size_t n)
{
	struct coded c = { .n = n };

	switch (codec) {
	case CODEC_DEFLATE: return coded_deflate(at, n, -15);
	case CODEC_ZLIB: return coded_deflate(at, n, 15);
	case CODEC_GZIP: return coded_deflate(at, n, 15 + 16);
	case CODEC_BZIP2: return coded_bzip2(at, n);
	case CODEC_XZ: return coded_xz(at, n);
	case CODEC_LZMA_ALONE: return coded_lzma_alone(at, n);
	case CODEC_LZ4: return coded_lz4(at, n);
	case CODEC_ZSTD: return coded_zstd(at, n);
	default: break;
	}
	c.at = malloc(n + CODED_SLACK);
	if (n > 0)
		memcpy(c.at, at, n);
	return c;
}

/* Put more bytes behind. */
static inline void coded_append(struct coded *c, const void *at, size_t n)
{
	c->at = realloc(c->at, c->n + n + 1);
	memcpy(c->at + c->n, at, n);
	c->n += n;
}
