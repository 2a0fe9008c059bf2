/* Regular expressions as a tree: see regex_impl.h.  The grammar is what Oniguruma (its Ruby syntax, the library's default) and
 * Python's re share, and what they spell differently.  Recursion is as deep as groups are nested: REGEX_DEPTH_MAX. */
#include "regex_impl.h"

static uint32_t node(struct regex *x, enum regex_kind kind)
{
	uint32_t i = x->n;

	if (i == REGEX_NODES_MAX) {
		regex_fail(x, REGEX_LONG);
		return RE_NONE;
	}
	x->n++;
	x->nodes[i] = (struct regex_node){ .kind = (uint8_t)kind };
	return i;
}

static void add_child(struct regex *x, uint32_t parent, uint32_t child)
{
	struct regex_node *p = &x->nodes[parent];

	if (parent == RE_NONE || child == RE_NONE)
		return;
	if (p->last == RE_NONE)
		p->first = child;
	else
		x->nodes[p->last].next = child;
	p->last = child;
}

static uint32_t set_node(struct regex *x, struct regex_set s, bool folded)
{
	uint32_t i = node(x, RE_SET);

	if (i != RE_NONE)
		x->nodes[i].set = x->fold && !folded ? regex_set_folded(s) : s;
	return i;
}

static uint32_t wrap(struct regex *x, enum regex_kind kind, uint32_t child)
{
	uint32_t i = node(x, kind);

	add_child(x, i, child);
	return i;
}

static bool next_is(const struct regex *x, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(x->end - x->p) >= n && memcmp(x->p, text, n) == 0;
}

static bool take(struct regex *x, const char *text)
{
	if (!next_is(x, text))
		return false;
	x->p += strlen(text);
	return true;
}

/* -- groups -- */

static uint32_t alternatives(struct regex *x);

/* The rest of a group, its closing bracket too. */
static uint32_t inside(struct regex *x)
{
	bool fold = x->fold, dot_all = x->dot_all;
	uint32_t i;

	if (++x->depth > REGEX_DEPTH_MAX) {
		regex_fail(x, REGEX_DEEP);
		return RE_NONE;
	}
	i = alternatives(x);
	x->depth--;
	if (x->err == REGEX_FINE && !take(x, ")"))
		regex_fail(x, REGEX_UNREAD);
	x->fold = fold;
	x->dot_all = dot_all;
	return i;
}

/* For Oniguruma, (?i) is a group around all that follows, a | too. */
static uint32_t rest(struct regex *x)
{
	uint32_t i;

	if (++x->depth > REGEX_DEPTH_MAX) {
		regex_fail(x, REGEX_DEEP);
		return RE_NONE;
	}
	i = alternatives(x);
	x->depth--;
	return i;
}

/* (?i) up to the end of the group around it, (?i:...) */
static uint32_t options(struct regex *x)
{
	bool on = true, fold = x->fold, dot_all = x->dot_all;
	uint32_t i;

	for (uint8_t c; x->p < x->end && (c = *x->p) != ')' && c != ':';) {
		x->p++;
		if (c == '-')
			on = false;
		else if (c == 'i')
			x->fold = on;
		else if (c == 's' || c == 'm')
			x->dot_all = on || x->dot_all;
		else if (memchr("aLuWDSP", c, 7) == NULL)
			regex_fail(x, REGEX_UNREAD); /* x: blanks and comments would have to be told from text */
	}
	if (take(x, ")"))
		return x->dialect == REGEX_ONIGURUMA ? rest(x) : node(x, RE_EMPTY);
	if (!take(x, ":")) {
		regex_fail(x, REGEX_UNREAD);
		return RE_NONE;
	}
	i = inside(x);
	x->fold = fold;
	x->dot_all = dot_all;
	return i;
}

static uint32_t named(struct regex *x, char close)
{
	const uint8_t *at = memchr(x->p, close, (size_t)(x->end - x->p));

	if (at == NULL) {
		regex_fail(x, REGEX_UNREAD);
		return RE_NONE;
	}
	x->p = at + 1;
	return inside(x);
}

static uint32_t comment(struct regex *x)
{
	const uint8_t *at = memchr(x->p, ')', (size_t)(x->end - x->p));

	if (at == NULL)
		regex_fail(x, REGEX_UNREAD);
	else
		x->p = at + 1;
	return node(x, RE_EMPTY);
}

/* Behind (? */
static uint32_t extended(struct regex *x)
{
	if (take(x, ":"))
		return inside(x);
	if (take(x, ">"))
		return wrap(x, RE_ATOMIC, inside(x));
	if (take(x, "=") || take(x, "!") || take(x, "<=") || take(x, "<!"))
		return wrap(x, RE_LOOK, inside(x));
	if (take(x, "P<") || take(x, "<"))
		return named(x, '>');
	if (take(x, "'"))
		return named(x, '\'');
	if (take(x, "#"))
		return comment(x);
	if (next_is(x, "(") || next_is(x, "P=") || next_is(x, "P>") || next_is(x, "R") || next_is(x, "&") ||
	    next_is(x, "+") || (x->p < x->end && *x->p >= '0' && *x->p <= '9')) {
		regex_fail(x, REGEX_REFERENCE);
		return RE_NONE;
	}
	return options(x);
}

/* -- items -- */

static uint32_t dot(struct regex *x)
{
	struct regex_set s = regex_set_all();

	return set_node(x, x->dot_all ? s : regex_set_and(s, regex_set_not(regex_set_of('\n', '\n'))), true);
}

