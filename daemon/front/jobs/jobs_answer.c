/* What a scan came to: facts become a verdict, a log line and the answer.  See jobs.h. */
#include "jobs_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "sandbox.h"
#include "verdict_log.h"
#include "zygotes.h"

void scan_count_answered(struct scan *s)
{
	s->answered = true;
	s->jobs->active--;
}

const char *const *jobs_layer_names(void)
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
	struct verdict_log_entry entry;

	if (s->jobs->front->settings->config.log_level < CONFIG_LOG_INFO)
		return;
	if (end->has_digest)
		hex(end->sha256, sizeof(end->sha256), sha256);
	log_escape(s->tenant, tenant, sizeof(tenant));
	log_entry(verdict_log_entry(&(struct verdict_log){ .verdict = v,
					.sha256 = sha256,
					.tenant = tenant,
					.request_id = s->request_id,
					.policy = policy_name(s->policy),
					.error = cause_text(end->cause) },
		      &entry),
	    "verdict=%s id=%s uid=%u pid=%d tenant=%s sha256=%s size=%llu source=%s policy=%s ms=%.1f error=%s",
	    verdict_text(v->value), s->request_id, s->peer_uid, s->peer_pid, tenant, sha256,
	    (unsigned long long)s->expect.size, sources[s->source], policy_name(s->policy), ms, cause_text(end->cause));
}

static void count_verdict(const struct scan *s, const struct verdict *v, double ms)
{
	struct metrics *m = &s->jobs->front->metrics;

	tally_verdict(&s->jobs->front->tally, v);
	tally_scan(&s->jobs->front->tally, s->expect.size, ms);
	m->verdicts[v->value]++;
	m->causes[s->facts->final.cause]++;
	m->bytes_scanned += s->facts->final.bytes;
}

static void tell(struct scan *s, const struct scan_result *r)
{
	scan_done_fn done = s->done;

	scan_count_answered(s);
	s->done = NULL;
	if (done)
		done(s->ctx, r);
	else
		rows_free(r->rows);
}

void scan_refuse(struct scan *s, enum problem problem, const char *detail)
{
	tell(s, &(struct scan_result){ .problem = problem, .detail = detail });
}

static double ms_since(const struct timespec *then)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - then->tv_sec) * 1e3 + (double)(now.tv_nsec - then->tv_nsec) / 1e6;
}

/* All that was read of the manifest is in its place.  Return: @cause, or what prevented it. */
static enum wlk_cause end_rows(struct scan *s, enum wlk_cause cause)
{
	int r = s->rows ? tensor_rows_end(rows_at(s->rows)) : 0;

	/* That there were too many is in the facts already. */
	return cause == WLK_CAUSE_NONE && r < 0 && r != -ENOSPC ? WLK_CAUSE_INTERNAL : cause;
}

/* The manifest is the caller's now.  One that came with a malformed report is nobody's. */
static struct rows *steal_rows(struct scan *s)
{
	struct rows *rows = s->rows;

	if (rows && s->facts->final.cause == WLK_CAUSE_WORKER_PROTOCOL)
		tensor_rows_discard(rows_at(rows));
	s->rows = NULL;
	return rows;
}

/* ---- the verdict ---- */

static void tell_verdict(struct scan *s)
{
	tell(s, &(struct scan_result){ .has_verdict = true,
		    .value = s->verdict.value,
		    .json = s->json,
		    .verdict = s->verdict.json,
		    .facts = s->facts,
		    .rows = steal_rows(s) });
}

static void on_recorded(void *ctx, bool recorded)
{
	struct scan *s = ctx;
	struct jobs *j = s->jobs;

	s->recording = NULL;
	jobs_hold(j); /* with the answer out, a draining front would be done */
	if (recorded)
		tell_verdict(s);
	else
		scan_refuse(s, PROBLEM_NOT_RECORDED, AUDIT_NOT_RECORDED);
	if (!s->lost)
		scan_free(s);
	jobs_release(j);
}

/* Tell it, at once or when it is recorded. */
static void release(struct scan *s)
{
	const struct audit_event e = { .kind = "verdict",
		.verdict = s->verdict.json,
		.tenant = s->tenant,
		.uid = s->peer_uid,
		.pid = s->peer_pid };
	enum audit_step step = AUDIT_RELEASE;

	if (!s->unrecorded)
		step = audit_verdict(s->jobs->front, &e, on_recorded, s, &s->recording);
	if (step == AUDIT_RELEASE)
		tell_verdict(s);
	else if (step == AUDIT_REFUSE)
		scan_refuse(s, PROBLEM_NOT_RECORDED, AUDIT_NOT_RECORDED);
}

static void answer_file(struct scan *s, const struct verdict_context *c)
{
	if (verdict_make(s->policy, s->facts, c, &s->verdict) < 0) {
		scan_refuse(s, PROBLEM_INTERNAL, "out of memory");
		return;
	}
	log_verdict(s, &s->verdict, c->duration_ms);
	count_verdict(s, &s->verdict, c->duration_ms);
	s->json = verdict_dump(&s->verdict);
	jobs_hold(s->jobs); /* as above */
	if (s->json)
		release(s);
	else
		scan_refuse(s, PROBLEM_INTERNAL, "out of memory");
	keep_report(s, c);
	jobs_release(s->jobs);
}

/* Others may say what it is: the asker has the input again, if there still is one. */
static void tell_put_off(struct scan *s)
{
	struct scan_result r = { .facts = s->facts, .put_off = true, .input = -1 };

	if (s->done) {
		r.input = s->input;
		s->input = -1;
	}
	tell(s, &r);
}

void scan_answer(struct scan *s, enum wlk_cause cause)
{
	const struct verdict_context c = { .name = s->name[0] ? s->name : NULL,
		.tenant = s->tenant,
		.request_id = s->request_id,
		.source = s->source,
		.layer_errno = zygote_layers(s->link),
		.layer_names = jobs_layer_names(),
		.n_layers = SANDBOX_N_LAYERS,
		.started_at = s->started_at,
		.duration_ms = ms_since(&s->started) };

	if (s->starved) {
		scan_refuse(s, PROBLEM_BUSY, "the room for lists of tensors is taken at the moment");
		return;
	}
	facts_finish(s->facts, end_rows(s, cause), &s->expect);
	if (s->part == JOB_PART_MEMBER && facts_put_off(s->facts))
		tell_put_off(s);
	else if (s->task == JOB_FILE)
		answer_file(s, &c);
	else
		tell(s, &(struct scan_result){ .facts = s->facts, .context = &c });
}
