/* What filters and methods make of values, and the attributes that filters look up.  See template_impl.h. */
#include "template_impl.h"

/* Each character can become one and all the arguments. */
static struct trait composed_of(struct trait v, const struct arguments *a)
{
	return trait_composed(size_mul(size_add(v.size, 1), size_add(a->all.size, 1)));
}

/* Quotes and backslashes double. */
static struct trait shown(struct trait v, const struct arguments *a)
{
	return trait_composed(size_mul(size_mul(size_add(v.size, 1), 2), size_add(a->all.size, 1)));
}

static uint64_t letters_of(struct bytes raw)
{
	struct literal l = literal_of(raw);
	struct literal_char now;
	uint64_t n = 0;

	while (template_literal_next(&l, &now))
		n++;
	return n;
}

/* By a literal of as many letters, or of a few more: it can stand there as often as it has room. */
static struct trait replaced(struct trait v, const struct arguments *a)
{
	uint64_t from, to;

	if (a->n != 2 || a->starred || !a->of[0].is_literal || !a->of[1].is_literal)
		return composed_of(v, a);
	from = letters_of(a->of[0].literal);
	to = a->of[1].literal.n;
	if (from == 0) /* before and behind each letter */
		return composed_of(v, a);
	if (to <= from)
		return trait_composed(v.size);
	return trait_composed(size_add(size_mul(v.size, to - from) / from, size_add(v.size, 1)));
}

/* What the renderer gives, and nothing else: no piece of it is the template's choice. */
static bool is_foreign(struct trait v)
{
	return v.self == (IS_TEXT | IS_OUTSIDE);
}

/* Its digits: "999" counts to 999.  What the renderer gives is as small a number as it is a text. */
static struct trait number_from(struct trait v, const struct arguments *a)
{
	struct trait n = a->all; /* what it is when the text is no number */
	uint64_t most = v.size;

	if (trait_may_be_text(v) && !is_foreign(v))
		for (uint64_t i = 0, digits = v.size; i < digits && most < SIZE_CAP; i++)
			most = size_mul(most, 10);
	n.size = n.size > most ? n.size : most;
	n.descent = DESCENT_NONE;
	return n;
}

static struct trait parts_of(struct check *c, struct trait v, const struct arguments *a)
{
	struct trait in = template_parts(c, v, false);

	return (struct trait){ .self = IS_COPY,
		.deep = in.self | in.deep | a->all.self | a->all.deep,
		.descent = v.descent,
		.size = size_add(v.size, a->all.size) };
}

/* Lists that grow while they are looped over never end. */
static void check_growth(struct check *c, struct trait v, const uint8_t *at)
{
	const uint16_t kinds = IS_MADE | IS_OUTSIDE;

	for (unsigned i = 0; i < c->n_blocks; i++)
		if (c->blocks[i].tag == TAG_FOR && (c->blocks[i].iterated.self & v.self & kinds) != 0)
			template_found(c, RULE_DOS, at);
	if (c->scope != 0)
		c->macro_fills |= v.self & kinds;
}

/* append() and the like: what is in one list may then be in another, and in that again. */
static struct trait fill(struct check *c, struct trait v, const struct arguments *a, const uint8_t *at)
{
	struct trait before = template_settled(c, v);
	struct trait all = { .self = a->all.self, .deep = a->all.deep, .size = size_add(before.size, a->all.size) };
	bool nested = (a->all.deep & IS_MADE) != 0;

	for (unsigned i = 0; i < a->n; i++)
		nested |= (a->of[i].v.self & IS_MADE) != 0 && !a->of[i].fresh;
	if (nested)
		all.size = size_add(all.size, before.size);
	check_growth(c, v, at);
	template_fill(c, v, all);
	template_bound(c, all, at);
	return trait_number(1);
}

static struct trait fill_keys(struct check *c, struct trait v, const struct arguments *a, const uint8_t *at)
{
	struct arguments keys = *a;
	struct trait got = template_parts(c, v, false);

	for (unsigned i = 0; i < a->n; i++) {
		if (a->of[i].keyword.n > 0)
			keys.all.self |= trait_name(a->of[i].keyword);
		if ((a->of[i].v.self & IS_CALLABLE) != 0)
			template_set_field(c, a->of[i].keyword, a->of[i].v, CELL_NONE);
	}
	if ((a->all.deep & IS_CALLABLE) != 0 || (a->starred && (a->all.self & IS_CALLABLE) != 0))
		template_set_field(c, bytes_of(NULL, 0), (struct trait){ .self = IS_CALLABLE }, CELL_NONE);
	(void)fill(c, v, &keys, at);
	got.self |= a->all.self;
	got.deep |= a->all.deep;
	got.descent = DESCENT_NONE;
	return got;
}

