/* See set_file.h. */
#include "set_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory_file.h"

#define BLOCK_BYTES ((size_t)256 << 10)
#define MEMBER_BYTES 64u /* of a member's record, beside its name and facts */

/* What is owned of a member besides its record. */
struct held {
	uint8_t *name;
	struct fact *facts; /* with their texts behind them */
	uint64_t rows_at;   /* in rows_fd */
	bool speaks;        /* rows of it are about others */
};

struct set_file {
	struct set_member *members;
	struct set_part *parts;
	struct held *held;
	size_t n, room;
	size_t head_bytes; /* so far, at most SET_HEAD_BYTES_MAX */
	int rows_fd;       /* rows of all members, in the order in which they were judged; -1: none yet */
	uint64_t rows_bytes;
	int claims_fd;   /* -1: none */
	int document_fd; /* -1 until sealed */
	bool is_set;
	bool overfull;            /* members are missing */
	enum verdict_value worst; /* of those */
	enum wlk_cause cause;
};

/* ---- life ---- */

struct set_file *set_file_new(void)
{
	struct set_file *s = calloc(1, sizeof(*s));

	if (s != NULL)
		s->rows_fd = s->claims_fd = s->document_fd = -1;
	return s;
}

static void fd_done(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

void set_file_free(struct set_file *s)
{
	if (s == NULL)
		return;
	for (size_t i = 0; i < s->n; i++) {
		free(s->held[i].name);
		free(s->held[i].facts);
	}
	free(s->held);
	free(s->members);
	free(s->parts);
	fd_done(&s->rows_fd);
	fd_done(&s->claims_fd);
	fd_done(&s->document_fd);
	free(s);
}

/* The first reason stays. */
static void set_file_fail(struct set_file *s, enum wlk_cause cause)
{
	if (s->cause == WLK_CAUSE_NONE)
		s->cause = cause;
}

/* ---- members ---- */

static void *more_room(void *array, size_t item, size_t n, bool *failed)
{
	void *bigger = reallocarray(array, n, item);

	if (bigger == NULL)
		*failed = true;
	return bigger != NULL ? bigger : array;
}

static bool room_for_one(struct set_file *s)
{
	size_t room = s->room == 0 ? 64 : s->room * 2;
	bool failed = false;

	if (s->n < s->room)
		return true;
	s->members = more_room(s->members, sizeof(*s->members), room, &failed);
	s->parts = more_room(s->parts, sizeof(*s->parts), room, &failed);
	s->held = more_room(s->held, sizeof(*s->held), room, &failed);
	if (!failed)
		s->room = room;
	return !failed;
}

/* A share of the head's bytes. */
static bool head_takes(struct set_file *s, size_t n)
{
	if (n > SET_HEAD_BYTES_MAX - s->head_bytes)
		return false;
	s->head_bytes += n;
	return true;
}

static size_t not_added(struct set_file *s, enum wlk_cause cause)
{
	set_file_fail(s, cause);
	s->overfull = true;
	return SIZE_MAX;
}

size_t set_file_add(struct set_file *s, struct bytes name, enum set_member_state state)
{
	uint8_t *copy;

	if (s->n == SET_MEMBERS_MAX || name.n == 0 || name.n > SET_NAME_MAX || !head_takes(s, MEMBER_BYTES + name.n))
		return not_added(s, WLK_CAUSE_LIMIT_OUTPUT);
	copy = room_for_one(s) ? malloc(name.n) : NULL;
	if (copy == NULL)
		return not_added(s, WLK_CAUSE_INTERNAL);
	bytes_copy(copy, name);
	s->members[s->n] = (struct set_member){ .name = bytes_of(copy, name.n), .state = state };
	s->parts[s->n] = (struct set_part){ .value = VERDICT_ERROR, .effective = VERDICT_ERROR };
	s->held[s->n] = (struct held){ .name = copy };
	return s->n++;
}

/* ---- facts ---- */

static bool fact_counts(const struct fact *f)
{
	return f->key.n == 0 && (f->value.kind == VALUE_NUMBER || f->value.kind == VALUE_TEXT);
}

static size_t fact_text_bytes(const struct fact *f)
{
	return f->value.kind == VALUE_TEXT ? f->value.text.n : 0;
}

/* One block: the facts, then their texts. */
static bool facts_keep(struct set_file *s, size_t index, const struct facts *f)
{
	size_t n = 0, texts = 0;
	struct fact *to;
	uint8_t *text;

	for (size_t i = 0; i < f->n_facts; i++) {
		n += fact_counts(&f->facts[i]);
		texts += fact_counts(&f->facts[i]) ? fact_text_bytes(&f->facts[i]) : 0;
	}
	if (n == 0)
		return true;
	to = head_takes(s, n * sizeof(*to) + texts) ? malloc(n * sizeof(*to) + texts) : NULL;
	if (to == NULL)
		return false;
	s->held[index].facts = to;
	s->members[index].facts = to;
	s->members[index].n_facts = n;
	text = (uint8_t *)(to + n);
	for (size_t i = 0; i < f->n_facts; i++) {
		if (!fact_counts(&f->facts[i]))
			continue;
		*to = f->facts[i];
		bytes_copy(text, bytes_of(f->facts[i].value.text.at, fact_text_bytes(to)));
		to->value.text = bytes_of(text, fact_text_bytes(to));
		text += fact_text_bytes(to++);
	}
	return true;
}

/* ---- rows ---- */

static bool rows_write(void *ctx, const void *at, size_t n)
{
	struct set_file *s = ctx;

	if (memory_file_write(s->rows_fd, at, n, s->rows_bytes) < 0)
		return false;
	s->rows_bytes += n;
	return true;
}

/* Return: NONE, or why they cannot be kept. */
static enum wlk_cause rows_keep(struct set_file *s, size_t index, const struct tensor_rows *rows)
{
	uint64_t n = tensor_rows_bytes(rows);

	if (n > SET_BYTES_MAX - SET_HEAD_BYTES_MAX - s->rows_bytes)
		return WLK_CAUSE_LIMIT_OUTPUT;
	if (s->rows_fd < 0)
		s->rows_fd = memory_file_new("weighlock-set-rows");
	s->held[index].rows_at = s->rows_bytes;
	if (s->rows_fd < 0 || tensor_rows_copy(rows, rows_write, s) < 0)
		return WLK_CAUSE_LIMIT_MEMORY;
	s->members[index].rows_bytes = n;
	s->held[index].speaks = tensor_rows_mappings(rows) > 0;
	return WLK_CAUSE_NONE;
}

/* ---- judged ---- */

/* Told by content, never by name. */
static bool speaks_of_others(const struct facts *f, const struct tensor_rows *rows)
{
	if (f->final.format == WLK_FORMAT_SAFETENSORS_INDEX || f->final.format == WLK_FORMAT_SHARD_INDEX)
		return true; /* however broken */
	for (size_t i = 0; i < f->n_facts; i++)
		if ((f->facts[i].id == WLK_FACT_SPLIT_COUNT && f->facts[i].value.number != 1) ||
		    f->facts[i].id == WLK_FACT_CONFIG_CODE || f->facts[i].id == WLK_FACT_CONFIG_INCLUDES)
			return true;
	return rows != NULL && tensor_rows_mappings(rows) > 0;
}

static enum set_member_state state_of(const struct facts *f)
{
	if (f->final.complete)
		return SET_MEMBER_WHOLE;
	return f->final.cause == WLK_CAUSE_INPUT_UNREADABLE ? SET_MEMBER_UNREADABLE : SET_MEMBER_PARTLY;
}

void set_file_judged(
    struct set_file *s, size_t index, const struct facts *f, enum verdict_value value, const struct tensor_rows *rows)
{
	struct set_member *m;

	s->is_set = s->is_set || speaks_of_others(f, rows);
	if (index == SIZE_MAX) {
		s->worst = value > s->worst ? value : s->worst;
		return;
	}
	m = &s->members[index];
	m->state = state_of(f);
	m->format = f->final.format;
	m->size = f->final.size;
	if (f->final.has_digest)
		memcpy(m->sha256, f->final.sha256, sizeof(m->sha256));
	s->parts[index] = (struct set_part){
		.value = value,
		.effective = value,
		.complete = f->final.complete,
		.has_size = m->state != SET_MEMBER_UNREADABLE || m->size > 0,
		.has_sha256 = f->final.has_digest,
	};
	if (!facts_keep(s, index, f))
		set_file_fail(s, WLK_CAUSE_LIMIT_OUTPUT);
	if (rows != NULL && tensor_rows_bytes(rows) > 0 && s->cause == WLK_CAUSE_NONE)
		set_file_fail(s, rows_keep(s, index, rows));
}

void set_file_excepted(struct set_file *s, size_t index, enum verdict_value effective)
{
	if (index != SIZE_MAX)
		s->parts[index].effective = effective;
}

/* ---- what it came to ---- */

bool set_file_is_set(const struct set_file *s)
{
	return s->is_set;
}

enum wlk_cause set_file_cause(const struct set_file *s)
{
	return s->cause;
}

size_t set_file_members(const struct set_file *s, const struct set_member **ret, const struct set_part **ret_parts)
{
	*ret = s->members;
	*ret_parts = s->parts;
	return s->n;
}

bool set_file_holds_all(const struct set_file *s)
{
	return !s->overfull;
}

enum verdict_value set_file_worst(const struct set_file *s)
{
	enum verdict_value worst = s->worst;

	for (size_t i = 0; i < s->n; i++)
		worst = s->parts[i].value > worst ? s->parts[i].value : worst;
	return worst;
}

enum verdict_value set_file_effective(const struct set_file *s)
{
	enum verdict_value worst = s->worst;

	for (size_t i = 0; i < s->n; i++)
		worst = s->parts[i].effective > worst ? s->parts[i].effective : worst;
	return worst;
}

bool set_file_complete(const struct set_file *s)
{
	bool complete = !s->overfull;

	for (size_t i = 0; i < s->n; i++)
		complete = complete && s->parts[i].complete;
	return complete;
}

/* ---- the document ---- */

/* Small pieces of the head on their way out. */
struct writer {
	int fd;
	uint64_t at; /* bytes written */
	size_t n;
	uint8_t *block; /* BLOCK_BYTES */
};

static bool writer_flush(struct writer *w)
{
	size_t n = w->n;

	w->n = 0;
	if (memory_file_write(w->fd, w->block, n, w->at) < 0)
		return false;
	w->at += n;
	return true;
}

static bool writer_take(void *ctx, const void *at, size_t n)
{
	struct writer *w = ctx;

	if (n > BLOCK_BYTES - w->n && !writer_flush(w))
		return false;
	if (n > BLOCK_BYTES)
		return false; /* no piece is so large */
	memcpy(w->block + w->n, at, n);
	w->n += n;
	return true;
}

/* The rows of one member.  @last: nobody needs them again; what was copied is given back, so that they are not in memory
 * twice. */
static bool copy_rows(const struct set_file *s, size_t index, struct writer *w, bool last)
{
	uint64_t at = s->held[index].rows_at, left = s->members[index].rows_bytes;

	while (left > 0) {
		size_t n = left < BLOCK_BYTES ? (size_t)left : BLOCK_BYTES;

		if (memory_file_read(s->rows_fd, w->block, n, at) < 0)
			return false;
		w->n = n;
		if (!writer_flush(w))
			return false;
		if (last)
			(void)fallocate(s->rows_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)n);
		at += n;
		left -= n;
	}
	return true;
}

