/* See view.h. */
#include "view.h"

#include <string.h>

#include "checked.h"
#include "member.h"

#define BYTES_BEFORE 32u /* of a finding; lines of 16 */
#define BYTES_SHOWN 96u
#define VIEW_DECODED_MAX ((uint64_t)512 << 20)

_Static_assert((int)VIEW_RANGE_HEADER == (int)EXTENT_HEADER && (int)VIEW_RANGE_TENSOR == (int)EXTENT_TENSOR &&
		   (int)VIEW_RANGE_PADDING == (int)EXTENT_ZERO && (int)VIEW_RANGE_MEMBER == (int)EXTENT_MEMBER &&
		   (int)VIEW_RANGE_METADATA == (int)EXTENT_METADATA,
    "ranges are what extents are");

/* ---- the map ---- */

struct mapping {
	struct report *r;
	struct view_record at_work; /* ranges alike are one, until another one comes */
	uint64_t end;               /* of all so far */
	bool full;
};

static void flush(struct mapping *m)
{
	if (m->at_work.number > 0 && !m->full && !report_view(m->r, &m->at_work))
		m->full = true;
	m->at_work.number = 0;
}

static void put(struct mapping *m, uint64_t begin, uint64_t end, uint8_t kind, uint8_t dtype)
{
	if (begin >= end || m->full)
		return;
	if (m->r->n_views[VIEW_RANGE] + 2 == report_views_max[VIEW_RANGE]) /* one at work, and the last */
		kind = VIEW_RANGE_UNLISTED;
	if (m->at_work.number > 0 && m->at_work.a == kind && m->at_work.b == dtype) {
		m->at_work.length = end - m->at_work.offset;
		m->at_work.number++;
		return;
	}
	flush(m);
	m->at_work = (struct view_record){
		.kind = VIEW_RANGE, .a = kind, .b = dtype, .offset = begin, .length = end - begin, .number = 1
	};
}

/* Up to `end` as what it is, and what lies before it as `gap`. */
static void map_to(struct mapping *m, uint64_t begin, uint64_t end, uint8_t kind, uint8_t dtype, uint8_t gap)
{
	if (begin > m->end)
		put(m, m->end, begin, gap, WLK_DTYPE_NONE);
	if (end > m->end) {
		put(m, begin > m->end ? begin : m->end, end, kind, dtype);
		m->end = end;
	}
}

static bool is_stored(const struct member *m)
{
	return m->stream.codec == CODEC_STORED && m->stream.part.copy == NULL;
}

/* Some layouts lay out what is behind their header, and leave it out. */
static void map_extents(struct mapping *m, const struct extents *x, unsigned depth)
{
	uint8_t gap = VIEW_RANGE_HEADER;

	for (size_t i = 0; i < x->n; i++) {
		const struct extent *e = &x->list[i];
		const struct member *member = e->kind == EXTENT_MEMBER ? x->members[e->index] : NULL;
		uint64_t begin = x->origin + e->begin, end = x->origin + e->end;

		if ((e->flags & EXTENT_DEAD) != 0)
			continue;
		if (member != NULL && is_stored(member) && member_is_tensor(member))
			map_to(m, begin, end, VIEW_RANGE_TENSOR, (uint8_t)member->dtype, gap);
		else if (member != NULL && is_stored(member) && member->inner != NULL && depth < MEMBER_DEPTH_MAX)
			map_extents(m, member->inner, depth + 1);
		map_to(m, begin, end, e->kind, e->kind == EXTENT_TENSOR ? e->dtype : (uint8_t)WLK_DTYPE_NONE, gap);
		gap = VIEW_RANGE_UNEXPLAINED;
	}
}

/* ---- members ---- */

static void show_member(struct report *r, const struct member *m)
{
	const struct stream *s = &m->stream;

	(void)report_view(r, &(struct view_record){ .kind = VIEW_MEMBER,
				 .a = (uint8_t)m->id,
				 .b = m->understood,
				 .offset = part_offset(&s->part, 0),
				 .length = s->part.size,
				 .number = s->size,
				 .member = s->part.member,
				 .text = bytes_of_text(codec_name(s->codec)) });
}

static void show_members(const struct extents *x, struct report *r, unsigned depth)
{
	for (size_t i = 0; i < x->n_members; i++) {
		show_member(r, x->members[i]);
		if (x->members[i]->inner != NULL && depth < MEMBER_DEPTH_MAX)
			show_members(x->members[i]->inner, r, depth + 1);
	}
}

void view_layout(const struct extents *x, uint64_t size, struct report *r)
{
	struct mapping m = { .r = r };

	map_extents(&m, x, 0);
	map_to(&m, size, size, VIEW_RANGE_UNEXPLAINED, WLK_DTYPE_NONE, VIEW_RANGE_UNEXPLAINED);
	flush(&m);
	show_members(x, r, 0);
}

/* ---- bytes around findings ---- */

