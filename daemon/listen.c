/* See listen.h. */
#include "listen.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "log.h"

static int from_manager(void)
{
	const int fd = SD_LISTEN_FDS_START;
	int n = sd_listen_fds(1);

	if (n <= 0)
		return n < 0 ? n : -ENOENT;
	if (n > 1 || sd_is_socket_unix(fd, SOCK_STREAM, 1, NULL, 0) <= 0) {
		log_line("the service manager must pass one listening Unix stream socket, and nothing else");
		return -EINVAL;
	}
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	return fd;
}

static int new_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	return fd < 0 ? -errno : fd;
}

/* Does anybody answer?  Anything but a plain refusal counts as yes, and so does what is no socket. */
static bool is_stale(const struct sockaddr_un *a)
{
	struct stat st;
	int fd, r;

	if (lstat(a->sun_path, &st) < 0 || !S_ISSOCK(st.st_mode))
		return false;
	fd = new_socket();
	if (fd < 0)
		return false;
	r = connect(fd, (const struct sockaddr *)a, sizeof(*a));
	r = r < 0 ? errno : 0;
	close(fd);
	return r == ECONNREFUSED;
}

static int bind_closed(int fd, const struct sockaddr_un *a)
{
	mode_t before = umask(0777); /* nobody may connect before mode and group are set */
	int r = bind(fd, (const struct sockaddr *)a, sizeof(*a));

	r = r < 0 ? -errno : 0;
	umask(before);
	return r;
}

static int bind_over_stale(int fd, const struct sockaddr_un *a)
{
	int r = bind_closed(fd, a);

	if (r != -EADDRINUSE || !is_stale(a) || unlink(a->sun_path) < 0)
		return r;
	return bind_closed(fd, a);
}

static int set_access(const struct config *c)
{
	if (c->socket_gid != UINT32_MAX && chown(c->socket, (uid_t)-1, c->socket_gid) < 0)
		return -errno;
	return chmod(c->socket, c->socket_mode) < 0 ? -errno : 0;
}

static int bind_own(const struct config *c)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = new_socket(), r;

	if (fd < 0)
		return fd;
	memcpy(a.sun_path, c->socket, strnlen(c->socket, sizeof(a.sun_path) - 1));
	r = bind_over_stale(fd, &a);
	if (r == 0) {
		r = listen(fd, SOMAXCONN) < 0 ? -errno : set_access(c);
		if (r < 0)
			unlink(c->socket);
	}
	if (r == 0)
		return fd;
	log_errno(-r, "cannot listen on %s%s", c->socket, r == -EADDRINUSE ? " (is weighlockd running already?)" : "");
	close(fd);
	return r;
}

int listen_open(const struct config *c, bool *ret_ours)
{
	int fd = from_manager();

	*ret_ours = fd == -ENOENT;
	return *ret_ours ? bind_own(c) : fd;
}
