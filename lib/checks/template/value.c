/* What a value is made of: brackets are frames on a stack, and each item, argument and key is a part with what it holds
 * (HOLDS_*) and the names used in it.  When a part ends it goes where it belongs; when a frame closes it is part of what
 * stands around it.  See template_impl.h. */
#include "template_impl.h"

/* -- parts and frames -- */

void template_open_frame(struct check *c, enum frame_kind kind, const uint8_t *at)
{
	c->frames[c->n_frames++] = (struct frame){ .kind = (uint8_t)kind,
		.callee = (uint8_t)c->operand,
		.callee_name = NAME_NONE,
		.chain = c->chain,
		.word = c->word,
		.first_use = c->n_uses,
		.part_use = c->n_uses,
		.at = at };
	c->chain = NAME_NONE;
	c->operand = OPERAND_NONE;
	c->op = 0;
}

void template_expression_begin(struct check *c, enum operand before)
{
	c->n_frames = 0;
	c->n_uses = 0;
	c->chain = NAME_NONE;
	c->asks_for_word = c->asks_content = false;
	template_dunder_reset(&c->search);
	template_open_frame(c, FRAME_TOP, c->now.raw.at);
	c->operand = before;
}

void template_assign(struct check *c, const struct frame *f, uint32_t to)
{
	unsigned holds = f->part_holds;

	if (f->part_joins && (holds & HOLDS_TEXT) != 0)
		holds |= HOLDS_COMPOSED;
	template_names_hold(&c->names, to, holds);
	if (to != NAME_NONE && f->part_use < c->n_uses)
		c->names.names[to].shared = true;
	for (uint32_t i = f->part_use; i < c->n_uses; i++)
		template_names_flow(&c->names, c->uses[i].name, to, c->uses[i].joins || f->part_joins);
}

/* Members under keys that are not written down as such: dict([(key, value)]), {key: value}. */
static bool fills_any_field(const struct frame *f)
{
	if (f->keyword.n > 0)
		return false;
	if (f->kind == FRAME_DICT)
		return f->keyed;
	return f->kind == FRAME_CALL &&
	       (template_word_is(f->word, "dict") || template_word_is(f->word, "namespace") ||
		   template_word_is(f->word, "update") || template_word_is(f->word, "setdefault"));
}

/* An argument, an item, a value: where does it go? */
static void give_part(struct check *c, struct frame *f)
{
	bool field = f->kind == FRAME_DICT ||
		     (f->kind == FRAME_CALL && (f->callee == OPERAND_NAME || f->callee == OPERAND_FIELD));

	if (field && f->keyword.n > 0)
		template_assign(c, f, template_names_get(&c->names, NAME_FIELD, f->keyword));
	if (field && fills_any_field(f))
		template_assign(c, f, template_names_get(&c->names, NAME_FIELD, bytes_of(NULL, 0)));
	if (f->kind == FRAME_CALL && f->callee_name != NAME_NONE)
		template_assign(c, f, f->callee_name);
	if (f->kind == FRAME_CALL && f->fills_other)
		template_assign(c, f, template_filled(c));
	if (f->kind == FRAME_CALL && f->callee != OPERAND_FILTER) /* whatever is called may be a method of something */
		template_assign(c, f, template_names_get(&c->names, NAME_ARGUMENTS, bytes_of(NULL, 0)));
	if (f->kind == FRAME_CALL && f->callee == OPERAND_FILTER)
		template_filter_argument(c, f);
	if ((f->kind == FRAME_PARAMS || f->kind == FRAME_TOP) && f->keyword.n > 0 && c->n_targets > 0)
		template_assign(c, f, c->targets[c->n_targets - 1].name);
	if (f->kind == FRAME_CALL && f->keyword.n > 0 && template_word_is(f->word, "dict"))
		f->holds |= HOLDS_TEXT; /* its keys are texts */
}

void template_end_part(struct check *c)
{
	struct frame *f = template_top(c);

	give_part(c, f);
	for (uint32_t i = f->part_use; f->part_joins && i < c->n_uses; i++)
		c->uses[i].joins = true;
	f->holds |= f->part_holds;
	if (f->part_joins && (f->part_holds & HOLDS_TEXT) != 0)
		f->holds |= HOLDS_COMPOSED;
	f->part_holds = 0;
	f->part_joins = f->part_operated = false;
	f->part_tokens = 0;
	f->keyed = false;
	f->part_use = c->n_uses;
	f->keyword = bytes_of(NULL, 0);
}

static void drop_uses(struct check *c, const struct frame *f)
{
	c->n_uses = f->first_use;
}

/* Can what is given to it come out of it? */
static bool gives_back(const struct frame *f)
{
	switch (f->callee) {
	case OPERAND_FILTER: return !template_filter_compares(f->word);
	case OPERAND_FIELD: return template_method_gives_back(f->word);
	case OPERAND_NAME:
		return template_word_is(f->word, "dict") || template_word_is(f->word, "cycler") ||
		       template_word_is(f->word, "joiner");
	default: return false;
	}
}

