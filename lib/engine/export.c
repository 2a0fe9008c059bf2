/* In the pass: elements to their places in the output.  See export.h. */
#include <string.h>

#include "checked.h"
#include "export_impl.h"
#include "weights.h"

/* About nanoseconds (work.h): a write, and a step over elements that lie elsewhere. */
#define WORK_WRITE 500u
#define WORK_STEP 8u

static struct bytes nothing(void)
{
	return bytes_of(NULL, 0);
}

bool export_write(struct exports *ex, uint64_t at, const uint8_t *bytes, size_t n)
{
	if (exports_refused(ex))
		return false;
	if (n == 0)
		return true;
	if (ex->digesting)
		sha256_feed(&ex->digest, bytes, n);
	if (at > ex->output_bytes || n > ex->output_bytes - at || !ex->o.write(ex->o.ctx, at, bytes, n))
		exports_refuse(ex, CONVERT_WRITE, nothing());
	return !exports_refused(ex);
}

/* -- promised digests -- */

void export_digest_begin(struct exports *ex)
{
	ex->digesting = true;
	sha256_begin(&ex->digest);
}

void export_digest_end(struct exports *ex, const struct export_tensor *t)
{
	uint8_t sha256[SHA256_BYTES];

	if (!ex->digesting)
		return;
	ex->digesting = false;
	sha256_end(&ex->digest, sha256);
	if (!exports_refused(ex))
		report_manifest_digest(ex->o.report, t->index, sha256);
}

/* -- elements in one run -- */

/* What of the bytes that stand at @from of the row is the tensor's. */
static void write_run(struct exports *ex, const struct export_tensor *t, uint64_t from, const uint8_t *at, uint64_t n)
{
	uint64_t begin = t->begin > from ? t->begin : from, end = t->begin + t->taken;

	end = end < from + n ? end : from + n;
	if (begin < end && t->source != t->dtype) /* in whole elements: such rows go through the window */
		export_cast(
		    ex, t, (begin - t->begin) / export_source_element(t), at + (begin - from), (size_t)(end - begin));
	else if (begin < end)
		(void)export_write(
		    ex, ex->header_bytes + t->at + (begin - t->begin), at + (begin - from), (size_t)(end - begin));
}

/* -- elements that are scattered -- */

void export_write_scattered(struct exports *ex, const struct export_tensor *t, uint64_t to, const uint8_t *at, size_t n)
{
	if (t->source != t->dtype)
		export_cast(ex, t, to / export_source_element(t), at, n);
	else
		(void)export_write(ex, ex->header_bytes + t->at + to, at, n);
}

static void staging_flush(struct exports *ex)
{
	if (ex->staging.n > 0) {
		export_write_scattered(ex, ex->staging.t, ex->staging.at, ex->staging.bytes, ex->staging.n);
		(void)work_charge(&ex->o.arena->work, WORK_WRITE);
	}
	ex->staging.n = 0;
}

/* Room for n bytes that go to @to, which are no more than STAGING_BYTES. */
static uint8_t *stage(struct exports *ex, uint64_t to, size_t n)
{
	struct staging *s = &ex->staging;

	if (s->n > 0 && (s->at + s->n != to || n > STAGING_BYTES - s->n))
		staging_flush(ex);
	if (s->n == 0)
		s->at = to;
	s->n += n;
	return s->bytes + s->n - n;
}

static void stage_run(struct exports *ex, uint64_t to, const uint8_t *at, size_t n)
{
	if (n <= STAGING_BYTES) {
		memcpy(stage(ex, to, n), at, n);
		return;
	}
	staging_flush(ex);
	export_write_scattered(ex, ex->staging.t, to, at, n);
}

#define DEFINE_GATHER(bits)                                                              \
	static void gather_##bits(uint8_t *to, const uint8_t *at, size_t n, size_t step) \
	{                                                                                \
		for (size_t i = 0; i < n; i++)                                           \
			memcpy(to + i * ((bits) / 8), at + i * step, (bits) / 8);        \
	}
