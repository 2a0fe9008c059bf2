/* See jobs.h. */
#include "jobs_impl.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "channel.h"
#include "job.h"
#include "log.h"
#include "sandbox.h"
#include "zygotes.h"

static void set_timer(struct scan *s, uint64_t ms)
{
	const struct timeval tv = { .tv_sec = (time_t)(ms / 1000), .tv_usec = (suseconds_t)(ms % 1000) * 1000 };

	evtimer_add(s->timer, &tv);
}

/* ---- the link's list of scans ---- */

static void attach(struct scan *s, struct zygote_link *l)
{
	struct scan_list *list = zygote_scans(l);

	s->link = l;
	s->prev = NULL;
	s->next = list->first;
	if (s->next)
		s->next->prev = s;
	list->first = s;
}

/* Return: the link, if it has no scan left. */
struct zygote_link *scan_detach(struct scan *s)
{
	struct zygote_link *l = s->link;
	struct scan_list *list;

	if (!l)
		return NULL;
	list = zygote_scans(l);
	if (s->prev)
		s->prev->next = s->next;
	else
		list->first = s->next;
	if (s->next)
		s->next->prev = s->prev;
	s->link = NULL;
	return list->first ? NULL : l;
}

/* ---- ends ---- */

static void close_output(struct scan *s)
{
	if (s->readable)
		event_free(s->readable);
	s->readable = NULL;
	if (s->output >= 0)
		close(s->output);
	s->output = -1;
}

void scan_forget_worker(struct scan *s)
{
	close_output(s);
	early_stop_pacing(s);
	files_close(&s->jobs->front->files, s->early_fd);
	s->early_fd = -1;
	facts_free(s->facts);
	s->facts = NULL;
	s->report_bytes = 0;
	s->exited = s->killed = s->unsent = s->early = s->withdrawn = false;
	s->cause = WLK_CAUSE_NONE;
	evtimer_del(s->timer);
}

static void drop_input(struct scan *s)
{
	if (s->spool)
		spool_free(s->spool);
	else
		files_close_client(&s->jobs->front->files, s->peer_uid, s->input);
	s->spool = NULL;
	s->input = -1;
}

static void count_answered(struct scan *s)
{
	s->answered = true;
	s->jobs->active--;
}

void scan_free(struct scan *s)
{
	struct front *f = s->jobs->front;
	struct zygote_link *unused = scan_detach(s);

	scan_forget_worker(s);
	drop_input(s);
	queue_remove(f->queue, &s->item);
	if (!s->answered)
		count_answered(s);
	event_free(s->timer);
	free(s);
	if (unused)
		zygote_unused(unused);
	jobs_pump(f->jobs);
	front_maybe_done(f);
}

static const char *const *layer_names(void)
{
	static const char *names[SANDBOX_N_LAYERS];

	for (unsigned i = 0; i < SANDBOX_N_LAYERS && !names[i]; i++)
		names[i] = sandbox_layer_info((enum sandbox_layer)i)->name;
	return names;
}

static void hex(const uint8_t *at, size_t n, char *buf)
{
	for (size_t i = 0; i < n; i++)
		snprintf(buf + 2 * i, 3, "%02x", at[i]);
}

static void log_verdict(const struct scan *s, const struct verdict *v, double ms)
{
	static const char *const sources[] = {
		[VERDICT_SPOOL] = "spool", [VERDICT_SEALED] = "sealed", [VERDICT_FD] = "fd", [VERDICT_FILE] = "file"
	};
	const struct report_final *end = &s->facts->final;
	char sha256[65] = "-", tenant[4 * QUEUE_TENANT_MAX + 1];

	if (s->jobs->front->settings->config.log_level < CONFIG_LOG_INFO)
		return;
	if (end->has_digest)
		hex(end->sha256, sizeof(end->sha256), sha256);
	log_line("verdict=%s id=%s uid=%u pid=%d tenant=%s sha256=%s size=%llu source=%s policy=%s ms=%.1f error=%s",
	    verdict_text(v->value), s->request_id, s->peer_uid, s->peer_pid,
	    log_escape(s->tenant, tenant, sizeof(tenant)), sha256, (unsigned long long)s->expect.size,
	    sources[s->source], policy_name(s->policy), ms, cause_text(end->cause));
}

