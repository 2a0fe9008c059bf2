/* Tags and blocks: what the template defines, how deep it loops, what only certain messages bring out.  See template_impl.h. */
#include "template_impl.h"

/* -- what names stand for -- */

uint32_t template_variable(struct check *c, struct bytes word)
{
	uint32_t name = template_names_get(&c->names, NAME_VARIABLE, word);

	return name == NAME_NONE ? name : c->names.names[name].meaning;
}

static void define(struct check *c, uint32_t name, uint32_t meaning)
{
	struct definition *table = c->definitions;

	if (name == NAME_NONE || meaning == NAME_NONE)
		return;
	if (c->n_definitions == c->definition_capacity) {
		uint32_t more = c->definition_capacity == 0 ? 64 : c->definition_capacity * 2;

		if (c->n_definitions == NAMES_MAX) {
			c->names.full = true;
			return;
		}
		table = arena_resize(c->o->arena, table, more, sizeof(*table));
		if (table == NULL) {
			c->names.out_of_memory = true;
			return;
		}
		c->definitions = table;
		c->definition_capacity = more;
	}
	table[c->n_definitions++] = (struct definition){ .name = name,
		.meaning = meaning,
		.before = c->names.names[name].meaning,
		.defined = c->names.names[meaning].defined };
	c->names.names[name].meaning = meaning;
	c->names.names[meaning].defined = true;
}

static void forget_definitions(struct check *c, uint32_t from)
{
	while (c->n_definitions > from) {
		const struct definition *d = &c->definitions[--c->n_definitions];

		c->names.names[d->meaning].defined = d->defined;
		c->names.names[d->name].meaning = d->before;
	}
}

void template_target(struct check *c, struct bytes word, uint32_t name)
{
	if (c->n_targets == TARGETS_MAX) {
		c->names.full = true;
		return;
	}
	c->targets[c->n_targets++] = (struct target){ .word = word, .name = name };
}

/* From here on the targets stand for what was given to them. */
static void define_targets(struct check *c)
{
	for (unsigned i = 0; i < c->n_targets; i++)
		if (c->targets[i].word.n > 0)
			define(c, template_names_get(&c->names, NAME_VARIABLE, c->targets[i].word), c->targets[i].name);
	c->n_targets = 0;
}

/* -- blocks -- */

static bool is_prose_letter(uint8_t b)
{
	return b >= 0xC0 || ((b | 0x20) >= 'a' && (b | 0x20) <= 'z');
}

void template_prose(struct check *c, struct bytes text)
{
	struct block *b = c->n_blocks > 0 ? &c->blocks[c->n_blocks - 1] : NULL;

	for (size_t i = 0; b != NULL && i < text.n && b->letters < UINT32_MAX; i++)
		b->letters += is_prose_letter(text.at[i]);
}

static void push_block(struct check *c, unsigned tag, const uint8_t *at)
{
	unsigned loops = tag == TAG_FOR;

	if (c->n_blocks == BLOCKS_MAX) {
		c->too_deep = true;
		template_found(c, RULE_DOS, at);
		return;
	}
	for (unsigned i = 0; i < c->n_blocks; i++)
		loops += c->blocks[i].tag == TAG_FOR;
	if (tag == TAG_FOR && loops > LOOPS_MAX)
		template_found(c, RULE_DOS, at);
	c->blocks[c->n_blocks++] = (struct block){ .tag = tag, .at = at, .undo = c->n_definitions };
}

/* Text that a word in a message brings out: a sentence of it is an instruction. */
static void end_branch(struct check *c, struct block *b)
{
	if (b->watched && b->letters >= PROSE_LETTERS)
		template_found(c, RULE_HIDDEN_TEXT, b->at);
	if (c->n_blocks > 1)
		c->blocks[c->n_blocks - 2].letters += b->letters;
	b->letters = 0;
	b->watched = false;
}

static void pop_block(struct check *c, unsigned tag, const uint8_t *at)
{
	struct block *b = c->n_blocks > 0 ? &c->blocks[c->n_blocks - 1] : NULL;

	if (b == NULL || b->tag != tag) {
		template_found(c, RULE_UNKNOWN_TAG, at);
		return;
	}
	end_branch(c, b);
	forget_definitions(c, b->undo);
	c->n_blocks--;
}

/* else, elif */
static void next_branch(struct check *c, const uint8_t *at)
{
	struct block *b = c->n_blocks > 0 ? &c->blocks[c->n_blocks - 1] : NULL;

	if (b == NULL || (b->tag != TAG_IF && b->tag != TAG_FOR)) {
		template_found(c, RULE_UNKNOWN_TAG, at);
		return;
	}
	end_branch(c, b);
	forget_definitions(c, b->undo);
	b->at = at;
}

void template_end(struct check *c)
{
	if (c->n_blocks > 0 && !c->too_deep)
		template_found(c, RULE_UNKNOWN_TAG, c->blocks[c->n_blocks - 1].at);
}

/* -- tags -- */

/* The rest of the block as an expression. */
static void expression(struct check *c)
{
	template_expression_begin(c, OPERAND_NONE);
	template_expression(c, false);
}

static void condition(struct check *c)
{
	expression(c);
	if (c->n_blocks > 0) {
		c->blocks[c->n_blocks - 1].watched = c->asks_for_word && c->asks_content;
		c->blocks[c->n_blocks - 1].letters = 0;
	}
}

/* What was read up to here goes to every target. */
static void assign_targets(struct check *c)
{
	struct frame all = c->frames[0];

	all.part_use = all.first_use;
	all.part_holds = all.holds;
	for (unsigned i = 0; i < c->n_targets; i++)
		template_assign(c, &all, c->targets[i].name);
}

