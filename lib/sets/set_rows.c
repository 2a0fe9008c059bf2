/* The rows of a member, one after the other, out of the document: read in blocks and not kept.  See set_impl.h. */
#include "checked.h"
#include "part.h"
#include "set_impl.h"

#define LENGTH 4u /* bytes before each row */

struct rows {
	set_row_fn fn;
	void *ctx;
	bool enough, malformed;
	size_t carried; /* of a row that two blocks share */
	uint8_t carry[LENGTH + MANIFEST_ROW_MAX];
	struct manifest_row row;
};

/* Bytes of the row at `at` with its length, as far as n of them tell. */
static size_t row_bytes(struct rows *r, const uint8_t *at, size_t n)
{
	uint32_t length = n >= LENGTH ? load_u32le(at) : 0;

	r->malformed = r->malformed || length > MANIFEST_ROW_MAX;
	return LENGTH + (r->malformed ? 0 : length);
}

static void take_row(struct rows *r, const uint8_t *at, size_t n)
{
	if (!manifest_decode(bytes_of(at + LENGTH, n - LENGTH), &r->row))
		r->malformed = true;
	else
		r->enough = !r->fn(r->ctx, &r->row);
}

/* Add what is missing to the row that began in another block.  Return: bytes taken. */
static size_t take_carried(struct rows *r, const uint8_t *at, size_t n)
{
	size_t wants = row_bytes(r, r->carry, r->carried), piece;

	if (r->malformed)
		return 0;
	piece = (size_t)min_u64(wants - r->carried, n);
	bytes_copy(r->carry + r->carried, bytes_of(at, piece));
	r->carried += piece;
	if (r->carried >= LENGTH && r->carried == row_bytes(r, r->carry, r->carried) && !r->malformed) {
		take_row(r, r->carry, r->carried);
		r->carried = 0;
	}
	return piece;
}

/* The next row, or what this block has of it.  Return: bytes taken. */
static size_t take_next(struct rows *r, const uint8_t *at, size_t n)
{
	size_t wants;

	if (r->carried > 0 || n < LENGTH)
		return take_carried(r, at, n);
	wants = row_bytes(r, at, n);
	if (wants > n)
		return take_carried(r, at, n);
	if (!r->malformed)
		take_row(r, at, wants);
	return wants;
}

static uint64_t feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct rows *r = ctx;

	for (size_t done = 0; done < n && !r->enough && !r->malformed;)
		done += take_next(r, at + done, n - done);
	return r->enough || r->malformed ? FEED_END : offset + n;
}

bool set_rows(struct set *s, uint32_t member, set_row_fn fn, void *ctx)
{
	const struct set_member *m = &s->members[member];
	struct part document = part_of_file(s->in->src), part = part_range(&document, m->rows_at, m->rows_bytes);
	struct rows r = { .fn = fn, .ctx = ctx };

	if (!sub_u64(s->readings_left, m->rows_bytes, &s->readings_left)) {
		s->failed = true;
		report_stop(s->in->report, WLK_CAUSE_LIMIT_REREAD, m->rows_bytes, s->readings_left);
		return false;
	}
	if (!part_preview(&part, 0, (struct feeder){ .feed = feed, .ctx = &r }))
		return set_stop(s);
	if (r.malformed || (r.carried > 0 && !r.enough))
		return set_stop(s);
	return true;
}
