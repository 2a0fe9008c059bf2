/* See door.h. */
#include "door.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define ACCEPTS_PER_TURN 8  /* by each door; then it is the turn of those who are in */
#define GONE_PER_TURN 128   /* of those who have left already, or are not let in: they cost next to nothing */
#define ACCEPT_PAUSE_MS 100 /* without descriptors: the listener stays readable, and must not spin */

struct door {
	struct doors *all;
	struct event *readable;
	const struct client_kind *kind;
	void *service;
};

struct doors {
	struct clients *clients;
	struct door list[DOORS_MAX];
	size_t n;
	struct event *pause;
	int spare_fd; /* given up for a moment when descriptors run out */
	int spare_of; /* /dev/null is out of reach by then; any descriptor will do */
	bool shut;
};

static void set_open(struct doors *d, bool on)
{
	for (size_t i = 0; i < d->n; i++) {
		if (on)
			event_add(d->list[i].readable, NULL);
		else
			event_del(d->list[i].readable);
	}
}

static bool full(const struct doors *d)
{
	const struct clients *c = d->clients;

	return c->n - c->n_refused >= c->env->settings->config.max_connections;
}

void doors_look(struct doors *d)
{
	if (!d->shut && !evtimer_pending(d->pause, NULL))
		set_open(d, true);
}

void doors_shut(struct doors *d)
{
	d->shut = true;
	set_open(d, false);
	evtimer_del(d->pause);
}

static void on_pause_over(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd;
	(void)what;
	doors_look(ctx);
}

/* With the spare descriptor one client can be taken off the queue and let go. */
static void let_one_go(struct doors *d, int listen_fd)
{
	int fd;

	close(d->spare_fd);
	fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd >= 0)
		close(fd);
	d->spare_fd = dup(d->spare_of);
}

static void accept_failed(struct doors *d, int listen_fd, int error)
{
	const struct timeval pause = { .tv_usec = ACCEPT_PAUSE_MS * 1000 };

	d->clients->env->tally.accept_failures++;
	if (error == EMFILE || error == ENFILE)
		let_one_go(d, listen_fd);
	set_open(d, false);
	evtimer_add(d->pause, &pause);
}

/* Has it left without a word?  Then no descriptor can be in flight either, for they come with a byte. */
static bool is_gone(int fd)
{
	char byte;

	return recv(fd, &byte, sizeof(byte), MSG_PEEK | MSG_DONTWAIT) == 0;
}

struct turn {
	unsigned begun, gone;
};

/* Return: whether there may be more. */
static bool accept_one(struct door *door, int listen_fd, struct turn *t)
{
	struct clients *all = door->all->clients;
	int fd = accept4(listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0 && errno != EAGAIN && errno != ECONNABORTED && errno != EINTR)
		accept_failed(door->all, listen_fd, errno);
	if (fd < 0)
		return false;
	if (is_gone(fd)) {
		all->env->tally.connections++;
		t->gone++;
		close(fd);
	} else if (client_new(all, door->kind, door->service, fd)) {
		t->begun++;
	} else {
		t->gone++;
	}
	return t->begun < ACCEPTS_PER_TURN && t->gone < GONE_PER_TURN;
}

static bool anybody_waits(int listen_fd)
{
	struct pollfd p = { .fd = listen_fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

/* A free one, or one that somebody has and does not use. */
static bool have_place(struct doors *d, int listen_fd)
{
	if (!full(d))
		return true;
	if (!anybody_waits(listen_fd))
		return false;
	if (clients_make_room(d->clients) && !full(d))
		return true;
	set_open(d, false); /* they wait in the kernel's queue */
	return false;
}

/* A few at a time: who connects as fast as we accept must not keep us from those who are connected. */
static void on_knock(evutil_socket_t fd, short what, void *ctx)
{
	struct door *door = ctx;
	struct turn t = { 0 };

	(void)what;
	while (have_place(door->all, fd) && accept_one(door, fd, &t))
		;
}

int doors_new(struct clients *all, int spare_of, struct doors **ret)
{
	struct doors *d = calloc(1, sizeof(*d));

	if (d == NULL)
		return -ENOMEM;
	*d = (struct doors){ .clients = all, .spare_fd = dup(spare_of), .spare_of = spare_of };
	d->pause = evtimer_new(all->env->base, on_pause_over, d);
	if (d->spare_fd < 0)
		return -errno; /* at start: the process ends */
	*ret = d;
	return d->pause ? 0 : -ENOMEM;
}

int doors_add(struct doors *d, int fd, const struct client_kind *kind, void *service)
{
	struct door *door = &d->list[d->n];

	*door = (struct door){ .all = d, .kind = kind, .service = service };
	door->readable = event_new(d->clients->env->base, fd, EV_READ | EV_PERSIST, on_knock, door);
	if (!door->readable || event_add(door->readable, NULL) < 0)
		return -ENOMEM;
	d->n++;
	return 0;
}
