/* Storages by key: see pytorch_storages.h. */
#include "pytorch_storages.h"

#include "checked.h"

#define CAPACITY_MIN 64

void torch_storages_init(struct torch_storages *s, struct arena *a, struct siphash_key seed)
{
	*s = (struct torch_storages){ .arena = a, .seed = seed };
}

/* The slot that holds the key, or the empty one where it belongs.  At most half of them are taken. */
static size_t slot_of(const struct torch_storages *s, struct bytes key)
{
	size_t mask = s->n_slots - 1;
	size_t at = (size_t)siphash13(key.at, key.n, &s->seed) & mask;

	while (s->slots[at] != 0 && !bytes_equal(s->list[s->slots[at] - 1].key, key))
		at = (at + 1) & mask;
	return at;
}

uint32_t torch_storages_find(const struct torch_storages *s, struct bytes key)
{
	uint32_t found = s->n_slots > 0 ? s->slots[slot_of(s, key)] : 0;

	return found > 0 ? found - 1 : TORCH_STORAGE_NONE;
}

static bool grow_slots(struct torch_storages *s, size_t n_slots)
{
	uint32_t *slots = arena_resize(s->arena, NULL, n_slots, sizeof(*slots));

	if (slots == NULL)
		return false;
	arena_release(s->arena, s->slots);
	s->slots = slots;
	s->n_slots = n_slots;
	for (size_t i = 0; i < s->n; i++)
		s->slots[slot_of(s, s->list[i].key)] = (uint32_t)i + 1;
	return true;
}

/* Room for one more. */
static bool grow(struct torch_storages *s)
{
	size_t capacity = s->capacity > 0 ? s->capacity * 2 : CAPACITY_MIN;
	struct torch_storage *list;

	if (s->n < s->capacity)
		return true;
	list = capacity < TORCH_STORAGE_NONE / 2 ? arena_resize(s->arena, s->list, capacity, sizeof(*list)) : NULL;
	if (list == NULL)
		return false;
	s->list = list;
	s->capacity = capacity;
	return grow_slots(s, capacity * 2);
}

static bool copy(struct arena *a, struct bytes from, struct bytes *ret)
{
	uint8_t *to = arena_alloc(a, from.n, 1);

	if (to == NULL)
		return false;
	bytes_copy(to, from);
	*ret = bytes_of(to, from.n);
	return true;
}

/* Nearly every storage was where the one before was. */
static bool copy_location(const struct torch_storages *s, struct bytes location, struct bytes *ret)
{
	if (s->n > 0 && bytes_equal(s->list[s->n - 1].location, location)) {
		*ret = s->list[s->n - 1].location;
		return true;
	}
	return copy(s->arena, location, ret);
}

struct torch_storage *torch_storages_add(struct torch_storages *s, struct bytes key, struct bytes location)
{
	struct torch_storage added = { 0 };

	if (!grow(s) || !copy(s->arena, key, &added.key) || !copy_location(s, location, &added.location))
		return NULL;
	s->slots[slot_of(s, key)] = (uint32_t)s->n + 1;
	s->list[s->n] = added;
	return &s->list[s->n++];
}

bool torch_storage_bytes(const struct torch_storage *s, uint64_t *ret)
{
	return s->type != NULL && mul_u64(s->numel, s->type->bytes, ret);
}

enum wlk_dtype torch_storage_dtype(const struct torch_storage *s)
{
	if (s->untyped)
		return s->view != NULL ? s->view->dtype : WLK_DTYPE_NONE;
	return s->type != NULL ? s->type->dtype : WLK_DTYPE_NONE;
}
