/* What filters and methods make of values, and the attributes that filters look up.  See template_impl.h. */
#include "template_impl.h"

/* What a text, or what a container looks like, can get: all the arguments beside each character, widths in them too. */
static struct trait composed_of(struct trait v, const struct arguments *a)
{
	uint64_t size = cost_weight(v), more = size_add(a->all.n.size, a->all.n.most);

	return trait_composed(a->n == 0 && !a->starred ? size : size_mul(size_add(size, 1), size_add(more, 1)));
}

static struct trait lengthened(struct trait v, const struct cost *cost)
{
	uint64_t size = cost->factor < 6 ? template_shown_size(v) : cost_weight(v); /* six is for quotes as well */

	return trait_composed(size_mul(size_add(size, 2), cost->factor));
}

/* Between its items; what is an item of a range is written with some digits. */
static struct trait joined(struct trait v, const struct arguments *a)
{
	uint64_t items = size_mul(v.n.count, NUMBER_SIZE);
	uint64_t size = (v.self & IS_MADE) != 0 ? size_add(v.n.size, items) : v.n.size;

	return trait_composed(size_add(size, size_mul(v.n.count, a->all.n.size)));
}

/* x.join(...): this between the items of the other. */
static struct trait joined_by(struct trait v, const struct arguments *a)
{
	uint64_t items = size_most(trait_any(a->all).n.count, 1);

	return trait_composed(size_add(a->all.n.size, size_mul(items, size_add(v.n.size, NUMBER_SIZE))));
}

/* As JSON: what only says how letters are spelled, and in which order keys stand, is not written between the items. */
static struct trait shown(struct trait v, const struct cost *cost, const struct arguments *a)
{
	struct arguments none = { .n = 0 };
	unsigned written = a->starred;

	for (unsigned i = 0; i < a->n; i++)
		if (!template_word_is(a->of[i].keyword, "ensure_ascii") &&
		    !template_word_is(a->of[i].keyword, "sort_keys"))
			written++;
	return composed_of(lengthened(v, cost), written > 0 ? a : &none);
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

/* As often as what is looked for has room in it. */
static struct trait replaced(struct trait v, const struct arguments *a)
{
	uint64_t from, to, size = cost_weight(v);

	if (a->n != 2 || a->starred || !a->of[0].is_literal || a->of[0].keyword.n > 0)
		return composed_of(v, a);
	from = letters_of(a->of[0].literal);
	to = a->of[1].is_literal ? letters_of(a->of[1].literal) : cost_weight(a->of[1].v);
	if (from == 0) /* before and behind each letter */
		return composed_of(v, a);
	return trait_composed(to <= from ? size : size_add(size_mul(size / from + 1, to - from), size));
}

/* What the renderer gives, and nothing else: no piece of it is the template's choice. */
static bool is_foreign(struct trait v)
{
	return (v.self & (uint32_t)~IS_WHOLE) == (IS_TEXT | IS_OUTSIDE);
}

/* A number to another base than ten may have more digits than Python takes otherwise: what is then computed with it is slow. */
static bool is_long_number(const struct effect_word *w, struct trait v, const struct arguments *a)
{
	bool base = a->n > 1 || a->starred || (a->n > 0 && a->of[0].keyword.n > 0);

	return w->effect == EFFECT_READS && base && !is_foreign(v) && v.n.size > DIGITS_MAX;
}

/* Its digits: 99 is the most that two can say, zz to a base of 36; with three, 9e9 can be anything. */
static struct trait number_from(struct trait v, const struct arguments *a)
{
	uint64_t most = cost_largest(v);

	if ((v.self & (IS_COMPOSED | IS_WRITTEN)) != 0 || (trait_may_be_text(v) && (v.self & IS_OUTSIDE) == 0))
		most = size_most(v.self & (uint32_t)~IS_ANY_TEXT ? most : 0, v.n.size > 2 ? NUMBER_LARGE : 1296);
	return (struct trait){ .self = a->all.self,
		.deep = a->all.deep, /* what it is when the text is no number */
		.n = { .size = size_most(a->all.n.size, trait_number(most).n.size),
		    .count = size_most(a->all.n.most, most),
		    .most = a->all.n.most,
		    .items = a->all.n.rows,
		    .rows = a->all.n.rows,
		    .degree = degree_most(v.n.degree, a->all.n.deeper),
		    .deeper = a->all.n.deeper } };
}

/* select() and the like ask for an item when they are asked for one: what is put into @v meanwhile comes out. */
static uint32_t lazy_over(struct trait v)
{
	uint32_t own = (v.self & IS_MADE) != 0 ? IS_LAZY : 0,
		 outside = (v.self & IS_OUTSIDE) != 0 ? IS_LAZY_OUTSIDE : 0;

	return own | outside | (v.self & (IS_LAZY | IS_LAZY_OUTSIDE));
}

static struct trait parts_of(struct check *c, struct trait v, const struct arguments *a)
{
	struct trait in = template_parts(c, v, false);
	bool ranges = (v.self & IS_COPY) != 0 && (v.n.huge & 1) == 0;

