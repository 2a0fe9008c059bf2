/* What operators and lookups make of values.  See template_impl.h. */
#include "template_impl.h"

/* -- kinds -- */

struct trait trait_composed(uint64_t size)
{
	return (struct trait){ .self = IS_COMPOSED, .deep = IS_TEXT, .n = { .size = size, .count = size, .most = 1 } };
}

const struct amount part_outside = { PART_SIZE, PART_COUNT, PART_COUNT, PART_COUNT, PART_COUNT, 0, 0, 0 };
static const struct amount all_outside = { OUTSIDE_SIZE, OUTSIDE_COUNT, PART_COUNT, OUTSIDE_COUNT, PART_COUNT, 1, 0,
	0 };

struct trait trait_anything(void)
{
	return (struct trait){ .self = IS_ANYTHING, .deep = IS_ANYTHING, .n = all_outside };
}

/* What is long has as many items. */
static struct trait huge(struct trait v)
{
	uint64_t least = (v.n.huge & 1) != 0 ? HUGE_COUNT : 0;

	v.n.count = size_most(v.n.count, least);
	v.n.items = size_most(v.n.items, least);
	v.n.size = size_most(v.n.size, least);
	return v;
}

struct trait template_outside(const struct check *c)
{
	struct trait v = { .self = IS_TEXT | IS_OUTSIDE | IS_WHOLE, .deep = IS_TEXT | IS_OUTSIDE, .n = all_outside };

	v.n.size = c->cells.outside;
	v.n.huge = c->cells.huge;
	if (v.n.huge != 0)
		v.n.count = v.n.items = c->cells.many ? MESSAGES : HUGE_PARTS;
	if (c->cells.many)
		v.n.size = (uint64_t)MESSAGES * HUGE_COUNT;
	return huge(v);
}

void trait_gather(struct trait *all, struct trait v)
{
	all->root = template_root_of(*all, v);
	all->self |= v.self;
	all->deep |= v.deep;
	all->n.size = size_add(all->n.size, size_add(cost_weight(v), 2));
	all->n.count = all->n.items = size_add(all->n.count, 1);
	all->n.most = size_most(all->n.most, cost_largest(v));
	all->n.deeper = degree_most(all->n.deeper, degree_most(v.n.degree, v.n.deeper));
	all->n.rows = size_most(all->n.rows, cost_rows(v));
	all->n.huge |= (uint16_t)(v.n.huge << 1);
	if (v.n.huge >> 15 != 0) /* wherever that is */
		all->n.most = size_most(all->n.most, HUGE_COUNT);
}

struct trait trait_container(struct trait all)
{
	return (struct trait){
		.self = IS_OWN, .deep = all.self | all.deep, .root = all.root, .descent = DESCENT_NONE, .n = all.n
	};
}

struct trait trait_list(struct trait v)
{
	struct trait all = { .self = 0 };

	trait_gather(&all, v);
	return trait_container(all);
}

struct trait trait_any(struct trait all)
{
	all.n.count = size_most(all.n.count, all.n.most);
	all.n.items = size_most(all.n.items, all.n.rows);
	all.n.degree = all.n.deeper;
	all.n.huge >>= 1;
	return huge(all);
}

void template_join(struct check *c, enum flow_name to, struct trait v)
{
	struct flow *f = &c->flows[to];

	f->growth.turns = size_most(f->growth.turns, template_times(c));
	c->moved |= trait_grow(&f->v, v);
}

/* -- what is inside -- */

/* What was put into containers after they were made may come out of this one. */
static struct trait filled(const struct check *c, struct trait v)
{
	struct trait in = { .descent = DESCENT_DEEP };

	if ((v.self & IS_OWN) != 0)
		in = trait_join(in, c->flows[FILLED_OWN].v);
	if ((v.self & IS_COPY) != 0)
		in = trait_join(in, c->flows[FILLED_COPY].v);
	if ((v.self & (IS_OUTSIDE | IS_ANY_TEXT)) != 0)
		in = trait_join(in, c->flows[FILLED_OUTSIDE].v);
	return in;
}

