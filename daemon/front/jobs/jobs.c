/* Which scans there are: admission, the queue, slots, and what zygotes tell.  See jobs.h. */
#include "jobs_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "zygotes.h"

static void drop_input(struct scan *s)
{
	if (s->spool)
		spool_free(s->spool);
	else if (s->input_is_ours)
		files_close(&s->jobs->front->files, s->input);
	else
		files_close_client(&s->jobs->front->files, s->peer_uid, s->input);
	files_close(&s->jobs->front->files, s->document);
	s->spool = NULL;
	s->input = s->document = -1;
}

void scan_leave_queue(struct scan *s)
{
	struct queue *q = s->jobs->front->queue;

	if (s->heir && s->item.state != QUEUE_OUT)
		queue_hand_over(q, &s->item, s->heir);
	else
		queue_remove(q, &s->item);
	s->heir = NULL;
}

void scan_free(struct scan *s)
{
	struct front *f = s->jobs->front;
	struct zygote_link *unused = scan_detach(s);

	scan_forget_worker(s);
	drop_input(s);
	scan_leave_queue(s);
	if (!s->answered)
		scan_count_answered(s);
	audit_forget(s->recording);
	json_decref(s->verdict.json);
	free(s->json);
	event_free(s->timer);
	free(s);
	if (unused)
		zygote_unused(unused);
	jobs_pump(f->jobs);
	front_maybe_done(f);
}

void scan_shed(struct scan *s)
{
	struct zygote_link *unused = scan_detach(s);
	struct facts *facts = s->facts;
	struct rows *rows = s->rows;

	s->facts = NULL;
	s->rows = NULL;
	scan_forget_worker(s);
	s->facts = facts;
	s->rows = rows;
	drop_input(s);
	scan_leave_queue(s);
	if (unused)
		zygote_unused(unused);
	jobs_pump(s->jobs);
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

	if (s->source == VERDICT_FD && jobs_tenant_is_stuck(s->jobs, s->tenant)) {
		s->stuck = true;
		scan_set_timer(s, 0); /* whoever called us does not expect an answer yet */
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

uint64_t jobs_oldest_wait_ms(const struct jobs *j)
{
	const struct queue_item *item = queue_oldest(j->front->queue);

	return item ? front_now_ms() - ((const struct scan *)item)->queued_ms : 0;
}

void jobs_hold(struct jobs *j)
{
	j->active++;
}

void jobs_release(struct jobs *j)
{
	j->active--;
	front_maybe_done(j->front);
}

/* ---- what a connection asks for ---- */

/* A place that was kept for it, or one like everybody's. */
static enum queue_answer enter_queue(struct scan *s, const struct scan_request *r)
{
	struct queue *q = s->jobs->front->queue;

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

enum queue_answer scan_admit(
    struct jobs *j, const struct scan_request *r, scan_done_fn done, void *ctx, struct scan **ret)
{
	struct scan *s = calloc(1, sizeof(*s));
	enum queue_answer a;

	if (r->by_descriptor && jobs_tenant_is_stuck(j, r->tenant)) {
		free(s);
		return QUEUE_TENANT_FULL;
	}
	if (!s)
		return QUEUE_FULL;
	*s = (struct scan){ .jobs = j,
		.done = done,
		.ctx = ctx,
		.policy = r->policy,
		.task = r->task,
		.part = r->part,
		.document = -1,
		.member = r->member,
		.wants_rows = r->rows,
		.wants_digests = r->digests,
		.wants_keep = r->keep && r->task == JOB_FILE && r->part == JOB_PART_ALONE && !r->rows,
		.unrecorded = r->unrecorded,
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
	s->timer = evtimer_new(j->front->base, scan_on_timer, s);
	a = s->timer && take_document(s, r) ? enter_queue(s, r) : QUEUE_FULL;
	if (a != QUEUE_OK) {
		if (s->timer)
			event_free(s->timer);
		files_close(&j->front->files, s->document);
		free(s);
		return a;
	}
	j->active++;
	*ret = s;
	return QUEUE_OK;
}

void scan_push(struct scan *s)
{
	s->queued_ms = front_now_ms();
	queue_push(s->jobs->front->queue, &s->item, s->expect.size);
	jobs_pump(s->jobs);
}

void scan_enqueue(struct scan *s)
{
	uint64_t wait = strikes_hold_ms(&s->jobs->strikes, s->tenant, front_now_ms());

	if (wait > 0) {
		scan_set_timer(s, wait);
		return;
	}
	scan_push(s);
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

void scan_start_own(struct scan *s, int fd, uint64_t size)
{
	s->input_is_ours = true;
	scan_start_fd(s, fd, size, true);
}

void scan_forget(struct scan *s, bool finish)
{
	s->done = NULL;
	s->heir = NULL;
	if (s->recording || (finish && s->input >= 0))
		return;
	s->dropped = true;
	if (s->arriving && s->link)
		early_withdraw(s);
	else if (s->link)
		scan_kill_worker(s, WLK_CAUSE_CANCELLED);
	else
		scan_free(s);
}

void scan_give_back(struct scan *s)
{
	s->done = NULL;
	scan_free(s);
}

bool scan_running(const struct scan *s)
{
	return s->link != NULL || s->recording != NULL;
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
		scan_close_output(s);
		scan_end_worker(s);
	} else if (++s->starts > JOBS_STARTS_MAX) {
		log_errno(-error, "no worker can be started: id=%s", s->request_id);
		scan_refuse(s, PROBLEM_BUSY, "no worker process can be started at the moment");
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
	if (s->lost) {
		scan_found(s);
		return;
	}
	if (error != 0) {
		not_started(s, error);
		return;
	}
	s->ended_well = status == 0;
	if (!s->ended_well)
		tally_exit(&s->jobs->front->tally, status, s->killed, s->cause);
	s->exited = true;
	s->status = status;
	scan_maybe_end(s);
}

static void worker_gone(struct scan *s)
{
	if (!s->exited && !s->lost)
		s->jobs->front->tally.exits[TALLY_EXIT_ZYGOTE]++;
	scan_count_end(s);
	if (s->lost) {
		scan_found(s);
	} else if (early_is_void(s)) {
		early_start_over(s);
	} else if (!s->retried && !s->killed) {
		s->retried = true;
		back_to_queue(s);
	} else {
		s->cause = s->killed ? s->cause : WLK_CAUSE_INTERNAL;
		s->killed = true;
		scan_close_output(s);
		scan_end_worker(s);
	}
}

void jobs_zygote_gone(struct scan_list *scans)
{
	while (scans->first)
		worker_gone(scans->first);
}
