/* See front.h. */
#include "front.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "channel.h"
#include "clamd.h"
#include "conn.h"
#include "control.h"
#include "jobs.h"
#include "log.h"
#include "role.h"
#include "room.h"
#include "sample.h"
#include "sandbox.h"
#include "zygotes.h"

#define ACCEPTS_PER_TURN 8  /* on each socket; then it is the turn of those who are connected */
#define GONE_PER_TURN 128   /* of those who have left already: they cost next to nothing */
#define ACCEPT_PAUSE_MS 100 /* without descriptors: the listener stays readable, and must not spin */

uint64_t front_now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void front_tell(struct front *f, uint32_t type, uint64_t id, int status)
{
	(void)f;
	role_say(type, id, status);
}

/* What is only kept may be kept later; but no verdict is given where each must be recorded and none can be. */
bool front_is_ready(const struct front *f)
{
	bool kept = f->settings->config.audit == CONFIG_AUDIT_REQUIRED ? keeper_link_is_up(f->keeper) : f->kept;

	return f->proven && !f->draining && (!f->keeper || kept);
}

/* ---- the end ---- */

static void set_accepting(struct front *f, bool on)
{
	struct event *const all[] = { f->listener, f->clamd_listener };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (all[i] && on)
			event_add(all[i], NULL);
		else if (all[i])
			event_del(all[i]);
	}
}

void front_maybe_done(struct front *f)
{
	if (f->draining && f->n_conns == 0 && jobs_active(f->jobs) == 0)
		event_base_loopexit(f->base, NULL);
}

static void on_drained(evutil_socket_t fd, short what, void *ctx)
{
	struct front *f = ctx;

	(void)fd;
	(void)what;
	log_line("drain time is over: %u connections, %zu scans are dropped", f->n_conns, jobs_active(f->jobs));
	event_base_loopexit(f->base, NULL);
}

static void drain(struct front *f)
{
	const struct timeval limit = { .tv_sec = (time_t)f->settings->config.drain_seconds };
	struct clamd *next_clamd;
	struct conn *next;

	if (f->draining)
		return;
	f->draining = true;
	set_accepting(f, false);
	evtimer_del(f->accept_timer);
	evtimer_add(f->drain_timer, &limit);
	for (struct conn *c = f->conns; c; c = next) {
		next = c->next;
		conn_drain(c);
	}
	for (struct clamd *c = f->clamds; c; c = next_clamd) {
		next_clamd = clamd_next(c);
		clamd_drain(c);
	}
	front_maybe_done(f);
}

/* The monitor decides, but a signal sent to the whole service reaches the front first. */
static void on_stop_signal(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd;
	(void)what;
	drain(ctx);
}

static void on_ignored_signal(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd;
	(void)what;
	(void)ctx;
}

/* ---- the listener ---- */

static bool full(const struct front *f)
{
	return f->n_conns - f->n_refused >= f->settings->config.max_connections;
}

static void resume_accepting(struct front *f)
{
	if (!f->draining && !full(f) && !evtimer_pending(f->accept_timer, NULL))
		set_accepting(f, true);
}

void front_conn_closed(struct front *f)
{
	resume_accepting(f);
	front_maybe_done(f);
}

void front_conn_idle(struct front *f)
{
	if (full(f) && !f->draining && !evtimer_pending(f->accept_timer, NULL))
		set_accepting(f, true);
}

static void on_accept_timer(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd;
	(void)what;
	resume_accepting(ctx);
}

/* With the spare descriptor one client can be taken off the queue and let go, instead of waiting in vain. */
static void let_one_go(struct front *f, int listen_fd)
{
	int fd;

	close(f->spare_fd);
	fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0)
		close(fd);
	f->spare_fd = dup(f->control); /* /dev/null is out of reach by now; any descriptor will do */
}

static void accept_failed(struct front *f, int listen_fd, int error)
{
	const struct timeval pause = { .tv_usec = ACCEPT_PAUSE_MS * 1000 };

	f->metrics.accept_failures++;
	if (error == EMFILE || error == ENFILE)
		let_one_go(f, listen_fd);
	set_accepting(f, false);
	evtimer_add(f->accept_timer, &pause);
}

/* Has it left without a word?  Then no descriptor can be in flight either, for they come with a byte. */
static bool is_gone(int fd)
{
	char byte;

	return recv(fd, &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT) == 0;
}

struct accepting {
	int listen_fd;
	void (*begin)(struct front *f, int fd);
	unsigned begun, gone; /* this turn */
};

