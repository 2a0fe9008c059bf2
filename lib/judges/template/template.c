/* Chat templates: the entry, the text around blocks, and findings.  See template.h. */
#include "template.h"

#include "template_impl.h"
#include "unicode.h"
#include "utf8.h"

#define CODES(family)                                                                                                 \
	{                                                                                                             \
		[RULE_DUNDER] = WLK_F_##family##_DUNDER, [RULE_INTROSPECTION] = WLK_F_##family##_INTROSPECTION,       \
		[RULE_LADDER] = WLK_F_##family##_LADDER, [RULE_CODE] = WLK_F_##family##_CODE,                         \
		[RULE_LOAD] = WLK_F_##family##_LOAD, [RULE_ESCAPE] = WLK_F_##family##_ESCAPE,                         \
		[RULE_DOS] = WLK_F_##family##_DOS, [RULE_LENGTH] = WLK_F_##family##_LENGTH,                           \
		[RULE_UNKNOWN_TAG] = WLK_F_##family##_UNKNOWN_TAG, [RULE_HIDDEN_TEXT] = WLK_F_##family##_HIDDEN_TEXT, \
		[RULE_UNPROVABLE] = WLK_F_##family##_UNPROVABLE,                                                      \
	}

static const enum wlk_finding codes[N_TEMPLATE_FAMILIES][N_RULES] = {
	[TEMPLATE_GGUF] = CODES(GGUF_TEMPLATE),
	[TEMPLATE_PLAIN] = CODES(TEMPLATE),
};

static void found(const struct template_options *o, enum rule rule, uint64_t at, struct bytes word)
{
	struct finding f = { .code = codes[o->family][rule],
		.has_offset = true,
		.offset = o->origin + (o->decoded ? 0 : at),
		.subject = o->subject };

	if (word.n > 0)
		f.found = value_text(word);
	o->finding(o->ctx, &f);
}

void template_found(struct check *c, enum rule rule, const uint8_t *at)
{
	c->told |= c->last;
	if (c->last)
		found(c->o, rule, (uint64_t)(at - c->text.at), bytes_of(NULL, 0));
}

void template_found_word(struct check *c, enum rule rule, struct bytes word)
{
	c->told |= c->last;
	if (c->last)
		found(c->o, rule, (uint64_t)(word.at - c->text.at), word);
}

/* -- what people do not see -- */

static bool is_joiner(uint32_t c)
{
	return c == 0x200C || c == 0x200D;
}

/* Joiners belong to emoji and to several scripts, and stand between their characters; among ASCII they only hide. */
static bool is_hidden(uint32_t before, uint32_t c, uint32_t after)
{
	if (is_joiner(c))
		return before < 0x80 || after < 0x80;
	return (unicode_is_control(c) && !unicode_is_layout(c) && c != '\f') || unicode_is_invisible(c) ||
	       unicode_is_idle_selector(c, before);
}

static void check_characters(struct check *c)
{
	const uint8_t *p = c->text.at, *end = p + c->text.n;
	uint32_t before = 0;

	while (p < end) {
		const uint8_t *at = p, *peek;
		uint32_t now = utf8_next(&p);

		peek = p;
		if (is_hidden(before, now, p < end ? utf8_next(&peek) : 0)) {
			template_found(c, RULE_HIDDEN_TEXT, at);
			return; /* one is enough */
		}
		before = now;
	}
}

/* -- blocks -- */

/* Literals stay in a row over what joins or lists them. */
static bool keeps_row(const struct token *t)
{
	return t->kind == TOKEN_STRING ||
	       (t->kind == TOKEN_OPERATOR && t->op < 128 && strchr("~+,()[]", t->op) != NULL);
}

/* Names and literals are looked at wherever they stand, whatever else is made of them. */
static void check_token(struct check *c)
{
	if (!keeps_row(&c->now))
		template_dunder_reset(&c->search);
	if (c->now.kind == TOKEN_NAME)
		template_identifier(c, c->now.raw);
	if (c->now.kind == TOKEN_NAME && c->failed)
		template_reference(c, c->now.raw, c->dotted, template_next_is(c, '('));
	if (c->now.kind == TOKEN_STRING)
		template_literal(c, c->now.raw);
	c->dotted = template_at(c, '.');
}

