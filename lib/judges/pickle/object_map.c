/* Implements object_map.h: open addressing, at most half full. */
#include "object_map.h"

#include <string.h>

#define SLOTS_MIN 64

struct object_entry {
	pickle_value value; /* PICKLE_NO_VALUE: free */
	uint64_t number;
};

void object_map_init(struct object_map *m, struct arena *a)
{
	*m = (struct object_map){ .arena = a };
}

void object_map_release(struct object_map *m)
{
	arena_release(m->arena, m->slots);
	*m = (struct object_map){ .arena = m->arena };
}

void object_map_clear(struct object_map *m)
{
	if (m->n > 0)
		for (size_t i = 0; i < m->n_slots; i++)
			m->slots[i].value = PICKLE_NO_VALUE;
	m->n = 0;
}

/* Its slot, or the free one where it belongs. */
static struct object_entry *find(struct object_entry *slots, size_t n_slots, pickle_value v)
{
	size_t i = (size_t)((v * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (n_slots - 1);

	while (slots[i].value != PICKLE_NO_VALUE && slots[i].value != v)
		i = (i + 1) & (n_slots - 1);
	return &slots[i];
}

static bool grow(struct object_map *m)
{
	size_t n_slots = m->n_slots == 0 ? SLOTS_MIN : m->n_slots * 2;
	struct object_entry *slots = arena_resize(m->arena, NULL, n_slots, sizeof(*slots));

	if (slots == NULL)
		return false;
	for (size_t i = 0; i < n_slots; i++)
		slots[i].value = PICKLE_NO_VALUE;
	for (size_t i = 0; i < m->n_slots; i++)
		if (m->slots[i].value != PICKLE_NO_VALUE)
			*find(slots, n_slots, m->slots[i].value) = m->slots[i];
	arena_release(m->arena, m->slots);
	m->slots = slots;
	m->n_slots = n_slots;
	return true;
}

bool object_map_put(struct object_map *m, pickle_value v, uint64_t number)
{
	struct object_entry *e;

	if (m->n >= m->n_slots / 2 && !grow(m))
		return false;
	e = find(m->slots, m->n_slots, v);
	m->n += e->value == PICKLE_NO_VALUE;
	*e = (struct object_entry){ .value = v, .number = number };
	return true;
}

bool object_map_get(const struct object_map *m, pickle_value v, uint64_t *ret)
{
	const struct object_entry *e;

	if (m->n == 0)
		return false;
	e = find(m->slots, m->n_slots, v);
	if (e->value == PICKLE_NO_VALUE)
		return false;
	*ret = e->number;
	return true;
}
