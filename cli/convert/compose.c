/* See compose.h.  The header is as the reference writes it, as is that of a worker (lib/engine/export_header.c). */
#include "compose.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checked.h"
#include "cleanup.h"
#include "dtype.h"
#include "memory_file.h"

#define HEADER_ALIGN 8u
#define BLOCK_BYTES ((size_t)1 << 20)

struct item {
	size_t name, kept; /* in the names; kept: of another name the one that it is kept under, SIZE_MAX: it is kept */
	uint64_t at, begin, bytes; /* of its row; of its elements in the source's output */
	uint32_t source, output;
	unsigned order; /* of its type; of another name that of the one that is kept */
};

struct compose {
	const struct compose_source *sources;
	size_t n_sources;
	char *names; /* each with a NUL: safetensors has none with one inside */
	size_t names_n, names_room;
	struct item *items; /* those that are kept come first, in the order of the outputs */
	size_t n, room, n_kept;
	size_t *ends; /* of each output's, among the items */
	size_t n_outputs;
	uint64_t total;
};

void compose_free(struct compose *c)
{
	if (c == NULL)
		return;
	free(c->names);
	free(c->items);
	free(c->ends);
	free(c);
}

size_t compose_outputs(const struct compose *c)
{
	return c->n_outputs;
}

/* ---- what there is ---- */

static void *room_for(void *list, size_t used, size_t more, size_t *room, size_t each)
{
	size_t next = *room > 0 ? *room : 1024;

	if (list != NULL && more <= *room - used)
		return list;
	while (next - used < more)
		next *= 2;
	list = reallocarray(list, next, each);
	if (list != NULL)
		*room = next;
	return list;
}

static bool add_name(struct compose *c, struct bytes name, size_t *ret)
{
	char *names = room_for(c->names, c->names_n, name.n + 1, &c->names_room, 1);

	if (names == NULL)
		return false;
	c->names = names;
	*ret = c->names_n;
	bytes_copy(names + c->names_n, name);
	names[c->names_n + name.n] = '\0';
	c->names_n += name.n + 1;
	return true;
}

/* What a row of a worker says its tensor takes. */
static bool count_bytes(const struct manifest_row *row, uint64_t *ret, unsigned *ret_order)
{
	enum wlk_dtype dtype;
	uint64_t bits;

	if (!dtype_find(row->dtype, &dtype) || !dtype_order(dtype, ret_order))
		return false;
	bits = dtype_info(dtype)->bits;
	for (unsigned i = 0; i < row->rank; i++)
		if (row->shape[i] == 0)
			bits = 0;
	for (unsigned i = 0; i < row->rank && bits > 0; i++)
		if (!mul_u64(bits, row->shape[i], &bits))
			return false;
	*ret = bits / 8;
	return bits % 8 == 0;
}

static int add_item(struct compose *c, uint32_t source, const struct tensor_rows_item *got, uint64_t *begin)
{
	const struct manifest_row *row = &got->row;
	struct item *items = room_for(c->items, c->n, 1, &c->room, sizeof(*items));
	struct item item = { .kept = SIZE_MAX, .at = got->at, .begin = *begin, .source = source };

	if (items == NULL)
		return -ENOMEM;
	c->items = items;
	if (row->kind == MANIFEST_MAPPING && row->file.n == 0)
		return 0; /* left behind */
	if (memchr(row->name.at, 0, row->name.n) != NULL || row->name_bytes != row->name.n)
		return -EBADMSG;
	if (!add_name(c, row->name, &item.name) ||
	    (row->kind == MANIFEST_MAPPING && !add_name(c, row->file, &item.kept)))
		return -ENOMEM;
	if (row->kind == MANIFEST_TENSOR &&
	    (!count_bytes(row, &item.bytes, &item.order) || !add_u64(*begin, item.bytes, begin)))
		return -EBADMSG;
	if (c->sources[source].ranges)
		item.begin = row->begin;
	c->items[c->n++] = item;
	return 0;
}

/* The worker's own header stands in front of the elements. */
static int take_source(struct compose *c, uint32_t i)
{
	const struct compose_source *s = &c->sources[i];
	struct tensor_rows_reader *reader = tensor_rows_reader_new(s->rows);
	struct tensor_rows_item got;
	uint8_t head[8] = { 0 };
	uint64_t at = 0;
	int r = reader == NULL ? -ENOMEM : s->ranges ? 0 : memory_file_read(s->fd, head, sizeof(head), 0);

	if (r == 0 && !s->ranges && !add_u64(load_u64le(head), sizeof(head), &at))
		r = -EBADMSG;
	while (r == 0 && (r = tensor_rows_next(reader, &got)) > 0)
		r = add_item(c, i, &got, &at);
	tensor_rows_reader_free(reader);
	return r == 0 && !s->ranges && at != s->size ? -EBADMSG : r;
}

