/* weighlock metrics: the daemon's numbers as a file for the textfile collector of Prometheus' node exporter, which reads
 * files and not Unix sockets.  A file that could not be renewed is left as it was: its age is what tells (the exporter
 * exports it), and numbers of a daemon that is gone must not look new. */
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cleanup.h"
#include "cli.h"
#include "client.h"
#include "reply_parse.h"
#include "target.h"

#define SOCKET_DEFAULT "/run/weighlock/weighlock.sock"
#define REPLY_MAX ((size_t)1 << 20) /* bytes; the daemon's metrics are below a tenth of it */
#define WAIT_S 10                   /* for each step of the daemon's answer */
#define REQUEST "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

enum { OPT_TEXTFILE = 256, OPT_SOCKET };

static const struct option long_options[] = {
	{ "textfile", required_argument, NULL, OPT_TEXTFILE },
	{ "socket", required_argument, NULL, OPT_SOCKET },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* ---- the daemon ---- */

/* Return: descriptor or negative errno. */
static int ask(const char *path)
{
	const struct timeval wait = { .tv_sec = WAIT_S };
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	_cleanup_(closep) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path) + 1);
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait)) < 0 ||
	    connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
	    send(fd, REQUEST, sizeof(REQUEST) - 1, MSG_NOSIGNAL) < 0)
		return -errno;
	return steal_fd(&fd);
}

/* Until the daemon closes.  Return: bytes, or negative errno. */
static ssize_t read_all(int fd, uint8_t *at)
{
	size_t n = 0;

	while (n < REPLY_MAX) {
		ssize_t got = read(fd, at + n, REPLY_MAX - n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : (ssize_t)n;
		n += (size_t)got;
	}
	return -EMSGSIZE;
}

/* Says what is wrong.  @ret: points into @buf, of REPLY_MAX bytes. */
static bool fetch(const char *path, uint8_t *buf, struct bytes *ret)
{
	_cleanup_(closep) int fd = ask(path);
	ssize_t n = fd < 0 ? fd : read_all(fd, buf);
	struct http_reply reply;

	if (n < 0) {
		say("%s: %s", path, n == -EAGAIN ? "no answer" : strerror((int)-n));
		return false;
	}
	if (!reply_parse((struct bytes){ .at = buf, .n = (size_t)n }, &reply)) {
		say("%s: the answer is not a whole one", path);
		return false;
	}
	if (reply.status != 200) {
		say("%s: the answer has status %u", path, reply.status);
		return false;
	}
	*ret = reply.body;
	return true;
}

/* ---- the file ---- */

static int publish(const char *file, struct bytes text)
{
	const char *path = strcmp(file, "-") == 0 ? NULL : file;
	struct target t;
	int r = target_open(&t, path);

	if (r == 0) {
		(void)fwrite(text.at, 1, text.n, t.f);
		r = target_publish(&t);
	}
	target_close(&t);
	if (r < 0)
		say("%s: %s", path == NULL ? "standard output" : path, strerror(-r));
	return r < 0 ? CLI_INCOMPLETE : CLI_OK;
}

static int run(const char *socket_path, const char *file)
{
	_cleanup_(freep) uint8_t *buf = malloc(REPLY_MAX);
	struct bytes text;

	if (buf == NULL) {
		say("out of memory");
		return CLI_INCOMPLETE;
	}
	return fetch(socket_path, buf, &text) ? publish(file, text) : CLI_INCOMPLETE;
}

int cmd_metrics(int argc, char **argv)
{
	const char *socket_path = SOCKET_DEFAULT, *file = NULL;
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, ":h", long_options, NULL)) != -1) {
		switch (option) {
		case 'h': return usage_print("metrics");
		case OPT_TEXTFILE: file = optarg; break;
		case OPT_SOCKET: socket_path = optarg; break;
		default: return usage_bad_option("metrics", option, optopt, ":h", argv[optind - 1]);
		}
	}
	if (optind < argc)
		return usage_error("metrics", "it takes no arguments, found '%s'", argv[optind]);
	if (file == NULL)
		return usage_error("metrics", "--textfile is needed");
	if (socket_path[0] == '\0' || strlen(socket_path) > CLIENT_SOCKET_PATH_MAX)
		return usage_error("metrics", "--socket: found '%s', allowed a path of 1 to %d bytes", socket_path,
		    CLIENT_SOCKET_PATH_MAX);
	return run(socket_path, file);
}
