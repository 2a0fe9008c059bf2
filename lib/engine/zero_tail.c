/* See zero_tail.h.  What the last bytes of nearly every piece show is that it does not end with zeros: so this costs nothing. */
#include "zero_tail.h"

#include <string.h>

static size_t count_zeros_behind(const uint8_t *at, size_t n)
{
	size_t left = n;
	uint64_t word;

	while (left >= sizeof(word)) {
		memcpy(&word, at + left - sizeof(word), sizeof(word));
		if (word != 0)
			break;
		left -= sizeof(word);
	}
	while (left > 0 && at[left - 1] == 0)
		left--;
	return n - left;
}

static void look(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct zero_tail *z = ctx;
	size_t zeros = count_zeros_behind(at, n);

	if (zeros < n)
		z->begin = offset + n - zeros;
}

struct walker zero_tail_walker(struct zero_tail *z)
{
	z->begin = 0;
	return (struct walker){ .ctx = z, .feed = look };
}

static bool counts(const struct extent *e)
{
	return e->kind == EXTENT_TENSOR && (e->flags & (EXTENT_DEAD | EXTENT_OVERLAP)) == 0;
}

void zero_tail_report(const struct zero_tail *z, const struct extents *x, uint64_t size, struct report *r)
{
	const struct extent *first = NULL;
	uint8_t buf[REPORT_STRING_MAX];
	uint64_t behind = 0;

	if (size - z->begin < ZERO_TAIL_PAGE + ZERO_TAIL_BEHIND)
		return;
	for (size_t i = 0; i < x->n; i++) {
		const struct extent *e = &x->list[i];

		if (!counts(e))
			continue;
		if (e->begin >= z->begin)
			behind += e->end - e->begin;
		else if (e->end > z->begin && e->end - z->begin >= ZERO_TAIL_PAGE)
			first = e;
	}
	if (first == NULL || behind < ZERO_TAIL_BEHIND)
		return;
	report_finding(r, &(struct finding){ .code = WLK_F_WEIGHTS_ZERO_TAIL,
			      .has_offset = true,
			      .offset = z->begin,
			      .has_length = true,
			      .length = size - z->begin,
			      .subject = extents_name(x, first, buf, sizeof(buf)),
			      .found = value_number(size - z->begin) });
}
