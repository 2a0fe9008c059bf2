/* Safetensors files for tests, written as people read them: a header's text and the length of the buffer. */
#pragma once

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"

struct st_file {
	uint8_t *at;
	size_t n;
};

/* N, the header's bytes, and data_n zero bytes.  Free .at. */
static inline struct st_file st_file_of(const void *header, size_t header_n, size_t data_n)
{
	struct st_file f = { .n = 8 + header_n + data_n };

	f.at = calloc(1, f.n);
	if (f.at == NULL)
		abort();
	store_u64le(f.at, header_n);
	memcpy(f.at + 8, header, header_n);
	return f;
}

static inline struct st_file st_file(const char *header, size_t data_n)
{
	return st_file_of(header, strlen(header), data_n);
}
