/* See agent.h.
 *
 * One loop, and poll(2).  A place goes through four phases: free, fetching if its file is elsewhere, scanning, judged.  Judged is what the database has not
 * taken yet; each turn offers it again, so that a database which is away for a while loses nothing. */
#include "agent.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sys/signalfd.h>

#include "fate.h"
#include "ledger.h"
#include "ruling.h"
#include "say.h"
#include "weighlock-client.h"

#define IDLE_MS 1000  /* between looks at an empty queue; a notification comes before */
#define FULL_MS 50    /* while its share of the places is taken */
#define EMPTY_LOOKS 3 /* after which --until-empty believes it */
#define SECOND_MS 1000
#define CAUSE_MAX 64
#define GIVE_UP_MS 15000       /* at the end, for a database that is away: leases run out by themselves */
#define SCAN_PATIENCE_MS 20000 /* for a daemon that is busy; then others may try */

enum phase { PLACE_FREE, PLACE_FETCHING, PLACE_SCANNING, PLACE_JUDGED };

struct place {
	enum phase phase;
	struct queue_job job;
	int fd;                      /* its file; -1: none, or the download's */
	struct fetch *fetch;         /* its file was not here; NULL: it was */
	struct weighlock_scan *scan; /* while scanning, and for its JSON when judged */
	int64_t extend_ms;

	/* when judged */
	struct ruling ruling;
	bool told; /* what it gave is written down; the queue is not told yet */
};

struct agent {
	const struct agent_settings *set;
	const struct roots *roots;
	struct fetcher *fetcher;
	const struct queue *queue;
	struct database *truth, *hints;
	int signals;
	bool draining;
	int64_t drain_ms; /* when it began */
	unsigned empty_looks;
	int64_t look_ms[N_JOB_LANES]; /* when to look for jobs: an empty lane is left alone for a while */
	struct place places[AGENT_PLACES_MAX];
};

/* ---- a place ---- */

static void leave(struct place *p)
{
	weighlock_scan_free(p->scan);
	fetch_free(p->fetch);
	if (p->fd >= 0)
		close(p->fd);
	*p = (struct place){ .phase = PLACE_FREE, .fd = -1 };
}

static void judge_as(struct place *p, enum fate_end end, const char *cause)
{
	p->phase = PLACE_JUDGED;
	p->ruling = (struct ruling){ .end = end };
	snprintf(p->ruling.cause, sizeof(p->ruling.cause), "%s", cause);
}

/* It leads nowhere we go, or its file is not there now. */
static bool open_file(struct agent *a, struct place *p)
{
	char cause[CAUSE_MAX];
	int r = reference_open(a->roots, p->job.job.ref);

	if (r >= 0) {
		p->fd = r;
		return true;
	}
	snprintf(cause, sizeof(cause), "open: %s", strerrorname_np(-r));
	judge_as(p, r == -EACCES || r == -EPROTONOSUPPORT || r == -EINVAL ? END_REFUSED : END_LATER, cause);
	return false;
}

static int ask(const struct place *p, int fd)
{
	const struct fleet_job *job = &p->job.job;
	struct weighlock_scan *s = p->scan;
	int r = weighlock_scan_pass_fd(s, fd);

	if (r == 0)
		r = weighlock_scan_set_name(s, job->name);
	if (r == 0)
		r = weighlock_scan_set_sha256(s, job->sha256);
	if (r == 0 && job->policy[0])
		r = weighlock_scan_set_policy(s, job->policy);
	if (r == 0 && job->tenant[0])
		r = weighlock_scan_set_tenant(s, job->tenant);
	if (r == 0 && job->lane == LANE_RESCAN)
		r = weighlock_scan_set_batch(s);
	if (r == 0)
		r = weighlock_scan_set_patience(s, SCAN_PATIENCE_MS);
	return r;
}

static void begin_scan(struct agent *a, struct place *p, int fd)
{
	p->scan = weighlock_scan_new(a->set->socket_path);
	if (p->scan == NULL || ask(p, fd) < 0)
		judge_as(p, END_LATER, "no-memory");
	else
		p->phase = PLACE_SCANNING;
}

static void begin_fetch(struct agent *a, struct place *p)
{
	struct fetch_end end;

	p->fetch = fetch_begin(a->fetcher, &p->job.job, &end);
	if (p->fetch != NULL)
		p->phase = PLACE_FETCHING;
	else
		judge_as(p, end.end, end.cause);
}

