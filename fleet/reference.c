/* See reference.h. */
#include "reference.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SCHEME "file:"

int roots_add(struct roots *r, const char *path)
{
	int fd;

	if (r->n == ROOTS_MAX)
		return -ENOSPC;
	if (path[0] != '/' || path[1] == '\0' || path[strlen(path) - 1] == '/')
		return -EINVAL;
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	r->path[r->n] = path;
	r->fd[r->n++] = fd;
	return 0;
}

void roots_close(struct roots *r)
{
	while (r->n > 0)
		close(r->fd[--r->n]);
}

/* The part of @path below a root, or NULL.  Of roots in each other the longest counts. */
static const char *below(const struct roots *r, const char *path, int *ret_fd)
{
	const char *found = NULL;
	size_t longest = 0;

	for (size_t i = 0; i < r->n; i++) {
		size_t n = strlen(r->path[i]);

		if (n < longest || strncmp(path, r->path[i], n) != 0 || path[n] != '/')
			continue;
		longest = n;
		*ret_fd = r->fd[i];
		found = path + n + 1;
	}
	return found != NULL && found[0] != '\0' ? found : NULL;
}

static int open_below(int root, const char *path)
{
	/* O_NONBLOCK: a FIFO must not make us wait; it is none of a regular file's. */
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };
	long fd = syscall(SYS_openat2, root, path, &how, sizeof(how));

	if (fd >= 0)
		return (int)fd;
	return errno == EXDEV || errno == ELOOP ? -EACCES : -errno;
}

int reference_open(const struct roots *r, const char *ref)
{
	const char *path;
	struct stat st;
	int root = -1, fd;

	if (strncmp(ref, SCHEME, strlen(SCHEME)) != 0)
		return -EPROTONOSUPPORT;
	path = below(r, ref + strlen(SCHEME), &root);
	if (path == NULL)
		return -EACCES;
	fd = open_below(root, path);
	if (fd < 0)
		return fd;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}
