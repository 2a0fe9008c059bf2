/* Rows, digests and statistics, each in a memfd: see tensor_rows.h.  All are written through a window, so that a row costs a copy and not
 * a system call; digests come in the order of the file, which nearly always is that of their indexes too. */
#include "tensor_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "checked.h"
#include "memory_file.h"

#define WINDOW_BYTES ((size_t)32 << 10)
#define LENGTH_BYTES 4u
#define DIGEST_BYTES 33u /* a byte that says that it is there, and the SHA-256 */
#define STATS_BYTES (1u + TENSOR_STATS_BYTES)

_Static_assert(WINDOW_BYTES >= LENGTH_BYTES + MANIFEST_ROW_MAX, "a row does not fit the window");

/* A memfd, and what of it is not written yet. */
struct file {
	int fd;        /* -1: nothing was written so far */
	uint64_t size; /* what is in the window included */
	uint64_t at;   /* where the window's bytes belong */
	size_t pending;
	uint8_t window[WINDOW_BYTES];
};

struct tensor_rows {
	uint64_t bytes_max, count, mappings;
	int error;
	struct manifest_sink sink;
	struct file rows, digests, stats;
};

/* -- writing -- */

static int file_flush(struct file *f)
{
	int r;

	if (f->pending == 0)
		return 0;
	if (f->fd < 0) {
		r = memory_file_new("weighlock-tensors");
		if (r < 0)
			return r;
		f->fd = r;
	}
	r = memory_file_write(f->fd, f->window, f->pending, f->at);
	f->pending = 0;
	return r;
}

static int file_put(struct file *f, uint64_t offset, const void *at, size_t n)
{
	int r = 0;

	if (offset != f->at + f->pending || n > WINDOW_BYTES - f->pending) {
		r = file_flush(f);
		f->at = offset;
	}
	memcpy(f->window + f->pending, at, n);
	f->pending += n;
	if (offset + n > f->size)
		f->size = offset + n;
	return r;
}

static void file_clear(struct file *f)
{
	if (f->fd >= 0)
		(void)close(f->fd);
	f->fd = -1;
	f->size = f->at = f->pending = 0;
}

/* Room for a file that comes to be `grown` bytes larger?  The first trouble is kept. */
static bool has_room(struct tensor_rows *t, uint64_t grown)
{
	uint64_t held = tensor_rows_held(t);

	if (t->error == 0 && (held > t->bytes_max || grown > t->bytes_max - held))
		t->error = -ENOSPC;
	return t->error == 0;
}

static bool take_row(void *ctx, const struct manifest_row *row, struct bytes encoded)
{
	struct tensor_rows *t = ctx;
	uint8_t length[LENGTH_BYTES];
	uint64_t end = t->rows.size;

	if (!has_room(t, LENGTH_BYTES + encoded.n))
		return false;
	store_u32le(length, (uint32_t)encoded.n);
	t->error = file_put(&t->rows, end, length, sizeof(length));
	if (t->error == 0)
		t->error = file_put(&t->rows, end + sizeof(length), encoded.at, encoded.n);
	t->count++;
	t->mappings += row->kind == MANIFEST_MAPPING ? 1 : 0;
	return t->error == 0;
}

/* Behind the byte that says that it is there, @at: @n - 1 bytes. */
static bool take_slot(struct tensor_rows *t, struct file *f, uint64_t index, const uint8_t *at, size_t n)
{
	static const uint8_t there = 1;
	uint64_t begin = index * n, end = begin + n; /* the decoder keeps indexes below MANIFEST_ROWS_MAX */

	if (!has_room(t, end > f->size ? end - f->size : 0))
		return false;
	t->error = file_put(f, begin, &there, 1);
	if (t->error == 0)
		t->error = file_put(f, begin + 1, at, n - 1);
	return t->error == 0;
}

static bool take_digest(void *ctx, uint64_t index, const uint8_t sha256[32])
{
	struct tensor_rows *t = ctx;

	return take_slot(t, &t->digests, index, sha256, DIGEST_BYTES);
}

static bool take_stats(void *ctx, uint64_t index, const uint8_t encoded[TENSOR_STATS_BYTES])
{
	struct tensor_rows *t = ctx;

	return take_slot(t, &t->stats, index, encoded, STATS_BYTES);
}

struct tensor_rows *tensor_rows_new(uint64_t bytes_max)
{
	struct tensor_rows *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	t->bytes_max = bytes_max;
	t->sink = (struct manifest_sink){ .ctx = t, .row = take_row, .digest = take_digest, .stats = take_stats };
	t->rows.fd = t->digests.fd = t->stats.fd = -1;
	return t;
}

void tensor_rows_free(struct tensor_rows *t)
{
	if (t == NULL)
		return;
	tensor_rows_discard(t);
	free(t);
}

const struct manifest_sink *tensor_rows_sink(struct tensor_rows *t)
{
	return &t->sink;
}

int tensor_rows_end(struct tensor_rows *t)
{
	int r = file_flush(&t->rows);

	if (r == 0)
		r = file_flush(&t->digests);
	if (r == 0)
		r = file_flush(&t->stats);
	if (t->error == 0)
		t->error = r;
	return t->error;
}

