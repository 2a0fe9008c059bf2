/* What configurations in YAML name: see config_rules.h.  The text is searched, not parsed: a key stands as programs write it,
 * and whatever makes a key or a value otherwise - an anchor, a tag, an alias, an escape, a comment, a block, a broken line - is
 * told, because loaders read through it.  Line breaks are those of YAML 1.1, as PyYAML has them. */
#include "config_rules.h"

struct yaml {
	struct layout *l;
	struct bytes text;
	bool imports; /* so does the loader of it with target and class_path */
	/* Lines of comments: a key in one of them is not followed through all of them again. */
	size_t passed, passed_end;
	bool told;
	size_t parts; /* of names that were looked up */
	bool spent;
};

static const uint8_t *find(struct bytes text, size_t from, const char *word)
{
	return from < text.n ? memmem(text.at + from, text.n - from, word, strlen(word)) : NULL;
}

/* -- characters -- */

static bool is_blank(uint8_t c)
{
	return c == ' ' || c == '\t';
}

static bool is_quote(uint8_t c)
{
	return c == '"' || c == '\'';
}

/* Bytes of the line break here; 0: there is none. */
static size_t break_at(struct bytes text, size_t at)
{
	static const char *const breaks[] = { "\n", "\r", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9" };

	if (at >= text.n || (text.at[at] > '\r' && text.at[at] < 0x80))
		return 0;
	for (size_t i = 0; i < sizeof(breaks) / sizeof(breaks[0]); i++) {
		size_t n = strlen(breaks[i]);

		if (text.n - at >= n && memcmp(text.at + at, breaks[i], n) == 0)
			return n;
	}
	return 0;
}

static bool is_word_byte(uint8_t c)
{
	return c == '_' || c == '.' || c == '-' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static bool is_word_before(struct bytes text, size_t at)
{
	return at > 0 && is_word_byte(text.at[at - 1]);
}

static size_t skip_blanks(struct bytes text, size_t at)
{
	while (at < text.n && is_blank(text.at[at]))
		at++;
	return at;
}

static size_t skip_line(struct bytes text, size_t at)
{
	while (at < text.n && break_at(text, at) == 0)
		at++;
	return at;
}

/* Over what separates: blanks, line breaks, comments. */
static size_t skip_separation(struct yaml *y, size_t at)
{
	size_t from = at;

	while (at < y->text.n) {
		size_t n = break_at(y->text, at);
		bool comment = y->text.at[at] == '#';

		if ((n > 0 || comment) && at >= y->passed && at < y->passed_end)
			at = y->passed_end;
		else if (comment)
			at = skip_line(y->text, at);
		else if (n > 0 || is_blank(y->text.at[at]))
			at += n > 0 ? n : 1;
		else
			break;
	}
	if (at >= y->passed_end) {
		y->passed = from;
		y->passed_end = at;
	}
	return at;
}

/* -- values -- */

struct yaml_value {
	struct bytes text;
	size_t at;
	bool odd; /* it does not stand as it is on the line of its key */
};

static size_t skip_word(struct bytes text, size_t at)
{
	while (at < text.n && text.at[at] > ' ' && break_at(text, at) == 0)
		at++;
	return at;
}

#define PROPERTIES_MAX 3u /* a tag, an anchor, the sign of a block */

/* None of these is part of it. */
static size_t skip_properties(struct yaml *y, size_t at, bool *odd)
{
	size_t plain = skip_blanks(y->text, at);

	at = skip_separation(y, plain);
	for (unsigned i = 0; i < PROPERTIES_MAX && at < y->text.n && memchr("!&|>", y->text.at[at], 4) != NULL; i++)
		at = skip_separation(y, skip_word(y->text, at));
	*odd = at != plain;
	return at;
}

static bool ends_value(struct bytes text, size_t at, uint8_t quote)
{
	uint8_t c = text.at[at];

	return c <= ' ' || break_at(text, at) > 0 || (quote != 0 ? c == quote : memchr("\"',}#", c, 5) != NULL);
}

/* Behind the colon.  What is longer than any name is as long as it has to be, and no name goes on behind a colon. */
static struct yaml_value read_value(struct yaml *y, size_t at)
{
	struct yaml_value v = { .odd = false };
	uint8_t quote = 0;
	size_t end;

	at = skip_properties(y, at, &v.odd);
	if (at < y->text.n && is_quote(y->text.at[at]))
		quote = y->text.at[at++];
	end = at;
	while (end < y->text.n && end - at <= CONFIG_TARGET_MAX && !ends_value(y->text, end, quote))
		if (y->text.at[end++] == ':')
			break;
	v.text = bytes_of(y->text.at + at, end - at);
	v.at = at;
	return v;
}

/* ${name}: no loader of models makes anything of ${{, which build services fill in. */
static bool is_interpolated(struct bytes value)
{
	const uint8_t *at = memmem(value.at, value.n, "${", 2), *end = value.at + value.n;

	while (at != NULL && end - at > 2 && at[2] == '{')
		at = memmem(at + 3, (size_t)(end - at - 3), "${", 2);
	return at != NULL;
}

/* Aliases, interpolations, and words that go on behind an escaped line break: the name is not here. */
static bool is_elsewhere(struct bytes value)
{
	return value.n > 0 && (value.at[0] == '*' || value.at[value.n - 1] == '\\' || is_interpolated(value));
}

/* -- keys -- */

/* The colon behind the key that ends here, or the end of the text.  *ret_odd: something stands between. */
static size_t find_colon(struct yaml *y, size_t at, bool *ret_odd)
{
	size_t plain;

	if (at < y->text.n && is_quote(y->text.at[at]))
		at++;
	plain = skip_blanks(y->text, at);
	at = skip_separation(y, plain);
	*ret_odd = at != plain;
	return at < y->text.n && y->text.at[at] == ':' ? at : y->text.n;
}

#define LINE_MAX_BACK 256u

/* In a comment of its own line, which no scalar holds as it is. */
static bool is_commented(struct bytes text, size_t at)
{
	size_t begin = at, limit = at > LINE_MAX_BACK ? at - LINE_MAX_BACK : 0;

	while (begin > limit && break_at(text, begin - 1) == 0)
		begin--;
	if (begin == limit && limit > 0)
		return false;
	while (begin < at && (is_blank(text.at[begin]) || (text.at[begin] & 0xc0) == 0x80)) /* the rest of a break */
		begin++;
	return begin < at && text.at[begin] == '#';
}

/* What stands in front of a key: the line's beginning, a list's dash, a brace, a comma. */
static bool begins_key(struct bytes text, size_t at)
{
	if (at > 0 && is_quote(text.at[at - 1]))
		at--;
	while (at > 0 && is_blank(text.at[at - 1]))
		at--;
	return at == 0 || memchr("\n\r-{,", text.at[at - 1], 5) != NULL || (at == 3 && text.at[0] == 0xef);
}

#define PARTS_MAX (UINT64_C(1) << 16) /* of names, in all: configurations have hundreds */

/* Each part of a name is looked up with those behind it.  What nobody looks up, nobody has listed. */
static bool affords(struct yaml *y, const struct yaml_value *v)
{
	for (size_t i = 0; i < v->text.n; i++)
		y->parts += v->text.at[i] == '.';
	if (y->parts <= PARTS_MAX)
		return true;
	if (!y->spent)
		layout_at(y->l, WLK_F_CONFIG_TARGET_UNLISTED, v->at);
	y->spent = true;
	return false;
}

static void check_target_key(struct yaml *y, size_t at, size_t end)
{
	struct yaml_value v = { .odd = false };
	bool odd;
	size_t colon = find_colon(y, end, &odd);

	if (colon < y->text.n)
		v = read_value(y, colon + 1);
	else if (y->told || is_word_before(y->text, at) || (end < y->text.n && is_word_byte(y->text.at[end])) ||
		 is_commented(y->text, at))
		return;
	if (!y->told && (colon == y->text.n || odd || v.odd || !begins_key(y->text, at))) {
		layout_at(y->l, WLK_F_CONFIG_TARGET_UNLISTED, at);
		y->told = true;
	}
	if (colon < y->text.n && affords(y, &v))
		config_check_target(y->l, v.text, v.at);
}

/* Keys that only some loaders import. */
static void check_class_key(struct yaml *y, size_t at, size_t end)
{
	struct yaml_value v;
	bool odd;
	size_t colon = find_colon(y, end, &odd);

	if (colon == y->text.n || is_word_before(y->text, at))
		return;
	v = read_value(y, colon + 1);
	if (is_elsewhere(v.text))
		layout_at(y->l, WLK_F_CONFIG_TARGET_UNLISTED, v.at);
	if (!affords(y, &v))
		return;
	if (y->imports)
		config_check_import(y->l, v.text, v.at);
	else
		config_check_class(y->l, v.text, v.at);
}

static void check_keys(struct yaml *y, const char *key, void (*check)(struct yaml *y, size_t at, size_t end))
{
	const uint8_t *found;

	y->passed = y->passed_end = 0;
	for (size_t at = 0; (found = find(y->text, at, key)) != NULL;) {
		at = (size_t)(found - y->text.at);
		check(y, at, at + strlen(key));
		at += strlen(key);
	}
}

/* -- what YAML writes otherwise than it means it -- */

static unsigned hex_value(uint8_t c)
{
	return c >= '0' && c <= '9' ? c - 48u : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 87u : 16u;
}

/* \x, \u and \U of a letter, a digit, an underscore or a dot: nobody has to escape them, and a key or name so written is not
 * found here. */
static bool is_idle_escape(struct bytes text, size_t at)
{
	size_t digits = text.at[at] == 'x' ? 2 : text.at[at] == 'u' ? 4 : text.at[at] == 'U' ? 8 : 0;
	uint64_t c = 0;

	if (digits == 0 || text.n - at <= digits)
		return false;
	for (size_t i = 1; i <= digits; i++) {
		if (hex_value(text.at[at + i]) > 15)
			return false;
		c = c << 4 | hex_value(text.at[at + i]);
	}
	return c < 0x80 && c != '-' && is_word_byte((uint8_t)c);
}

/* Behind a line break that is escaped and the blanks of the next line, if there is one: the two lines are one word. */
static size_t skip_fold(struct bytes text, size_t at)
{
	size_t next = at + 1;

	if (at >= text.n || text.at[at] != '\\' || break_at(text, next) == 0)
		return at;
	while (next < text.n && (break_at(text, next) > 0 || is_blank(text.at[next])))
		next += break_at(text, next) > 0 ? break_at(text, next) : 1;
	return next;
}

/* Does the key stand here with a line broken in it? */
static bool is_folded(struct bytes text, size_t at, const char *key)
{
	bool folded = false;

	for (; *key != '\0'; key++, at++) {
		size_t next = skip_fold(text, at);

		folded = folded || next != at;
		at = next;
		if (at >= text.n || text.at[at] != (uint8_t)*key)
			return false;
	}
	return folded;
}

static void check_folds(struct layout *l, struct bytes text)
{
	static const char *const keys[] = { "_target_", "target", "class_path", "class_name" };

	for (size_t i = 0; i < text.n; i++)
		for (size_t k = 0; text.at[i] != '\\' && k < sizeof(keys) / sizeof(keys[0]); k++)
			if (text.at[i] == (uint8_t)keys[k][0] && is_folded(text, i, keys[k])) {
				layout_at(l, WLK_F_CONFIG_TARGET_UNLISTED, i);
				return;
			}
}

static void check_escapes(struct layout *l, struct bytes text)
{
	for (size_t i = 0; i + 1 < text.n; i++) {
		if (text.at[i] != '\\')
			continue;
		if (is_idle_escape(text, i + 1)) {
			layout_at(l, WLK_F_CONFIG_TARGET_UNLISTED, i);
			return;
		}
		i++; /* it may be a backslash */
	}
}

/* Asked of the last byte of any break; some letters end so too, and no directive stands behind these. */
static bool begins_line(struct bytes text, size_t at)
{
	return at == 0 || memchr("\n\r\x85\xa8\xa9", text.at[at - 1], 5) != NULL;
}

/* Unity's scenes: the directive stands once for many documents, which libyaml does not take. */
static bool is_unity(struct bytes line)
{
	static const char directive[] = "%TAG !u! tag:unity3d.com,2011:";

	return line.n > sizeof(directive) && memcmp(line.at, directive, sizeof(directive) - 1) == 0 &&
	       break_at(line, sizeof(directive) - 1) > 0;
}

/* A directive renames the prefix of tags, and %70 in a tag is a p: either hides a Python tag, and nobody else needs them. */
static bool hides_tag(struct bytes text, size_t *ret)
{
	bool begins = true, tag = false;

	for (size_t i = 0; i < text.n; i++) {
		uint8_t c = text.at[i];
		bool escape =
		    c == '%' && text.n - i > 2 && hex_value(text.at[i + 1]) < 16 && hex_value(text.at[i + 2]) < 16;

		*ret = i;
		if ((tag && escape) || (begins_line(text, i) && text.n - i > 4 && memcmp(text.at + i, "%TAG", 4) == 0 &&
					   !is_unity(bytes_of(text.at + i, text.n - i))))
			return true;
		tag = c > ' ' && c != '"' && c != '\'' && (tag || (begins && c == '!'));
		begins = c <= ' ' || memchr("[{,\x85\xa8\xa9", c, 6) != NULL;
	}
	return false;
}

bool config_is_anchored(struct bytes text, size_t at)
{
	while (at > 0 && (is_blank(text.at[at - 1]) || is_quote(text.at[at - 1])))
		at--;
	for (size_t n = 0; at > 0 && n < 64 && text.at[at - 1] > ' '; n++)
		at--;
	return at < text.n && text.at[at] == '&';
}

/* -- the text -- */

void config_check_yaml(struct layout *l, struct bytes text, bool imports)
{
	static const char *const tags[] = { "!!python", "tag:yaml.org,2002:python" };
	struct yaml y = { .l = l, .text = text, .imports = imports };
	size_t hidden;

	for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		const uint8_t *found = find(text, 0, tags[i]);

		if (found != NULL)
			layout_at(l, WLK_F_YAML_PYTHON_TAG, (uint64_t)(found - text.at));
	}
	if (hides_tag(text, &hidden))
		layout_at(l, WLK_F_YAML_PYTHON_TAG, hidden);
	check_escapes(l, text);
	check_folds(l, text);
	check_keys(&y, "target", check_class_key);
	check_keys(&y, "class_path", check_class_key);
	check_keys(&y, "_target_", check_target_key);
}
