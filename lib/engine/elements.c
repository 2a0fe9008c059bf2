/* Every weight, once: see elements.h. */
#include "elements.h"

#include <string.h>

#include "checked.h"
#include "member.h"

static bool is_records(const struct extent *e)
{
	return e->kind == EXTENT_TENSOR && (e->flags & EXTENT_RECORDS);
}

/* Put bytes behind those carried, as many as the element lacks.  Return: how many. */
static size_t top_up(struct elements *el, const uint8_t *at, size_t n, uint64_t offset)
{
	size_t lacks = el->weights.kernel->element_bytes - el->carry_n;
	size_t taken = n < lacks ? n : lacks;

	if (taken == 0)
		return 0;
	if (el->carry_n == 0)
		el->carry_offset = offset;
	memcpy(el->carry + el->carry_n, at, taken);
	el->carry_n += taken;
	if (el->carry_n == el->weights.kernel->element_bytes) {
		weights_examine(&el->weights, el->carry, el->carry_n, el->carry_offset);
		el->carry_n = 0;
	}
	return taken;
}

void elements_tensor_begin(struct elements *el, const struct extents *x, const struct extent *e)
{
	el->home = x;
	el->extent = e;
	el->carry_n = 0;
	weights_begin(&el->weights, e->kind == EXTENT_TENSOR ? e->dtype : WLK_DTYPE_NONE, e->flags & EXTENT_BIG_ENDIAN);
	el->weights.narrowed = e->flags & EXTENT_NARROWED;
	if (e->flags & EXTENT_PIECE)
		el->weights.maybe_mask = false; /* what a part holds says nothing of the whole */
	el->nonzero = false;
	if (is_records(e))
		records_begin(&el->records, records_of(x, e), x->arena);
	digests_begin(&el->digests, x, e, el->report);
	stats_begin(&el->stats, x, e, el->report);
	if (el->exports != NULL)
		exports_begin(el->exports, x, e);
}

/* Padding: the first byte of it that is not zero, once. */
static void check_zero(struct elements *el, const uint8_t *at, size_t n, uint64_t offset)
{
	size_t i = 0;

	if (el->home->nonzero == 0 || el->nonzero)
		return;
	while (i < n && at[i] == 0)
		i++;
	if (i == n)
		return;
	el->nonzero = true;
	report_finding(el->report, &(struct finding){ .code = el->home->nonzero,
				       .has_offset = true,
				       .offset = el->home->origin + offset + i,
				       .member = el->home->member,
				       .found = value_number(at[i]),
				       .allowed = value_number(0) });
}

void elements_tensor_feed(struct elements *el, const uint8_t *at, size_t n, uint64_t offset)
{
	size_t done = 0, whole;

	digests_feed(&el->digests, at, n);
	stats_feed(&el->stats, at, n);
	if (el->exports != NULL)
		exports_feed(el->exports, at, n);
	if (el->extent->kind == EXTENT_ZERO)
		check_zero(el, at, n, offset);
	if (is_records(el->extent))
		records_feed(&el->records, at, n);
	if (!el->weights.kernel)
		return;
	if (el->carry_n > 0)
		done = top_up(el, at, n, offset);
	whole = (n - done) / el->weights.kernel->element_bytes * el->weights.kernel->element_bytes;
	if (whole > 0)
		weights_examine(&el->weights, at + done, whole, offset + done);
	done += whole;
	top_up(el, at + done, n - done, offset + done);
}

static void report_tensor(const struct elements *el)
{
	struct weights_place place = { .member = el->home->member,
		.begin = el->home->origin + el->extent->begin,
		.first_offset = el->home->origin + el->weights.first_offset,
		.beyond_offset = el->home->origin + el->weights.beyond_offset,
		.counted = el->counted };
	uint8_t buf[REPORT_STRING_MAX];

	if (weights_name_wanted(&el->weights, el->report))
		place.name = extents_name(el->home, el->extent, buf, sizeof(buf));
	weights_report(&el->weights, el->report, &place);
}

void elements_tensor_end(struct elements *el)
{
	const struct extent *e = el->extent;

	digests_end(&el->digests, el->report);
	stats_end(&el->stats, el->report);
	if (el->exports != NULL)
		exports_end(el->exports);
	if (is_records(e))
		records_end(&el->records, el->report, el->home, e->begin);
	if (!el->weights.kernel)
		return;
	if (dtype_is_float(e->dtype) && !el->counted)
		el->report->totals.elements += weights_numbers(&el->weights, e->end - e->begin);
	if (weights_found(&el->weights))
		report_tensor(el);
}

/* The sink */

static void sink_begin(void *ctx, const struct extent *e)
{
	struct elements *el = ctx;

	elements_tensor_begin(el, el->extents, e);
}

