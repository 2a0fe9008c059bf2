/* One connection a file: connect, send the head with the descriptor, read until the daemon closes.  A file
 * whose answer does not arrive whole was not judged. */
#include "client_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cleanup.h"
#include "cli.h"
#include "held_files.h"
#include "scan_limits.h"
#include "reply_parse.h"
#include "verdict.h"

#define REPLY_MAX (VERDICT_BYTES_MAX + ((size_t)64 << 10)) /* a verdict, its head, and room */
#define HEAD_MAX 4096u                                     /* ours: a name, each byte escaped, and the rest fit */
#define BUSY_TRIES 3u                                      /* a busy daemon is asked this often */
#define BUSY_WAIT_MAX_S 10u

enum call_state {
	CALL_CONNECT, /* at .wake_ms */
	CALL_REPLY,
};

struct call {
	enum client_watch watch;
	enum call_state state;
	int fd;
	struct task *task;
	char *name;   /* as sent */
	bool renamed; /* .name is not the file's name: it had to be escaped */
	unsigned n_connects, n_busy;
	int64_t wake_ms; /* connect again, or give up */
	uint8_t *reply;
	size_t reply_n, reply_room;
	struct call *next;
};

static struct client *client_of(struct backend *b)
{
	return (struct client *)(void *)b;
}

/* ---- the request ---- */

static bool is_unreserved(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("-._~/", c) != NULL);
}

void client_percent_encode(const char *text, FILE *to)
{
	for (const char *c = text; *c != '\0'; c++) {
		if (is_unreserved(*c))
			fputc(*c, to);
		else
			fprintf(to, "%%%02X", (unsigned)(unsigned char)*c);
	}
}

/* The daemon takes UTF-8 without control characters.  Other names are sent as they are printed. */
static bool name_choose(struct call *call)
{
	const char *name = call->task->input.name;

	call->name = text_safe(name);
	call->renamed = call->name != NULL && strcmp(call->name, name) != 0;
	return call->name != NULL;
}

/* Return: bytes of the head in @buf; 0 if it does not fit. */
static size_t head_make(const struct client *c, const struct call *call, char buf[HEAD_MAX])
{
	FILE *f = fmemopen(buf, HEAD_MAX, "w");
	bool fits;
	long n;

	if (f == NULL)
		return 0;
	fputs("POST /v1/scan?name=", f);
	client_percent_encode(call->name, f);
	if (c->policy_name != NULL)
		fprintf(f, "&policy=%s", c->policy_name);
	fputs(" HTTP/1.1\r\nHost: localhost\r\nWeighlock-Source: fd; n=1\r\nAccept: application/json\r\n"
	      "Connection: close\r\n\r\n",
	    f);
	fits = fflush(f) == 0 && !ferror(f);
	n = ftell(f);
	(void)fclose(f);
	return fits && n > 0 ? (size_t)n : 0;
}

int client_send(int fd, const void *at, size_t n, const int *passed, size_t n_passed)
{
	union {
		char buf[CMSG_SPACE(CLIENT_FDS_MAX * sizeof(int))];
		struct cmsghdr align;
	} control = { 0 };
	struct iovec iov = { .iov_base = (char *)(uintptr_t)at, .iov_len = n };
	struct msghdr m = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = n_passed > 0 ? control.buf : NULL,
		.msg_controllen = n_passed > 0 ? CMSG_SPACE(n_passed * sizeof(int)) : 0 };
	struct cmsghdr *cmsg = CMSG_FIRSTHDR(&m);
	ssize_t sent;

	if (cmsg != NULL) {
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(n_passed * sizeof(int));
		memcpy(CMSG_DATA(cmsg), passed, n_passed * sizeof(int));
	}
	sent = sendmsg(fd, &m, MSG_NOSIGNAL);
	return sent < 0 ? -errno : (int)sent;
}

