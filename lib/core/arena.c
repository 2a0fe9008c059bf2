/* The arena: see arena.h.  Small requests share chunks; large ones and tables that grow get a block of their
 * own, so that the C library can hand back fresh zero pages, and move pages instead of bytes. */
#include <assert.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "checked.h"

#define CHUNK_BYTES ((size_t)64 << 10)
#ifdef WLK_SANITIZED
#define CHUNK_SHARE ((size_t)1) /* every request its own block, so that ASan sees one byte too many */
#else
#define CHUNK_SHARE (CHUNK_BYTES / 8) /* larger requests would waste the rest of a chunk */
#endif

struct arena_block {
	struct arena_block *newer, *older;
	size_t size;  /* of data */
	size_t taken; /* by arena_alloc(), of a chunk */
	alignas(max_align_t) uint8_t data[];
};

void arena_init(struct arena *a, size_t budget_bytes)
{
	*a = (struct arena){ .budget = budget_bytes };
}

void arena_done(struct arena *a)
{
	for (struct arena_block *b = a->blocks; b != NULL;) {
		struct arena_block *older = b->older;

		free(b);
		b = older;
	}
	*a = (struct arena){ 0 };
}

void arena_raise_budget(struct arena *a, size_t budget_bytes)
{
	if (budget_bytes > a->budget)
		a->budget = budget_bytes;
}

bool arena_charge(struct arena *a, size_t bytes)
{
	if (bytes > a->budget - a->used) {
		a->exhausted = true;
		return false;
	}
	a->used += bytes;
	return true;
}

static void link_block(struct arena *a, struct arena_block *b)
{
	b->newer = NULL;
	b->older = a->blocks;
	if (b->older != NULL)
		b->older->newer = b;
	a->blocks = b;
}

static void unlink_block(struct arena *a, struct arena_block *b)
{
	if (b->older != NULL)
		b->older->newer = b->newer;
	if (b->newer != NULL)
		b->newer->older = b->older;
	else
		a->blocks = b->older;
}

/* Header and data; false when the sum wraps. */
static bool block_bytes(size_t data_bytes, size_t *ret)
{
	return add_size(data_bytes, sizeof(struct arena_block), ret);
}

enum fill { ZEROED, RAW };

static struct arena_block *new_block(struct arena *a, size_t data_bytes, enum fill fill)
{
	struct arena_block *b;
	size_t bytes;

	if (!block_bytes(data_bytes, &bytes) || !arena_charge(a, bytes))
		goto refuse;
	b = fill == ZEROED ? calloc(1, bytes) : malloc(bytes);
	if (b == NULL) {
		a->used -= bytes;
		goto refuse;
	}
	b->size = data_bytes;
	b->taken = 0;
	link_block(a, b);
	return b;
refuse:
	a->exhausted = true;
	return NULL;
}

/* A piece of the current chunk, or of a new one.  Zeroed as it is handed out: most scans need little of a chunk, and
 * a page nobody writes costs nothing. */
static void *alloc_shared(struct arena *a, size_t bytes)
{
	struct arena_block *b = a->chunk;
	void *at;

	bytes = (bytes + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
	if (b == NULL || bytes > b->size - b->taken) {
		b = new_block(a, CHUNK_BYTES, RAW);
		if (b == NULL)
			return NULL;
		a->chunk = b;
	}
	at = b->data + b->taken;
	b->taken += bytes;
	return memset(at, 0, bytes);
}

void *arena_alloc(struct arena *a, size_t n, size_t size)
{
	struct arena_block *b;
	size_t bytes;

	if (!mul_size(n, size, &bytes)) {
		a->exhausted = true;
		return NULL;
	}
	if (bytes < CHUNK_SHARE)
		return alloc_shared(a, bytes > 0 ? bytes : 1);
	b = new_block(a, bytes, ZEROED);
	return b != NULL ? b->data : NULL;
}

static struct arena_block *block_of(void *data)
{
	return (struct arena_block *)(void *)((uint8_t *)data - offsetof(struct arena_block, data));
}

/* Another length for a block of its own; it may move. */
static struct arena_block *resize_block(struct arena *a, struct arena_block *old, size_t data_bytes, enum fill fill)
{
	size_t old_bytes = old->size, bytes;
	struct arena_block *b;

	if (!block_bytes(data_bytes, &bytes))
		return NULL;
	if (data_bytes > old_bytes && data_bytes - old_bytes > a->budget - a->used)
		return NULL;
	unlink_block(a, old);
	b = realloc(old, bytes);
	if (b == NULL) {
		link_block(a, old);
		return NULL;
	}
	b->size = data_bytes;
	link_block(a, b);
	a->used = a->used - old_bytes + data_bytes;
	if (data_bytes > old_bytes && fill == ZEROED)
		memset(b->data + old_bytes, 0, data_bytes - old_bytes);
	return b;
}

static void *resize(struct arena *a, void *old, size_t n, size_t size, enum fill fill)
{
	struct arena_block *b = NULL;
	size_t bytes;

	if (mul_size(n, size, &bytes))
		b = old == NULL ? new_block(a, bytes, fill) : resize_block(a, block_of(old), bytes, fill);
	if (b == NULL) {
		a->exhausted = true;
		return NULL;
	}
	return b->data;
}

void *arena_resize(struct arena *a, void *old, size_t n, size_t size)
{
	return resize(a, old, n, size, ZEROED);
}

void *arena_resize_raw(struct arena *a, void *old, size_t n, size_t size)
{
	return resize(a, old, n, size, RAW);
}

void arena_release(struct arena *a, void *block)
{
	struct arena_block *b;

	if (block == NULL)
		return;
	b = block_of(block);
	unlink_block(a, b);
	a->used -= sizeof(*b) + b->size;
	free(b);
}
