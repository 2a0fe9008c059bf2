/* See front.h. */
#include "front.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "channel.h"
#include "clamd.h"
#include "clock.h"
#include "conn.h"
#include "control.h"
#include "door.h"
#include "excepting.h"
#include "jobs.h"
#include "log.h"
#include "metrics.h"
#include "role.h"
#include "sample.h"
#include "sandbox.h"

#define ABANDON_S 1 /* for answers to go out, once the monitor has died */

struct front {
	struct env env;
	struct front_inherits from;
	struct tenants *tenants;
	struct jobs *jobs;
	struct keeper_link *keeper; /* NULL: nothing is kept */
	struct excepting excepting;
	struct clients clients;
	struct http http;
	struct clamd_service clamd;
	struct doors *doors;

	struct event *drain_timer, *control_readable, *on_term, *on_int, *on_hup;
};

static void tell_of_zygotes(void *front, uint32_t type, uint64_t id, int status)
{
	(void)front;
	(void)role_say(type, id, status);
}

static int ask_reload(void *front)
{
	(void)front;
	return role_say(CONTROL_WANT_RELOAD, 0, 0);
}

/* ---- the end ---- */

static bool is_done(const struct front *f)
{
	return f->clients.n == 0 && jobs_active(f->jobs) == 0 && !jobs_parts(f->jobs)->keeps.first;
}

static void on_rested(void *ctx)
{
	struct front *f = ctx;

	if (f->env.draining && is_done(f))
		event_base_loopexit(f->env.base, NULL);
}

/* A client has ended, or asks for nothing. */
static void on_place(void *ctx, bool idle)
{
	struct front *f = ctx;

	if (f->doors)
		doors_look(f->doors);
	if (!idle)
		on_rested(f);
}

static void on_drained(evutil_socket_t fd, short what, void *ctx)
{
	struct front *f = ctx;

	(void)fd;
	(void)what;
	log_line("drain time is over: %u connections, %zu scans are dropped", f->clients.n, jobs_active(f->jobs));
	event_base_loopexit(f->env.base, NULL);
}

static void drain(struct front *f)
{
	const struct timeval limit = { .tv_sec = (time_t)f->env.settings->config.drain_seconds };

	if (f->env.draining)
		return;
	f->env.draining = true;
	doors_shut(f->doors);
	evtimer_add(f->drain_timer, &limit);
	clients_drain(&f->clients);
	on_rested(f);
}