/* The head and the descriptor in one message: it is far below a socket's buffer, so it goes whole or not at
 * all. */
static int head_send(int fd, const char *head, size_t n, int passed)
{
	int sent = client_send(fd, head, n, &passed, 1);

	if (sent < 0)
		return sent;
	return (size_t)sent == n ? 0 : -EIO;
}

/* ---- the end of a call ---- */

static void call_free(struct call *call)
{
	closep(&call->fd);
	free(call->name);
	free(call->reply);
	free(call);
}

static void call_unlink(struct client *c, struct call *call)
{
	struct call **at = &c->calls;

	while (*at != call)
		at = &(*at)->next;
	*at = call->next;
}

static void call_end(struct client *c, struct call *call)
{
	closep(&call->task->input.fd);
	call->task->input.fd = -1;
	call->task->work = NULL;
	call_unlink(c, call);
	call_free(call);
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

/* No verdict from the daemon. */
static void call_fail(struct client *c, struct call *call, enum wlk_cause cause, const char *detail, const char *retry)
{
	client_fail(c, call->task, cause, detail, retry);
	call_end(c, call);
}

static void call_fail_errno(struct client *c, struct call *call, const char *what, int error)
{
	char detail[256];

	(void)snprintf(detail, sizeof(detail), "%s: %s", what, strerrordesc_np(error));
	call_fail(c, call, WLK_CAUSE_INTERNAL, detail, NULL);
}

/* ---- the answer ---- */

static struct bytes trim_newline(struct bytes b)
{
	while (b.n > 0 && (b.at[b.n - 1] == '\n' || b.at[b.n - 1] == '\r'))
		b.n--;
	return b;
}

bool client_is_verdict(const json_t *json)
{
	const char *schema = json_string_value(json_object_get(json, "schema"));

	return schema != NULL && strcmp(schema, "weighlock.verdict/1") == 0 &&
	       json_is_string(json_object_get(json, "verdict")) && json_is_object(json_object_get(json, "file"));
}

/* accept is the one answer that lets a file pass: it must be about a whole scan of a file as large as ours. */
bool client_accept_is_ours(const json_t *json, const struct input *in)
{
	const json_t *size = json_object_get(json_object_get(json, "file"), "size");

	if (strcmp(json_string_value(json_object_get(json, "verdict")), "accept") != 0)
		return true;
	return json_is_true(json_object_get(json, "complete")) && json_is_integer(size) &&
	       (uint64_t)json_integer_value(size) == in->size;
}

/* The name is the caller's: as a verdict made here would show it. */
void client_rename(json_t *verdict, const char *name)
{
	_cleanup_(freep) char *escaped = text_escaped(name);

	if (escaped != NULL)
		(void)json_object_set_new(json_object_get(verdict, "file"), "name", json_string(escaped));
}

static void call_verdict(struct client *c, struct call *call, struct bytes body)
{
	struct task *t = call->task;
	json_t *json = json_loadb((const char *)body.at, body.n, JSON_REJECT_DUPLICATES, NULL);

	if (!client_is_verdict(json)) {
		json_decref(json);
		call_fail(c, call, WLK_CAUSE_INTERNAL, "the daemon's answer is not a verdict", NULL);
		return;
	}
	if (!client_accept_is_ours(json, &t->input)) {
		json_decref(json);
		call_fail(c, call, WLK_CAUSE_INTERNAL,
		    "the daemon accepts, but not this file as it was when it was passed", NULL);
		return;
	}
	body = trim_newline(body);
	if (call->renamed)
		client_rename(json, t->input.name);
	else
		t->line = strndup((const char *)body.at, body.n);
	t->verdict = json;
	t->value = verdict_value_of(json);
	t->done = true;
	call_end(c, call);
}

/* RFC 9457: the daemon's own words about why there is no verdict. */
static void call_problem(struct client *c, struct call *call, const struct http_reply *reply)
{
	json_t *json = json_loadb((const char *)reply->body.at, reply->body.n, JSON_REJECT_DUPLICATES, NULL);
	const char *title = json_string_value(json_object_get(json, "title"));
	const char *detail = json_string_value(json_object_get(json, "detail"));
	const char *retry = json_string_value(json_object_get(json, "retry"));
	bool never = retry != NULL && strcmp(retry, "never") == 0;
	char text[1024];

	(void)snprintf(text, sizeof(text), "the daemon answers %u: %.300s%s%.600s", reply->status,
	    title != NULL ? title : "no reason given", detail != NULL ? ": " : "", detail != NULL ? detail : "");
	call_fail(c, call, WLK_CAUSE_INTERNAL, text, never ? "never" : "later");
	json_decref(json);
}

bool client_is_busy(const struct http_reply *reply)
{
	return reply->status == 503 || reply->status == 429;
}

int64_t client_busy_ms(const struct http_reply *reply, unsigned *n_busy)
{
	unsigned wait_s = reply->retry_after_s < BUSY_WAIT_MAX_S ? reply->retry_after_s : BUSY_WAIT_MAX_S;

	if (!client_is_busy(reply) || ++*n_busy >= BUSY_TRIES)
		return 0;
	return (wait_s > 0 ? wait_s : 1) * INT64_C(1000);
}

/* Ask again when the daemon says it will have room. */
static bool call_busy(struct call *call, const struct http_reply *reply)
{
	int64_t wait_ms = client_busy_ms(reply, &call->n_busy);

	if (wait_ms == 0)
		return false;
	closep(&call->fd);
	call->fd = -1;
	call->reply_n = 0;
	call->n_connects = 0;
	call->state = CALL_CONNECT;
	call->wake_ms = now_ms() + wait_ms;
	return true;
}

static void call_answered(struct client *c, struct call *call)
{
	struct http_reply reply;

	if (!reply_parse(bytes_of(call->reply, call->reply_n), &reply))
		call_fail(c, call, WLK_CAUSE_INTERNAL, "the daemon's answer ended early", NULL);
	else if (reply.status == 200)
		call_verdict(c, call, reply.body);
	else if (!call_busy(call, &reply))
		call_problem(c, call, &reply);
}

/* ---- the connection ---- */

static bool reply_grow(struct call *call)
{
	size_t room = call->reply_room == 0 ? 8192 : call->reply_room * 2;
	uint8_t *bigger;

	if (call->reply_n < call->reply_room)
		return true;
	bigger = call->reply_room < REPLY_MAX ? realloc(call->reply, room) : NULL;
	if (bigger == NULL)
		return false;
	call->reply = bigger;
	call->reply_room = room;
	return true;
}

static void call_read(struct client *c, struct call *call)
{
	ssize_t n;

	if (!reply_grow(call)) {
		call_fail(c, call, WLK_CAUSE_LIMIT_OUTPUT, "the daemon's answer is too long", NULL);
		return;
	}
	n = recv(call->fd, call->reply + call->reply_n, call->reply_room - call->reply_n, 0);
	if (n > 0)
		call->reply_n += (size_t)n;
	else if (n == 0 || errno == ECONNRESET)
		call_answered(c, call);
	else if (errno != EAGAIN && errno != EINTR)
		call_fail_errno(c, call, "reading the daemon's answer", errno);
}

static int call_request(struct client *c, struct call *call)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = call };
	char head[HEAD_MAX];
	size_t n = head_make(c, call, head);
	int r = head_send(call->fd, head, n, call->task->input.fd);

	/* A refusal that was sent before our request arrived is still worth reading. */
	if (r < 0 && r != -EPIPE)
		return r;
	return epoll_ctl(c->base.epoll_fd, EPOLL_CTL_ADD, call->fd, &event) < 0 ? -errno : 0;
}

