/* The life of a scan, as a value: what happens to it in which phase, what is to be done then, and which phase follows.
 * Pure: no clock, no process, no memory.  jobs.c delivers events and carries actions out.
 *
 *	ADMITTED ── BODY ──► QUEUED (or HELD, and then QUEUED) ── SLOT ──► WORKING ── OVER ──► JUDGED ── TOLD ──► GONE
 *	    └── FOLLOWED ──► FOLLOWING ── BODY ──► EARLY ── OVER ──► JUDGED ── WAIT ──► RECORDING ── RECORDED ──► GONE
 *
 * A worker that is killed is in KILLING, and its end is an answer all the same; one that counts for nothing is in
 * WITHDRAWING, and its scan begins anew.  Where even that does not end it, the scan is answered and LOST with its slot. */
#pragma once

#include <stdbool.h>

#define SCAN_PHASES(X)                                                                            \
	X(ADMITTED)       /* its bytes are on their way, no worker has any of them */             \
	X(HELD)           /* they are here; it waits for its pace (strikes.h), or to try again */ \
	X(QUEUED)         /* it waits for a slot */                                               \
	X(STUCK)          /* it has one, and will be refused: its tenant's storage hangs */       \
	X(FOLLOWING)      /* a worker reads while bytes still arrive (early.c) */                 \
	X(EARLY)          /* the same worker, now that all are here: its report counts */         \
	X(WORKING)        /* a worker has the whole file */                                       \
	X(KILLING)        /* it was killed; its end is an answer */                               \
	X(WITHDRAWING)    /* it was killed; its end is as if it had never been */                 \
	X(JUDGED)         /* the worker is gone, the answer is being made */                      \
	X(LOSING)         /* the worker does not go, the answer is being made */                  \
	X(RECORDING)      /* nothing is left but the verdict, which waits for its record */       \
	X(LOST)           /* answered; its worker and its slot may still be found */              \
	X(LOST_RECORDING) /* both */                                                              \
	X(GONE)           /* freed */

enum scan_phase {
#define X(name) SCAN_##name,
	SCAN_PHASES(X)
#undef X
	    SCAN_N_PHASES
};

#define SCAN_EVENTS(X)                                                                           \
	X(BODY)        /* all its bytes are here */                                              \
	X(FOLLOWED)    /* a worker was started though they are not */                            \
	X(SLOT)        /* a worker was started with them */                                      \
	X(NO_SLOT)     /* it has a slot, but no worker may read its tenant's files now */        \
	X(TIMER)       /* its timer ran out */                                                   \
	X(OVER)        /* the worker has ended, and so has its report */                         \
	X(PIPE_HELD)   /* it has ended, and somebody keeps its pipe open for too long */         \
	X(UNMADE)      /* no worker could be made */                                             \
	X(ZYGOTE_GONE) /* its zygote is gone, and so is it */                                    \
	X(BAD)         /* its report is to be read no further */                                 \
	X(SLOW)        /* the bytes come too slowly for somebody who keeps a slot */             \
	X(FORGET)      /* nobody wants it any more */                                            \
	X(TOLD)        /* the answer was given, or refused, or there was nobody to give it to */ \
	X(WAIT)        /* the answer is to be recorded first */                                  \
	X(RECORDED)    /* it is, or cannot be */

enum scan_event {
#define X(name) SCAN_EV_##name,
	SCAN_EVENTS(X)
#undef X
	    SCAN_N_EVENTS
};

/* What the scan knows besides, where it makes a difference. */
struct scan_facts {
	bool wanted;   /* somebody waits for it, or it is to be finished all the same */
	bool paced;    /* BODY: its tenant is */
	bool retried;  /* a zygote was lost under it before */
	bool too_many; /* attempts */
};

/* In this order. */
enum scan_action {
	SCAN_DO_HOLD = 1 << 0,        /* set the timer to the tenant's pace */
	SCAN_DO_PAUSE = 1 << 21,      /* its slot is free again; set the timer to the next attempt */
	SCAN_DO_PUSH = 1 << 1,        /* into the queue */
	SCAN_DO_REFUSE_SOON = 1 << 2, /* set the timer to now: whoever gave the slot expects no answer yet */
	SCAN_DO_COUNT_WITHDRAWN = 1 << 3,
	SCAN_DO_KILL = 1 << 4,
	SCAN_DO_REFUSE_STUCK = 1 << 5, /* with the reason, as the next two */
	SCAN_DO_REFUSE_UNMADE = 1 << 6,
	SCAN_DO_REFUSE_STORAGE = 1 << 7,
	SCAN_DO_BLAME_PIPE = 1 << 8,   /* it reported nonsense */
	SCAN_DO_BLAME_ZYGOTE = 1 << 9, /* it is an internal error */
	SCAN_DO_ANSWER = 1 << 10,      /* TOLD or WAIT follows at once */
	SCAN_DO_PUNISH = 1 << 11,      /* who sent the file, if it was the file */
	SCAN_DO_COUNT_END = 1 << 12,   /* of the worker */
	SCAN_DO_REQUEUE = 1 << 13,     /* forget the worker; in front of its line */
	SCAN_DO_RETRY_SOON = 1 << 14,
	SCAN_DO_START_OVER = 1 << 15, /* forget the worker; as if it had not been given a slot */
	SCAN_DO_LOSE = 1 << 16,       /* the slot */
	SCAN_DO_FIND = 1 << 17,       /* the slot again */
	SCAN_DO_TELL_RECORDED = 1 << 18,
	SCAN_DO_SHED = 1 << 19, /* all but the answer */
	SCAN_DO_FREE = 1 << 20, /* last of all */
};

struct scan_step {
	enum scan_phase phase;
	unsigned actions; /* of enum scan_action */
	bool impossible;  /* the phase is the same, nothing is to be done, and to have asked is a bug */
};

struct scan_step scan_step(enum scan_phase phase, enum scan_event event, struct scan_facts facts);

/* Does it have a worker that has not ended? */
bool scan_phase_has_worker(enum scan_phase phase);
/* Is it, or was it, in a worker's hands, so that there is progress to tell of? */
bool scan_phase_runs(enum scan_phase phase);
const char *scan_phase_text(enum scan_phase phase);
const char *scan_event_text(enum scan_event event);
