/* What operators and lookups make of values.  See template_impl.h. */
#include "template_impl.h"

/* -- kinds -- */

struct trait trait_composed(uint64_t size)
{
	return (struct trait){ .self = IS_COMPOSED, .deep = IS_TEXT, .size = size };
}

struct trait trait_anything(void)
{
	return (struct trait){ .self = IS_ANYTHING, .deep = IS_ANYTHING, .size = OUTSIDE_SIZE };
}

struct trait trait_outside(void)
{
	return (struct trait){ .self = IS_TEXT | IS_OUTSIDE, .deep = IS_TEXT | IS_OUTSIDE, .size = OUTSIDE_SIZE };
}

struct trait trait_container(struct trait v)
{
	return (struct trait){
		.self = IS_OWN, .deep = v.self | v.deep, .descent = DESCENT_NONE, .size = size_add(v.size, 1)
	};
}

struct trait trait_literal(struct bytes raw)
{
	struct trait v = { .self = IS_TEXT | IS_WRITTEN, .deep = IS_TEXT, .size = raw.n };

	if (template_literal_leads_out(raw) || template_format_reaches(raw) || template_format_width(raw) > WIDTH_MAX)
		v.self = v.deep = IS_COMPOSED;
	if (template_literal_is_method(raw))
		v.self |= IS_METHOD;
	return v;
}

/* Which kinds a name of the template's is, as a text: of an argument, a parameter, a macro. */
uint16_t trait_name(struct bytes word)
{
	return trait_literal(word).self;
}

void template_join(struct check *c, struct trait *to, struct trait v)
{
	c->cells.grown |= v.size > to->size;
	c->moved |= trait_grow(to, v);
}

/* -- what is inside -- */

/* What was put into containers after they were made may come out of this one. */
static struct trait filled(const struct check *c, struct trait v)
{
	struct trait in = { .descent = DESCENT_PART };

	if ((v.self & IS_OWN) != 0)
		in = trait_join(in, c->filled_own);
	if ((v.self & IS_COPY) != 0)
		in = trait_join(in, c->filled_copy);
	if ((v.self & (IS_OUTSIDE | IS_ANY_TEXT)) != 0)
		in = trait_join(in, c->filled_outside);
	return in;
}

void template_fill(struct check *c, struct trait of, struct trait v)
{
	if ((of.self & IS_OWN) != 0)
		template_join(c, &c->filled_own, v);
	if ((of.self & IS_COPY) != 0)
		template_join(c, &c->filled_copy, v);
	if ((of.self & (IS_OUTSIDE | IS_ANY_TEXT)) != 0)
		template_join(c, &c->filled_outside, v);
}

struct trait template_settled(const struct check *c, struct trait v)
{
	struct trait in = filled(c, v);

	v.deep |= in.self | in.deep;
	v.size = v.size > in.size ? v.size : in.size;
	return v;
}

static bool may_be_inside_itself(const struct check *c)
{
	return c->filled_outside.self != 0 || ((c->filled_own.self | c->filled_copy.self) & (IS_MADE | IS_SPACE)) != 0;
}

/* A part of what a parameter holds is smaller than it, unless that is a text, of which each letter is a text (but has no
 * attributes), or may be inside of itself. */
static uint8_t descends(const struct check *c, struct trait v, bool named)
{
	if (v.descent == DESCENT_NONE || (v.self & IS_SPACE) != 0) /* whose fields change */
		return DESCENT_NONE;
	if (v.descent == DESCENT_SAME && !named && trait_may_be_text(v))
		return DESCENT_NONE;
	if (may_be_inside_itself(c))
		return DESCENT_NONE;
	return DESCENT_PART;
}

static struct trait inside(const struct check *c, struct trait v, bool named)
{
	struct trait in = filled(c, v);
	uint16_t kinds = v.deep | in.self | in.deep;

	return (struct trait){ .self = kinds,
		.deep = kinds,
		.descent = descends(c, v, named),
		.size = in.size > v.size ? in.size : v.size };
}

