/* See fds.h. */
#include "fds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int reserve(struct fds *f, size_t more)
{
	size_t room = f->room ? f->room : 4;
	int *at;

	if (more > FDS_MAX - f->n)
		return -EMFILE;
	while (room < f->n + more)
		room *= 2;
	if (room == f->room)
		return 0;
	at = realloc(f->at, room * sizeof(*at));
	if (at == NULL)
		return -ENOMEM;
	f->at = at;
	f->room = room;
	return 0;
}

static size_t rights_count(const struct cmsghdr *c)
{
	if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
		return 0;
	return (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
}

size_t fds_count(struct msghdr *m)
{
	size_t n = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c))
		n += rights_count(c);
	return n;
}

static int take_one(struct fds *f, struct msghdr *m, void (*refuse)(void *ctx, int fd), void *ctx, int error)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		size_t n = rights_count(c);

		if (error == 0)
			error = reserve(f, n);
		for (size_t i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(fd), sizeof(fd));
			if (error == 0)
				f->at[f->n++] = fd;
			else
				refuse(ctx, fd);
		}
	}
	return error;
}

int fds_take(struct fds *f, struct msghdr *m, void (*refuse)(void *ctx, int fd), void *ctx)
{
	return take_one(f, m, refuse, ctx, m->msg_flags & MSG_CTRUNC ? -EMSGSIZE : 0);
}

int fds_pop(struct fds *f)
{
	int fd;

	if (f->n == 0)
		return -1;
	fd = f->at[0];
	memmove(f->at, f->at + 1, --f->n * sizeof(*f->at));
	return fd;
}

int fds_move(struct fds *f, size_t n, struct fds *to)
{
	int r = n > 0 ? reserve(to, n) : 0;

	if (r < 0 || n == 0)
		return r;
	memcpy(to->at + to->n, f->at, n * sizeof(*f->at));
	to->n += n;
	f->n -= n;
	memmove(f->at, f->at + n, f->n * sizeof(*f->at));
	return 0;
}

void fds_clear(struct fds *f, void (*refuse)(void *ctx, int fd), void *ctx)
{
	for (size_t i = 0; i < f->n; i++)
		refuse(ctx, f->at[i]);
	free(f->at);
	*f = (struct fds){ 0 };
}
