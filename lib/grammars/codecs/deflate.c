/* Deflate, alone and in its two wrappings.  zlib decodes the raw form (RFC 1951); the wrappings are read here, because
 * zlib reads a gzip header more kindly than we want to: formats/others, section 2.  Checksums by libdeflate, which is
 * several times faster than zlib's own. */
#include <string.h>

#include <libdeflate.h>
#include <zlib.h>

#include "bytes.h"
#include "codec.h"

/* The wrapping: RFC 1950 and RFC 1952. */
enum phase {
	PHASE_HEADER,
	PHASE_GZIP_NAME, /* NUL-terminated, if there */
	PHASE_GZIP_COMMENT,
	PHASE_GZIP_HEADER_CRC,
	PHASE_BODY,
	PHASE_TRAILER,
};

#define GZIP_HEADER 10u
#define GZIP_TRAILER 8u
#define GZIP_HEADER_CRC 2u
#define GZIP_FHCRC 0x02u
#define GZIP_FEXTRA 0x04u
#define GZIP_FNAME 0x08u
#define GZIP_FCOMMENT 0x10u
#define GZIP_FLAGS 0x1bu /* those we take: FTEXT too; no FEXTRA, in which anything can hide */
#define GZIP_TEXT_MAX 255u
#define ZLIB_HEADER 2u
#define ZLIB_TRAILER 4u
#define ZLIB_FDICT 0x20u

struct deflate {
	z_stream z;
	bool open;
	enum phase phase;
	uint8_t flags;      /* of the gzip header */
	uint32_t head_crc;  /* of the gzip header */
	uint8_t held[10];   /* of header or trailer, when they come in pieces */
	size_t held_n;      /* for name and comment: bytes so far */
	uint32_t sum, size; /* CRC-32 or Adler-32, and length modulo 2^32, of what was decoded */
};

static void *take_memory(void *arena, unsigned n, unsigned size)
{
	return arena_resize_raw(arena, NULL, n, size);
}

static void give_memory(void *arena, void *at)
{
	arena_release(arena, at);
}

static void deflate_done(void *state)
{
	struct deflate *d = state;

	if (d->open)
		inflateEnd(&d->z);
	d->open = false;
}

/* @window_bits: as inflateInit2(3) takes them, raw. */
static bool open_body(struct deflate *d, struct arena *a, int window_bits)
{
	deflate_done(d);
	d->z = (z_stream){ .zalloc = take_memory, .zfree = give_memory, .opaque = a };
	d->open = inflateInit2(&d->z, window_bits) == Z_OK;
	return d->open;
}

static bool begin_body(struct deflate *d, struct arena *a, enum phase phase, uint32_t sum)
{
	d->phase = phase;
	d->held_n = 0;
	d->sum = sum;
	d->size = 0;
	return open_body(d, a, -MAX_WBITS);
}

static bool raw_begin(void *state, struct arena *a)
{
	return begin_body(state, a, PHASE_BODY, 0);
}

static bool zlib_begin(void *state, struct arena *a)
{
	return begin_body(state, a, PHASE_HEADER, 1); /* Adler-32 begins with 1 */
}

static bool gzip_begin(void *state, struct arena *a)
{
	struct deflate *d = state;

	d->head_crc = 0;
	return begin_body(d, a, PHASE_HEADER, 0);
}

/* Collect n bytes in d->held.  False: not all here yet. */
static bool hold(struct deflate *d, struct codec_io *io, size_t n)
{
	while (d->held_n < n && codec_take(io, &d->held[d->held_n]))
		d->held_n++;
	if (d->held_n < n)
		return false;
	d->held_n = 0;
	return true;
}

/* Return: CODEC_END when the body has ended. */
static enum codec_step inflate_some(struct deflate *d, struct codec_io *io)
{
	int got;

	d->z.next_in = (uint8_t *)(uintptr_t)io->in; /* zlib's type; it does not write there */
	d->z.avail_in = (uInt)io->in_n;
	d->z.next_out = io->out;
	d->z.avail_out = (uInt)io->out_n;
	got = inflate(&d->z, Z_NO_FLUSH);
	io->in += io->in_n - d->z.avail_in;
	io->in_n = d->z.avail_in;
	io->out += io->out_n - d->z.avail_out;
	io->out_n = d->z.avail_out;
	switch (got) {
	case Z_OK:
	case Z_BUF_ERROR: return CODEC_MORE;
	case Z_STREAM_END: return CODEC_END;
	case Z_MEM_ERROR: return CODEC_FAILED;
	default: return CODEC_BROKEN;
	}
}

static enum codec_step raw_step(void *state, struct codec_io *io)
{
	return inflate_some(state, io);
}

static enum codec_step zlib_header(struct deflate *d, struct codec_io *io)
{
	unsigned cmf, flg;

	if (!hold(d, io, ZLIB_HEADER))
		return CODEC_MORE;
	cmf = d->held[0];
	flg = d->held[1];
	if ((cmf & 15) != Z_DEFLATED || cmf >> 4 > MAX_WBITS - 8 || (cmf << 8 | flg) % 31 != 0 || flg & ZLIB_FDICT)
		return CODEC_BROKEN;
	d->phase = PHASE_BODY;
	return CODEC_MORE;
}

static enum codec_step zlib_trailer(struct deflate *d, struct codec_io *io)
{
	const uint8_t *t = d->held;
	uint32_t sum;

