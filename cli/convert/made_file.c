/* See made_file.h. */
#include "made_file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"

#define PROC_PATH_MAX 32

int made_file_open(struct made_file *m, const char *path, bool replaced)
{
	_cleanup_(freep) char *folder = strdup(path), *name = strdup(path);
	struct stat st;

	*m = (struct made_file){ .dir = -1, .fd = -1 };
	if (folder == NULL || name == NULL)
		return -ENOMEM;
	m->name = strdup(basename(name));
	m->dir = open(dirname(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (m->name == NULL || m->dir < 0)
		return m->name == NULL ? -ENOMEM : -errno;
	if (fstatat(m->dir, m->name, &st, AT_SYMLINK_NOFOLLOW) == 0 && (!replaced || S_ISDIR(st.st_mode)))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EEXIST;
	m->fd = openat(m->dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	return m->fd < 0 ? -errno : 0;
}

void made_file_done(struct made_file *m)
{
	closep(&m->fd);
	closep(&m->dir);
	free(m->name);
	*m = (struct made_file){ .dir = -1, .fd = -1 };
}

static void proc_path(int fd, char ret[PROC_PATH_MAX])
{
	(void)snprintf(ret, PROC_PATH_MAX, "/proc/self/fd/%d", fd);
}

int made_file_freeze(struct made_file *m, uint64_t *ret_size)
{
	char path[PROC_PATH_MAX];
	struct stat before, after;
	int fd;

	proc_path(m->fd, path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	if (fstat(m->fd, &before) < 0 || fstat(fd, &after) < 0 || before.st_ino != after.st_ino ||
	    before.st_dev != after.st_dev) {
		close(fd);
		return -EIO;
	}
	close(m->fd);
	m->fd = fd;
	*ret_size = (uint64_t)after.st_size;
	return 0;
}

/* A name of its own first, which rename(2) then gives it the right one from: link(2) replaces nothing. */
static int replace(struct made_file *m, const char *path)
{
	uint64_t number;
	char temp[64];
	int r;

	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		return -EIO;
	(void)snprintf(temp, sizeof(temp), ".weighlock-%016llx", (unsigned long long)number);
	if (linkat(AT_FDCWD, path, m->dir, temp, AT_SYMLINK_FOLLOW) < 0)
		return -errno;
	if (renameat(m->dir, temp, m->dir, m->name) == 0)
		return 0;
	r = -errno;
	(void)unlinkat(m->dir, temp, 0);
	return r;
}

int made_file_place(struct made_file *m, bool replaced)
{
	char path[PROC_PATH_MAX];
	int r = 0;

	proc_path(m->fd, path);
	if (fsync(m->fd) < 0)
		return -errno;
	if (linkat(AT_FDCWD, path, m->dir, m->name, AT_SYMLINK_FOLLOW) < 0)
		r = errno == EEXIST && replaced ? replace(m, path) : -errno;
	if (r == 0 && fsync(m->dir) < 0 && errno != EINVAL)
		r = -errno;
	return r;
}
