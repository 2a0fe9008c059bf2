/* The automaton of a loop, and whether ways through it multiply: see regex_cost.h. */
#include "regex_impl.h"

#define COPIES_MAX 4u /* of a counted item; more are a loop when their number is open */

#define BUILT_MAX 16384u

/* A part of the expression: where it begins and ends, and whether it may be nothing. */
struct part {
	struct regex_positions first, last;
	bool empty;
};

static bool get(const struct regex_positions *p, unsigned i)
{
	return (p->bits[i / 64] >> i % 64 & 1) != 0;
}

static void put(struct regex_positions *p, unsigned i)
{
	p->bits[i / 64] |= UINT64_C(1) << i % 64;
}

static void join(struct regex_positions *to, const struct regex_positions *from)
{
	for (unsigned i = 0; i < REGEX_ROW; i++)
		to->bits[i] |= from->bits[i];
}

/* -- the automaton -- */

/* A way that is there already is a second one of the same length over the same characters. */
static void connect(struct regex_loop *g, const struct regex_positions *last, const struct regex_positions *first)
{
	for (unsigned p = 0; p < g->n; p++) {
		if (!get(last, p))
			continue;
		for (unsigned i = 0; i < REGEX_ROW; i++)
			g->twice = g->twice || (g->follow[p].bits[i] & first->bits[i]) != 0;
		join(&g->follow[p], first);
	}
}

static struct part position(struct regex_loop *g, const struct regex_set *s)
{
	struct part r = { 0 };
	unsigned i = g->n;

	if (i == REGEX_POSITIONS_MAX) {
		g->full = true;
		return r;
	}
	g->n++;
	g->sets[i] = *s;
	g->follow[i] = (struct regex_positions){ 0 };
	put(&r.first, i);
	put(&r.last, i);
	return r;
}

static struct part behind(struct regex_loop *g, struct part a, struct part b)
{
	struct part r = { .first = a.first, .last = b.last, .empty = a.empty && b.empty };

	connect(g, &a.last, &b.first);
	if (a.empty)
		join(&r.first, &b.first);
	if (b.empty)
		join(&r.last, &a.last);
	return r;
}

static struct part build(struct regex *x, uint32_t i);

static struct part build_sequence(struct regex *x, uint32_t i)
{
	struct part r = { .empty = true };

	for (uint32_t c = x->nodes[i].first; c != RE_NONE && !x->loop.full; c = x->nodes[c].next)
		r = behind(&x->loop, r, build(x, c));
	return r;
}

static struct part build_alternatives(struct regex *x, uint32_t i)
{
	struct part r = { .empty = false };

	for (uint32_t c = x->nodes[i].first; c != RE_NONE && !x->loop.full; c = x->nodes[c].next) {
		struct part p = build(x, c);

		join(&r.first, &p.first);
		join(&r.last, &p.last);
		x->loop.twice = x->loop.twice || (r.empty && p.empty); /* nothing, in two ways */
		r.empty = r.empty || p.empty;
	}
	return r;
}

/* All characters that are in it, for what is taken as one item. */
static void gather(const struct regex *x, uint32_t i, struct regex_set *s)
{
	if (x->nodes[i].kind == RE_SET)
		*s = regex_set_or(*s, x->nodes[i].set);
	for (uint32_t c = x->nodes[i].first; c != RE_NONE; c = x->nodes[c].next)
		gather(x, c, s);
}

static bool may_be_empty(const struct regex *x, uint32_t i)
{
	const struct regex_node *n = &x->nodes[i];
	uint32_t c = n->first;

	switch ((enum regex_kind)n->kind) {
	case RE_SET: return false;
	case RE_EMPTY:
	case RE_LOOK: return true;
	case RE_REPEAT: return n->min == 0 || may_be_empty(x, c);
	case RE_ATOMIC: return may_be_empty(x, c);
	case RE_SEQUENCE:
		while (c != RE_NONE && may_be_empty(x, c))
			c = x->nodes[c].next;
		return c == RE_NONE;
	case RE_ALTERNATIVES:
		while (c != RE_NONE && !may_be_empty(x, c))
			c = x->nodes[c].next;
		return c != RE_NONE;
	}
	return true;
}

/* Nothing inside is gone back to. */
static struct part build_opaque(struct regex *x, uint32_t i)
{
	struct regex_set s = { 0 };
	struct part r;

	gather(x, i, &s);
	r = position(&x->loop, &s);
	r.empty = may_be_empty(x, i);
	return r;
}

static struct part looped(struct regex_loop *g, struct part p)
{
	connect(g, &p.last, &p.first);
	return p;
}

static struct part build_repeat(struct regex *x, uint32_t i)
{
	const struct regex_node *n = &x->nodes[i];
	bool open = n->max > COPIES_MAX && n->max != n->min;
	uint32_t copies = open ? n->min : n->max;
	struct part r = { .empty = true };
	struct regex_positions ends = { { 0 } }; /* of so many as there must be, and of each more */

	copies = copies > COPIES_MAX ? COPIES_MAX : copies;
	copies += copies == 0 && open;
	for (uint32_t k = 0; k < copies && !x->loop.full; k++) {
		struct part p = build(x, n->first);

		if (open && k + 1 == copies)
			p = looped(&x->loop, p);
		x->loop.twice = x->loop.twice || (k >= n->min && p.empty); /* none of it, or one that is nothing */
		r = behind(&x->loop, r, p);
		if (k + 1 >= n->min || k + 1 == copies)
			join(&ends, &r.last);
	}
	r.last = ends;
	r.empty = r.empty || n->min == 0;
	return r;
}

