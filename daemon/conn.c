/* See conn.h. */
#include "conn.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "peer.h"

static void on_readable(evutil_socket_t fd, short what, void *ctx);
static void on_hangup(evutil_socket_t fd, short what, void *ctx);
static void on_writable(evutil_socket_t fd, short what, void *ctx);
static void on_timer(evutil_socket_t fd, short what, void *ctx);
static void parse(struct conn *c);

/* ---- small parts ---- */

static void set_timer(struct conn *c, unsigned seconds)
{
	const struct timeval tv = { .tv_sec = (time_t)seconds };

	evtimer_add(c->timer, &tv);
}

/* A stream's next line: a little early rather than late. */
static void set_line_timer(struct conn *c)
{
	unsigned ms = c->front->settings->config.progress_seconds * 1000 - 500;
	const struct timeval tv = { .tv_sec = (time_t)(ms / 1000), .tv_usec = (suseconds_t)(ms % 1000) * 1000 };

	evtimer_add(c->timer, &tv);
}

static void close_client_fd(void *ctx, int fd)
{
	struct conn *c = ctx;

	files_close_client(&c->front->files, c->uid, fd);
}

static void drop_descriptors(struct conn *c)
{
	fds_clear(&c->fds, close_client_fd, c);
}

/* What a request holds, whether it ended well or not. */
static void drop_request(struct conn *c, bool may_finish)
{
	if (c->scan)
		scan_forget(c->scan, may_finish && c->req.on_close_finish);
	c->scan = NULL;
	spool_free(c->spool);
	c->spool = NULL;
	if (c->check)
		file_check_forget(c->check); /* closes it, later */
	else
		files_close_client(&c->front->files, c->uid, c->source_fd);
	c->check = NULL;
	c->source_fd = -1;
}

static void conn_unlink(struct conn *c)
{
	if (c->prev)
		c->prev->next = c->next;
	else
		c->front->conns = c->next;
	if (c->next)
		c->next->prev = c->prev;
	c->front->n_conns--;
	c->front->n_refused -= c->refused;
}

static void free_events(struct conn *c)
{
	struct event *const events[] = { c->readable, c->hangup, c->writable, c->timer };

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (events[i])
			event_free(events[i]);
	}
	if (c->out)
		evbuffer_free(c->out);
}

/* What the kernel has not taken is our memory, and how long is the client's choice: all of it is counted. */
static void count_unsent(struct conn *c, size_t n)
{
	c->front->unsent = c->front->unsent - c->unsent + n;
	c->unsent = n;
}

static void conn_free(struct conn *c)
{
	struct front *f = c->front;

	drop_request(c, true);
	drop_descriptors(c);
	count_unsent(c, 0);
	conn_unlink(c);
	free_events(c);
	/* The peer learns it now; descriptors still in flight to us are let go by a thread that may wait. */
	shutdown(c->fd, SHUT_RDWR);
	files_close(&f->files, c->fd);
	free(c);
	front_conn_closed(f);
}

static void listen_level(struct conn *c)
{
	event_del(c->hangup);
	event_add(c->readable, NULL);
}

static void listen_edge(struct conn *c)
{
	event_del(c->readable);
	event_add(c->hangup, NULL);
}

static void listen_off(struct conn *c)
{
	event_del(c->readable);
	event_del(c->hangup);
}

/* ---- writing ---- */

static void next_request(struct conn *c)
{
	const struct front *f = c->front;

	c->state = CONN_HEAD;
	c->req = (struct http_request){ 0 };
	http_parser_init(&c->parser);
	c->close_after = c->body_unread = c->streaming = false;
	c->body_n = 0;
	set_timer(c, c->head_n > 0 ? f->settings->config.head_seconds : f->settings->config.idle_seconds);
	listen_level(c);
}

