/* See monitor.h. */
#include "monitor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <systemd/sd-daemon.h>
#include <unistd.h>

#include "births.h"
#include "channel.h"
#include "child.h"
#include "clock.h"
#include "crews.h"
#include "keepers.h"
#include "listen.h"
#include "role.h"

#define LOOK_MS 500 /* how often it looks, if nothing happens */
#define RELAY_MS \
	20 /* between looks at a front's log: a line a verdict would otherwise be a change of process a verdict */

struct crew {
	struct settings *settings; /* NULL: this place is free */
	int packed;                /* the same, for its front */
	struct journal journal;
	struct child front;
	struct births births;
	bool has_keeper;     /* its front has a channel ... */
	unsigned generation; /* ... to the keeper of this time */
};

struct monitor {
	int argc;
	char *const *argv;
	int signals, worker_fd, self_fd;
	struct listeners listeners;
	struct crews crews;
	struct crew of[CREWS_MAX];
	struct keepers keepers;
	uint64_t relay_ms; /* not before: fronts' logs */
};

static void carry_out(struct monitor *m, const struct crew_orders *o);

static void tell_crews(struct monitor *m, size_t i, enum crew_event e)
{
	struct crew_orders o = { { 0 } };

	crews_on(&m->crews, i, e, clock_now_ms(), &o);
	carry_out(m, &o);
}

static bool is_alive(const struct crew *c)
{
	return c->front.pid > 0;
}

static bool tell_front(const struct crew *c, uint32_t type, int status)
{
	const struct channel_message msg = { .type = type, .status = status };

	return child_tell(&c->front, &msg, NULL);
}

/* ---- what crews.c orders ---- */

static void start_front(struct monitor *m, size_t i)
{
	struct crew *c = &m->of[i];
	int r;

	child_forget(&c->front, &c->journal); /* one that was late, and did not even end when it was killed */
	r = child_start(&c->front, &(struct child_start){ .self = m->self_fd,
				       .role = ROLE_FRONT,
				       .settings = c->packed,
				       .http = m->listeners.http.fd,
				       .clamd = m->listeners.clamd.fd,
				       .journal = c->journal.fd >= 0 });

	c->has_keeper = false;
	if (r == 0)
		return;
	log_errno(-r, "cannot start a front");
	tell_crews(m, i, CREW_FRONT_LOST);
}

static void say_ready(const struct monitor *m)
{
	log_line(
	    "ready: listening on %s", m->listeners.http.path ? m->listeners.http.path : "the service manager's socket");
	sd_notify(0, "READY=1");
}

static void forget_crew(struct crew *c)
{
	child_forget(&c->front, &c->journal);
	births_end(&c->births);
	settings_free(c->settings);
	if (c->packed >= 0)
		close(c->packed);
	journal_close(&c->journal);
	*c = (struct crew){ .packed = -1, .journal.fd = -1, .front = CHILD_NONE, .births = BIRTHS_NONE };
}

static void carry_out_one(struct monitor *m, size_t i, unsigned todo)
{
	struct crew *c = &m->of[i];

	if (todo & CREW_SAY_REFUSED)
		log_line("not reloaded: the front with the new configuration did not get ready");
	if (todo & CREW_SAY_LATE)
		log_line("a front is late, and is killed");
	if (todo & CREW_SAY_STUCK)
		log_line("a front does not even end when it is killed (storage that hangs?); it is left alone");
	if (todo & CREW_KILL) {
		child_kill(&c->front);
		births_end(&c->births);
	}
	if (todo & CREW_TELL_DRAIN)
		(void)tell_front(c, CONTROL_DRAIN, !m->crews.stopping);
	if (todo & CREW_FORGET)
		forget_crew(c);
	if (todo & CREW_START)
		start_front(m, i);
	if (todo & CREW_SERVE)
		say_ready(m);
}

static void carry_out(struct monitor *m, const struct crew_orders *o)
{
	for (size_t i = 0; i < CREWS_MAX; i++)
		carry_out_one(m, i, o->of[i]);
}

/* ---- configurations ---- */

