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

#include "jobs_impl.h"
#include "zygotes.h"

bool early_is_void(const struct scan *s)
{
	return s->withdrawn || s->arriving;
}

void early_withdraw(struct scan *s)
{
	if (s->killed)
		return;
	s->withdrawn = true;
	s->jobs->front->metrics.early_withdrawn++;
	scan_kill_worker(s, WLK_CAUSE_CANCELLED);
}

/* When its body is here, or now; or never, when nobody wants it. */
void early_start_over(struct scan *s)
{
	struct front *f = s->jobs->front;
	struct zygote_link *unused;

	if (s->dropped) {
		scan_free(s);
		return;
	}
	unused = scan_detach(s);
	scan_forget_worker(s);
	queue_take_back(f->queue, &s->item);
	if (!s->arriving)
		scan_enqueue(s);
	if (unused)
		zygote_unused(unused);
	jobs_pump(f->jobs);
}

void early_stop_pacing(struct scan *s)
{
	if (s->pace)
		event_free(s->pace);
	s->pace = NULL;
}

static void on_pace(evutil_socket_t fd, short what, void *ctx)
{
	struct scan *s = ctx;
	bool slow = s->arrived - s->paced < LIMIT_DEADLINE_BYTES_PER_S * JOBS_PACE_S;

	(void)fd;
	(void)what;
	s->paced = s->arrived;
	if (slow && queue_counts(s->jobs->front->queue).waiting > 0)
		early_withdraw(s);
}

/* The marks of a whole file fit into the socket at once, so the worker need not keep up. */
static void tell_arrived(struct scan *s)
{
	uint64_t step = s->expect.size / JOBS_MARKS;

	if (s->arrived == s->told || (s->arrived - s->told < step && s->arrived < s->expect.size))
		return;
	s->told = s->arrived;
	/* Other errors mean that it has closed its end: what it died of is about to be heard. */
	if (send(s->output, &s->told, sizeof(s->told), MSG_DONTWAIT | MSG_NOSIGNAL) < 0 && errno == EAGAIN)
		early_withdraw(s); /* it would wait for ever */
}

static int start_following(struct scan *s, int body_fd)
{
	const struct timeval every = { .tv_sec = JOBS_PACE_S };
	int r;

	s->early_fd = fcntl(body_fd, F_DUPFD_CLOEXEC, 0);
	s->pace = event_new(s->jobs->front->base, -1, EV_PERSIST, on_pace, s);
	if (s->early_fd < 0 || !s->pace || event_add(s->pace, &every) < 0)
		r = -ENOMEM;
	else
		r = scan_start(s, zygotes_current(s->jobs->front->zygotes));
	if (r < 0)
		scan_forget_worker(s);
	return r;
}

static void start_early(struct scan *s, const struct spool_growth *g)
{
	struct front *f = s->jobs->front;

	if (s->arriving || g->length < JOBS_EARLY_MIN || !zygotes_current(f->zygotes) ||
	    strikes_pace(&s->jobs->strikes, s->tenant, front_now_ms()) ||
	    !queue_start_early(f->queue, &s->item, g->length))
		return;
	s->arriving = s->early = true;
	s->source = VERDICT_SPOOL;
	s->expect.size = g->length;
	s->told = 0;
	s->paced = s->arrived;
	if (start_following(s, g->fd) == 0)
		f->metrics.early_started++;
	else
		queue_take_back(f->queue, &s->item);
}

void scan_follow(struct scan *s, const struct spool *spool)
{
	struct spool_growth g;

	if (!spool_growing(spool, &g) || g.written < g.length / JOBS_MARKS)
		return;
	s->arrived = g.written;
	start_early(s, &g);
	if (s->early && !s->killed && s->output >= 0)
		tell_arrived(s);
}
