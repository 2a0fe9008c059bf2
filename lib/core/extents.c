/* Coverage: see extents.h.  The cost is linear whatever the order of the header, because the order is the
 * file's choice: a check first, for nearly every file is in order already, else a radix sort on 24 bytes an
 * extent. */
#include <assert.h>
#include <string.h>

#include "checked.h"
#include "extents.h"

#define CAPACITY_MIN 64

void extents_init(struct extents *x, struct arena *arena)
{
	*x = (struct extents){ .arena = arena };
}

struct extent *extents_add(struct extents *x)
{
	if (x->n == x->capacity) {
		size_t capacity = x->capacity > 0 ? x->capacity * 2 : CAPACITY_MIN;
		struct extent *list = arena_resize(x->arena, x->list, capacity, sizeof(*list));

		if (list == NULL)
			return NULL;
		x->list = list;
		x->capacity = capacity;
	}
	return &x->list[x->n++];
}

struct bytes extents_name(const struct extents *x, const struct extent *e, uint8_t *buf, size_t n)
{
	size_t full;

	if (x->name != NULL) {
		full = x->name(x, e, buf, n);
		return bytes_of(buf, full < n ? full : n);
	}
	if (e->name_at > x->names.n || e->name_n > x->names.n - e->name_at)
		return bytes_of(buf, 0);
	return bytes_of(x->names.at + e->name_at, e->name_n < n ? e->name_n : n);
}

/* Order */

static bool in_order(const struct extent *a, const struct extent *b)
{
	if (a->begin != b->begin)
		return a->begin < b->begin;
	if (a->end != b->end)
		return a->end < b->end;
	return a->index <= b->index;
}

static bool all_in_order(const struct extent *list, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (!in_order(&list[i - 1], &list[i]))
			return false;
	}
	return true;
}

/* Live extents to the front, in the order they have.  Return: how many. */
static size_t dead_last(struct extent *list, size_t n)
{
	size_t live = 0;

	for (size_t i = 0; i < n; i++) {
		struct extent e = list[i];

		if (e.flags & EXTENT_DEAD)
			continue;
		list[i] = list[live];
		list[live++] = e;
	}
	return live;
}

/* The radix sort: least significant digit first, on keys beside the order they belong to. */
#define DIGIT_BITS 11
#define DIGITS (1u << DIGIT_BITS)

struct keyed_order {
	uint64_t *key, *key_out;
	uint32_t *order, *order_out;
	size_t n;
};

static unsigned digit_of(uint64_t key, unsigned shift)
{
	return (unsigned)(key >> shift) & (DIGITS - 1);
}

/* One stable step.  A digit that all keys share changes nothing. */
static void sort_by_digit(struct keyed_order *k, unsigned shift)
{
	uint32_t at[DIGITS] = { 0 };
	uint32_t sum = 0;

	for (size_t i = 0; i < k->n; i++)
		at[digit_of(k->key[i], shift)]++;
	if (at[digit_of(k->key[0], shift)] == k->n)
		return;
	for (unsigned d = 0; d < DIGITS; d++) {
		uint32_t count = at[d];

		at[d] = sum;
		sum += count;
	}
	for (size_t i = 0; i < k->n; i++) {
		uint32_t to = at[digit_of(k->key[i], shift)]++;

		k->key_out[to] = k->key[i];
		k->order_out[to] = k->order[i];
	}
	uint64_t *key = k->key;
	uint32_t *order = k->order;
	k->key = k->key_out;
	k->key_out = key;
	k->order = k->order_out;
	k->order_out = order;
}

enum key_field { BY_INDEX, BY_END, BY_BEGIN };

static uint64_t key_of(const struct extent *e, enum key_field field)
{
	switch (field) {
	case BY_INDEX: return e->index;
	case BY_END: return e->end;
	default: return e->begin;
	}
}

static void sort_by_field(struct keyed_order *k, const struct extent *list, enum key_field field)
{
	uint64_t all = 0;

	for (size_t i = 0; i < k->n; i++) {
		k->key[i] = key_of(&list[k->order[i]], field);
		all |= k->key[i];
	}
	for (unsigned shift = 0; shift < 64 && all >> shift != 0; shift += DIGIT_BITS)
		sort_by_digit(k, shift);
}

/* Move every extent to its place, along the cycles of the permutation; order is used up. */
static void permute(struct extent *list, uint32_t *order, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct extent first = list[i];
		size_t hole = i;

		while (order[hole] != i) {
			size_t from = order[hole];

			list[hole] = list[from];
			order[hole] = (uint32_t)hole;
			hole = from;
		}
		list[hole] = first;
		order[hole] = (uint32_t)hole;
	}
}

