/* The sockets clients connect to: the service manager's, or our own. */
#pragma once

#include "config.h"

struct listener {
	int fd;     /* -1: there is none */
	char *path; /* bound here, and to be removed at the end; NULL: not ours */
};

struct listeners {
	struct listener http;  /* always there */
	struct listener clamd; /* of clients of clamd (clamd.h) */
};

/**
 * listen_open() - listening Unix stream sockets, non-blocking, close-on-exec
 * @ret: to be closed with listen_done(), also after a failure
 * From systemd (sd_listen_fds_with_names(3)): the one named "clamd" is for clients of clamd, a single other one for HTTP.
 * Those that it did not pass are bound to c->socket and, unless that is empty, to c->clamd_socket.  A socket that is in the
 * way is removed only if nobody answers on it.  Failures are logged.
 * Return: 0 or negative errno.
 */
int listen_open(const struct config *c, struct listeners *ret);
void listen_done(struct listeners *l);