/* Return: 0; negative errno, and @s is the caller's. */
static int begin_crew(struct monitor *m, struct settings *s)
{
	struct crew_orders o = { { 0 } };
	struct journal journal;
	int i, packed, r = journal_open(s->config.journal, &journal);

	if (r < 0) {
		log_errno(-r, "journal %s", s->config.journal);
		return r;
	}
	packed = settings_pack(s);
	i = packed < 0 ? -1 : crews_begin(&m->crews, s->config.drain_seconds * UINT64_C(1000), clock_now_ms(), &o);
	if (i < 0) {
		journal_close(&journal);
		if (packed >= 0)
			close(packed);
		return packed < 0 ? packed : -EBUSY;
	}
	m->of[i] = (struct crew){
		.settings = s, .packed = packed, .journal = journal, .front = CHILD_NONE, .births = BIRTHS_NONE
	};
	keepers_try_again(&m->keepers);
	carry_out(m, &o);
	return 0;
}

static int reload(struct monitor *m)
{
	char error[POLICY_ERROR_MAX];
	enum config_what what;
	struct settings *s;
	int r;

	if (settings_load(m->argc, m->argv, &s, &what, error) < 0) {
		log_line("not reloaded: %s", error);
		return -EINVAL;
	}
	r = begin_crew(m, s);
	if (r == 0) {
		log_line("reloading");
		return 0;
	}
	settings_free(s);
	if (r == -EBUSY)
		log_line("not reloaded: earlier fronts are still draining");
	else
		log_errno(-r, "not reloaded");
	return r;
}

/* ---- words ---- */

/* A front can ask for no more than one at a time, and not once it is being replaced. */
static void on_want_reload(struct monitor *m, size_t i)
{
	bool may = !m->crews.stopping && m->crews.of[i].phase == CREW_SERVING && crews_coming(&m->crews) < 0;

	(void)tell_front(&m->of[i], CONTROL_RELOAD, may ? reload(m) : -EBUSY);
}

static void on_word(struct monitor *m, size_t i, const struct control_word *w)
{
	switch (w->type) {
	case CONTROL_READY: tell_crews(m, i, CREW_FRONT_READY); break;
	case CONTROL_ALIVE: sd_notify(0, "WATCHDOG=1"); break;
	case CONTROL_WANT_ZYGOTE: births_ask(&m->of[i].births, w->id, w->status != 0); break;
	case CONTROL_WANT_RELOAD: on_want_reload(m, i); break;
	default: break;
	}
}

static void hear_front(struct monitor *m, size_t i)
{
	struct control_word words[CHILD_WORDS_MAX];
	size_t n = child_hear(&m->of[i].front, words);

	for (size_t k = 0; k < n && is_alive(&m->of[i]); k++)
		on_word(m, i, &words[k]);
}

static void relay_logs(struct monitor *m)
{
	uint64_t now = clock_now_ms();
	bool any = false;

	for (size_t i = 0; i < CREWS_MAX && now >= m->relay_ms; i++)
		any = child_relay(&m->of[i].front, &m->of[i].journal) || any;
	if (any)
		m->relay_ms = now + RELAY_MS;
}

/* ---- zygotes ---- */

static void log_layers(const struct zygote *z)
{
	for (unsigned i = 0; i < SANDBOX_N_LAYERS; i++) {
		const struct sandbox_layer_info *info = sandbox_layer_info((enum sandbox_layer)i);

		if (info->mandatory && z->layer_errno[i] > 0)
			log_errno(z->layer_errno[i], "mandatory layer %s is missing (%s)", info->name, info->remedy);
	}
}

static void give_zygote(struct crew *c)
{
	struct channel_message msg = { .type = CONTROL_ZYGOTE, .id = c->births.number + 1 };

	for (size_t i = 0; i < SANDBOX_N_LAYERS; i++)
		msg.layer_errno[i] = c->births.coming.layer_errno[i];
	if (child_tell(&c->front, &msg, &c->births.coming.channel))
		births_given(&c->births, clock_now_ms());
}

