/* See listen.h. */
#include "listen.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "log.h"

#define CLAMD_NAME "clamd" /* FileDescriptorName= of its socket unit */

static int take(struct listener *l, int fd)
{
	if (l->fd >= 0 || sd_is_socket_unix(fd, SOCK_STREAM, 1, NULL, 0) <= 0) {
		log_line("the service manager must pass one listening Unix stream socket, perhaps one more that is "
			 "named " CLAMD_NAME ", and nothing else");
		return -EINVAL;
	}
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0 || fcntl(fd, F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	l->fd = fd;
	return 0;
}

static int from_manager(struct listeners *ret)
{
	char **names = NULL;
	int n = sd_listen_fds_with_names(1, &names), r = n < 0 ? n : 0;

	for (int i = 0; i < n; i++) {
		if (r == 0)
			r = take(strcmp(names[i], CLAMD_NAME) == 0 ? &ret->clamd : &ret->http, SD_LISTEN_FDS_START + i);
		free(names[i]);
	}
	free(names);
	return r;
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

static int set_access(const struct config *c, const char *path)
{
	if (c->socket_gid != UINT32_MAX && chown(path, (uid_t)-1, c->socket_gid) < 0)
		return -errno;
	return chmod(path, c->socket_mode) < 0 ? -errno : 0;
}

static int bind_own(const struct config *c, const char *path, struct listener *ret)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = new_socket(), r;

	if (fd < 0)
		return fd;
	memcpy(a.sun_path, path, strnlen(path, sizeof(a.sun_path) - 1));
	r = bind_over_stale(fd, &a);
	if (r == 0) {
		ret->path = strdup(path);
		r = !ret->path ? -ENOMEM : listen(fd, SOMAXCONN) < 0 ? -errno : set_access(c, path);
	}
	ret->fd = fd;
	if (r < 0)
		log_errno(
		    -r, "cannot listen on %s%s", path, r == -EADDRINUSE ? " (is weighlockd running already?)" : "");
	return r;
}

int listen_open(const struct config *c, struct listeners *ret)
{
	int r;

	*ret = (struct listeners){ .http.fd = -1, .clamd.fd = -1 };
	r = from_manager(ret);
	if (r == 0 && ret->http.fd < 0)
		r = bind_own(c, c->socket, &ret->http);
	if (r == 0 && ret->clamd.fd < 0 && c->clamd_socket[0])
		r = bind_own(c, c->clamd_socket, &ret->clamd);
	if (r < 0)
		listen_done(ret);
	return r;
}

static void done(struct listener *l)
{
	if (l->fd >= 0)
		close(l->fd);
	if (l->path)
		unlink(l->path);
	free(l->path);
	*l = (struct listener){ .fd = -1 };
}

void listen_done(struct listeners *l)
{
	done(&l->http);
	done(&l->clamd);
}
