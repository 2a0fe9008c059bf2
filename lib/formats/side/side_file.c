/* Plain text and scripts: see side_file.h.  Text is read whole before the pass, strictly: UTF-8, no control characters
 * but those that lay text out. */
#include "side_file.h"

#include <string.h>
#include <strings.h>

#include "config_lines.h"
#include "config_rules.h"
#include "keras_yaml.h"
#include "script_words.h"
#include "stream.h"
#include "text_rules.h"
#include "utf16.h"

#define HEAD 64u /* bytes that show what a text begins as */
#define MARK_DONE 4u
#define CARRY 24u                     /* of the last piece: no longer than the longest word looked for */
#define LIST_BYTES_MAX 65536u         /* of prose that may be a list of requirements */
#define TEXT_MAX ((uint64_t)64 << 20) /* formats/others, section 2: configurations */

struct text {
	uint8_t left, low, high; /* continuation bytes to come, and what the next may be */
	bool plain;              /* so far */
	bool legacy;             /* so far, if other encodings count, and whatever a log has for terminals */
	bool calls;              /* words that make it more than text were in it: see words */
	struct script_words script;
	uint8_t head[HEAD]; /* behind a byte order mark and blanks */
	size_t head_n;
	uint8_t mark; /* so many bytes of the mark have come; MARK_DONE: it is over */
	uint8_t carry[2 * CARRY];
	size_t carry_n;
};

/* -- UTF-8 (RFC 3629) -- */

static bool take_first(struct text *t, uint8_t c)
{
	t->low = 0x80;
	t->high = 0xbf;
	if (c < 0x80)
		return (c >= ' ' && c != 0x7f) || c == '\t' || c == '\n' || c == '\r' || c == '\f';
	if (c < 0xc2 || c > 0xf4)
		return false;
	t->left = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
	switch (c) {
	case 0xe0: t->low = 0xa0; break;  /* shorter forms exist */
	case 0xed: t->high = 0x9f; break; /* surrogates */
	case 0xf0: t->low = 0x90; break;
	case 0xf4: t->high = 0x8f; break; /* beyond U+10FFFF */
	default: break;
	}
	return true;
}

static bool take_byte(struct text *t, uint8_t c)
{
	if (t->left == 0)
		return take_first(t, c);
	if (c < t->low || c > t->high)
		return false;
	t->left--;
	t->low = 0x80;
	t->high = 0xbf;
	return true;
}

/* -- words that say it is more than text -- */

/* YAML that makes Python objects or calls what it names (formats/others, Hydra-style configs).  Markup: script_words.h. */
static const char *const words[] = { "!!python", "yaml.org,2002:python", "_target_", "%TAG ", "!!%", "class_name: " };

/* Not as the end of a longer name: set_target_properties. */
static bool has_word(const uint8_t *at, size_t n, const char *word)
{
	size_t length = strlen(word);

	for (const uint8_t *p = at, *end = at + n; p < end; p++) {
		p = memmem(p, (size_t)(end - p), word, length);
		if (p == NULL)
			return false;
		if (p == at || !text_is_name_byte(word[0] == '_' ? p[-1] : 0))
			return true;
	}
	return false;
}

static void note_words(struct text *t, const uint8_t *at, size_t n)
{
	for (size_t i = 0; n > 0 && !t->calls && i < sizeof(words) / sizeof(words[0]); i++)
		t->calls = has_word(at, n, words[i]);
}

/* Across the border of two pieces too. */
static void note_piece(struct text *t, const uint8_t *at, size_t n)
{
	size_t joined = n < CARRY ? n : CARRY;

	memcpy(t->carry + t->carry_n, at, joined);
	note_words(t, t->carry, t->carry_n + joined);
	note_words(t, at, n);
	if (n >= CARRY) {
		memcpy(t->carry, at + (n - CARRY), CARRY);
		t->carry_n = CARRY;
	} else {
		size_t all = t->carry_n + n, kept = all < CARRY ? all : CARRY;

		memmove(t->carry, t->carry + (all - kept), kept);
		t->carry_n = kept;
	}
}