static void end_fetch(struct agent *a, struct place *p)
{
	struct fetch_end end;
	int fd;

	if (!fetch_is_over(p->fetch, &end, &fd))
		return;
	if (end.end == END_JUDGED)
		begin_scan(a, p, fd);
	else
		judge_as(p, end.end, end.cause);
}

static void begin(struct agent *a, struct place *p)
{
	p->extend_ms = fleet_now_ms() + QUEUE_LEASE_S * SECOND_MS / 3;
	if (p->job.job.deadline != 0 && p->job.job.deadline < time(NULL))
		judge_as(p, END_REFUSED, "deadline"); /* nobody waits for it any longer */
	else if (fetch_is_meant(p->job.job.ref))
		begin_fetch(a, p);
	else if (open_file(a, p))
		begin_scan(a, p, p->fd);
}

/* ---- from an outcome to what is written down ---- */

static void judge_problem(struct place *p)
{
	const char *problem = weighlock_scan_problem(p->scan), *last = strrchr(problem, ':');
	bool later = weighlock_scan_retry(p->scan, NULL) == WEIGHLOCK_RETRY_LATER;

	judge_as(p, later ? END_UNASKED : END_NEVER, last != NULL ? last + 1 : "problem");
}

static void judge_outcome(struct place *p, enum weighlock_outcome outcome)
{
	size_t n;
	const char *json = weighlock_scan_json(p->scan, &n);

	if (outcome == WEIGHLOCK_VERDICT) {
		p->phase = PLACE_JUDGED;
		ruling_of(json, n, &p->job.job, &p->ruling);
	} else if (outcome == WEIGHLOCK_PROBLEM) {
		judge_problem(p);
	} else { /* no daemon, or one that ended: the file is not blamed */
		judge_as(p, END_UNASKED, strerrorname_np(weighlock_scan_errno(p->scan)));
	}
}

static const char *json_of(const struct place *p)
{
	return p->scan != NULL ? weighlock_scan_json(p->scan, NULL) : "";
}

static struct fate fate_at(const struct place *p)
{
	const unsigned faults = p->job.faults + (p->ruling.end == END_FAULT ? 1 : 0);

	return fate_of(p->ruling.end, p->job.attempts, faults, p->job.deliveries);
}

/* ---- rows: all that are ready, for one wait for the disk ---- */

static bool is_row(const struct place *p)
{
	return p->phase == PLACE_JUDGED && fate_at(p).what == FATE_DONE;
}

/* Return: 0; -EIO: the database is away; -EINVAL: it does not take one of them. */
static int record_together(struct agent *a, struct place *const *rows, size_t n)
{
	int r = ledger_begin(a->truth);

	for (size_t i = 0; i < n && r == 0; i++)
		r = rows[i]->told ? 0 : ledger_record(a->truth, &rows[i]->job, &rows[i]->ruling, json_of(rows[i]));
	if (r == 0)
		r = ledger_commit(a->truth);
	else
		ledger_abort(a->truth);
	for (size_t i = 0; i < n && r == 0; i++)
		rows[i]->told = true;
	return r;
}

/* One that the database does not take must not hold up the others: it is an attempt. */
static void record_each(struct agent *a, struct place *const *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int r = rows[i]->told ? 0 : ledger_record(a->truth, &rows[i]->job, &rows[i]->ruling, json_of(rows[i]));

		rows[i]->told = r == 0;
		if (r == -EINVAL)
			judge_as(rows[i], END_LATER, "database-refused");
	}
}

static void settle_rows(struct agent *a)
{
	struct place *rows[AGENT_PLACES_MAX];
	const struct queue_job *done[AGENT_PLACES_MAX];
	size_t n = 0, n_done = 0;

	for (unsigned i = 0; i < a->set->places; i++) {
		if (is_row(&a->places[i]))
			rows[n++] = &a->places[i];
	}
	if (n > 0 && record_together(a, rows, n) == -EINVAL)
		record_each(a, rows, n);
	for (size_t i = 0; i < n; i++) {
		if (rows[i]->told)
			done[n_done++] = &rows[i]->job;
	}
	if (n_done == 0 || a->queue->done(a->queue->ctx, done, n_done) < 0)
		return; /* offered again */
	for (size_t i = 0; i < n; i++) {
		if (rows[i]->told)
			leave(rows[i]);
	}
}

/* ---- what gave no row ---- */

