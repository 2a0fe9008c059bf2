/* Calls: macros and functions by their own names, methods of harmless names, and anything else, which may be any function.
 * See template_impl.h. */
#include "template_impl.h"

/* -- what may be any function -- */

/* Names of arguments are texts to who gets them in kwargs or as a mapping. */
static uint32_t keyword_kinds(const struct arguments *a)
{
	uint32_t kinds = 0;

	for (unsigned i = 0; i < a->n; i++)
		if (a->of[i].keyword.n > 0)
			kinds |= trait_name(a->of[i].keyword);
	return kinds;
}

void template_call_hidden(struct check *c, const uint8_t *at)
{
	c->calls_unknown = true;
	template_found(c, RULE_UNPROVABLE, at);
}

/* It may be a macro, or a method that puts its arguments into a list. */
static struct trait call_unknown(struct check *c, const struct arguments *a, const uint8_t *at)
{
	struct trait all = trait_any(a->all);

	all.self |= a->all.deep | keyword_kinds(a); /* dict.update(d, name=1) */
	all.descent = DESCENT_NONE;
	if (c->pass == 1) /* a macro that is defined further down, perhaps */
		return trait_composed(OUTSIDE_SIZE);
	c->calls_unknown = true;
	template_found(c, RULE_UNPROVABLE, at);
	template_join(c, FLOW_GIVEN, all);
	template_fill(c, trait_anything(), all);
	return trait_anything();
}

struct trait template_call_any(struct check *c, const uint8_t *at)
{
	struct arguments a;

	template_arguments(c, &a);
	return call_unknown(c, &a, at);
}

/* -- macros -- */

/* They are copied: into a tuple, a mapping. */
static void spend_arguments(struct check *c, const struct arguments *a, const uint8_t *at)
{
	template_spend(c, size_mul(cost_weight(trait_container(a->all)), ARGUMENT_RATE), at);
}

static unsigned param_of(const struct macro *m, struct bytes keyword)
{
	unsigned i = 0;

	while (i < m->n_params && !bytes_equal(m->params[i], keyword))
		i++;
	return i;
}

static void give(struct check *c, uint32_t scope, struct bytes name, struct trait v)
{
	uint32_t cell = cells_get(&c->cells, CELL_VARIABLE, scope, name);

	cells_give(&c->cells, cell, v, template_depth(c, &c->macros[scope - 1]));
}

static void give_argument(struct check *c, uint32_t n, const struct argument *a, unsigned position)
{
	const struct macro *m = &c->macros[n];
	unsigned i = a->keyword.n > 0 ? param_of(m, a->keyword) : position;
	struct trait rest;

	if (i < m->n_params) {
		give(c, n + 1, m->params[i], a->v);
		return;
	}
	rest = trait_list(a->v);
	if (a->keyword.n == 0) {
		give(c, n + 1, bytes_of_text("varargs"), rest);
		return;
	}
	rest.deep |= trait_name(a->keyword);
	give(c, n + 1, bytes_of_text("kwargs"), rest);
	if (template_word_is(a->keyword, "caller")) { /* what its caller() then calls */
		template_found_word(c, RULE_UNPROVABLE, a->keyword);
		c->calls_unknown = c->any_caller = true;
		give(c, n + 1, a->keyword, a->v);
	}
}

/* What a namespace holds is asked for where it is read. */
static bool is_given_huge(const struct arguments *a)
{
	if (a->starred)
		return amount_is_huge(a->all.n);
	for (unsigned i = 0; i < a->n; i++)
		if (a->of[i].v.self != IS_SPACE && amount_is_huge(a->of[i].v.n))
			return true;
	return false;
}

/* What is long further down is long where the circle was entered, in another reading. */
static struct argument without_huge(struct argument a, bool spares)
{
	bool outside = (a.v.self & IS_OUTSIDE) != 0 && (a.v.self & (IS_OWN | IS_SPACE)) == 0 && a.v.n.huge != 0;

	if (outside || (spares && a.v.self != IS_SPACE && amount_is_huge(a.v.n)))
		a.v.n = part_outside;
	return a;
}

