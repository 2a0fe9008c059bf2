/* One zygote, a worker a file.  A worker that dies of its file may have been taken over before, so its zygote
 * gets no further job: it ends with its last worker, and a successor (new layout, new seeds) takes the next.  At most
 * one a second, or a folder full of such files would start programs as fast as we can. */
#include "local_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cleanup.h"
#include "cli.h"
#include "held_files.h"
#include "job.h"
#include "worker_path.h"

#define KILL_GRACE_MS 2000   /* from SIGKILL until a worker counts as lost: storage may be stuck */
#define RETIRE_MS 1000       /* between retirements of suspects */
#define CHANNEL_WAIT_MS 1000 /* for room in the channel to a zygote */
#define REPORT_BLOCK 32768u  /* half of what a pipe holds */
#define EVENTS_MAX 64

static struct local *local_of(struct backend *b)
{
	return (struct local *)(void *)b;
}

/* ---- zygotes ---- */

void local_explain(int r, const struct zygote *z, const char *worker_path)
{
	if (r == -ENOEXEC)
		say("%s is of another build than this program", worker_path);
	else if (r == -EPROTO)
		say("%s did not start", worker_path);
	else
		say("the sandbox cannot be set up: %s", strerrordesc_np(-r));
	for (int i = 0; r == -EPERM && i < SANDBOX_N_LAYERS; i++) {
		const struct sandbox_layer_info *info = sandbox_layer_info((enum sandbox_layer)i);

		if (info->mandatory && z->layer_errno[i] != 0)
			say("%s: %s; %s", info->name, strerrordesc_np(z->layer_errno[i]), info->remedy);
	}
}

static int herd_new(struct local *l, struct zygote *ret_failed)
{
	struct herd *h = calloc(1, sizeof(*h));
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = h };
	int r;

	if (h == NULL)
		return -ENOMEM;
	h->watch = WATCH_ZYGOTE;
	h->zygote.channel = -1;
	r = zygote_start(l->worker_fd, sandbox_build_id(), &h->zygote);
	if (r == 0 && epoll_ctl(l->base.epoll_fd, EPOLL_CTL_ADD, h->zygote.channel, &event) < 0) {
		r = -errno;
		zygote_stop(&h->zygote);
	}
	if (r < 0) {
		*ret_failed = h->zygote;
		free(h);
		return r;
	}
	h->next = l->herds;
	l->herds = h;
	digester_prepare(l, h);
	return 0;
}

static void herd_free(struct herd *h)
{
	digesters_free(h);
	zygote_stop(&h->zygote);
	free(h);
}

/* Retired zygotes go when their last worker has. */
static void herds_sweep(struct local *l)
{
	for (struct herd **at = &l->herds; *at != NULL;) {
		struct herd *h = *at;

		if (h->retired && h->n_running == 0) {
			*at = h->next;
			herd_free(h);
		} else {
			at = &h->next;
		}
	}
}

static void suspect_retire(struct local *l, int64_t now)
{
	struct herd *h = l->herds;

	if (h == NULL || h->retired || !h->suspect || now - l->retired_ms < RETIRE_MS)
		return;
	h->retired = true;
	l->retired_ms = now;
	herds_sweep(l);
}

/* A zygote fit for a new job.  Return: NULL if none can be had. */
static struct herd *herd_current(struct local *l)
{
	struct zygote failed;

	suspect_retire(l, now_ms());
	if (l->herds != NULL && !l->herds->retired)
		return l->herds;
	return herd_new(l, &failed) == 0 ? l->herds : NULL;
}

/* ---- jobs ---- */

static void work_unlink(struct local *l, struct work *work)
{
	struct work **at = &l->works;

	while (*at != work)
		at = &(*at)->next;
	*at = work->next;
}

/* A digester may hold the same socket, so that closing it would not take it from the set. */
static void report_close(const struct local *l, struct work *work)
{
	if (work->report_fd >= 0)
		(void)epoll_ctl(l->base.epoll_fd, EPOLL_CTL_DEL, work->report_fd, NULL);
	closep(&work->report_fd);
	work->report_fd = -1;
}

static void work_free(const struct local *l, struct work *work)
{
	if (work == NULL)
		return;
	report_close(l, work);
	facts_free(work->facts);
	free(work);
}

/* What is left of the rows goes where the others are; that can fail as any of them can. */
static void rows_end(struct work *work)
{
	struct tensor_rows *rows = work->task->rows;

	if (rows != NULL && tensor_rows_end(rows) < 0 && work->cause == WLK_CAUSE_NONE)
		work->cause = WLK_CAUSE_LIMIT_OUTPUT;
}

