/* A queue of jobs, whatever carries it.  It is a hint: what it loses is put back from the inventory, what it gives twice is
 * recorded once.  A job that was fetched is leased: nobody else gets it before the lease is over. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "job.h"

#define QUEUE_DONE_MAX 256 /* jobs at once */
#define QUEUE_LEASE_S 60   /* extended at each third of it while a job is worked on */

struct queue_job {
	int64_t item;                          /* its number in the inventory */
	int64_t token;                         /* the lease */
	unsigned deliveries, attempts, faults; /* deliveries: with this one */
	struct fleet_job job;
};

struct queue {
	void *ctx;

	/* Up to @n jobs of a lane that are ready.  Return: how many, or -EIO. */
	int (*fetch)(void *ctx, enum job_lane lane, size_t n, struct queue_job *ret);
	/* Return: 0; -ENOENT: the lease is another's now; -EIO. */
	int (*extend)(void *ctx, const struct queue_job *job);
	/* They are answered: forget them. */
	int (*done)(void *ctx, const struct queue_job *const *jobs, size_t n);
	/* Later again.  @counts: as an attempt; @fault: the worker died of it. */
	int (*retry)(void *ctx, const struct queue_job *job, unsigned delay_s, bool counts, bool fault);
	/* For a person: it is taken out, and stands in the list of what failed. */
	int (*set_aside)(void *ctx, const struct queue_job *job, const char *cause);
};
