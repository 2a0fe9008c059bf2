/* Protocol buffers in files that a test puts together. */
#pragma once

#include "made_file.h"

static inline void put_varint(struct file *f, uint64_t n)
{
	for (; n > 127; n >>= 7)
		put(f, &(uint8_t){ (uint8_t)(n & 127) | 128 }, 1);
	put(f, &(uint8_t){ (uint8_t)n }, 1);
}

static inline void put_number(struct file *f, uint32_t field, uint64_t n)
{
	put_varint(f, (uint64_t)field << 3);
	put_varint(f, n);
}

static inline void put_bytes(struct file *f, uint32_t field, const void *at, size_t n)
{
	put_varint(f, (uint64_t)field << 3 | 2);
	put_varint(f, n);
	put(f, at, n);
}

static inline void put_text(struct file *f, uint32_t field, const char *text)
{
	put_bytes(f, field, text, strlen(text));
}

/* A message in a field; it is given up. */
static inline void put_message(struct file *f, uint32_t field, struct file m)
{
	put_bytes(f, field, m.at, m.n);
	free(m.at);
}