static void give_arguments(struct check *c, uint32_t n, const struct arguments *a, bool circle)
{
	struct trait all = trait_any(a->all);

	for (unsigned i = 0; i < a->n; i++) {
		struct argument given = circle || c->spares ? without_huge(a->of[i], c->spares) : a->of[i];

		give_argument(c, n, &given, i);
	}
	if (!a->starred)
		return;
	if (((all.self | all.deep) & IS_ANY_CALLABLE) != 0) { /* as `caller`, it is called */
		template_call_hidden(c, c->now.raw.at);
		c->moved |= !c->any_caller;
		c->any_caller = true;
	}
	all.self |= a->all.deep;
	all.descent = DESCENT_NONE;
	for (unsigned i = 0; i < c->macros[n].n_params; i++)
		give(c, n + 1, c->macros[n].params[i], all);
	give(c, n + 1, bytes_of_text("varargs"), trait_list(all));
	give(c, n + 1, bytes_of_text("kwargs"), trait_list(all));
}

/* Does it come back here, or to what holds this? */
static bool is_circle(const struct check *c, const struct macro *m)
{
	for (uint32_t scope = c->scope; scope != 0; scope = c->macros[scope - 1].around)
		if ((m->calls >> (scope - 1) & 1) != 0)
			return true;
	return false;
}

/* What a parameter is given. */
static uint8_t descent_of(const struct macro *m, const struct arguments *a, unsigned param)
{
	uint8_t descent = DESCENT_NONE;

	for (unsigned i = 0; i < a->n; i++)
		if ((a->of[i].keyword.n > 0 ? param_of(m, a->of[i].keyword) : i) == param)
			descent = a->of[i].v.descent;
	return a->starred ? (uint8_t)DESCENT_NONE : descent;
}

static bool measure_by(struct check *c, struct macro *m, unsigned param)
{
	if ((m->tried >> param & 1) != 0 || param == m->measure)
		return false;
	m->tried |= UINT32_C(1) << m->measure;
	m->measure = param;
	c->measured = c->moved = true;
	return true;
}

/* In a loop over what the macro was given: {} has no turns, so it goes no further with that. */
static bool loops_over_own(const struct check *c)
{
	for (unsigned i = c->n_blocks; i-- > 0 && c->blocks[i].tag != TAG_MACRO;)
		if (c->blocks[i].tag == TAG_FOR && c->blocks[i].iterated.descent != DESCENT_NONE)
			return true;
	return false;
}

/* Does it go on with a part of what this macro was given?  If it does so in another parameter than the one by which it is
 * measured, it is measured by that from now on; else this one may be. */
static bool descends_into(struct check *c, uint32_t n, const struct arguments *a)
{
	struct macro *m = &c->macros[n], *here = &c->macros[c->scope - 1];

	if (descent_of(m, a, m->measure) >= DESCENT_LOOSE) {
		if (descent_of(m, a, m->measure) == DESCENT_LOOSE && !loops_over_own(c))
			here->going.loose += c->turns > 1 ? 2 : 1;
		c->loose |= here->going.loose > 1;
		return true;
	}
	if (c->last || c->measured)
		return false;
	for (unsigned i = 0; i < m->n_params; i++)
		if (descent_of(m, a, i) >= DESCENT_LOOSE && measure_by(c, m, i))
			return false;
	for (unsigned i = 0; i < here->n_params; i++)
		if (measure_by(c, here, i))
			return false;
	return false;
}

/* Calls in each other: as deep as what the renderer gives, or as its stack. */
uint64_t template_depth(const struct check *c, const struct macro *m)
{
	return !template_calls_itself(c, m) ? 1 : c->rounds ? STACK : RECURSION;
}

/* The parts of what the renderer gives are few, and each is there once.  Of what the template wrote down, each may be in it many
 * times, and be gone down into by each call that stands in the macro. */
uint64_t template_recursion(const struct check *c, const struct macro *m)
{
	uint32_t i = m->measure < m->n_params
			 ? cells_find(&c->cells, CELL_VARIABLE, (uint32_t)(m - c->macros) + 1, m->params[m->measure])
			 : CELL_NONE;
	const struct cell *cell = i != CELL_NONE ? &c->cells.cells[i] : NULL;
	uint64_t calls = 1, parts;

	if (cell == NULL || (cell->v.self & cell->v.deep & IS_MADE) == 0)
		return size_mul(RECURSION, m->spread);
	parts = cell->taken.size / ITEM_SIZE + cell->taken.count;
	for (uint64_t k = 0; m->descents > 1 && k < parts && calls < SIZE_CAP; k++)
		calls = size_mul(calls, 2);
	return size_most(calls, size_add(parts, RECURSION));
}

