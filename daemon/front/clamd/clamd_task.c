/* Commands of clamd's protocol that take time: FILDES and INSTREAM become scans, RELOAD waits for the monitor. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clamd_impl.h"

/* ---- tasks ---- */

static struct clamd_task *task_new(struct clamd *c, unsigned id, char term, const char *name)
{
	struct clamd_task *t = calloc(1, sizeof(*t));

	if (t == NULL)
		return NULL;
	*t = (struct clamd_task){ .client = c, .next = c->tasks, .id = id, .term = term, .fd = -1 };
	snprintf(t->name, sizeof(t->name), "%s", name);
	if (t->next)
		t->next->prev = t;
	c->tasks = t;
	c->n_tasks++;
	return t;
}

/* With what it holds. */
static void task_free(struct clamd_task *t)
{
	struct clamd *c = t->client;

	if (t->prev)
		t->prev->next = t->next;
	else
		c->tasks = t->next;
	if (t->next)
		t->next->prev = t->prev;
	c->n_tasks--;
	c->held = false; /* there may be a place for the command that waits */
	if (c->upload == t)
		c->upload = NULL;
	if (t->check)
		file_check_forget(t->check); /* closes it, later */
	else
		client_close_fd(&c->io, t->fd);
	if (t->scan)
		scan_forget(t->scan, false);
	free(t);
}

void clamd_drop_tasks(struct clamd *c)
{
	while (c->tasks)
		task_free(c->tasks);
	spool_free(c->spool);
	c->spool = NULL;
}

static void task_end(struct clamd_task *t, const char *text, const char *status)
{
	clamd_say(t->client, t->id, t->term, bytes_of_text(t->name), text, status);
	task_free(t);
}

/* ---- verdicts ---- */

static bool decided(const json_t *finding)
{
	const char *action = json_string_value(json_object_get(finding, "action"));

	return action != NULL && !json_is_true(json_object_get(finding, "excepted")) &&
	       (strcmp(action, "reject") == 0 || strcmp(action, "review") == 0);
}

/* Findings come with what decides first.  Where none did, part of the file was not examined. */
static const char *signature(const json_t *verdict, char buf[CLAMD_SIGNATURE_MAX])
{
	const json_t *findings = json_object_get(verdict, "findings"), *first;
	const char *class, *code;
	size_t i = 0;

	while (i < json_array_size(findings) && json_is_true(json_object_get(json_array_get(findings, i), "excepted")))
		i++;
	first = json_array_get(findings, i);
	class = json_string_value(json_object_get(first, "class"));
	code = json_string_value(json_object_get(first, "code"));
	if (!decided(first) || class == NULL || code == NULL)
		return clamd_signature("incomplete", "not-examined", buf);
	return clamd_signature(class, code, buf);
}

static void end_with_verdict(struct clamd_task *t, const struct scan_result *r)
{
	char text[CLAMD_SIGNATURE_MAX];

	switch (r->effective) {
	case VERDICT_ACCEPT:
		if (!r->facts->final.complete)
			break;
		task_end(t, "", "OK");
		return;
	case VERDICT_REVIEW:
	case VERDICT_REJECT: task_end(t, signature(r->verdict, text), "FOUND"); return;
	case VERDICT_ERROR: break;
	}
	snprintf(text, sizeof(text), "not examined to the end (%s)", cause_text(r->facts->final.cause));
	task_end(t, text, "ERROR");
}

static void on_verdict(void *ctx, const struct scan_result *r)
{
	struct clamd_task *t = ctx;
	struct clamd *c = t->client;

	t->scan = NULL;
	if (r->has_verdict)
		end_with_verdict(t, r);
	else
		task_end(t, r->detail, "ERROR");
	client_settle(&c->io);
}

/* ---- admission ---- */

static void count_refusal(struct clamd *c, enum tally_refusal why)
{
	clamd_env(c)->tally.refusals[why]++;
}

static const char *why_full(struct clamd *c, enum queue_answer a)
{
	count_refusal(c, a == QUEUE_TENANT_FULL ? TALLY_REFUSAL_TENANT : TALLY_REFUSAL_QUEUE);
	return a == QUEUE_TENANT_FULL ? "you have too many requests in work, or one that does not end"
				      : "too many requests are in work";
}

#define TOO_MUCH_MAX 96 /* bytes of a text that says so, with NUL */

