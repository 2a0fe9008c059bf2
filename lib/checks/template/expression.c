/* Expressions, a token at a time: what is looked up in them, and whether its name is written down or put together.  No
 * grammar is enforced beyond what the rules need: Jinja refuses what does not parse, and other engines take more.  See
 * template_impl.h. */
#include "template_impl.h"

/* -- names -- */

/* What a tokenizer's configuration says, so whoever wrote the template: <bos>, or anything. */
static bool is_special_token(struct bytes word)
{
	return word.n > 6 && memcmp(word.at + (word.n - 6), "_token", 6) == 0;
}

static void take_variable(struct check *c, struct bytes word)
{
	uint32_t name = template_variable(c, word);

	template_reference(c, word, false);
	if (is_special_token(word))
		template_names_hold(&c->names, name, HOLDS_COMPOSED);
	if (template_word_is(word, "kwargs")) { /* a macro's: the names it is called with, and the values */
		template_names_hold(&c->names, name, HOLDS_TEXT);
		template_names_flow(
		    &c->names, template_names_get(&c->names, NAME_ARGUMENTS, bytes_of(NULL, 0)), name, false);
	}
	if (name != NAME_NONE && !c->names.names[name].defined) /* from outside, and as good as any list */
		template_names_flow(&c->names, template_filled(c), name, false);
	template_use(c, name);
	c->operand = OPERAND_NAME;
}

static bool is_constant(struct bytes word)
{
	return template_word_is(word, "true") || template_word_is(word, "True") || template_word_is(word, "false") ||
	       template_word_is(word, "False") || template_word_is(word, "none") || template_word_is(word, "None");
}

/* `name=` in a call; a parameter; a name that `with` sets. */
static bool take_keyword(struct check *c, struct bytes word)
{
	struct frame *f = template_top(c);
	bool given = template_next_is(c, '=');
	bool parameter = f->kind == FRAME_PARAMS && f->part_tokens == 1;

	if (!parameter && !(given && (f->kind == FRAME_CALL || (f->kind == FRAME_TOP && c->with))))
		return false;
	template_identifier(c, word);
	f->keyword = word;
	if (template_literal_leads_out(word))
		f->part_holds |= HOLDS_COMPOSED;
	if (f->kind != FRAME_CALL) {
		template_target(c, word, template_names_new(&c->names, NAME_LOCAL, NULL));
		if (c->n_targets > 0 && f->kind == FRAME_PARAMS)
			template_names_flow(&c->names, c->macro, c->targets[c->n_targets - 1].name, false);
	}
	if (given)
		template_step(c);
	f->part_tokens = 0;
	c->operand = given ? OPERAND_NONE : OPERAND_NUMBER;
	return true;
}

/* A number came out: nothing of what went in is left, unless it was only the last operand of several. */
static void becomes_number(struct check *c, struct frame *f)
{
	if (f->part_operated)
		return;
	f->part_holds = 0;
	f->part_joins = false;
	c->n_uses = f->part_use;
}

static void take_filter(struct check *c, struct bytes word)
{
	const struct filter_word *filter = template_word_filter(word);
	struct frame *f = template_top(c);

	template_identifier(c, word);
	if (template_word_is(word, "attr"))
		template_found_word(c, RULE_INTROSPECTION, word);
	else if (filter == NULL)
		template_found_word(c, RULE_UNKNOWN_TAG, word);
	if (filter == NULL || filter->effect == EFFECT_COMPOSES)
		f->part_holds |= HOLDS_COMPOSED;
	else if (filter->effect == EFFECT_TEXT)
		f->part_holds |= HOLDS_TEXT;
	else if (filter->effect == EFFECT_NUMBER)
		becomes_number(c, f);
	c->chain = NAME_NONE;
	c->operand = OPERAND_FILTER;
}

static void take_word_operator(struct check *c, struct bytes word)
{
	template_top(c)->part_operated = true;
	if (template_word_is(word, "is"))
		c->operand = OPERAND_IS;
	else if (!(c->operand == OPERAND_IS && template_word_is(word, "not")))
		c->operand = OPERAND_NONE;
	c->chain = NAME_NONE;
	c->op = 0;
}

