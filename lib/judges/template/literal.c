/* String literals: see literal.h.  Escapes follow the Python Language Reference, section 2.4.1. */
#include "literal.h"

#include "unicode.h"
#include "words.h"
#include "hex.h"

#define UNKNOWN_CHAR 0xFFFDu
#define SPECIAL_MIN 3u /* none is shorter */
#define WORD_MAX 24u   /* of a special name, without its underscores: none is longer */

/* Up to n digits, from at least `least` of them. */
static bool take_digits(struct literal *l, size_t least, size_t n, int base, uint32_t *ret)
{
	uint32_t v = 0;
	size_t i = 0;

	for (; i < n && l->p < l->end; i++) {
		int d = hex_digit(*l->p);

		if (d < 0 || d >= base)
			break;
		v = v << (base == 8 ? 3 : 4) | (uint32_t)d;
		l->p++;
	}
	*ret = v;
	return i >= least && v <= 0x10FFFF;
}

static bool same_letters(struct bytes name, const char *word)
{
	for (size_t i = 0; i < name.n; i++)
		if (word[i] == 0 || (name.at[i] & 0xDF) != (word[i] & 0xDF))
			return false;
	return word[name.n] == 0;
}

/* The names of the characters that words are made of. */
static uint32_t char_by_name(struct bytes name)
{
	static const char *const letters[] = { "LATIN SMALL LETTER ", "LATIN CAPITAL LETTER " };

	if (same_letters(name, "LOW LINE"))
		return '_';
	if (same_letters(name, "FULL STOP"))
		return '.';
	for (size_t i = 0; i < 2; i++) {
		size_t n = strlen(letters[i]);

		if (name.n == n + 1 && same_letters(bytes_of(name.at, n), letters[i]))
			return (name.at[n] & 0xDFu) | (i == 0 ? 0x20u : 0u);
	}
	return UNKNOWN_CHAR;
}

static void take_named(struct literal *l, struct literal_char *ret)
{
	const uint8_t *close = l->p < l->end && *l->p == '{' ? memchr(l->p, '}', (size_t)(l->end - l->p)) : NULL;

	ret->c = UNKNOWN_CHAR;
	if (close != NULL) {
		ret->c = char_by_name(bytes_of(l->p + 1, (size_t)(close - l->p - 1)));
		l->p = close + 1;
	}
	ret->unknown = ret->c == UNKNOWN_CHAR;
}

static void take_number(struct literal *l, size_t n, struct literal_char *ret)
{
	ret->unknown = !take_digits(l, n, n, 16, &ret->c);
	if (ret->unknown)
		ret->c = UNKNOWN_CHAR;
}

static uint32_t control_of(uint8_t c)
{
	static const char letters[] = "abfnrtv", controls[] = "\a\b\f\n\r\t\v";
	const char *at = c != 0 ? strchr(letters, c) : NULL;

	return at != NULL ? (uint8_t)controls[at - letters] : c;
}

/* Behind the backslash.  Return: false for one that stands for nothing.  Jinja makes each CR and CR LF a line feed before
 * (lexer.py, _normalize_newlines), and a backslash takes it away. */
static bool take_escape(struct literal *l, struct literal_char *ret)
{
	uint8_t c = *l->p++;

	ret->spelled = true;
	switch (c) {
	case '\r': l->p += l->p < l->end && *l->p == '\n'; return false;
	case '\n': return false;
	case 'x': take_number(l, 2, ret); return true;
	case 'u': take_number(l, 4, ret); return true;
	case 'U': take_number(l, 8, ret); return true;
	case 'N': take_named(l, ret); return true;
	default: break;
	}
	if (c >= '0' && c <= '7') {
		l->p--;
		return take_digits(l, 1, 3, 8, &ret->c);
	}
	ret->spelled = false;
	ret->c = control_of(c);
	if (c != '\\' && c != '\'' && c != '"' && ret->c == c) {
		l->p--; /* the backslash stays, and what follows is itself */
		ret->c = '\\';
	}
	return true;
}

bool template_literal_next(struct literal *l, struct literal_char *ret)
{
	do {
		*ret = (struct literal_char){ .c = 0 };
		if (l->p >= l->end)
			return false;
		if (*l->p != '\\' || l->end - l->p < 2) {
			ret->c = utf8_next(&l->p);
			return true;
		}
		l->p++;
	} while (!take_escape(l, ret));
	return true;
}

size_t template_literal_decode(struct bytes raw, char *buf, size_t n, bool *ret_whole)
{
	struct literal l = literal_of(raw);
	struct literal_char c;
	size_t used = 0;

	*ret_whole = true;
	while (template_literal_next(&l, &c)) {
		uint32_t plain = template_dunder_fold(c.c);

		if (used == n) {
			*ret_whole = false;
			break;
		}
		buf[used++] = plain >= 0x20 && plain < 0x7F ? (char)plain : '?';
	}
	return used;
}

/* -- Python internals -- */

uint32_t template_dunder_fold(uint32_t c)
{
	if (c >= 0xFF01 && c <= 0xFF5E)
		return c - 0xFF01 + '!';
	if (c == 0x017F) /* long s; the next: dotless i, the sign for kelvin */
		return 's';
	if (c == 0x0131 || c == 0x212A)
		return c == 0x0131 ? 'i' : 'k';
	return c == 0xFE33 || c == 0xFE34 || (c >= 0xFE4D && c <= 0xFE4F) ? '_' : c;
}

static bool is_special(const char *word, size_t n)
{
	char back[WORD_MAX];

	if (n < SPECIAL_MIN)
		return false;
	for (size_t i = 0; i < n; i++)
		back[i] = word[n - 1 - i];
	return template_word_is_special(word, n) || template_word_is_special(back, n);
}

/* The tail ends with two underscores: is there a word and two more before them?  Words hold single underscores. */
static bool closes_word(const struct dunder_search *s)
{
	size_t end = s->n - 2, from = end;

	while (from > 0 && end - from <= WORD_MAX) {
		from--;
		if (from > 0 && s->tail[from] == '_' && s->tail[from - 1] == '_')
			return end - from - 1 <= WORD_MAX && is_special(s->tail + from + 1, end - from - 1);
	}
	return false;
}

static bool feed_letter(struct dunder_search *s, uint32_t c)
{
	uint32_t plain = template_dunder_fold(c);

	if (plain >= 0x80)
		plain = ' ';
	if (plain >= 'A' && plain <= 'Z')
		plain |= 0x20;
	if (s->n == DUNDER_WINDOW) {
		memmove(s->tail, s->tail + DUNDER_WINDOW / 2, DUNDER_WINDOW / 2);
		s->n = DUNDER_WINDOW / 2;
	}
	s->tail[s->n++] = (char)plain;
	return plain == '_' && s->n >= 2 && s->tail[s->n - 2] == '_' && closes_word(s);
}

/* The letters whose capitals, or small letters, are several plain ones (Unicode, SpecialCasing.txt). */
const char *template_letters_of(uint32_t c)
{
	static const char *const ligatures[] = { "ff", "fi", "fl", "ffi", "ffl", "st", "st" }; /* U+FB00 and on */

	if (c == 0xDF || c == 0x1E9E)
		return "ss";
	return c >= 0xFB00 && c <= 0xFB06 ? ligatures[c - 0xFB00] : NULL;
}

bool template_dunder_feed(struct dunder_search *s, uint32_t c)
{
	const char *letters = template_letters_of(c);

	for (; letters != NULL && *letters != 0; letters++)
		feed_letter(s, (uint8_t)*letters);
	return letters == NULL && feed_letter(s, c);
}
