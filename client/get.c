/* See get.h. */
#include "get.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define REQUEST_MAX 512u

static int ask(int fd, const char *socket_path, const char *target, unsigned wait_s)
{
	const struct timeval wait = { .tv_sec = wait_s };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	char request[REQUEST_MAX];
	int n = snprintf(
	    request, sizeof(request), "GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", target);

	if (strlen(socket_path) >= sizeof(address.sun_path) || n < 0 || (size_t)n >= sizeof(request))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, socket_path, strlen(socket_path) + 1);
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait)) < 0 ||
	    connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
	    send(fd, request, (size_t)n, MSG_NOSIGNAL) < 0)
		return -errno;
	return 0;
}

static int receive(int fd, struct wlc_reply *ret)
{
	char block[16384];

	while (ret->state != WLC_REPLY_WHOLE) {
		ssize_t n = recv(fd, block, sizeof(block), 0);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n == 0)
			ret->why = "the answer ended early";
		if (n == 0 || (n > 0 && wlc_reply_feed(ret, block, (size_t)n) == WLC_REPLY_BROKEN))
			return ret->error != 0 ? -ret->error : -EPROTO;
	}
	return 0;
}

int wlc_get(const char *socket_path, const char *target, unsigned wait_s, struct wlc_reply *ret)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int r;

	if (fd < 0)
		return -errno;
	r = ask(fd, socket_path, target, wait_s);
	if (r == 0)
		r = receive(fd, ret);
	(void)close(fd);
	return r;
}