static void start_drain(struct conn *c)
{
	const struct timeval tv = { .tv_sec = CONN_DRAIN_MS / 1000 };

	c->state = CONN_DRAIN;
	c->drained = 0;
	shutdown(c->fd, SHUT_WR);
	drop_descriptors(c);
	listen_level(c);
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
		next_request(c);
		if (c->head_n > 0)
			parse(c); /* a pipelined head is here already */
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
static void put(struct conn *c, const void *at, size_t n)
{
	if (evbuffer_add(c->out, at, n) < 0)
		c->broken = true;
}

static void flush(struct conn *c)
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
			count_unsent(c, evbuffer_get_length(c->out));
			event_add(c->writable, NULL);
			return;
		}
		conn_free(c);
		return;
	}
	count_unsent(c, 0);
	flushed(c);
}

static void on_writable(evutil_socket_t fd, short what, void *ctx)
{
	struct conn *c = ctx;

	(void)fd;
	(void)what;
	if (c->state == CONN_REPLY) /* it takes its answer: its time starts anew */
		set_timer(c, c->front->settings->config.reply_seconds);
	flush(c);
}

/* May free the connection: nothing may touch it after this. */
static void send_reply(struct conn *c)
{
	listen_off(c);
	c->state = CONN_REPLY;
	set_timer(c, c->front->settings->config.reply_seconds);
	flush(c);
}

static void add_chunk(struct conn *c, const void *line, size_t n)
{
	char head[REPLY_CHUNK_HEAD_MAX];
	size_t head_n = reply_chunk_head(n + 1, head);

	put(c, head, head_n);
	put(c, line, n);
	put(c, "\n" REPLY_CHUNK_TAIL, 1 + strlen(REPLY_CHUNK_TAIL));
}

/* A stream's last line. */
static void end_stream(struct conn *c, const void *line, size_t n)
{
	add_chunk(c, line, n);
	put(c, REPLY_CHUNKS_END, strlen(REPLY_CHUNKS_END));
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
	drop_request(c, false);
	if (c->streaming) {
		end_stream(c, body, n);
		return;
	}
	c->close_after = closes(c);
	full.request_id = c->req.request_id;
	full.close = c->close_after;
	full.body_n = n + 1;
	put(c, head, reply_head(&full, head));
	put(c, body, n);
	put(c, "\n", 1);
	send_reply(c);
}

static void problem(struct conn *c, const struct http_error *e)
{
	struct problem_reply p = {
		.problem = e->problem, .detail = e->detail, .allow = e->allow, .request_id = c->req.request_id
	};
	char buf[REPLY_PROBLEM_MAX];

	drop_request(c, false);
	c->front->metrics.problems++;
	if (c->streaming) {
		end_stream(c, buf, reply_problem_body(&p, buf));
		return;
	}
	c->close_after = closes(c) || c->body_unread;
	p.close = c->close_after;
	put(c, buf, reply_problem(&p, buf));
	send_reply(c);
}

void conn_problem(struct conn *c, enum problem what, const char *detail)
{
	problem(c, &(struct http_error){ .problem = what, .detail = detail });
}

void conn_refuse_head(struct conn *c, const struct http_error *e)
{
	c->close_after = c->body_unread = true; /* who knows what it goes on to send */
	if (c->req.request_id[0] == '\0')
		request_id_make(c->req.request_id);
	problem(c, e);
}

/* ---- a request in work ---- */

void conn_wait(struct conn *c, enum conn_state state)
{
	c->state = state;
	if (state == CONN_SCAN)
		evtimer_del(c->timer); /* jobs.c has the deadline */
	else
		set_timer(c, LIMIT_DEADLINE_BASE_S);
	listen_edge(c);
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
	put(c, head, reply_head(&r, head));
	event_line(c);
	set_line_timer(c);
	flush(c);
}

static void next_line(struct conn *c)
{
	if (evbuffer_get_length(c->out) < CONN_STREAM_BACKLOG)
		event_line(c);
	set_line_timer(c);
	flush(c);
}

/* ---- reading ---- */