static struct part build(struct regex *x, uint32_t i)
{
	const struct regex_node *n = &x->nodes[i];

	if (++x->loop.built > BUILT_MAX) { /* copies of copies of nothing */
		x->loop.full = true;
		return (struct part){ .empty = true };
	}
	switch ((enum regex_kind)n->kind) {
	case RE_SET: return position(&x->loop, &n->set);
	case RE_SEQUENCE: return build_sequence(x, i);
	case RE_ALTERNATIVES: return build_alternatives(x, i);
	case RE_REPEAT: return n->possessive ? build_opaque(x, i) : build_repeat(x, i);
	case RE_ATOMIC: return build_opaque(x, i);
	case RE_EMPTY:
	case RE_LOOK: break;
	}
	return (struct part){ .empty = true };
}

/* -- pairs of walks -- */

static void prepare(struct regex_loop *g)
{
	memset(g->precede, 0, sizeof(g->precede));
	memset(g->meets, 0, sizeof(g->meets));
	memset(g->ahead, 0, sizeof(g->ahead));
	memset(g->back, 0, sizeof(g->back));
	for (unsigned p = 0; p < g->n; p++) {
		for (unsigned q = 0; q < g->n; q++) {
			if (get(&g->follow[p], q))
				put(&g->precede[q], p);
			if (regex_set_meets(&g->sets[p], &g->sets[q]))
				put(&g->meets[p], q);
		}
	}
}

/* From all pairs (p, p), along @way, over pairs that a common character enters. */
static void reach(struct regex *x, const struct regex_positions *way, struct regex_positions *seen)
{
	struct regex_loop *g = &x->loop;
	unsigned head = 0, tail = 0;

	for (unsigned p = 0; p < g->n; p++) {
		put(&seen[p], p);
		g->queue[tail++] = (uint16_t)(p * REGEX_POSITIONS_MAX + p);
	}
	while (head < tail) {
		unsigned p = g->queue[head] / REGEX_POSITIONS_MAX, q = g->queue[head] % REGEX_POSITIONS_MAX;

		head++;
		x->steps += g->n;
		for (unsigned a = 0; a < g->n; a++) {
			if (!get(&way[p], a))
				continue;
			for (unsigned i = 0; i < REGEX_ROW; i++) {
				uint64_t more = way[q].bits[i] & g->meets[a].bits[i] & ~seen[a].bits[i];

				seen[a].bits[i] |= more;
				for (; more != 0; more &= more - 1)
					g->queue[tail++] = (uint16_t)(a * REGEX_POSITIONS_MAX + i * 64 +
								      (unsigned)__builtin_ctzll(more));
			}
		}
	}
}

/* Every place of a loop is reached from every other, so two walks that part and meet again can do so once a round. */
static bool part_and_meet(struct regex *x)
{
	struct regex_loop *g = &x->loop;

	prepare(g);
	x->steps += (uint64_t)g->n * g->n;
	reach(x, g->follow, g->ahead);
	reach(x, g->precede, g->back);
	for (unsigned p = 0; p < g->n; p++)
		for (unsigned q = 0; q < g->n; q++)
			if (p != q && get(&g->ahead[p], q) && get(&g->back[p], q))
				return true;
	return false;
}

/* -- alternatives -- */

/* A group is one of many things; the sequence of nothing but one item is that item. */
static uint32_t bare(const struct regex *x, uint32_t i)
{
	while ((x->nodes[i].kind == RE_SEQUENCE || x->nodes[i].kind == RE_ALTERNATIVES) &&
	       x->nodes[i].first != RE_NONE && x->nodes[i].first == x->nodes[i].last)
		i = x->nodes[i].first;
	return i;
}

/* What it may begin with. */
static struct regex_set beginning(struct regex *x, uint32_t i)
{
	struct regex_set s = { 0 };
	struct part p;

	x->loop.n = x->loop.built = 0;
	x->loop.full = false;
	p = build(x, i);
	for (unsigned k = 0; k < x->loop.n; k++)
		if (get(&p.first, k))
			s = regex_set_or(s, x->loop.sets[k]);
	return x->loop.full ? regex_set_unknown() : s;
}

/* Two alternatives of the loop begin alike: found even where their ends tell them apart (the sheet asks no more). */
static bool begin_alike(struct regex *x, uint32_t body)
{
	struct regex_set before = { 0 };
	uint32_t i = bare(x, body);

	if (x->nodes[i].kind != RE_ALTERNATIVES)
		return false;
	for (uint32_t c = x->nodes[i].first; c != RE_NONE; c = x->nodes[c].next) {
		struct regex_set s = beginning(x, c);

		if (regex_set_meets(&before, &s))
			return true;
		before = regex_set_or(before, s);
		x->steps += x->loop.n;
	}
	return false;
}

bool regex_loop_multiplies(struct regex *x, uint32_t body)
{
	struct regex_loop *g = &x->loop;

	if (x->nodes[bare(x, body)].kind == RE_SET)
		return false;
	if (begin_alike(x, body))
		return true;
	g->n = g->built = 0;
	g->twice = g->full = false;
	looped(g, build(x, body));
	x->steps += g->n;
	return g->twice || g->full || part_and_meet(x);
}
