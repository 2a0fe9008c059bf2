/* Which scans there are: admission, the queue, slots, what zygotes tell; and what each event comes to.  See jobs.h. */
#include "jobs_impl.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "log.h"

/* ---- actions ---- */

static void drop_input(struct scan *s)
{
	struct files *files = &s->jobs->parts.env->files;

	if (s->spool)
		spool_free(s->spool);
	else if (s->input_is_ours)
		files_close(files, s->input);
	else
		files_close_client(files, s->peer_uid, s->input);
	files_close(files, s->document);
	s->spool = NULL;
	s->input = s->document = -1;
}

/* Its place in the queue goes to its heir, or is free. */
static void leave_queue(struct scan *s)
{
	struct queue *q = s->jobs->parts.queue;

	if (s->heir && s->item.state != QUEUE_OUT)
		queue_hand_over(q, &s->item, s->heir);
	else
		queue_remove(q, &s->item);
	s->heir = NULL;
}

/* Everything but what it found, which is still to be told. */
static void shed(struct scan *s)
{
	struct facts *facts = s->worker.facts;
	struct rows *rows = s->worker.rows;

	s->worker.facts = NULL;
	s->worker.rows = NULL;
	scan_forget_worker(s);
	s->worker.facts = facts;
	s->worker.rows = rows;
	drop_input(s);
	leave_queue(s);
	jobs_pump(s->jobs);
}

static void free_scan(struct scan *s)
{
	struct jobs *j = s->jobs;

	scan_forget_worker(s);
	drop_input(s);
	leave_queue(s);
	audit_forget(s->recording);
	facts_free(s->base);
	json_decref(s->verdict.json);
	free(s->json);
	event_free(s->timer);
	free(s);
	jobs_pump(j);
	j->parts.env->rested(j->parts.env->ctx);
}

static void push(struct scan *s)
{
	s->queued_ms = clock_now_ms();
	queue_push(s->jobs->parts.queue, &s->item, s->expect.size);
	jobs_pump(s->jobs);
}

/* Others may go on: it may be one of few that cannot, where no digester can be had. */
static void pause(struct scan *s)
{
	queue_take_back(s->jobs->parts.queue, &s->item);
	scan_set_timer(s, JOBS_RESTART_MS);
}

static void retry_soon(struct jobs *j)
{
	const struct timeval soon = { .tv_usec = JOBS_RESTART_MS * 1000 };

	if (!evtimer_pending(j->retry, NULL))
		evtimer_add(j->retry, &soon);
}

static void requeue(struct scan *s)
{
	scan_forget_worker(s);
	queue_put_back(s->jobs->parts.queue, &s->item);
}

/* From the spool, when the body is here. */
static void start_over(struct scan *s)
{
	struct jobs *j = s->jobs;

	scan_forget_worker(s);
	queue_take_back(j->parts.queue, &s->item);
	if (s->input >= 0)
		scan_event(s, SCAN_EV_BODY);
	jobs_pump(j);
}

/* Killed, and still not gone.  The slot is lost until the zygote reports its end. */
static void lose(struct scan *s)
{
	struct jobs *j = s->jobs;

	log_line("worker does not end: id=%s; its slot is lost for now", s->request_id);
	j->parts.env->tally.slots_lost++;
	j->parts.env->tally.exits[TALLY_EXIT_STUCK]++;
	scan_close_output(s);
	leave_queue(s);
	queue_lose_slot(j->parts.queue);
	s->next_lost = j->lost;
	j->lost = s;
	jobs_pump(j);
}

static void find(struct scan *s)
{
	struct scan **at = &s->jobs->lost;

	while (*at != s)
		at = &(*at)->next_lost;
	*at = s->next_lost;
	queue_find_slot(s->jobs->parts.queue);
}

static void refuse_unmade(struct scan *s)
{
	log_line("no worker can be started: id=%s", s->request_id);
	scan_refuse(s, TROUBLE_BUSY, "no worker process can be started at the moment");
}

static void count_withdrawn(struct scan *s)
{
	s->jobs->parts.env->tally.early_withdrawn++;
	s->worker.cause = WLK_CAUSE_CANCELLED;
}

/* ---- events ---- */

static struct scan_facts facts_of(const struct scan *s)
{
	return (struct scan_facts){ .wanted = s->wanted,
		.paced = s->hold_ms > 0,
		.retried = s->retried,
		.too_many = s->starts > JOBS_STARTS_MAX };
}