/* Bytes and descriptors.  Return: bytes, 0 at the end, negative errno; -EBADMSG: descriptors where none may be, or
 * too many; -EMFILE: descriptors were lost, for we can or will have no more of them. */
static ssize_t receive(struct conn *c, void *buf, size_t n)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(FDS_PER_MESSAGE_MAX * sizeof(int))];
	} control;
	struct files *files = &c->front->files;
	struct iovec iov = { .iov_base = buf, .iov_len = n };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1 };
	ssize_t got;
	int r;

	if (files_may_receive(files, c->uid)) {
		m.msg_control = control.bytes;
		m.msg_controllen = sizeof(control.bytes);
	}
	got = recvmsg(c->fd, &m, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	if (got < 0)
		return -errno;
	files_received(files, c->uid, fds_count(&m));
	r = fds_take(&c->fds, &m, close_client_fd, c);
	if (r == -EMSGSIZE)
		return -EMFILE;
	if (r < 0 || (c->state != CONN_HEAD && c->fds.n > 0))
		return -EBADMSG;
	return got;
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

	drop_descriptors(c);
	conn_refuse_head(c, r == -EMFILE ? &lost : &bad);
}

static void parse(struct conn *c)
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
		set_timer(c, c->front->settings->config.head_seconds);
	parse(c);
}

static void too_large(struct conn *c)
{
	char detail[128];

	snprintf(detail, sizeof(detail), "the body is larger than %llu bytes", (unsigned long long)c->body_max);
	c->body_unread = true;
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
		problem(c, &error);
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
	listen_off(c);
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

	drop_descriptors(c);
	if (is_transient(n))
		return;
	if (n == 0 || (n < 0 && !is_about_descriptors(n))) {
		conn_free(c);
		return;
	}
	c->drained += n > 0 ? (size_t)n : 1;
	/* Enough: it may still read its answer, but it blocks until the time is over. */
	if (c->drained >= CONN_DRAIN_BYTES)
		listen_edge(c);
}

static void on_readable(evutil_socket_t fd, short what, void *ctx)
{
	struct conn *c = ctx;

	(void)fd;
	(void)what;
	switch (c->state) {
	case CONN_HEAD: read_head(c); break;
	case CONN_BODY: read_body(c); break;
	case CONN_DRAIN: read_drain(c); break;
	default: listen_off(c); break; /* not reached: level-triggered reading is off in the other states */
	}
}

/* Something came or changed while nothing is being read: is the client still there?  One that only closed its
 * sending side is. */
static void on_hangup(evutil_socket_t fd, short what, void *ctx)
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
		set_timer(c, c->front->settings->config.reply_seconds);
		listen_edge(c);
		put(c, REPLY_CONTINUE, strlen(REPLY_CONTINUE));
		flush(c);
		return;
	}
	c->state = CONN_BODY;
	c->window_n = 0;
	c->window_paused = false;
	http_chunks_init(&c->chunks);
	set_timer(c, CONN_RATE_WINDOW_S);
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
		listen_level(c);
}

/* ---- time ---- */

static void body_window(struct conn *c)
{
	uint64_t least = c->front->settings->config.body_min_bytes_per_10s;

	if (!c->window_paused && c->window_n < least) {
		c->body_unread = true;
		conn_problem(c, PROBLEM_SLOW, "the body comes too slowly");
		return;
	}
	c->window_n = 0;
	c->window_paused = false;
	set_timer(c, CONN_RATE_WINDOW_S);
}

/* A client that still has not noticed: from here on its writes fail with EPIPE, while our answer stays readable.
 * What it wrote before is taken away first, because closing on unread bytes would turn that into ECONNRESET. */
static void end_drain(struct conn *c)
{
	shutdown(c->fd, SHUT_RD);
	for (unsigned i = 0; i < CONN_READS_PER_TURN; i++) {
		ssize_t n = receive(c, c->front->scratch, SPOOL_BUFFER);

		if (n <= 0 && !is_about_descriptors(n))
			break;
		drop_descriptors(c);
	}
	conn_free(c);
}