/* -- how it begins -- */

static bool head_is(const struct text *t, const char *text)
{
	size_t n = strlen(text);

	return t->head_n >= n && memcmp(t->head, text, n) == 0;
}

/* The first line of a vocabulary is a sign, alone or with a number: <unk>, </s>, <|endoftext|>.  No document begins with one of
 * these, and no page is told by one. */
static bool begins_vocabulary(const struct text *t)
{
	static const char *const signs[] = { "unk", "pad", "s", "cls", "sep", "mask", "bos", "eos", "sos", "blank",
		"blk", "eps", "start", "unknown", "endoftext" };
	size_t i = 1, n = 0;

	while (i < t->head_n && (t->head[i] == '/' || t->head[i] == '|'))
		i++;
	while (i + n < t->head_n && text_is_name_byte(t->head[i + n]))
		n++;
	for (size_t k = 0; k < sizeof(signs) / sizeof(signs[0]); k++) {
		size_t end = i + n;

		if (n != strlen(signs[k]) || strncasecmp((const char *)t->head + i, signs[k], n) != 0)
			continue;
		end += end < t->head_n && t->head[end] == '|';
		return t->head[0] == '<' && end + 1 < t->head_n && t->head[end] == '>' &&
		       memchr(" \t\r\n", t->head[end + 1], 4) != NULL;
	}
	return false;
}

/* Formats whose text form begins like this: XML, templates; R's data; LightGBM; PDF and PostScript; ncnn; git-lfs;
 * signatures made of letters. */
static bool begins_format(const struct text *t)
{
	static const char *const heads[] = { "<", "{{", "{%", "{#", "A\n", "RDA", "RDX", "tree\n", "%PDF", "%!",
		"7767517", "version https://git-lfs", "CREATE ", "--- !", "CBM1", "ARROW1", "PAR1", "FEA1", "RKNN",
		"BZh", "ZF0x", "Rar!", "binf" };

	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++)
		if (head_is(t, heads[i]))
			return !begins_vocabulary(t) && !text_begins_foreign_brace(bytes_of(t->head, t->head_n));
	return false;
}

static bool is_tag(const struct text *t, size_t n, const char *const *tags)
{
	for (; *tags != NULL; tags++)
		if (n == strlen(*tags) && strncasecmp((const char *)t->head + 1, *tags, n) == 0)
			return true;
	return false;
}

/* A tag that no browser, interpreter or runtime acts on by itself.  @named: its name says that it is text; else what browsers take
 * for a page by its beginning (WHATWG MIME Sniffing, 7.1) is none. */
static bool begins_tag(const struct text *t, bool named)
{
	static const char *const acts[] = { "html", "head", "body", "script", "svg", "iframe", "object", "embed",
		"pmml", "net", NULL };
	static const char *const sniffed[] = { "h1", "div", "font", "table", "a", "style", "title", "b", "br", "p",
		NULL };
	size_t n = 0;

	if (t->head_n < 2 || t->head[0] != '<' || t->head[1] == '!' || t->head[1] == '?' ||
	    (t->head[1] == '/' && !named))
		return false;
	while (1 + n < t->head_n && text_is_name_byte(t->head[1 + n]))
		n++;
	return !is_tag(t, n, acts) && (named || !is_tag(t, n, sniffed));
}

static bool begins_json(const struct text *t)
{
	struct bytes head = bytes_of(t->head, t->head_n);

	return t->head_n > 0 && (t->head[0] == '{' || t->head[0] == '[') && !text_begins_section(head) &&
	       !text_begins_foreign_brace(head);
}

/* -- the text -- */

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f';
}