DEFINE_GATHER(8)
DEFINE_GATHER(16)
DEFINE_GATHER(32)
DEFINE_GATHER(64)

/* n elements, each so many bytes behind the one before. */
static void gather(uint8_t *to, const uint8_t *at, size_t n, size_t step, uint64_t each)
{
	switch (each) {
	case 1: gather_8(to, at, n, step); break;
	case 2: gather_16(to, at, n, step); break;
	case 4: gather_32(to, at, n, step); break;
	default: gather_64(to, at, n, step); break; /* safetensors has none that are wider */
	}
}

/* A dimension on the way through a view: which of its indexes lead into the window. */
struct level {
	uint64_t base;      /* element that index 0 shows */
	uint64_t next, end; /* indexes that are left */
	uint64_t out;       /* elements of the output in front of index 0 */
};

struct scatter {
	struct exports *ex;
	const struct export_tensor *t;
	uint64_t each;     /* bytes of an element */
	uint64_t from, to; /* the window, in elements of the row */
	uint64_t size[MANIFEST_RANK_MAX], stride[MANIFEST_RANK_MAX], below[MANIFEST_RANK_MAX], span[MANIFEST_RANK_MAX];
	struct level levels[MANIFEST_RANK_MAX];
	unsigned n;
};

/* Dimensions of one element are left out; those that are one run with the next are one with it. */
static void flatten(struct scatter *s)
{
	const struct export_tensor *t = s->t;

	for (unsigned i = 0; i < t->rank; i++) {
		if (t->shape[i] == 1)
			continue;
		if (s->n > 0 && s->stride[s->n - 1] == t->shape[i] * t->stride[i]) { /* both within the row */
			s->size[s->n - 1] *= t->shape[i];
			s->stride[s->n - 1] = t->stride[i];
			continue;
		}
		s->size[s->n] = t->shape[i];
		s->stride[s->n++] = t->stride[i];
	}
	/* below: elements of the output an index stands for; span: how far the dimensions behind it reach. */
	for (unsigned i = s->n; i-- > 0;) {
		s->below[i] = i + 1 < s->n ? s->below[i + 1] * s->size[i + 1] : 1;
		s->span[i] = i + 1 < s->n ? s->span[i + 1] + (s->size[i + 1] - 1) * s->stride[i + 1] : 0;
	}
}

static void enter(struct scatter *s, unsigned d, uint64_t base, uint64_t out)
{
	struct level *l = &s->levels[d];
	uint64_t reach = base + s->span[d], stride = s->stride[d];

	*l = (struct level){ .base = base, .out = out };
	if (base >= s->to)
		return;
	l->end = s->size[d];
	if (stride == 0) {
		l->end = reach >= s->from ? l->end : 0;
		return;
	}
	l->next = reach < s->from ? (s->from - reach + stride - 1) / stride : 0;
	if ((s->to - 1 - base) / stride + 1 < l->end)
		l->end = (s->to - 1 - base) / stride + 1;
	l->next = l->next < l->end ? l->next : l->end;
}

/* The innermost dimension, as far as it lies in the window. */
static void stage_level(struct scatter *s, struct level *l)
{
	struct exports *ex = s->ex;
	uint64_t out = (l->out + l->next) * s->each;
	uint64_t stride = s->stride[s->n - 1], n = l->end - l->next;
	const uint8_t *at = ex->window + (l->base + l->next * stride - s->from) * s->each;

	if (n == 0)
		return;
	if (stride == 1) {
		stage_run(ex, out, at, (size_t)(n * s->each));
		return;
	}
	for (uint64_t done = 0; done < n;) {
		uint64_t most = STAGING_BYTES / s->each, some = n - done < most ? n - done : most;

		gather(stage(ex, out + done * s->each, (size_t)(some * s->each)), at + done * stride * s->each,
		    (size_t)some, (size_t)(stride * s->each), s->each);
		done += some;
	}
}

