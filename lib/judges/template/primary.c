/* Values that stand alone, and what stands behind them: literals, names, brackets, attributes, keys, slices, calls.  See
 * template_impl.h. */
#include "template_impl.h"

/* -- brackets -- */

/* [ ], ( ) of a value: what is in them, separated by commas. */
static struct trait items(struct check *c, uint8_t closer)
{
	struct trait all = { .self = 0 };

	while (!template_closes(c)) {
		trait_gather(&all, template_expression(c));
		if (!template_take(c, ','))
			break;
	}
	template_expect(c, closer);
	return trait_container(all);
}

/* A key that is written down as it is. */
static bool is_plain(struct bytes raw, struct trait v)
{
	return raw.at != NULL && (v.self & IS_COMPOSED) == 0 && memchr(raw.at, '\\', raw.n) == NULL;
}

/* The member that what this macro was given has for certain, where this is read: an `if` asked for it. */
static struct bytes member_asked(const struct check *c)
{
	for (unsigned i = c->n_blocks; i-- > 0 && c->blocks[i].tag != TAG_MACRO && c->blocks[i].tag != TAG_CALL;)
		if (c->blocks[i].tag == TAG_IF && c->blocks[i].member.n > 0)
			return c->blocks[i].member;
	return bytes_of(NULL, 0);
}

static bool nothing_is_filled(const struct check *c)
{
	const struct trait *own = &c->flows[FILLED_OWN].v, *outside = &c->flows[FILLED_OUTSIDE].v;

	return (own->self | own->deep | outside->self | outside->deep) == 0 && own->n.count == 0 &&
	       outside->n.count == 0;
}

/* A mapping of texts that are written down, made where what the macro was given has a member that this has not (and texts have
 * none): called with it, the macro does not get here again.  In all of a template, that is one member. */
static bool is_leaf(struct check *c, struct bytes member)
{
	if (member.n == 0 || !nothing_is_filled(c))
		return false;
	if (c->member.n == 0)
		c->member = member;
	return bytes_equal(c->member, member);
}

/* key: value.  *ret_leaf: both are texts that are written down, and it is not the key of this member. */
static uint8_t pair(struct check *c, struct trait *all, struct bytes member, bool *ret_leaf)
{
	bool whole = c->now.kind == TOKEN_STRING && template_next_is(c, ':'); /* not 'KEY'|lower */
	struct bytes key = whole ? c->now.raw : bytes_of(NULL, 0);
	struct trait k = template_expression(c), v;
	bool literal;

	template_expect(c, ':');
	literal =
	    c->now.kind == TOKEN_STRING && c->next.kind == TOKEN_OPERATOR && (c->next.op == ',' || c->next.op == '}');
	v = template_expression(c);
	*ret_leaf = literal && is_plain(key, k) && k.self == trait_literal(key).self && !bytes_equal(key, member);
	if ((v.self & IS_ANY_CALLABLE) != 0)
		template_set_field(c, is_plain(key, k) ? key : bytes_of(NULL, 0), v, CELL_NONE);
	trait_gather(all, k);
	trait_gather(all, v);
	return v.descent;
}

static struct trait mapping(struct check *c)
{
	struct trait all = { .self = 0 };
	struct bytes member = member_asked(c);
	uint8_t descent = DESCENT_DEEP;
	bool leaf = true, leaf_pair;

	while (!template_closes(c)) {
		uint8_t of = pair(c, &all, member, &leaf_pair);

		descent = of < descent ? of : descent;
		leaf = leaf && leaf_pair;
		if (!template_take(c, ','))
			break;
	}
	template_expect(c, '}');
	leaf = leaf && all.n.count > 0 && is_leaf(c, member);
	all = trait_container(all);
	if (descent == DESCENT_DEEP && all.n.count > 0) /* of what is deeper: it is no deeper than a part */
		all.descent = DESCENT_PART;
	else if (leaf)
		all.descent = DESCENT_LOOSE;
	return all;
}

struct trait template_tuple(struct check *c, bool with_if, const char *end_word)
{
	struct trait v = { .self = 0 }, all = { .self = 0 };
	bool tuple = false;