	return (struct trait){ .self = IS_COPY | lazy_over(v),
		.deep = in.self | in.deep | a->all.self | a->all.deep,
		.descent = v.descent,
		.n = {
		    .size = size_add(size_add(v.n.size, ranges ? size_mul(v.n.count, NUMBER_SIZE) : 0), a->all.n.size),
		    .count = v.n.count,
		    .most = size_most(in.n.most, a->all.n.most),
		    .items = v.n.count,
		    .rows = size_most(cost_rows(in), a->all.n.rows),
		    .degree = v.n.degree,
		    .deeper = degree_most(degree_most(in.n.degree, in.n.deeper), a->all.n.deeper),
		    .huge = v.n.huge | a->all.n.huge } };
}

/* batch(n, x), slice(n, x): rows of them, filled up; nothing that goes down. */
static struct trait packed(struct check *c, struct trait v, const struct arguments *a)
{
	struct trait made = parts_of(c, v, a);
	uint64_t more = size_add(v.n.count, a->all.n.most);

	made.deep |= IS_COPY;
	made.descent = DESCENT_NONE;
	made.n.count = made.n.items = size_add(made.n.count, a->all.n.most);
	made.n.huge |= (uint16_t)(made.n.huge << 1);
	made.n.most = size_most(made.n.most, more);
	made.n.rows = size_most(made.n.rows, more);
	made.n.size = size_add(made.n.size, size_mul(more, size_add(a->all.n.size, 2 * ITEM_SIZE)));
	return made;
}

/* Lists that grow while they are looped over never end. */
static void check_growth(struct check *c, struct trait v, const uint8_t *at)
{
	const uint32_t kinds = IS_MADE | IS_OUTSIDE;

	for (unsigned i = 0; i < c->n_blocks; i++) {
		uint32_t over = c->blocks[i].tag == TAG_FOR ? c->blocks[i].iterated.self : 0;

		over |= (over & IS_LAZY) != 0 ? IS_MADE : 0;
		over |= (over & IS_LAZY_OUTSIDE) != 0 ? IS_OUTSIDE : 0;
		if ((over & v.self & kinds) != 0)
			template_found(c, RULE_DOS, at);
	}
	if (c->scope != 0)
		c->macro_fills |= v.self & kinds;
}

/* append() and the like: what is in one list may then be in another, and in that again. */
static struct trait fill(struct check *c, struct trait v, const struct arguments *a, const uint8_t *at)
{
	struct trait before = template_settled(c, v);
	struct trait all = { .self = a->all.self, .deep = a->all.deep, .n = before.n };
	bool nested = (a->all.deep & IS_MADE) != 0;

	for (unsigned i = 0; i < a->n; i++)
		nested |= (a->of[i].v.self & IS_MADE) != 0 && !a->of[i].fresh;
	all.n.size = size_add(all.n.size, a->all.n.size);
	if (nested)
		all.n.size = size_add(all.n.size, cost_weight(before));
	all.n.count = all.n.items = size_add(all.n.count, size_add(a->all.n.most, 1)); /* extend() */
	all.n.most = size_most(all.n.most, a->all.n.most);
	all.n.huge |= a->all.n.huge | a->all.n.huge >> 1;
	all.n.degree = degree_most(all.n.degree, template_degree(c));
	all.n.rows = size_most(all.n.rows, size_most(a->all.n.rows, all.n.items)); /* a list in a list like it */
	for (unsigned i = 0; i < a->n && c->cells.all; i++)
		template_long_work(c, a->of[i].v, WRITTEN, at);
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
		if ((a->of[i].v.self & IS_ANY_CALLABLE) != 0)
			template_set_field(c, a->of[i].keyword, a->of[i].v, CELL_NONE);
	}
	if ((a->all.deep & IS_ANY_CALLABLE) != 0 || (a->starred && (a->all.self & IS_ANY_CALLABLE) != 0))
		template_set_field(c, bytes_of(NULL, 0), (struct trait){ .self = IS_CALLABLE }, CELL_NONE);
	(void)fill(c, v, &keys, at);
	got.self |= a->all.self;
	got.deep |= a->all.deep;
	got.n = amount_join(got.n, a->all.n);
	got.descent = DESCENT_NONE;
	return got;
}

