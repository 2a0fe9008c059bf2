/* See keeper_process.h. */
#include "keeper_process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "channel.h"
#include "control.h"
#include "front.h"
#include "keeper.h"
#include "keeper_sign.h"
#include "log.h"
#include "process.h"

/* Where it finds its two descriptors; nothing else but standard error is open. */
#define DIR_FD 3
#define CONTROL_FD 4

/* ---- the keeper's process ---- */

/* Two descriptors to their places, whatever places they have, and nothing behind them. */
static bool keep_two(int dir, int control)
{
	int high_dir = fcntl(dir, F_DUPFD_CLOEXEC, CONTROL_FD + 1);
	int high_control = fcntl(control, F_DUPFD_CLOEXEC, CONTROL_FD + 1);

	return high_dir >= 0 && high_control >= 0 && dup3(high_dir, DIR_FD, O_CLOEXEC) == DIR_FD &&
	       dup3(high_control, CONTROL_FD, O_CLOEXEC) == CONTROL_FD && close_range(CONTROL_FD + 1, ~0U, 0) == 0;
}

/* The monitor says when to end, not whoever signals the whole service. */
static void ignore_signals(void)
{
	static const int ignored[] = { SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGXFSZ };
	sigset_t none;

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void keeper_process(const struct settings *s, int control)
{
	int dir = open(s->config.state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = dir < 0 ? -errno : 0;

	keeper_sign_read(s); /* root's, perhaps */
	if (r == 0)
		r = process_drop_root();

	if (r < 0) {
		log_errno(-r, dir < 0 ? "state_dir %s" : "cannot give up root (state_dir %s)", s->config.state_dir);
		_exit(EXIT_FAILURE);
	}
	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_NAME, "weighlockd-keep"); /* for ps(1): 15 bytes */
	umask(0077);
	process_detach_terminal();
	ignore_signals();
	if (!keep_two(dir, control))
		_exit(EXIT_FAILURE);
	_exit(keeper_main(s, DIR_FD, CONTROL_FD));
}

/* ---- the monitor's ---- */

/* Its first word, and its only one. */
static int wait_for_hello(int control)
{
	struct pollfd p = { .fd = control, .events = POLLIN };
	struct channel_message m;
	int fds[CHANNEL_FDS_MAX];
	int r = poll(&p, 1, KEEPER_HELLO_MS) > 0 ? channel_recv(control, &m, fds) : 0;

	return r > 0 && m.type == CONTROL_READY ? 0 : -EPROTO;
}

static void forget(struct keeper_process *k)
{
	if (k->control >= 0)
		close(k->control);
	free(k->identity);
	k->identity = NULL;
	k->control = -1;
	k->pid = 0;
	k->ending = false;
}

static int fork_it(struct keeper_process *k, const struct settings *s)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		return -errno;
	k->control = pair[0];
	k->pid = fork();
	if (k->pid == 0)
		keeper_process(s, pair[1]);
	close(pair[1]);
	return k->pid < 0 ? -errno : 0;
}

static void kill_and_wait(struct keeper_process *k)
{
	if (k->pid > 0) {
		kill(k->pid, SIGKILL);
		while (waitpid(k->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	forget(k);
}

int keeper_process_start(struct keeper_process *k, const struct settings *s)
{
	uint64_t pause = (uint64_t)KEEPER_RETRY_MS << (k->failures < 7 ? k->failures : 7);
	int r = -ENOMEM;

	k->identity = keeper_identity(s);
	if (k->identity)
		r = fork_it(k, s);
	if (r == 0)
		r = wait_for_hello(k->control);
	k->due_ms = front_now_ms() + (pause < KEEPER_RETRY_MAX_MS ? pause : KEEPER_RETRY_MAX_MS);
	if (r < 0) {
		k->failures++;
		log_errno(-r, "the keeper of %s does not start", s->config.state_dir);
		kill_and_wait(k);
		return r;
	}
	k->failures = 0;
	return 0;
}

bool keeper_process_fits(const struct keeper_process *k, const struct settings *s)
{
	char *identity = s ? keeper_identity(s) : NULL;
	bool same = identity && k->identity && strcmp(identity, k->identity) == 0;

	free(identity);
	return same;
}

int keeper_process_connect(struct keeper_process *k)
{
	const struct channel_message m = { .type = CONTROL_KEEPER };
	int pair[2], r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		return -errno;
	r = channel_send(k->control, &m, &pair[1], 1);
	close(pair[1]);
	if (r == 0)
		return pair[0];
	close(pair[0]);
	return r;
}

void keeper_process_end(struct keeper_process *k)
{
	const struct channel_message m = { .type = CONTROL_DRAIN };

	k->ending = true;
	k->end_by_ms = front_now_ms() + 2 * KEEPER_END_MS;
	if (channel_send(k->control, &m, NULL, 0) < 0)
		kill(k->pid, SIGKILL);
}

void keeper_process_look(const struct keeper_process *k)
{
	if (k->pid > 0 && k->ending && front_now_ms() >= k->end_by_ms)
		kill(k->pid, SIGKILL);
}

bool keeper_process_reap(struct keeper_process *k)
{
	bool expected = k->ending;
	int status;

	if (k->pid <= 0 || waitpid(k->pid, &status, WNOHANG) != k->pid)
		return false;
	forget(k);
	if (!expected)
		log_line("the keeper has ended with wait status 0x%x; starting another", (unsigned)status);
	else
		k->due_ms = 0;
	return true;
}

void keeper_process_finish(struct keeper_process *k)
{
	const struct timespec pause = { .tv_nsec = 5000000 };

	if (k->pid > 0 && !k->ending)
		keeper_process_end(k);
	while (k->pid > 0 && !keeper_process_reap(k)) {
		keeper_process_look(k);
		nanosleep(&pause, NULL);
	}
}
