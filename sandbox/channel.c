/* The channel: one datagram a message, so there is nothing to frame and nothing to buffer; descriptors travel with
 * the message they belong to.  What arrives is checked for size and count here and nowhere else. */
#include "channel.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* Control data of one message, aligned as cmsg(3) asks. */
union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(CHANNEL_FDS_MAX * sizeof(int))];
};

static void control_put_fds(struct msghdr *msg, union control *control, const int *fds, size_t n_fds)
{
	struct cmsghdr *c;

	memset(control, 0, sizeof(*control));
	msg->msg_control = control->bytes;
	msg->msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
	c = CMSG_FIRSTHDR(msg);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
	memcpy(CMSG_DATA(c), fds, n_fds * sizeof(int));
}

/* iovec serves reading and writing; sendmsg(2) only reads. */
static struct iovec iov_const(const void *at, size_t n)
{
	struct iovec iov = { .iov_len = n };

	memcpy(&iov.iov_base, &at, sizeof(at));
	return iov;
}

int channel_send(int channel, const struct channel_message *m, const int *fds, size_t n_fds)
{
	return m->appendix_n == 0 ? channel_send_with(channel, m, NULL, fds, n_fds) : -EINVAL;
}

int channel_send_with(int channel, const struct channel_message *m, const void *appendix, const int *fds, size_t n_fds)
{
	struct iovec iov[] = { iov_const(m, sizeof(*m)), iov_const(appendix, m->appendix_n) };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = m->appendix_n > 0 ? 2 : 1 };
	union control control;
	ssize_t n;

	if (n_fds > CHANNEL_FDS_MAX || m->payload_n > CHANNEL_PAYLOAD_MAX || m->appendix_n > CHANNEL_APPENDIX_MAX)
		return -EINVAL;
	if (n_fds > 0)
		control_put_fds(&msg, &control, fds, n_fds);
	do
		n = sendmsg(channel, &msg, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == ECONNRESET ? -EPIPE : -errno;
	return n == (ssize_t)(sizeof(*m) + m->appendix_n) ? 0 : -EIO;
}

/* Every descriptor the kernel gave us, wherever it put it: one that is overlooked stays open for ever.  It pads, so there
 * may be room for more than a message has.  Return: there were no more. */
static bool control_take_fds(struct msghdr *msg, int ret_fds[CHANNEL_FDS_MAX])
{
	size_t n_fds = 0;
	bool fit = true;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c != NULL; c = CMSG_NXTHDR(msg, c)) {
		size_t n;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			fit = n_fds < CHANNEL_FDS_MAX;
			if (fit)
				ret_fds[n_fds++] = fd;
			else
				close(fd);
		}
	}
	return fit;
}

static void close_fds(int fds[CHANNEL_FDS_MAX])
{
	for (size_t i = 0; i < CHANNEL_FDS_MAX; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

/* Return: the length of the next message, 0 also when the other end is gone, or negative errno. */
static ssize_t receive(int channel, struct msghdr *msg, int flags)
{
	ssize_t n;

	do
		n = recvmsg(channel, msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC | flags);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == ECONNRESET ? 0 : -errno;
	return n;
}

static bool is_sound(const struct channel_message *m)
{
	return m->payload_n <= CHANNEL_PAYLOAD_MAX && m->appendix_n <= CHANNEL_APPENDIX_MAX;
}

static bool is_whole(const struct msghdr *msg, ssize_t n, const struct channel_message *m)
{
	return n >= (ssize_t)sizeof(*m) && is_sound(m) && n == (ssize_t)(sizeof(*m) + m->appendix_n) &&
	       (msg->msg_flags & MSG_TRUNC) == 0;
}

int channel_recv(int channel, struct channel_message *ret, int ret_fds[CHANNEL_FDS_MAX])
{
	return channel_recv_with(channel, ret, NULL, ret_fds);
}

int channel_recv_with(int channel, struct channel_message *ret, void *appendix, int ret_fds[CHANNEL_FDS_MAX])
{
	struct iovec iov[] = { { .iov_base = ret, .iov_len = sizeof(*ret) },
		{ .iov_base = appendix, .iov_len = CHANNEL_APPENDIX_MAX } };
	union control control = { 0 };
	struct msghdr msg = { .msg_iov = iov,
		.msg_iovlen = appendix != NULL ? 2 : 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control) };
	ssize_t n = receive(channel, &msg, 0);
	bool fit;

	for (size_t i = 0; i < CHANNEL_FDS_MAX; i++)
		ret_fds[i] = -1;
	if (n < 0)
		return (int)n;
	fit = control_take_fds(&msg, ret_fds);
	if (n == 0 && ret_fds[0] < 0)
		return 0;
	if (!fit || !is_whole(&msg, n, ret) || (msg.msg_flags & MSG_CTRUNC) != 0) {
		close_fds(ret_fds);
		return -EBADMSG;
	}
	return 1;
}

int channel_recv_one(int channel, struct channel_message *ret, int *ret_fd)
{
	struct iovec iov = { .iov_base = ret, .iov_len = sizeof(*ret) };
	union control control = { 0 };
	struct msghdr msg = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = ret_fd != NULL ? control.bytes : NULL,
		.msg_controllen = ret_fd != NULL ? CMSG_LEN(sizeof(int)) : 0 };
	ssize_t n = receive(channel, &msg, 0);
	int fds[CHANNEL_FDS_MAX] = { [0 ... CHANNEL_FDS_MAX - 1] = -1 };
	bool more = (msg.msg_flags & MSG_CTRUNC) != 0;

	if (ret_fd != NULL && n >= 0)
		(void)control_take_fds(&msg, fds); /* there was room for one */
	if (ret_fd != NULL)
		*ret_fd = fds[0];
	if (n < 0)
		return (int)n;
	if (n == 0 && fds[0] < 0 && !more)
		return 0;
	return is_whole(&msg, n, ret) && !more ? 1 : -EBADMSG;
}

/* Without a place for control data the kernel makes no descriptor of what came along, and says MSG_CTRUNC. */
int channel_peek(int channel, struct channel_message *ret)
{
	struct iovec iov = { .iov_base = ret, .iov_len = sizeof(*ret) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t n = receive(channel, &msg, MSG_PEEK);

	if (n < 0)
		return (int)n;
	if (n == 0 && (msg.msg_flags & MSG_CTRUNC) == 0)
		return 0;
	if (n == (ssize_t)sizeof(*ret) && is_sound(ret) && ret->appendix_n > 0)
		return (msg.msg_flags & MSG_TRUNC) != 0 ? 1 : -EBADMSG; /* how long it is, the receiver will see */
	return is_whole(&msg, n, ret) ? 1 : -EBADMSG;
}

int channel_drop(int channel)
{
	struct msghdr msg = { 0 };
	ssize_t n = receive(channel, &msg, 0);

	return n < 0 ? (int)n : 0;
}