static struct trait format(struct check *c, struct trait v, const struct arguments *a, const uint8_t *at)
{
	if ((v.self & IS_COMPOSED) != 0)
		template_found(c, RULE_INTROSPECTION, at);
	return composed_of(v, a);
}

/* Is there one among them that was not written here? */
static bool has_container(const struct arguments *a)
{
	for (unsigned i = 0; i < a->n; i++)
		if (!a->of[i].fresh && (a->of[i].v.self & (IS_MADE | IS_OUTSIDE | IS_SPACE)) != 0)
			return true;
	return false;
}

/* Only mappings have pairs, and pairs have none. */
static struct trait pairs_of(struct check *c, struct trait v, const struct arguments *a)
{
	v.self &= (uint16_t)~IS_ANY_TEXT;
	v.size = (v.self & IS_MADE) != 0 ? v.size : OUTSIDE_SIZE;
	v.descent = v.descent != DESCENT_NONE ? DESCENT_PART : DESCENT_NONE;
	return parts_of(c, v, a);
}

/* The pieces of a text.  Of what is none, as far as is known until now, there are none. */
static struct trait pieces_of(struct trait v)
{
	uint16_t kinds = is_foreign(v) || v.self == 0 ? v.self : IS_COMPOSED;

	return (struct trait){ .self = IS_COPY, .deep = kinds, .size = size_add(v.size, 1) };
}

struct trait template_effect(
    struct check *c, enum effect effect, struct trait v, const struct arguments *a, const uint8_t *at)
{
	struct trait made = v;

	switch (effect) {
	case EFFECT_NUMBER: return trait_number(OUTSIDE_SIZE);
	case EFFECT_LENGTH: return trait_number(v.size);
	case EFFECT_SAME:
		if (a->n > 0 || a->starred)
			return trait_composed(v.size);
		made.self = (v.self & IS_ANY_TEXT) != 0 ? (v.self & (IS_ANY_TEXT | IS_METHOD | IS_WRITTEN)) : IS_TEXT;
		made.deep = IS_TEXT;
		made.descent = DESCENT_NONE;
		made.size = (v.self & IS_MADE) != 0 ? size_mul(v.size, 2) : v.size;
		return made;
	case EFFECT_PARTS: return parts_of(c, v, a);
	case EFFECT_PAIRS: return pairs_of(c, v, a);
	case EFFECT_REVERSES:
		made = parts_of(c, v, a);
		made.self |= trait_may_be_text(v) ? IS_COMPOSED : 0;
		return made;
	case EFFECT_ONE: return template_parts(c, v, false);
	case EFFECT_GETS:
	case EFFECT_ELSE:
		if (effect == EFFECT_GETS)
			v = template_parts(c, v, true);
		made = trait_join(v, a->all);
		made.descent = a->starred || has_container(a) ? DESCENT_NONE : v.descent;
		return made;
	case EFFECT_ARGUMENTS: made = a->all; return made;
	case EFFECT_SPLITS: return pieces_of(v);
	case EFFECT_SUMS:
		made = trait_join(template_parts(c, v, false), a->all);
		if (trait_may_be_text(made))
			made.self |= IS_COMPOSED;
		made.self |= IS_COPY;
		made.descent = DESCENT_NONE;
		return made;
	case EFFECT_COMPOSES: return composed_of(v, a);
	case EFFECT_SHOWS: return shown(v, a);
	case EFFECT_REPLACES: return replaced(v, a);
	case EFFECT_FORMATS: return format(c, v, a, at);
	case EFFECT_FILLS: return fill(c, v, a, at);
	case EFFECT_FILLS_KEY: return fill_keys(c, v, a, at);
	case EFFECT_PARSES:
		return (struct trait){ .self = IS_ANY_TEXT | IS_COPY, .deep = IS_ANY_TEXT | IS_COPY, .size = v.size };
	case EFFECT_UNKNOWN: break;
	}
	return trait_anything();
}

/* -- what filters look up -- */

/* An attribute's name is written down, or nobody knows what it is.  What is found by it, in one of the parts. */
static struct trait by_attribute(struct check *c, struct trait v, const struct argument *name)
{
	struct bytes raw = name->literal;
	size_t from = 0;

