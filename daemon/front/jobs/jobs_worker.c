/* The worker of a scan: its start, its report, its end, and what is done when the end does not come.  See jobs.h. */
#include "jobs_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "channel.h"
#include "clock.h"
#include "log.h"
#include "sandbox.h"

void scan_set_timer(struct scan *s, uint64_t ms)
{
	const struct timeval tv = { .tv_sec = (time_t)(ms / 1000), .tv_usec = (suseconds_t)(ms % 1000) * 1000 };

	evtimer_add(s->timer, &tv);
}

/* ---- ends ---- */

void scan_close_output(struct scan *s)
{
	if (s->worker.readable)
		event_free(s->worker.readable);
	s->worker.readable = NULL;
	if (s->worker.output >= 0)
		close(s->worker.output);
	s->worker.output = -1;
}

void scan_init_worker(struct scan *s)
{
	s->worker = (struct scan_worker){ .output = -1, .early_fd = -1 };
}

void scan_forget_worker(struct scan *s)
{
	scan_close_output(s);
	early_stop_pacing(s);
	files_close(&s->jobs->parts.env->files, s->worker.early_fd);
	facts_free(s->worker.facts);
	rows_free(s->worker.rows);
	keep_drop(s->worker.keep);
	digest_forget(&s->worker.digest);
	zygote_detach(&s->worker.job);
	scan_init_worker(s);
	evtimer_del(s->timer);
}

/* Did the file do this?  Not if we killed it, if it ran out of time, or if something outside did (SIGKILL). */
static bool died_of_file(const struct scan_worker *w)
{
	if (w->exited && wait_status_is_fault(w->status))
		return true; /* whatever else happened: storage that fails must not hide it */
	if (!w->exited || w->cause != WLK_CAUSE_NONE)
		return false;
	if (WIFSIGNALED(w->status))
		return WTERMSIG(w->status) != SIGXCPU && WTERMSIG(w->status) != SIGKILL;
	return WIFEXITED(w->status) && WEXITSTATUS(w->status) != 0 && WEXITSTATUS(w->status) != SANDBOX_EXIT_JAIL;
}

/* A worker that is itself reports in order, whatever the file.  One that does not was taken over, or somebody is trying:
 * that must cost as much as a crash, or a memory layout can be guessed at leisure. */
static bool has_lied(const struct scan_worker *w)
{
	return w->malformed || (w->facts && w->facts->final.cause == WLK_CAUSE_WORKER_PROTOCOL);
}

static void suspect(struct scan *s, enum wlk_cause cause)
{
	log_line("worker %s: id=%s status=0x%x cause=%s zygote=%llu",
	    cause == WLK_CAUSE_WORKER_PROTOCOL ? "reported nonsense" : "died", s->request_id,
	    (unsigned)s->worker.status, cause_text(cause), (unsigned long long)zygote_number(s->worker.job.link));
	strikes_add(s->jobs->parts.tenants, s->tenant, clock_now_ms());
	zygotes_suspect(s->worker.job.link);
}

/* In the same turn as the answer: whoever has it may be back with the next file at once. */
void scan_punish(struct scan *s)
{
	if (has_lied(&s->worker))
		suspect(s, WLK_CAUSE_WORKER_PROTOCOL);
	else if (died_of_file(&s->worker))
		suspect(s, cause_from_wait_status(s->worker.status));
}

void scan_count_end(const struct scan *s)
{
	if (s->worker.exited && s->worker.status == 0 && !s->worker.unmade)
		s->jobs->parts.env->tally.exits[has_lied(&s->worker) ? TALLY_EXIT_PROTOCOL : TALLY_EXIT_DONE]++;
}

void scan_kill_worker(struct scan *s)
{
	if (s->worker.cause == WLK_CAUSE_NONE && (!s->worker.exited || s->worker.status == 0))
		s->worker.cause = WLK_CAUSE_WORKER_TIMEOUT;
	if (!s->worker.exited)
		zygote_cancel(&s->worker.job);
	digest_kill(&s->worker.digest);
	scan_set_timer(s, JOBS_GRACE_MS);
}

void scan_on_timer(evutil_socket_t fd, short what, void *ctx)
{
	struct scan *s = ctx;

	(void)fd;
	(void)what;
	if (s->worker.job.cancel_waits || digest_cancel_waits(&s->worker.digest)) /* it has not been told yet */
		scan_set_timer(s, JOBS_GRACE_MS);
	else
		scan_event(s, s->worker.exited && s->worker.output >= 0 && !s->worker.digest.by ? SCAN_EV_PIPE_HELD
												: SCAN_EV_TIMER);
}

