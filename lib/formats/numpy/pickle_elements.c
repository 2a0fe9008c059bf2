/* Elements of pickled arrays that no extent shows: protocols below 3 have no bytes, and spell them
 * _codecs.encode(text, "latin1"), where a character is a byte; of Python 2 the text is the content.  The run is gone through
 * once more, in the order of the texts, and the bytes they make are examined.  Scalars are examined as they are made. */
#include "checked.h"
#include "pickle_arrays_impl.h"
#include "pickle_bounds.h"
#include "pickle_line.h"
#include "weights.h"

#define PIECE 4096u           /* bytes: whole elements of any type */
#define SCALAR_BYTES_MAX 512u /* of a record; numbers have 32 at most */
#define NUMBER_BYTES_MAX 32u
#define COLUMN_WORK 256u
#define UTF8_OF_BYTE_MAX 2u

/* -- where they come from -- */

static bool is_call_of(const struct pickle *p, pickle_value v, const char *module, const char *name)
{
	pickle_value callee = pickle_kind(p, v) == PICKLE_OBJECT ? pickle_callee(p, v) : PICKLE_NO_VALUE;
	struct bytes m, n;

	return callee != PICKLE_NO_VALUE && pickle_kind(p, callee) == PICKLE_GLOBAL &&
	       pickle_global_mapped(p, callee, &m, &n) && bytes_equal(m, bytes_of_text(module)) &&
	       bytes_equal(n, bytes_of_text(name));
}

/* The text of _codecs.encode(text, "latin1"), or a text itself; PICKLE_NO_VALUE: neither. */
static pickle_value text_of(const struct pickle *p, pickle_value payload)
{
	pickle_value args;
	struct bytes codec;

	if (pickle_kind(p, payload) == PICKLE_STR)
		return payload;
	if (!is_call_of(p, payload, "_codecs", "encode"))
		return PICKLE_NO_VALUE;
	args = pickle_call_arguments(p, payload);
	if (args == PICKLE_NO_VALUE || pickle_kind(p, args) != PICKLE_TUPLE || pickle_count(p, args) != 2 ||
	    !pickle_text(p, pickle_item(p, args, 1), &codec) || !bytes_equal(codec, bytes_of_text("latin1")))
		return PICKLE_NO_VALUE;
	return pickle_kind(p, pickle_item(p, args, 0)) == PICKLE_STR ? pickle_item(p, args, 0) : PICKLE_NO_VALUE;
}

/* bytes(), as protocols below 3 write b"". */
static bool is_empty(const struct pickle *p, pickle_value payload)
{
	pickle_value args =
	    is_call_of(p, payload, "builtins", "bytes") ? pickle_call_arguments(p, payload) : PICKLE_NO_VALUE;

	return args != PICKLE_NO_VALUE && pickle_kind(p, args) == PICKLE_TUPLE && pickle_count(p, args) == 0;
}

/* Bytes that no release writes so: nobody looks at the numbers they make. */
static void report_written(struct pickle_arrays *a, const struct pickle_event *e, const char *subject)
{
	pickle_arrays_report(
	    a, WLK_F_PICKLE_ARGUMENTS, e->offset, bytes_of_text(subject), (struct value){ 0 }, (struct value){ 0 });
}

void pickle_elements_take(struct pickle_arrays *a, struct thing *array, const struct pickle *p,
    const struct pickle_event *e, pickle_value payload, uint64_t bytes)
{
	pickle_value text = text_of(p, payload);
	struct thing *t = array;

	if (pickle_kind(p, payload) == PICKLE_BUFFER || (t->type.dtype == WLK_DTYPE_NONE && t->record == NULL) ||
	    (is_empty(p, payload) && bytes == 0))
		return; /* a buffer is in no file; the judge says so */
	t->bytes = bytes;
	if (text != PICKLE_NO_VALUE && pickle_payload(p, text, &t->text_at, &t->text_n))
		t->form = ELEMENTS_TEXT;
	else if (text != PICKLE_NO_VALUE && pickle_text_line(p, text, &t->text_at))
		t->form = ELEMENTS_LINE;
	else if (nonfinite_kernel(t->type.dtype) != NULL || t->record != NULL)
		report_written(a, e, "numpy.ndarray");
	if (t->form == ELEMENTS_PLAIN)
		t->record = NULL; /* they stand nowhere */
}

