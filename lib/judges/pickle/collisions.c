/* Which keys meet in a hash table: CPython's way through one, by the hashes of hashes.c.
 *
 * Strings are hashed with a seed, so only numbers and what is made of them can be chosen to meet.  Even small integers can: a
 * lookup goes from slot to slot by i -> 5i + 1 once the bits of the hash are used up (Objects/dictobject.c, "perturb"), so
 * keys that lie along that way are all met, again and again, by one key that enters it.  So the table is filled as CPython
 * fills it, slot by slot, and what is counted is what a lookup meets. */
#include "cost.h"

#include "checked.h"

#define PERTURB_SHIFT 5
#define LINEAR_PROBES 9 /* of sets: Objects/setobject.c */
#define TABLE_LOG2_MAX 24u
#define EMPTY UINT64_MAX
#define UNKNOWN_FEW 1024u /* keys of which nothing is known; or that share of all */
#define UNKNOWN_SHARE 8u

struct collisions {
	uint64_t *slots;
	unsigned log2;
	uint64_t n;
	uint64_t
	    unseen; /* keys that are not in the table: their hashes are nobody's choice, or they came before it was made */
	uint64_t equal; /* keys of a hash that was there: the same key, or another one */
	bool set;
	uint64_t met; /* by all keys together: what entering them into another table costs again */
	bool lost;    /* no memory: each key meets all others */
};

/* How large a dict or set of so many keys is, as it grew: Objects/dictobject.c, GROWTH_RATE; Objects/setobject.c,
 * set_add_entry(). */
static unsigned log2_of_table(bool set, uint64_t keys)
{
	unsigned log2 = 3;

	for (;;) {
		uint64_t size = UINT64_C(1) << log2, room = set ? (size - 1) * 3 / 5 : size * 2 / 3, wanted;

		if (keys <= room || log2 >= TABLE_LOG2_MAX)
			return log2;
		wanted = !set ? room * 3 : room > 50000 ? room * 2 : room * 4;
		while (UINT64_C(1) << log2 <= wanted)
			log2++;
	}
}

static struct collisions *table_of(struct pickle *p, pickle_value container)
{
	struct collisions *c;
	uint64_t known;

	if (object_map_get(&p->cost.tables, container, &known))
		return (struct collisions *)(uintptr_t)known;
	c = arena_alloc(p->arena, 1, sizeof(*c));
	if (c == NULL || !object_map_put(&p->cost.tables, container, (uintptr_t)c))
		return NULL;
	return c;
}

/* Along a run of slots; true: to its end, a free slot or an equal hash. */
static bool follow(const struct collisions *c, uint64_t hash, uint64_t *i, uint64_t run, uint64_t *met)
{
	for (;; (*i)++) {
		if (c->slots[*i] == EMPTY || c->slots[*i] == hash)
			return true;
		(*met)++;
		if (run-- == 0)
			return false;
	}
}

/* Enters a hash, unless an equal one is there: *ret_equal.  Return: the entries met. */
static uint64_t place(struct collisions *c, uint64_t hash, uint64_t most, bool *ret_equal)
{
	uint64_t mask = (UINT64_C(1) << c->log2) - 1, i = hash & mask, perturb = hash, met = 0;

	while (met < most) {
		uint64_t run = c->set && i + LINEAR_PROBES <= mask ? LINEAR_PROBES : 0;

		if (follow(c, hash, &i, run, &met))
			break;
		i -= run;
		perturb >>= PERTURB_SHIFT;
		i = (i * 5 + perturb + 1) & mask;
	}
	*ret_equal = c->slots[i] == hash;
	if (c->slots[i] == EMPTY)
		c->slots[i] = hash;
	return met;
}

/* A larger table, and every key entered again: as CPython does, at the same cost. */
static uint64_t grow(struct pickle *p, struct collisions *c, unsigned log2)
{
	uint64_t *old = c->slots, met = 0, n = c->n;
	bool equal;
	uint64_t old_n = old != NULL ? UINT64_C(1) << c->log2 : 0;

	c->slots = arena_resize_raw(p->arena, NULL, (size_t)1 << log2, sizeof(*c->slots));
	if (c->slots == NULL) {
		c->lost = true; /* for good */
	} else {
		c->log2 = log2;
		memset(c->slots, 0xff, sizeof(*c->slots) << log2);
		for (uint64_t i = 0; i < old_n && met < COST_STEPS_BASE; i++)
			if (old[i] != EMPTY)
				met += place(c, old[i], COST_STEPS_BASE, &equal);
	}
	c->n = n;
	arena_release(p->arena, old);
	return met;
}

