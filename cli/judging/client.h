/* Judging by the daemon: HTTP over its Unix socket, files passed by descriptor and never copied. */
#pragma once

#include "backend.h"

#define CLIENT_SOCKET_DEFAULT "/run/weighlock/weighlock.sock" /* the daemon's, unless it is told otherwise */
#define CLIENT_SOCKET_PATH_MAX 107                            /* bytes: what fits into sun_path, with a NUL */

/**
 * client_open() - is somebody there?
 * @socket_path: at most CLIENT_SOCKET_PATH_MAX bytes; borrowed until close
 * @policy_name: as the daemon knows it; NULL: its default.  Borrowed until close.
 * @unjudged: the policy named in verdicts about what the daemon did not judge; borrowed until close
 * Says what is wrong.  Return: 0 or negative errno.
 */
int client_open(const char *socket_path, const char *policy_name, const struct policy *unjudged, struct backend **ret);
