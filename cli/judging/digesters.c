/* The command's digesters (sandbox/digester.h): as many as there have been files under way at a time, each of the zygote that
 * has the worker.  See local_impl.h. */
#include "local_impl.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "cleanup.h"

#define READY_WAIT_MS 1000 /* a fork takes less than one */

static void forget(struct digester *d)
{
	struct digester **at = &d->herd->digesters;

	while (*at != d)
		at = &(*at)->next;
	*at = d->next;
	if (d->work != NULL)
		d->work->digester = NULL;
	closep(&d->channel);
	closep(&d->memory);
	free(d);
}

/* It may be waiting for storage that never answers: nobody waits for it. */
static void end(struct digester *d)
{
	const struct channel_message m = { .type = CHANNEL_CANCEL, .id = d->id };

	(void)channel_send(d->herd->zygote.channel, &m, NULL, 0);
	forget(d);
}

static struct digester *ask(struct local *l, struct herd *h)
{
	struct digester *d = calloc(1, sizeof(*d));
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = d };

	if (d == NULL)
		return NULL;
	*d = (struct digester){ .watch = WATCH_DIGESTER, .herd = h, .id = ++l->next_id, .channel = -1, .memory = -1 };
	if (digester_ask(h->zygote.channel, d->id, &d->channel) < 0) {
		free(d);
		return NULL;
	}
	d->next = h->digesters;
	h->digesters = d;
	if (epoll_ctl(l->base.epoll_fd, EPOLL_CTL_ADD, d->channel, &event) == 0)
		return d;
	end(d);
	return NULL;
}

void digester_prepare(struct local *l, struct herd *h)
{
	(void)ask(l, h);
}

/* Return: 1: it has said something; -EAGAIN: nothing yet; or it is gone, and freed. */
static int hear(struct digester *d, struct digester_word *ret)
{
	int memory, r = digester_hear(d->channel, ret, &memory);

	if (r == 1 && ret->ready) {
		if (d->memory >= 0)
			close(d->memory);
		d->ready = true;
		d->resting = false;
		d->memory = memory;
	}
	if (r != 1 && memory >= 0)
		close(memory);
	if (r != 1 && r != -EAGAIN)
		end(d);
	return r;
}

struct work *digester_read(struct digester *d, enum wlk_cause *ret_cause)
{
	struct work *work = d->work;
	struct digester_word word;
	int r = hear(d, &word);

	if (work == NULL || r == -EAGAIN || (r == 1 && !word.done))
		return NULL;
	*ret_cause = r == 1 ? cause_from_digest(word.error) : WLK_CAUSE_INTERNAL;
	if (r != 1)
		return work;
	d->resting = !d->ready;
	work->expect.has_taken = word.error == 0;
	memcpy(work->expect.taken, word.sha256, sizeof(work->expect.taken));
	work->digester = NULL;
	d->work = NULL;
	return work;
}

/* One that has no work, best one that has said so. */
static struct digester *idle(const struct herd *h)
{
	struct digester *best = NULL;

	for (struct digester *d = h->digesters; d != NULL; d = d->next) {
		if (d->work == NULL && !d->resting && (best == NULL || d->ready))
			best = d;
	}
	return best;
}

struct digester *digester_free(struct local *l, struct herd *h)
{
	struct digester *d = idle(h);
	struct digester_word word;

	if (d == NULL)
		d = ask(l, h);
	while (d != NULL && !d->ready) {
		struct pollfd p = { .fd = d->channel, .events = POLLIN };
		int n = poll(&p, 1, READY_WAIT_MS);
		int r = n == 1 ? hear(d, &word) : n < 0 && errno == EINTR ? -EAGAIN : -ETIMEDOUT;

		if (r == -ETIMEDOUT)
			end(d);
		if (r != 1 && r != -EAGAIN)
			d = NULL;
	}
	return d;
}

int digester_start(struct digester *d, struct work *work, int marks)
{
	const struct digester_job job = { .size = work->task->input.size, .way = work->way };

	d->work = work;
	d->ready = false;
	closep(&d->memory);
	d->memory = -1;
	return digester_give(d->channel, &job, work->task->input.fd, marks);
}

void digester_drop(struct work *work)
{
	struct digester *d = work->digester;

	work->digester = NULL;
	if (d != NULL && d->work != NULL)
		end(d);
}

void digesters_free(struct herd *h)
{
	while (h->digesters != NULL)
		forget(h->digesters);
}
