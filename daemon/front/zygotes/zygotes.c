/* See zygotes.h. */
#include "zygotes.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "channel.h"
#include "clock.h"
#include "control.h"
#include "log.h"
#include "sandbox.h"

struct zygote_link {
	struct zygotes *owner;
	struct zygote_link *next;
	int channel;
	struct event *readable, *writable;
	uint64_t number;
	int layer_errno[SANDBOX_N_LAYERS];
	struct digesters *digesters;
	struct zygote_job *jobs; /* given to it and not ended */
	uint64_t given;          /* jobs in all */
	uint64_t since_ms;
	bool retired;   /* takes no new job; its channel closes after its last one */
	bool receiving; /* do not free under our own feet */
	bool pinged;
	uint64_t pinged_ms;
};

struct zygotes {
	struct env *env;
	struct zygotes_owner owner;
	struct zygote_link *links, *current;
	struct event *ping_timer, *retire_timer;
	uint64_t last_job;
	uint64_t number;     /* of the latest: what a successor is asked for by */
	uint64_t retired_ms; /* when one was retired last */
	bool renewing;       /* a successor of `current` was asked for, which serves until it is there */
};

static void ask(struct zygotes *z, bool kill_it)
{
	z->owner.tell(z->owner.ctx, CONTROL_WANT_ZYGOTE, z->number, kill_it);
}

static void link_free(struct zygote_link *l)
{
	struct zygote_link **at = &l->owner->links;

	while (*at != l)
		at = &(*at)->next;
	*at = l->next;
	if (l->owner->current == l)
		l->owner->current = NULL;
	digesters_end(l->digesters);
	if (l->readable)
		event_free(l->readable);
	if (l->writable)
		event_free(l->writable);
	close(l->channel);
	free(l);
}

/* It has ended, or hangs and is to be killed: its jobs begin anew elsewhere.  Where even SIGKILL must wait, closing
 * the channel and the reports' pipes is all that can be done. */
static void gone(struct zygote_link *l, bool hangs)
{
	struct zygotes *z = l->owner;
	bool was_current = z->current == l;

	z->current = was_current ? NULL : z->current;
	l->receiving = true; /* the last job to go must not free it */
	while (l->jobs) {
		struct zygote_job *job = l->jobs;

		z->owner.lost(z->owner.ctx, job);
		assert(l->jobs != job);
	}
	link_free(l);
	if (!was_current)
		return;
	log_line(hangs ? "the zygote does not answer; replacing it" : "the zygote has ended; asking for another");
	ask(z, hangs);
}

static void retire(struct zygote_link *l)
{
	struct zygotes *z = l->owner;

	l->retired = true;
	z->current = NULL;
	z->retired_ms = clock_now_ms();
	z->env->tally.zygotes_retired++;
	ask(z, false);
	if (!l->jobs && !l->receiving)
		link_free(l);
}

bool zygotes_are_worn(uint64_t jobs, uint64_t age_ms)
{
	return jobs >= ZYGOTES_JOBS_MAX || (jobs > 0 && age_ms >= ZYGOTES_AGE_MS);
}

static void renew_if_worn(struct zygotes *z)
{
	const struct zygote_link *l = z->current;

	if (l == NULL || z->renewing || !zygotes_are_worn(l->given, clock_now_ms() - l->since_ms))
		return;
	z->renewing = true;
	ask(z, false);
}

/* Its successor is there. */
static void replace(struct zygote_link *l)
{
	l->retired = true;
	if (!l->jobs && !l->receiving)
		link_free(l);
}

static void job_ended(struct zygote_link *l, const struct channel_message *m)
{
	struct zygote_job *job = l->jobs;

	if (digesters_heard_end(l->digesters, m->id))
		return;
	while (job != NULL && job->id != m->id)
		job = job->next;
	if (job != NULL)
		l->owner->owner.ended(l->owner->owner.ctx, job, m->status, m->error);
	else
		log_line("zygote %llu speaks of a worker it does not have", (unsigned long long)l->number);
}

static void handle(struct zygote_link *l, const struct channel_message *m)
{
	switch (m->type) {
	case CHANNEL_EXITED: job_ended(l, m); break;
	case CHANNEL_PONG:
		l->pinged = false;
		l->owner->owner.tell(l->owner->owner.ctx, CONTROL_ALIVE, l->number, 0);
		break;
	default: log_line("zygote %llu sent a message of unknown type", (unsigned long long)l->number); break;
	}
}

static void on_readable(evutil_socket_t fd, short what, void *ctx)
{
	struct zygote_link *l = ctx;
	int r;

	(void)what;
	l->receiving = true;
	for (;;) {
		struct channel_message m;

		r = channel_recv_one(fd, &m, NULL); /* a zygote has nothing to give */
		if (r <= 0 && r != -EBADMSG)
			break;
		if (r > 0)
			handle(l, &m);
	}
	l->receiving = false;
	if (r != -EAGAIN)
		gone(l, false);
	else if (l->retired && !l->jobs)
		link_free(l);
}

/* With -EAGAIN on_writable() is called when there is room. */
static int send_to(
    struct zygote_link *l, const struct channel_message *m, const void *appendix, const int *fds, size_t n_fds)
{
	int r = channel_send_with(l->channel, m, appendix, fds, n_fds);

	if (r == -EAGAIN)
		event_add(l->writable, NULL);
	return r;
}

static void send_cancel(struct zygote_job *job)
{
	const struct channel_message m = { .type = CHANNEL_CANCEL, .id = job->id };

	job->cancel_waits = send_to(job->link, &m, NULL, NULL, 0) == -EAGAIN;
}

