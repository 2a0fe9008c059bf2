/* See digests.h. */
#include "digests.h"

#include "records.h"

/* The rows of a tensor: one, or one for each field of a record. */
static bool find_rows(struct digests *d, const struct extents *x, const struct extent *e)
{
	const struct record_type *records;

	if (!extents_row(x, e, &d->row))
		return false;
	d->n_rows = 1;
	if ((e->flags & EXTENT_RECORDS) != 0) {
		records = records_of(x, e);
		d->row = x->row_base + records->first_row;
		d->n_rows = records->n_tensors;
	}
	return true;
}

void digests_begin(struct digests *d, const struct extents *x, const struct extent *e, const struct report *r)
{
	d->open = r->wants_digests && r->taker == NULL && find_rows(d, x, e);
	if (d->open)
		sha256_begin(&d->state);
}

void digests_feed(struct digests *d, const uint8_t *at, size_t n)
{
	if (d->open)
		sha256_feed(&d->state, at, n);
}

void digests_end(struct digests *d, struct report *r)
{
	uint8_t sha256[SHA256_BYTES];

	if (!d->open)
		return;
	d->open = false;
	sha256_end(&d->state, sha256);
	for (uint64_t i = 0; i < d->n_rows; i++)
		report_manifest_digest(r, d->row + i, sha256);
}
