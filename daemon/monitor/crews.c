/* See crews.h. */
#include "crews.h"

/* A table, and what stands in it more than once. */
/* clang-format off */
#define NO { CREW_FREE, CREW_IMPOSSIBLE }
#define STAY(phase) { phase, 0 }
#define DRAIN { CREW_DRAINING, CREW_TELL_DRAIN }
#define END { CREW_ENDING, CREW_KILL }
#define REFUSE { CREW_ENDING, CREW_KILL | CREW_SAY_REFUSED }
#define AGAIN { CREW_WAITING, CREW_KILL | CREW_FAILURE }
#define LATE { CREW_WAITING, CREW_KILL | CREW_FAILURE | CREW_SAY_LATE }

/* A row a phase.  The first front of a service, or the only one left, is started again after it died; one that would have
 * replaced another is not. */
static const struct crew_step steps[CREW_N_PHASES][CREW_N_EVENTS] = {
	[CREW_FREE] = {
		[CREW_BEGIN] = { CREW_COMING, CREW_START },
		[CREW_FRONT_READY] = NO, [CREW_KEEPER_READY] = NO, [CREW_KEEPER_FAILED] = NO,
		[CREW_ZYGOTE_FAILED] = NO,
		[CREW_REPLACED] = NO, [CREW_STOP] = NO, [CREW_STOP_NOW] = NO,
		[CREW_FRONT_LOST] = NO, [CREW_LOST_BESIDE] = NO, [CREW_ALL_GONE] = NO, [CREW_TIMEOUT] = NO,
	},
	[CREW_COMING] = {
		[CREW_BEGIN] = NO,
		[CREW_FRONT_READY] = { CREW_PROVEN, 0 },
		[CREW_KEEPER_READY] = STAY(CREW_COMING), /* its front first */
		[CREW_KEEPER_FAILED] = AGAIN,
		[CREW_ZYGOTE_FAILED] = { CREW_COMING, CREW_FAILURE },
		[CREW_REPLACED] = DRAIN, [CREW_STOP] = DRAIN, [CREW_STOP_NOW] = END,
		[CREW_FRONT_LOST] = AGAIN, [CREW_LOST_BESIDE] = REFUSE,
		[CREW_ALL_GONE] = NO,
		[CREW_TIMEOUT] = LATE,
	},
	[CREW_PROVEN] = {
		[CREW_BEGIN] = NO,
		[CREW_FRONT_READY] = STAY(CREW_PROVEN), /* a front may say what it likes */
		[CREW_KEEPER_READY] = { CREW_SERVING, CREW_SERVE },
		[CREW_KEEPER_FAILED] = AGAIN,
		[CREW_ZYGOTE_FAILED] = { CREW_PROVEN, CREW_FAILURE },
		[CREW_REPLACED] = DRAIN, [CREW_STOP] = DRAIN, [CREW_STOP_NOW] = END,
		[CREW_FRONT_LOST] = AGAIN, [CREW_LOST_BESIDE] = REFUSE,
		[CREW_ALL_GONE] = NO,
		[CREW_TIMEOUT] = LATE,
	},
	[CREW_SERVING] = {
		[CREW_BEGIN] = NO,
		[CREW_FRONT_READY] = STAY(CREW_SERVING), [CREW_KEEPER_READY] = STAY(CREW_SERVING),
		[CREW_KEEPER_FAILED] = STAY(CREW_SERVING), /* another keeper will be tried; some verdicts need none */
		[CREW_ZYGOTE_FAILED] = { CREW_SERVING, CREW_FAILURE },
		[CREW_REPLACED] = DRAIN, [CREW_STOP] = DRAIN, [CREW_STOP_NOW] = END,
		[CREW_FRONT_LOST] = AGAIN, [CREW_LOST_BESIDE] = AGAIN,
		[CREW_ALL_GONE] = NO, [CREW_TIMEOUT] = NO,
	},
	[CREW_DRAINING] = {
		[CREW_BEGIN] = NO,
		[CREW_FRONT_READY] = STAY(CREW_DRAINING), /* it got ready in the moment it was told to drain */
		[CREW_KEEPER_READY] = STAY(CREW_DRAINING), [CREW_KEEPER_FAILED] = STAY(CREW_DRAINING),
		[CREW_ZYGOTE_FAILED] = STAY(CREW_DRAINING),
		[CREW_REPLACED] = STAY(CREW_DRAINING), [CREW_STOP] = STAY(CREW_DRAINING), [CREW_STOP_NOW] = END,
		[CREW_FRONT_LOST] = END, [CREW_LOST_BESIDE] = END, /* its zygotes are left */
		[CREW_ALL_GONE] = NO,
		[CREW_TIMEOUT] = { CREW_ENDING, CREW_KILL | CREW_SAY_LATE },
	},
	[CREW_WAITING] = {
		[CREW_BEGIN] = NO,
		[CREW_FRONT_READY] = NO, [CREW_KEEPER_READY] = STAY(CREW_WAITING), [CREW_KEEPER_FAILED] = STAY(CREW_WAITING),
		[CREW_ZYGOTE_FAILED] = STAY(CREW_WAITING),
		[CREW_REPLACED] = END, [CREW_STOP] = END, [CREW_STOP_NOW] = END,
		[CREW_FRONT_LOST] = STAY(CREW_WAITING), [CREW_LOST_BESIDE] = STAY(CREW_WAITING), /* one that was late */
		[CREW_ALL_GONE] = STAY(CREW_WAITING),
		[CREW_TIMEOUT] = { CREW_COMING, CREW_START },
	},
	[CREW_ENDING] = {
		[CREW_BEGIN] = NO,
		[CREW_FRONT_READY] = STAY(CREW_ENDING), [CREW_KEEPER_READY] = STAY(CREW_ENDING),
		[CREW_KEEPER_FAILED] = STAY(CREW_ENDING),
		[CREW_ZYGOTE_FAILED] = STAY(CREW_ENDING),
		[CREW_REPLACED] = STAY(CREW_ENDING), [CREW_STOP] = STAY(CREW_ENDING), [CREW_STOP_NOW] = END,
		[CREW_FRONT_LOST] = STAY(CREW_ENDING), [CREW_LOST_BESIDE] = STAY(CREW_ENDING),
		[CREW_ALL_GONE] = { CREW_FREE, CREW_FORGET },
		[CREW_TIMEOUT] = { CREW_FREE, CREW_FORGET | CREW_SAY_STUCK },
	},
};
/* clang-format on */

