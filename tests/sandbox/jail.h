/* What the jail's tests share: doing something in a child, as this user or as nobody, and seeing how it ends. */
#pragma once

#include <errno.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

enum as { AS_SELF, AS_NOBODY };

/* In a child: become nobody.  Only root can; for others AS_NOBODY is what they are already. */
static inline void become(enum as who)
{
	if (who == AS_SELF || geteuid() != 0)
		return;
	if (setgroups(0, NULL) < 0 || setresgid(NOBODY, NOBODY, NOBODY) < 0 || setresuid(NOBODY, NOBODY, NOBODY) < 0)
		_exit(99);
}

/* Run body(arg) in a child; its return value is the exit status.  Return: wait status. */
static inline int in_child(enum as who, int (*body)(void *arg), void *arg)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		become(who);
		_exit(body(arg));
	}
	if (pid < 0)
		return -1;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

static inline int make_user_namespace(void *arg)
{
	(void)arg;
	return unshare(CLONE_NEWUSER) == 0 ? 0 : 1;
}

/* A harness_skip_fn's answer for tests that need user namespaces: containers and chroots forbid them. */
static inline const char *without_user_namespaces(const char *test, const char *const *needing)
{
	int status;

	while (*needing != NULL && strcmp(*needing, test) != 0)
		needing++;
	if (*needing == NULL)
		return NULL;
	status = in_child(AS_NOBODY, make_user_namespace, NULL);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? NULL : "user namespaces are forbidden here";
}

static inline bool ended_with(int status, int code)
{
	return WIFEXITED(status) && WEXITSTATUS(status) == code;
}

static inline bool killed_by(int status, int sig)
{
	return WIFSIGNALED(status) && WTERMSIG(status) == sig;
}
