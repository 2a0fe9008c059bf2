/* What a request head asks for, whether it may, and the way from there to a verdict.  Everything that can be refused
 * is refused before the body is read. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conn.h"
#include "set_names.h"

enum problem request_problem(enum trouble t)
{
	switch (t) {
	case TROUBLE_BUSY: return PROBLEM_BUSY;
	case TROUBLE_NOT_RECORDED: return PROBLEM_NOT_RECORDED;
	case TROUBLE_TOO_LARGE: return PROBLEM_ANSWER_TOO_LARGE;
	default: return PROBLEM_INTERNAL;
	}
}

static bool has_body(const struct conn *c)
{
	return c->req.body == HTTP_BODY_CHUNKED || (c->req.body == HTTP_BODY_LENGTH && c->req.content_length > 0);
}

/* ---- the verdict ---- */

static struct reply reply_of(const struct conn *c, enum verdict_value value, enum verdict_value effective)
{
	bool refused = c->req.gate && effective != VERDICT_ACCEPT;

	return (
	    struct reply){ .content_type = REPLY_JSON, .status = refused ? 422 : 200, .verdict = verdict_text(value) };
}

/* The verdict, and behind it the tensors. */
static void reply_with_tensors(struct conn *c, const struct scan_result *r)
{
	const struct reply reply = reply_of(c, r->value, r->effective);
	struct listing *l = listing_new(r->json);

	if (l != NULL && listing_add_rows(l, r->rows, facts_tensors_listed(r->facts))) {
		conn_reply_listing(c, &reply, l);
		return;
	}
	if (l == NULL)
		rows_free(r->rows);
	listing_free(l);
	conn_problem(c, PROBLEM_INTERNAL, "out of memory");
}

static void reply_with_verdict(struct conn *c, const struct scan_result *r)
{
	const struct reply reply = reply_of(c, r->value, r->effective);

	if (c->req.attest)
		release_signed(c, &reply, r->verdict);
	else
		conn_reply(c, &reply, r->json, strlen(r->json));
}

static void on_verdict(void *ctx, const struct scan_result *r)
{
	struct conn *c = ctx;

	c->scan = NULL;
	if (!r->has_verdict)
		conn_problem(c, request_problem(r->trouble), r->detail);
	else if (r->rows)
		reply_with_tensors(c, r);
	else
		reply_with_verdict(c, r);
	client_settle(&c->io);
}

/* A file's verdict, when the line before is written; and when there is none any more, the set's. */
static void take_news(struct conn *c)
{
	struct listing *line = set_take_line(c->set);
	struct set_result r;
	struct reply reply;

	client_count_unsent(&c->io);
	if (line != NULL && client_may_answer(&c->io, listing_held(line))) {
		conn_add_line(c, line);
	} else if (line != NULL) {
		listing_free(line);
		conn_problem(c, PROBLEM_BUSY, CONN_UNSENT_DETAIL);
	} else if (set_over(c->set, &r)) {
		reply = reply_of(c, r.value, r.effective);
		if (r.verdict)
			conn_reply_listing(c, &reply, r.verdict);
		else
			conn_problem(c, request_problem(r.trouble), r.detail);
	}
}

static void on_set_news(void *ctx)
{
	struct conn *c = ctx;

	if (!c->listing)
		take_news(c);
	client_settle(&c->io);
}

static void wait_for_verdict(struct conn *c)
{
	conn_wait(c, CONN_SCAN);
	if (c->req.ndjson)
		conn_start_stream(c);
}

/* ---- a body ---- */

/* May it send so many more, and any bytes?  Return: false after a refusal. */
static bool within_rate(struct conn *c, uint64_t files)
{
	unsigned wait_s = client_wait_s(&c->io, files);

	if (wait_s == 0)
		return true;
	conn_refuse(c, &(struct http_error){ .problem = PROBLEM_RATE_LIMITED,
			   .detail = "this tenant has sent as much as it may for now",
			   .retry_after_s = wait_s });
	return false;
}

static void refuse_upload(struct conn *c, enum tally_refusal why, enum problem what, const char *detail)
{
	conn_env(c)->tally.refusals[why]++;
	conn_problem(c, what, detail);
}

