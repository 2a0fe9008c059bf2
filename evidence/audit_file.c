/* See audit_file.h. */
#include "audit_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HEAD_TEMPORARY AUDIT_HEAD ".new"
#define HEAD_BYTES_MAX 512u
#define NAMES_MAX 1000u /* of files whose first lines have one number */
#define NAME_BYTES 64u

struct audit_file {
	int dir, fd;
	uint64_t max, size; /* bytes: of a file at most; of this one */
	struct audit_chain chain;
	bool dirty;  /* something was appended and not settled */
	bool broken; /* a failed append could not be taken back */
};

/* ---- bytes ---- */

static int write_all(int fd, const char *at, size_t n)
{
	while (n > 0) {
		ssize_t r = write(fd, at, n);

		if (r < 0 && errno != EINTR)
			return -errno;
		at += r < 0 ? 0 : r;
		n -= r < 0 ? 0 : (size_t)r;
	}
	return 0;
}

/* All or nothing. */
static int append(struct audit_file *f, const char *at, size_t n)
{
	int r = f->broken ? -EIO : write_all(f->fd, at, n);

	if (r == 0) {
		f->size += n;
		f->dirty = true;
		return 0;
	}
	if (!f->broken && ftruncate(f->fd, (off_t)f->size) < 0)
		f->broken = true;
	return r;
}

static int append_record(struct audit_file *f, struct bytes record)
{
	char line[AUDIT_LINE_MAX];
	size_t n = audit_line(&f->chain, record, (int64_t)time(NULL), line);
	int r = append(f, line, n);

	if (r == 0)
		audit_advance(&f->chain, bytes_of(line, n));
	return r;
}

/* ---- the head ---- */

static int write_head(const struct audit_file *f)
{
	char text[HEAD_BYTES_MAX], hex[AUDIT_HEX];
	int fd = openat(f->dir, HEAD_TEMPORARY, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	int n, r;

	if (fd < 0)
		return -errno;
	audit_hex(f->chain.head, hex);
	n = snprintf(text, sizeof(text),
	    "{\"schema\":\"" AUDIT_HEAD_SCHEMA "\",\"seq\":%" PRIu64 ",\"head\":\"%s\",\"file\":\"" AUDIT_FILE "\"}\n",
	    f->chain.next - 1, hex);
	r = write_all(fd, text, (size_t)n);
	if (close(fd) < 0 && r == 0)
		r = -errno;
	if (r == 0 && renameat(f->dir, HEAD_TEMPORARY, f->dir, AUDIT_HEAD) < 0)
		r = -errno;
	return r;
}

/* Return: false when there is none, or none that can be read: it is written without waiting for the disk. */
static bool read_head(int dir, struct audit_chain *ret)
{
	char text[HEAD_BYTES_MAX];
	int fd = openat(dir, AUDIT_HEAD, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text));
	json_t *o = n > 0 ? json_loadb(text, (size_t)n, JSON_REJECT_DUPLICATES, NULL) : NULL;
	const char *hex = json_string_value(json_object_get(o, "head"));
	json_int_t seq = json_integer_value(json_object_get(o, "seq"));
	bool good = hex && strlen(hex) == AUDIT_HEX - 1 && audit_unhex(hex, ret->head) && seq >= 0;

	if (good)
		ret->next = (uint64_t)seq + 1;
	if (fd >= 0)
		close(fd);
	json_decref(o);
	return good;
}

/* ---- settling ---- */

