/* See spool.h.  The worker reads by offset and, in part, twice; a pipe can do neither. */
#include "spool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "interrupt.h"
#include "memory_file.h"
#include "sha256.h"

#define SPOOL_BLOCK ((size_t)256 << 10)

/* In place only if nothing was read from it yet: what is judged must be what a reader of the file gets. */
static bool stdin_usable(struct stat *ret)
{
	int flags = fcntl(STDIN_FILENO, F_GETFL);

	return flags >= 0 && (flags & O_ACCMODE) == O_RDONLY && fstat(STDIN_FILENO, ret) == 0 &&
	       S_ISREG(ret->st_mode) && lseek(STDIN_FILENO, 0, SEEK_CUR) == 0;
}

static int stdin_in_place(const struct stat *st, struct input *ret)
{
	int fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);

	if (fd < 0)
		return -errno;
	ret->fd = fd;
	ret->size = (uint64_t)st->st_size;
	ret->source = VERDICT_FILE;
	return 0;
}

/* The next bytes of standard input, unless a signal comes first.  Return: bytes, 0 at the end, negative
 * errno. */
static ssize_t stdin_read(uint8_t *buf)
{
	for (;;) {
		struct pollfd fds[] = { { .fd = STDIN_FILENO, .events = POLLIN },
			{ .fd = interrupt_fd(), .events = POLLIN } };
		ssize_t n;

		if (interrupt_signal() != 0)
			return -EINTR;
		if (poll(fds, 2, -1) < 0 && errno != EINTR)
			return -errno;
		if (fds[0].revents == 0)
			continue;
		n = read(STDIN_FILENO, buf, SPOOL_BLOCK);
		if (n >= 0)
			return n;
		if (errno != EINTR && errno != EAGAIN)
			return -errno;
	}
}

static int write_all(int fd, const uint8_t *at, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, at, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		at += done;
		n -= (size_t)done;
	}
	return 0;
}

/* An unlinked file only we can open, in the folder the user set aside for such things. */
static int file_unnamed(void)
{
	const char *folder = getenv("TMPDIR");
	int fd = open(
	    folder != NULL && folder[0] == '/' ? folder : "/var/tmp", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);

	return fd < 0 ? -errno : fd;
}

static int copy_to_file(int memory, uint64_t n, int file)
{
	off_t at = 0;

	while ((uint64_t)at < n) {
		_cleanup_(freep) uint8_t *buf = malloc(SPOOL_BLOCK);
		ssize_t got = buf != NULL ? pread(memory, buf, SPOOL_BLOCK, at) : -1;
		int r = got > 0 ? write_all(file, buf, (size_t)got) : -EIO;

		if (r < 0)
			return r;
		at += got;
	}
	return 0;
}

/* From memory to disk: the rest of the input goes there.  Return: 0 or negative errno. */
static int spill(int *fd, uint64_t n)
{
	_cleanup_(closep) int file = file_unnamed();
	int r = file < 0 ? file : copy_to_file(*fd, n, file);

	if (r < 0)
		return r;
	(void)close(*fd);
	*fd = steal_fd(&file);
	return 0;
}

/* To the hash and to the file. */
static int take(struct sha256 *hash, int fd, const uint8_t *at, size_t n)
{
	sha256_feed(hash, at, n);
	return write_all(fd, at, n);
}

/* Copy everything.  Return: 0 or negative errno. */
static int fill(struct sha256 *hash, int *fd, uint64_t *ret_n, bool *ret_spilled)
{
	_cleanup_(freep) uint8_t *buf = malloc(SPOOL_BLOCK);
	uint64_t n = 0;

	if (buf == NULL)
		return -ENOMEM;
	for (;;) {
		ssize_t got = stdin_read(buf);
		int r = got > 0 ? take(hash, *fd, buf, (size_t)got) : (int)got;

		if (got <= 0 || r < 0) {
			*ret_n = n;
			return r;
		}
		n += (uint64_t)got;
		if (n > SPOOL_MEMORY_MAX && !*ret_spilled) {
			r = spill(fd, n);
			if (r < 0)
				return r;
			*ret_spilled = true;
		}
	}
}

/* Copy everything, and take its digest.  Return: 0 or negative errno. */
static int fill_and_hash(int *fd, struct input *ret, bool *ret_spilled)
{
	struct sha256 hash;
	int r;

	sha256_begin(&hash);
	r = fill(&hash, fd, &ret->size, ret_spilled);
	sha256_end(&hash, ret->sha256);
	ret->has_sha256 = r == 0;
	return r;
}

/* The same file, so that nobody holds a descriptor that can write it any more. */
static int reopen_read_only(int fd)
{
	char path[32];
	int again;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_RDONLY | O_CLOEXEC);
	return again < 0 ? -errno : again;
}

static int stdin_copied(struct input *ret)
{
	_cleanup_(closep) int fd = memory_file_new("weighlock-stdin");
	bool spilled = false;
	int r;

	if (fd < 0)
		return fd;
	r = fill_and_hash(&fd, ret, &spilled);
	if (r == 0 && !spilled)
		r = memory_file_seal(fd);
	if (r == 0)
		r = reopen_read_only(fd);
	if (r < 0)
		return r;
	ret->fd = r;
	ret->source = spilled ? VERDICT_SPOOL : VERDICT_SEALED;
	return 0;
}

int spool_stdin(struct input *ret)
{
	struct stat st;

	return stdin_usable(&st) ? stdin_in_place(&st, ret) : stdin_copied(ret);
}
