/* See clamd.h.  Here: a connection's beginning, what it waits for, what it writes, and its end. */
#include "clamd_impl.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "conn.h"
#include "peer.h"

/* ---- answers ---- */

void clamd_put(struct clamd *c, const void *at, size_t n)
{
	if (evbuffer_add(c->out, at, n) < 0)
		c->gone = true; /* an answer with a hole in it must not go out */
}

void clamd_say(struct clamd *c, unsigned id, char term, struct bytes name, const char *text, const char *status)
{
	const struct clamd_reply r = { .id = id, .name = name, .text = text, .status = status, .term = term };
	char buf[CLAMD_REPLY_MAX];

	if (status && strcmp(status, "ERROR") == 0)
		c->front->metrics.problems++;
	clamd_put(c, buf, clamd_reply(&r, buf));
}

static void write_out(struct clamd *c)
{
	while (!c->gone && evbuffer_get_length(c->out) > 0) {
		int n = evbuffer_write(c->out, c->fd);

		if (n < 0 && errno == EAGAIN)
			return;
		if (n == 0 || (n < 0 && errno != EINTR))
			c->gone = true;
		c->wait = CLAMD_WAIT_NOTHING; /* it takes its answers: its time starts anew */
	}
}

static void count_unsent(struct clamd *c, size_t n)
{
	c->front->unsent = c->front->unsent - c->unsent + n;
	c->unsent = n;
}

/* ---- the end ---- */

void clamd_close_client_fd(void *client, int fd)
{
	struct clamd *c = client;

	files_close_client(&c->front->files, c->uid, fd);
}

static void unlink_client(struct clamd *c)
{
	if (c->prev)
		c->prev->next = c->next;
	else
		c->front->clamds = c->next;
	if (c->next)
		c->next->prev = c->prev;
	c->front->n_conns--;
	c->front->n_refused -= c->refused;
}

static void free_client(struct clamd *c)
{
	struct event *const events[] = { c->readable, c->hangup, c->writable, c->timer };
	struct front *f = c->front;

	clamd_drop_tasks(c);
	fds_clear(&c->fds, clamd_close_client_fd, c);
	count_unsent(c, 0);
	unlink_client(c);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		if (events[i])
			event_free(events[i]);
	}
	if (c->out)
		evbuffer_free(c->out);
	/* The peer learns it now; descriptors still in flight to us are let go by a thread that may wait. */
	shutdown(c->fd, SHUT_RDWR);
	files_close(&f->files, c->fd);
	free(c);
	front_conn_closed(f);
}

static void start_drain(struct clamd *c)
{
	c->state = CLAMD_DRAIN;
	c->drained = 0;
	shutdown(c->fd, SHUT_WR);
}

/* ---- what it waits for ---- */

static bool wants_to_read(const struct clamd *c)
{
	switch (c->state) {
	case CLAMD_COMMANDS: return clamd_may_take(c) && c->unsent == 0;
	case CLAMD_BODY: return !c->no_room && c->unsent == 0;
	case CLAMD_DRAIN: return c->drained < CONN_DRAIN_BYTES;
	default: return false;
	}
}

/* Edge-triggered events of a descriptor must not be mixed with others: see conn.c. */
static void watch(struct clamd *c)
{
	if (wants_to_read(c)) {
		event_del(c->hangup);
		event_del(c->writable);
		event_add(c->readable, NULL);
		return;
	}
	event_del(c->readable);
	event_add(c->hangup, NULL);
	if (c->unsent > 0)
		event_add(c->writable, NULL);
}

static enum clamd_wait awaited(const struct clamd *c)
{
	if (c->state == CLAMD_DRAIN)
		return CLAMD_WAIT_DRAIN;
	if (c->unsent > 0)
		return CLAMD_WAIT_REPLY;
	switch (c->state) {
	case CLAMD_PLACE:
	case CLAMD_STORE: return CLAMD_WAIT_STORAGE;
	case CLAMD_BODY: return CLAMD_WAIT_BODY;
	case CLAMD_COMMANDS:
		if (c->n_tasks > 0)
			return CLAMD_WAIT_NOTHING;
		return c->line_n > 0 ? CLAMD_WAIT_COMMAND : CLAMD_WAIT_IDLE;
	default: return CLAMD_WAIT_NOTHING;
	}
}