bool template_step(struct check *c)
{
	do {
		c->now = c->next;
		if (c->now.kind != TOKEN_END)
			c->next = template_lexer_next(&c->lexer);
		if (c->now.kind == TOKEN_BAD)
			template_found(c, RULE_UNKNOWN_TAG, c->now.raw.at);
		if ((c->now.kind == TOKEN_DEEP || c->tokens++ > TOKENS_MAX) && !c->too_deep) {
			c->too_deep = true;
			template_found(c, RULE_DOS, c->now.raw.at);
		}
	} while (c->now.kind == TOKEN_BAD);
	check_token(c);
	return !template_at_end(c);
}

void template_fail(struct check *c)
{
	if (!c->failed && !c->too_deep)
		template_found(c, RULE_UNKNOWN_TAG, c->now.raw.at);
	c->failed = true;
}

void template_expect(struct check *c, uint8_t op)
{
	if (c->failed)
		return;
	if (template_at(c, op))
		template_step(c);
	else
		template_fail(c);
}

static void block(struct check *c)
{
	bool tag = c->now.kind == TOKEN_TAG;
	const uint8_t *at = c->now.raw.at;

	c->failed = false;
	c->nesting = 0;
	template_dunder_reset(&c->search);
	template_step(c);
	if (tag)
		template_statement(c, at);
	else
		template_write(c, template_tuple(c, true, NULL), at);
	if (!template_at_end(c))
		template_fail(c);
	while (!template_at_end(c))
		template_step(c);
}

/* What recursion costs was counted by another measure. */
static void measure_anew(struct check *c)
{
	cells_relearn(&c->cells);
	for (unsigned i = 0; i < c->n_macros; i++) {
		c->macros[i].cost = (struct amount){ 0 };
		c->macros[i].growth = (struct growth){ .turns = 0 };
		c->macros[i].total = 0;
	}
	for (unsigned i = 0; i < N_FLOWS; i++) {
		c->flows[i].v.n = (struct amount){ 0 };
		c->flows[i].growth = (struct growth){ .turns = 0 };
	}
	c->called_work = 0;
	c->measured_at = c->pass;
}

static void read_once(struct check *c)
{
	template_lexer_init(&c->lexer, c->text);
	c->next = template_lexer_next(&c->lexer);
	c->pass++;
	c->making = CELL_NONE;
	c->n_own = c->n_blocks = 0;
	c->scope = 0;
	c->turns = c->written = 1;
	c->work = c->size = c->constants = c->compiled = 0;
	c->large_numbers = 0;
	c->tokens = 0;
	c->costly = NULL;
	c->moved = c->cells.changed = c->cells.grown = false;
	for (uint32_t i = 0; i < c->cells.n; i++)
		c->cells.cells[i].made = 0;
	if (c->measured)
		measure_anew(c);
	c->measured = c->rounds = c->loose = false;
	do {
		template_step(c);
		if (c->now.kind == TOKEN_TEXT) {
			template_prose(c, c->now.raw);
			template_write(c, trait_composed(c->now.raw.n), c->now.raw.at);
		}
		if (c->now.kind == TOKEN_TAG || c->now.kind == TOKEN_VALUE)
			block(c);
	} while (c->now.kind != TOKEN_END && !c->too_deep);
	template_end(c);
	template_close_calls(c);
	if (!c->last)
		template_settle(c, template_widens(c));
}

/* Everything that flows was followed when the last pass but one brought no news. */
static void read_all(struct check *c)
{
	unsigned passes = c->text.n > LONG_TEXT ? PASSES_LONG : PASSES;
	bool news = true;

	for (unsigned pass = 0; pass < passes && news && !c->too_deep; pass++) {
		read_once(c);
		news = c->moved || c->cells.changed || (c->cells.grown && !c->cells.all) || pass == 0;
	}
	c->last = true;
	if (c->moved || c->cells.changed || (c->cells.grown && !c->cells.all))
		template_found(c, RULE_UNPROVABLE, c->text.at);
	c->too_deep = false;
	read_once(c);
	template_total(c);
	if (c->takes_format != NULL && c->calls_unknown)
		template_found(c, RULE_INTROSPECTION, c->takes_format);
	if ((c->loops_over & c->macro_fills) != 0)
		template_found(c, RULE_DOS, c->text.at);
	if (c->cells.full) {
		c->too_deep = true;
		template_found(c, RULE_DOS, c->text.at);
	}
}

