/* See monitor.h.
 *
 * A front and its zygotes are a crew.  SIGHUP starts a second crew with the new settings on the same listening
 * socket; when that one is ready, the first is told to drain and ends: nothing is ever changed inside a running
 * front, and a configuration that does not work never takes over.
 *
 * A keeper, where one is configured, belongs to no crew: see keeper.h. */
#include "monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "channel.h"
#include "clock.h"
#include "control.h"
#include "keeper_process.h"
#include "launch.h"
#include "listen.h"
#include "log.h"
#include "role.h"
#include "sandbox.h"

#define CREWS_MAX 4         /* one working, one coming, others still draining */
#define CREW_ZYGOTES_MAX 16 /* one working, others finishing; with all alive there is no new one */
#define RETRY_MS 1000       /* between attempts to start a zygote or a front that fail */
#define PACE_MS 200         /* between zygotes that start well: the front retires one a second at most */
#define FAILURES_MAX 10     /* in a row: then it is the service manager's turn */
#define STOP_GRACE_S 5      /* beyond drain_seconds */

struct crew {
	struct settings *settings; /* NULL: this place is free */
	int packed;                /* the same, for its front */
	uint64_t age;              /* which configuration this is: later ones have higher numbers */
	pid_t front;               /* 0: not running */
	int control;
	bool ready, draining;
	bool kept; /* its front has a channel to the keeper */
	pid_t zygotes[CREW_ZYGOTES_MAX];
	pid_t latest; /* the zygote of this number: */
	uint64_t number;
	bool wanted;     /* a zygote, and there is none yet */
	uint64_t due_ms; /* not before: next zygote, or next front */
};

struct monitor {
	int argc;
	char *const *argv;
	int signals, worker_fd, self_fd;
	struct listeners listeners;
	struct crew crews[CREWS_MAX];
	struct keeper_process keeper;
	uint64_t latest_age; /* of all crews that there were */
	unsigned failures;   /* starts in a row that came to nothing */
	bool was_ready, stopping;
	uint64_t stop_by_ms;
	int exit_status;
};

/* ---- crews ---- */

static void crew_start_front(struct monitor *m, struct crew *c)
{
	int pair[2];
	pid_t pid;

	c->due_ms = clock_now_ms() + RETRY_MS;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0) {
		log_errno(errno, "cannot start a front");
		return;
	}
	pid = launch(m->self_fd, ROLE_FRONT,
	    (const int[]){ pair[1], c->packed, m->listeners.http.fd, m->listeners.clamd.fd }, 4);
	close(pair[1]);
	if (pid < 0) {
		log_errno(-pid, "cannot start a front");
		close(pair[0]);
		return;
	}
	c->front = pid;
	c->control = pair[0];
	c->ready = c->wanted = c->kept = false;
	c->number = 0;
	c->latest = 0;
}

static struct crew *crew_new(struct monitor *m, struct settings *s)
{
	for (size_t i = 0; i < CREWS_MAX; i++) {
		struct crew *c = &m->crews[i];

		if (c->settings)
			continue;
		*c = (struct crew){ .settings = s, .packed = settings_pack(s), .age = ++m->latest_age, .control = -1 };
		crew_start_front(m, c);
		return c;
	}
	return NULL;
}

static void crew_kill_zygotes(struct crew *c)
{
	for (size_t i = 0; i < CREW_ZYGOTES_MAX; i++) {
		if (c->zygotes[i] > 0)
			kill(c->zygotes[i], SIGKILL);
	}
}

static bool crew_has_processes(const struct crew *c)
{
	bool any = c->front > 0;

	for (size_t i = 0; i < CREW_ZYGOTES_MAX; i++)
		any = any || c->zygotes[i] > 0;
	return any;
}

static bool crew_tell(const struct crew *c, const struct channel_message *msg, const int *fd)
{
	return c->control >= 0 && channel_send(c->control, msg, fd, fd ? 1 : 0) == 0;
}

static void crew_drain(struct crew *c)
{
	const struct channel_message msg = { .type = CONTROL_DRAIN };

	c->draining = true;
	(void)crew_tell(c, &msg, NULL);
}

static void fail(struct monitor *m)
{
	/* Until the first READY an operator is watching: one failure is enough. */
	if (m->was_ready && ++m->failures < FAILURES_MAX)
		return;
	m->exit_status = EXIT_FAILURE;
	m->stopping = true;
	m->stop_by_ms = 0;
}