static void look_at(struct agent *a, int64_t ms)
{
	for (size_t lane = 0; lane < N_JOB_LANES; lane++)
		a->look_ms[lane] = ms;
}

/* What the database does not take is tried without what comes from elsewhere, and then left out: the queue still hears of it.
 * Return: false: the database is away. */
static bool write_down(struct agent *a, struct place *p, const struct fate *fate)
{
	int r;

	if (p->told || fate->what == FATE_GIVE_BACK)
		return true;
	r = ledger_attempt(a->truth, &p->job, p->ruling.cause, a->set->node, json_of(p), fate->alarm);
	if (r == -EINVAL)
		r = ledger_attempt(a->truth, &p->job, p->ruling.cause, "", "", fate->alarm);
	p->told = r != -EIO;
	return p->told;
}

static int tell_queue(struct agent *a, const struct place *p, const struct fate *fate)
{
	const struct queue *q = a->queue;

	if (fate->what == FATE_SET_ASIDE)
		return q->set_aside(q->ctx, &p->job, p->ruling.cause);
	return q->retry(q->ctx, &p->job, fate->delay_s, fate->what == FATE_RETRY, p->ruling.end == END_FAULT);
}

static void settle_attempt(struct agent *a, struct place *p)
{
	const struct fate fate = fate_at(p);

	if (!write_down(a, p, &fate) || tell_queue(a, p, &fate) < 0)
		return; /* offered again */
	if (fate.what == FATE_GIVE_BACK)
		look_at(a, fleet_now_ms() + IDLE_MS); /* nobody asks a daemon that is not there in a circle */
	leave(p);
}

/* ---- the queue ---- */

static size_t count(const struct agent *a, enum phase phase)
{
	size_t n = 0;

	for (unsigned i = 0; i < a->set->places; i++)
		n += a->places[i].phase == phase ? 1 : 0;
	return n;
}

static void take(struct agent *a, const struct queue_job *job)
{
	for (unsigned i = 0; i < a->set->places; i++) {
		if (a->places[i].phase != PLACE_FREE)
			continue;
		a->places[i].job = *job;
		begin(a, &a->places[i]);
		return;
	}
}

/* Large files and rescans together get half of the places, so that a small file never waits for them. */
static size_t room_for(const struct agent *a, enum job_lane lane)
{
	const size_t half = (a->set->places + 1) / 2, n_free = count(a, PLACE_FREE);
	size_t n = 0;

	for (unsigned i = 0; i < a->set->places; i++)
		n += a->places[i].phase != PLACE_FREE && a->places[i].job.job.lane != LANE_SMALL ? 1 : 0;
	if (lane == LANE_SMALL)
		return n_free;
	n = n < half ? half - n : 0;
	return n < n_free ? n : n_free;
}

static int fetch_lane(struct agent *a, enum job_lane lane)
{
	static struct queue_job jobs[AGENT_PLACES_MAX];
	const size_t n = room_for(a, lane);
	int got;

	if (n == 0) {
		a->look_ms[lane] = fleet_now_ms() + FULL_MS;
		return 0;
	}
	got = a->queue->fetch(a->queue->ctx, lane, n, jobs);
	for (int i = 0; i < got; i++)
		take(a, &jobs[i]);
	if (got <= 0)
		a->look_ms[lane] = fleet_now_ms() + IDLE_MS;
	return got;
}

/* Is it time for one?  Several jobs a question: a quarter of the places are to be free, unless none is in work. */
static bool may_fetch(const struct agent *a)
{
	const size_t n = count(a, PLACE_FREE);

	return !a->draining && n > 0 && (n == a->set->places || n >= (a->set->places + 3) / 4);
}

static void fetch(struct agent *a)
{
	const int64_t now = fleet_now_ms();
	bool looked = false, got = false;

	for (size_t lane = 0; lane < N_JOB_LANES && may_fetch(a); lane++) {
		if (now < a->look_ms[lane])
			continue;
		looked = true;
		got = fetch_lane(a, (enum job_lane)lane) > 0 || got;
	}
	if (got || count(a, PLACE_FREE) < a->set->places)
		a->empty_looks = 0;
	else if (looked)
		a->empty_looks++;
}

static void extend(struct agent *a, struct place *p)
{
	const int64_t now = fleet_now_ms();

	if (p->phase == PLACE_FREE || now < p->extend_ms)
		return;
	p->extend_ms = now + QUEUE_LEASE_S * SECOND_MS / 3;
	if (a->queue->extend(a->queue->ctx, &p->job) == -ENOENT) {
		fleet_say("the lease of id=%s is another's", p->job.job.id);
		if (p->phase != PLACE_JUDGED)
			leave(p);
	}
}

