/* Bytes from a file as text that cannot act on a terminal, reorder a line or hide: what is printable stays,
 * all else is shown as \xNN.  Unicode 15, general categories Cc, Cf (less the visible Arabic, Syriac and
 * Kaithi signs), Zl, Zp, the default-ignorable fillers, and noncharacters. */
#include "escape.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define UNIT_MAX 16 /* four bytes as \xNN */

struct span {
	uint32_t first, last;
};

static const struct span hidden[] = {
	{ 0x0000, 0x001F },   /* C0 */
	{ 0x007F, 0x009F },   /* DEL, C1 */
	{ 0x00AD, 0x00AD },   /* soft hyphen */
	{ 0x034F, 0x034F },   /* combining grapheme joiner */
	{ 0x061C, 0x061C },   /* Arabic letter mark */
	{ 0x115F, 0x1160 },   /* Hangul fillers */
	{ 0x17B4, 0x17B5 },   /* Khmer inherent vowels */
	{ 0x180B, 0x180F },   /* Mongolian selectors and separator */
	{ 0x200B, 0x200F },   /* zero width, direction marks */
	{ 0x2028, 0x202E },   /* line and paragraph separator, embeddings and overrides */
	{ 0x2060, 0x206F },   /* word joiner, invisible operators, isolates */
	{ 0x2800, 0x2800 },   /* blank Braille pattern */
	{ 0x3164, 0x3164 },   /* Hangul filler */
	{ 0xFDD0, 0xFDEF },   /* noncharacters */
	{ 0xFE00, 0xFE0F },   /* variation selectors */
	{ 0xFEFF, 0xFEFF },   /* byte order mark */
	{ 0xFFA0, 0xFFA0 },   /* halfwidth Hangul filler */
	{ 0xFFF0, 0xFFFB },   /* unassigned ignorable, interlinear annotation */
	{ 0x1BCA0, 0x1BCA3 }, /* shorthand format controls */
	{ 0x1D173, 0x1D17A }, /* musical format controls */
	{ 0xE0000, 0xE0FFF }, /* tags, variation selectors */
};

static bool is_hidden(uint32_t c)
{
	if ((c & 0xFFFE) == 0xFFFE)
		return true; /* the last two of every plane are noncharacters */
	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		if (c >= hidden[i].first && c <= hidden[i].last)
			return true;
	return false;
}

/* Length of the valid UTF-8 sequence at the start of b, or 0 (RFC 3629: no overlongs, no surrogates). */
static size_t utf8_decode(struct bytes b, uint32_t *ret)
{
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint8_t lead = b.at[0];
	size_t n = lead < 0x80 ? 1 : lead < 0xC0 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF8 ? 4 : 0;
	uint32_t c = n <= 1 ? lead : lead & (0x7Fu >> n);

	if (n == 0 || n > b.n)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((b.at[i] & 0xC0) != 0x80)
			return 0;
		c = c << 6 | (b.at[i] & 0x3Fu);
	}
	if (c < smallest[n] || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
		return 0;
	*ret = c;
	return n;
}

/* The next unit of b as it is shown.  Returns how many bytes of b it is (at least 1). */
static size_t unit_show(struct bytes b, const char *backslash, char out[UNIT_MAX + 1], bool *ret_plain)
{
	uint32_t c;
	size_t n = utf8_decode(b, &c);
	bool plain = n > 0 && !is_hidden(c);
	size_t used = n > 0 ? n : 1;

	*ret_plain = plain;
	if (plain && c == '\\') {
		memcpy(out, backslash, strlen(backslash) + 1);
		return used;
	}
	if (plain) {
		memcpy(out, b.at, used);
		out[used] = '\0';
		return used;
	}
	for (size_t i = 0; i < used; i++)
		(void)snprintf(out + 4 * i, 5, "\\x%02X", b.at[i]);
	return used;
}

bool text_is_plain(struct bytes b)
{
	char out[UNIT_MAX + 1];
	bool plain = true;

	while (b.n > 0 && plain) {
		size_t used = unit_show(b, "\\\\", out, &plain);

		b = bytes_of(b.at + used, b.n - used);
	}
	return plain;
}

static char *show(struct bytes b, const char *backslash, char *buf, size_t n)
{
	static const char mark[] = "...";
	char out[UNIT_MAX + 1];
	size_t at = 0, keep = 0; /* keep: the last unit border that leaves room for the mark */
	bool plain;

	if (n == 0)
		return buf;
	while (b.n > 0) {
		size_t used = unit_show(b, backslash, out, &plain);
		size_t length = strlen(out);

		/* A NUL from the file arrives here as \x00, so strlen() of the shown unit is its length. */
		if (length > n - 1 - at)
			break;
		memcpy(buf + at, out, length);
		at += length;
		if (n - 1 - at >= sizeof(mark) - 1)
			keep = at;
		b = bytes_of(b.at + used, b.n - used);
	}
	if (b.n > 0) {
		size_t room = n - 1 - keep;

		at = keep + (room < sizeof(mark) - 1 ? room : sizeof(mark) - 1);
		memcpy(buf + keep, mark, at - keep);
	}
	buf[at] = '\0';
	return buf;
}

char *text_escape(struct bytes b, char *buf, size_t n)
{
	return show(b, "\\\\", buf, n);
}

char *text_show(struct bytes b, char *buf, size_t n)
{
	return show(b, "\\", buf, n);
}