void template_fill(struct check *c, struct trait of, struct trait v)
{
	if ((of.self & IS_OWN) != 0)
		template_join(c, FILLED_OWN, v);
	if ((of.self & IS_COPY) != 0)
		template_join(c, FILLED_COPY, v);
	if ((of.self & (IS_OUTSIDE | IS_ANY_TEXT)) != 0)
		template_join(c, FILLED_OUTSIDE, v);
}

struct trait template_settled(const struct check *c, struct trait v)
{
	struct trait in = filled(c, v);

	v.deep |= in.self | in.deep;
	v.n = amount_join(v.n, in.n);
	return v;
}

static bool may_be_inside_itself(const struct check *c)
{
	uint32_t made = c->flows[FILLED_OWN].v.self | c->flows[FILLED_COPY].v.self;

	return c->flows[FILLED_OUTSIDE].v.self != 0 || (made & (IS_MADE | IS_SPACE)) != 0;
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
	return v.descent >= DESCENT_PART ? DESCENT_DEEP : DESCENT_PART;
}

/* A member of what the renderer gives is long with it. */
static uint16_t huge_inside(struct trait v, bool named)
{
	uint16_t first = (uint16_t)(v.n.huge & -v.n.huge); /* one of them, and in another reading the other */
	uint16_t rest = (uint16_t)(v.n.huge & (v.n.huge - 1));
	uint16_t next = first >> 1;

	rest &= (uint16_t)(rest - 1);
	if ((rest & (rest - 1)) != 0) /* in itself, at four depths and more: at any */
		return v.n.huge | v.n.huge >> 1;

	if (!named || (v.self & IS_OUTSIDE) == 0)
		return next;
	return trait_is_outside(v) ? first : first | next;
}

static struct trait inside(const struct check *c, struct trait v, bool named)
{
	struct trait in = filled(c, v);
	uint32_t kinds = v.deep | in.self | in.deep;
	uint64_t most = size_most(v.n.most, cost_largest(in));
	uint64_t rows = size_most(v.n.rows, cost_rows(in));
	uint8_t degree = degree_most(v.n.deeper, degree_most(in.n.degree, in.n.deeper));
	uint16_t far = huge_inside(v, named);
	uint64_t part = (far | (v.n.huge & 1)) != 0                   ? HUGE_COUNT
			: !template_is_large(c) || c->cells.huge != 0 ? PART_SIZE
								      : PART_LARGE;
	uint64_t size = trait_is_outside(v) && v.n.size > part ? part : v.n.size;

	if ((v.n.huge & 1) != 0 && far == 0) /* so many pieces */
		size = size > HUGE_COUNT ? size - HUGE_COUNT : v.n.count < HUGE_COUNT ? PART_SIZE : 1;
	if (trait_is_text(v) && !named)
		size = 1;
	return huge((struct trait){ .self = kinds,
	    .deep = kinds,
	    .root = v.root,
	    .descent = descends(c, v, named),
	    .n = { .size = size_most(size, in.n.size),
		.count = most,
		.most = most,
		.items = rows,
		.rows = rows,
		.degree = degree,
		.deeper = degree,
		.huge = far | in.n.huge } });
}

struct trait template_parts(struct check *c, struct trait v, bool named)
{
	struct trait in = inside(c, v, named);

	if (trait_may_be_text(v))
		in.self |= IS_TEXT; /* a letter, which is harmless by itself */
	return in;
}

/* -- operators -- */

/* Looks like what it holds: quotes and backslashes double. */
uint64_t template_shown_size(struct trait v)
{
	return (v.self & (IS_MADE | IS_SPACE)) != 0 ? size_mul(cost_weight(v), 2) : size_add(v.n.size, 2);
}

