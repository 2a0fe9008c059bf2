/* A question a file, asked by libweighlock-client, which knows what an answer must be like: a file whose answer does not
 * arrive whole was not judged. */
#include "client_impl.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cleanup.h"
#include "cli.h"
#include "held_files.h"
#include "hex.h"
#include "scan_limits.h"
#include "verdict.h"
#include "verdict_json.h"

#define PATIENCE_MS 120000 /* for a daemon that is busy: twice the minute that a tenant's rate is of */
#define EVENTS_MAX 64

struct file_call {
	struct call call;
	struct task *task;
	bool renamed; /* it was sent with another name: its own had to be escaped */
};

static struct client *client_of(struct backend *b)
{
	return (struct client *)(void *)b;
}

/* ---- what became of it ---- */

bool client_is_busy(const struct weighlock_scan *s)
{
	return weighlock_scan_status(s) == 503 || weighlock_scan_status(s) == 429;
}

json_t *client_json(const char *at, size_t n)
{
	json_t *json = json_loadb(at, n, JSON_REJECT_DUPLICATES, NULL);

	if (json_is_object(json))
		return json;
	json_decref(json);
	return NULL;
}

bool client_is_verdict(const json_t *json)
{
	return json_is_string(json_object_get(json, "verdict")) && json_is_object(json_object_get(json, "file"));
}

void client_rename(json_t *verdict, const char *name)
{
	_cleanup_(freep) char *escaped = text_escaped(name);

	if (escaped != NULL)
		(void)json_object_set_new(json_object_get(verdict, "file"), "name", json_string(escaped));
}

/* The policy named is the one asked for; nobody applied it, so it has no digest. */
void client_fail(struct client *c, struct task *t, enum wlk_cause cause, const char *detail, const char *retry)
{
	json_t *policy;

	task_fail(t, c->unjudged, cause, detail, retry);
	policy = json_object_get(t->verdict, "policy");
	if (policy == NULL)
		return;
	(void)json_object_set_new(policy, "name", json_string(c->policy_name != NULL ? c->policy_name : "default"));
	(void)json_object_set_new(policy, "sha256", json_string(""));
}

/* RFC 9457: the daemon's own words about why there is no verdict. */
static void fail_problem(struct client *c, struct task *t, const struct weighlock_scan *s)
{
	size_t n;
	const char *at = weighlock_scan_json(s, &n);
	json_t *json = client_json(at, n);
	const char *title = json_string_value(json_object_get(json, "title"));
	const char *detail = json_string_value(json_object_get(json, "detail"));
	const char *retry = json_string_value(json_object_get(json, "retry"));
	enum wlk_cause cause = client_is_busy(s) ? WLK_CAUSE_BUSY : WLK_CAUSE_INTERNAL;
	char text[1024];

	if (weighlock_scan_status(s) == 200)
		(void)snprintf(
		    text, sizeof(text), "the daemon gave up: %.400s", title != NULL ? title : "no reason given");
	else
		(void)snprintf(text, sizeof(text), "the daemon answers %u: %.300s%s%.600s", weighlock_scan_status(s),
		    title != NULL ? title : "no reason given", detail != NULL ? ": " : "",
		    detail != NULL ? detail : "");
	if (strcmp(weighlock_scan_problem(s), "urn:weighlock:problem:busy") == 0)
		cause = WLK_CAUSE_BUSY;
	client_fail(c, t, cause, text, retry != NULL && strcmp(retry, "never") == 0 ? "never" : "later");
	json_decref(json);
}

/* No answer that can be relied on. */
static void fail_errno(struct client *c, struct task *t, const struct weighlock_scan *s)
{
	int error = weighlock_scan_errno(s);
	char text[256];

	switch (error) {
	case ETIMEDOUT: client_fail(c, t, WLK_CAUSE_WORKER_TIMEOUT, "the daemon does not answer", NULL); return;
	case EMSGSIZE: client_fail(c, t, WLK_CAUSE_LIMIT_OUTPUT, "the daemon's answer is too long", NULL); return;
	case ECONNRESET: client_fail(c, t, WLK_CAUSE_INTERNAL, "the daemon's answer ended early", NULL); return;
	case ECANCELED:
		client_fail(c, t, WLK_CAUSE_INTERNAL, "the daemon's answer is not what was asked for", NULL);
		return;
	case EPROTO: client_fail(c, t, WLK_CAUSE_INTERNAL, weighlock_scan_detail(s), NULL); return;
	default: break;
	}
	(void)snprintf(text, sizeof(text), "%s: %s", weighlock_scan_detail(s), strerrordesc_np(error));
	client_fail(c, t, WLK_CAUSE_INTERNAL, text, NULL);
}

