/* The grammar of values, as jinja2.parser of Jinja 3.1 reads it.  What it refuses is refused here; brackets are at most
 * LEXER_DEPTH_MAX deep, and nothing else recurses.  See template_impl.h. */
#include "template_impl.h"

/* -- tests -- */

static bool begins_operand(const struct check *c)
{
	switch (c->now.kind) {
	case TOKEN_STRING:
	case TOKEN_NUMBER: return true;
	case TOKEN_NAME:
		return !template_at_word(c, "else") && !template_at_word(c, "or") && !template_at_word(c, "and") &&
		       !template_at_word(c, "is"); /* `if` and `in` are names here, and refused as such */
	default: return template_at(c, '(') || template_at(c, '[') || template_at(c, '{');
	}
}

/* Names, dots and keys: the same each time it is read. */
static bool is_path(struct bytes text)
{
	for (size_t i = 0; i < text.n; i++) {
		uint8_t b = text.at[i];

		if (((b | 0x20) < 'a' || (b | 0x20) > 'z') && (b < '0' || b > '9') &&
		    (b == 0 || strchr("_.[]'\"", b) == NULL))
			return false;
	}
	return text.n > 0;
}

/* `x.y is mapping` as a whole operand: the operands behind `and` are asked only of a mapping. */
static void note_mapping(struct check *c, const uint8_t *at, struct bytes test, bool negated)
{
	bool whole = template_at_end(c) || template_at_word(c, "and");
	struct bytes path = bytes_of(NULL, 0);

	if (c->nesting == 0 && c->operand_at != NULL && c->operand_at < at)
		path = template_source_between(c->operand_at, at);
	if (whole && !negated && template_word_is(test, "mapping") && is_path(path))
		c->mapping = path;
}

/* `x is string`, `x is not mapping`, as a whole operand of the condition: in one branch it is no text. */
static void note_test(struct check *c, uint32_t cell, struct bytes test, bool negated)
{
	bool string = template_word_is(test, "string");
	bool whole = template_at_end(c) || template_at_word(c, "and") || template_at_word(c, "or");

	if (cell == CELL_NONE || !whole || c->nesting > 0 || c->n_facts == FACTS_MAX)
		return;
	if (string)
		c->facts[c->n_facts++] = (struct tested){ .cell = cell, .not_text = negated };
	else if (template_word_is(test, "mapping") && !negated)
		c->facts[c->n_facts++] = (struct tested){ .cell = cell, .not_text = true };
}

/* Behind `is`, which stands at @at. */
static struct trait test(struct check *c, struct trait v, uint32_t subject, const uint8_t *at)
{
	bool negated = template_take_word(c, "not");
	struct bytes word = c->now.raw;

	if (c->now.kind != TOKEN_NAME) {
		template_fail(c);
		return trait_anything();
	}
	template_step(c);
	if (template_word_is(word, "lower") || template_word_is(word, "upper")) /* of all its letters */
		template_spend(c, size_mul(cost_weight(v), LETTER), word.at);
	if (template_at(c, '(')) {
		struct arguments a;

		template_arguments(c, &a);
		template_compare(c, v, a.all, true, word.at);
	} else if (begins_operand(c)) {
		template_compare(c, v, template_postfix(c, template_primary(c), CELL_NONE), true, word.at);
	}
	note_test(c, subject, word, negated);
	note_mapping(c, at, word, negated);
	return trait_number(1);
}

static struct trait filters(struct check *c, struct trait v, uint32_t subject)
{
	for (;; subject = CELL_NONE) {
		const uint8_t *at = c->now.raw.at;

		if (template_take(c, '|'))
			v = template_filter(c, v);
		else if (template_take_word(c, "is"))
			v = test(c, v, subject, at);
		else if (!c->failed && template_at(c, '('))
			v = template_call_any(c, at);
		else
			return v;
	}
}

/* -- operators -- */

static struct trait unary(struct check *c)
{
	bool sign = false;
	uint32_t subject = CELL_NONE, space;
	const uint8_t *from;
	struct trait base, v;

	while (template_take(c, '-') || template_take(c, '+'))
		sign = true;
	if (c->now.kind == TOKEN_NAME && c->now.raw.at == c->operand_at && !template_word_is_operator(c->now.raw) &&
	    c->next.kind == TOKEN_NAME)
		subject = cells_find(&c->cells, CELL_VARIABLE, c->scope, c->now.raw);
	space = c->now.kind == TOKEN_NAME && template_next_is(c, '.') ? template_space(c, c->now.raw) : CELL_NONE;
	from = c->now.raw.at;
	base = template_primary(c);
	v = template_postfix(c, base, space);
	if (!c->failed && trait_is_outside(base) && trait_is_outside(v))
		v = template_path(c, from, v, &subject);
	if (sign)
		v = trait_counted(v.n.count, v.n.degree);
	template_spend(c, STEP, c->now.raw.at);
	return filters(c, v, subject);
}

