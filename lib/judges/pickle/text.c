/* Text in pickles: Python's string escapes of STRING, the raw-unicode-escapes of UNICODE.
 * All of it byte by byte, for a text may come in pieces and may be longer than anybody keeps. */
#include <string.h>

#include "machine.h"
#include "pickle_line.h"
#include "hex.h"

bool utf8_whole(const uint8_t *at, size_t n)
{
	struct utf8_stream u = { .surrogates = true };

	return utf8_stream_feed(&u, at, n) && utf8_stream_whole(&u);
}

bool text_is_ascii(struct bytes b)
{
	for (size_t i = 0; i < b.n; i++)
		if (b.at[i] >= 0x80)
			return false;
	return true;
}

/* -- both escapes -- */

enum { PLAIN, BACKSLASH, OCTAL, HEX, UNIVERSAL };

void decoding_begin(struct decoding *d)
{
	d->state = PLAIN;
	d->digits = 0;
	d->held = -1;
	d->quote = 0;
	d->bad = d->nonascii = false;
	d->code = 0;
	d->total = 0;
	d->n = 0;
}

static void put(struct decoding *d, uint8_t c)
{
	if (d->n < sizeof(d->kept))
		d->kept[d->n++] = c;
	d->total++;
}

/* -- STRING: what codecs.escape_decode() does -- */

static void string_escape(struct decoding *d, uint8_t c)
{
	static const char from[] = "\\'\"abfnrtv", to[] = "\\'\"\a\b\f\n\r\t\v";
	const char *simple = c != '\0' ? strchr(from, c) : NULL;

	d->state = PLAIN;
	if (simple != NULL) {
		put(d, (uint8_t)to[simple - from]);
	} else if (c >= '0' && c <= '7') {
		d->state = OCTAL;
		d->code = (uint32_t)(c - '0');
		d->digits = 2;
	} else if (c == 'x') {
		d->state = HEX;
		d->code = 0;
		d->digits = 2;
	} else {
		put(d, '\\');
		put(d, c);
	}
}

static void string_hex(struct decoding *d, uint8_t c)
{
	int digit = hex_digit(c);

	if (digit < 0) {
		d->bad = true;
		return;
	}
	d->code = d->code << 4 | (uint32_t)digit;
	if (--d->digits > 0)
		return;
	put(d, (uint8_t)d->code);
	d->state = PLAIN;
}

static void string_byte(struct decoding *d, uint8_t c)
{
	if (d->state == OCTAL) {
		if (c >= '0' && c <= '7') {
			d->code = d->code << 3 | (uint32_t)(c - '0');
			if (--d->digits > 0)
				return;
		}
		put(d, (uint8_t)d->code);
		d->state = PLAIN;
		if (c >= '0' && c <= '7')
			return;
	}
	if (d->state == HEX)
		string_hex(d, c);
	else if (d->state == BACKSLASH)
		string_escape(d, c);
	else if (c == '\\')
		d->state = BACKSLASH;
	else
		put(d, c);
}

/* The first byte is a quote, and so must be the last: each byte is held until another one follows it. */
void decoding_string(struct decoding *d, const uint8_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		d->nonascii |= at[i] >= 0x80;
		if (d->quote == 0) {
			d->quote = at[i];
			d->bad |= at[i] != '\'' && at[i] != '"';
			continue;
		}
		if (d->held >= 0)
			string_byte(d, (uint8_t)d->held);
		d->held = at[i];
	}
}

bool decoding_string_end(struct decoding *d)
{
	if (d->state == OCTAL)
		put(d, (uint8_t)d->code);
	return !d->bad && d->state != BACKSLASH && d->state != HEX && d->held == d->quote;
}

/* -- UNICODE: what the codec raw-unicode-escape does; kept as UTF-8 -- */

static void put_point(struct decoding *d, uint32_t code)
{
	if (code < 0x80) {
		put(d, (uint8_t)code);
		return;
	}
	if (code < 0x800) {
		put(d, (uint8_t)(0xc0 | code >> 6));
	} else {
		if (code < 0x10000) {
			put(d, (uint8_t)(0xe0 | code >> 12));
		} else {
			put(d, (uint8_t)(0xf0 | code >> 18));
			put(d, (uint8_t)(0x80 | (code >> 12 & 63)));
		}
		put(d, (uint8_t)(0x80 | (code >> 6 & 63)));
	}
	put(d, (uint8_t)(0x80 | (code & 63)));
}

static void unicode_escape(struct decoding *d, uint8_t c)
{
	if (c == 'u' || c == 'U') {
		d->state = UNIVERSAL;
		d->code = 0;
		d->digits = c == 'u' ? 4 : 8;
		return;
	}
	put(d, '\\');
	put_point(d, c);
	d->state = PLAIN;
}

static void unicode_digit(struct decoding *d, uint8_t c)
{
	int digit = hex_digit(c);

	if (digit < 0 || d->code > 0x10ffff >> 4) {
		d->bad = true;
		return;
	}
	d->code = d->code << 4 | (uint32_t)digit;
	if (--d->digits > 0)
		return;
	put_point(d, d->code);
	d->state = PLAIN;
}

void decoding_unicode(struct decoding *d, const uint8_t *at, size_t n)
{
	for (size_t i = 0; i < n && !d->bad; i++) {
		if (d->state == UNIVERSAL)
			unicode_digit(d, at[i]);
		else if (d->state == BACKSLASH)
			unicode_escape(d, at[i]);
		else if (at[i] == '\\')
			d->state = BACKSLASH;
		else
			put_point(d, at[i]);
	}
}

bool decoding_unicode_end(struct decoding *d)
{
	if (d->state == BACKSLASH)
		put(d, '\\');
	return !d->bad && d->state != UNIVERSAL;
}

/* -- pickle_line.h -- */

struct pickle_line {
	struct decoding decoding;
	uint8_t opcode;
};

_Static_assert(PICKLE_LINE_PIECE * 8 <= PICKLE_TEXT_MAX, "a byte makes fewer than eight");

struct pickle_line *pickle_line_new(struct arena *a)
{
	return arena_alloc(a, 1, sizeof(struct pickle_line));
}

bool pickle_line_begin(struct pickle_line *l, uint8_t opcode)
{
	l->opcode = opcode;
	decoding_begin(&l->decoding);
	return opcode == OP_STRING || opcode == OP_UNICODE;
}

static struct bytes made(const struct pickle_line *l)
{
	return bytes_of(l->decoding.kept, l->decoding.n);
}

struct bytes pickle_line_feed(struct pickle_line *l, const uint8_t *at, size_t n)
{
	l->decoding.n = 0;
	if (l->opcode == OP_STRING)
		decoding_string(&l->decoding, at, n);
	else
		decoding_unicode(&l->decoding, at, n);
	return made(l);
}

bool pickle_line_end(struct pickle_line *l, struct bytes *ret)
{
	bool good;

	l->decoding.n = 0;
	good = l->opcode == OP_STRING ? decoding_string_end(&l->decoding) : decoding_unicode_end(&l->decoding);
	*ret = made(l);
	return good;
}

bool pickle_line_is_unicode(const struct pickle_line *l)
{
	return l->opcode == OP_UNICODE;
}
