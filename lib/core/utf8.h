/* UTF-8: a whole text, or a run that comes in pieces.  Follows RFC 3629 and Unicode 15, table 3-7: no surrogates (unless
 * asked for), no overlong forms, nothing above U+10FFFF. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

/* Zeroed, it stands before the first byte. */
struct utf8_stream {
	uint8_t left, low, high; /* continuation bytes to come, and what the next may be */
	bool surrogates;         /* for who reads: they are taken too, as Python's surrogatepass does */
};

/* The next bytes.  Return: false: not UTF-8, and no later piece can mend it. */
bool utf8_stream_feed(struct utf8_stream *u, const uint8_t *at, size_t n);

/* May the run end here?  Not within a character. */
static inline bool utf8_stream_whole(const struct utf8_stream *u)
{
	return u->left == 0;
}

/* First byte of `text` that is not well-formed UTF-8, or text.n. */
size_t utf8_check(struct bytes text);
