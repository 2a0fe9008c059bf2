/* See audit_texts.h. */
#include "audit_texts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "audit_file.h"

#define DAY_S 86400
#define DAYS_AT_ONCE 36600 /* more have not passed, whatever a clock says */

struct audit_texts {
	int dir, fd; /* fd: of the day's file; -1: not opened yet */
	int64_t day; /* since 1970 */
	unsigned days;
	uint64_t size;
	bool dirty;
};

/* ---- one text ---- */

static bool is_printable(struct bytes b)
{
	for (size_t i = 0; i < b.n; i++) {
		if (b.at[i] < 0x20 || b.at[i] > 0x7E)
			return false;
	}
	return true;
}

bool audit_text_is_sound(struct bytes text)
{
	static const char first[] = "{\"salt\":\"";
	json_t *o;

	if (text.n < sizeof(first) || text.n > AUDIT_RECORD_MAX || memcmp(text.at, first, sizeof(first) - 1) != 0 ||
	    !is_printable(text))
		return false;
	o = json_loadb((const char *)text.at, text.n, JSON_REJECT_DUPLICATES, NULL);
	json_decref(o);
	return o != NULL;
}

void audit_text_hash(struct bytes text, uint8_t hash[32])
{
	SHA256(text.at, text.n, hash);
}

enum audit_text_state audit_text_read(struct bytes line, uint64_t *seq, struct bytes *ret)
{
	char head[64];
	json_t *o = NULL;
	const json_t *number;
	size_t n;

	if (line.n >= 2 && line.n < AUDIT_LINE_MAX && line.at[line.n - 1] == '\n')
		o = json_loadb((const char *)line.at, line.n, JSON_REJECT_DUPLICATES, NULL);
	number = json_object_get(o, "seq");
	*seq = json_is_integer(number) ? (uint64_t)json_integer_value(number) : UINT64_MAX;
	n = json_object_size(o);
	json_decref(o);
	if (*seq > AUDIT_SEQ_MAX)
		return AUDIT_TEXT_NONE;
	if (n == 1)
		return AUDIT_TEXT_ERASED;
	/* Its bytes, as they were hashed: no other way to write the same is one. */
	n = (size_t)snprintf(head, sizeof(head), "{\"seq\":%" PRIu64 ",\"text\":", *seq);
	if (line.n < n + 2 || memcmp(line.at, head, n) != 0 || line.at[line.n - 2] != '}')
		return AUDIT_TEXT_NONE;
	*ret = bytes_of(line.at + n, line.n - n - 2);
	return audit_text_is_sound(*ret) ? AUDIT_TEXT_THERE : AUDIT_TEXT_NONE;
}

void audit_text_blank(char *line, size_t n, uint64_t seq)
{
	char head[64];
	size_t head_n = (size_t)snprintf(head, sizeof(head), "{\"seq\":%" PRIu64, seq);

	memset(line, ' ', n);
	memcpy(line, head, head_n);
	line[n - 2] = '}';
	line[n - 1] = '\n';
}

/* ---- files, one a day ---- */

static bool day_name(int64_t day, char name[AUDIT_TEXTS_NAME_BYTES])
{
	time_t seconds = (time_t)(day * DAY_S);
	struct tm tm;

	return gmtime_r(&seconds, &tm) != NULL &&
	       strftime(name, AUDIT_TEXTS_NAME_BYTES, AUDIT_TEXTS_PREFIX "%Y-%m-%d.jsonl", &tm) > 0;
}

/* Return: false: no name that we give. */
static bool day_of_name(const char *name, int64_t *ret)
{
	char again[AUDIT_TEXTS_NAME_BYTES];
	struct tm tm = { 0 };

	if (strptime(name, AUDIT_TEXTS_PREFIX "%Y-%m-%d.jsonl", &tm) == NULL)
		return false;
	*ret = (int64_t)timegm(&tm) / DAY_S;
	return day_name(*ret, again) && strcmp(again, name) == 0;
}

/* Where the last line of @tail begins, which ends with a newline. */
static size_t last_line(const char *tail, size_t n)
{
	const char *before = n > 1 ? memrchr(tail, '\n', n - 1) : NULL;

	return before != NULL ? (size_t)(before - tail) + 1 : 0;
}

/* How many bytes at the end go: what a crash tore, or else a text of line @from or one behind it. */
static size_t to_cut(const char *tail, size_t n, uint64_t from)
{
	size_t at = last_line(tail, n);
	const char *whole = memrchr(tail, '\n', n);
	struct bytes text;
	uint64_t seq;

	if (tail[n - 1] != '\n')
		return n - (whole != NULL ? (size_t)(whole - tail) + 1 : 0);
	if (audit_text_read(bytes_of(tail + at, n - at), &seq, &text) == AUDIT_TEXT_NONE || seq < from)
		return 0;
	return n - at;
}