void request_spool_failed(struct conn *c, int error)
{
	c->body_unread = c->state != CONN_STORE;
	switch (error) {
	case -ENOBUFS:
		refuse_upload(c, TALLY_REFUSAL_SPOOL_BUSY, PROBLEM_BUSY, "the room for bodies is taken at the moment");
		break;
	case -EBUSY:
		refuse_upload(c, TALLY_REFUSAL_TENANT_SPOOL, PROBLEM_BUSY,
		    "this tenant's share of the room for bodies is taken at the moment");
		break;
	case -E2BIG:
		refuse_upload(c, TALLY_REFUSAL_TOO_LARGE, PROBLEM_TOO_LARGE,
		    "the body is larger than this tenant's share of the room for bodies");
		break;
	case -EMFILE:
	case -ENFILE:
	case -ENOMEM:
		refuse_upload(
		    c, TALLY_REFUSAL_SPOOL_BUSY, PROBLEM_BUSY, "descriptors or memory are short at the moment");
		break;
	case -ENOSPC:
	case -EDQUOT:
	case -EFBIG:
		refuse_upload(
		    c, TALLY_REFUSAL_SPOOL_FULL, PROBLEM_NO_SPACE, "the spool has no room for a body of this size");
		break;
	default: conn_problem(c, PROBLEM_INTERNAL, "the body could not be stored"); break;
	}
}

static void scan_spool(struct conn *c)
{
	struct spool *s = c->spool;

	c->spool = NULL; /* the scan's from here on */
	scan_start_spool(c->scan, s);
	wait_for_verdict(c);
}

/* ---- a set ---- */

/* The body is small (SET_NAMES_BYTES_MAX) and here.  Return: NULL, and *ret_detail says why. */
static json_t *read_names(const struct conn *c, const char **ret_detail)
{
	size_t n = (size_t)spool_size(c->spool);
	char *text = malloc(n + 1);
	json_t *names = NULL;

	*ret_detail = "the body could not be read";
	if (text != NULL && pread(spool_fd(c->spool), text, n, 0) == (ssize_t)n)
		names = set_names_parse(text, n, c->claimed.n, ret_detail);
	free(text);
	return names;
}

static void start_set(struct conn *c)
{
	const char *detail;
	json_t *names = read_names(c, &detail);

	if (names == NULL) {
		conn_problem(c, PROBLEM_BAD_REQUEST, detail);
		return;
	}
	spool_free(c->spool);
	c->spool = NULL;
	set_start(c->set, names, &c->claimed);
	wait_for_verdict(c);
}

/* All of it is in its place. */
static void body_stored(struct conn *c)
{
	if (c->set)
		start_set(c);
	else
		scan_spool(c);
}

void request_body_done(struct conn *c)
{
	if (spool_error(c->spool) == 0)
		spool_finish(c->spool);
	c->state = CONN_STORE;
	c->body_unread = false; /* a failure from here on leaves nothing to drain */
	if (spool_error(c->spool) < 0)
		request_spool_failed(c, spool_error(c->spool));
	else if (spool_fd(c->spool) >= 0)
		body_stored(c);
	else
		conn_wait(c, CONN_STORE);
}

static void wake(struct conn *c)
{
	if (spool_error(c->spool) < 0) {
		request_spool_failed(c, spool_error(c->spool));
		return;
	}
	if (c->scan && (c->state == CONN_BODY || c->state == CONN_STORE))
		scan_follow(c->scan, c->spool);
	if (c->state == CONN_ADMIT && spool_ready(c->spool))
		conn_start_body(c);
	else if (c->state == CONN_STORE && spool_fd(c->spool) >= 0)
		body_stored(c);
}

/* Something changed. */
static void on_spool(void *ctx)
{
	struct conn *c = ctx;

	wake(c);
	client_settle(&c->io);
}

static void admit_body(struct conn *c)
{
	uint64_t length = c->req.body == HTTP_BODY_CHUNKED ? SPOOL_UNKNOWN : c->req.content_length;
	int r = spool_new(conn_parts(c)->spools, &c->io.payer, length, on_spool, c, &c->spool);

	if (r < 0) {
		request_spool_failed(c, r);
		return;
	}
	client_pay(&c->io, c->req.is_set ? c->req.n_fds : 1, 0);
	if (spool_ready(c->spool))
		conn_start_body(c);
	else
		conn_wait(c, CONN_ADMIT);
}

/* ---- a descriptor ---- */