struct window {
	const struct report_place *place;
	uint64_t begin; /* where the member's or the file's bytes are shown from */
	size_t n;
	uint8_t at[BYTES_SHOWN];
};

struct windows {
	struct window list[REPORT_PLACES_MAX];
	size_t n;
	uint64_t last; /* offset behind the last byte that anybody wants */
};

static struct bytes member_of(const struct report_place *p)
{
	return bytes_of(p->member, p->member_n);
}

static void add_window(struct windows *w, const struct report_place *p)
{
	uint64_t offset = offset_bare(p->offset), begin = offset - min_u64(offset, BYTES_BEFORE);
	struct window *new = &w->list[w->n++];

	*new = (struct window){ .place = p, .begin = begin - begin % 16 };
	if (w->last < new->begin + BYTES_SHOWN)
		w->last = new->begin + BYTES_SHOWN;
}

static void send_windows(const struct windows *w, struct report *r)
{
	for (size_t i = 0; i < w->n; i++)
		if (w->list[i].n > 0)
			(void)report_view(
			    r, &(struct view_record){ .kind = VIEW_BYTES,
				   .offset = w->list[i].begin | (w->list[i].place->offset & OFFSET_DECODED),
				   .member = member_of(w->list[i].place),
				   .text = bytes_of(w->list[i].at, w->list[i].n) });
}

/* A feed_fn: what of these bytes is in a window. */
static uint64_t take(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct windows *w = ctx;
	uint64_t end = offset + n;

	for (size_t i = 0; i < w->n; i++) {
		struct window *win = &w->list[i];
		uint64_t next = win->begin + win->n;

		if (win->n < BYTES_SHOWN && next >= offset && next < end) {
			size_t taken = (size_t)min_u64(end - next, BYTES_SHOWN - win->n);

			memcpy(win->at + win->n, at + (next - offset), taken);
			win->n += taken;
		}
	}
	return end < w->last && end < VIEW_DECODED_MAX ? end : FEED_END;
}

/* Members whose coded bytes lie in the file; of others nothing is shown. */
static const struct member *member_by_path(const struct extents *x, struct bytes path, unsigned depth)
{
	for (size_t i = 0; i < x->n_members; i++) {
		const struct member *m = x->members[i], *found;

		if (bytes_equal(m->stream.part.member, path))
			return m->stream.part.copy == NULL ? m : NULL;
		found = m->inner != NULL && depth < MEMBER_DEPTH_MAX ? member_by_path(m->inner, path, depth + 1) : NULL;
		if (found != NULL)
			return found;
	}
	return NULL;
}

static void show_decoded(const struct extents *x, struct source *src, const struct report_place *p, struct report *r,
    struct arena *a, bool done[REPORT_PLACES_MAX])
{
	const struct member *m = member_by_path(x, member_of(p), 0);
	struct windows w = { .n = 0 };
	struct stream s;

	for (size_t i = (size_t)(p - r->places); i < r->n_places; i++) {
		const struct report_place *other = &r->places[i];

		if (offset_is_decoded(other->offset) && bytes_equal(member_of(other), member_of(p))) {
			add_window(&w, other);
			done[i] = true;
		}
	}
	if (m == NULL || src->err != SOURCE_OK)
		return;
	s = m->stream;
	s.part.src = src;
	(void)stream_preview(&s, a, (struct feeder){ .feed = take, .ctx = &w }, NULL);
	send_windows(&w, r);
}

static void show_stored(struct source *src, const struct report_place *p, struct report *r)
{
	struct windows w = { .n = 0 };
	struct window *win = &w.list[0];

	add_window(&w, p);
	if (win->begin >= src->size)
		return;
	win->n = (size_t)min_u64(BYTES_SHOWN, src->size - win->begin);
	if (source_read_exact(src, win->begin, win->at, win->n))
		send_windows(&w, r);
}

/* A source_read_fn: what was judged, again. */
static int64_t read_again(void *ctx, uint64_t offset, void *buf, size_t n)
{
	struct source *judged = ctx;
	bool good = false;

	if (offset >= judged->size)
		return 0;
	n = (size_t)min_u64(n, judged->size - offset);
	if (judged->passed)
		good = source_reread(judged, offset, buf, n);
	else if (judged->kind == SOURCE_IMMUTABLE)
		good = source_read_exact(judged, offset, buf, n);
	return good ? (int64_t)n : -1;
}

void view_places(const struct extents *x, struct source *judged, struct arena *a, struct report *r)
{
	bool done[REPORT_PLACES_MAX] = { false };
	struct source src;

	judged->reread_budget +=
	    REPORT_PLACES_MAX * judged->block_size; /* places are in the order they were found in */
	source_init(&src, read_again, judged, judged->size, SOURCE_IMMUTABLE, a, 0);
	for (size_t i = 0; i < r->n_places; i++) {
		if (!offset_is_decoded(r->places[i].offset))
			show_stored(&src, &r->places[i], r);
		else if (!done[i])
			show_decoded(x, &src, &r->places[i], r, a, done);
	}
	source_done(&src);
}
