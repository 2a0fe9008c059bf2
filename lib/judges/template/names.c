/* The names by which a template reaches attributes: identifiers and string literals.  See template_impl.h. */
#include "template_impl.h"
#include "unicode.h"

/* -- identifiers -- */

static bool ends_with(struct bytes word, const char *end)
{
	size_t n = strlen(end);

	return word.n >= n && memcmp(word.at + (word.n - n), end, n) == 0;
}

static bool is_ascii(struct bytes word)
{
	for (size_t i = 0; i < word.n; i++)
		if (word.at[i] >= 0x80)
			return false;
	return true;
}

/* What Python makes of it: wide letters and lines count as plain ones (NFKC), so a keyword can be spelled with them. */
static struct bytes folded(struct bytes word, char *buf, size_t n)
{
	bool whole;

	return bytes_of(buf, template_literal_decode(word, buf, n, &whole));
}

void template_identifier(struct check *c, struct bytes word)
{
	char buf[DUNDER_WINDOW];
	struct bytes plain = word;
	bool opens, closes;

	if (!c->last) /* as with literals */
		return;
	if (!is_ascii(word))
		plain = folded(word, buf, sizeof(buf));
	opens = bytes_begin_with(plain, "__");
	closes = ends_with(plain, "__");
	if (!is_ascii(word))
		template_found_word(c, RULE_HIDDEN_TEXT, word);
	if (plain.n > 4 && opens && closes)
		template_found_word(c, RULE_DUNDER, word);
	else if (plain.n > 2 && (opens || closes)) /* half of one */
		template_found_word(c, RULE_INTROSPECTION, word);
}

static bool is_own(const struct check *c, struct bytes word)
{
	for (unsigned i = 0; i < c->n_own; i++)
		if (bytes_equal(c->own[i].word, word))
			return true;
	return false;
}

void template_own(struct check *c, struct bytes word)
{
	if (c->last && template_word_danger(word) != DANGER_NONE && c->n_own < OWN_MAX)
		c->own[c->n_own++] = (struct own){ .word = word, .block = c->n_blocks };
}

void template_disown(struct check *c)
{
	while (c->n_own > 0 && c->own[c->n_own - 1].block > c->n_blocks)
		c->n_own--;
}

void template_reference(struct check *c, struct bytes word, bool attribute, bool called)
{
	bool own, found = false;
	enum rule rule = RULE_LADDER;

	if (!c->last)
		return;
	own = !attribute && is_own(c, word);
	if (attribute && word.n > 1 && word.at[0] == '_' && !bytes_begin_with(word, "__"))
		template_found_word(c, RULE_INTROSPECTION, word);
	switch (template_word_danger(word)) {
	case DANGER_NONE: break;
	case DANGER_INTROSPECTION:
		rule = RULE_INTROSPECTION;
		found = true;
		break;
	case DANGER_LADDER: found = !attribute; break;
	case DANGER_LADDER_OWN: found = !attribute && !own; break;
	case DANGER_LADDER_VALUE: found = !attribute && !own && !called; break;
	case DANGER_CODE:
		rule = RULE_CODE;
		found = !own;
		break;
	case DANGER_CODE_CALLED:
		rule = RULE_CODE;
		found = !own && called;
		break;
	}
	if (found)
		template_found_word(c, rule, word);
}

/* -- string literals -- */

