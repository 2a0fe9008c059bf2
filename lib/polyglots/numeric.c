/* P18: the length prefix of a safetensors file spells the beginning of something else.  Formats whose fourth byte is above
 * 5 need a header beyond the format's limit. */
#include "probes.h"

#include <zlib.h>

#include "arena.h"

/* Signatures of what runs or unpacks.  Not here: two-byte prefixes that lead nowhere and are common lengths of honest
 * headers (pickle's PROTO: 640, 896, 1152, 1408; zlib: 376, 8312, 40056).  Chance: the reference pads headers to a
 * multiple of eight, which all but "PK" are not; of others, 16 to 32 bits of the length. */
void find_magic(struct view *v)
{
	static const struct {
		uint8_t bytes[4];
		size_t n;
		const char *guest;
	} magics[] = {
		{ { 'P', 'K', 3, 4 }, 4, "ZIP" },
		{ { '#', '!' }, 2, "script" },
		{ { 'M', 'Z' }, 2, "DOS program" },
		{ { 0x1f, 0x8b, 8 }, 3, "gzip" },
		/* The tags of one letter by which browsers tell HTML. */
		{ { '<', 'A', '>' }, 3, "HTML" },
		{ { '<', 'A', ' ' }, 3, "HTML" },
		{ { '<', 'a', '>' }, 3, "HTML" },
		{ { '<', 'a', ' ' }, 3, "HTML" },
		{ { '<', 'B', '>' }, 3, "HTML" },
		{ { '<', 'B', ' ' }, 3, "HTML" },
		{ { '<', 'b', '>' }, 3, "HTML" },
		{ { '<', 'b', ' ' }, 3, "HTML" },
		{ { '<', 'P', '>' }, 3, "HTML" },
		{ { '<', 'P', ' ' }, 3, "HTML" },
		{ { '<', 'p', '>' }, 3, "HTML" },
		{ { '<', 'p', ' ' }, 3, "HTML" },
	};

	for (size_t i = 0; i < sizeof(magics) / sizeof(magics[0]); i++)
		if (v->head.n >= magics[i].n && memcmp(v->head.at, magics[i].bytes, magics[i].n) == 0)
			found(v, WLK_F_POLYGLOT_MAGIC, 0, magics[i].guest, "the first bytes");
}

/* -- gzip: the first block inflates (RFC 1951, 1952).  Chance: 24 bits of the length and 18 of a stored block. -- */

static void *take_memory(void *arena, unsigned n, unsigned size)
{
	return arena_resize_raw(arena, NULL, n, size);
}

static void give_memory(void *arena, void *at)
{
	arena_release(arena, at);
}

/* Up to the first border of a block behind the header, or the end of what is kept. */
static bool first_block_inflates(z_stream *z)
{
	uint8_t out[4096];
	bool header = true;

	for (;;) {
		int got;

		z->next_out = out;
		z->avail_out = sizeof(out);
		got = inflate(z, Z_BLOCK);
		if (got == Z_STREAM_END)
			return true;
		if (got != Z_OK)
			return got == Z_BUF_ERROR && z->avail_in == 0 && !header;
		if ((z->data_type & 128) != 0 && !header)
			return true;
		header = header && (z->data_type & 128) == 0;
	}
}

void find_gzip(struct view *v)
{
	z_stream z = { .zalloc = take_memory, .zfree = give_memory, .opaque = v->src->arena };

	if (!begins_with(v->head, "\x1f\x8b\x08", 3) || inflateInit2(&z, MAX_WBITS + 16) != Z_OK)
		return;
	z.next_in = (uint8_t *)(uintptr_t)v->head.at; /* zlib's type; it does not write there */
	z.avail_in = (uInt)v->head.n;
	if (first_block_inflates(&z))
		found(v, WLK_F_POLYGLOT_GZIP, 0, "gzip", "the first block inflates");
	inflateEnd(&z);
}

/* -- TFRecord (section 4.1): u64 length, u32 masked CRC-32C of the length.  Chance: 32 bits, so 2 files in ten thousand
 * million; the checksum of the data, which not every reader asks for, is not asked for here. -- */

static uint32_t crc32c(const uint8_t *at, size_t n)
{
	uint32_t crc = UINT32_MAX;

	/* By bits: it is eight bytes a file. */
	for (size_t i = 0; i < n; i++) {
		crc ^= at[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0x82f63b78) : 0);
	}
	return ~crc;
}

void find_tfrecord(struct view *v)
{
	uint32_t crc;

	if (v->head.n < 12)
		return;
	crc = crc32c(v->head.at, 8);
	if (load_u32le(v->head.at + 8) == (crc >> 15 | crc << 17) + UINT32_C(0xa282ead8))
		found(v, WLK_F_POLYGLOT_TFRECORD, 0, "TFRecord", "a length and its checksum");
}