static struct trait power(struct check *c)
{
	struct trait v = unary(c);

	while (!c->failed && template_at(c, OP_POW)) {
		template_found(c, RULE_DOS, c->now.raw.at);
		template_step(c);
		(void)unary(c);
		v = trait_number(SIZE_CAP);
	}
	return v;
}

/* `text % x`: a format, of which each directive may bring all of x. */
static struct trait format(struct trait a, struct bytes literal, struct trait b)
{
	uint64_t directives = 0, width = 0;

	if (a.self == 0)
		return trait_number(b.self == 0 ? b.n.count : size_most(a.n.count, b.n.count));
	if (literal.at == NULL && (a.self & (IS_COMPOSED | IS_WIDE)) != 0)
		return trait_composed(SIZE_CAP);
	for (size_t i = 0; literal.at != NULL && i < literal.n; i++) {
		directives += literal.at[i] == '%';
		width = literal.at[i] == '*' ? size_add(width, cost_largest(b)) : width;
	}
	width = size_add(width, literal.at != NULL ? template_format_width(literal) : WIDTH_MAX);
	directives = literal.at != NULL ? directives : a.n.size;
	return trait_composed(size_add(size_add(a.n.size, width), size_mul(directives, size_mul(cost_weight(b), 2))));
}

static bool is_one_or_more(struct bytes number)
{
	for (size_t i = 0; i < number.n; i++)
		if ((number.at[i] < '0' || number.at[i] > '9') && number.at[i] != '.')
			return false;
	return number.at[0] != '0';
}

/* Divided by a number that is written down, and no fraction, it does not get larger. */
static struct trait quotient(struct check *c, struct trait a)
{
	bool plain = c->now.kind == TOKEN_NUMBER && is_one_or_more(c->now.raw);
	const uint8_t *behind = c->next.raw.at;

	(void)power(c);
	return trait_counted(
	    (plain && c->now.raw.at == behind) || a.n.count > NUMBER_LARGE ? a.n.count : NUMBER_LARGE, a.n.degree);
}

/* A text of the renderer's is larger than it is counted: what is many times as large is work. */
static struct trait times(struct check *c, struct trait a, struct trait b, const uint8_t *at)
{
	struct trait v = template_multiply(a, b);

	if (v.n.degree >= DEGREES_MAX) { /* of messages, it is larger than it is counted */
		v.n.count = size_mul(v.n.count, UNSEEN);
		v.n.size = size_mul(v.n.size, v.self == 0 ? 1 : UNSEEN);
	}
	template_bound_number(c, v, at);
	if (((a.self | b.self) & IS_OUTSIDE) != 0 && v.n.size > MANY_TIMES * OUTSIDE_SIZE && !template_is_large(c))
		template_spend(c, size_mul(v.n.size, UNSEEN), at);
	return v;
}

/* What is put behind something, in a loop perhaps. */
static struct trait behind(struct check *c, struct trait v, const uint8_t *at)
{
	if (c->cells.all)
		template_long_work(c, v, WRITTEN, at);
	return v;
}

/* A Markup asks what it is joined with for its __html__(). */
static struct trait operand(struct check *c, struct trait v)
{
	if (template_hides_call(c, v))
		template_call_hidden(c, c->now.raw.at);
	return v;
}

static struct trait product(struct check *c)
{
	bool literal = c->now.kind == TOKEN_STRING && c->next.kind == TOKEN_OPERATOR;
	struct bytes raw = c->now.raw;
	const uint8_t *behind = c->next.raw.at;
	unsigned names = c->names;
	struct trait a = power(c);

	literal = literal && c->now.raw.at == behind; /* and nothing was made of it */
	while (!c->failed) {
		const uint8_t *at = c->now.raw.at;

		if (template_take(c, '*')) {
			a = times(c, template_settled(c, a), template_settled(c, power(c)), at);
		} else if (template_take(c, '/') || template_take(c, OP_FLOORDIV)) {
			a = quotient(c, a);
		} else if (template_take(c, '%')) {
			a = format(a, literal ? raw : bytes_of(NULL, 0), operand(c, power(c)));
		} else {
			return a;
		}
		if (a.self == 0) /* digits are divided by digits */
			template_spend(c, size_mul(a.n.size, 16), at);
		template_computed(c, a, names, at);
		literal = false;
	}
	return a;
}

static struct trait concatenation(struct check *c)
{
	unsigned names = c->names;
	struct trait a = product(c);

