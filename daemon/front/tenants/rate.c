/* A bucket is one number, the time at which it will be full again: nothing has to be filled as time passes, and what is
 * left in it is a minute less the time until then (the generic cell rate algorithm, ITU-T I.371, annex A, as a leaky
 * bucket seen from the other side).  What is taken moves that time on. */
#include "rate.h"

#define DEBT_MAX_NS (UINT64_C(100) * 365 * 86400 * 1000000000) /* a hundred years: sums stay far from 2^64 */

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

/* ---- the table ---- */

static uint64_t ahead(uint64_t full_ns, uint64_t now_ns)
{
	return full_ns > now_ns ? full_ns - now_ns : 0;
}

uint64_t rate_debt_ns(const struct tenants *t, const struct tenant *e)
{
	uint64_t now_ns = t->now_ms * 1000000;

	return e->in_common ? 0 : ahead(e->buckets.files_ns, now_ns) + ahead(e->buckets.bytes_ns, now_ns);
}

bool rate_common_owes(const struct tenants *t)
{
	return ahead(t->common.files_ns, t->now_ms * 1000000) + ahead(t->common.bytes_ns, t->now_ms * 1000000) > 0;
}

void rate_take_over_debt(struct tenants *t, const struct tenant *e)
{
	if (e->in_common)
		return;
	if (e->buckets.files_ns > t->common.files_ns)
		t->common.files_ns = e->buckets.files_ns;
	if (e->buckets.bytes_ns > t->common.bytes_ns)
		t->common.bytes_ns = e->buckets.bytes_ns;
}

/* ---- the two questions ---- */

/* What applies to a tenant, a minute. */
struct limits_of {
	uint64_t files, bytes;
};

static struct limits_of limits_of(const struct tenants *t, const struct tenant *e)
{
	const struct config_tenant *own = e ? e->own : NULL;

	return (struct limits_of){ .files = own && own->files_per_minute > 0 ? own->files_per_minute : t->files_each,
		.bytes = own && own->bytes_per_minute > 0 ? own->bytes_per_minute : t->bytes_each };
}

static bool is_any(struct limits_of l)
{
	return l.files == RATE_OFF && l.bytes == RATE_OFF;
}

static struct tenant_buckets *buckets_of(struct tenants *t, struct tenant *e)
{
	return e != NULL && !e->in_common ? &e->buckets : &t->common;
}

unsigned rate_wait_s(struct tenants *t, const char *tenant, uint64_t files, uint64_t now_ms)
{
	struct tenant *e = tenant_find(t, tenant);
	const struct tenant_buckets *b = buckets_of(t, e);
	const struct limits_of l = limits_of(t, e);
	uint64_t now_ns = now_ms * 1000000, by_files, by_bytes, s;

	tenants_at(t, now_ms);
	if (is_any(l))
		return 0;
	by_files = wait_ns(b->files_ns, files_ns(files, l.files), now_ns);
	by_bytes = wait_ns(b->bytes_ns, bytes_ns(1, l.bytes), now_ns);
	s = ((by_files > by_bytes ? by_files : by_bytes) + 999999999) / 1000000000;
	return s < RATE_WAIT_MAX_S ? (unsigned)s : RATE_WAIT_MAX_S;
}

void rate_pay(struct tenants *t, const char *tenant, uint64_t files, uint64_t bytes, uint64_t now_ms)
{
	struct tenant *e = tenant_find(t, tenant);
	const struct limits_of l = limits_of(t, e);
	uint64_t now_ns = now_ms * 1000000;
	struct tenant_buckets *b;

	tenants_at(t, now_ms);
	if (is_any(l))
		return;
	b = buckets_of(t, e ? e : tenant_know(t, tenant));
	take(&b->files_ns, files_ns(files, l.files), now_ns);
	take(&b->bytes_ns, bytes_ns(bytes, l.bytes), now_ns);
}