	while (!template_closes(c) && !(end_word != NULL && template_at_word(c, end_word))) {
		v = with_if ? template_expression(c) : template_alternatives(c);
		trait_gather(&all, v);
		if (!template_take(c, ','))
			break;
		tuple = true;
	}
	if (tuple && c->nesting == 0) { /* it is true, whatever is in it */
		c->conjunctions++;
		c->alternatives++;
	}
	return tuple ? trait_container(all) : v;
}

/* ( ) of a value: a tuple, or the value itself. */
static struct trait group(struct check *c)
{
	struct trait v;

	if (template_take(c, ')'))
		return trait_container((struct trait){ .self = 0 });
	v = template_tuple(c, true, NULL);
	template_expect(c, ')');
	return v;
}

static struct trait bracketed(struct check *c, uint8_t op)
{
	const uint8_t *from = c->now.raw.at;
	struct trait v;

	c->nesting++;
	template_step(c);
	v = op == '(' ? group(c) : op == '[' ? items(c, ']') : mapping(c);
	c->nesting--;
	c->bracket_from = from;
	c->bracket_to = c->now.raw.at;
	return v;
}

/* -- primaries -- */

/* What is long is looked at once: readings are many. */
static struct trait literal_trait(struct check *c, struct bytes raw)
{
	struct trait v;

	for (unsigned i = 0; raw.n >= LITERAL_LONG && i < c->n_literals; i++)
		if (c->literals[i].at == raw.at)
			return c->literals[i].v;
	v = trait_literal(raw);
	if (raw.n >= LITERAL_LONG && c->n_literals < LITERALS_MAX)
		c->literals[c->n_literals++] = (struct long_literal){ raw.at, v };
	return v;
}

/* Literals in a row are one. */
static struct trait string(struct check *c)
{
	struct trait v = literal_trait(c, c->now.raw);

	c->literal = c->now.raw;
	template_prose(c, c->now.raw);
	if (c->next.kind == TOKEN_NAME && template_word_is(c->next.raw, "in") && template_is_natural(c->now.raw))
		c->asks_for_word = true;
	template_step(c);
	while (c->now.kind == TOKEN_STRING) {
		v = trait_composed(size_add(v.n.size, c->now.raw.n));
		template_prose(c, c->now.raw);
		template_step(c);
	}
	return v;
}

/* No smaller than the number; fractions and exponents are as good as any. */
static uint64_t number_of(struct bytes raw)
{
	uint64_t v = 0;
	size_t i = 0;

	for (; i < raw.n && ((raw.at[i] >= '0' && raw.at[i] <= '9') || raw.at[i] == '_'); i++)
		if (raw.at[i] != '_')
			v = size_add(size_mul(v, 10), raw.at[i] - '0');
	if (i == raw.n)
		return v;
	return raw.at[i] == '.' && memchr(raw.at, 'e', raw.n) == NULL && memchr(raw.at, 'E', raw.n) == NULL
		   ? size_add(v, 1)
		   : NUMBER_LARGE;
}

static bool is_constant(struct bytes word)
{
	return template_word_is(word, "true") || template_word_is(word, "True") || template_word_is(word, "false") ||
	       template_word_is(word, "False") || template_word_is(word, "none") || template_word_is(word, "None");
}

static struct trait name(struct check *c)
{
	struct bytes word = c->now.raw;
	struct trait v;

	if (template_word_is_operator(word)) {
		template_fail(c);
		return trait_anything();
	}
	template_step(c);
	if (is_constant(word)) {
		v = trait_number(1);
		v.descent = DESCENT_LOOSE; /* as {}: it has no parts */
		return v;
	}
	c->names++;
	if (c->calls_blocks && template_word_is(word, "kwargs") &&
	    !template_at_end(c)) /* where a macro that does not speak of caller finds it */
		template_found(c, RULE_UNPROVABLE, word.at);
	template_reference(c, word, false, template_at(c, '('));
	if (template_at(c, '('))
		return template_call_name(c, word);
	if (!template_at(c, '.'))
		template_share(c, word);
	return template_read(c, word);
}

struct trait template_primary(struct check *c)
{
	struct trait v;