/* No monitor, no new zygote: let somebody start us anew.  Who that is must find the sockets free. */
static void abandon(struct front *f)
{
	const struct timeval limit = { .tv_sec = ABANDON_S };

	f->env.draining = true;
	doors_shut(f->doors);
	close(f->from.http);
	if (f->from.clamd >= 0)
		close(f->from.clamd);
	evtimer_add(f->drain_timer, &limit);
	clients_abandon(&f->clients);
	on_rested(f);
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

/* ---- the self-scan ---- */

static void on_sample_judged(void *ctx, const struct scan_result *r)
{
	struct front *f = ctx;

	if (r->has_verdict && r->value == VERDICT_ACCEPT) {
		f->env.proven = true;
		(void)role_say(CONTROL_READY, 0, 0);
		return;
	}
	log_line("the built-in sample was not accepted: %s", r->has_verdict ? r->json : r->detail);
	event_base_loopbreak(f->env.base);
}

static int scan_sample(struct front *f)
{
	struct scan_request r = { .name = "sample.safetensors",
		.request_id = "self-scan",
		.tenant = "self",
		.peer_uid = f->env.settings->own_uid,
		.peer_pid = getpid(),
		.policy = settings_builtin(f->env.settings),
		.unrecorded = true };
	struct scan *scan;
	int fd = sample_open();

	if (fd < 0)
		return fd;
	if (scan_admit(f->jobs, &r, on_sample_judged, f, &scan) != QUEUE_OK) {
		close(fd);
		return -ENOMEM;
	}
	files_received(&f->env.files, r.peer_uid, 1);
	scan_start_fd(scan, fd, sample_size(), true);
	return 0;
}

/* ---- the monitor ---- */

static void on_message(struct front *f, const struct channel_message *m, int fd)
{
	switch (m->type) {
	case CONTROL_ZYGOTE:
		if (fd >= 0)
			zygotes_add(jobs_parts(f->jobs)->zygotes, fd, m->id, m->layer_errno);
		return;
	case CONTROL_KEEPER:
		if (fd < 0 || !f->keeper)
			break;
		keeper_link_connect(f->keeper, fd);
		f->env.kept = true;
		return;
	case CONTROL_DRAIN:
		f->env.replaced = m->status != 0;
		drain(f);
		break;
	case CONTROL_RELOAD: clamd_reload_answered(&f->clients, m->status == 0); break;
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
	event_del(f->control_readable);
	log_line("the monitor has ended");
	abandon(f);
}

/* ---- set-up, in this order ---- */

static int make_events(struct front *f)
{
	f->drain_timer = evtimer_new(f->env.base, on_drained, f);
	f->control_readable = event_new(f->env.base, f->from.control, EV_READ | EV_PERSIST, on_control, f);
	f->on_term = evsignal_new(f->env.base, SIGTERM, on_stop_signal, f);
	f->on_int = evsignal_new(f->env.base, SIGINT, on_stop_signal, f);
	f->on_hup = evsignal_new(f->env.base, SIGHUP, on_ignored_signal, f); /* the monitor's to act on */
	if (!f->drain_timer || !f->control_readable || !f->on_term || !f->on_int || !f->on_hup)
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
		    f->env.settings->config.spool_dir, geteuid());
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

static struct queue *make_queue(const struct front *f)
{
	const struct config *c = &f->env.settings->config;
	const struct queue_limits limits = {
		.slots = c->workers, .items_max = c->queue_max, .large_bytes = c->large_file
	};

	return queue_new(&limits, f->tenants);
}

static int make_jobs(struct front *f, int spool_dir_fd)
{
	const struct config *c = &f->env.settings->config;
	struct jobs_parts parts = { .env = &f->env,
		.queue = make_queue(f),
		.tenants = f->tenants,
		.audit = { .keeper = f->keeper, .mode = c->audit, .tally = &f->env.tally, .settings = f->env.settings },
		.keeps = { .env = &f->env, .keeper = f->keeper } };
	int r = parts.queue ? 0 : -ENOMEM;

	if (r == 0)
		r = spool_store_new(f->env.base, c, f->tenants, spool_dir_fd, &f->env.files, &parts.spools);
	if (r == 0)
		r = jobs_new(&parts, tell_of_zygotes, f, &f->jobs);
	return r;
}

static int make_parts(struct front *f, int spool_dir_fd)
{
	int r = files_init(&f->env.files, f->env.base);

	if (r == 0 && settings_keep(f->env.settings))
		r = keeper_link_new(f->env.base, &f->keeper);
	if (r == 0)
		r = excepting_init(&f->excepting, &f->env, f->keeper);
	if (r == 0)
		r = make_jobs(f, spool_dir_fd);
	return r;
}

static bool print_metrics(void *front, char buf[CONN_METRICS_MAX])
{
	struct front *f = front;
	const struct metrics_sources from = {
		.env = &f->env, .jobs = f->jobs, .keeper = f->keeper, .clients = &f->clients, .http = &f->http
	};

	return metrics_text(&from, buf);
}

static int open_doors(struct front *f, const struct front_inherits *from)
{
	int r = doors_new(&f->clients, f->from.control, &f->doors);

	f->clients.jobs = f->jobs;
	f->http = (struct http){ .keeper = f->keeper, .excepting = &f->excepting, .metrics = print_metrics, .ctx = f };
	f->clamd = (struct clamd_service){ .ask_reload = ask_reload, .ctx = f };
	if (r == 0)
		r = doors_add(f->doors, from->http, &conn_kind, &f->http);
	if (r == 0 && from->clamd >= 0)
		r = doors_add(f->doors, from->clamd, &clamd_kind, &f->clamd);
	return r;
}

static int set_up(struct front *f, const struct front_inherits *from)
{
	int r;

	raise_descriptor_limit();
	f->env.base = event_base_new();
	f->tenants = tenants_new(&f->env.settings->config);
	if (!f->env.base || !f->tenants)
		return -ENOMEM;
	spool_own_fds(from->own_fds);
	r = jail_files(from->spool_dir); /* before threads: it binds only those made later */
	if (r == 0)
		r = try_spool(f, from->spool_dir);
	if (r == 0)
		r = make_parts(f, from->spool_dir); /* threads start here */
	if (r == 0)
		r = open_doors(f, from);
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

	if (f == NULL)
		return EXIT_FAILURE;
	f->env = (struct env){ .settings = s, .started_at = (int64_t)time(NULL), .rested = on_rested, .ctx = f };
	f->clients = (struct clients){ .env = &f->env, .place = on_place, .ctx = f };
	f->from = *from;
	r = set_up(f, from);
	if (r < 0) {
		log_errno(-r, "the front cannot start");
		return EXIT_FAILURE;
	}
	r = event_base_dispatch(f->env.base);
	return r == 0 && f->env.draining ? EXIT_SUCCESS : EXIT_FAILURE;
}