struct trait template_parts(struct check *c, struct trait v, bool named)
{
	struct trait in = inside(c, v, named);

	if (trait_may_be_text(v))
		in.self |= IS_TEXT; /* a letter, which is harmless by itself */
	return in;
}

/* -- operators -- */

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Looks like what it holds: quotes and backslashes double. */
static uint64_t shown_size(struct trait v)
{
	return (v.self & (IS_MADE | IS_SPACE)) != 0 ? size_mul(v.size, 2) : size_add(v.size, 2);
}

struct trait template_concatenate(struct trait a, struct trait b)
{
	return trait_composed(size_add(shown_size(a), shown_size(b)));
}

static bool may_be_container(struct trait v)
{
	return (v.self & (IS_MADE | IS_OUTSIDE)) != 0;
}

struct trait template_add(struct trait a, struct trait b)
{
	struct trait v = { .self = 0, .deep = IS_TEXT, .size = size_add(a.size, b.size) };

	if (a.self == 0 || b.self == 0)
		return trait_number(v.size);
	if (trait_may_be_text(a) && trait_may_be_text(b))
		v.self |= IS_COMPOSED;
	if (may_be_container(a) && may_be_container(b)) {
		v.self |= IS_COPY;
		v.deep |= a.deep | b.deep;
	}
	return v.self != 0 ? v : trait_composed(v.size);
}

struct trait template_multiply(struct trait a, struct trait b)
{
	struct trait v = { .self = 0, .deep = a.deep | b.deep | IS_TEXT, .size = size_mul(a.size, b.size) };

	if (a.self == 0 && b.self == 0)
		return trait_number(v.size);
	if (trait_may_be_text(a) || trait_may_be_text(b))
		v.self |= IS_COMPOSED;
	if (may_be_container(a) || may_be_container(b))
		v.self |= IS_COPY;
	v.size = larger(v.size, larger(a.size, b.size));
	return v;
}

/* -- names -- */

static bool is_special_token(struct bytes word)
{
	return word.n > 6 && memcmp(word.at + (word.n - 6), "_token", 6) == 0;
}

static uint32_t scope_around(const struct check *c, uint32_t scope)
{
	return scope == 0 ? 0 : c->macros[scope - 1].around;
}

uint32_t template_local(struct check *c, struct bytes word)
{
	return cells_get(&c->cells, CELL_VARIABLE, c->scope, word);
}

void template_set(struct check *c, struct bytes word, struct trait v, bool fresh)
{
	uint32_t i = template_local(c, word);
	struct cell *cell;

	template_own(c, word);
	c->aliased |= (v.deep & IS_SPACE) != 0 || ((v.self & IS_SPACE) != 0 && !fresh);
	cells_assign(&c->cells, i, v);
	if (i == CELL_NONE)
		return;
	cell = &c->cells.cells[i];
	cell->not_text = false;
	cell->now = larger(cell->pass == c->pass ? cell->now : cell->taken, v.size);
	cell->pass = c->pass;
	cell->set_depth = c->n_blocks;
	cell->set_branch = c->n_blocks > 0 ? c->blocks[c->n_blocks - 1].branch : 0;
}

/* What it is without any definition of the template's. */
static struct trait undefined(const struct check *c, struct bytes word)
{
	struct trait v = trait_outside();

	/* What a tokenizer's configuration says, so whoever wrote the template: <bos>, or anything. */
	if (is_special_token(word)) {
		v.self |= IS_COMPOSED;
		v.deep |= IS_COMPOSED;
	}
	if (template_word_is(word, "loop"))
		return (
		    struct trait){ .self = IS_LOOP | IS_OWN | IS_CALLABLE, .deep = c->looped.self | c->looped.deep };
	if (template_word_is_function(word))
		return (struct trait){ .self = IS_CALLABLE | IS_CLASS };
	return v;
}

