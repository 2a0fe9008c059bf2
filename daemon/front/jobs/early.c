/* Workers that follow an upload.
 *
 * A large body of known length is scanned while it arrives: its worker gets the file that is being written, and by the
 * socket it reports on is told how much of it is there (lib/core/arrival.h).  The rules that keep this from costing
 * anybody anything:
 *   - It gets a slot nobody else wants, and never the last (queue_start_early()).
 *   - It keeps the slot, while somebody waits for one, only as long as the body comes faster than the slowest storage
 *     a scan may have; and never beyond its deadline.  Else it is withdrawn: killed, with no harm to its zygote.
 *   - Its report counts only if the worker ended after the whole body was here and because it wanted to.  Whatever
 *     else happens (withdrawn, dead, its zygote gone, done too soon) is as if it had never been, and the body is scanned
 *     from the spool like any other.  So a verdict cannot depend on how a client sent its bytes.
 *   - There is one early worker a scan, and none for a tenant whose files have been killing workers: trying again must
 *     not be a second try for less. */
#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "jobs_impl.h"

void early_stop_pacing(struct scan *s)
{
	if (s->worker.pace)
		event_free(s->worker.pace);
	s->worker.pace = NULL;
}

static void on_pace(evutil_socket_t fd, short what, void *ctx)
{
	struct scan *s = ctx;
	bool slow = s->arrived - s->worker.paced < LIMIT_DEADLINE_BYTES_PER_S * JOBS_PACE_S;

	(void)fd;
	(void)what;
	s->worker.paced = s->arrived;
	if (slow && queue_counts(s->jobs->parts.queue).waiting > 0)
		scan_event(s, SCAN_EV_SLOW);
}

/* The marks of a whole file fit into the socket at once, so the worker need not keep up. */
static void tell_arrived(struct scan *s)
{
	struct scan_worker *w = &s->worker;
	uint64_t step = s->expect.size / JOBS_MARKS;

	if (s->arrived == w->told || (s->arrived - w->told < step && s->arrived < s->expect.size))
		return;
	w->told = s->arrived;
	/* Other errors mean that it has closed its end: what it died of is about to be heard. */
	if (send(w->output, &w->told, sizeof(w->told), MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno == EAGAIN)
		scan_event(s, SCAN_EV_SLOW); /* it would wait for ever */
}

static int start_following(struct scan *s, int body_fd)
{
	const struct timeval every = { .tv_sec = JOBS_PACE_S };
	struct scan_worker *w = &s->worker;
	int r;

	w->by_socket = true;
	w->paced = s->arrived;
	w->early_fd = fcntl(body_fd, F_DUPFD_CLOEXEC, 0);
	w->pace = event_new(s->jobs->parts.env->base, -1, EV_PERSIST, on_pace, s);
	if (w->early_fd < 0 || !w->pace || event_add(w->pace, &every) < 0)
		r = -ENOMEM;
	else
		r = scan_start(s, zygotes_current(s->jobs->parts.zygotes));
	if (r < 0)
		scan_forget_worker(s);
	return r;
}

static void start_early(struct scan *s, const struct spool_growth *g)
{
	struct jobs *j = s->jobs;

	if (s->followed || g->length < JOBS_EARLY_MIN || !zygotes_current(j->parts.zygotes) ||
	    strikes_pace(j->parts.tenants, s->tenant, clock_now_ms()) ||
	    !queue_start_early(j->parts.queue, &s->item, g->length))
		return;
	s->followed = true;
	s->source = VERDICT_SPOOL;
	s->expect.size = g->length;
	s->expect.taken_by = DIGEST_BY_FRONT;
	if (start_following(s, g->fd) == 0) {
		scan_event(s, SCAN_EV_FOLLOWED);
		j->parts.env->tally.early_started++;
	} else {
		queue_take_back(j->parts.queue, &s->item);
	}
}

void scan_follow(struct scan *s, const struct spool *spool)
{
	struct spool_growth g;

	if (!spool_growing(spool, &g) || g.written < g.length / JOBS_MARKS)
		return;
	s->arrived = g.written;
	if (s->phase == SCAN_ADMITTED)
		start_early(s, &g);
	if (s->phase == SCAN_FOLLOWING && s->worker.output >= 0)
		tell_arrived(s);
}
