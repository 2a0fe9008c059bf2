/* See keep.h. */
#include "keep.h"

#include <stdlib.h>
#include <string.h>

#include "entry.h"
#include "jobs_impl.h"
#include "keeper_wire.h"
#include "log.h"
#include "sandbox.h"
#include "stored.h"

#define PROGRESS_ROOM \
	((size_t)64 << 10) /* bytes of progress records, which are left out in the end: 8 minutes of them */

#define DRAINING_MAX (UINT64_C(256) << 20) /* bytes of a file: a front that is to end waits no longer than for these */

/* From the start of a scan to the keeper's answer. */
struct keep {
	struct front *front;
	struct keep *prev, *next; /* among the front's, from the scan's end on */
	uint8_t *at;              /* room for the record's fixed part, then the report */
	size_t n, room;           /* of the report */
	bool overflow;
	uint8_t sha256[32];
	uint64_t size;
};

#define HEAD_BYTES (STORE_KEY_BYTES + KEEPER_STORE_FIXED + ENTRY_HEAD)

_Static_assert(HEAD_BYTES + CONFIG_REPORT_MAX <= KEEPER_PAYLOAD_MAX, "the longest report fits into a record");
_Static_assert(ENTRY_HEAD + CONFIG_REPORT_MAX <= STORE_ENTRY_MAX, "and into a row");
_Static_assert(SANDBOX_N_LAYERS <= 32, "a bit a layer");

/* ---- the copy of the report ---- */

struct keep *keep_new(struct front *f)
{
	struct keep *k = f->settings->config.store ? calloc(1, sizeof(*k)) : NULL;

	if (k)
		k->front = f;
	return k;
}

static void keep_free(struct keep *k)
{
	free(k->at);
	free(k);
}

void keep_drop(struct keep *k)
{
	if (k)
		keep_free(k);
}

void keep_add(struct keep *k, const uint8_t *at, size_t n)
{
	size_t max, wanted;
	uint8_t *bigger;

	if (!k || k->overflow)
		return;
	max = (size_t)k->front->settings->config.store_report_max + PROGRESS_ROOM;
	wanted = k->room > 0 ? k->room : 1024;
	while (wanted < max && wanted - k->n < n)
		wanted *= 2;
	wanted = wanted < max ? wanted : max;
	if (wanted - k->n < n) {
		k->overflow = true;
		return;
	}
	bigger = wanted > k->room ? realloc(k->at, HEAD_BYTES + wanted) : k->at;
	if (!bigger) {
		k->overflow = true;
		return;
	}
	k->at = bigger;
	k->room = wanted;
	memcpy(k->at + HEAD_BYTES + k->n, at, n);
	k->n += n;
}

/* ---- under way: the second digest, the keeper ---- */

static void begin(struct keep *k)
{
	k->next = k->front->keeps;
	if (k->next)
		k->next->prev = k;
	k->front->keeps = k;
	jobs_hold(k->front->jobs);
}

/* Counted in @counter. */
static void end(struct keep *k, uint64_t *counter)
{
	struct front *f = k->front;

	if (k->prev)
		k->prev->next = k->next;
	else
		f->keeps = k->next;
	if (k->next)
		k->next->prev = k->prev;
	++*counter;
	keep_free(k);
	jobs_release(f->jobs);
}

bool keep_is_coming(const struct front *f, const uint8_t sha256[32])
{
	for (const struct keep *k = f->keeps; k; k = k->next) {
		if (memcmp(k->sha256, sha256, sizeof(k->sha256)) == 0)
			return true;
	}
	return false;
}

static void on_put(void *ctx, enum keeper_status status, struct bytes answer)
{
	struct keep *k = ctx;
	struct metrics *m = &k->front->metrics;

	(void)answer;
	end(k, status == KEEPER_OK ? &m->store_stored : &m->store_failed);
}

static void put(struct keep *k)
{
	const struct bytes record = bytes_of(k->at, HEAD_BYTES + k->n);

	if (!keeper_ask(k->front->keeper, KEEPER_STORE_PUT, record, on_put, k))
		end(k, &k->front->metrics.store_failed);
}