static int64_t reply_deadline(const struct task *t, int64_t now)
{
	const struct limits limits = LIMITS_DEFAULT;

	return now + CLIENT_WAIT_MS + (int64_t)(limits_deadline_s(&limits, t->input.size) * 1000);
}

/* Return: descriptor or negative errno; -EAGAIN: the daemon's backlog is full. */
int client_connect(const struct client *c)
{
	_cleanup_(closep) int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)&c->address, sizeof(c->address)) < 0)
		return -errno;
	return steal_fd(&fd);
}

static void call_connect(struct client *c, struct call *call, int64_t now)
{
	int fd = client_connect(c);
	int r;

	if (fd == -EAGAIN && ++call->n_connects < CLIENT_CONNECT_TRIES) {
		call->wake_ms = now + CLIENT_CONNECT_WAIT_MS;
		return;
	}
	if (fd < 0) {
		call_fail_errno(c, call, "the daemon is unreachable", -fd);
		return;
	}
	call->fd = fd;
	call->state = CALL_REPLY;
	call->wake_ms = reply_deadline(call->task, now);
	r = call_request(c, call);
	if (r < 0)
		call_fail_errno(c, call, "sending to the daemon", -r);
}

static void call_wake(struct client *c, struct call *call, int64_t now)
{
	if (call->state == CALL_CONNECT)
		call_connect(c, call, now);
	else
		call_fail(c, call, WLK_CAUSE_WORKER_TIMEOUT, "the daemon does not answer", NULL);
}

