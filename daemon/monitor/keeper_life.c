/* See keeper_life.h. */
#include "keeper_life.h"

#include "control.h"

/* A table, and what stands in it more than once. */
/* clang-format off */
#define NO { LIFE_NONE, LIFE_IMPOSSIBLE }
#define STAY(phase) { phase, 0 }
#define KILL { LIFE_KILLED, LIFE_KILL }
#define FAIL { LIFE_KILLED, LIFE_KILL | LIFE_FAILED }

static const struct life_step steps[LIFE_N_PHASES][LIFE_N_EVENTS] = {
	[LIFE_NONE] = {
		[LIFE_WANTED] = { LIFE_STARTING, LIFE_START },
		[LIFE_UNFIT] = STAY(LIFE_NONE), [LIFE_TURN] = STAY(LIFE_NONE),
		[LIFE_SAYS_PROVEN] = NO, [LIFE_SAYS_READY] = NO, [LIFE_DIED] = NO, [LIFE_TIMEOUT] = NO,
	},
	[LIFE_STARTING] = {
		[LIFE_WANTED] = STAY(LIFE_STARTING),
		[LIFE_UNFIT] = KILL, /* nothing has arrived yet */
		[LIFE_SAYS_PROVEN] = { LIFE_PROVEN, 0 },
		[LIFE_TURN] = STAY(LIFE_STARTING), /* it shows what it can first */
		[LIFE_SAYS_READY] = FAIL,          /* out of turn */
		[LIFE_DIED] = { LIFE_RESTING, LIFE_FAILED | LIFE_FORGET },
		[LIFE_TIMEOUT] = FAIL,
	},
	[LIFE_PROVEN] = {
		[LIFE_WANTED] = STAY(LIFE_PROVEN),
		[LIFE_UNFIT] = KILL,
		[LIFE_SAYS_PROVEN] = STAY(LIFE_PROVEN),
		[LIFE_TURN] = { LIFE_OPENING, LIFE_TELL_TURN },
		[LIFE_SAYS_READY] = FAIL,
		[LIFE_DIED] = { LIFE_RESTING, LIFE_FAILED | LIFE_FORGET },
		[LIFE_TIMEOUT] = NO,
	},
	[LIFE_OPENING] = {
		[LIFE_WANTED] = STAY(LIFE_OPENING),
		[LIFE_UNFIT] = KILL,
		[LIFE_SAYS_PROVEN] = STAY(LIFE_OPENING), [LIFE_TURN] = STAY(LIFE_OPENING),
		[LIFE_SAYS_READY] = { LIFE_KEEPING, 0 },
		[LIFE_DIED] = { LIFE_RESTING, LIFE_FAILED | LIFE_FORGET },
		[LIFE_TIMEOUT] = FAIL,
	},
	[LIFE_KEEPING] = {
		[LIFE_WANTED] = STAY(LIFE_KEEPING),
		[LIFE_UNFIT] = { LIFE_ENDING, LIFE_TELL_END },
		[LIFE_SAYS_PROVEN] = STAY(LIFE_KEEPING), [LIFE_SAYS_READY] = STAY(LIFE_KEEPING),
		[LIFE_TURN] = STAY(LIFE_KEEPING),
		[LIFE_DIED] = { LIFE_RESTING, LIFE_FORGET },
		[LIFE_TIMEOUT] = NO,
	},
	[LIFE_ENDING] = {
		[LIFE_WANTED] = STAY(LIFE_ENDING), /* too late: another one, then */
		[LIFE_UNFIT] = STAY(LIFE_ENDING), [LIFE_TURN] = STAY(LIFE_ENDING),
		[LIFE_SAYS_PROVEN] = STAY(LIFE_ENDING), [LIFE_SAYS_READY] = STAY(LIFE_ENDING),
		[LIFE_DIED] = { LIFE_NONE, LIFE_FORGET },
		[LIFE_TIMEOUT] = KILL,
	},
	[LIFE_KILLED] = {
		[LIFE_WANTED] = STAY(LIFE_KILLED), [LIFE_UNFIT] = STAY(LIFE_KILLED), [LIFE_TURN] = STAY(LIFE_KILLED),
		[LIFE_SAYS_PROVEN] = STAY(LIFE_KILLED), [LIFE_SAYS_READY] = STAY(LIFE_KILLED),
		[LIFE_DIED] = { LIFE_RESTING, LIFE_FORGET },
		[LIFE_TIMEOUT] = { LIFE_RESTING, LIFE_FORGET | LIFE_SAY_STUCK },
	},
	[LIFE_RESTING] = {
		[LIFE_WANTED] = STAY(LIFE_RESTING), [LIFE_UNFIT] = STAY(LIFE_RESTING), [LIFE_TURN] = STAY(LIFE_RESTING),
		[LIFE_SAYS_PROVEN] = NO, [LIFE_SAYS_READY] = NO, [LIFE_DIED] = NO,
		[LIFE_TIMEOUT] = STAY(LIFE_NONE),
	},
};
/* clang-format on */

struct life_step life_step(enum life_phase phase, enum life_event event)
{
	struct life_step s = steps[phase][event];

	if (s.actions & LIFE_IMPOSSIBLE)
		s.next = phase;
	return s;
}

/* From the start on: one that has worked for long may be followed at once. */
static uint64_t rest_until(const struct life *l)
{
	uint64_t pause = (uint64_t)LIFE_RETRY_MS << (l->failures < 7 ? l->failures : 7);

	return l->started_ms + (pause < LIFE_RETRY_MAX_MS ? pause : LIFE_RETRY_MAX_MS);
}

static uint64_t until(const struct life *l, uint64_t now_ms)
{
	switch (l->phase) {
	case LIFE_STARTING:
	case LIFE_OPENING: return now_ms + LIFE_START_MS;
	case LIFE_ENDING: return now_ms + 2 * KEEPER_END_MS;
	case LIFE_KILLED: return now_ms + LIFE_KILLED_MS;
	case LIFE_RESTING: return rest_until(l);
	default: return LIFE_NEVER_MS; /* PROVEN: as long as its predecessor takes, which is bounded */
	}
}

unsigned life_on(struct life *l, enum life_event event, uint64_t now_ms)
{
	struct life_step s = life_step(l->phase, event);

	if (s.actions & LIFE_IMPOSSIBLE)
		return 0;
	if (s.actions & LIFE_START)
		l->started_ms = now_ms;
	if (s.actions & LIFE_FAILED)
		l->failures++;
	if (s.next == LIFE_KEEPING)
		l->failures = 0;
	if (s.next != l->phase) {
		l->phase = s.next;
		l->until_ms = until(l, now_ms);
	}
	return s.actions;
}