static void use_file(struct conn *c, const struct file_facts *facts)
{
	int fd = c->source_fd;

	if (facts->error < 0) {
		conn_problem(c, PROBLEM_DESCRIPTORS, "the descriptor is not a regular file that can be looked at");
		return;
	}
	if (facts->size > c->body_max) {
		refuse_upload(c, TALLY_REFUSAL_TOO_LARGE, PROBLEM_TOO_LARGE,
		    "the file behind the descriptor is larger than the limit");
		return;
	}
	/* How large it is, is known only now: others may have used up what was left when it came. */
	if (!within_rate(c, 0))
		return;
	client_pay(&c->io, 0, facts->size);
	if (c->req.claimed && !scan_claim(c->scan, c->base, c->req.sha256, c->req.present)) {
		conn_problem(c, PROBLEM_INTERNAL, "out of memory");
		return;
	}
	if (c->req.claimed)
		c->base = NULL; /* the scan's, as the descriptor */
	c->source_fd = -1;      /* the scan's from here on */
	scan_start_fd(c->scan, fd, facts->size, facts->sealed);
	wait_for_verdict(c);
}

static void on_file_facts(void *ctx, const struct file_facts *facts)
{
	struct conn *c = ctx;

	c->check = NULL;
	use_file(c, facts);
	client_settle(&c->io);
}

static void admit_descriptor(struct conn *c)
{
	c->source_fd = fds_pop(&c->claimed);
	c->check = files_check(&conn_env(c)->files, c->io.peer.uid, c->source_fd, on_file_facts, c);
	if (!c->check) {
		conn_problem(c, PROBLEM_BUSY, "too many descriptors are being looked at");
		return;
	}
	client_pay(&c->io, 1, 0);
	conn_wait(c, CONN_ADMIT);
}

void request_claimed(struct conn *c)
{
	admit_descriptor(c);
}

/* Take the announced descriptors off the queue.  Those that are left must belong to a head that is here already,
 * at least in part, for they cannot come before it.  Return: false after a refusal. */
static bool claim_descriptors(struct conn *c)
{
	bool more_heads = c->head_n > 0 && !has_body(c);

	if (c->io.fds.n < c->req.n_fds) {
		conn_refuse_head(c, &(struct http_error){ .problem = PROBLEM_DESCRIPTORS,
					.detail = "fewer descriptors came than the head announces" });
		return false;
	}
	if (c->io.fds.n > c->req.n_fds && !more_heads) {
		conn_refuse_head(c, &(struct http_error){ .problem = PROBLEM_DESCRIPTORS,
					.detail = "more descriptors came than the head announces" });
		return false;
	}
	if (fds_move(&c->io.fds, c->req.n_fds, &c->claimed) == 0)
		return true;
	conn_refuse_head(c, &(struct http_error){ .problem = PROBLEM_INTERNAL, .detail = "out of memory" });
	return false;
}

/* From their open modes alone, before anything is promised.  Return: false after a refusal. */
static bool check_modes(struct conn *c)
{
	char detail[160];

	for (size_t i = 0; i < c->claimed.n; i++) {
		if (files_mode_ok(c->claimed.at[i]))
			continue;
		snprintf(detail, sizeof(detail),
		    "descriptor %zu of %zu: it must be open for reading only, or a sealed memfd, and neither O_PATH "
		    "nor O_DIRECT",
		    i + 1, c->claimed.n);
		conn_problem(c, PROBLEM_DESCRIPTORS, detail);
		return false;
	}
	return true;
}

/* ---- admission ---- */

/* Before anything is read or promised.  Return: false after a refusal. */
static bool may_ask(struct conn *c)
{
	const struct http_request *r = &c->req;
	enum problem what = PROBLEM_BAD_REQUEST;
	const char *why = NULL;

	bool ending = conn_env(c)->draining && !conn_env(c)->replaced;

	conn_env(c)->tally.refusals[TALLY_REFUSAL_DRAINING] += ending;
	if (ending)
		what = PROBLEM_SHUTTING_DOWN, why = "the daemon is ending; its successor takes this request";
	else if (r->n_fds == 0 && r->body == HTTP_BODY_NONE)
		what = PROBLEM_LENGTH_REQUIRED;
	else if (r->tenant[0] && !c->io.peer.may_name_tenant)
		what = PROBLEM_FORBIDDEN, why = "your uid may not name a tenant";
	else if (r->claimed && !c->io.peer.may_claim)
		what = PROBLEM_FORBIDDEN, why = "your uid may not claim a digest";
	else if (r->claimed && (r->n_fds != 1 || r->is_set))
		why = "digest=claimed is of one descriptor";
	else if (r->attest && !release_can_sign(conn_env(c)->settings))
		what = PROBLEM_UNSUPPORTED, why = "this daemon signs no verdicts";
	else
		return true;
	conn_problem(c, what, why);
	return false;
}

