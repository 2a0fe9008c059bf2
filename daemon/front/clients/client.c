/* See client.h. */
#include "client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "log.h"

/* ---- small parts ---- */

void client_put(struct client *c, const void *at, size_t n)
{
	if (evbuffer_add(c->out, at, n) < 0)
		c->phase = CLIENT_GONE;
}

void client_end(struct client *c)
{
	c->phase = CLIENT_GONE;
}

void client_asked(struct client *c)
{
	c->all->env->tally.requests++;
	if (!c->asked)
		admission_asked(&c->all->admission, c->peer.uid);
	c->asked = true;
}

void client_left(struct client *c)
{
	if (c->asked)
		(void)admission_knock(&c->all->admission, c->peer.uid,
		    c->all->env->settings->config.max_connections_per_uid, clock_now_ms());
	c->asked = false;
}

bool client_has_sent(const struct client *c)
{
	char byte;

	return recv(c->fd, &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT) > 0;
}

bool client_last_look(struct client *c)
{
	if (client_has_sent(c))
		return true;
	shutdown(c->fd, SHUT_RD);
	return client_has_sent(c);
}

void client_finish(struct client *c, bool unread)
{
	if (!unread) {
		c->phase = CLIENT_GONE;
		return;
	}
	c->phase = CLIENT_DRAINING;
	shutdown(c->fd, SHUT_WR);
	client_drop_descriptors(c);
}

void client_renew(struct client *c)
{
	c->wait = CLIENT_WAIT_NOTHING;
}

ssize_t client_receive(struct client *c, void *buf, size_t n)
{
	return files_receive(&c->all->env->files, c->peer.uid, &c->fds, c->fd, buf, n);
}

bool client_is_transient(ssize_t received)
{
	return received == -EAGAIN || received == -EINTR;
}

bool client_is_about_descriptors(ssize_t received)
{
	return received == -EBADMSG || received == -EMFILE;
}

void client_close_fd(struct client *c, int fd)
{
	files_close_client(&c->all->env->files, c->peer.uid, fd);
}

void client_drop_descriptors(struct client *c)
{
	files_close_all(&c->all->env->files, c->peer.uid, &c->fds);
}

struct payer client_user(const struct client *c)
{
	char user[TENANT_NAME_MAX + 1];

	snprintf(user, sizeof(user), "uid:%u", c->peer.uid);
	return payer_of(c->peer.uid, user);
}

void client_pay(struct client *c, uint64_t files, uint64_t bytes)
{
	rate_pay(jobs_parts(c->all->jobs)->tenants, c->payer.tenant, files, bytes, clock_now_ms());
}

unsigned client_wait_s(struct client *c, uint64_t files)
{
	unsigned wait_s = rate_wait_s(jobs_parts(c->all->jobs)->tenants, c->payer.tenant, files, clock_now_ms());

	c->all->env->tally.refusals[TALLY_REFUSAL_RATE] += wait_s > 0;
	return wait_s;
}

uint64_t client_size_max(const struct client *c, const struct policy *p)
{
	uint64_t configured = c->all->env->settings->config.max_body;
	uint64_t allowed = policy_limits(p)->file_size;

	return configured < allowed ? configured : allowed;
}

bool client_too_slow(struct client *c, const struct spool *s)
{
	uint64_t least = c->all->env->settings->config.body_min_bytes_per_10s;
	uint64_t pace = spool_pace(s) * CLIENT_RATE_WINDOW_S;
	bool slow = !c->window_paused && c->window_n < (least < pace ? pace : least);

	c->window_paused = false;
	return slow;
}

void client_request_id(char buf[SCAN_REQUEST_ID_MAX + 1])
{
	uint8_t bytes[16];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		memset(bytes, 0, sizeof(bytes)); /* an id is for logs: better a poor one than none */
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(buf + 2 * i, 3, "%02x", bytes[i]);
}

/* ---- what is not taken ---- */

/* What the kernel has not taken is our memory, and how long is the client's choice: all of it is counted. */
static void count_unsent(struct client *c, size_t n)
{
	c->all->unsent = c->all->unsent - c->unsent + n;
	c->unsent = n;
}