/* Of what was read from standard input the command has the digest; of a file a digester takes it.  A set's document is our
 * own, and who is only to say what a file is needs none. */
static bool wants_digest(const struct task *t)
{
	return t->set == NULL && !t->identify && !t->input.has_sha256;
}

static struct facts_expect expect_of(const struct task *t)
{
	struct facts_expect expect = { .size = t->input.size };

	if (t->input.has_sha256) {
		expect.taken_by = DIGEST_BY_COMMAND;
		expect.has_taken = true;
		memcpy(expect.taken, t->input.sha256, sizeof(expect.taken));
	} else if (wants_digest(t)) {
		expect.taken_by = DIGEST_BY_DIGESTER;
	}
	return expect;
}

static void input_close(struct task *t)
{
	closep(&t->input.fd);
	t->input.fd = -1;
}

/* The verdict, and the end of the job; or that the file is put off. */
static void work_finish(struct local *l, struct work *work)
{
	struct task *t = work->task;
	const struct verdict_context context = {
		.name = t->input.name,
		.path = rule_path(t->input.name),
		.source = t->input.source,
		.layer_errno = work->herd->zygote.layer_errno,
		.layer_names = l->layer_names,
		.n_layers = SANDBOX_N_LAYERS,
		.started_at = work->started_at,
		.duration_ms = (double)(now_us() - t->started_us) / 1000,
	};

	digester_drop(work);
	rows_end(work);
	facts_finish(work->facts, work->cause, &work->expect);
	if (t->rows != NULL && work->facts->final.cause == WLK_CAUSE_WORKER_PROTOCOL)
		tensor_rows_discard(t->rows); /* they cannot be trusted */
	if (t->part == JOB_PART_MEMBER && facts_put_off(work->facts)) {
		t->put_off = true;
	} else {
		task_judge(t, l->policy, work->facts, &context);
		work->facts = NULL;
		input_close(t);
	}
	t->work = NULL;
	work->herd->n_running--;
	work_unlink(l, work);
	work_free(l, work);
	herds_sweep(l);
}

/* SIGKILL to the worker, for @cause; its verdict waits for its end, for KILL_GRACE_MS at most. */
static void work_kill(struct work *work, enum wlk_cause cause, int64_t now)
{
	const struct channel_message m = { .type = CHANNEL_CANCEL, .id = work->id };

	digester_drop(work);
	work->killed = true;
	work->cause = cause;
	work->deadline_ms = now + KILL_GRACE_MS;
	(void)channel_send(work->herd->zygote.channel, &m, NULL, 0);
}

/* What is too long is nothing: it is never whole. */
static void report_keep(struct task *t, const uint8_t *at, size_t n)
{
	size_t room = t->report_room > 0 ? t->report_room : 4096;
	uint8_t *bigger = t->report;

	if (t->report_max - t->report_n < n) {
		t->report_max = t->report_n = 0;
		return;
	}
	while (room - t->report_n < n)
		room *= 2;
	if (room > t->report_room)
		bigger = realloc(t->report, room);
	if (bigger == NULL) {
		t->report_max = t->report_n = 0;
		return;
	}
	t->report = bigger;
	t->report_room = room;
	memcpy(t->report + t->report_n, at, n);
	t->report_n += n;
}

/* The worker has ended, so has its report, and the digest is there, or not wanted: then that is it. */
static void work_check_over(struct local *l, struct work *work)
{
	bool put_off = work->task->part == JOB_PART_MEMBER && facts_put_off(work->facts);

	if (work->exited && work->report_fd < 0 && (work->digester == NULL || put_off))
		work_finish(l, work);
}

static void digest_read(struct local *l, struct digester *d)
{
	enum wlk_cause cause;
	struct work *work = digester_read(d, &cause);

	if (work == NULL)
		return;
	if (cause != WLK_CAUSE_NONE && !work->exited && !work->killed)
		work_kill(work, cause, now_ms());
	else if (cause != WLK_CAUSE_NONE && work->cause == WLK_CAUSE_NONE)
		work->cause = cause;
	work_check_over(l, work);
}

static void report_read(struct local *l, struct work *work)
{
	uint8_t block[REPORT_BLOCK];
	ssize_t n = read(work->report_fd, block, sizeof(block));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n > 0) {
		report_keep(work->task, block, (size_t)n);
		if (!facts_feed(work->facts, block, (size_t)n) && !work->killed)
			work_kill(work, WLK_CAUSE_WORKER_PROTOCOL, now_ms());
		work->task->progress = work->facts->progress;
		return;
	}
	/* Its end, or an error after which nothing more can come; a report cut short fails facts_finish(). */
	report_close(l, work);
	work_check_over(l, work);
}

