/* B-trees of the first generation, over symbol tables and over chunks: section 4.2 of formats/keras-hdf5.  Nodes depth first,
 * with a stack of our own.  Some readers go from sibling to sibling and others search by keys: all have to find the same. */
#include <string.h>

#include "h5.h"

enum { NODE_HEAD = 24, CHILD_BYTES = 8 };

struct node {
	uint8_t *at;
	unsigned n, next, level;
};

/* The last node that was met on each level: its siblings are its neighbours. */
struct neighbour {
	uint64_t address, right;
	bool met;
};

struct walk {
	const struct h5_tree *t;
	struct node stack[H5_TREE_LEVELS_MAX];
	struct neighbour last[H5_TREE_LEVELS_MAX];
};

static bool check_siblings(struct walk *w, const struct node *n, uint64_t address)
{
	uint64_t left = load_u64le(n->at + 8);
	struct neighbour *last = &w->last[n->level];
	bool fits = last->met ? left == last->address && last->right == address : left == H5_UNDEFINED;

	*last = (struct neighbour){ .address = address, .right = load_u64le(n->at + 16), .met = true };
	return fits || h5_break(w->t->h, WLK_F_H5_STRUCTURE, address, "siblings");
}

/* Behind the last key; an empty node has none. */
static void count_rest(const struct h5_tree *t, const struct node *n, uint64_t bytes)
{
	uint64_t used = NODE_HEAD + (n->n > 0 ? t->key_bytes : 0) + n->n * (uint64_t)(t->key_bytes + CHILD_BYTES);

	h5_count_slack(t->h, n->at + used, bytes - used);
}

#define NODE_ROOM 8192u /* bytes: a node or a symbol table, and what is written with it */

/* What is not there is asked for at a time; chunks of data at the leaves are not read. */
static void want_kids(const struct h5_tree *t, const struct node *n)
{
	for (unsigned i = 0; i < n->n && (n->level > 0 || t->key_bytes == 8); i++)
		part_want(&t->h->l->part,
		    load_u64le(n->at + NODE_HEAD + (size_t)i * (t->key_bytes + CHILD_BYTES) + t->key_bytes), NODE_ROOM);
}

static bool push(struct walk *w, unsigned depth, uint64_t address)
{
	const struct h5_tree *t = w->t;
	uint64_t bytes = NODE_HEAD + (t->kids + 1) * (uint64_t)t->key_bytes + t->kids * (uint64_t)CHILD_BYTES;
	struct node *n = &w->stack[depth];

	if (++t->h->n_nodes > H5_NODES_MAX)
		return h5_break(t->h, WLK_F_H5_LIMIT, address, "B-tree");
	*n = (struct node){ .at = h5_read(t->h, address, bytes, "B-tree") };
	if (n->at == NULL || !h5_claim(t->h, address, bytes))
		return false;
	n->level = n->at[5];
	n->n = load_u16le(n->at + 6);
	if (memcmp(n->at, "TREE", 4) != 0 || n->at[4] != t->kind || n->n > t->kids ||
	    (n->n == 0 && n->level > 0)) /* the library follows its first child all the same */
		return h5_break(t->h, WLK_F_H5_STRUCTURE, address, "B-tree");
	if (n->level >= H5_TREE_LEVELS_MAX)
		return h5_break(t->h, WLK_F_H5_LIMIT, address, "B-tree");
	if (depth > 0 && n->level + 1 != w->stack[depth - 1].level)
		return h5_break(t->h, WLK_F_H5_STRUCTURE, address, "B-tree");
	count_rest(t, n, bytes);
	want_kids(t, n);
	return check_siblings(w, n, address);
}

static bool take(struct walk *w, unsigned depth, uint64_t child)
{
	struct h5_tree_place place = { .n = depth };

	for (unsigned i = 0; i < depth; i++) {
		const struct node *n = &w->stack[i];

		place.keys[i] = n->at + NODE_HEAD + (size_t)(n->next - 1) * (w->t->key_bytes + CHILD_BYTES);
	}
	return w->t->take(w->t->ctx, &place, child);
}

static bool walk(struct walk *w)
{
	unsigned depth = 1;

	while (depth > 0) {
		struct node *top = &w->stack[depth - 1];
		uint64_t child;

		if (top->next == top->n) {
			h5_release(w->t->h, top->at);
			depth--;
			continue;
		}
		child = load_u64le(
		    top->at + NODE_HEAD + (size_t)top->next++ * (w->t->key_bytes + CHILD_BYTES) + w->t->key_bytes);
		if (top->level == 0 ? !take(w, depth, child) : !push(w, depth, child))
			return false;
		depth += top->level > 0 ? 1 : 0;
	}
	return true;
}

bool h5_read_tree(const struct h5_tree *t, uint64_t root)
{
	struct walk w = { .t = t };

	if (!push(&w, 0, root) || !walk(&w))
		return false;
	for (unsigned i = 0; i < H5_TREE_LEVELS_MAX; i++) {
		if (w.last[i].met && w.last[i].right != H5_UNDEFINED)
			return h5_break(t->h, WLK_F_H5_STRUCTURE, w.last[i].address, "siblings");
	}
	return true;
}
