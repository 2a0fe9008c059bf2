/* See config_lines.h: what name or content say a text is, and what its readers share. */
#include "config_lines.h"

#include "config_impl.h"
#include "hex.h"

bool config_lines_by_name(enum config_family family)
{
	switch (family) {
	case CONFIG_SPACY:
	case CONFIG_SETTINGS:
	case CONFIG_MODULE_NAME:
	case CONFIG_TYPE_NAME:
	case CONFIG_TOML:
	case CONFIG_GIN:
	case CONFIG_REQUIREMENTS:
	case CONFIG_OLLAMA:
	case CONFIG_ENVIRONMENT:
	case CONFIG_PROMPTY:
	case CONFIG_TRITON: return true;
	default: return false;
	}
}

/* -- bytes -- */

bool config_is_word_byte(uint8_t c)
{
	return c == '_' || c >= 0x80 || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

static bool is_space(uint8_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v';
}

struct bytes config_trim(struct bytes b)
{
	while (b.n > 0 && is_space(b.at[0]))
		b = bytes_of(b.at + 1, b.n - 1);
	while (b.n > 0 && is_space(b.at[b.n - 1]))
		b.n--;
	return b;
}

/* Bytes of the line break here.  Python's str.splitlines() breaks at more characters than files have lines. */
static size_t break_at(struct bytes text, size_t at, bool wide)
{
	const uint8_t *p = text.at + at;
	size_t n = text.n - at;

	if (n > 1 && p[0] == '\r' && p[1] == '\n')
		return 2;
	if (p[0] == '\n' || p[0] == '\r')
		return 1;
	if (!wide)
		return 0;
	if (p[0] == '\f' || p[0] == '\v' || (p[0] >= 0x1c && p[0] <= 0x1e))
		return 1;
	if (n > 1 && p[0] == 0xc2 && p[1] == 0x85)
		return 2;
	return n > 2 && p[0] == 0xe2 && p[1] == 0x80 && (p[2] == 0xa8 || p[2] == 0xa9) ? 3 : 0;
}

struct bytes reader_line(struct config_reader *r, bool wide)
{
	size_t from = r->at, n = 0;
	struct bytes ret;

	while (r->at < r->text.n && (n = break_at(r->text, r->at, wide)) == 0)
		r->at++;
	ret = reader_since(r, from);
	r->at += n;
	return ret;
}

/* -- strings -- */

static bool begins_quotes(const struct config_reader *r, uint8_t quote)
{
	const uint8_t *p = r->text.at + r->at;

	return r->text.n - r->at >= 3 && p[0] == quote && p[1] == quote && p[2] == quote;
}

bool reader_string(struct config_reader *r, bool triple, bool escapes, struct bytes *ret)
{
	uint8_t quote = reader_peek(r);
	size_t from, width;

	triple = triple && begins_quotes(r, quote);
	width = triple ? 3 : 1;
	r->at += width;
	for (from = r->at; r->at < r->text.n; r->at++) {
		uint8_t c = r->text.at[r->at];

		if (c == '\\' && escapes && r->at + 1 < r->text.n) {
			r->at++;
		} else if (c == quote && (!triple || begins_quotes(r, quote))) {
			*ret = reader_since(r, from);
			r->at += width;
			return true;
		} else if ((c == '\n' || c == '\r') && !triple) {
			return false;
		}
	}
	return false;
}

/* Digits of an escape; as many as there are, at most @most. */
static size_t take_digits(struct bytes raw, size_t at, unsigned base, size_t most, uint32_t *ret)
{
	size_t n = 0;

	for (*ret = 0; n < most && at + n < raw.n; n++) {
		int digit = hex_digit(raw.at[at + n]);

		if (digit < 0 || (unsigned)digit >= base)
			break;
		*ret = *ret * base + (unsigned)digit;
	}
	return n;
}

static size_t put_character(uint8_t *to, uint32_t c)
{
	if (c < 0x80) {
		to[0] = (uint8_t)c;
		return 1;
	}
	if (c < 0x800) {
		to[0] = (uint8_t)(0xc0 | c >> 6);
		to[1] = (uint8_t)(0x80 | (c & 0x3f));
		return 2;
	}
	to[0] = 0xef; /* none of these is a letter that a rule asks for: U+FFFD */
	to[1] = 0xbf;
	to[2] = 0xbd;
	return 3;
}

/* The escape behind the backslash at @at, which it never outgrows.  Return: bytes of it, the backslash included. */
static size_t take_escape(struct bytes raw, size_t at, uint8_t *to, size_t *n)
{
	static const char letters[] = "abfnrtve", meant[] = "\a\b\f\n\r\t\v\x1b";
	uint8_t c = at + 1 < raw.n ? raw.at[at + 1] : 0;
	size_t most = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0, digits;
	const char *letter;
	uint32_t value;

	if (c == '\r' || c == '\n')
		return c == '\r' && at + 2 < raw.n && raw.at[at + 2] == '\n' ? 3 : 2;
	digits = most > 0 ? take_digits(raw, at + 2, 16, most, &value) : take_digits(raw, at + 1, 8, 3, &value);
	if (digits > 0) {
		if (most == 0)
			value &= 0xff;
		*n += value < 0x80 ? put_character(to + *n, value) : put_character(to + *n, 0x100);
		return (most > 0 ? 2 : 1) + digits;
	}
	letter = c != 0 ? strchr(letters, c) : NULL;
	to[(*n)++] = letter != NULL ? (uint8_t)meant[letter - letters] : c != 0 ? c : '\\';
	return at + 1 < raw.n ? 2 : 1;
}

struct bytes config_unescape(struct config *c, struct bytes raw)
{
	size_t n = 0;
	uint8_t *to;

	if (raw.n == 0 || memchr(raw.at, '\\', raw.n) == NULL)
		return raw;
	to = arena_alloc(c->l->arena, raw.n, 1);
	if (to == NULL) {
		c->failed = true;
		return bytes_of(NULL, 0);
	}
	for (size_t i = 0; i < raw.n;)
		if (raw.at[i] == '\\')
			i += take_escape(raw, i, to, &n);
		else
			to[n++] = raw.at[i++];
	return bytes_of(to, n);
}

/* -- what it is -- */

/* `word.word = ` or `[word` first, comments and empty lines aside. */
bool config_lines_by_content(struct bytes text)
{
	struct config_reader r = { .text = text };

	while (r.at < text.n) {
		struct bytes line = config_trim(reader_line(&r, false));
		size_t i = 0;

		if (line.n == 0 || line.at[0] == '#' || line.at[0] == ';')
			continue;
		if (line.at[0] == '[')
			return true; /* lists of JSON are read as such before */
		if (config_begins(line, "import ") || config_begins(line, "include "))
			continue; /* gin's; so begin scripts, too, which their names tell */
		while (i < line.n && (config_is_word_byte(line.at[i]) || memchr(".-/", line.at[i], 3) != NULL))
			i++;
		while (i > 0 && i < line.n && (line.at[i] == ' ' || line.at[i] == '\t'))
			i++;
		return i > 0 && i + 1 < line.n && line.at[i] == '=' && line.at[i + 1] != '=';
	}
	return false;
}

static bool begins_as_modelfile(struct bytes text)
{
	struct config_reader r = { .text = text };

	while (r.at < text.n) {
		struct bytes line = config_trim(reader_line(&r, false));

		if (line.n > 0 && line.at[0] != '#')
			return config_begins(line, "FROM ") && !config_holds(text, "\nRUN ") &&
			       !config_holds(text, "\nCOPY ");
	}
	return false;
}

/* mlflow/pytorch/__init__.py, mlflow/tensorflow/__init__.py, _load_model(): all of the file is a name, and imported. */
static void read_module_name(struct config *c, struct bytes text)
{
	config_import_vouched(c, config_trim(text),
	    "=mlflow.pytorch.pickle_module =mlflow.pytorch =pickle =cloudpickle =dill =torch =torch.serialization "
	    "=keras =tf_keras "
	    "=tensorflow.keras =tensorflow.python.keras =tensorflow.python.keras.api._v2.keras =keras.api "
	    "=tensorflow.keras.api =keras.api._v2.keras",
	    bytes_of(NULL, 0), 0);
}

/* gluonts/model/predictor.py, Predictor.deserialize(): pydoc.locate() of the first line.  A word, or prose, says something else. */
static void read_type_name(struct config *c, struct bytes text)
{
	struct config_reader r = { .c = c, .text = text };
	struct bytes name = config_trim(reader_line(&r, false));

	if (config_is_name(name) && memchr(name.at, '.', name.n) != NULL)
		config_import_vouched(c, name, "gluonts.*", bytes_of(NULL, 0), 0);
}

static void read_as(struct config *c, enum config_family family, struct bytes text)
{
	switch (family) {
	case CONFIG_MODULE_NAME: read_module_name(c, text); break;
	case CONFIG_TYPE_NAME: read_type_name(c, text); break;
	case CONFIG_GIN: config_read_gin(c, text); break;
	case CONFIG_REQUIREMENTS: config_read_requirements(c, text); break;
	case CONFIG_OLLAMA: config_read_modelfile(c, text); break;
	case CONFIG_TRITON: config_read_triton(c, text); break;
	case CONFIG_ENVIRONMENT: config_read_environment(c, text); break;
	case CONFIG_PROMPTY: config_read_prompty(c, text); break;
	default:
		if (begins_as_modelfile(text))
			config_read_modelfile(c, text);
		else
			config_read_settings(c, text, family == CONFIG_TOML);
		break;
	}
}

#define LIST_BYTES_MAX 65536u /* as side_file.c asks */

/* Words beside each other, as only prose has them: `numpy >= 1`, `x @ https://...` and `-e git+...` have none. */
static bool is_prose(struct bytes line)
{
	for (size_t i = 1; i + 1 < line.n && line.at[i] != ';' && line.at[i] != '#'; i++)
		if ((line.at[i] == ' ' || line.at[i] == '\t') && line.at[0] != '-' &&
		    config_is_word_byte(line.at[i - 1]) && config_is_word_byte(line.at[i + 1]))
			return true;
	return false;
}

/* A place as only pip's lines say one. */
static bool says_place(struct bytes line)
{
	static const char *const places[] = { "git+", "hg+", "svn+", "bzr+", "--index-url", "--extra-index-url",
		"--trusted-host", "--find-links", "-e git+", "-i http", "-f http" };
	const uint8_t *sign = line.n > 0 ? memmem(line.at, line.n, " @ ", 3) : NULL;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (config_begins(line, places[i]))
			return true;
	return sign != NULL && memmem(sign, (size_t)(line.at + line.n - sign), "://", 3) != NULL;
}

/* Requirements under another name, for `-r` takes any: each line is one, and one at least says a place. */
/* Of a list of packages: what pip takes for a place, or a shell for more than a name. */
bool config_requirement_says_place(struct bytes line)
{
	line = config_trim(line);
	return says_place(line) || config_holds(line, "$(") || config_holds(line, "`") || config_holds(line, "&&") ||
	       (line.n > 0 && memchr(line.at, ';', line.n) != NULL && config_requirement_fault(line) != 0);
}

bool config_lines_are_requirements(struct bytes text)
{
	struct config_reader r = { .text = text };
	bool place = false;

	if (text.n > LIST_BYTES_MAX)
		return false;
	while (r.at < text.n) {
		struct bytes line = config_trim(reader_line(&r, false));

		if (line.n == 0 || line.at[0] == '#')
			continue;
		if (is_prose(line) || (!says_place(line) && config_requirement_fault(line) != 0))
			return false;
		place = place || says_place(line);
	}
	return place;
}

void config_lines_note(struct layout *l, struct bytes text)
{
	struct config_reader r = { .text = text };
	bool found = text.at == NULL;

	while (!found && r.at < text.n) {
		struct bytes line = config_trim(reader_line(&r, true));

		found = line.n > 0 && line.at[0] != '#' && !is_prose(line) && config_requirement_fault(line) != 0;
	}
	if (found && l->of_set)
		report_fact(l->report,
		    &(struct fact){ .id = WLK_FACT_CONFIG_IF_INCLUDED, .value = value_text(bytes_of_text("pip")) });
}

static struct bytes without_mark(struct bytes text)
{
	return config_begins(text, "\xef\xbb\xbf") ? bytes_of(text.at + 3, text.n - 3) : text;
}

enum wlk_status config_lines_check(struct layout *l, struct bytes text)
{
	struct bytes rest = without_mark(text);
	struct config *c;

	bool packages = !config_lines_by_name(l->family) && config_lines_are_requirements(rest);

	if (!config_lines_by_name(l->family) && !packages && !begins_as_modelfile(rest) &&
	    !config_lines_by_content(rest))
		return WLK_DONE;
	c = config_begin(l);
	if (c == NULL)
		return layout_stop(l);
	config_take_templates(c, CONFIG_TEMPLATES_ALL);
	read_as(c, packages ? CONFIG_REQUIREMENTS : l->family, rest);
	return config_end(c);
}