/* ---- the backend ---- */

static void client_start(struct backend *b, struct task *t)
{
	struct client *c = client_of(b);
	struct call *call = calloc(1, sizeof(*call));

	if (call == NULL) {
		task_fail(t, c->unjudged, WLK_CAUSE_INTERNAL, "out of memory", NULL);
		return;
	}
	*call = (struct call){ .fd = -1, .task = t, .next = c->calls };
	c->calls = call;
	t->work = call;
	if (!name_choose(call))
		call_fail(c, call, WLK_CAUSE_INTERNAL, "out of memory", NULL);
	else if (strlen(call->name) > CLIENT_NAME_MAX)
		call_fail(c, call, WLK_CAUSE_INPUT_UNREADABLE, "the path is longer than the daemon takes", "never");
	else
		call_connect(c, call, now_ms());
}

static void client_turn(struct backend *b, int64_t now)
{
	struct client *c = client_of(b);
	struct epoll_event event;
	struct call *next;

	while (epoll_wait(b->epoll_fd, &event, 1, 0) == 1) {
		if (*(enum client_watch *)event.data.ptr == WATCH_CALL)
			call_read(c, event.data.ptr);
		else
			client_set_read(c, event.data.ptr);
	}
	client_sets_keep(c, now);
	for (struct call *call = c->calls; call != NULL; call = next) {
		next = call->next;
		if (now >= call->wake_ms)
			call_wake(c, call, now);
	}
}

static int64_t client_next_ms(const struct backend *b)
{
	const struct client *c = (const struct client *)(const void *)b;
	int64_t next = client_sets_next_ms(c);

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
	client_sets_close(c);
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

/* Is somebody there?  Asked before anything is walked, so that a wrong path is one message and not one a
 * file. */
static int client_probe(const struct client *c)
{
	int fd = client_connect(c);

	if (fd == -EAGAIN)
		return 0;
	if (fd < 0)
		return fd;
	(void)close(fd);
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
	c->address.sun_family = AF_UNIX;
	(void)snprintf(c->address.sun_path, sizeof(c->address.sun_path), "%s", socket_path);
	c->policy_name = policy_name;
	c->unjudged = unjudged;
	r = c->base.epoll_fd < 0 ? -errno : client_probe(c);
	if (r < 0) {
		say("the daemon is unreachable at %s: %s", socket_path, strerrordesc_np(-r));
		client_close(&c->base);
		return r;
	}
	*ret = &c->base;
	return 0;
}
