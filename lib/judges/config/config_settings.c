/* Settings: sections, and keys with values.  TOML 1.0, INI as Python's configparser reads it, and spaCy's, which is INI with values
 * in JSON.  One reader takes what either would: a value that begins with a quote or a bracket is read as one, and where that fails
 * it is a text up to its line's end, and the next line is read as such. */
#include <strings.h>

#include "config_impl.h"
#include "config_lines.h"

#define DEPTH_MAX 64u /* of brackets in a value */
#define RETRY_MAX \
	(UINT64_C(32) << 20) /* bytes that are read twice: a bracket that nothing closes is looked for to the end */
#define PARTS_MAX 16u        /* of a section's or key's name */

struct settings {
	struct config_reader r;
	bool toml;
	uint64_t again;    /* bytes that were read for nothing */
	struct bytes last; /* the key whose value was empty: it may stand on the next line */
	bool log;          /* in a section of which logging.config evaluates entries */
};

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\f' || c == '\v';
}

static void skip_blanks(struct config_reader *r)
{
	while (is_blank(reader_peek(r)))
		r->at++;
}

/* In brackets, over lines and comments too. */
static void skip_lines(struct config_reader *r)
{
	for (; r->at < r->text.n; r->at++) {
		uint8_t c = reader_peek(r);

		if (c == '#')
			while (r->at + 1 < r->text.n && r->text.at[r->at + 1] != '\n')
				r->at++;
		else if (!is_blank(c) && c != '\n' && c != '\r')
			return;
	}
}

/* A backslash escapes in quotes of one kind only. */
static bool take_string(struct settings *s, bool triple, struct bytes *ret)
{
	bool escapes = reader_peek(&s->r) == '"';

	if (!reader_string(&s->r, triple && s->toml, escapes, ret))
		return false;
	if (escapes)
		*ret = config_unescape(s->r.c, *ret);
	return true;
}

/* -- keys -- */

/* Up to what ends a key; words of TOML are divided by dots, and quotes may be around each. */
struct key {
	struct bytes parts[PARTS_MAX];
	unsigned n;
};

static bool ends_bare(uint8_t c)
{
	return c == 0 || is_blank(c) || memchr("=:.\"'[]{}#,\r\n", c, 13) != NULL;
}

static bool take_part(struct settings *s, struct bytes *ret)
{
	struct config_reader *r = &s->r;
	size_t from = r->at;

	if (reader_peek(r) == '"' || reader_peek(r) == '\'')
		return take_string(s, false, ret);
	while (!ends_bare(reader_peek(r)))
		r->at++;
	*ret = reader_since(r, from);
	return ret->n > 0;
}

/* Return: false: this is no key.  More parts than there is room for are one name. */
static bool take_key(struct settings *s, struct key *k)
{
	for (k->n = 0; k->n < PARTS_MAX; s->r.at++) {
		skip_blanks(&s->r);
		if (!take_part(s, &k->parts[k->n]))
			return false;
		k->n++;
		skip_blanks(&s->r);
		if (reader_peek(&s->r) != '.')
			return true;
	}
	return false;
}

static void open_parts(struct config *c, const struct key *k, unsigned n, uint64_t at)
{
	for (unsigned i = 0; i < n; i++)
		config_open(c, CONFIG_MAP, config_lives(k->parts[i]), at);
}

static void close_to(struct config *c, unsigned depth)
{
	while (c->depth > depth)
		config_close(c);
}

/* -- values -- */

static enum config_type type_of(struct bytes word)
{
	if (config_is_word_of(word, "true"))
		return CONFIG_TRUE;
	if (config_is_word_of(word, "false"))
		return CONFIG_FALSE;
	return config_is_word_of(word, "null") ? CONFIG_NULL : CONFIG_TEXT;
}

static void feed(struct settings *s, struct bytes key, enum config_type type, struct bytes text, uint64_t at)
{
	config_value(s->r.c, type, config_lives(key), config_lives(text), at);
}

/* A word in brackets. */
static bool take_word(struct settings *s, struct bytes key)
{
	struct config_reader *r = &s->r;
	size_t from = r->at;

	while (reader_peek(r) != 0 && memchr(",[]{}#\r\n\"'=", reader_peek(r), 11) == NULL)
		r->at++;
	if (r->at == from)
		return false;
	feed(s, key, type_of(config_trim(reader_since(r, from))), config_trim(reader_since(r, from)), from);
	return true;
}

