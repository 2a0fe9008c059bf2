/* Members in the pass: see member.h.  Each level has a slicer of its own; what the decoder of one level hands on is cut by
 * the slicer of the next.  How deep that goes is bounded by MEMBER_DEPTH_MAX, not by the file. */
#include "member.h"

#include <assert.h>

#include <libdeflate.h>

#include "checked.h"

#define MEMBERS_FIRST 16

struct member *member_add(struct extents *x, uint64_t begin, uint64_t end)
{
	struct member *m = arena_alloc(x->arena, 1, sizeof(*m));
	struct extent *e;

	if (m == NULL || x->n_members > UINT32_MAX)
		return NULL;
	if (x->n_members == x->members_capacity) {
		size_t capacity = x->members_capacity > 0 ? x->members_capacity * 2 : MEMBERS_FIRST;
		struct member **list = arena_resize_raw(x->arena, x->members, capacity, sizeof(*list));

		if (list == NULL)
			return NULL;
		x->members = list;
		x->members_capacity = capacity;
	}
	e = extents_add(x);
	if (e == NULL)
		return NULL;
	e->begin = begin;
	e->end = end;
	e->kind = EXTENT_MEMBER;
	e->index = (uint32_t)x->n_members;
	x->members[x->n_members++] = m;
	return m;
}

struct extents *member_inner(struct member *m, struct arena *a)
{
	struct extents *x = arena_alloc(a, 1, sizeof(*x));

	if (x == NULL)
		return NULL;
	extents_init(x, a);
	x->member = m->stream.part.member;
	x->origin = stream_origin(&m->stream);
	m->inner = x;
	return x;
}

/* -- the content of a member: level by level -- */

static struct pass_sink level_sink(struct member_level *level);

/* One extent as long as the member. */
static const struct extents *whole_tensor(struct member_level *level, const struct member *m)
{
	struct bytes name = m->tensor.n > 0 ? m->tensor : m->stream.part.member;

	level->whole_extent = (struct extent){ .end = m->stream.size,
		.kind = EXTENT_TENSOR,
		.dtype = (uint8_t)m->dtype,
		.flags = m->big_endian ? EXTENT_BIG_ENDIAN : 0,
		.name_n = (uint32_t)min_u64(name.n, REPORT_STRING_MAX) };
	level->whole = (struct extents){ .list = &level->whole_extent,
		.n = 1,
		.names = name,
		.member = m->stream.part.member,
		.origin = stream_origin(&m->stream),
		.rows = m->listed ? ROWS_BY_PLACE : ROWS_NONE,
		.row_base = m->row };
	return &level->whole;
}

/* Decoded bytes of the member that the level above has open. */
static uint64_t level_feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct member_level *level = ctx;
	struct member *m = level[-1].open;

	if (m->check_crc)
		m->crc = libdeflate_crc32(m->crc, at, n);
	level->at = offset + n;
	slicer_feed(&level->slicer, at, n, offset, false);
	return offset + n;
}

static void open_level(struct member_level *level, const struct member *m)
{
	level->x = member_is_tensor(m) ? whole_tensor(level, m) : m->inner;
	level->at = 0;
	level->open = NULL;
	slicer_init(&level->slicer, level->x, level_sink(level));
}

static void open_member(struct member_level *level, struct member *m)
{
	struct member_level *content = level + 1;

	if (content == &level->all->levels[MEMBER_DEPTH_MAX + 1])
		return; /* nobody judged so deep: it was not passed */
	open_level(content, m);
	m->crc = 0;
	level->decoder =
	    decoder_new(&m->stream, level->all->arena, (struct feeder){ .feed = level_feed, .ctx = content });
	level->open = level->decoder != NULL ? m : NULL;
	level->all->failed |= level->decoder == NULL;
}

static void close_member(struct member_level *level)
{
	struct member_level *content = level + 1;
	struct member *m = level->open;

	if (m == NULL)
		return;
	slicer_feed(&content->slicer, NULL, 0, content->at, true);
	m->end = decoder_end(level->decoder, &m->state);
	m->passed = true;
	level->all->failed |= m->end == STREAM_FAILED;
	level->open = NULL;
}

/* -- the extents of a level -- */

static void level_begin(void *ctx, const struct extent *e)
{
	struct member_level *level = ctx;

	if (e->kind == EXTENT_MEMBER)
		open_member(level, level->x->members[e->index]);
	else
		elements_tensor_begin(&level->all->elements, level->x, e);
	level->all->failed |= elements_failed(&level->all->elements);
}

static void level_cut(void *ctx, const struct extent *e, const uint8_t *at, size_t n, uint64_t offset)
{
	struct member_level *level = ctx;

	if (e->kind != EXTENT_MEMBER)
		elements_tensor_feed(&level->all->elements, at, n, offset);
	else if (level->open != NULL)
		decoder_feed(level->decoder, at, n);
}

static void level_end(void *ctx, const struct extent *e)
{
	struct member_level *level = ctx;

	if (e->kind == EXTENT_MEMBER)
		close_member(level);
	else
		elements_tensor_end(&level->all->elements);
	level->all->failed |= elements_failed(&level->all->elements);
}

static struct pass_sink level_sink(struct member_level *level)
{
	return (struct pass_sink){ .ctx = level, .begin = level_begin, .feed = level_cut, .end = level_end };
}

void members_init(struct members *ms, const struct extents *x, struct arena *a, struct report *r)
{
	*ms = (struct members){ .arena = a };
	elements_init(&ms->elements, x, r);
	for (unsigned i = 0; i <= MEMBER_DEPTH_MAX; i++)
		ms->levels[i].all = ms;
	ms->levels[0].x = x;
}

struct pass_sink members_sink(struct members *ms)
{
	return level_sink(&ms->levels[0]);
}
