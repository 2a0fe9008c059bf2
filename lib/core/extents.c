/* Coverage: see extents.h.  The cost is linear whatever the order of the header, because the order is the
 * file's choice: a check first, for nearly every file is in order already, else a radix sort in place. */
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
		struct extent *list = arena_resize_raw(x->arena, x->list, capacity, sizeof(*list));

		if (list == NULL)
			return NULL;
		x->list = list;
		x->capacity = capacity;
	}
	x->list[x->n] = (struct extent){ 0 };
	return &x->list[x->n++];
}

void extents_list(struct extents *x, enum extents_rows rows, const struct report *r)
{
	x->rows = rows;
	x->row_base = r->manifest_next;
}

bool extents_row(const struct extents *x, const struct extent *e, uint64_t *ret)
{
	if (x->rows == ROWS_NONE || x->rows == ROWS_MOVED || e->kind != EXTENT_TENSOR ||
	    (e->flags & (EXTENT_PIECE | EXTENT_CODED)) != 0)
		return false;
	*ret = x->row_base + (x->rows == ROWS_BY_INDEX ? e->index : (uint64_t)(e - x->list));
	return true;
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

/* The sort: in place, by the most significant digit in which the extents at hand differ, then each part likewise
 * ("American flag sort": McIlroy, Bostic and McIlroy, "Engineering Radix Sort", 1993).  A part differs in at least
 * a digit less of its field than the whole did, so how deep it goes is bounded by the width of the three fields,
 * whatever they hold. */
#define DIGIT_BITS 9u
#define DIGITS (1u << DIGIT_BITS)
#define DIGIT_BITS_SMALL 6u /* of parts too small to pay for more */
#define LEVELS_OF(bits) ((bits + DIGIT_BITS_SMALL - 1) / DIGIT_BITS_SMALL)
#define LEVELS_MAX (LEVELS_OF(64) + LEVELS_OF(64) + LEVELS_OF(32))
#define FEW 32 /* so many are sorted one by one */

enum key_field { BY_BEGIN, BY_END, BY_INDEX, N_KEY_FIELDS };

static inline uint64_t key_of(const struct extent *e, enum key_field field)
{
	switch (field) {
	case BY_BEGIN: return e->begin;
	case BY_END: return e->end;
	default: return e->index;
	}
}

/* The bits of a field above the lowest `shift`, counted from the least key. */
struct digit {
	enum key_field field;
	unsigned shift;
	unsigned parts; /* one for each value */
	uint64_t least;
};

static inline unsigned digit_of(const struct extent *e, const struct digit *d)
{
	return (unsigned)((key_of(e, d->field) - d->least) >> d->shift);
}

/* The digit that tells these extents apart best; false when all are alike. */
static bool find_digit(const struct extent *list, size_t n, struct digit *d)
{
	for (d->field = BY_BEGIN; d->field < N_KEY_FIELDS; d->field++) {
		uint64_t least = UINT64_MAX, most = 0;

		for (size_t i = 0; i < n; i++) {
			uint64_t key = key_of(&list[i], d->field);

			least = key < least ? key : least;
			most = key > most ? key : most;
		}
		if (least == most)
			continue;
		d->least = least;
		d->parts = n > DIGITS ? DIGITS : 1u << DIGIT_BITS_SMALL;
		for (d->shift = 0; (most - least) >> d->shift >= d->parts;)
			d->shift++;
		return true;
	}
	return false;
}

/* A list parted by a digit: part i ends before ends[i]. */
struct level {
	struct extent *list;
	unsigned parts, next; /* the first part that is not sorted yet */
	uint32_t ends[DIGITS];
};

/* Every extent is moved once, to where its part has come to.  Parts lie far from each other: what each needs next is
 * fetched ahead. */
static void part_by_digit(struct level *l, size_t n, const struct digit *d)
{
	struct extent *list = l->list;
	uint32_t at[DIGITS], sum = 0;

	memset(l->ends, 0, d->parts * sizeof(l->ends[0]));
	for (size_t i = 0; i < n; i++)
		l->ends[digit_of(&list[i], d)]++;
	for (unsigned i = 0; i < d->parts; i++) {
		at[i] = sum;
		sum += l->ends[i];
		l->ends[i] = sum;
	}
	for (unsigned i = 0; i < d->parts; i++) {
		while (at[i] < l->ends[i]) {
			struct extent e = list[at[i]];

			for (unsigned to = digit_of(&e, d); to != i; to = digit_of(&e, d)) {
				struct extent *place = &list[at[to]++];
				struct extent displaced = *place;

				__builtin_prefetch(place + 4, 1);
				*place = e;
				e = displaced;
			}
			list[at[i]++] = e;
		}
	}
}

static void sort_few(struct extent *list, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct extent e = list[i];
		size_t at = i;

		for (; at > 0 && !in_order(&list[at - 1], &e); at--)
			list[at] = list[at - 1];
		list[at] = e;
	}
}

