/* See scan_phase.h. */
#include "scan_phase.h"

static struct scan_step to(enum scan_phase phase, unsigned actions)
{
	return (struct scan_step){ .phase = phase, .actions = actions };
}

static struct scan_step impossible(enum scan_phase phase)
{
	return (struct scan_step){ .phase = phase, .impossible = true };
}

static struct scan_step before_a_worker(enum scan_phase phase, enum scan_event event, struct scan_facts facts)
{
	if (event == SCAN_EV_FORGET)
		return facts.wanted ? to(phase, 0) : to(SCAN_GONE, SCAN_DO_FREE);
	if (phase == SCAN_ADMITTED && event == SCAN_EV_BODY)
		return facts.paced ? to(SCAN_HELD, SCAN_DO_HOLD) : to(SCAN_QUEUED, SCAN_DO_PUSH);
	if (phase == SCAN_ADMITTED && event == SCAN_EV_FOLLOWED)
		return to(SCAN_FOLLOWING, 0);
	if (phase == SCAN_HELD && event == SCAN_EV_TIMER)
		return facts.too_many ? to(SCAN_GONE, SCAN_DO_REFUSE_UNMADE | SCAN_DO_FREE)
				      : to(SCAN_QUEUED, SCAN_DO_PUSH);
	if (phase == SCAN_QUEUED && event == SCAN_EV_UNMADE)
		return to(SCAN_HELD, SCAN_DO_PAUSE);
	if (phase == SCAN_QUEUED && event == SCAN_EV_SLOT)
		return to(SCAN_WORKING, 0);
	if (phase == SCAN_QUEUED && event == SCAN_EV_NO_SLOT)
		return to(SCAN_STUCK, SCAN_DO_REFUSE_SOON);
	if (phase == SCAN_STUCK && event == SCAN_EV_TIMER)
		return to(SCAN_GONE, SCAN_DO_REFUSE_STUCK | SCAN_DO_FREE);
	return impossible(phase);
}

/* Whatever it said counts for nothing.  That it lied, or that the file killed it, does count. */
static struct scan_step start_over(struct scan_facts facts, unsigned ended)
{
	ended |= SCAN_DO_COUNT_END;
	return facts.wanted ? to(SCAN_ADMITTED, ended | SCAN_DO_START_OVER) : to(SCAN_GONE, ended | SCAN_DO_FREE);
}

static struct scan_step following(enum scan_event event, struct scan_facts facts)
{
	switch (event) {
	case SCAN_EV_BODY: return to(SCAN_EARLY, 0);
	case SCAN_EV_FORGET:
		return facts.wanted ? to(SCAN_FOLLOWING, 0)
				    : to(SCAN_WITHDRAWING, SCAN_DO_COUNT_WITHDRAWN | SCAN_DO_KILL);
	case SCAN_EV_TIMER:
	case SCAN_EV_SLOW: return to(SCAN_WITHDRAWING, SCAN_DO_COUNT_WITHDRAWN | SCAN_DO_KILL);
	case SCAN_EV_BAD: return to(SCAN_WITHDRAWING, SCAN_DO_KILL);
	case SCAN_EV_PIPE_HELD: return start_over(facts, SCAN_DO_BLAME_PIPE | SCAN_DO_PUNISH);
	case SCAN_EV_OVER: return start_over(facts, SCAN_DO_PUNISH);
	case SCAN_EV_UNMADE:
	case SCAN_EV_ZYGOTE_GONE: return start_over(facts, 0);
	default: return impossible(SCAN_FOLLOWING);
	}
}

static struct scan_step judged(unsigned before)
{
	return to(SCAN_JUDGED, before | SCAN_DO_ANSWER);
}

/* With all of its file. */
static struct scan_step working(enum scan_phase phase, enum scan_event event, struct scan_facts facts)
{
	switch (event) {
	case SCAN_EV_FORGET: return facts.wanted ? to(phase, 0) : to(SCAN_KILLING, SCAN_DO_KILL);
	case SCAN_EV_BAD: return to(SCAN_KILLING, SCAN_DO_KILL);
	case SCAN_EV_TIMER: /* an early one may only have been kept waiting */
		return phase == SCAN_EARLY ? to(SCAN_WITHDRAWING, SCAN_DO_COUNT_WITHDRAWN | SCAN_DO_KILL)
					   : to(SCAN_KILLING, SCAN_DO_KILL);
	case SCAN_EV_OVER: return judged(0);
	case SCAN_EV_PIPE_HELD: return judged(SCAN_DO_BLAME_PIPE);
	case SCAN_EV_UNMADE:
		return facts.too_many ? to(SCAN_GONE, SCAN_DO_REFUSE_UNMADE | SCAN_DO_FREE)
				      : to(SCAN_QUEUED, SCAN_DO_REQUEUE | SCAN_DO_RETRY_SOON);
	case SCAN_EV_ZYGOTE_GONE:
		return facts.retried ? judged(SCAN_DO_BLAME_ZYGOTE)
				     : to(SCAN_QUEUED, SCAN_DO_COUNT_END | SCAN_DO_REQUEUE);
	default: return impossible(phase);
	}
}

