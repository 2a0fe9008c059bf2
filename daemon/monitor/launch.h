/* Executing this program anew for a role (role.h). */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* This program as it was when it was started, whatever is at its path later.  Return: a descriptor that can be executed
 * and nothing else; negative errno. */
int launch_open_self(void);

/**
 * launch() - fork and execute
 * @self: from launch_open_self()
 * @fds: what goes to ROLE_CONTROL_FD and the places behind it; -1: that place stays empty.  Still the caller's.
 * Return: pid; negative errno.  One that cannot be executed ends, and the log says why.
 */
pid_t launch(int self, const char *role, const int *fds, size_t n_fds);