static bool next_is_word(const struct check *c, const char *word)
{
	return c->next.kind == TOKEN_NAME && template_word_is(c->next.raw, word);
}

/* a, (b, c): up to `stop`; each a variable of the block's own, or of the template. */
static void read_targets(struct check *c, bool own)
{
	while (!template_next_is(c, '=') && !template_next_is(c, '|') && !next_is_word(c, "in") && template_step(c)) {
		struct bytes word = c->now.raw;

		if (c->now.kind != TOKEN_NAME)
			continue;
		template_identifier(c, word);
		if (template_next_is(c, '.')) { /* set ns.name */
			template_step(c);
			if (!template_step(c))
				return;
			template_identifier(c, c->now.raw);
			template_target(c, bytes_of(NULL, 0), template_names_get(&c->names, NAME_FIELD, c->now.raw));
		} else {
			template_target(c, word,
			    own ? template_names_new(&c->names, NAME_LOCAL, NULL) : template_variable(c, word));
		}
	}
}

static bool at_end(const struct check *c)
{
	return c->now.kind == TOKEN_CLOSE || c->now.kind == TOKEN_END || c->too_deep;
}

static void set(struct check *c, const uint8_t *at)
{
	read_targets(c, false);
	if (template_next_is(c, '=')) {
		template_step(c);
		expression(c);
		assign_targets(c);
		define_targets(c);
		return;
	}
	for (unsigned i = 0; i < c->n_targets; i++) /* {% set name %} ... {% endset %} */
		template_names_hold(&c->names, c->targets[i].name, HOLDS_COMPOSED);
	define_targets(c);
	if (!at_end(c)) {
		template_expression_begin(c, OPERAND_GROUP);
		template_expression(c, false);
	}
	push_block(c, TAG_SET, at);
}

static void loop(struct check *c, const uint8_t *at)
{
	bool filtered = false;

	read_targets(c, true);
	template_target(c, bytes_of_text("loop"), template_names_new(&c->names, NAME_LOCAL, NULL));
	if (next_is_word(c, "in")) {
		template_step(c);
		template_expression_begin(c, OPERAND_NONE);
		filtered = template_expression(c, true);
		assign_targets(c);
	}
	push_block(c, TAG_FOR, at);
	define_targets(c);
	if (filtered || !at_end(c))
		expression(c);
}

static void macro(struct check *c, const uint8_t *at)
{
	uint32_t name = NAME_NONE;

	c->macro = NAME_NONE;
	if (c->next.kind == TOKEN_NAME) {
		template_step(c);
		template_identifier(c, c->now.raw);
		name = template_variable(c, c->now.raw);
		template_names_hold(&c->names, name, /* its .name */
		    template_literal_leads_out(c->now.raw) ? HOLDS_TEXT | HOLDS_COMPOSED : HOLDS_TEXT);
		define(c, template_names_get(&c->names, NAME_VARIABLE, c->now.raw), name);
		c->macro = template_names_get(&c->names, NAME_ARGUMENTS, c->now.raw);
	}
	c->params_next = true;
	expression(c);
	for (unsigned i = 0; i < c->n_targets; i++) /* its .arguments */
		if (template_literal_leads_out(c->targets[i].word))
			template_names_hold(&c->names, name, HOLDS_COMPOSED);
	push_block(c, TAG_MACRO, at);
	define_targets(c);
}

static void call(struct check *c, const uint8_t *at)
{
	c->params_next = template_next_is(c, '(');
	c->macro = template_names_get(&c->names, NAME_ARGUMENTS, bytes_of_text("caller"));
	expression(c);
	push_block(c, TAG_CALL, at);
	define_targets(c);
}

static void with(struct check *c, const uint8_t *at)
{
	c->with = true;
	expression(c);
	c->with = false;
	push_block(c, TAG_WITH, at);
	define_targets(c);
}

static void filter(struct check *c, const uint8_t *at)
{
	template_expression_begin(c, OPERAND_PIPE);
	template_expression(c, false);
	push_block(c, TAG_FILTER, at);
}

static void skip(struct check *c)
{
	if (!at_end(c))
		expression(c);
}

/* What it loads is not here, and its grammar is its own. */
static void load(struct check *c)
{
	template_found_word(c, RULE_LOAD, c->now.raw);
	while (template_step(c))
		;
}

static void statement(struct check *c, unsigned tag, const uint8_t *at)
{
	switch (tag) {
	case TAG_SET: set(c, at); break;
	case TAG_FOR: loop(c, at); break;
	case TAG_IF:
		push_block(c, tag, at);
		condition(c);
		break;
	case TAG_ELIF:
		next_branch(c, at);
		condition(c);
		break;
	case TAG_ELSE:
		next_branch(c, at);
		skip(c);
		break;
	case TAG_MACRO: macro(c, at); break;
	case TAG_CALL: call(c, at); break;
	case TAG_WITH: with(c, at); break;
	case TAG_FILTER: filter(c, at); break;
	case TAG_GENERATION:
		push_block(c, tag, at);
		skip(c);
		break;
	case TAG_LOAD: load(c); break;
	case TAG_NONE:
		template_found_word(c, RULE_UNKNOWN_TAG, c->now.raw);
		skip(c);
		break;
	default:
		if (tag >= TAG_END)
			pop_block(c, tag - TAG_END, at);
		skip(c);
	}
}

void template_statement(struct check *c, const uint8_t *at)
{
	c->n_targets = 0;
	c->params_next = c->with = false;
	if (!template_step(c))
		template_found(c, RULE_UNKNOWN_TAG, at);
	else
		statement(c, c->now.kind == TOKEN_NAME ? template_word_tag(c->now.raw) : TAG_NONE, at);
}