static void count_verdict(struct metrics *m, const struct scan *s, const struct verdict *v)
{
	m->verdicts[v->value]++;
	m->causes[s->facts->final.cause]++;
	m->bytes_scanned += s->facts->final.bytes;
}

static void tell(struct scan *s, const struct scan_result *r)
{
	scan_done_fn done = s->done;

	count_answered(s);
	s->done = NULL;
	if (done)
		done(s->ctx, r);
}

static void refuse(struct scan *s, enum problem problem, const char *detail)
{
	tell(s, &(struct scan_result){ .problem = problem, .detail = detail });
}

static double ms_since(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - then->tv_sec) * 1e3 + (double)(now.tv_nsec - then->tv_nsec) / 1e6;
}

/* Facts become a verdict, a log line and the answer. */
static void answer(struct scan *s, enum wlk_cause cause)
{
	double ms = ms_since(&s->started);
	const struct verdict_context c = { .name = s->name[0] ? s->name : NULL,
		.tenant = s->tenant,
		.request_id = s->request_id,
		.source = s->source,
		.layer_errno = zygote_layers(s->link),
		.layer_names = layer_names(),
		.n_layers = SANDBOX_N_LAYERS,
		.started_at = s->started_at,
		.duration_ms = ms };
	struct verdict v;
	char *json;

	facts_finish(s->facts, cause, &s->expect);
	if (verdict_make(s->policy, s->facts, &c, &v) < 0) {
		refuse(s, PROBLEM_INTERNAL, "out of memory");
		return;
	}
	log_verdict(s, &v, ms);
	count_verdict(&s->jobs->front->metrics, s, &v);
	json = verdict_dump(&v);
	if (json)
		tell(s, &(struct scan_result){ .has_verdict = true, .value = v.value, .json = json });
	else
		refuse(s, PROBLEM_INTERNAL, "out of memory");
	free(json);
	json_decref(v.json);
}

/* Did the file do this?  Not if we killed it, if it ran out of time, or if something outside did (SIGKILL). */
static bool is_suspicious(const struct scan *s)
{
	if (s->killed)
		return false;
	if (WIFSIGNALED(s->status))
		return WTERMSIG(s->status) != SIGXCPU && WTERMSIG(s->status) != SIGKILL;
	return WIFEXITED(s->status) && WEXITSTATUS(s->status) != 0 && WEXITSTATUS(s->status) != SANDBOX_EXIT_JAIL;
}

static void suspect(struct scan *s)
{
	log_line("worker died: id=%s status=0x%x cause=%s zygote=%llu", s->request_id, (unsigned)s->status,
	    cause_text(cause_from_wait_status(s->status)), (unsigned long long)zygote_number(s->link));
	strikes_add(&s->jobs->strikes, s->tenant, front_now_ms());
	zygotes_suspect(s->link);
}

static void end(struct scan *s)
{
	enum wlk_cause cause = s->cause;

	if (cause == WLK_CAUSE_NONE && s->exited)
		cause = cause_from_wait_status(s->status);
	if (!s->answered && !early_is_void(s))
		answer(s, cause);
	if (s->exited && is_suspicious(s))
		suspect(s);
	if (early_is_void(s))
		early_start_over(s);
	else
		scan_free(s);
}

static void maybe_end(struct scan *s)
{
	if (s->exited && s->output < 0)
		end(s);
	else if (!s->killed)
		set_timer(s, JOBS_GRACE_MS);
}

static void send_kill(struct scan *s)
{
	const struct channel_message m = { .type = CHANNEL_CANCEL, .id = s->id };

	s->unsent = zygote_send(s->link, &m, NULL, NULL, 0) == -EAGAIN;
	set_timer(s, s->unsent ? JOBS_RESTART_MS : JOBS_GRACE_MS);
}

void scan_kill_worker(struct scan *s, enum wlk_cause cause)
{
	if (s->killed)
		return;
	s->killed = true;
	s->cause = cause;
	if (s->exited)
		set_timer(s, JOBS_GRACE_MS);
	else
		send_kill(s);
}

/* ---- workers that do not end ---- */

