/* See keeper_link.h.  One list in the order of asking: those in front are sent, `unsent` is the first that is not
 * wholly so, and answers come in the same order. */
#include "keeper_link.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "log.h"

#define LOOK_S 1 /* how often it is looked whether somebody has waited too long */

struct keeper_call {
	struct keeper_call *next;
	struct keeper_link *link;
	uint64_t id, until_ms;
	uint16_t kind;
	keeper_done_fn done; /* NULL: nobody waits (any more) */
	void *ctx;
	size_t n;
	uint8_t frame[];
};

struct keeper_link {
	struct event_base *base;
	int fd; /* -1: no channel */
	struct event *readable, *writable, *clock;
	struct keeper_reader in;
	struct keeper_call *first, **end, *unsent;
	size_t offset; /* bytes of `unsent` that are sent */
	size_t n_calls, n_waited_for, unsent_bytes;
	uint64_t last_id;
};

/* Tell, once. */
static void tell(struct keeper_call *c, enum keeper_status status, struct bytes answer)
{
	keeper_done_fn done = c->done;

	if (!done)
		return;
	c->done = NULL;
	c->link->n_waited_for--;
	done(c->ctx, status, answer);
}

/* The first leaves the list; it is the caller's. */
static struct keeper_call *take_first(struct keeper_link *l)
{
	struct keeper_call *c = l->first;

	l->first = c->next;
	if (!l->first)
		l->end = &l->first;
	l->n_calls--;
	return c;
}

/* ---- the channel's end ---- */

static void event_end(struct event **e)
{
	if (*e)
		event_free(*e);
	*e = NULL;
}

/* Those that were sent as a whole get no answer now.  One that was sent in part was not understood, so it is sent
 * again. */
static void disconnect(struct keeper_link *l)
{
	struct keeper_call *lost = NULL, **lost_end = &lost;

	event_end(&l->readable);
	event_end(&l->writable);
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	keeper_reader_done(&l->in);
	while (l->first != l->unsent) {
		*lost_end = take_first(l);
		lost_end = &(*lost_end)->next;
	}
	*lost_end = NULL;
	if (l->unsent)
		l->unsent_bytes += l->offset;
	l->offset = 0;
	while (lost != NULL) { /* last, for those who are told may ask again */
		struct keeper_call *c = lost;

		lost = c->next;
		tell(c, KEEPER_LOST, (struct bytes){ 0 });
		free(c);
	}
}

/* ---- questions ---- */

/* As many as the kernel takes.  The end of the channel shows when reading. */
static void send_some(struct keeper_link *l)
{
	while (l->fd >= 0 && l->unsent) {
		struct keeper_call *c = l->unsent;
		ssize_t n = send(l->fd, c->frame + l->offset, c->n - l->offset, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n < 0) {
			if (errno == EAGAIN)
				event_add(l->writable, NULL);
			return;
		}
		l->offset += (size_t)n;
		l->unsent_bytes -= (size_t)n;
		if (l->offset < c->n)
			continue;
		l->offset = 0;
		l->unsent = c->next;
	}
}

static void on_writable(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd;
	(void)what;
	send_some(ctx);
}

static struct keeper_call *call_new(struct keeper_link *l, enum keeper_kind kind, struct bytes payload)
{
	const struct keeper_frame f = { .kind = (uint16_t)kind, .id = l->last_id + 1, .payload = payload };
	struct keeper_call *c = malloc(sizeof(*c) + KEEPER_HEAD + payload.n);

	if (c == NULL)
		return NULL;
	*c = (struct keeper_call){ .link = l,
		.id = ++l->last_id,
		.kind = (uint16_t)kind,
		.until_ms = clock_now_ms() + KEEPER_WAIT_MS,
		.n = KEEPER_HEAD + payload.n };
	keeper_frame_head(&f, c->frame);
	bytes_copy(c->frame + KEEPER_HEAD, payload);
	return c;
}

/* Verdicts wait for what is recorded and signed, and people for what they take back.  What is asked of the store nobody is promised,
 * and whoever may call may ask as often as he likes and not wait for the answer: it gets half of the room. */
static bool has_room(const struct keeper_link *l, enum keeper_kind kind, size_t n)
{
	const size_t share = kind == KEEPER_STORE_GET || kind == KEEPER_STORE_PUT ? 2 : 1;

	return l->n_calls < KEEPER_CALLS_MAX / share && n <= KEEPER_PAYLOAD_MAX &&
	       l->unsent_bytes <= KEEPER_UNSENT_MAX / share - KEEPER_HEAD - n;
}

