/* See spool.h.  What is done on the event loop; the rest is spool_task.c. */
#include "spool_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U /* Linux 6.3 */
#endif

struct spool_store {
	struct pool *writers[SPOOL_WRITERS], *hasher;
	struct files *files;
	int dir_fd;
	struct budget file, memory;
	uint64_t memory_each; /* bytes */
	struct buffer *spare;
	size_t n_buffers; /* made so far */
	struct spool *waiting, **waiting_end;
};

struct spool {
	struct spool_store *store;
	struct pool *writer; /* one thread, so its bytes stay in order */
	struct payer payer;
	void (*wake)(void *ctx);
	void *ctx;
	int fd;      /* -1 until made; being written to until finished */
	int read_fd; /* of a file, until finished: the same for reading only; -1 */
	bool in_file, ready, finishing, finished, abandoned;
	bool waits; /* in the store's list for a buffer */
	bool full;  /* it has all buffers that it may, and is not woken for each that comes back */
	struct spool *next;
	int error;
	uint64_t size;          /* bytes taken */
	uint64_t written;       /* of those, in the file */
	uint64_t reserved;      /* of the folder's or the memory's budget */
	bool known;             /* the length was announced: reserved is all there will be */
	unsigned writes, tasks; /* given to the threads and not back */
	struct sha256 hash;
	bool digested;
	uint8_t sha256[32];
};

static void buffer_release(struct spool_store *st, struct buffer *b)
{
	b->next = st->spare;
	st->spare = b;
}

static bool buffer_available(const struct spool_store *st)
{
	return st->spare || st->n_buffers < SPOOL_BUFFERS;
}

static struct buffer *buffer_take(struct spool_store *st)
{
	struct buffer *b = st->spare;

	if (b != NULL) {
		st->spare = b->next;
		return b;
	}
	b = malloc(sizeof(*b));
	if (b != NULL)
		st->n_buffers++;
	return b;
}

static void waiting_add(struct spool *s)
{
	if (s->waits)
		return;
	s->waits = true;
	s->next = NULL;
	*s->store->waiting_end = s;
	s->store->waiting_end = &s->next;
}

static void waiting_remove(struct spool *s)
{
	struct spool_store *st = s->store;

	if (!s->waits)
		return;
	for (struct spool **at = &st->waiting; *at; at = &(*at)->next) {
		if (*at != s)
			continue;
		*at = s->next;
		if (!*at)
			st->waiting_end = at;
		break;
	}
	s->waits = false;
}

static void waiting_wake(struct spool_store *st)
{
	size_t n = 0;

	/* All of them: the first may have nothing to write, and then nobody would wake the next. */
	for (const struct spool *s = st->waiting; s; s = s->next)
		n++;
	for (; n > 0 && st->waiting && buffer_available(st); n--) {
		struct spool *s = st->waiting;

		waiting_remove(s);
		s->wake(s->ctx);
	}
}

static struct budget *budget_of(struct spool *s)
{
	return s->in_file ? &s->store->file : &s->store->memory;
}

static void release(struct spool *s)
{
	budget_give_back(budget_of(s), &s->payer, s->reserved);
	files_close(s->store->files, s->fd);
	files_close(s->store->files, s->read_fd);
	free(s);
}

static void opened(struct spool *s, const struct spool_task *t)
{
	if (t->from_fd >= 0) {
		files_close(s->store->files, s->fd);
		s->fd = -1;
		budget_give_back(&s->store->memory, &s->payer, s->size); /* it was charged twice while both existed */
	}
	if (t->error < 0)
		return;
	s->fd = t->new_fd;
	s->read_fd = t->read_fd;
	s->ready = true;
}

/* Everything is in the file: from here on nobody can write to it. */
static void maybe_finished(struct spool *s)
{
	if (!s->finishing || s->finished || s->tasks > 0 || s->error < 0)
		return;
	files_close(s->store->files, s->fd);
	s->fd = s->read_fd;
	s->read_fd = -1;
	s->finished = true;
}

static void digested(struct spool *s, const struct spool_task *t)
{
	memcpy(s->sha256, t->sha256, sizeof(s->sha256));
	s->digested = s->error == 0;
}

static void task_done(struct task *task)
{
	struct spool_task *t = (struct spool_task *)task;
	struct spool *s = t->spool;
	struct spool_store *st = s->store;

	s->tasks--;
	if (t->error < 0 && s->error == 0)
		s->error = t->error;
	switch (t->op) {
	case OP_OPEN: opened(s, t); break;
	case OP_WRITE:
		s->writes--;
		s->full = s->full && s->writes > SPOOL_BUFFERS_EACH / 4;
		s->written += s->error == 0 ? t->n : 0; /* in order, for its writer is one thread */
		buffer_release(st, t->buffer);
		break;
	case OP_END: digested(s, t); break;
	}
	free(t);
	maybe_finished(s);
	if (s->abandoned && s->tasks == 0)
		release(s);
	else if (!s->abandoned && (!s->full || s->error < 0))
		s->wake(s->ctx);
	waiting_wake(st);
}

