/* Descriptors a client sent (SCM_RIGHTS), in the order they came, until a request head claims them by count: one
 * recvmsg(2) may glue bytes of an earlier request before those that carry descriptors, so byte offsets cannot tell
 * whose they are. */
#pragma once

#include <stddef.h>
#include <sys/socket.h>

#define FDS_PER_MESSAGE_MAX 253 /* SCM_MAX_FD of Linux */
#define FDS_MAX 1024u           /* waiting on one connection: as many as a request may announce */

struct fds {
	int *at;
	size_t n, room;
};

/**
 * fds_take() - keep what a recvmsg(2) brought
 * Return: 0; -EMSGSIZE when descriptors were lost on the way; -EMFILE when more than FDS_MAX would wait; -ENOMEM.  After an
 * error nothing is kept of this message, and @refuse has been called for each of its descriptors.
 */
int fds_take(struct fds *f, struct msghdr *m, void (*refuse)(void *ctx, int fd), void *ctx);

/* How many descriptors a recvmsg(2) brought. */
size_t fds_count(struct msghdr *m);

/* The oldest one, now the caller's; -1 when there is none. */
int fds_pop(struct fds *f);
/* The @n oldest, of so many at least, to the end of @to.  Return: 0; -ENOMEM, and nothing has moved. */
int fds_move(struct fds *f, size_t n, struct fds *to);
/* Give all to @refuse and free the memory.  Ready for use again. */
void fds_clear(struct fds *f, void (*refuse)(void *ctx, int fd), void *ctx);