/* A file of blanks begins as nothing. */
static void note_head(struct text *t, const uint8_t *at, size_t n)
{
	static const uint8_t mark[] = { 0xef, 0xbb, 0xbf };

	for (size_t i = 0; i < n && t->head_n < HEAD; i++) {
		if (t->mark < sizeof(mark) && at[i] == mark[t->mark]) {
			t->mark++;
			continue;
		}
		for (size_t k = 0; t->mark < sizeof(mark) && k < t->mark; k++) /* it was none */
			t->head[t->head_n++] = mark[k];
		t->mark = MARK_DONE;
		if (t->head_n > 0 || !is_blank(at[i]))
			t->head[t->head_n++] = at[i];
	}
}

static uint64_t feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct text *t = ctx;

	note_head(t, at, n);
	for (size_t i = 0; i < n && t->plain; i++)
		t->plain = take_byte(t, at[i]);
	for (size_t i = 0; i < n && t->legacy; i++)
		t->legacy = at[i] != 0;
	note_piece(t, at, n);
	script_words_feed(&t->script, at, n);
	return t->plain || t->legacy ? offset + n : FEED_END;
}

/* @legacy: of other encodings, too. */
static bool read_bytes(const struct stream *s, struct arena *a, bool legacy, struct text *ret)
{
	*ret = (struct text){ .plain = true, .legacy = legacy };
	return s->size != 0 && s->size <= TEXT_MAX &&
	       stream_preview(s, a, (struct feeder){ .feed = feed, .ctx = ret }, NULL) == STREAM_WHOLE;
}

static bool read_text(const struct stream *s, struct arena *a, struct text *ret)
{
	return read_bytes(s, a, false, ret) && ret->plain && ret->left == 0;
}

#define UTF16_MAX ((uint64_t)1 << 20) /* notes and lists of words have kilobytes */

/* The same of text in UTF-16, which is held against the rules as what it spells. */
static bool read_utf16(struct layout *l, const struct stream *s, struct text *ret)
{
	struct bytes text = bytes_of(NULL, 0);
	const uint8_t *at = NULL;

	*ret = (struct text){ .plain = true };
	if (s->codec == CODEC_STORED && s->part.depth == 0 && s->part.size <= UTF16_MAX && s->part.size >= 2)
		at = part_pin(&s->part, 0, (size_t)s->part.size);
	if (at == NULL || !utf16_begins(bytes_of(at, 2)))
		return false;
	layout_raise_memory(l, 2 * s->part.size);
	if (!utf16_decode(bytes_of(at, (size_t)s->part.size), l->arena, &text) || text.at == NULL)
		return false;
	(void)feed(ret, text.at, text.n, 0);
	return ret->plain && ret->left == 0 && !config_lines_are_requirements(text);
}

/* What a file is that says by its name that people read it. */
static bool is_prose(const struct layout *l)
{
	return l->hint == WLK_FORMAT_TEXT || l->hint == WLK_FORMAT_MARKDOWN;
}

/* Neither a name nor an encoding that is known, but a line that names an interpreter: strings of a script may hold what they like. */
static bool is_script(const struct layout *l, const struct text *t)
{
	return l->hint == WLK_FORMAT_UNKNOWN && l->part.depth == 0 && t->legacy && script_words_begins(&t->script);
}

/* Other encodings count where people read it, and where nothing is known but its first line: other files are not read whole for
 * them. */
static bool reads_legacy(const struct layout *l, const struct stream *s)
{
	struct bytes head;

	if (is_prose(l))
		return true;
	return l->hint == WLK_FORMAT_UNKNOWN && l->part.depth == 0 && s->size > 2 &&
	       stream_head(s, l->arena, 2, &head) && head.at[0] == '#' && head.at[1] == '!';
}

/* Markup in strings of a program: no browser opens it. */
static bool is_source(const struct layout *l)
{
	return l->family == CONFIG_SOURCE && l->part.depth == 0;
}

/* Prose may begin as it likes and speak of anything: nobody loads it as a configuration.  A table, a vocabulary or lines of
 * JSON may begin with a bracket, and a corpus with a tag. */
