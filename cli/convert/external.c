/* See external.h. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "checked.h"
#include "external.h"
#include "formats.h"
#include "set_file.h"
#include "utf8.h"

#define NAME_BYTES_MAX 1024u /* as the workers have it (lib/engine/export_plan.c), and as are the next two */
#define EXPANSION_MAX 4u
#define EXPANSION_FREE (UINT64_C(64) << 20)

/* A tensor that a model says is in another file. */
struct told {
	uint64_t at, begin, end; /* at: of its row */
	uint32_t model, file;    /* sources */
	enum wlk_dtype dtype;
};

struct externals {
	struct convert *c;
	struct set_file *set;
	struct told *told;
	size_t n, room;
	uint64_t bytes; /* of the outputs */
};

bool externals_may_be(const struct convert *c)
{
	for (size_t i = 0; i < c->n_sources && c->n_sources > 1; i++)
		if (format_hint(c->sources[i].task.input.name) == WLK_FORMAT_UNKNOWN)
			return true;
	return false;
}

static int no_memory(void)
{
	say("%s", strerrordesc_np(ENOMEM));
	return CLI_INCOMPLETE;
}

static int refuse(const struct original *s, enum convert_reason why, struct bytes subject)
{
	char shown[512];

	say("%s was not converted: %s%s%s", s->task.input.name, convert_reason_text(why), subject.n > 0 ? ": " : "",
	    subject.n > 0 ? text_escape(subject, shown, sizeof(shown)) : "");
	return CLI_FAILED;
}

/* ---- judging ---- */

static int judge(struct externals *x, struct original *s)
{
	int r = convert_task(x->c, &s->task);

	if (r == 0)
		return CLI_OK;
	say("ended early: %s", strerrordesc_np(-r));
	return CLI_INCOMPLETE;
}

static int judge_member(struct externals *x, struct original *s)
{
	struct task *t = &s->task;
	size_t index = set_file_add(x->set, bytes_of_text(t->input.name), SET_MEMBER_UNREADABLE);
	int status;

	s->fd = fcntl(t->input.fd, F_DUPFD_CLOEXEC, 3);
	if (s->fd < 0 || index == SIZE_MAX)
		return no_memory();
	t->part = JOB_PART_MEMBER;
	status = judge(x, s);
	if (status == CLI_OK && t->done)
		set_file_judged(x->set, index, t->facts, t->value, t->rows);
	return status;
}

/* One that was put off, by what the others say of it. */
static int judge_again(struct externals *x, size_t i, int claims, uint64_t size)
{
	struct original *s = &x->c->sources[i];
	struct task *t = &s->task;
	int status;

	t->put_off = false;
	t->part = JOB_PART_MEMBER_AGAIN;
	t->document = claims;
	t->document_size = claims >= 0 ? size : 0;
	t->member = (uint32_t)i;
	tensor_rows_free(t->rows);
	t->rows = NULL;
	status = judge(x, s);
	if (status == CLI_OK)
		status = convert_source_judge(x->c, s, NULL);
	if (status == CLI_OK && t->facts->final.format != WLK_FORMAT_EXTERNAL_WEIGHTS)
		status = refuse(s, CONVERT_FORMAT, bytes_of(NULL, 0));
	s->judged = true;
	return status;
}

static int judge_all(struct externals *x)
{
	struct convert *c = x->c;
	uint64_t size = 0;
	int status = CLI_OK, claims;

	for (size_t i = 0; i < c->n_sources && status == CLI_OK; i++)
		status = judge_member(x, &c->sources[i]);
	claims =
	    status == CLI_OK && set_file_claims_bytes(x->set, c->n_sources) > 0 ? set_file_claims(x->set, &size) : -1;
	for (size_t i = 0; i < c->n_sources && status == CLI_OK; i++)
		if (c->sources[i].task.put_off)
			status = judge_again(x, i, claims, size);
	return status;
}

/* ---- what the models say ---- */

/* As lib/sets/set_external.c has it: beside the model, and of a checkpoint under the model's own name. */
static bool is_named(const struct original *model, struct bytes place, const char *name)
{
	const char *path = model->task.input.name, *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
	size_t n = slash != NULL ? (size_t)(slash + 1 - path) : 0;

	if (model->task.facts->final.format == WLK_FORMAT_TF_CHECKPOINT && dot != NULL)
		n = (size_t)(dot - path);
	return strlen(name) == n + place.n && memcmp(name, path, n) == 0 && memcmp(name + n, place.at, place.n) == 0;
}

