/* The zygote: everything a worker needs is loaded, nothing of any client is.  It waits for two things: a message
 * from the front, or a word from a worker (or a digester, which is one to it): that it has taken its job, or, by its end, that it is done.
 *
 * Rule of its protocol: each JOB or DIGESTER gets exactly one EXITED, whatever happens.  When the front closes the channel the
 * zygote takes no new job and ends when its last worker has: that is how one is retired.
 *
 * Rule of its own: it never holds a client's descriptor, because close(2) waits for the storage behind it (FUSE and
 * NFS flush on every close, not just the last), and a client can choose storage that never answers.  So it only peeks
 * at a JOB, forks, and the worker takes the message with its descriptors out of the channel.  Until it has said so
 * (TAKEN), or has ended, the zygote does not look at the channel again: what lies there first is that JOB still. */
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

#define TAKEN SIGUSR1

struct child {
	uint64_t id;
	pid_t pid;
};

struct serving {
	int channel;  /* -1 once the front has closed it */
	int signals;  /* readable when a child has ended or has TAKEN its job */
	pid_t taking; /* the child whose job is still the channel's first message, or 0 */
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

/* Payload and appendix are one to the worker. */
struct job_bytes {
	bool digester; /* it is none: a digester is wanted */
	size_t n;
	uint8_t at[CHANNEL_PAYLOAD_MAX + CHANNEL_APPENDIX_MAX];
};

/* In the worker: its descriptors arrive where the jail wants them, for these are the lowest numbers free. */
static bool take_job(const struct serving *s, pid_t zygote_pid, struct job_bytes *ret)
{
	static uint8_t appendix[CHANNEL_APPENDIX_MAX];
	struct channel_message m;
	int fds[CHANNEL_FDS_MAX];

	close(s->signals);
	if (channel_recv_with(s->channel, &m, appendix, fds) != 1)
		return false;
	(void)kill(zygote_pid, TAKEN);
	memcpy(ret->at, m.payload, m.payload_n);
	memcpy(ret->at + m.payload_n, appendix, m.appendix_n);
	ret->n = m.payload_n + m.appendix_n;
	ret->digester = m.type == CHANNEL_DIGESTER;
	if (ret->digester)
		return fds[0] == SANDBOX_IN_FD && fds[1] == -1;
	return fds[0] == SANDBOX_IN_FD && fds[1] == SANDBOX_OUT_FD && (fds[2] == -1 || fds[2] == SANDBOX_THIRD_FD) &&
	       (fds[3] == -1 || fds[3] == SANDBOX_FOURTH_FD);
}

static _Noreturn void worker_main(const struct serving *s, pid_t zygote_pid)
{
	static struct job_bytes job;

	if (!take_job(s, zygote_pid, &job))
		_exit(SANDBOX_EXIT_JAIL);
	if (job.digester)
		s->worker->digest(s->worker->ctx, zygote_pid);
	else
		s->worker->run(s->worker->ctx, zygote_pid, job.at, job.n);
	_exit(SANDBOX_EXIT_JAIL);
}

/* Return: 0 and a child in the table, which takes the job; or negative errno, none, and it is still there. */
static int start_worker(struct serving *s, uint64_t id)
{
	const pid_t self = getpid();
	pid_t pid;

	if (child_by_id(s, id) != NULL)
		return -EEXIST;
	if (s->n_children == CHANNEL_WORKERS_MAX)
		return -EAGAIN;
	/* Not fork(3), whose handlers write to pages that must then be copied: no thread here holds a lock. */
	pid = _Fork();
	if (pid < 0)
		return -errno;
	if (pid == 0)
		worker_main(s, self);
	s->children[s->n_children++] = (struct child){ .id = id, .pid = pid };
	s->taking = pid;
	return 0;
}

static void on_job(struct serving *s, uint64_t id)
{
	int r = start_worker(s, id);

	if (r == 0)
		return;
	/* The front still holds the descriptors, so letting go of them here waits for nothing. */
	(void)channel_drop(s->channel);
	answer(s, CHANNEL_EXITED, id, 0, r);
}

static void on_cancel(struct serving *s, uint64_t id)
{
	const struct child *c = child_by_id(s, id);

	/* Not reaped yet, so the pid is still its own. */
	if (c != NULL)
		(void)kill(c->pid, SIGKILL);
}

/* A message that is not a job.  Return: 0 or negative errno when the channel is broken. */
static int on_order(struct serving *s, const struct channel_message *m)
{
	int r = channel_drop(s->channel);

	if (r < 0)
		return r;
	switch (m->type) {
	case CHANNEL_CANCEL: on_cancel(s, m->id); return 0;
	case CHANNEL_PING: answer(s, CHANNEL_PONG, m->id, 0, 0); return 0;
	default: return -EPROTO;
	}
}

/* Return: 0, or negative errno when the channel is broken. */
static int on_channel(struct serving *s)
{
	struct channel_message m;
	int r = channel_peek(s->channel, &m);

	if (r == -EAGAIN)
		return 0;
	if (r == 0)
		s->channel = -1;
	if (r <= 0)
		return r;
	if (m.type != CHANNEL_JOB && m.type != CHANNEL_DIGESTER)
		return on_order(s, &m);
	on_job(s, m.id);
	return 0;
}

static void read_signals(struct serving *s)
{
	struct signalfd_siginfo info[4]; /* of two kinds of signal at most two wait */
	ssize_t n = read(s->signals, info, sizeof(info));

	for (ssize_t i = 0; i < n / (ssize_t)sizeof(info[0]); i++)
		if (info[i].ssi_signo == TAKEN && (pid_t)info[i].ssi_pid == s->taking)
			s->taking = 0;
}

/* A child has ended without a word about its job.  Was it killed before it took it, or just after? */
static void clear_job(struct serving *s, uint64_t id)
{
	struct channel_message m;

	s->taking = 0;
	if (channel_peek(s->channel, &m) == 1 && (m.type == CHANNEL_JOB || m.type == CHANNEL_DIGESTER) && m.id == id)
		(void)channel_drop(s->channel);
}

static void on_end(struct serving *s, struct child *c, int status)
{
	if (c->pid == s->taking)
		read_signals(s); /* its word may have come since */
	if (c->pid == s->taking)
		clear_job(s, c->id);
	answer(s, CHANNEL_EXITED, c->id, status, 0);
	*c = s->children[--s->n_children];
}

static void reap_children(struct serving *s)
{
	int status;
	pid_t pid;

	/* One signal may stand for several children: drained first, then all are asked for. */
	read_signals(s);
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		struct child *c = child_by_pid(s, pid);

		if (c != NULL)
			on_end(s, c, status);
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
			{ .fd = s->taking != 0 ? -1 : s->channel, .events = POLLIN }, /* -1 is skipped by poll */
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
	return r;
}

int zygote_serve(int channel, const struct zygote_worker *worker)
{
	struct serving s = { .channel = channel, .worker = worker };
	sigset_t words;
	int r;

	/* Stays blocked in the workers, which have no children and no handler. */
	sigemptyset(&words);
	sigaddset(&words, SIGCHLD);
	sigaddset(&words, TAKEN);
	if (sigprocmask(SIG_BLOCK, &words, NULL) < 0)
		return -errno;
	s.signals = signalfd(-1, &words, SFD_CLOEXEC | SFD_NONBLOCK);
	if (s.signals < 0)
		return -errno;
	r = loop(&s);
	close(s.signals);
	return r;
}
