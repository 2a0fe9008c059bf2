/* A borrowed run of bytes, and little-endian access that neither cares about alignment nor about the host. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Not owned, not NUL-terminated, may hold anything.  .at may be NULL only when .n is 0. */
struct bytes {
	const uint8_t *at;
	size_t n;
};

static inline struct bytes bytes_of(const void *at, size_t n)
{
	return (struct bytes){ .at = at, .n = n };
}

static inline struct bytes bytes_of_text(const char *text)
{
	return bytes_of(text, strlen(text));
}

static inline bool bytes_equal(struct bytes a, struct bytes b)
{
	return a.n == b.n && (a.n == 0 || memcmp(a.at, b.at, a.n) == 0);
}

static inline bool bytes_begin_with(struct bytes b, const char *text)
{
	size_t n = strlen(text);

	return b.n >= n && (n == 0 || memcmp(b.at, text, n) == 0);
}

static inline bool bytes_end_with(struct bytes b, const char *text)
{
	size_t n = strlen(text);

	return b.n >= n && (n == 0 || memcmp(b.at + (b.n - n), text, n) == 0);
}

/* memcpy() that may be given nothing: .at may be NULL then. */
static inline void bytes_copy(void *to, struct bytes b)
{
	if (b.n > 0)
		memcpy(to, b.at, b.n);
}

static inline uint16_t load_u16le(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t load_u32be(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint32_t load_u32le(const uint8_t *p)
{
	return (uint32_t)load_u16le(p) | (uint32_t)load_u16le(p + 2) << 16;
}

static inline uint64_t load_u64le(const uint8_t *p)
{
	return (uint64_t)load_u32le(p) | (uint64_t)load_u32le(p + 4) << 32;
}

static inline void store_u16le(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}

static inline void store_u32le(uint8_t *p, uint32_t v)
{
	store_u16le(p, (uint16_t)v);
	store_u16le(p + 2, (uint16_t)(v >> 16));
}

static inline void store_u64le(uint8_t *p, uint64_t v)
{
	store_u32le(p, (uint32_t)v);
	store_u32le(p + 4, (uint32_t)(v >> 32));
}
