/* B-trees of the second generation (BTHD, BTIN, BTLF): section 4.2 of formats/keras-hdf5.  They find links, attributes and
 * chunks.  Records stand in all their nodes; they are given in their order, each node read once. */
#include <string.h>

#include "checked.h"
#include "h5.h"

enum { HEADER_BYTES = 38, NODE_HEAD = 6, SUM_BYTES = 4, NODE_FRAME = NODE_HEAD + SUM_BYTES, LEVELS_MAX = 8 };

struct level {
	uint64_t most;       /* records in a node */
	uint64_t total_most; /* and below it */
};

struct node {
	uint8_t *at;
	uint64_t n; /* records */
	uint64_t next;
	unsigned level;
};

struct walk {
	struct h5_tree2 *t;
	uint64_t node_bytes, total;
	unsigned depth;
	struct level levels[LEVELS_MAX];
	struct node stack[LEVELS_MAX];
};

/* Of a child in a node of that level: address, records in it, records below it. */
static unsigned pointer_bytes(const struct walk *w, unsigned level)
{
	return 8 + h5_limit_width(w->levels[0].most) +
	       (level > 1 ? h5_limit_width(w->levels[level - 1].total_most) : 0);
}

static bool measure_levels(struct walk *w)
{
	w->levels[0].most = (w->node_bytes - NODE_FRAME) / w->t->record_bytes;
	w->levels[0].total_most = w->levels[0].most;
	for (unsigned i = 1; i <= w->depth; i++) {
		uint64_t pointer = pointer_bytes(w, i);
		struct level *v = &w->levels[i];

		if (w->node_bytes < NODE_FRAME + pointer)
			return false;
		v->most = (w->node_bytes - NODE_FRAME - pointer) / (w->t->record_bytes + pointer);
		if (!mul_u64(v->most + 1, w->levels[i - 1].total_most, &v->total_most) ||
		    !add_u64(v->total_most, v->most, &v->total_most))
			return false;
	}
	return true;
}

static bool push(struct walk *w, unsigned depth, uint64_t address, uint64_t n, unsigned level)
{
	struct node *node = &w->stack[depth];
	struct h5 *h = w->t->h;
	const char *magic = level > 0 ? "BTIN" : "BTLF";
	uint64_t used = NODE_HEAD + n * w->t->record_bytes + (level > 0 ? (n + 1) * pointer_bytes(w, level) : 0);

	*node = (struct node){ .n = n, .level = level };
	if (++h->n_nodes > H5_NODES_MAX)
		return h5_break(h, WLK_F_H5_LIMIT, address, "B-tree");
	if (n > w->levels[level].most)
		return h5_break(h, WLK_F_H5_STRUCTURE, address, magic);
	node->at = h5_read(h, address, w->node_bytes, magic);
	if (node->at == NULL || !h5_claim(h, address, w->node_bytes))
		return false;
	if (memcmp(node->at, magic, 4) != 0 || node->at[4] != 0 || node->at[5] != w->t->type)
		return h5_break(h, WLK_F_H5_STRUCTURE, address, magic);
	h5_count_slack(h, node->at + used + SUM_BYTES, w->node_bytes - used - SUM_BYTES);
	return h5_is_sum(node->at, (size_t)used, load_u32le(node->at + used)) ||
	       h5_break(h, WLK_F_H5_CHECKSUM, address, magic);
}

static bool push_child(struct walk *w, unsigned depth, const struct node *parent, uint64_t which)
{
	const uint8_t *at =
	    parent->at + NODE_HEAD + parent->n * w->t->record_bytes + which * pointer_bytes(w, parent->level);

	return push(w, depth, load_u64le(at), h5_width(at + 8, h5_limit_width(w->levels[0].most)), parent->level - 1);
}

/* Records [from, to) of a node. */
static bool take(struct walk *w, const struct node *n, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++) {
		w->t->seen++;
		if (!w->t->take(w->t->ctx, n->at + NODE_HEAD + i * w->t->record_bytes))
			return false;
	}
	return true;
}

/* A child stands before the record of its number, and the last one behind all. */
static bool walk(struct walk *w, uint64_t root, uint64_t n)
{
	unsigned depth = 1;

	if (!push(w, 0, root, n, w->depth))
		return false;
	while (depth > 0) {
		struct node *top = &w->stack[depth - 1];

		if (top->level == 0 || top->next > top->n) {
			if (top->level == 0 && !take(w, top, 0, top->n))
				return false;
			h5_release(w->t->h, top->at);
			depth--;
			continue;
		}
		if ((top->next > 0 && !take(w, top, top->next - 1, top->next)) ||
		    !push_child(w, depth, top, top->next++))
			return false;
		depth++;
	}
	return true;
}

bool h5_read_tree2(struct h5_tree2 *t)
{
	struct walk w = { .t = t };
	uint8_t *b = h5_read_checked(t->h, t->address, HEADER_BYTES, "BTHD");
	uint64_t root, n;

	t->seen = 0;
	if (b == NULL)
		return false;
	w.node_bytes = load_u32le(b + 6);
	w.depth = load_u16le(b + 12);
	root = load_u64le(b + 16);
	n = load_u16le(b + 24);
	w.total = load_u64le(b + 26);
	if (b[4] != 0 || b[5] != t->type || w.node_bytes < 64 || w.node_bytes > H5_CHUNK_MAX ||
	    load_u16le(b + 10) != t->record_bytes || w.depth >= LEVELS_MAX || !measure_levels(&w))
		return h5_break(t->h, WLK_F_H5_STRUCTURE, t->address, "BTHD");
	h5_release(t->h, b);
	if (root != H5_UNDEFINED && !walk(&w, root, n))
		return false;
	return t->seen == w.total || h5_break(t->h, WLK_F_H5_STRUCTURE, t->address, "records are missing");
}