	const uint8_t *last = NULL;

	while (template_at(c, '~') && !c->failed) {
		last = c->now.raw.at;
		template_step(c);
		a = template_concatenate(operand(c, a), behind(c, operand(c, product(c)), last));
		template_bound(c, a, last);
	}
	if (last != NULL) /* Jinja joins all of them at once */
		template_computed(c, a, names, last);
	return a;
}

/* Of numbers, or of sets. */
static struct trait difference(struct trait a, struct trait b)
{
	uint64_t count = size_add(a.n.count, b.n.count);

	return a.self == 0 || b.self == 0 ? trait_counted(count, degree_most(a.n.degree, b.n.degree))
					  : (struct trait){ .self = IS_COPY, .deep = a.deep, .n = a.n };
}

static struct trait sum(struct check *c)
{
	const uint8_t *from = c->now.raw.at;
	unsigned names = c->names;
	struct trait a = concatenation(c);

	for (;;) {
		const uint8_t *at = c->now.raw.at;

		if (template_take(c, '+')) {
			a = operand(c, template_settled(c, a));
			a = template_add(a, behind(c, operand(c, template_settled(c, concatenation(c))), at));
		} else if (template_take(c, '-')) {
			a = template_settled(c, a);
			a = difference(a, concatenation(c));
		} else {
			c->sum_from = from;
			c->sum_to = c->now.raw.at;
			return a;
		}
		template_computed(c, a, names, at);
		template_bound_number(c, a, at);
	}
}

/* What `in` asks for: a word in what somebody wrote, or a key of what was just found to be a mapping. */
static struct trait containment(struct check *c)
{
	const uint8_t *at = c->now.raw.at;
	bool word = c->asks_for_word, before = c->asks_content;
	struct trait v;

	c->asks_for_word = c->asks_content = false;
	v = sum(c);
	if (word && c->asks_content)
		c->asks |= c->nesting > 0 || !bytes_equal(c->mapping, template_source_between(at, c->now.raw.at));
	c->asks_content |= before;
	return v;
}

static bool at_not_in(const struct check *c)
{
	return !c->failed && template_at_word(c, "not") && c->next.kind == TOKEN_NAME &&
	       template_word_is(c->next.raw, "in");
}

/* An operator and its right side, *v: what is compared next. */
static bool take_comparison(struct check *c, struct trait *v)
{
	static const uint8_t ops[] = { OP_EQ, OP_NE, OP_GE, OP_LE, '<', '>' };
	const uint8_t *at = c->now.raw.at;
	struct trait left = template_settled(c, *v);
	bool within = true;

	for (size_t i = 0; i < sizeof(ops) && within; i++)
		within = !template_take(c, ops[i]);
	if (!within) {
		*v = sum(c);
	} else if (template_take_word(c, "in")) {
		*v = containment(c);
	} else if (at_not_in(c)) {
		template_step(c);
		template_step(c);
		*v = sum(c);
	} else {
		return false;
	}
	template_compare(c, left, template_settled(c, *v), within, at);
	return true;
}

static void skip_blanks(const uint8_t **p, const uint8_t *end)
{
	while (*p < end && (**p == ' ' || **p == '\n' || **p == '\t' || **p == '\r'))
		(*p)++;
}

/* Behind x.member: what is false of what is not there. */
static bool asks_whether_there(const uint8_t *p, const uint8_t *end)
{
	static const char *const tests[] = { "mapping", "string", "defined", "boolean", "true" };
	struct bytes word;

	skip_blanks(&p, end);
	if (p == end)
		return true;
	if (end - p > 2 && p[0] == '=' && p[1] == '=') {
		p += 2;
		skip_blanks(&p, end);
		word = template_source_word(&p, end);
		return p == end && (template_word_is(word, "true") || template_word_is(word, "True"));
	}
	if (!template_word_is(template_source_word(&p, end), "is"))
		return false;
	skip_blanks(&p, end);
	word = template_source_word(&p, end);
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		if (p == end && template_word_is(word, tests[i]))
			return true;
	return false;
}

/* Is it what the macro is measured by, as it was given? */
static bool is_measured(const struct check *c, struct bytes word)
{
	uint32_t i = c->scope != 0 ? cells_find(&c->cells, CELL_VARIABLE, c->scope, word) : CELL_NONE;
	const struct cell *cell = i != CELL_NONE ? &c->cells.cells[i] : NULL;

	return cell != NULL && cell->param == c->macros[c->scope - 1].measure + 1 && cell->pass != c->pass &&
	       cell->live == 0;
}

