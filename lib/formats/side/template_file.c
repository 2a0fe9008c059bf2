/* Chat templates in files: see template_file.h. */
#include "template_file.h"

#include "checked.h"
#include "json_file.h"
#include "json_header.h"
#include "json_text.h"
#include "stream.h"
#include "lexer.h"
#include "template.h"
#include "text_rules.h"
#include "words.h"

#define UTF8_LONGEST 4u
#define CONFIG_BYTES_MAX ((uint64_t)16 << 20) /* the largest published are 2 MiB, nearly all of it added tokens */

static void found(void *ctx, const struct finding *f)
{
	layout_finding(ctx, f);
}

static enum wlk_status check_by(struct layout *l, struct bytes text, struct template_options o)
{
	enum wlk_status status;

	o.family = TEMPLATE_PLAIN;
	o.seed = l->seed;
	o.arena = l->arena;
	o.ctx = l;
	status = template_check(text, &o);
	return status == WLK_INCOMPLETE ? layout_stop(l) : status;
}

static enum wlk_status check(struct layout *l, struct bytes text, struct bytes subject, uint64_t at, bool decoded)
{
	return check_by(l, text,
	    (struct template_options){ .subject = subject, .origin = at, .decoded = decoded, .finding = found });
}

/* -- templates of something else -- */

/* What is of no harm in a template that no renderer of chats can take: other templates, variables of a web framework, tags
 * and functions of some generator's own, and what it costs to render. */
static void found_in_other(void *ctx, const struct finding *f)
{
	switch (f->code) {
	case WLK_F_TEMPLATE_LOAD:
	case WLK_F_TEMPLATE_LADDER:
	case WLK_F_TEMPLATE_DOS: return;
	case WLK_F_TEMPLATE_UNKNOWN_TAG: /* a word; else it is a block that nobody read */
		if (f->found.kind == VALUE_NONE)
			layout_finding(ctx, f);
		return;
	case WLK_F_TEMPLATE_UNPROVABLE: /* a call; else it is the whole that did not settle */
		if (f->offset == 0)
			layout_finding(ctx, f);
		return;
	default: layout_finding(ctx, f);
	}
}

static bool is_one_of(struct bytes word, const char *const *words)
{
	for (; *words != NULL; words++)
		if (bytes_equal(word, bytes_of_text(*words)))
			return true;
	return false;
}

/* A tag of which the checker reads the word alone. */
static bool is_unread(struct bytes word)
{
	unsigned tag = template_word_tag(word);

	return tag == TAG_LOAD || tag == TAG_NONE;
}

/* What looks something up or calls it; {% include ['a', 'b'] %} is a list. */
static bool reaches(const struct token *t, bool first)
{
	if (t->kind != TOKEN_OPERATOR)
		return false;
	return t->op == '(' || t->op == '|' || t->op == '{' || (t->op == '[' && !first);
}

/* Is it a code generator's or a page's, by its name or because it loads others, and does it speak of nothing that the renderer
 * of a chat gives?  Not under a name that loaders of models look for. */
static bool is_other(const struct layout *l, struct bytes text)
{
	static const char *const loads[] = { "import", "from", "include", "extends", NULL };
	static const char *const chats[] = { "messages", "message", "prompt", "add_generation_prompt", "bos_token",
		"eos_token", "pad_token", "unk_token", "tools", "documents", "conversation", "conversations", "chat",
		"date_string", "enable_thinking", "raise_exception", "strftime_now", NULL };
	bool other = l->family == CONFIG_GENERATOR, tag = false, unread = false, first = false;
	struct lexer x;
	struct token t;

	if (l->family == CONFIG_CHAT_TEMPLATE)
		return false;
	template_lexer_init(&x, text);
	while ((t = template_lexer_next(&x)).kind != TOKEN_END) {
		if (t.kind == TOKEN_BAD || t.kind == TOKEN_DEEP)
			return false;
		if (t.kind == TOKEN_NAME && is_one_of(t.raw, chats))
			return false;
		if (unread && reaches(&t, first))
			return false;
		other |= tag && t.kind == TOKEN_NAME && is_one_of(t.raw, loads);
		first = tag;
		unread = tag ? t.kind == TOKEN_NAME && is_unread(t.raw) : unread && t.kind != TOKEN_CLOSE;
		tag = t.kind == TOKEN_TAG;
	}
	return other;
}

static enum wlk_status describe(struct layout *l)
{
	struct extent *e = extents_add(l->extents);

	if (e == NULL)
		return layout_stop(l);
	e->end = l->part.size;
	e->kind = EXTENT_METADATA;
	return WLK_DONE;
}

/* -- a file of its own -- */

static bool no_probe(const struct probe *p)
{
	(void)p;
	return false;
}

static enum wlk_status check_file(struct layout *l)
{
	struct template_options o = { .subject = bytes_of(NULL, 0), .finding = found };
	size_t n;
	struct bytes text;