static void post(struct spool *s, struct pool *p, const struct spool_task *like)
{
	struct spool_task *t = malloc(sizeof(*t));

	if (t == NULL) {
		s->error = -ENOMEM;
		if (like->buffer)
			buffer_release(s->store, like->buffer);
		return;
	}
	*t = *like;
	t->task = (struct task){ .run = spool_task_run, .done = task_done };
	t->spool = s;
	t->dir_fd = s->store->dir_fd;
	t->hash = &s->hash;
	s->tasks++;
	pool_post(p, &t->task);
}

static struct pool *emptiest_writer(const struct spool_store *st)
{
	struct pool *best = st->writers[0];

	for (size_t i = 1; i < SPOOL_WRITERS; i++) {
		if (pool_depth(st->writers[i]) < pool_depth(best))
			best = st->writers[i];
	}
	return best;
}

int spool_store_new(struct event_base *base, const struct config *c, struct tenants *tenants, int dir_fd,
    struct files *files, struct spool_store **ret)
{
	struct spool_store *st = calloc(1, sizeof(*st));
	int r;

	if (st == NULL)
		return -ENOMEM;
	st->files = files;
	st->dir_fd = dir_fd;
	budget_init(&st->file, tenants, TENANT_FOLDER, c->spool_bytes);
	budget_init(&st->memory, tenants, TENANT_MEMORY, c->memfd_bytes);
	st->memory_each = c->memfd_max;
	st->waiting_end = &st->waiting;
	r = pool_new(base, 1, &st->hasher);
	for (size_t i = 0; i < SPOOL_WRITERS && r == 0; i++)
		r = pool_new(base, 1, &st->writers[i]);
	if (r < 0) {
		free(st);
		return r;
	}
	*ret = st;
	return 0;
}

uint64_t spool_store_used(const struct spool_store *st)
{
	return st->file.used + st->memory.used;
}

struct spool_usage spool_store_usage(const struct spool_store *st)
{
	return (struct spool_usage){ .memory = st->memory.used,
		.memory_max = st->memory.max,
		.folder = st->file.used,
		.folder_max = st->file.max };
}

uint64_t spool_store_share(const struct spool_store *st, const struct payer *p)
{
	return budget_share(&st->memory, p);
}

bool spool_store_lend(struct spool_store *st, const struct payer *p, uint64_t bytes)
{
	return budget_take(&st->memory, p, bytes) == 0;
}

void spool_store_return(struct spool_store *st, const struct payer *p, uint64_t bytes)
{
	budget_give_back(&st->memory, p, bytes);
}

/* More of the budget this spool draws on. */
static int reserve(struct spool *s, uint64_t bytes)
{
	int r = budget_take_body(budget_of(s), &s->payer, bytes, s->reserved);

	if (r == 0)
		s->reserved += bytes;
	return r;
}

/* The same of a body whose length nobody knows: @want bytes, or fewer where no more may be had, but @least. */
static int reserve_some(struct spool *s, uint64_t least, uint64_t want)
{
	uint64_t left = budget_left(budget_of(s), &s->payer, s->reserved);

	if (want > left)
		want = left;
	return reserve(s, want > least ? want : least);
}

uint64_t spool_pace(const struct spool *s)
{
	return s->in_file && s->reserved > budget_share(&s->store->file, &s->payer) ? SPOOL_PACE : 0;
}

