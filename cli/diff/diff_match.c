/* See diff_match.h.  Sorted by the hash of their names, both sides are passed through once.  The hash has a key nobody else
 * knows, so that names cannot be made to meet; those that do are compared, and a name that one side has twice is
 * told and not paired: a loader may take either. */
#include "diff_match.h"

#include <stdlib.h>
#include <string.h>

static int compare_hashes(const void *va, const void *vb)
{
	const struct side_item *a = va, *b = vb;

	return a->hash != b->hash ? (a->hash < b->hash ? -1 : 1) : 0;
}

static int compare_places(const void *va, const void *vb)
{
	const struct side_item *a = va, *b = vb;

	return a->at < b->at ? -1 : a->at > b->at;
}

static bool same_shape(const struct manifest_row *a, const struct manifest_row *b)
{
	return a->rank == b->rank && memcmp(a->shape, b->shape, a->rank * sizeof(a->shape[0])) == 0;
}

static bool name_is_whole(const struct manifest_row *row)
{
	return row->name_bytes == row->name.n;
}

unsigned diff_tensors(const struct side_tensor *a, const struct side_tensor *b)
{
	unsigned marks = DIFF_MATCHED;

	if (!bytes_equal(a->row.dtype, b->row.dtype))
		marks |= DIFF_DTYPE;
	if (!same_shape(&a->row, &b->row))
		marks |= DIFF_SHAPE;
	if (!a->has_sha256 || !b->has_sha256 || !name_is_whole(&a->row) || !name_is_whole(&b->row))
		marks |= DIFF_UNKNOWN;
	else if (memcmp(a->sha256, b->sha256, sizeof(a->sha256)) != 0)
		marks |= DIFF_BYTES;
	return marks;
}

/* Items of one hash, from @from on. */
static size_t group_end(const struct side *s, size_t from)
{
	size_t i = from + 1;

	while (i < s->n && s->items[i].hash == s->items[from].hash)
		i++;
	return i;
}

static void mark_group(struct side *s, size_t from, size_t to, unsigned marks)
{
	for (size_t i = from; i < to; i++)
		s->items[i].marks = marks & 0xff;
}

/* One on each side.  Different names that share a hash of 64 bits: nobody has seen it; told as not comparable. */
static int match_pair(const struct side *a, struct side_item *in_a, const struct side *b, struct side_item *in_b)
{
	static struct side_tensor left, right; /* too large for a careful stack; one thread */
	unsigned marks;
	int r = side_read(a, in_a->at, &left);

	if (r == 0)
		r = side_read(b, in_b->at, &right);
	if (r < 0)
		return r;
	marks = bytes_equal(left.row.name, right.row.name) ? diff_tensors(&left, &right) : DIFF_MATCHED | DIFF_UNKNOWN;
	in_a->marks = in_b->marks = marks & 0xff;
	in_a->other = in_b->at;
	in_b->other = in_a->at;
	return 0;
}

static int match_groups(struct side *a, size_t *i, struct side *b, size_t *j)
{
	size_t end_a = group_end(a, *i), end_b = group_end(b, *j);
	int r = 0;

	if (end_a - *i == 1 && end_b - *j == 1) {
		r = match_pair(a, &a->items[*i], b, &b->items[*j]);
	} else {
		mark_group(a, *i, end_a, DIFF_MATCHED | DIFF_TWICE);
		mark_group(b, *j, end_b, DIFF_MATCHED | DIFF_TWICE);
	}
	*i = end_a;
	*j = end_b;
	return r;
}

/* A name that is on one side only, though twice. */
static void match_none(struct side *s, size_t *i)
{
	size_t end = group_end(s, *i);

	if (end - *i > 1)
		mark_group(s, *i, end, DIFF_TWICE);
	*i = end;
}

static void count(const struct side *s, bool is_a, struct diff_counts *ret)
{
	for (size_t i = 0; i < s->n; i++) {
		unsigned marks = s->items[i].marks;

		if ((marks & DIFF_MATCHED) == 0)
			++*(is_a ? &ret->removed : &ret->added);
		if ((marks & DIFF_TWICE) != 0 || (is_a && (marks & DIFF_UNKNOWN) != 0))
			ret->unknown++;
		if (is_a && (marks & DIFF_CHANGED) != 0)
			ret->changed++;
		if (is_a && marks == DIFF_MATCHED)
			ret->identical++;
	}
}

static void sort(struct side *s, int (*compare)(const void *, const void *))
{
	if (s->n > 1)
		qsort(s->items, s->n, sizeof(*s->items), compare);
}

int diff_match(struct side *a, struct side *b, struct diff_counts *ret)
{
	size_t i = 0, j = 0;
	int r = 0;

	sort(a, compare_hashes);
	sort(b, compare_hashes);
	while (r == 0 && (i < a->n || j < b->n)) {
		if (j == b->n || (i < a->n && a->items[i].hash < b->items[j].hash))
			match_none(a, &i);
		else if (i == a->n || b->items[j].hash < a->items[i].hash)
			match_none(b, &j);
		else
			r = match_groups(a, &i, b, &j);
	}
	sort(a, compare_places);
	sort(b, compare_places);
	*ret = (struct diff_counts){ 0 };
	count(a, true, ret);
	count(b, false, ret);
	return r;
}
