/* How much a tenant may send in a minute: files, bytes, or both.  A bucket for each, which holds a minute's worth, so that
 * as much may come at once; what is taken flows in again evenly.
 *
 * A file is taken in while anything is left, and paid for in full, though that be more than was left: how large it is may
 * only be known at its end, and one that is larger than the bucket must get in, too.  The debt is worked off before the
 * next.  So over any time a tenant gets no more than that time's worth, a full bucket, and what was under way.
 *
 * Buckets are in the table of tenants.  One that is full again is as good as none, so nobody has an entry for it alone.
 * Where there is no entry, all who have none share one more, the common bucket, and who gets one begins with what is left
 * in that.  So whatever names somebody makes up, none of them ever has more left than a bucket of its own would hold.
 *
 * The caller brings the clock. */
#pragma once

#include "tenant.h"

#define RATE_OFF CONFIG_RATE_OFF             /* any rate */
#define RATE_MINUTE_NS UINT64_C(60000000000) /* what a bucket holds, as time */
#define RATE_WAIT_MAX_S 86400u /* what a client is told at most: somebody may have changed the limits by then */

/**
 * rate_wait_s() - may this tenant send more?
 * @now_ms: of a clock that never goes back
 * @files: so many, 1 or 0, must be left besides a byte; 0: the file is counted already
 * Takes nothing.  Return: 0: yes; else seconds until it may ask again, at most RATE_WAIT_MAX_S.
 */
unsigned rate_wait_s(struct tenants *t, const char *tenant, uint64_t files, uint64_t now_ms);

/* It has sent so much.  @files: at most 2^24. */
void rate_pay(struct tenants *t, const char *tenant, uint64_t files, uint64_t bytes, uint64_t now_ms);

/* ---- for the table ---- */

/* Until its buckets are full again, both together; 0: they are. */
uint64_t rate_debt_ns(const struct tenants *t, const struct tenant *e);
bool rate_common_owes(const struct tenants *t);
/* It is forgotten: the common buckets owe no less than it owed. */
void rate_take_over_debt(struct tenants *t, const struct tenant *e);