static bool tenant_is_stuck(const struct jobs *j, const char *tenant)
{
	for (const struct scan *s = j->lost; s; s = s->next_lost) {
		if (strcmp(s->tenant, tenant) == 0)
			return true;
	}
	return false;
}

/* Its worker has ended after all. */
static void found(struct scan *s)
{
	struct scan **at = &s->jobs->lost;

	while (*at != s)
		at = &(*at)->next_lost;
	*at = s->next_lost;
	queue_find_slot(s->jobs->front->queue);
	scan_free(s);
}

/* Killed, and still not gone: somebody waits for an answer.  The slot is lost until the zygote reports its end. */
static void lose(struct scan *s)
{
	struct front *f = s->jobs->front;

	log_line("worker does not end: id=%s; its slot is lost for now", s->request_id);
	f->metrics.slots_lost++;
	if (early_is_void(s))
		refuse(s, PROBLEM_BUSY, "storage does not answer");
	else
		answer(s, s->cause);
	close_output(s);
	queue_remove(f->queue, &s->item);
	queue_lose_slot(f->queue);
	s->next_lost = s->jobs->lost;
	s->jobs->lost = s;
	jobs_pump(s->jobs);
	front_maybe_done(f);
}

static void on_timer(evutil_socket_t fd, short what, void *ctx)
{
	struct scan *s = ctx;

	(void)fd;
	(void)what;
	if (s->answered)
		return;
	if (s->stuck) {
		refuse(s, PROBLEM_BUSY, "the storage of a file sent before does not answer");
		scan_free(s);
	} else if (s->item.state == QUEUE_ADMITTED) { /* held back long enough */
		queue_push(s->jobs->front->queue, &s->item, s->expect.size);
		jobs_pump(s->jobs);
	} else if (s->unsent) {
		send_kill(s);
	} else if (s->exited) { /* and yet somebody keeps its pipe open */
		s->cause = s->killed ? s->cause : WLK_CAUSE_WORKER_PROTOCOL;
		s->killed = true;
		end(s);
	} else if (s->killed) {
		lose(s);
	} else if (s->early) { /* it may only have been kept waiting */
		early_withdraw(s);
	} else {
		scan_kill_worker(s, WLK_CAUSE_WORKER_TIMEOUT);
	}
}

/* ---- the report ---- */

static void on_readable(evutil_socket_t fd, short what, void *ctx)
{
	struct scan *s = ctx;
	uint8_t *buf = s->jobs->front->scratch;
	ssize_t n = read(fd, buf, sizeof(s->jobs->front->scratch));

	(void)what;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		close_output(s);
		maybe_end(s);
		return;
	}
	s->report_bytes += (uint64_t)n;
	if (s->report_bytes > JOBS_REPORT_MAX)
		scan_kill_worker(s, WLK_CAUSE_LIMIT_OUTPUT);
	else if (!facts_feed(s->facts, buf, (size_t)n))
		scan_kill_worker(s, WLK_CAUSE_WORKER_PROTOCOL);
}

/* ---- the start ---- */

/* A report goes out by a pipe; that of an early worker by a socket, because the marks come in by it. */
static int open_output(struct scan *s, int *ret_write_end)
{
	int ends[2];

	if ((s->early ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) : pipe2(ends, O_CLOEXEC)) < 0)
		return -errno;
	/* Ours alone: the two ends are two descriptions, and the worker's must block. */
	if (fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0) {
		close(ends[0]);
		close(ends[1]);
		return -EIO;
	}
	s->output = ends[0];
	*ret_write_end = ends[1];
	return 0;
}

static void fill_job(const struct scan *s, struct channel_message *m)
{
	const struct job job = {
		.size = s->expect.size,
		.kind = s->source == VERDICT_FD ? SOURCE_MUTABLE : SOURCE_IMMUTABLE,
		.arriving = s->early,
		.hint = format_hint(s->name[0] ? s->name : NULL),
		.limits = *policy_limits(s->policy),
		.pickle_names = { policy_pickle_names(s->policy) },
	};

	_Static_assert(JOB_BYTES_MAX <= CHANNEL_PAYLOAD_MAX, "a job fits into a message");
	_Static_assert(PICKLE_NAMES_BYTES_MAX <= CHANNEL_APPENDIX_MAX, "and its names behind it");
	m->type = CHANNEL_JOB;
	m->id = s->id;
	m->payload_n = (uint32_t)job_encode(&job, m->payload);
	m->appendix_n = (uint32_t)job.pickle_names.lines.n;
}

