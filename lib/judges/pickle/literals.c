/* Numbers that calls make of text: float("nan"), complex("inf"), Decimal("NaN"), float("1e999").  They are told as those that
 * opcodes write, by PICKLE_NOTE_FLOAT_NONFINITE.  CPython 3.11: Objects/floatobject.c, complexobject.c, Lib/_pydecimal.py. */
#include <string.h>

#include "machine.h"

#define ARGUMENTS_MAX 2u /* of any of them */

enum maker { MAKES_NONE, MAKES_FLOAT, MAKES_COMPLEX, MAKES_DECIMAL };

static enum maker maker_of(const struct pickle *p, pickle_value target)
{
	static const struct {
		const char *module, *name;
		enum maker maker;
	} makers[] = {
		{ "builtins", "float", MAKES_FLOAT },
		{ "builtins", "complex", MAKES_COMPLEX },
		{ "decimal", "Decimal", MAKES_DECIMAL },
	};
	struct bytes module, name;

	if (target == PICKLE_NO_VALUE || !pickle_global_mapped(p, target, &module, &name))
		return MAKES_NONE;
	for (size_t i = 0; i < sizeof(makers) / sizeof(makers[0]); i++)
		if (bytes_equal(name, bytes_of_text(makers[i].name)) &&
		    bytes_equal(module, bytes_of_text(makers[i].module)))
			return makers[i].maker;
	return MAKES_NONE;
}

/* nan, inf, sNaN12, Infinity: no digits, exponent or unit has this letter. */
static bool is_word(struct bytes text)
{
	return text.n > 0 && (memchr(text.at, 'n', text.n) != NULL || memchr(text.at, 'N', text.n) != NULL);
}

/* More than a float holds?  Digits of other scripts are digits too: nobody reads them here. */
static bool overflows(struct bytes text)
{
	bool nonfinite = false;

	if (number_float(text, &nonfinite) != NUMBER_BAD)
		return nonfinite;
	for (size_t i = 0; i < text.n; i++)
		if (text.at[i] >= 0x80)
			return true;
	return false;
}

static bool is_sign_between(struct bytes text, size_t i)
{
	return (text.at[i] == '+' || text.at[i] == '-') && i > 0 && (text.at[i - 1] | 0x20) != 'e';
}

/* "(1e5-2e999j)": its two parts. */
static bool part_overflows(struct bytes text)
{
	size_t begin = 0;

	for (size_t i = 0; i <= text.n; i++) {
		if (i < text.n && !is_sign_between(text, i) && (text.at[i] | 0x20) != 'j' && text.at[i] != '(' &&
		    text.at[i] != ')')
			continue;
		if (i > begin && overflows(bytes_of(text.at + begin, i - begin)))
			return true;
		begin = i < text.n && is_sign_between(text, i) ? i : i + 1;
	}
	return false;
}

static bool is_nonfinite(const struct pickle *p, enum maker maker, pickle_value v)
{
	struct bytes text;
	uint64_t n;

	if (v == PICKLE_NO_VALUE || (kind_of(v) != PICKLE_STR && kind_of(v) != PICKLE_BYTES))
		return false;
	if (!pickle_head(p, v, &text, &n) || text.n < n)
		return true; /* nobody has seen all of it */
	return is_word(text) || (maker == MAKES_FLOAT && overflows(text)) ||
	       (maker == MAKES_COMPLEX && part_overflows(text));
}

void literals_call(struct pickle *p, pickle_value target, pickle_value args)
{
	enum maker maker = maker_of(p, target);

	if (maker == MAKES_NONE || args == PICKLE_NO_VALUE)
		return;
	for (uint64_t i = 0; i < ARGUMENTS_MAX && i < pickle_count(p, args); i++)
		if (is_nonfinite(p, maker, pickle_item(p, args, i))) {
			note(p, PICKLE_NOTE_FLOAT_NONFINITE, 0);
			return;
		}
}