	if (c->failed)
		return trait_anything();
	switch (c->now.kind) {
	case TOKEN_NAME: return name(c);
	case TOKEN_STRING: return string(c);
	case TOKEN_NUMBER:
		v = trait_number(number_of(c->now.raw));
		c->large_numbers += v.n.count >= SIZE_CAP;
		if (c->now.raw.n > LITERAL_DIGITS || c->large_numbers > LARGE_NUMBERS_MAX)
			template_too_much(c, c->now.raw.at);
		template_step(c);
		return v;
	default: break;
	}
	if (template_at(c, '(') || template_at(c, '[') || template_at(c, '{'))
		return bracketed(c, c->now.op);
	template_fail(c);
	return trait_anything();
}

/* -- what stands behind them -- */

static bool is_content(struct bytes word)
{
	return template_word_is(word, "content") || template_word_is(word, "text") || template_word_is(word, "prompt");
}

static struct trait attribute(struct check *c, struct trait v, uint32_t space)
{
	struct bytes word = c->now.raw;
	const uint8_t *at = word.at;

	if (c->now.kind == TOKEN_NUMBER) {
		template_step(c);
		return template_look_up(c, v, trait_number(0), at);
	}
	if (c->now.kind != TOKEN_NAME) {
		template_fail(c);
		return v;
	}
	template_step(c);
	c->asks_content |= is_content(word);
	template_reference(c, word, true, template_at(c, '('));
	if (template_word_is(word, "format") && (v.self & IS_COMPOSED) != 0 && !template_at(c, '('))
		c->takes_format = at; /* it may be called under another name */
	if (template_at(c, '('))
		return template_call_method(c, v, word, at);
	return template_field(c, v, word, space);
}

/* x[a:b:c] */
static struct trait slice(struct check *c, struct trait v)
{
	while (template_take(c, ':'))
		if (!template_closes(c) && !template_at(c, ':'))
			(void)template_expression(c);
	v = template_settled(c, v);
	template_spend(c, cost_weight(v), c->now.raw.at);
	if (trait_may_be_text(v))
		v.self |= IS_COMPOSED;
	if (!trait_is_outside(v)) /* a piece of what the renderer gives is as good as that */
		v.self = (v.self & (uint32_t)~IS_OWN) | IS_COPY;
	return v;
}

/* x[k]. */
static struct trait by_name(struct check *c, struct trait v, struct bytes word, struct trait key, const uint8_t *at)
{
	v = template_look_up(c, v, key, at);
	if (c->cells.all)
		v.root = template_root_by_key(c, v, word, key);
	return v;
}

static struct trait subscript(struct check *c, struct trait v)
{
	const uint8_t *at = c->now.raw.at;
	bool literal = c->now.kind == TOKEN_STRING && c->next.kind == TOKEN_OPERATOR && c->next.op == ']';
	bool name = c->now.kind == TOKEN_NAME && template_next_is(c, ']');
	struct bytes raw = c->now.raw;
	struct trait key;

	if (template_at(c, ':'))
		return slice(c, v);
	key = template_expression(c);
	if (template_at(c, ':'))
		return slice(c, v);
	if (template_at(c, ',')) {
		while (template_take(c, ','))
			(void)template_expression(c);
		return template_look_up(c, v, trait_list(key), at);
	}
	if (name)
		return by_name(c, v, raw, key, at);
	if (!literal)
		return template_look_up(c, v, key, at);
	template_literal_key(c, raw);
	c->asks_content |= is_content(raw);
	if (template_word_is(raw, "format") && (v.self & IS_COMPOSED) != 0)
		c->takes_format = raw.at;
	if ((key.self & IS_COMPOSED) != 0)
		return trait_anything();
	if (memchr(raw.at, '\\', raw.n) != NULL) /* spelled otherwise than it is looked up */
		return template_look_up(c, v, key, at);
	return template_field(c, v, raw, CELL_NONE);
}

struct trait template_postfix(struct check *c, struct trait v, uint32_t space)
{
	for (; !c->failed; space = CELL_NONE) {
		const uint8_t *at = c->now.raw.at;

		if (template_at(c, '.') || template_at(c, '[') || template_at(c, '('))
			template_spend(c, STEP * 2, at); /* it may find nothing */
		if (template_take(c, '.')) {
			v = attribute(c, v, space);
		} else if (template_at(c, '[')) {
			c->nesting++;
			template_step(c);
			v = subscript(c, v);
			template_expect(c, ']');
			c->nesting--;
		} else if (template_at(c, '(')) {
			v = template_call_any(c, at);
		} else {
			break;
		}
	}
	return v;
}