struct crew_step crew_step(enum crew_phase phase, enum crew_event event)
{
	struct crew_step s = steps[phase][event];

	if (s.actions & CREW_IMPOSSIBLE)
		s.next = phase;
	return s;
}

/* ---- all of them ---- */

static uint64_t limit_ms(const struct crew_life *l)
{
	switch (l->phase) {
	case CREW_COMING:
	case CREW_PROVEN: return CREW_COMING_MS;
	case CREW_DRAINING: return l->drain_ms + CREW_GRACE_MS;
	case CREW_WAITING: return CREW_RETRY_MS;
	case CREW_ENDING: return CREW_GRACE_MS;
	default: return CREWS_NEVER_MS;
	}
}

static void stop_all(struct crews *c, enum crew_event how, uint64_t now_ms, struct crew_orders *o)
{
	c->stopping = true;
	for (size_t i = 0; i < CREWS_MAX; i++) {
		if (c->of[i].phase != CREW_FREE)
			crews_on(c, i, how, now_ms, o);
	}
}

/* It takes over from those before it, and from no other: a later one may be coming. */
static void replace_older(struct crews *c, size_t i, uint64_t now_ms, struct crew_orders *o)
{
	c->failures = 0;
	c->was_ready = true;
	for (size_t k = 0; k < CREWS_MAX; k++) {
		if (c->of[k].phase != CREW_FREE && c->of[k].age < c->of[i].age)
			crews_on(c, k, CREW_REPLACED, now_ms, o);
	}
}

