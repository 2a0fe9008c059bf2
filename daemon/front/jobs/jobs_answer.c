/* What a scan came to: facts become a verdict, a log line and the answer.  See jobs.h. */
#include "jobs_impl.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "log.h"
#include "sandbox.h"
#include "shadow.h"
#include "verdict_log.h"
#include "hex.h"

const char *const *jobs_layer_names(void)
{
	static const char *names[SANDBOX_N_LAYERS];

	for (unsigned i = 0; i < SANDBOX_N_LAYERS && !names[i]; i++)
		names[i] = sandbox_layer_info((enum sandbox_layer)i)->name;
	return names;
}

static void log_verdict(const struct scan *s, const struct verdict *v, double ms)
{
	static const char *const sources[] = {
		[VERDICT_SPOOL] = "spool", [VERDICT_SEALED] = "sealed", [VERDICT_FD] = "fd", [VERDICT_FILE] = "file"
	};
	const struct report_final *end = &s->worker.facts->final;
	char sha256[65] = "-", tenant[4 * TENANT_NAME_MAX + 1], pseudonym[SETTINGS_PSEUDONYM_BYTES];
	struct verdict_log_entry entry;

	if (s->jobs->parts.env->settings->config.log_level < CONFIG_LOG_INFO)
		return;
	if (end->has_digest)
		hex_write(end->sha256, sizeof(end->sha256), sha256);
	log_escape(settings_tenant(s->jobs->parts.env->settings, s->tenant, pseudonym), tenant, sizeof(tenant));
	log_entry(verdict_log_entry(&(struct verdict_log){ .verdict = v,
					.sha256 = sha256,
					.tenant = tenant,
					.request_id = s->request_id,
					.policy = policy_name(s->policy),
					.error = cause_text(end->cause) },
		      &entry),
	    "verdict=%s id=%s uid=%u pid=%d tenant=%s sha256=%s size=%llu source=%s policy=%s ms=%.1f error=%s "
	    "digest-by=%s%s%s",
	    verdict_text(v->value), s->request_id, s->peer_uid, s->peer_pid, tenant, sha256,
	    (unsigned long long)s->expect.size, sources[s->source], policy_name(s->policy), ms, cause_text(end->cause),
	    end->has_digest ? digest_by_text(s->worker.facts->digest_by) : "-",
	    v->effective != v->value ? " effective=" : "", v->effective != v->value ? verdict_text(v->effective) : "");
}

static void count_verdict(const struct scan *s, const struct verdict *v, double ms)
{
	struct tally *t = &s->jobs->parts.env->tally;

	tally_verdict(t, v);
	tally_scan(t, s->expect.size, ms);
	t->causes[s->worker.facts->final.cause]++;
	t->bytes_scanned += s->worker.facts->final.bytes;
}

static void tell(struct scan *s, const struct scan_result *r)
{
	scan_done_fn done = s->done;

	s->done = NULL;
	if (done)
		done(s->ctx, r);
	else
		rows_free(r->rows);
}

void scan_refuse(struct scan *s, enum trouble trouble, const char *detail)
{
	tell(s, &(struct scan_result){ .trouble = trouble, .detail = detail });
}

static enum scan_event refuse(struct scan *s, enum trouble trouble, const char *detail)
{
	scan_refuse(s, trouble, detail);
	return SCAN_EV_TOLD;
}

/* All that was read of the manifest is in its place.  Return: @cause, or what prevented it. */
static enum wlk_cause end_rows(struct scan *s, enum wlk_cause cause)
{
	int r = s->worker.rows ? tensor_rows_end(rows_at(s->worker.rows)) : 0;

	/* That there were too many is in the facts already. */
	return cause == WLK_CAUSE_NONE && r < 0 && r != -ENOSPC ? WLK_CAUSE_INTERNAL : cause;
}

/* The manifest is the caller's now.  One that came with a malformed report is nobody's. */
static struct rows *steal_rows(struct scan *s)
{
	struct rows *rows = s->worker.rows;

	if (rows != NULL && s->worker.facts->final.cause == WLK_CAUSE_WORKER_PROTOCOL)
		tensor_rows_discard(rows_at(rows));
	s->worker.rows = NULL;
	return rows;
}

