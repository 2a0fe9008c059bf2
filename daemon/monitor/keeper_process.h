/* The monitor's side of the keeper: one at a time, and its channels to the fronts (keeper.h says why). */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "settings.h"

#define KEEPER_HELLO_MS 15000     /* for it to open what it keeps: longer than it waits for its lock */
#define KEEPER_RETRY_MS 500       /* between a death and the next start; doubled up to ... */
#define KEEPER_RETRY_MAX_MS 60000 /* ... this while it does not even start */

struct keeper_process {
	pid_t pid;      /* 0: none */
	int control;    /* -1: none */
	char *identity; /* of the settings it was started with */
	bool ending;
	uint64_t end_by_ms; /* with `ending`: then it is killed */
	uint64_t due_ms;    /* not before: the next one */
	unsigned failures;  /* starts in a row that came to nothing */
};

/* Zeroed with control -1 is none. */

/**
 * keeper_process_start() - start it and wait until it can keep
 * @k: none is running.
 * @self: launch_open_self().  On failure, due_ms says when to try again.
 * Return: 0 or negative errno, with the reason in the log.
 */
int keeper_process_start(struct keeper_process *k, int self, const struct settings *s);
/* Was it started with what these settings say?  @s: NULL never fits. */
bool keeper_process_fits(const struct keeper_process *k, const struct settings *s);
/* A channel to it, for a front.  Return: the front's end, the caller's; negative errno. */
int keeper_process_connect(struct keeper_process *k);
/* It is to finish what has arrived, and end; it is killed if it takes longer than KEEPER_END_MS. */
void keeper_process_end(struct keeper_process *k);
/* Kill one that did not end in time. */
void keeper_process_look(const struct keeper_process *k);
/* waitpid(2), without waiting.  Return: whether it has gone. */
bool keeper_process_reap(struct keeper_process *k);
/* At the end of everything: end it, and wait for that. */
void keeper_process_finish(struct keeper_process *k);
