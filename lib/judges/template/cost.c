/* What rendering costs: see cost.h. */
#include "cost.h"

#include "template_impl.h"

/* -- sizes -- */

/* What is long may be a text, of which letters are no items. */
static uint64_t items_of(struct trait v)
{
	bool text = (v.self & IS_MADE) == 0 || (v.self & IS_ANY_TEXT) != 0;

	return text ? amount_of_items(v.n).items : v.n.items;
}

uint64_t cost_weight(struct trait v)
{
	return (v.self & (IS_MADE | IS_SPACE)) != 0 ? size_add(v.n.size, size_mul(items_of(v), ITEM_SIZE)) : v.n.size;
}

uint64_t cost_largest(struct trait v)
{
	return (v.n.huge & 1) != 0 && v.n.count <= HUGE_COUNT ? v.n.most : size_most(v.n.count, v.n.most);
}

uint64_t cost_rows(struct trait v)
{
	return (v.n.huge & 1) != 0 && v.n.items <= HUGE_COUNT ? v.n.rows : size_most(v.n.items, v.n.rows);
}

void template_too_much(struct check *c, const uint8_t *at)
{
	if (c->costly == NULL && !c->cells.all) /* there, letters.c says so */
		c->costly = at;
}

void template_bound(struct check *c, struct trait v, const uint8_t *at)
{
	if (cost_weight(v) > (template_is_large(c) ? TEXT_LARGE_MAX : TEXT_MAX))
		template_too_much(c, at);
}

void template_bound_number(struct check *c, struct trait v, const uint8_t *at)
{
	if (v.self == 0 && v.n.count == SIZE_CAP)
		template_too_much(c, at);
}

/* -- work -- */

static uint64_t work_max(const struct check *c)
{
	return c->cells.many          ? WORK_MANY_MAX
	       : c->cells.huge != 0   ? WORK_HUGE_MAX
	       : template_is_large(c) ? WORK_LARGE_MAX
				      : WORK_MAX;
}

void template_spend(struct check *c, uint64_t work, const uint8_t *at)
{
	c->work = size_add(c->work, size_mul(c->turns, work));
	if (c->work > work_max(c))
		template_too_much(c, at);
}

void template_compile(struct check *c, uint64_t work, const uint8_t *at)
{
	c->compiled = size_add(c->compiled, work);
	if (c->compiled > work_max(c))
		template_too_much(c, at);
}

/* What is made of literals is made when the template is compiled, in macros that nobody calls and in all branches as well. */
static void spend_once(struct check *c, uint64_t work, const uint8_t *at)
{
	template_spend(c, work, at);
	template_compile(c, work, at);
}

void template_made(struct check *c, struct trait v, const uint8_t *at)
{
	template_computed(c, v, c->names, at);
}

/* Of what is long.  Lists are copied item by item, not what is in them. */
static uint64_t copied(struct trait v)
{
	bool list = (v.self & IS_MADE) != 0 && (v.self & (IS_ANY_TEXT | IS_SPACE)) == 0;

	return list ? size_mul(v.n.items, ITEM_SIZE) : cost_weight(v) / COPIED;
}

void template_computed(struct check *c, struct trait v, unsigned names, const uint8_t *at)
{
	template_bound(c, v, at);
	spend_once(c, c->cells.huge != 0 ? copied(v) : cost_weight(v), at);
	if (names == c->names && cost_weight(v) > CONSTANT_SIZE)
		c->constants = size_add(c->constants, cost_weight(v));
	if (c->constants > CONSTANTS_MAX && !template_is_large(c))
		template_too_much(c, at);
}

/* What is compared ends where one of them does; what is searched is gone over whole. */
void template_compare(struct check *c, struct trait a, struct trait b, bool within, const uint8_t *at)
{
	uint64_t left = cost_weight(a), right = cost_weight(b);

	if (c->cells.all && within)
		template_long_work(c, b, SEARCH_RATE, at);

	template_spend(c, within ? size_mul(size_add(left, right), SEARCH_RATE) : left < right ? left : right, at);
}

/* Who writes a long message does not write it to make a filter slow. */
static uint64_t square_of(const struct check *c, const struct cost *cost, struct trait v, uint64_t weight)
{
	if (c->cells.huge != 0 && (v.self & (uint32_t) ~(IS_OUTSIDE | IS_WHOLE)) == IS_TEXT)
		return 0;
	return size_mul(size_mul(weight, weight), c->cells.huge != 0 ? cost->square : cost->square > 0);
}