/* ---- order ---- */

static const char *sorted_names; /* qsort(3) has no context; one thread */

static int compare_names(const void *va, const void *vb)
{
	const struct item *a = va, *b = vb;

	return strcmp(sorted_names + a->name, sorted_names + b->name);
}

static int compare_outputs(const void *va, const void *vb)
{
	const struct item *a = va, *b = vb;

	if ((a->kept == SIZE_MAX) != (b->kept == SIZE_MAX))
		return a->kept == SIZE_MAX ? -1 : 1;
	return a->order != b->order ? (a->order < b->order ? -1 : 1) : compare_names(va, vb);
}

/* While the items are sorted by name. */
static bool find_order(struct compose *c, struct item *alias)
{
	const struct item key = { .name = alias->kept }, *kept;

	if (alias->kept == SIZE_MAX)
		return true;
	kept = bsearch(&key, c->items, c->n, sizeof(key), compare_names);
	if (kept == NULL || kept->kept != SIZE_MAX)
		return false;
	alias->order = kept->order;
	return true;
}

static int put_in_order(struct compose *c, char **ret_name)
{
	sorted_names = c->names;
	qsort(c->items, c->n, sizeof(*c->items), compare_names);
	for (size_t i = 1; i < c->n; i++)
		if (compare_names(&c->items[i - 1], &c->items[i]) == 0) {
			*ret_name = strdup(c->names + c->items[i].name);
			return *ret_name != NULL ? -EEXIST : -ENOMEM;
		}
	for (size_t i = 0; i < c->n; i++)
		if (!find_order(c, &c->items[i]))
			return -EBADMSG;
	qsort(c->items, c->n, sizeof(*c->items), compare_outputs);
	while (c->n_kept < c->n && c->items[c->n_kept].kept == SIZE_MAX)
		c->n_kept++;
	return c->n_kept > 0 ? 0 : -ENODATA;
}

static int cut(struct compose *c, uint64_t most)
{
	uint64_t bytes = 0;

	c->ends = calloc(c->n_kept, sizeof(*c->ends));
	if (c->ends == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < c->n_kept; i++) {
		const struct item *item = &c->items[i];

		if (i > 0 && most > 0 && (bytes > most || item->bytes > most - bytes)) {
			if (c->n_outputs + 1 == COMPOSE_OUTPUTS_MAX)
				return -E2BIG;
			c->ends[c->n_outputs++] = i;
			bytes = 0;
		}
		c->items[i].output = (uint32_t)c->n_outputs;
		bytes += item->bytes; /* of one source they are within its file */
		c->total += item->bytes;
	}
	c->ends[c->n_outputs++] = c->n_kept;
	for (size_t i = c->n_kept; i < c->n; i++) {
		const struct item key = { .name = c->items[i].kept, .kept = SIZE_MAX, .order = c->items[i].order };
		const struct item *kept = bsearch(&key, c->items, c->n_kept, sizeof(key), compare_outputs);

		if (kept == NULL)
			return -EBADMSG;
		c->items[i].output = kept->output;
	}
	return 0;
}

int compose_new(
    const struct compose_source *sources, size_t n, uint64_t shard_bytes, struct compose **ret, char **ret_name)
{
	struct compose *c = calloc(1, sizeof(*c));
	int r = c != NULL ? 0 : -ENOMEM;

	*ret = c;
	*ret_name = NULL;
	if (r < 0)
		return r;
	c->sources = sources;
	c->n_sources = n;
	for (uint32_t i = 0; i < n && r == 0; i++)
		r = sources[i].rows != NULL ? take_source(c, i) : 0;
	if (r == 0)
		r = put_in_order(c, ret_name);
	return r == 0 ? cut(c, shard_bytes) : r;
}

/* ---- a header ---- */

/* As serde_json escapes; what the workers let through has no controls. */
static void put_string(FILE *f, const char *s)
{
	fputc('"', f);
	for (; *s != '\0'; s++) {
		if (*s == '"' || *s == '\\')
			fputc('\\', f);
		fputc(*s, f);
	}
	fputc('"', f);
}

