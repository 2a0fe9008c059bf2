/* Tokens of Jinja source: see lexer.h. */
#include "lexer.h"

#include "unicode.h"

void template_lexer_init(struct lexer *x, struct bytes text)
{
	*x = (struct lexer){ .p = text.at, .end = text.n > 0 ? text.at + text.n : text.at };
}

static size_t left(const struct lexer *x)
{
	return (size_t)(x->end - x->p);
}

static bool looking_at(const struct lexer *x, const char *word)
{
	size_t n = strlen(word);

	return left(x) >= n && memcmp(x->p, word, n) == 0;
}

/* What \s of Python takes beyond ASCII. */
static bool is_wide_space(uint32_t c)
{
	return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
	       c == 0x202F || c == 0x205F || c == 0x3000;
}

static bool is_space(uint8_t c)
{
	return c == ' ' || (c >= '\t' && c <= '\r') || (c >= 0x1C && c <= 0x1F);
}

static const uint8_t *skip_space(const uint8_t *p, const uint8_t *end)
{
	while (p < end) {
		const uint8_t *next = p;

		if (*p < 0x80 ? !is_space(*next++) : !is_wide_space(utf8_next(&next)))
			break;
		p = next;
	}
	return p;
}

static struct token token_of(enum token_kind kind, const uint8_t *from, const uint8_t *to)
{
	return (struct token){ .kind = kind, .raw = bytes_of(from, (size_t)(to - from)) };
}

static struct token take(struct lexer *x, enum token_kind kind, size_t n)
{
	x->p += n;
	return token_of(kind, x->p - n, x->p);
}

/* Where the next `word` begins; the end without one. */
static const uint8_t *find(const struct lexer *x, const char *word)
{
	const uint8_t *at = left(x) > 0 ? memmem(x->p, left(x), word, strlen(word)) : NULL;

	return at != NULL ? at : x->end;
}

/* `{%[-+]? name -?%}`, or with end's `+%}`: where it ends, or NULL. */
static const uint8_t *after_word_tag(const uint8_t *p, const uint8_t *end, const char *name, bool plus_ends)
{
	size_t n = strlen(name);

	p += 2;
	if (p < end && (*p == '-' || *p == '+'))
		p++;
	p = skip_space(p, end);
	if ((size_t)(end - p) < n || memcmp(p, name, n) != 0)
		return NULL;
	p = skip_space(p + n, end);
	if (p < end && (*p == '-' || (plus_ends && *p == '+')))
		p++;
	return end - p >= 2 && p[0] == '%' && p[1] == '}' ? p + 2 : NULL;
}

/* The text of a raw block, up to its end tag. */
static struct token raw_text(struct lexer *x)
{
	const uint8_t *from = x->p;

	while ((x->p = find(x, "{%")) < x->end) {
		const uint8_t *at = x->p, *after = after_word_tag(at, x->end, "endraw", true);

		if (after != NULL) {
			x->p = after;
			return token_of(TOKEN_TEXT, from, at);
		}
		x->p += 2;
	}
	return token_of(TOKEN_BAD, from, x->end);
}

static struct token comment(struct lexer *x)
{
	const uint8_t *from = x->p + 2, *to;

	x->p = from;
	to = find(x, "#}");
	x->p = to < x->end ? to + 2 : x->end;
	return token_of(to < x->end ? TOKEN_COMMENT : TOKEN_BAD, from, to);
}

/* {{, {%, {# at x->p. */
static struct token open_block(struct lexer *x)
{
	const uint8_t *after;

	if (x->p[1] == '#')
		return comment(x);
	after = x->p[1] == '%' ? after_word_tag(x->p, x->end, "raw", false) : NULL;
	if (after != NULL) {
		x->p = after;
		return raw_text(x);
	}
	x->inside = x->p[1] == '%' ? '%' : '}';
	x->depth = 0;
	return take(
	    x, x->p[1] == '%' ? TOKEN_TAG : TOKEN_VALUE, left(x) > 2 && (x->p[2] == '-' || x->p[2] == '+') ? 3 : 2);
}

static bool opens(const uint8_t *p)
{
	return p[0] == '{' && (p[1] == '{' || p[1] == '%' || p[1] == '#');
}

static struct token text(struct lexer *x)
{
	const uint8_t *from = x->p;

	while (x->p < x->end) {
		const uint8_t *brace = memchr(x->p, '{', left(x));

		x->p = brace != NULL ? brace : x->end;
		if (left(x) >= 2 && opens(x->p))
			break;
		if (x->p < x->end)
			x->p++;
	}
	return x->p > from ? token_of(TOKEN_TEXT, from, x->p) : open_block(x);
}

/* -- inside a block -- */

/* How many bytes the closing delimiter has here; 0 when it is none. */
static size_t closing(const struct lexer *x)
{
	size_t sign = left(x) > 0 && (*x->p == '-' || (*x->p == '+' && x->inside == '%')) ? 1 : 0;

	if (x->depth > 0 || left(x) < sign + 2 || x->p[sign] != x->inside || x->p[sign + 1] != '}')
		return 0;
	return sign + 2;
}

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(uint8_t c)
{
	return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c >= 0x80;
}

static bool is_in_base(uint8_t c, uint8_t base)
{
	uint8_t lower = c | 0x20;

	switch (base | 0x20) {
	case 'b': return c == '0' || c == '1';
	case 'o': return c >= '0' && c <= '7';
	case 'x': return is_digit(c) || (lower >= 'a' && lower <= 'f');
	default: return is_digit(c);
	}
}