void template_charge(
    struct check *c, const struct cost *cost, struct trait v, const struct arguments *a, const uint8_t *at)
{
	uint64_t weight = size_add(cost_weight(v), cost_weight(a->all));
	uint64_t items = (v.self & (IS_MADE | IS_OUTSIDE)) != 0 ? items_of(v) : 0, each;
	uint64_t letters = trait_may_be_text(v) && !c->cells.many ? v.n.count / LETTERS : 0;

	if (c->cells.all && !cost->affix)
		template_long_work(c, v, cost->rate, at);
	if (cost->affix) {
		weight = cost_weight(a->all);
		items = letters = 0;
	}
	if (cost->search)
		spend_once(c, size_mul(cost_weight(v), a->all.n.size), at);
	each = size_mul(size_most(items, letters), cost->each);
	weight = size_most(weight, size_mul(items, ITEM_SIZE)); /* range(9) has nine items, however it is written */
	spend_once(c, size_add(size_most(size_mul(weight, cost->rate), each), square_of(c, cost, v, weight)), at);
}

uint64_t template_times(const struct check *c)
{
	return c->scope == 0 ? c->turns : size_mul(c->turns, c->macros[c->scope - 1].total);
}

/* Unless it is once for each part, it is as often at each level. */
void template_descend(struct check *c, const uint8_t *at)
{
	if (c->turns > DESCENTS_MAX && c->cells.huge == 0)
		template_too_much(c, at);
}

static bool is_recursive(const struct check *c)
{
	return c->scope != 0 && template_calls_itself(c, &c->macros[c->scope - 1]);
}

/* What the renderer gives is counted small, for much of it is looked at once.  It is not where all of it is looked at for each
 * item of it and each again, nor where the template counts far for each letter. */
uint64_t template_turns(const struct check *c, struct trait v)
{
	uint64_t turns = size_most(v.n.count, 1);
	unsigned whole = 0, parts = 0;

	if (c->cells.many && (v.n.huge & 1) != 0 && turns == HUGE_ITEMS)
		return MESSAGE_PARTS;
	if (c->cells.huge != 0) /* it is counted as it is */
		return turns;
	for (unsigned i = 0; i < c->n_blocks; i++) {
		uint32_t kinds = c->blocks[i].tag == TAG_FOR ? c->blocks[i].iterated.self & (IS_OUTSIDE | IS_WHOLE) : 0;

		whole += (kinds & IS_WHOLE) != 0;
		parts += kinds == IS_OUTSIDE;
	}
	if ((v.self & IS_WHOLE) != 0 && whole >= 2)
		return size_mul(turns, UNSEEN);
	turns = size_mul(turns, template_unseen(template_degree(c), v.n.degree));
	if ((v.self & IS_OUTSIDE) != 0)
		return turns;
	return turns > (parts > 0            ? MANY_TIMES
			   : is_recursive(c) ? RECURSIVE_TURNS
					     : SIZE_CAP)
		   ? size_mul(turns, UNSEEN)
		   : turns;
}

uint8_t template_degree(const struct check *c)
{
	uint8_t degree = 0;

	for (unsigned i = 0; i < c->n_blocks; i++)
		if (c->blocks[i].tag == TAG_MACRO || c->blocks[i].tag == TAG_CALL)
			degree = 0;
		else if (c->blocks[i].tag == TAG_FOR)
			degree = degree_add(degree, c->blocks[i].iterated.n.degree);
	return degree;
}

/* The fourth power of the messages, and each further one. */
static unsigned beyond(uint8_t degree)
{
	return degree >= DEGREES_MAX ? degree - DEGREES_MAX + 1u : 0;
}

uint64_t template_unseen(uint8_t around, uint8_t inside)
{
	unsigned more = beyond(degree_add(around, inside)) - beyond(around) - beyond(inside);
	uint64_t times = 1;

	for (; more > 0 && times < SIZE_CAP; more--)
		times = size_mul(times, UNSEEN);
	return times;
}

/* -- growth -- */

