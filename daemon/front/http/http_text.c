/* Text that a client wrote into a path or a query: percent-decoded, and as a file's name. */
#include "hex.h"
#include "http_text.h"

bool http_percent_decode(struct bytes in, char *buf, size_t max, size_t *ret_n)
{
	size_t n = 0;

	for (size_t i = 0; i < in.n; i++) {
		uint8_t c = in.at[i];

		if (c == '%') {
			int high = in.n - i > 2 ? hex_digit(in.at[i + 1]) : -1;
			int low = in.n - i > 2 ? hex_digit(in.at[i + 2]) : -1;

			if (high < 0 || low < 0 || (high == 0 && low == 0))
				return false;
			c = (uint8_t)(high * 16 + low);
			i += 2;
		}
		if (n == max)
			return false;
		buf[n++] = (char)c;
	}
	buf[n] = '\0';
	*ret_n = n;
	return true;
}

/* Length of the UTF-8 sequence at the start of b, 0 if it is none (RFC 3629: shortest form, no surrogates). */
static size_t utf8_sequence(struct bytes b)
{
	uint8_t c = b.at[0];
	size_t n = c < 0x80 ? 1 : c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;

	if (n == 0 || n > b.n)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((b.at[i] & 0xC0) != 0x80)
			return 0;
	}
	if ((c == 0xE0 && b.at[1] < 0xA0) || (c == 0xED && b.at[1] > 0x9F) || (c == 0xF0 && b.at[1] < 0x90) ||
	    (c == 0xF4 && b.at[1] > 0x8F))
		return 0;
	return n;
}

bool http_is_name(struct bytes b)
{
	if (b.n == 0 || b.n > HTTP_NAME_MAX)
		return false;
	while (b.n > 0) {
		size_t n = utf8_sequence(b);

		if (n == 0 || b.at[0] < 0x20 || b.at[0] == 0x7F)
			return false;
		b = slice(b, n, b.n);
	}
	return true;
}