static struct work *work_by_id(const struct local *l, const struct herd *h, uint64_t id)
{
	for (struct work *work = l->works; work != NULL; work = work->next) {
		if (work->herd == h && work->id == id)
			return work;
	}
	return NULL;
}

static void worker_exited(struct local *l, struct herd *h, const struct channel_message *m)
{
	struct work *work = work_by_id(l, h, m->id);
	enum wlk_cause cause = m->error != 0 ? WLK_CAUSE_INTERNAL : cause_from_wait_status(m->status);

	if (work == NULL) /* answered already: it was lost */
		return;
	work->exited = true;
	if (!work->killed && cause != WLK_CAUSE_NONE)
		work->cause = cause;
	if ((!work->killed && cause != WLK_CAUSE_NONE) || wait_status_is_fault(m->status))
		h->suspect = true;
	work_check_over(l, work);
}

static struct work *work_of(const struct local *l, const struct herd *h)
{
	struct work *work = l->works;

	while (work != NULL && work->herd != h)
		work = work->next;
	return work;
}

/* The zygote is gone, and its workers with it: what they said cannot be trusted to be all. */
static void herd_lost(struct local *l, struct herd *h)
{
	struct work *work;

	h->retired = true;
	h->n_running++; /* keeps it while we look */
	while ((work = work_of(l, h)) != NULL) {
		if (!work->killed)
			work->cause = WLK_CAUSE_INTERNAL;
		work_finish(l, work);
	}
	h->n_running--;
	herds_sweep(l);
}

static void zygote_read(struct local *l, struct herd *h)
{
	struct channel_message m;
	int fds[CHANNEL_FDS_MAX];
	int r;

	h->n_running++; /* keeps it while we read */
	while ((r = channel_recv(h->zygote.channel, &m, fds)) == 1) {
		for (size_t i = 0; i < CHANNEL_FDS_MAX; i++)
			closep(&fds[i]);
		if (m.type == CHANNEL_EXITED)
			worker_exited(l, h, &m);
	}
	h->n_running--;
	if (r != -EAGAIN && r != -EINTR)
		herd_lost(l, h);
	else
		herds_sweep(l);
}

/* ---- starting ---- */

/* The channel is small; a zygote empties it within microseconds unless it is gone. */
static int job_send(int channel, const struct channel_message *m, const void *names, const int *fds, size_t n_fds)
{
	int64_t until = now_ms() + CHANNEL_WAIT_MS;
	int r;

	while ((r = channel_send_with(channel, m, names, fds, n_fds)) == -EAGAIN && now_ms() < until) {
		struct pollfd room = { .fd = channel, .events = POLLOUT };

		(void)poll(&room, 1, 10);
	}
	return r;
}

static enum job_kind kind_of(const struct task *t)
{
	if (t->set != NULL)
		return JOB_SET;
	if (t->convert)
		return JOB_CONVERT;
	return t->identify ? JOB_IDENTIFY : JOB_FILE;
}

static bool has_document(const struct task *t)
{
	return t->part == JOB_PART_MEMBER_AGAIN && t->document_size > 0;
}

/* The descriptor that comes third; -1: none does. */
static int third_of(const struct task *t)
{
	if (t->convert)
		return t->output;
	return has_document(t) ? t->document : -1;
}

/* What a job shows of the file (views) or makes of it needs no other way: of what flows by the file itself is readable beside
 * it, and a conversion takes its elements from the pass. */
static enum job_input input_of(const struct work *work)
{
	if (work->digester == NULL || work->way == DIGESTER_HASHES)
		return JOB_INPUT_FILE;
	return work->way == DIGESTER_COPIES ? JOB_INPUT_COPY : JOB_INPUT_FLOW;
}

static void job_fill(const struct local *l, const struct work *work, struct channel_message *ret)
{
	const struct task *t = work->task;
	const enum job_input input = input_of(work);
	const struct job job = {
		.task = kind_of(t),
		.part = t->part,
		.document_size = has_document(t) ? t->document_size : 0,
		.member = has_document(t) ? t->member : 0,
		.output_max = t->convert ? t->output_max : 0,
		.leave = t->convert && t->leave,
		.cast = t->convert ? t->cast : WLK_DTYPE_NONE,
		.rows = t->rows != NULL,
		.digests = t->rows != NULL && t->digests,
		.stats = t->rows != NULL && t->stats,
		.calls = t->calls || t->views,
		.views = t->views,
		.size = t->input.size,
		.kind = t->input.source == VERDICT_FILE && input != JOB_INPUT_COPY ? SOURCE_MUTABLE : SOURCE_IMMUTABLE,
		.undigested = work->expect.taken_by != DIGEST_BY_WORKER,
		.input = input,
		.arriving = input != JOB_INPUT_FILE,
		.hint = t->set != NULL ? WLK_FORMAT_UNKNOWN : format_hint(t->input.name),
		.family = t->set != NULL ? CONFIG_NONE : config_family_hint(t->input.name),
		.limits = *policy_limits(l->policy),
		.pickle_names = { policy_pickle_names(l->policy) },
	};

	*ret = (struct channel_message){ .type = CHANNEL_JOB, .id = work->id };
	ret->payload_n = (uint32_t)job_encode(&job, ret->payload);
	ret->appendix_n = (uint32_t)job.pickle_names.lines.n;
}