/* Two workers read one file and saw two: one of them lies, or the storage does. */
static void raise_alarm(const struct keep *k, const uint8_t other[32])
{
	char a[65], b[65];

	for (unsigned i = 0; i < 32; i++) {
		snprintf(a + 2 * i, 3, "%02x", k->sha256[i]);
		snprintf(b + 2 * i, 3, "%02x", other[i]);
	}
	log_line("alarm: two workers disagree about one file: sha256=%s, and then %s, size=%llu; not kept", a, b,
	    (unsigned long long)k->size);
}

static void on_digest(void *ctx, const struct scan_result *r)
{
	struct keep *k = ctx;
	struct metrics *m = &k->front->metrics;
	const struct report_final *end_of_it = r->facts ? &r->facts->final : NULL;

	rows_free(r->rows);
	if (!end_of_it || !end_of_it->has_digest || end_of_it->cause != WLK_CAUSE_NONE) {
		end(k, &m->store_refused);
	} else if (memcmp(end_of_it->sha256, k->sha256, sizeof(k->sha256)) != 0) {
		raise_alarm(k, end_of_it->sha256);
		end(k, &m->store_disagreed);
	} else {
		put(k);
	}
}

/* The record, as keeper_wire.h has it, but for the report behind it. */
static void make_head(struct keep *k, const struct scan *s, const struct verdict_context *c)
{
	const uint64_t owner = c->source == VERDICT_FD ? s->peer_uid : STORED_FOR_ALL;
	struct entry e = {
		.source = c->source, .scanned_at = c->started_at, .us = (uint64_t)(c->duration_ms * 1e3 + 0.5)
	};
	uint8_t *at = k->at;

	for (size_t i = 0; i < c->n_layers; i++)
		e.layers |= c->layer_errno[i] == 0 ? UINT32_C(1) << i : 0;
	stored_key(owner, s->policy, s->name, k->sha256, sandbox_build_id(), at);
	store_u64le(at + STORE_KEY_BYTES, k->size);
	memcpy(at + STORE_KEY_BYTES + 8, k->sha256, sizeof(k->sha256));
	entry_head(&e, at + STORE_KEY_BYTES + KEEPER_STORE_FIXED);
}

static void hand_over_input(struct scan *from, struct scan *to)
{
	struct spool *spool = from->spool;
	int fd = from->input;

	from->spool = NULL;
	from->input = -1;
	if (spool)
		scan_start_spool(to, spool);
	else
		scan_start_fd(to, fd, from->expect.size, from->source == VERDICT_SEALED);
}

static bool ask_for_digest(struct keep *k, struct scan *s)
{
	const struct scan_request r = { .policy = s->policy,
		.name = "",
		.request_id = s->request_id,
		.tenant = s->tenant,
		.lane = QUEUE_BATCH,
		.by_descriptor = s->source == VERDICT_FD,
		.peer_uid = s->peer_uid,
		.peer_pid = s->peer_pid,
		.task = JOB_DIGEST };
	struct scan *second;

	if (scan_admit(k->front->jobs, &r, on_digest, k, &second) != QUEUE_OK)
		return false;
	hand_over_input(s, second);
	return true;
}

/* Is there all of a complete report, and nothing of it too long? */
static bool is_worth_it(struct keep *k, const struct scan *s)
{
	if (k->overflow || k->n == 0 || !s->facts->final.complete || s->input < 0 || s->input_is_ours ||
	    (k->front->draining && s->expect.size > DRAINING_MAX))
		return false;
	k->n = entry_strip(k->at + HEAD_BYTES, k->n);
	return k->n <= k->front->settings->config.store_report_max;
}

void keep_report(struct scan *s, const struct verdict_context *c)
{
	struct keep *k = s->keep;

	s->keep = NULL;
	if (!k)
		return;
	if (!is_worth_it(k, s)) {
		k->front->metrics.store_refused++;
		keep_free(k);
		return;
	}
	k->size = s->expect.size;
	memcpy(k->sha256, s->facts->final.sha256, sizeof(k->sha256));
	make_head(k, s, c);
	begin(k);
	if (!ask_for_digest(k, s))
		end(k, &k->front->metrics.store_refused);
}
