/* See call_text.h. */
#include "call_text.h"

#include <string.h>

#include "decimal.h"
#include "hex.h"
#include "utf8.h"

#define MARK "\xe2\x80\xa6"                       /* U+2026 */
#define ROOM (CALL_TEXT_MAX - (sizeof(MARK) - 1)) /* the rest is the mark's */

void call_text_begin(struct call_text *t)
{
	t->n = t->callee_n = 0;
	t->cut = t->full = false;
}

void call_text_callee(struct call_text *t)
{
	t->callee_n = t->n;
}

/* All of it or nothing, so that no unit is torn. */
static void put(struct call_text *t, const void *at, size_t n)
{
	if (t->full)
		return;
	if (n > ROOM - t->n) {
		memcpy(t->at + t->n, MARK, sizeof(MARK) - 1);
		t->n += sizeof(MARK) - 1;
		t->cut = t->full = true;
		return;
	}
	memcpy(t->at + t->n, at, n);
	t->n += n;
}

void call_text_put(struct call_text *t, const char *words)
{
	put(t, words, strlen(words));
}

void call_text_cut(struct call_text *t)
{
	t->cut = true;
	put(t, MARK, sizeof(MARK) - 1);
}

static void put_escaped(struct call_text *t, uint8_t c)
{
	char escape[2 + 2 + 1] = "\\x";

	hex_write(&c, 1, escape + 2);
	put(t, escape, 4);
}

/* The escapes that Python has for it, or a backslash in front; 0: neither. */
static char letter_of(uint8_t c)
{
	switch (c) {
	case '\n': return 'n';
	case '\r': return 'r';
	case '\t': return 't';
	case '"':
	case '\\': return (char)c;
	default: return 0;
	}
}

/* Length of the character that b begins with; 0: of none. */
static size_t sequence(struct bytes b)
{
	struct utf8_stream u = { 0 };

	for (size_t i = 0; i < b.n && utf8_stream_feed(&u, b.at + i, 1); i++)
		if (utf8_stream_whole(&u))
			return i + 1;
	return 0;
}

/* Return: bytes taken. */
static size_t put_unit(struct call_text *t, struct bytes rest, bool text)
{
	uint8_t c = rest.at[0];
	size_t n = 1;
	const char letter = letter_of(c), pair[2] = { '\\', letter };

	if (letter != 0) {
		put(t, pair, sizeof(pair));
	} else if (c >= 0x20 && c < 0x7f) {
		put(t, &c, 1);
	} else if (text && c >= 0x80 && (n = sequence(rest)) > 0) {
		put(t, rest.at, n);
	} else {
		put_escaped(t, c);
		n = 1;
	}
	return n;
}

static void put_units(struct call_text *t, struct bytes b, bool text)
{
	for (size_t i = 0; i < b.n && !t->full;)
		i += put_unit(t, bytes_of(b.at + i, b.n - i), text);
}

void call_text_name(struct call_text *t, struct bytes name)
{
	put_units(t, name, true);
}

void call_text_source(struct call_text *t, uint8_t byte)
{
	if (byte >= 0x20 && byte < 0x7f)
		put(t, &byte, 1);
	else
		put_escaped(t, byte);
}

void call_text_string(struct call_text *t, struct bytes head, uint64_t n, bool text)
{
	size_t shown = head.n < CALL_STRING_MAX ? head.n : CALL_STRING_MAX;

	call_text_put(t, text ? "\"" : "b\"");
	put_units(t, bytes_of(head.at, shown), text);
	if (shown < n)
		call_text_cut(t);
	call_text_put(t, "\"");
}

void call_text_integer(struct call_text *t, int64_t v)
{
	char digits[DECIMAL_MAX];

	if (v < 0)
		call_text_put(t, "-");
	put(t, digits, decimal_text(v < 0 ? 0 - (uint64_t)v : (uint64_t)v, digits));
}

/* Six decimals: enough to tell what it is. */
void call_text_float(struct call_text *t, double v)
{
	char digits[DECIMAL_MAX];
	int exponent = 0;
	size_t n;

	if (!(v - v == 0)) { /* neither infinite nor no number */
		call_text_put(t, v > 0 ? "inf" : v < 0 ? "-inf" : "nan");
		return;
	}
	if (v < 0) {
		call_text_put(t, "-");
		v = -v;
	}
	for (bool large = v >= 1e16; large && v >= 10; exponent++)
		v /= 10;
	for (bool small = v > 0 && v < 1e-4; small && v < 1 - 5e-7; exponent--)
		v *= 10;
	v += 5e-7; /* round */
	n = decimal_text((uint64_t)v, digits);
	put(t, digits, n);
	call_text_put(t, ".");
	n = decimal_text((uint64_t)((v - (double)(uint64_t)v + 1) * 1e6), digits); /* the 1 keeps the zeros */
	while (n > 2 && digits[n - 1] == '0')
		n--;
	put(t, digits + 1, n - 1);
	if (exponent != 0) {
		call_text_put(t, "e");
		call_text_integer(t, exponent);
	}
}