static void sort_with(struct keyed_order *k, struct extent *list)
{
	for (size_t i = 0; i < k->n; i++)
		k->order[i] = (uint32_t)i;
	sort_by_field(k, list, BY_BEGIN);
	permute(list, k->order, k->n);
	if (all_in_order(list, k->n))
		return;
	/* Shared begins: rare in honest files, so the full key is paid for only here. */
	for (size_t i = 0; i < k->n; i++)
		k->order[i] = (uint32_t)i;
	sort_by_field(k, list, BY_INDEX);
	sort_by_field(k, list, BY_END);
	sort_by_field(k, list, BY_BEGIN);
	permute(list, k->order, k->n);
}

static enum wlk_status sort_live(struct extents *x, size_t n, struct report *r)
{
	uint64_t *keys;
	uint32_t *orders;

	if (all_in_order(x->list, n))
		return WLK_DONE;
	assert(n <= UINT32_MAX);
	keys = arena_resize(x->arena, NULL, n, 2 * sizeof(*keys));
	orders = arena_resize(x->arena, NULL, n, 2 * sizeof(*orders));
	if (keys != NULL && orders != NULL)
		sort_with(&(struct keyed_order){ keys, keys + n, orders, orders + n, n }, x->list);
	arena_release(x->arena, orders);
	arena_release(x->arena, keys);
	if (keys == NULL || orders == NULL)
		return report_stop(r, WLK_CAUSE_LIMIT_MEMORY, x->arena->used, x->arena->budget);
	return WLK_DONE;
}

/* Findings */

struct cover {
	struct extents *x;
	uint64_t begin, end;
	const struct coverage_codes *codes;
	struct report *report;
};

/* A finding about one extent.  A file can raise millions: those nobody will read are only counted. */
static void report_extent(
    struct cover *c, const struct extent *e, enum wlk_finding code, uint64_t offset, uint64_t found, uint64_t allowed)
{
	uint8_t name[REPORT_STRING_MAX];
	struct finding f = { .code = code, .has_offset = true, .offset = offset };

	f.subject = extents_name(c->x, e, name, sizeof(name));
	f.found = value_number(found);
	f.allowed = value_number(allowed);
	report_finding(c->report, &f);
}

static void fault(
    struct cover *c, const struct extent *e, enum wlk_finding code, uint64_t offset, uint64_t found, uint64_t allowed)
{
	if (report_wants(c->report, code))
		report_extent(c, e, code, offset, found, allowed);
	else
		report_count(c->report, code);
}

/* Bytes [from, to) that belong to no extent; found: where they end, allowed: where they should have. */
static void report_gap(struct cover *c, enum wlk_finding code, uint64_t from, uint64_t to)
{
	struct finding f = { .code = code, .has_offset = true, .offset = from, .has_length = true };

	c->x->gaps = true;
	if (c->codes->gaps_unknown)
		return;
	f.length = to - from;
	f.found = value_number(to);
	f.allowed = value_number(from);
	report_finding(c->report, &f);
}

/* Extents that reach outside become dead.  The offset of the finding stays inside the file. */
static void check_bounds(struct cover *c)
{
	for (size_t i = 0; i < c->x->n; i++) {
		struct extent *e = &c->x->list[i];

		if (e->flags & EXTENT_DEAD)
			continue;
		assert(e->begin <= e->end);
		if (e->end > c->end)
			fault(c, e, c->codes->out_of_bounds, min_u64(e->begin, c->end), e->end, c->end);
		else if (e->begin < c->begin)
			fault(c, e, c->codes->out_of_bounds, e->begin, e->begin, c->begin);
		else
			continue;
		e->flags |= EXTENT_DEAD;
	}
}

/* One walk over the sorted extents; `covered` is the furthest end so far. */
static void check_tiling(struct cover *c, size_t n_live)
{
	uint64_t covered = c->begin;

	for (size_t i = 0; i < n_live; i++) {
		struct extent *e = &c->x->list[i];

		if (e->begin < covered) {
			e->flags |= EXTENT_OVERLAP;
			fault(c, e, c->codes->overlap, e->begin, e->begin, covered);
		}
		if (e->begin == e->end)
			continue;
		if (e->begin > covered)
			report_gap(c, c->codes->hole, covered, e->begin);
		if (e->end > covered)
			covered = e->end;
	}
	if (covered < c->end)
		report_gap(c, c->codes->trailing, covered, c->end);
}

enum wlk_status extents_cover(
    struct extents *x, uint64_t begin, uint64_t end, const struct coverage_codes *codes, struct report *r)
{
	struct cover c = { x, begin, end, codes, r };
	enum wlk_status status;
	size_t n_live;

	assert(begin <= end);
	check_bounds(&c);
	n_live = dead_last(x->list, x->n);
	status = sort_live(x, n_live, r);
	if (status == WLK_DONE)
		check_tiling(&c, n_live);
	return status;
}