static bool document_write(const struct set_file *s, struct writer *w)
{
	if (w->block == NULL || !set_document_write_head(s->members, s->n, writer_take, w) || !writer_flush(w))
		return false;
	for (size_t i = 0; i < s->n; i++) {
		if (!copy_rows(s, i, w, true))
			return false;
	}
	return memory_file_seal(w->fd) == 0;
}

/* The same without the rows of those that speak of nobody. */
static bool claims_write(const struct set_file *s, struct writer *w)
{
	struct set_member *members = malloc(s->n * sizeof(*members)); /* there is one that speaks */
	bool good = members != NULL && w->block != NULL;

	for (size_t i = 0; good && i < s->n; i++) {
		members[i] = s->members[i];
		members[i].rows_bytes = s->held[i].speaks ? members[i].rows_bytes : 0;
	}
	good = good && set_document_write_head(members, s->n, writer_take, w) && writer_flush(w);
	for (size_t i = 0; good && i < s->n; i++)
		good = !s->held[i].speaks || copy_rows(s, i, w, false);
	free(members);
	return good && memory_file_seal(w->fd) == 0;
}

uint64_t set_file_claims_bytes(const struct set_file *s, size_t n_readers)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < s->n; i++)
		bytes += s->held[i].speaks ? s->members[i].rows_bytes : 0; /* SET_BYTES_MAX at most */
	return n_readers > 0 && bytes > SET_CLAIMS_READ_MAX / n_readers ? 0 : bytes;
}