/* Every element of the view that lies in the window, in the order of the output. */
static void scatter(struct scatter *s)
{
	struct arena *a = s->ex->o.arena;
	unsigned d = 0;

	enter(s, 0, s->t->begin / s->each, 0);
	for (;;) {
		struct level *l = &s->levels[d];

		if (d + 1 < s->n && l->next < l->end && !exports_refused(s->ex)) {
			uint64_t i = l->next++;

			enter(s, d + 1, l->base + i * s->stride[d], l->out + i * s->below[d]);
			d++;
			continue;
		}
		if (d + 1 == s->n)
			stage_level(s, l);
		if (d == 0)
			break;
		d--;
		if (!work_charge(&a->work, WORK_STEP)) {
			exports_refuse(s->ex, CONVERT_QUOTA, s->t->name);
			break;
		}
	}
	staging_flush(s->ex);
}

/* -- the window -- */

static void scatter_view(struct exports *ex, const struct export_tensor *t, uint64_t from)
{
	struct scatter s = { .ex = ex, .t = t, .each = export_source_element(t) };

	s.from = from / s.each;
	s.to = (from + ex->window_n) / s.each;
	ex->staging.t = t;
	flatten(&s);
	scatter(&s); /* without a dimension it is one element, and that is a run */
}

static void window_flush(struct exports *ex)
{
	const struct export_row *row = ex->row;
	uint64_t from = row->fed - ex->window_n;
	bool whole = ex->window_n == row->bytes;

	for (uint32_t i = row->first; i < row->first + row->n && !exports_refused(ex); i++) {
		const struct export_tensor *t = &ex->tensors[i];

		if (t->same != NULL || t->bytes == 0)
			continue;
		if (whole)
			export_digest_begin(ex);
		if (t->stride == NULL)
			write_run(ex, t, from, ex->window, ex->window_n);
		else
			scatter_view(ex, t, from);
		if (whole)
			export_digest_end(ex, t);
	}
	ex->window_n = 0;
}

void export_window_turn(struct exports *ex)
{
	size_t unit = weights_swap_unit((enum wlk_dtype)ex->tensors[ex->row->first].source);

	if (ex->big_endian && unit > 0)
		weights_swap(ex->window, ex->window, (size_t)(ex->window_n - ex->window_n % unit), unit);
}

static void window_feed(struct exports *ex, const uint8_t *at, size_t n)
{
	while (n > 0 && !exports_refused(ex)) {
		uint64_t room = ex->window_size - ex->window_n, taken = n < room ? n : room;

		memcpy(ex->window + ex->window_n, at, (size_t)taken);
		ex->window_n += taken;
		ex->row->fed += taken;
		at += taken;
		n -= (size_t)taken;
		if (ex->window_n == ex->window_size || ex->row->fed == ex->row->bytes) {
			export_window_turn(ex);
			window_flush(ex);
		}
	}
}

/* -- the pass -- */

struct export_row *export_find_row(const struct exports *ex, uint64_t index)
{
	size_t from = 0, to = ex->n_rows;

	while (from < to) { /* indexes ascend */
		size_t middle = from + (to - from) / 2;

		if (ex->rows[middle].index < index)
			from = middle + 1;
		else
			to = middle;
	}
	return from < ex->n_rows && ex->rows[from].index == index ? &ex->rows[from] : NULL;
}

/* Does some tensor of it stand in another order?  Or is it of another type than the first: then nobody can turn them. */
static bool is_scattered(struct exports *ex, const struct export_row *row)
{
	const struct export_tensor *first = &ex->tensors[row->first];
	bool scattered = false;

	for (uint32_t i = row->first; i < row->first + row->n; i++) {
		const struct export_tensor *t = &ex->tensors[i];

		scattered = scattered || ((t->stride != NULL || t->source != t->dtype) && t->same == NULL);
		if (ex->big_endian && t->source != first->source)
			exports_refuse(ex, CONVERT_TYPE, t->name);
	}
	return scattered;
}

static uint32_t count_kept(const struct exports *ex, const struct export_row *row)
{
	uint32_t n = 0;

	for (uint32_t i = row->first; i < row->first + row->n; i++)
		n += ex->tensors[i].same == NULL;
	return n;
}

