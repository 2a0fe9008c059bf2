/* Ranges in order: see ranges.h.  A heap sort. */
#include "ranges.h"

bool ranges_add(struct ranges *r, struct range range)
{
	if (r->n == r->room) {
		size_t room = r->room > 0 ? r->room * 2 : 256;
		struct range *list = arena_resize_raw(r->arena, r->list, room, sizeof(*list));

		if (list == NULL)
			return false;
		r->list = list;
		r->room = room;
	}
	r->list[r->n++] = range;
	return true;
}

static bool is_before(const struct range *a, const struct range *b)
{
	if (a->file != b->file)
		return a->file < b->file;
	return a->begin != b->begin ? a->begin < b->begin : a->end < b->end;
}

static void sift_down(struct range *list, size_t at, size_t n)
{
	for (size_t child = 2 * at + 1; child < n; at = child, child = 2 * at + 1) {
		struct range swapped = list[at];

		child += child + 1 < n && is_before(&list[child], &list[child + 1]);
		if (!is_before(&list[at], &list[child]))
			return;
		list[at] = list[child];
		list[child] = swapped;
	}
}

static bool is_sorted(const struct ranges *r)
{
	for (size_t i = 1; i < r->n; i++)
		if (is_before(&r->list[i], &r->list[i - 1]))
			return false;
	return true;
}

void ranges_sort(struct ranges *r)
{
	if (is_sorted(r))
		return;
	for (size_t i = r->n / 2; i-- > 0;)
		sift_down(r->list, i, r->n);
	for (size_t end = r->n; end-- > 1;) {
		struct range last = r->list[end];

		r->list[end] = r->list[0];
		r->list[0] = last;
		sift_down(r->list, 0, end);
	}
}

size_t ranges_of_file(const struct ranges *r, size_t first)
{
	size_t n = 1;

	while (first + n < r->n && r->list[first + n].file == r->list[first].file)
		n++;
	return n;
}