int set_file_claims(struct set_file *s, uint64_t *ret_size)
{
	struct writer w = { .fd = -1 };

	if (s->cause != WLK_CAUSE_NONE || set_file_claims_bytes(s, 0) == 0)
		return -1;
	s->claims_fd = w.fd = memory_file_new("weighlock-set-claims");
	w.block = w.fd >= 0 ? malloc(BLOCK_BYTES) : NULL;
	if (!claims_write(s, &w))
		set_file_fail(s, WLK_CAUSE_LIMIT_MEMORY);
	free(w.block);
	*ret_size = w.at;
	return s->cause == WLK_CAUSE_NONE ? s->claims_fd : -1;
}

int set_file_seal(struct set_file *s, uint64_t *ret_size)
{
	struct writer w = { .fd = -1 };

	fd_done(&s->claims_fd);
	if (s->cause != WLK_CAUSE_NONE)
		return -1;
	s->document_fd = w.fd = memory_file_new("weighlock-set");
	w.block = w.fd >= 0 ? malloc(BLOCK_BYTES) : NULL;
	if (!document_write(s, &w))
		set_file_fail(s, WLK_CAUSE_LIMIT_MEMORY);
	free(w.block);
	fd_done(&s->rows_fd);
	*ret_size = w.at;
	return s->cause == WLK_CAUSE_NONE ? s->document_fd : -1;
}