static int send_job(struct scan *s, struct zygote_link *l)
{
	struct channel_message m = { 0 };
	int fds[2] = { s->early ? s->early_fd : s->input, -1 };
	int r = open_output(s, &fds[1]);

	if (r < 0)
		return r;
	s->id = ++s->jobs->last_id;
	fill_job(s, &m);
	s->facts = facts_new();
	s->readable = event_new(s->jobs->front->base, s->output, EV_READ | EV_PERSIST, on_readable, s);
	r = s->facts && s->readable && event_add(s->readable, NULL) == 0
		? zygote_send(l, &m, policy_pickle_names(s->policy).at, fds, 2)
		: -ENOMEM;
	close(fds[1]);
	return r;
}

int scan_start(struct scan *s, struct zygote_link *l)
{
	int r = send_job(s, l);

	if (r < 0) {
		scan_forget_worker(s);
		return r;
	}
	attach(s, l);
	s->started_at = (int64_t)time(NULL);
	clock_gettime(CLOCK_MONOTONIC, &s->started);
	set_timer(s, limits_deadline_s(policy_limits(s->policy), s->expect.size) * 1000);
	return 0;
}

static void retry_soon(struct jobs *j)
{
	const struct timeval soon = { .tv_usec = JOBS_RESTART_MS * 1000 };

	if (!evtimer_pending(j->retry, NULL))
		evtimer_add(j->retry, &soon);
}

/* Return: whether the next one may be tried. */
static bool give_slot(struct scan *s, struct zygote_link *l)
{
	int r;

	if (s->source == VERDICT_FD && tenant_is_stuck(s->jobs, s->tenant)) {
		s->stuck = true;
		set_timer(s, 0); /* whoever called us does not expect an answer yet */
		return true;
	}
	r = scan_start(s, l);
	if (r == 0)
		return true;
	queue_put_back(s->jobs->front->queue, &s->item);
	if (r != -EAGAIN && r != -EPIPE) /* those wake us: room in the channel, a new zygote */
		retry_soon(s->jobs);
	return false;
}

void jobs_pump(struct jobs *j)
{
	struct zygote_link *l;
	struct queue_item *item;
	bool more = true;

	while (more && (l = zygotes_current(j->front->zygotes)) && (item = queue_next(j->front->queue))) {
		more = give_slot((struct scan *)item, l);
	}
}

static void on_retry(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd;
	(void)what;
	jobs_pump(ctx);
}

int jobs_new(struct front *f, struct jobs **ret)
{
	struct jobs *j = calloc(1, sizeof(*j));

	if (!j)
		return -ENOMEM;
	j->front = f;
	j->retry = evtimer_new(f->base, on_retry, j);
	if (!j->retry) {
		free(j);
		return -ENOMEM;
	}
	*ret = j;
	return 0;
}

size_t jobs_active(const struct jobs *j)
{
	return j->active;
}

/* ---- what a connection asks for ---- */

enum queue_answer scan_admit(
    struct jobs *j, const struct scan_request *r, scan_done_fn done, void *ctx, struct scan **ret)
{
	struct scan *s = calloc(1, sizeof(*s));
	enum queue_answer a;

	if (r->by_descriptor && tenant_is_stuck(j, r->tenant)) {
		free(s);
		return QUEUE_TENANT_FULL;
	}
	if (!s)
		return QUEUE_FULL;
	*s = (struct scan){ .jobs = j,
		.done = done,
		.ctx = ctx,
		.policy = r->policy,
		.peer_uid = r->peer_uid,
		.peer_pid = r->peer_pid,
		.input = -1,
		.output = -1,
		.early_fd = -1 };
	snprintf(s->name, sizeof(s->name), "%s", r->name);
	snprintf(s->request_id, sizeof(s->request_id), "%s", r->request_id);
	snprintf(s->tenant, sizeof(s->tenant), "%s", r->tenant);
	s->expect.has_sha256 = r->has_sha256;
	if (r->has_sha256)
		memcpy(s->expect.sha256, r->sha256, sizeof(s->expect.sha256));
	s->timer = evtimer_new(j->front->base, on_timer, s);
	a = s->timer ? queue_admit(j->front->queue, &s->item, s->tenant, r->lane) : QUEUE_FULL;
	if (a != QUEUE_OK) {
		if (s->timer)
			event_free(s->timer);
		free(s);
		return a;
	}
	j->active++;
	*ret = s;
	return QUEUE_OK;
}