static void do_before_the_answer(struct scan *s, unsigned actions)
{
	if (actions & SCAN_DO_HOLD)
		scan_set_timer(s, s->hold_ms);
	if (actions & SCAN_DO_PAUSE)
		pause(s);
	if (actions & SCAN_DO_PUSH)
		push(s);
	if (actions & SCAN_DO_REFUSE_SOON)
		scan_set_timer(s, 0);
	if (actions & SCAN_DO_COUNT_WITHDRAWN)
		count_withdrawn(s);
	if (actions & SCAN_DO_KILL)
		scan_kill_worker(s);
	if (actions & SCAN_DO_REFUSE_STUCK)
		scan_refuse(s, TROUBLE_BUSY, "the storage of a file sent before does not answer");
	if (actions & SCAN_DO_REFUSE_UNMADE)
		refuse_unmade(s);
	if (actions & SCAN_DO_REFUSE_STORAGE)
		scan_refuse(s, TROUBLE_BUSY, "storage does not answer");
	if (actions & SCAN_DO_BLAME_PIPE) {
		s->worker.malformed = true;
		s->worker.cause = WLK_CAUSE_WORKER_PROTOCOL;
	}
	if (actions & SCAN_DO_BLAME_ZYGOTE)
		s->worker.cause = WLK_CAUSE_INTERNAL;
}

static void do_after_it(struct scan *s, unsigned actions)
{
	if (actions & SCAN_DO_TELL_RECORDED)
		scan_tell_recorded(s);
	if (actions & SCAN_DO_PUNISH)
		scan_punish(s);
	if (actions & SCAN_DO_COUNT_END)
		scan_count_end(s);
	if (actions & SCAN_DO_FIND)
		find(s);
	if (actions & SCAN_DO_LOSE)
		lose(s);
	if (actions & SCAN_DO_RETRY_SOON)
		retry_soon(s->jobs);
	if (actions & SCAN_DO_REQUEUE)
		requeue(s);
	if (actions & SCAN_DO_SHED)
		shed(s);
	if (actions & SCAN_DO_START_OVER)
		start_over(s);
	if (actions & SCAN_DO_FREE)
		free_scan(s);
}

void scan_event(struct scan *s, enum scan_event e)
{
	struct jobs *j = s->jobs;
	bool was_lost = s->phase == SCAN_LOST;
	struct scan_step step;

	if (e == SCAN_EV_BODY && s->phase == SCAN_ADMITTED) /* asking is taking a turn */
		s->hold_ms = strikes_hold_ms(j->parts.tenants, s->tenant, clock_now_ms());
	step = scan_step(s->phase, e, facts_of(s));
	assert(!step.impossible);
	s->phase = step.phase;
	s->retried = s->retried || (e == SCAN_EV_ZYGOTE_GONE && step.phase == SCAN_QUEUED);
	do_before_the_answer(s, step.actions);
	if (step.actions & SCAN_DO_ANSWER) {
		e = scan_answer(s);
		if (step.actions & SCAN_DO_LOSE)
			lose(s);
		scan_event(s, e);
		return;
	}
	/* It is answered, and a draining front waits for it no longer. */
	j->active -= !was_lost && (step.phase == SCAN_LOST || step.phase == SCAN_GONE);
	do_after_it(s, step.actions);
	if (step.phase == SCAN_LOST)
		j->parts.env->rested(j->parts.env->ctx);
}

/* ---- slots ---- */

/* Is there a worker of this tenant that SIGKILL did not end? */
static bool tenant_is_stuck(const struct jobs *j, const char *tenant)
{
	for (const struct scan *s = j->lost; s; s = s->next_lost) {
		if (strcmp(s->tenant, tenant) == 0)
			return true;
	}
	return false;
}

/* Return: whether the next one may be tried. */
static bool give_slot(struct scan *s, struct zygote_link *l)
{
	int r;

	if (s->source == VERDICT_FD && tenant_is_stuck(s->jobs, s->tenant)) {
		scan_event(s, SCAN_EV_NO_SLOT);
		return true;
	}
	r = scan_start(s, l);
	if (r == 0) {
		scan_event(s, SCAN_EV_SLOT);
		return true;
	}
	if (r == -EAGAIN || r == -EPIPE) { /* those wake us: room in the channel, a digester, a new zygote */
		queue_put_back(s->jobs->parts.queue, &s->item);
		return false;
	}
	s->starts++;
	scan_event(s, SCAN_EV_UNMADE);
	return true;
}

void jobs_pump(struct jobs *j)
{
	struct zygote_link *l;
	struct queue_item *item;
	bool more = !audit_is_behind(&j->parts.audit);

	if (!more)
		retry_soon(j);
	while (more && (l = zygotes_current(j->parts.zygotes)) && (item = queue_next(j->parts.queue)))
		more = give_slot((struct scan *)item, l);
}

