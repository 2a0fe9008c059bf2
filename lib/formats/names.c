/* Which names appear twice: see names.h. */
#include <assert.h>
#include <stdint.h>

#include "names.h"

/* A slot holds the upper half of the hash and the number of the name plus one, so that a probe touches no name
 * unless 32 bits of a keyed hash agree. */
struct table {
	uint64_t *slots;
	size_t mask;
};

/* Slots are fetched this many names ahead: the table does not fit in cache, and one miss a name would cost more
 * than everything else a name costs. */
#define AHEAD 16

/* At most half full. */
static size_t table_size(size_t n)
{
	size_t size = 16;

	while (size / 2 < n)
		size *= 2;
	return size;
}

static uint64_t slot_of(uint64_t hash, uint32_t i)
{
	return (hash & ~UINT64_C(0xFFFFFFFF)) | (i + UINT64_C(1));
}

static bool slot_is(const struct names *names, uint64_t slot, uint64_t hash, uint32_t i)
{
	struct json_text a, b;

	if ((slot ^ hash) >> 32 != 0)
		return false;
	a = names->at(names->ctx, (uint32_t)(slot - 1));
	b = names->at(names->ctx, i);
	return json_text_equal(&a, &b);
}

static void table_put(const struct table *t, const struct names *names, uint64_t hash, uint32_t i)
{
	size_t at = hash & t->mask;

	for (; t->slots[at] != 0; at = (at + 1) & t->mask)
		if (slot_is(names, t->slots[at], hash, i)) {
			names->twice(names->ctx, i, (uint32_t)(t->slots[at] - 1));
			break;
		}
	t->slots[at] = slot_of(hash, i);
}

static void table_fill(const struct table *t, const struct names *names, size_t n)
{
	uint64_t hashes[AHEAD];

	for (size_t i = 0; i < n + AHEAD; i++) {
		size_t k = i % AHEAD;

		if (i >= AHEAD && i - AHEAD < n)
			table_put(t, names, hashes[k], (uint32_t)(i - AHEAD));
		if (i < n) {
			struct json_text name = names->at(names->ctx, (uint32_t)i);

			hashes[k] = json_text_hash(&name, &names->seed);
			__builtin_prefetch(&t->slots[hashes[k] & t->mask], 1);
		}
	}
}

bool names_check(const struct names *names, size_t n, struct arena *arena)
{
	struct table t;

	assert(n < UINT32_MAX / 2);
	if (n < 2)
		return true;
	t.mask = table_size(n) - 1;
	t.slots = arena_resize(arena, NULL, t.mask + 1, sizeof(*t.slots));
	if (t.slots == NULL)
		return false;
	table_fill(&t, names, n);
	arena_release(arena, t.slots);
	return true;
}
