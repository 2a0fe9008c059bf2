/* Heaps of an HDF5 file: local ones hold the names of old groups, global ones strings of variable length.  Sections 4.2 and
 * 4.3 of formats/keras-hdf5. */
#include <string.h>

#include "checked.h"
#include "h5.h"
#include "siphash.h"

#define NO_FREE_SPACE 1u

enum { GAP_HEAD = 16 };

/* A chain of gaps, each with the place of the next and its size; they cannot be more than there is room for. */
static bool is_free_list(const struct h5_names *names, uint64_t free)
{
	for (uint64_t left = names->n; free != NO_FREE_SPACE;) {
		uint64_t bytes;

		if (free >= names->n || names->n - free < GAP_HEAD)
			return false;
		bytes = load_u64le(names->at + free + 8);
		if (bytes < GAP_HEAD || bytes > names->n - free || bytes > left)
			return false;
		left -= bytes;
		memset(names->rest + free, 0, GAP_HEAD);
		free = load_u64le(names->at + free);
	}
	return true;
}

/* Where the data segment is, and its free space. */
static bool read_local_head(struct h5 *h, uint64_t address, struct h5_names *ret, uint64_t *ret_at, uint64_t *ret_free)
{
	uint8_t *head = h5_read(h, address, 32, "local heap");

	if (head == NULL)
		return false;
	ret->n = load_u64le(head + 8);
	*ret_free = load_u64le(head + 16);
	*ret_at = load_u64le(head + 24);
	if (memcmp(head, "HEAP\0", 5) != 0 || ret->n == 0 || ret->n > H5_CHUNK_MAX)
		return h5_break(h, WLK_F_H5_STRUCTURE, address, "local heap");
	h5_release(h, head);
	return h5_claim(h, address, 32);
}

bool h5_open_names(struct h5 *h, uint64_t address, struct h5_names *ret)
{
	uint64_t at, free;

	*ret = (struct h5_names){ 0 };
	if (!read_local_head(h, address, ret, &at, &free))
		return false;
	ret->at = h5_read(h, at, ret->n, "local heap");
	if (ret->at == NULL || !h5_claim(h, at, ret->n))
		return false;
	ret->rest = arena_resize_raw(h->l->arena, NULL, ret->n > 0 ? (size_t)ret->n : 1, 1);
	if (ret->rest == NULL)
		return h5_stop(h);
	bytes_copy(ret->rest, bytes_of(ret->at, (size_t)ret->n));
	return is_free_list(ret, free) || h5_break(h, WLK_F_H5_HEAP, address, "free space");
}

void h5_close_names(struct h5 *h, struct h5_names *names)
{
	if (names->rest != NULL)
		h5_count_slack(h, names->rest, names->n);
	h5_release(h, names->rest);
	h5_release(h, names->at);
}

/* -- global heaps -- */

enum { COLLECTION_HEAD = 16, OBJECT_HEAD = 16 };

static uint32_t *string_slot(struct h5 *h, uint64_t collection, uint32_t index)
{
	uint32_t mask = 2 * h->strings_room - 1, i;
	uint8_t key[12];

	store_u64le(key, collection);
	store_u32le(key + 8, index);
	for (i = (uint32_t)siphash13(key, sizeof(key), &h->l->seed) & mask; h->string_index[i] != 0;
	     i = (i + 1) & mask) {
		const struct h5_string *s = &h->strings[h->string_index[i] - 1];

		if (s->collection == collection && s->index == index)
			break;
	}
	return &h->string_index[i];
}

static bool grow_strings(struct h5 *h)
{
	uint32_t room = h->strings_room > 0 ? h->strings_room * 2 : 64;
	struct h5_string *strings = arena_resize_raw(h->l->arena, h->strings, room, sizeof(*strings));
	uint32_t *index = strings != NULL ? arena_resize(h->l->arena, NULL, 2 * (size_t)room, sizeof(*index)) : NULL;

	if (strings != NULL)
		h->strings = strings;
	if (index == NULL)
		return h5_stop(h);
	arena_release(h->l->arena, h->string_index);
	h->string_index = index;
	h->strings_room = room;
	for (uint32_t i = 0; i < h->n_strings; i++)
		*string_slot(h, h->strings[i].collection, h->strings[i].index) = i + 1;
	return true;
}