/* Of the scan, from the start of its worker on. */
static uint64_t deadline_ms(const struct scan *s)
{
	double left = (double)limits_deadline_s(policy_limits(s->policy), s->expect.size) * 1000 -
		      (clock_now_ms_exact() - s->started_ms);

	return left > 0 ? (uint64_t)left : 0;
}

void scan_on_unmade(struct scan *s)
{
	s->starts++;
	s->worker.unmade = s->worker.exited = true;
	scan_close_output(s);
	scan_check_over(s);
}

bool scan_drops_digest(const struct scan *s)
{
	const struct scan_worker *w = &s->worker;
	bool ended = w->exited && w->output < 0 && w->cause == WLK_CAUSE_NONE;

	return ended && (w->unmade || (s->part == JOB_PART_MEMBER && facts_put_off(w->facts)));
}

void scan_check_over(struct scan *s)
{
	struct scan_worker *w = &s->worker;
	bool ended = w->exited && w->output < 0, drops = scan_drops_digest(s);

	if (drops)
		digest_kill(&w->digest);
	if (ended && w->unmade && !w->digest.by)
		scan_event(s, SCAN_EV_UNMADE);
	else if (ended && !w->unmade && !scan_awaits_digest(s))
		scan_event(s, SCAN_EV_OVER);
	else if (drops)
		scan_set_timer(s, JOBS_GRACE_MS);
	else if (ended && w->digest.by && w->cause == WLK_CAUSE_NONE)
		scan_set_timer(s, deadline_ms(s)); /* not killed yet: the worker may be dead, and the digest goes on */
	else if (ended && !w->digest.by)
		evtimer_del(s->timer); /* nothing of the worker's is missing; our own threads need no deadline */
	else if (w->cause == WLK_CAUSE_NONE)
		scan_set_timer(s, JOBS_GRACE_MS);
}

/* ---- the report ---- */

/* Rows, digests and statistics cost a frame of 5 bytes each; how many there may be is the decoder's to say. */
static uint64_t report_max(const struct scan *s)
{
	return JOBS_REPORT_MAX + (s->wants_rows ? MANIFEST_BYTES_MAX + MANIFEST_ROWS_MAX * 5 : 0) +
	       (s->wants_digests ? MANIFEST_ROWS_MAX * (5 + 8 + 32) : 0) +
	       (s->wants_stats ? MANIFEST_ROWS_MAX * (5 + 8 + TENSOR_STATS_BYTES) : 0);
}

static void bad(struct scan *s, enum wlk_cause cause)
{
	if (s->worker.cause == WLK_CAUSE_NONE)
		s->worker.cause = cause;
	scan_event(s, SCAN_EV_BAD);
}

static void pay_rows(struct scan *s)
{
	int r = s->worker.rows ? rows_pay(s->worker.rows) : 0;

	if (r == 0)
		return;
	s->worker.starved = r == -ENOBUFS;
	bad(s, WLK_CAUSE_LIMIT_OUTPUT);
}

static void end_report(struct scan *s)
{
	scan_close_output(s);
	scan_check_over(s);
}

static void on_readable(evutil_socket_t fd, short what, void *ctx)
{
	struct scan *s = ctx;
	struct scan_worker *w = &s->worker;
	uint8_t *buf = s->jobs->parts.env->scratch;
	ssize_t n = read(fd, buf, ENV_SCRATCH);

	(void)what;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		end_report(s);
		return;
	}
	w->report_bytes += (uint64_t)n;
	if (w->report_bytes > report_max(s)) {
		w->malformed = true;
		bad(s, WLK_CAUSE_LIMIT_OUTPUT);
	} else if (w->starved) {
		return; /* it is being killed, and this would only take more */
	} else if (!facts_feed(w->facts, buf, (size_t)n)) {
		w->malformed = true;
		bad(s, WLK_CAUSE_WORKER_PROTOCOL);
	} else {
		keep_add(w->keep, buf, (size_t)n);
		pay_rows(s);
	}
}

/* ---- the start ---- */

/* A report goes out by a pipe; that of an early worker by a socket, because the marks come in by it. */
static int open_output(struct scan *s, int *ret_write_end)
{
	int ends[2];

	if ((s->worker.by_socket ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) : pipe2(ends, O_CLOEXEC)) <
	    0)
		return -errno;
	/* Ours alone: the two ends are two descriptions, and the worker's must block. */
	if (fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0) {
		close(ends[0]);
		close(ends[1]);
		return -EIO;
	}
	s->worker.output = ends[0];
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

static enum job_input input_of(const struct scan *s)
{
	if (!scan_wants_digester(s) || s->worker.way == DIGESTER_HASHES)
		return JOB_INPUT_FILE;
	return s->worker.way == DIGESTER_COPIES ? JOB_INPUT_COPY : JOB_INPUT_FLOW;
}