struct trait template_concatenate(struct trait a, struct trait b)
{
	struct trait v = trait_composed(size_add(template_shown_size(a), template_shown_size(b)));

	v.root = template_root_of(a, b);
	return v;
}

static bool may_be_container(struct trait v)
{
	return (v.self & (IS_MADE | IS_OUTSIDE | IS_PAIR)) != 0;
}

struct trait template_add(struct trait a, struct trait b)
{
	struct trait v = { .self = 0, .deep = IS_TEXT, .root = template_root_of(a, b), .n = amount_add(a.n, b.n) };

	if ((a.self == 0 || b.self == 0) && ((a.self | b.self) & (IS_MADE | IS_PAIR)) == 0)
		return trait_counted(v.n.count, v.n.degree);
	if (trait_may_be_text(a) && trait_may_be_text(b))
		v.self |= IS_COMPOSED;
	if (may_be_container(a) && may_be_container(b)) {
		v.self |= IS_COPY;
		v.deep |= a.deep | b.deep;
	}
	if (v.self == 0)
		v.self = IS_COMPOSED;
	return v;
}

/* One of them is a number, or both are. */
static struct amount multiplied(struct amount a, struct amount b)
{
	return (struct amount){ .size = size_most(size_mul(a.size, b.count), size_mul(b.size, a.count)),
		.count = size_mul(a.count, b.count),
		.most = size_most(a.most, b.most),
		.items = size_most(size_mul(a.items, b.count), size_mul(b.items, a.count)),
		.rows = size_most(a.rows, b.rows),
		.degree = degree_add(a.degree, b.degree),
		.deeper = degree_most(a.deeper, b.deeper),
		.huge = a.huge | b.huge };
}

struct trait template_multiply(struct trait a, struct trait b)
{
	struct trait v = { .self = 0, .deep = a.deep | b.deep | IS_TEXT, .n = multiplied(a.n, b.n) };

	if (a.self == 0 && b.self == 0)
		return trait_counted(v.n.count, v.n.degree);
	if (trait_may_be_text(a) || trait_may_be_text(b))
		v.self |= IS_COMPOSED;
	if (may_be_container(a) || may_be_container(b))
		v.self |= IS_COPY;
	if (a.self == 0)
		v.n.size = size_mul(a.n.count, b.n.size);
	if (b.self == 0)
		v.n.size = size_mul(b.n.count, a.n.size);
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

static bool in_branch(const struct check *c)
{
	for (unsigned i = c->n_blocks; i-- > 0;) {
		if (c->blocks[i].tag == TAG_MACRO || c->blocks[i].tag == TAG_CALL)
			return false;
		if (c->blocks[i].tag == TAG_IF || c->blocks[i].tag == TAG_FOR)
			return true;
	}
	return false;
}

static void share(struct check *c, struct cell *cell)
{
	c->moved |= !cell->shared;
	cell->shared = true;
}

void template_share(struct check *c, struct bytes word)
{
	for (uint32_t scope = c->scope;; scope = scope_around(c, scope)) {
		uint32_t i = cells_find(&c->cells, CELL_VARIABLE, scope, word);

		if (i != CELL_NONE && (c->cells.cells[i].v.self & IS_SPACE) != 0)
			share(c, &c->cells.cells[i]);
		if (scope == 0)
			return;
	}
}

void template_set(struct check *c, struct bytes word, struct trait v, bool fresh)
{
	uint32_t i = template_local(c, word);
	struct cell *cell;

	template_own(c, word);
	cells_assign(&c->cells, i, v, 1);
	if (i == CELL_NONE)
		return;
	cell = &c->cells.cells[i];
	template_forget_paths(c, word);
	if (!c->anew && cell->pass == c->pass && amount_is_huge(cell->now) && v.root != cell->root &&
	    (cell->root == 0 || template_root_is_open(c, cell->root)))
		v.root = 0; /* one or the other */
	cell->root = v.root;
	cell->is_target = c->anew || c->target;
	if ((v.self & IS_SPACE) != 0 && !fresh)
		share(c, cell);
	cell->not_text = cell->only_text = false;
	if (c->anew) {
		cell->now = cell->now_else = (struct amount){ 0 };
	} else if (cell->pass != c->pass) {
		cell->now = cell->taken;
		cell->now_else = cell->taken_else;
	}
	cell->now = amount_join(cell->now, v.n);
	cell->now_else = amount_join(cell->now_else, amount_but_text(v, c->cells.outside));
	cell->pass = c->pass;
	if (!in_branch(c))
		cell->sure = c->pass;
	cell->set_depth = c->n_blocks;
	cell->set_branch = c->n_blocks > 0 ? c->blocks[c->n_blocks - 1].branch : 0;
}

/* It counts no further than the loop around it. */
static struct trait the_loop(const struct check *c)
{
	struct trait in = c->flows[FLOW_LOOPED].v;
	struct trait v = { .self = IS_LOOP | IS_OWN | IS_CALLABLE, .deep = in.self | in.deep, .n = in.n };

