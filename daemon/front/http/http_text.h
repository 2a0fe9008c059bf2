/* Characters and runs of bytes, as heads and targets are made of them. */
#pragma once

#include <string.h>

#include "checked.h"
#include "http.h"

/* ---- characters ---- */

static inline bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_alpha(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* tchar (RFC 9110, 5.6.2). */
static inline bool is_token(uint8_t c)
{
	return is_digit(c) || is_alpha(c) || (c != 0 && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

/* What a path and a query may be written with (RFC 3986, 3.3 and 3.4). */
static inline bool is_target(uint8_t c)
{
	return is_digit(c) || is_alpha(c) || (c != 0 && strchr("-._~%!$&'()*+,;=:@/?", c) != NULL);
}

static inline bool is_visible(uint8_t c)
{
	return c > 0x20 && c < 0x7F;
}

/* Names of policies and tenants. */
static inline bool is_name(uint8_t c)
{
	return is_digit(c) || is_alpha(c) || c == '.' || c == '_' || c == '-';
}

static inline bool all(struct bytes b, bool (*is)(uint8_t))
{
	for (size_t i = 0; i < b.n; i++) {
		if (!is(b.at[i]))
			return false;
	}
	return true;
}

static inline uint8_t lower(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? (uint8_t)(c | 0x20) : c;
}

/* ---- runs of bytes ---- */

static inline struct bytes slice(struct bytes b, size_t from, size_t to)
{
	return bytes_of(b.at + from, to - from);
}

static inline bool equals(struct bytes b, const char *text)
{
	return bytes_equal(b, bytes_of_text(text));
}

/* @text in lower case. */
static inline bool equals_any_case(struct bytes b, const char *text)
{
	if (b.n != strlen(text))
		return false;
	for (size_t i = 0; i < b.n; i++) {
		if (lower(b.at[i]) != (uint8_t)text[i])
			return false;
	}
	return true;
}

static inline bool starts_any_case(struct bytes b, const char *text)
{
	size_t n = strlen(text);

	return b.n >= n && equals_any_case(bytes_of(b.at, n), text);
}

static inline struct bytes trim(struct bytes b)
{
	while (b.n > 0 && (b.at[0] == ' ' || b.at[0] == '\t'))
		b = slice(b, 1, b.n);
	while (b.n > 0 && (b.at[b.n - 1] == ' ' || b.at[b.n - 1] == '\t'))
		b.n--;
	return b;
}

/* Cut at the first @by: *ret_head is what precedes it, *b what follows.  Without one, everything and nothing.
 * Return: whether there was one. */
static inline bool cut(struct bytes *b, char by, struct bytes *ret_head)
{
	const uint8_t *at = b->n > 0 ? memchr(b->at, by, b->n) : NULL;
	size_t n = at != NULL ? (size_t)(at - b->at) : b->n;

	*ret_head = bytes_of(b->at, n);
	*b = at != NULL ? slice(*b, n + 1, b->n) : bytes_of(NULL, 0);
	return at != NULL;
}

/* Decimal digits only, at least one; no sign, no space, no wrap. */
static inline bool parse_u64(struct bytes b, uint64_t *ret)
{
	uint64_t v = 0;

	if (b.n == 0 || !all(b, is_digit))
		return false;
	for (size_t i = 0; i < b.n; i++) {
		if (!mul_u64(v, 10, &v) || !add_u64(v, (uint64_t)(b.at[i] - '0'), &v))
			return false;
	}
	*ret = v;
	return true;
}
