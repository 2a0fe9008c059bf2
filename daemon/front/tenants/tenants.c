/* See tenants.h. */
#include "tenants.h"

#include <errno.h>
#include <stdlib.h>

_Static_assert(RATE_OFF == CONFIG_RATE_OFF, "rates are copied");

/* With few slots one less would cost those who are alone too much; and nobody waits for long, since one slot is never a
 * large file's (queue.h), and what holds it has a minute or two. */
unsigned tenants_slots(const struct config *c)
{
	if (c->workers_per_tenant > 0)
		return c->workers_per_tenant;
	return c->workers >= 4 ? c->workers - 1 : 0;
}

static void copy(struct tenants *t, const struct config *c)
{
	for (size_t i = 0; i < c->n_tenants; i++) {
		const struct config_tenant *from = &c->tenants[i];

		t->slots[i] =
		    (struct queue_share){ .tenant = from->name, .slots = from->workers, .items = from->queue_max };
		t->rooms[i] = (struct budget_share){ .tenant = from->name, .bytes = from->spool_bytes };
		t->rates[i] = (struct rate_share){ .tenant = from->name,
			.limits = { .files = from->files_per_minute, .bytes = from->bytes_per_minute } };
	}
}

int tenants_init(struct tenants *t, const struct config *c)
{
	const struct rate_limits each = { .files = c->files_per_minute_per_tenant,
		.bytes = c->bytes_per_minute_per_tenant };

	t->slots = calloc(c->n_tenants + 1, sizeof(*t->slots));
	t->rooms = calloc(c->n_tenants + 1, sizeof(*t->rooms));
	t->rates = calloc(c->n_tenants + 1, sizeof(*t->rates));
	if (!t->slots || !t->rooms || !t->rates)
		return -ENOMEM;
	copy(t, c);
	t->rate = rate_new(&each, t->rates, c->n_tenants);
	return t->rate ? 0 : -ENOMEM;
}
