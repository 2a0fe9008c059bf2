/* What every byte of an HDF5 file is: rule H13 of formats/keras-hdf5, and decision 4.  The walk says who owns what; here
 * the owners are put in order, and what lies between them must be zero. */
#include "checked.h"
#include "h5.h"

static struct h5_claim *add_claim(struct h5 *h, uint64_t address, uint64_t n)
{
	struct h5_claim *list = h->claims;
	uint64_t end;

	if (!add_u64(address, n, &end) || end > h->l->part.size) {
		h5_break(h, WLK_F_H5_ADDRESS, address, "storage");
		return NULL;
	}
	h->owned += n; /* each at most the file, and the sum too */
	if (h->owned > h->l->part.size) {
		h5_break(h, WLK_F_H5_OVERLAP, address, "more bytes are owned than there are");
		return NULL;
	}
	if (h->n_claims == h->claims_room) {
		size_t room = h->claims_room > 0 ? h->claims_room * 2 : 256;

		list = arena_resize_raw(h->l->arena, list, room, sizeof(*list));
		if (list == NULL) {
			h5_stop(h);
			return NULL;
		}
		h->claims = list;
		h->claims_room = room;
	}
	list[h->n_claims] = (struct h5_claim){ .begin = address, .end = end, .kind = EXTENT_METADATA };
	return &list[h->n_claims++];
}

bool h5_claim(struct h5 *h, uint64_t address, uint64_t n)
{
	return add_claim(h, address, n) != NULL;
}

bool h5_claim_tensor(struct h5 *h, uint64_t address, uint64_t n, const struct h5_type *type, uint8_t flags)
{
	const struct h5_object *o = &h->objects[h->current];
	struct h5_claim *c = add_claim(h, address, n);

	if (c == NULL)
		return false;
	c->kind = EXTENT_TENSOR;
	c->dtype = type->dtype;
	c->flags = (uint8_t)(flags | (type->big_endian ? EXTENT_BIG_ENDIAN : 0));
	c->name_at = o->name_at;
	c->name_n = o->name_n;
	c->index = h->n_tensors;
	return true;
}

bool h5_count_tensor(struct h5 *h, const struct h5_type *type, bool listed)
{
	if (layout_wants_tensors(h->l) && !listed)
		h->l->report->manifest_partial = true;
	if (layout_wants_views(h->l) && !listed)
		h->l->report->taker->leave(h->l->report->taker->ctx, h5_path(h), CONVERT_PIECES, true);
	return h5_claim_tensor(h, h->objects[h->current].address, 0, type, EXTENT_CODED);
}

void h5_count_slack(struct h5 *h, const uint8_t *at, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		h->slack += at[i] != 0 ? 1 : 0;
}

/* By where they begin, the shorter first.  A heap in place: no library call that allocates, and n log n at worst. */
static bool before(const struct h5_claim *a, const struct h5_claim *b)
{
	return a->begin != b->begin ? a->begin < b->begin : a->end < b->end;
}

static void sift(struct h5_claim *list, size_t i, size_t n)
{
	const struct h5_claim moved = list[i];

	while (i < n / 2) {
		size_t child = 2 * i + 1;

		if (child + 1 < n && before(&list[child], &list[child + 1]))
			child++;
		if (!before(&moved, &list[child]))
			break;
		list[i] = list[child];
		i = child;
	}
	list[i] = moved;
}

static void sort_claims(struct h5_claim *list, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift(list, i, n);
	for (size_t last = n; last-- > 1;) {
		const struct h5_claim largest = list[0];

		list[0] = list[last];
		list[last] = largest;
		sift(list, 0, last);
	}
}

static struct extent *add_extent(struct h5 *h, uint64_t begin, uint64_t end, enum extent_kind kind)
{
	struct extent *e = extents_add(h->l->extents);

	if (e == NULL) {
		h5_stop(h);
		return NULL;
	}
	*e = (struct extent){ .begin = begin, .end = end, .kind = (uint8_t)kind };
	return e;
}

#define UNCLAIMED_MAX 4096u /* decision 4 */

static uint64_t count_nonzero(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	uint64_t *count = ctx;

	for (size_t i = 0; i < n; i++)
		*count += at[i] != 0 ? 1 : 0;
	return offset + n;
}

/* A run that nobody owns. */
static bool add_gap(struct h5 *h, uint64_t begin, uint64_t end, uint64_t *nonzero)
{
	const struct part gap = part_range(&h->l->part, begin, end - begin);

	if (!part_preview(&gap, 0, (struct feeder){ count_nonzero, nonzero }))
		return h5_stop(h);
	return add_extent(h, begin, end, EXTENT_METADATA) != NULL;
}

/* What global heaps hold and nothing refers to. */
static bool count_strings(struct h5 *h)
{
	for (uint32_t i = 0; i < h->n_strings; i++) {
		const struct h5_string *s = &h->strings[i];
		const struct part text = part_range(&h->l->part, s->at, s->n);

		if (s->index > 0 && !s->used && !part_preview(&text, 0, (struct feeder){ count_nonzero, &h->slack }))
			return h5_stop(h);
	}
	return true;
}

/* What is not there of it is asked for at a time. */
static void want_gaps(struct h5 *h)
{
	uint64_t at = 0;

	for (size_t i = 0; i < h->n_claims; i++) {
		const struct h5_claim *c = &h->claims[i];

		if (c->begin > at)
			part_want(&h->l->part, at, c->begin - at);
		at = c->end > at ? c->end : at;
	}
	if (at < h->end)
		part_want(&h->l->part, at, h->end - at);
}

bool h5_fill_extents(struct h5 *h)
{
	uint64_t at = 0, nonzero = 0;

	sort_claims(h->claims, h->n_claims);
	want_gaps(h);
	if (!count_strings(h))
		return false;
	for (size_t i = 0; i < h->n_claims; i++) {
		const struct h5_claim *c = &h->claims[i];
		struct extent *e;

		if (c->begin > at && !add_gap(h, at, c->begin, &nonzero))
			return false;
		e = add_extent(h, c->begin, c->end, c->kind);
		if (e == NULL)
			return false;
		e->dtype = c->dtype;
		e->flags = c->flags;
		e->name_at = c->name_at;
		e->name_n = c->name_n;
		e->index = c->index;
		at = c->end > at ? c->end : at;
	}
	if (at < h->end && !add_gap(h, at, h->end, &nonzero))
		return false;
	if (h->slack > UNCLAIMED_MAX && !h->unsupported)
		layout_value(h->l, WLK_F_H5_UNCLAIMED_BYTES, 0, h->slack, UNCLAIMED_MAX);
	/* Behind what was not read there may be owners. */
	if (nonzero > 0 && !h->unsupported)
		layout_value(h->l,
		    nonzero > UNCLAIMED_MAX && !h->moved_links ? WLK_F_H5_HOLE : WLK_F_H5_UNCLAIMED_BYTES, 0, nonzero,
		    UNCLAIMED_MAX);
	return true;
}