/* Where power is lost the log may lose lines whose texts are there: those lines' numbers are given again, to others.
 * Return: 0 or negative errno. */
static int cut_tail(int fd, uint64_t from, uint64_t *ret_size)
{
	char tail[2 * AUDIT_LINE_MAX];
	off_t end = lseek(fd, 0, SEEK_END);

	while (end > 0) {
		off_t at = end > (off_t)sizeof(tail) ? end - (off_t)sizeof(tail) : 0;
		ssize_t n = pread(fd, tail, (size_t)(end - at), at);
		size_t cut = n > 0 ? to_cut(tail, (size_t)n, from) : 0;

		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		if (cut == 0)
			break;
		end -= (off_t)cut;
		if (ftruncate(fd, end) < 0)
			return -errno;
	}
	*ret_size = end > 0 ? (uint64_t)end : 0;
	return end < 0 ? -errno : 0;
}

static void tidy_file(const struct audit_texts *t, const char *name, int64_t day, uint64_t from)
{
	uint64_t size;
	int fd;

	if (day <= t->day - (int64_t)t->days) {
		(void)unlinkat(t->dir, name, 0);
		return;
	}
	fd = openat(t->dir, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0) {
		(void)cut_tail(fd, from, &size);
		close(fd);
	}
}

static int tidy(const struct audit_texts *t, uint64_t from)
{
	int fd = openat(t->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	int64_t day;

	if (d == NULL) {
		int r = -errno;

		if (fd >= 0)
			close(fd);
		return r;
	}
	while ((e = readdir(d)) != NULL) {
		if (day_of_name(e->d_name, &day))
			tidy_file(t, e->d_name, day, from);
	}
	closedir(d);
	return 0;
}

int audit_texts_open(int dir, unsigned days, uint64_t from, int64_t now, struct audit_texts **ret)
{
	struct audit_texts *t = malloc(sizeof(*t));
	int r;

	if (t == NULL)
		return -ENOMEM;
	*t = (struct audit_texts){ .dir = dir, .fd = -1, .day = now / DAY_S, .days = days };
	r = tidy(t, from);
	if (r == 0)
		*ret = t;
	else
		free(t);
	return r;
}

static int open_day(struct audit_texts *t)
{
	char name[AUDIT_TEXTS_NAME_BYTES];
	int r;

	if (!day_name(t->day, name))
		return -ERANGE;
	t->fd = openat(t->dir, name, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	r = t->fd < 0 ? -errno : cut_tail(t->fd, UINT64_MAX, &t->size);
	if (r < 0 && t->fd >= 0) {
		close(t->fd);
		t->fd = -1;
	}
	return r;
}

/* A folder cannot be read in the jail: what is too old is known by the days that have passed.  A clock that goes back changes
 * the file that is written, and takes none away. */
static int turn_page(struct audit_texts *t, int64_t today)
{
	char name[AUDIT_TEXTS_NAME_BYTES];
	int r = audit_texts_settle(t);

	if (r < 0)
		return r;
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
	for (int64_t day = t->day, n = 0; day < today && n < DAYS_AT_ONCE; day++, n++) {
		if (day_name(day - (int64_t)t->days + 1, name))
			(void)unlinkat(t->dir, name, 0);
	}
	t->day = today;
	return 0;
}

static int write_line(struct audit_texts *t, const char *line, size_t n)
{
	ssize_t written = write(t->fd, line, n);
	int r = written < 0 ? -errno : (size_t)written < n ? -ENOSPC : 0;

	if (r == 0) {
		t->size += n;
		t->dirty = true;
	} else if (written > 0 && ftruncate(t->fd, (off_t)t->size) < 0) {
		close(t->fd); /* the next one cuts it */
		t->fd = -1;
	}
	return r;
}

int audit_texts_tend(struct audit_texts *t, int64_t now)
{
	return now / DAY_S != t->day ? turn_page(t, now / DAY_S) : 0;
}

int audit_texts_append(struct audit_texts *t, uint64_t seq, struct bytes text)
{
	char line[AUDIT_LINE_MAX];
	int n = snprintf(
	    line, sizeof(line), "{\"seq\":%" PRIu64 ",\"text\":%.*s}\n", seq, (int)text.n, (const char *)text.at);
	int r = t->fd < 0 ? open_day(t) : 0;

	return r == 0 ? write_line(t, line, (size_t)n) : r;
}

int audit_texts_settle(struct audit_texts *t)
{
	if (!t->dirty)
		return 0;
	if (t->fd >= 0 && fdatasync(t->fd) < 0)
		return -errno;
	t->dirty = false;
	return 0;
}

void audit_texts_close(struct audit_texts *t)
{
	if (t == NULL)
		return;
	(void)audit_texts_settle(t);
	if (t->fd >= 0)
		close(t->fd);
	free(t);
}
