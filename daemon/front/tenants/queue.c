/* Start-time fair queueing, with bounds on everything.
 *
 * The picture: a tenant has a line per lane and size class (small, large).  A pick chooses the lane, then among
 * the tenants with something eligible in that lane the one with the least virtual time, then the item of its two
 * heads that came first.  `now` is the virtual time of the last pick; a tenant that falls behind while it has
 * nothing to do is brought forward to it, so that nobody saves up credit. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "checked.h"
#include "queue.h"

struct queue {
	struct queue_limits limits;
	unsigned lost_slots;
	struct queue_counts counts;
	uint64_t latest[QUEUE_N_LANES]; /* the largest `served` there has been */
	uint64_t orders;                /* pushes so far */
	unsigned interactive_run;       /* picks of interactive in a row while batch waited */
	struct tenants *tenants;        /* its `present` is the virtual time of the last pick */
};

/* ---- lines ---- */

static struct tenant_line *item_line(const struct queue_item *item)
{
	return &item->tenant->places.lines[item->lane][item->large ? TENANT_LARGE : TENANT_SMALL];
}

/* Insert behind @after; NULL: at the front. */
static void line_insert(struct tenant_line *l, struct queue_item *item, struct queue_item *after)
{
	item->prev = after;
	item->next = after != NULL ? after->next : l->first;
	if (item->prev != NULL)
		item->prev->next = item;
	else
		l->first = item;
	if (item->next != NULL)
		item->next->prev = item;
	else
		l->last = item;
	l->n++;
}

static void line_remove(struct tenant_line *l, struct queue_item *item)
{
	if (item->prev != NULL)
		item->prev->next = item->next;
	else
		l->first = item->next;
	if (item->next != NULL)
		item->next->prev = item->prev;
	else
		l->last = item->prev;
	item->prev = item->next = NULL;
	l->n--;
}

/* ---- tenants ---- */

static bool tenant_waits(const struct tenant *t, enum queue_lane lane)
{
	return t->places.lines[lane][TENANT_SMALL].n > 0 || t->places.lines[lane][TENANT_LARGE].n > 0;
}

/* ---- making, limits ---- */

static void queue_count_slots(struct queue *q)
{
	unsigned slots = q->limits.slots;

	q->counts.slots = slots > q->lost_slots ? slots - q->lost_slots : 1;
}

struct queue *queue_new(const struct queue_limits *limits, struct tenants *tenants)
{
	struct queue *q = calloc(1, sizeof(*q));

	assert(limits->slots > 0 && limits->items_max > 0);
	if (q == NULL)
		return NULL;
	q->limits = *limits;
	q->tenants = tenants;
	queue_count_slots(q);
	return q;
}

void queue_free(struct queue *q)
{
	free(q);
}

void queue_lose_slot(struct queue *q)
{
	q->lost_slots++;
	queue_count_slots(q);
}

void queue_find_slot(struct queue *q)
{
	assert(q->lost_slots > 0);
	q->lost_slots--;
	queue_count_slots(q);
}

struct queue_counts queue_counts(const struct queue *q)
{
	return q->counts;
}

/* ---- in ---- */

static unsigned items_max(const struct queue *q, const struct tenant *t)
{
	return t->own && t->own->queue_max > 0 ? t->own->queue_max : q->tenants->items_each;
}

enum queue_answer queue_admit(struct queue *q, struct queue_item *item, const char *tenant, enum queue_lane lane)
{
	struct tenant *t;

	assert(item->state == QUEUE_OUT && lane < QUEUE_N_LANES);
	if (q->counts.admitted + q->counts.waiting + q->counts.running >= q->limits.items_max)
		return QUEUE_FULL;
	t = tenant_need(q->tenants, tenant);
	if (t == NULL || t->places.items >= items_max(q, t))
		return QUEUE_TENANT_FULL;
	if (t->places.items++ == 0)
		q->counts.tenants++;
	q->counts.admitted++;
	*item = (struct queue_item){ .state = QUEUE_ADMITTED, .lane = lane, .tenant = t };
	return QUEUE_OK;
}

/* What an item costs its tenant.  Saturates: a size near 2^64 is no file. */
static uint64_t item_cost(const struct queue_item *item)
{
	uint64_t cost = UINT64_MAX;

	(void)add_u64(item->size, QUEUE_COST_BASE, &cost);
	return cost;
}

static bool is_large(const struct queue *q, uint64_t size_bytes)
{
	return size_bytes > q->limits.large_bytes;
}

