/* Any bytes as the index of a TensorFlow checkpoint through the whole engine: see engine.h.  As they are; and as the one block of a
 * table that is sound otherwise, for a checksum stands before everything that entries say. */
#include "engine.h"

#include "crc32c.h"

struct made {
	uint8_t *at;
	size_t n;
};

static void put(struct made *m, const void *at, size_t n)
{
	if (n > 0)
		memcpy(m->at + m->n, at, n);
	m->n += n;
}

static void put_varint(struct made *m, uint64_t n)
{
	for (; n > 127; n >>= 7)
		put(m, &(uint8_t){ (uint8_t)(n & 127) | 128 }, 1);
	put(m, &(uint8_t){ (uint8_t)n }, 1);
}

/* Return: where it begins. */
static size_t put_block(struct made *m, const void *content, size_t n)
{
	uint8_t crc[4];
	size_t at = m->n;

	put(m, content, n);
	put(m, "", 1);
	store_u32le(crc, crc32c_masked(crc32c(0, bytes_of(m->at + at, n + 1))));
	put(m, crc, sizeof(crc));
	return at;
}

/* Handle of the index's only block: 0, and a length of three bytes. */
static void put_table(struct made *m, const uint8_t *data, size_t n)
{
	static const uint8_t nothing[8] = { 0, 0, 0, 0, 1 },
			     magic[] = { 0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb };
	uint8_t index[64];
	struct made i = { .at = index };
	size_t meta, at, footer;

	put_block(m, data, n);
	put(&i, "\0\2", 2);
	put(&i, &(uint8_t){ (uint8_t)(n > 127 ? n > 16383 ? 4 : 3 : 2) }, 1);
	put(&i, "\xff\xff", 2);
	put_varint(&i, 0);
	put_varint(&i, n);
	put(&i, nothing, sizeof(nothing));
	meta = put_block(m, nothing, sizeof(nothing));
	at = put_block(m, index, i.n);
	footer = m->n;
	put_varint(m, meta);
	put_varint(m, sizeof(nothing));
	put_varint(m, at);
	put_varint(m, i.n);
	while (m->n < footer + 40)
		put(m, "", 1);
	put(m, magic, sizeof(magic));
}

int fuzz_one(const uint8_t *data, size_t n)
{
	struct made m = { .at = malloc(n + 256) };

	FUZZ_REQUIRE(m.at != NULL);
	engine_fuzz(data, n, WLK_FORMAT_UNKNOWN);
	if (n < 1 << 20) {
		put_table(&m, data, n);
		engine_fuzz(m.at, m.n, WLK_FORMAT_UNKNOWN);
	}
	free(m.at);
	return 0;
}
