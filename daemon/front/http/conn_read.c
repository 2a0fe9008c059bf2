/* What a connection reads: heads and bodies.  See conn.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "conn.h"

/* As client_receive(); -EBADMSG also for descriptors where none may be. */
static ssize_t receive(struct conn *c, void *buf, size_t n)
{
	ssize_t got = client_receive(&c->io, buf, n);

	return got >= 0 && c->state != CONN_HEAD && c->io.fds.n > 0 ? -EBADMSG : got;
}

/* Return: whether something came; else what is to be done about that is done. */
static bool received(struct conn *c, ssize_t r)
{
	const struct http_error bad = { .problem = PROBLEM_DESCRIPTORS,
		.detail = "descriptors came without a head that announces them, or too many at once" };
	const struct http_error lost = { .problem = PROBLEM_BUSY,
		.detail = "no more descriptors can be taken: those sent before are still open" };

	if (r > 0)
		return true;
	if (client_is_transient(r))
		return false;
	if (client_is_about_descriptors(r)) {
		client_drop_descriptors(&c->io);
		conn_refuse_head(c, r == -EMFILE ? &lost : &bad);
	} else { /* gone, be it in the middle: nobody to tell */
		client_end(&c->io);
	}
	return false;
}

bool conn_parse(struct conn *c)
{
	struct http_error e;
	size_t used;

	switch (http_parse_head(&c->parser, c->head, c->head_n, &c->req, &used, &e)) {
	case HTTP_NEED_MORE: return false;
	case HTTP_BAD: conn_refuse_head(c, &e); return true;
	case HTTP_DONE: break;
	}
	c->head_n -= used;
	memmove(c->head, c->head + used, c->head_n);
	client_asked(&c->io);
	if (c->req.request_id[0] == '\0')
		client_request_id(c->req.request_id);
	request_start(c);
	return true;
}

static void read_head(struct conn *c)
{
	ssize_t n = receive(c, c->head + c->head_n, sizeof(c->head) - c->head_n);

	if (received(c, n))
		c->head_n += (size_t)n;
}

static void too_large(struct conn *c)
{
	char detail[128];

	snprintf(detail, sizeof(detail), "the body is larger than %llu bytes", (unsigned long long)c->body_max);
	c->body_unread = true;
	conn_env(c)->tally.refusals[TALLY_REFUSAL_TOO_LARGE]++;
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

/* Payloads are moved together at the front of the buffer, for a client may send chunks of one byte. */
static void take_chunked(struct conn *c, uint8_t *at, size_t n)
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
		return;
	}
	if (c->chunks.total > c->body_max) {
		too_large(c);
		return;
	}
	spool_write(c->spool, at, kept);
	c->body_n += kept;
	if (e != HTTP_CHUNK_END)
		return;
	keep_rest(c, from, left);
	request_body_done(c);
}

static void take_counted(struct conn *c, const uint8_t *at, size_t n)
{
	spool_write(c->spool, at, n);
	c->body_n += n;
	if (c->body_n == c->req.content_length)
		request_body_done(c);
}

/* @at: in the scratch, or the head's buffer. */
static void take_body(struct conn *c, uint8_t *at, size_t n)
{
	c->io.window_n += n;
	conn_env(c)->tally.upload_bytes += n;
	client_pay(&c->io, 0, n);
	if (c->req.body == HTTP_BODY_CHUNKED)
		take_chunked(c, at, n);
	else
		take_counted(c, at, n);
	if (c->state == CONN_BODY && spool_error(c->spool) < 0)
		request_spool_failed(c, spool_error(c->spool));
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

static void read_body(struct conn *c)
{
	uint8_t *buf = conn_env(c)->scratch;

	for (unsigned i = 0; i < CLIENT_READS_PER_TURN && c->state == CONN_BODY; i++) {
		size_t room = spool_room(c->spool);
		ssize_t n;

		c->io.window_paused = c->io.window_paused || room == 0;
		if (room == 0)
			return;
		n = receive(c, buf, body_want(c, room));
		if (!received(c, n))
			return;
		take_body(c, buf, (size_t)n);
	}
}

void conn_read(struct client *io)
{
	struct conn *c = (struct conn *)io;

	if (c->state == CONN_HEAD)
		read_head(c);
	else if (c->state == CONN_BODY)
		read_body(c);
}

void conn_start_body(struct conn *c)
{
	if (c->req.expect_continue) {
		c->req.expect_continue = false;
		conn_wait(c, CONN_INVITE);
		client_put(&c->io, REPLY_CONTINUE, strlen(REPLY_CONTINUE));
		return;
	}
	conn_wait(c, CONN_BODY);
	c->io.window_paused = false;
	http_chunks_init(&c->chunks);
	if (c->req.body == HTTP_BODY_LENGTH && c->req.content_length == 0)
		request_body_done(c);
}

bool conn_take_early(struct conn *c)
{
	size_t n = body_want(c, c->head_n), rest = c->head_n - n;
	uint8_t early[HTTP_HEAD_MAX];

	if (spool_room(c->spool) == 0) {
		c->io.window_paused = true;
		return false;
	}
	memcpy(early, c->head, n);
	memmove(c->head, c->head + n, rest);
	c->head_n = rest;
	take_body(c, early, n);
	return true;
}