/* What grew by more than was counted for each turn of what it stands in, grows by as much with each. */
static bool settle(uint64_t *now, uint64_t *before, uint64_t *step, const struct growth *g, bool widen)
{
	uint64_t more = *now - *before;
	bool less = *now < *before;

	if (less)
		*before = *now;
	if (more == 0 || less)
		return less;
	if (widen && more <= *step && g->turns <= g->counted && *now < SIZE_CAP) {
		*now = *before;
		return false;
	}
	if (widen) {
		*step = more;
		*now = size_add(*now, size_mul(more, g->turns > 0 ? g->turns - 1 : 0));
	}
	*before = *now;
	return true;
}

static bool settle_amount(struct amount *now, struct growth *g, bool widen)
{
	bool size = settle(&now->size, &g->before.size, &g->step.size, g, widen);
	bool count = settle(&now->count, &g->before.count, &g->step.count, g, widen);
	bool most = settle(&now->most, &g->before.most, &g->step.most, g, widen);
	bool items = settle(&now->items, &g->before.items, &g->step.items, g, widen);
	bool rows = settle(&now->rows, &g->before.rows, &g->step.rows, g, widen);

	if (widen)
		g->counted = g->turns;
	return size || count || most || items || rows;
}

/* What is added to a cell was summed up, each as often as it is done: if adding it once more adds no more than that, no order
 * and no number of turns does. */
static bool settle_cell(struct cell *cell, bool widen)
{
	bool more = cell->adding.size > cell->added.size || cell->adding.count > cell->added.count ||
		    cell->adding.items > cell->added.items;
	bool base = settle_amount(&cell->base, &cell->growth, widen);

	cell->added = amount_join(cell->added, cell->adding);
	cell->adding = (struct amount){ 0 };
	cell->v.n = amount_add(cell->base, cell->added);
	return base || more;
}

static void settle_calls(struct check *c)
{
	for (unsigned i = 0; i < c->n_macros; i++) {
		struct macro *m = &c->macros[i];
		uint64_t total = m->name.n == 0 ? c->called_entered : m->entered;

		for (unsigned k = 0; k < c->n_macros && template_calls_itself(c, m); k++) /* of its circle */
			if (k != i && (m->calls >> k & 1) != 0 && (c->macros[k].calls >> i & 1) != 0)
				total = size_add(total, c->macros[k].entered);
		total = size_most(size_mul(total, template_depth(c, m)), 1);
		c->cells.grown |= total > m->total;
		m->total = size_most(total, m->total);
		m->growth.turns = template_depth(c, m);
	}
	for (unsigned i = 0; i < c->n_macros; i++)
		c->macros[i].entered = 0;
	c->called_entered = 0;
}

void template_settle(struct check *c, bool widen)
{
	bool grown = false;
	settle_calls(c);
	for (unsigned i = 0; i < c->n_macros; i++)
		grown |= settle_amount(&c->macros[i].cost, &c->macros[i].growth, widen);
	for (unsigned i = 0; i < N_FLOWS; i++)
		grown |= settle_amount(&c->flows[i].v.n, &c->flows[i].growth, widen);
	for (uint32_t i = 0; i < c->cells.n; i++) {
		struct cell *cell = &c->cells.cells[i];

		grown |= settle_cell(cell, widen);
		grown |= settle_amount(&cell->taken, &cell->given_growth, widen);
		grown |= settle_amount(&cell->taken_else, &cell->else_growth, widen);
	}
	c->cells.grown |= grown;
}

/* -- in all -- */

static uint64_t memory(const struct check *c)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < c->cells.n; i++)
		all = size_add(all, cost_weight(c->cells.cells[i].v));
	for (unsigned i = FILLED_OWN; i <= FILLED_OUTSIDE; i++)
		all = size_add(all, cost_weight(c->flows[i].v));
	return all;
}

void template_total(struct check *c)
{
	if (c->cells.all)
		c->loose = false;
	else if (template_is_large(c) ? c->size > OUTPUT_LARGE_MAX : memory(c) > MEMORY_MAX || c->size > OUTPUT_MAX)
		template_too_much(c, c->text.at);
	if (c->loose) /* with {} it goes on as often as the template says, twice at each level */
		template_too_much(c, c->text.at);
	if (c->cells.many && (memory(c) > MEMORY_MANY_MAX || c->size > OUTPUT_MANY_MAX))
		template_too_much(c, c->text.at);
	if (c->costly != NULL)
		template_found(c, RULE_DOS, c->costly);
}