static void step_births(struct monitor *m, size_t i)
{
	struct crew *c = &m->of[i];
	int r;

	if (!is_alive(c))
		return;
	r = births_step(&c->births, m->worker_fd, clock_now_ms());
	if (r == 0 && c->births.phase == BIRTH_COMING)
		r = births_hear(&c->births, clock_now_ms());
	if (c->births.phase == BIRTH_READY)
		give_zygote(c);
	if (r == 0 || r == -EAGAIN)
		return;
	log_errno(-r, "cannot start %s", c->settings->config.worker);
	log_layers(&c->births.failed);
	tell_crews(m, i, CREW_ZYGOTE_FAILED);
}

/* ---- the keeper ---- */

/* Whose settings it is to have: those of the crew that takes requests; while that has no use for one, of another that
 * still does. */
static const struct settings *kept_for(const struct monitor *m)
{
	const struct settings *any = NULL;

	for (size_t i = 0; i < CREWS_MAX; i++) {
		enum crew_phase phase = m->crews.of[i].phase;

		if (!m->of[i].settings || !settings_keep(m->of[i].settings) || phase == CREW_COMING ||
		    phase == CREW_PROVEN)
			continue;
		if (phase == CREW_SERVING)
			return m->of[i].settings;
		any = m->of[i].settings;
	}
	return any;
}

static const struct settings *coming_for(const struct monitor *m)
{
	int i = crews_coming(&m->crews);

	return i >= 0 && settings_keep(m->of[i].settings) ? m->of[i].settings : NULL;
}

/* A front that cannot take the message now is given another channel later. */
static void give_keeper(struct monitor *m, struct crew *c)
{
	const struct channel_message msg = { .type = CONTROL_KEEPER };
	int fd;

	if (c->has_keeper && c->generation == m->keepers.generation)
		return;
	fd = keepers_connect(&m->keepers);
	if (fd < 0)
		return;
	c->has_keeper = child_tell(&c->front, &msg, &fd);
	c->generation = m->keepers.generation;
	close(fd);
}

static void step_keepers(struct monitor *m)
{
	const struct keepers_means means = { .self = m->self_fd };

	keepers_step(&m->keepers, &means, kept_for(m), coming_for(m), clock_now_ms());
	for (size_t i = 0; i < CREWS_MAX; i++) {
		struct crew *c = &m->of[i];
		enum crew_phase phase = m->crews.of[i].phase;
		enum keepers_say say;

		if (is_alive(c) && settings_keep(c->settings))
			give_keeper(m, c);
		if (phase != CREW_PROVEN && phase != CREW_COMING)
			continue;
		say = keepers_say(&m->keepers, c->settings);
		if (say != KEEPERS_WAIT)
			tell_crews(m, i, say == KEEPERS_READY ? CREW_KEEPER_READY : CREW_KEEPER_FAILED);
	}
}

/* ---- the dead ---- */

static bool is_front_reaped(struct monitor *m, pid_t pid, int status)
{
	for (size_t i = 0; i < CREWS_MAX; i++) {
		struct crew *c = &m->of[i];
		enum crew_phase phase = m->crews.of[i].phase;

		if (c->front.pid != pid)
			continue;
		child_forget(&c->front, &c->journal);
		if (phase != CREW_DRAINING && phase != CREW_ENDING)
			log_line("the front has ended with wait status 0x%x", (unsigned)status);
		tell_crews(m, i, CREW_FRONT_LOST);
		return true;
	}
	return false;
}

/* One that was given up may end after all, and is nobody's. */
static void reap(struct monitor *m)
{
	const struct keepers_means means = { .self = m->self_fd };
	pid_t pid;
	int status;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		bool found =
		    keepers_reaped(&m->keepers, &means, pid, status, clock_now_ms()) || is_front_reaped(m, pid, status);

		for (size_t i = 0; i < CREWS_MAX && !found; i++)
			found = births_reaped(&m->of[i].births, pid);
	}
}

/* ---- the loop ---- */

static void on_signals(struct monitor *m)
{
	struct crew_orders o = { { 0 } };
	struct signalfd_siginfo info;

	while (read(m->signals, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGINT) {
			sd_notify(0, "STOPPING=1");
			crews_stop(&m->crews, clock_now_ms(), &o);
		} else if (info.ssi_signo == SIGHUP && !m->crews.stopping) {
			(void)reload(m);
		}
	}
	carry_out(m, &o);
}

