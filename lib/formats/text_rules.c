/* What a name or a text may hold: see text_rules.h.  Character classes follow Unicode 15, "Bidi_Control",
 * "Default_Ignorable_Code_Point" and "Noncharacter_Code_Point"; UTS 39 says why they have no place in names. */
#include "text_rules.h"

static bool is_direction(uint32_t c)
{
	return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

struct range {
	uint32_t first, last;
};

/* Sorted.  Variation selectors 1 to 16 are judged by what they follow, see is_idle_selector(). */
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

static bool is_invisible(uint32_t c)
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
static bool is_idle_selector(uint32_t c, uint32_t before)
{
	if (!is_selector(c))
		return false;
	return (before < 0x80 && before != '#' && before != '*' && !(before >= '0' && before <= '9')) ||
	       is_selector(before);
}

static bool is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7F && c <= 0x9F);
}

static bool is_layout(uint32_t c)
{
	return c == '\t' || c == '\n' || c == '\r';
}

static size_t utf8_length(uint32_t c)
{
	return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

/* A component that is exactly two dots: dots counts them, anything else spoils it. */
#define SPOILT 3u

static unsigned component_step(unsigned dots, uint32_t c)
{
	return c == '.' && dots < 2 ? dots + 1 : SPOILT;
}

struct text_faults text_inspect(const struct json_text *t)
{
	struct text_faults f = { .length = 0 };
	const uint8_t *p = t->raw.at, *end = p + t->raw.n;
	uint32_t c, before = 0;
	unsigned dots = 0;

	/* Nearly every name: printable ASCII, no separator, so only the whole name can be a component. */
	if (t->plain) {
		f.length = t->raw.n;
		f.climbs = f.length == 2 && p[0] == '.' && p[1] == '.';
		return f;
	}
	for (; json_char(&p, end, &c); before = c) {
		f.length += utf8_length(c);
		if (c == '/' || c == '\\') {
			f.climbs |= dots == 2;
			dots = 0;
			continue;
		}
		dots = component_step(dots, c);
		if (c > 0x20 && c < 0x7F)
			continue;
		f.control |= is_control(c);
		f.text_control |= is_control(c) && !is_layout(c);
		f.direction |= is_direction(c);
		f.invisible |= is_invisible(c) || is_idle_selector(c, before);
	}
	f.climbs |= dots == 2;
	return f;
}