struct keeper_call *keeper_ask(
    struct keeper_link *l, enum keeper_kind kind, struct bytes payload, keeper_done_fn done, void *ctx)
{
	struct keeper_call *c;

	if (l == NULL || !has_room(l, kind, payload.n))
		return NULL;
	c = call_new(l, kind, payload);
	if (c == NULL)
		return NULL;
	c->done = done;
	c->ctx = ctx;
	*l->end = c;
	l->end = &c->next;
	l->n_calls++;
	l->n_waited_for++;
	l->unsent_bytes += c->n;
	if (!l->unsent)
		l->unsent = c;
	send_some(l);
	return c;
}

void keeper_forget(struct keeper_call *c)
{
	if (c->done)
		c->link->n_waited_for--;
	c->done = NULL;
}

size_t keeper_link_pending(const struct keeper_link *l)
{
	return l != NULL ? l->n_waited_for : 0;
}

/* ---- answers ---- */

/* Return: false for an answer to no question of ours. */
static bool take_answer(struct keeper_link *l, const struct keeper_frame *f)
{
	struct keeper_call *c = l->first;

	if (c == l->unsent || c->id != f->id || c->kind != f->kind || f->status >= KEEPER_N_ANSWERS)
		return false;
	take_first(l);
	tell(c, (enum keeper_status)f->status, f->payload);
	free(c);
	return true;
}

static enum keeper_progress take_answers(struct keeper_link *l)
{
	enum keeper_progress p;
	struct keeper_frame f;

	while ((p = keeper_reader_next(&l->in, &f)) == KEEPER_FRAME) {
		if (!take_answer(l, &f))
			return KEEPER_BAD;
	}
	return p;
}

static void on_readable(evutil_socket_t fd, short what, void *ctx)
{
	struct keeper_link *l = ctx;
	size_t room;
	uint8_t *at = keeper_reader_room(&l->in, &room);
	ssize_t n = at ? recv(fd, at, room, MSG_DONTWAIT) : -1;

	(void)what;
	if (at != NULL && n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		log_line("the keeper has ended");
		disconnect(l);
		return;
	}
	keeper_reader_add(&l->in, (size_t)n);
	if (take_answers(l) == KEEPER_BAD) {
		log_line("the keeper speaks nonsense; its channel is closed");
		disconnect(l);
	}
}

/* ---- time ---- */

/* One that is not with the kernel yet is taken back; but not one that is half there. */
static bool take_back(struct keeper_link *l, struct keeper_call **at)
{
	struct keeper_call *c = *at;

	if (c != l->unsent || l->offset > 0)
		return false;
	l->unsent = c->next;
	*at = c->next;
	if (!c->next)
		l->end = at;
	l->n_calls--;
	l->unsent_bytes -= c->n;
	return true;
}

/* Those in front have waited longest.  Who is told may ask again: that is behind them. */
static void on_clock(evutil_socket_t fd, short what, void *ctx)
{
	struct keeper_link *l = ctx;
	struct keeper_call **at = &l->first;
	uint64_t now = clock_now_ms();

	(void)fd;
	(void)what;
	while (*at && (*at)->until_ms <= now) {
		struct keeper_call *c = *at;
		bool free_it = take_back(l, at);

		if (!free_it)
			at = &c->next;
		tell(c, KEEPER_LATE, (struct bytes){ 0 });
		if (free_it)
			free(c);
	}
}

/* ---- the beginning ---- */

int keeper_link_new(struct event_base *base, struct keeper_link **ret)
{
	const struct timeval every = { .tv_sec = LOOK_S };
	struct keeper_link *l = calloc(1, sizeof(*l));

	if (l == NULL)
		return -ENOMEM;
	*l = (struct keeper_link){ .base = base, .fd = -1 };
	l->end = &l->first;
	l->clock = event_new(base, -1, EV_PERSIST, on_clock, l);
	if (!l->clock || event_add(l->clock, &every) < 0) {
		event_end(&l->clock);
		free(l);
		return -ENOMEM;
	}
	*ret = l;
	return 0;
}

void keeper_link_connect(struct keeper_link *l, int fd)
{
	disconnect(l);
	l->fd = fd;
	l->readable = event_new(l->base, fd, EV_READ | EV_PERSIST, on_readable, l);
	l->writable = event_new(l->base, fd, EV_WRITE, on_writable, l);
	if (!l->readable || !l->writable || event_add(l->readable, NULL) < 0)
		disconnect(l); /* the monitor hears nothing of it: the next one comes with the next keeper */
	send_some(l);
}

bool keeper_link_is_up(const struct keeper_link *l)
{
	return l != NULL && l->fd >= 0;
}