void queue_push(struct queue *q, struct queue_item *item, uint64_t size_bytes)
{
	struct tenant *t = item->tenant;

	assert(item->state == QUEUE_ADMITTED);
	/* Credit cannot be saved up: an idle tenant starts at the present. */
	if (!tenant_waits(t, item->lane) && t->places.served[item->lane] < q->tenants->present[item->lane])
		t->places.served[item->lane] = q->tenants->present[item->lane];
	item->size = size_bytes;
	item->large = is_large(q, size_bytes);
	item->order = q->orders++;
	item->state = QUEUE_WAITING;
	line_insert(item_line(item), item, item_line(item)->last);
	q->counts.admitted--;
	q->counts.waiting++;
}

/* ---- the pick ---- */

/* One slot is never a large file's, unless it is the only one. */
static bool large_may_run(const struct queue *q)
{
	return q->counts.slots == 1 || q->counts.running_large + 1 < q->counts.slots;
}

static bool tenant_may_run(const struct queue *q, const struct tenant *t)
{
	unsigned max = t->own && t->own->workers > 0 ? t->own->workers : q->tenants->slots_each;

	return max == 0 || t->places.running < max;
}

/* What this tenant would run next in this lane; NULL: nothing that may. */
static struct queue_item *tenant_next(const struct queue *q, const struct tenant *t, enum queue_lane lane)
{
	struct queue_item *small = t->places.lines[lane][TENANT_SMALL].first;
	struct queue_item *large = t->places.lines[lane][TENANT_LARGE].first;

	if (!tenant_may_run(q, t))
		return NULL;
	if (large == NULL || !large_may_run(q))
		return small;
	return small != NULL && small->order < large->order ? small : large;
}

static struct queue_item *lane_next(const struct queue *q, enum queue_lane lane)
{
	struct queue_item *best = NULL;

	for (size_t i = 0; i < q->tenants->n; i++) {
		const struct tenant *t = &q->tenants->list[i];
		struct queue_item *item = tenant_next(q, t, lane);

		if (item == NULL)
			continue;
		/* Equal shares so far: who came first. */
		if (best == NULL || t->places.served[lane] < best->tenant->places.served[lane] ||
		    (t->places.served[lane] == best->tenant->places.served[lane] && item->order < best->order))
			best = item;
	}
	return best;
}

static struct queue_item *queue_choose(struct queue *q)
{
	struct queue_item *interactive = lane_next(q, QUEUE_INTERACTIVE);
	struct queue_item *batch = lane_next(q, QUEUE_BATCH);

	if (interactive != NULL && batch != NULL && q->interactive_run < QUEUE_BATCH_EVERY - 1) {
		q->interactive_run++;
		return interactive;
	}
	q->interactive_run = 0;
	return batch != NULL ? batch : interactive;
}

static void queue_start(struct queue *q, struct queue_item *item)
{
	uint64_t *served = &item->tenant->places.served[item->lane];

	line_remove(item_line(item), item);
	if (*served > q->tenants->present[item->lane])
		q->tenants->present[item->lane] = *served;
	if (!add_u64(*served, item_cost(item), served))
		*served = UINT64_MAX;
	if (*served > q->latest[item->lane])
		q->latest[item->lane] = *served;
	item->state = QUEUE_RUNNING;
	q->counts.waiting--;
	q->counts.running++;
	item->tenant->places.running++;
	q->counts.running_large += item->large;
}

struct queue_item *queue_next(struct queue *q)
{
	struct queue_item *item;

	if (q->counts.running >= q->counts.slots)
		return NULL;
	item = queue_choose(q);
	if (item != NULL)
		queue_start(q, item);
	return item;
}

bool queue_start_early(struct queue *q, struct queue_item *item, uint64_t size_bytes)
{
	const struct queue_counts *c = &q->counts;

	if (c->waiting > 0 || c->running >= c->slots || c->running_large + 1 >= c->slots ||
	    !tenant_may_run(q, item->tenant))
		return false;
	queue_push(q, item, size_bytes);
	queue_start(q, item);
	q->counts.running_large += !item->large;
	item->large = true;
	return true;
}

/* ---- out ---- */

/* Nobody waits and nobody runs: what was had before is nobody's disadvantage any more. */
static void queue_forgive(struct queue *q)
{
	if (q->counts.waiting == 0 && q->counts.running == 0)
		memcpy(q->tenants->present, q->latest, sizeof(q->tenants->present));
}

