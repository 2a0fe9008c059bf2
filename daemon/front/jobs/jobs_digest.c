/* The digest.  Of a body the spool takes it (spool.h), while a worker may read it already.  Of a descriptor the worker does;
 * so where its report is to be kept (keep.h), one more job of its tenant takes the digest of the same descriptor and parses
 * nothing. */
#include "jobs_impl.h"

#include <string.h>

/* ---- of a body ---- */

bool scan_awaits_digest(const struct scan *s)
{
	return s->spool && !spool_digest(s->spool) && spool_error(s->spool) == 0;
}

static void take_digest(struct scan *s)
{
	const uint8_t *sha256 = spool_digest(s->spool);

	s->expect.has_taken = sha256 != NULL;
	if (sha256 != NULL)
		memcpy(s->expect.taken, sha256, sizeof(s->expect.taken));
}

static void on_spool(void *ctx)
{
	struct scan *s = ctx;

	if (scan_awaits_digest(s))
		return;
	take_digest(s);
	if (scan_phase_has_worker(s->phase) && s->worker.exited && s->worker.output < 0)
		scan_event(s, SCAN_EV_OVER);
}

void scan_expect_digest(struct scan *s)
{
	spool_hand_over(s->spool, on_spool, s);
	s->expect.taken_by = DIGEST_BY_FRONT;
	take_digest(s);
}

/* ---- of a descriptor whose report is kept ---- */

#define DRAINING_MAX (UINT64_C(256) << 20) /* bytes of a file: a front that is to end waits no longer than for these */

static void on_digest(void *ctx, const struct scan_result *r)
{
	const struct report_final *end = r->facts ? &r->facts->final : NULL;
	bool taken = end && end->has_digest && end->cause == WLK_CAUSE_NONE;

	rows_free(r->rows);
	keep_end(ctx, taken ? end->sha256 : NULL);
}

static bool ask_for_digest(struct scan *s, struct keep *k, struct scan **ret)
{
	const struct scan_request r = { .policy = s->policy,
		.name = "",
		.request_id = s->request_id,
		.tenant = s->tenant,
		.lane = QUEUE_BATCH,
		.by_descriptor = s->source == VERDICT_FD,
		.peer_uid = s->peer_uid,
		.peer_pid = s->peer_pid,
		.task = JOB_DIGEST };

	return scan_admit(s->jobs, &r, on_digest, k, ret) == QUEUE_OK;
}

static void hand_over_input(struct scan *from, struct scan *to)
{
	int fd = from->input;

	from->input = -1;
	scan_start_fd(to, fd, from->expect.size, from->source == VERDICT_SEALED);
}

/* Is there all of a complete report, and a file that can be read again? */
static bool is_worth_it(const struct scan *s)
{
	return s->worker.facts->final.complete && s->input >= 0 && !s->input_is_ours &&
	       !(s->jobs->parts.env->draining && s->expect.size > DRAINING_MAX);
}

void scan_keep(struct scan *s, const struct verdict_context *c)
{
	const struct keep_about about = { .policy = s->policy,
		.name = s->name,
		.uid = s->peer_uid,
		.size = s->expect.size,
		.sha256 = s->worker.facts->final.sha256,
		.final = &s->worker.facts->final,
		.context = c };
	struct keep *k = s->worker.keep;
	struct scan *second;

	s->worker.keep = NULL;
	if (k == NULL)
		return;
	if (!is_worth_it(s)) {
		keep_refuse(k);
		return;
	}
	if (!keep_begin(k, &about))
		return;
	if (s->worker.facts->digest_by != DIGEST_BY_WORKER)
		keep_end(k, about.sha256);
	else if (ask_for_digest(s, k, &second))
		hand_over_input(s, second);
	else
		keep_refuse(k);
}
