/* Numbers written as text.  PLAIN is what a pickler writes and every reader takes alike; ODD is what at least one of the
 * C and Python readers takes (1_0, 0x10, blanks, something behind a NUL): its value may depend on the reader. */
#include <stdlib.h>
#include <string.h>

#include "checked.h"
#include "machine.h"
#include "hex.h"

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool is_blank(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static struct bytes behind(struct bytes s, size_t n)
{
	return bytes_of(s.at + n, s.n - n);
}

/* The C reader works on C strings. */
static struct bytes before_nul(struct bytes s)
{
	const uint8_t *nul = s.n > 0 ? memchr(s.at, '\0', s.n) : NULL;

	return nul != NULL ? bytes_of(s.at, (size_t)(nul - s.at)) : s;
}

static struct bytes trimmed(struct bytes s)
{
	while (s.n > 0 && is_blank(s.at[0]))
		s = behind(s, 1);
	while (s.n > 0 && is_blank(s.at[s.n - 1]))
		s.n--;
	return s;
}

static bool take_sign(struct bytes *s)
{
	bool minus = s->n > 0 && s->at[0] == '-';

	if (minus || (s->n > 0 && s->at[0] == '+'))
		*s = behind(*s, 1);
	return minus;
}

/* -- what picklers write -- */

/* -?(0|[1-9][0-9]*) */
static bool is_plain_int(struct bytes s)
{
	if (s.n > 0 && s.at[0] == '-')
		s = behind(s, 1);
	if (s.n == 0 || (s.at[0] == '0' && s.n > 1))
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!is_digit(s.at[i]))
			return false;
	return true;
}

/* Of decimal digits, underscores between them left out. */
static struct number decimal(enum number_form form, struct bytes s)
{
	struct number r = { .form = form, .fits = true };
	bool minus = take_sign(&s);

	for (size_t i = 0; i < s.n && r.fits; i++) {
		int digit = s.at[i] - '0';

		if (s.at[i] == '_')
			continue;
		r.fits = !__builtin_mul_overflow(r.value, 10, &r.value) &&
			 !(minus ? __builtin_sub_overflow(r.value, digit, &r.value)
				 : __builtin_add_overflow(r.value, digit, &r.value));
	}
	return r;
}

/* -- what readers take -- */

static bool digit_of_base(uint8_t c, unsigned base)
{
	int digit = hex_digit(c);

	return digit >= 0 && (unsigned)digit < base;
}

/* Digits with single underscores between them; after a prefix one may lead. */
static bool digits_of_base(struct bytes s, unsigned base, bool may_lead)
{
	bool ready = may_lead; /* for an underscore */

	for (size_t i = 0; i < s.n; i++) {
		bool underscore = s.at[i] == '_';

		if (underscore ? !ready : !digit_of_base(s.at[i], base))
			return false;
		ready = !underscore;
	}
	return s.n > 0 && s.at[s.n - 1] != '_';
}

static bool all_zeros(struct bytes s)
{
	for (size_t i = 0; i < s.n; i++)
		if (s.at[i] != '0' && s.at[i] != '_')
			return false;
	return true;
}

static unsigned base_of_prefix(struct bytes s)
{
	if (s.n < 2 || s.at[0] != '0')
		return 10;
	switch (s.at[1] | 0x20) {
	case 'x': return 16;
	case 'o': return 8;
	case 'b': return 2;
	default: return 10;
	}
}

/* int(s, 0) */
static bool python_int(struct bytes s)
{
	unsigned base;

	s = trimmed(s);
	take_sign(&s);
	base = base_of_prefix(s);
	if (base != 10)
		return digits_of_base(behind(s, 2), base, true);
	return digits_of_base(s, 10, false) && (s.at[0] != '0' || all_zeros(s));
}

/* strtol(s, 0): what it takes and int() does not, an octal number. */
static bool c_octal(struct bytes s)
{
	while (s.n > 0 && is_blank(s.at[0]))
		s = behind(s, 1);
	take_sign(&s);
	if (s.n == 0 || s.at[0] != '0')
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (s.at[i] < '0' || s.at[i] > '7')
			return false;
	return true;
}

static struct number form(bool taken)
{
	return (struct number){ .form = taken ? NUMBER_ODD : NUMBER_BAD };
}

struct number number_int(struct bytes line)
{
	if (is_plain_int(line))
		return decimal(NUMBER_PLAIN, line);
	/* strtol() of nothing is 0, and ends at the NUL where it should. */
	if (line.n > 0 && line.at[0] == '\0')
		return form(true);
	line = before_nul(line);
	return form(python_int(line) || c_octal(line));
}