	if (name->is_number)
		return template_parts(c, v, false);
	if (!name->is_literal || template_attribute_leads_out(raw)) {
		template_found(c, RULE_INTROSPECTION, name->literal.at != NULL ? name->literal.at : c->now.raw.at);
		return trait_anything();
	}
	for (size_t i = 0; i <= raw.n; i++)
		if (i == raw.n || raw.at[i] == '.') {
			if (template_word_is(bytes_of(raw.at + from, i - from), "format") &&
			    (v.self & IS_COMPOSED) != 0)
				c->takes_format = raw.at;
			v = template_field(c, v, bytes_of(raw.at + from, i - from), CELL_NONE);
			from = i + 1;
		}
	return v;
}

static bool names_attribute(const struct filter_word *f, const struct argument *a, unsigned position)
{
	if (a->keyword.n > 0)
		return template_word_is(a->keyword, "attribute");
	return (int)position == f->attribute;
}

/* map() calls another filter by its name. */
static struct trait mapped(struct check *c, struct trait v, const struct arguments *a, const uint8_t *at)
{
	struct arguments rest = *a;
	struct trait part = template_parts(c, v, false), made;
	const struct filter_word *f;

	if (a->n > 0 && a->of[0].keyword.n > 0) {
		made = part;
		for (unsigned i = 0; i < a->n; i++)
			made = trait_join(made, names_attribute(&(struct filter_word){ .attribute = -1 }, &a->of[i], i)
						    ? by_attribute(c, part, &a->of[i])
						    : a->of[i].v);
		return trait_container(made);
	}
	f = a->n > 0 && a->of[0].is_literal && !a->starred ? template_word_filter(a->of[0].literal) : NULL;
	if (f == NULL || (f->looks_up && (a->n > 1 || f->attribute <= 0))) {
		template_found(c, RULE_INTROSPECTION, at);
		return trait_anything();
	}
	rest.n = a->n - 1;
	memmove(rest.of, rest.of + 1, rest.n * sizeof(rest.of[0]));
	made = f->effect == EFFECT_NUMBER ? number_from(part, &rest) : template_effect(c, f->effect, part, &rest, at);
	return trait_container(made);
}

static struct trait look_up(
    struct check *c, const struct filter_word *f, struct trait v, const struct arguments *a, const uint8_t *at)
{
	if (a->starred)
		template_found(c, RULE_INTROSPECTION, at);
	if (template_word_is(bytes_of_text(f->word), "map"))
		return mapped(c, v, a, at);
	for (unsigned i = 0; i < a->n; i++)
		if (names_attribute(f, &a->of[i], i)) {
			struct trait found = by_attribute(c, template_parts(c, v, false), &a->of[i]);

			v.deep |= found.self | found.deep; /* groupby's grouper, sum's summands */
		}
	if (f->effect == EFFECT_COMPOSES && a->n == 1 && a->of[0].is_literal && a->of[0].literal.n <= ITEM_SIZE &&
	    !trait_may_be_text(v))
		return trait_composed(v.size); /* join, with what its items have room for */
	return f->effect == EFFECT_COMPOSES ? composed_of(v, a) : template_effect(c, f->effect, v, a, at);
}

static void none(struct arguments *a)
{
	a->n = 0;
	a->all = (struct trait){ .self = 0 };
	a->starred = false;
}

struct trait template_filter(struct check *c, struct trait v)
{
	struct bytes word = c->now.raw;
	const struct filter_word *f = template_word_filter(word);
	struct arguments a;
	struct trait made;

	if (c->now.kind != TOKEN_NAME) {
		template_fail(c);
		return trait_anything();
	}
	template_step(c);
	none(&a);
	if (template_at(c, '.'))
		f = NULL;
	while (template_at(c, '.') && template_step(c))
		template_step(c);
	if (template_at(c, '('))
		template_arguments(c, &a);
	if (template_word_is(word, "attr"))
		template_found_word(c, RULE_INTROSPECTION, word);
	else if (f == NULL)
		template_found_word(c, RULE_UNKNOWN_TAG, word);
	if (f == NULL)
		return trait_anything();
	if (f->looks_up)
		made = look_up(c, f, v, &a, word.at);
	else if (f->effect == EFFECT_NUMBER)
		made = number_from(v, &a);
	else
		made = template_effect(c, f->effect, v, &a, word.at);
	template_bound(c, made, word.at);
	return made;
}