static bool find_file(const struct externals *x, const struct original *model, struct bytes place, uint32_t *ret)
{
	for (size_t i = 0; i < x->c->n_sources; i++) {
		*ret = (uint32_t)i; /* SOURCES_MAX at most */
		if (x->c->sources[i].judged && is_named(model, place, x->c->sources[i].task.input.name))
			return true;
	}
	return false;
}

static int keep(struct externals *x, const struct told *told)
{
	if (x->n == x->room) {
		size_t room = x->room > 0 ? 2 * x->room : 256;
		struct told *list = reallocarray(x->told, room, sizeof(*list));

		if (list == NULL)
			return no_memory();
		x->told = list;
		x->room = room;
	}
	x->told[x->n++] = *told;
	return CLI_OK;
}

static int take_row(struct externals *x, uint32_t model, const struct tensor_rows_item *got)
{
	const struct original *s = &x->c->sources[model];
	struct told told = { .at = got->at, .model = model, .begin = got->row.begin, .end = got->row.end };

	if (got->row.kind != MANIFEST_MAPPING || got->row.member.n > 0 || told.begin >= told.end)
		return CLI_OK;
	if (!find_file(x, s, got->row.file, &told.file))
		return refuse(s, CONVERT_UNLISTED, got->row.file);
	(void)dtype_find(got->row.dtype, &told.dtype);
	return keep(x, &told);
}

static int read_model(struct externals *x, uint32_t model)
{
	struct tensor_rows_reader *reader = tensor_rows_reader_new(x->c->sources[model].task.rows);
	struct tensor_rows_item got;
	int r = 0, status = reader != NULL ? CLI_OK : no_memory();

	while (status == CLI_OK && (r = tensor_rows_next(reader, &got)) > 0)
		status = take_row(x, model, &got);
	tensor_rows_reader_free(reader);
	return r < 0 ? no_memory() : status;
}

/* ---- what becomes of it ---- */

/* One file's tensors on their way into a list that compose.h understands. */
struct listing {
	struct externals *x;
	struct original *s; /* whose bytes they are */
	struct tensor_rows *rows;
	struct tensor_rows_reader *model, *file;
	uint32_t open; /* source that `model` reads */
	uint64_t index;
	struct tensor_rows_item found; /* of the file: the next one */
	bool more;
	uint8_t name[NAME_BYTES_MAX];
};

static int list_row(struct listing *l, const struct manifest_row *row, const uint8_t *sha256)
{
	const struct manifest_sink *sink = tensor_rows_sink(l->rows);
	struct manifest_row listed = *row;
	uint8_t encoded[MANIFEST_ROW_MAX];

	listed.index = l->index++;
	if (!sink->row(sink->ctx, &listed, bytes_of(encoded, manifest_encode(&listed, encoded))) ||
	    (sha256 != NULL && !sink->digest(sink->ctx, listed.index, sha256)))
		return no_memory();
	return CLI_OK;
}

static int leave(struct listing *l, struct bytes name, enum convert_reason why, bool lost)
{
	if (lost && !l->x->c->drop_code)
		return refuse(l->s, why, name);
	return list_row(l,
	    &(struct manifest_row){
		.kind = MANIFEST_MAPPING, .name = name, .name_bytes = name.n, .begin = why, .end = why },
	    NULL);
}

static bool is_name(struct bytes name)
{
	static const char *const taken[] = { "__metadata__", "source_sha256", "source_verdict", "format" };
	struct utf8_stream u = { 0 };

	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if (bytes_equal(name, bytes_of_text(taken[i])))
			return false;
	for (size_t i = 0; i < name.n; i++)
		if (name.at[i] < 0x20 || name.at[i] == 0x7f)
			return false;
	return name.n > 0 && name.n <= NAME_BYTES_MAX && utf8_stream_feed(&u, name.at, name.n) && utf8_stream_whole(&u);
}

static bool count_bytes(const struct manifest_row *row, enum wlk_dtype dtype, uint64_t *ret)
{
	uint64_t bits = dtype_info(dtype)->bits;

	for (unsigned i = 0; i < row->rank; i++)
		if (!mul_u64(bits, row->shape[i], &bits))
			return false;
	*ret = bits / 8;
	return bits % 8 == 0;
}

/* Texts of TensorFlow stand as bytes with another length than their shape has. */
static enum convert_reason fault_of(const struct told *told, const struct manifest_row *row)
{
	unsigned order;
	uint64_t bytes;