bool export_have_window(struct exports *ex)
{
	if (ex->window == NULL)
		ex->window = arena_alloc(ex->o.arena, (size_t)ex->window_size, 1);
	return ex->window != NULL;
}

void exports_begin(struct exports *ex, const struct extents *x, const struct extent *e)
{
	uint64_t index;

	ex->row = NULL;
	ex->piece = NULL;
	if (exports_refused(ex) || export_piece_begin(ex, x, e) || !extents_row(x, e, &index))
		return;
	ex->row = export_find_row(ex, index);
	if (ex->row == NULL || ex->row->n == 0) {
		ex->row = NULL;
		return;
	}
	if (ex->row->bytes != e->end - e->begin || ex->row->fed > 0 || (e->flags & EXTENT_RECORDS) != 0 ||
	    ex->row->gather != NULL) {
		exports_refuse(ex, CONVERT_SHAPE, ex->tensors[ex->row->first].name);
		return;
	}
	ex->big_endian = (e->flags & EXTENT_BIG_ENDIAN) != 0 && weights_swap_unit((enum wlk_dtype)e->dtype) > 0;
	ex->windowed = is_scattered(ex, ex->row) || ex->big_endian;
	ex->window_n = 0;
	if (ex->windowed && !export_have_window(ex))
		exports_refuse(ex, CONVERT_QUOTA, nothing());
	else if (!ex->windowed && count_kept(ex, ex->row) == 1)
		export_digest_begin(ex);
}

void exports_feed(struct exports *ex, const uint8_t *at, size_t n)
{
	struct export_row *row = ex->row;

	if (row == NULL || exports_refused(ex))
		return;
	if (n > row->bytes - row->fed) {
		exports_refuse(ex, CONVERT_UNREAD, nothing());
		return;
	}
	if (ex->piece != NULL) {
		export_piece_feed(ex, at, n);
		return;
	}
	if (ex->windowed) {
		window_feed(ex, at, n);
		return;
	}
	for (uint32_t i = row->first; i < row->first + row->n; i++)
		if (ex->tensors[i].same == NULL)
			write_run(ex, &ex->tensors[i], row->fed, at, n);
	row->fed += n;
}

static const struct export_tensor *kept_of(const struct exports *ex, const struct export_row *row)
{
	uint32_t i = row->first;

	while (ex->tensors[i].same != NULL)
		i++;
	return &ex->tensors[i];
}

void exports_end(struct exports *ex)
{
	if (ex->row != NULL && ex->piece != NULL)
		export_piece_end(ex);
	else if (ex->row != NULL && ex->digesting)
		export_digest_end(ex, kept_of(ex, ex->row));
	ex->row = NULL;
}

/* -- the end -- */

static void check_all_read(struct exports *ex)
{
	for (size_t i = 0; i < ex->n_rows; i++) {
		const struct export_row *row = &ex->rows[i];

		if (row->n > 0 && row->fed != row->bytes)
			exports_refuse(ex, CONVERT_UNREAD, ex->tensors[row->first].name);
	}
}

void exports_finish(struct exports *ex, bool sound, bool told)
{
	struct report *r = ex->o.report;

	if (!sound)
		exports_refuse(ex, CONVERT_BROKEN, nothing());
	if (!told && ((r->manifest_partial && !ex->o.leave) || r->manifest_tensors != r->totals.tensors))
		exports_refuse(ex, CONVERT_UNLISTED, nothing());
	check_all_read(ex);
	if (!exports_refused(ex)) {
		report_fact_number(r, WLK_FACT_CONVERTED, ex->output_bytes);
		return;
	}
	report_fact_number(r, WLK_FACT_CONVERT_REFUSED, ex->refused);
	if (ex->subject_n > 0)
		report_fact(r, &(struct fact){ .id = WLK_FACT_CONVERT_SUBJECT,
				   .value = value_text(bytes_of(ex->subject, ex->subject_n)) });
}