/* What the renderer gives, in one reading. */
struct outside {
	uint64_t size;
	uint8_t huge;
	bool spares, many, all;
};

static bool read_with(struct check *c, struct outside outside)
{
	bool known;

	cells_init(&c->cells, c->o->arena, c->o->seed);
	c->cells.outside = outside.size;
	c->cells.huge = outside.huge;
	c->spares = outside.spares;
	c->cells.many = outside.many;
	c->cells.all = outside.all;
	c->last = false;
	read_all(c);
	known = !c->cells.out_of_memory;
	cells_done(&c->cells);
	return known;
}

/* Nothing is kept of the reading before, but what macros cost in it. */
static bool read_again(struct check *c, struct outside outside)
{
	const struct template_options *o = c->o;
	struct bytes text = c->text;
	struct amount costs[MACROS_MAX];

	for (unsigned i = 0; i < MACROS_MAX; i++)
		costs[i] = c->macros[i].cost;
	memset(c, 0, sizeof(*c));
	c->o = o;
	c->text = text;
	for (unsigned i = 0; i < MACROS_MAX; i++)
		c->macros[i].spared = costs[i];
	return read_with(c, outside);
}

/* What was found to be harmless with little is read again with much, and with what is long at one place.  Of what was not, nothing
 * more is to be said. */
static bool read_all_sizes(struct check *c)
{
	bool known = read_with(c, (struct outside){ .size = OUTSIDE_SIZE });

	if (known && !c->told && !c->too_deep)
		known = read_again(c, (struct outside){ .size = OUTSIDE_LARGE });
	for (unsigned i = 0; i < HUGE_LEVELS * 2 && known && !c->told && !c->too_deep; i++)
		if (i % 2 != 0 || c->n_macros > 0)
			known = read_again(
			    c, (struct outside){ HUGE_COUNT, (uint8_t)(1u << i / 2), i % 2 == 0, false, false });
	for (unsigned i = 0; i < 2 && known && !c->told && !c->too_deep; i++)
		if (i % 2 != 0 || c->n_macros > 0)
			known = read_again(c, (struct outside){ HUGE_COUNT, UINT8_MAX, i % 2 == 0, false, true });
	for (unsigned i = 0; i < 4 && known && !c->told && !c->too_deep; i++)
		if (i % 2 != 0 || c->n_macros > 0)
			known = read_again(c, (struct outside){ HUGE_COUNT, i < 2 ? 2 : 4, i % 2 == 0, true, false });
	return known;
}

static enum wlk_status check_text(struct check *c)
{
	struct utf8_stream utf8 = { 0 };
	bool known;

	c->last = true;
	if (!utf8_stream_feed(&utf8, c->text.at, c->text.n) || !utf8_stream_whole(&utf8)) {
		template_found(c, RULE_HIDDEN_TEXT, c->text.at);
		return WLK_BROKEN;
	}
	check_characters(c);
	known = read_all_sizes(c);
	if (!known)
		return WLK_INCOMPLETE;
	return c->too_deep ? WLK_BROKEN : WLK_DONE;
}

enum wlk_status template_check(struct bytes text, const struct template_options *o)
{
	struct check *c;
	enum wlk_status status;

	if (text.n > TEMPLATE_BYTES_MAX) {
		found(o, RULE_LENGTH, 0, bytes_of(NULL, 0));
		return WLK_BROKEN;
	}
	if (text.n == 0)
		return WLK_DONE;
	c = arena_resize(o->arena, NULL, 1, sizeof(*c));
	if (c == NULL)
		return WLK_INCOMPLETE;
	c->o = o;
	c->text = text;
	status = check_text(c);
	arena_release(o->arena, c);
	return status;
}
