/* What a request head asks for, whether it may, and the way from there to a verdict.  Everything that can be refused
 * is refused before the body is read. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "conn.h"

void request_id_make(char buf[HTTP_REQUEST_ID_MAX + 1])
{
	uint8_t bytes[16];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		memset(bytes, 0, sizeof(bytes)); /* an id is for logs: better a poor one than none */
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(buf + 2 * i, 3, "%02x", bytes[i]);
}

static bool has_body(const struct conn *c)
{
	return c->req.body == HTTP_BODY_CHUNKED || (c->req.body == HTTP_BODY_LENGTH && c->req.content_length > 0);
}

/* ---- the verdict ---- */

static void on_verdict(void *ctx, const struct scan_result *r)
{
	struct conn *c = ctx;
	bool accepted = r->has_verdict && r->value == VERDICT_ACCEPT;
	struct reply reply = { .content_type = REPLY_JSON };

	c->scan = NULL;
	if (!r->has_verdict) {
		conn_problem(c, r->problem, r->detail);
		return;
	}
	reply.status = c->req.gate && !accepted ? 422 : 200;
	reply.verdict = verdict_text(r->value);
	conn_reply(c, &reply, r->json, strlen(r->json));
}

static void wait_for_verdict(struct conn *c)
{
	conn_wait(c, CONN_SCAN);
	if (c->req.ndjson)
		conn_start_stream(c);
}

/* ---- a body ---- */