struct number number_long(struct bytes line)
{
	if (line.n > 0 && line.at[line.n - 1] == 'L')
		line.n--;
	return is_plain_int(line) ? decimal(NUMBER_PLAIN, line) : form(python_int(before_nul(line)));
}

/* int(s): here the value counts, and is the same to all who take it. */
struct number number_index(struct bytes line)
{
	struct bytes s = trimmed(before_nul(line)), digits = s;

	take_sign(&digits);
	if (!digits_of_base(digits, 10, false))
		return form(false);
	return decimal(is_plain_int(line) ? NUMBER_PLAIN : NUMBER_ODD, s);
}

/* -- floats -- */

static size_t count_digits(struct bytes s, bool underscores)
{
	size_t n = 0;

	while (n < s.n && (is_digit(s.at[n]) || (underscores && s.at[n] == '_' && n > 0 && is_digit(s.at[n - 1]))))
		n++;
	return n > 0 && s.at[n - 1] == '_' ? n - 1 : n;
}

static bool equals_word(struct bytes s, const char *word)
{
	size_t n = strlen(word);

	if (s.n != n)
		return false;
	for (size_t i = 0; i < n; i++)
		if ((s.at[i] | 0x20) != (uint8_t)word[i])
			return false;
	return true;
}

/* digits [. digits] [e [sign] digits]; strict: as repr() writes it. */
static bool is_float(struct bytes s, bool strict)
{
	size_t whole = count_digits(s, !strict), fraction = 0;

	s = behind(s, whole);
	if (s.n > 0 && s.at[0] == '.') {
		s = behind(s, 1);
		fraction = count_digits(s, !strict);
		s = behind(s, fraction);
		if (strict && fraction == 0)
			return false;
	}
	if (whole + fraction == 0 || (strict && whole == 0))
		return false;
	if (s.n == 0)
		return true;
	if ((s.at[0] | 0x20) != 'e')
		return false;
	s = behind(s, 1);
	take_sign(&s);
	return s.n > 0 && count_digits(s, !strict) == s.n;
}

static bool is_infinite(struct bytes s)
{
	char text[LINE_KEPT + 1];
	size_t n = 0;

	for (size_t i = 0; i < s.n && n < LINE_KEPT; i++)
		if (s.at[i] != '_')
			text[n++] = (char)s.at[i];
	text[n] = '\0';
	return strtod(text, NULL) > 1.7976931348623157e308;
}

static bool is_repr_of_nonfinite(struct bytes s)
{
	return bytes_equal(s, bytes_of_text("nan")) || bytes_equal(s, bytes_of_text("inf")) ||
	       bytes_equal(s, bytes_of_text("-inf"));
}

enum number_form number_float(struct bytes line, bool *ret_nonfinite)
{
	struct bytes s = line;
	bool plain;

	take_sign(&s);
	plain = line.n == s.n || line.at[0] == '-';
	if (is_float(s, true)) {
		*ret_nonfinite = is_infinite(s); /* 1e400: the reader in C refuses it, the one in Python does not */
		return plain && !*ret_nonfinite ? NUMBER_PLAIN : NUMBER_ODD;
	}
	s = trimmed(before_nul(line));
	take_sign(&s);
	*ret_nonfinite = equals_word(s, "nan") || equals_word(s, "inf") || equals_word(s, "infinity");
	if (*ret_nonfinite)
		return is_repr_of_nonfinite(line) ? NUMBER_PLAIN : NUMBER_ODD;
	if (!is_float(s, false))
		return NUMBER_BAD;
	*ret_nonfinite = is_infinite(s);
	return NUMBER_ODD;
}

/* -- two's complement -- */

struct number number_binary(const uint8_t *at, size_t n)
{
	uint8_t sign = n > 0 && at[n - 1] >= 0x80 ? 0xff : 0;
	uint64_t value = sign != 0 ? UINT64_MAX : 0;

	/* Bytes that only repeat the sign. */
	while (n > 8 && at[n - 1] == sign)
		n--;
	if (n > 8 || (n == 8 && (at[7] >= 0x80) != (sign != 0)))
		return (struct number){ .form = NUMBER_PLAIN };
	for (size_t i = n; i-- > 0;)
		value = value << 8 | at[i];
	return (struct number){ .form = NUMBER_PLAIN, .fits = true, .value = (int64_t)value };
}
