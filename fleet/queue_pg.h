/* The queue in PostgreSQL itself: leases by FOR UPDATE SKIP LOCKED.  What it loses in a crash (synchronous_commit is off for it) is
 * a lease or a count, for a job goes only after its answer is on disk. */
#pragma once

#include "database.h"
#include "queue.h"

struct queue_pg {
	struct database *db;
	const char *node; /* who leases, for people */
};

/* @p: lives as long as the queue. */
void queue_pg_init(struct queue_pg *p, struct queue *ret);
