/* Before the pass: from the rows of the source to a place for every tensor.  See export.h. */
#include <string.h>

#include "checked.h"
#include "export_impl.h"
#include "utf8.h"

#define ROWS_FIRST 64
#define NAME_MAX_BYTES 1024u /* as the format's reader has it */
/* Honest files have views of views, and a few that overlap; nobody needs ten times what he stored. */
#define EXPANSION_MAX 4u
#define EXPANSION_FREE (UINT64_C(64) << 20)

const struct tensor_view tensor_view_none;

void exports_refuse(struct exports *ex, enum convert_reason why, struct bytes subject)
{
	if (ex->refused != CONVERT_NONE && why != CONVERT_FORMAT) /* which explains whatever was found strange */
		return;
	ex->refused = why;
	ex->subject_n = subject.n < sizeof(ex->subject) ? subject.n : sizeof(ex->subject);
	bytes_copy(ex->subject, bytes_of(subject.at, ex->subject_n));
}

bool exports_refused(const struct exports *ex)
{
	return ex->refused != CONVERT_NONE;
}

/* -- what is left behind -- */

static bool copy_bytes(struct exports *ex, struct bytes from, struct bytes *ret)
{
	uint8_t *to = arena_alloc(ex->o.arena, from.n, 1);

	if (to == NULL)
		return false;
	bytes_copy(to, from);
	*ret = bytes_of(to, from.n);
	return true;
}

static void leave(void *ctx, struct bytes name, enum convert_reason why, bool lost)
{
	struct exports *ex = ctx;
	size_t n = ex->n_left < CONVERT_LEFT_MAX ? (size_t)ex->n_left : CONVERT_LEFT_MAX;
	struct bytes cut = bytes_of(name.at, name.n < REPORT_STRING_MAX ? name.n : REPORT_STRING_MAX);

	if (lost && !ex->o.leave)
		exports_refuse(ex, why, name);
	ex->n_left++;
	if (n < CONVERT_LEFT_MAX && copy_bytes(ex, cut, &ex->left[n]))
		ex->left_why[n] = why;
}

/* -- rows of the source -- */

static bool grow(struct exports *ex)
{
	size_t capacity = ex->rows_capacity > 0 ? 2 * ex->rows_capacity : ROWS_FIRST;
	struct export_row *rows;

	if (ex->n_rows < ex->rows_capacity)
		return true;
	rows = arena_resize_raw(ex->o.arena, ex->rows, capacity, sizeof(*rows));
	if (rows == NULL)
		return false;
	ex->rows = rows;
	ex->rows_capacity = capacity;
	return true;
}

static struct export_tensor *add_tensor(struct exports *ex)
{
	size_t capacity = ex->tensors_capacity > 0 ? 2 * ex->tensors_capacity : ROWS_FIRST;
	struct export_tensor *tensors;

	if (ex->n_tensors == ex->tensors_capacity) {
		tensors = arena_resize_raw(ex->o.arena, ex->tensors, capacity, sizeof(*tensors));
		if (tensors == NULL)
			return NULL;
		ex->tensors = tensors;
		ex->tensors_capacity = capacity;
	}
	ex->tensors[ex->n_tensors] = (struct export_tensor){ .row = (uint32_t)ex->n_rows };
	return &ex->tensors[ex->n_tensors++];
}

#define DIMENSION_MAX ((UINT64_C(1) << 53) - 1) /* beyond it readers of JSON make different numbers of one */

static bool count_elements(const uint64_t *shape, unsigned rank, uint64_t *ret)
{
	*ret = 1;
	for (unsigned i = 0; i < rank; i++)
		if (shape[i] > DIMENSION_MAX)
			return false;
	for (unsigned i = 0; i < rank; i++)
		if (shape[i] == 0) {
			*ret = 0;
			return true;
		}
	for (unsigned i = 0; i < rank; i++)
		if (!mul_u64(*ret, shape[i], ret))
			return false;
	return true;
}

