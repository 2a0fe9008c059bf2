/* See files.h. */
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"

struct closing {
	struct task task;
	struct files_owner *owner; /* NULL: ours */
	int fd;
};

struct file_check {
	struct task task;
	struct files *files;
	struct files_owner *owner;
	uid_t uid;
	int fd;
	struct file_facts facts;
	void (*done)(void *ctx, const struct file_facts *facts);
	void *ctx;
};

int files_init(struct files *f, struct event_base *base)
{
	int r = pool_new(base, 1, &f->ours);

	for (size_t i = 0; i < FILES_LANES && r == 0; i++)
		r = pool_new(base, 1, &f->lanes[i].pool);
	return r;
}

/* ---- owners and their lanes ---- */

static struct files_owner *owner_of(struct files *f, uid_t uid)
{
	return &f->owners[uid % FILES_OWNERS];
}

static struct files_lane *emptiest_lane(struct files *f)
{
	struct files_lane *best = &f->lanes[0];

	for (size_t i = 1; i < FILES_LANES; i++) {
		if (pool_depth(f->lanes[i].pool) < pool_depth(best->pool))
			best = &f->lanes[i];
	}
	return best;
}

static void owner_post(struct files *f, struct files_owner *o, struct task *t)
{
	if (o->tasks++ == 0)
		o->lane = emptiest_lane(f);
	if (pool_depth(o->lane->pool) == 0)
		o->lane->since_ms = clock_now_ms();
	pool_post(o->lane->pool, t);
}

static void owner_done(struct files_owner *o)
{
	o->lane->since_ms = clock_now_ms();
	o->tasks--;
}

bool files_may_receive(const struct files *f, uid_t uid)
{
	return f->owners[uid % FILES_OWNERS].held + FDS_PER_MESSAGE_MAX <= FILES_HELD_MAX;
}

void files_received(struct files *f, uid_t uid, size_t n)
{
	owner_of(f, uid)->held += n;
}

size_t files_held(const struct files *f)
{
	size_t n = 0;

	for (size_t i = 0; i < FILES_OWNERS; i++)
		n += f->owners[i].held;
	return n;
}

size_t files_lanes_stuck(const struct files *f)
{
	uint64_t now = clock_now_ms();
	size_t n = 0;

	for (size_t i = 0; i < FILES_LANES; i++)
		n += pool_depth(f->lanes[i].pool) > 0 && now - f->lanes[i].since_ms >= FILES_STUCK_MS;
	return n;
}

/* ---- close ---- */

static void close_run(struct task *t)
{
	close(((struct closing *)t)->fd);
}

static void close_done(struct task *t)
{
	struct closing *c = (struct closing *)t;

	if (c->owner) {
		owner_done(c->owner);
		c->owner->held--;
	}
	free(c);
}

static struct closing *closing_new(struct files_owner *o, int fd)
{
	struct closing *c = malloc(sizeof(*c));

	if (c != NULL)
		*c = (struct closing){ .task = { .run = close_run, .done = close_done }, .owner = o, .fd = fd };
	return c;
}

void files_close(struct files *f, int fd)
{
	struct closing *c;

	if (fd < 0)
		return;
	c = closing_new(NULL, fd);
	if (c != NULL)
		pool_post(f->ours, &c->task);
	else
		close(fd);
}

void files_close_client(struct files *f, uid_t uid, int fd)
{
	struct files_owner *o;
	struct closing *c;

	if (fd < 0)
		return;
	o = owner_of(f, uid);
	c = closing_new(o, fd);
	if (c != NULL) {
		owner_post(f, o, &c->task);
		return;
	}
	close(fd); /* without memory: it may block, but a leak would never end */
	o->held--;
}

/* ---- receive ---- */

struct sender {
	struct files *files;
	uid_t uid;
};

static void refuse(void *ctx, int fd)
{
	const struct sender *from = ctx;

	files_close_client(from->files, from->uid, fd);
}

ssize_t files_receive(struct files *f, uid_t uid, struct fds *fds, int sock, void *buf, size_t n)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(FDS_PER_MESSAGE_MAX * sizeof(int))];
	} control;
	struct iovec iov = { .iov_base = buf, .iov_len = n };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct sender from = { .files = f, .uid = uid };
	ssize_t got;
	int r;

	if (files_may_receive(f, uid)) {
		m.msg_control = control.bytes;
		m.msg_controllen = sizeof(control.bytes);
	}
	got = recvmsg(sock, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	if (got < 0)
		return -errno;
	files_received(f, uid, fds_count(&m));
	r = fds_take(fds, &m, refuse, &from);
	if (r == -EMSGSIZE)
		return -EMFILE;
	return r < 0 ? -EBADMSG : got;
}

void files_close_all(struct files *f, uid_t uid, struct fds *fds)
{
	struct sender from = { .files = f, .uid = uid };

	fds_clear(fds, refuse, &from);
}

/* ---- check ---- */

#define SEALED (F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK)

/* Of what is no memfd: no.  No file system is asked for it. */
static bool is_sealed(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);

	return seals >= 0 && (seals & SEALED) == SEALED;
}

bool files_mode_ok(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || (flags & (O_PATH | O_DIRECT)) != 0)
		return false;
	return (flags & O_ACCMODE) == O_RDONLY || ((flags & O_ACCMODE) == O_RDWR && is_sealed(fd));
}

static void check_run(struct task *t)
{
	struct file_check *c = (struct file_check *)t;
	struct statx st;

	/* The size as this machine knows it, without asking a server that may hang.  One that is out of date does no
	 * harm: the worker finds more or fewer bytes, and that is an error. */
	if (statx(c->fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_TYPE | STATX_SIZE, &st) < 0) {
		c->facts.error = -errno;
		return;
	}
	if (!S_ISREG(st.stx_mode)) {
		c->facts.error = -EINVAL;
		return;
	}
	c->facts.size = st.stx_size;
	c->facts.sealed = is_sealed(c->fd);
}

static void check_done(struct task *t)
{
	struct file_check *c = (struct file_check *)t;

	c->owner->checks--;
	if (c->done)
		c->done(c->ctx, &c->facts);
	else
		files_close_client(c->files, c->uid, c->fd);
	owner_done(c->owner); /* after that: a user keeps its lane while it has something there */
	free(c);
}

struct file_check *files_check(
    struct files *f, uid_t uid, int fd, void (*done)(void *ctx, const struct file_facts *facts), void *ctx)
{
	struct files_owner *o = owner_of(f, uid);
	struct file_check *c = o->checks < FILES_CHECKS_MAX ? calloc(1, sizeof(*c)) : NULL;

	if (c == NULL)
		return NULL;
	*c = (struct file_check){ .task = { .run = check_run, .done = check_done },
		.files = f,
		.owner = o,
		.uid = uid,
		.fd = fd,
		.done = done,
		.ctx = ctx };
	o->checks++;
	owner_post(f, o, &c->task);
	return c;
}

void file_check_forget(struct file_check *c)
{
	c->done = NULL;
}