static void log_layers(const struct zygote *z)
{
	for (unsigned i = 0; i < SANDBOX_N_LAYERS; i++) {
		const struct sandbox_layer_info *info = sandbox_layer_info((enum sandbox_layer)i);

		if (info->mandatory && z->layer_errno[i] > 0)
			log_errno(z->layer_errno[i], "mandatory layer %s is missing (%s)", info->name, info->remedy);
	}
}

static pid_t *free_zygote_place(struct crew *c)
{
	for (size_t i = 0; i < CREW_ZYGOTES_MAX; i++) {
		if (c->zygotes[i] == 0)
			return &c->zygotes[i];
	}
	return NULL;
}

static void crew_start_zygote(struct monitor *m, struct crew *c)
{
	struct channel_message msg = { .type = CONTROL_ZYGOTE };
	pid_t *place = free_zygote_place(c);
	struct zygote z;
	int r;

	c->due_ms = clock_now_ms() + RETRY_MS;
	if (!place)
		return;
	r = zygote_start(m->worker_fd, sandbox_build_id(), &z);
	if (r < 0) {
		log_errno(-r, "cannot start %s", c->settings->config.worker);
		log_layers(&z);
		fail(m);
		return;
	}
	c->due_ms = clock_now_ms() + PACE_MS;
	*place = z.pid;
	msg.id = c->number + 1;
	for (size_t i = 0; i < SANDBOX_N_LAYERS; i++)
		msg.layer_errno[i] = z.layer_errno[i];
	if (crew_tell(c, &msg, &z.channel)) {
		c->latest = z.pid;
		c->number++;
		c->wanted = false;
	}
	close(z.channel); /* the front's alone: when the front goes, the zygote goes */
}

/* ---- the keeper ---- */

/* Whose settings it is to have: those of the crew that takes requests; while that has no use for one, of another that
 * still does. */
static const struct settings *keeper_settings(const struct monitor *m)
{
	const struct settings *any = NULL;

	for (size_t i = 0; i < CREWS_MAX; i++) {
		const struct crew *c = &m->crews[i];

		if (!c->settings || !settings_keep(c->settings))
			continue;
		if (c->ready && !c->draining)
			return c->settings;
		any = c->settings;
	}
	return any;
}

static void keeper_start(struct monitor *m, const struct settings *s)
{
	if (keeper_process_start(&m->keeper, m->self_fd, s) == 0)
		return;
	if (!m->was_ready)
		fail(m);
}

/* A front that cannot take the message now is given another channel later. */
static void keeper_give(struct monitor *m, struct crew *c)
{
	const struct channel_message msg = { .type = CONTROL_KEEPER };
	int fd = keeper_process_connect(&m->keeper);

	if (fd < 0)
		return;
	c->kept = crew_tell(c, &msg, &fd);
	close(fd);
}

/* The one there should be, with a channel to each front that wants one. */
static void keeper_step(struct monitor *m)
{
	const struct settings *s = keeper_settings(m);
	struct keeper_process *k = &m->keeper;

	keeper_process_look(k);
	if (k->pid > 0 && !k->ending && !keeper_process_fits(k, s))
		keeper_process_end(k);
	if (k->pid == 0 && s && clock_now_ms() >= k->due_ms)
		keeper_start(m, s);
	for (size_t i = 0; i < CREWS_MAX && k->pid > 0 && !k->ending; i++) {
		struct crew *c = &m->crews[i];

		if (c->settings && c->front > 0 && !c->kept && settings_keep(c->settings))
			keeper_give(m, c);
	}
}

static void keeper_reap(struct monitor *m)
{
	if (!keeper_process_reap(&m->keeper))
		return;
	for (size_t i = 0; i < CREWS_MAX; i++)
		m->crews[i].kept = false;
}

/* ---- reload ---- */

static int reload(struct monitor *m)
{
	char error[POLICY_ERROR_MAX];
	enum config_what what;
	struct settings *s;

	if (settings_load(m->argc, m->argv, &s, &what, error) < 0) {
		log_line("not reloaded: %s", error);
		return -EINVAL;
	}
	if (!crew_new(m, s)) {
		log_line("not reloaded: earlier fronts are still draining");
		settings_free(s);
		return -EBUSY;
	}
	log_line("reloading");
	return 0;
}

static bool crew_is_coming(const struct monitor *m)
{
	for (size_t i = 0; i < CREWS_MAX; i++) {
		if (m->crews[i].settings && !m->crews[i].ready && !m->crews[i].draining)
			return true;
	}
	return false;
}