static unsigned patience_s(const struct clamd *c, enum clamd_wait w)
{
	const struct config *cfg = &c->front->settings->config;

	switch (w) {
	case CLAMD_WAIT_IDLE: return cfg->idle_seconds;
	case CLAMD_WAIT_COMMAND: return cfg->head_seconds;
	case CLAMD_WAIT_STORAGE: return LIMIT_DEADLINE_BASE_S;
	case CLAMD_WAIT_BODY: return CONN_RATE_WINDOW_S;
	case CLAMD_WAIT_REPLY: return cfg->reply_seconds;
	default: return CONN_DRAIN_MS / 1000;
	}
}

/* Only a change of what is awaited starts its time: a byte now and then does not prolong it. */
static void set_timer(struct clamd *c)
{
	enum clamd_wait w = awaited(c);
	struct timeval tv;

	if (w == c->wait)
		return;
	c->wait = w;
	if (w == CLAMD_WAIT_IDLE)
		front_conn_idle(c->front);
	if (w == CLAMD_WAIT_NOTHING) {
		evtimer_del(c->timer);
		return;
	}
	if (w == CLAMD_WAIT_BODY)
		c->window_n = 0;
	tv = (struct timeval){ .tv_sec = (time_t)patience_s(c, w) };
	evtimer_add(c->timer, &tv);
}

/* The rest of what was read waits where answers pile up: as long as they can be written, it is done now. */
static void work_and_write(struct clamd *c)
{
	bool more;

	do {
		clamd_work(c);
		more = evbuffer_get_length(c->out) > CLAMD_BACKLOG_MAX;
		write_out(c);
	} while (more && !c->gone && evbuffer_get_length(c->out) == 0);
	count_unsent(c, evbuffer_get_length(c->out));
}

void clamd_settle(struct clamd *c)
{
	work_and_write(c);
	if (!c->gone && c->state == CLAMD_LAST && c->n_tasks == 0 && c->unsent == 0) {
		if (c->body_unread)
			start_drain(c);
		else
			c->gone = true;
	}
	if (c->gone) {
		free_client(c);
		return;
	}
	watch(c);
	set_timer(c);
}

/* ---- events ---- */

static void on_writable(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd;
	(void)what;
	clamd_settle(ctx);
}

/* Is the client still there?  One that only closed its sending side is. */
static void on_hangup(evutil_socket_t fd, short what, void *ctx)
{
	struct pollfd p = { .fd = fd };
	struct clamd *c = ctx;

	(void)what;
	if (poll(&p, 1, 0) <= 0 || !(p.revents & (POLLHUP | POLLERR)))
		return;
	c->gone = true;
	clamd_settle(c);
}

static void on_timer(evutil_socket_t fd, short what, void *ctx)
{
	struct clamd *c = ctx;
	enum clamd_wait w = c->wait;

	(void)fd;
	(void)what;
	c->wait = CLAMD_WAIT_NOTHING;
	switch (w) {
	case CLAMD_WAIT_NOTHING: return; /* answered in the meantime */
	case CLAMD_WAIT_COMMAND:
		clamd_say(c, 0, clamd_term(c), bytes_of(NULL, 0), "COMMAND READ TIMED OUT", NULL);
		c->state = CLAMD_LAST;
		break;
	case CLAMD_WAIT_STORAGE:
		c->body_unread = c->state == CLAMD_PLACE;
		clamd_fail_upload(c, "storage does not answer");
		break;
	case CLAMD_WAIT_BODY: clamd_body_window(c); break;
	case CLAMD_WAIT_DRAIN: clamd_end_drain(c); break;
	case CLAMD_WAIT_IDLE:
	case CLAMD_WAIT_REPLY: c->gone = true; break;
	}
	clamd_settle(c);
}