static bool count_bytes(const struct export_tensor *t, uint64_t *ret)
{
	uint64_t elements, bits;

	if (!count_elements(t->shape, t->rank, &elements) ||
	    !mul_u64(elements, dtype_info((enum wlk_dtype)t->dtype)->bits, &bits) || bits % 8 != 0)
		return false;
	*ret = bits / 8;
	return true;
}

/* One run, row by row?  A dimension of one element has any stride. */
static bool is_run(const struct tensor_view *v)
{
	uint64_t expected = 1;

	for (unsigned i = v->rank; i-- > 0;) {
		if (v->shape[i] != 1 && v->stride[i] != expected)
			return false;
		if (!mul_u64(expected, v->shape[i], &expected))
			return false;
	}
	return true;
}

/* The last element that it shows, and one more.  False: beyond everything. */
static bool view_end(const struct tensor_view *v, uint64_t *ret)
{
	uint64_t last = v->offset, step;

	for (unsigned i = 0; i < v->rank; i++)
		if (!mul_u64(v->shape[i] - 1, v->stride[i], &step) || !add_u64(last, step, &last))
			return false;
	return add_u64(last, 1, ret);
}

static bool fill_view(struct export_tensor *t, const struct tensor_view *v, const struct export_row *row)
{
	uint64_t each = export_source_element(t), end, begin;

	t->shape = v->shape;
	t->rank = (uint8_t)v->rank;
	if (each == 0 || v->rank > MANIFEST_RANK_MAX || !count_bytes(t, &t->bytes))
		return false;
	if (t->bytes == 0) {
		t->begin = 0;
		return true;
	}
	if (!view_end(v, &end) || !mul_u64(end, each, &end) || end > row->bytes || !mul_u64(v->offset, each, &begin))
		return false;
	t->begin = begin;
	t->stride = is_run(v) ? NULL : v->stride;
	return true;
}

static bool has_control(struct bytes name)
{
	for (size_t i = 0; i < name.n; i++)
		if (name.at[i] < 0x20 || name.at[i] == 0x7f)
			return true;
	return false;
}

static bool is_name(struct bytes name)
{
	struct utf8_stream u = { 0 };

	return name.n > 0 && name.n <= NAME_MAX_BYTES && utf8_stream_feed(&u, name.at, name.n) &&
	       utf8_stream_whole(&u) && !has_control(name) && !bytes_equal(name, bytes_of_text("__metadata__")) &&
	       !bytes_equal(name, bytes_of_text("source_sha256")) &&
	       !bytes_equal(name, bytes_of_text("source_verdict")) && !bytes_equal(name, bytes_of_text("format"));
}

static enum convert_reason fill(struct export_tensor *t, const struct manifest_row *listed, const struct tensor_view *v,
    const struct export_row *row, struct arena *a)
{
	enum wlk_dtype dtype;
	uint64_t *shape;
	unsigned order;

	if (!is_name(t->name))
		return CONVERT_NAME;
	if (!dtype_find(listed->dtype, &dtype))
		return CONVERT_TYPE;
	t->source = t->dtype = (uint8_t)(v != NULL && v->dtype != WLK_DTYPE_NONE ? v->dtype : dtype);
	if (!dtype_order((enum wlk_dtype)t->dtype, &order))
		return CONVERT_TYPE;
	if (v != NULL)
		return fill_view(t, v, row) ? CONVERT_NONE : CONVERT_SHAPE;
	shape = arena_alloc(a, listed->rank, sizeof(*shape));
	if (shape == NULL)
		return CONVERT_SHAPE; /* the scan ends of it too */
	memcpy(shape, listed->shape, listed->rank * sizeof(*shape));
	t->shape = shape;
	t->rank = (uint8_t)listed->rank;
	return count_bytes(t, &t->bytes) && t->bytes == row->bytes ? CONVERT_NONE : CONVERT_SHAPE;
}