void client_count_unsent(struct client *c)
{
	count_unsent(c, evbuffer_get_length(c->out) + c->kind->held(c));
}

bool client_may_answer(const struct client *c, size_t n)
{
	size_t same_uid = n;

	if (n > CLIENT_UNSENT_MAX - CLIENT_UNSENT_EACH_MAX || c->all->unsent > CLIENT_UNSENT_MAX - n)
		return false;
	for (const struct client *o = c->all->first; o; o = o->next)
		same_uid += o->peer.uid == c->peer.uid ? o->unsent : 0;
	return same_uid <= CLIENT_UNSENT_EACH_MAX;
}

static void write_out(struct client *c)
{
	while (c->phase != CLIENT_GONE && evbuffer_get_length(c->out) > 0) {
		int n = evbuffer_write(c->out, c->fd);

		if (n < 0 && errno == EAGAIN)
			return;
		if (n == 0 || (n < 0 && errno != EINTR))
			c->phase = CLIENT_GONE;
		if (n > 0)
			c->moved_ms = clock_now_ms();
		if (n > 0 && c->wait == CLIENT_WAIT_REPLY) /* it takes its answer: its time starts anew */
			client_renew(c);
	}
}

/* ---- the end ---- */

static void unlink_client(struct client *c)
{
	if (c->prev)
		c->prev->next = c->next;
	else
		c->all->first = c->next;
	if (c->next)
		c->next->prev = c->prev;
	c->all->n--;
	c->all->n_refused -= c->refused;
}

static void free_client(struct client *c)
{
	struct event *const events[] = { c->readable, c->hangup, c->writable, c->timer };
	struct clients *all = c->all;

	c->kind->drop(c);
	client_drop_descriptors(c);
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
	files_close(&all->env->files, c->fd);
	free(c);
	all->place(all->ctx, false);
}

static void read_drain(struct client *c)
{
	size_t room = CLIENT_DRAIN_BYTES - c->drained;
	ssize_t n = client_receive(c, c->all->env->scratch, room < ENV_SCRATCH ? room : ENV_SCRATCH);

	client_drop_descriptors(c);
	if (client_is_transient(n))
		return;
	if (n == 0 || (n < 0 && !client_is_about_descriptors(n)))
		c->phase = CLIENT_GONE;
	else
		c->drained += n > 0 ? (size_t)n : 1;
}

/* A client that still has not noticed: from here on its writes fail with EPIPE, while our answer stays readable.
 * What it wrote before is taken away first, because closing on unread bytes would turn that into ECONNRESET. */
static void end_drain(struct client *c)
{
	shutdown(c->fd, SHUT_RD);
	c->drained = 0;
	for (unsigned i = 0; i < CLIENT_READS_PER_TURN && c->phase == CLIENT_DRAINING; i++)
		read_drain(c);
	c->phase = CLIENT_GONE;
}

/* ---- what it waits for ---- */

static bool wants_to_read(const struct client *c)
{
	if (c->phase == CLIENT_DRAINING)
		return c->drained <
		       CLIENT_DRAIN_BYTES; /* then it may still read its answer, but blocks until its time is over */
	return evbuffer_get_length(c->out) == 0 && c->kind->wants_to_read(c);
}

/* Edge-triggered events of one descriptor must not be mixed with others at a time: writing goes on while a hang-up is
 * watched for, but never while reading. */
static void watch(struct client *c)
{
	if (wants_to_read(c)) {
		event_del(c->hangup);
		event_del(c->writable);
		event_add(c->readable, NULL);
		return;
	}
	event_del(c->readable);
	event_add(c->hangup, NULL);
	if (evbuffer_get_length(c->out) > 0 || (c->phase == CLIENT_OPEN && c->kind->has_more(c)))
		event_add(c->writable, NULL);
}