static bool method_fills(struct bytes word)
{
	return template_word_is(word, "append") || template_word_is(word, "extend") ||
	       template_word_is(word, "insert") || template_word_is(word, "update") ||
	       template_word_is(word, "setdefault") || template_word_is(word, "add");
}

/* What is given to any function might be given to this one. */
static void fill_from_anywhere(struct check *c)
{
	if (c->chain != NAME_NONE)
		template_names_flow(&c->names, template_names_get(&c->names, NAME_ARGUMENTS, bytes_of(NULL, 0)),
		    c->uses[c->chain].name, false);
}

/* A format that was put together can reach any attribute of what it formats. */
static void format_from(struct check *c, struct bytes word)
{
	if (c->chain != NAME_NONE)
		template_names_flow(&c->names, c->uses[c->chain].name,
		    template_names_new(&c->names, NAME_PLACE, word.at), c->uses[c->chain].joins);
	else if (template_top(c)->part_holds != 0)
		template_found_word(c, RULE_INTROSPECTION, word);
}

void template_attribute(struct check *c, struct bytes word)
{
	if (method_fills(word))
		fill_from_anywhere(c);
	else if (template_word_is(word, "format"))
		format_from(c, word);
	if (template_method_joins(word))
		template_top(c)->part_holds |= HOLDS_COMPOSED;
	template_go_on(c, word);
}

/* Of a loop: what it goes over, and no number. */
static bool is_neighbour(struct bytes word)
{
	return template_word_is(word, "previtem") || template_word_is(word, "nextitem");
}

static void take_name(struct check *c, struct bytes word)
{
	enum operand before = c->operand;

	c->word = word;
	switch (before) {
	case OPERAND_DOT:
		template_reference(c, word, true);
		if (!template_next_is(c, '('))
			template_attribute(c, word);
		template_top(c)->part_joins |= template_top(c)->part_operated && is_neighbour(word);
		c->operand = OPERAND_FIELD;
		return;
	case OPERAND_PIPE: take_filter(c, word); return;
	case OPERAND_IS:
		if (template_word_is(word, "not"))
			return;
		template_identifier(c, word);
		c->chain = NAME_NONE;
		c->operand = OPERAND_TEST;
		return;
	default: break;
	}
	if (template_word_is_operator(word)) {
		take_word_operator(c, word);
		return;
	}
	if (template_is_operand(before) && before != OPERAND_TEST)
		template_found_word(c, RULE_UNKNOWN_TAG, word); /* two values in a row */
	c->chain = NAME_NONE;
	if (before == OPERAND_NONE && take_keyword(c, word))
		return;
	if (is_constant(word))
		c->operand = OPERAND_NUMBER;
	else
		take_variable(c, word);
}

/* -- operators and literals -- */

/* Only numbers can be added to a number. */
static bool adds_numbers(struct check *c)
{
	const struct filter_word *filter = c->operand == OPERAND_FILTER ? template_word_filter(c->word) : NULL;

	if (c->operand == OPERAND_NUMBER || c->next.kind == TOKEN_NUMBER)
		return true;
	return filter != NULL && filter->effect == EFFECT_NUMBER;
}

static void take_sign(struct check *c, uint8_t op)
{
	struct frame *f = template_top(c);
	bool text = c->operand == OPERAND_STRING;

	f->part_operated |= template_is_operand(c->operand);
	if (op == '~' || (text && (op == '%' || op == '+' || op == '*')) || (op == '+' && c->operand == OPERAND_KEY))
		f->part_holds |= HOLDS_COMPOSED;
	else if (op == '%' || op == '*' || (op == '+' && template_is_operand(c->operand) && !adds_numbers(c)))
		f->part_joins = true;
	if (op == OP_POW && template_is_operand(c->operand))
		template_found(c, RULE_DOS, c->now.raw.at);
	if ((op == '*' || op == OP_POW) && !template_is_operand(c->operand))
		f->starred = true;
}