	v.n.most = cost_largest(in);
	v.n.count = OUTSIDE_COUNT;
	for (unsigned i = 0; i < c->n_blocks; i++)
		if (c->blocks[i].tag == TAG_FOR) {
			v.n.count = size_most(c->blocks[i].iterated.n.count, OUTSIDE_COUNT);
			v.n.degree = degree_most(c->blocks[i].iterated.n.degree, v.n.degree);
		}
	v.n.items = v.n.count;
	v.n.rows = cost_rows(in);
	return v;
}

/* Nobody has as many messages as letters in one of them.  Where there are many long messages, nothing else is long. */
static struct trait outside_of(const struct check *c, struct bytes word)
{
	struct trait v = template_outside(c);

	if (c->cells.all && template_word_is_list(word))
		v.n = amount_of_items(v.n);
	if (c->cells.many ? template_word_is_of_messages(word) : v.n.huge != 1 || !template_word_is_list(word))
		return v;
	v.n = all_outside;
	v.n.count = v.n.items = HUGE_PARTS;
	return v;
}

/* What it is without any definition of the template's. */
static struct trait undefined(const struct check *c, struct bytes word)
{
	struct trait v = outside_of(c, word);

	/* What a tokenizer's configuration says, so whoever wrote the template: <bos>, or anything. */
	if (is_special_token(word)) {
		if (c->cells.huge != 0)
			v.n = all_outside;
		v.self |= IS_COMPOSED;
		v.deep |= IS_COMPOSED;
	}
	if (template_word_is(word, "loop"))
		return the_loop(c);
	if (template_word_is_function(word))
		return (struct trait){ .self = IS_CALLABLE | IS_CLASS };
	return v;
}

/* What every renderer brings. */
static bool is_brought(struct bytes word)
{
	return template_word_is(word, "messages") || template_word_is(word, "tools") ||
	       template_word_is(word, "documents");
}

/* Of what was not set here in this reading. */
static struct amount unseen_amount(const struct check *c, const struct cell *cell)
{
	struct amount n = is_brought(cell->text) ? outside_of(c, cell->text).n : all_outside;

	if (c->cells.huge == 0)
		n.size = c->cells.outside;
	n.degree = (cell->v.self & IS_WHOLE) != 0 ? n.degree : 0;
	return n;
}

/* What a loop sets is forgotten at its next turn: sizes follow the text, but not into macros. */
static struct trait local_value(const struct check *c, const struct cell *cell)
{
	struct trait v = cell->v;