static void queue_free_slot(struct queue *q, const struct queue_item *item)
{
	q->counts.running--;
	item->tenant->places.running--;
	q->counts.running_large -= item->large;
}

static void queue_unstart(struct queue *q, struct queue_item *item)
{
	uint64_t *served = &item->tenant->places.served[item->lane];

	assert(item->state == QUEUE_RUNNING);
	queue_free_slot(q, item);
	if (!sub_u64(*served, item_cost(item), served))
		*served = 0;
}

void queue_take_back(struct queue *q, struct queue_item *item)
{
	queue_unstart(q, item);
	item->state = QUEUE_ADMITTED;
	q->counts.admitted++;
}

void queue_put_back(struct queue *q, struct queue_item *item)
{
	queue_unstart(q, item);
	item->large = is_large(q, item->size); /* all its bytes may have come meanwhile */
	item->state = QUEUE_WAITING;
	line_insert(item_line(item), item, NULL);
	q->counts.waiting++;
}

/* Out of the counts of its state. */
static void queue_leave(struct queue *q, struct queue_item *item)
{
	switch (item->state) {
	case QUEUE_OUT: break;
	case QUEUE_ADMITTED: q->counts.admitted--; break;
	case QUEUE_WAITING:
		line_remove(item_line(item), item);
		q->counts.waiting--;
		break;
	case QUEUE_RUNNING: queue_free_slot(q, item); break;
	}
}

void queue_hand_over(struct queue *q, struct queue_item *from, struct queue_item *to)
{
	assert(from->state != QUEUE_OUT && to->state == QUEUE_OUT);
	queue_leave(q, from);
	q->counts.admitted++;
	*to = (struct queue_item){ .state = QUEUE_ADMITTED, .lane = from->lane, .tenant = from->tenant };
	*from = (struct queue_item){ .state = QUEUE_OUT };
	queue_forgive(q);
}

void queue_remove(struct queue *q, struct queue_item *item)
{
	if (item->state == QUEUE_OUT)
		return;
	queue_leave(q, item);
	if (--item->tenant->places.items == 0)
		q->counts.tenants--;
	*item = (struct queue_item){ .state = QUEUE_OUT };
	queue_forgive(q);
}

/* ---- position ---- */

/* Lines are in the order of pushes, so a line's oldest is its first. */
const struct queue_item *queue_oldest(const struct queue *q)
{
	const struct queue_item *oldest = NULL;

	for (size_t i = 0; i < q->tenants->n * QUEUE_N_LANES * TENANT_N_LINES; i++) {
		const struct tenant *t = &q->tenants->list[i / (QUEUE_N_LANES * TENANT_N_LINES)];
		const struct queue_item *item =
		    t->places.lines[i / TENANT_N_LINES % QUEUE_N_LANES][i % TENANT_N_LINES].first;

		if (item != NULL && (oldest == NULL || item->order < oldest->order))
			oldest = item;
	}
	return oldest;
}

/* Items of its tenant and lane that came before it. */
static size_t tenant_ahead(const struct queue_item *item)
{
	size_t n = 0;

	for (size_t line = 0; line < TENANT_N_LINES; line++) {
		const struct queue_item *i = item->tenant->places.lines[item->lane][line].first;

		for (; i != NULL && i->order < item->order; i = i->next)
			n++;
	}
	return n;
}

static size_t tenant_waiting(const struct tenant *t, enum queue_lane lane)
{
	return t->places.lines[lane][TENANT_SMALL].n + t->places.lines[lane][TENANT_LARGE].n;
}

/* Every other tenant goes once for each of our turns, and once more if it has had less so far. */
static size_t rival_ahead(const struct tenant *rival, const struct queue_item *item, size_t turns)
{
	uint64_t ours = item->tenant->places.served[item->lane], theirs = rival->places.served[item->lane];

	return (size_t)min_u64(tenant_waiting(rival, item->lane), turns + (theirs < ours));
}

size_t queue_position(const struct queue *q, const struct queue_item *item)
{
	size_t turns, ahead;

	if (item->state != QUEUE_WAITING)
		return 0;
	turns = ahead = tenant_ahead(item);
	for (size_t i = 0; i < q->tenants->n; i++) {
		const struct tenant *t = &q->tenants->list[i];

		if (t != item->tenant)
			ahead += rival_ahead(t, item, turns);
		if (item->lane == QUEUE_BATCH)
			ahead += tenant_waiting(t, QUEUE_INTERACTIVE);
	}
	return ahead + 1;
}