/* -- scalars -- */

/* A character is a byte; false: it is not so. */
static bool narrow(struct bytes utf8, uint8_t *to, size_t *ret_n)
{
	size_t n = 0;

	for (size_t i = 0; i < utf8.n; i++) {
		uint8_t c = utf8.at[i];

		if (c >= 0x80 && ((c != 0xc2 && c != 0xc3) || i + 1 == utf8.n))
			return false;
		to[n++] = c < 0x80 ? c : (uint8_t)((unsigned)(c & 3) << 6 | (utf8.at[++i] & 0x3fu));
	}
	*ret_n = n;
	return true;
}

/* The first bytes of a scalar: NumPy takes no more than it needs. */
static bool scalar_bytes(const struct pickle *p, pickle_value payload, uint64_t bytes, uint8_t *to)
{
	pickle_value text = text_of(p, payload);
	struct bytes head;
	uint64_t n;
	size_t narrowed = 0;

	if (!pickle_head(p, text != PICKLE_NO_VALUE ? text : payload, &head, &n))
		return false;
	if (head.n > UTF8_OF_BYTE_MAX * SCALAR_BYTES_MAX)
		head.n = UTF8_OF_BYTE_MAX * SCALAR_BYTES_MAX;
	if (text != PICKLE_NO_VALUE && narrow(head, to, &narrowed) && narrowed >= bytes)
		return true;
	if (head.n < bytes)
		return false;
	memcpy(to, head.at, bytes);
	return true;
}

/* A type whose tensors are called by the array's name and the field's: for findings. */
struct named_fields {
	struct record_type type;
	struct record_tensor tensors[];
};

static size_t bytes_of_names(const struct record_type *type, struct bytes name)
{
	size_t n = 0;

	for (size_t i = 0; i < type->n_tensors; i++)
		n += name.n + 1 + type->tensors[i].name.n; /* both are short, and fields few */
	return n;
}

/* To be released; NULL: memory is spent. */
static struct named_fields *name_fields(struct arena *a, const struct record_type *type, struct bytes name)
{
	size_t tensors = type->n_tensors * sizeof(struct record_tensor);
	struct named_fields *named =
	    arena_resize_raw(a, NULL, sizeof(*named) + tensors + bytes_of_names(type, name), 1);
	uint8_t *text;

	if (named == NULL)
		return NULL;
	named->type = *type;
	named->type.tensors = named->tensors;
	text = (uint8_t *)&named->tensors[type->n_tensors];
	for (size_t i = 0; i < type->n_tensors; i++) {
		struct bytes field = type->tensors[i].name;

		named->tensors[i] = type->tensors[i];
		named->tensors[i].name = bytes_of(text, name.n + 1 + field.n);
		bytes_copy(text, name);
		text[name.n] = '.';
		bytes_copy(text + name.n + 1, field);
		text += name.n + 1 + field.n;
	}
	return named;
}

/* What was found is told from @begin on. */
static void end_records(struct pickle_arrays *a, struct records *r, uint64_t begin)
{
	const struct extents x = { .arena = a->l->arena, .member = a->member, .origin = a->origin };

	if (r->failed)
		a->status = WLK_INCOMPLETE;
	records_end(r, a->l->report, &x, begin);
}

static void examine_record(struct pickle_arrays *a, const struct record_type *type, const struct pickle *p,
    const struct pickle_event *e, pickle_value payload)
{
	uint8_t at[UTF8_OF_BYTE_MAX * SCALAR_BYTES_MAX];
	struct records r = { 0 };

	if (type->bytes > SCALAR_BYTES_MAX || !scalar_bytes(p, payload, type->bytes, at)) {
		report_written(a, e, "numpy.core.multiarray.scalar");
		return;
	}
	if (!pickle_records_work(a, type->n_tensors * COLUMN_WORK))
		return;
	records_begin(&r, type, a->l->arena);
	records_feed(&r, at, (size_t)type->bytes);
	end_records(a, &r, e->offset - min_u64(e->offset, type->bytes)); /* they stand before the call */
	arena_release(a->l->arena, r.columns);
}