static void fill_job(const struct scan *s, struct channel_message *m)
{
	const enum job_input input = input_of(s);
	const struct job job = {
		.size = s->expect.size,
		.kind = input == JOB_INPUT_FLOW || (s->claims && s->source == VERDICT_FD) ? SOURCE_MUTABLE
											  : SOURCE_IMMUTABLE,
		.input = input,
		.arriving = s->worker.by_socket,
		.undigested = s->expect.taken_by != DIGEST_BY_WORKER,
		.task = s->claims ? JOB_STRUCTURE : s->task,
		.noted = s->wants_keep && s->jobs->parts.env->settings->config.store,
		.part = s->part,
		.document_size = s->document_size,
		.member = s->member,
		.rows = s->wants_rows,
		.digests = s->wants_digests,
		.stats = s->wants_stats,
		.calls = s->wants_calls,
		.hint = s->task == JOB_FILE ? format_hint(s->name[0] ? s->name : NULL) : WLK_FORMAT_UNKNOWN,
		.family = s->task == JOB_FILE ? config_family_hint(s->name[0] ? s->name : NULL) : CONFIG_NONE,
		.limits = limits_of(s),
		.pickle_names = { policy_pickle_names(s->policy) },
	};

	_Static_assert(JOB_BYTES_MAX <= CHANNEL_PAYLOAD_MAX, "a job fits into a message");
	_Static_assert(PICKLE_NAMES_BYTES_MAX <= CHANNEL_APPENDIX_MAX, "and its names behind it");
	m->type = CHANNEL_JOB;
	m->payload_n = (uint32_t)job_encode(&job, m->payload);
	m->appendix_n = (uint32_t)job.pickle_names.lines.n;
}

static bool make_sinks(struct scan *s)
{
	const struct payer payer = payer_of(s->peer_uid, s->tenant);
	struct scan_worker *w = &s->worker;

	w->facts = facts_new();
	if (s->wants_keep)
		w->keep = keep_new(&s->jobs->parts.keeps); /* without memory it is not kept */
	if (w->facts && s->wants_calls)
		facts_want_calls(w->facts);
	if (w->facts && s->wants_rows)
		w->rows = rows_new(s->jobs->parts.spools, &payer);
	if (w->rows)
		facts_want_rows(w->facts, tensor_rows_sink(rows_at(w->rows)));
	w->readable = event_new(s->jobs->parts.env->base, w->output, EV_READ | EV_PERSIST, on_readable, s);
	return w->facts && (w->rows || !s->wants_rows) && w->readable && event_add(w->readable, NULL) == 0;
}

static int input_fd(const struct scan *s, const struct digester *d)
{
	if (input_of(s) == JOB_INPUT_COPY)
		return digester_memory(d);
	return s->worker.early_fd >= 0 ? s->worker.early_fd : s->input;
}

static int send_job(struct scan *s, struct zygote_link *l, const struct digester *d)
{
	struct channel_message m = { 0 };
	int write_end, r = open_output(s, &write_end);
	int fds[CHANNEL_FDS_MAX] = { input_fd(s, d), write_end };
	size_t n = 2;

	if (r < 0)
		return r;
	if (s->document >= 0)
		fds[n++] = s->document;
	fill_job(s, &m);
	if (input_of(s) == JOB_INPUT_FLOW)
		fds[n++] = digester_memory(d);
	r = make_sinks(s) ? zygote_give(l, &s->worker.job, &m, policy_pickle_names(s->policy).at, fds, n) : -ENOMEM;
	close(write_end);
	return r;
}

/* With a digester for what is a client's. */
static int send_both(struct scan *s, struct zygote_link *l)
{
	struct digester *d = NULL;
	int r = 0;

	if (!scan_wants_digester(s))
		return send_job(s, l, NULL);
	s->worker.way = digester_way(s->expect.size, s->source == VERDICT_SEALED);
	s->worker.by_socket = s->worker.way != DIGESTER_HASHES;
	s->expect.flowed = s->worker.way == DIGESTER_FLOWS;
	s->expect.has_taken = false;
	r = digesters_find(zygote_digesters(l), &d);
	if (r == 0)
		r = send_job(s, l, d);
	if (r < 0)
		return r;
	if (scan_start_digest(s, d) == 0)
		return 0;
	s->starts++;
	s->worker.unmade = true; /* when its end is heard */
	zygote_cancel(&s->worker.job);
	return 0;
}

int scan_start(struct scan *s, struct zygote_link *l)
{
	int r = send_both(s, l);

	if (r < 0) {
		scan_forget_worker(s);
		return r;
	}
	s->started_at = (int64_t)time(NULL);
	s->started_ms = clock_now_ms_exact();
	scan_set_timer(
	    s, s->worker.unmade ? JOBS_GRACE_MS : limits_deadline_s(policy_limits(s->policy), s->expect.size) * 1000);
	return 0;
}