static void on_timer(evutil_socket_t fd, short what, void *ctx)
{
	struct conn *c = ctx;

	(void)fd;
	(void)what;
	switch (c->state) {
	case CONN_HEAD:
		if (c->head_n > 0) {
			conn_refuse_head(c, &(struct http_error){ .problem = PROBLEM_SLOW,
						.detail = "the request head did not come in time" });
			return;
		}
		conn_free(c); /* idle */
		break;
	case CONN_ADMIT:
	case CONN_STORE:
		c->body_unread = true;
		conn_problem(c, PROBLEM_BUSY, "storage does not answer");
		break;
	case CONN_BODY: body_window(c); break;
	case CONN_SCAN: next_line(c); break;
	case CONN_INVITE:
	case CONN_REPLY: conn_free(c); break; /* does not take its answer */
	case CONN_DRAIN: end_drain(c); break;
	}
}

/* ---- the beginning ---- */

static bool make_events(struct conn *c)
{
	struct event_base *base = c->front->base;

	c->readable = event_new(base, c->fd, EV_READ | EV_PERSIST, on_readable, c);
	/* Edge-triggered events of one descriptor must not be mixed with others at a time: writing goes on while a
	 * hang-up is watched for, but never while reading. */
	c->hangup = event_new(base, c->fd, EV_READ | EV_ET | EV_PERSIST, on_hangup, c);
	c->writable = event_new(base, c->fd, EV_WRITE | EV_ET, on_writable, c);
	c->timer = evtimer_new(base, on_timer, c);
	c->out = evbuffer_new();
	return c->readable && c->hangup && c->writable && c->timer && c->out;
}

static void conn_link(struct conn *c)
{
	struct front *f = c->front;

	c->next = f->conns;
	if (c->next)
		c->next->prev = c;
	f->conns = c;
	f->n_conns++;
}

static unsigned count_uid(const struct front *f, uid_t uid)
{
	unsigned n = 0;

	for (const struct conn *c = f->conns; c; c = c->next)
		n += c->uid == uid && !c->refused;
	return n;
}

static void refuse_peer(struct conn *c, enum problem what, const char *detail)
{
	struct front *f = c->front;

	f->metrics.refused_peers++;
	if (f->n_refused >= CONN_REFUSED_MAX) {
		conn_free(c); /* no time for politeness */
		return;
	}
	c->refused = true;
	f->n_refused++;
	conn_refuse_head(c, &(struct http_error){ .problem = what, .detail = detail });
}

static void greet(struct conn *c, const struct peer *p)
{
	const struct config *cfg = &c->front->settings->config;

	if (!p->allowed) {
		log_line("refused: uid=%u pid=%d is not allowed", p->uid, p->pid);
		refuse_peer(c, PROBLEM_FORBIDDEN, "your uid and groups are not allowed to talk to this daemon");
	} else if (count_uid(c->front, p->uid) > cfg->max_connections_per_uid) {
		refuse_peer(c, PROBLEM_BUSY, "your uid has too many connections");
	} else if (c->front->draining) {
		refuse_peer(c, PROBLEM_SHUTTING_DOWN, NULL);
	} else {
		next_request(c);
	}
}

void conn_new(struct front *f, int fd)
{
	struct conn *c = calloc(1, sizeof(*c));
	struct peer p;

	if (!c) {
		close(fd);
		return;
	}
	c->front = f;
	c->fd = fd;
	c->source_fd = -1;
	peer_identify(fd, f->settings, &p);
	c->uid = p.uid;
	c->pid = p.pid;
	c->may_name_tenant = p.may_name_tenant;
	f->metrics.connections++;
	conn_link(c);
	if (make_events(c))
		greet(c, &p);
	else
		conn_free(c);
}

void conn_drain(struct conn *c)
{
	if (c->state == CONN_HEAD && c->head_n == 0)
		conn_free(c);
	else
		c->close_after = true;
}