static void step_crews(struct monitor *m)
{
	struct crew_orders o = { { 0 } };

	crews_tick(&m->crews, clock_now_ms(), &o);
	carry_out(m, &o);
	for (size_t i = 0; i < CREWS_MAX; i++) {
		struct crew *c = &m->of[i];

		if (c->settings)
			hear_front(m, i);
		step_births(m, i);
		if (m->crews.of[i].phase == CREW_ENDING && !is_alive(c) && !births_any(&c->births))
			tell_crews(m, i, CREW_ALL_GONE);
	}
}

static uint64_t min_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int longest_wait_ms(const struct monitor *m)
{
	uint64_t now = clock_now_ms(), due = min_of(crews_due_ms(&m->crews), keepers_due_ms(&m->keepers));

	for (size_t i = 0; i < CREWS_MAX; i++) {
		if (is_alive(&m->of[i]))
			due = min_of(due, births_due_ms(&m->of[i].births));
	}
	if (m->relay_ms > now)
		due = min_of(due, m->relay_ms);
	return due <= now ? 1 : (int)min_of(due - now, LOOK_MS);
}

static size_t add_child(struct pollfd *p, size_t n, const struct child *c, bool entries, bool log)
{
	p[n++] = (struct pollfd){ .fd = c->words, .events = POLLIN };
	p[n++] = (struct pollfd){ .fd = entries ? c->entries : -1, .events = POLLIN };
	p[n++] = (struct pollfd){ .fd = log ? c->log : -1, .events = POLLIN };
	return n;
}

static void wait_for_news(const struct monitor *m)
{
	struct pollfd p[1 + 4 * CREWS_MAX + 6] = { { .fd = m->signals, .events = POLLIN } };
	bool room = log_has_room(), relay = clock_now_ms() >= m->relay_ms;
	size_t n = 1;

	for (size_t i = 0; i < CREWS_MAX; i++) {
		n = add_child(p, n, &m->of[i].front, relay, relay && room);
		p[n++] = (struct pollfd){ .fd = births_channel(&m->of[i].births), .events = POLLIN };
	}
	n = add_child(p, n, &m->keepers.now.child, false, room);
	n = add_child(p, n, &m->keepers.next.child, false, room);
	(void)poll(p, (nfds_t)n, longest_wait_ms(m));
}

static void loop(struct monitor *m)
{
	while (crews_any(&m->crews) || keepers_any(&m->keepers)) {
		step_crews(m);
		step_keepers(m);
		relay_logs(m);
		wait_for_news(m);
		on_signals(m);
		reap(m);
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
	int r;

	m->signals = open_signals();
	if (m->signals < 0)
		return m->signals;
	/* Kept for good: an upgrade that replaces the files must not mix two builds. */
	m->self_fd = child_program();
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
	r = listen_open(c, &m->listeners);
	if (r == 0) {
		r = sandbox_monitor();
		if (r < 0)
			log_errno(-r, "the monitor has no filter: is seccomp(2) refused here?");
	}
	return r;
}

static void empty(struct monitor *m, int argc, char *const argv[])
{
	*m = (struct monitor){ .argc = argc, .argv = argv, .keepers = KEEPERS_NONE };
	for (size_t i = 0; i < CREWS_MAX; i++)
		m->of[i] = (struct crew){ .packed = -1, .journal.fd = -1, .front = CHILD_NONE, .births = BIRTHS_NONE };
}

int monitor_run(int argc, char *const argv[], struct settings *s)
{
	static struct monitor m;

	empty(&m, argc, argv);
	if (set_up(&m, &s->config) < 0 || begin_crew(&m, s) < 0) {
		settings_free(s);
		listen_done(&m.listeners);
		return EXIT_FAILURE;
	}
	loop(&m);
	if (!m.crews.stopping) { /* nobody asked for it: the service manager is to start us again */
		log_line("no front is left, and none was to end: this is a mistake of ours");
		m.crews.failed = true;
	}
	listen_done(&m.listeners);
	return m.crews.failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