static void on_retry(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd;
	(void)what;
	jobs_pump(ctx);
}

/* ---- what zygotes tell ---- */

static struct scan *scan_of(struct zygote_job *job)
{
	return (struct scan *)(void *)((char *)job - offsetof(struct scan, worker.job));
}

static void on_tell(void *ctx, uint32_t type, uint64_t id, int status)
{
	struct jobs *j = ctx;

	j->tell(j->tell_ctx, type, id, status);
}

static void on_room(void *ctx)
{
	jobs_pump(ctx);
}

static void on_ended(void *ctx, struct zygote_job *job, int status, int error)
{
	struct scan *s = scan_of(job);
	struct jobs *j = ctx;

	if (s->worker.exited) {
		log_line(
		    "zygote %llu speaks of a worker it does not have", (unsigned long long)zygote_number(job->link));
		return;
	}
	if (s->phase == SCAN_LOST || s->phase == SCAN_LOST_RECORDING) {
		s->worker.exited = true;
		if (!s->worker.digest.by)
			scan_event(s, SCAN_EV_OVER);
		return;
	}
	if (error != 0) { /* too many processes, no memory */
		scan_on_unmade(s);
		return;
	}
	if (status != 0 && !s->worker.unmade)
		tally_exit(&j->parts.env->tally, status, s->worker.cause != WLK_CAUSE_NONE, s->worker.cause);
	s->worker.exited = true;
	s->worker.status = status;
	scan_check_over(s);
}

static void on_lost(void *ctx, struct zygote_job *job)
{
	struct scan *s = scan_of(job);
	struct jobs *j = ctx;

	if (!s->worker.exited && s->phase != SCAN_LOST && s->phase != SCAN_LOST_RECORDING)
		j->parts.env->tally.exits[TALLY_EXIT_ZYGOTE]++;
	scan_event(s, SCAN_EV_ZYGOTE_GONE);
}

static void on_digested(void *ctx, struct digest_call *c, int error, const uint8_t sha256[32])
{
	(void)ctx;
	scan_on_digested((struct scan *)(void *)((char *)c - offsetof(struct scan, worker.digest)), error, sha256);
}

/* ---- the beginning ---- */

int jobs_new(const struct jobs_parts *parts, void (*tell)(void *ctx, uint32_t type, uint64_t id, int status), void *ctx,
    struct jobs **ret)
{
	struct jobs *j = calloc(1, sizeof(*j));
	const struct zygotes_owner owner = {
		.tell = on_tell, .room = on_room, .ended = on_ended, .lost = on_lost, .digested = on_digested, .ctx = j
	};

	if (j == NULL)
		return -ENOMEM;
	j->parts = *parts;
	j->tell = tell;
	j->tell_ctx = ctx;
	j->retry = evtimer_new(parts->env->base, on_retry, j);
	if (!j->retry)
		return -ENOMEM; /* at start: the process ends */
	*ret = j;
	return zygotes_new(parts->env, &owner, &j->parts.zygotes);
}

/* What is only kept may be kept later; but no verdict is given where each must be recorded and none can be. */
bool jobs_are_good(const struct jobs_parts *p)
{
	bool required = p->env->settings->config.audit == CONFIG_AUDIT_REQUIRED;
	bool kept = !p->audit.keeper || (required ? keeper_link_is_up(p->audit.keeper) : p->env->kept);

	return p->env->proven && !p->env->draining && kept && !audit_is_behind(&p->audit);
}

struct jobs_parts *jobs_parts(struct jobs *j)
{
	return &j->parts;
}

size_t jobs_active(const struct jobs *j)
{
	return j->active;
}

uint64_t jobs_oldest_wait_ms(const struct jobs *j)
{
	const struct queue_item *item = queue_oldest(j->parts.queue);

	return item != NULL ? clock_now_ms() - ((const struct scan *)item)->queued_ms : 0;
}

void jobs_hold(struct jobs *j)
{
	j->active++;
}

void jobs_release(struct jobs *j)
{
	j->active--;
	j->parts.env->rested(j->parts.env->ctx);
}

/* ---- what a connection asks for ---- */

/* A place that was kept for it, or one like everybody's. */
static enum queue_answer enter_queue(struct scan *s, const struct scan_request *r)
{
	struct queue *q = s->jobs->parts.queue;

