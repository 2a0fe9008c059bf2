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
	found(c->o, rule, (uint64_t)(at - c->text.at), bytes_of(NULL, 0));
}

void template_found_word(struct check *c, enum rule rule, struct bytes word)
{
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

bool template_step(struct check *c)
{
	do {
		c->now = c->next;
		if (c->now.kind != TOKEN_END)
			c->next = template_lexer_next(&c->lexer);
		if (c->now.kind == TOKEN_BAD)
			template_found(c, RULE_UNKNOWN_TAG, c->now.raw.at);
		if (c->now.kind == TOKEN_DEEP && !c->too_deep) {
			c->too_deep = true;
			template_found(c, RULE_DOS, c->now.raw.at);
		}
	} while (c->now.kind == TOKEN_BAD);
	return !c->too_deep && c->now.kind != TOKEN_CLOSE && c->now.kind != TOKEN_END;
}

static void check_blocks(struct check *c)
{
	c->next = template_lexer_next(&c->lexer);
	do {
		template_step(c);
		if (c->now.kind == TOKEN_TEXT)
			template_prose(c, c->now.raw);
		if (c->now.kind == TOKEN_TAG)
			template_statement(c, c->now.raw.at);
		if (c->now.kind == TOKEN_VALUE) {
			template_expression_begin(c, OPERAND_NONE);
			template_expression(c, false);
		}
	} while (c->now.kind != TOKEN_END && !c->too_deep);
	template_end(c);
}

/* Lookups by a value that was put together somewhere. */
static void report_places(struct check *c)
{
	for (uint32_t i = 0; i < c->names.n; i++) {
		const struct template_name *n = &c->names.names[i];

		if (n->role == NAME_PLACE && (n->holds & HOLDS_COMPOSED) != 0)
			template_found(c, RULE_INTROSPECTION, n->place);
	}
}

/* Return: true when everything that flows was followed. */
static bool settle(struct check *c)
{
	if (c->names.out_of_memory || !template_names_settle(&c->names))
		return false;
	if (c->names.full) {
		c->too_deep = true;
		template_found(c, RULE_DOS, c->text.at);
	}
	report_places(c);
	return true;
}

static enum wlk_status check_text(struct check *c)
{
	struct utf8_stream utf8 = { 0 };
	bool settled;

	if (!utf8_stream_feed(&utf8, c->text.at, c->text.n) || !utf8_stream_whole(&utf8)) {
		template_found(c, RULE_HIDDEN_TEXT, c->text.at);
		return WLK_BROKEN;
	}
	check_characters(c);
	template_lexer_init(&c->lexer, c->text);
	template_names_init(&c->names, c->o->arena, c->o->seed);
	check_blocks(c);
	settled = settle(c);
	template_names_done(&c->names);
	arena_release(c->o->arena, c->definitions);
	if (!settled)
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
