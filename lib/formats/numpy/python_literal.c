/* Tokens of a Python literal: see python_literal.h. */
#include "python_literal.h"

#include "checked.h"
#include "hex.h"

void literal_init(struct literal *l, struct bytes text, struct arena *arena)
{
	*l = (struct literal){ .text = text, .arena = arena };
}

static int peek(const struct literal *l, size_t ahead)
{
	return ahead < l->text.n - l->at ? l->text.at[l->at + ahead] : -1;
}

/* -- between tokens -- */

static void skip_comment(struct literal *l)
{
	l->lax |= LITERAL_LAX_COMMENT;
	while (peek(l, 0) >= 0 && peek(l, 0) != '\n' && peek(l, 0) != '\r')
		l->at++;
}

static void skip_space(struct literal *l)
{
	for (;;) {
		int c = peek(l, 0);

		if (c == '\t' || c == '\n' || c == '\r' || c == '\f')
			l->lax |= LITERAL_LAX_SPACE;
		else if (c == '#')
			skip_comment(l);
		else if (c != ' ')
			return;
		if (c != '#')
			l->at++;
	}
}

/* -- integers -- */

/* 16: none. */
static int digit_value(int c)
{
	int digit = c < 0 ? -1 : hex_digit((uint8_t)c);

	return digit < 0 ? 16 : digit;
}

/* The base a prefix announces, which is taken; decimal without one. */
static unsigned take_base(struct literal *l)
{
	static const struct {
		char letter;
		unsigned base;
	} bases[] = { { 'x', 16 }, { 'o', 8 }, { 'b', 2 } };

	for (size_t i = 0; i < sizeof(bases) / sizeof(bases[0]); i++) {
		if (peek(l, 0) == '0' && (peek(l, 1) | 0x20) == bases[i].letter) {
			l->at += 2;
			l->lax |= LITERAL_LAX_NUMBER;
			return bases[i].base;
		}
	}
	return 10;
}

static void add_digit(struct literal *l, unsigned base, unsigned digit)
{
	if (!mul_u64(l->number, base, &l->number) || !add_u64(l->number, digit, &l->number))
		l->number = UINT64_MAX;
}

static enum literal_kind read_int(struct literal *l)
{
	unsigned base = take_base(l);
	bool leading_zero = base == 10 && peek(l, 0) == '0';
	size_t digits = 0;

	l->number = 0;
	for (;; l->at++) {
		int c = peek(l, 0), digit = digit_value(c);

		if (c == '_' && digits > 0 && digit_value(peek(l, 1)) < (int)base) {
			l->lax |= LITERAL_LAX_NUMBER;
			continue;
		}
		if (digit >= (int)base)
			break;
		digits++;
		add_digit(l, base, (unsigned)digit);
	}
	if (digits == 0 || (leading_zero && digits > 1 && l->number > 0))
		return LITERAL_ERROR;
	if (leading_zero && digits > 1)
		l->lax |= LITERAL_LAX_NUMBER;
	if (peek(l, 0) == 'L') {
		l->lax |= LITERAL_LAX_LONG;
		l->at++;
	}
	return LITERAL_INT;
}

static enum literal_kind read_signed(struct literal *l)
{
	bool minus = false;

	while (peek(l, 0) == '+' || peek(l, 0) == '-') {
		minus ^= peek(l, 0) == '-';
		l->lax |= LITERAL_LAX_NUMBER;
		l->at++;
		skip_space(l);
	}
	if (digit_value(peek(l, 0)) > 9 || read_int(l) != LITERAL_INT)
		return LITERAL_ERROR;
	l->negative = minus && l->number > 0;
	return LITERAL_INT;
}

/* -- strings -- */

/* Where decoded strings go: one buffer for the whole text, as no escape is shorter than what it stands for. */
struct decoded {
	uint8_t *at;
	size_t n;
};

static bool decoded_begin(struct literal *l, struct decoded *d)
{
	if (l->decoded == NULL)
		l->decoded = arena_alloc(l->arena, l->text.n, 1);
	if (l->decoded == NULL)
		return false;
	*d = (struct decoded){ .at = l->decoded + l->decoded_n };
	return true;
}

static void put_utf8(struct decoded *d, uint32_t c)
{
	if (c < 0x80) {
		d->at[d->n++] = (uint8_t)c;
	} else if (c < 0x800) {
		d->at[d->n++] = (uint8_t)(0xc0 | c >> 6);
		d->at[d->n++] = (uint8_t)(0x80 | (c & 0x3f));
	} else {
		if (c >= 0x10000)
			d->at[d->n++] = (uint8_t)(0xf0 | c >> 18);
		d->at[d->n++] = (uint8_t)(c >= 0x10000 ? 0x80 | (c >> 12 & 0x3f) : 0xe0 | c >> 12);
		d->at[d->n++] = (uint8_t)(0x80 | (c >> 6 & 0x3f));
		d->at[d->n++] = (uint8_t)(0x80 | (c & 0x3f));
	}
}

/* @digits of a base, exactly (octal: up to). */
static bool read_code(struct literal *l, unsigned base, unsigned digits, bool exactly, uint32_t *ret)
{
	unsigned n = 0;

	*ret = 0;
	for (; n < digits && digit_value(peek(l, 0)) < (int)base; n++, l->at++)
		*ret = *ret * base + (uint32_t)digit_value(peek(l, 0)); /* at most 8 hexadecimal digits */
	return n > 0 && (!exactly || n == digits) && *ret <= 0x10ffff;
}