/* As rate_wait_s().  Return: why not; NULL: it may. */
static const char *too_much(struct clamd *c, uint64_t files, char buf[TOO_MUCH_MAX])
{
	unsigned wait_s = client_wait_s(&c->io, files);

	if (files > 0 && audit_is_behind(&jobs_parts(c->io.all->jobs)->audit)) {
		count_refusal(c, TALLY_REFUSAL_UNRECORDED);
		return AUDIT_BEHIND;
	}
	if (wait_s == 0)
		return NULL;
	snprintf(buf, TOO_MUCH_MAX, "you have sent as much as you may for now; come again in %u s", wait_s);
	return buf;
}

static enum queue_answer admit(struct clamd_task *t, bool by_descriptor)
{
	struct clamd *c = t->client;
	char request_id[SCAN_REQUEST_ID_MAX + 1];
	const struct scan_request r = { .policy = clamd_env(c)->settings->default_policy,
		.name = "",
		.request_id = request_id,
		.tenant = c->io.payer.tenant,
		.by_descriptor = by_descriptor,
		.keep = true,
		.lane = QUEUE_INTERACTIVE,
		.peer_uid = c->io.peer.uid,
		.peer_pid = c->io.peer.pid };

	client_request_id(request_id);
	return scan_admit(c->io.all->jobs, &r, on_verdict, t, &t->scan);
}

/* Return: the task, with a scan; NULL, and it is answered, or *ret_held: not now, for its own session holds the places. */
static struct clamd_task *task_admitted(
    struct clamd *c, unsigned id, char term, const char *name, bool by_descriptor, bool *ret_held)
{
	bool alone = c->n_tasks == 0;
	char text[TOO_MUCH_MAX];
	const char *why = too_much(c, 1, text);
	struct clamd_task *t;
	enum queue_answer a;

	*ret_held = false;
	if (why != NULL) {
		clamd_say(c, id, term, bytes_of_text(name), why, "ERROR");
		return NULL;
	}
	t = task_new(c, id, term, name);
	a = t ? admit(t, by_descriptor) : QUEUE_FULL;
	*ret_held = a != QUEUE_OK && !alone;
	if (a == QUEUE_OK)
		return t;
	if (t == NULL)
		client_end(&c->io);
	else if (*ret_held)
		task_free(t);
	else
		task_end(t, why_full(c, a), "ERROR");
	return NULL;
}

static uint64_t size_max(const struct clamd *c)
{
	return client_size_max(&c->io, clamd_env(c)->settings->default_policy);
}

/* ---- FILDES ---- */

static void use_file(struct clamd_task *t, const struct file_facts *facts)
{
	char text[TOO_MUCH_MAX];
	const char *why = NULL;
	int fd = t->fd;

	if (facts->error < 0) {
		task_end(t, "not a regular file that can be looked at", "ERROR");
	} else if (facts->size > size_max(t->client)) {
		count_refusal(t->client, TALLY_REFUSAL_TOO_LARGE);
		task_end(t, "the file is larger than the limit", "ERROR");
	} else if ((why = too_much(t->client, 0, text)) != NULL) {
		task_end(t, why, "ERROR");
	} else {
		client_pay(&t->client->io, 0, facts->size);
		t->fd = -1; /* the scan's from here on */
		scan_start_fd(t->scan, fd, facts->size, facts->sealed);
	}
}

static void on_file_facts(void *ctx, const struct file_facts *facts)
{
	struct clamd_task *t = ctx;
	struct clamd *c = t->client;

	t->check = NULL;
	use_file(t, facts);
	client_settle(&c->io);
}

bool clamd_start_fildes(struct clamd *c, unsigned id, char term)
{
	char name[24] = "fd[-1]";
	struct clamd_task *t;
	bool held;

	if (c->io.fds.n == 0) {
		clamd_say(c, id, term, bytes_of_text(name), "no descriptor came with the byte behind FILDES", "ERROR");
		c->state = CLAMD_LAST;
		return true;
	}
	snprintf(name, sizeof(name), "fd[%d]", c->io.fds.at[0]);
	t = task_admitted(c, id, term, name, true, &held);
	if (held)
		return false;
	if (t == NULL) {
		client_close_fd(&c->io, fds_pop(&c->io.fds));
		return true;
	}
	t->fd = fds_pop(&c->io.fds);
	if (!files_mode_ok(t->fd)) {
		task_end(t, "the descriptor must be open for reading only, and neither O_PATH nor O_DIRECT", "ERROR");
		return true;
	}
	t->check = files_check(&clamd_env(c)->files, c->io.peer.uid, t->fd, on_file_facts, t);
	if (t->check)
		client_pay(&c->io, 1, 0);
	else
		task_end(t, "too many descriptors are being looked at", "ERROR");
	return true;
}

/* ---- INSTREAM ---- */

