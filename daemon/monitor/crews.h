/* The lives of crews: who may start, serve, drain and end, and when.  Here is no process and no clock; events come in,
 * actions go out, and monitor.c carries them out.
 *
 * A crew is a front and its zygotes.  A reload starts a second crew with the new settings on the same socket; when that one
 * is ready, the first is told to drain and ends: nothing is ever changed inside a running front, and a configuration that
 * does not work never takes over. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CREWS_MAX 4               /* one working, one coming, others still draining */
#define CREW_COMING_MS 120000     /* for a front to judge its sample, on a machine on its knees */
#define CREW_RETRY_MS 1000        /* from a front's end to the next one */
#define CREW_GRACE_MS 5000        /* beyond the time to drain; and for the killed to be gone */
#define CREWS_FAILURES_MAX 10     /* in a row: then it is the service manager's turn */
#define CREWS_NEVER_MS UINT64_MAX /* a phase that lasts until something happens */

enum crew_phase {
	CREW_FREE,     /* this place has no crew */
	CREW_COMING,   /* its front has been started */
	CREW_PROVEN,   /* its front is ready; its keeper is not */
	CREW_SERVING,  /* takes requests */
	CREW_DRAINING, /* was told to finish */
	CREW_WAITING,  /* its front has died; another will be started */
	CREW_ENDING,   /* whatever is left was killed, and is waited for */
	CREW_N_PHASES
};

enum crew_event {
	CREW_BEGIN,         /* settings for a new crew */
	CREW_FRONT_READY,   /* the front says so */
	CREW_KEEPER_READY,  /* what it wants kept can be kept; also when it wants nothing kept */
	CREW_KEEPER_FAILED, /* what it wants kept cannot be */
	CREW_ZYGOTE_FAILED, /* one could not be started: another will be tried */
	CREW_REPLACED,      /* a later crew serves */
	CREW_STOP,          /* the service is to end */
	CREW_STOP_NOW,      /* at once */
	CREW_FRONT_LOST,    /* its front has ended, or could not be started */
	CREW_LOST_BESIDE,   /* the same, or CREW_KEEPER_FAILED, while another one serves */
	CREW_ALL_GONE,      /* no process of it is left */
	CREW_TIMEOUT,       /* the phase has lasted as long as it may */
	CREW_N_EVENTS
};

enum crew_action {
	CREW_START = 1,           /* a front */
	CREW_SERVE = 2,           /* it has taken over: say so */
	CREW_TELL_DRAIN = 4,      /* to the front */
	CREW_KILL = 8,            /* whatever is left of it */
	CREW_FORGET = 16,         /* its settings, and what does not even end when killed */
	CREW_FAILURE = 32,        /* a start that came to nothing */
	CREW_SAY_REFUSED = 64,    /* not reloaded */
	CREW_SAY_LATE = 128,      /* not ready, or not drained, in time */
	CREW_SAY_STUCK = 256,     /* killed, and still there */
	CREW_IMPOSSIBLE = 1 << 30 /* nothing is done: this event cannot come in this phase */
};

struct crew_step {
	enum crew_phase next;
	unsigned actions;
};

/* What follows from an event; the same for every crew at any time. */
struct crew_step crew_step(enum crew_phase phase, enum crew_event event);

/* All of them.  Zeroed is none. */
struct crews {
	struct crew_life {
		enum crew_phase phase;
		uint64_t until_ms; /* then comes CREW_TIMEOUT */
		uint64_t age;      /* which configuration this is: later ones have higher numbers */
		uint64_t drain_ms; /* how long its front may drain */
	} of[CREWS_MAX];
	uint64_t latest_age; /* of all that there were */
	unsigned failures;   /* starts in a row that came to nothing */
	bool was_ready, stopping, failed;
};

/* What is to be done, for each crew: crew_action. */
struct crew_orders {
	unsigned of[CREWS_MAX];
};

/* A new one.  Return: its place; -1: all places are taken. */
int crews_begin(struct crews *c, uint64_t drain_ms, uint64_t now_ms, struct crew_orders *o);
void crews_on(struct crews *c, size_t i, enum crew_event event, uint64_t now_ms, struct crew_orders *o);
/* The first time: all finish.  Again: at once. */
void crews_stop(struct crews *c, uint64_t now_ms, struct crew_orders *o);
/* What time brings. */
void crews_tick(struct crews *c, uint64_t now_ms, struct crew_orders *o);
/* When it brings something next; CREWS_NEVER_MS: nothing. */
uint64_t crews_due_ms(const struct crews *c);

bool crews_any(const struct crews *c);
/* Is one on its way to be ready?  Return: its place; -1. */
int crews_coming(const struct crews *c);
/* The one that takes requests.  Return: its place; -1. */
int crews_serving(const struct crews *c);
