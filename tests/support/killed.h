/* A process that is killed at a chosen system call: what a crash leaves behind, at every place where it may come.  By
 * ptrace(2), so that no code under test knows of it. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

/* Does the machine let us?  Containers and security modules may forbid it. */
static inline bool killed_is_possible(void)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? 0 : 1);
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/**
 * killed_at() - run @work in a child, and kill it when it has entered or left a system call for the @stop-th time
 * @stop: from 1; odd: before the call is done, even: after
 * Return: false when it ended before.
 */
static inline bool killed_at(unsigned stop, void (*work)(void *ctx), void *ctx)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		(void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		(void)raise(SIGSTOP);
		work(ctx);
		_exit(0);
	}
	(void)waitpid(pid, &status, 0);
	while (stop-- > 0) {
		(void)ptrace(PTRACE_SYSCALL, pid, NULL, NULL);
		if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
			return false;
	}
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, &status, 0);
	return true;
}