static void take_separator(struct check *c, uint8_t op)
{
	struct frame *f = template_top(c);

	if (op == ',') {
		template_end_part(c);
		f->commas++;
	} else if (f->kind == FRAME_DICT) {
		struct bytes key =
		    f->part_tokens == 1 && f->first.kind == TOKEN_STRING ? f->first.raw : bytes_of(NULL, 0);

		template_end_part(c);
		f->keyword = key;
		f->keyed = true;
	} else {
		f->colons++;
	}
}

static void call_format(struct check *c)
{
	if (c->receiver == OPERAND_STRING && template_format_reaches(c->literal))
		template_found_word(c, RULE_INTROSPECTION, c->literal);
	else if (c->receiver == OPERAND_STRING)
		return;
	else if (c->chain != NAME_NONE)
		format_from(c, c->word);
	else
		template_found_word(c, RULE_INTROSPECTION, c->word);
}

/* Does it leave a part of a text, which may be a name that the whole is not? */
static bool cuts(const struct check *c, enum operand what)
{
	if (what == OPERAND_FILTER) /* with what is to be trimmed */
		return template_word_is(c->word, "trim") && !template_next_is(c, ')');
	return what == OPERAND_FIELD && template_method_cuts(c->word);
}

/* May the list or mapping before the dot have other names? */
static bool is_shared(const struct check *c, uint32_t chain)
{
	const struct template_name *name;

	if (chain == NAME_NONE || (c->receiver != OPERAND_NAME && c->receiver != OPERAND_FIELD))
		return true;
	if (c->uses[chain].name == NAME_NONE)
		return true;
	name = &c->names.names[c->uses[chain].name];
	return name->role == NAME_LOCAL || (name->role == NAME_VARIABLE && name->shared);
}

static void open_bracket(struct check *c, uint8_t op)
{
	const uint8_t *at = c->now.raw.at;
	enum operand before = c->operand;
	uint32_t chain = c->chain, callee = NAME_NONE;
	bool fills_other;

	if (op == '(' && c->params_next) {
		c->params_next = false;
		template_open_frame(c, FRAME_PARAMS, at);
	} else if (op == '(' && template_is_operand(before)) {
		if (before == OPERAND_FIELD && template_word_is(c->word, "format"))
			call_format(c);
		if (before == OPERAND_NAME)
			callee = template_names_get(&c->names, NAME_ARGUMENTS, c->word);
		else if (before == OPERAND_FIELD && method_fills(c->word) && chain != NAME_NONE)
			callee = c->uses[chain].name;
		template_top(c)->part_joins |= cuts(c, before);
		if (before == OPERAND_FIELD)
			template_own_method(c, c->word);
		if (before == OPERAND_NAME && chain != NAME_NONE)
			c->n_uses = chain; /* a function is no part of what it gives */
		fills_other = before == OPERAND_FIELD && method_fills(c->word) && is_shared(c, chain);
		template_open_frame(c, FRAME_CALL, at);
		template_top(c)->callee_name = callee;
		template_top(c)->fills_other = fills_other;
		if (before == OPERAND_NAME)
			template_top(c)->chain = NAME_NONE;
	} else if (op == '[' && template_is_operand(before) && before != OPERAND_TEST) {
		template_open_frame(c, FRAME_KEY, at);
	} else {
		template_open_frame(c, op == '(' ? FRAME_GROUP : op == '[' ? FRAME_LIST : FRAME_DICT, at);
	}
}

static void take_operator(struct check *c, uint8_t op)
{
	switch (op) {
	case '(':
	case '[':
	case '{': open_bracket(c, op); return;
	case ')':
	case ']':
	case '}':
		if (c->n_frames > 1)
			template_close_frame(c);
		return;
	case '.':
		c->receiver = c->operand;
		c->operand = OPERAND_DOT;
		return;
	case '|':
		if (c->operand == OPERAND_NUMBER && c->next.kind == TOKEN_NAME)
			template_top(c)->part_joins = true; /* what a number looks like can be added to text */
		c->operand = OPERAND_PIPE;
		return;
	case ',':
	case ':': take_separator(c, op); break;
	default: take_sign(c, op);
	}
	c->chain = NAME_NONE;
	c->operand = OPERAND_NONE;
	c->op = op;
}

