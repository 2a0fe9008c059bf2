/* See conn.h.  Here: its beginning, its time and its end; conn_read.c and conn_write.c are the two directions. */
#include "conn_impl.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clamd.h"
#include "log.h"
#include "peer.h"

/* ---- small parts ---- */

void conn_set_timer(struct conn *c, unsigned seconds)
{
	const struct timeval tv = { .tv_sec = (time_t)seconds };

	evtimer_add(c->timer, &tv);
}

void conn_close_client_fd(void *conn, int fd)
{
	struct conn *c = conn;

	files_close_client(&c->front->files, c->uid, fd);
}

void conn_drop_descriptors(struct conn *c)
{
	fds_clear(&c->fds, conn_close_client_fd, c);
}

/* What a request holds, whether it ended well or not. */
void conn_drop_request(struct conn *c, bool may_finish)
{
	if (c->scan)
		scan_forget(c->scan, may_finish && c->req.on_close_finish);
	c->scan = NULL;
	if (c->set)
		set_forget(c->set, may_finish && c->req.on_close_finish);
	c->set = NULL;
	if (c->kept)
		keeper_forget(c->kept);
	c->kept = NULL;
	release_drop(&c->release);
	fds_clear(&c->claimed, conn_close_client_fd, c);
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

void conn_count_held(struct conn *c)
{
	size_t n = evbuffer_get_length(c->out);

	n += c->listing ? listing_held(c->listing) : 0;
	n += c->set ? set_held(c->set) : 0;
	count_unsent(c, n);
}

void conn_free(struct conn *c)
{
	struct front *f = c->front;

	conn_drop_request(c, true);
	listing_free(c->listing);
	conn_drop_descriptors(c);
	count_unsent(c, 0);
	conn_unlink(c);
	free_events(c);
	/* The peer learns it now; descriptors still in flight to us are let go by a thread that may wait. */
	shutdown(c->fd, SHUT_RDWR);
	files_close(&f->files, c->fd);
	free(c);
	front_conn_closed(f);
}

void conn_listen(struct conn *c)
{
	event_del(c->hangup);
	event_add(c->readable, NULL);
}

void conn_watch(struct conn *c)
{
	event_del(c->readable);
	event_add(c->hangup, NULL);
}

void conn_deafen(struct conn *c)
{
	event_del(c->readable);
	event_del(c->hangup);
}

void conn_next_request(struct conn *c)
{
	const struct front *f = c->front;

	c->state = CONN_HEAD;
	c->req = (struct http_request){ 0 };
	http_parser_init(&c->parser);
	c->close_after = c->body_unread = c->streaming = false;
	c->body_n = 0;
	conn_set_timer(c, c->head_n > 0 ? f->settings->config.head_seconds : f->settings->config.idle_seconds);
	conn_listen(c);
	front_conn_idle(c->front);
}

/* ---- time ---- */

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
	case CONN_BODY: conn_body_window(c); break;
	case CONN_SCAN: conn_next_line(c); break;
	case CONN_INVITE:
	case CONN_REPLY: conn_free(c); break; /* does not take its answer */
	case CONN_DRAIN: conn_end_drain(c); break;
	}
}

/* ---- the beginning ---- */

static bool make_events(struct conn *c)
{
	struct event_base *base = c->front->base;

	c->readable = event_new(base, c->fd, EV_READ | EV_PERSIST, conn_on_readable, c);
	/* Edge-triggered events of one descriptor must not be mixed with others at a time: writing goes on while a
	 * hang-up is watched for, but never while reading. */
	c->hangup = event_new(base, c->fd, EV_READ | EV_ET | EV_PERSIST, conn_on_hangup, c);
	c->writable = event_new(base, c->fd, EV_WRITE | EV_ET, conn_on_writable, c);
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

unsigned conn_count_uid(const struct front *f, uid_t uid)
{
	unsigned n = clamd_count_uid(f, uid);

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

void conn_log_stranger(struct front *f, uid_t uid, pid_t pid)
{
	uint64_t now = front_now_ms();

	if (f->strangers.said_ms > 0 && now - f->strangers.said_ms < CONN_STRANGERS_MS) {
		f->strangers.unsaid++;
		return;
	}
	log_line("refused: uid=%u pid=%d is not allowed; not logged before it: %u", uid, pid, f->strangers.unsaid);
	f->strangers.said_ms = now;
	f->strangers.unsaid = 0;
}

static void greet(struct conn *c, const struct peer *p)
{
	const struct config *cfg = &c->front->settings->config;

	if (!p->allowed) {
		conn_log_stranger(c->front, p->uid, p->pid);
		refuse_peer(c, PROBLEM_FORBIDDEN, "your uid and groups are not allowed to talk to this daemon");
	} else if (conn_count_uid(c->front, p->uid) > cfg->max_connections_per_uid) {
		refuse_peer(c, PROBLEM_BUSY, "your uid has too many connections");
	} else if (c->front->draining) {
		refuse_peer(c, PROBLEM_SHUTTING_DOWN, NULL);
	} else {
		conn_next_request(c);
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
