/* Circles of calls, and what calls come to: see call_graph.h. */
#include "call_graph.h"

struct graph {
	uint32_t *callers; /* of each, that are not done */
	uint32_t *first;   /* of each, among `to` */
	uint32_t *to, *queue;
};

static bool make_room(struct graph *g, struct arena *a, uint32_t n, uint32_t n_edges)
{
	g->callers = arena_resize(a, NULL, (size_t)n + 1, sizeof(*g->callers));
	g->first = arena_resize(a, NULL, (size_t)n + 2, sizeof(*g->first));
	g->to = arena_resize(a, NULL, (size_t)n_edges + 1, sizeof(*g->to));
	g->queue = arena_resize(a, NULL, (size_t)n + 1, sizeof(*g->queue));
	return g->callers != NULL && g->first != NULL && g->to != NULL && g->queue != NULL;
}

/* Edges in order of who calls: a counting sort. */
static void sort_edges(struct graph *g, uint32_t n, const struct call_edge *edges, uint32_t n_edges)
{
	for (uint32_t i = 0; i < n_edges; i++) {
		g->callers[edges[i].to]++;
		g->first[edges[i].from + 2]++;
	}
	for (uint32_t i = 2; i < n + 2; i++)
		g->first[i] += g->first[i - 1];
	for (uint32_t i = 0; i < n_edges; i++)
		g->to[g->first[edges[i].from + 1]++] = edges[i].to;
}

/* Kahn: those that nobody calls are done, and call nobody any more. */
static uint32_t count_done(struct graph *g, uint32_t n)
{
	uint32_t done = 0, end = 0;

	for (uint32_t i = 0; i < n; i++)
		if (g->callers[i] == 0)
			g->queue[end++] = i;
	for (; done < end; done++)
		for (uint32_t i = g->first[g->queue[done]]; i < g->first[g->queue[done] + 1]; i++)
			if (--g->callers[g->to[i]] == 0)
				g->queue[end++] = g->to[i];
	return done;
}

static void release(struct graph *g, struct arena *a)
{
	arena_release(a, g->callers);
	arena_release(a, g->first);
	arena_release(a, g->to);
	arena_release(a, g->queue);
}

bool call_graph_circles(struct arena *a, uint32_t n, const struct call_edge *edges, uint32_t n_edges, uint32_t *ret)
{
	struct graph g = { 0 };
	bool fits = make_room(&g, a, n, n_edges);

	if (fits) {
		sort_edges(&g, n, edges, n_edges);
		*ret = n - count_done(&g, n);
	}
	release(&g, a);
	return fits;
}

/* Breadth first: each is queued once. */
static void mark_reached(struct graph *g, uint32_t n, bool *reached)
{
	uint32_t end = 0;

	for (uint32_t i = 0; i < n; i++)
		if (reached[i])
			g->queue[end++] = i;
	for (uint32_t done = 0; done < end; done++)
		for (uint32_t i = g->first[g->queue[done]]; i < g->first[g->queue[done] + 1]; i++)
			if (!reached[g->to[i]]) {
				reached[g->to[i]] = true;
				g->queue[end++] = g->to[i];
			}
}

bool call_graph_reach(struct arena *a, uint32_t n, const struct call_edge *edges, uint32_t n_edges, bool *reached)
{
	struct graph g = { 0 };
	bool fits = make_room(&g, a, n, n_edges);

	if (fits) {
		sort_edges(&g, n, edges, n_edges);
		mark_reached(&g, n, reached);
	}
	release(&g, a);
	return fits;
}
