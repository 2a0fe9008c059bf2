/* gin: bindings of parameters, imports and includes.  Follows gin-config's config_parser.py: Python's tokens; a statement is
 * `import a.b`, `from a.b import c`, `include 'file'`, or `scope/name.parameter = value`.  What is imported runs; `@a.b()` is a
 * registered name, looked up and never imported. */
#include "config_impl.h"
#include "config_lines.h"

/* Over blanks, comments, and - within brackets, or behind a backslash - line ends. */
static void skip_blanks(struct config_reader *r, bool lines)
{
	for (; r->at < r->text.n; r->at++) {
		uint8_t c = r->text.at[r->at], next = r->at + 1 < r->text.n ? r->text.at[r->at + 1] : 0;

		if (c == '#') {
			while (r->at + 1 < r->text.n && r->text.at[r->at + 1] != '\n' && r->text.at[r->at + 1] != '\r')
				r->at++;
		} else if (c == '\\' && (next == '\n' || next == '\r')) {
			r->at += next == '\r' && r->at + 2 < r->text.n && r->text.at[r->at + 2] == '\n' ? 2 : 1;
		} else if (!(c == ' ' || c == '\t' || c == '\f' || (lines && (c == '\n' || c == '\r')))) {
			break;
		}
	}
}

/* Words with what joins them: a.b, scope/a.b. */
static struct bytes take_selector(struct config_reader *r)
{
	size_t from = r->at;

	while (config_is_word_byte(reader_peek(r)) || reader_peek(r) == '.' || reader_peek(r) == '/')
		r->at++;
	return reader_since(r, from);
}

static uint64_t at_of(const struct config_reader *r, struct bytes b)
{
	return (uint64_t)(b.at - r->text.at);
}

static struct bytes last_of(struct bytes name, uint8_t separator)
{
	size_t at = name.n;

	while (at > 0 && name.at[at - 1] != separator)
		at--;
	return bytes_of(name.at + at, name.n - at);
}

/* -- values -- */

/* A registered name is denied only for what it names itself: `test.x` and `code.x` are ordinary words of scopes. */
static void take_reference(struct config_reader *r, struct bytes key)
{
	struct bytes name;

	r->at++;
	name = last_of(take_selector(r), '/');
	if (config_name_is_denied_itself(name))
		config_found(r->c, WLK_F_CONFIG_IMPORT, name, key, at_of(r, name));
}

/* A letter in front of a quote says how it is read; in raw ones backslashes stay. */
static bool is_raw(const struct config_reader *r, size_t quote)
{
	for (size_t i = quote; i > 0 && quote - i < 2 && config_is_word_byte(r->text.at[i - 1]); i--)
		if ((r->text.at[i - 1] | 0x20) == 'r')
			return true;
	return false;
}

static struct bytes take_string(struct config_reader *r)
{
	struct bytes text = { NULL, 0 };
	bool raw = is_raw(r, r->at);

	if (!reader_string(r, true, true, &text))
		return bytes_of(NULL, 0);
	return raw ? text : config_unescape(r->c, text);
}

/* Up to the end of the statement: strings may be names of something, and references are.  No value is longer than its text. */
static void take_value(struct config_reader *r, struct bytes selector)
{
	struct bytes key = last_of(selector, '.');
	unsigned depth = 0;

	for (;;) {
		uint8_t c;
		size_t at;

		skip_blanks(r, depth > 0);
		c = reader_peek(r);
		at = r->at;
		if (r->at >= r->text.n || c == '\n' || c == '\r')
			return;
		if (c == '"' || c == '\'') {
			struct bytes text = take_string(r);

			if (text.n > 0)
				config_value(r->c, CONFIG_TEXT, config_lives(key), config_lives(text), at);
		} else if (c == '@') {
			take_reference(r, selector);
		} else if (config_is_word_byte(c)) {
			(void)take_selector(r);
		} else {
			depth += memchr("([{", c, 3) != NULL;
			depth -= depth > 0 && memchr(")]}", c, 3) != NULL;
			r->at++;
		}
	}
}

/* -- statements -- */

static void take_import(struct config_reader *r)
{
	struct bytes name;

	skip_blanks(r, false);
	name = take_selector(r);
	config_import(r->c, name, bytes_of_text("import"), at_of(r, name));
}

#define JOINED_MAX 512u

/* `from a import b` imports a, and b is a module of it or what it holds. */
static void take_from(struct config_reader *r)
{
	uint8_t joined[JOINED_MAX];
	struct bytes module, name;

	skip_blanks(r, false);
	module = take_selector(r);
	skip_blanks(r, false);
	if (!bytes_equal(take_selector(r), bytes_of_text("import")) || module.n == 0) {
		config_found(r->c, WLK_F_CONFIG_IMPORT_UNLISTED, module, bytes_of_text("from"), r->at);
		return;
	}
	skip_blanks(r, false);
	name = take_selector(r);
	if (bytes_equal(module, bytes_of_text("__gin__"))) /* a switch of gin's own */
		return;
	if (module.n + 1 + name.n > sizeof(joined) || name.n == 0) {
		config_import(r->c, module, bytes_of_text("from"), at_of(r, module));
		return;
	}
	bytes_copy(joined, module);
	joined[module.n] = '.';
	bytes_copy(joined + module.n + 1, name);
	config_import(r->c, bytes_of(joined, module.n + 1 + name.n), bytes_of_text("from"), at_of(r, module));
}

/* What is no string there, gin refuses. */
static void take_include(struct config_reader *r)
{
	size_t at;

	skip_blanks(r, false);
	at = r->at;
	while (config_is_word_byte(reader_peek(r)))
		r->at++;
	if (reader_peek(r) == '"' || reader_peek(r) == '\'')
		config_include(r->c, take_string(r), ".gin", bytes_of_text("include"), at);
}

static void take_statement(struct config_reader *r)
{
	size_t from = r->at;
	struct bytes word = take_selector(r);

	if (bytes_equal(word, bytes_of_text("import")))
		take_import(r);
	else if (bytes_equal(word, bytes_of_text("from")))
		take_from(r);
	else if (bytes_equal(word, bytes_of_text("include")))
		take_include(r);
	take_value(r, word);
	if (r->at == from)
		r->at++;
}

void config_read_gin(struct config *c, struct bytes text)
{
	struct config_reader r = { .c = c, .text = text };

	config_is(c, CONFIG_GIN);
	config_open(c, CONFIG_MAP, config_no_key, 0);
	while (r.at < text.n && !c->failed) {
		skip_blanks(&r, true);
		if (r.at < text.n)
			take_statement(&r);
	}
}