	if (!is_name(row->name) || row->name_bytes != row->name.n)
		return CONVERT_NAME;
	if (!dtype_order(told->dtype, &order))
		return CONVERT_TYPE;
	if (count_bytes(row, told->dtype, &bytes) && bytes == told->end - told->begin)
		return CONVERT_NONE;
	return told->dtype == WLK_DTYPE_U8 ? CONVERT_NO_TENSOR : CONVERT_SHAPE;
}

/* The file's own row for these bytes: rows are in order of their places, as the list of what was told is.  Its digest proves
 * later that they are the bytes that were judged, so there must be one. */
static bool find_row(struct listing *l, const struct told *told)
{
	enum wlk_dtype dtype = WLK_DTYPE_NONE;

	while (l->more && l->found.row.begin < told->begin)
		l->more = tensor_rows_next(l->file, &l->found) > 0;
	return l->more && l->found.row.begin == told->begin && l->found.row.end == told->end &&
	       dtype_find(l->found.row.dtype, &dtype) && dtype == told->dtype && l->found.has_sha256;
}

static int open_model(struct listing *l, uint32_t model)
{
	if (l->model != NULL && l->open == model)
		return CLI_OK;
	tensor_rows_reader_free(l->model);
	l->open = model;
	l->model = tensor_rows_reader_new(l->x->c->sources[model].task.rows);
	return l->model != NULL ? CLI_OK : no_memory();
}

static bool is_same(const struct told *a, const struct told *b)
{
	return a->file == b->file && a->begin == b->begin && a->end == b->end && a->dtype == b->dtype;
}

/* What is told again of the same bytes is another name of the first one. */
static int list_told(struct listing *l, const struct told *told, struct manifest_row *kept)
{
	struct tensor_rows_item got;
	enum convert_reason fault;
	int status = open_model(l, told->model);

	if (status != CLI_OK)
		return status;
	tensor_rows_seek(l->model, told->at);
	if (tensor_rows_next(l->model, &got) <= 0)
		return no_memory();
	fault = fault_of(told, &got.row);
	if (fault == CONVERT_NONE && !find_row(l, told))
		fault = CONVERT_UNLISTED;
	if (fault != CONVERT_NONE)
		return leave(l, got.row.name, fault, fault != CONVERT_NO_TENSOR);
	if (kept->name.n > 0 && kept->rank == got.row.rank &&
	    memcmp(kept->shape, got.row.shape, kept->rank * sizeof(kept->shape[0])) == 0) {
		got.row.file = kept->name;
		return list_row(l, &got.row, NULL);
	}
	got.row.kind = MANIFEST_TENSOR;
	got.row.file = bytes_of(NULL, 0);
	*kept = got.row;
	bytes_copy(l->name, got.row.name);
	kept->name.at = l->name;
	return add_u64(l->x->bytes, told->end - told->begin, &l->x->bytes) ? list_row(l, &got.row, l->found.sha256)
									   : no_memory();
}

static int list_file(struct externals *x, struct original *s, const struct told *told, size_t n)
{
	struct listing *l = calloc(1, sizeof(*l));
	struct manifest_row kept = { 0 };
	int status = l != NULL ? CLI_OK : no_memory();

	if (l == NULL)
		return status;
	*l = (struct listing){ .x = x, .s = s, .rows = tensor_rows_new(TASK_ROWS_MAX) };
	l->file = tensor_rows_reader_new(s->task.rows);
	if (l->rows == NULL || l->file == NULL)
		status = no_memory();
	l->more = status == CLI_OK && tensor_rows_next(l->file, &l->found) > 0;
	for (size_t i = 0; i < n && status == CLI_OK; i++) {
		if (i > 0 && !is_same(&told[i], &told[i - 1]))
			kept.name.n = 0;
		status = list_told(l, &told[i], &kept);
	}
	if (status == CLI_OK && tensor_rows_end(l->rows) < 0)
		status = no_memory();
	s->composed = l->rows;
	tensor_rows_reader_free(l->model);
	tensor_rows_reader_free(l->file);
	free(l);
	return status;
}