/* Of several sources one behind the other. */
static void put_sources(const struct compose *c, FILE *f, bool verdicts)
{
	for (size_t i = 0; i < c->n_sources; i++)
		fprintf(f, "%s%s", i > 0 ? "," : "", verdicts ? c->sources[i].verdict : c->sources[i].sha256);
}

/* What all of them say, if it is a plain word. */
static struct bytes framework_of(const struct compose *c)
{
	struct bytes first = c->sources[0].framework;

	for (size_t i = 1; i < c->n_sources; i++)
		if (!bytes_equal(c->sources[i].framework, first))
			return bytes_of(NULL, 0);
	for (size_t i = 0; i < first.n; i++)
		if (!((first.at[i] >= '0' && first.at[i] <= '9') || (first.at[i] >= 'a' && first.at[i] <= 'z') ||
			(first.at[i] >= 'A' && first.at[i] <= 'Z')))
			return bytes_of(NULL, 0);
	return first;
}

static void put_metadata(const struct compose *c, FILE *f, size_t output)
{
	struct bytes framework = framework_of(c);

	fputs("{\"__metadata__\":{\"source_sha256\":\"", f);
	put_sources(c, f, false);
	fputs("\",\"source_verdict\":\"", f);
	put_sources(c, f, true);
	fputc('"', f);
	if (framework.n > 0)
		fprintf(f, ",\"format\":\"%.*s\"", (int)framework.n, (const char *)framework.at);
	for (size_t i = c->n_kept; i < c->n; i++) {
		if (c->items[i].output != output)
			continue;
		fputc(',', f);
		put_string(f, c->names + c->items[i].name);
		fputc(':', f);
		put_string(f, c->names + c->items[i].kept);
	}
	fputc('}', f);
}

static void put_tensor(FILE *f, const char *name, const struct manifest_row *row, uint64_t at, uint64_t bytes)
{
	fputc(',', f);
	put_string(f, name);
	fprintf(f, ":{\"dtype\":\"%.*s\",\"shape\":[", (int)row->dtype.n, (const char *)row->dtype.at);
	for (unsigned i = 0; i < row->rank; i++)
		fprintf(f, "%s%llu", i > 0 ? "," : "", (unsigned long long)row->shape[i]);
	fprintf(f, "],\"data_offsets\":[%llu,%llu]}", (unsigned long long)at, (unsigned long long)(at + bytes));
}

/* ---- an output ---- */

struct output {
	struct compose *c;
	struct tensor_rows_reader **readers; /* of each source */
	struct tensor_rows *rows;            /* what is promised of it */
	FILE *f;
	uint64_t at, index;
};

static int promise(struct output *o, const struct tensor_rows_item *got)
{
	const struct manifest_sink *sink = tensor_rows_sink(o->rows);
	uint8_t encoded[MANIFEST_ROW_MAX];
	struct manifest_row row = got->row;

	row.index = o->index++;
	if (!sink->row(sink->ctx, &row, bytes_of(encoded, manifest_encode(&row, encoded))) ||
	    (got->has_sha256 && !sink->digest(sink->ctx, row.index, got->sha256)))
		return -ENOSPC;
	return 0;
}

static int list(struct output *o, size_t from, size_t to)
{
	int r = 0;

	for (size_t i = from; i < to && r == 0; i++) {
		const struct item *item = &o->c->items[i];
		struct tensor_rows_reader *reader = o->readers[item->source];
		struct tensor_rows_item got;

		tensor_rows_seek(reader, item->at);
		r = tensor_rows_next(reader, &got);
		r = r == 0 ? -EBADMSG : r < 0 ? r : promise(o, &got);
		if (r < 0)
			break;
		put_tensor(o->f, o->c->names + item->name, &got.row, o->at, item->bytes);
		o->at += item->bytes;
	}
	return r;
}

