/* Texts told apart: each distinct one kept once and numbered in the order in which they came.  Whole texts are compared,
 * so that no two are taken for one; the hash that finds them is keyed, for the texts are the attacker's. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "bytes.h"
#include "siphash.h"

#define INTERN_NONE UINT32_MAX

struct interned {
	uint32_t at, n; /* in the run of all texts */
	uint32_t hash;
	uint32_t value[2]; /* the caller's own; 0 to begin with */
};

/* 20 bytes a text, 8 to 16 of table, and the text; each in a block that doubles as it fills. */
struct intern {
	struct arena *arena; /* borrowed */
	struct siphash_key seed;
	uint8_t *text;
	size_t text_n, text_capacity;
	struct interned *list;
	size_t n, capacity;
	uint32_t *slots; /* a number plus one, or 0 */
	size_t n_slots;  /* a power of two, at least twice n; or 0 */
};

void intern_init(struct intern *t, struct arena *arena, struct siphash_key seed);
/* Gives the memory back; then it is empty, as after intern_init(). */
void intern_done(struct intern *t);

/* Return: the text's number; INTERN_NONE when it is not there. */
uint32_t intern_find(const struct intern *t, struct bytes text);

/**
 * intern_add() - the number of a text, which is added if it is new
 * @ret: a new one's is t->n before the call.
 * Return: false when the arena is spent, or after 2^31 texts or 2^32 bytes of them.
 */
bool intern_add(struct intern *t, struct bytes text, uint32_t *ret);

/* Valid until the next intern_add(). */
static inline struct bytes intern_text(const struct intern *t, uint32_t id)
{
	return bytes_of(t->text + t->list[id].at, t->list[id].n);
}
