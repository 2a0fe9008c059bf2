/* See worker_path.h.  An installed program uses the compiled-in folder.  A program run from a build tree, or
 * from an unpacked archive, uses the worker beside it: whoever could put a false one there could replace the
 * program too. */
#include "worker_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORKER "weighlock-worker"

static int program_open(const char *path)
{
	struct stat st;
	int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	(void)close(fd);
	return -ENOENT;
}

/* The folder this program was started from.  Return: false without /proc. */
static bool own_folder(char buf[PATH_MAX])
{
	ssize_t n = readlink("/proc/self/exe", buf, PATH_MAX - 1);
	char *slash;

	if (n <= 0)
		return false;
	buf[n] = '\0';
	slash = strrchr(buf, '/');
	if (slash == NULL)
		return false;
	*slash = '\0';
	return true;
}

int worker_open(char *path, size_t n)
{
	static const char *const beside[] = { "", "../worker/", "../libexec/weighlock/" };
	char own[PATH_MAX];
	int fd = -ENOENT;

	if (own_folder(own) && strcmp(own, WLK_BINDIR) != 0) {
		for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]) && fd < 0; i++) {
			(void)snprintf(path, n, "%s/%s" WORKER, own, beside[i]);
			fd = program_open(path);
		}
	}
	if (fd < 0) {
		(void)snprintf(path, n, "%s", WLK_LIBEXECDIR "/" WORKER);
		fd = program_open(path);
	}
	return fd;
}