/* ---- the loop ---- */

/* What can be done now; without waiting but for the database. */
static void turn(struct agent *a)
{
	fetch(a);
	fetcher_step(a->fetcher);
	for (unsigned i = 0; i < a->set->places; i++) {
		struct place *p = &a->places[i];
		enum weighlock_outcome outcome = WEIGHLOCK_PENDING;

		if (p->phase == PLACE_FETCHING)
			end_fetch(a, p);
		if (p->phase == PLACE_SCANNING && (outcome = weighlock_scan_step(p->scan)) != WEIGHLOCK_PENDING)
			judge_outcome(p, outcome);
		if (p->phase == PLACE_JUDGED && !is_row(p))
			settle_attempt(a, p);
		extend(a, p);
	}
	settle_rows(a);
}

static int shorter(int a, int b)
{
	return b < 0 || (a >= 0 && a < b) ? a : b;
}

/* Two more for signals and the database. */
static size_t watch(struct agent *a, struct pollfd *fds, int *ret_ms)
{
	size_t n = 0;

	*ret_ms = IDLE_MS;
	fds[n++] = (struct pollfd){ .fd = a->signals, .events = POLLIN };
	fds[n++] = (struct pollfd){ .fd = a->hints->conn != NULL ? PQsocket(a->hints->conn) : -1, .events = POLLIN };
	for (unsigned i = 0; i < a->set->places; i++) {
		const struct place *p = &a->places[i];

		if (p->phase != PLACE_SCANNING)
			continue;
		*ret_ms = shorter(weighlock_scan_timeout_ms(p->scan), *ret_ms);
		fds[n++] =
		    (struct pollfd){ .fd = weighlock_scan_fd(p->scan), .events = weighlock_scan_events(p->scan) };
	}
	return n;
}

/* Nothing new begins, what is not here yet goes back, what is scanned is awaited. */
static void drain(struct agent *a)
{
	fleet_say("ending when %zu scans are over", count(a, PLACE_SCANNING) + count(a, PLACE_JUDGED));
	a->draining = true;
	a->drain_ms = fleet_now_ms();
	for (unsigned i = 0; i < a->set->places; i++) {
		if (a->places[i].phase == PLACE_FETCHING)
			judge_as(&a->places[i], END_UNASKED, "ending");
	}
}

static void wait_turn(struct agent *a)
{
	struct pollfd fds[AGENT_PLACES_MAX + 2];
	struct signalfd_siginfo info;
	int ms;
	size_t n = watch(a, fds, &ms);

	for (size_t lane = 0; lane < N_JOB_LANES && may_fetch(a); lane++) {
		if (a->look_ms[lane] <= fleet_now_ms())
			ms = 0; /* places came free */
	}
	fetcher_wait(a->fetcher, fds, n, ms);
	if (read(a->signals, &info, sizeof(info)) > 0 && !a->draining)
		drain(a);
	if (database_was_notified(a->hints))
		look_at(a, 0);
}

static bool is_over(const struct agent *a)
{
	if (count(a, PLACE_SCANNING) + count(a, PLACE_FETCHING) > 0)
		return false;
	if (count(a, PLACE_JUDGED) > 0)
		return a->draining && fleet_now_ms() - a->drain_ms > GIVE_UP_MS;
	return a->draining || (a->set->until_empty && a->empty_looks >= EMPTY_LOOKS);
}

static int take_signals(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	signal(SIGPIPE, SIG_IGN);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return -errno;
	return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int agent_run(const struct agent_settings *settings, const struct roots *roots, struct fetcher *fetcher, const struct queue *queue,
    struct database *truth, struct database *hints)
{
	static struct agent a;

	a = (struct agent){ .set = settings, .roots = roots, .fetcher = fetcher, .queue = queue, .truth = truth, .hints = hints };
	for (unsigned i = 0; i < AGENT_PLACES_MAX; i++)
		a.places[i].fd = -1;
	a.signals = take_signals();
	if (a.signals < 0)
		return -errno;
	while (!is_over(&a)) {
		turn(&a);
		wait_turn(&a);
	}
	for (unsigned i = 0; i < settings->places; i++)
		leave(&a.places[i]);
	close(a.signals);
	return 0;
}
