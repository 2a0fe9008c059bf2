/* Which names appear twice: see names.h. */
#include <assert.h>
#include <stdint.h>

#include "names.h"

/* A slot holds the number of a name plus one, in as many bits as the last one needs, and above them what room there is
 * for its hash, so that a probe seldom touches a name that differs. */
struct table {
	uint32_t *slots;
	size_t mask;          /* of a place in the table */
	uint32_t number_mask; /* of the number in a slot */
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

static uint32_t hash_of(const struct names *names, size_t i)
{
	struct json_text name;

	if (names->hashes != NULL)
		return names->hashes[i * names->hash_stride];
	name = names->at(names->ctx, (uint32_t)i);
	return names_hash(&name, &names->seed);
}

static bool same_name(const struct names *names, uint32_t i, uint32_t k)
{
	struct json_text a = names->at(names->ctx, i), b = names->at(names->ctx, k);

	return json_text_equal(&a, &b);
}

static inline void table_put(const struct table *t, const struct names *names, uint32_t hash, uint32_t i)
{
	uint32_t hash_bits = hash & ~t->number_mask, slot;
	size_t at = hash & t->mask;

	for (; (slot = t->slots[at]) != 0; at = (at + 1) & t->mask) {
		uint32_t earlier = (slot & t->number_mask) - 1;

		if ((slot & ~t->number_mask) == hash_bits && same_name(names, earlier, i)) {
			names->twice(names->ctx, i, earlier);
			break;
		}
	}
	t->slots[at] = hash_bits | (i + 1);
}

static void table_fill(const struct table *t, const struct names *names, size_t n)
{
	uint32_t hashes[AHEAD];

	for (size_t i = 0; i < n + AHEAD; i++) {
		size_t k = i % AHEAD;

		if (i >= AHEAD && i - AHEAD < n)
			table_put(t, names, hashes[k], (uint32_t)(i - AHEAD));
		if (i < n) {
			hashes[k] = hash_of(names, i);
			__builtin_prefetch(&t->slots[hashes[k] & t->mask], 1);
		}
	}
}

/* Few names meet in a table on the stack. */
#define FEW 32

static void check_few(const struct names *names, size_t n)
{
	uint32_t slots[2 * FEW] = { 0 };

	table_fill(&(struct table){ .slots = slots, .mask = 2 * FEW - 1, .number_mask = 2 * FEW - 1 }, names, n);
}

bool names_check(const struct names *names, size_t n, struct arena *arena)
{
	struct table t;

	assert(n < UINT32_MAX / 2);
	if (n < 2)
		return true;
	if (n <= FEW) {
		check_few(names, n);
		return true;
	}
	t.mask = table_size(n) - 1;
	t.number_mask = (uint32_t)t.mask; /* the table has more places than there are names */
	t.slots = arena_resize(arena, NULL, t.mask + 1, sizeof(*t.slots));
	if (t.slots == NULL)
		return false;
	table_fill(&t, names, n);
	arena_release(arena, t.slots);
	return true;
}