/* Loops over messages that are in a macro, called in others. */
static uint64_t call_degree(struct check *c, const struct macro *m)
{
	uint8_t around = template_degree(c), all = degree_add(around, m->degree);
	struct macro *here = c->scope != 0 ? &c->macros[c->scope - 1] : NULL;

	if (here != NULL && all > here->degree) {
		here->degree = all;
		c->moved = true;
	}
	return template_unseen(around, m->degree);
}

/* Called in a loop that does not go over what the macro was given, it goes down into the same part each time, or into as many. */
static void note_spread(struct check *c)
{
	struct macro *here = &c->macros[c->scope - 1];
	uint64_t turns = 1, spread = 1;

	for (unsigned i = c->n_blocks; i-- > 0 && c->blocks[i].tag != TAG_MACRO;)
		if (c->blocks[i].tag == TAG_FOR && c->blocks[i].iterated.descent == DESCENT_NONE)
			turns = size_mul(turns, size_most(c->blocks[i].iterated.n.count, 1));
	for (unsigned i = 0; i < LEVELS; i++)
		spread = size_mul(spread, turns);
	for (unsigned i = 0; i < c->n_macros; i++) /* of the circle */
		if (&c->macros[i] == here || (c->macros[i].calls >> (c->scope - 1) & 1) != 0) {
			c->moved |= spread > c->macros[i].spread;
			c->macros[i].spread = size_most(c->macros[i].spread, spread);
		}
}

/* A call within a circle of calls that goes on with a part of what the macro was given comes to an end, and is counted where the
 * circle is entered.  Of one that does not, the work is counted: once is no harm, for the renderer's stack ends it; twice or in
 * a loop, it doubles with each pass. */
static void check_hidden(struct check *c, const struct arguments *a, const uint8_t *at)
{
	if (template_hides_call(c, a->all))
		template_call_hidden(c, at);
}

static struct trait call_macro(struct check *c, uint32_t n, const struct arguments *a, const uint8_t *at)
{
	struct trait v;
	struct macro *m = &c->macros[n];
	bool circle = is_circle(c, m);
	bool spared = c->cells.huge != 0 && !c->spares && !is_given_huge(a);
	struct amount cost = spared ? m->spared : m->cost;
	uint64_t size = PART_SIZE, times = !circle && template_calls_itself(c, m) ? template_recursion(c, m) : 1;

	give_arguments(c, n, a, circle);
	if (c->cells.all)
		template_long_call(c, m, a, at);
	if (a->starred) {
		spend_arguments(c, a, at);
		check_hidden(c, a, at);
	}
	if (!circle)
		m->entered = size_add(m->entered, template_times(c));
	if (circle && descends_into(c, n, a)) {
		c->macros[c->scope - 1].descents += c->turns > 1 ? 2 : 1;
		if (++c->macros[c->scope - 1].going.parts > PARTS_MAX)
			template_too_much(c, at);
		template_descend(c, at);
		note_spread(c);
		times = 0;
	}
	c->rounds |= circle && times > 0;
	if (!circle)
		times = size_mul(times, call_degree(c, m));
	if (times > 0) {
		template_spend(c, size_mul(cost.count, times), at);
		size = size_mul(cost.size, times);
	}
	for (uint32_t scope = c->scope; scope != 0; scope = c->macros[scope - 1].around)
		c->macros[scope - 1].calls |= UINT64_C(1) << n;
	v = trait_composed(size);
	v.root = m->spared.size < HUGE_COUNT ? a->all.root : 0; /* it is long with what it is given */
	return v;
}

bool template_is_macro(const struct check *c, struct bytes word)
{
	for (unsigned i = 0; i < c->n_macros; i++)
		if (bytes_equal(c->macros[i].name, word))
			return true;
	return false;
}

static struct trait call_macros(struct check *c, struct bytes word, const struct arguments *a)
{
	struct trait all = trait_composed(0);