	if (c->scope == 0)
		v.descent = DESCENT_NONE;
	else if (cell->param != 0)
		v.descent = cell->param == c->macros[c->scope - 1].measure + 1 ? DESCENT_SAME : DESCENT_NONE;
	v.root = cell->pass == c->pass                     ? cell->root
		 : cell->param != 0 && !cell->long_default ? ROOT_PARAMETER + cell->param
							   : 0;
	v.n = cell->pass == c->pass ? cell->now : cell->given ? cell->taken : unseen_amount(c, cell);
	return template_tested(cell, v,
	    cell->pass == c->pass ? cell->now_else
	    : cell->given         ? cell->taken_else
				  : unseen_amount(c, cell));
}

static struct trait outer_value(const struct cell *cell)
{
	struct trait v = cell->v;

	v.root = 0;
	v.descent = DESCENT_NONE; /* in a macro, which is called later, no test holds */
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
			struct trait v = scope == c->scope ? local_value(c, cell) : outer_value(cell);

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

/* A name of the template's that was not set for certain. */
static bool may_be_given(const struct check *c, struct bytes word)
{
	for (uint32_t scope = c->scope;; scope = scope_around(c, scope)) {
		uint32_t i = cells_find(&c->cells, CELL_VARIABLE, scope, word);
		const struct cell *cell = i != CELL_NONE ? &c->cells.cells[i] : NULL;

		if (cell != NULL && (cell->given || cell->live > 0 || cell->defined || cell->sure == c->pass))
			return false;
		if (scope == 0)
			return true;
	}
}

struct trait template_read(struct check *c, struct bytes word)
{
	struct trait v;

	if (!defined(c, word, &v))
		return undefined(c, word);
	if (is_brought(word) && may_be_given(c, word)) { /* by the renderer, where it is not set */
		v.self |= IS_WHOLE | IS_OUTSIDE;
		v.n = amount_join(v.n, outside_of(c, word).n);
	}
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

/* How often it is done to one namespace. */
static uint64_t times_of(const struct check *c, uint32_t space)
{
	const struct cell *of = space != CELL_NONE ? &c->cells.cells[space] : NULL;

	if (of != NULL && space == c->making)
		return 1;
	if (of == NULL || of->shared || of->given || of->scope != c->scope || of->made == 0)
		return template_times(c);
	return of->made < c->turns ? c->turns / of->made : 1;
}

/* What else is to be known of a field that is set. */
static void note_field(struct check *c, uint32_t cell, struct trait v, uint32_t space)
{
	if (space != CELL_NONE && space != c->making && may_be_outer(c, space))
		template_share(c, c->cells.cells[space].text);
	template_join(c, FLOW_FIELDS, v);
	if (cell != CELL_NONE && (v.self & IS_ANY_CALLABLE) != 0 && !c->cells.cells[cell].called)
		c->moved = c->stores_callable = c->cells.cells[cell].called = true;
}

void template_set_field(struct check *c, struct bytes word, struct trait v, uint32_t space)
{
	uint32_t cell = cells_get(&c->cells, CELL_FIELD, 0, word);
	uint64_t times = times_of(c, space);

	if (space != CELL_NONE)
		cells_assign(&c->cells, cells_get(&c->cells, CELL_FIELD, space + 1, word), v, times);
	/* Of all namespaces together, each that is made here is another one. */
	cells_assign(&c->cells, cell, v, space == c->making ? template_times(c) : times);
	note_field(c, cell, v, space);
}

void template_add_field(struct check *c, struct bytes word, struct trait v, struct amount more, uint32_t space)
{
	uint32_t cell = cells_get(&c->cells, CELL_FIELD, 0, word);
	uint64_t times = times_of(c, space);

	if (space != CELL_NONE)
		cells_add(&c->cells, cells_get(&c->cells, CELL_FIELD, space + 1, word), v, more, times);
	cells_add(&c->cells, cell, v, more, times);
	note_field(c, cell, v, space);
}

/* What namespaces hold under a name.  Which kinds is asked of all of them, for each may have several names; how large it
 * is, of this one, if none has. */
static struct trait held(const struct check *c, struct bytes word, uint32_t space)
{
	uint32_t all = cells_find(&c->cells, CELL_FIELD, 0, word);
	uint32_t own = space != CELL_NONE ? cells_find(&c->cells, CELL_FIELD, space + 1, word) : CELL_NONE;
	struct trait v = { .descent = DESCENT_DEEP };