static struct payer payer_of_request(const struct conn *c)
{
	return c->req.tenant[0] ? payer_of(c->io.peer.uid, c->req.tenant) : client_user(&c->io);
}

static void say_queue_full(struct conn *c, enum queue_answer a)
{
	refuse_upload(c, a == QUEUE_TENANT_FULL ? TALLY_REFUSAL_TENANT : TALLY_REFUSAL_QUEUE, PROBLEM_BUSY,
	    a == QUEUE_TENANT_FULL ? "this tenant has too many requests in work, or one that does not end"
				   : "too many requests are in work");
}

static enum queue_answer admit(struct conn *c, const struct policy *policy, uint64_t file_max)
{
	const struct http_request *r = &c->req;
	const struct scan_request s = {
		.policy = policy,
		.name = r->name,
		.request_id = r->request_id,
		.tenant = c->io.payer.tenant,
		.by_descriptor = r->n_fds > 0,
		.rows = r->tensors,
		.digests = r->tensor_digests,
		.stats = r->tensors,
		.calls = r->calls,
		.keep = !r->is_set && !r->claimed,
		.lane = r->lane == HTTP_LANE_BATCH ? QUEUE_BATCH : QUEUE_INTERACTIVE,
		.has_sha256 = r->has_sha256 && !r->claimed, /* there is no other that it could differ from */
		.sha256 = r->sha256,
		.peer_uid = c->io.peer.uid,
		.peer_pid = c->io.peer.pid,
	};

	if (!r->is_set)
		return scan_admit(c->io.all->jobs, &s, on_verdict, c, &c->scan);
	return set_admit(c->io.all->jobs,
	    &(struct set_request){ .scan = s,
		.size_max = file_max,
		.lines = r->ndjson,
		.tensors = r->tensors,
		.digests = r->tensor_digests },
	    on_set_news, c, &c->set);
}

static void start_scan(struct conn *c)
{
	const struct settings *settings = conn_env(c)->settings;
	const struct policy *policy =
	    c->req.policy[0] ? settings_policy(settings, c->req.policy) : settings->default_policy;
	enum queue_answer a;
	uint64_t file_max;

	if (!may_ask(c) || !check_modes(c))
		return;
	if (policy == NULL) {
		conn_problem(c, PROBLEM_BAD_REQUEST, "there is no policy of this name");
		return;
	}
	file_max = client_size_max(&c->io, policy);
	c->body_max = c->req.is_set ? SET_NAMES_BYTES_MAX : file_max;
	if (c->req.body == HTTP_BODY_LENGTH && c->req.content_length > c->body_max) {
		refuse_upload(c, TALLY_REFUSAL_TOO_LARGE, PROBLEM_TOO_LARGE, "the body is larger than the limit");
		return;
	}
	c->io.payer = payer_of_request(c);
	if (!within_rate(c, 1))
		return;
	if (!client_may_answer(&c->io, VERDICT_BYTES_MAX)) {
		refuse_upload(c, TALLY_REFUSAL_UNSENT, PROBLEM_BUSY, CONN_UNSENT_DETAIL);
		return;
	}
	if (audit_is_behind(&conn_parts(c)->audit)) {
		refuse_upload(c, TALLY_REFUSAL_UNRECORDED, PROBLEM_BUSY, AUDIT_BEHIND);
		return;
	}
	a = admit(c, policy, file_max);
	if (a != QUEUE_OK)
		say_queue_full(c, a);
	else if (c->req.claimed)
		keep_find_base(c);
	else if (c->req.n_fds > 0 && !c->req.is_set)
		admit_descriptor(c);
	else
		admit_body(c);
}

void request_start(struct conn *c)
{
	if (!claim_descriptors(c))
		return;
	if (c->req.route != HTTP_ROUTE_SCAN) {
		endpoint_reply(c);
		return;
	}
	c->body_unread = has_body(c); /* until it is read, a refusal must reckon with it */
	start_scan(c);
}