static bool last_resort(struct layout *l, const struct stream *s)
{
	struct text t;

	if (s->size == 0 && s->part.depth == 0)
		return true; /* .gitkeep, py.typed: a repository is full of them */
	if (is_prose(l) && !config_lines_by_name(l->family) && read_utf16(l, s, &t))
		return (!begins_format(&t) || begins_tag(&t, true)) && !t.calls;
	if (!read_bytes(s, l->arena, reads_legacy(l, s), &t))
		return false;
	if ((!t.plain || t.left != 0) && is_script(l, &t))
		return !t.script.markup && !t.calls;
	if (!t.plain || t.left != 0)
		return t.legacy && is_prose(l) && s->part.depth == 0 && !begins_format(&t) &&
		       (l->hint == WLK_FORMAT_MARKDOWN || !t.calls);
	if (l->hint == WLK_FORMAT_MARKDOWN)
		return true;
	if (config_lines_by_name(l->family)) /* which judges the words, too */
		return !begins_format(&t) && !begins_json(&t);
	if (is_prose(l))
		return (!begins_format(&t) || begins_tag(&t, true)) && !t.calls;
	return (!begins_format(&t) || begins_tag(&t, false)) && !begins_json(&t) && !t.calls &&
	       (!t.script.markup || is_source(l));
}

static bool no_probe(const struct probe *p)
{
	(void)p;
	return false;
}

static struct stream all_of(const struct layout *l)
{
	return (
	    struct stream){ .part = l->part, .codec = CODEC_STORED, .size = l->part.size, .size_limit = l->part.size };
}

static bool read_part(struct layout *l, struct text *ret)
{
	const struct stream s = all_of(l);

	return read_text(&s, l->arena, ret);
}

static enum wlk_status describe(struct layout *l, enum wlk_finding code)
{
	struct extent *e = extents_add(l->extents);

	if (e == NULL)
		return layout_stop(l);
	e->end = l->part.size;
	e->kind = EXTENT_METADATA;
	layout_at(l, code, 0);
	return WLK_DONE;
}

/* Settings, and what else is written in lines: by the name, or by how it begins where the name does not say that it is prose. */
static enum wlk_status check_lines(struct layout *l)
{
	bool named = config_lines_by_name(l->family);
	const uint8_t *at;

	if (l->of_set && !named && l->hint == WLK_FORMAT_TEXT && l->part.size > LIST_BYTES_MAX)
		config_lines_note(l, bytes_of(NULL, 0));
	if (!named && (l->hint == WLK_FORMAT_MARKDOWN || (l->hint == WLK_FORMAT_TEXT && l->part.size > LIST_BYTES_MAX)))
		return WLK_DONE;
	if (l->part.size > CONFIG_LINES_BYTES_MAX) {
		if (named)
			layout_at(l, WLK_F_CONFIG_LIMIT, CONFIG_LINES_BYTES_MAX);
		return named ? WLK_BROKEN : WLK_DONE;
	}
	layout_raise_memory(l, 2 * l->part.size); /* texts are decoded once at most */
	source_raise_pin_budget(l->src, l->part.size);
	at = part_pin(&l->part, 0, (size_t)l->part.size);
	if (at != NULL && !named && l->hint == WLK_FORMAT_TEXT && l->of_set)
		config_lines_note(l, bytes_of(at, (size_t)l->part.size));
	if (at != NULL && !named && l->hint == WLK_FORMAT_TEXT &&
	    !config_lines_are_requirements(bytes_of(at, (size_t)l->part.size)))
		return WLK_DONE; /* prose */
	return at != NULL ? config_lines_check(l, bytes_of(at, (size_t)l->part.size)) : layout_stop(l);
}

static enum wlk_status layout_text(struct layout *l)
{
	const struct stream s = all_of(l);
	enum wlk_status status;
	struct text t;

