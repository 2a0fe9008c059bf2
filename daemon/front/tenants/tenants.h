/* What the operator set for tenants, single ones and all, as the queue, the spool and the buckets of rate.h want it. */
#pragma once

#include "budget.h"
#include "config.h"
#include "queue.h"
#include "rate.h"

/* For as long as this process lives: others borrow from it. */
struct tenants {
	struct queue_share *slots; /* config's n_tenants of each */
	struct budget_share *rooms;
	struct rate_share *rates;
	struct rate *rate;
};

/* Return: 0; -ENOMEM. */
int tenants_init(struct tenants *t, const struct config *c);
/* Slots that a tenant may hold; 0: any. */
unsigned tenants_slots(const struct config *c);
