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
	} else if (c->state != CONN_REPLY) { /* a line of a stream */
		if (c->set)
			set_wake(c->set);
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

/* Return: 1 when all is with the kernel; 0: it takes no more now; -1: there is nobody to take it. */
static int write_out(struct conn *c)
{
	while (evbuffer_get_length(c->out) > 0) {
		int n = evbuffer_write(c->out, c->fd);

		if (n > 0)
			c->moved_ms = front_now_ms();
		else if (n == 0 || (errno != EINTR && errno != EAGAIN))
			return -1;
		else if (errno == EAGAIN)
			return 0;
	}
	return 1;
}

static void add_chunk(struct conn *c, const void *at, size_t n)
{
	char head[REPLY_CHUNK_HEAD_MAX];

	conn_put(c, head, reply_chunk_head(n, head));
	conn_put(c, at, n);
	conn_put(c, REPLY_CHUNK_TAIL, strlen(REPLY_CHUNK_TAIL));
}

/* The next piece of what is made while it is written.  One that cannot be made leaves a hole, and the client sees that the
 * answer has no end. */
static void make_piece(struct conn *c)
{
	char *piece = (char *)c->front->scratch;
	ssize_t n = listing_read(c->listing, piece, LISTING_PIECE);

	if (n > 0) {
		add_chunk(c, piece, (size_t)n);
		return;
	}
	c->broken = c->broken || n < 0;
	add_chunk(c, "\n", 1);
	if (c->listing_is_last)
		conn_put(c, REPLY_CHUNKS_END, strlen(REPLY_CHUNKS_END));
	listing_free(c->listing);
	c->listing = NULL;
}

void conn_flush(struct conn *c)
{
	int r = 1;

	for (unsigned i = 0; r > 0 && !c->broken; i++) {
		r = write_out(c);
		if (r > 0 && !c->listing)
			break;
		if (r > 0 && i == CONN_PIECES_PER_TURN)
			r = 0; /* the client reads as fast as we write: others, too, want their turn */
		if (r > 0)
			make_piece(c);
	}
	if (c->broken || r < 0) {
		conn_free(c);
		return;
	}
	conn_count_held(c);
	if (r > 0)
		flushed(c);
	else
		event_add(c->writable, NULL);
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

static void add_line(struct conn *c, const void *line, size_t n)
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
	add_line(c, line, n);
	conn_put(c, REPLY_CHUNKS_END, strlen(REPLY_CHUNKS_END));
	send_reply(c);
}

static bool closes(const struct conn *c)
{
	return c->close_after || c->req.close || c->front->draining;
}

static void put_head(struct conn *c, const struct reply *r)
{
	struct reply full = *r;
	char head[REPLY_HEAD_MAX];

	c->close_after = closes(c);
	full.request_id = c->req.request_id;
	full.close = c->close_after;
	conn_put(c, head, reply_head(&full, head));
}

void conn_reply(struct conn *c, const struct reply *r, const void *body, size_t n)
{
	struct reply counted = *r;

	if (!conn_may_answer(c, n)) {
		conn_problem(c, PROBLEM_BUSY, CONN_UNSENT_DETAIL);
		return;
	}
	conn_drop_request(c, false);
	if (c->streaming) {
		end_stream(c, body, n);
		return;
	}
	counted.body_n = n + 1;
	put_head(c, &counted);
	conn_put(c, body, n);
	conn_put(c, "\n", 1);
	send_reply(c);
}

void conn_reply_listing(struct conn *c, const struct reply *r, struct listing *l)
{
	struct reply chunked = *r;

	if (!conn_may_answer(c, listing_held(l))) {
		listing_free(l);
		conn_problem(c, PROBLEM_BUSY, CONN_UNSENT_DETAIL);
		return;
	}
	conn_drop_request(c, false);
	chunked.chunked = true;
	if (!c->streaming)
		put_head(c, &chunked);
	c->listing = l;
	c->listing_is_last = true;
	send_reply(c);
}

void conn_add_line(struct conn *c, struct listing *l)
{
	c->listing = l;
	c->listing_is_last = false;
	conn_flush(c);
}

void conn_refuse(struct conn *c, const struct http_error *e)
{
	struct problem_reply p = { .problem = e->problem,
		.detail = e->detail,
		.allow = e->allow,
		.retry_after_s = e->retry_after_s,
		.request_id = c->req.request_id };
	char buf[REPLY_PROBLEM_MAX];

	conn_drop_request(c, false);
	c->front->metrics.problems++;
	c->front->tally.problems[e->problem]++;
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

static void on_progress(void *ctx, const char *text, size_t n)
{
	add_line(ctx, text, n);
}

static void event_line(struct conn *c)
{
	char line[128];
	int n;

	if (c->set) {
		set_tell_progress(c->set, on_progress, c);
		return;
	}
	if (scan_running(c->scan))
		n = snprintf(line, sizeof(line), "{\"event\":\"progress\",\"bytes\":%llu,\"size\":%llu}",
		    (unsigned long long)scan_progress(c->scan), (unsigned long long)scan_size(c->scan));
	else
		n = snprintf(line, sizeof(line), "{\"event\":\"queued\",\"position\":%zu}", scan_position(c->scan));
	add_line(c, line, (size_t)n);
}

void conn_start_stream(struct conn *c)
{
	const struct reply r = { .status = 200, .content_type = REPLY_NDJSON, .chunked = true };

	put_head(c, &r);
	c->streaming = true;
	c->moved_ms = front_now_ms();
	event_line(c);
	set_line_timer(c);
	conn_flush(c);
}

/* A set waits with its next files until what it has to say is taken, and keeps its place meanwhile: not for ever. */
static bool is_stuck(const struct conn *c)
{
	uint64_t patience_ms = (uint64_t)c->front->settings->config.reply_seconds * 1000;

	return c->set && evbuffer_get_length(c->out) > 0 && front_now_ms() - c->moved_ms > patience_ms;
}

void conn_next_line(struct conn *c)
{
	if (is_stuck(c)) {
		conn_free(c);
		return;
	}
	/* Not into the middle of a line, nor on top of many. */
	if (!c->listing && evbuffer_get_length(c->out) < CONN_STREAM_BACKLOG)
		event_line(c);
	set_line_timer(c);
	conn_flush(c);
}
