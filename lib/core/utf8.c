/* UTF-8 in pieces.  See utf8.h. */
#include "utf8.h"

/* RFC 3629, section 4: what may follow each leading byte. */
static bool lead(struct utf8_stream *u, uint8_t c)
{
	*u = (struct utf8_stream){ .low = 0x80, .high = 0xbf };
	if (c < 0xc2 || c > 0xf4)
		return false;
	u->left = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
	if (c == 0xe0)
		u->low = 0xa0;
	else if (c == 0xed)
		u->high = 0x9f;
	else if (c == 0xf0)
		u->low = 0x90;
	else if (c == 0xf4)
		u->high = 0x8f;
	return true;
}

static bool next(struct utf8_stream *u, uint8_t c)
{
	if (u->left == 0)
		return c < 0x80 || lead(u, c);
	if (c < u->low || c > u->high)
		return false;
	*u = (struct utf8_stream){ .left = (uint8_t)(u->left - 1), .low = 0x80, .high = 0xbf };
	return true;
}

/* Eight bytes of ASCII at a time: most text is nothing else. */
static size_t ascii_words(const uint8_t *at, size_t n)
{
	size_t done = 0;

	while (n - done >= 8) {
		uint64_t word;

		__builtin_memcpy(&word, at + done, 8);
		if ((word & UINT64_C(0x8080808080808080)) != 0)
			break;
		done += 8;
	}
	return done;
}

bool utf8_stream_feed(struct utf8_stream *u, const uint8_t *at, size_t n)
{
	size_t i = 0;

	while (i < n) {
		if (u->left == 0)
			i += ascii_words(at + i, n - i);
		if (i < n && !next(u, at[i++]))
			return false;
	}
	return true;
}