	for (uint32_t i = 0; i < c->n_macros; i++)
		if (bytes_equal(c->macros[i].name, word))
			all = trait_join(all, call_macro(c, i, a, word.at));
	return all;
}

void template_close_calls(struct check *c)
{
	for (unsigned k = 0; k < c->n_macros; k++)
		for (unsigned i = 0; i < c->n_macros; i++)
			if ((c->macros[i].calls >> k & 1) != 0)
				c->macros[i].calls |= c->macros[k].calls;
}

/* -- functions -- */

static void store_callables(struct check *c, const struct arguments *a)
{
	for (unsigned i = 0; i < a->n; i++)
		if ((a->of[i].v.self & IS_ANY_CALLABLE) != 0)
			template_set_field(c, a->of[i].keyword, a->of[i].v, CELL_NONE);
	if (((a->all.self | a->all.deep) & IS_ANY_CALLABLE) != 0 &&
	    (a->starred || (a->all.deep & IS_ANY_CALLABLE) != 0))
		template_set_field(c, bytes_of(NULL, 0), (struct trait){ .self = IS_CALLABLE }, CELL_NONE);
}

static struct trait call_dict(struct check *c, const struct arguments *a)
{
	struct trait v = trait_container(a->all);

	store_callables(c, a);
	v.n = amount_join(v.n, trait_any(a->all).n); /* dict(x) */
	v.deep |= keyword_kinds(a);
	return v;
}

static struct trait call_namespace(struct check *c, const struct arguments *a)
{
	uint32_t space = c->making;

	if (c->made_at == NULL)
		c->made_at = c->now.raw.at;
	for (unsigned i = 0; i < a->n; i++) {
		if (a->of[i].keyword.n > 0)
			template_set_field(c, a->of[i].keyword, a->of[i].v, space);
		else
			template_set_field(c, a->of[i].keyword, template_parts(c, a->of[i].v, false), CELL_NONE);
	}
	if (a->starred)
		template_set_field(
		    c, bytes_of(NULL, 0), trait_join(trait_any(a->all), template_parts(c, a->all, false)), CELL_NONE);
	return (struct trait){ .self = IS_SPACE, .n = a->all.n };
}

static struct trait call_range(struct check *c, const struct arguments *a, const uint8_t *at)
{
	uint64_t most = a->starred ? SIZE_CAP : a->all.n.most;

	if (most > COUNT_MAX)
		template_found(c, RULE_DOS, at);
	return (struct trait){ .self = IS_COPY,
		.root = a->all.root,
		.n = { .size = NUMBER_SIZE,
		    .count = most,
		    .most = most,
		    .items = most,
		    .degree = a->all.n.deeper,
		    .deeper = a->all.n.deeper } };
}

static struct trait call_time(struct check *c, const struct arguments *a, const uint8_t *at)
{
	bool composed = (a->all.self & IS_COMPOSED) != 0, literal = a->n == 1 && !a->starred && a->of[0].is_literal;
	uint64_t size = size_add(a->all.n.size, 1);
	struct trait v = trait_composed(composed ? SIZE_CAP : size_mul(size, WIDTH_MAX));

	if (literal) /* what has no width of its own */
		v = trait_composed(size_add(size_mul(size, DATE_SIZE), template_format_width(a->of[0].literal)));
	if (literal && template_literal_is_date(a->of[0].literal))
		v.self = IS_TEXT | IS_WRITTEN; /* {'Monday': ...}[strftime_now('%A')] */
	template_spend(c, size_mul(size, DIRECTIVE), at);
	template_made(c, v, at);
	return v;
}

/* The body of a call block. */
static struct trait call_caller(struct check *c, const struct arguments *a, const uint8_t *at)
{
	struct trait all = trait_any(a->all);

	all.self |= a->all.deep | keyword_kinds(a);
	template_join(c, FLOW_GIVEN, all);
	template_spend(c, c->called_work, at);
	c->called_entered = size_add(c->called_entered, template_times(c));
	for (unsigned i = 0; i < c->n_macros && c->cells.all; i++)
		if (c->macros[i].name.n == 0)
			template_long_call(c, &c->macros[i], a, at);
	if (c->any_caller)
		return trait_anything();
	return trait_composed(c->flows[FLOW_CALLED].v.n.size);
}

