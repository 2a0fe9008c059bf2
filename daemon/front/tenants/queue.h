/* Who is scanned next, and who may wait at all.  A pure data structure: no input or output, no clock, no memory
 * after queue_new().  Items are embedded in the caller's jobs.
 *
 * Fairness is start-time fair queueing over tenants, by bytes (Goyal, Vin, Cheng 1996): every tenant has a virtual
 * time that grows by the cost of what it is given; the tenant that has had least goes next; a tenant that was idle
 * starts at the present.  It is what deficit round-robin approximates, without a quantum to choose: with files from
 * a kilobyte to a terabyte a round-robin would need millions of empty rounds, or one huge quantum that is unfair.
 * With equal sizes it is plain round-robin.
 *
 * Interactive goes before batch, but one pick in QUEUE_BATCH_EVERY is batch's when it waits.
 * Large files (size > large_bytes) never hold all slots: at least one is left to the others.  With a single slot
 * that rule would mean "never", so there they may take it.
 * A tenant never holds more slots than it may, though others be idle: what it was given it keeps for as long as its files
 * take, and who comes later would wait for that.
 * Within a tenant and lane order is first come, first served, except that small files pass large ones which wait for
 * a slot they are allowed to have.
 *
 * Bytes of spool are not counted here but by the spool; what is bounded here is the number of requests. */
#pragma once

#include "tenant.h"

#define QUEUE_BATCH_EVERY 8u                /* batch gets one pick in so many while interactive waits too */
#define QUEUE_COST_BASE (UINT64_C(1) << 20) /* bytes a scan costs besides its size: a process, about 1 ms */

enum queue_lane { QUEUE_INTERACTIVE = TENANT_INTERACTIVE, QUEUE_BATCH = TENANT_BATCH, QUEUE_N_LANES = TENANT_N_LANES };

enum queue_state {
	QUEUE_OUT,      /* not known to the queue */
	QUEUE_ADMITTED, /* counted; its body is on the way */
	QUEUE_WAITING,
	QUEUE_RUNNING, /* holds a slot */
};

enum queue_answer {
	QUEUE_OK,
	QUEUE_FULL,        /* items_max reached */
	QUEUE_TENANT_FULL, /* as many of its as may be; or more tenants than we keep count of */
};

struct queue_limits {
	unsigned slots;       /* scans at a time; at least 1 */
	unsigned items_max;   /* admitted, waiting and running together; at least 1 */
	uint64_t large_bytes; /* a file above this is large */
};

struct queue;

/* Lives in the caller's job; zeroed before queue_admit().  Fields are the queue's. */
struct queue_item {
	enum queue_state state;
	enum queue_lane lane;
	bool large;
	uint64_t size;  /* bytes; set by queue_push() */
	uint64_t order; /* when it was pushed */
	struct tenant *tenant;
	struct queue_item *prev, *next;
};

/* @tenants: with the limits of each.  Return: NULL without memory.  All memory it will ever use is taken here. */
struct queue *queue_new(const struct queue_limits *limits, struct tenants *tenants);
/* Items still in it are forgotten, not touched.  NULL is fine. */
void queue_free(struct queue *q);

/* Slots lost for good (a worker that SIGKILL does not end) or found again: counted off limits.slots, at least one
 * is kept so that the daemon goes on. */
void queue_lose_slot(struct queue *q);
void queue_find_slot(struct queue *q);

/**
 * queue_admit() - may this request come in?  Before its body is read.
 * @item: QUEUE_OUT; on QUEUE_OK becomes QUEUE_ADMITTED and must leave by queue_remove()
 * @tenant: 1..TENANT_NAME_MAX bytes, copied; longer is a bug
 * The size need not be known yet.
 */
enum queue_answer queue_admit(struct queue *q, struct queue_item *item, const char *tenant, enum queue_lane lane);

/* Its bytes are here (or its descriptor is): wait for a slot.  @item: QUEUE_ADMITTED. */
void queue_push(struct queue *q, struct queue_item *item, uint64_t size_bytes);

/**
 * queue_next() - give a free slot to the item whose turn it is
 * Return: the item, now QUEUE_RUNNING; NULL when no slot is free or nothing that may run waits.  Call until NULL
 * after every push and remove.
 */
struct queue_item *queue_next(struct queue *q);

/**
 * queue_start_early() - give an idle slot to an item whose bytes are still arriving
 * @item: QUEUE_ADMITTED.  Becomes QUEUE_RUNNING and counts as large, for its sender decides how long it takes: so
 *        one slot is always left to others, and where there is a single one it is never given away like this.
 * Return: false, and nothing has changed, when anybody waits or no such slot is free.
 */
bool queue_start_early(struct queue *q, struct queue_item *item, uint64_t size_bytes);

/* Take its slot away and undo its charge, as if it had not been started: its bytes are still arriving.
 * @item: QUEUE_RUNNING; becomes QUEUE_ADMITTED. */
void queue_take_back(struct queue *q, struct queue_item *item);

/* Put a running item back where it was, at the front of its line, and undo its charge: the worker could not be
 * started now.  @item: QUEUE_RUNNING. */
void queue_put_back(struct queue *q, struct queue_item *item);

/**
 * queue_hand_over() - one leaves and another takes its place, with nobody between
 * @from: any state but QUEUE_OUT; becomes QUEUE_OUT and frees its slot.  @to: QUEUE_OUT; becomes QUEUE_ADMITTED, of the
 *        same tenant and lane.
 * For those who come in once and then send several after each other: no limit can stop them half-way.
 */
void queue_hand_over(struct queue *q, struct queue_item *from, struct queue_item *to);

/* Done, refused or the client is gone: any state (QUEUE_OUT is fine); becomes QUEUE_OUT and frees its slot. */
void queue_remove(struct queue *q, struct queue_item *item);

/**
 * queue_position() - about how many scans start before this one, plus one: 1 is next
 * An estimate for people: assumes equal sizes and that nobody else comes.  0 unless QUEUE_WAITING.
 * Costs a walk over the tenant's line and the tenants.
 */
size_t queue_position(const struct queue *q, const struct queue_item *item);

/* The item that was pushed first among those that wait; NULL: none waits.  Costs a walk over the tenants. */
const struct queue_item *queue_oldest(const struct queue *q);

struct queue_counts {
	size_t admitted, waiting, running; /* items by state */
	size_t running_large;
	size_t tenants; /* with at least one item */
	unsigned slots; /* usable, lost ones taken off */
};

struct queue_counts queue_counts(const struct queue *q);