	if (!r->place || r->place->state != QUEUE_ADMITTED)
		return queue_admit(q, &s->item, s->tenant, r->lane);
	queue_hand_over(q, r->place, &s->item);
	s->heir = r->place;
	return QUEUE_OK;
}

/* A copy, for the scan may outlive the asker.  Return: false without one. */
static bool take_document(struct scan *s, const struct scan_request *r)
{
	if (r->document_size == 0)
		return true;
	s->document = fcntl(r->document, F_DUPFD_CLOEXEC, 0);
	s->document_size = r->document_size;
	return s->document >= 0;
}

static void copy_request(struct scan *s, const struct scan_request *r)
{
	s->policy = r->policy;
	s->task = r->task;
	s->part = r->part;
	s->member = r->member;
	s->wants_rows = r->rows;
	s->wants_digests = r->digests;
	s->wants_stats = r->rows && r->stats;
	s->wants_calls = r->calls;
	s->wants_keep = r->keep && r->task == JOB_FILE && r->part == JOB_PART_ALONE && !r->rows && !r->calls;
	s->unrecorded = r->unrecorded;
	s->peer_uid = r->peer_uid;
	s->peer_pid = r->peer_pid;
	snprintf(s->name, sizeof(s->name), "%s", r->name);
	snprintf(s->request_id, sizeof(s->request_id), "%s", r->request_id);
	snprintf(s->tenant, sizeof(s->tenant), "%s", r->tenant);
	s->expect.has_sha256 = r->has_sha256;
	if (r->has_sha256)
		memcpy(s->expect.sha256, r->sha256, sizeof(s->expect.sha256));
}

enum queue_answer scan_admit(
    struct jobs *j, const struct scan_request *r, scan_done_fn done, void *ctx, struct scan **ret)
{
	struct scan *s;
	enum queue_answer a;

	if (r->by_descriptor && tenant_is_stuck(j, r->tenant))
		return QUEUE_TENANT_FULL;
	s = calloc(1, sizeof(*s));
	if (s == NULL)
		return QUEUE_FULL;
	*s = (struct scan){ .jobs = j, .done = done, .ctx = ctx, .wanted = true, .document = -1, .input = -1 };
	copy_request(s, r);
	scan_init_worker(s);
	s->timer = evtimer_new(j->parts.env->base, scan_on_timer, s);
	a = s->timer && take_document(s, r) ? enter_queue(s, r) : QUEUE_FULL;
	if (a != QUEUE_OK) {
		if (s->timer)
			event_free(s->timer);
		files_close(&j->parts.env->files, s->document);
		free(s);
		return a;
	}
	j->active++;
	*ret = s;
	return QUEUE_OK;
}

void scan_start_spool(struct scan *s, struct spool *spool)
{
	s->spool = spool;
	s->input = spool_fd(spool);
	s->source = VERDICT_SPOOL;
	s->expect.size = spool_size(spool);
	scan_expect_digest(s);
	early_stop_pacing(s);
	scan_event(s, SCAN_EV_BODY);
}

void scan_start_fd(struct scan *s, int fd, uint64_t size, bool sealed)
{
	s->input = fd;
	s->source = sealed ? VERDICT_SEALED : VERDICT_FD;
	s->expect.size = size;
	s->expect.taken_by = s->claims                ? DIGEST_BY_CALLER
			     : scan_wants_digester(s) ? DIGEST_BY_DIGESTER
						      : DIGEST_BY_WORKER;
	scan_event(s, SCAN_EV_BODY);
}

void scan_start_own(struct scan *s, int fd, uint64_t size)
{
	s->input_is_ours = true;
	scan_start_fd(s, fd, size, true);
}

void scan_forget(struct scan *s, bool finish)
{
	s->done = NULL;
	s->heir = NULL;
	s->wanted = finish && s->input >= 0;
	if (!s->wanted && scan_phase_has_worker(s->phase) && s->worker.cause == WLK_CAUSE_NONE)
		s->worker.cause = WLK_CAUSE_CANCELLED;
	scan_event(s, SCAN_EV_FORGET);
}

void scan_give_back(struct scan *s)
{
	s->done = NULL;
	s->wanted = false;
	scan_event(s, SCAN_EV_FORGET);
}

bool scan_running(const struct scan *s)
{
	return scan_phase_runs(s->phase);
}

size_t scan_position(const struct scan *s)
{
	return queue_position(s->jobs->parts.queue, &s->item);
}

uint64_t scan_progress(const struct scan *s)
{
	return s->worker.facts ? s->worker.facts->progress : 0;
}

uint64_t scan_size(const struct scan *s)
{
	return s->expect.size;
}
