/* The life of a keeper process (keeper.h): events in, actions out; no process and no clock.  keepers.c carries them out. */
#pragma once

#include <stdint.h>

#define LIFE_START_MS 15000     /* for it to open what it keeps */
#define LIFE_KILLED_MS 5000     /* for one that was killed to be gone */
#define LIFE_RETRY_MS 500       /* between a start and the next; doubled up to ... */
#define LIFE_RETRY_MAX_MS 60000 /* ... this while they come to nothing */

#define LIFE_NEVER_MS UINT64_MAX /* a phase that lasts until something happens */

enum life_phase {
	LIFE_NONE,     /* no process, and one may be started */
	LIFE_STARTING, /* it looks at what it will need: the folder, the key */
	LIFE_PROVEN,   /* it has all of that, and waits for its predecessor to end */
	LIFE_OPENING,  /* the folder is its own */
	LIFE_KEEPING,  /* it keeps */
	LIFE_ENDING,   /* it was told to finish what has arrived */
	LIFE_KILLED,   /* ... and is waited for */
	LIFE_RESTING,  /* no process, and not yet another */
	LIFE_N_PHASES
};

enum life_event {
	LIFE_WANTED, /* somebody's settings want one like it */
	LIFE_UNFIT,  /* nobody's do */
	LIFE_SAYS_PROVEN,
	LIFE_TURN, /* nobody is before it */
	LIFE_SAYS_READY,
	LIFE_DIED,    /* or could not be started */
	LIFE_TIMEOUT, /* the phase has lasted as long as it may */
	LIFE_N_EVENTS
};

enum life_action {
	LIFE_START = 1,
	LIFE_TELL_END = 2,
	LIFE_KILL = 4,
	LIFE_FORGET = 8,      /* its channels and what it was started with */
	LIFE_FAILED = 16,     /* it came to nothing: tell who wanted it */
	LIFE_TELL_TURN = 32,  /* the folder is its own */
	LIFE_SAY_STUCK = 64,  /* killed, and still there */
	LIFE_IMPOSSIBLE = 128 /* nothing is done */
};

struct life_step {
	enum life_phase next;
	unsigned actions;
};

struct life_step life_step(enum life_phase phase, enum life_event event);

/* One life.  Zeroed: LIFE_NONE. */
struct life {
	enum life_phase phase;
	uint64_t until_ms;   /* then comes LIFE_TIMEOUT */
	uint64_t started_ms; /* the last start */
	unsigned failures;   /* starts in a row that came to nothing */
};

/* Return: life_action. */
unsigned life_on(struct life *l, enum life_event event, uint64_t now_ms);