/* Is there any definition of it, for those who read it here?  They are joined in *ret. */
static bool defined(const struct check *c, struct bytes word, struct trait *ret)
{
	bool found = false;

	for (uint32_t scope = c->scope;; scope = scope_around(c, scope)) {
		uint32_t i = cells_find(&c->cells, CELL_VARIABLE, scope, word);
		const struct cell *cell = i != CELL_NONE ? &c->cells.cells[i] : NULL;

		if (cell != NULL && cell->assigned) {
			struct trait v = cell->v;

			if (scope != c->scope || scope == 0)
				v.descent = DESCENT_NONE;
			else if (cell->param != 0)
				v.descent =
				    cell->param == c->macros[scope - 1].measure + 1 ? DESCENT_SAME : DESCENT_NONE;
			/* What a loop sets is forgotten at its next turn: sizes follow the text, but not into macros. */
			if (scope == c->scope)
				v.size = cell->pass == c->pass ? cell->now : cell->given ? cell->taken : OUTSIDE_SIZE;
			if (cell->not_text && scope == c->scope) { /* not in a macro, which is called later */
				v.self &= (uint16_t)~IS_ANY_TEXT;
				v.size = (v.self & IS_MADE) != 0 ? v.size : OUTSIDE_SIZE;
			}
			*ret = found ? trait_join(*ret, v) : v;
			found = true;
			if (cell->given || cell->live > 0) /* hides what is outside */
				return true;
		}
		if (cell != NULL && cell->defined) {
			*ret = found ? *ret : (struct trait){ .self = 0 };
			ret->self |= IS_CALLABLE;
			found = true;
		}
		if (scope == 0)
			return found;
	}
}

bool template_is_assigned(const struct check *c, struct bytes word)
{
	for (uint32_t scope = c->scope;; scope = scope_around(c, scope)) {
		uint32_t i = cells_find(&c->cells, CELL_VARIABLE, scope, word);

		if (i != CELL_NONE && c->cells.cells[i].assigned)
			return true;
		if (scope == 0)
			return false;
	}
}

struct trait template_read(struct check *c, struct bytes word)
{
	struct trait v;

	if (!defined(c, word, &v))
		return undefined(c, word);
	if (is_special_token(word) || template_word_is_function(word)) /* used before that, perhaps */
		v = trait_join(v, undefined(c, word));
	return v;
}

/* -- lookups -- */

/* The cell of a variable that holds a namespace, for those who read it here. */
uint32_t template_space(const struct check *c, struct bytes word)
{
	for (uint32_t scope = c->scope;; scope = scope_around(c, scope)) {
		uint32_t i = cells_find(&c->cells, CELL_VARIABLE, scope, word);

		if (i != CELL_NONE && c->cells.cells[i].assigned)
			return i;
		if (scope == 0)
			return CELL_NONE;
	}
}

/* Was it set in this reading, in a branch that goes on here? */
static bool was_set(const struct check *c, const struct cell *cell)
{
	unsigned depth = cell->set_depth;

	return cell->pass == c->pass && depth > 0 && depth <= c->n_blocks &&
	       c->blocks[depth - 1].branch == cell->set_branch;
}

/* A name that stands for the outer variable where its own was not set. */
static bool may_be_outer(const struct check *c, uint32_t space)
{
	const struct cell *cell = &c->cells.cells[space];

	if (was_set(c, cell))
		return false;
	for (uint32_t scope = cell->scope; scope != 0 && !cell->given;) {
		uint32_t i;

		scope = scope_around(c, scope);
		i = cells_find(&c->cells, CELL_VARIABLE, scope, cell->text);
		if (i != CELL_NONE && (c->cells.cells[i].v.self & IS_SPACE) != 0)
			return true;
	}
	return false;
}