/* Of another type it takes other room. */
static enum convert_reason cast(const struct exports *ex, struct export_tensor *t)
{
	uint64_t elements;

	t->taken = t->bytes;
	if (ex->o.cast == WLK_DTYPE_NONE || !exports_casts_to((enum wlk_dtype)t->source))
		return CONVERT_NONE;
	elements = t->bytes / export_source_element(t);
	t->dtype = (uint8_t)ex->o.cast;
	return mul_u64(elements, export_element(t), &t->bytes) ? CONVERT_NONE : CONVERT_SHAPE;
}

static bool take_one(struct exports *ex, const struct manifest_row *listed, const struct tensor_view *v)
{
	struct export_row *row = &ex->rows[ex->n_rows];
	struct bytes name = v != NULL ? v->name : listed->name;
	struct export_tensor *t = add_tensor(ex);
	enum convert_reason why;

	if (t == NULL || !copy_bytes(ex, name, &t->name))
		return false;
	why = v == NULL && listed->name_bytes > listed->name.n ? CONVERT_UNNAMED : fill(t, listed, v, row, ex->o.arena);
	if (why == CONVERT_NONE)
		why = cast(ex, t);
	if (why == CONVERT_NONE)
		return true;
	ex->n_tensors--;
	leave(ex, name, why, true);
	return true;
}

static bool take_row(void *ctx, const struct manifest_row *listed)
{
	struct exports *ex = ctx;
	struct export_row *row;
	bool ok = true;

	if (listed->kind != MANIFEST_TENSOR) { /* in another file */
		leave(ex, listed->name, CONVERT_UNLISTED, true);
		return true;
	}
	if (!grow(ex)) {
		report_stop(ex->o.report, WLK_CAUSE_LIMIT_MEMORY, ex->o.arena->used, ex->o.arena->budget);
		return false;
	}
	row = &ex->rows[ex->n_rows];
	*row = (struct export_row){
		.index = listed->index, .bytes = listed->end - listed->begin, .first = (uint32_t)ex->n_tensors
	};
	if (listed->pieces != NULL) {
		row->gather = export_gather_new(ex->o.arena, listed->pieces);
		ok = row->gather != NULL;
	}
	if (listed->views == &tensor_view_none)
		leave(ex, listed->name, CONVERT_UNUSED, false);
	else if (listed->views == NULL)
		ok = take_one(ex, listed, NULL);
	else
		for (const struct tensor_view *v = listed->views; v != NULL && ok; v = v->next)
			ok = take_one(ex, listed, v);
	row->n = (uint32_t)(ex->n_tensors - row->first);
	ex->n_rows++;
	if (!ok)
		report_stop(ex->o.report, WLK_CAUSE_LIMIT_MEMORY, ex->o.arena->used, ex->o.arena->budget);
	return ok;
}

struct exports *exports_new(const struct export_options *o)
{
	struct exports *ex = arena_alloc(o->arena, 1, sizeof(*ex));

	if (ex == NULL)
		return NULL;
	ex->o = *o;
	ex->left = arena_alloc(o->arena, CONVERT_LEFT_MAX, sizeof(*ex->left));
	ex->taker = (struct report_taker){ .ctx = ex, .row = take_row, .leave = leave };
	if (ex->left == NULL)
		return NULL;
	o->report->taker = &ex->taker;
	return ex;
}

/* -- order -- */

typedef int (*compare_fn)(const struct export_tensor *a, const struct export_tensor *b);

static void sift(struct export_tensor **list, size_t at, size_t n, compare_fn compare)
{
	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		struct export_tensor *parent = list[at];

		if (child + 1 < n && compare(list[child + 1], list[child]) > 0)
			child++;
		if (compare(list[child], parent) <= 0)
			return;
		list[at] = list[child];
		list[child] = parent;
	}
}

