/* Who calls whom: do any go round in circles, and what do some of them come to? */
#pragma once

#include "arena.h"

#include <stdint.h>

struct call_edge {
	uint32_t from, to; /* below the number of callers */
};

/**
 * call_graph_circles() - how many of n callers are in a circle, or called from one
 * @edges: in any order.  Linear.
 * Return: false when the arena is spent.
 */
bool call_graph_circles(struct arena *a, uint32_t n, const struct call_edge *edges, uint32_t n_edges, uint32_t *ret);

/**
 * call_graph_reach() - who is called, directly or not
 * @reached: n of them; true of those to begin from, and then of everything that they call.  Linear.
 * Return: false when the arena is spent.
 */
bool call_graph_reach(struct arena *a, uint32_t n, const struct call_edge *edges, uint32_t n_edges, bool *reached);
