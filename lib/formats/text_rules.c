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

/* Sorted.  Variation selectors and joiners of scripts are left alone where they do not hide. */
static const struct range invisible[] = {
	{ 0x00AD, 0x00AD },   /* soft hyphen */
	{ 0x061C, 0x061C },   /* Arabic letter mark */
	{ 0x180E, 0x180E },   /* Mongolian vowel separator */
	{ 0x200B, 0x200F },   /* zero width space, joiners, direction marks */
	{ 0x2028, 0x202E },   /* line and paragraph separator, embeddings and overrides */
	{ 0x2060, 0x206F },   /* word joiner, invisible operators, isolates, deprecated formats */
	{ 0xFDD0, 0xFDEF },   /* noncharacters */
	{ 0xFEFF, 0xFEFF },   /* zero width no-break space */
	{ 0xFFF9, 0xFFFB },   /* interlinear annotation */
	{ 0xE0000, 0xE007F }, /* tags */
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

static bool is_control(uint32_t c)
{
	return c < 0x20 || (c >= 0x7F && c <= 0x9F);
}

static bool is_layout(uint32_t c)
{
	return c == '\t' || c == '\n' || c == '\r' || c == 0x85;
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
	unsigned dots = 0;
	uint32_t c;

	/* Nearly every name: printable ASCII, no separator, so only the whole name can be a component. */
	if (t->plain) {
		f.length = t->raw.n;
		f.climbs = f.length == 2 && p[0] == '.' && p[1] == '.';
		return f;
	}
	while (json_char(&p, end, &c)) {
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
		f.invisible |= is_invisible(c);
	}
	f.climbs |= dots == 2;
	return f;
}