	if (l->part.size > TEMPLATE_BYTES_MAX || !size_from_u64(l->part.size, &n))
		return check_by(l, bytes_of(NULL, TEMPLATE_BYTES_MAX + 1), o);
	text = bytes_of(part_pin(&l->part, 0, n), n);
	if (text.at == NULL)
		return layout_stop(l);
	if (is_other(l, text))
		o.finding = found_in_other;
	return check_by(l, text, o);
}

static enum wlk_status layout_template(struct layout *l)
{
	enum wlk_status status = describe(l);

	if (status == WLK_DONE && l->part.size == 0) {
		layout_at(l, WLK_F_FORMAT_UNKNOWN, 0);
		return WLK_BROKEN;
	}
	if (status == WLK_DONE)
		status = check_file(l);
	if (status == WLK_DONE)
		layout_at(l, WLK_F_FORMAT_SIDE_FILE, 0);
	return status;
}

/* Whoever finds it by its name renders all of it, whatever else it may be read as: JSON is a template as well. */
static void misnamed(struct layout *l, enum wlk_format_id content)
{
	size_t n = (size_t)min_u64(l->part.size, TEMPLATE_BYTES_MAX);
	const uint8_t *at = part_pin(&l->part, 0, n);

	(void)content;
	layout_raise_memory(l, TEMPLATE_MEMORY);
	if (at != NULL && n > 0 && utf8_check(bytes_of(at, n)) + UTF8_LONGEST > n) /* the last letter may be cut */
		(void)check_file(l);
}

/* -- under any name -- */

static void found_any(void *ctx, const struct finding *f)
{
	bool *any = ctx;

	(void)f;
	*any = true;
}

/* Blocks in front, behind a byte order mark and blanks: no JSON begins so. */
static bool begins_block(struct bytes text)
{
	size_t i = text_byte_order_mark(text);

	while (i < text.n && json_is_space(text.at[i]))
		i++;
	return text.n - i >= 2 && text.at[i] == '{' &&
	       (text.at[i + 1] == '{' || text.at[i + 1] == '%' || text.at[i + 1] == '#');
}

/* A template that does no harm is one whatever it is called; text that is no template, or more, is told by its name or not known. */
static bool template_last_resort(struct layout *l, const struct stream *s)
{
	struct template_options o = {
		.family = TEMPLATE_PLAIN, .seed = l->seed, .arena = l->arena, .finding = found_any
	};
	size_t head = (size_t)min_u64(s->part.size, PROBE_BYTES);
	bool any = false;
	const uint8_t *at;

	if (s->part.depth > 0 || s->codec != CODEC_STORED || head == 0 || s->part.size > TEMPLATE_BYTES_MAX ||
	    l->hint != WLK_FORMAT_UNKNOWN)
		return false;
	at = part_pin(&s->part, 0, head);
	if (at == NULL || !begins_block(bytes_of(at, head)))
		return false;
	at = part_pin(&s->part, 0, (size_t)s->part.size);
	o.ctx = &any;
	layout_raise_memory(l, TEMPLATE_MEMORY);
	return at != NULL && template_check(bytes_of(at, (size_t)s->part.size), &o) == WLK_DONE && !any;
}

const struct wlk_format format_template = { .id = WLK_FORMAT_TEMPLATE,
	.probe = no_probe,
	.layout = layout_template,
	.last_resort = template_last_resort,
	.misnamed = misnamed };

/* -- a member of a configuration -- */

struct config {
	struct json_header h;
	enum wlk_status status; /* the worst so far */
	struct templates_seen seen;
	bool full;
};

static bool is_word(const struct json_text *t, const char *word)
{
	uint8_t buf[JSON_WORD_MAX];

	return bytes_equal(json_word(t, buf), bytes_of_text(word));
}

/* An object with a member chat_template, as far as the bytes go. */
static bool has_template(struct bytes text, bool *ret_object)
{
	struct json j = { .base = text.at, .p = text.at, .end = text.at + text.n };
	struct json_text key;
	bool more;

	*ret_object = json_peek(&j) == '{';
	if (!*ret_object || utf8_check(text) != text.n)
		return false;
	j.p++;
	for (more = json_any(&j, '}'); more;) {
		if (!json_key(&j, &key))
			return false;
		if (is_word(&key, "chat_template"))
			return true;
		if (!json_skip(&j, 1) || !json_more(&j, '}', &more))
			return false;
	}
	return false;
}

static const uint8_t *pin_whole(struct layout *l, struct bytes *ret)
{
	arena_raise_budget(l->arena, layout_memory(l->lim, l->part.size));
	source_raise_pin_budget(l->src, l->part.size);
	*ret = bytes_of(part_pin(&l->part, 0, (size_t)l->part.size), (size_t)l->part.size);
	return ret->at;
}

