/* The file that exceptions are kept in: read whole, written at its end, and shown. */
#include "exceptions.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "policy_impl.h"

static int fail(char *error, const char *path, int r)
{
	(void)snprintf(error, POLICY_ERROR_MAX, "%.200s: %s", path, strerror(-r));
	return r;
}

/* Everybody may read it; who may write it is up to its folder, and to whoever makes it.  Return: negative errno. */
static int open_locked(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0644);
	struct stat st;
	int r = fd < 0 || fstat(fd, &st) < 0 ? -errno : 0;

	if (r == 0 && !S_ISREG(st.st_mode))
		r = -EINVAL;
	if (r == 0 && flock(fd, LOCK_EX) < 0)
		r = -errno;
	if (r < 0 && fd >= 0)
		(void)close(fd);
	return r < 0 ? r : fd;
}

static int read_file(const char *path, char **ret, size_t *ret_n, char *error)
{
	uint8_t *buf = malloc(EXCEPTIONS_FILE_MAX + 1); /* pages that are not read into cost nothing */
	int r = policy_read_file(path, "list of exceptions", buf, EXCEPTIONS_FILE_MAX + 1, ret_n, error);

	*ret = (char *)buf;
	return r;
}

int exceptions_load(const char *path, struct exceptions **ret, char *error)
{
	char *text;
	size_t n;
	int r = read_file(path, &text, &n, error);

	if (r == 0)
		r = exceptions_parse(bytes_of(text, n), path, ret, error);
	free(text);
	return r;
}

int exceptions_read(const char *path, char **ret, size_t *ret_n, char *error)
{
	int r = read_file(path, ret, ret_n, error);

	if (r == -ENOENT) {
		*ret_n = 0;
		r = 0;
	}
	if (r < 0)
		free(*ret);
	return r;
}

/* What is there, and the line behind it, must be a list. */
static int check(const char *path, struct bytes text, const char *line, char *error)
{
	char *all = malloc(text.n + strlen(line) + 1);
	struct exceptions *e = NULL;
	int r = -ENOMEM;

	if (all == NULL)
		return fail(error, path, r);
	bytes_copy(all, text);
	memcpy(all + text.n, line, strlen(line) + 1);
	r = exceptions_parse(bytes_of(all, text.n + strlen(line)), path, &e, error);
	exceptions_free(e);
	free(all);
	return r;
}

/* Whole and lasting, or as it was before. */
static int write_line(int fd, const char *line)
{
	off_t before = lseek(fd, 0, SEEK_END);
	ssize_t n = write(fd, line, strlen(line));
	int r = n < 0 ? -errno : n != (ssize_t)strlen(line) ? -ENOSPC : fsync(fd) < 0 ? -errno : 0;

	if (r < 0 && before >= 0 && ftruncate(fd, before) < 0)
		return -EIO;
	return r;
}

static int append_locked(int fd, const char *path,
    int (*make)(void *ctx, const struct exceptions *e, char **ret, char *error), void *ctx, char *error)
{
	char *text = NULL, *line = NULL;
	struct exceptions *e = NULL;
	size_t n = 0;
	int r = exceptions_read(path, &text, &n, error), w;

	if (r == 0)
		r = exceptions_parse(bytes_of(text, n), path, &e, error);
	if (r == 0)
		r = make(ctx, e, &line, error);
	if (r == -ENOMEM)
		(void)fail(error, path, r);
	if (r == 0)
		r = check(path, bytes_of(text, n), line, error);
	if (r == 0 && (w = write_line(fd, line)) < 0)
		r = fail(error, path, w);
	exceptions_free(e);
	free(text);
	free(line);
	return r;
}

int exceptions_append(const char *path, int (*make)(void *ctx, const struct exceptions *e, char **ret, char *error),
    void *ctx, char *error)
{
	int fd = open_locked(path), r;

	if (fd < 0)
		return fail(error, path, fd);
	r = append_locked(fd, path, make, ctx, error);
	(void)close(fd);
	return r;
}

/* ---- for machines ---- */

json_t *exception_json(const struct exception *x, int64_t today)
{
	json_t *codes = json_array();

	for (size_t i = 0; i < x->n_codes; i++)
		(void)json_array_append_new(codes, json_string(x->codes[i]));
	return json_pack("{s:I, s:s, s:o, s:s*, s:s, s:s, s:s, s:s, s:I, s:s, s:b, s:b}", "seq", (json_int_t)x->seq,
	    "sha256", x->sha256, "codes", codes, "tenant", x->tenant, "reason", x->reason, "owner", x->owner, "expires",
	    x->expires, "by", x->by, "uid", (json_int_t)x->uid, "at", x->at, "revoked", x->revoked, "live",
	    exception_is_live(x, today));
}

json_t *exceptions_json(const struct exceptions *e, int64_t today)
{
	json_t *all = json_array();

	for (size_t i = 0; all != NULL && i < exceptions_count(e); i++) {
		if (json_array_append_new(all, exception_json(exceptions_at(e, i), today)) == 0)
			continue;
		json_decref(all);
		all = NULL;
	}
	return all;
}