	if (l->part.size == 0)
		return describe(l, WLK_F_FORMAT_SIDE_FILE);
	if (read_utf16(l, &s, &t))
		return describe(l, script_words_begins(&t.script) ? WLK_F_FORMAT_SCRIPT : WLK_F_FORMAT_SIDE_FILE);
	if (!read_bytes(&s, l->arena, reads_legacy(l, &s), &t)) /* it was text a moment ago */
		return layout_stop(l);
	status = check_lines(l);
	if (status != WLK_DONE)
		return status;
	if (is_source(l) && t.script.markup)
		return describe(l, WLK_F_REPO_CODE);
	if (!script_words_begins(&t.script))
		return describe(l, WLK_F_FORMAT_SIDE_FILE);
	return describe(l, l->hint == WLK_FORMAT_UNKNOWN && l->part.depth == 0 ? WLK_F_REPO_CODE : WLK_F_FORMAT_SCRIPT);
}

static enum wlk_status not_text(struct layout *l)
{
	if (l->src->err != SOURCE_OK)
		return layout_stop(l);
	layout_at(l, WLK_F_FORMAT_UNKNOWN, 0);
	return WLK_BROKEN;
}

/* -- YAML -- */

#define YAML_BYTES_MAX ((uint64_t)16 << 20) /* looked at as a whole; configurations have kilobytes */

static bool last_resort_yaml(struct layout *l, const struct stream *s)
{
	struct text t;

	return s->part.depth == 0 && !config_lines_by_name(l->family) && !is_prose(l) && l->hint != WLK_FORMAT_CODE &&
	       read_text(s, l->arena, &t) && t.calls && !t.script.markup && !begins_format(&t) && !begins_json(&t);
}

/* Its name says that it is YAML, or it has words that a loader of YAML acts on. */
static enum wlk_status layout_yaml(struct layout *l)
{
	size_t n = (size_t)l->part.size;
	enum wlk_status status;
	struct text t;
	const uint8_t *at;

	if (l->part.size == 0) /* a document of nothing: every parser's null */
		return describe(l, WLK_F_FORMAT_SIDE_FILE);
	if (!read_part(l, &t))
		return not_text(l);
	if (l->part.size > YAML_BYTES_MAX) {
		layout_at(l, WLK_F_FORMAT_PARTLY_CHECKED, 0);
		return WLK_BROKEN;
	}
	layout_raise_memory(l, l->part.size);
	source_raise_pin_budget(l->src, l->part.size);
	at = part_pin(&l->part, 0, n);
	if (at == NULL)
		return layout_stop(l);
	status = config_judge_yaml(l, bytes_of(at, n), false);
	if (status != WLK_INCOMPLETE && keras_yaml_check(l, bytes_of(at, n)))
		return WLK_BROKEN;
	return status == WLK_DONE ? describe(l, WLK_F_FORMAT_SIDE_FILE) : status;
}

/* Its beginning is text of whatever encoding, with signs for terminals; strings behind it hold what they like: descriptors in PHP. */
static bool begins_plain(const struct text *t)
{
	for (size_t i = 0; i < t->head_n; i++) {
		uint8_t c = t->head[i];

		if ((c < ' ' && (c < '\a' || c > '\r') && c != 0x1b) || c == 0x7f)
			return false;
	}
	return true;
}

/* Its name says that it is source code.  Packages have empty files. */
static enum wlk_status layout_code(struct layout *l)
{
	const struct stream s = all_of(l);
	struct text t;

	if (l->part.size == 0 || (read_bytes(&s, l->arena, true, &t) && t.legacy && begins_plain(&t)) ||
	    read_utf16(l, &s, &t))
		return describe(l, WLK_F_REPO_CODE);
	return not_text(l);
}

const struct wlk_format format_text = {
	.id = WLK_FORMAT_TEXT, .probe = no_probe, .layout = layout_text, .last_resort = last_resort, .side_file = true
};
const struct wlk_format format_yaml = {
	.id = WLK_FORMAT_YAML, .probe = no_probe, .layout = layout_yaml, .last_resort = last_resort_yaml
};
const struct wlk_format format_code = { .id = WLK_FORMAT_CODE, .probe = no_probe, .layout = layout_code };
