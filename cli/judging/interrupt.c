/* A handler writes to a pipe.  Handlers rather than a blocked mask and signalfd(2): the mask would be
 * inherited by the worker program, handlers are not. */
#include "interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t caught;
static int pipe_fds[2] = { -1, -1 };

static void on_signal(int signal)
{
	int saved = errno;

	if (caught != 0) { /* asked twice: do not make anybody wait for us */
		_exit(128 + signal);
	}
	caught = signal;
	(void)!write(pipe_fds[1], "", 1);
	errno = saved;
}

int interrupt_init(void)
{
	const struct sigaction act = { .sa_handler = on_signal };

	if (pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return -errno;
	if (sigaction(SIGINT, &act, NULL) < 0 || sigaction(SIGTERM, &act, NULL) < 0)
		return -errno;
	return 0;
}

int interrupt_fd(void)
{
	return pipe_fds[0];
}

int interrupt_signal(void)
{
	return caught;
}
