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

int channel_send(int channel, const struct channel_message *m, const int *fds, size_t n_fds)
{
	struct channel_message copy = *m;
	struct iovec iov = { .iov_base = &copy, .iov_len = sizeof(copy) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	union control control;
	ssize_t n;

	if (n_fds > CHANNEL_FDS_MAX || m->payload_n > CHANNEL_PAYLOAD_MAX)
		return -EINVAL;
	if (n_fds > 0)
		control_put_fds(&msg, &control, fds, n_fds);
	do
		n = sendmsg(channel, &msg, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == ECONNRESET ? -EPIPE : -errno;
	return n == (ssize_t)sizeof(copy) ? 0 : -EIO;
}

/* Every descriptor the kernel gave us, wherever it put it: one that is overlooked stays open for ever. */
static void control_take_fds(struct msghdr *msg, int ret_fds[CHANNEL_FDS_MAX])
{
	size_t n_fds = 0;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c != NULL; c = CMSG_NXTHDR(msg, c)) {
		size_t n;

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (size_t i = 0; i < n; i++) {
			int fd;

			memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
			if (n_fds < CHANNEL_FDS_MAX)
				ret_fds[n_fds++] = fd;
			else
				close(fd);
		}
	}
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

static bool is_whole(const struct msghdr *msg, ssize_t n, const struct channel_message *m)
{
	return n == (ssize_t)sizeof(*m) && (msg->msg_flags & MSG_TRUNC) == 0 && m->payload_n <= CHANNEL_PAYLOAD_MAX;
}

int channel_recv(int channel, struct channel_message *ret, int ret_fds[CHANNEL_FDS_MAX])
{
	struct iovec iov = { .iov_base = ret, .iov_len = sizeof(*ret) };
	union control control = { 0 };
	struct msghdr msg = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof(control)
	};
	ssize_t n = receive(channel, &msg, 0);

	for (size_t i = 0; i < CHANNEL_FDS_MAX; i++)
		ret_fds[i] = -1;
	if (n < 0)
		return (int)n;
	control_take_fds(&msg, ret_fds);
	if (n == 0 && ret_fds[0] < 0)
		return 0;
	if (!is_whole(&msg, n, ret) || (msg.msg_flags & MSG_CTRUNC) != 0) {
		close_fds(ret_fds);
		return -EBADMSG;
	}
	return 1;
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
	return is_whole(&msg, n, ret) ? 1 : -EBADMSG;
}

int channel_drop(int channel)
{
	struct msghdr msg = { 0 };
	ssize_t n = receive(channel, &msg, 0);

	return n < 0 ? (int)n : 0;
}