/* A front can ask for no more than one at a time, and not once it is being replaced. */
static void on_want_reload(struct monitor *m, const struct crew *c)
{
	struct channel_message msg = { .type = CONTROL_RELOAD, .status = -EBUSY };

	if (!m->stopping && !c->draining && !crew_is_coming(m))
		msg.status = reload(m);
	(void)crew_tell(c, &msg, NULL);
}

/* ---- messages ---- */

/* It takes over from those before it, and from no other: a later one may be coming.  One that was told to drain may
 * have got ready in that moment, and takes over from nobody. */
static void on_ready(struct monitor *m, struct crew *c)
{
	if (c->draining)
		return;
	c->ready = true;
	m->failures = 0;
	for (size_t i = 0; i < CREWS_MAX; i++) {
		struct crew *other = &m->crews[i];

		if (other->settings && other->age < c->age && !other->draining)
			crew_drain(other);
	}
	if (m->stopping)
		return;
	log_line(
	    "ready: listening on %s", m->listeners.http.path ? m->listeners.http.path : "the service manager's socket");
	m->was_ready = true;
	sd_notify(0, "READY=1");
}

static void on_want(struct crew *c, const struct channel_message *msg)
{
	if (msg->id != c->number)
		return; /* asked and answered */
	c->wanted = true;
	if (msg->status && c->latest > 0)
		kill(c->latest, SIGKILL);
}

static void on_control(struct monitor *m, struct crew *c)
{
	struct channel_message msg;
	int fds[CHANNEL_FDS_MAX];
	int r;

	while ((r = channel_recv(c->control, &msg, fds)) > 0) {
		for (size_t i = 0; i < CHANNEL_FDS_MAX; i++) {
			if (fds[i] >= 0)
				close(fds[i]);
		}
		switch (msg.type) {
		case CONTROL_READY: on_ready(m, c); break;
		case CONTROL_ALIVE: sd_notify(0, "WATCHDOG=1"); break;
		case CONTROL_WANT_ZYGOTE: on_want(c, &msg); break;
		case CONTROL_WANT_RELOAD: on_want_reload(m, c); break;
		default: break;
		}
	}
	if (r != -EAGAIN) { /* it is ending: SIGCHLD says the rest */
		close(c->control);
		c->control = -1;
	}
}

/* ---- the dead ---- */

static bool other_is_ready(const struct monitor *m, const struct crew *c)
{
	for (size_t i = 0; i < CREWS_MAX; i++) {
		const struct crew *other = &m->crews[i];

		if (other != c && other->settings && other->ready && !other->draining)
			return true;
	}
	return false;
}

static void on_front_dead(struct monitor *m, struct crew *c, int status)
{
	bool expected = c->draining || m->stopping;

	c->front = 0;
	c->wanted = false;
	if (c->control >= 0)
		close(c->control);
	c->control = -1;
	crew_kill_zygotes(c);
	if (expected)
		return;
	log_line("the front has ended with wait status 0x%x", (unsigned)status);
	if (!c->ready && other_is_ready(m, c)) {
		log_line("not reloaded: the front with the new configuration did not get ready");
		c->draining = true;
		return;
	}
	fail(m);
}

static void reap(struct monitor *m)
{
	int status;

	keeper_reap(m);
	for (size_t i = 0; i < CREWS_MAX; i++) {
		struct crew *c = &m->crews[i];

		for (size_t k = 0; k < CREW_ZYGOTES_MAX; k++) {
			if (c->zygotes[k] <= 0 || waitpid(c->zygotes[k], NULL, WNOHANG) != c->zygotes[k])
				continue;
			if (c->latest == c->zygotes[k])
				c->latest = 0;
			c->zygotes[k] = 0;
		}
		if (c->front > 0 && waitpid(c->front, &status, WNOHANG) == c->front)
			on_front_dead(m, c, status);
	}
}

/* ---- signals ---- */

static void kill_all(struct monitor *m)
{
	for (size_t i = 0; i < CREWS_MAX; i++) {
		if (m->crews[i].front > 0)
			kill(m->crews[i].front, SIGKILL);
		crew_kill_zygotes(&m->crews[i]);
	}
}

static void stop(struct monitor *m)
{
	unsigned longest = 0;

	if (m->stopping) { /* asked twice: now */
		kill_all(m);
		return;
	}
	m->stopping = true;
	sd_notify(0, "STOPPING=1");
	for (size_t i = 0; i < CREWS_MAX; i++) {
		struct crew *c = &m->crews[i];

		if (!c->settings)
			continue;
		if (c->settings->config.drain_seconds > longest)
			longest = c->settings->config.drain_seconds;
		crew_drain(c);
	}
	m->stop_by_ms = clock_now_ms() + (longest + STOP_GRACE_S) * UINT64_C(1000);
}