static struct trait call_function(struct check *c, struct bytes word, const struct arguments *a)
{
	struct trait v;

	check_hidden(c, a, word.at);
	spend_arguments(c, a, word.at);
	template_spend(c, OBJECT, word.at);
	if (template_word_is(word, "range"))
		return call_range(c, a, word.at);
	if (template_word_is(word, "dict"))
		return call_dict(c, a);
	if (template_word_is(word, "namespace"))
		return call_namespace(c, a);
	if (template_word_is(word, "cycler"))
		return trait_container(a->all);
	if (template_word_is(word, "joiner")) {
		v = trait_container(a->all);
		v.self = IS_JOINER;
		return v;
	}
	if (template_word_is(word, "raise_exception"))
		return trait_number(0);
	if (template_word_is(word, "strftime_now"))
		return call_time(c, a, word.at);
	if (template_word_is(word, "tojson"))
		return trait_composed(size_mul(size_add(a->all.n.size, 2), 6));
	if (template_word_is(word, "caller") && c->scope != 0)
		return call_caller(c, a, word.at);
	return call_unknown(c, a, word.at);
}

struct trait template_call_name(struct check *c, struct bytes word)
{
	struct arguments a;
	struct trait v = template_read(c, word);
	bool function = template_word_is_function(word), macro = template_is_macro(c, word);

	template_arguments(c, &a);
	if (v.self == IS_JOINER)
		return (struct trait){ .self = v.deep | IS_TEXT, .deep = v.deep, .n = v.n };
	if (template_is_assigned(c, word))
		return call_unknown(c, &a, word.at);
	if (macro && function)
		(void)call_function(c, word, &a);
	if (macro)
		return call_macros(c, word, &a);
	return function ? call_function(c, word, &a) : call_unknown(c, &a, word.at);
}

/* -- methods -- */

/* A function of the template's own under a method's name. */
static bool is_stored(const struct check *c, struct bytes word)
{
	uint32_t named = cells_find(&c->cells, CELL_FIELD, 0, word);
	uint32_t any = cells_find(&c->cells, CELL_FIELD, 0, bytes_of(NULL, 0));

	return (named != CELL_NONE && c->cells.cells[named].called) || (any != CELL_NONE && c->cells.cells[any].called);
}

/* Something else under a method's name: of a mapping under one that mappings do not have, of a namespace under any. */
static bool may_hold_it(const struct check *c, struct trait of, struct bytes word)
{
	struct trait in = template_settled(c, of);

	if (template_hides_call(c, of))
		return true;
	return (of.self & (IS_MADE | IS_OUTSIDE)) != 0 && (in.deep & IS_ANY_CALLABLE) != 0 &&
	       !template_word_is_of_mappings(word);
}

/* sort(key=f) calls f; `reverse` is a number. */
static bool calls_back(struct bytes word, const struct arguments *a)
{
	if (!template_word_is(word, "sort"))
		return false;
	for (unsigned i = 0; i < a->n; i++)
		if (!template_word_is(a->of[i].keyword, "reverse"))
			return true;
	return a->starred;
}

struct trait template_call_method(struct check *c, struct trait of, struct bytes word, const uint8_t *at)
{
	const struct effect_word *method = template_word_method(word);
	bool loop = of.self == (IS_LOOP | IS_OWN | IS_CALLABLE) &&
		    (template_word_is(word, "cycle") || template_word_is(word, "changed"));
	struct arguments a;
	struct trait v;

	template_arguments(c, &a);
	if (calls_back(word, &a))
		template_found_word(c, RULE_INTROSPECTION, word);
	if (calls_back(word, &a) || method == NULL || is_stored(c, word) || may_hold_it(c, of, word) ||
	    ((of.self & IS_CLASS) != 0 && !loop))
		return call_unknown(c, &a, at);
	check_hidden(c, &a, at);
	if ((of.self & IS_OUTSIDE) != 0 && template_word_changes(word)) /* the renderer's own messages */
		template_found_word(c, RULE_UNPROVABLE, word);
	v = template_effect(c, method, of, &a, at);
	v.root = template_root_of(of, a.all);
	template_made(c, v, at);
	return v;
}