/* `x.member`, `x['member'] is mapping`, as a whole operand: in the branch, the x that was given has such a member. */
static void note_member(struct check *c)
{
	struct bytes operand = template_source_between(c->operand_at, c->now.raw.at), of, member;
	const uint8_t *p = operand.at, *end = operand.at + operand.n;
	uint8_t quote = 0;

	of = template_source_word(&p, end);
	if (end - p < 2 || (*p != '.' && *p != '['))
		return;
	if (*p++ == '[')
		quote = *p++;
	member = template_source_word(&p, end);
	if (quote != 0 && (end - p < 2 || *p++ != quote || *p++ != ']' || (quote != '\'' && quote != '"')))
		return;
	if (member.n > 0 && asks_whether_there(p, end) && is_measured(c, of) && !template_word_is_attribute(member))
		c->member_asked = member;
}

static struct trait comparison(struct check *c)
{
	struct trait v, right;
	bool negated = false, compared = false;

	if (c->nesting == 0)
		c->operand_at = c->now.raw.at; /* behind `not`, it is not the operand */
	while (template_take_word(c, "not"))
		negated = true;
	v = right = sum(c);
	while (take_comparison(c, &right))
		compared = true;
	if (c->nesting == 0 && !negated && !c->failed)
		note_member(c);
	return negated || compared ? trait_number(1) : v;
}

static struct trait conjunction(struct check *c)
{
	struct trait v;

	if (c->nesting == 0)
		c->mapping = bytes_of(NULL, 0);
	v = comparison(c);
	while (template_take_word(c, "and")) {
		c->conjunctions += c->nesting == 0;
		v = trait_join(v, comparison(c));
	}
	return v;
}

struct trait template_alternatives(struct check *c)
{
	struct trait v = conjunction(c);

	while (template_take_word(c, "or")) {
		c->alternatives += c->nesting == 0;
		v = trait_join(v, conjunction(c));
	}
	return v;
}

struct trait template_expression(struct check *c)
{
	struct trait v = template_alternatives(c);

	while (template_take_word(c, "if")) {
		c->conjunctions++; /* nothing is known of its operands */
		c->alternatives++;
		(void)template_alternatives(c);
		if (!template_take_word(c, "else"))
			continue;
		v = trait_join(v, template_alternatives(c));
	}
	return v;
}

/* -- arguments -- */

/* dict(x), f(*x), y.update(x): what was put into it before gets out of it. */
static struct trait with_filling(const struct check *c, struct trait v)
{
	struct trait in = template_settled(c, v);

	if ((v.self & IS_MADE) != 0 && (v.self & IS_OUTSIDE) == 0)
		return in;
	v.deep = in.deep;
	return v;
}

static void argument(struct check *c, struct arguments *ret)
{
	const uint8_t *at = c->now.raw.at, *from;
	struct argument a = { .keyword = bytes_of(NULL, 0) };
	bool starred = template_take(c, '*') || template_take(c, OP_POW);

	if (!starred && c->now.kind == TOKEN_NAME && template_next_is(c, '=')) {
		a.keyword = c->now.raw;
		template_step(c);
		template_step(c);
	}
	if (c->next.kind == TOKEN_OPERATOR && (c->next.op == ',' || c->next.op == ')')) {
		a.is_literal = c->now.kind == TOKEN_STRING;
		a.is_number = c->now.kind == TOKEN_NUMBER;
		a.literal = c->now.raw;
	}
	from = c->now.raw.at;
	a.fresh = template_at(c, '[') || template_at(c, '{');
	a.v = template_expression(c);
	a.fresh = a.fresh && c->bracket_from == from && c->bracket_to == c->now.raw.at; /* not [x][0] */
	a.v = a.fresh ? a.v : with_filling(c, a.v);
	ret->starred |= starred;
	if (starred) /* they are what is in it */
		a.v.n = amount_join(a.v.n, template_parts(c, a.v, false).n);
	trait_gather(&ret->all, a.v);
	if (starred) {
		ret->all.self |= a.v.deep | IS_TEXT;
		return;
	}
	if (ret->n < ARGUMENTS_MAX) {
		ret->of[ret->n++] = a;
		return;
	}
	ret->starred = true; /* and its name is not known: nobody can say where it gets to */
	ret->all.self |= a.keyword.n > 0 ? trait_name(a.keyword) : 0;
	template_found(c, RULE_UNPROVABLE, at);
}

void template_arguments(struct check *c, struct arguments *ret)
{
	ret->n = 0;
	ret->all = (struct trait){ .self = 0 };
	ret->starred = false;
	c->nesting++;
	template_expect(c, '(');
	while (!template_closes(c)) {
		argument(c, ret);
		if (!template_take(c, ','))
			break;
	}
	template_expect(c, ')');
	c->nesting--;
}
