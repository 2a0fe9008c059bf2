/* Numbers that are places in something else, seen as they go by. */
#pragma once

#include "pickle_arrays_impl.h"

struct pickle_places {
	const struct thing *array;
	int64_t last;
	uint64_t at; /* of the next one, in the array */
	uint64_t wrong_at;
	int64_t wrong;
	bool found;
};

void pickle_places_begin(struct pickle_places *s, const struct thing *array);
/* Whole numbers; false: they end inside one. */
bool pickle_places_feed(struct pickle_places *s, const uint8_t *at, size_t n);
/* The finding, if there is one. */
void pickle_places_end(const struct pickle_places *s, struct pickle_arrays *a);
