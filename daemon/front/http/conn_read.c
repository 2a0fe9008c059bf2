/* What a connection reads: heads, bodies, and what nobody wants any more.  See conn.h. */
#include "conn_impl.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

/* As fds_receive(); -EBADMSG also for descriptors where none may be. */
static ssize_t receive(struct conn *c, void *buf, size_t n)
{
	ssize_t got = fds_receive(&c->fds, c->fd, buf, n, &c->front->files, c->uid, conn_close_client_fd, c);

	return got >= 0 && c->state != CONN_HEAD && c->fds.n > 0 ? -EBADMSG : got;
}

static bool is_transient(ssize_t r)
{
	return r == -EAGAIN || r == -EINTR;
}

static bool is_about_descriptors(ssize_t r)
{
	return r == -EBADMSG || r == -EMFILE;
}

static void bad_descriptors(struct conn *c, ssize_t r)
{
	const struct http_error bad = { .problem = PROBLEM_DESCRIPTORS,
		.detail = "descriptors came without a head that announces them, or too many at once" };
	const struct http_error lost = { .problem = PROBLEM_BUSY,
		.detail = "no more descriptors can be taken: those sent before are still open" };

	conn_drop_descriptors(c);
	conn_refuse_head(c, r == -EMFILE ? &lost : &bad);
}

void conn_parse(struct conn *c)
{
	struct http_error e;
	size_t used;

	switch (http_parse_head(&c->parser, c->head, c->head_n, &c->req, &used, &e)) {
	case HTTP_NEED_MORE: return;
	case HTTP_BAD: conn_refuse_head(c, &e); return;
	case HTTP_DONE: break;
	}
	c->head_n -= used;
	memmove(c->head, c->head + used, c->head_n);
	evtimer_del(c->timer);
	c->front->metrics.requests++;
	if (c->req.request_id[0] == '\0')
		request_id_make(c->req.request_id);
	request_start(c);
}

static void read_head(struct conn *c)
{
	bool first = c->head_n == 0;
	ssize_t n = receive(c, c->head + c->head_n, sizeof(c->head) - c->head_n);

	if (is_transient(n))
		return;
	if (is_about_descriptors(n)) {
		bad_descriptors(c, n);
		return;
	}
	if (n <= 0) {
		conn_free(c);
		return;
	}
	c->head_n += (size_t)n;
	if (first)
		conn_set_timer(c, c->front->settings->config.head_seconds);
	conn_parse(c);
}

static void too_large(struct conn *c)
{
	char detail[128];

	snprintf(detail, sizeof(detail), "the body is larger than %llu bytes", (unsigned long long)c->body_max);
	c->body_unread = true;
	c->front->tally.refusals[TALLY_REFUSAL_TOO_LARGE]++;
	conn_problem(c, PROBLEM_TOO_LARGE, detail);
}

/* What was read beyond the body is the next head; more of it than fits cannot be kept, so the connection ends. */
static void keep_rest(struct conn *c, const uint8_t *at, size_t n)
{
	if (n > sizeof(c->head)) {
		c->close_after = true;
		n = 0;
	}
	memmove(c->head, at, n);
	c->head_n = n;
}

/* Payloads are moved together at the front of the buffer, for a client may send chunks of one byte.
 * Return: false when the connection is beyond this (and perhaps gone). */
static bool take_chunked(struct conn *c, uint8_t *at, size_t n)
{
	size_t kept = 0, left = n, used;
	enum http_chunk_event e;
	struct http_error error;
	uint8_t *from = at;
	struct bytes payload;

	while ((e = http_chunk_next(&c->chunks, from, left, &used, &payload, &error)) == HTTP_CHUNK_DATA) {
		memmove(at + kept, payload.at, payload.n);
		kept += payload.n;
		from += used;
		left -= used;
	}
	from += used;
	left -= used;
	if (e == HTTP_CHUNK_BAD) {
		c->body_unread = true;
		conn_refuse(c, &error);
		return false;
	}
	if (c->chunks.total > c->body_max) {
		too_large(c);
		return false;
	}
	spool_write(c->spool, at, kept);
	c->body_n += kept;
	if (e != HTTP_CHUNK_END)
		return true;
	keep_rest(c, from, left);
	request_body_done(c);
	return false;
}

static bool take_counted(struct conn *c, const uint8_t *at, size_t n)
{
	spool_write(c->spool, at, n);
	c->body_n += n;
	if (c->body_n < c->req.content_length)
		return true;
	request_body_done(c);
	return false;
}

/* @at: in front->scratch, or the head's buffer. */
static bool take_body(struct conn *c, uint8_t *at, size_t n)
{
	bool more;

	c->window_n += n;
	c->front->metrics.upload_bytes += n;
	rate_pay(c->front->tenants.rate, c->payer.tenant, 0, n, front_now_ms());
	more = c->req.body == HTTP_BODY_CHUNKED ? take_chunked(c, at, n) : take_counted(c, at, n);
	if (!more)
		return false;
	if (spool_error(c->spool) == 0)
		return true;
	request_spool_failed(c, spool_error(c->spool));
	return false;
}