/* Behind the backslash. */
static uint32_t escape(struct regex *x)
{
	uint32_t c;

	if (x->p == x->end) {
		regex_fail(x, REGEX_UNREAD);
		return RE_NONE;
	}
	if ((*x->p >= '1' && *x->p <= '9') || next_is(x, "k<") || next_is(x, "k'") || next_is(x, "g<") ||
	    next_is(x, "g'")) {
		regex_fail(x, REGEX_REFERENCE);
		return RE_NONE;
	}
	if (*x->p != '\0' && strchr("AZzGbByYK", *x->p) != NULL) {
		x->p++;
		return node(x, RE_EMPTY);
	}
	if (regex_escape_char(x, &c))
		return set_node(x, regex_set_of(c, c), false);
	return set_node(x, regex_escape_set(x), false);
}

static uint32_t item(struct regex *x)
{
	uint32_t c;

	if (take(x, "(?"))
		return extended(x);
	if (next_is(x, "(*")) { /* Oniguruma: a callout */
		regex_fail(x, REGEX_UNREAD);
		return RE_NONE;
	}
	if (take(x, "("))
		return inside(x);
	if (take(x, "["))
		return set_node(x, regex_class(x), true);
	if (take(x, "."))
		return dot(x);
	if (take(x, "^") || take(x, "$"))
		return node(x, RE_EMPTY);
	if (take(x, "\\"))
		return escape(x);
	c = regex_char(x);
	return set_node(x, regex_set_of(c, c), false);
}

/* -- quantifiers -- */

/* No digits: false.  Larger numbers than any limit stay large. */
static bool number(struct regex *x, uint32_t *ret)
{
	const uint8_t *from = x->p;
	uint32_t v = 0;

	for (; x->p < x->end && *x->p >= '0' && *x->p <= '9'; x->p++)
		v = v > 10000000 ? v : v * 10 + (uint32_t)(*x->p - '0');
	*ret = v;
	return x->p > from;
}

/* {2}, {2,}, {2,5}, {,5}; anything else is text. */
static bool count(struct regex *x, uint32_t *min, uint32_t *max)
{
	const uint8_t *from = x->p;
	bool low, high;

	x->p++;
	low = number(x, min);
	*max = *min;
	high = take(x, ",");
	if (high && !number(x, max))
		*max = low ? RE_UNBOUNDED : 0;
	else
		low = low || high;
	if (low && take(x, "}"))
		return true;
	x->p = from;
	return false;
}

static bool quantifier(struct regex *x, uint32_t *min, uint32_t *max, bool *ret_count)
{
	uint8_t c = x->p < x->end ? *x->p : 0;

	*ret_count = c == '{';
	if (*ret_count)
		return count(x, min, max);
	if (c == '\0' || strchr("*+?", c) == NULL)
		return false;
	*min = c == '+';
	*max = c == '?' ? 1 : RE_UNBOUNDED;
	x->p++;
	return true;
}

/* a{1,3}+: possessive for Python, and for Oniguruma a loop around a loop, which costs nothing where nothing is behind it. */
static bool is_possessive(struct regex *x, bool counted)
{
	if (!next_is(x, "+"))
		return false;
	if (counted && x->dialect == REGEX_ONIGURUMA && !(x->depth == 0 && (x->end - x->p == 1 || x->p[1] == '|')))
		return false;
	x->p++;
	return true;
}

static uint32_t repeated(struct regex *x, uint32_t child)
{
	uint32_t min, max, i;
	bool counted;

	for (unsigned n = 0; quantifier(x, &min, &max, &counted); n++) {
		if (n == 3) { /* nobody repeats what is repeated */
			regex_fail(x, REGEX_DEEP);
			return RE_NONE;
		}
		i = wrap(x, RE_REPEAT, child);
		x->nodes[i].min = min;
		x->nodes[i].max = max < min ? min : max;
		x->nodes[i].possessive = is_possessive(x, counted);
		if (!x->nodes[i].possessive)
			take(x, "?");
		child = i;
	}
	return child;
}

/* -- the whole -- */

static uint32_t sequence(struct regex *x)
{
	uint32_t i = node(x, RE_SEQUENCE);

	while (x->err == REGEX_FINE && x->p < x->end && *x->p != '|' && *x->p != ')') {
		if (memchr("*+?", *x->p, 3) != NULL) /* nothing to repeat */
			regex_fail(x, REGEX_UNREAD);
		else
			add_child(x, i, repeated(x, item(x)));
	}
	return i;
}

static uint32_t alternatives(struct regex *x)
{
	uint32_t i = node(x, RE_ALTERNATIVES);

	do {
		add_child(x, i, sequence(x));
	} while (x->err == REGEX_FINE && take(x, "|"));
	return i;
}

uint32_t regex_parse(struct regex *x, struct bytes text, enum regex_dialect dialect)
{
	uint32_t root;

	x->p = text.at;
	x->end = text.at + text.n;
	x->dialect = dialect;
	x->fold = x->dot_all = false;
	x->depth = 0;
	x->err = REGEX_FINE;
	x->n = 1; /* node 0 is none */
	if (text.n > REGEX_BYTES_MAX) {
		regex_fail(x, REGEX_LONG);
		return RE_NONE;
	}
	if (text.n == 0)
		return node(x, RE_EMPTY);
	root = alternatives(x);
	if (x->err == REGEX_FINE && x->p < x->end) /* a bracket that closes nothing */
		regex_fail(x, REGEX_UNREAD);
	return root;
}