static struct trait format(struct check *c, struct trait v, const struct arguments *a, const uint8_t *at)
{
	uint64_t width = is_foreign(v) ? 0 : WIDTH_MAX;

	if ((v.self & IS_COMPOSED) != 0)
		template_found(c, RULE_INTROSPECTION, at);
	if ((v.self & IS_WIDE) != 0)
		template_too_much(c, at);
	return trait_composed(size_add(composed_of(v, a).n.size, width));
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
static struct trait pairs_of(struct check *c, struct bytes word, struct trait v, const struct arguments *a)
{
	bool pairs = template_word_is(word, "items") || template_word_is(word, "dictsort");

	if (trait_is_text(v))
		v.n = (v.self & IS_WHOLE) != 0 ? template_outside(c).n : part_outside;
	v.self &= (uint32_t)~IS_ANY_TEXT;
	v.descent = v.descent != DESCENT_NONE ? DESCENT_PART : DESCENT_NONE;
	v = parts_of(c, v, a);
	if (pairs) /* between a mapping and what is in it */
		v.n.huge = (uint16_t)((v.n.huge & 1) | (v.n.huge & ~1u) << 1);
	v.deep |= IS_PAIR;
	v.self &= (uint32_t) ~(IS_LAZY | IS_LAZY_OUTSIDE); /* a mapping that grows meanwhile is an error */
	return v;
}

/* The same text, in other letters; with arguments, a part of it. */
static struct trait same(struct trait v, const struct cost *cost, const struct arguments *a)
{
	struct trait made = lengthened(v, cost);

	if (a->n > 0 || a->starred)
		return made;
	if ((v.self & (IS_MADE | IS_SPACE | IS_PAIR)) != 0 ||
	    (v.deep & IS_COMPOSED) != 0) /* what it looks like holds what is in it */
		return made;
	made.self = (v.self & IS_ANY_TEXT) != 0 ? (v.self & (IS_ANY_TEXT | IS_METHOD | IS_WRITTEN | IS_WIDE)) : IS_TEXT;
	if ((v.self & IS_MADE) == 0)
		made.n.size = size_mul(v.n.size, cost->factor);
	made.n.count = made.n.size;
	return made;
}

/* One of the parts or the value itself, or the argument.  A container that is given instead has no fewer parts. */
static struct trait or_else(struct trait v, const struct arguments *a)
{
	struct trait made = trait_join(v, trait_any(a->all));

	made.descent = a->starred || has_container(a) ? DESCENT_NONE : v.descent;
	for (unsigned i = 0; i < a->n; i++) /* {} has no parts, but is no part itself */
		if (a->of[i].fresh && made.descent != DESCENT_NONE)
			made.descent = a->of[i].v.n.count > 0         ? DESCENT_NONE
				       : made.descent > DESCENT_LOOSE ? DESCENT_LOOSE
								      : made.descent;
	return made;
}

static void drop_first(struct arguments *a)
{
	a->n--;
	memmove(a->of, a->of + 1, a->n * sizeof(a->of[0]));
	a->all = (struct trait){ .self = 0 };
	for (unsigned i = 0; i < a->n; i++)
		trait_gather(&a->all, a->of[i].v);
}

/* x.get(key, default): the key does not come out. */
static struct trait part_or_else(struct check *c, struct trait v, const struct arguments *a)
{
	struct arguments rest = *a;

	if (a->n > 0 && !a->starred && a->of[0].keyword.n == 0)
		drop_first(&rest);
	v = template_parts(c, v, true);
	if (a->n > 0 && a->of[0].is_literal && template_word_is_list(a->of[0].literal))
		v.n = amount_of_items(v.n);
	return or_else(v, &rest);
}

/* Lists are added up by copying what there is so far. */
static struct trait summed(struct check *c, struct trait v, const struct arguments *a, const uint8_t *at)
{
	struct trait part = template_parts(c, v, false), made = trait_join(part, trait_any(a->all));