/* How much may be read now without reading into the next request. */
static size_t body_want(const struct conn *c, size_t room)
{
	uint64_t left;

	if (c->req.body == HTTP_BODY_CHUNKED)
		return room;
	left = c->req.content_length - c->body_n;
	return left < room ? (size_t)left : room;
}

static void pause_body(struct conn *c)
{
	c->window_paused = true;
	conn_deafen(c);
}

static void read_body(struct conn *c)
{
	for (unsigned i = 0; i < CONN_READS_PER_TURN; i++) {
		size_t room = spool_room(c->spool);
		ssize_t n;

		if (room == 0) {
			pause_body(c);
			return;
		}
		n = receive(c, c->front->scratch, body_want(c, room));
		if (is_transient(n))
			return;
		if (is_about_descriptors(n)) {
			bad_descriptors(c, n);
			return;
		}
		if (n <= 0) { /* gone in the middle: nobody to tell */
			conn_free(c);
			return;
		}
		if (!take_body(c, c->front->scratch, (size_t)n))
			return;
	}
}

static void read_drain(struct conn *c)
{
	size_t room = CONN_DRAIN_BYTES - c->drained;
	ssize_t n = receive(c, c->front->scratch, room < SPOOL_BUFFER ? room : SPOOL_BUFFER);

	conn_drop_descriptors(c);
	if (is_transient(n))
		return;
	if (n == 0 || (n < 0 && !is_about_descriptors(n))) {
		conn_free(c);
		return;
	}
	c->drained += n > 0 ? (size_t)n : 1;
	/* Enough: it may still read its answer, but it blocks until the time is over. */
	if (c->drained >= CONN_DRAIN_BYTES)
		conn_watch(c);
}

void conn_on_readable(evutil_socket_t fd, short what, void *ctx)
{
	struct conn *c = ctx;

	(void)fd;
	(void)what;
	switch (c->state) {
	case CONN_HEAD: read_head(c); break;
	case CONN_BODY: read_body(c); break;
	case CONN_DRAIN: read_drain(c); break;
	default: conn_deafen(c); break; /* not reached: level-triggered reading is off in the other states */
	}
}

/* Something came or changed while nothing is being read: is the client still there?  One that only closed its
 * sending side is. */
void conn_on_hangup(evutil_socket_t fd, short what, void *ctx)
{
	struct pollfd p = { .fd = fd };

	(void)what;
	if (poll(&p, 1, 0) > 0 && (p.revents & (POLLHUP | POLLERR)))
		conn_free(ctx);
}

void conn_start_body(struct conn *c)
{
	if (c->req.expect_continue) {
		c->req.expect_continue = false;
		c->state = CONN_INVITE;
		conn_set_timer(c, c->front->settings->config.reply_seconds);
		conn_watch(c);
		conn_put(c, REPLY_CONTINUE, strlen(REPLY_CONTINUE));
		conn_flush(c);
		return;
	}
	c->state = CONN_BODY;
	c->window_n = 0;
	c->window_paused = false;
	http_chunks_init(&c->chunks);
	conn_set_timer(c, CONN_RATE_WINDOW_S);
	if (c->req.body == HTTP_BODY_LENGTH && c->req.content_length == 0) {
		request_body_done(c);
		return;
	}
	conn_resume_body(c);
}

/* What came with the head is the first of the body. */
static bool take_early(struct conn *c)
{
	size_t n = body_want(c, c->head_n), rest = c->head_n - n;
	uint8_t early[HTTP_HEAD_MAX];

	memcpy(early, c->head, n);
	memmove(c->head, c->head + n, rest);
	c->head_n = rest;
	return take_body(c, early, n);
}

void conn_resume_body(struct conn *c)
{
	if (c->head_n > 0 && spool_room(c->spool) == 0)
		pause_body(c);
	else if (c->head_n == 0 || take_early(c))
		conn_listen(c);
}

/* ---- time ---- */

void conn_body_window(struct conn *c)
{
	uint64_t least = c->front->settings->config.body_min_bytes_per_10s;
	uint64_t pace = spool_pace(c->spool) * CONN_RATE_WINDOW_S;

	if (least < pace)
		least = pace;
	if (!c->window_paused && c->window_n < least) {
		c->body_unread = true;
		conn_problem(c, PROBLEM_SLOW, "the body comes too slowly");
		return;
	}
	c->window_n = 0;
	c->window_paused = false;
	conn_set_timer(c, CONN_RATE_WINDOW_S);
}

/* A client that still has not noticed: from here on its writes fail with EPIPE, while our answer stays readable.
 * What it wrote before is taken away first, because closing on unread bytes would turn that into ECONNRESET. */
void conn_end_drain(struct conn *c)
{
	shutdown(c->fd, SHUT_RD);
	for (unsigned i = 0; i < CONN_READS_PER_TURN; i++) {
		ssize_t n = receive(c, c->front->scratch, SPOOL_BUFFER);

		if (n <= 0 && !is_about_descriptors(n))
			break;
		conn_drop_descriptors(c);
	}
	conn_free(c);
}
