/* Characters that people do not see: see unicode.h. */
#include "unicode.h"

size_t utf8_put(uint32_t c, uint8_t out[4])
{
	if (c < 0x80) {
		out[0] = (uint8_t)c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = (uint8_t)(0xC0 | c >> 6);
		out[1] = (uint8_t)(0x80 | (c & 0x3F));
		return 2;
	}
	if (c < 0x10000) {
		out[0] = (uint8_t)(0xE0 | c >> 12);
		out[1] = (uint8_t)(0x80 | (c >> 6 & 0x3F));
		out[2] = (uint8_t)(0x80 | (c & 0x3F));
		return 3;
	}
	out[0] = (uint8_t)(0xF0 | c >> 18);
	out[1] = (uint8_t)(0x80 | (c >> 12 & 0x3F));
	out[2] = (uint8_t)(0x80 | (c >> 6 & 0x3F));
	out[3] = (uint8_t)(0x80 | (c & 0x3F));
	return 4;
}

bool unicode_is_direction(uint32_t c)
{
	return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

struct range {
	uint32_t first, last;
};

/* Sorted.  Variation selectors 1 to 16 are judged by what they follow, see unicode_is_idle_selector(). */
static const struct range invisible[] = {
	{ 0x00AD, 0x00AD },   /* soft hyphen */
	{ 0x034F, 0x034F },   /* combining grapheme joiner */
	{ 0x061C, 0x061C },   /* Arabic letter mark */
	{ 0x115F, 0x1160 },   /* Hangul fillers */
	{ 0x17B4, 0x17B5 },   /* Khmer inherent vowels */
	{ 0x180E, 0x180E },   /* Mongolian vowel separator */
	{ 0x200B, 0x200F },   /* zero width space, joiners, direction marks */
	{ 0x2028, 0x202E },   /* line and paragraph separator, embeddings and overrides */
	{ 0x2060, 0x206F },   /* word joiner, invisible operators, isolates, deprecated formats */
	{ 0x3164, 0x3164 },   /* Hangul filler */
	{ 0xFDD0, 0xFDEF },   /* noncharacters */
	{ 0xFEFF, 0xFEFF },   /* zero width no-break space */
	{ 0xFFA0, 0xFFA0 },   /* halfwidth Hangul filler */
	{ 0xFFF0, 0xFFFB },   /* unassigned ignorables, interlinear annotation */
	{ 0x1BCA0, 0x1BCA3 }, /* shorthand format controls */
	{ 0x1D173, 0x1D17A }, /* musical format controls */
	{ 0xE0000, 0xE0FFF }, /* tags, and selectors 17 to 256: any byte can be smuggled in them */
};

bool unicode_is_invisible(uint32_t c)
{
	if (c < invisible[0].first)
		return false;
	if ((c & 0xFFFE) == 0xFFFE) /* the last two of every plane are noncharacters */
		return true;
	for (size_t i = 0; i < sizeof(invisible) / sizeof(invisible[0]); i++)
		if (c <= invisible[i].last)
			return c >= invisible[i].first;
	return false;
}

static bool is_selector(uint32_t c)
{
	return c >= 0xFE00 && c <= 0xFE0F;
}

/* A variation selector chooses the form of an emoji, ideograph, symbol or keycap before it.  Behind a letter of ASCII,
 * behind another selector or at the beginning it chooses nothing and only makes two names differ unseen. */
bool unicode_is_idle_selector(uint32_t c, uint32_t before)
{
	if (!is_selector(c))
		return false;
	return (before < 0x80 && before != '#' && before != '*' && !(before >= '0' && before <= '9')) ||
	       is_selector(before);
}
