/* A run of bytes, maybe coded: a stored or deflated member, a compressed file.  Decoded through a bounded window,
 * never as a whole.  The codecs are libraries (zlib, libbz2, liblzma, liblz4, libzstd); the framing around them is checked here
 * and by the containers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "part.h"

/* X(id, name) */
#define WLK_CODECS(X)         \
	X(STORED, "stored")   \
	X(DEFLATE, "deflate") \
	X(ZLIB, "zlib")       \
	X(GZIP, "gzip")       \
	X(BZIP2, "bzip2")     \
	X(XZ, "xz")           \
	X(LZMA_ALONE, "lzma") \
	X(LZ4, "lz4")         \
	X(ZSTD, "zstd")

enum codec {
#define X(id, name) CODEC_##id,
	WLK_CODECS(X)
#undef X
	    N_CODECS
};

const char *codec_name(enum codec c);

#define STREAM_SIZE_UNKNOWN UINT64_MAX
#define STREAM_WINDOW ((size_t)256 * 1024) /* decoded bytes handed on at once, at most */

/* What the largest of the codecs takes (xz -9: a dictionary of 64 MiB; zstd --ultra: a window of 128 MiB, and buffers); see
 * layout_raise_memory(). */
#define STREAM_MEMORY_MAX ((size_t)130 << 20)

/* Bombs: formats/zip, section 7, and formats/others, section 2.  The ratio is that of decoded bytes to all coded bytes
 * of the stream, so that a run of zeros in an honest file is not one. */
#define STREAM_RATIO_MAX 200u
#define STREAM_RATIO_FREE ((uint64_t)1 << 20) /* decoded bytes before the ratio counts */

struct stream {
	struct part part; /* the coded bytes */
	enum codec codec;
	uint64_t size;       /* decoded bytes as declared, or STREAM_SIZE_UNKNOWN */
	uint64_t size_limit; /* decoded bytes at most: what the policy leaves (limits.unpacked_bytes) */
	bool any_ratio;      /* the ratio is not a reason to stop (npz: arrays of zeros) */
};

/* What offsets in its bytes begin with, in findings and rows: stored ones lie in the file, decoded ones nowhere. */
static inline uint64_t stream_origin(const struct stream *s)
{
	return s->codec == CODEC_STORED ? part_offset(&s->part, 0) : OFFSET_DECODED;
}

enum stream_end {
	STREAM_WHOLE,     /* decoded to its end; maybe less than declared: compare stream_state.decoded */
	STREAM_ENOUGH,    /* the feeder wanted no more */
	STREAM_BROKEN,    /* the coding is invalid; what came before was handed on */
	STREAM_TRUNCATED, /* coded bytes end too early (stored ones: before the declared size) */
	STREAM_TRAILING,  /* coded bytes are left behind the coding's own end; all of it was handed on */
	STREAM_CHECKSUM,  /* the coding's own checksum or length is wrong; all of it was handed on */
	STREAM_LONG, /* more decoded bytes than declared: stopped behind the first one too many, which is counted but
	                   * not handed on */
	STREAM_BOMB, /* beyond STREAM_RATIO_MAX or size_limit */
	STREAM_MULTIPLE, /* a second gzip member, bzip2 or xz stream, lz4 or zstd frame follows: loaders read on.  All of it was
	                   * handed on, the further ones too */
	STREAM_FAILED, /* source or memory: stream.part.src->err, or the arena, says why */
};

/* Everything that was decoded was handed on, and nothing but the coding's own framing is wrong, if anything. */
static inline bool stream_end_is_usable(enum stream_end end)
{
	return end == STREAM_WHOLE || end == STREAM_TRAILING || end == STREAM_CHECKSUM || end == STREAM_MULTIPLE;
}

/* How far a decoder came. */
struct stream_state {
	uint64_t coded, decoded; /* bytes taken and handed on */
	uint64_t coding_end;     /* coded bytes up to the end of the last whole coding: what is trailing begins here */
};

struct decoder; /* a codec at work, in the arena; the window too */

/**
 * stream_preview() - hand the decoded bytes on, before the pass
 * Bytes that the feeder skips are decoded (but not read, when stored).  STREAM_TRAILING, _MULTIPLE and _CHECKSUM are
 * what is known when the coded bytes ran out.
 * @ret: may be NULL.
 */
enum stream_end stream_preview(const struct stream *s, struct arena *a, struct feeder f, struct stream_state *ret);

#define STREAM_COPY_MAX ((uint64_t)32 << 20)

/**
 * stream_copy() - decode all of it into the arena, for readers that need random access
 * @limit: bytes at most (STREAM_COPY_MAX unless the caller knows better); for more, *ret_end is STREAM_ENOUGH.
 * Return: a part over the copy, whose size is what was decoded; .copy is NULL unless stream_end_is_usable(*ret_end).
 */
struct part stream_copy(const struct stream *s, struct arena *a, uint64_t limit, enum stream_end *ret_end);

/**
 * stream_head() - the first decoded bytes, into the arena
 * Return: at most n bytes, fewer when the stream is shorter or ends badly.  False when source or memory failed.
 */
bool stream_head(const struct stream *s, struct arena *a, size_t n, struct bytes *ret);

/* The push side, for the pass: coded bytes come in as they go by.  NULL when the arena is spent. */
struct decoder *decoder_new(const struct stream *s, struct arena *a, struct feeder f);
/* Return: false once the decoder has ended (decoder_end() says how); more bytes are then taken and counted only. */
bool decoder_feed(struct decoder *d, const uint8_t *at, size_t n);
/* No more coded bytes will come.  Gives the codec's memory back. */
enum stream_end decoder_end(struct decoder *d, struct stream_state *ret);