static uint64_t patience_ms(const struct client *c, enum client_wait w)
{
	const struct config *cfg = &c->all->env->settings->config;

	switch (w) {
	case CLIENT_WAIT_IDLE: return (uint64_t)cfg->idle_seconds * 1000;
	case CLIENT_WAIT_HEAD: return (uint64_t)cfg->head_seconds * 1000;
	case CLIENT_WAIT_STORAGE: return LIMIT_DEADLINE_BASE_S * UINT64_C(1000);
	case CLIENT_WAIT_BODY: return CLIENT_RATE_WINDOW_S * UINT64_C(1000);
	case CLIENT_WAIT_REPLY: return (uint64_t)cfg->reply_seconds * 1000;
	case CLIENT_WAIT_LINE:
		return (uint64_t)cfg->progress_seconds * 1000 - 500; /* a little early rather than late */
	default: return CLIENT_DRAIN_MS;
	}
}

/* Only a change of what is awaited starts its time: a byte now and then does not prolong it. */
static void set_timer(struct client *c)
{
	enum client_wait w = c->phase == CLIENT_DRAINING ? CLIENT_WAIT_DRAIN : c->kind->awaits(c);
	uint64_t ms;
	struct timeval tv;

	if (w == c->wait && w != CLIENT_WAIT_NOTHING)
		return;
	c->wait = w;
	if (w == CLIENT_WAIT_IDLE || w == CLIENT_WAIT_HEAD)
		c->all->place(c->all->ctx, true);
	if (w == CLIENT_WAIT_NOTHING) {
		evtimer_del(c->timer);
		return;
	}
	if (w == CLIENT_WAIT_BODY)
		c->window_n = 0;
	ms = patience_ms(c, w);
	tv = (struct timeval){ .tv_sec = (time_t)(ms / 1000), .tv_usec = (suseconds_t)(ms % 1000) * 1000 };
	evtimer_add(c->timer, &tv);
}

void client_settle(struct client *c)
{
	bool again;

	do {
		again = c->phase == CLIENT_OPEN && c->kind->work(c);
		write_out(c);
	} while (again && c->phase == CLIENT_OPEN && evbuffer_get_length(c->out) == 0);
	if (c->phase == CLIENT_GONE) {
		free_client(c);
		return;
	}
	client_count_unsent(c);
	watch(c);
	set_timer(c);
}

/* ---- events ---- */

static void on_readable(evutil_socket_t fd, short what, void *ctx)
{
	struct client *c = ctx;

	(void)fd;
	(void)what;
	if (c->phase == CLIENT_DRAINING)
		read_drain(c);
	else
		c->kind->read(c);
	client_settle(c);
}

/* Something came or changed while nothing is being read: is the client still there?  One that only closed its
 * sending side is. */
static void on_hangup(evutil_socket_t fd, short what, void *ctx)
{
	struct pollfd p = { .fd = fd };
	struct client *c = ctx;

	(void)what;
	if (poll(&p, 1, 0) <= 0 || !(p.revents & (POLLHUP | POLLERR)))
		return;
	client_end(c);
	client_settle(c);
}

static void on_writable(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd;
	(void)what;
	client_settle(ctx);
}

static void on_timer(evutil_socket_t fd, short what, void *ctx)
{
	struct client *c = ctx;
	enum client_wait w = c->wait;

	(void)fd;
	(void)what;
	client_renew(c);
	switch (w) {
	case CLIENT_WAIT_NOTHING: return; /* answered in the meantime */
	case CLIENT_WAIT_DRAIN: end_drain(c); break;
	case CLIENT_WAIT_IDLE:
	case CLIENT_WAIT_REPLY: client_end(c); break; /* it does not take its answer */
	default: c->kind->late(c, w); break;
	}
	client_settle(c);
}

/* ---- the beginning ---- */

static bool make_events(struct client *c)
{
	struct event_base *base = c->all->env->base;

	c->readable = event_new(base, c->fd, EV_READ | EV_PERSIST, on_readable, c);
	c->hangup = event_new(base, c->fd, EV_READ | EV_ET | EV_PERSIST, on_hangup, c);
	c->writable = event_new(base, c->fd, EV_WRITE | EV_ET, on_writable, c);
	c->timer = evtimer_new(base, on_timer, c);
	c->out = evbuffer_new();
	return c->readable && c->hangup && c->writable && c->timer && c->out;
}

static void link_client(struct client *c)
{
	c->next = c->all->first;
	if (c->next)
		c->next->prev = c;
	c->all->first = c;
	c->all->n++;
}

