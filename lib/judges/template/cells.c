/* The names of a template: see cells.h. */
#include "cells.h"

#include "cost.h"

void cells_init(struct cells *t, struct arena *a, struct siphash_key seed)
{
	*t = (struct cells){ .arena = a, .seed = seed };
}

void cells_done(struct cells *t)
{
	arena_release(t->arena, t->cells);
	arena_release(t->arena, t->slots);
}

static uint32_t *slot_of(const struct cells *t, enum cell_role role, uint32_t scope, struct bytes text)
{
	const struct siphash_key key = { .k0 = t->seed.k0 ^ ((uint64_t)scope << 8 | (uint64_t)role), .k1 = t->seed.k1 };
	uint32_t i = (uint32_t)siphash13(text.at, text.n, &key) & t->slot_mask;

	for (;; i = (i + 1) & t->slot_mask) {
		const struct cell *at = t->slots[i] != 0 ? &t->cells[t->slots[i] - 1] : NULL;

		if (at == NULL || (at->role == role && at->scope == scope && bytes_equal(at->text, text)))
			return &t->slots[i];
	}
}

uint32_t cells_find(const struct cells *t, enum cell_role role, uint32_t scope, struct bytes text)
{
	return t->slots == NULL ? CELL_NONE : *slot_of(t, role, scope, text) - 1; /* 0 - 1 is none */
}

/* At most half of the slots are taken. */
static bool grow_slots(struct cells *t)
{
	uint32_t slots = t->slots == NULL ? 256 : (t->slot_mask + 1) * 2, *table;

	if (t->slots != NULL && t->n < slots / 4)
		return true;
	table = arena_resize(t->arena, NULL, slots, sizeof(*table));
	if (table == NULL)
		return false;
	arena_release(t->arena, t->slots);
	t->slots = table;
	t->slot_mask = slots - 1;
	for (uint32_t i = 0; i < t->n; i++)
		*slot_of(t, t->cells[i].role, t->cells[i].scope, t->cells[i].text) = i + 1;
	return true;
}

static bool grow_cells(struct cells *t)
{
	uint32_t more = t->capacity == 0 ? 64 : t->capacity * 2;
	struct cell *moved;

	if (t->n < t->capacity)
		return true;
	moved = arena_resize(t->arena, t->cells, more, sizeof(*moved));
	if (moved == NULL)
		return false;
	t->cells = moved;
	t->capacity = more;
	return true;
}

uint32_t cells_get(struct cells *t, enum cell_role role, uint32_t scope, struct bytes text)
{
	uint32_t found = cells_find(t, role, scope, text);

	if (found != CELL_NONE || t->full || t->out_of_memory)
		return found;
	if (t->n == CELLS_MAX) {
		t->full = true;
		return CELL_NONE;
	}
	if (!grow_slots(t) || !grow_cells(t)) {
		t->out_of_memory = true;
		return CELL_NONE;
	}
	t->cells[t->n] = (struct cell){ .text = text, .scope = scope, .role = (uint8_t)role };
	*slot_of(t, role, scope, text) = t->n + 1;
	return t->n++;
}

bool trait_grow(struct trait *to, struct trait v)
{
	struct trait both = trait_join(*to, v);
	bool news = both.self != to->self || both.deep != to->deep || both.descent != to->descent;

	*to = both;
	return news;
}

/* What it may be, however large. */
static struct cell *assign_kinds(struct cells *t, uint32_t cell, struct trait v)
{
	struct cell *c = &t->cells[cell];

	if (!c->assigned || c->relearn)
		c->v.descent = v.descent;
	c->relearn = false;
	t->changed |= !c->assigned || (v.n.huge & ~c->v.n.huge) != 0;
	c->assigned = true;
	v.n = c->v.n;
	t->changed |= trait_grow(&c->v, v);
	return c;
}

