/* The files of a folder in one request: their descriptors, their names, and an answer that comes line by line - a verdict
 * for each as it is judged, the set's last.  A daemon that is busy is asked again; one that refuses (it is older, or the
 * names are too long together) gets the files one by one instead. */
#include "client_impl.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "cleanup.h"
#include "cli.h"
#include "reply_parse.h"
#include "reply_stream.h"

#define HEAD_MAX 4096u
#define READ_BLOCK ((size_t)32 << 10)
#define SEND_WAIT_MS 2000 /* for room in the socket: the daemon reads at once unless it is gone */

struct set_call {
	enum client_watch watch;
	int fd;
	struct task **tasks; /* n of them, borrowed until they are done: then NULL */
	char **names;        /* as they were sent */
	size_t n, n_done, n_accepted;
	struct task *set;
	struct reply_stream stream;
	json_t *verdict;   /* owned: the set's, until the answer's end shows that it is whole */
	char problem[512]; /* the daemon's own words about why it gave up; "": none */
	bool never;        /* and that asking again is of no use */
	bool waiting;      /* there is no connection: */
	int64_t wake_ms;   /* ask again; else give up */
	unsigned n_connects, n_busy;
	struct client *client;
	struct set_call *next;
};

/* ---- the end ---- */

static void set_call_free(struct set_call *call)
{
	for (size_t i = 0; call->names != NULL && i < call->n; i++)
		free(call->names[i]);
	free(call->names);
	free(call->tasks);
	json_decref(call->verdict);
	reply_stream_done(&call->stream);
	closep(&call->fd);
	free(call);
}

static void set_call_end(struct client *c, struct set_call *call)
{
	struct set_call **at = &c->sets;

	while (*at != call)
		at = &(*at)->next;
	*at = call->next;
	set_call_free(call);
}

/* None of them was judged: they are to be started one by one.  @busy: together they might be judged at another time. */
static void set_call_return(struct client *c, struct set_call *call, bool busy)
{
	for (size_t i = 0; i < call->n; i++)
		if (call->tasks != NULL && call->tasks[i] != NULL)
			call->tasks[i]->again = true;
	call->set->again = true;
	call->set->busy = busy;
	set_call_end(c, call);
}

/* From the beginning, after a while. */
static void set_call_wait(struct set_call *call, int64_t ms)
{
	closep(&call->fd);
	call->fd = -1;
	reply_stream_done(&call->stream);
	call->waiting = true;
	call->wake_ms = now_ms() + ms;
}

/* What has no verdict by now gets none. */
static void set_call_fail(
    struct client *c, struct set_call *call, enum wlk_cause cause, const char *detail, const char *retry)
{
	for (size_t i = 0; i < call->n; i++)
		if (call->tasks[i] != NULL)
			client_fail(c, call->tasks[i], cause, detail, retry);
	client_fail(c, call->set, cause, detail, retry);
	set_call_end(c, call);
}

/* ---- the request ---- */

static bool names_make(struct set_call *call)
{
	call->names = calloc(call->n, sizeof(*call->names));
	for (size_t i = 0; call->names != NULL && i < call->n; i++) {
		const struct input *in = &call->tasks[i]->input;

		call->names[i] = text_safe(in->name + in->member_at);
		if (call->names[i] == NULL || strlen(call->names[i]) > CLIENT_NAME_MAX)
			return false;
	}
	return call->names != NULL;
}

/* {"members":["...", ...]} */
static char *body_make(const struct set_call *call)
{
	json_t *names = json_array();
	json_t *body = json_pack("{s:o}", "members", names);
	char *text;

	for (size_t i = 0; i < call->n; i++)
		(void)json_array_append_new(names, json_string(call->names[i]));
	text = json_dumps(body, JSON_COMPACT);
	json_decref(body);
	return text;
}

static size_t head_make(const struct client *c, const struct set_call *call, size_t body_n, char buf[HEAD_MAX])
{
	_cleanup_(freep) char *name = text_safe(call->set->input.name);
	FILE *f = fmemopen(buf, HEAD_MAX, "w");
	bool fits;
	long n;

	if (f == NULL)
		return 0;
	fputs("POST /v1/scan?name=", f);
	client_percent_encode(name != NULL && strlen(name) <= CLIENT_NAME_MAX ? name : "folder", f);
	if (c->policy_name != NULL)
		fprintf(f, "&policy=%s", c->policy_name);
	fprintf(f,
	    " HTTP/1.1\r\nHost: localhost\r\nWeighlock-Source: fd; n=%zu\r\nAccept: application/x-ndjson\r\n"
	    "Content-Type: application/json\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
	    call->n, body_n);
	fits = fflush(f) == 0 && !ferror(f);
	n = ftell(f);
	(void)fclose(f);
	return fits && n > 0 ? (size_t)n : 0;
}