/* Each number once. */
static bool add_string(struct h5 *h, const struct h5_string *s)
{
	uint32_t *slot;

	if (h->n_strings == H5_STRINGS_MAX)
		return h5_break(h, WLK_F_H5_LIMIT, s->collection, "strings");
	if (h->n_strings == h->strings_room && !grow_strings(h))
		return false;
	slot = string_slot(h, s->collection, s->index);
	if (*slot != 0)
		return h5_break(h, WLK_F_H5_HEAP, s->at, "an object's number is given twice");
	h->strings[h->n_strings++] = *s;
	*slot = h->n_strings;
	return true;
}

static void count_left(struct h5 *h, const struct cursor *c)
{
	h5_count_slack(h, c->base + (c->pos - c->origin), cur_left(c));
}

/* Objects follow each other to the end of the collection, the last of them free space (whose size includes its head). */
static bool read_objects(struct h5 *h, uint64_t collection, struct cursor *c)
{
	while (cur_left(c) >= OBJECT_HEAD) {
		struct h5_string s = { .collection = collection };
		uint16_t id, references;

		if (!cur_u16le(c, &id) || !cur_u16le(c, &references) || !cur_skip(c, 4) || !cur_u64le(c, &s.n))
			return h5_break(h, WLK_F_H5_HEAP, c->pos, "global heap");
		s.at = c->pos;
		s.index = id;
		if (id == 0) {
			count_left(h, c);
			return (s.n >= OBJECT_HEAD && s.n - OBJECT_HEAD == cur_left(c)) ||
			       h5_break(h, WLK_F_H5_HEAP, c->pos, "free space");
		}
		if (!cur_skip(c, s.n) || !cur_skip(c, (8 - s.n % 8) % 8))
			return h5_break(h, WLK_F_H5_HEAP, s.at, "global heap");
		if (!add_string(h, &s))
			return false;
	}
	return true;
}

static bool read_collection(struct h5 *h, uint64_t address)
{
	uint8_t *head = h5_read(h, address, COLLECTION_HEAD, "global heap"), *all;
	uint64_t n;
	struct cursor c;
	bool read;

	if (head == NULL)
		return false;
	n = load_u64le(head + 8);
	if (memcmp(head, "GCOL\1", 5) != 0 || n < COLLECTION_HEAD || n > H5_COLLECTION_MAX)
		return h5_break(h, WLK_F_H5_HEAP, address, "global heap");
	h5_release(h, head);
	all = h5_read(h, address, n, "global heap");
	if (all == NULL || !h5_claim(h, address, n) ||
	    !add_string(h, &(struct h5_string){ .collection = address, .at = address, .n = n }))
		return false;
	c = cur_over(bytes_of(all, (size_t)n), address);
	cur_skip(&c, COLLECTION_HEAD);
	read = read_objects(h, address, &c);
	h5_release(h, all);
	return read;
}

static struct h5_string *find(struct h5 *h, uint64_t collection, uint32_t index)
{
	uint32_t i = h->strings_room > 0 ? *string_slot(h, collection, index) : 0;

	return i > 0 ? &h->strings[i - 1] : NULL;
}

struct h5_string *h5_find_global(struct h5 *h, uint64_t collection, uint32_t index)
{
	struct h5_string *s;

	if (find(h, collection, 0) == NULL && !read_collection(h, collection))
		return NULL;
	s = index > 0 ? find(h, collection, index) : NULL;
	if (s == NULL)
		h5_break(h, WLK_F_H5_HEAP, collection, "no object of this number");
	return s;
}