static int sync_folder(const struct audit_file *f)
{
	int fd = openat(f->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = fd < 0 || fsync(fd) < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return r;
}

/* That the head cannot be written makes no line less safe, and the next one will be. */
int audit_file_settle(struct audit_file *f)
{
	if (!f->dirty)
		return 0;
	if (fdatasync(f->fd) < 0)
		return -errno;
	f->dirty = false;
	(void)write_head(f);
	return 0;
}

/* ---- one file after the other ---- */

static int begin_file(struct audit_file *f, const char *before)
{
	char record[256];
	int n, r;

	f->fd = openat(f->dir, AUDIT_FILE, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (f->fd < 0)
		return -errno;
	f->size = 0;
	f->broken = false;
	n = snprintf(record, sizeof(record), "{\"kind\":\"begin\",\"engine\":\"weighlock " WLK_VERSION "\"%s%s%s}",
	    before ? ",\"after\":\"" : "", before ? before : "", before ? "\"" : "");
	r = append_record(f, bytes_of(record, (size_t)n));
	if (r == 0)
		r = sync_folder(f);
	return r;
}

/* The number of the first line in it. */
static int first_number(int fd, uint64_t *ret)
{
	char line[AUDIT_LINE_MAX];
	ssize_t n = pread(fd, line, sizeof(line), 0);
	const char *end = n > 0 ? memchr(line, '\n', (size_t)n) : NULL;
	struct audit_link l;

	if (!end || !audit_read(bytes_of(line, (size_t)(end - line) + 1), &l))
		return -EUCLEAN;
	*ret = l.seq;
	return 0;
}

/* A name that no file has: where a chain was begun anew, numbers come again, and nothing may be replaced. */
static int rename_to_free(const struct audit_file *f, const char *stem, char *name, size_t n)
{
	for (unsigned i = 0; i < NAMES_MAX; i++) {
		if (i == 0)
			snprintf(name, n, "%s.jsonl", stem);
		else
			snprintf(name, n, "%s-%u.jsonl", stem, i);
		if (faccessat(f->dir, name, F_OK, 0) == 0)
			continue;
		return errno == ENOENT && renameat(f->dir, AUDIT_FILE, f->dir, name) == 0 ? 0 : -errno;
	}
	return -EEXIST;
}

/* Its lines last before it gets its name; and a new one that cannot be begun leaves things as they were. */
static int next_file(struct audit_file *f)
{
	char stem[48], name[NAME_BYTES];
	const struct audit_chain chain = f->chain;
	uint64_t first, size = f->size;
	int old = f->fd, r = audit_file_settle(f);

	if (r < 0)
		return r;
	if (first_number(old, &first) < 0)
		first = f->chain.next; /* whatever it was: a number that no other file has */
	snprintf(stem, sizeof(stem), AUDIT_OLD_FORMAT, first);
	r = rename_to_free(f, stem, name, sizeof(name));
	if (r < 0)
		return r;
	r = begin_file(f, name);
	if (r == 0) {
		close(old);
		return 0;
	}
	if (f->fd >= 0) {
		close(f->fd);
		(void)unlinkat(f->dir, AUDIT_FILE, 0);
	}
	f->fd = old;
	f->chain = chain;
	f->size = size;
	f->dirty = false;
	f->broken = renameat(f->dir, name, f->dir, AUDIT_FILE) < 0;
	return r;
}

int audit_file_append(struct audit_file *f, struct bytes record, struct audit_chain *ret)
{
	int r = f->size > 0 && f->size >= f->max ? next_file(f) : 0;

	if (r == 0)
		r = append_record(f, record);
	*ret = f->chain;
	return r;
}

/* ---- the end of an existing file ---- */

struct tail {
	char bytes[2 * AUDIT_LINE_MAX];
	size_t n, last, torn; /* the last whole line is [last, torn), and what is behind it is torn */
};

static int read_tail(const struct audit_file *f, struct tail *t)
{
	uint64_t from = f->size > sizeof(t->bytes) ? f->size - sizeof(t->bytes) : 0;
	ssize_t n = pread(f->fd, t->bytes, sizeof(t->bytes), (off_t)from);
	const char *end, *before;

	if (n < 0)
		return -errno;
	t->n = (size_t)n;
	end = memrchr(t->bytes, '\n', t->n);
	t->torn = end ? (size_t)(end - t->bytes) + 1 : 0;
	before = t->torn > 1 ? memrchr(t->bytes, '\n', t->torn - 1) : NULL;
	t->last = before ? (size_t)(before - t->bytes) + 1 : 0;
	return 0;
}

/* What a crash left gets its newline and its line.  Return: 0 or negative errno. */
static int close_torn(struct audit_file *f, const struct tail *t, char *note)
{
	char torn[AUDIT_LINE_MAX + 1], record[64];
	size_t n = t->n - t->torn;
	int r;

	memcpy(torn, t->bytes + t->torn, n);
	torn[n++] = '\n';
	r = append(f, "\n", 1);
	if (r < 0)
		return r;
	audit_advance_torn(&f->chain, bytes_of(torn, n));
	snprintf(note, AUDIT_ERROR_MAX, "the last line was torn: its %zu bytes stay, and the chain goes on", n - 1);
	snprintf(record, sizeof(record), "{\"kind\":\"torn\",\"bytes\":%zu}", n);
	return append_record(f, bytes_of(record, strlen(record)));
}

/* The chain as the file's end has it.  Return: 0; -EUCLEAN: there is no such end. */
static int find_end(struct audit_file *f, struct tail *t)
{
	struct bytes line;
	struct audit_link l;
	int r = read_tail(f, t);

	if (r < 0)
		return r;
	line = bytes_of(t->bytes + t->last, t->torn - t->last);
	if (t->n - t->torn > AUDIT_LINE_MAX - 1 || !audit_read(line, &l))
		return -EUCLEAN;
	f->chain.next = l.seq;
	audit_advance(&f->chain, line);
	return 0;
}

static bool fits(const struct audit_chain *end, const struct audit_chain *head)
{
	return head->next < end->next ||
	       (head->next == end->next && memcmp(head->head, end->head, sizeof(head->head)) == 0);
}

/* Has the file lost its end since the head was written? */
static void compare_with_head(struct audit_file *f, bool damaged, char *note)
{
	struct audit_chain head;

	if (!read_head(f->dir, &head) || (!damaged && fits(&f->chain, &head)))
		return;
	if (!damaged)
		snprintf(note, AUDIT_ERROR_MAX,
		    "ALARM: the audit log ends with line %" PRIu64 ", and line %" PRIu64 " was its head", f->chain.next,
		    head.next);
	f->chain = head;
}

/* It is no audit log, at its end at least: it stays, under a name of its own, and the next file says where it is. */
static int move_aside(struct audit_file *f, char *note)
{
	char stem[48], name[NAME_BYTES];
	int r;

	snprintf(stem, sizeof(stem), "audit-damaged-%" PRIu64, (uint64_t)time(NULL));
	r = rename_to_free(f, stem, name, sizeof(name));
	if (r < 0)
		return r;
	snprintf(note, AUDIT_ERROR_MAX, "ALARM: the audit log's end cannot be read; it is now %s", name);
	close(f->fd);
	f->fd = -1;
	compare_with_head(f, true, note);
	return begin_file(f, name);
}

static int go_on(struct audit_file *f, char *note)
{
	static const char started[] = "{\"kind\":\"start\",\"engine\":\"weighlock " WLK_VERSION "\"}";
	struct tail *t = malloc(sizeof(*t));
	int r = t ? find_end(f, t) : -ENOMEM;

	if (r == -EUCLEAN) {
		r = move_aside(f, note);
	} else if (r == 0) {
		bool torn = t->n > t->torn;

		if (torn)
			r = close_torn(f, t, note);
		if (r == 0)
			compare_with_head(f, false, note);
		if (r == 0)
			r = append_record(f, bytes_of(started, sizeof(started) - 1));
	}
	free(t);
	return r;
}

/* ---- opening ---- */

static int open_file(struct audit_file *f, char *note)
{
	struct stat st;

	f->fd = openat(f->dir, AUDIT_FILE, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
	if (f->fd < 0 && errno != ENOENT)
		return -errno;
	if (f->fd < 0) {
		compare_with_head(f, false, note); /* is there one, without a file? */
		return begin_file(f, NULL);
	}
	if (fstat(f->fd, &st) < 0)
		return -errno;
	f->size = (uint64_t)st.st_size;
	return go_on(f, note);
}

int audit_file_open(int dir, uint64_t max, struct audit_file **ret, char *note)
{
	struct audit_file *f = malloc(sizeof(*f));
	int r;

	note[0] = '\0';
	if (!f)
		return -ENOMEM;
	*f = (struct audit_file){ .dir = dir, .fd = -1, .max = max };
	r = open_file(f, note);
	if (r == 0)
		r = audit_file_settle(f);
	if (r == 0) {
		*ret = f;
		return 0;
	}
	audit_file_close(f);
	return r;
}

void audit_file_close(struct audit_file *f)
{
	if (!f)
		return;
	if (f->fd >= 0)
		close(f->fd);
	free(f);
}