	if (!hold(d, io, ZLIB_TRAILER))
		return CODEC_MORE;
	sum = (uint32_t)t[0] << 24 | (uint32_t)t[1] << 16 | (uint32_t)t[2] << 8 | t[3];
	return sum == d->sum ? CODEC_END : CODEC_MISMATCH;
}

static enum codec_step zlib_step(void *state, struct codec_io *io)
{
	struct deflate *d = state;
	enum codec_step step = CODEC_MORE;

	if (d->phase == PHASE_HEADER)
		step = zlib_header(d, io);
	if (d->phase == PHASE_BODY) {
		const uint8_t *out = io->out;

		step = inflate_some(d, io);
		d->sum = libdeflate_adler32(d->sum, out, (size_t)(io->out - out));
		if (step == CODEC_END) {
			d->phase = PHASE_TRAILER;
			step = CODEC_MORE;
		}
	}
	return step == CODEC_MORE && d->phase == PHASE_TRAILER ? zlib_trailer(d, io) : step;
}

/* The first part that the flags announce, from this one on. */
static enum phase gzip_next(const struct deflate *d, enum phase from)
{
	if (from <= PHASE_GZIP_NAME && d->flags & GZIP_FNAME)
		return PHASE_GZIP_NAME;
	if (from <= PHASE_GZIP_COMMENT && d->flags & GZIP_FCOMMENT)
		return PHASE_GZIP_COMMENT;
	if (from <= PHASE_GZIP_HEADER_CRC && d->flags & GZIP_FHCRC)
		return PHASE_GZIP_HEADER_CRC;
	return PHASE_BODY;
}

static enum codec_step gzip_fixed(struct deflate *d, struct codec_io *io)
{
	const uint8_t *h = d->held;

	if (!hold(d, io, GZIP_HEADER))
		return CODEC_MORE;
	if (h[0] != 0x1f || h[1] != 0x8b || h[2] != Z_DEFLATED || h[3] & ~GZIP_FLAGS)
		return CODEC_BROKEN;
	d->flags = h[3];
	d->head_crc = libdeflate_crc32(0, h, GZIP_HEADER);
	d->phase = gzip_next(d, PHASE_GZIP_NAME);
	return CODEC_MORE;
}

/* A name or comment: printable, and no longer than anybody's. */
static enum codec_step gzip_text(struct deflate *d, struct codec_io *io)
{
	uint8_t byte;

	while (codec_take(io, &byte)) {
		d->head_crc = libdeflate_crc32(d->head_crc, &byte, 1);
		if (byte == 0) {
			d->held_n = 0;
			d->phase = gzip_next(d, d->phase + 1);
			return CODEC_MORE;
		}
		if (byte < ' ' || byte == 0x7f || ++d->held_n > GZIP_TEXT_MAX)
			return CODEC_BROKEN;
	}
	return CODEC_MORE;
}

static enum codec_step gzip_header_crc(struct deflate *d, struct codec_io *io)
{
	if (!hold(d, io, GZIP_HEADER_CRC))
		return CODEC_MORE;
	if (load_u16le(d->held) != (d->head_crc & 0xffff))
		return CODEC_BROKEN;
	d->phase = PHASE_BODY;
	return CODEC_MORE;
}

static enum codec_step gzip_body(struct deflate *d, struct codec_io *io)
{
	const uint8_t *out = io->out;
	enum codec_step step = inflate_some(d, io);
	size_t n = (size_t)(io->out - out);

	d->sum = libdeflate_crc32(d->sum, out, n);
	d->size += (uint32_t)n;
	if (step != CODEC_END)
		return step;
	d->phase = PHASE_TRAILER;
	return CODEC_MORE;
}

static enum codec_step gzip_trailer(struct deflate *d, struct codec_io *io)
{
	if (!hold(d, io, GZIP_TRAILER))
		return CODEC_MORE;
	return load_u32le(d->held) == d->sum && load_u32le(d->held + 4) == d->size ? CODEC_END : CODEC_MISMATCH;
}

static enum codec_step gzip_phase(struct deflate *d, struct codec_io *io)
{
	switch (d->phase) {
	case PHASE_HEADER: return gzip_fixed(d, io);
	case PHASE_GZIP_NAME:
	case PHASE_GZIP_COMMENT: return gzip_text(d, io);
	case PHASE_GZIP_HEADER_CRC: return gzip_header_crc(d, io);
	case PHASE_BODY: return gzip_body(d, io);
	default: return gzip_trailer(d, io);
	}
}

/* Through as many phases as the input reaches. */
static enum codec_step gzip_step(void *state, struct codec_io *io)
{
	struct deflate *d = state;
	enum codec_step step;
	enum phase before;

	do {
		before = d->phase;
		step = gzip_phase(d, io);
	} while (step == CODEC_MORE && d->phase != before);
	return step;
}

const struct codec_ops codec_deflate = {
	.state_bytes = sizeof(struct deflate),
	.begin = raw_begin,
	.step = raw_step,
	.done = deflate_done,
};

const struct codec_ops codec_zlib = {
	.state_bytes = sizeof(struct deflate),
	.begin = zlib_begin,
	.step = zlib_step,
	.done = deflate_done,
};

const struct codec_ops codec_gzip = {
	.state_bytes = sizeof(struct deflate),
	.begin = gzip_begin,
	.step = gzip_step,
	.done = deflate_done,
	.magic = { 0x1f, 0x8b },
	.magic_n = 2,
	.zeros_between = true, /* Python's gzip does */
};