/* Return: whether there may be more. */
static bool accept_one(struct front *f, struct accepting *a)
{
	int fd = accept4(a->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0 && errno != EAGAIN && errno != ECONNABORTED && errno != EINTR)
		accept_failed(f, a->listen_fd, errno);
	if (fd < 0)
		return false;
	if (is_gone(fd)) {
		f->metrics.connections++;
		a->gone++;
		close(fd);
	} else {
		a->begun++;
		a->begin(f, fd);
	}
	return a->begun < ACCEPTS_PER_TURN && a->gone < GONE_PER_TURN;
}

static bool anybody_waits(int listen_fd)
{
	struct pollfd p = { .fd = listen_fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

/* A free one, or one that somebody has and does not use. */
static bool have_place(struct front *f, int listen_fd)
{
	if (!full(f))
		return true;
	if (!anybody_waits(listen_fd))
		return false;
	if (room_make(f) && !full(f))
		return true;
	set_accepting(f, false); /* they wait in the kernel's queue */
	return false;
}

/* A few at a time: who connects as fast as we accept must not keep us from those who are connected. */
static void accept_some(struct front *f, int listen_fd, void (*begin)(struct front *f, int fd))
{
	struct accepting a = { .listen_fd = listen_fd, .begin = begin };

	while (have_place(f, listen_fd) && accept_one(f, &a))
		;
}

static void on_accept(evutil_socket_t fd, short what, void *ctx)
{
	(void)what;
	accept_some(ctx, fd, conn_new);
}

static void on_accept_clamd(evutil_socket_t fd, short what, void *ctx)
{
	(void)what;
	accept_some(ctx, fd, clamd_new);
}

/* ---- the self-scan ---- */

static void on_sample_judged(void *ctx, const struct scan_result *r)
{
	struct front *f = ctx;

	if (r->has_verdict && r->value == VERDICT_ACCEPT) {
		f->proven = true;
		front_tell(f, CONTROL_READY, 0, 0);
		return;
	}
	log_line("the built-in sample was not accepted: %s", r->has_verdict ? r->json : r->detail);
	event_base_loopbreak(f->base);
}

static int scan_sample(struct front *f)
{
	struct scan_request r = { .name = "sample.safetensors",
		.request_id = "self-scan",
		.tenant = "self",
		.peer_uid = f->settings->own_uid,
		.peer_pid = getpid(),
		.policy = settings_builtin(f->settings),
		.unrecorded = true };
	struct scan *scan;
	int fd = sample_open();

	if (fd < 0)
		return fd;
	if (scan_admit(f->jobs, &r, on_sample_judged, f, &scan) != QUEUE_OK) {
		close(fd);
		return -ENOMEM;
	}
	files_received(&f->files, r.peer_uid, 1);
	scan_start_fd(scan, fd, sample_size(), true);
	return 0;
}

/* ---- the monitor ---- */

static void on_message(struct front *f, const struct channel_message *m, int fd)
{
	switch (m->type) {
	case CONTROL_ZYGOTE:
		if (fd >= 0)
			zygotes_add(f->zygotes, fd, m->id, m->layer_errno);
		return;
	case CONTROL_KEEPER:
		if (fd < 0 || !f->keeper)
			break;
		keeper_link_connect(f->keeper, fd);
		f->kept = true;
		return;
	case CONTROL_DRAIN: drain(f); break;
	case CONTROL_RELOAD: clamd_reload_answered(f, m->status == 0); break;
	default: break;
	}
	if (fd >= 0)
		close(fd);
}

static void on_control(evutil_socket_t fd, short what, void *ctx)
{
	struct front *f = ctx;
	struct channel_message m;
	int fds[CHANNEL_FDS_MAX];
	int r;

	(void)what;
	while ((r = channel_recv(fd, &m, fds)) > 0) {
		if (fds[1] >= 0)
			close(fds[1]);
		on_message(f, &m, fds[0]);
	}
	if (r == -EAGAIN)
		return;
	/* No monitor, no new zygote: let somebody start us anew. */
	event_del(f->control_readable);
	drain(f);
}

/* ---- set-up, in this order ---- */

static int make_listener(struct front *f, int fd, event_callback_fn on_connection, struct event **ret)
{
	*ret = event_new(f->base, fd, EV_READ | EV_PERSIST, on_connection, f);
	return *ret && event_add(*ret, NULL) == 0 ? 0 : -ENOMEM;
}

static int make_events(struct front *f)
{
	f->accept_timer = evtimer_new(f->base, on_accept_timer, f);
	f->drain_timer = evtimer_new(f->base, on_drained, f);
	f->control_readable = event_new(f->base, f->control, EV_READ | EV_PERSIST, on_control, f);
	f->on_term = evsignal_new(f->base, SIGTERM, on_stop_signal, f);
	f->on_int = evsignal_new(f->base, SIGINT, on_stop_signal, f);
	f->on_hup = evsignal_new(f->base, SIGHUP, on_ignored_signal, f); /* the monitor's to act on */
	if (!f->accept_timer || !f->drain_timer || !f->control_readable || !f->on_term || !f->on_int || !f->on_hup)
		return -ENOMEM;
	if (event_add(f->control_readable, NULL) < 0 || event_add(f->on_term, NULL) < 0 ||
	    event_add(f->on_int, NULL) < 0 || event_add(f->on_hup, NULL) < 0)
		return -ENOMEM;
	return 0;
}

/* Connections, jobs with their pipes, spools: as many descriptors as we may have. */
static void raise_descriptor_limit(void)
{
	struct rlimit lim;

	if (getrlimit(RLIMIT_NOFILE, &lim) < 0)
		return;
	lim.rlim_cur = lim.rlim_max;
	setrlimit(RLIMIT_NOFILE, &lim);
}

/* Better now than with the first large body: make a spool as spool.c does, and open it again for reading. */
static int try_spool(const struct front *f, int dir_fd)
{
	int fd = openat(dir_fd, ".", O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	int again = fd < 0 ? -1 : spool_reopen(fd);
	int error = fd < 0 ? errno : again < 0 ? -again : 0;

	if (fd >= 0)
		close(fd);
	if (again >= 0)
		close(again);
	if (error)
		log_errno(error, "spool_dir %s: uid %u cannot make a nameless file in it and read it",
		    f->settings->config.spool_dir, geteuid());
	return -error;
}

/* Landlock is wanted, not mandatory: without it the filter still forbids programs, processes and sockets. */
static int jail_files(int spool_dir_fd)
{
	int r = sandbox_front_landlock(&spool_dir_fd, 1);

	if (r != -ENOSYS && r != -EOPNOTSUPP)
		return r;
	log_errno(-r, "no Landlock: the front could open files outside its spool");
	return 0;
}

static int make_parts(struct front *f, int spool_dir_fd)
{
	const struct config *c = &f->settings->config;
	const struct queue_limits limits = { .slots_per_tenant_max = tenants_slots(c),
		.shares = f->tenants.slots,
		.n_shares = c->n_tenants,
		.slots = c->workers,
		.items_max = c->queue_max,
		.items_per_tenant_max = c->queue_max_per_tenant,
		.large_bytes = c->large_file };
	int r = files_init(&f->files, f->base);

	if (r == 0)
		r = spool_store_new(f->base, c, f->tenants.rooms, spool_dir_fd, &f->files, &f->spools);
	f->queue = queue_new(&limits);
	if (r == 0 && !f->queue)
		r = -ENOMEM;
	if (r == 0 && settings_keep(f->settings))
		r = keeper_link_new(f->base, &f->keeper);
	if (r == 0)
		r = jobs_new(f, &f->jobs);
	if (r == 0)
		r = zygotes_new(f, &f->zygotes);
	return r;
}

static int set_up(struct front *f, const struct front_inherits *from)
{
	int r;

	raise_descriptor_limit();
	f->base = event_base_new();
	f->spare_fd = dup(f->control);
	if (!f->base || f->spare_fd < 0)
		return -ENOMEM;
	r = tenants_init(&f->tenants, &f->settings->config);
	if (r == 0)
		r = jail_files(from->spool_dir); /* before threads: it binds only those made later */
	if (r == 0)
		r = try_spool(f, from->spool_dir);
	if (r == 0)
		r = make_parts(f, from->spool_dir); /* threads start here */
	if (r == 0)
		r = make_listener(f, from->http, on_accept, &f->listener);
	if (r == 0 && from->clamd >= 0)
		r = make_listener(f, from->clamd, on_accept_clamd, &f->clamd_listener);
	if (r == 0)
		r = make_events(f);
	if (r == 0)
		r = scan_sample(f);
	if (r == 0)
		r = sandbox_front_filter(); /* last: from here on no socket, no process, no program */
	return r;
}

int front_main(const struct settings *s, const struct front_inherits *from)
{
	struct front *f = calloc(1, sizeof(*f));
	int r;

	if (!f)
		return EXIT_FAILURE;
	f->settings = s;
	f->control = from->control;
	f->started_at = time(NULL);
	r = set_up(f, from);
	if (r < 0) {
		log_errno(-r, "the front cannot start");
		return EXIT_FAILURE;
	}
	r = event_base_dispatch(f->base);
	return r == 0 && f->draining ? EXIT_SUCCESS : EXIT_FAILURE;
}
