/* Expressions of sizes, and guards: sympy and Python evaluate them with eval(), so that a text is arithmetic or it is not known.
 * A program of release 2.5 and later has them as sympy's srepr() writes them, one before as sympy prints them; guards are Python
 * over the arguments (L['x'].size()[0]).  Follows formats/pt2, rule 6. */
#include "pt2_impl.h"

#define EXPRESSION_MAX 16384u /* bytes */

/* What arithmetic is made of, in sympy and in torch.utils._sympy.  What takes large numbers to the power of others, or shifts by
 * them, is not here: it would take memory for each bit of the result. */
static const char *const words[] = { "Abs", "Add", "And", "CeilDiv", "CeilToInt", "CleanDiv", "Eq", "Equality", "False",
	"Float", "FloatTrueDiv", "FloorDiv", "FloorToInt", "Ge", "GreaterThan", "Gt", "Identity", "IntTrueDiv",
	"Integer", "IsNonOverlappingAndDenseIndicator", "L", "Le", "LessThan", "Lt", "Max", "Min", "Mod",
	"ModularIndexing", "Mul", "Ne", "None", "Not", "Or", "Piecewise", "PythonMod", "Rational", "RoundToInt",
	"StrictGreaterThan", "StrictLessThan", "Symbol", "ToFloat", "True", "TruncToFloat", "TruncToInt", "Unequality",
	"Where", "and", "ceiling", "commutative", "evaluate", "extended_real", "false", "finite", "floor", "int_oo",
	"integer", "negative", "nonnegative", "nonzero", "not", "oo", "or", "positive", "precision", "rational", "real",
	"true", "zero" };

/* Of tensors, behind a dot. */
static const char *const attributes[] = { "dim", "numel", "shape", "size", "storage_offset", "stride" };

/* What no arithmetic names, and programs do. */
static const char *const actors[] = { "breakpoint", "builtins", "chr", "compile", "eval", "exec", "getattr", "globals",
	"import", "input", "lambda", "lambdify", "locals", "open", "os", "parse_expr", "setattr", "subprocess",
	"sympify", "sys", "vars" };

struct reader {
	const uint8_t *p, *end;
	enum pt2_text worst;
};

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static bool is_in(struct bytes word, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (bytes_equal(word, bytes_of_text(list[i])))
			return true;
	return false;
}

static void found(struct reader *r, enum pt2_text what)
{
	r->worst = what > r->worst ? what : r->worst;
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* s0, u12, zuf3: what a symbol of sizes is called. */
static bool is_symbol(struct bytes word)
{
	size_t digits = word.n;

	while (digits > 0 && is_digit(word.at[digits - 1]))
		digits--;
	return digits < word.n && digits >= 1 && digits <= 4 && strchr("suz", word.at[0]) != NULL;
}

static bool has_dunder(struct bytes word)
{
	for (size_t i = 0; i + 1 < word.n; i++)
		if (word.at[i] == '_' && word.at[i + 1] == '_')
			return true;
	return false;
}

static struct bytes take_word(struct reader *r)
{
	const uint8_t *begin = r->p;

	while (r->p < r->end && (is_letter(*r->p) || is_digit(*r->p)))
		r->p++;
	return bytes_of(begin, (size_t)(r->p - begin));
}

/* 3, 0.5, 1e-9.  What follows a number at once is no number: 1_0, 0x10, 9j. */
static void take_number(struct reader *r)
{
	while (r->p < r->end && (is_digit(*r->p) || *r->p == '.'))
		r->p++;
	if (r->p + 1 < r->end && *r->p == 'e' && (r->p[1] == '-' || r->p[1] == '+' || is_digit(r->p[1])))
		for (r->p += 2; r->p < r->end && is_digit(*r->p);)
			r->p++;
	if (r->p < r->end && is_letter(*r->p))
		found(r, PT2_UNLISTED);
}

/* The name of a symbol or an argument. */
static void take_text(struct reader *r)
{
	r->p++;
	while (r->p < r->end && (is_letter(*r->p) || is_digit(*r->p) || *r->p == '.' || *r->p == '-'))
		r->p++;
	if (r->p == r->end || *r->p++ != '\'')
		found(r, PT2_ACTS);
}

static bool take(struct reader *r, const char *text)
{
	size_t n = strlen(text);

	if ((size_t)(r->end - r->p) < n || memcmp(r->p, text, n) != 0)
		return false;
	r->p += n;
	return true;
}

/* Behind Pow or PowByNatural: a symbol, to the power of one or two digits. */
static void take_power(struct reader *r)
{
	bool sound = take(r, "(Symbol('");
	const uint8_t *digits;

	(void)take_word(r);
	sound = sound && take(r, "'");
	while (sound && take(r, ", ")) {
		(void)take_word(r);
		sound = take(r, "=True");
	}
	sound = sound && take(r, "), Integer(");
	digits = r->p;
	while (sound && r->p < r->end && is_digit(*r->p) && r->p - digits < 2)
		r->p++;
	if (!sound || r->p == digits || !take(r, "))"))
		found(r, PT2_UNLISTED);
}

/* s0**2, where sympy printed it. */
static void take_stars(struct reader *r, bool behind_symbol)
{
	if (behind_symbol && r->p < r->end && is_digit(*r->p) &&
	    (r->p + 1 == r->end || (!is_digit(r->p[1]) && r->p[1] != '*')))
		r->p++;
	else
		found(r, PT2_UNLISTED);
}

static bool take_name(struct reader *r)
{
	struct bytes word = take_word(r);

	if (bytes_equal(word, bytes_of_text("Pow")) || bytes_equal(word, bytes_of_text("PowByNatural")))
		take_power(r);
	else if (has_dunder(word) || is_in(word, actors, COUNT(actors)))
		found(r, PT2_ACTS);
	else if (!is_symbol(word) && !is_in(word, words, COUNT(words)))
		found(r, PT2_UNLISTED);
	return is_symbol(word);
}

/* What stands between names and numbers: ! is a factorial unless = follows. */
static void take_sign(struct reader *r, bool behind_symbol)
{
	uint8_t c = *r->p++;

	if (c == '.')
		found(r, is_in(take_word(r), attributes, COUNT(attributes)) ? PT2_HARMLESS : PT2_ACTS);
	else if (c == '*' && take(r, "*"))
		take_stars(r, behind_symbol);
	else if (c == '!' && !take(r, "="))
		found(r, PT2_UNLISTED);
	else if ((c == '<' && take(r, "<")) || (c == '>' && take(r, ">")))
		found(r, PT2_UNLISTED);
	else if (c < ' ' || c > '~' || strchr("+-*/%()[],=!<> &|~", c) == NULL)
		found(r, PT2_ACTS);
}

enum pt2_text pt2_expression(struct bytes text)
{
	struct reader r = { .p = text.at, .end = text.at + text.n };
	bool symbol = false;

	if (text.n == 0 || text.n > EXPRESSION_MAX)
		return PT2_UNLISTED;
	while (r.p < r.end && r.worst != PT2_ACTS) {
		bool was = symbol;

		symbol = false;
		if (is_letter(*r.p))
			symbol = take_name(&r);
		else if (is_digit(*r.p))
			take_number(&r);
		else if (*r.p == '\'')
			take_text(&r);
		else
			take_sign(&r, was);
	}
	return r.worst;
}