static struct scan_step killing(enum scan_event event)
{
	switch (event) {
	case SCAN_EV_FORGET:
	case SCAN_EV_BAD: return to(SCAN_KILLING, 0);
	case SCAN_EV_TIMER: return to(SCAN_LOSING, SCAN_DO_ANSWER | SCAN_DO_LOSE);
	case SCAN_EV_OVER:
	case SCAN_EV_PIPE_HELD:
	case SCAN_EV_UNMADE:
	case SCAN_EV_ZYGOTE_GONE: return judged(0);
	default: return impossible(SCAN_KILLING);
	}
}

static struct scan_step withdrawing(enum scan_event event, struct scan_facts facts)
{
	switch (event) {
	case SCAN_EV_BODY:
	case SCAN_EV_SLOW:
	case SCAN_EV_FORGET:
	case SCAN_EV_BAD: return to(SCAN_WITHDRAWING, 0);
	case SCAN_EV_TIMER: return to(SCAN_LOST, SCAN_DO_REFUSE_STORAGE | SCAN_DO_LOSE);
	case SCAN_EV_OVER:
	case SCAN_EV_PIPE_HELD: return start_over(facts, SCAN_DO_PUNISH);
	case SCAN_EV_UNMADE:
	case SCAN_EV_ZYGOTE_GONE: return start_over(facts, 0);
	default: return impossible(SCAN_WITHDRAWING);
	}
}

/* Only its answer is left, or its worker, or both. */
static struct scan_step at_the_end(enum scan_phase phase, enum scan_event event)
{
	bool found = event == SCAN_EV_OVER || event == SCAN_EV_ZYGOTE_GONE;

	if (event == SCAN_EV_FORGET || (event == SCAN_EV_TIMER && phase != SCAN_JUDGED && phase != SCAN_LOSING))
		return to(phase, 0);
	if (phase == SCAN_JUDGED && event == SCAN_EV_TOLD)
		return to(SCAN_GONE, SCAN_DO_PUNISH | SCAN_DO_COUNT_END | SCAN_DO_FREE);
	if (phase == SCAN_JUDGED && event == SCAN_EV_WAIT)
		return to(SCAN_RECORDING, SCAN_DO_PUNISH | SCAN_DO_COUNT_END | SCAN_DO_SHED);
	if (phase == SCAN_LOSING && event == SCAN_EV_TOLD)
		return to(SCAN_LOST, 0);
	if (phase == SCAN_LOSING && event == SCAN_EV_WAIT)
		return to(SCAN_LOST_RECORDING, 0);
	if (phase == SCAN_RECORDING && event == SCAN_EV_RECORDED)
		return to(SCAN_GONE, SCAN_DO_TELL_RECORDED | SCAN_DO_FREE);
	if (phase == SCAN_LOST_RECORDING && event == SCAN_EV_RECORDED)
		return to(SCAN_LOST, SCAN_DO_TELL_RECORDED);
	if (phase == SCAN_LOST && found)
		return to(SCAN_GONE, SCAN_DO_FIND | SCAN_DO_FREE);
	if (phase == SCAN_LOST_RECORDING && found)
		return to(SCAN_RECORDING, SCAN_DO_FIND | SCAN_DO_SHED);
	return impossible(phase);
}

struct scan_step scan_step(enum scan_phase phase, enum scan_event event, struct scan_facts facts)
{
	switch (phase) {
	case SCAN_ADMITTED:
	case SCAN_HELD:
	case SCAN_QUEUED:
	case SCAN_STUCK: return before_a_worker(phase, event, facts);
	case SCAN_FOLLOWING: return following(event, facts);
	case SCAN_EARLY:
	case SCAN_WORKING: return working(phase, event, facts);
	case SCAN_KILLING: return killing(event);
	case SCAN_WITHDRAWING: return withdrawing(event, facts);
	case SCAN_JUDGED:
	case SCAN_LOSING:
	case SCAN_RECORDING:
	case SCAN_LOST:
	case SCAN_LOST_RECORDING: return at_the_end(phase, event);
	default: return impossible(phase);
	}
}

bool scan_phase_has_worker(enum scan_phase phase)
{
	return phase >= SCAN_FOLLOWING && phase <= SCAN_WITHDRAWING;
}

bool scan_phase_runs(enum scan_phase phase)
{
	return scan_phase_has_worker(phase) || phase == SCAN_RECORDING || phase == SCAN_LOST_RECORDING;
}

const char *scan_phase_text(enum scan_phase phase)
{
	static const char *const texts[] = {
#define X(name) #name,
		SCAN_PHASES(X)
#undef X
	};

	return texts[phase];
}

const char *scan_event_text(enum scan_event event)
{
	static const char *const texts[] = {
#define X(name) #name,
		SCAN_EVENTS(X)
#undef X
	};

	return texts[event];
}