void pickle_elements_scalar(struct pickle_arrays *a, const struct pickle *p, const struct pickle_event *e)
{
	const struct thing *t = pickle_thing_of(a, p, pickle_arrays_arg(p, e, 0));
	pickle_value payload = pickle_arrays_arg(p, e, 1);
	uint8_t at[UTF8_OF_BYTE_MAX * SCALAR_BYTES_MAX];
	struct weights w;

	if (t == NULL || t->kind != THING_DTYPE || t->unknown || t->subarray || (t->built && !t->settled) ||
	    payload == PICKLE_NO_VALUE)
		return; /* said elsewhere */
	if (t->record != NULL) {
		examine_record(a, t->record, p, e, payload);
		return;
	}
	weights_begin(&w, t->type.dtype, t->type.big_endian);
	if (w.kernel == NULL || t->type.bytes > NUMBER_BYTES_MAX || t->type.bytes % w.kernel->element_bytes != 0)
		return;
	if (!scalar_bytes(p, payload, t->type.bytes, at)) {
		report_written(a, e, "numpy.core.multiarray.scalar");
		return;
	}
	weights_examine(&w, at, (size_t)t->type.bytes, e->offset);
	if (weights_found(&w))
		weights_report(&w, a->l->report,
		    &(struct weights_place){ .member = a->member,
			.begin = a->origin + e->offset,
			.first_offset = a->origin + e->offset,
			.counted = true });
}

/* -- behind the walk -- */

struct run {
	uint64_t begin, n; /* n == 0: up to the newline */
	uint32_t thing;
	uint8_t form;
};

struct reading {
	struct pickle_arrays *a;
	struct run *runs;
	uint32_t n_runs, at;
	struct weights weights;
	struct records records;      /* of an array of records: instead */
	struct pickle_places places; /* of numbers that are places in something else */
	struct named_fields *named;
	struct pickle_line *line;
	uint64_t pos; /* of the next byte */
	uint8_t piece[PIECE];
	size_t n;
	uint64_t bytes; /* that the run at hand made */
	uint8_t lead;   /* of a character of two bytes */
	bool open, begun, wrong;
};

static struct thing *thing_at(const struct reading *r, uint32_t i)
{
	return &r->a->things[r->runs[i].thing];
}

static void examine(struct reading *r)
{
	const struct run *run = &r->runs[r->at];
	size_t whole = r->n;

	if (thing_at(r, r->at)->record != NULL) {
		records_feed(&r->records, r->piece, r->n);
		r->bytes += r->n;
		r->n = 0;
		return;
	}
	if (thing_at(r, r->at)->bounded)
		r->wrong |= !pickle_places_feed(&r->places, r->piece, r->n);
	if (r->weights.kernel == NULL) { /* no number that is NaN */
		r->bytes += r->n;
		r->n = 0;
		return;
	}
	whole -= r->n % r->weights.kernel->element_bytes;
	weights_examine(&r->weights, r->piece, whole, run->form == ELEMENTS_PLAIN ? run->begin + r->bytes : run->begin);
	r->wrong |= whole != r->n;
	r->bytes += r->n;
	r->n = 0;
}

static void put(struct reading *r, uint8_t byte)
{
	r->piece[r->n++] = byte;
	if (r->n == PIECE)
		examine(r);
}

static void put_utf8(struct reading *r, uint8_t byte)
{
	if (r->lead != 0) {
		r->wrong |= (byte & 0xc0) != 0x80;
		put(r, (uint8_t)((unsigned)(r->lead & 3) << 6 | (byte & 0x3fu)));
		r->lead = 0;
	} else if (byte >= 0x80) {
		r->wrong |= byte != 0xc2 && byte != 0xc3;
		r->lead = byte;
	} else {
		put(r, byte);
	}
}

static void put_line(struct reading *r, struct bytes made)
{
	for (size_t i = 0; i < made.n; i++)
		if (pickle_line_is_unicode(r->line))
			put_utf8(r, made.at[i]);
		else
			put(r, made.at[i]);
}