/* Return: 0 or negative errno. */
static int send_all(int fd, const char *at, size_t n, const int *fds, size_t n_fds)
{
	int64_t until = now_ms() + SEND_WAIT_MS;

	while (n > 0) {
		struct pollfd room = { .fd = fd, .events = POLLOUT };
		int sent = client_send(fd, at, n, fds, n_fds);

		if (sent < 0 && sent != -EAGAIN && sent != -ETOOMANYREFS && sent != -EINTR)
			return sent;
		if (sent < 0 && now_ms() >= until)
			return sent;
		if (sent < 0) {
			(void)poll(&room, 1, 10);
			continue;
		}
		at += sent;
		n -= (size_t)sent;
		n_fds = 0;
	}
	return 0;
}

/* The descriptors must be there when the head is: all but the last of them go with a byte of it each. */
static int request_send(const struct set_call *call, const char *head, size_t head_n)
{
	int fds[BACKEND_SET_MAX];
	size_t at = 0, sent = 0;
	int r = 0;

	for (size_t i = 0; i < call->n; i++)
		fds[i] = call->tasks[i]->input.fd;
	while (r == 0 && call->n - sent > CLIENT_FDS_MAX) {
		r = send_all(call->fd, head + at++, 1, fds + sent, CLIENT_FDS_MAX);
		sent += CLIENT_FDS_MAX;
	}
	return r < 0 ? r : send_all(call->fd, head + at, head_n - at, fds + sent, call->n - sent);
}

/* On a connection that is open.  Return: 0 or negative errno; -ENAMETOOLONG: it cannot be asked. */
static int request_make_and_send(struct client *c, struct set_call *call)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = call };
	_cleanup_(freep) char *body = call->names != NULL ? body_make(call) : NULL;
	char head[HEAD_MAX];
	size_t n = body != NULL ? head_make(c, call, strlen(body), head) : 0;
	int r = n > 0 ? request_send(call, head, n) : -ENAMETOOLONG;

	if (r == 0)
		r = send_all(call->fd, body, strlen(body), NULL, 0);
	if (r < 0 && r != -EPIPE) /* a refusal may have come before all was sent */
		return r;
	return epoll_ctl(c->base.epoll_fd, EPOLL_CTL_ADD, call->fd, &event) < 0 ? -errno : 0;
}

static void set_call_ask(struct client *c, struct set_call *call)
{
	int r = client_connect(c);

	if (r == -EAGAIN && ++call->n_connects < CLIENT_CONNECT_TRIES) {
		set_call_wait(call, CLIENT_CONNECT_WAIT_MS);
		return;
	}
	call->fd = r < 0 ? -1 : r;
	call->waiting = false;
	call->wake_ms = now_ms() + CLIENT_WAIT_MS;
	if (r >= 0)
		r = request_make_and_send(c, call);
	if (r < 0)
		set_call_return(c, call, r != -ENAMETOOLONG);
}

void client_start_set(struct backend *b, struct task *const *tasks, size_t n, struct task *set)
{
	struct client *c = (struct client *)(void *)b;
	struct set_call *call = calloc(1, sizeof(*call));

	if (call == NULL) {
		for (size_t i = 0; i < n; i++)
			tasks[i]->again = true;
		set->again = set->busy = true;
		return;
	}
	*call = (struct set_call){ .watch = WATCH_SET,
		.fd = -1,
		.tasks = calloc(n, sizeof(*tasks)),
		.n = n,
		.set = set,
		.client = c,
		.next = c->sets };
	c->sets = call;
	if (call->tasks == NULL) {
		for (size_t i = 0; i < n; i++)
			tasks[i]->again = true;
		set_call_return(c, call, true);
		return;
	}
	memcpy(call->tasks, tasks, n * sizeof(*tasks));
	if (names_make(call))
		set_call_ask(c, call);
	else
		set_call_return(c, call, false);
}

/* ---- the answer ---- */

/* Return: index of the file that the daemon calls so and that has no verdict yet; n: none. */
static size_t task_by_name(const struct set_call *call, const char *name)
{
	for (size_t i = 0; name != NULL && i < call->n; i++) {
		_cleanup_(freep) char *shown = call->tasks[i] != NULL ? text_escaped(call->names[i]) : NULL;

		if (shown != NULL && strcmp(shown, name) == 0)
			return i;
	}
	return call->n;
}

static void task_take(struct task *t, json_t *verdict)
{
	t->verdict = verdict;
	t->value = verdict_value_of(verdict);
	t->done = true;
	closep(&t->input.fd);
	t->input.fd = -1;
}