/* An entry of what is open: `key =`, or `key :` as JSON has it, and in a list nothing. */
static bool take_entry_key(struct settings *s, bool map, struct key *k)
{
	*k = (struct key){ .n = 0 };
	if (!map)
		return true;
	if (!take_key(s, k) || (reader_peek(&s->r) != '=' && reader_peek(&s->r) != ':'))
		return false;
	s->r.at++;
	skip_lines(&s->r);
	open_parts(s->r.c, k, k->n - 1, s->r.at);
	return true;
}

struct bracket {
	bool map;
	unsigned depth; /* of the walk, within it */
};

/* A value in brackets, all of it.  False: it is none, or not closed. */
static bool take_brackets(struct settings *s, struct bytes key)
{
	struct config_reader *r = &s->r;
	struct bracket open[DEPTH_MAX];
	unsigned n = 0;
	struct bytes text;
	struct key k = { .parts = { key }, .n = 1 };

	for (;;) {
		struct bytes name = k.n > 0 ? k.parts[k.n - 1] : bytes_of(NULL, 0);
		uint8_t c = reader_peek(r);
		size_t at = r->at;

		if (c == '[' || c == '{') {
			if (n == DEPTH_MAX)
				return false;
			config_open(r->c, c == '{' ? CONFIG_MAP : CONFIG_LIST, config_lives(name), at);
			open[n++] = (struct bracket){ c == '{', r->c->depth };
			r->at++;
		} else if (c == '"' || c == '\'') {
			if (!take_string(s, true, &text))
				return false;
			feed(s, name, CONFIG_TEXT, text, at);
		} else if (!take_word(s, name)) {
			return false;
		}
		for (;;) { /* over commas and what closes */
			skip_lines(r);
			c = reader_peek(r);
			if (n > 0 && c == (open[n - 1].map ? '}' : ']')) {
				close_to(r->c, open[n - 1].depth - 1);
				n--;
			} else if (c != ',') {
				break;
			} else {
				close_to(r->c, open[n - 1].depth);
			}
			r->at++;
			if (n == 0)
				return true;
		}
		if (n == 0 || r->at == r->text.n || r->c->failed)
			return n == 0;
		close_to(r->c, open[n - 1].depth);
		if (!take_entry_key(s, open[n - 1].map, &k))
			return false;
	}
}

/* Behind a value: nothing more, or a comment. */
static bool at_line_end(struct config_reader *r)
{
	skip_blanks(r);
	return r->at == r->text.n || memchr("\r\n#;", reader_peek(r), 4) != NULL;
}

/* The rest of the line; a comment begins behind a blank. */
static struct bytes take_rest(struct settings *s)
{
	struct bytes line = reader_line(&s->r, false);

	for (size_t i = 1; i < line.n; i++)
		if ((line.at[i] == '#' || line.at[i] == ';') && is_blank(line.at[i - 1]))
			return config_trim(bytes_of(line.at, i));
	return config_trim(line);
}

/* All of a value, or nothing of it moved. */
static bool take_quoted(struct settings *s, struct bytes key)
{
	struct config_reader *r = &s->r;
	size_t from = r->at;
	unsigned depth = r->c->depth;
	struct bytes text;
	uint8_t c = reader_peek(r);

	if (s->again >= RETRY_MAX)
		return false;
	if (c == '"' || c == '\'') {
		if (take_string(s, true, &text) && at_line_end(r)) {
			feed(s, key, CONFIG_TEXT, text, from);
			return true;
		}
	} else if (c == '[' || c == '{') {
		if (take_brackets(s, key) && at_line_end(r))
			return true;
	} else {
		return false;
	}
	close_to(r->c, depth);
	s->again += r->at - from;
	r->at = from;
	return false;
}

static void take_value(struct settings *s, struct bytes key)
{
	struct config_reader *r = &s->r;
	uint64_t at;
	struct bytes text;

	skip_blanks(r);
	at = r->at;
	s->last = bytes_of(NULL, 0);
	if (take_quoted(s, key)) {
		(void)reader_line(r, false);
		return;
	}
	text = take_rest(s);
	if (text.n == 0)
		s->last = key;
	feed(s, key, type_of(text), text, at);
}

/* -- lines -- */

/* -- sections of logging.config.fileConfig(): class, args and kwargs are given to eval(), as configparser reads them -- */