/* A word of a language, not a mark or a tag. */
static bool is_natural(struct bytes raw)
{
	size_t letters = 0;

	for (size_t i = 0; i < raw.n; i++) {
		uint8_t c = raw.at[i];

		if (c >= 0xC0 || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'))
			letters++;
		else if (c < 0x80 && strchr(" -'.?!", c) == NULL)
			return false;
	}
	return letters >= 3;
}

static void take_string(struct check *c, struct bytes raw)
{
	struct frame *f = template_top(c);

	template_literal(c, raw);
	template_prose(c, raw);
	if ((c->op == '+' || c->op == '*') && c->operand == OPERAND_NONE)
		f->part_holds |= HOLDS_COMPOSED;
	c->literal = raw;
	if (c->next.kind == TOKEN_NAME && template_word_is(c->next.raw, "in") && is_natural(raw))
		c->asks_for_word = true;
	f->part_holds |= HOLDS_TEXT;
	if (template_literal_leads_out(raw) || template_format_reaches(raw))
		f->part_holds |= HOLDS_COMPOSED;
	c->chain = NAME_NONE;
	c->operand = OPERAND_STRING;
}

/* Larger than anything a template counts to? */
static bool is_huge(struct bytes raw)
{
	uint64_t v = 0;

	for (size_t i = 0; i < raw.n; i++) {
		uint8_t d = raw.at[i];

		if (d == '_')
			continue;
		if (d < '0' || d > '9') /* another base, or an exponent */
			return raw.n > 6;
		v = v > COUNT_MAX ? v : v * 10 + (d - '0');
	}
	return v > COUNT_MAX;
}

static bool counts(const struct check *c)
{
	for (unsigned i = c->n_frames; i-- > 0;)
		if (c->frames[i].kind == FRAME_CALL)
			return template_word_is(c->frames[i].word, "range") ||
			       template_word_is(c->frames[i].word, "center") ||
			       template_word_is(c->frames[i].word, "ljust") ||
			       template_word_is(c->frames[i].word, "rjust") ||
			       template_word_is(c->frames[i].word, "zfill") ||
			       template_word_is(c->frames[i].word, "indent");
	return false;
}

static void take_number(struct check *c, struct bytes raw)
{
	if (is_huge(raw) && (c->op == '*' || template_next_is(c, '*') || counts(c)))
		template_found_word(c, RULE_DOS, raw);
	c->chain = NAME_NONE;
	c->operand = OPERAND_NUMBER;
}

/* Literals stay in a row over what joins or lists them. */
static bool keeps_row(const struct token *t)
{
	return t->kind == TOKEN_STRING ||
	       (t->kind == TOKEN_OPERATOR && t->op < 128 && strchr("~+,()[]", t->op) != NULL);
}

static bool ends_part(const struct token *t)
{
	return t->kind == TOKEN_OPERATOR && t->op < 128 && strchr(",:)]}", t->op) != NULL;
}

static void take_token(struct check *c)
{
	struct frame *f = template_top(c);

	if (!keeps_row(&c->now))
		template_dunder_reset(&c->search);
	if (!ends_part(&c->now) && f->part_tokens++ == 0)
		f->first = c->now;
	switch (c->now.kind) {
	case TOKEN_NAME: take_name(c, c->now.raw); break;
	case TOKEN_STRING: take_string(c, c->now.raw); break;
	case TOKEN_NUMBER: take_number(c, c->now.raw); break;
	case TOKEN_OPERATOR: take_operator(c, c->now.op); break;
	default: break;
	}
}

bool template_expression(struct check *c, bool stop_at_if)
{
	while (template_step(c)) {
		if (stop_at_if && c->n_frames == 1 && c->now.kind == TOKEN_NAME && template_word_is(c->now.raw, "if")) {
			template_end_part(c);
			return true;
		}
		take_token(c);
	}
	while (c->n_frames > 1)
		template_close_frame(c);
	template_end_part(c);
	return false;
}
