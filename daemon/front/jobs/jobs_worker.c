/* The worker of a scan: its start, its report, its end, and what is done when the end does not come.  See jobs.h. */
#include "jobs_impl.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "channel.h"
#include "log.h"
#include "sandbox.h"
#include "zygotes.h"

void scan_set_timer(struct scan *s, uint64_t ms)
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

void scan_close_output(struct scan *s)
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
	scan_close_output(s);
	early_stop_pacing(s);
	files_close(&s->jobs->front->files, s->early_fd);
	s->early_fd = -1;
	facts_free(s->facts);
	s->facts = NULL;
	rows_free(s->rows);
	s->rows = NULL;
	keep_drop(s->keep);
	s->keep = NULL;
	s->report_bytes = 0;
	s->exited = s->ended_well = s->malformed = s->killed = s->unsent = s->early = s->withdrawn = s->starved = false;
	s->cause = WLK_CAUSE_NONE;
	evtimer_del(s->timer);
}

/* Did the file do this?  Not if we killed it, if it ran out of time, or if something outside did (SIGKILL). */
static bool died_of_file(const struct scan *s)
{
	if (!s->exited || s->killed)
		return false;
	if (WIFSIGNALED(s->status))
		return WTERMSIG(s->status) != SIGXCPU && WTERMSIG(s->status) != SIGKILL;
	return WIFEXITED(s->status) && WEXITSTATUS(s->status) != 0 && WEXITSTATUS(s->status) != SANDBOX_EXIT_JAIL;
}

/* A worker that is itself reports in order, whatever the file.  One that does not was taken over, or somebody is trying:
 * that must cost as much as a crash, or a memory layout can be guessed at leisure. */
static bool has_lied(const struct scan *s)
{
	return s->malformed || (s->facts && s->facts->final.cause == WLK_CAUSE_WORKER_PROTOCOL);
}

static void suspect(struct scan *s, enum wlk_cause cause)
{
	log_line("worker %s: id=%s status=0x%x cause=%s zygote=%llu",
	    cause == WLK_CAUSE_WORKER_PROTOCOL ? "reported nonsense" : "died", s->request_id, (unsigned)s->status,
	    cause_text(cause), (unsigned long long)zygote_number(s->link));
	strikes_add(&s->jobs->strikes, s->tenant, front_now_ms());
	zygotes_suspect(s->link);
}

void scan_count_end(struct scan *s)
{
	if (s->ended_well)
		s->jobs->front->tally.exits[has_lied(s) ? TALLY_EXIT_PROTOCOL : TALLY_EXIT_DONE]++;
	s->ended_well = false;
}

/* In the same turn as the answer: whoever has it may be back with the next file at once. */
static void punish(struct scan *s)
{
	if (has_lied(s))
		suspect(s, WLK_CAUSE_WORKER_PROTOCOL);
	else if (died_of_file(s))
		suspect(s, cause_from_wait_status(s->status));
}

void scan_end_worker(struct scan *s)
{
	enum wlk_cause cause = s->cause;

	if (cause == WLK_CAUSE_NONE && s->exited)
		cause = cause_from_wait_status(s->status);
	if (!s->answered && !early_is_void(s))
		scan_answer(s, cause);
	punish(s);
	scan_count_end(s);
	if (early_is_void(s))
		early_start_over(s);
	else if (s->recording)
		scan_shed(s);
	else
		scan_free(s);
}

void scan_maybe_end(struct scan *s)
{
	if (s->exited && s->output < 0)
		scan_end_worker(s);
	else if (!s->killed)
		scan_set_timer(s, JOBS_GRACE_MS);
}

static void send_kill(struct scan *s)
{
	const struct channel_message m = { .type = CHANNEL_CANCEL, .id = s->id };

	s->unsent = zygote_send(s->link, &m, NULL, NULL, 0) == -EAGAIN;
	scan_set_timer(s, s->unsent ? JOBS_RESTART_MS : JOBS_GRACE_MS);
}

void scan_kill_worker(struct scan *s, enum wlk_cause cause)
{
	if (s->killed)
		return;
	s->killed = true;
	s->cause = cause;
	if (s->exited)
		scan_set_timer(s, JOBS_GRACE_MS);
	else
		send_kill(s);
}

/* ---- workers that do not end ---- */

bool jobs_tenant_is_stuck(const struct jobs *j, const char *tenant)
{
	for (const struct scan *s = j->lost; s; s = s->next_lost) {
		if (strcmp(s->tenant, tenant) == 0)
			return true;
	}
	return false;
}

/* Its worker has ended after all. */
void scan_found(struct scan *s)
{
	struct scan **at = &s->jobs->lost;

	while (*at != s)
		at = &(*at)->next_lost;
	*at = s->next_lost;
	s->lost = false;
	queue_find_slot(s->jobs->front->queue);
	if (s->recording)
		scan_shed(s);
	else
		scan_free(s);
}

/* Killed, and still not gone: somebody waits for an answer.  The slot is lost until the zygote reports its end. */
static void lose(struct scan *s)
{
	struct front *f = s->jobs->front;

	log_line("worker does not end: id=%s; its slot is lost for now", s->request_id);
	f->metrics.slots_lost++;
	f->tally.exits[TALLY_EXIT_STUCK]++;
	if (early_is_void(s))
		scan_refuse(s, PROBLEM_BUSY, "storage does not answer");
	else
		scan_answer(s, s->cause);
	scan_close_output(s);
	scan_leave_queue(s);
	queue_lose_slot(f->queue);
	s->next_lost = s->jobs->lost;
	s->jobs->lost = s;
	s->lost = true;
	jobs_pump(s->jobs);
	front_maybe_done(f);
}