/* Digits, single underscores between them. */
static const uint8_t *skip_digits(const uint8_t *p, const uint8_t *end, uint8_t base)
{
	while (p < end && (is_in_base(*p, base) || (*p == '_' && end - p > 1 && is_in_base(p[1], base))))
		p++;
	return p;
}

static const uint8_t *skip_exponent(const uint8_t *p, const uint8_t *end)
{
	const uint8_t *digits = p + 1;

	if (p == end || (*p | 0x20) != 'e')
		return p;
	if (digits < end && (*digits == '+' || *digits == '-'))
		digits++;
	return digits < end && is_digit(*digits) ? skip_digits(digits, end, 0) : p;
}

/* Behind a zero only zeros: 012 is two numbers. */
static const uint8_t *integer(const uint8_t *p, const uint8_t *end)
{
	if (*p != '0')
		return skip_digits(p, end, 0);
	for (p++; p < end && (*p == '0' || (*p == '_' && end - p > 1 && p[1] == '0')); p++)
		;
	return p;
}

static bool is_integer(const uint8_t *p, const uint8_t *end)
{
	while (p < end && (is_digit(*p) || *p == '_'))
		p++;
	return p == end;
}

static struct token number(struct lexer *x)
{
	const uint8_t *p = x->p, *end = x->end, *after;
	const char *bases = "bBoOxX";

	if (*p == '0' && end - p > 2 && p[1] != 0 && strchr(bases, p[1]) != NULL &&
	    (is_in_base(p[2], p[1]) || (p[2] == '_' && end - p > 3 && is_in_base(p[3], p[1]))))
		return take(x, TOKEN_NUMBER, (size_t)(skip_digits(p + 2, end, p[1]) - p));
	if (x->dotted) /* behind a dot there is no fraction: 1.2.3 */
		return take(x, TOKEN_NUMBER, (size_t)(integer(p, end) - p));
	after = skip_digits(p, end, 0);
	if (end - after > 1 && *after == '.' && is_digit(after[1]))
		after = skip_digits(after + 1, end, 0);
	after = skip_exponent(after, end);
	if (is_integer(p, after))
		after = integer(p, end);
	return take(x, TOKEN_NUMBER, (size_t)(after - p));
}

static struct token name(struct lexer *x)
{
	const uint8_t *p = x->p;

	for (const uint8_t *next = p; p < x->end && is_word(*p); p = next)
		if (utf8_next(&next) >= 0x80 && skip_space(p, x->end) != p)
			break;
	return take(x, TOKEN_NAME, (size_t)(p - x->p));
}

static struct token string(struct lexer *x)
{
	uint8_t quote = *x->p;
	const uint8_t *from = x->p + 1, *p = x->unclosed < LEXER_UNCLOSED_MAX ? from : x->end;

	while (p < x->end && *p != quote)
		p += *p == '\\' && x->end - p > 1 ? 2 : 1;
	if (p >= x->end) { /* never closed: what follows is read as if it were not there */
		x->unclosed += x->unclosed < LEXER_UNCLOSED_MAX;
		return take(x, TOKEN_BAD, 1);
	}
	x->p = p + 1;
	return token_of(TOKEN_STRING, from, p);
}

static uint8_t pair(const struct lexer *x)
{
	static const struct {
		char text[3];
		uint8_t op;
	} pairs[] = { { "//", OP_FLOORDIV }, { "**", OP_POW }, { "==", OP_EQ }, { "!=", OP_NE }, { ">=", OP_GE },
		{ "<=", OP_LE } };

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (looking_at(x, pairs[i].text))
			return pairs[i].op;
	return 0;
}

static uint8_t closer_of(uint8_t c)
{
	return c == '(' ? ')' : c == '[' ? ']' : c == '{' ? '}' : 0;
}

static struct token operator(struct lexer *x)
{
	uint8_t c = *x->p, closer = closer_of(c);
	struct token t;

	if (closer != 0 && x->depth == LEXER_DEPTH_MAX)
		return take(x, TOKEN_DEEP, 1);
	if (closer != 0)
		x->closers[x->depth++] = closer;
	else if ((c == ')' || c == ']' || c == '}') && (x->depth == 0 || x->closers[x->depth - 1] != c))
		return take(x, TOKEN_BAD, 1);
	else if (c == ')' || c == ']' || c == '}')
		x->depth--;
	t = take(x, TOKEN_OPERATOR, 1);
	t.op = c;
	return t;
}

static struct token punctuation(struct lexer *x)
{
	uint8_t op = pair(x);
	struct token t;

	if (op == 0 && (*x->p == 0 || strchr("+-/*%~[](){}><=.:|,;", *x->p) == NULL))
		return take(x, TOKEN_BAD, 1);
	if (op == 0)
		return operator(x);
	t = take(x, TOKEN_OPERATOR, 2);
	t.op = op;
	return t;
}

static struct token token(struct lexer *x)
{
	const uint8_t *before = x->p;
	size_t close;

	x->p = skip_space(x->p, x->end);
	x->dotted = x->p == before && before[-1] == '.'; /* a block's delimiter at least stands before it */
	if (x->p == x->end) {
		x->inside = 0;
		return take(x, TOKEN_BAD, 0);
	}
	close = closing(x);
	if (close > 0) {
		x->inside = 0;
		return take(x, TOKEN_CLOSE, close);
	}
	if (is_digit(*x->p))
		return number(x);
	if (is_word(*x->p))
		return name(x);
	return *x->p == '\'' || *x->p == '"' ? string(x) : punctuation(x);
}

struct token template_lexer_next(struct lexer *x)
{
	if (x->inside != 0)
		return token(x);
	if (x->p == x->end)
		return token_of(TOKEN_END, x->p, x->p);
	return text(x);
}