void tensor_rows_discard(struct tensor_rows *t)
{
	file_clear(&t->rows);
	file_clear(&t->digests);
	file_clear(&t->stats);
	t->count = t->mappings = 0;
	t->error = 0;
}

uint64_t tensor_rows_count(const struct tensor_rows *t)
{
	return t->count;
}

uint64_t tensor_rows_mappings(const struct tensor_rows *t)
{
	return t->mappings;
}

uint64_t tensor_rows_bytes(const struct tensor_rows *t)
{
	return t->rows.size;
}

uint64_t tensor_rows_held(const struct tensor_rows *t)
{
	return t->rows.size + t->digests.size + t->stats.size;
}

int tensor_rows_error(const struct tensor_rows *t)
{
	return t->error;
}

/* -- reading -- */

/* What of a file was read last. */
struct view {
	const struct file *file;
	uint64_t at;
	size_t n;
	uint8_t bytes[WINDOW_BYTES];
};

/* At least n bytes at @offset, which the file has; *ret_n: as many more as are at hand.  Return: 0 or negative errno. */
static int view_read(struct view *v, uint64_t offset, size_t n, const uint8_t **ret, size_t *ret_n)
{
	int r;

	if (offset < v->at || offset - v->at > v->n || n > v->n - (size_t)(offset - v->at)) {
		v->at = offset;
		v->n = (size_t)min_u64(WINDOW_BYTES, v->file->size - offset);
		r = n <= v->n ? memory_file_read(v->file->fd, v->bytes, v->n, offset) : -EIO;
		if (r < 0) {
			v->n = 0;
			return r;
		}
	}
	*ret = v->bytes + (offset - v->at);
	*ret_n = v->n - (size_t)(offset - v->at);
	return 0;
}

int tensor_rows_copy(const struct tensor_rows *t, set_write_fn write, void *ctx)
{
	struct view v = { .file = &t->rows };
	const uint8_t *at;
	size_t n;

	for (uint64_t offset = 0; offset < t->rows.size; offset += n) {
		int r = view_read(&v, offset, 1, &at, &n);

		if (r < 0)
			return r;
		if (!write(ctx, at, n))
			return -ECANCELED;
	}
	return 0;
}

struct tensor_rows_reader {
	uint64_t next;
	struct view rows, digests, stats;
};

struct tensor_rows_reader *tensor_rows_reader_new(const struct tensor_rows *t)
{
	struct tensor_rows_reader *r = malloc(sizeof(*r));

	if (r == NULL)
		return NULL;
	r->next = 0;
	r->rows.file = &t->rows;
	r->digests.file = &t->digests;
	r->stats.file = &t->stats;
	r->rows.at = r->digests.at = r->stats.at = 0;
	r->rows.n = r->digests.n = r->stats.n = 0;
	return r;
}

void tensor_rows_reader_free(struct tensor_rows_reader *r)
{
	free(r);
}

void tensor_rows_seek(struct tensor_rows_reader *r, uint64_t at)
{
	r->next = at;
}

/* *ret: behind the byte that says that it is there; NULL: it is not. */
static int read_slot(struct view *v, uint64_t index, size_t n, const uint8_t **ret)
{
	uint64_t at = index * n;
	const uint8_t *slot;
	size_t n_more;
	int e;

	*ret = NULL;
	if (at >= v->file->size)
		return 0;
	e = view_read(v, at, n, &slot, &n_more);
	if (e == 0 && slot[0] == 1)
		*ret = slot + 1;
	return e;
}

static int read_slots(struct tensor_rows_reader *r, struct tensor_rows_item *ret)
{
	const uint8_t *at;
	int e = read_slot(&r->digests, ret->row.index, DIGEST_BYTES, &at);

	ret->has_sha256 = at != NULL;
	if (at != NULL)
		memcpy(ret->sha256, at, sizeof(ret->sha256));
	if (e == 0)
		e = read_slot(&r->stats, ret->row.index, STATS_BYTES, &at);
	ret->has_stats = e == 0 && at != NULL && tensor_stats_decode(at, &ret->stats);
	return e;
}

int tensor_rows_next(struct tensor_rows_reader *r, struct tensor_rows_item *ret)
{
	const uint8_t *at;
	size_t n, row_n;
	int e;

	if (r->next >= r->rows.file->size)
		return 0;
	e = view_read(&r->rows, r->next, LENGTH_BYTES, &at, &n);
	if (e < 0)
		return e;
	row_n = load_u32le(at);
	if (row_n > MANIFEST_ROW_MAX) /* a seek to where no row begins */
		return -EINVAL;
	e = view_read(&r->rows, r->next, LENGTH_BYTES + row_n, &at, &n);
	if (e < 0)
		return e;
	if (!manifest_decode(bytes_of(at + LENGTH_BYTES, row_n), &ret->row))
		return -EINVAL;
	ret->at = r->next;
	r->next += LENGTH_BYTES + row_n;
	e = read_slots(r, ret);
	return e < 0 ? e : 1;
}
