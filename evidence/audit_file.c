/* See audit_file.h. */
#include "audit_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "audit_head.h"
#include "audit_names.h"
#include "audit_search.h"

struct audit_file {
	int dir, fd;
	uint64_t max, size; /* bytes: of a file at most; of this one */
	int head_fd;        /* of AUDIT_HEAD; -1: not yet */
	struct audit_chain chain;
	const char *alarm; /* what the next line of kind begin or start has to say, or NULL */
	bool dirty;        /* something was appended and not settled */
	bool broken;       /* a failed append could not be taken back */
	bool wrote;        /* something, and the first of it is line `own` */
	uint64_t own;
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
		if (!f->wrote)
			f->own = f->chain.next;
		f->wrote = true;
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
	size_t n;
	int r;

	if (f->chain.next > AUDIT_SEQ_MAX) /* by nobody who counted: a line that could not be read again */
		return -EOVERFLOW;
	n = audit_line(&f->chain, record, (int64_t)time(NULL), line);
	r = append(f, line, n);
	if (r == 0)
		audit_advance(&f->chain, bytes_of(line, n));
	return r;
}

/* A line that says how the log came to go on here. */
static int append_beginning(struct audit_file *f, const char *kind, const char *before)
{
	char record[256];
	int n, r;

	n = snprintf(record, sizeof(record), "{\"kind\":\"%s\",\"engine\":\"weighlock " WLK_VERSION "\"%s%s%s%s%s%s}",
	    kind, before ? ",\"after\":\"" : "", before ? before : "", before ? "\"" : "",
	    f->alarm ? ",\"alarm\":\"" : "", f->alarm ? f->alarm : "", f->alarm ? "\"" : "");
	r = append_record(f, bytes_of(record, (size_t)n));
	if (r == 0)
		f->alarm = NULL;
	return r;
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

/* Has nobody else cut it, written to it, or deleted it?  Lines in a file that is gone would be promised and not last. */
static int look_whether_ours(const struct audit_file *f)
{
	struct stat st;

	if (fstat(f->fd, &st) < 0)
		return -errno;
	if (st.st_nlink == 0 || (uint64_t)st.st_size != f->size)
		return -ESTALE;
	if (f->head_fd < 0)
		return 0;
	if (fstat(f->head_fd, &st) < 0)
		return -errno;
	return st.st_nlink > 0 && st.st_size == AUDIT_HEAD_BYTES ? 0 : -ESTALE;
}

/* In place once there is one of ours. */
static int write_head(struct audit_file *f)
{
	int r;

	if (f->head_fd >= 0)
		return audit_head_write(f->head_fd, &f->chain);
	r = audit_head_create(f->dir, &f->chain);
	f->head_fd = r < 0 ? -1 : r;
	return r < 0 ? r : 0;
}

/* The line first, and then the head: one on the disk is never that of a line which is not.  That it cannot be written makes
 * no line less safe, and the next one will be. */
int audit_file_settle(struct audit_file *f)
{
	int r;

	if (!f->dirty)
		return 0;
	r = look_whether_ours(f);
	if (r == 0 && fdatasync(f->fd) < 0)
		r = -errno;
	if (r < 0)
		return r;
	f->dirty = false;
	(void)write_head(f);
	return 0;
}

/* ---- one file after the other ---- */

static int begin_file(struct audit_file *f, const char *before)
{
	int r;

	f->fd = openat(f->dir, AUDIT_FILE, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (f->fd < 0)
		return -errno;
	f->size = 0;
	f->broken = false;
	r = append_beginning(f, "begin", before);
	if (r == 0)
		r = sync_folder(f);
	return r;
}

/* The first line in it.  Return: whether it is one that begins a file. */
static bool read_first(int fd, struct audit_link *ret)
{
	char line[AUDIT_LINE_MAX];
	ssize_t n = pread(fd, line, sizeof(line), 0);
	const char *end = n > 0 ? memchr(line, '\n', (size_t)n) : NULL;

	return end != NULL && audit_read(bytes_of(line, (size_t)(end - line) + 1), ret) && ret->begins;
}

static void damaged_name(uint64_t now, unsigned which, char *name)
{
	int n = snprintf(name, AUDIT_NAME_BYTES, "audit-damaged-%" PRIu64, now);

	if (which > 0)
		n += snprintf(name + n, AUDIT_NAME_BYTES - (size_t)n, "-%u", which);
	(void)snprintf(name + n, AUDIT_NAME_BYTES - (size_t)n, ".jsonl");
}

/* A name that no file has: where a chain was begun anew, numbers come again, and nothing may be replaced. */
static int rename_to_free(
    const struct audit_file *f, void (*make)(uint64_t number, unsigned which, char *name), uint64_t number, char *name)
{
	for (unsigned i = 0; i < AUDIT_NAMES_MAX; i++) {
		make(number, i, name);
		if (faccessat(f->dir, name, F_OK, 0) == 0)
			continue;
		return errno == ENOENT && renameat(f->dir, AUDIT_FILE, f->dir, name) == 0 ? 0 : -errno;
	}
	return -EEXIST;
}

/* The new one could not be begun: things are as they were.  @name: what the old one is called now, or "". */
static void back_to(struct audit_file *f, const struct audit_file *old, const char *name)
{
	if (f->fd >= 0) {
		close(f->fd);
		(void)unlinkat(f->dir, AUDIT_FILE, 0);
	}
	*f = *old;
	if (name[0])
		f->broken = renameat(f->dir, name, f->dir, AUDIT_FILE) < 0;
}

/* A head that lags behind the log is one of the file that is being written, or of the last line before it: where a crash
 * has been is looked for there. */
static int settle_for_good(struct audit_file *f)
{
	int r = audit_file_settle(f);

	if (r == 0)
		r = write_head(f);
	return r == 0 && fdatasync(f->head_fd) < 0 ? -errno : r;
}

/* Its lines last before it gets its name.  One that somebody has moved away has a name already. */
static int next_file(struct audit_file *f)
{
	char name[AUDIT_NAME_BYTES];
	int r = settle_for_good(f);
	const struct audit_file old = *f;
	struct audit_link first;

	if (r < 0)
		return r;
	if (!read_first(old.fd, &first))
		first.seq = f->chain.next; /* whatever it was: a number that no other file has */
	r = rename_to_free(f, audit_old_name, first.seq, name);
	if (r == -ENOENT)
		name[0] = '\0';
	else if (r < 0)
		return r;
	r = begin_file(f, name[0] ? name : NULL);
	if (r < 0)
		back_to(f, &old, name);
	else
		close(old.fd);
	return r;
}

uint64_t audit_file_own(const struct audit_file *f)
{
	return f->own;
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

static void split_tail(struct tail *t)
{
	const char *end, *before;

	end = memrchr(t->bytes, '\n', t->n);
	t->torn = end ? (size_t)(end - t->bytes) + 1 : 0;
	before = t->torn > 1 ? memrchr(t->bytes, '\n', t->torn - 1) : NULL;
	t->last = before ? (size_t)(before - t->bytes) + 1 : 0;
}

static int read_tail(int fd, struct tail *t)
{
	struct stat st;
	off_t from;
	ssize_t n;

	if (fstat(fd, &st) < 0)
		return -errno;
	from = st.st_size > (off_t)sizeof(t->bytes) ? st.st_size - (off_t)sizeof(t->bytes) : 0;
	n = pread(fd, t->bytes, sizeof(t->bytes), from);
	if (n < 0)
		return -errno;
	t->n = (size_t)n;
	split_tail(t);
	return 0;
}

/* What a crash left gets its newline and its line, both in one piece: between them nothing may happen, or the newline would
 * end a line that is none and that nobody has called torn.  Return: 0 or negative errno. */
static int close_torn(struct audit_file *f, const struct tail *t, char *note)
{
	char torn[AUDIT_LINE_MAX + 1], record[64], piece[1 + AUDIT_LINE_MAX] = "\n";
	size_t n = t->n - t->torn, line_n;
	struct audit_chain chain = f->chain;
	int r;

	memcpy(torn, t->bytes + t->torn, n);
	torn[n++] = '\n';
	audit_advance_torn(&chain, bytes_of(torn, n));
	if (!note[0])
		snprintf(
		    note, AUDIT_ERROR_MAX, "the last line was torn: its %zu bytes stay, and the chain goes on", n - 1);
	snprintf(record, sizeof(record), "{\"kind\":\"torn\",\"bytes\":%zu}", n);
	line_n = audit_line(&chain, bytes_of(record, strlen(record)), (int64_t)time(NULL), piece + 1);
	r = append(f, piece, 1 + line_n);
	if (r < 0)
		return r;
	f->chain = chain;
	audit_advance(&f->chain, bytes_of(piece + 1, line_n));
	return 0;
}

/* The chain as a file's end has it.  Return: 0; -EUCLEAN: there is no such end. */
static int find_end(int fd, struct tail *t, struct audit_chain *ret)
{
	struct bytes line;
	struct audit_link l;
	int r = read_tail(fd, t);

	if (r < 0)
		return r;
	line = bytes_of(t->bytes + t->last, t->torn - t->last);
	if (t->n - t->torn > AUDIT_LINE_MAX - 1 || !audit_read(line, &l))
		return -EUCLEAN;
	ret->next = l.seq;
	audit_advance(ret, line);
	return 0;
}

/* A line of which only the newline is missing is a line: called torn, it would be one whose number comes twice.
 * Return: 0 or negative errno. */
static int complete(struct audit_file *f, struct tail *t)
{
	struct audit_link l;
	int r;

	if (t->n == t->torn || t->n == sizeof(t->bytes))
		return 0;
	t->bytes[t->n] = '\n';
	if (!audit_read(bytes_of(t->bytes + t->torn, t->n + 1 - t->torn), &l))
		return 0;
	r = append(f, "\n", 1);
	return r < 0 ? r : find_end(f->fd, t, &f->chain);
}

static bool fits(const struct audit_chain *end, const struct audit_chain *head)
{
	return head->next == end->next && memcmp(head->head, end->head, sizeof(head->head)) == 0;
}

static void raise_alarm(struct audit_file *f, const char *alarm, char *note, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The first that is found is told; it is told in the log, too, for there it stays. */
static void raise_alarm(struct audit_file *f, const char *alarm, char *note, const char *format, ...)
{
	va_list ap;

	if (f->alarm)
		return;
	f->alarm = alarm;
	va_start(ap, format);
	(void)vsnprintf(note, AUDIT_ERROR_MAX, format, ap);
	va_end(ap);
}

/* A head that the log goes beyond must be that of one of its lines. */
static void look_for_head(struct audit_file *f, const char *name, const struct audit_chain *head, char *note)
{
	int found = audit_find_head(f->dir, name, head);

	if (found <= 0)
		raise_alarm(f, "head-disagrees", note,
		    "ALARM: line %" PRIu64 " of the audit log was its head, and is not the line that it was",
		    head->next);
}

/* Has the log lost its end since the head was written, or the head been taken away?  @name: of the file that has the end. */
static void compare_with_head(struct audit_file *f, const char *name, char *note)
{
	const bool damaged = f->alarm != NULL;
	struct audit_chain head;
	enum audit_head_state state = audit_head_read(f->dir, AUDIT_HEAD, &head);

	if (state == AUDIT_HEAD_NONE) {
		raise_alarm(f, "head-missing", note,
		    "ALARM: there is an audit log and no " AUDIT_HEAD ": whether its end is missing cannot be known");
	} else if (state == AUDIT_HEAD_BAD) {
		raise_alarm(f, "head-unreadable", note,
		    "ALARM: " AUDIT_HEAD " cannot be read: whether the audit log's end is missing cannot be known");
	} else if (head.next > f->chain.next || (head.next == f->chain.next && !fits(&f->chain, &head))) {
		raise_alarm(f, "end-missing", note,
		    "ALARM: the audit log ends with line %" PRIu64 ", and line %" PRIu64 " was its head", f->chain.next,
		    head.next);
		f->chain = head;
	} else if (!damaged && head.next < f->chain.next) {
		look_for_head(f, name, &head, note);
	}
}

/* There is no file that is being written: the chain stands where the one before it ends, if there is one.
 * @before: AUDIT_NAME_BYTES bytes: its name, or "".  Return: 0 or negative errno. */
static int find_newest_end(struct audit_file *f, char *before)
{
	struct tail *t = malloc(sizeof(*t));
	int fd, r = t ? audit_newest_name(f->dir, before) : -ENOMEM;

	f->chain = (struct audit_chain){ 0 };
	if (r == 0 && before[0]) {
		fd = openat(f->dir, before, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
		r = fd < 0 ? -errno : find_end(fd, t, &f->chain);
		if (fd >= 0)
			close(fd);
	}
	free(t);
	return r == -EUCLEAN ? 0 : r; /* then the head is all there is */
}

/* It is no audit log, at its ends at least: it stays, under a name of its own, and the next file says where it is. */
static int move_aside(struct audit_file *f, char *note)
{
	char name[AUDIT_NAME_BYTES], before[AUDIT_NAME_BYTES];
	int r = find_newest_end(f, before);

	if (r == 0)
		r = rename_to_free(f, damaged_name, (uint64_t)time(NULL), name);
	if (r < 0)
		return r;
	raise_alarm(f, "damaged", note, "ALARM: the audit log's beginning or end cannot be read; it is now %s", name);
	close(f->fd);
	f->fd = -1;
	compare_with_head(f, name, note);
	return begin_file(f, name);
}

static int go_on_behind(struct audit_file *f, struct tail *t, char *note)
{
	int r = complete(f, t);

	if (r < 0)
		return r;
	compare_with_head(f, AUDIT_FILE, note);
	if (t->n > t->torn)
		r = close_torn(f, t, note);
	return r < 0 ? r : append_beginning(f, "start", NULL);
}

static int go_on(struct audit_file *f, char *note)
{
	struct tail *t = malloc(sizeof(*t));
	struct audit_link first;
	int r = t ? find_end(f->fd, t, &f->chain) : -ENOMEM;

	if (r == 0 && (!read_first(f->fd, &first) || first.seq >= f->chain.next))
		r = -EUCLEAN; /* somebody has taken its beginning away */
	if (r == -EUCLEAN)
		r = move_aside(f, note);
	else if (r == 0)
		r = go_on_behind(f, t, note);
	free(t);
	return r;
}

/* No log has been here.  The head is there before it, so that from now on there is no log without one. */
static int begin_first(struct audit_file *f)
{
	int r = write_head(f);

	return r < 0 ? r : begin_file(f, NULL);
}

/* The first file of all, or the next one, before which a crash came.  @empty: there was one without a byte in it. */
static int begin_next(struct audit_file *f, bool empty, char *note)
{
	char before[AUDIT_NAME_BYTES];
	struct audit_chain head;
	int r = find_newest_end(f, before);

	if (r < 0)
		return r;
	if (!empty && !before[0] && audit_head_read(f->dir, AUDIT_HEAD, &head) == AUDIT_HEAD_NONE)
		return begin_first(f);
	compare_with_head(f, before, note);
	return begin_file(f, before[0] ? before : NULL);
}

/* A crash came between the making of a file and its first line. */
static int begin_empty(struct audit_file *f, char *note)
{
	close(f->fd);
	f->fd = -1;
	return unlinkat(f->dir, AUDIT_FILE, 0) < 0 ? -errno : begin_next(f, true, note);
}

/* ---- opening ---- */

static int open_file(struct audit_file *f, char *note)
{
	struct stat st;

	f->fd = openat(f->dir, AUDIT_FILE, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (f->fd < 0)
		return errno == ENOENT ? begin_next(f, false, note) : -errno;
	if (fstat(f->fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	f->size = (uint64_t)st.st_size;
	return st.st_size == 0 ? begin_empty(f, note) : go_on(f, note);
}

int audit_file_open(int dir, uint64_t max, struct audit_file **ret, char *note)
{
	struct audit_file *f = malloc(sizeof(*f));
	int r;

	note[0] = '\0';
	if (f == NULL)
		return -ENOMEM;
	*f = (struct audit_file){ .dir = dir, .fd = -1, .head_fd = -1, .max = max };
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
	if (f == NULL)
		return;
	if (f->fd >= 0)
		close(f->fd);
	if (f->head_fd >= 0)
		close(f->head_fd);
	free(f);
}