static bool is_plain_char(uint32_t c)
{
	return c == '_' || c == '.' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

void template_literal(struct check *c, struct bytes raw)
{
	struct literal l = literal_of(raw);
	struct literal_char now;
	bool special = false, spelled = false, hidden = false;

	if (!c->last) /* it tells, and nothing follows from it */
		return;
	while (template_literal_next(&l, &now)) {
		special |= template_dunder_feed(&c->search, now.c);
		spelled |= now.unknown || (now.spelled && is_plain_char(now.c));
		hidden |= now.spelled && !now.unknown && unicode_is_invisible(now.c);
	}
	if (special)
		template_found_word(c, RULE_DUNDER, raw);
	if (spelled)
		template_found_word(c, RULE_ESCAPE, raw);
	if (hidden)
		template_found_word(c, RULE_HIDDEN_TEXT, raw);
}

static bool leads_out(struct bytes word)
{
	enum danger danger = template_word_danger(word);

	return danger == DANGER_INTROSPECTION || danger == DANGER_CODE;
}

/* What an object has to itself: honest data has no such members. */
static bool is_private(struct bytes name)
{
	return name.n > 1 && name.at[0] == '_';
}

/* Plain letters, small; anything else is as good as a blank. */
static char plain_letter(uint32_t c)
{
	uint32_t plain = template_dunder_fold(c);

	if (plain >= 'A' && plain <= 'Z')
		return (char)(plain | 0x20);
	return plain > ' ' && plain < 0x7F ? (char)plain : ' ';
}

#define WAY_OUT_MAX 32u /* no word that leads out is longer */

/* What trimming and small letters make of it.  Return: bytes of it in @word; *ret_double when two underscores meet. */
static size_t plain_word(struct bytes raw, char *word, bool *ret_double)
{
	struct literal l = literal_of(raw);
	struct literal_char now;
	char before = 0;
	size_t n = 0;

	*ret_double = false;
	while (template_literal_next(&l, &now)) {
		const char one[] = { plain_letter(now.c), 0 }, *letters = template_letters_of(now.c);

		for (letters = letters != NULL ? letters : one; *letters != 0; letters++) {
			*ret_double |= *letters == '_' && before == '_';
			before = *letters;
			if (n < WAY_OUT_MAX && (n > 0 || *letters != ' '))
				word[n++] = *letters;
		}
	}
	while (n > 0 && word[n - 1] == ' ')
		n--;
	return n;
}

bool template_literal_leads_out(struct bytes raw)
{
	char word[WAY_OUT_MAX];
	bool underscores;
	size_t n = plain_word(raw, word, &underscores);

	return underscores || is_private(bytes_of(word, n)) || leads_out(bytes_of(word, n));
}

bool template_literal_is_method(struct bytes raw)
{
	char word[WAY_OUT_MAX];
	bool underscores;

	return template_word_is_method(bytes_of(word, plain_word(raw, word, &underscores)));
}

bool template_literal_is_date(struct bytes raw)
{
	static const char directives[] = "aAbBdHIjmMpSuUVwWyY", between[] = " -/.,:";

	for (size_t i = 0; i < raw.n; i++) {
		uint8_t b = raw.at[i];

		if (b == '%' && ++i < raw.n)
			b = raw.at[i] == '-' && i + 1 < raw.n ? raw.at[++i] : raw.at[i];
		else if (b != 0 && b != '%' && strchr(between, b) != NULL)
			continue;
		else
			return false;
		if (b == 0 || strchr(directives, b) == NULL)
			return false;
	}
	return raw.n > 0;
}

bool template_attribute_leads_out(struct bytes raw)
{
	char buf[DUNDER_WINDOW];
	bool whole;
	size_t n = template_literal_decode(raw, buf, sizeof(buf), &whole), from = 0;

	if (memchr(raw.at, '\\', raw.n) !=
	    NULL) /* a method's name, perhaps: what is called by it is judged as it is written */
		return true;

	for (size_t i = 0; i <= n; i++) {
		struct bytes part = bytes_of(buf + from, i - from);

		if (i < n && buf[i] != '.' && buf[i] != ',') /* sort() takes several names */
			continue;
		if ((part.n > 0 && part.at[0] == '_') || leads_out(part))
			return true;
		from = i + 1;
	}
	return !whole;
}

void template_literal_key(struct check *c, struct bytes raw)
{
	char buf[DUNDER_WINDOW];
	bool whole;
	struct bytes key = bytes_of(buf, template_literal_decode(raw, buf, sizeof(buf), &whole));
	enum danger danger = whole ? template_word_danger(key) : DANGER_NONE;

	if (key.n > 4 && bytes_begin_with(key, "__") && ends_with(key, "__"))
		template_found_word(c, RULE_DUNDER, raw);
	else if (is_private(key))
		template_found_word(c, RULE_INTROSPECTION, raw);
	if (danger == DANGER_INTROSPECTION)
		template_found_word(c, RULE_INTROSPECTION, raw);
	if (danger == DANGER_CODE)
		template_found_word(c, RULE_CODE, raw);
}

/* A format string reaches attributes of what it formats: {0.name}, {0[key]}. */
bool template_format_reaches(struct bytes raw)
{
	struct literal l = literal_of(raw);
	struct literal_char now;
	bool field = false;

	while (template_literal_next(&l, &now)) {
		if (field && (now.c == '.' || now.c == '['))
			return true;
		field = now.c == '{' || (field && now.c != '}' && now.c != ':');
	}
	return false;
}

/* %*d: the width is one of what is formatted. */
static bool takes_width(struct bytes raw)
{
	struct literal l = literal_of(raw);
	struct literal_char now;
	bool directive = false;

	while (template_literal_next(&l, &now)) {
		if (directive && now.c == '*')
			return true;
		directive =
		    now.c == '%' || (directive && now.c < 0x80 && strchr("#0- +.123456789", (int)now.c) != NULL);
		directive = directive && now.c != 0;
	}
	return false;
}

/* Behind the colon of a field, another field is a width, and so are the digits of other scripts (Python, Format String Syntax;
 * unicode_format.h of CPython, get_integer). */
bool template_format_is_wide(struct bytes raw)
{
	struct literal l = literal_of(raw);
	struct literal_char now;
	bool field = false, width = false;

	if (takes_width(raw))
		return true;
	while (template_literal_next(&l, &now)) {
		if (width && (now.c >= 0x80 || now.c == '{'))
			return true;
		width = now.c != '}' && (width || (field && now.c == ':'));
		field = now.c == '{' || (field && now.c != '}' && now.c != ':');
	}
	return false;
}

uint64_t template_format_width(struct bytes raw)
{
	struct literal l = literal_of(raw);
	struct literal_char now;
	uint64_t v = 0, all = 0;

	while (template_literal_next(&l, &now)) {
		bool digit = now.c >= '0' && now.c <= '9';

		all = digit ? all : size_add(all, v);
		v = digit ? size_add(size_mul(v, 10), now.c - '0') : 0;
	}
	return size_add(all, v);
}

bool template_is_natural(struct bytes raw)
{
	size_t letters = 0;

	for (size_t i = 0; i < raw.n; i++) {
		uint8_t c = raw.at[i];

		if (c >= 0xC0 || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z'))
			letters++;
		else if (c < 0x80 && strchr(" -'.?!", c) == NULL)
			return false;
	}
	return letters >= 3;
}

struct trait trait_literal(struct bytes raw)
{
	struct trait v = trait_composed(raw.n);

	v.self = IS_TEXT | IS_WRITTEN;
	if (template_literal_leads_out(raw) || template_format_reaches(raw) || template_format_width(raw) > WIDTH_MAX)
		v.self = v.deep = IS_COMPOSED;
	if (template_literal_is_method(raw))
		v.self |= IS_METHOD;
	if (template_format_is_wide(raw))
		v.self |= IS_WIDE;
	return v;
}

/* Which kinds a name of the template's is, as a text: of an argument, a parameter, a macro. */
uint32_t trait_name(struct bytes word)
{
	return trait_literal(word).self;
}