/* The member may stand behind anything: the whole text is looked at. */
static bool last_resort(struct layout *l, const struct stream *s)
{
	size_t head = (size_t)min_u64(s->part.size, PROBE_BYTES);
	const uint8_t *at = NULL;
	struct bytes all;
	bool object = false;

	if (s->part.depth == 0 && s->codec == CODEC_STORED && s->part.size <= CONFIG_BYTES_MAX)
		at = part_pin(&s->part, 0, head);
	if (at != NULL)
		(void)has_template(bytes_of(at, head), &object);
	return object && pin_whole(l, &all) != NULL && has_template(all, &object);
}

static bool note(struct config *c, enum wlk_status status)
{
	c->status = status > c->status ? status : c->status;
	return status != WLK_INCOMPLETE;
}

/* Is there room for one more?  If not, the first says so. */
static bool take(struct config *c, struct bytes text, uint64_t at)
{
	if (templates_take(&c->seen, text.n))
		return true;
	if (!c->full)
		layout_at(c->h.l, WLK_F_CONFIG_LIMIT, at);
	c->full = true;
	(void)note(c, WLK_BROKEN);
	return false;
}

static bool check_decoded(struct config *c, struct bytes raw, struct bytes subject, uint64_t at)
{
	uint8_t *text = arena_resize_raw(c->h.l->arena, NULL, raw.n, 1); /* decoding makes nothing longer */
	struct bytes rest = raw;
	bool ok;

	if (text == NULL)
		return note(c, layout_stop(c->h.l));
	ok = note(c, check(c->h.l, bytes_of(text, json_decode(&rest, text, raw.n)), subject, at, true));
	arena_release(c->h.l->arena, text);
	return ok;
}

/* A string that is a template; anything else is stepped over. */
static bool check_string(struct config *c, struct bytes subject, unsigned depth)
{
	struct json *j = &c->h.j;
	struct json_text text;
	uint64_t at;

	if (json_peek(j) != '"')
		return json_skip(j, depth);
	if (!json_read_string(j, &text))
		return false;
	at = header_text_at(&c->h, &text);
	if (!take(c, text.raw, at))
		return true;
	if (text.escaped)
		return check_decoded(c, text.raw, subject, at);
	return note(c, check(c->h.l, text.raw, subject, at, false));
}

/* {"name": ..., "template": ...}, or templates by their names: every string in it is looked at. */
static bool check_strings(struct config *c, struct bytes subject, unsigned depth)
{
	struct json *j = &c->h.j;
	struct json_text key;
	bool more;

	j->p++;
	for (more = json_any(j, '}'); more;)
		if (!json_key(j, &key) || !check_string(c, subject, depth) || !json_more(j, '}', &more))
			return false;
	return true;
}

static bool check_list(struct config *c, struct bytes subject, unsigned depth)
{
	struct json *j = &c->h.j;
	bool more;

	j->p++;
	for (more = json_any(j, ']'); more;) {
		bool ok = json_peek(j) == '{' ? check_strings(c, subject, depth + 1) : check_string(c, subject, depth);

		if (!ok || !json_more(j, ']', &more))
			return false;
	}
	return true;
}

static bool check_member(struct config *c, const struct json_text *key)
{
	if (!is_word(key, "chat_template"))
		return json_skip(&c->h.j, 1);
	switch (json_peek(&c->h.j)) {
	case '[': return check_list(c, key->raw, 2);
	case '{': return check_strings(c, key->raw, 2);
	default: return check_string(c, key->raw, 1);
	}
}

static bool read_members(struct config *c)
{
	struct json *j = &c->h.j;
	struct json_text key;
	bool more;

	json_space(j);
	j->p++;
	for (more = json_any(j, '}'); more;) {
		if (!json_key(j, &key))
			return false;
		if (!check_member(c, &key) || !json_more(j, '}', &more))
			return false;
	}
	return true;
}

/* Whether it is JSON at all, and what else it asks for, says the reader of any other JSON. */
static enum wlk_status read_config(struct layout *l, struct bytes text)
{
	struct config c = { .h = { .j = { .base = text.at, .p = text.at, .end = text.at + text.n }, .l = l } };

	layout_raise_memory(l, TEMPLATE_MEMORY);
	(void)read_members(&c);
	if (c.status != WLK_INCOMPLETE)
		note(&c, json_file_check(l, text));
	return c.status;
}

static enum wlk_status layout_config(struct layout *l)
{
	enum wlk_status status = describe(l);
	struct bytes text;

	if (status != WLK_DONE)
		return status;
	return pin_whole(l, &text) != NULL ? read_config(l, text) : layout_stop(l);
}

const struct wlk_format format_tokenizer_config = {
	.id = WLK_FORMAT_TOKENIZER_CONFIG, .probe = no_probe, .layout = layout_config, .last_resort = last_resort
};
