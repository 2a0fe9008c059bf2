/* The monitor's side of the keeper (keeper.h): one that keeps, and while a reload wants another, one that shows beforehand
 * that it could.  Their lives are keeper_life.h's; here are the processes.
 *
 * One folder has one keeper, so the next one waits for its turn until the one before has ended. */
#pragma once

#include <stdint.h>

#include "child.h"
#include "keeper_life.h"
#include "settings.h"

struct keeper_process {
	struct life life;
	struct child child;
	char *identity; /* of the settings it was started with: everything it depends on */
};

struct keepers {
	struct keeper_process now, next;
	char *failed;        /* identity of one that could not be started */
	unsigned generation; /* changes when channels to `now` are no longer good */
};

#define KEEPERS_NONE                                              \
	{                                                         \
		.now.child = CHILD_NONE, .next.child = CHILD_NONE \
	}

/* What is needed of the surroundings. */
struct keepers_means {
	int self; /* child_program() */
	const struct journal *journal;
};

/**
 * keepers_step() - what follows from what is wanted, what they said and how late it is
 * @serving: whose settings are to be kept for; NULL: nobody's, so that it ends
 * @coming: those of a front that is to take over; NULL: none
 * Where nobody is serving, the coming one is kept for at once.
 */
void keepers_step(struct keepers *k, const struct keepers_means *m, const struct settings *serving,
    const struct settings *coming, uint64_t now_ms);
/* A process has ended.  Return: whether it was one of these. */
bool keepers_reaped(struct keepers *k, const struct keepers_means *m, pid_t pid, int status, uint64_t now_ms);
/* When keepers_step() has something to do; UINT64_MAX: never. */
uint64_t keepers_due_ms(const struct keepers *k);

enum keepers_say { KEEPERS_WAIT, KEEPERS_READY, KEEPERS_FAILED };

/* Can it be kept for these settings, now or as soon as they serve? */
enum keepers_say keepers_say(const struct keepers *k, const struct settings *s);
/* A new configuration: what has failed may be tried again. */
void keepers_try_again(struct keepers *k);
/* A channel to the one that keeps.  Return: the front's end, the caller's; negative errno: there is none now. */
int keepers_connect(const struct keepers *k);

/* Is there any process? */
bool keepers_any(const struct keepers *k);