/* What a function gives: those of the template itself write text, whatever they are called. */
static unsigned function_holds(struct check *c, struct bytes word)
{
	uint32_t name = template_variable(c, word);
	static const char *const plain[] = { "range", "namespace", "dict", "raise_exception", "joiner", "cycler" };

	if (name == NAME_NONE || c->names.names[name].defined)
		return HOLDS_COMPOSED;
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (template_word_is(word, plain[i]))
			return 0;
	return HOLDS_COMPOSED;
}

static unsigned call_holds(struct check *c, const struct frame *f)
{
	switch (f->callee) {
	case OPERAND_NAME: return function_holds(c, f->word);
	case OPERAND_FIELD: return template_word_method(f->word) == EFFECT_COMPOSES ? HOLDS_COMPOSED : 0;
	case OPERAND_FILTER:
	case OPERAND_TEST: return 0;
	case OPERAND_KEY_LITERAL: template_found(c, RULE_INTROSPECTION, f->at); return HOLDS_COMPOSED;
	default: return HOLDS_COMPOSED;
	}
}

static void close_call(struct check *c, const struct frame *f)
{
	template_top(c)->part_holds |= (uint8_t)call_holds(c, f);
	if (gives_back(f))
		template_top(c)->part_holds |= f->holds;
	else
		drop_uses(c, f);
	c->chain = f->chain;
	c->operand = f->callee == OPERAND_TEST ? OPERAND_TEST : OPERAND_CALL;
}

/* A part of a value by number: letters can be picked and put together again. */
static void pick(struct check *c, const struct frame *f)
{
	if (f->callee == OPERAND_STRING)
		template_top(c)->part_holds |= HOLDS_COMPOSED;
	else if (f->callee == OPERAND_GROUP || f->callee == OPERAND_CALL)
		template_top(c)->part_holds |= HOLDS_TEXT;
	template_top(c)->part_joins |= f->colons > 0;
}

/* Looked up by what was computed, or by what names hold: those are followed to the end first. */
static void look_up(struct check *c, const struct frame *f)
{
	uint32_t place;

	if ((f->holds & HOLDS_COMPOSED) != 0) {
		template_found(c, RULE_INTROSPECTION, f->at);
		return;
	}
	if (f->first_use == c->n_uses)
		return;
	place = template_names_new(&c->names, NAME_PLACE, f->at);
	for (uint32_t i = f->first_use; i < c->n_uses; i++)
		template_names_flow(&c->names, c->uses[i].name, place, c->uses[i].joins);
}

static bool is_content(struct bytes word)
{
	return template_word_is(word, "content") || template_word_is(word, "text") || template_word_is(word, "prompt");
}

void template_use(struct check *c, uint32_t name)
{
	if (c->n_uses == USES_MAX) {
		c->names.full = true;
		return;
	}
	c->chain = c->n_uses;
	c->uses[c->n_uses++] = (struct use){ .name = name };
}

static uint32_t field_of(struct check *c, struct bytes word)
{
	uint32_t field = template_names_get(&c->names, NAME_FIELD, word);

	template_names_flow(&c->names, template_names_get(&c->names, NAME_FIELD, bytes_of(NULL, 0)), field, false);
	return field;
}

uint32_t template_filled(struct check *c)
{
	return template_names_get(&c->names, NAME_ARGUMENTS, bytes_of_text("*")); /* no function's name */
}

/* Of macros, loops and cyclers: text that stands in the template. */
static bool is_of_value(struct bytes word)
{
	static const char *const words[] = { "name", "arguments", "previtem", "nextitem", "current" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (template_word_is(word, words[i]))
			return true;
	return false;
}

/* The chain goes on with an attribute: it is that which the value holds. */
void template_own_method(struct check *c, struct bytes word)
{
	uint32_t chain = c->chain;

	template_use(c, field_of(c, word));
	c->chain = chain;
}

void template_go_on(struct check *c, struct bytes word)
{
	uint32_t field = field_of(c, word);

	c->asks_content |= is_content(word);
	if (c->chain == NAME_NONE || is_of_value(word))
		template_use(c, field);
	else
		c->uses[c->chain].name = field;
}

static void close_key(struct check *c, const struct frame *f, bool literal)
{
	c->chain = f->chain;
	c->operand = OPERAND_KEY;
	if (literal) {
		template_literal_key(c, f->first.raw);
		template_attribute(c, f->first.raw);
		c->operand = OPERAND_KEY_LITERAL;
		return;
	}
	if (f->colons == 0)
		look_up(c, f);
	drop_uses(c, f);
	pick(c, f);
}

void template_close_frame(struct check *c)
{
	bool literal = template_top(c)->part_tokens == 1 && template_top(c)->first.kind == TOKEN_STRING &&
		       template_top(c)->commas == 0;
	struct frame f;

	template_end_part(c);
	f = c->frames[--c->n_frames];
	switch (f.kind) {
	case FRAME_CALL: close_call(c, &f); break;
	case FRAME_KEY: close_key(c, &f, literal); break;
	case FRAME_PARAMS:
		drop_uses(c, &f);
		c->operand = OPERAND_NONE; /* of call: what is called follows */
		break;
	default:
		template_top(c)->part_holds |= f.holds;
		if (f.kind != FRAME_GROUP)
			template_use(c, template_filled(c));
		c->chain = NAME_NONE;
		c->operand = OPERAND_GROUP;
	}
}
