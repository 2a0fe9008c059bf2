/* Tenants: one table of all that is known of each, whatever it is needed for.  places (queue.c), room (budget.c), rate
 * (rate.c) and strikes (strikes.c) are each kept by one file; here is who has an entry, and who is forgotten for another.
 *
 * Names may be anybody's to make up, so the table is of a fixed size, and searched from end to end: no name can cost more
 * than another.  Tenants whom the operator names have entries for good.  Of the others those are forgotten of whom there is
 * nothing to remember; and when there is none, one that holds nothing now: first the one with the least debt.  Its debt is
 * then the common bucket's (rate.h), which whoever comes in its place has to share.
 *
 * A pure data structure: the caller brings the clock. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config.h"

#define TENANT_NAME_MAX 64u /* bytes */
#define TENANTS_MAX 1024u   /* known at a time, besides those whom the operator names */

enum { TENANT_INTERACTIVE, TENANT_BATCH, TENANT_N_LANES };
enum { TENANT_SMALL, TENANT_LARGE, TENANT_N_LINES };
enum tenant_room { TENANT_FOLDER, TENANT_MEMORY, TENANT_N_ROOMS };

struct queue_item;

struct tenant_line {
	struct queue_item *first, *last;
	size_t n;
};

struct tenant_places {
	size_t items;                    /* in any state but out */
	unsigned running;                /* slots */
	uint64_t served[TENANT_N_LANES]; /* virtual time, in bytes */
	struct tenant_line lines[TENANT_N_LANES][TENANT_N_LINES];
};

/* When each bucket is full again, in nanoseconds; 0 is long ago. */
struct tenant_buckets {
	uint64_t files_ns, bytes_ns;
};

struct tenant_strikes {
	unsigned n;
	uint64_t last_ms, next_ms; /* last strike; earliest start of its next scan */
};

struct tenant {
	char name[TENANT_NAME_MAX + 1];
	const struct config_tenant *own; /* limits of its own; NULL: as everybody */
	struct tenant_places places;
	uint64_t room[TENANT_N_ROOMS]; /* bytes held */
	struct tenant_buckets buckets;
	bool in_common; /* it came in a debtor's place: the common buckets are its */
	struct tenant_strikes strikes;
};

struct tenants {
	uint64_t files_each, bytes_each; /* a minute: CONFIG_RATE_OFF: any */
	unsigned items_each, slots_each; /* at a time; slots 0: any */
	uint64_t room_each;              /* of the folder; 0: see budget.h */
	struct tenant_buckets common;
	uint64_t present[TENANT_N_LANES]; /* the queue's virtual time */
	uint64_t now_ms;                  /* the latest of which somebody told */
	size_t n, n_max;                  /* entries: taken so far, and how many there may be */
	struct tenant list[];
};

/* @c: its tenants' names and limits are borrowed for good.  Return: NULL without memory.  All memory it will ever use is
 * taken here. */
struct tenants *tenants_new(const struct config *c);
void tenants_free(struct tenants *t); /* NULL is fine */
void tenants_at(struct tenants *t, uint64_t now_ms);

/* NULL: nothing is known of it.  @name: 1..TENANT_NAME_MAX bytes. */
struct tenant *tenant_find(struct tenants *t, const char *name);
/* An entry that it has, or one that nobody misses.  NULL: neither. */
struct tenant *tenant_know(struct tenants *t, const char *name);
/* The same, though somebody in debt be forgotten for it.  NULL: too many tenants hold something. */
struct tenant *tenant_need(struct tenants *t, const char *name);
