/* Tenants whose files kill workers: each such death is a strike, and who has too many is paced, so that searching for
 * the one input that takes a worker over costs time.  Half of the strikes are forgotten after each half minute without
 * one.  A pure table: the caller brings the clock. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "queue.h"

#define STRIKES_FREE 3 /* a tenant whose files killed so many workers is paced ... */
#define STRIKES_MAX 9u /* ... 100 ms between scans, doubled with each further one, at most 6.4 s */
#define STRIKES_PACE_MS UINT64_C(100)
#define STRIKES_FORGIVE_MS 30000
#define STRIKES_TENANTS 64 /* remembered; the one struck longest ago is forgotten for another */

struct striker {
	char tenant[QUEUE_TENANT_MAX + 1];
	unsigned strikes;
	uint64_t struck_ms, next_ms; /* last strike; earliest start of its next scan */
};

/* Zeroed to begin with. */
struct strikes {
	struct striker list[STRIKES_TENANTS];
};

void strikes_add(struct strikes *s, const char *tenant, uint64_t now_ms);
/* Is this tenant being paced? */
bool strikes_pace(struct strikes *s, const char *tenant, uint64_t now_ms);
/* Milliseconds the tenant's next scan is held back; calling it is taking a turn. */
uint64_t strikes_hold_ms(struct strikes *s, const char *tenant, uint64_t now_ms);
