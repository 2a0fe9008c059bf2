/* A connection's answers: see conn.h. */
#include <stdio.h>
#include <string.h>

#include "clock.h"
#include "conn.h"

static void add_chunk(struct conn *c, const void *at, size_t n)
{
	char head[REPLY_CHUNK_HEAD_MAX];

	client_put(&c->io, head, reply_chunk_head(n, head));
	client_put(&c->io, at, n);
	client_put(&c->io, REPLY_CHUNK_TAIL, strlen(REPLY_CHUNK_TAIL));
}

/* One that cannot be made leaves a hole, and the client sees that the answer has no end. */
static void add_piece(struct conn *c)
{
	char *piece = (char *)conn_env(c)->scratch;
	ssize_t n = listing_read(c->listing, piece, LISTING_PIECE);

	if (n > 0) {
		add_chunk(c, piece, (size_t)n);
		return;
	}
	if (n < 0)
		client_end(&c->io);
	add_chunk(c, "\n", 1);
	if (c->listing_is_last)
		client_put(&c->io, REPLY_CHUNKS_END, strlen(REPLY_CHUNKS_END));
	listing_free(c->listing);
	c->listing = NULL;
	if (c->set)
		set_wake(c->set);
}

/* The client reads as fast as we write: others, too, want their turn. */
bool conn_add_piece(struct conn *c)
{
	if (c->pieces == CONN_PIECES_PER_TURN) {
		c->pieces = 0;
		return false;
	}
	c->pieces++;
	add_piece(c);
	return true;
}

/* What was put is the answer, or its beginning. */
static void send_reply(struct conn *c)
{
	conn_wait(c, CONN_REPLY);
}

static void add_line(struct conn *c, const void *line, size_t n)
{
	char head[REPLY_CHUNK_HEAD_MAX];
	size_t head_n = reply_chunk_head(n + 1, head);

	client_put(&c->io, head, head_n);
	client_put(&c->io, line, n);
	client_put(&c->io, "\n" REPLY_CHUNK_TAIL, 1 + strlen(REPLY_CHUNK_TAIL));
}

/* A stream's last line. */
static void end_stream(struct conn *c, const void *line, size_t n)
{
	add_line(c, line, n);
	client_put(&c->io, REPLY_CHUNKS_END, strlen(REPLY_CHUNKS_END));
	send_reply(c);
}

static bool closes(const struct conn *c)
{
	return c->close_after || c->req.close || conn_env(c)->draining;
}

static void put_head(struct conn *c, const struct reply *r)
{
	struct reply full = *r;
	char head[REPLY_HEAD_MAX];

	c->close_after = closes(c);
	full.request_id = c->req.request_id;
	full.close = c->close_after;
	client_put(&c->io, head, reply_head(&full, head));
}

/* RFC 9110, 9.3.2: what a GET would be told, without its body. */
static bool wants_body(const struct conn *c)
{
	return c->req.method != HTTP_HEAD;
}

void conn_reply(struct conn *c, const struct reply *r, const void *body, size_t n)
{
	struct reply counted = *r;

	if (!client_may_answer(&c->io, n)) {
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
	if (wants_body(c)) {
		client_put(&c->io, body, n);
		client_put(&c->io, "\n", 1);
	}
	send_reply(c);
}

void conn_reply_listing(struct conn *c, const struct reply *r, struct listing *l)
{
	struct reply chunked = *r;

	if (!client_may_answer(&c->io, listing_held(l))) {
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
}

void conn_refuse(struct conn *c, const struct http_error *e)
{
	struct problem_reply p = { .problem = e->problem,
		.detail = e->detail,
		.allow = e->allow,
		.retry_after_s = e->retry_after_s,
		.request_id = c->req.request_id };
	char buf[REPLY_PROBLEM_MAX], body[REPLY_BODY_MAX];
	size_t n;

	conn_drop_request(c, false);
	conn_env(c)->tally.problems++;
	conn_http(c)->problems[e->problem]++;
	if (c->streaming) {
		end_stream(c, buf, reply_problem_body(&p, buf));
		return;
	}
	c->close_after = closes(c) || c->body_unread;
	p.close = c->close_after;
	n = reply_problem(&p, buf);
	client_put(&c->io, buf, wants_body(c) ? n : n - reply_problem_body(&p, body));
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
		client_request_id(c->req.request_id);
	conn_refuse(c, e);
}

/* ---- a request in work ---- */

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
	c->io.moved_ms = clock_now_ms();
	event_line(c);
}

/* A set waits with its next files until what it has to say is taken, and keeps its place meanwhile: not for ever. */
static bool is_stuck(const struct conn *c)
{
	uint64_t patience_ms = (uint64_t)conn_env(c)->settings->config.reply_seconds * 1000;

	return c->set && evbuffer_get_length(c->io.out) > 0 && clock_now_ms() - c->io.moved_ms > patience_ms;
}

void conn_next_line(struct conn *c)
{
	if (is_stuck(c))
		client_end(&c->io);
	else if (!c->listing && evbuffer_get_length(c->io.out) < CONN_STREAM_BACKLOG)
		event_line(c); /* not into the middle of a line, nor on top of many */
}
