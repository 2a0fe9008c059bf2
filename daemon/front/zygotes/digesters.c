/* See digesters.h. */
#include "digesters.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <event2/event.h>

#include "digester.h"
#include "files.h"

enum state {
	ASKED, /* of the zygote; nothing was heard yet */
	FREE,
	BUSY,
	RESTING, /* its word was heard; it is not ready yet */
	KILLED,
};

struct digester {
	struct digesters *of;
	struct digester *next;
	uint64_t id;
	enum state state;
	int channel, memory;
	bool proven;       /* it has been ready once */
	bool cancel_waits; /* KILLED: the order did not fit into the zygote's channel yet */
	struct event *readable;
	struct digest_call *call;
};

struct digesters {
	struct event_base *base;
	struct files *files;
	int zygote;
	struct event *writable; /* the zygote's channel */
	uint64_t *last_job;
	struct digesters_owner owner;
	struct digester *first;
	bool unmade; /* the last one that was asked for never came to be */
};

static void free_one(struct digester *d)
{
	struct digester **at = &d->of->first;

	while (*at != d)
		at = &(*at)->next;
	*at = d->next;
	if (d->readable)
		event_free(d->readable);
	if (d->channel >= 0)
		close(d->channel);
	if (d->memory >= 0)
		close(d->memory);
	if (d->call)
		d->call->by = NULL;
	free(d);
}

static void send_cancel(struct digester *d)
{
	const struct channel_message m = { .type = CHANNEL_CANCEL, .id = d->id };

	d->cancel_waits = channel_send(d->of->zygote, &m, NULL, 0) == -EAGAIN;
	if (d->cancel_waits)
		event_add(d->of->writable, NULL);
}

/* That it has ended is heard from the zygote. */
static void kill_one(struct digester *d)
{
	d->state = KILLED;
	event_del(d->readable);
	close(d->channel);
	d->channel = -1;
	send_cancel(d);
}

static void tell(struct digester *d, int error, const uint8_t *sha256)
{
	struct digesters *ds = d->of;
	struct digest_call *c = d->call;

	d->call = NULL;
	if (c == NULL)
		return;
	c->by = NULL;
	ds->owner.digested(ds->owner.ctx, c, error, sha256);
}

/* A second word about one job would make it free while somebody still waits for it. */
static bool is_its_turn(const struct digester *d, const struct digester_word *word)
{
	switch (d->state) {
	case ASKED:
	case RESTING: return !word->done;
	case BUSY: return word->done;
	default: return false;
	}
}

static void on_word(struct digester *d, const struct digester_word *word, int memory)
{
	struct digesters *ds = d->of;

	if (d->memory >= 0)
		close(d->memory);
	d->memory = memory;
	if (!is_its_turn(d, word)) {
		kill_one(d);
		return;
	}
	d->state = word->ready ? FREE : RESTING;
	d->proven = true;
	if (word->done)
		tell(d, word->error, word->sha256);
	else if (word->ready)
		ds->owner.room(ds->owner.ctx);
}

static void on_readable(evutil_socket_t fd, short what, void *ctx)
{
	struct digester *d = ctx;
	struct digester_word word;
	int memory, r = digester_hear(fd, &word, &memory);

	(void)what;
	if (r == 1) {
		on_word(d, &word, memory);
		return;
	}
	files_close(d->of->files, memory); /* it may be anybody's */
	if (r != -EAGAIN)
		kill_one(d);
}

static int ask(struct digesters *ds)
{
	struct digester *d = calloc(1, sizeof(*d));
	int r;

	if (d == NULL)
		return -ENOMEM;
	*d = (struct digester){ .of = ds, .next = ds->first, .id = ++*ds->last_job, .channel = -1, .memory = -1 };
	ds->first = d;
	r = digester_ask(ds->zygote, d->id, &d->channel);
	if (r == 0)
		d->readable = event_new(ds->base, d->channel, EV_READ | EV_PERSIST, on_readable, d);
	if (r == 0 && (!d->readable || event_add(d->readable, NULL) < 0))
		r = -ENOMEM; /* it ends with its channel */
	if (r < 0)
		free_one(d);
	return r;
}

struct digesters *digesters_new(struct event_base *base, struct files *files, int channel, struct event *writable,
    uint64_t *last_job, const struct digesters_owner *owner)
{
	struct digesters *ds = calloc(1, sizeof(*ds));

	if (ds == NULL)
		return NULL;
	*ds = (struct digesters){ .base = base,
		.files = files,
		.zygote = channel,
		.writable = writable,
		.last_job = last_job,
		.owner = *owner };
	(void)ask(ds);
	return ds;
}

void digesters_writable(struct digesters *ds)
{
	for (struct digester *d = ds->first; d; d = d->next) {
		if (d->cancel_waits)
			send_cancel(d);
	}
}

void digesters_end(struct digesters *ds)
{
	while (ds != NULL && ds->first)
		free_one(ds->first);
	free(ds);
}

bool digesters_heard_end(struct digesters *ds, uint64_t id)
{
	for (struct digester *d = ds->first; d; d = d->next) {
		bool young = !d->proven;

		if (d->id != id)
			continue;
		tell(d, -ECONNRESET, NULL);
		free_one(d);
		ds->unmade = young;
		if (young)
			ds->owner.room(ds->owner.ctx);
		return true;
	}
	return false;
}

int digesters_find(struct digesters *ds, struct digester **ret)
{
	bool coming = false;
	int r;

	for (struct digester *d = ds->first; d; d = d->next) {
		coming = coming || d->state == ASKED;
		if (d->state == FREE) {
			*ret = d;
			return 0;
		}
	}
	if (ds->unmade) {
		ds->unmade = false;
		return -EBUSY;
	}
	if (coming)
		return -EAGAIN;
	r = ask(ds);
	if (r == -EAGAIN)
		event_add(ds->writable, NULL);
	return r == 0 || r == -EAGAIN ? -EAGAIN : -EBUSY;
}

int digester_memory(const struct digester *d)
{
	return d->memory;
}

int digest_start(struct digester *d, struct digest_call *c, const struct digester_job *job, int file, int marks)
{
	int r = digester_give(d->channel, job, file, marks);

	if (r < 0) {
		kill_one(d);
		return r;
	}
	d->state = BUSY;
	d->call = c;
	c->by = d;
	return 0;
}

void digest_kill(const struct digest_call *c)
{
	if (c->by && c->by->state != KILLED)
		kill_one(c->by);
}

bool digest_cancel_waits(const struct digest_call *c)
{
	return c->by && c->by->cancel_waits;
}

void digest_forget(struct digest_call *c)
{
	if (c->by)
		c->by->call = NULL;
	c->by = NULL;
}
