/* What becomes of a job once it was tried: a value from values, without a clock or a queue. */
#pragma once

#include <stdbool.h>

#define FATE_ATTEMPTS_MAX 4u    /* counted ones; then it is set aside */
#define FATE_FAULTS_MAX 2u      /* workers that this file killed */
#define FATE_DELIVERIES_MAX 20u /* whoever was killed with it: something is wrong that no count of ours sees */

/* How an attempt ended. */
enum fate_end {
	END_JUDGED, /* a verdict from a whole report: a row */
	END_LATER,  /* it may go otherwise next time: storage, a busy machine, a file that changes or is not there */
	END_FAULT,  /* the worker died of it */
	END_NEVER,  /* the same question gets the same answer: a limit */
	END_OTHER_BYTES, /* not the file that was announced */
	END_REFUSED,     /* a reference that leads nowhere we go; a deadline that is over */
	END_UNASKED,     /* no daemon, or it was full: nothing was learnt about the file */
};

enum fate_do {
	FATE_DONE,      /* the row is the answer */
	FATE_RETRY,     /* counted, after .delay_s */
	FATE_GIVE_BACK, /* not counted, after .delay_s */
	FATE_SET_ASIDE, /* for a person */
};

struct fate {
	enum fate_do what;
	unsigned delay_s;
	bool alarm;
};

/**
 * fate_of() - what to do with it
 * @attempts: that were counted before this one
 * @faults: of them and this one, that were END_FAULT
 * @deliveries: how often the queue has given it to anybody
 */
struct fate fate_of(enum fate_end end, unsigned attempts, unsigned faults, unsigned deliveries);