void request_spool_failed(struct conn *c, int error)
{
	c->body_unread = c->state != CONN_STORE;
	switch (error) {
	case -ENOBUFS: conn_problem(c, PROBLEM_BUSY, "the room for bodies is taken at the moment"); break;
	case -EMFILE:
	case -ENFILE:
	case -ENOMEM: conn_problem(c, PROBLEM_BUSY, "descriptors or memory are short at the moment"); break;
	case -ENOSPC:
	case -EDQUOT:
	case -EFBIG: conn_problem(c, PROBLEM_NO_SPACE, "the spool has no room for a body of this size"); break;
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

void request_body_done(struct conn *c)
{
	if (spool_error(c->spool) == 0)
		spool_finish(c->spool);
	c->state = CONN_STORE;
	c->body_unread = false; /* a failure from here on leaves nothing to drain */
	if (spool_error(c->spool) < 0)
		request_spool_failed(c, spool_error(c->spool));
	else if (spool_fd(c->spool) >= 0)
		scan_spool(c);
	else
		conn_wait(c, CONN_STORE);
}

void request_wake(void *ctx)
{
	struct conn *c = ctx;

	if (spool_error(c->spool) < 0) {
		request_spool_failed(c, spool_error(c->spool));
		return;
	}
	if (c->state == CONN_BODY || c->state == CONN_STORE)
		scan_follow(c->scan, c->spool);
	if (c->state == CONN_ADMIT && spool_ready(c->spool))
		conn_start_body(c);
	else if (c->state == CONN_BODY && spool_room(c->spool) > 0)
		conn_resume_body(c);
	else if (c->state == CONN_STORE && spool_fd(c->spool) >= 0)
		scan_spool(c);
}

static void admit_body(struct conn *c)
{
	uint64_t length = c->req.body == HTTP_BODY_CHUNKED ? SPOOL_UNKNOWN : c->req.content_length;
	int r = spool_new(c->front->spools, c->uid, length, request_wake, c, &c->spool);

	if (r < 0)
		request_spool_failed(c, r);
	else if (spool_ready(c->spool))
		conn_start_body(c);
	else
		conn_wait(c, CONN_ADMIT);
}

/* ---- a descriptor ---- */

static void on_file_facts(void *ctx, const struct file_facts *facts)
{
	struct conn *c = ctx;
	int fd = c->source_fd;

	c->check = NULL;
	if (facts->error < 0) {
		conn_problem(c, PROBLEM_DESCRIPTORS, "the descriptor is not a regular file that can be looked at");
		return;
	}
	if (facts->size > c->body_max) {
		conn_problem(c, PROBLEM_TOO_LARGE, "the file behind the descriptor is larger than the limit");
		return;
	}
	c->source_fd = -1; /* the scan's from here on */
	scan_start_fd(c->scan, fd, facts->size, facts->sealed);
	wait_for_verdict(c);
}

static void admit_descriptor(struct conn *c)
{
	if (!files_mode_ok(c->source_fd)) {
		conn_problem(
		    c, PROBLEM_DESCRIPTORS, "the descriptor must be readable, and neither O_PATH nor O_DIRECT");
		return;
	}
	c->check = files_check(&c->front->files, c->uid, c->source_fd, on_file_facts, c);
	if (c->check)
		conn_wait(c, CONN_ADMIT);
	else
		conn_problem(c, PROBLEM_BUSY, "too many descriptors are being looked at");
}

/* Take the announced descriptors off the queue.  Those that are left must belong to a head that is here already,
 * at least in part, for they cannot come before it.  Return: false after a refusal. */
static bool claim_descriptors(struct conn *c)
{
	bool more_heads = c->head_n > 0 && !has_body(c);

	if (c->fds.n < c->req.n_fds) {
		conn_refuse_head(c, &(struct http_error){ .problem = PROBLEM_DESCRIPTORS,
					.detail = "fewer descriptors came than the head announces" });
		return false;
	}
	if (c->fds.n > c->req.n_fds && !more_heads) {
		conn_refuse_head(c, &(struct http_error){ .problem = PROBLEM_DESCRIPTORS,
					.detail = "more descriptors came than the head announces" });
		return false;
	}
	for (unsigned i = 0; i < c->req.n_fds; i++) {
		files_close_client(&c->front->files, c->uid, c->source_fd);
		c->source_fd = fds_pop(&c->fds);
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

	if (c->front->draining)
		what = PROBLEM_SHUTTING_DOWN, why = "the daemon is ending; its successor takes this request";
	else if (r->n_fds > 1)
		what = PROBLEM_UNSUPPORTED,
		why = "sets of files come in a later version: send one descriptor a request";
	else if (r->n_fds == 1 && has_body(c))
		why = "a request brings either a descriptor or a body";
	else if (r->n_fds == 0 && r->body == HTTP_BODY_NONE)
		what = PROBLEM_LENGTH_REQUIRED;
	else if (r->tensors)
		what = PROBLEM_UNSUPPORTED, why = "tensor rows come in a later version";
	else if (r->tenant[0] && !c->may_name_tenant)
		what = PROBLEM_FORBIDDEN, why = "your uid may not name a tenant";
	else
		return true;
	conn_problem(c, what, why);
	return false;
}

static uint64_t size_max(const struct conn *c, const struct policy *p)
{
	uint64_t configured = c->front->settings->config.max_body;
	uint64_t allowed = policy_limits(p)->file_size;

	return configured < allowed ? configured : allowed;
}

static void say_queue_full(struct conn *c, enum queue_answer a)
{
	conn_problem(c, PROBLEM_BUSY,
	    a == QUEUE_TENANT_FULL ? "this tenant has too many requests in work, or one that does not end"
				   : "too many requests are in work");
}

static enum queue_answer admit(struct conn *c, const struct policy *policy)
{
	const struct http_request *r = &c->req;
	char tenant[QUEUE_TENANT_MAX + 1];
	const struct scan_request s = {
		.policy = policy,
		.name = r->name,
		.request_id = r->request_id,
		.tenant = tenant,
		.by_descriptor = r->n_fds > 0,
		.lane = r->lane == HTTP_LANE_BATCH ? QUEUE_BATCH : QUEUE_INTERACTIVE,
		.has_sha256 = r->has_sha256,
		.sha256 = r->sha256,
		.peer_uid = c->uid,
		.peer_pid = c->pid,
	};

	if (r->tenant[0])
		snprintf(tenant, sizeof(tenant), "%s", r->tenant);
	else
		snprintf(tenant, sizeof(tenant), "uid:%u", c->uid);
	return scan_admit(c->front->jobs, &s, on_verdict, c, &c->scan);
}

static void start_scan(struct conn *c)
{
	const struct policy *policy =
	    c->req.policy[0] ? settings_policy(c->front->settings, c->req.policy) : c->front->settings->default_policy;
	enum queue_answer a;

	if (!may_ask(c))
		return;
	if (!policy) {
		conn_problem(c, PROBLEM_BAD_REQUEST, "there is no policy of this name");
		return;
	}
	c->body_max = size_max(c, policy);
	if (c->req.body == HTTP_BODY_LENGTH && c->req.content_length > c->body_max) {
		conn_problem(c, PROBLEM_TOO_LARGE, "the body is larger than the limit");
		return;
	}
	if (!conn_may_answer(c, VERDICT_BYTES_MAX)) {
		conn_problem(c, PROBLEM_BUSY, CONN_UNSENT_DETAIL);
		return;
	}
	a = admit(c, policy);
	if (a != QUEUE_OK)
		say_queue_full(c, a);
	else if (c->req.n_fds == 1)
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
