/* How much a tenant may send in a minute: files, bytes, or both.  A bucket for each, which holds a minute's worth, so that
 * as much may come at once; what is taken flows in again evenly.
 *
 * A file is taken in while anything is left, and paid for in full, though that be more than was left: how large it is may
 * only be known at its end, and one that is larger than the bucket must get in, too.  The debt is worked off before the
 * next.  So over any time a tenant gets no more than that time's worth, a full bucket, and what was under way.
 *
 * Memory is constant.  Tenants whom the operator names have buckets of their own; the others share RATE_TENANTS places.
 * A bucket that is full again is as good as none, so its place may be given to somebody else, and no other's.  Where there
 * is no place, all who have none share one more, the common bucket, and who gets a place begins with what is left in that.
 * So whatever names somebody makes up, none of them ever has more left than a bucket of its own would hold.
 *
 * A pure data structure: the caller brings the clock. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "queue.h"

#define RATE_TENANTS 1024
#define RATE_OFF UINT64_MAX                  /* any rate */
#define RATE_MINUTE_NS UINT64_C(60000000000) /* what a bucket holds, as time */
#define RATE_WAIT_MAX_S 86400u /* what a client is told at most: somebody may have changed the limits by then */

/* A minute's. */
struct rate_limits {
	uint64_t files, bytes; /* at least 1; RATE_OFF: any */
};

/* A tenant with limits of its own. */
struct rate_share {
	const char *tenant;
	struct rate_limits limits; /* 0: as everybody */
};

struct rate;

/* @shares: borrowed for good.  Return: NULL without memory.  All memory it will ever use is taken here. */
struct rate *rate_new(const struct rate_limits *limits, const struct rate_share *shares, size_t n_shares);
void rate_free(struct rate *r); /* NULL is fine */

/**
 * rate_wait_s() - may this tenant send more?
 * @tenant: 1..QUEUE_TENANT_MAX bytes.  @now_ms: of a clock that never goes back
 * @files: so many, 1 or 0, must be left besides a byte; 0: the file is counted already
 * Takes nothing.  Return: 0: yes; else seconds until it may ask again, at most RATE_WAIT_MAX_S.
 */
unsigned rate_wait_s(struct rate *r, const char *tenant, uint64_t files, uint64_t now_ms);

/* It has sent so much.  @files: at most 2^24. */
void rate_pay(struct rate *r, const char *tenant, uint64_t files, uint64_t bytes, uint64_t now_ms);