void client_fail_outcome(struct client *c, struct task *t, const struct weighlock_scan *s)
{
	if (weighlock_scan_errno(s) != 0)
		fail_errno(c, t, s);
	else
		fail_problem(c, t, s);
}

/* ---- calls ---- */

static void call_free(struct call *call)
{
	weighlock_scan_free(call->scan);
	call->free(call);
}

static void call_over(struct client *c, struct call *call, enum weighlock_outcome outcome)
{
	struct call **at = &c->calls;

	while (*at != call)
		at = &(*at)->next;
	*at = call->next;
	c->busy = outcome == WEIGHLOCK_PROBLEM && client_is_busy(call->scan);
	call->over(c, call, outcome);
	call_free(call);
}

/* A descriptor that was closed has left the epoll set by itself, and its number may be another's now. */
static void call_watch(const struct client *c, struct call *call)
{
	struct epoll_event event = { .data.ptr = call };
	int fd = weighlock_scan_fd(call->scan);

	if (fd < 0)
		return;
	event.events = (weighlock_scan_events(call->scan) & POLLOUT) != 0 ? EPOLLIN | EPOLLOUT : EPOLLIN;
	if (epoll_ctl(c->base.epoll_fd, EPOLL_CTL_MOD, fd, &event) < 0)
		(void)epoll_ctl(c->base.epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

static void call_step(struct client *c, struct call *call)
{
	enum weighlock_outcome outcome = weighlock_scan_step(call->scan);

	if (outcome != WEIGHLOCK_PENDING) {
		call_over(c, call, outcome);
		return;
	}
	call_watch(c, call);
	call->wake_ms = now_ms() + weighlock_scan_timeout_ms(call->scan);
}

void client_ask(struct client *c, struct call *call, const char *name, int64_t silence_ms)
{
	struct weighlock_scan *s = call->scan;

	call->next = c->calls;
	c->calls = call;
	(void)weighlock_scan_set_name(s, name);
	if (c->policy_name != NULL)
		(void)weighlock_scan_set_policy(s, c->policy_name);
	(void)weighlock_scan_set_timeouts(s, silence_ms, INT64_MAX / 8);
	(void)weighlock_scan_set_patience(s, c->busy ? 0 : PATIENCE_MS);
	call_step(c, call);
}

/* ---- a file ---- */

bool client_keeps_promise(struct client *c, struct task *t, const json_t *verdict)
{
	struct facts told;

	verdict_facts(verdict, &told);
	if (!t->input.has_promised || !told.final.has_digest ||
	    memcmp(told.final.sha256, t->input.promised, sizeof(told.final.sha256)) == 0)
		return true;
	client_fail(c, t, WLK_CAUSE_DIGEST_MISMATCH, "a blob that does not have the digest that is its name", "never");
	return false;
}

static void file_verdict(struct client *c, struct file_call *call)
{
	struct task *t = call->task;
	size_t n;
	const char *at = weighlock_scan_json(call->call.scan, &n);
	json_t *json = client_json(at, n);

	if (!client_is_verdict(json)) {
		json_decref(json);
		client_fail(c, t, WLK_CAUSE_INTERNAL, "the daemon's answer is not a verdict", NULL);
		return;
	}
	if (!client_keeps_promise(c, t, json)) {
		json_decref(json);
		return;
	}
	while (n > 0 && (at[n - 1] == '\n' || at[n - 1] == '\r'))
		n--;
	if (call->renamed)
		client_rename(json, t->input.name);
	else
		t->line = strndup(at, n);
	t->verdict = json;
	t->value = verdict_value_of(json);
	t->effective = verdict_effective_of(json);
	t->done = true;
}

static void file_over(struct client *c, struct call *base, enum weighlock_outcome outcome)
{
	struct file_call *call = (struct file_call *)(void *)base;

	if (outcome == WEIGHLOCK_VERDICT)
		file_verdict(c, call);
	else
		client_fail_outcome(c, call->task, base->scan);
	closep(&call->task->input.fd);
	call->task->input.fd = -1;
}

static void file_free(struct call *base)
{
	free(base);
}

static int64_t scan_ms(const struct task *t)
{
	const struct limits limits = LIMITS_DEFAULT;

	return CLIENT_WAIT_MS + (int64_t)(limits_deadline_s(&limits, t->input.size) * 1000);
}

/* Where it is known what must come out, nobody is believed who says something else. */
static void expect_digest(struct weighlock_scan *s, const struct input *in)
{
	char hex[65];

	if (!in->has_sha256)
		return;
	hex_write(in->sha256, sizeof(in->sha256), hex);
	(void)weighlock_scan_set_sha256(s, hex);
}

/* The daemon takes UTF-8 without control characters.  Other names are sent as they are printed. */
static void client_start(struct backend *b, struct task *t)
{
	struct client *c = client_of(b);
	_cleanup_(freep) char *name = text_safe(t->input.name);
	struct file_call *call = calloc(1, sizeof(*call));
	struct weighlock_scan *s = weighlock_scan_new(c->socket_path);

	if (name == NULL || call == NULL || s == NULL) {
		client_fail(c, t, WLK_CAUSE_INTERNAL, "out of memory", NULL);
	} else if (strlen(name) > CLIENT_NAME_MAX) {
		client_fail(c, t, WLK_CAUSE_INPUT_UNREADABLE, "the path is longer than the daemon takes", "never");
	} else {
		*call = (struct file_call){ .call = { .scan = s, .over = file_over, .free = file_free },
			.task = t,
			.renamed = strcmp(name, t->input.name) != 0 };
		(void)weighlock_scan_pass_fd(s, t->input.fd);
		expect_digest(s, &t->input);
		client_ask(c, &call->call, name, scan_ms(t));
		return;
	}
	closep(&t->input.fd);
	t->input.fd = -1;
	weighlock_scan_free(s);
	free(call);
}

/* ---- the backend ---- */

/* One event a turn of the epoll set: the end of a call frees what other events of a batch may point to. */
static void client_turn(struct backend *b, int64_t now)
{
	struct client *c = client_of(b);
	struct epoll_event event;
	struct call *next;

	for (int i = 0; i < EVENTS_MAX && epoll_wait(b->epoll_fd, &event, 1, 0) == 1; i++)
		call_step(c, event.data.ptr);
	for (struct call *call = c->calls; call != NULL; call = next) {
		next = call->next;
		if (now >= call->wake_ms)
			call_step(c, call);
	}
}

static int64_t client_next_ms(const struct backend *b)
{
	const struct client *c = (const struct client *)(const void *)b;
	int64_t next = INT64_MAX;

	for (const struct call *call = c->calls; call != NULL; call = call->next)
		next = call->wake_ms < next ? call->wake_ms : next;
	return next;
}

static void client_close(struct backend *b)
{
	struct client *c = client_of(b);

	while (c->calls != NULL) {
		struct call *call = c->calls;

		c->calls = call->next;
		call_free(call);
	}
	closep(&c->base.epoll_fd);
	free(c);
}

static const struct backend_ops client_ops = {
	.start = client_start,
	.start_set = client_start_set,
	.turn = client_turn,
	.next_ms = client_next_ms,
	.close = client_close,
};

/* Is somebody there?  Asked before anything is walked, so that a wrong path is one message and not one a file. */
static int probe(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	_cleanup_(closep) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (fd < 0 || (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 && errno != EAGAIN))
		return -errno;
	return 0;
}

int client_open(const char *socket_path, const char *policy_name, const struct policy *unjudged, struct backend **ret)
{
	struct client *c = calloc(1, sizeof(*c));
	int r;

	if (c == NULL)
		return -ENOMEM;
	c->base = (struct backend){
		.ops = &client_ops, .epoll_fd = epoll_create1(EPOLL_CLOEXEC), .set_max = held_files_max()
	};
	c->socket_path = socket_path;
	c->policy_name = policy_name;
	c->unjudged = unjudged;
	r = c->base.epoll_fd < 0 ? -errno : probe(socket_path);
	if (r < 0) {
		say("the daemon is unreachable at %s: %s", socket_path, strerrordesc_np(-r));
		client_close(&c->base);
		return r;
	}
	*ret = &c->base;
	return 0;
}