static int compare_numbers(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_told(const void *va, const void *vb)
{
	const struct told *a = va, *b = vb;
	int order = compare_numbers(a->file, b->file);

	order = order != 0 ? order : compare_numbers(a->begin, b->begin);
	order = order != 0 ? order : compare_numbers(a->end, b->end);
	order = order != 0 ? order : compare_numbers(a->dtype, b->dtype);
	order = order != 0 ? order : compare_numbers(a->model, b->model);
	return order != 0 ? order : compare_numbers(a->at, b->at);
}

static int list_files(struct externals *x)
{
	uint64_t most = EXPANSION_FREE;
	int status = CLI_OK;

	for (size_t i = 0; i < x->c->n_sources; i++)
		most += x->c->sources[i].task.input.size * EXPANSION_MAX; /* a thousand files, each below 2^48 */
	if (x->n > 0)
		qsort(x->told, x->n, sizeof(*x->told), compare_told);
	for (size_t i = 0, n; i < x->n && status == CLI_OK; i += n) {
		for (n = 1; i + n < x->n && x->told[i + n].file == x->told[i].file;)
			n++;
		status = list_file(x, &x->c->sources[x->told[i].file], &x->told[i], n);
	}
	if (status == CLI_OK && x->bytes > most)
		return refuse(&x->c->sources[0], CONVERT_QUOTA, bytes_of(NULL, 0));
	return status;
}

/* ---- what a model has itself ---- */

/* What its worker left because it is elsewhere was found there. */
static int filter(struct externals *x, struct original *s)
{
	struct listing l = { .x = x, .s = s, .rows = tensor_rows_new(TASK_ROWS_MAX) };
	struct tensor_rows_reader *reader = tensor_rows_reader_new(s->task.rows);
	struct tensor_rows_item got;
	int r = 0, status = l.rows != NULL && reader != NULL ? CLI_OK : no_memory();

	while (status == CLI_OK && (r = tensor_rows_next(reader, &got)) > 0) {
		bool left = got.row.kind == MANIFEST_MAPPING && got.row.file.n == 0;

		if (!left)
			status = list_row(&l, &got.row, got.has_sha256 ? got.sha256 : NULL);
		else if (got.row.begin != CONVERT_UNLISTED)
			status = leave(&l, got.row.name, (enum convert_reason)got.row.begin,
			    got.row.begin != CONVERT_NO_TENSOR && got.row.begin != CONVERT_UNUSED);
	}
	if (status == CLI_OK && (r < 0 || tensor_rows_end(l.rows) < 0))
		status = no_memory();
	tensor_rows_reader_free(reader);
	s->composed = l.rows;
	return status;
}

/* A second worker, as for any other source. */
static int convert_own(struct externals *x, struct original *s, bool mixed)
{
	struct task *t = &s->task;
	int status;

	t->input.fd = fcntl(s->fd, F_DUPFD_CLOEXEC, 3);
	if (t->input.fd < 0)
		return no_memory();
	tensor_rows_free(t->rows);
	json_decref(t->verdict);
	facts_free(t->facts);
	t->rows = NULL;
	t->verdict = NULL;
	t->facts = NULL;
	t->done = false;
	s->mixed = mixed;
	status = convert_source_convert(x->c, s);
	return status == CLI_OK && mixed ? filter(x, s) : status;
}

static int convert_models(struct externals *x)
{
	int status = CLI_OK;

	for (size_t i = 0; i < x->c->n_sources && status == CLI_OK; i++) {
		struct original *s = &x->c->sources[i];
		uint64_t elsewhere = s->judged ? 0 : tensor_rows_mappings(s->task.rows);

		if (s->judged)
			continue;
		if (elsewhere > 0 && elsewhere == tensor_rows_count(s->task.rows)) {
			s->judged = true; /* nothing of its own */
			status = convert_source_judge(x->c, s, NULL);
		} else {
			status = convert_own(x, s, elsewhere > 0);
		}
	}
	return status;
}

int externals_convert(struct convert *c)
{
	struct externals x = { .c = c, .set = set_file_new() };
	int status = x.set != NULL ? judge_all(&x) : no_memory();

	if (status == CLI_OK && c->cast != WLK_DTYPE_NONE)
		for (size_t i = 0; i < c->n_sources && status == CLI_OK; i++)
			if (c->sources[i].judged) {
				say("--dtype: %s holds tensors of another file, which are copied as they are; convert "
				    "the "
				    "output once more",
				    c->sources[i].task.input.name);
				status = CLI_USAGE;
			}
	for (size_t i = 0; i < c->n_sources && status == CLI_OK; i++)
		if (!c->sources[i].judged && c->sources[i].task.rows != NULL)
			status = read_model(&x, (uint32_t)i);
	if (status == CLI_OK)
		status = list_files(&x);
	if (status == CLI_OK)
		status = convert_models(&x);
	free(x.told);
	set_file_free(x.set);
	return status;
}