static int64_t deadline_of(const struct local *l, const struct task *t)
{
	uint64_t s = limits_deadline_s(policy_limits(l->policy), t->input.size);

	return t->started_us / 1000 + (int64_t)(s * 1000);
}

/* A report goes out by a pipe; where marks come in by the same way, by a socket. */
static int report_open(struct work *work, int *ret_in)
{
	int ends[2];
	int r = input_of(work) == JOB_INPUT_FILE ? pipe2(ends, O_CLOEXEC)
						 : socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends);

	if (r < 0)
		return -errno;
	work->report_fd = ends[0];
	*ret_in = ends[1];
	return fcntl(work->report_fd, F_SETFL, O_NONBLOCK) < 0 ? -errno : 0;
}

/* Pass the file to a new worker, and to the digester.  Return: 0 or negative errno; -EPIPE when the zygote is gone. */
static int work_send(struct local *l, struct work *work)
{
	_cleanup_(closep) int report_in = -1;
	const enum job_input input = input_of(work);
	struct task *t = work->task;
	struct channel_message m;
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = work };
	int fds[CHANNEL_FDS_MAX], r = report_open(work, &report_in);
	size_t n = 0;

	if (r < 0)
		return r;
	job_fill(l, work, &m);
	fds[n++] = input == JOB_INPUT_COPY ? work->digester->memory : t->input.fd;
	fds[n++] = report_in;
	if (third_of(t) >= 0)
		fds[n++] = third_of(t);
	if (input == JOB_INPUT_FLOW)
		fds[n++] = work->digester->memory;
	r = job_send(work->herd->zygote.channel, &m, policy_pickle_names(l->policy).at, fds, n);
	if (r == 0 && work->digester != NULL)
		r = digester_start(work->digester, work, input == JOB_INPUT_FILE ? -1 : work->report_fd);
	if (r < 0)
		return r;
	if (epoll_ctl(l->base.epoll_fd, EPOLL_CTL_ADD, work->report_fd, &event) < 0)
		return -errno;
	return 0;
}

static struct work *work_new(struct local *l, struct task *t)
{
	struct work *work = calloc(1, sizeof(*work));

	if (work == NULL)
		return NULL;
	*work = (struct work){ .watch = WATCH_REPORT, .id = ++l->next_id, .task = t, .report_fd = -1 };
	work->facts = facts_new();
	work->herd = herd_current(l);
	work->started_at = (int64_t)time(NULL);
	work->deadline_ms = deadline_of(l, t);
	work->expect = expect_of(t);
	work->way = digester_way(t->input.size, t->input.source != VERDICT_FILE);
	work->expect.flowed = wants_digest(t) && work->way == DIGESTER_FLOWS;
	if (work->herd != NULL && wants_digest(t))
		work->digester = digester_free(l, work->herd);
	if (work->facts != NULL && t->rows != NULL)
		facts_want_rows(work->facts, tensor_rows_sink(t->rows));
	if (work->facts != NULL && (t->calls || t->views))
		facts_want_calls(work->facts);
	if (work->facts != NULL && t->views)
		facts_want_views(work->facts);
	if (work->facts != NULL && work->herd != NULL && (work->digester != NULL || !wants_digest(t)))
		return work;
	work_free(l, work);
	return NULL;
}

/* Return: 0, or negative errno when no worker has taken the task. */
static int work_start(struct local *l, struct task *t)
{
	struct work *work = work_new(l, t);
	int r;

	if (work == NULL)
		return -EAGAIN;
	r = work_send(l, work);
	if (r < 0) {
		digester_drop(work);
		work->herd->retired = true;
		work_free(l, work);
		herds_sweep(l);
		return r;
	}
	work->herd->n_running++;
	work->next = l->works;
	l->works = work;
	t->work = work;
	t->report_n = 0;
	for (unsigned i = 0; i < SANDBOX_N_LAYERS; i++)
		t->layers |= work->herd->zygote.layer_errno[i] == 0 ? UINT32_C(1) << i : 0;
	if (t->part != JOB_PART_MEMBER)
		input_close(t);
	return 0;
}

