/* The memo: any key, the latest value wins.  Keys that an honest pickler writes are below the number of opcodes, so they
 * index an array; the others go to a table with a keyed hash, for they are the attacker's choice. */
#include <string.h>

#include "machine.h"

#define SPARSE_LEAST 64u

static uint32_t slot_of(const struct pickle *p, uint64_t key)
{
	const struct memo *m = &p->memo;
	uint32_t at = (uint32_t)siphash13(&key, sizeof(key), &p->options.seed) & (m->sparse_room - 1);

	while (m->sparse[at].value != PICKLE_NO_VALUE && m->sparse[at].key != key)
		at = (at + 1) & (m->sparse_room - 1);
	return at;
}

static void sparse_clear(struct memo_entry *table, uint32_t room)
{
	for (uint32_t i = 0; i < room; i++)
		table[i].value = PICKLE_NO_VALUE;
}

static bool sparse_grow(struct pickle *p)
{
	struct memo *m = &p->memo;
	struct memo_entry *old = m->sparse;
	uint32_t old_room = m->sparse_room, room = old_room > 0 ? old_room * 2 : SPARSE_LEAST;
	void *table = NULL;

	if (!machine_resize(p, &table, 0, room * sizeof(*m->sparse)))
		return false;
	sparse_clear(table, room);
	m->sparse = table;
	m->sparse_room = room;
	for (uint32_t i = 0; i < old_room; i++)
		if (old[i].value != PICKLE_NO_VALUE)
			m->sparse[slot_of(p, old[i].key)] = old[i];
	arena_release(p->arena, old);
	p->held -= old_room * sizeof(*old);
	return true;
}

static bool sparse_put(struct pickle *p, uint64_t key, pickle_value v)
{
	struct memo *m = &p->memo;
	uint32_t at;

	if (m->sparse_n >= m->sparse_room / 2 && !sparse_grow(p))
		return end_walk(p, PICKLE_LIMIT_MEMORY);
	at = slot_of(p, key);
	if (m->sparse[at].value == PICKLE_NO_VALUE) {
		m->sparse_n++;
		m->entries++;
	}
	m->sparse[at] = (struct memo_entry){ .key = key, .value = v };
	return true;
}

static bool dense_reach(struct pickle *p, uint32_t key)
{
	struct memo *m = &p->memo;
	void *dense = m->dense;

	if (key >= m->dense_room) {
		uint32_t room = key + key / 2 + 256;

		if (!machine_resize(p, &dense, m->dense_room * sizeof(*m->dense), room * sizeof(*m->dense))) {
			room = key + key / 16 + 1;
			if (!machine_resize(p, &dense, m->dense_room * sizeof(*m->dense), room * sizeof(*m->dense)))
				return end_walk(p, PICKLE_LIMIT_MEMORY);
		}
		m->dense = dense;
		m->dense_room = room;
	}
	while (m->dense_n <= key)
		m->dense[m->dense_n++] = PICKLE_NO_VALUE;
	return true;
}

/* What is not an overwritten dense slot.  A key is in one of the two at most, and stays where it is. */
bool memo_put_slow(struct pickle *p, uint64_t key, pickle_value v)
{
	struct memo *m = &p->memo;

	if (m->sparse_n > 0 && m->sparse[slot_of(p, key)].value != PICKLE_NO_VALUE)
		return sparse_put(p, key, v);
	if (key > p->opcodes + MEMO_SLACK) {
		note(p, PICKLE_NOTE_MEMO_INDEX, key);
		return sparse_put(p, key, v);
	}
	if (key >= m->dense_n && !dense_reach(p, (uint32_t)key))
		return false;
	m->dense[key] = v;
	m->entries++;
	return true;
}

pickle_value memo_get_slow(const struct pickle *p, uint64_t key)
{
	const struct memo *m = &p->memo;

	return m->sparse_n > 0 ? m->sparse[slot_of(p, key)].value : PICKLE_NO_VALUE;
}

void memo_reset(struct memo *m)
{
	m->dense_n = 0;
	m->entries = 0;
	if (m->sparse_n > 0)
		sparse_clear(m->sparse, m->sparse_room);
	m->sparse_n = 0;
}
