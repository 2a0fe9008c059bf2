/* UTF-16: see utf16.h.  Follows RFC 2781, section 2.2. */
#include "utf16.h"

struct reader {
	struct bytes text;
	size_t at;
	bool big;
};

static uint32_t take_unit(struct reader *r)
{
	uint32_t a = r->text.at[r->at], b = r->text.at[r->at + 1];

	r->at += 2;
	return r->big ? a << 8 | b : b << 8 | a;
}

/* False: half of a pair. */
static bool take_character(struct reader *r, uint32_t *ret)
{
	uint32_t low;

	*ret = take_unit(r);
	if (*ret < 0xd800 || *ret > 0xdfff)
		return true;
	if (*ret > 0xdbff || r->at == r->text.n)
		return false;
	low = take_unit(r);
	*ret = 0x10000 + ((*ret - 0xd800) << 10) + (low - 0xdc00);
	return low >= 0xdc00 && low <= 0xdfff;
}

static size_t put(uint8_t *to, uint32_t c)
{
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	if (n == 1) {
		to[0] = (uint8_t)c;
		return 1;
	}
	for (size_t i = n - 1; i > 0; i--, c >>= 6)
		to[i] = (uint8_t)(0x80 | (c & 0x3f));
	to[0] = (uint8_t)((0xf00 >> n & 0xff) | c);
	return n;
}

bool utf16_decode(struct bytes text, struct arena *a, struct bytes *ret)
{
	struct reader r = { .text = text, .at = 2, .big = text.n > 0 && text.at[0] == 0xfe };
	size_t n = 0;
	uint8_t *to;
	uint32_t c;

	if (!utf16_begins(text) || text.n % 2 != 0)
		return false;
	to = arena_resize_raw(a, NULL, text.n / 2 * 3 + 1, 1);
	*ret = bytes_of(to, 0);
	if (to == NULL)
		return true;
	while (r.at < text.n) {
		if (!take_character(&r, &c))
			return false;
		n += put(to + n, c);
	}
	*ret = bytes_of(to, n);
	return true;
}
