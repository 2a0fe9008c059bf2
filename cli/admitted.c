/* See admitted.h. */
#include "admitted.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"
#include "cli.h"
#include "hex.h"
#include "sha256.h"

#define BLOCK ((size_t)1 << 20)
#define LINK_TRIES 5 /* somebody else may be about the same */

/* ---- whose folder it is ---- */

static bool others_may_write(const struct stat *st)
{
	return (st->st_mode & (S_IWGRP | S_IWOTH)) != 0;
}

/* Who can write in a folder above it can put another one in its place, unless that is sticky. */
static bool above_is_safe(const char *path)
{
	char at[PATH_MAX];
	size_t n = (size_t)snprintf(at, sizeof(at), "%s", path);

	while (n > 1) {
		struct stat st;

		while (n > 1 && at[n - 1] != '/')
			n--;
		n = n > 1 ? n - 1 : 1;
		at[n] = '\0';
		if (stat(at, &st) < 0 || (st.st_uid != 0 && st.st_uid != geteuid()) ||
		    (others_may_write(&st) && !(st.st_mode & S_ISVTX))) {
			say("%s, around %s, can be changed by others: name another folder, or chmod go-w", at, path);
			return false;
		}
	}
	return true;
}

int admitted_open(const char *path, char *ret_path)
{
	_cleanup_(closep) int fd = -1;
	struct stat st;

	if (mkdir(path, 0700) < 0 && errno != EEXIST) {
		say("cannot make %s: %s", path, strerrordesc_np(errno));
		return -errno;
	}
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != geteuid() || others_may_write(&st)) {
		say("%s must be a folder, and no link, of this user, in which nobody else can write (chmod 700)", path);
		return -EPERM;
	}
	if (realpath(path, ret_path) == NULL) {
		say("%s: %s", path, strerrordesc_np(errno));
		return -errno;
	}
	return above_is_safe(ret_path) ? steal_fd(&fd) : -EPERM;
}

/* ---- copies ---- */

static int fd_reopen(int fd)
{
	char path[32];
	int again;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, O_RDONLY | O_CLOEXEC);
	return again < 0 ? -errno : again;
}

static int write_whole(int fd, const uint8_t *at, size_t n, off_t offset)
{
	while (n > 0) {
		ssize_t done = pwrite(fd, at, n, offset);

		if (done < 0 && errno != EINTR)
			return -errno;
		if (done < 0)
			continue;
		at += done;
		n -= (size_t)done;
		offset += done;
	}
	return 0;
}

/* Read @from to its end, at most to @size, into the hash and into @to, unless that is -1.  Return: 0 or negative errno. */
static int pour(int from, int to, off_t size, struct sha256 *hash, off_t *ret_n)
{
	_cleanup_(freep) uint8_t *block = malloc(BLOCK);
	off_t at = 0;

	while (block != NULL && at < size) {
		size_t want = size - at < (off_t)BLOCK ? (size_t)(size - at) : BLOCK;
		ssize_t n = pread(from, block, want, at);
		int r = n < 0 ? -errno : 0;

		if (n == 0)
			break;
		if (r == -EINTR)
			continue;
		if (r == 0)
			sha256_feed(hash, block, (size_t)n);
		if (r == 0 && to >= 0)
			r = write_whole(to, block, (size_t)n, at);
		if (r < 0)
			return r;
		at += n;
	}
	*ret_n = at;
	return block != NULL ? 0 : -ENOMEM;
}

static int pour_and_hash(int from, int to, off_t size, uint64_t *ret_size, uint8_t ret_sha256[32])
{
	struct sha256 hash;
	off_t n = 0;
	int r;

	sha256_begin(&hash);
	r = pour(from, to, size, &hash, &n);
	if (r == 0)
		sha256_end(&hash, ret_sha256);
	*ret_size = (uint64_t)n;
	return r;
}

/* A shared extent where the file system has such; then the copy is what is read. */
static int copy_fill(int copy, int source, uint64_t *ret_size, uint8_t ret_sha256[32])
{
	bool cloned = ioctl(copy, FICLONE, source) == 0;
	struct stat st;

	if (fstat(cloned ? copy : source, &st) < 0)
		return -errno;
	return pour_and_hash(cloned ? copy : source, cloned ? -1 : copy, st.st_size, ret_size, ret_sha256);
}

int admitted_copy(int folder, int source, uint64_t *ret_size, uint8_t ret_sha256[32])
{
	_cleanup_(closep) int copy = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	int r;

	if (copy < 0)
		return -errno;
	r = copy_fill(copy, source, ret_size, ret_sha256);
	/* On the disk before it has a name: what stands under a digest has it after a power cut, too. */
	if (r == 0 && (fchmod(copy, 0400) < 0 || fsync(copy) < 0))
		r = -errno;
	return r < 0 ? r : fd_reopen(copy);
}

/* ---- places ---- */

/* Made by this user, and nobody else may write to it. */
static bool is_own(const struct stat *st)
{
	return st->st_uid == geteuid() && (st->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static int folder_enter(int *fd, const char *name)
{
	struct stat st;
	int next;

	if (mkdirat(*fd, name, 0700) < 0 && errno != EEXIST)
		return -errno;
	next = openat(*fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (next < 0)
		return -errno;
	if (fstat(next, &st) < 0 || !is_own(&st)) {
		(void)close(next);
		return -EACCES;
	}
	(void)close(*fd);
	*fd = next;
	return 0;
}

static bool has_digest(int folder, const char *name, const uint8_t sha256[32])
{
	_cleanup_(closep) int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	uint8_t found[32];
	uint64_t n;

	return fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && is_own(&st) &&
	       pour_and_hash(fd, -1, st.st_size, &n, found) == 0 && memcmp(found, sha256, sizeof(found)) == 0;
}

static int place(int folder, int copy, const char *name, const uint8_t sha256[32])
{
	char from[32];

	(void)snprintf(from, sizeof(from), "/proc/self/fd/%d", copy);
	for (int i = 0; i < LINK_TRIES; i++) {
		if (linkat(AT_FDCWD, from, folder, name, AT_SYMLINK_FOLLOW) == 0)
			return 0;
		if (errno != EEXIST)
			return -errno;
		if (has_digest(folder, name, sha256))
			return 0;
		if (unlinkat(folder, name, 0) < 0 && errno != ENOENT)
			return -errno;
	}
	return -EBUSY;
}

int admitted_link(int folder, int copy, const uint8_t sha256[32], const char *name, char *ret_path)
{
	_cleanup_(closep) int at = fcntl(folder, F_DUPFD_CLOEXEC, 3);
	char hex[SHA256_HEX + 1], head[3] = "";
	int r = at < 0 ? -errno : folder_enter(&at, "sha256");

	hex_write(sha256, 32, hex);
	memcpy(head, hex, 2);
	if (r == 0)
		r = folder_enter(&at, head);
	if (r == 0)
		r = folder_enter(&at, hex + 2);
	if (r == 0)
		r = place(at, copy, name, sha256);
	(void)snprintf(ret_path, PATH_MAX, "sha256/%s/%s/%s", head, hex + 2, name);
	return r;
}