static void sink_feed(void *ctx, const struct extent *e, const uint8_t *at, size_t n, uint64_t offset)
{
	(void)e;
	elements_tensor_feed(ctx, at, n, offset);
}

static void sink_end(void *ctx, const struct extent *e)
{
	(void)e;
	elements_tensor_end(ctx);
}

void elements_init(struct elements *el, const struct extents *x, struct report *r)
{
	*el = (struct elements){ .extents = x, .report = r };
}

struct pass_sink elements_sink(struct elements *el)
{
	return (struct pass_sink){ .ctx = el, .begin = sink_begin, .feed = sink_feed, .end = sink_end };
}

/* All of them, after the pass */

/* Extents of the file, and behind each member those of its content. */
struct tree {
	struct {
		const struct extents *x;
		size_t next;
	} levels[MEMBER_DEPTH_MAX + 1];
	unsigned depth;
	const struct extents *home; /* of the extent that tree_next() returned */
};

static struct tree tree_of(const struct extents *x)
{
	return (struct tree){ .levels = { { .x = x } }, .depth = 1 };
}

/* @ret_member: of an extent that is one; NULL otherwise.  Return: NULL at the end. */
static const struct extent *tree_next(struct tree *t, const struct member **ret_member)
{
	const struct extents *x = t->levels[t->depth - 1].x;
	const struct extent *e;

	while (t->levels[t->depth - 1].next == x->n) {
		if (--t->depth == 0)
			return NULL;
		x = t->levels[t->depth - 1].x;
	}
	t->home = x;
	e = &x->list[t->levels[t->depth - 1].next++];
	*ret_member = e->kind == EXTENT_MEMBER ? x->members[e->index] : NULL;
	if (*ret_member != NULL && (*ret_member)->inner != NULL && t->depth <= MEMBER_DEPTH_MAX) {
		t->levels[t->depth].x = (*ret_member)->inner;
		t->levels[t->depth++].next = 0;
	}
	return e;
}

static void report_by_dtype(struct report *r, const uint64_t by_dtype[WLK_N_DTYPES])
{
	/* NONE: a tensor whose type nobody knows has a finding of its own. */
	for (int dtype = WLK_DTYPE_NONE + 1; dtype < WLK_N_DTYPES; dtype++) {
		const struct fact f = {
			.id = WLK_FACT_TENSORS_BY_DTYPE,
			.key = bytes_of_text(dtype_info((enum wlk_dtype)dtype)->name),
			.value = value_number(by_dtype[dtype]),
		};

		if (by_dtype[dtype] > 0)
			report_fact(r, &f);
	}
}

/* One, or in records each field.  Return: how many. */
static uint64_t count_tensors(
    const struct extents *x, const struct extent *e, enum wlk_dtype dtype, uint64_t by_dtype[WLK_N_DTYPES])
{
	const struct record_type *t;

	if (!is_records(e)) {
		by_dtype[dtype]++;
		return 1;
	}
	t = records_of(x, e);
	for (size_t i = 0; i < t->n_tensors; i++)
		by_dtype[t->tensors[i].dtype]++;
	return t->n_tensors;
}

void elements_end(struct elements *el)
{
	uint64_t by_dtype[WLK_N_DTYPES] = { 0 };
	struct tree tree = tree_of(el->extents);
	const struct member *m;
	uint64_t tensors = 0;

	for (const struct extent *e; (e = tree_next(&tree, &m)) != NULL;) {
		bool whole = m != NULL && m->dtype != WLK_DTYPE_NONE;

		if ((e->kind != EXTENT_TENSOR || (e->flags & EXTENT_PIECE) != 0) && !whole)
			continue;
		tensors += count_tensors(tree.home, e, whole ? m->dtype : e->dtype, by_dtype);
	}
	el->report->totals.tensors = tensors;
	report_by_dtype(el->report, by_dtype);
}

static bool tensor_was_examined(const struct extent *e)
{
	return (e->flags & (EXTENT_DEAD | EXTENT_OVERLAP)) == 0 && e->dtype != WLK_DTYPE_NONE;
}

static bool member_was_examined(const struct extent *e, const struct member *m)
{
	return (e->flags & (EXTENT_DEAD | EXTENT_OVERLAP)) == 0 && m->understood && member_decoded(m) &&
	       (m->inner == NULL || !m->inner->gaps);
}

bool elements_all_examined(const struct extents *x)
{
	struct tree tree = tree_of(x);
	const struct member *m;

	if (x->gaps)
		return false;
	for (const struct extent *e; (e = tree_next(&tree, &m)) != NULL;) {
		if (e->kind == EXTENT_TENSOR && !tensor_was_examined(e))
			return false;
		if (m != NULL && !member_was_examined(e, m))
			return false;
	}
	return true;
}
