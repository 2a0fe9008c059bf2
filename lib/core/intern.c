/* Texts told apart: see intern.h. */
#include "intern.h"

#include "checked.h"

#define FIRST 16u
#define TEXT_FIRST 256u

void intern_init(struct intern *t, struct arena *arena, struct siphash_key seed)
{
	*t = (struct intern){ .arena = arena, .seed = seed };
}

void intern_done(struct intern *t)
{
	arena_release(t->arena, t->text);
	arena_release(t->arena, t->list);
	arena_release(t->arena, t->slots);
	intern_init(t, t->arena, t->seed);
}

static uint32_t hash_of(const struct intern *t, struct bytes text)
{
	return (uint32_t)siphash13(text.n > 0 ? text.at : (const uint8_t *)"", text.n, &t->seed);
}

/* Where the text's number stands, or would. */
static size_t slot_of(const struct intern *t, struct bytes text, uint32_t hash)
{
	size_t mask = t->n_slots - 1, at = hash & mask;
	uint32_t slot;

	for (; (slot = t->slots[at]) != 0; at = (at + 1) & mask) {
		if (t->list[slot - 1].hash == hash && bytes_equal(intern_text(t, slot - 1), text))
			break;
	}
	return at;
}

uint32_t intern_find(const struct intern *t, struct bytes text)
{
	uint32_t slot;

	if (t->n == 0)
		return INTERN_NONE;
	slot = t->slots[slot_of(t, text, hash_of(t, text))];
	return slot != 0 ? slot - 1 : INTERN_NONE;
}

/* A larger table for the same texts, which are known to differ. */
static bool grow_slots(struct intern *t)
{
	size_t n = t->n_slots == 0 ? 2 * FIRST : 2 * t->n_slots, mask = n - 1;
	uint32_t *slots = arena_resize(t->arena, NULL, n, sizeof(*slots));

	if (slots == NULL)
		return false;
	for (uint32_t i = 0; i < t->n; i++) {
		size_t at = t->list[i].hash & mask;

		while (slots[at] != 0)
			at = (at + 1) & mask;
		slots[at] = i + 1;
	}
	arena_release(t->arena, t->slots);
	t->slots = slots;
	t->n_slots = n;
	return true;
}

static bool grow_list(struct intern *t)
{
	size_t capacity = t->capacity == 0 ? FIRST : 2 * t->capacity;
	struct interned *list = arena_resize_raw(t->arena, t->list, capacity, sizeof(*list));

	if (list == NULL)
		return false;
	t->list = list;
	t->capacity = capacity;
	return true;
}

static bool grow_text(struct intern *t, size_t needed)
{
	size_t capacity = t->text_capacity == 0 ? TEXT_FIRST : t->text_capacity;
	uint8_t *text;

	while (capacity < needed)
		capacity *= 2; /* needed is below 2^32 */
	text = arena_resize_raw(t->arena, t->text, capacity, 1);
	if (text == NULL)
		return false;
	t->text = text;
	t->text_capacity = capacity;
	return true;
}

static bool room_for(struct intern *t, struct bytes text)
{
	size_t needed;

	if (t->n >= UINT32_MAX / 2 || !add_size(t->text_n, text.n, &needed) || needed > UINT32_MAX)
		return false;
	return (t->n < t->n_slots / 2 || grow_slots(t)) && (t->n < t->capacity || grow_list(t)) &&
	       ((t->text != NULL && needed <= t->text_capacity) || grow_text(t, needed));
}

bool intern_add(struct intern *t, struct bytes text, uint32_t *ret)
{
	uint32_t hash = hash_of(t, text);
	size_t at;

	if (!room_for(t, text))
		return false;
	at = slot_of(t, text, hash);
	if (t->slots[at] == 0) {
		bytes_copy(t->text + t->text_n, text);
		t->list[t->n] = (struct interned){ .at = (uint32_t)t->text_n, .n = (uint32_t)text.n, .hash = hash };
		t->text_n += text.n;
		t->slots[at] = (uint32_t)++t->n;
	}
	*ret = t->slots[at] - 1;
	return true;
}
