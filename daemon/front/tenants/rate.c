/* A bucket is one number, the time at which it will be full again: nothing has to be filled as time passes, and what is
 * left in it is a minute less the time until then (the generic cell rate algorithm, ITU-T I.371, annex A, as a leaky
 * bucket seen from the other side).  What is taken moves that time on. */
#include "rate.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEBT_MAX_NS (UINT64_C(100) * 365 * 86400 * 1000000000) /* a hundred years: sums stay far from 2^64 */

/* When each is full again, in nanoseconds; 0 is long ago. */
struct buckets {
	uint64_t files_ns, bytes_ns;
};

struct place {
	char tenant[QUEUE_TENANT_MAX + 1]; /* "": free */
	struct buckets buckets;
};

struct rate {
	struct rate_limits limits;
	const struct rate_share *shares;
	size_t n_shares;
	struct buckets *own;   /* of each share */
	struct buckets common; /* of those without a place */
	struct place places[RATE_TENANTS];
};

struct rate *rate_new(const struct rate_limits *limits, const struct rate_share *shares, size_t n_shares)
{
	struct rate *r = calloc(1, sizeof(*r));
	struct buckets *own = calloc(n_shares + 1, sizeof(*own));

	if (!r || !own) {
		free(r);
		free(own);
		return NULL;
	}
	r->limits = *limits;
	r->shares = shares;
	r->n_shares = n_shares;
	r->own = own;
	return r;
}

void rate_free(struct rate *r)
{
	if (r)
		free(r->own);
	free(r);
}

/* ---- one bucket ---- */

/* Rounded down, so that a bucket holds as many as it should. */
static uint64_t files_ns(uint64_t n, uint64_t per_minute)
{
	return per_minute == RATE_OFF ? 0 : n * RATE_MINUTE_NS / per_minute;
}

/* Rounded up: however small the pieces are that they come in, none is for nothing.  A double is exact enough. */
static uint64_t bytes_ns(uint64_t n, uint64_t per_minute)
{
	double ns = (double)n * (double)RATE_MINUTE_NS / (double)per_minute;

	if (per_minute == RATE_OFF)
		return 0;
	if (ns >= (double)DEBT_MAX_NS)
		return DEBT_MAX_NS;
	return (uint64_t)ns + ((double)(uint64_t)ns < ns);
}

static void take(uint64_t *full_ns, uint64_t cost_ns, uint64_t now_ns)
{
	uint64_t from = *full_ns > now_ns ? *full_ns : now_ns, most = now_ns + DEBT_MAX_NS;

	if (cost_ns > 0)
		*full_ns = cost_ns < most - from ? from + cost_ns : most;
}

/* Until so much is left in it; 0: it is. */
static uint64_t wait_ns(uint64_t full_ns, uint64_t cost_ns, uint64_t now_ns)
{
	uint64_t debt = full_ns > now_ns ? full_ns - now_ns : 0;

	return cost_ns == 0 || debt + cost_ns <= RATE_MINUTE_NS ? 0 : debt + cost_ns - RATE_MINUTE_NS;
}

/* ---- whose ---- */

static bool is_full(const struct buckets *b, uint64_t now_ns)
{
	return b->files_ns <= now_ns && b->bytes_ns <= now_ns;
}

/* A place of its own, or one that nobody misses; NULL: neither. */
static struct place *place_of(struct rate *r, const char *tenant, uint64_t now_ns)
{
	struct place *spare = NULL;

	for (size_t i = 0; i < RATE_TENANTS; i++) {
		struct place *p = &r->places[i];

		if (strcmp(p->tenant, tenant) == 0)
			return p;
		if (!spare && is_full(&p->buckets, now_ns))
			spare = p;
	}
	return spare;
}

static struct buckets *buckets_in_common(struct rate *r, const char *tenant, uint64_t now_ns)
{
	struct place *p = place_of(r, tenant, now_ns);

	if (!p)
		return &r->common;
	if (strcmp(p->tenant, tenant) != 0) {
		snprintf(p->tenant, sizeof(p->tenant), "%s", tenant);
		p->buckets = r->common;
	}
	return &p->buckets;
}

/* What applies to a tenant, and what it has left.  Return: false: it may send what it likes. */
static bool find(
    struct rate *r, const char *tenant, uint64_t now_ns, struct rate_limits *ret_limits, struct buckets **ret)
{
	struct buckets *own = NULL;

	*ret_limits = r->limits;
	for (size_t i = 0; i < r->n_shares && !own; i++) {
		const struct rate_limits *l = &r->shares[i].limits;

		if (strcmp(r->shares[i].tenant, tenant) != 0)
			continue;
		own = &r->own[i];
		ret_limits->files = l->files > 0 ? l->files : r->limits.files;
		ret_limits->bytes = l->bytes > 0 ? l->bytes : r->limits.bytes;
	}
	if (ret_limits->files == RATE_OFF && ret_limits->bytes == RATE_OFF)
		return false;
	*ret = own ? own : buckets_in_common(r, tenant, now_ns);
	return true;
}

/* ---- the two questions ---- */

unsigned rate_wait_s(struct rate *r, const char *tenant, uint64_t files, uint64_t now_ms)
{
	uint64_t now_ns = now_ms * 1000000, by_files, by_bytes, s;
	struct rate_limits l;
	struct buckets *b;

	if (!find(r, tenant, now_ns, &l, &b))
		return 0;
	by_files = wait_ns(b->files_ns, files_ns(files, l.files), now_ns);
	by_bytes = wait_ns(b->bytes_ns, bytes_ns(1, l.bytes), now_ns);
	s = ((by_files > by_bytes ? by_files : by_bytes) + 999999999) / 1000000000;
	return s < RATE_WAIT_MAX_S ? (unsigned)s : RATE_WAIT_MAX_S;
}

void rate_pay(struct rate *r, const char *tenant, uint64_t files, uint64_t bytes, uint64_t now_ms)
{
	uint64_t now_ns = now_ms * 1000000;
	struct rate_limits l;
	struct buckets *b;

	if (!find(r, tenant, now_ns, &l, &b))
		return;
	take(&b->files_ns, files_ns(files, l.files), now_ns);
	take(&b->bytes_ns, bytes_ns(bytes, l.bytes), now_ns);
}
