/* The names by which a template reaches attributes: identifiers, string literals, what filters look up.  See template_impl.h. */
#include "template_impl.h"
#include "unicode.h"

/* -- identifiers -- */

static bool ends_with(struct bytes word, const char *end)
{
	size_t n = strlen(end);

	return word.n >= n && memcmp(word.at + (word.n - n), end, n) == 0;
}

static bool begins_with(struct bytes word, const char *begin)
{
	size_t n = strlen(begin);

	return word.n >= n && memcmp(word.at, begin, n) == 0;
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
	struct bytes plain = is_ascii(word) ? word : folded(word, buf, sizeof(buf));
	bool opens = begins_with(plain, "__"), closes = ends_with(plain, "__");

	if (!is_ascii(word))
		template_found_word(c, RULE_HIDDEN_TEXT, word);
	if (plain.n > 4 && opens && closes)
		template_found_word(c, RULE_DUNDER, word);
	else if (plain.n > 2 && (opens || closes)) /* half of one */
		template_found_word(c, RULE_INTROSPECTION, word);
}

static bool is_called(const struct check *c)
{
	return template_next_is(c, '(');
}

static bool is_own(struct check *c, struct bytes word)
{
	uint32_t name = template_variable(c, word);

	return name != NAME_NONE && c->names.names[name].defined;
}

void template_reference(struct check *c, struct bytes word, bool attribute)
{
	bool own = !attribute && is_own(c, word);

	template_identifier(c, word);
	if (attribute && word.n > 1 && word.at[0] == '_' && !begins_with(word, "__"))
		template_found_word(c, RULE_INTROSPECTION, word);
	switch (template_word_danger(word)) {
	case DANGER_NONE: break;
	case DANGER_INTROSPECTION: template_found_word(c, RULE_INTROSPECTION, word); break;
	case DANGER_LADDER:
		if (!attribute)
			template_found_word(c, RULE_LADDER, word);
		break;
	case DANGER_LADDER_OWN:
		if (!attribute && !own)
			template_found_word(c, RULE_LADDER, word);
		break;
	case DANGER_LADDER_VALUE:
		if (!attribute && !own && !is_called(c))
			template_found_word(c, RULE_LADDER, word);
		break;
	case DANGER_CODE:
		if (!own)
			template_found_word(c, RULE_CODE, word);
		break;
	case DANGER_CODE_CALLED:
		if (!own && is_called(c))
			template_found_word(c, RULE_CODE, word);
		break;
	}
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

bool template_literal_leads_out(struct bytes raw)
{
	struct literal l = literal_of(raw);
	struct literal_char now;
	char word[WAY_OUT_MAX], before = 0;
	size_t n = 0;

	while (template_literal_next(&l, &now)) {
		char letter = plain_letter(now.c);

		if (letter == '_' && before == '_')
			return true;
		before = letter;
		if (n < sizeof(word) && (n > 0 || letter != ' '))
			word[n++] = letter;
	}
	while (n > 0 && word[n - 1] == ' ')
		n--;
	return is_private(bytes_of(word, n)) || leads_out(bytes_of(word, n));
}

/* Is there an attribute in a name with dots that leads out, or that only insiders reach? */
static bool has_private_part(const char *name, size_t n)
{
	size_t from = 0;

	for (size_t i = 0; i <= n; i++) {
		struct bytes part = bytes_of(name + from, i - from);

		if (i < n && name[i] != '.')
			continue;
		if ((part.n > 0 && part.at[0] == '_') || leads_out(part) || template_word_is(part, "format"))
			return true;
		from = i + 1;
	}
	return false;
}

void template_literal_key(struct check *c, struct bytes raw)
{
	char buf[DUNDER_WINDOW];
	bool whole;
	struct bytes key = bytes_of(buf, template_literal_decode(raw, buf, sizeof(buf), &whole));
	enum danger danger = whole ? template_word_danger(key) : DANGER_NONE;

	if (key.n > 4 && begins_with(key, "__") && ends_with(key, "__"))
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

/* -- what filters look up -- */

/* An attribute's name is written down, or nobody knows what it is. */
static void check_attribute_name(struct check *c, const struct frame *f)
{
	char buf[DUNDER_WINDOW];
	bool whole = true;
	size_t n = f->first.kind == TOKEN_STRING ? template_literal_decode(f->first.raw, buf, sizeof(buf), &whole) : 0;

	if (f->part_tokens == 1 && f->first.kind == TOKEN_NUMBER)
		return;
	if (f->part_tokens != 1 || f->first.kind != TOKEN_STRING || !whole || has_private_part(buf, n))
		template_found(c, RULE_INTROSPECTION, f->first.raw.at);
}

/* map() calls another filter by its name. */
static void check_mapped_filter(struct check *c, const struct frame *f)
{
	static const char *const lookups[] = { "attr", "map", "selectattr", "rejectattr", "groupby" };
	char buf[DUNDER_WINDOW];
	bool whole = false;
	size_t n = f->first.kind == TOKEN_STRING ? template_literal_decode(f->first.raw, buf, sizeof(buf), &whole) : 0;
	const struct filter_word *filter = whole ? template_word_filter(bytes_of(buf, n)) : NULL;
	bool bad = f->part_tokens != 1 || filter == NULL;

	for (size_t i = 0; i < sizeof(lookups) / sizeof(lookups[0]); i++)
		bad |= filter != NULL && strcmp(filter->word, lookups[i]) == 0;
	bad |= filter != NULL && filter->attribute == 0 && c->now.op == ','; /* map('sum', name) */
	if (bad)
		template_found(c, RULE_INTROSPECTION, f->first.raw.at);
	else if (filter->effect == EFFECT_COMPOSES)
		c->frames[c->n_frames - 2].part_holds |= HOLDS_COMPOSED;
}

void template_filter_argument(struct check *c, const struct frame *f)
{
	const struct filter_word *filter = template_word_filter(f->word);

	if (filter == NULL || !filter->looks_up || f->part_tokens == 0)
		return;
	if (f->starred)
		template_found(c, RULE_INTROSPECTION, f->first.raw.at);
	if (f->keyword.n > 0 ? template_word_is(f->keyword, "attribute") : (int)f->commas == filter->attribute)
		check_attribute_name(c, f);
	if (!template_word_is(f->word, "map") || f->keyword.n > 0)
		return;
	if (f->commas == 0)
		check_mapped_filter(c, f);
	if (f->commas > 1 && (f->part_tokens != 1 || f->first.kind == TOKEN_STRING)) /* map('join', ' ', name) */
		check_attribute_name(c, f);
}
