/* What the spool does on threads: making files, writing, and the digest. */
#include "spool_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define COPY_BYTES ((size_t)32 << 10) /* on a thread's stack */

static int write_all(int fd, const uint8_t *at, size_t n, uint64_t offset)
{
	while (n > 0) {
		ssize_t done = pwrite(fd, at, n, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		at += done;
		n -= (size_t)done;
		offset += (uint64_t)done;
	}
	return 0;
}

/* What lies in memory, to the hash, and to a file where there is one.  By hand: sendfile(2) is not among the calls the front
 * is allowed. */
static int copy_all(int from, int to, uint64_t length, struct sha256 *hash)
{
	uint8_t buf[COPY_BYTES];
	uint64_t at = 0;
	int r = 0;

	while (at < length && r == 0) {
		ssize_t n = pread(from, buf, sizeof(buf), (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		sha256_feed(hash, buf, (size_t)n);
		if (to >= 0)
			r = write_all(to, buf, (size_t)n, at);
		at += (uint64_t)n;
	}
	return r;
}

/* The space is claimed before the client is told to go on: a full disk is found out in time. */
static int allocate(int fd, uint64_t length)
{
	if (length == 0 || fallocate(fd, 0, 0, (off_t)length) == 0)
		return 0;
	return errno == EOPNOTSUPP ? 0 : -errno;
}

static int own_fds = -1;

void spool_own_fds(int fd)
{
	own_fds = fd;
}

/* What the worker gets cannot even in principle write. */
int spool_reopen(int fd)
{
	char path[32];
	int again;

	snprintf(path, sizeof(path), "%s%d", own_fds < 0 ? "/proc/self/fd/" : "", fd);
	again = openat(own_fds, path, O_RDONLY | O_CLOEXEC);
	return again < 0 ? -errno : again;
}

static int open_both(struct spool_task *t)
{
	t->new_fd = openat(t->dir_fd, ".", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	if (t->new_fd < 0)
		return -errno;
	t->read_fd = spool_reopen(t->new_fd);
	if (t->read_fd < 0)
		return t->read_fd;
	return t->from_fd < 0 ? allocate(t->new_fd, t->length) : copy_all(t->from_fd, t->new_fd, t->length, t->hash);
}

static int open_run(struct spool_task *t)
{
	int r;

	t->new_fd = t->read_fd = -1;
	r = open_both(t);
	if (r < 0 && t->new_fd >= 0)
		close(t->new_fd);
	if (r < 0 && t->read_fd >= 0)
		close(t->read_fd);
	return r;
}

/* The hash first: its way through the bytes is the slow one, and finds them for the other. */
static int write_run(struct spool_task *t)
{
	sha256_feed(t->hash, t->buffer->bytes, t->n);
	return write_all(t->fd, t->buffer->bytes, t->n, t->offset);
}

static int end_run(struct spool_task *t)
{
	int r = copy_all(t->from_fd, -1, t->length, t->hash);

	sha256_end(t->hash, t->sha256);
	return r;
}

void spool_task_run(struct task *task)
{
	struct spool_task *t = (struct spool_task *)task;

	switch (t->op) {
	case OP_END: t->error = end_run(t); break;
	case OP_OPEN: t->error = open_run(t); break;
	case OP_WRITE: t->error = write_run(t); break;
	}
}