static int make_memory(struct spool *s)
{
	s->fd = memfd_create("weighlock-spool", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
	if (s->fd < 0 && errno == EINVAL)
		s->fd = memfd_create("weighlock-spool", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (s->fd < 0)
		return -errno;
	s->ready = true;
	return 0;
}

static int start(struct spool *s, uint64_t length)
{
	uint64_t first = s->known ? length : s->store->memory_each < SPOOL_QUOTA ? s->store->memory_each : SPOOL_QUOTA;
	int r;

	if (s->known ? length <= s->store->memory_each : first > 0) {
		if (reserve(s, first) == 0)
			return make_memory(s);
	}
	s->in_file = true;
	r = reserve(s, s->known ? length : first);
	if (r < 0)
		return r;
	post(s, s->writer, &(struct spool_task){ .op = OP_OPEN, .from_fd = -1, .length = s->known ? length : 0 });
	return s->error;
}

int spool_new(struct spool_store *st, const struct payer *p, uint64_t length, void (*wake)(void *ctx), void *ctx,
    struct spool **ret)
{
	struct spool *s = calloc(1, sizeof(*s));
	int r;

	if (s == NULL)
		return -ENOMEM;
	*s = (struct spool){ .store = st,
		.writer = emptiest_writer(st),
		.payer = *p,
		.wake = wake,
		.ctx = ctx,
		.fd = -1,
		.read_fd = -1,
		.known = length != SPOOL_UNKNOWN };
	sha256_begin(&s->hash);
	r = start(s, length);
	if (r < 0) {
		release(s);
		return r;
	}
	*ret = s;
	return 0;
}

void spool_hand_over(struct spool *s, void (*wake)(void *ctx), void *ctx)
{
	s->wake = wake;
	s->ctx = ctx;
}

void spool_free(struct spool *s)
{
	if (s == NULL)
		return;
	waiting_remove(s);
	s->abandoned = true;
	if (s->tasks == 0)
		release(s);
}

int spool_error(const struct spool *s)
{
	return s->error;
}

bool spool_ready(const struct spool *s)
{
	return s->ready;
}

size_t spool_room(struct spool *s)
{
	if (!s->ready || s->error < 0 || s->finishing)
		return 0;
	if (!s->in_file)
		return SPOOL_BUFFER;
	if (s->full)
		return 0;
	if (!buffer_available(s->store)) {
		waiting_add(s);
		return 0;
	}
	return SPOOL_BUFFER;
}

static void write_memory(struct spool *s, const uint8_t *at, size_t n)
{
	while (n > 0) {
		ssize_t done = write(s->fd, at, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0) {
			s->error = -errno;
			return;
		}
		at += done;
		n -= (size_t)done;
		s->size += (size_t)done;
	}
}

/* A chunked body outgrew memory (its own share, or everybody's): what is there is copied, the rest follows.  The
 * memory stays charged until the copy is made. */
static void move_to_file(struct spool *s)
{
	uint64_t charged = s->reserved;
	int r;

	s->in_file = true;
	s->ready = false;
	s->reserved = 0;
	budget_give_back(&s->store->memory, &s->payer, charged - s->size);
	r = reserve_some(s, s->size, s->size + SPOOL_QUOTA);
	if (r < 0) {
		budget_give_back(&s->store->memory, &s->payer, s->size);
		s->error = r;
		return;
	}
	post(s, s->writer, &(struct spool_task){ .op = OP_OPEN, .from_fd = s->fd, .length = s->size });
}

static void write_file(struct spool *s, const uint8_t *at, size_t n)
{
	struct buffer *b = buffer_take(s->store);

	if (b == NULL) {
		s->error = -ENOMEM;
		return;
	}
	memcpy(b->bytes, at, n);
	s->writes++;
	s->full = s->writes == SPOOL_BUFFERS_EACH;
	post(s, s->writer, &(struct spool_task){ .op = OP_WRITE, .fd = s->fd, .buffer = b, .n = n, .offset = s->size });
	s->size += n;
}

/* Return: 0 when n more bytes are paid for. */
static int afford(struct spool *s, size_t n)
{
	if (n <= s->reserved - s->size)
		return 0;
	return s->known ? -EFBIG : reserve_some(s, n - (s->reserved - s->size), SPOOL_QUOTA);
}

void spool_write(struct spool *s, const void *at, size_t n)
{
	int r;

	if (n == 0 || s->error < 0)
		return;
	r = afford(s, n);
	if (r < 0 && (s->in_file || s->known)) {
		s->error = r;
		return;
	}
	if (s->in_file) {
		write_file(s, at, n);
		return;
	}
	/* Over budget by one buffer at most, for the length of a copy. */
	write_memory(s, at, n);
	if (s->error < 0 || (r == 0 && s->size <= s->store->memory_each))
		return;
	if (s->size > s->reserved) {
		budget_charge(&s->store->memory, &s->payer, s->size - s->reserved);
		s->reserved = s->size;
	}
	move_to_file(s);
}

void spool_finish(struct spool *s)
{
	const int seals = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL;

	s->finishing = true;
	waiting_remove(s); /* for a buffer: it needs none, and may be somebody else's when there is one */
	if (s->in_file) {
		post(s, s->writer, &(struct spool_task){ .op = OP_END, .from_fd = -1 });
		return;
	}
	if (fcntl(s->fd, F_ADD_SEALS, seals) < 0) {
		s->error = -errno;
		return;
	}
	post(s, s->store->hasher, &(struct spool_task){ .op = OP_END, .from_fd = s->fd, .length = s->size });
	s->finished = s->error == 0;
}

const uint8_t *spool_digest(const struct spool *s)
{
	return s->digested ? s->sha256 : NULL;
}

int spool_fd(const struct spool *s)
{
	return s->finished && s->error == 0 ? s->fd : -1;
}

bool spool_growing(const struct spool *s, struct spool_growth *ret)
{
	if (!s->known || !s->in_file || !s->ready || s->error < 0)
		return false;
	*ret = (struct spool_growth){
		.fd = s->finished ? s->fd : s->read_fd, .length = s->reserved, .written = s->written
	};
	return true;
}

uint64_t spool_size(const struct spool *s)
{
	return s->size;
}