/* ---- the beginning ---- */

static bool make_events(struct clamd *c)
{
	struct event_base *base = c->front->base;

	c->readable = event_new(base, c->fd, EV_READ | EV_PERSIST, clamd_on_readable, c);
	c->hangup = event_new(base, c->fd, EV_READ | EV_ET | EV_PERSIST, on_hangup, c);
	c->writable = event_new(base, c->fd, EV_WRITE | EV_ET, on_writable, c);
	c->timer = evtimer_new(base, on_timer, c);
	c->out = evbuffer_new();
	return c->readable && c->hangup && c->writable && c->timer && c->out;
}

static void link_client(struct clamd *c)
{
	struct front *f = c->front;

	c->next = f->clamds;
	if (c->next)
		c->next->prev = c;
	f->clamds = c;
	f->n_conns++;
}

struct clamd *clamd_next(const struct clamd *c)
{
	return c->next;
}

uid_t clamd_uid(const struct clamd *c)
{
	return c->uid;
}

int clamd_fd(const struct clamd *c)
{
	return c->fd;
}

bool clamd_is_idle(const struct clamd *c)
{
	return c->state == CLAMD_COMMANDS && c->n_tasks == 0 && c->unsent == 0 && !c->refused;
}

void clamd_drop(struct clamd *c)
{
	free_client(c);
}

unsigned clamd_count_uid(const struct front *f, uid_t uid)
{
	unsigned n = 0;

	for (const struct clamd *c = f->clamds; c; c = c->next)
		n += c->uid == uid && !c->refused;
	return n;
}

/* Why it may not ask; NULL: it may. */
static const char *why_not(const struct clamd *c, const struct peer *p)
{
	const struct front *f = c->front;

	if (!p->allowed)
		return "your uid and groups are not allowed to talk to this daemon";
	if (conn_count_uid(f, p->uid) > f->settings->config.max_connections_per_uid)
		return "your uid has too many connections";
	if (f->draining)
		return "the daemon is ending";
	return NULL;
}

/* It has not said yet how its answers end: a client sees that there is an error, whatever it takes for the end. */
static void refuse(struct clamd *c, const struct peer *p, const char *why)
{
	struct front *f = c->front;

	if (!p->allowed)
		conn_log_stranger(f, p->uid, p->pid);
	f->metrics.refused_peers++;
	if (f->n_refused >= CONN_REFUSED_MAX) {
		c->gone = true; /* no time for politeness */
		return;
	}
	c->refused = true;
	f->n_refused++;
	clamd_say(c, 0, c->term, bytes_of(NULL, 0), why, "ERROR");
	c->body_unread = true;
	c->state = CLAMD_LAST;
}

void clamd_new(struct front *f, int fd)
{
	struct clamd *c = calloc(1, sizeof(*c));
	char user[QUEUE_TENANT_MAX + 1];
	struct peer p;
	const char *why;

	if (!c) {
		close(fd);
		return;
	}
	c->front = f;
	c->fd = fd;
	c->term = '\n';
	peer_identify(fd, f->settings, &p);
	c->uid = p.uid;
	c->pid = p.pid;
	snprintf(user, sizeof(user), "uid:%u", c->uid);
	c->payer = payer_of(c->uid, user);
	c->owner = p.owner;
	f->metrics.connections++;
	link_client(c);
	if (!make_events(c)) {
		free_client(c);
		return;
	}
	why = why_not(c, &p);
	if (why)
		refuse(c, &p, why);
	clamd_settle(c);
}

void clamd_drain(struct clamd *c)
{
	if (c->state == CLAMD_COMMANDS)
		c->state = CLAMD_LAST;
	c->session = false; /* a body on its way is the last thing */
	clamd_settle(c);
}