/* The document about a set becomes the input.  Return: false when there can be none. */
static bool set_open(struct task *t)
{
	int fd = set_file_seal(t->set, &t->input.size);

	t->input.fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
	t->input.source = VERDICT_SEALED;
	return t->input.fd >= 0;
}

static void local_start(struct backend *b, struct task *t)
{
	struct local *l = local_of(b);

	if (t->set != NULL && !set_open(t)) {
		task_fail(t, l->policy,
		    set_file_cause(t->set) != WLK_CAUSE_NONE ? set_file_cause(t->set) : WLK_CAUSE_INTERNAL,
		    "the files cannot be compared", NULL);
		return;
	}
	/* A zygote can end between two jobs: once more with its successor. */
	if (work_start(l, t) < 0 && work_start(l, t) < 0)
		task_fail(t, l->policy, WLK_CAUSE_INTERNAL, "no worker could be started", NULL);
}

/* ---- the backend ---- */

static void deadlines_keep(struct local *l, int64_t now)
{
	struct work *next;

	for (struct work *work = l->works; work != NULL; work = next) {
		next = work->next;
		if (now < work->deadline_ms)
			continue;
		if (work->killed) {
			if (!work->exited)
				work->herd->retired = true; /* it still has a worker that does not die */
			work_finish(l, work);
		} else {
			work_kill(work, WLK_CAUSE_WORKER_TIMEOUT, now);
			work_check_over(l, work);
		}
	}
}

/* One event a turn of the epoll set: finishing a job frees what other events of a batch may point to. */
static void local_turn(struct backend *b, int64_t now)
{
	struct local *l = local_of(b);
	struct epoll_event event;

	for (int i = 0; i < EVENTS_MAX && epoll_wait(b->epoll_fd, &event, 1, 0) == 1; i++) {
		switch (*(enum watch *)event.data.ptr) {
		case WATCH_REPORT: report_read(l, event.data.ptr); break;
		case WATCH_DIGESTER: digest_read(l, event.data.ptr); break;
		case WATCH_ZYGOTE: zygote_read(l, event.data.ptr); break;
		}
	}
	deadlines_keep(l, now);
}

static int64_t local_next_ms(const struct backend *b)
{
	const struct local *l = (const struct local *)(const void *)b;
	int64_t next = INT64_MAX;

	for (const struct work *work = l->works; work != NULL; work = work->next)
		next = work->deadline_ms < next ? work->deadline_ms : next;
	return next;
}

static void local_close(struct backend *b)
{
	struct local *l = local_of(b);

	while (l->works != NULL) {
		struct work *work = l->works;

		l->works = work->next;
		digester_drop(work);
		work_free(l, work);
	}
	while (l->herds != NULL) {
		struct herd *h = l->herds;

		l->herds = h->next;
		herd_free(h);
	}
	closep(&l->worker_fd);
	closep(&l->base.epoll_fd);
	free(l);
}

static const struct backend_ops local_ops = {
	.start = local_start,
	.turn = local_turn,
	.next_ms = local_next_ms,
	.close = local_close,
};

static int worker_find(struct local *l, char path[PATH_MAX])
{
	l->worker_fd = worker_open(path, PATH_MAX);
	if (l->worker_fd < 0)
		say("the worker program is missing: %s: %s", path, strerrordesc_np(-l->worker_fd));
	return l->worker_fd < 0 ? l->worker_fd : 0;
}

static int local_begin(struct local *l)
{
	struct zygote failed = { 0 };
	char path[PATH_MAX];
	int r = worker_find(l, path);

	if (r < 0)
		return r;
	l->base.epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (l->base.epoll_fd < 0)
		return -errno;
	r = herd_new(l, &failed);
	if (r < 0)
		local_explain(r, &failed, path);
	return r;
}

int local_open(const struct policy *policy, struct backend **ret)
{
	struct local *l = calloc(1, sizeof(*l));
	int r;

	if (l == NULL)
		return -ENOMEM;
	l->base = (struct backend){ .ops = &local_ops, .epoll_fd = -1, .set_max = held_files_max() };
	l->policy = policy;
	l->worker_fd = -1;
	for (int i = 0; i < SANDBOX_N_LAYERS; i++)
		l->layer_names[i] = sandbox_layer_info((enum sandbox_layer)i)->name;
	r = local_begin(l);
	if (r < 0) {
		local_close(&l->base);
		return r;
	}
	*ret = &l->base;
	return 0;
}
