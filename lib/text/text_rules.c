/* What a name or a text may hold: see text_rules.h. */
#include "text_rules.h"

#include "unicode.h"

#include <string.h>

static size_t utf8_length(uint32_t c)
{
	return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

/* Spaces (category Zs), and the pattern of Braille without a dot. */
static bool prints_nothing(uint32_t c)
{
	return c == ' ' || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x205F ||
	       c == 0x2800 || c == 0x3000;
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
	bool blank = true, other = false;

	/* Nearly every name: printable ASCII, no separator, so only the whole name can be a component. */
	if (t->plain) {
		f.length = t->raw.n;
		f.climbs = f.length == 2 && p[0] == '.' && p[1] == '.';
		return f;
	}
	for (; json_char(&p, end, &c); before = c) {
		f.length += utf8_length(c);
		blank = blank && prints_nothing(c);
		other |= c > 0x7f;
		if (c == '/' || c == '\\') {
			f.climbs |= dots == 2;
			dots = 0;
			continue;
		}
		dots = component_step(dots, c);
		if (c > 0x20 && c < 0x7F)
			continue;
		f.control |= unicode_is_control(c);
		f.text_control |= unicode_is_control(c) && !unicode_is_layout(c);
		f.direction |= unicode_is_direction(c);
		f.invisible |= unicode_is_invisible(c) || unicode_is_idle_selector(c, before);
	}
	f.climbs |= dots == 2;
	f.blank = blank && other;
	return f;
}

/* -- code in text -- */

static int base64_value(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

size_t text_base64(struct bytes t, uint8_t *to)
{
	uint32_t bits = 0;
	size_t n = 0, n_bits = 0;

	for (size_t i = 0; i < t.n; i++) {
		int value = base64_value(t.at[i]);

		if (t.at[i] == '\n' || t.at[i] == '\r')
			continue;
		if (value < 0)
			break;
		bits = (bits << 6 | (uint32_t)value) & 0xffff;
		n_bits += 6;
		if (n_bits >= 8) {
			n_bits -= 8;
			to[n++] = (uint8_t)(bits >> n_bits);
		}
	}
	return n;
}

bool text_hides_code(struct bytes t, uint64_t n)
{
	uint32_t first = 0;

	if (n <= TEXT_CODE_MIN || t.n < TEXT_CODE_MIN)
		return false;
	for (size_t i = 0; i < t.n; i++) {
		if (base64_value(t.at[i]) < 0 && t.at[i] != '=' && t.at[i] != '\n')
			return false;
	}
	for (size_t i = 0; i < 4; i++)
		first = first << 6 | (uint32_t)(base64_value(t.at[i]) & 63);
	first &= 0xffffff;
	return first >> 16 == 0xe3 || (first >> 16 == 0x63 && (first >> 8 & 0xff) == 0) ||
	       (first >> 16 == 0x80 && (first >> 8 & 0xff) >= 2 && (first >> 8 & 0xff) <= 5);
}

/* -- how settings begin -- */

static size_t skip_blanks(struct bytes text, size_t i)
{
	while (i < text.n && memchr(" \t\r\n", text.at[i], 4) != NULL)
		i++;
	return i;
}

/* What no expression of Jinja's begins with (jinja2/parser.py, parse_unary() and parse_primary()), or one word and a string or a colon
 * behind it: the whole is refused before any of it runs.  Go's templates, Mustache's and Tempita's ({{py: ...}}) begin so. */
static bool is_foreign_block(struct bytes text)
{
	size_t i = 2, word;

	if (i < text.n && (text.at[i] == '-' || text.at[i] == '+'))
		i++;
	i = skip_blanks(text, i);
	if (i < text.n && memchr("/#&>!.$?^@;:=*|", text.at[i], 15) != NULL)
		return true;
	for (word = i; i < text.n && text_is_name_byte(text.at[i]) && text.at[i] != '-' && text.at[i] != '.';)
		i++;
	if (i == word || bytes_equal(bytes_of(text.at + word, i - word), bytes_of_text("not")))
		return false;
	i = skip_blanks(text, i);
	return i < text.n && (text.at[i] == '"' || text.at[i] == '`' || text.at[i] == ':');
}

bool text_begins_foreign_brace(struct bytes text)
{
	size_t i;

	if (text.n < 2 || text.at[0] != '{')
		return false;
	if (text.at[1] == '{')
		return is_foreign_block(text);
	i = skip_blanks(text, 1);
	return i < text.n && ((text.at[i] | 0x20) >= 'a' && (text.at[i] | 0x20) <= 'z');
}

bool text_begins_section(struct bytes text)
{
	static const char *const values[] = { "true", "false", "null", "NaN", "Infinity" };
	size_t i = 0, n = 0;

	while (i < text.n && strchr(" \t\r\n", text.at[i]) != NULL && text.at[i] != 0)
		i++;
	for (size_t brackets = 0; brackets < 2 && i < text.n && text.at[i] == '['; brackets++)
		i++;
	if (i == 0 || text.at[i - 1] != '[')
		return false;
	while (i + n < text.n && text_is_name_byte(text.at[i + n]))
		n++;
	for (size_t k = 0; k < sizeof(values) / sizeof(values[0]); k++)
		if (bytes_equal(bytes_of(text.at + i, n), bytes_of_text(values[k])))
			return false;
	return n > 0 && !(text.at[i] >= '0' && text.at[i] <= '9') && i + n < text.n &&
	       memchr("]. -\"", text.at[i + n], 5) != NULL;
}