void scan_enqueue(struct scan *s)
{
	uint64_t wait = strikes_hold_ms(&s->jobs->strikes, s->tenant, front_now_ms());

	if (wait > 0) {
		set_timer(s, wait);
		return;
	}
	queue_push(s->jobs->front->queue, &s->item, s->expect.size);
	jobs_pump(s->jobs);
}

void scan_start_spool(struct scan *s, struct spool *spool)
{
	s->spool = spool;
	s->input = spool_fd(spool);
	s->source = VERDICT_SPOOL;
	s->expect.size = spool_size(spool);
	s->arriving = false;
	early_stop_pacing(s);
	if (!s->link)
		scan_enqueue(s);
}

void scan_start_fd(struct scan *s, int fd, uint64_t size, bool sealed)
{
	s->input = fd;
	s->source = sealed ? VERDICT_SEALED : VERDICT_FD;
	s->expect.size = size;
	scan_enqueue(s);
}

void scan_forget(struct scan *s, bool finish)
{
	s->done = NULL;
	if (finish && s->input >= 0)
		return;
	s->dropped = true;
	if (s->arriving && s->link)
		early_withdraw(s);
	else if (s->link)
		scan_kill_worker(s, WLK_CAUSE_CANCELLED);
	else
		scan_free(s);
}

bool scan_running(const struct scan *s)
{
	return s->link != NULL;
}

size_t scan_position(const struct scan *s)
{
	return queue_position(s->jobs->front->queue, &s->item);
}

uint64_t scan_progress(const struct scan *s)
{
	return s->facts ? s->facts->progress : 0;
}

uint64_t scan_size(const struct scan *s)
{
	return s->expect.size;
}

/* ---- what zygotes.c tells ---- */

static struct scan *find(const struct scan_list *list, uint64_t id)
{
	struct scan *s = list->first;

	while (s && s->id != id)
		s = s->next;
	return s;
}

/* Back to the queue, as if it had not been given a slot. */
static void back_to_queue(struct scan *s)
{
	scan_detach(s);
	scan_forget_worker(s);
	queue_put_back(s->jobs->front->queue, &s->item);
}

/* No worker could be made: too many processes, no memory. */
static void not_started(struct scan *s, int error)
{
	if (s->killed || s->arriving) {
		s->exited = true;
		close_output(s);
		end(s);
	} else if (++s->starts > JOBS_STARTS_MAX) {
		log_errno(-error, "no worker can be started: id=%s", s->request_id);
		refuse(s, PROBLEM_BUSY, "no worker process can be started at the moment");
		scan_free(s);
	} else {
		back_to_queue(s);
		retry_soon(s->jobs);
	}
}

void jobs_exited(struct zygote_link *l, struct scan_list *scans, uint64_t id, int status, int error)
{
	struct scan *s = find(scans, id);

	if (!s || s->exited) {
		log_line("zygote %llu speaks of a worker it does not have", (unsigned long long)zygote_number(l));
		return;
	}
	if (s->answered) {
		found(s);
		return;
	}
	if (error != 0) {
		not_started(s, error);
		return;
	}
	s->exited = true;
	s->status = status;
	maybe_end(s);
}

static void worker_gone(struct scan *s)
{
	if (s->answered) {
		found(s);
	} else if (early_is_void(s)) {
		early_start_over(s);
	} else if (!s->retried && !s->killed) {
		s->retried = true;
		back_to_queue(s);
	} else {
		s->cause = s->killed ? s->cause : WLK_CAUSE_INTERNAL;
		s->killed = true;
		close_output(s);
		end(s);
	}
}

void jobs_zygote_gone(struct scan_list *scans)
{
	while (scans->first)
		worker_gone(scans->first);
}
