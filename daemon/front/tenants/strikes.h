/* Tenants whose files kill workers: each such death is a strike, and who has too many is paced, so that searching for
 * the one input that takes a worker over costs time.  Half of the strikes are forgotten after each half minute without
 * one.  Kept in the table of tenants; the caller brings the clock. */
#pragma once

#include "tenant.h"

#define STRIKES_FREE 3 /* a tenant whose files killed so many workers is paced ... */
#define STRIKES_MAX 9u /* ... 100 ms between scans, doubled with each further one, at most 6.4 s */
#define STRIKES_PACE_MS UINT64_C(100)
#define STRIKES_FORGIVE_MS 30000

void strikes_add(struct tenants *t, const char *tenant, uint64_t now_ms);
/* Is this tenant being paced? */
bool strikes_pace(struct tenants *t, const char *tenant, uint64_t now_ms);
/* Milliseconds the tenant's next scan is held back; calling it is taking a turn. */
uint64_t strikes_hold_ms(struct tenants *t, const char *tenant, uint64_t now_ms);
/* For the table. */
void strikes_forgive(struct tenant *e, uint64_t now_ms);
