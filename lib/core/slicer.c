/* Slicing: see slicer.h. */
#include "slicer.h"

#include "checked.h"

void slicer_init(struct slicer *s, const struct extents *x, struct pass_sink sink)
{
	*s = (struct slicer){ .sink = sink };
	if (x != NULL) {
		s->list = x->list;
		s->n = x->n;
	}
}

/* Feed what of an extent lies in the piece.  Return: true when the extent is done. */
static bool feed_extent(struct slicer *s, const struct extent *e, const uint8_t *at, uint64_t begin, uint64_t end)
{
	uint64_t from = e->begin > begin ? e->begin : begin;
	uint64_t to = min_u64(e->end, end);

	if (!s->begun)
		s->sink.begin(s->sink.ctx, e);
	s->begun = true;
	if (from < to)
		s->sink.feed(s->sink.ctx, e, at + (from - begin), (size_t)(to - from), from);
	if (e->end > end)
		return false;
	s->sink.end(s->sink.ctx, e);
	s->begun = false;
	return true;
}

void slicer_feed(struct slicer *s, const uint8_t *at, size_t n, uint64_t offset, bool last)
{
	uint64_t end = offset + n;

	for (; s->next < s->n; s->next++) {
		const struct extent *e = &s->list[s->next];

		if (e->flags & (EXTENT_DEAD | EXTENT_OVERLAP))
			continue;
		if (e->begin > end || (e->begin == end && !last))
			return;
		if (!feed_extent(s, e, at, offset, end))
			return;
	}
}
