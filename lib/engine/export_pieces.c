/* Tensors whose elements stand in several runs of the file, in any order: each run is put where its elements belong.  See
 * struct tensor_pieces. */
#include <string.h>

#include "checked.h"
#include "export_impl.h"

#define WORK_RUN 500u /* about nanoseconds (work.h): a write */

struct export_gather {
	const struct tensor_pieces *pieces;
	struct sha256 digest;
	uint64_t next;  /* bytes of the row's type that were written, ... */
	bool scattered; /* ... or not: something stood in front of what was written before */
};

/* Of a box: elements that are neighbours in the tensor as well, and how many there are. */
struct run {
	uint64_t to, n;
};

struct export_gather *export_gather_new(struct arena *a, const struct tensor_pieces *pieces)
{
	struct export_gather *g = arena_alloc(a, 1, sizeof(*g));

	if (g == NULL)
		return NULL;
	*g = (struct export_gather){ .pieces = pieces };
	sha256_begin(&g->digest);
	return g;
}

static const struct range *find_piece(const struct ranges *r, const struct extent *e)
{
	size_t from = 0, to = r->n;

	while (from < to) { /* they ascend */
		size_t middle = from + (to - from) / 2;

		if (r->list[middle].begin < e->begin)
			from = middle + 1;
		else
			to = middle;
	}
	return from < r->n && r->list[from].begin == e->begin && r->list[from].end == e->end ? &r->list[from] : NULL;
}

static bool may_be_piece(const struct extents *x, const struct extent *e)
{
	return e->kind == EXTENT_TENSOR && (e->flags & EXTENT_PIECE) != 0 && x->rows == ROWS_BY_INDEX;
}

bool export_piece_begin(struct exports *ex, const struct extents *x, const struct extent *e)
{
	struct export_row *row = may_be_piece(x, e) ? export_find_row(ex, x->row_base + e->index) : NULL;
	struct export_gather *g = row != NULL && row->n > 0 ? row->gather : NULL;

	if (g == NULL)
		return false;
	ex->row = row;
	ex->piece = find_piece(&g->pieces->at, e);
	ex->piece_fed = ex->window_n = 0;
	ex->big_endian = (e->flags & EXTENT_BIG_ENDIAN) != 0;
	if (ex->piece == NULL)
		exports_refuse(ex, CONVERT_UNREAD, ex->tensors[row->first].name);
	else if (!export_have_window(ex))
		exports_refuse(ex, CONVERT_QUOTA, bytes_of(NULL, 0));
	ex->digest = g->digest;
	ex->digesting = !g->scattered;
	return true;
}

/* -- where they go -- */

static uint64_t box_bytes(const struct export_tensor *t, const uint64_t *box)
{
	uint64_t bytes = export_source_element(t);

	for (unsigned i = 0; i < t->rank; i++)
		if (!mul_u64(bytes, box[i], &bytes))
			return 0;
	return bytes;
}

/* From element @at of the box on.  The dimensions at the end that the box has as a whole are one run. */
static struct run run_of(const struct export_tensor *t, const uint64_t *box, uint64_t first, uint64_t at)
{
	uint64_t n = 1, stride = 1, index;
	unsigned i = t->rank;
	struct run run;

	while (i > 0 && (i == t->rank || box[i] == t->shape[i])) {
		i--;
		n *= box[i];
		stride *= t->shape[i];
	}
	run = (struct run){ .to = first + at % n, .n = n - at % n };
	for (index = at / n; i-- > 0; index /= box[i]) {
		run.to += index % box[i] * stride;
		stride *= t->shape[i];
	}
	return run;
}

static struct run run_at(const struct exports *ex, const struct export_tensor *t, uint64_t at)
{
	const struct tensor_pieces *p = ex->row->gather->pieces;
	uint64_t bytes = ex->piece->end - ex->piece->begin, first = p->first[ex->piece->index];

	if (bytes == box_bytes(t, p->box))
		return run_of(t, p->box, first, at);
	return (struct run){ .to = first + at, .n = bytes / export_source_element(t) - at };
}

static void put(struct exports *ex, const struct export_tensor *t, uint64_t to, const uint8_t *at, uint64_t n)
{
	struct export_gather *g = ex->row->gather;

	if (to > t->taken || n > t->taken - to) { /* a layout's mistake: nothing is written elsewhere */
		exports_refuse(ex, CONVERT_UNREAD, t->name);
		return;
	}
	if (to != g->next)
		g->scattered = true;
	ex->digesting = !g->scattered;
	g->next = to + n;
	export_write_scattered(ex, t, to, at, (size_t)n);
	if (!work_charge(&ex->o.arena->work, WORK_RUN))
		exports_refuse(ex, CONVERT_QUOTA, t->name);
}

static void flush(struct exports *ex)
{
	const struct export_tensor *t = &ex->tensors[ex->row->first];
	uint64_t each = export_source_element(t), from = (ex->piece_fed - ex->window_n) / each;

	export_window_turn(ex);
	for (uint64_t done = 0, all = ex->window_n / each; done < all && !exports_refused(ex);) {
		struct run run = run_at(ex, t, from + done);
		uint64_t n = min_u64(run.n, all - done);

		put(ex, t, run.to * each, ex->window + done * each, n * each);
		done += n;
	}
	ex->window_n = 0;
}

void export_piece_feed(struct exports *ex, const uint8_t *at, size_t n)
{
	uint64_t bytes = ex->piece->end - ex->piece->begin;

	while (n > 0 && !exports_refused(ex)) {
		uint64_t taken = min_u64(n, ex->window_size - ex->window_n);

		memcpy(ex->window + ex->window_n, at, (size_t)taken);
		ex->window_n += taken;
		ex->piece_fed += taken;
		ex->row->fed += taken;
		at += taken;
		n -= (size_t)taken;
		if (ex->window_n == ex->window_size || ex->piece_fed == bytes)
			flush(ex);
	}
}

void export_piece_end(struct exports *ex)
{
	struct export_gather *g = ex->row->gather;
	const struct export_row *row = ex->row;

	g->digest = ex->digest;
	if (row->fed == row->bytes && ex->digesting)
		export_digest_end(ex, &ex->tensors[row->first]);
	ex->digesting = false;
}