void template_set_field(struct check *c, struct bytes word, struct trait v, uint32_t space)
{
	uint32_t cell = cells_get(&c->cells, CELL_FIELD, 0, word);

	if (space != CELL_NONE)
		cells_assign(&c->cells, cells_get(&c->cells, CELL_FIELD, space + 1, word), v);
	c->aliased |= space != CELL_NONE && space != c->making && may_be_outer(c, space);
	cells_assign(&c->cells, cell, v);
	template_join(c, &c->fields, v);
	c->aliased |= (v.self & IS_SPACE) != 0;
	if (cell != CELL_NONE && (v.self & IS_CALLABLE) != 0 && !c->cells.cells[cell].called)
		c->moved = c->cells.cells[cell].called = true;
}

/* What namespaces hold under a name.  Which kinds is asked of all of them, for each may have several names; how large it
 * is, of this one, if none has. */
static struct trait held(const struct check *c, struct bytes word, uint32_t space)
{
	uint32_t all = cells_find(&c->cells, CELL_FIELD, 0, word);
	uint32_t own = space != CELL_NONE ? cells_find(&c->cells, CELL_FIELD, space + 1, word) : CELL_NONE;
	struct trait v = { .descent = DESCENT_PART };

	if (all != CELL_NONE)
		v = c->cells.cells[all].v;
	if (all != CELL_NONE && own != CELL_NONE && !c->aliased && !may_be_outer(c, space))
		v.size = c->cells.cells[own].v.size;
	return v;
}

static bool is_of_loop(struct bytes word)
{
	static const char *const words[] = { "index", "index0", "revindex", "revindex0", "first", "last", "length",
		"depth", "depth0" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (template_word_is(word, words[i]))
			return true;
	return false;
}

/* v.word: an attribute, an item, a field. */
struct trait template_field(struct check *c, struct trait v, struct bytes word, uint32_t space)
{
	struct trait in = inside(c, v, true);
	if (v.self == (IS_LOOP | IS_OWN | IS_CALLABLE) && is_of_loop(word))
		return trait_number(v.size > OUTSIDE_SIZE ? v.size : OUTSIDE_SIZE);
	if ((v.self & IS_SPACE) != 0) {
		struct trait field = held(c, word, space);
		uint64_t size = v.self == IS_SPACE ? field.size : larger(field.size, in.size);

		in = trait_join(trait_join(in, field), held(c, bytes_of(NULL, 0), CELL_NONE));
		in.size = size;
	}
	if ((v.self & IS_CALLABLE) != 0 && (template_word_is(word, "name") || template_word_is(word, "arguments")))
		in = trait_join(in, c->named);
	if (template_word_is_method(word))
		in.self |= IS_CALLABLE;
	if (memchr(word.at, '\\', word.n) != NULL) /* spelled otherwise */
		in = trait_join(in, c->fields);
	return in;
}

/* v[key] */
struct trait template_look_up(struct check *c, struct trait v, struct trait key, const uint8_t *at)
{
	struct trait in = inside(c, v, key.self != 0 && (key.self & IS_OUTSIDE) == 0);

	if ((key.self & IS_COMPOSED) != 0)
		template_found(c, RULE_INTROSPECTION, at);
	/* Looked up in a text, only a method can come out: format, of one that was put together. */
	if ((key.self & IS_METHOD) != 0) {
		in.self |= IS_CALLABLE;
		if ((v.self & IS_COMPOSED) != 0)
			template_found(c, RULE_INTROSPECTION, at);
	}
	if ((v.self & IS_SPACE) != 0)
		in = trait_join(in, c->fields);
	if ((v.self & IS_CALLABLE) != 0) /* m['arguments'] */
		in = trait_join(in, c->named);
	if (trait_may_be_text(v))
		in.self |= IS_TEXT; /* a letter */
	return in;
}

/* -- cost -- */

void template_bound(struct check *c, struct trait v, const uint8_t *at)
{
	if (v.self != 0 && v.size > TEXT_MAX)
		template_found(c, RULE_DOS, at);
}

void template_spend(struct check *c, uint64_t work, const uint8_t *at)
{
	bool before = c->work > WORK_MAX;

	c->work = size_add(c->work, size_mul(c->turns, work));
	if (!before && c->work > WORK_MAX)
		template_found(c, RULE_DOS, at);
}
