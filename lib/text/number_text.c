/* Numbers as text: see number_text.h. */
#include "number_text.h"

#include <math.h>
#include <stdlib.h>
#include <strings.h>

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static size_t digits(struct bytes t, size_t at)
{
	size_t n = 0;

	while (at + n < t.n && is_digit(t.at[at + n]))
		n++;
	return n;
}

static size_t sign(struct bytes t, size_t at)
{
	return at < t.n && (t.at[at] == '-' || t.at[at] == '+') ? 1 : 0;
}

static bool is_decimal(struct bytes t)
{
	size_t at = sign(t, 0), whole = digits(t, at), fraction = 0, exponent;

	at += whole;
	if (at < t.n && t.at[at] == '.') {
		fraction = digits(t, at + 1);
		at += 1 + fraction;
	}
	if (whole + fraction > 0 && at < t.n && (t.at[at] | 0x20) == 'e') {
		at += 1 + sign(t, at + 1);
		exponent = digits(t, at);
		if (exponent == 0)
			return false;
		at += exponent;
	}
	return whole + fraction > 0 && at == t.n;
}

static bool is_word(struct bytes t, const char *word)
{
	size_t n = strlen(word), at = sign(t, 0);

	return t.n - at == n && strncasecmp((const char *)t.at + at, word, n) == 0;
}

enum number_text number_text(struct bytes text, double *ret)
{
	char copy[NUMBER_TEXT_MAX + 1];

	if (text.n == 0 || text.n > NUMBER_TEXT_MAX)
		return NUMBER_NONE;
	if (is_word(text, "nan")) {
		*ret = (double)NAN;
		return NUMBER_NAN;
	}
	if (is_word(text, "inf") || is_word(text, "infinity")) {
		*ret = text.at[0] == '-' ? -HUGE_VAL : HUGE_VAL;
		return NUMBER_INFINITE;
	}
	if (!is_decimal(text))
		return NUMBER_NONE;
	bytes_copy(copy, text);
	copy[text.n] = '\0';
	*ret = strtod(copy, NULL);
	return fabs(*ret) <= 1.7976931348623157e308 ? NUMBER_FINITE : NUMBER_INFINITE;
}

bool number_natural(struct bytes text, uint32_t *ret)
{
	uint32_t n = 0;

	if (text.n == 0 || text.n > 9 || digits(text, 0) != text.n)
		return false;
	for (size_t i = 0; i < text.n; i++)
		n = n * 10 + (uint32_t)(text.at[i] - '0');
	*ret = n;
	return true;
}