/* A heap sort: qsort(3) takes memory of its own, and asks the kernel how much there is. */
static void sort(struct export_tensor **list, size_t n, compare_fn compare)
{
	for (size_t i = n / 2; i-- > 0;)
		sift(list, i, n, compare);
	for (size_t end = n; end-- > 1;) {
		struct export_tensor *last = list[end];

		list[end] = list[0];
		list[0] = last;
		sift(list, 0, end, compare);
	}
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_names(const struct export_tensor *a, const struct export_tensor *b)
{
	size_t n = a->name.n < b->name.n ? a->name.n : b->name.n;
	int order = memcmp(a->name.at, b->name.at, n);

	return order != 0 ? order : compare_numbers(a->name.n, b->name.n);
}

static int compare_lists(const uint64_t *a, const uint64_t *b, unsigned n)
{
	int order = 0;

	if (a == NULL || b == NULL)
		return (a != NULL) - (b != NULL);
	for (unsigned i = 0; i < n && order == 0; i++)
		order = compare_numbers(a[i], b[i]);
	return order;
}

/* 0: they show the same elements in the same shape. */
static int compare_elements(const struct export_tensor *a, const struct export_tensor *b)
{
	int order = compare_numbers(a->row, b->row);

	order = order != 0 ? order : compare_numbers(a->dtype, b->dtype);
	order = order != 0 ? order : compare_numbers(a->begin, b->begin);
	order = order != 0 ? order : compare_numbers(a->rank, b->rank);
	order = order != 0 ? order : compare_lists(a->shape, b->shape, a->rank);
	return order != 0 ? order : compare_lists(a->stride, b->stride, a->rank);
}

static int compare_same(const struct export_tensor *a, const struct export_tensor *b)
{
	int order = compare_elements(a, b);

	return order != 0 ? order : compare_names(a, b);
}

/* Those that are kept, as the reference orders them; then the other names. */
static int compare_output(const struct export_tensor *a, const struct export_tensor *b)
{
	unsigned type_a = 0, type_b = 0;
	int order = (a->same != NULL) - (b->same != NULL);

	if (order != 0)
		return order;
	(void)dtype_order((enum wlk_dtype)a->dtype, &type_a);
	(void)dtype_order((enum wlk_dtype)b->dtype, &type_b);
	order = a->same == NULL ? compare_numbers(type_a, type_b) : 0;
	return order != 0 ? order : compare_names(a, b);
}

/* The same tensor found on two ways to one name is one. */
static void drop_repeated(struct exports *ex)
{
	size_t kept = 0;

	sort(ex->order, ex->n_tensors, compare_names);
	for (size_t i = 0; i < ex->n_tensors; i++) {
		if (kept > 0 && compare_names(ex->order[kept - 1], ex->order[i]) == 0) {
			if (compare_elements(ex->order[kept - 1], ex->order[i]) != 0)
				exports_refuse(ex, CONVERT_COLLISION, ex->order[i]->name);
			ex->order[i]->same = ex->order[kept - 1]; /* never written */
		} else {
			ex->order[kept++] = ex->order[i];
		}
	}
	ex->n_tensors = kept;
}

/* Of several names for the same elements the first is kept. */
static void find_same(struct exports *ex)
{
	struct export_tensor *first = NULL;

	sort(ex->order, ex->n_tensors, compare_same);
	for (size_t i = 0; i < ex->n_tensors; i++) {
		struct export_tensor *t = ex->order[i];

		if (first != NULL && t->bytes > 0 && compare_elements(first, t) == 0) {
			t->same = first;
		} else {
			first = t;
			ex->n_kept++;
		}
	}
}

static bool put_in_order(struct exports *ex)
{
	ex->order = arena_resize_raw(ex->o.arena, NULL, ex->n_tensors > 0 ? ex->n_tensors : 1, sizeof(*ex->order));
	if (ex->order == NULL)
		return false;
	for (size_t i = 0; i < ex->n_tensors; i++)
		ex->order[i] = &ex->tensors[i];
	drop_repeated(ex);
	find_same(ex);
	sort(ex->order, ex->n_tensors, compare_output);
	return true;
}

static void place(struct exports *ex)
{
	uint64_t most = EXPANSION_FREE, stored = 0;
	bool fits = true;

	for (size_t i = 0; i < ex->n_rows; i++)
		fits = fits && add_u64(stored, ex->rows[i].bytes, &stored);
	fits = fits && mul_u64(stored, EXPANSION_MAX, &stored) && add_u64(most, stored, &most);
	for (size_t i = 0; i < ex->n_kept && fits; i++) {
		struct export_tensor *t = ex->order[i];

		t->index = (uint32_t)i;
		t->at = ex->data_bytes;
		fits = add_u64(ex->data_bytes, t->bytes, &ex->data_bytes) && ex->data_bytes <= most;
		if (!fits)
			exports_refuse(ex, CONVERT_QUOTA, t->name);
	}
}

/* -- promises -- */

static bool promise(struct exports *ex, const struct export_tensor *t, uint64_t index)
{
	struct manifest_row row = { .kind = t->same == NULL ? MANIFEST_TENSOR : MANIFEST_MAPPING,
		.name = t->name,
		.name_bytes = t->name.n,
		.dtype = bytes_of_text(dtype_info((enum wlk_dtype)t->dtype)->name),
		.index = index,
		.rank = t->rank };

	if (t->same != NULL)
		row.file = bytes_of(
		    t->same->name.at, t->same->name.n < MANIFEST_PATH_MAX ? t->same->name.n : MANIFEST_PATH_MAX);
	memcpy(row.shape, t->shape, t->rank * sizeof(*t->shape));
	return report_manifest_row(ex->o.report, &row);
}

static bool promise_all(struct exports *ex)
{
	struct report *r = ex->o.report;
	uint64_t tensors = r->manifest_tensors, listed = ex->n_left < CONVERT_LEFT_MAX ? ex->n_left : CONVERT_LEFT_MAX;
	bool ok = true;

	r->taker = NULL;
	r->manifest_next = 0;
	for (size_t i = 0; i < ex->n_tensors && ok; i++)
		ok = promise(ex, ex->order[i], i);
	for (uint64_t i = 0; i < listed && ok; i++)
		ok = report_manifest_row(r, &(struct manifest_row){ .kind = MANIFEST_MAPPING,
						.name = ex->left[i],
						.name_bytes = ex->left[i].n,
						.index = ex->n_tensors + i,
						.begin = ex->left_why[i],
						.end = ex->left_why[i] });
	r->taker = &ex->taker;
	r->manifest_tensors = tensors;
	return ok;
}

static bool need_window(const struct exports *ex)
{
	for (size_t i = 0; i < ex->n_kept; i++)
		if (ex->order[i]->stride != NULL || ex->order[i]->source != ex->order[i]->dtype)
			return true;
	return false;
}

/* Rows of the other byte order are only known in the pass. */
static bool take_memory(struct exports *ex)
{
	ex->window_size = WINDOW_BYTES;
	if (!need_window(ex))
		return true;
	ex->window = arena_alloc(ex->o.arena, (size_t)ex->window_size, 1);
	ex->staging.bytes = arena_alloc(ex->o.arena, STAGING_BYTES, 1);
	return ex->window != NULL && ex->staging.bytes != NULL;
}

void exports_plan(struct exports *ex, struct bytes framework)
{
	if (exports_refused(ex))
		return;
	if (ex->n_tensors == 0) {
		exports_refuse(ex, CONVERT_EMPTY, bytes_of(NULL, 0));
		return;
	}
	if (!put_in_order(ex)) {
		exports_refuse(ex, CONVERT_UNLISTED, bytes_of(NULL, 0));
		return;
	}
	place(ex);
	if (!exports_refused(ex) && !(promise_all(ex) && take_memory(ex) && export_header(ex, framework)))
		exports_refuse(ex, CONVERT_UNLISTED, bytes_of(NULL, 0));
}
