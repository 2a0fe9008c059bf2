/* Memory for one scan, with a budget.  Readers take from it and have nothing to free; one number bounds them
 * whatever a file claims.  Everything ends together in arena_done(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "work.h"

struct arena_block;

struct arena {
	size_t budget; /* bytes that may be handed out, block headers included */
	size_t used;
	bool exhausted;             /* a request was refused; stays set */
	struct arena_block *blocks; /* newest first */
	struct arena_block *chunk;  /* the one small requests share */
	struct scan_work work;      /* no memory, but the scan's too */
};

void arena_init(struct arena *a, size_t budget_bytes);
void arena_done(struct arena *a);

/* Raise the budget once a bound is known (the safetensors header brings its own).  Never lowers it. */
void arena_raise_budget(struct arena *a, size_t budget_bytes);

/* Count memory that a library allocates on the scan's behalf (digest states) against the budget.
 * Return: false, and a->exhausted, when it does not fit. */
bool arena_charge(struct arena *a, size_t bytes);

/**
 * arena_alloc() - n zeroed items of size bytes each, aligned for any type
 * Return: memory that lives until arena_done(); NULL (and a->exhausted) when n*size wraps, the budget is spent
 * or the system has no memory.  n*size == 0 returns a valid pointer to nothing.
 */
void *arena_alloc(struct arena *a, size_t n, size_t size);

/**
 * arena_resize() - grow or shrink what arena_resize() returned before (or NULL), keeping its content
 * @n, @size: the new length; bytes beyond the old length are zero.
 * For tables that grow: a block of its own, so that realloc can move pages instead of bytes.
 * Return: the block, maybe moved; NULL (old block still valid, a->exhausted set) on refusal.
 */
void *arena_resize(struct arena *a, void *old, size_t n, size_t size);

/* As arena_resize(), but bytes beyond the old length hold anything: for a table whose rows are written whole, so that
 * pages nobody reaches are never touched. */
void *arena_resize_raw(struct arena *a, void *old, size_t n, size_t size);

/* Give back a block of arena_resize() early; NULL is fine. */
void arena_release(struct arena *a, void *block);