void clamd_fail_upload(struct clamd *c, const char *text)
{
	struct clamd_task *t = c->upload;

	spool_free(c->spool);
	c->spool = NULL;
	c->state = CLAMD_LAST; /* where the stream ends nobody knows */
	clamd_say(c, t->id, t->term, bytes_of(NULL, 0), text, "ERROR");
	task_free(t);
}

static const char *why_no_spool(struct clamd *c, int error)
{
	switch (error) {
	case -EBUSY: count_refusal(c, TALLY_REFUSAL_TENANT_SPOOL); return "your share of the room for streams is taken";
	case -E2BIG:
		count_refusal(c, TALLY_REFUSAL_TOO_LARGE);
		return "the stream is larger than your share of the room";
	case -ENOBUFS:
	case -EMFILE:
	case -ENFILE:
	case -ENOMEM: count_refusal(c, TALLY_REFUSAL_SPOOL_BUSY); return "the room for streams is taken at the moment";
	case -ENOSPC:
	case -EDQUOT:
	case -EFBIG: count_refusal(c, TALLY_REFUSAL_SPOOL_FULL); return "there is no room for a stream of this size";
	default: return "the stream could not be stored";
	}
}

void clamd_check_spool(struct clamd *c)
{
	int error = spool_error(c->spool);

	if (error == 0)
		return;
	c->body_unread = c->body_unread || c->state != CLAMD_STORE;
	clamd_fail_upload(c, why_no_spool(c, error));
}

static void scan_stored(struct clamd *c)
{
	struct spool *s = c->spool;
	struct clamd_task *t = c->upload;

	c->spool = NULL; /* the scan's from here on */
	c->upload = NULL;
	c->state = c->session ? CLAMD_COMMANDS : CLAMD_LAST;
	scan_start_spool(t->scan, s);
}

static void start_body(struct clamd *c)
{
	c->state = CLAMD_BODY;
	c->chunks = (struct clamd_chunks){ 0 };
	c->no_room = c->io.window_paused = false;
	client_renew(&c->io);
}

void clamd_end_upload(struct clamd *c)
{
	spool_finish(c->spool);
	c->state = CLAMD_STORE;
	clamd_check_spool(c);
	if (c->upload && spool_fd(c->spool) >= 0)
		scan_stored(c);
}

static void on_spool(void *ctx)
{
	struct clamd *c = ctx;

	clamd_check_spool(c);
	if (c->upload && c->state == CLAMD_PLACE && spool_ready(c->spool))
		start_body(c);
	else if (c->upload && c->state == CLAMD_STORE && spool_fd(c->spool) >= 0)
		scan_stored(c);
	c->no_room = false;
	client_settle(&c->io);
}

bool clamd_start_instream(struct clamd *c, unsigned id, char term)
{
	bool held;
	struct clamd_task *t = task_admitted(c, id, term, "stream", false, &held);
	int r;

	if (held)
		return false;
	if (t == NULL) {
		c->body_unread = true;
		c->state = CLAMD_LAST;
		return true;
	}
	c->upload = t;
	c->body_max = size_max(c);
	r = spool_new(jobs_parts(c->io.all->jobs)->spools, &c->io.payer, SPOOL_UNKNOWN, on_spool, c, &c->spool);
	if (r < 0) {
		c->body_unread = true;
		clamd_fail_upload(c, why_no_spool(c, r));
		return true;
	}
	client_pay(&c->io, 1, 0);
	if (spool_ready(c->spool)) {
		start_body(c);
	} else {
		c->state = CLAMD_PLACE;
	}
	return true;
}

/* ---- RELOAD ---- */

void clamd_start_reload(struct clamd *c, unsigned id, char term)
{
	const struct clamd_service *service = c->io.service;
	struct clamd_task *t = task_new(c, id, term, "");

	if (t == NULL) {
		client_end(&c->io);
		return;
	}
	t->reload = true;
	if (service->ask_reload(service->ctx) < 0)
		task_end(t, "the reload could not be asked for", "ERROR");
}

static void answer_reloads(struct clamd *c, bool reloading)
{
	for (struct clamd_task *t = c->tasks, *next; t; t = next) {
		next = t->next;
		if (t->reload && reloading)
			task_end(t, "RELOADING", NULL);
		else if (t->reload)
			task_end(t, "not reloaded, see the log", "ERROR");
	}
}

void clamd_reload_answered(struct clients *all, bool reloading)
{
	for (struct client *io = all->first, *next; io; io = next) {
		next = io->next;
		if (io->kind != &clamd_kind)
			continue;
		answer_reloads((struct clamd *)io, reloading);
		client_settle(io);
	}
}