	if (((part.self | a->all.self) & IS_MADE) != 0)
		template_spend(c, size_mul(size_add(v.n.count, 1), size_add(cost_weight(v), cost_weight(a->all))), at);
	if (trait_may_be_text(made))
		made.self |= IS_COMPOSED;
	made.self |= IS_COPY;
	made.descent = DESCENT_NONE;
	made.n.size = size_add(v.n.size, a->all.n.size);
	made.n.count = made.n.items = size_mul(size_add(v.n.count, 1), size_most(made.n.most, made.n.count));
	return made;
}

/* Pieces of it, as many as it has characters, or as often as what is between them has room.  Of what is no text, as far as is
 * known until now, there are none. */
static struct trait split(struct trait v, const struct arguments *a)
{
	bool literal = a->n > 0 && !a->starred && a->of[0].is_literal && a->of[0].keyword.n == 0;
	uint64_t between = literal ? size_most(letters_of(a->of[0].literal), 1) : 1;
	uint32_t piece = is_foreign(v) ? IS_TEXT | IS_OUTSIDE : v.self == 0 ? 0 : IS_COMPOSED;
	uint64_t pieces = is_foreign(v) ? size_add(v.n.count, 1) : v.n.size / between + 1;

	return (struct trait){ .self = IS_COPY,
		.deep = piece,
		.n = { .size = v.n.size,
		    .count = pieces,
		    .most = cost_largest(v),
		    .items = pieces,
		    .degree = v.n.degree,
		    .huge = v.n.huge } };
}

/* Data from a text; a number in one that the template wrote may be any. */
static struct trait parsed(struct trait v)
{
	bool outside = (v.self & IS_OUTSIDE) != 0;
	uint64_t count = outside ? size_most(v.n.count, OUTSIDE_COUNT) : NUMBER_LARGE;
	uint64_t most = outside ? size_most(cost_largest(v), OUTSIDE_COUNT) : NUMBER_LARGE;

	return (struct trait){ .self = IS_ANY_TEXT | IS_COPY,
		.deep = IS_ANY_TEXT | IS_COPY,
		.n = {
		    .size = v.n.size, .count = count, .most = most, .items = count, .rows = most, .huge = v.n.huge } };
}

struct trait template_effect(
    struct check *c, const struct effect_word *w, struct trait v, const struct arguments *a, const uint8_t *at)
{
	struct trait made;

	if (w->effect == EFFECT_PAIRS) /* a text has none */
		v.n = amount_of_items(v.n);
	template_spend(c, STEP, at);
	template_charge(c, &w->cost, v, a, at);
	if (is_long_number(w, v, a) ||
	    (template_word_is(bytes_of_text(w->word), "round") && cost_largest(a->all) > ROUND_MAX))
		template_too_much(c, at);
	switch (w->effect) {
	case EFFECT_NUMBER: return trait_number(1);
	case EFFECT_READS: return number_from(v, a);
	case EFFECT_LENGTH: return trait_counted(size_add(template_settled(c, v).n.count, 1), v.n.degree);
	case EFFECT_SAME: return same(template_settled(c, v), &w->cost, a);
	case EFFECT_PARTS: return parts_of(c, v, a);
	case EFFECT_PACKS: return packed(c, v, a);
	case EFFECT_PAIRS: return pairs_of(c, bytes_of_text(w->word), v, a);
	case EFFECT_REVERSES:
		made = parts_of(c, v, a);
		made.self |= trait_may_be_text(v) ? IS_COMPOSED : 0;
		return made;
	case EFFECT_ONE: return template_parts(c, v, false);
	case EFFECT_GETS: return part_or_else(c, v, a);
	case EFFECT_ELSE: return or_else(v, a);
	case EFFECT_ARGUMENTS: return trait_any(a->all);
	case EFFECT_SPLITS: return split(v, a);
	case EFFECT_SUMS: return summed(c, v, a, at);
	case EFFECT_JOINS: return joined_by(v, a);
	case EFFECT_COMPOSES: return composed_of(lengthened(template_settled(c, v), &w->cost), a);
	case EFFECT_SHORTENS: return trait_join(v, composed_of(lengthened(template_settled(c, v), &w->cost), a));
	case EFFECT_SHOWS: return shown(template_settled(c, v), &w->cost, a);
	case EFFECT_REPLACES: return replaced(v, a);
	case EFFECT_FORMATS: return format(c, v, a, at);
	case EFFECT_FILLS: return fill(c, v, a, at);
	case EFFECT_FILLS_KEY: return fill_keys(c, v, a, at);
	case EFFECT_PARSES: return parsed(v);
	case EFFECT_UNKNOWN: break;
	}
	return trait_anything();
}

/* -- what filters look up -- */

/* An attribute's name is written down, or nobody knows what it is.  What is found by it, in one of the parts. */
static struct trait by_attribute(struct check *c, struct trait v, const struct argument *name, uint64_t items)
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
			template_spend(c, size_mul(items, ATTRIBUTE), raw.at);
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

/* map(attribute=..., default=...) */
static struct trait mapped_to_attribute(struct check *c, struct trait part, const struct arguments *a, uint64_t items)
{
	struct trait made = part;

