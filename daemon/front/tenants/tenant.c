/* See tenant.h. */
#include "tenant.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "rate.h"
#include "strikes.h"

/* Of two one less would be half.  Of more there is one that a tenant whose storage does not answer cannot hold: with all of
 * them it would keep everybody out for as long as a deadline is, and then for as long as its workers do not end. */
static unsigned slots_each(const struct config *c)
{
	if (c->workers_per_tenant > 0)
		return c->workers_per_tenant;
	return c->workers >= 3 ? c->workers - 1 : 0;
}

struct tenants *tenants_new(const struct config *c)
{
	size_t n = c->n_tenants + TENANTS_MAX;
	struct tenants *t = calloc(1, sizeof(*t) + n * sizeof(t->list[0]));

	if (t == NULL)
		return NULL;
	t->files_each = c->files_per_minute_per_tenant;
	t->bytes_each = c->bytes_per_minute_per_tenant;
	t->items_each = c->queue_max_per_tenant;
	t->slots_each = slots_each(c);
	t->room_each = c->spool_bytes_per_tenant;
	t->n = c->n_tenants;
	t->n_max = n;
	for (size_t i = 0; i < c->n_tenants; i++) {
		t->list[i].own = &c->tenants[i];
		memcpy(t->list[i].name, c->tenants[i].name, strlen(c->tenants[i].name) + 1);
	}
	return t;
}

void tenants_free(struct tenants *t)
{
	free(t);
}

void tenants_at(struct tenants *t, uint64_t now_ms)
{
	t->now_ms = now_ms > t->now_ms ? now_ms : t->now_ms;
}

struct tenant *tenant_find(struct tenants *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++) {
		if (strcmp(t->list[i].name, name) == 0)
			return &t->list[i];
	}
	return NULL;
}

/* ---- forgetting ---- */

static bool holds_something(const struct tenant *e)
{
	return e->own || e->places.items > 0 || e->room[TENANT_FOLDER] > 0 || e->room[TENANT_MEMORY] > 0;
}

/* How far ahead of the present it is: what would be forgiven by forgetting it. */
static uint64_t had_ahead(const struct tenants *t, const struct tenant *e)
{
	uint64_t sum = 0;

	for (size_t lane = 0; lane < TENANT_N_LANES; lane++) {
		if (e->places.served[lane] > t->present[lane])
			sum += e->places.served[lane] - t->present[lane];
	}
	return sum;
}

/* Who of two is missed less? */
static bool is_less(const struct tenants *t, const struct tenant *a, const struct tenant *b)
{
	uint64_t owes_a = rate_debt_ns(t, a), owes_b = rate_debt_ns(t, b);

	if (owes_a != owes_b)
		return owes_a < owes_b;
	if (a->strikes.n > 0 || b->strikes.n > 0)
		return a->strikes.n == 0 || (b->strikes.n > 0 && a->strikes.last_ms < b->strikes.last_ms);
	return had_ahead(t, a) < had_ahead(t, b);
}

/* NULL: all hold something. */
static struct tenant *entry_for_another(struct tenants *t)
{
	struct tenant *best = NULL;

	if (t->n < t->n_max)
		return &t->list[t->n++];
	for (size_t i = 0; i < t->n; i++) {
		struct tenant *e = &t->list[i];

		if (holds_something(e))
			continue;
		strikes_forgive(e, t->now_ms);
		if (best == NULL || is_less(t, e, best))
			best = e;
	}
	return best;
}

/* @even: a debtor, or one that has been struck. */
static struct tenant *get(struct tenants *t, const char *name, bool even)
{
	struct tenant *e = tenant_find(t, name);
	bool owes, struck;
	size_t n = strlen(name);

	assert(n > 0 && n <= TENANT_NAME_MAX);
	if (e != NULL)
		return e;
	e = entry_for_another(t);
	if (e == NULL)
		return NULL;
	owes = rate_debt_ns(t, e) > 0;
	struck = e->strikes.n > 0;
	if ((owes || struck) && !even)
		return NULL;
	rate_take_over_debt(t, e);
	*e = (struct tenant){ .buckets = t->common, .in_common = (owes || e->in_common) && rate_common_owes(t) };
	memcpy(e->name, name, n);
	return e;
}

struct tenant *tenant_know(struct tenants *t, const char *name)
{
	return get(t, name, false);
}

struct tenant *tenant_need(struct tenants *t, const char *name)
{
	return get(t, name, true);
}
