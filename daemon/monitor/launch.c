/* See launch.h. */
#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "log.h"
#include "role.h"

int launch_open_self(void)
{
	int fd = open("/proc/self/exe", O_PATH | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* What the service manager told the monitor is the monitor's. */
static void clean_environment(void)
{
	static const char *const ours[] = { "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID",
		"LISTEN_FDS", "LISTEN_FDNAMES" };

	for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
		unsetenv(ours[i]);
}

/* To their places, whatever places they have now.  All descriptors of the monitor are close-on-exec. */
static bool arrange(int *self, const int *fds, size_t n)
{
	int high[ROLE_FDS_END], first = ROLE_CONTROL_FD, behind = first + (int)n;

	*self = fcntl(*self, F_DUPFD_CLOEXEC, behind);
	for (size_t i = 0; i < n; i++) {
		high[i] = fds[i] < 0 ? -1 : fcntl(fds[i], F_DUPFD_CLOEXEC, behind);
		if (fds[i] >= 0 && high[i] < 0)
			return false;
	}
	for (size_t i = 0; i < n; i++) {
		if (high[i] < 0)
			close(first + (int)i);
		else if (dup2(high[i], first + (int)i) < 0)
			return false;
	}
	(void)close_range((unsigned)behind, ~0U, CLOSE_RANGE_CLOEXEC); /* whoever started us may have left some open */
	return *self >= 0;
}

static _Noreturn void child(int self, const char *role, const int *fds, size_t n)
{
	static char name[] = "weighlockd";
	char word[16] = "";
	char *const argv[] = { name, word, NULL };

	strncpy(word, role, sizeof(word) - 1);
	clean_environment();
	if (arrange(&self, fds, n))
		syscall(SYS_execveat, self, "", argv, environ, AT_EMPTY_PATH);
	log_errno(errno, "%s cannot be executed", role);
	_exit(127);
}

pid_t launch(int self, const char *role, const int *fds, size_t n_fds)
{
	pid_t pid = fork();

	if (pid == 0)
		child(self, role, fds, n_fds);
	return pid < 0 ? -errno : pid;
}