/* ---- the verdict ---- */

static void tell_verdict(struct scan *s)
{
	tell(s, &(struct scan_result){ .has_verdict = true,
		    .value = s->verdict.value,
		    .effective = s->verdict.effective,
		    .json = s->json,
		    .verdict = s->verdict.json,
		    .facts = s->worker.facts,
		    .rows = steal_rows(s) });
}

static void on_recorded(void *ctx, bool recorded)
{
	struct scan *s = ctx;

	s->recording = NULL;
	s->recorded = recorded;
	scan_event(s, SCAN_EV_RECORDED);
}

void scan_tell_recorded(struct scan *s)
{
	if (s->recorded)
		tell_verdict(s);
	else
		scan_refuse(s, TROUBLE_NOT_RECORDED, AUDIT_NOT_RECORDED);
}

/* Tell it, at once or when it is recorded. */
static enum scan_event release(struct scan *s)
{
	const struct audit_event e = { .kind = "verdict",
		.verdict = s->verdict.json,
		.tenant = s->tenant,
		.uid = s->peer_uid,
		.pid = s->peer_pid };
	enum audit_step step = AUDIT_RELEASE;

	if (!s->unrecorded)
		step = audit_verdict(&s->jobs->parts.audit, &e, on_recorded, s, &s->recording);
	if (step == AUDIT_WAIT)
		return SCAN_EV_WAIT;
	s->recorded = step == AUDIT_RELEASE;
	scan_tell_recorded(s);
	return SCAN_EV_TOLD;
}

static enum scan_event answer_file(struct scan *s, const struct verdict_context *c)
{
	enum scan_event e;

	if (verdict_make(s->policy, s->worker.facts, c, &s->verdict) < 0)
		return refuse(s, TROUBLE_INTERNAL, "out of memory");
	log_verdict(s, &s->verdict, c->duration_ms);
	count_verdict(s, &s->verdict, c->duration_ms);
	shadow_judge(s->jobs->parts.env, s->policy, NULL, s->worker.facts, c, &s->verdict);
	s->json = verdict_dump(&s->verdict);
	e = s->json ? release(s) : refuse(s, TROUBLE_INTERNAL, "out of memory");
	scan_keep(s, c);
	return e;
}

/* Others may say what it is: the asker has the input again, if there still is one. */
static enum scan_event tell_put_off(struct scan *s)
{
	struct scan_result r = { .facts = s->worker.facts, .put_off = true, .input = -1 };

	if (s->done) {
		r.input = s->input;
		s->input = -1;
	}
	tell(s, &r);
	return SCAN_EV_TOLD;
}

static enum scan_event tell_facts(struct scan *s, const struct verdict_context *c)
{
	tell(s, &(struct scan_result){ .facts = s->worker.facts, .context = c });
	return SCAN_EV_TOLD;
}

enum scan_event scan_answer(struct scan *s)
{
	const struct scan_worker *w = &s->worker;
	const struct verdict_context c = { .name = s->name[0] ? s->name : NULL,
		.tenant = s->tenant,
		.request_id = s->request_id,
		.source = s->source,
		.layer_errno = zygote_layers(w->job.link),
		.layer_names = jobs_layer_names(),
		.n_layers = SANDBOX_N_LAYERS,
		.started_at = s->started_at,
		.duration_ms = clock_now_ms_exact() - s->started_ms };
	enum wlk_cause cause = w->cause;

	if (cause == WLK_CAUSE_NONE && w->exited)
		cause = cause_from_wait_status(w->status);
	if (w->starved)
		return refuse(s, TROUBLE_BUSY, "the room for lists of tensors is taken at the moment");
	facts_finish(w->facts, end_rows(s, cause), &s->expect);
	if (s->claims && !facts_claim(w->facts, s->base))
		return refuse(s, TROUBLE_INTERNAL, "out of memory");
	if (s->part == JOB_PART_MEMBER && facts_put_off(w->facts))
		return tell_put_off(s);
	return s->task == JOB_FILE ? answer_file(s, &c) : tell_facts(s, &c);
}
