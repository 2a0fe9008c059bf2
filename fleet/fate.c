/* See fate.h. */
#include "fate.h"

#define BUSY_S 5u

/* Their own delays and not the queue's back-off, which would take the lease's place. */
static unsigned delay_of(unsigned attempts)
{
	static const unsigned delays[] = { 5, 60, 600 };

	return delays[attempts < 2 ? attempts : 2];
}

static struct fate set_aside(bool alarm)
{
	return (struct fate){ .what = FATE_SET_ASIDE, .alarm = alarm };
}

struct fate fate_of(enum fate_end end, unsigned attempts, unsigned faults, unsigned deliveries)
{
	switch (end) {
	case END_JUDGED: return (struct fate){ .what = FATE_DONE };
	case END_NEVER:
	case END_REFUSED: return set_aside(false);
	case END_OTHER_BYTES: return set_aside(true);
	default: break;
	}
	if (deliveries >= FATE_DELIVERIES_MAX || faults >= FATE_FAULTS_MAX)
		return set_aside(false);
	if (end == END_UNASKED)
		return (struct fate){ .what = FATE_GIVE_BACK, .delay_s = BUSY_S };
	if (attempts + 1 >= FATE_ATTEMPTS_MAX)
		return set_aside(false);
	return (struct fate){ .what = FATE_RETRY, .delay_s = delay_of(attempts) };
}