/* Other names of what is in this output, and of the first one what was left behind. */
static int list_others(struct output *o, size_t output)
{
	int r = 0;

	for (uint32_t s = 0; s < o->c->n_sources && r == 0; s++) {
		struct tensor_rows_item got;

		if (o->readers[s] == NULL)
			continue;
		tensor_rows_seek(o->readers[s], 0);
		while (r == 0 && (r = tensor_rows_next(o->readers[s], &got)) > 0) {
			r = 0;
			if (got.row.kind == MANIFEST_MAPPING && got.row.file.n == 0 && output == 0)
				r = promise(o, &got);
		}
	}
	for (size_t i = o->c->n_kept; i < o->c->n && r == 0; i++) {
		const struct item *item = &o->c->items[i];
		struct tensor_rows_item got;

		if (item->output != output)
			continue;
		tensor_rows_seek(o->readers[item->source], item->at);
		r = tensor_rows_next(o->readers[item->source], &got);
		r = r == 0 ? -EBADMSG : r < 0 ? r : promise(o, &got);
	}
	return r;
}

static int copy(int from, uint64_t at, int to, uint64_t offset, uint64_t n, uint8_t *block)
{
	int r = 0;

	for (uint64_t done = 0; done < n && r == 0; done += BLOCK_BYTES) {
		size_t some = (size_t)min_u64(BLOCK_BYTES, n - done);

		r = memory_file_read(from, block, some, at + done);
		if (r == 0)
			r = memory_file_write(to, block, some, offset + done);
	}
	return r;
}

static int copy_all(const struct compose *c, int fd, size_t from, size_t to, uint64_t offset)
{
	_cleanup_(freep) uint8_t *block = malloc(BLOCK_BYTES);
	int r = block != NULL ? 0 : -ENOMEM;

	for (size_t i = from; i < to && r == 0; i++) {
		const struct item *item = &c->items[i];

		r = copy(c->sources[item->source].fd, item->begin, fd, offset, item->bytes, block);
		offset += item->bytes;
	}
	return r;
}

static int write_header(struct output *o, int fd, size_t i, size_t from, uint64_t *ret_end)
{
	_cleanup_(freep) char *text = NULL;
	uint8_t length[8];
	size_t n = 0;
	int r;

	o->f = open_memstream(&text, &n);
	if (o->f == NULL)
		return -ENOMEM;
	put_metadata(o->c, o->f, i);
	r = list(o, from, o->c->ends[i]);
	fputc('}', o->f);
	while (fflush(o->f) == 0 && n % HEADER_ALIGN != 0)
		fputc(' ', o->f);
	if (fclose(o->f) != 0)
		r = -ENOMEM;
	store_u64le(length, n);
	if (r == 0)
		r = memory_file_write(fd, length, sizeof(length), 0);
	if (r == 0)
		r = memory_file_write(fd, text, n, sizeof(length));
	*ret_end = sizeof(length) + n;
	return r;
}

static int write_output(struct output *o, size_t i, int fd)
{
	size_t from = i > 0 ? o->c->ends[i - 1] : 0, to = o->c->ends[i];
	uint64_t end;
	int r = write_header(o, fd, i, from, &end);

	if (r == 0)
		r = list_others(o, i);
	if (r == 0)
		r = tensor_rows_end(o->rows);
	return r == 0 ? copy_all(o->c, fd, from, to, end) : r;
}

int compose_write(struct compose *c, size_t i, int fd, struct tensor_rows **ret_rows)
{
	struct output o = { .c = c, .readers = calloc(c->n_sources, sizeof(struct tensor_rows_reader *)) };
	int r = -ENOMEM;

	o.rows = tensor_rows_new(MANIFEST_BYTES_MAX + 33 * MANIFEST_ROWS_MAX);
	if (o.readers != NULL && o.rows != NULL)
		r = 0;
	for (size_t s = 0; s < c->n_sources && r == 0; s++) {
		if (c->sources[s].rows == NULL)
			continue;
		o.readers[s] = tensor_rows_reader_new(c->sources[s].rows);
		r = o.readers[s] != NULL ? 0 : -ENOMEM;
	}
	if (r == 0)
		r = write_output(&o, i, fd);
	for (size_t s = 0; s < c->n_sources && o.readers != NULL; s++)
		tensor_rows_reader_free(o.readers[s]);
	free(o.readers);
	*ret_rows = o.rows;
	return r;
}

json_t *compose_index(const struct compose *c, const char *const *names)
{
	json_t *map = json_object(), *index;
	for (size_t i = 0; i < c->n_kept && map != NULL; i++) {
		if (json_object_set_new(map, c->names + c->items[i].name, json_string(names[c->items[i].output])) < 0) {
			json_decref(map);
			return NULL;
		}
	}
	index = json_pack("{s:{s:I}, s:o}", "metadata", "total_size", (json_int_t)c->total, "weight_map", map);
	return index;
}
