/* Escapes and classes of regular expressions: see regex_impl.h. */
#include "regex_impl.h"
#include "hex.h"

static uint32_t hex_digits(struct regex *x, unsigned most)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < most && x->p < x->end; i++, x->p++) {
		int digit = hex_digit(*x->p);

		if (digit < 0)
			break;
		v = v * 16 + (uint32_t)digit;
	}
	return v;
}

uint32_t regex_char(struct regex *x)
{
	uint8_t c = *x->p++;

	if (c < 0x80)
		return c;
	while (x->p < x->end && (*x->p & 0xC0) == 0x80)
		x->p++;
	return 0xFFFD; /* characters beyond ASCII are not told apart */
}

static uint32_t octal_digits(struct regex *x)
{
	uint32_t v = 0;

	for (unsigned i = 0; i < 3 && x->p < x->end && *x->p >= '0' && *x->p <= '7'; i++)
		v = v * 8 + (uint32_t)(*x->p++ - '0');
	return v;
}

/* \x41, \x{1F600}, \u0041, \U0001F600 */
static uint32_t number_escape(struct regex *x, uint8_t letter)
{
	uint32_t v;

	if (letter != 'x' || x->p == x->end || *x->p != '{')
		return hex_digits(x, letter == 'x' ? 2 : letter == 'u' ? 4 : 8);
	x->p++;
	v = hex_digits(x, 8);
	if (x->p == x->end || *x->p++ != '}')
		regex_fail(x, REGEX_UNREAD);
	return v;
}

static bool is_letter(uint8_t c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

bool regex_escape_char(struct regex *x, uint32_t *ret)
{
	static const char names[] = "tnrfvae", meant[] = "\t\n\r\f\v\a\033";
	uint8_t c = *x->p;
	const char *at = c != '\0' ? strchr(names, c) : NULL;

	if (at != NULL)
		*ret = (uint32_t)meant[at - names];
	else if (c == 'x' || c == 'u' || c == 'U') {
		x->p++;
		*ret = number_escape(x, c);
		return true;
	} else if (c == '0') {
		*ret = octal_digits(x);
		return true;
	} else if (is_letter(c))
		return false;
	else {
		*ret = regex_char(x);
		return true;
	}
	x->p++;
	return true;
}

/* \pL, \p{L}, \p{^L}, \P{L} */
static struct regex_set property(struct regex *x, bool not )
{
	const uint8_t *from = x->p, *close;
	struct regex_set s;

	if (x->p == x->end || *x->p != '{') {
		if (x->p == x->end)
			return regex_set_unknown();
		s = regex_set_property(bytes_of(x->p++, 1));
		return not ? regex_set_not(s) : s;
	}
	close = memchr(from, '}', (size_t)(x->end - from));
	if (close == NULL) {
		regex_fail(x, REGEX_UNREAD);
		return regex_set_unknown();
	}
	from++;
	if (*from == '^') {
		not = !not ;
		from++;
	}
	x->p = close + 1;
	s = regex_set_property(bytes_of(from, (size_t)(close - from)));
	return not ? regex_set_not(s) : s;
}

struct regex_set regex_escape_set(struct regex *x)
{
	uint8_t c = *x->p++;

	if (c == 'p' || c == 'P')
		return property(x, c == 'P');
	return regex_set_escape(c);
}

/* -- classes -- */

/* [:alpha:], behind its first bracket. */
static bool is_posix(const struct regex *x)
{
	const uint8_t *close = x->end - x->p > 3 && *x->p == ':' ? memchr(x->p, ']', (size_t)(x->end - x->p)) : NULL;

	return close != NULL && close > x->p + 1 && close[-1] == ':';
}

static struct regex_set inner_class(struct regex *x)
{
	struct regex_set s;

	if (is_posix(x)) {
		x->p = (const uint8_t *)memchr(x->p, ']', (size_t)(x->end - x->p)) + 1;
		return regex_set_unknown();
	}
	if (++x->depth > REGEX_DEPTH_MAX) {
		regex_fail(x, REGEX_DEEP);
		return regex_set_unknown();
	}
	s = regex_class(x);
	x->depth--;
	return s;
}

/* One character that may begin or end a range: false, and a set. */
static bool class_item(struct regex *x, uint32_t *ret_char, struct regex_set *ret_set)
{
	if (*x->p == '[' && x->dialect == REGEX_ONIGURUMA) {
		x->p++;
		*ret_set = inner_class(x);
		return false;
	}
	if (*x->p != '\\') {
		*ret_char = regex_char(x);
		return true;
	}
	if (++x->p == x->end)
		return regex_fail(x, REGEX_UNREAD);
	if (*x->p == 'b') { /* a backspace in a class */
		x->p++;
		*ret_char = 8;
		return true;
	}
	if (*x->p >= '1' && *x->p <= '9') {
		x->p++; /* octal, or an error: what follows are digits */
		*ret_set = regex_set_unknown();
		return false;
	}
	if (regex_escape_char(x, ret_char))
		return true;
	*ret_set = regex_escape_set(x);
	return false;
}

/* A range needs both ends to be characters. */
static struct regex_set class_range(struct regex *x)
{
	struct regex_set s = { 0 }, other = { 0 };
	uint32_t from = 0, to = 0;
	bool beyond;

	if (!class_item(x, &from, &s))
		return s;
	if (x->end - x->p < 2 || x->p[0] != '-' || x->p[1] == ']')
		return regex_set_of(from, from);
	beyond = from >= 0x80;
	x->p++;
	if (!class_item(x, &to, &other))
		return regex_set_or(regex_set_of(from, from), regex_set_or(regex_set_of('-', '-'), other));
	if (!beyond && to < from)
		regex_fail(x, REGEX_UNREAD);
	return regex_set_of(beyond ? 0x80 : from, beyond ? 0x81 : to);
}

struct regex_set regex_class(struct regex *x)
{
	struct regex_set all = regex_set_all(), s = { 0 };
	bool not = x->p < x->end && *x->p == '^', first = true;

	x->p += not ;
	for (;; first = false) {
		if (x->p == x->end) {
			regex_fail(x, REGEX_UNREAD);
			return regex_set_unknown();
		}
		if (*x->p == ']' && !first)
			break;
		if (x->dialect == REGEX_ONIGURUMA && x->end - x->p >= 2 && x->p[0] == '&' && x->p[1] == '&') {
			x->p += 2;
			all = regex_set_and(all, s);
			s = (struct regex_set){ 0 };
			continue;
		}
		s = regex_set_or(s, class_range(x));
	}
	x->p++;
	s = regex_set_and(all, s);
	if (x->fold)
		s = regex_set_folded(s);
	return not ? regex_set_not(s) : s;
}