/* Too many of them to say how large CPython's table is: each key may meet all others. */
static bool is_lost(const struct collisions *c)
{
	uint64_t few = c->n / UNKNOWN_SHARE > UNKNOWN_FEW ? c->n / UNKNOWN_SHARE : UNKNOWN_FEW;

	return c->lost || c->unseen > few || c->equal > few;
}

/* Ints of one word are what their hash is; of other keys of equal hashes nobody knows whether they are the same. */
static bool is_its_hash(const struct pickle *p, pickle_value key)
{
	int64_t n;

	return pickle_int(p, key, &n) && (n < 0 ? 0 - (uint64_t)n : (uint64_t)n) < HASH_MODULUS;
}

static uint64_t enter(
    struct pickle *p, struct collisions *c, pickle_value key, uint64_t hash, uint64_t keys, uint64_t *ret_equal)
{
	uint64_t met = 0;
	bool equal = false, full;
	unsigned log2;

	*ret_equal = 0;
	if (c->slots == NULL && !c->lost)
		c->unseen = keys > WIDE_MANY ? keys - WIDE_MANY : 0;
	log2 = log2_of_table(c->set, c->n + c->unseen + 1);
	if (!c->lost && (c->slots == NULL || log2 > c->log2))
		met = grow(p, c, log2);
	full = c->slots == NULL || c->n + 1 >= UINT64_C(1) << c->log2; /* nobody counts them one by one */
	if (full || is_lost(c))
		met += c->n + c->unseen + c->equal;
	if (!full)
		met += place(c, hash == EMPTY ? EMPTY - 1 : hash, COST_STEPS_BASE * 2, &equal);
	if (equal && !is_its_hash(p, key))
		*ret_equal = ++c->equal;
	c->n += !equal;
	c->met += met + *ret_equal * 2;
	return met + *ret_equal;
}

uint64_t collision_enter(
    struct pickle *p, pickle_value container, pickle_value key, uint64_t hash, uint64_t keys, uint64_t *ret_equal)
{
	struct collisions *c = table_of(p, container);

	*ret_equal = 0;
	if (c == NULL)
		return COST_STEPS_BASE;
	c->set = kind_of(container) == PICKLE_SET || kind_of(container) == PICKLE_FROZENSET;
	return enter(p, c, key, hash, keys, ret_equal);
}

/* Protocols below 4 write a set as a list and a call.  Of the list at work, if it is one of integers, it is known what they
 * meet in the set: `met`; of any other it is not. */
static void list_begin(struct pickle *p, pickle_value list)
{
	if (p->cost.listed == NULL)
		p->cost.listed = arena_alloc(p->arena, 1, sizeof(*p->cost.listed));
	if (p->cost.listed == NULL)
		return;
	arena_release(p->arena, p->cost.listed->slots);
	*p->cost.listed = (struct collisions){ .set = true };
	p->cost.list = list;
	p->cost.list_n = 0;
}

void collision_list(struct pickle *p, pickle_value list, const pickle_value *items, uint32_t n, uint32_t had)
{
	uint64_t hash, equal;

	if (had == 0 && n > WIDE_MANY && collision_hash_int(p, items[0], &hash))
		list_begin(p, list);
	if (p->cost.listed == NULL || p->cost.list != list || p->cost.list_n != had)
		return;
	for (uint32_t i = 0; i < n && p->cost.listed->met < COST_STEPS_BASE; i++) {
		if (!collision_hash_int(p, items[i], &hash))
			return; /* fewer than it has: not known */
		(void)enter(p, p->cost.listed, items[i], hash, 0, &equal);
		p->cost.list_n++;
	}
}

bool collision_list_met(const struct pickle *p, pickle_value list, uint64_t *ret)
{
	bool known = p->cost.listed != NULL && p->cost.list == list && p->cost.list_n != UINT64_MAX &&
		     (node_of(p, list)->flags & IS_DISORDERED) == 0;

	*ret = known ? p->cost.listed->met : 0;
	if (*ret >= COST_STEPS_BASE) /* nobody counted on */
		*ret = COST_BOUNDLESS;
	return known && (*ret == COST_BOUNDLESS || p->cost.list_n == node_of(p, list)->count);
}

void collision_skip(struct pickle *p, pickle_value container)
{
	uint64_t known;

	if (object_map_get(&p->cost.tables, container, &known))
		((struct collisions *)(uintptr_t)known)->unseen++;
}

uint64_t collision_met(const struct pickle *p, pickle_value container)
{
	uint64_t known;

	return object_map_get(&p->cost.tables, container, &known) ? ((const struct collisions *)(uintptr_t)known)->met
								  : 0;
}

void collisions_forget(struct pickle *p)
{
	object_map_clear(&p->cost.tables);
	p->cost.list_n = UINT64_MAX; /* none */
}
