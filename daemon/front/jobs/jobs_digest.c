/* The digest, which no worker takes.  Of a body the spool does (spool.h), while a worker may read it already; of a descriptor a
 * digester (digesters.h), while its worker judges what lies in the digester's memory. */
#include "jobs_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "memory_file.h"

/* ---- of a body ---- */

bool scan_awaits_digest(const struct scan *s)
{
	return s->worker.digest.by || (s->spool && !spool_digest(s->spool) && spool_error(s->spool) == 0);
}

static void take_digest(struct scan *s)
{
	const uint8_t *sha256 = spool_digest(s->spool);

	s->expect.has_taken = sha256 != NULL;
	if (sha256 != NULL)
		memcpy(s->expect.taken, sha256, sizeof(s->expect.taken));
}

static void on_spool(void *ctx)
{
	struct scan *s = ctx;

	if (scan_awaits_digest(s))
		return;
	take_digest(s);
	if (scan_phase_has_worker(s->phase) && s->worker.exited && s->worker.output < 0)
		scan_event(s, SCAN_EV_OVER);
}

void scan_expect_digest(struct scan *s)
{
	spool_hand_over(s->spool, on_spool, s);
	s->expect.taken_by = DIGEST_BY_FRONT;
	take_digest(s);
}

/* ---- of a descriptor ---- */

bool scan_wants_digester(const struct scan *s)
{
	return !s->spool && !s->input_is_ours && s->source != VERDICT_SPOOL && !s->claims;
}

/* The worker is told of what the digester has read on the socket it reports by. */
int scan_start_digest(struct scan *s, struct digester *d)
{
	struct scan_worker *w = &s->worker;
	const struct digester_job job = { .size = s->expect.size, .way = w->way };

	return digest_start(d, &w->digest, &job, s->input, w->by_socket ? w->output : -1);
}

void scan_on_digested(struct scan *s, int error, const uint8_t *sha256)
{
	struct scan_worker *w = &s->worker;
	enum wlk_cause cause = sha256 ? cause_from_digest(error) : WLK_CAUSE_INTERNAL;

	s->expect.has_taken = cause == WLK_CAUSE_NONE;
	if (s->expect.has_taken)
		memcpy(s->expect.taken, sha256, sizeof(s->expect.taken));
	if (s->phase == SCAN_LOST || s->phase == SCAN_LOST_RECORDING) {
		if (w->exited)
			scan_event(s, SCAN_EV_OVER);
		return;
	}
	if (w->cause == WLK_CAUSE_NONE && cause != WLK_CAUSE_NONE && !scan_drops_digest(s)) {
		if (!w->exited || w->status == 0) /* how a worker died tells more */
			w->cause = cause;
		if (!w->exited || w->output >= 0) {
			scan_event(s, SCAN_EV_BAD);
			return;
		}
	}
	if (w->exited && w->output < 0)
		scan_check_over(s);
}

/* ---- of a descriptor whose digest is claimed ---- */

/* A file of ours that says what is there of it, and what it must be.  Return: a descriptor; negative errno. */
static int make_document(const struct facts *base, const char *present, uint64_t *ret_size)
{
	struct partial *p = calloc(1, sizeof(*p));
	uint8_t *at = malloc(PARTIAL_DOCUMENT_MAX);
	int fd = -ENOMEM, r;

	if (p != NULL && at != NULL) {
		if (present[0] != '\0')
			(void)partial_read_ranges(bytes_of_text(present), p);
		p->known = base != NULL;
		p->n_blocks = base != NULL ? base->n_blocks : 0;
		if (p->n_blocks > 0)
			memcpy(p->blocks, base->blocks, p->n_blocks * sizeof(p->blocks[0]));
		*ret_size = partial_encode(p, at);
		fd = memory_file_new("weighlock-claim");
	}
	if (fd >= 0) {
		r = memory_file_write(fd, at, (size_t)*ret_size, 0);
		r = r < 0 ? r : memory_file_seal(fd);
		if (r < 0) {
			(void)close(fd);
			fd = r;
		}
	}
	free(p);
	free(at);
	return fd;
}

bool scan_claim(struct scan *s, struct facts *base, const uint8_t sha256[32], const char *present)
{
	int fd = make_document(base, present, &s->document_size);

	if (fd < 0)
		return false;
	s->document = fd;
	s->claims = true;
	s->base = base;
	s->expect.has_taken = true;
	memcpy(s->expect.taken, sha256, sizeof(s->expect.taken));
	return true;
}

/* ---- kept ---- */

void scan_keep(struct scan *s, const struct verdict_context *c)
{
	const struct report_final *end = &s->worker.facts->final;
	const struct keep_about about = { .policy = s->policy,
		.name = s->name,
		.uid = s->peer_uid,
		.size = s->expect.size,
		.sha256 = end->sha256,
		.final = end,
		.context = c };
	struct keep *k = s->worker.keep;

	s->worker.keep = NULL;
	if (k == NULL)
		return;
	if (end->complete && end->has_digest)
		keep_put(k, &about);
	else
		keep_refuse(k);
}