/* Returns how many of the bytes it took; *ret_done: the line is over. */
static size_t take_line(struct reading *r, const uint8_t *at, size_t n, bool *ret_done)
{
	const uint8_t *newline;
	struct bytes rest;
	size_t taken = 0, end;

	*ret_done = false;
	if (!r->begun) {
		r->begun = true;
		r->wrong |= !pickle_line_begin(r->line, at[taken++]);
	}
	newline = memchr(at + taken, '\n', n - taken);
	end = newline != NULL ? (size_t)(newline - at) : n;
	for (size_t m; taken < end; taken += m) {
		m = end - taken < PICKLE_LINE_PIECE ? end - taken : PICKLE_LINE_PIECE;
		put_line(r, pickle_line_feed(r->line, at + taken, m));
	}
	if (newline == NULL)
		return n;
	r->wrong |= !pickle_line_end(r->line, &rest);
	put_line(r, rest);
	*ret_done = true;
	return end + 1;
}

static size_t take_run(struct reading *r, const uint8_t *at, size_t n, bool *ret_done)
{
	const struct run *run = &r->runs[r->at];
	uint64_t left = run->begin + run->n - r->pos; /* the run is inside the stream */

	if (run->form == ELEMENTS_LINE)
		return take_line(r, at, n, ret_done);
	if (n > left)
		n = (size_t)left;
	*ret_done = n == left;
	for (size_t i = 0; i < n; i++)
		if (run->form == ELEMENTS_TEXT)
			put_utf8(r, at[i]);
		else
			put(r, at[i]);
	return n;
}

static void begin_records(struct reading *r, const struct thing *t)
{
	struct pickle_arrays *a = r->a;

	r->records.type = NULL;
	if (!pickle_records_work(a, t->record->n_tensors * COLUMN_WORK))
		return;
	if (t->name_n > 0)
		r->named = name_fields(a->l->arena, t->record, bytes_of(a->names + t->name_at, t->name_n));
	records_begin(&r->records, r->named != NULL ? &r->named->type : t->record, a->l->arena);
}

static void begin(struct reading *r)
{
	const struct thing *t = thing_at(r, r->at);

	if (t->record != NULL)
		begin_records(r, t);
	else
		weights_begin(&r->weights, t->type.dtype, t->type.big_endian);
	if (t->bounded)
		pickle_places_begin(&r->places, t);
	r->pos = r->runs[r->at].begin;
	r->n = 0;
	r->bytes = 0;
	r->lead = 0;
	r->begun = r->wrong = false;
	r->open = true;
}

static void finish(struct reading *r)
{
	struct pickle_arrays *a = r->a;
	const struct run *run = &r->runs[r->at];
	const struct thing *t = thing_at(r, r->at);
	uint64_t wanted = run->form == ELEMENTS_PLAIN ? run->n : t->bytes;

	examine(r);
	if (r->wrong || r->lead != 0 || r->bytes != wanted)
		pickle_arrays_report(a, WLK_F_PICKLE_ARRAY_SIZE, run->begin, (struct bytes){ 0 },
		    value_number(r->bytes), value_number(wanted));
	if (t->bounded)
		pickle_places_end(&r->places, a);
	r->open = false;
	r->at++;
	if (t->record != NULL) {
		end_records(a, &r->records, run->begin);
		arena_release(a->l->arena, r->named);
		r->named = NULL;
		return;
	}
	/* In a checkpoint it would be somebody's tensor. */
	r->weights.unfilled = r->weights.kernel != NULL && a->l->id == WLK_FORMAT_PICKLE &&
			      r->weights.counts.nan * r->weights.kernel->element_bytes == r->bytes;
	if (r->weights.kernel != NULL && weights_found(&r->weights))
		weights_report(&r->weights, a->l->report,
		    &(struct weights_place){ .name = bytes_of(a->names + t->name_at, t->name_n),
			.member = a->member,
			.begin = a->origin + run->begin,
			.first_offset = a->origin + r->weights.first_offset,
			.counted = true });
}