static void on_writable(evutil_socket_t fd, short what, void *ctx)
{
	struct zygote_link *l = ctx;

	(void)fd;
	(void)what;
	for (struct zygote_job *job = l->jobs; job; job = job->next) {
		if (job->cancel_waits)
			send_cancel(job);
	}
	digesters_writable(l->digesters);
	l->owner->owner.room(l->owner->owner.ctx);
}

static void ping(struct zygote_link *l)
{
	const struct channel_message m = { .type = CHANNEL_PING };
	uint64_t now = clock_now_ms();

	if (l->pinged && now - l->pinged_ms >= ZYGOTES_HANG_MS) {
		l->owner->env->tally.zygotes_retired++;
		gone(l, true);
		return;
	}
	if (l->pinged || send_to(l, &m, NULL, NULL, 0) < 0)
		return;
	l->pinged = true;
	l->pinged_ms = now;
}

static void on_ping(evutil_socket_t fd, short what, void *ctx)
{
	struct zygotes *z = ctx;

	(void)fd;
	(void)what;
	renew_if_worn(z);
	if (z->current)
		ping(z->current);
	else
		ask(z, false); /* the monitor knows by the number whether it has heard this before */
}

static void on_retire(evutil_socket_t fd, short what, void *ctx)
{
	struct zygotes *z = ctx;

	(void)fd;
	(void)what;
	if (z->current)
		retire(z->current);
}

int zygotes_new(struct env *env, const struct zygotes_owner *owner, struct zygotes **ret)
{
	const struct timeval every = { .tv_sec = ZYGOTES_PING_MS / 1000 };
	struct zygotes *z = calloc(1, sizeof(*z));

	if (z == NULL)
		return -ENOMEM;
	z->env = env;
	z->owner = *owner;
	z->ping_timer = event_new(env->base, -1, EV_PERSIST, on_ping, z);
	z->retire_timer = evtimer_new(env->base, on_retire, z);
	if (!z->ping_timer || !z->retire_timer || event_add(z->ping_timer, &every) < 0)
		return -ENOMEM; /* at start: the process ends */
	ask(z, false);
	*ret = z;
	return 0;
}

void zygotes_add(struct zygotes *z, int channel, uint64_t number, const int32_t *layer_errno)
{
	struct zygote_link *l = calloc(1, sizeof(*l)), *old = z->current;

	z->number = number;
	z->renewing = false;
	if (l == NULL) {
		close(channel); /* ends it; the ping timer asks again */
		return;
	}
	*l = (struct zygote_link){ .owner = z, .next = z->links, .channel = channel, .number = number };
	l->since_ms = clock_now_ms();
	z->links = l;
	for (size_t i = 0; i < SANDBOX_N_LAYERS; i++)
		l->layer_errno[i] = layer_errno[i];
	l->readable = event_new(z->env->base, channel, EV_READ | EV_PERSIST, on_readable, l);
	l->writable = event_new(z->env->base, channel, EV_WRITE, on_writable, l);
	l->digesters = digesters_new(z->env->base, &z->env->files, channel, l->writable, &z->last_job,
	    &(struct digesters_owner){ .room = z->owner.room, .digested = z->owner.digested, .ctx = z->owner.ctx });
	if (!l->readable || !l->writable || !l->digesters || event_add(l->readable, NULL) < 0) {
		link_free(l);
		return;
	}
	z->current = l;
	if (old != NULL)
		replace(old);
	z->env->tally.zygotes_started++;
	z->owner.room(z->owner.ctx);
}

struct zygote_link *zygotes_current(const struct zygotes *z)
{
	return z->current;
}

void zygotes_suspect(struct zygote_link *l)
{
	struct zygotes *z = l->owner;
	uint64_t since = clock_now_ms() - z->retired_ms;
	struct timeval wait;

	if (l != z->current)
		return;
	if (z->retired_ms == 0 || since >= ZYGOTES_RETIRE_MS) {
		retire(l);
		return;
	}
	wait = (struct timeval){ .tv_usec = (suseconds_t)(ZYGOTES_RETIRE_MS - since) * 1000 };
	if (!evtimer_pending(z->retire_timer, NULL))
		evtimer_add(z->retire_timer, &wait);
}

static void attach(struct zygote_job *job, struct zygote_link *l)
{
	job->link = l;
	job->prev = NULL;
	job->next = l->jobs;
	if (job->next)
		job->next->prev = job;
	l->jobs = job;
}

int zygote_give(struct zygote_link *l, struct zygote_job *job, struct channel_message *m, const void *appendix,
    const int *fds, size_t n_fds)
{
	int r;

	*job = (struct zygote_job){ .id = ++l->owner->last_job };
	m->id = job->id;
	r = send_to(l, m, appendix, fds, n_fds);
	if (r < 0)
		return r;
	attach(job, l);
	l->given++;
	renew_if_worn(l->owner);
	return 0;
}

void zygote_cancel(struct zygote_job *job)
{
	if (job->link)
		send_cancel(job);
}

void zygote_detach(struct zygote_job *job)
{
	struct zygote_link *l = job->link;

	if (l == NULL)
		return;
	if (job->prev)
		job->prev->next = job->next;
	else
		l->jobs = job->next;
	if (job->next)
		job->next->prev = job->prev;
	*job = (struct zygote_job){ 0 };
	if (l->retired && !l->jobs && !l->receiving)
		link_free(l);
}

struct digesters *zygote_digesters(const struct zygote_link *l)
{
	return l->digesters;
}

const int *zygote_layers(const struct zygote_link *l)
{
	return l->layer_errno;
}

uint64_t zygote_number(const struct zygote_link *l)
{
	return l->number;
}