static bool begins_log_section(struct bytes rest)
{
	return config_begins(rest, "handler_") || config_begins(rest, "formatter_") || config_begins(rest, "DEFAULT]");
}

/* The key in small letters, as configparser takes it; else nothing. */
static const char *log_key(struct bytes key)
{
	static const char *const keys[] = { "class", "args", "kwargs" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (key.n == strlen(keys[i]) && strncasecmp((const char *)key.at, keys[i], key.n) == 0)
			return keys[i];
	return NULL;
}

static size_t indent_at(struct bytes text, size_t at)
{
	size_t n = at;

	while (n < text.n && is_blank(text.at[n]))
		n++;
	return n - at;
}

/* An entry and the lines that go on with it: those that are further in than its own, and empty ones between them.  It is text
 * whatever it begins with.  False: it is none of these, and nothing moved. */
static bool take_log_entry(struct settings *s, size_t begin)
{
	struct config_reader r = s->r;
	size_t indent = indent_at(r.text, begin), end;
	struct bytes line = reader_line(&r, false), text;
	size_t n = 0;
	const char *key;

	while (n < line.n && line.at[n] != '=' && line.at[n] != ':')
		n++;
	key = n < line.n ? log_key(config_trim(bytes_of(line.at, n))) : NULL;
	if (key == NULL)
		return false;
	for (end = r.at; r.at < r.text.n;) {
		size_t from = r.at, in = indent_at(r.text, from);
		struct bytes next = config_trim(reader_line(&r, false));

		if (next.n > 0 && in <= indent)
			break;
		if (next.n > 0)
			end = r.at;
	}
	text = config_trim(bytes_of(line.at + n + 1, (size_t)(r.text.at + end - (line.at + n + 1))));
	feed(s, bytes_of_text(key), CONFIG_TEXT, text, s->r.at);
	s->r.at = end;
	return true;
}

/* [a.b], [[a]]: the maps that the following keys are in. */
static void take_section(struct settings *s)
{
	struct key k;
	size_t from = s->r.at;

	close_to(s->r.c, 1);
	while (reader_peek(&s->r) == '[')
		s->r.at++;
	s->log = !s->toml && begins_log_section(bytes_of(s->r.text.at + s->r.at, s->r.text.n - s->r.at));
	if (take_key(s, &k))
		open_parts(s->r.c, &k, k.n, from);
	(void)reader_line(&s->r, false);
	s->last = bytes_of(NULL, 0);
}

/* `key = value`, `key: value`; of INI the key may be any text without either sign. */
static void take_statement(struct settings *s)
{
	struct config_reader *r = &s->r;
	size_t from = r->at;
	unsigned depth = r->c->depth;
	struct key k;
	struct bytes line;
	size_t n = 0;

	if (take_key(s, &k) && (reader_peek(r) == '=' || reader_peek(r) == ':')) {
		r->at++;
		open_parts(r->c, &k, k.n - 1, from);
		take_value(s, k.parts[k.n - 1]);
		close_to(r->c, depth);
		return;
	}
	r->at = from;
	line = reader_line(r, false);
	while (n < line.n && line.at[n] != '=' && line.at[n] != ':')
		n++;
	if (n < line.n) {
		r->at = from + n + 1;
		take_value(s, config_trim(bytes_of(line.at, n)));
	} else if (s->last.n > 0) {
		feed(s, s->last, type_of(config_trim(line)), config_trim(line), from);
		s->last = bytes_of(NULL, 0);
	}
}

void config_read_settings(struct config *c, struct bytes text, bool toml)
{
	struct settings s = { .r = { .c = c, .text = text }, .toml = toml };

	config_open(c, CONFIG_MAP, config_no_key, 0);
	while (s.r.at < text.n && !c->failed) {
		size_t begin = s.r.at;
		uint8_t b;

		skip_blanks(&s.r);
		b = reader_peek(&s.r);
		if (b == '[')
			take_section(&s);
		else if (b == '#' || b == ';' || b == '\r' || b == '\n')
			(void)reader_line(&s.r, false);
		else if (!s.log || !take_log_entry(&s, begin))
			take_statement(&s);
	}
	if (s.again >= RETRY_MAX)
		config_found(c, WLK_F_CONFIG_LIMIT, bytes_of(NULL, 0), bytes_of(NULL, 0), text.n);
}