/* Elements of another array, which have been examined: of the same type too? */
static void compare(struct reading *r)
{
	const struct run *run = &r->runs[r->at], *last = run - 1;
	const struct thing *t = thing_at(r, r->at), *seen = thing_at(r, r->at - 1);

	if (run->begin != last->begin || run->form != last->form || run->n != last->n || t->record != seen->record ||
	    t->type.dtype != seen->type.dtype || t->type.big_endian != seen->type.big_endian ||
	    t->bytes != seen->bytes || t->bounded || seen->bounded)
		pickle_arrays_report(r->a, WLK_F_PICKLE_ARRAY_TYPES, run->begin, (struct bytes){ 0 },
		    (struct value){ 0 }, (struct value){ 0 });
	r->at++;
}

static uint64_t feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct reading *r = ctx;
	uint64_t end = offset + n;
	bool done;

	while (r->at < r->n_runs) {
		if (!r->open && r->runs[r->at].begin < r->pos) {
			compare(r);
			continue;
		}
		if (!r->open && r->runs[r->at].begin >= end)
			return r->runs[r->at].begin;
		if (!r->open)
			begin(r);
		r->pos += take_run(r, at + (r->pos - offset), (size_t)(end - r->pos), &done);
		if (!done)
			return end;
		finish(r);
	}
	return FEED_END;
}

static void sift(struct run *list, uint32_t root, uint32_t n)
{
	struct run moved = list[root];

	for (uint32_t child; (child = 2 * root + 1) < n; root = child) {
		if (child + 1 < n && list[child].begin < list[child + 1].begin)
			child++;
		if (moved.begin >= list[child].begin)
			break;
		list[root] = list[child];
	}
	list[root] = moved;
}

/* In the order of the run: heap sort, as pickle_arrays.c has it. */
static void sort(struct run *list, uint32_t n)
{
	for (uint32_t i = n / 2; i > 0; i--)
		sift(list, i - 1, n);
	for (uint32_t i = n; i > 1; i--) {
		struct run last = list[i - 1];

		list[i - 1] = list[0];
		list[0] = last;
		sift(list, 0, i - 1);
	}
}

static bool is_examined(const struct thing *t, bool all)
{
	if (t->kind == THING_ARRAY && t->record != NULL)
		return t->bytes > 0;
	return t->kind == THING_ARRAY && (t->form != ELEMENTS_PLAIN || ((all || t->bounded) && t->n > 0)) &&
	       (t->bounded || nonfinite_kernel(t->type.dtype) != NULL);
}

static bool list_runs(struct reading *r, bool all)
{
	struct pickle_arrays *a = r->a;

	for (uint32_t i = 0; i < a->n; i++)
		r->n_runs += is_examined(&a->things[i], all) ? 1 : 0;
	if (r->n_runs == 0)
		return true;
	r->runs = arena_alloc(a->l->arena, r->n_runs, sizeof(*r->runs));
	r->line = pickle_line_new(a->l->arena);
	if (r->runs == NULL || r->line == NULL)
		return false;
	r->n_runs = 0;
	for (uint32_t i = 0; i < a->n; i++) {
		const struct thing *t = &a->things[i];
		bool plain = t->form == ELEMENTS_PLAIN;

		if (is_examined(t, all))
			r->runs[r->n_runs++] = (struct run){ .begin = plain ? t->begin : t->text_at,
				.n = plain ? (t->record != NULL ? t->bytes : t->n) : t->text_n,
				.thing = i,
				.form = t->form };
	}
	sort(r->runs, r->n_runs);
	return true;
}

enum wlk_status pickle_arrays_check(struct pickle_arrays *a, const struct stream *s, bool all)
{
	struct reading r = { .a = a };

	if (a->status == WLK_INCOMPLETE || !list_runs(&r, all))
		return layout_stop(a->l);
	if (r.n_runs == 0)
		return WLK_DONE;
	if (stream_preview(s, a->l->arena, (struct feeder){ feed, &r }, NULL) == STREAM_FAILED)
		return layout_stop(a->l);
	while (r.at < r.n_runs && r.open) /* the stream ended: a size that is not met */
		finish(&r);
	return a->status == WLK_INCOMPLETE ? layout_stop(a->l) : WLK_DONE;
}