/* Sort a few at once; part more of them into *l.  Return: *l has parts to be sorted. */
static bool sort_or_part(struct level *l, struct extent *list, size_t n)
{
	struct digit d;

	if (n <= FEW) {
		sort_few(list, n);
		return false;
	}
	if (!find_digit(list, n, &d))
		return false;
	l->list = list;
	l->parts = d.parts;
	l->next = 0;
	part_by_digit(l, n, &d);
	return true;
}

static void sort_many(struct extent *list, size_t n)
{
	struct level levels[LEVELS_MAX + 1];
	unsigned depth = sort_or_part(&levels[0], list, n) ? 1 : 0;

	while (depth > 0) {
		struct level *l = &levels[depth - 1];
		size_t from = l->next > 0 ? l->ends[l->next - 1] : 0;

		if (l->next == l->parts) {
			depth--;
			continue;
		}
		assert(depth <= LEVELS_MAX);
		if (sort_or_part(&levels[depth], l->list + from, l->ends[l->next++] - from))
			depth++;
	}
}

static void sort_live(struct extent *list, size_t n)
{
	assert(n <= UINT32_MAX);
	if (all_in_order(list, n))
		return;
	if (n <= FEW)
		sort_few(list, n);
	else
		sort_many(list, n);
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
	struct finding f = {
		.code = code, .has_offset = true, .offset = c->x->origin + offset, .member = c->x->member
	};

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
	struct finding f = { .code = code,
		.has_offset = true,
		.offset = c->x->origin + from,
		.has_length = true,
		.member = c->x->member };

	c->x->gaps = true;
	if (c->codes->gaps_unknown)
		return;
	f.length = to - from;
	f.found = value_number(to);
	f.allowed = value_number(from);
	report_finding(c->report, &f);
}

/* Nearly every file: each extent begins where the one before ended, from the first byte to the last.  Then they are
 * sorted and within bounds too, and there is nothing to report. */
static bool tiles_in_order(const struct cover *c)
{
	uint64_t covered = c->begin;

	for (size_t i = 0; i < c->x->n; i++) {
		const struct extent *e = &c->x->list[i];

		if (e->flags & EXTENT_DEAD || e->begin != covered)
			return false;
		assert(e->begin <= e->end);
		covered = e->end;
	}
	return covered == c->end;
}

/* Extents that reach outside become dead.  The offset of the finding stays inside the file.  Return: all live. */
static bool check_bounds(struct cover *c)
{
	bool all_live = true;

	for (size_t i = 0; i < c->x->n; i++) {
		struct extent *e = &c->x->list[i];

		if (e->flags & EXTENT_DEAD) {
			all_live = false;
			continue;
		}
		assert(e->begin <= e->end);
		if (e->end > c->end)
			fault(c, e, c->codes->out_of_bounds, min_u64(e->begin, c->end), e->end, c->end);
		else if (e->begin < c->begin)
			fault(c, e, c->codes->out_of_bounds, e->begin, e->begin, c->begin);
		else
			continue;
		e->flags |= EXTENT_DEAD;
		all_live = false;
	}
	return all_live;
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
		if (e->begin > covered && !extents_is_padding(covered, e->begin, c->begin, c->codes->align))
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
	size_t n_live;

	assert(begin <= end);
	if (tiles_in_order(&c))
		return WLK_DONE;
	n_live = check_bounds(&c) ? x->n : dead_last(x->list, x->n);
	sort_live(x->list, n_live);
	check_tiling(&c, n_live);
	return WLK_DONE;
}
