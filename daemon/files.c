/* See files.h. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct closing {
	struct task task;
	int fd;
};

struct file_check {
	struct task task;
	struct files *files;
	int fd;
	struct file_facts facts;
	void (*done)(void *ctx, const struct file_facts *facts);
	void *ctx;
};

int files_init(struct files *f, struct event_base *base)
{
	int r = pool_new(base, FILES_CLOSERS, &f->closers);

	return r < 0 ? r : pool_new(base, FILES_CHECKERS, &f->checkers);
}

static void close_run(struct task *t)
{
	close(((struct closing *)t)->fd);
}

static void close_done(struct task *t)
{
	free(t);
}

void files_close(struct files *f, int fd)
{
	struct closing *c;

	if (fd < 0)
		return;
	c = malloc(sizeof(*c));
	if (!c) {
		close(fd); /* may block, but a leak would never end */
		return;
	}
	*c = (struct closing){ .task = { .run = close_run, .done = close_done }, .fd = fd };
	pool_post(f->closers, &c->task);
}

bool files_mode_ok(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && !(flags & (O_PATH | O_DIRECT)) && (flags & O_ACCMODE) != O_WRONLY;
}

static void check_run(struct task *t)
{
	struct file_check *c = (struct file_check *)t;
	const int wanted = F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK;
	struct statx st;
	int seals;

	if (statx(c->fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_SIZE, &st) < 0) {
		c->facts.error = -errno;
		return;
	}
	if (!S_ISREG(st.stx_mode)) {
		c->facts.error = -EINVAL;
		return;
	}
	seals = fcntl(c->fd, F_GET_SEALS); /* fails for whatever is no memfd */
	c->facts.size = st.stx_size;
	c->facts.sealed = seals >= 0 && (seals & wanted) == wanted;
}

static void check_done(struct task *t)
{
	struct file_check *c = (struct file_check *)t;

	if (c->done)
		c->done(c->ctx, &c->facts);
	else
		files_close(c->files, c->fd);
	free(c);
}

struct file_check *files_check(
    struct files *f, int fd, void (*done)(void *ctx, const struct file_facts *facts), void *ctx)
{
	struct file_check *c;

	if (pool_depth(f->checkers) >= FILES_CHECKS_MAX)
		return NULL;
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	*c = (struct file_check){
		.task = { .run = check_run, .done = check_done }, .files = f, .fd = fd, .done = done, .ctx = ctx
	};
	pool_post(f->checkers, &c->task);
	return c;
}

void file_check_forget(struct file_check *c)
{
	c->done = NULL;
}