void cells_assign(struct cells *t, uint32_t cell, struct trait v, uint64_t turns)
{
	struct cell *c;

	if (cell == CELL_NONE)
		return;
	c = assign_kinds(t, cell, v);
	c->growth.turns = size_most(c->growth.turns, turns);
	c->base = amount_join(c->base, v.n);
	c->v.n = amount_join(c->v.n, amount_add(c->base, c->added));
}

void cells_add(struct cells *t, uint32_t cell, struct trait v, struct amount more, uint64_t turns)
{
	struct cell *c;

	if (cell == CELL_NONE)
		return;
	c = assign_kinds(t, cell, v);
	c->adding.size = size_add(c->adding.size, size_mul(more.size, turns));
	c->adding.count = size_add(c->adding.count, size_mul(more.count, turns));
	c->adding.items = size_add(c->adding.items, size_mul(more.items, turns));
	c->base.most = size_most(c->base.most, v.n.most);
	c->base.rows = size_most(c->base.rows, v.n.rows);
	c->base.degree = degree_most(c->base.degree, degree_most(v.n.degree, more.degree));
	c->base.deeper = degree_most(c->base.deeper, v.n.deeper);
	c->base.huge |= v.n.huge;
	c->v.n.most = size_most(c->v.n.most, v.n.most);
	c->v.n.rows = size_most(c->v.n.rows, v.n.rows);
}

static uint64_t size_least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

bool amount_is_huge(struct amount n)
{
	return n.huge != 0 || n.size >= HUGE_COUNT || n.count > HUGE_ITEMS || n.most > HUGE_ITEMS ||
	       n.rows > HUGE_ITEMS;
}

struct amount amount_of_items(struct amount n)
{
	if ((n.huge & 1) == 0)
		return n;
	n.count = n.count == HUGE_COUNT ? HUGE_ITEMS : n.count;
	n.items = n.items == HUGE_COUNT ? HUGE_ITEMS : n.items;
	return n;
}

struct amount amount_but_text(struct trait v, uint64_t outside)
{
	uint64_t most = (v.n.huge & 1) != 0 ? HUGE_ITEMS : OUTSIDE_COUNT;

	if (trait_is_text(v))
		return (struct amount){ 0 };
	if ((v.self & IS_ANY_TEXT) == 0 || (v.self & (IS_MADE | IS_SPACE)) != 0)
		return v.n;
	v.n = amount_of_items(v.n);
	return (struct amount){ size_least(v.n.size, outside), size_least(v.n.count, most),
		size_least(v.n.most, OUTSIDE_COUNT), size_least(v.n.items, most), size_least(v.n.rows, OUTSIDE_COUNT),
		v.n.degree, v.n.deeper, v.n.huge };
}

void cells_give(struct cells *t, uint32_t cell, struct trait v, uint64_t turns)
{
	struct cell *c;

	cells_assign(t, cell, v, turns);
	if (cell == CELL_NONE)
		return;
	c = &t->cells[cell];
	c->given = true;
	c->given_growth.turns = size_most(c->given_growth.turns, turns);
	c->else_growth.turns = c->given_growth.turns;
	c->taken = amount_join(c->taken, v.n);
	c->taken_else = amount_join(c->taken_else, amount_but_text(v, t->outside));
}

void cells_widen(struct cells *t, uint32_t cell)
{
	struct cell *c = &t->cells[cell];

	c->now = amount_join(c->now, c->v.n);
	c->now_else = amount_join(c->now_else, amount_but_text(c->v, t->outside));
}

void cells_relearn(struct cells *t)
{
	for (uint32_t i = 0; i < t->n; i++) {
		t->cells[i].relearn = true;
		t->cells[i].v.descent = DESCENT_NONE;
		t->cells[i].v.n = t->cells[i].taken = t->cells[i].taken_else = (struct amount){ 0 };
		t->cells[i].base = t->cells[i].adding = t->cells[i].added = (struct amount){ 0 };
		t->cells[i].growth = t->cells[i].given_growth = t->cells[i].else_growth = (struct growth){ .turns = 0 };
	}
}
