/* A file in memory, as a source reads it. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct memory_file {
	const uint8_t *at;
	size_t n;
};

static inline int64_t memory_read(void *ctx, uint64_t offset, void *buf, size_t n)
{
	const struct memory_file *f = ctx;

	if (offset >= f->n)
		return 0;
	if (n > f->n - offset)
		n = f->n - (size_t)offset;
	memcpy(buf, f->at + offset, n);
	return (int64_t)n;
}
