/* The socket clients connect to: the service manager's, or our own. */
#pragma once

#include "config.h"

/**
 * listen_open() - a listening Unix stream socket, non-blocking, close-on-exec
 * @ret_ours: true when it was bound here and its path should be removed at the end
 * From systemd (sd_listen_fds(3)) when it passed one, else bound to c->socket.  A socket that is in the way is
 * removed only if nobody answers on it.  Failures are logged.
 * Return: descriptor or negative errno.
 */
int listen_open(const struct config *c, bool *ret_ours);