	for (unsigned i = 0; i < a->n; i++)
		made = trait_join(made, names_attribute(&(struct filter_word){ .attribute = -1 }, &a->of[i], i)
					    ? by_attribute(c, part, &a->of[i], items)
					    : a->of[i].v);
	return made;
}

/* A container of as many; all that is made of the items is what is made of all, and the arguments for each. */
static struct trait mapped_items(struct trait v, struct trait made, const struct arguments *a)
{
	struct trait all = trait_list(made);
	uint64_t each = size_add(size_add(a->all.n.size, a->all.n.most), ITEM_SIZE);

	all.n.count = all.n.items = v.n.count;
	all.n.degree = v.n.degree;
	all.n.huge |= v.n.huge & 1;
	if (a->n > 0 || (made.self & IS_MADE) != 0)
		all.n.size = size_add(all.n.size, size_mul(v.n.count, each));
	return all;
}

/* map() calls another filter by its name. */
static struct trait mapped(struct check *c, struct trait v, const struct arguments *a, const uint8_t *at)
{
	template_spend(c, size_mul(template_settled(c, v).n.count, EACH), at); /* it is a call */

	struct arguments rest = *a;
	struct trait part = template_parts(c, v, false);
	const struct filter_word *f;

	part.n.size = v.n.size; /* of all of them */
	if (a->n > 0 && a->of[0].keyword.n > 0) {
		rest.n = a->n - 1;
		return mapped_items(v, mapped_to_attribute(c, part, a, v.n.count), &rest);
	}
	f = a->n > 0 && a->of[0].is_literal && !a->starred ? template_word_filter(a->of[0].literal) : NULL;
	if (f == NULL || (f->looks_up && (a->n > 1 || f->attribute <= 0))) {
		template_found(c, RULE_INTROSPECTION, at);
		return trait_anything();
	}
	drop_first(&rest);
	return mapped_items(v, template_effect(c, &f->does, part, &rest, at), &rest);
}

static struct trait look_up(
    struct check *c, const struct filter_word *f, struct trait v, const struct arguments *a, const uint8_t *at)
{
	if (a->starred)
		template_found(c, RULE_INTROSPECTION, at);
	if (template_word_is(bytes_of_text(f->does.word), "map"))
		return mapped(c, v, a, at);
	for (unsigned i = 0; i < a->n; i++)
		if (names_attribute(f, &a->of[i], i)) {
			struct trait found = by_attribute(c, template_parts(c, v, false), &a->of[i], v.n.count);

			v.deep |= found.self | found.deep; /* groupby's grouper, sum's summands */
		}
	if (f->does.effect != EFFECT_JOINS)
		return template_effect(c, &f->does, v, a, at);
	template_charge(c, &f->does.cost, v, a, at);
	if (c->cells.all && amount_is_huge(v.n) && a->all.n.size >= HUGE_COUNT && c->costly == NULL)
		c->costly = at; /* as often as there are letters */
	return joined(template_settled(c, v), a);
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
	if (template_hides_call(c, v) || template_hides_call(c, a.all)) {
		template_call_hidden(c, word.at);
		return trait_anything();
	}
	if (template_word_is(word, "attr"))
		template_found_word(c, RULE_INTROSPECTION, word);
	else if (f == NULL)
		template_found_word(c, RULE_UNKNOWN_TAG, word);
	if (f == NULL)
		return trait_anything();
	if (f->looks_up)
		made = look_up(c, f, v, &a, word.at);
	else
		made = template_effect(c, &f->does, v, &a, word.at);
	made.root = template_root_of(v, a.all);
	template_made(c, made, word.at);
	return made;
}