void scan_on_timer(evutil_socket_t fd, short what, void *ctx)
{
	struct scan *s = ctx;

	(void)fd;
	(void)what;
	if (s->answered || s->recording)
		return;
	if (s->stuck) {
		scan_refuse(s, PROBLEM_BUSY, "the storage of a file sent before does not answer");
		scan_free(s);
	} else if (s->item.state == QUEUE_ADMITTED) { /* held back long enough */
		scan_push(s);
	} else if (s->unsent) {
		send_kill(s);
	} else if (s->exited) { /* and yet somebody keeps its pipe open */
		s->malformed = s->malformed || !s->killed;
		s->cause = s->killed ? s->cause : WLK_CAUSE_WORKER_PROTOCOL;
		s->killed = true;
		scan_end_worker(s);
	} else if (s->killed) {
		lose(s);
	} else if (s->early) { /* it may only have been kept waiting */
		early_withdraw(s);
	} else {
		scan_kill_worker(s, WLK_CAUSE_WORKER_TIMEOUT);
	}
}

/* ---- the report ---- */

/* Rows and digests cost a frame of 5 bytes each; how many there may be is the decoder's to say. */
static uint64_t report_max(const struct scan *s)
{
	return JOBS_REPORT_MAX + (s->wants_rows ? MANIFEST_BYTES_MAX + MANIFEST_ROWS_MAX * 5 : 0) +
	       (s->wants_digests ? MANIFEST_ROWS_MAX * (5 + 8 + 32) : 0);
}

static void pay_rows(struct scan *s)
{
	int r = s->rows ? rows_pay(s->rows) : 0;

	if (r == 0)
		return;
	s->starved = r == -ENOBUFS;
	scan_kill_worker(s, WLK_CAUSE_LIMIT_OUTPUT);
}

static void on_readable(evutil_socket_t fd, short what, void *ctx)
{
	struct scan *s = ctx;
	uint8_t *buf = s->jobs->front->scratch;
	ssize_t n = read(fd, buf, sizeof(s->jobs->front->scratch));

	(void)what;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		scan_close_output(s);
		scan_maybe_end(s);
		return;
	}
	s->report_bytes += (uint64_t)n;
	if (s->report_bytes > report_max(s)) {
		s->malformed = true;
		scan_kill_worker(s, WLK_CAUSE_LIMIT_OUTPUT);
	} else if (s->starved) {
		return; /* it is being killed, and this would only take more */
	} else if (!facts_feed(s->facts, buf, (size_t)n)) {
		s->malformed = true;
		scan_kill_worker(s, WLK_CAUSE_WORKER_PROTOCOL);
	} else {
		keep_add(s->keep, buf, (size_t)n);
		pay_rows(s);
	}
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

/* What a policy says of the size of files is not about a document of ours. */
static struct limits limits_of(const struct scan *s)
{
	const struct limits all = LIMITS_DEFAULT;
	struct limits limits = *policy_limits(s->policy);

	if (s->task == JOB_SET)
		limits.file_size = all.file_size;
	return limits;
}

static void fill_job(const struct scan *s, struct channel_message *m)
{
	const struct job job = {
		.size = s->expect.size,
		.kind = s->source == VERDICT_FD ? SOURCE_MUTABLE : SOURCE_IMMUTABLE,
		.arriving = s->early,
		.task = s->task,
		.part = s->part,
		.document_size = s->document_size,
		.member = s->member,
		.rows = s->wants_rows,
		.digests = s->wants_digests,
		.hint = s->task == JOB_FILE ? format_hint(s->name[0] ? s->name : NULL) : WLK_FORMAT_UNKNOWN,
		.family = s->task == JOB_FILE ? config_family_hint(s->name[0] ? s->name : NULL) : CONFIG_NONE,
		.limits = limits_of(s),
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
	const struct payer payer = payer_of(s->peer_uid, s->tenant);
	struct channel_message m = { 0 };
	int fds[] = { s->early ? s->early_fd : s->input, -1, s->document };
	int r = open_output(s, &fds[1]);

	if (r < 0)
		return r;
	s->id = ++s->jobs->last_id;
	fill_job(s, &m);
	s->facts = facts_new();
	if (s->facts && s->wants_rows)
		s->rows = rows_new(s->jobs->front->spools, &payer);
	if (s->wants_keep)
		s->keep = keep_new(s->jobs->front); /* without memory it is not kept */
	if (s->rows)
		facts_want_rows(s->facts, tensor_rows_sink(rows_at(s->rows)));
	s->readable = event_new(s->jobs->front->base, s->output, EV_READ | EV_PERSIST, on_readable, s);
	r = s->facts && s->readable && (s->rows || !s->wants_rows) && event_add(s->readable, NULL) == 0
		? zygote_send(l, &m, policy_pickle_names(s->policy).at, fds, s->document >= 0 ? 3 : 2)
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
	scan_set_timer(s, limits_deadline_s(policy_limits(s->policy), s->expect.size) * 1000);
	return 0;
}
