/* UTF-8, whole and in pieces.  See utf8.h. */
#include "utf8.h"

#include "lanes.h"

/* RFC 3629, section 4: what may follow each leading byte. */
static bool lead(struct utf8_stream *u, uint8_t c)
{
	*u = (struct utf8_stream){ .low = 0x80, .high = 0xbf, .surrogates = u->surrogates };
	if (c < 0xc2 || c > 0xf4)
		return false;
	u->left = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
	if (c == 0xe0)
		u->low = 0xa0;
	else if (c == 0xed && !u->surrogates)
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
	*u = (struct utf8_stream){
		.left = (uint8_t)(u->left - 1), .low = 0x80, .high = 0xbf, .surrogates = u->surrogates
	};
	return true;
}

/* How many bytes from p are surely ASCII: blocks of 64, for nearly every text is nothing else, then of 16 and of 8. */
static size_t ascii_run(const uint8_t *p, size_t left)
{
	size_t n = 0;
	uint64_t word;

	for (; left - n >= 4 * LANES; n += 4 * LANES) {
		u8x16 v = load_lanes(p + n) | load_lanes(p + n + LANES) | load_lanes(p + n + 2 * LANES) |
			  load_lanes(p + n + 3 * LANES);

		if (any_lane(v & 0x80))
			break;
	}
	while (left - n >= LANES && !any_lane(load_lanes(p + n) & 0x80))
		n += LANES;
	for (; left - n >= sizeof(word); n += sizeof(word)) {
		memcpy(&word, p + n, sizeof(word));
		if ((word & UINT64_C(0x8080808080808080)) != 0)
			break;
	}
	return n;
}

bool utf8_stream_feed(struct utf8_stream *u, const uint8_t *at, size_t n)
{
	size_t i = 0;

	while (i < n) {
		if (u->left == 0)
			i += ascii_run(at + i, n - i);
		if (i < n && !next(u, at[i++]))
			return false;
	}
	return true;
}

/* How long the sequence at p is, 0 when it is none. */
static size_t sequence(const uint8_t *p, size_t left)
{
	struct utf8_stream u = { 0 };
	size_t n;

	if (p[0] < 0x80)
		return 1;
	if (!lead(&u, p[0]))
		return 0;
	n = 1u + u.left;
	if (left < n || p[1] < u.low || p[1] > u.high)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return n;
}

size_t utf8_check(struct bytes text)
{
	size_t at = 0;

	while (at < text.n) {
		size_t n = ascii_run(text.at + at, text.n - at);

		at += n;
		/* A block that is not all ASCII, character by character. */
		for (size_t stop = text.n - at < 4 * LANES ? text.n : at + 4 * LANES; at < stop; at += n) {
			n = sequence(text.at + at, text.n - at);
			if (n == 0)
				return at;
		}
	}
	return text.n;
}
