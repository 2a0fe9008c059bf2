/* A connection's answers: see conn.h. */
#include "conn_impl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A stream's next line: a little early rather than late. */
static void set_line_timer(struct conn *c)
{
	unsigned ms = c->front->settings->config.progress_seconds * 1000 - 500;
	const struct timeval tv = { .tv_sec = (time_t)(ms / 1000), .tv_usec = (suseconds_t)(ms % 1000) * 1000 };

	evtimer_add(c->timer, &tv);
}

static void start_drain(struct conn *c)
{
	const struct timeval tv = { .tv_sec = CONN_DRAIN_MS / 1000 };

	c->state = CONN_DRAIN;
	c->drained = 0;
	shutdown(c->fd, SHUT_WR);
	conn_drop_descriptors(c);
	conn_listen(c);
	evtimer_add(c->timer, &tv);
}

/* Everything is with the kernel. */
static void flushed(struct conn *c)
{
	if (c->state == CONN_INVITE) {
		conn_start_body(c);
	} else if (c->state != CONN_REPLY) {
		return; /* a line of a stream */
	} else if (c->body_unread) {
		start_drain(c);
	} else if (c->close_after || c->front->draining) {
		conn_free(c);
	} else {
		conn_next_request(c);
		if (c->head_n > 0)
			conn_parse(c); /* a pipelined head is here already */
	}
}

/* Is there memory for so much of an answer that nobody may take? */
bool conn_may_answer(const struct conn *c, size_t n)
{
	size_t same_uid = n;

	if (n > CONN_UNSENT_MAX - CONN_UNSENT_EACH_MAX || c->front->unsent > CONN_UNSENT_MAX - n)
		return false;
	for (const struct conn *o = c->front->conns; o; o = o->next)
		same_uid += o->uid == c->uid ? o->unsent : 0;
	return same_uid <= CONN_UNSENT_EACH_MAX;
}

/* A reply with a hole in it must not go out. */
void conn_put(struct conn *c, const void *at, size_t n)
{
	if (evbuffer_add(c->out, at, n) < 0)
		c->broken = true;
}

void conn_flush(struct conn *c)
{
	if (c->broken) {
		conn_free(c);
		return;
	}
	while (evbuffer_get_length(c->out) > 0) {
		int n = evbuffer_write(c->out, c->fd);

		if (n > 0 || (n < 0 && errno == EINTR))
			continue;
		if (n < 0 && errno == EAGAIN) {
			conn_count_unsent(c, evbuffer_get_length(c->out));
			event_add(c->writable, NULL);
			return;
		}
		conn_free(c);
		return;
	}
	conn_count_unsent(c, 0);
	flushed(c);
}

void conn_on_writable(evutil_socket_t fd, short what, void *ctx)
{
	struct conn *c = ctx;

	(void)fd;
	(void)what;
	if (c->state == CONN_REPLY) /* it takes its answer: its time starts anew */
		conn_set_timer(c, c->front->settings->config.reply_seconds);
	conn_flush(c);
}

/* May free the connection: nothing may touch it after this. */
static void send_reply(struct conn *c)
{
	conn_deafen(c);
	c->state = CONN_REPLY;
	conn_set_timer(c, c->front->settings->config.reply_seconds);
	conn_flush(c);
}

static void add_chunk(struct conn *c, const void *line, size_t n)
{
	char head[REPLY_CHUNK_HEAD_MAX];
	size_t head_n = reply_chunk_head(n + 1, head);

	conn_put(c, head, head_n);
	conn_put(c, line, n);
	conn_put(c, "\n" REPLY_CHUNK_TAIL, 1 + strlen(REPLY_CHUNK_TAIL));
}

/* A stream's last line. */
static void end_stream(struct conn *c, const void *line, size_t n)
{
	add_chunk(c, line, n);
	conn_put(c, REPLY_CHUNKS_END, strlen(REPLY_CHUNKS_END));
	send_reply(c);
}

static bool closes(const struct conn *c)
{
	return c->close_after || c->req.close || c->front->draining;
}

void conn_reply(struct conn *c, const struct reply *r, const void *body, size_t n)
{
	struct reply full = *r;
	char head[REPLY_HEAD_MAX];

	if (!conn_may_answer(c, n)) {
		conn_problem(c, PROBLEM_BUSY, CONN_UNSENT_DETAIL);
		return;
	}
	conn_drop_request(c, false);
	if (c->streaming) {
		end_stream(c, body, n);
		return;
	}
	c->close_after = closes(c);
	full.request_id = c->req.request_id;
	full.close = c->close_after;
	full.body_n = n + 1;
	conn_put(c, head, reply_head(&full, head));
	conn_put(c, body, n);
	conn_put(c, "\n", 1);
	send_reply(c);
}

void conn_refuse(struct conn *c, const struct http_error *e)
{
	struct problem_reply p = {
		.problem = e->problem, .detail = e->detail, .allow = e->allow, .request_id = c->req.request_id
	};
	char buf[REPLY_PROBLEM_MAX];

	conn_drop_request(c, false);
	c->front->metrics.problems++;
	if (c->streaming) {
		end_stream(c, buf, reply_problem_body(&p, buf));
		return;
	}
	c->close_after = closes(c) || c->body_unread;
	p.close = c->close_after;
	conn_put(c, buf, reply_problem(&p, buf));
	send_reply(c);
}

void conn_problem(struct conn *c, enum problem what, const char *detail)
{
	conn_refuse(c, &(struct http_error){ .problem = what, .detail = detail });
}

void conn_refuse_head(struct conn *c, const struct http_error *e)
{
	c->close_after = c->body_unread = true; /* who knows what it goes on to send */
	if (c->req.request_id[0] == '\0')
		request_id_make(c->req.request_id);
	conn_refuse(c, e);
}

/* ---- a request in work ---- */

void conn_wait(struct conn *c, enum conn_state state)
{
	c->state = state;
	if (state == CONN_SCAN)
		evtimer_del(c->timer); /* jobs.c has the deadline */
	else
		conn_set_timer(c, LIMIT_DEADLINE_BASE_S);
	conn_watch(c);
}

static void event_line(struct conn *c)
{
	char line[128];
	int n;

	if (scan_running(c->scan))
		n = snprintf(line, sizeof(line), "{\"event\":\"progress\",\"bytes\":%llu,\"size\":%llu}",
		    (unsigned long long)scan_progress(c->scan), (unsigned long long)scan_size(c->scan));
	else
		n = snprintf(line, sizeof(line), "{\"event\":\"queued\",\"position\":%zu}", scan_position(c->scan));
	add_chunk(c, line, (size_t)n);
}

void conn_start_stream(struct conn *c)
{
	const struct reply r = { .status = 200,
		.content_type = REPLY_NDJSON,
		.chunked = true,
		.request_id = c->req.request_id,
		.close = closes(c) };
	char head[REPLY_HEAD_MAX];

	c->close_after = r.close;
	c->streaming = true;
	conn_put(c, head, reply_head(&r, head));
	event_line(c);
	set_line_timer(c);
	conn_flush(c);
}

void conn_next_line(struct conn *c)
{
	if (evbuffer_get_length(c->out) < CONN_STREAM_BACKLOG)
		event_line(c);
	set_line_timer(c);
	conn_flush(c);
}