/* Behind a backslash.  \N{...} needs the names of Unicode: no writer of a header uses them, so it is an error here. */
static bool read_escape(struct literal *l, struct decoded *d)
{
	static const char from[] = "abfnrtv\\'\"", to[] = "\a\b\f\n\r\t\v\\'\"";
	int c = peek(l, 0);
	uint32_t code;

	if (c >= '0' && c <= '7') {
		if (!read_code(l, 8, 3, false, &code))
			return false;
		put_utf8(d, code);
		return true;
	}
	l->at += c >= 0;
	if (c == 'x' || c == 'u' || c == 'U') {
		if (!read_code(l, 16, c == 'x' ? 2 : c == 'u' ? 4 : 8, true, &code))
			return false;
		put_utf8(d, code);
		return true;
	}
	for (size_t i = 0; i + 1 < sizeof(from); i++) {
		if (c == from[i]) {
			d->at[d->n++] = (uint8_t)to[i];
			return true;
		}
	}
	if (c == '\n')
		return true; /* a continued line */
	if (c < 0 || c == 'N')
		return false;
	d->at[d->n++] = '\\'; /* Python keeps what it does not know */
	d->at[d->n++] = (uint8_t)c;
	return true;
}

static bool at_quotes(const struct literal *l, int quote, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (peek(l, i) != quote)
			return false;
	return true;
}

/* Up to the closing quotes, which are taken. */
static bool read_quoted(struct literal *l, bool raw, struct decoded *d)
{
	int quote = peek(l, 0);
	unsigned n = at_quotes(l, quote, 3) ? 3 : 1;

	l->lax |= n == 3 ? LITERAL_LAX_STRING : 0;
	for (l->at += n; !at_quotes(l, quote, n);) {
		int c = peek(l, 0);

		if (c < 0 || (n == 1 && (c == '\n' || c == '\r')))
			return false;
		l->at++;
		if (c == '\\' && raw && peek(l, 0) >= 0) {
			d->at[d->n++] = '\\';
			c = l->text.at[l->at++];
		} else if (c == '\\') {
			if (!read_escape(l, d))
				return false;
			continue;
		}
		d->at[d->n++] = (uint8_t)c;
	}
	l->at += n;
	return true;
}

/* Bytes before the quote: none, or the one letter of '' u'' r''.  Those of bytes objects (b) and of f-strings are no str,
 * which is what headers are made of.  Return: how many; -1 when this is no string. */
static int prefix_length(const struct literal *l)
{
	int first = peek(l, 0), letter = first | 0x20;

	if (first == '\'' || first == '"')
		return 0;
	if (first < 0 || (letter != 'u' && letter != 'r'))
		return -1;
	return peek(l, 1) == '\'' || peek(l, 1) == '"' ? 1 : -1;
}

/* 'abc' without anything special, which is what writers make: a view of the text.  False when it is not. */
static bool read_plain(struct literal *l)
{
	int quote = peek(l, 0);
	size_t n = 1;

	while (peek(l, n) >= 0x20 && peek(l, n) != quote && peek(l, n) != '\\')
		n++;
	if (peek(l, n) != quote || (n == 1 && peek(l, 2) == quote))
		return false;
	l->string = bytes_of(l->text.at + l->at + 1, n - 1);
	l->at += n + 1;
	return true;
}

static enum literal_kind read_general_string(struct literal *l, size_t begin)
{
	struct decoded d;

	l->at = begin;
	l->lax |= LITERAL_LAX_STRING;
	if (!decoded_begin(l, &d))
		return LITERAL_ERROR;
	for (int n = prefix_length(l); n >= 0; n = prefix_length(l)) {
		bool raw = n > 0 && (peek(l, 0) | 0x20) == 'r';

		l->at += (size_t)n;
		if (!read_quoted(l, raw, &d))
			return LITERAL_ERROR;
		skip_space(l);
	}
	l->string = bytes_of(d.at, d.n);
	l->decoded_n += d.n;
	return LITERAL_STRING;
}

static enum literal_kind read_string(struct literal *l)
{
	size_t begin = l->at;

	if (prefix_length(l) == 0 && read_plain(l)) {
		size_t behind = l->at;
		unsigned lax = l->lax;

		skip_space(l);
		if (prefix_length(l) < 0) {
			l->at = behind; /* the next token's spaces */
			l->lax = lax;
			return LITERAL_STRING;
		}
	}
	return read_general_string(l, begin);
}

/* -- words -- */

static enum literal_kind read_word(struct literal *l)
{
	static const char *const words[] = { "True", "False", "None" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		size_t n = strlen(words[i]);
		int behind = peek(l, n);

		if (n > l->text.n - l->at || memcmp(l->text.at + l->at, words[i], n) != 0)
			continue;
		if (behind == '_' || behind >= 0x80 || digit_value(behind) < 10 ||
		    ((behind | 0x20) >= 'a' && (behind | 0x20) <= 'z'))
			return LITERAL_ERROR;
		l->at += n;
		l->mark = words[i][0];
		return LITERAL_WORD;
	}
	return LITERAL_ERROR;
}

static enum literal_kind read_token(struct literal *l)
{
	int c;

	skip_space(l);
	l->begin = l->at;
	c = peek(l, 0);
	if (c < 0)
		return LITERAL_END;
	if (c > 0 && strchr("{}[](),:", c) != NULL) {
		l->mark = (char)c;
		l->at++;
		return LITERAL_MARK;
	}
	if (digit_value(c) < 10 || c == '+' || c == '-')
		return read_signed(l);
	return prefix_length(l) >= 0 ? read_string(l) : read_word(l);
}

enum literal_kind literal_next(struct literal *l)
{
	l->mark = '\0';
	l->negative = false;
	l->kind = l->kind == LITERAL_ERROR ? LITERAL_ERROR : read_token(l);
	return l->kind;
}

bool literal_take(struct literal *l, char mark)
{
	if (l->kind != LITERAL_MARK || l->mark != mark)
		return false;
	literal_next(l);
	return true;
}