/* Until the first is ready an operator is watching: one failure is enough. */
static void count_failure(struct crews *c, uint64_t now_ms, struct crew_orders *o)
{
	if (c->was_ready && ++c->failures < CREWS_FAILURES_MAX)
		return;
	c->failed = true;
	stop_all(c, CREW_STOP_NOW, now_ms, o);
}

/* Where nobody else serves and somebody did, a front without a keeper is better than none. */
static bool is_good_enough(const struct crews *c, enum crew_event event)
{
	return event == CREW_KEEPER_FAILED && c->was_ready && crews_serving(c) < 0;
}

static bool is_lost_beside(const struct crews *c, size_t i, enum crew_event event)
{
	int serving = crews_serving(c);
	bool late = event == CREW_TIMEOUT && (c->of[i].phase == CREW_COMING || c->of[i].phase == CREW_PROVEN);

	return serving >= 0 && (size_t)serving != i &&
	       (late || event == CREW_FRONT_LOST || event == CREW_KEEPER_FAILED);
}

void crews_on(struct crews *c, size_t i, enum crew_event event, uint64_t now_ms, struct crew_orders *o)
{
	struct crew_life *l = &c->of[i];
	enum crew_phase before = l->phase;
	struct crew_step s;
	uint64_t limit;

	if (is_lost_beside(c, i, event))
		event = CREW_LOST_BESIDE;
	else if (is_good_enough(c, event))
		event = CREW_KEEPER_READY;
	s = crew_step(before, event);
	if (s.actions & CREW_IMPOSSIBLE)
		return;
	o->of[i] |= s.actions;
	l->phase = s.next;
	limit = limit_ms(l);
	if (s.next != before)
		l->until_ms = limit == CREWS_NEVER_MS ? limit : now_ms + limit;
	if (s.actions & CREW_SERVE)
		replace_older(c, i, now_ms, o);
	if (s.actions & CREW_FAILURE)
		count_failure(c, now_ms, o);
}

int crews_begin(struct crews *c, uint64_t drain_ms, uint64_t now_ms, struct crew_orders *o)
{
	for (size_t i = 0; i < CREWS_MAX; i++) {
		if (c->of[i].phase != CREW_FREE)
			continue;
		c->of[i].age = ++c->latest_age;
		c->of[i].drain_ms = drain_ms;
		crews_on(c, i, CREW_BEGIN, now_ms, o);
		return (int)i;
	}
	return -1;
}

void crews_stop(struct crews *c, uint64_t now_ms, struct crew_orders *o)
{
	stop_all(c, c->stopping ? CREW_STOP_NOW : CREW_STOP, now_ms, o);
}

void crews_tick(struct crews *c, uint64_t now_ms, struct crew_orders *o)
{
	for (size_t i = 0; i < CREWS_MAX; i++) {
		if (c->of[i].phase != CREW_FREE && now_ms >= c->of[i].until_ms)
			crews_on(c, i, CREW_TIMEOUT, now_ms, o);
	}
}

uint64_t crews_due_ms(const struct crews *c)
{
	uint64_t due = CREWS_NEVER_MS;

	for (size_t i = 0; i < CREWS_MAX; i++) {
		if (c->of[i].phase != CREW_FREE && c->of[i].until_ms < due)
			due = c->of[i].until_ms;
	}
	return due;
}

static int find(const struct crews *c, enum crew_phase a, enum crew_phase b)
{
	for (size_t i = 0; i < CREWS_MAX; i++) {
		if (c->of[i].phase == a || c->of[i].phase == b)
			return (int)i;
	}
	return -1;
}

bool crews_any(const struct crews *c)
{
	for (size_t i = 0; i < CREWS_MAX; i++) {
		if (c->of[i].phase != CREW_FREE)
			return true;
	}
	return false;
}

int crews_coming(const struct crews *c)
{
	return find(c, CREW_COMING, CREW_PROVEN);
}

int crews_serving(const struct crews *c)
{
	return find(c, CREW_SERVING, CREW_SERVING);
}
