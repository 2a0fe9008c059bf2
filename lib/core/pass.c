/* The one sequential pass: see pass.h.  A piece is a run of the file that lies in memory: from a pin, or just
 * read.  Every piece goes to the digest first, then, still in cache, to everybody else. */
#include <assert.h>
#include <string.h>

#include "checked.h"
#include "pass.h"

struct piece {
	const uint8_t *at;
	size_t n;
	uint64_t offset;
};

void pass_init(struct pass *p, struct source *src, struct report *r)
{
	*p = (struct pass){ .src = src, .report = r };
}

void pass_add_walker(struct pass *p, struct walker w)
{
	assert(p->n_walkers < sizeof(p->walkers) / sizeof(p->walkers[0]));
	p->walkers[p->n_walkers++] = w;
}

const struct capture *pass_capture(struct pass *p, uint64_t begin, uint64_t n)
{
	uint64_t size = p->src->size;
	struct capture *c = &p->captures[p->n_captures];

	assert(p->n_captures < PASS_CAPTURES_MAX);
	c->begin = min_u64(begin, size);
	c->end = c->begin + min_u64(n, size - c->begin);
	c->at = arena_alloc(p->src->arena, (size_t)(c->end - c->begin), 1);
	if (c->at == NULL)
		return NULL;
	p->n_captures++;
	return c;
}

static void fill_captures(struct pass *p, const struct piece *piece)
{
	uint64_t end = piece->offset + piece->n;

	for (size_t i = 0; i < p->n_captures; i++) {
		const struct capture *c = &p->captures[i];
		uint64_t from = c->begin > piece->offset ? c->begin : piece->offset;
		uint64_t to = min_u64(c->end, end);

		if (from < to)
			memcpy(c->at + (from - c->begin), piece->at + (from - piece->offset), (size_t)(to - from));
	}
}

static bool feed(struct pass *p, struct slicer *s, const struct piece *piece)
{
	if (!source_hash(p->src, piece->at, piece->n))
		return false;
	slicer_feed(s, piece->at, piece->n, piece->offset, piece->offset + piece->n == p->src->size);
	for (size_t i = 0; i < p->n_walkers; i++)
		p->walkers[i].feed(p->walkers[i].ctx, piece->at, piece->n, piece->offset);
	fill_captures(p, piece);
	return true;
}

/* The first pin that ends behind offset, or NULL. */
static const struct source_pin *pin_ahead(const struct source *src, uint64_t offset)
{
	for (size_t i = 0; i < src->n_pins; i++) {
		if (src->pins[i].end > offset)
			return &src->pins[i];
	}
	return NULL;
}

/* The next piece at offset: up to the next multiple of PASS_BLOCK, the border of a pin or the end of the
 * file. */
static bool next_piece(struct pass *p, uint64_t offset, uint8_t *buf, struct piece *ret)
{
	const struct source_pin *pin = pin_ahead(p->src, offset);
	uint64_t n = min_u64(PASS_BLOCK - offset % PASS_BLOCK, p->src->size - offset);

	ret->offset = offset;
	if (p->src->flow != NULL) {
		ret->at = source_flowing(p->src, offset, (size_t)n);
		ret->n = (size_t)n;
		return ret->at != NULL;
	}
	if (pin != NULL && pin->begin <= offset) {
		ret->at = pin->at + (offset - pin->begin);
		ret->n = (size_t)min_u64(n, pin->end - offset);
		return true;
	}
	if (pin != NULL)
		n = min_u64(n, pin->begin - offset);
	ret->at = buf;
	ret->n = (size_t)n;
	return source_read_exact(p->src, offset, buf, (size_t)n);
}

static bool read_all(struct pass *p, uint8_t *buf)
{
	struct piece piece = { .at = buf };
	struct slicer s;

	slicer_init(&s, p->extents, p->sink != NULL ? *p->sink : (struct pass_sink){ 0 });
	if (p->src->size == 0)
		slicer_feed(&s, buf, 0, 0, true);
	for (uint64_t offset = 0; offset < p->src->size; offset += piece.n) {
		if (!next_piece(p, offset, buf, &piece) || !feed(p, &s, &piece) || !source_flowed(p->src, offset))
			return false;
		report_progress(p->report, offset + piece.n);
		if (p->report->failed)
			return false;
	}
	return true;
}

static enum wlk_status stop(struct pass *p)
{
	const struct arena *a = p->src->arena;

	if (p->src->err == SOURCE_OK && p->report->failed) /* nobody listens any more */
		return report_stop(p->report, WLK_CAUSE_CANCELLED, 0, 0);
	if (p->src->err == SOURCE_MEMORY)
		return report_stop(p->report, WLK_CAUSE_LIMIT_MEMORY, a->used, a->budget);
	return report_stop(p->report, source_cause(p->src->err), 0, 0);
}

_Static_assert(PASS_BLOCK == FLOW_BLOCK, "a piece of what flows by lies in one of its blocks");

enum wlk_status pass_run(struct pass *p, uint8_t ret_digest[32])
{
	size_t n = (size_t)min_u64(PASS_BLOCK, p->src->size);
	uint8_t *buf;

	assert(p->extents == NULL || p->sink != NULL);
	if (!source_hash_begin(p->src))
		return stop(p);
	buf = arena_alloc(p->src->arena, n, 1);
	if (buf == NULL)
		return report_stop(p->report, WLK_CAUSE_LIMIT_MEMORY, p->src->arena->used, p->src->arena->budget);
	if (!read_all(p, buf) || !source_hash_end(p->src, ret_digest))
		return stop(p);
	return WLK_DONE;
}