static unsigned count_uid(const struct clients *all, uid_t uid)
{
	unsigned n = 0;

	for (const struct client *c = all->first; c; c = c->next)
		n += c->peer.uid == uid && !c->refused;
	return n;
}

/* One line in CLIENT_REFUSALS_MS for each reason, the others as a number. */
static void count_refusal(struct clients *all, const struct peer *p, enum client_refusal why)
{
	static const char *const texts[CLIENT_N_REFUSALS] = { [CLIENT_STRANGER] = "is not allowed",
		[CLIENT_TOO_MANY] = "has too many connections",
		[CLIENT_SILENT] = "connects and asks for nothing" };
	uint64_t now = clock_now_ms(), *said_ms = &all->refusals[why].said_ms;
	unsigned *unsaid = &all->refusals[why].unsaid;

	all->env->tally.refused_peers++;
	if (!texts[why])
		return;
	if (*said_ms > 0 && now - *said_ms < CLIENT_REFUSALS_MS) {
		++*unsaid;
		return;
	}
	log_line("refused: uid=%u pid=%d %s; not logged before it: %u", p->uid, p->pid, texts[why], *unsaid);
	*said_ms = now;
	*unsaid = 0;
}

static void refuse(struct client *c, enum client_refusal why)
{
	count_refusal(c->all, &c->peer, why);
	if (c->all->n_refused >= CLIENT_REFUSED_MAX) {
		client_end(c); /* no time for politeness */
		return;
	}
	c->refused = true;
	c->all->n_refused++;
	c->kind->refuse(c, why);
}

/* With it, its user has no more than it may; where places run short, instead of one of its own that is idle. */
static bool has_place(const struct client *c)
{
	const struct config *cfg = &c->all->env->settings->config;
	unsigned n = count_uid(c->all, c->peer.uid), taken = c->all->n - c->all->n_refused;
	unsigned left = taken <= cfg->max_connections ? cfg->max_connections + 1 - taken : 0; /* before it came */

	return n <= cfg->max_connections_per_uid &&
	       (admission_place(n - 1, left, cfg->max_connections) || clients_make_room_for(c));
}

static void greet(struct client *c)
{
	const struct env *env = c->all->env;

	if (!c->peer.allowed) {
		refuse(c, CLIENT_STRANGER);
	} else if (!has_place(c)) {
		refuse(c, CLIENT_TOO_MANY);
	} else if (env->draining) {
		refuse(c, CLIENT_DRAINED);
	}
}

/* Descriptors that came with bytes may be on storage that hangs; without, there are none, and there will be none. */
static void close_unheard(struct clients *all, int fd)
{
	char byte;

	shutdown(fd, SHUT_RDWR);
	if (recv(fd, &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT) > 0)
		files_close(&all->env->files, fd);
	else
		close(fd);
}

bool client_new(struct clients *all, const struct client_kind *kind, void *service, int fd)
{
	struct client *c = NULL;
	struct peer peer;

	all->env->tally.connections++;
	if (!peer_see(fd, &peer) || admission_knock(&all->admission, peer.uid,
					all->env->settings->config.max_connections_per_uid, clock_now_ms()))
		c = calloc(1, kind->size);
	else
		count_refusal(all, &peer, CLIENT_SILENT);
	if (c == NULL) {
		close_unheard(all, fd);
		return false;
	}
	*c = (struct client){ .all = all, .kind = kind, .service = service, .fd = fd, .peer = peer };
	peer_identify(fd, all->env->settings, &c->peer);
	c->payer = client_user(c);
	link_client(c);
	kind->begin(c);
	if (make_events(c))
		greet(c);
	else
		client_end(c);
	client_settle(c);
	return true;
}

void clients_drain(struct clients *all)
{
	for (struct client *c = all->first, *next; c; c = next) {
		next = c->next;
		c->kind->drain(c);
		client_settle(c);
	}
}

void clients_abandon(struct clients *all)
{
	for (struct client *c = all->first, *next; c; c = next) {
		next = c->next;
		if (c->phase == CLIENT_OPEN && !c->refused)
			c->kind->abandon(c);
		client_settle(c);
	}
}