static void on_signals(struct monitor *m)
{
	struct signalfd_siginfo info;

	while (read(m->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT)
			stop(m);
		else if (info.ssi_signo == SIGHUP && !m->stopping)
			(void)reload(m);
	}
	reap(m);
}

/* ---- the loop ---- */

/* Twice a second is often enough for what is due, unless somebody waits for a zygote. */
static int longest_wait_ms(const struct monitor *m)
{
	uint64_t now = clock_now_ms(), wait = 500;

	for (size_t i = 0; i < CREWS_MAX; i++) {
		const struct crew *c = &m->crews[i];
		uint64_t left = c->due_ms > now ? c->due_ms - now : 1;

		if (c->settings && c->wanted && left < wait)
			wait = left;
	}
	return (int)wait;
}

static void wait_for_news(struct monitor *m)
{
	struct pollfd p[1 + CREWS_MAX] = { { .fd = m->signals, .events = POLLIN } };

	for (size_t i = 0; i < CREWS_MAX; i++)
		p[1 + i] = (struct pollfd){ .fd = m->crews[i].settings ? m->crews[i].control : -1, .events = POLLIN };
	if (poll(p, 1 + CREWS_MAX, longest_wait_ms(m)) <= 0)
		return;
	for (size_t i = 0; i < CREWS_MAX; i++) {
		if (p[1 + i].revents)
			on_control(m, &m->crews[i]);
	}
	if (p[0].revents)
		on_signals(m);
}

static void do_what_is_due(struct monitor *m, struct crew *c)
{
	bool due = clock_now_ms() >= c->due_ms;
	bool over = m->stopping && clock_now_ms() >= m->stop_by_ms;

	if (c->front == 0 && (c->draining || m->stopping)) {
		if (crew_has_processes(c))
			return; /* killed zygotes, not reaped yet */
		settings_free(c->settings);
		if (c->packed >= 0)
			close(c->packed);
		*c = (struct crew){ .control = -1 };
	} else if (c->front == 0 && due) {
		crew_start_front(m, c);
	} else if (c->front > 0 && c->wanted && !over && (due || c->number == 0)) {
		crew_start_zygote(m, c);
	}
}

static bool anyone_left(const struct monitor *m)
{
	for (size_t i = 0; i < CREWS_MAX; i++) {
		if (m->crews[i].settings)
			return true;
	}
	return false;
}

static void loop(struct monitor *m)
{
	while (anyone_left(m)) {
		keeper_step(m);
		wait_for_news(m);
		for (size_t i = 0; i < CREWS_MAX; i++) {
			if (m->crews[i].settings)
				do_what_is_due(m, &m->crews[i]);
		}
		if (m->stopping && clock_now_ms() >= m->stop_by_ms)
			kill_all(m);
	}
}

/* ---- the beginning ---- */

static int open_signals(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int set_up(struct monitor *m, const struct config *c)
{
	m->signals = open_signals();
	if (m->signals < 0)
		return m->signals;
	/* Kept for good: an upgrade that replaces the files must not mix two builds. */
	m->self_fd = launch_open_self();
	if (m->self_fd < 0) {
		log_errno(-m->self_fd, "/proc/self/exe");
		return m->self_fd;
	}
	m->worker_fd = open(c->worker, O_PATH | O_CLOEXEC);
	if (m->worker_fd < 0) {
		int error = errno;

		log_errno(error, "worker %s", c->worker);
		return -error;
	}
	return listen_open(c, &m->listeners);
}

int monitor_run(int argc, char *const argv[], struct settings *s)
{
	struct monitor m = { .argc = argc, .argv = argv, .keeper.control = -1, .exit_status = EXIT_SUCCESS };

	for (size_t i = 0; i < CREWS_MAX; i++)
		m.crews[i].control = -1;
	if (set_up(&m, &s->config) < 0) {
		settings_free(s);
		return EXIT_FAILURE;
	}
	crew_new(&m, s);
	loop(&m);
	if (!m.stopping) { /* nobody asked for it: the service manager is to start us again */
		log_line("no front is left, and none was to end: this is a mistake of ours");
		m.exit_status = EXIT_FAILURE;
	}
	keeper_process_finish(&m.keeper); /* last: fronts have things kept to their end */
	listen_done(&m.listeners);
	return m.exit_status;
}