	if (all != CELL_NONE)
		v = c->cells.cells[all].v;
	if (all != CELL_NONE && own != CELL_NONE && !c->cells.cells[space].shared && !c->cells.cells[space].given &&
	    !may_be_outer(c, space))
		v.n = c->cells.cells[own].v.n;
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

/* The same, or a tuple of what is in the other, or one of these. */
static struct trait trait_joined_tuple(struct trait v, struct trait other)
{
	v = trait_join(v, other);
	v.self |= IS_COPY;
	return v;
}

/* v.word: an attribute, an item, a field. */
struct trait template_field(struct check *c, struct trait v, struct bytes word, uint32_t space)
{
	struct trait in = inside(c, v, true);
	if (v.self == (IS_LOOP | IS_OWN | IS_CALLABLE) && is_of_loop(word))
		return trait_counted(v.n.count, v.n.degree);
	if ((v.self & IS_SPACE) != 0) {
		struct trait field = held(c, word, space);
		struct amount n = v.self == IS_SPACE ? field.n : amount_join(field.n, in.n);

		in = trait_join(trait_join(in, field), held(c, bytes_of(NULL, 0), CELL_NONE));
		in.n = n;
	}
	if ((v.self & IS_CALLABLE) != 0 && (template_word_is(word, "name") || template_word_is(word, "arguments")))
		in = trait_joined_tuple(in, c->flows[FLOW_NAMED].v);
	if (template_word_is_method(word))
		in.self |= IS_CALLABLE;
	/* A cycler's, a view's: all that is in it. */
	if ((v.self & (IS_MADE | IS_ANY_CALLABLE)) != 0 &&
	    (template_word_is(word, "items") || template_word_is(word, "mapping")))
		in.self |= IS_COPY;
	if ((v.self & IS_OUTSIDE) != 0 && template_word_is_list(word))
		in.n = amount_of_items(in.n);
	if ((c->cells.many || (c->cells.all && !template_word_is_list(word) && !template_word_is(word, "arguments"))) &&
	    trait_is_outside(v) && template_word_is_short(word))
		in.n = part_outside;
	if (memchr(word.at, '\\', word.n) != NULL) /* spelled otherwise */
		in = trait_join(in, c->flows[FLOW_FIELDS].v);
	return in;
}

/* v[key] */
struct trait template_look_up(struct check *c, struct trait v, struct trait key, const uint8_t *at)
{
	struct trait in = inside(c, v, key.self != 0 && (key.self & IS_OUTSIDE) == 0);

	if (key.n.count >= NUMBER_LARGE) /* each of the keys may have its hash */
		template_spend(c, size_mul(v.n.items, SEARCH_RATE), at);

	if ((key.self & IS_COMPOSED) != 0)
		template_found(c, RULE_INTROSPECTION, at);
	/* Looked up in a text, only a method can come out: format, of one that was put together. */
	if ((key.self & IS_METHOD) != 0) {
		in.self |= IS_CALLABLE;
		if ((v.self & IS_COMPOSED) != 0)
			template_found(c, RULE_INTROSPECTION, at);
	}
	if ((v.self & IS_SPACE) != 0)
		in = trait_join(in, c->flows[FLOW_FIELDS].v);
	if ((v.self & IS_CALLABLE) != 0) /* m['arguments'] */
		in = trait_joined_tuple(in, c->flows[FLOW_NAMED].v);
	if (key.self != 0 && !trait_is_outside(v)) /* y['items'] */
		in.self |= IS_COPY;
	if (trait_may_be_text(v))
		in.self |= IS_TEXT; /* a letter */
	return in;
}
