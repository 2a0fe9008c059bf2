/* The zygote: everything a worker needs is loaded, nothing of any client is.  It waits for two things: a message
 * from the front, or the end of a worker.
 *
 * Rule of its protocol: each JOB gets exactly one EXITED, whatever happens.  When the front closes the channel the
 * zygote takes no new job and ends when its last worker has: that is how one is retired. */
#include "zygote.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox.h"

#ifdef WLK_SANITIZED
/* There is no environment to say it in.  Leaks end with the process, and looking for them takes ptrace(2). */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
#endif

struct child {
	uint64_t id;
	pid_t pid;
};

struct serving {
	int channel; /* -1 once the front has closed it */
	int signals; /* readable when a child has ended */
	const struct zygote_worker *worker;
	size_t n_children;
	struct child children[CHANNEL_WORKERS_MAX]; /* alive, in no order */
};

static struct child *child_by_id(struct serving *s, uint64_t id)
{
	for (size_t i = 0; i < s->n_children; i++)
		if (s->children[i].id == id)
			return &s->children[i];
	return NULL;
}

static struct child *child_by_pid(struct serving *s, pid_t pid)
{
	for (size_t i = 0; i < s->n_children; i++)
		if (s->children[i].pid == pid)
			return &s->children[i];
	return NULL;
}

/* A front that is gone no longer asks for answers; that it is gone is seen by the next receive. */
static void answer(const struct serving *s, uint32_t type, uint64_t id, int status, int error)
{
	const struct channel_message m = { .type = type, .id = id, .status = status, .error = error };

	if (s->channel >= 0)
		(void)channel_send(s->channel, &m, NULL, 0);
}

static void close_all(int fds[CHANNEL_FDS_MAX])
{
	for (size_t i = 0; i < CHANNEL_FDS_MAX; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

/* In the worker: put the two descriptors where the jail wants them, whatever numbers they have now (3 is the
 * channel, which goes away by this). */
static bool place_descriptors(const int fds[CHANNEL_FDS_MAX])
{
	int in = fcntl(fds[0], F_DUPFD_CLOEXEC, 10);
	int out = fcntl(fds[1], F_DUPFD_CLOEXEC, 10);

	return in >= 0 && out >= 0 && dup2(in, SANDBOX_IN_FD) >= 0 && dup2(out, SANDBOX_OUT_FD) >= 0;
}

static _Noreturn void worker_main(
    const struct serving *s, pid_t zygote_pid, const struct channel_message *job, const int fds[CHANNEL_FDS_MAX])
{
	if (place_descriptors(fds))
		s->worker->run(s->worker->ctx, zygote_pid, job->payload, job->payload_n);
	_exit(SANDBOX_EXIT_JAIL);
}

/* Return: 0 and a child in the table, or negative errno and none. */
static int start_worker(struct serving *s, const struct channel_message *job, const int fds[CHANNEL_FDS_MAX])
{
	const pid_t self = getpid();
	pid_t pid;

	if (fds[0] < 0 || fds[1] < 0)
		return -EINVAL;
	if (child_by_id(s, job->id) != NULL)
		return -EEXIST;
	if (s->n_children == CHANNEL_WORKERS_MAX)
		return -EAGAIN;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		worker_main(s, self, job, fds);
	s->children[s->n_children++] = (struct child){ .id = job->id, .pid = pid };
	return 0;
}

static void on_job(struct serving *s, const struct channel_message *job, const int fds[CHANNEL_FDS_MAX])
{
	int r = start_worker(s, job, fds);

	if (r < 0)
		answer(s, CHANNEL_EXITED, job->id, 0, r);
}

static void on_cancel(struct serving *s, uint64_t id)
{
	const struct child *c = child_by_id(s, id);

	/* Not reaped yet, so the pid is still its own. */
	if (c != NULL)
		(void)kill(c->pid, SIGKILL);
}

/* Return: 1 when there may be more, 0 when there is none now, negative errno when the channel is broken. */
static int on_channel(struct serving *s)
{
	struct channel_message m;
	int fds[CHANNEL_FDS_MAX];
	int r = channel_recv(s->channel, &m, fds);

	if (r == -EAGAIN)
		return 0;
	if (r == 0) {
		s->channel = -1;
		return 0;
	}
	if (r < 0)
		return r;
	switch (m.type) {
	case CHANNEL_JOB: on_job(s, &m, fds); break;
	case CHANNEL_CANCEL: on_cancel(s, m.id); break;
	case CHANNEL_PING: answer(s, CHANNEL_PONG, m.id, 0, 0); break;
	default: r = -EPROTO; break;
	}
	close_all(fds);
	return r;
}

static void reap_children(struct serving *s)
{
	struct signalfd_siginfo info;
	int status;
	pid_t pid;

	/* One signal may stand for several children: drained first, then all are asked for. */
	while (read(s->signals, &info, sizeof(info)) > 0)
		;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		struct child *c = child_by_pid(s, pid);

		if (c == NULL)
			continue;
		answer(s, CHANNEL_EXITED, c->id, status, 0);
		*c = s->children[--s->n_children];
	}
}

static void kill_children(struct serving *s)
{
	for (size_t i = 0; i < s->n_children; i++)
		(void)kill(s->children[i].pid, SIGKILL);
}

static int loop(struct serving *s)
{
	int r = 0;

	while (r >= 0 && (s->channel >= 0 || s->n_children > 0)) {
		struct pollfd p[] = {
			{ .fd = s->channel, .events = POLLIN }, /* -1 is skipped by poll */
			{ .fd = s->signals, .events = POLLIN },
		};

		if (poll(p, 2, -1) < 0 && errno != EINTR)
			return -errno;
		if (p[1].revents != 0)
			reap_children(s);
		if (p[0].revents != 0)
			r = on_channel(s);
	}
	if (r < 0)
		kill_children(s);
	return r < 0 ? r : 0;
}

int zygote_serve(int channel, const struct zygote_worker *worker)
{
	struct serving s = { .channel = channel, .worker = worker };
	sigset_t chld;
	int r;

	/* Stays blocked in the workers, which have no children and no handler. */
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	if (sigprocmask(SIG_BLOCK, &chld, NULL) < 0)
		return -errno;
	s.signals = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s.signals < 0)
		return -errno;
	r = loop(&s);
	close(s.signals);
	return r;
}