static bool take_verdict(struct set_call *call, json_t *json)
{
	const char *name = json_string_value(json_object_get(json_object_get(json, "file"), "name"));
	size_t i = task_by_name(call, name);
	struct task *t = i < call->n ? call->tasks[i] : NULL;

	if (t == NULL || !client_is_verdict(json) || !client_accept_is_ours(json, &t->input)) {
		json_decref(json);
		return false;
	}
	client_rename(json, t->input.name);
	task_take(t, json);
	call->tasks[i] = NULL;
	call->n_done++;
	call->n_accepted += t->value == VERDICT_ACCEPT;
	return true;
}

/* accept: about all our files, and each of them was accepted by itself. */
static bool set_accept_is_ours(const struct set_call *call, const json_t *json)
{
	if (verdict_value_of(json) != VERDICT_ACCEPT)
		return true;
	return call->n_accepted == call->n && json_is_true(json_object_get(json, "complete")) &&
	       json_array_size(json_object_get(json, "members")) == call->n;
}

static bool take_set(struct set_call *call, json_t *json)
{
	_cleanup_(freep) char *name = text_escaped(call->set->input.name);

	if (name == NULL || call->n_done < call->n || !json_is_string(json_object_get(json, "verdict")) ||
	    !set_accept_is_ours(call, json)) {
		json_decref(json);
		return false;
	}
	(void)json_object_set_new(json, "name", json_string(name));
	call->verdict = json;
	return true;
}

static bool take_line(void *ctx, struct bytes line)
{
	struct set_call *call = ctx;
	json_t *json = json_loadb((const char *)line.at, line.n, JSON_REJECT_DUPLICATES, NULL);
	const char *title = json_string_value(json_object_get(json, "title"));
	const char *retry = json_string_value(json_object_get(json, "retry"));

	if (!json_is_object(json) || call->verdict != NULL) { /* nothing comes behind the set's */
		json_decref(json);
		return false;
	}
	if (verdict_is_set(json))
		return take_set(call, json);
	if (json_object_get(json, "schema") != NULL)
		return take_verdict(call, json);
	if (title != NULL)
		(void)snprintf(call->problem, sizeof(call->problem), "the daemon gave up: %.400s", title);
	call->never = retry != NULL && strcmp(retry, "never") == 0;
	json_decref(json);
	return true; /* how far it is, or why it gave up */
}

/* A refusal.  Where it is for good, each file asked about by itself says why. */
static void set_call_refused(struct client *c, struct set_call *call)
{
	struct http_reply reply;
	bool whole = reply_parse(bytes_of(call->stream.held, call->stream.held_n), &reply);
	int64_t wait_ms = whole ? client_busy_ms(&reply, &call->n_busy) : 0;

	if (wait_ms > 0)
		set_call_wait(call, wait_ms);
	else
		set_call_return(c, call, !whole || client_is_busy(&reply));
}

static void answer_ended(struct client *c, struct set_call *call)
{
	if (call->verdict != NULL && call->stream.state == STREAM_OVER) {
		task_take(call->set, call->verdict);
		call->verdict = NULL;
		set_call_end(c, call);
	} else if (call->stream.state == STREAM_OTHER) {
		set_call_refused(c, call);
	} else if (call->problem[0] != '\0') {
		set_call_fail(c, call, WLK_CAUSE_INTERNAL, call->problem, call->never ? "never" : "later");
	} else {
		set_call_fail(c, call, WLK_CAUSE_INTERNAL, "the daemon's answer ended early", NULL);
	}
}

void client_set_read(struct client *c, struct set_call *call)
{
	uint8_t block[READ_BLOCK];
	ssize_t n = recv(call->fd, block, sizeof(block), 0);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		answer_ended(c, call);
		return;
	}
	call->wake_ms = now_ms() + CLIENT_WAIT_MS;
	if (!reply_stream_feed(&call->stream, bytes_of(block, (size_t)n), take_line, call))
		set_call_fail(c, call, WLK_CAUSE_INTERNAL, "the daemon's answer is not what was asked for", NULL);
}

/* ---- the backend ---- */

void client_sets_keep(struct client *c, int64_t now)
{
	struct set_call *next;

	for (struct set_call *call = c->sets; call != NULL; call = next) {
		next = call->next;
		if (now >= call->wake_ms && call->waiting)
			set_call_ask(c, call);
		else if (now >= call->wake_ms)
			set_call_fail(c, call, WLK_CAUSE_WORKER_TIMEOUT, "the daemon does not answer", NULL);
	}
}

int64_t client_sets_next_ms(const struct client *c)
{
	int64_t next = INT64_MAX;

	for (const struct set_call *call = c->sets; call != NULL; call = call->next)
		next = call->wake_ms < next ? call->wake_ms : next;
	return next;
}

void client_sets_close(struct client *c)
{
	while (c->sets != NULL)
		set_call_end(c, c->sets);
}
