/* See target.h. */
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"

/* As if the file had been made by open(2): mkostemp(3) keeps it to ourselves. */
static int set_mode(int fd, const struct stat *before)
{
	mode_t mask = umask(0);

	(void)umask(mask);
	return fchmod(fd, before != NULL ? before->st_mode & 07777 : 0666 & ~mask) < 0 ? -errno : 0;
}

static int open_temp(struct target *t, const struct stat *before)
{
	_cleanup_(closep) int fd = -1;
	int r;

	if (asprintf(&t->temp, "%s.XXXXXX", t->final) < 0) {
		t->temp = NULL;
		return -ENOMEM;
	}
	fd = mkostemp(t->temp, O_CLOEXEC);
	if (fd < 0) {
		r = -errno;
		free(t->temp);
		t->temp = NULL;
		return r;
	}
	r = set_mode(fd, before);
	if (r == 0 && (t->f = fdopen(fd, "w")) == NULL)
		r = -errno;
	if (r == 0)
		(void)steal_fd(&fd);
	return r;
}

static int open_in_place(struct target *t)
{
	t->f = fopen(t->path, "we");
	return t->f != NULL ? 0 : -errno;
}

/* A link stays one: what it leads to is replaced. */
int target_open(struct target *t, const char *path)
{
	struct stat st;
	bool there;

	*t = (struct target){ .path = path, .f = path == NULL ? stdout : NULL };
	if (path == NULL)
		return 0;
	there = stat(path, &st) == 0;
	if (there && !S_ISREG(st.st_mode))
		return open_in_place(t);
	t->final = there ? realpath(path, NULL) : strdup(path);
	if (t->final == NULL)
		return -errno;
	return open_temp(t, there ? &st : NULL);
}

static int flush(struct target *t)
{
	if (fflush(t->f) != 0 || ferror(t->f))
		return errno != 0 ? -errno : -EIO;
	/* Before the name: a machine that stops must not leave an empty report where a whole one was. */
	return t->temp != NULL && fsync(fileno(t->f)) < 0 ? -errno : 0;
}

int target_publish(struct target *t)
{
	int r;

	errno = 0;
	r = flush(t);
	if (r < 0 || t->temp == NULL)
		return r;
	if (rename(t->temp, t->final) < 0)
		return -errno;
	free(t->temp);
	t->temp = NULL;
	return 0;
}

void target_close(struct target *t)
{
	if (t->f != NULL && t->f != stdout)
		(void)fclose(t->f);
	if (t->temp != NULL)
		(void)unlink(t->temp);
	free(t->temp);
	free(t->final);
	*t = (struct target){ 0 };
}
