/* The graph of a template's names: see text_flow.h. */
#include "text_flow.h"

void template_names_init(struct template_names *g, struct arena *a, struct siphash_key seed)
{
	*g = (struct template_names){ .arena = a, .seed = seed };
}

void template_names_done(struct template_names *g)
{
	arena_release(g->arena, g->names);
	arena_release(g->arena, g->flows);
	arena_release(g->arena, g->slots);
}

/* Room for one more row.  Return: the table, maybe moved; NULL (and why) without. */
static void *room(struct template_names *g, void *table, uint32_t n, uint32_t *capacity, uint32_t most, size_t row)
{
	uint32_t more = *capacity == 0 ? 64 : *capacity * 2;
	void *moved;

	if (n < *capacity)
		return table;
	if (n == most) {
		g->full = true;
		return NULL;
	}
	moved = arena_resize(g->arena, table, more, row);
	if (moved == NULL)
		g->out_of_memory = true;
	else
		*capacity = more;
	return moved;
}

static uint32_t *slot_of(struct template_names *g, enum name_role role, struct bytes text)
{
	const struct siphash_key key = { .k0 = g->seed.k0 ^ (uint64_t)role, .k1 = g->seed.k1 };
	uint32_t i = (uint32_t)siphash13(text.at, text.n, &key) & g->slot_mask;

	for (;; i = (i + 1) & g->slot_mask) {
		const struct template_name *at = g->slots[i] != 0 ? &g->names[g->slots[i] - 1] : NULL;

		if (at == NULL || (at->role == role && bytes_equal(at->text, text)))
			return &g->slots[i];
	}
}

/* At most half of the slots are taken. */
static bool grow_slots(struct template_names *g)
{
	uint32_t slots = g->slots == NULL ? 256 : (g->slot_mask + 1) * 2;

	if (g->slots != NULL && g->n < slots / 4)
		return true;
	arena_release(g->arena, g->slots);
	g->slots = arena_resize(g->arena, NULL, slots, sizeof(*g->slots));
	if (g->slots == NULL) {
		g->out_of_memory = true;
		return false;
	}
	g->slot_mask = slots - 1;
	for (uint32_t i = 0; i < g->n; i++)
		if (g->names[i].role < NAME_LOCAL)
			*slot_of(g, g->names[i].role, g->names[i].text) = i + 1;
	return true;
}

static uint32_t add(struct template_names *g, const struct template_name *row)
{
	struct template_name *table = room(g, g->names, g->n, &g->capacity, NAMES_MAX, sizeof(*g->names));

	if (table == NULL)
		return NAME_NONE;
	g->names = table;
	g->names[g->n] = *row;
	g->names[g->n].meaning = g->n;
	return g->n++;
}

uint32_t template_names_get(struct template_names *g, enum name_role role, struct bytes text)
{
	uint32_t *slot, n;

	if (g->full || g->out_of_memory || !grow_slots(g))
		return NAME_NONE;
	slot = slot_of(g, role, text);
	if (*slot != 0)
		return *slot - 1;
	n = add(g, &(struct template_name){ .text = text, .role = (uint8_t)role });
	if (n != NAME_NONE)
		*slot = n + 1;
	return n;
}

uint32_t template_names_new(struct template_names *g, enum name_role role, const uint8_t *place)
{
	if (g->full || g->out_of_memory)
		return NAME_NONE;
	return add(g, &(struct template_name){ .place = place, .role = (uint8_t)role });
}

void template_names_flow(struct template_names *g, uint32_t from, uint32_t to, bool joins)
{
	struct flow *table;

	if (from == NAME_NONE || to == NAME_NONE || g->full || g->out_of_memory)
		return;
	table = room(g, g->flows, g->n_flows, &g->flow_capacity, FLOWS_MAX, sizeof(*g->flows));
	if (table == NULL)
		return;
	g->flows = table;
	g->flows[g->n_flows] = (struct flow){ .to = to, .next = g->names[from].first_flow, .joins = joins };
	g->names[from].first_flow = ++g->n_flows;
}

void template_names_hold(struct template_names *g, uint32_t name, unsigned holds)
{
	if (name != NAME_NONE)
		g->names[name].holds |= (uint8_t)holds;
}

/* What `from` holds reaches `to`.  Return: true when that is news. */
static bool reach(struct template_names *g, const struct template_name *from, const struct flow *f)
{
	unsigned holds = from->holds;
	struct template_name *to = &g->names[f->to];

	if (f->joins && (holds & HOLDS_TEXT) != 0)
		holds |= HOLDS_COMPOSED;
	if ((holds & ~(unsigned)to->holds) == 0)
		return false;
	to->holds |= (uint8_t)holds;
	return true;
}

/* A name is looked at again only when it has come to hold more, which it can twice. */
bool template_names_settle(struct template_names *g)
{
	uint32_t *queue, n = 0;

	if (g->n == 0)
		return true;
	queue = arena_resize(g->arena, NULL, g->n, sizeof(*queue));
	if (queue == NULL)
		return false;
	for (uint32_t i = 0; i < g->n; i++)
		if (g->names[i].holds != 0) {
			g->names[i].queued = true;
			queue[n++] = i;
		}
	while (n > 0) {
		uint32_t at = queue[--n];

		g->names[at].queued = false;
		for (uint32_t f = g->names[at].first_flow; f != 0; f = g->flows[f - 1].next) {
			uint32_t to = g->flows[f - 1].to;

			if (reach(g, &g->names[at], &g->flows[f - 1]) && !g->names[to].queued) {
				g->names[to].queued = true;
				queue[n++] = to;
			}
		}
	}
	arena_release(g->arena, queue);
	return true;
}
