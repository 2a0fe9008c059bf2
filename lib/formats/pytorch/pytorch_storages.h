/* The storages of a checkpoint, as its pickle describes them: found by key, listed in the order of their first use. */
#pragma once

#include "arena.h"
#include "pytorch_types.h"
#include "siphash.h"

#define TORCH_STORAGE_NONE UINT32_MAX

struct torch_storage {
	struct bytes key;              /* decimal digits; in the arena */
	const struct torch_type *type; /* of its class; NULL: a class nobody knows */
	const struct torch_type *view; /* what a tensor takes the bytes of an untyped storage for; NULL: none did */
	bool untyped;
	uint64_t numel;        /* elements; of an untyped storage bytes */
	struct bytes location; /* in the arena */
	struct bytes name;     /* of the first tensor that is named; empty: none */
	const uint64_t *shape; /* of the first tensor that is all of it, row by row; in the arena; NULL: none is */
	unsigned rank;         /* dimensions in shape */
	const struct tensor_view *views; /* all tensors of it, for who converts (convert.h); in the arena */
	uint64_t offset;                 /* of its first persistent id, in the run of the pickle */
	/* The container's. */
	bool stored;    /* its bytes were found */
	uint64_t place; /* where they begin, when nothing else says it */
};

struct torch_storages {
	struct arena *arena;
	struct siphash_key seed;
	struct torch_storage *list;
	size_t n, capacity;
	uint32_t *slots; /* open addressing: index + 1 */
	size_t n_slots;
};

void torch_storages_init(struct torch_storages *s, struct arena *a, struct siphash_key seed);

/* Index of the storage with this key; TORCH_STORAGE_NONE: none.  O(1). */
uint32_t torch_storages_find(const struct torch_storages *s, struct bytes key);

/**
 * torch_storages_add() - a storage whose key is new
 * @key, @location: copied.
 * Return: the storage, zeroed but for these two; NULL when the arena is spent.  Moves the list.
 */
struct torch_storage *torch_storages_add(struct torch_storages *s, struct bytes key, struct bytes location);

/* Bytes it takes; false: unknown, or the count wraps. */
bool torch_storage_bytes(const struct torch_storage *s, uint64_t *ret);

/* What to examine its bytes as; WLK_DTYPE_NONE: nothing. */
enum wlk_dtype torch_storage_dtype(const struct torch_storage *s);
