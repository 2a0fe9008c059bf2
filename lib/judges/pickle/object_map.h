/* What is remembered of objects while their pickle is walked: a table from handles to numbers.  Handles are the
 * machine's, not the file's: their order cannot be chosen to collide. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "pickle.h"

struct object_map {
	struct arena *arena; /* borrowed */
	struct object_entry *slots;
	size_t n_slots, n; /* a power of two; in use */
};

void object_map_init(struct object_map *m, struct arena *a);
/* False when the arena is spent. */
bool object_map_put(struct object_map *m, pickle_value v, uint64_t number);
bool object_map_get(const struct object_map *m, pickle_value v, uint64_t *ret);
/* Handles mean nothing beyond their stream. */
void object_map_clear(struct object_map *m);
/* Gives its memory back; it is empty then. */
void object_map_release(struct object_map *m);
