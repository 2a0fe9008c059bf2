/* The keeper: the only process that writes what outlives a request (the verdict store; an audit log, exceptions or a key, where they
 * are configured).  The event loop of a front must not wait for a disk, and its jail has no business with files that
 * stay; so what is to be kept goes to the keeper in a bounded record and an answer comes back.  It never sees a model
 * file, a client or a descriptor of either.
 *
 *	keeper.c           the process: channels, one loop, its jail
 *	keeper_features.c  what it can keep, in one table
 *	run.c              how the process begins
 *
 * ../wire/keeper_wire.h has its frames, ../front/keep/keeper_link.h the front's side (keeper_ask()), and
 * ../monitor/keeper_process.h the monitor's: starting, connecting, ending it.
 *
 * There is none unless a feature that needs one is configured.
 *
 * One writer.  A reload runs two fronts at a time, and a chain of hashes or a sum of bytes has one head: so a keeper is
 * the monitor's and not a front's.  Each front gets a channel of its own to the same keeper, which serves one request
 * after the other.  Where the new configuration wants another keeper (another folder, other bounds), the old one is
 * told to finish what has arrived and ends, and only when it has been reaped does its successor open anything there; that one
 * has been started before, and has shown that the rest of what it needs is good (CONTROL_PROVEN).  A lock on the
 * folder (KEEPER_LOCK) says the same to a second daemon.  A front whose channel ends goes on: what it had not sent waits
 * for the next channel, so a planned change loses nothing, and what it had sent without an answer is KEEPER_LOST. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "keeper_wire.h"
#include "settings.h"

#define KEEPER_LOCK "keeper.lock" /* in state_dir */
#define KEEPER_LOCK_MS 5000       /* for a predecessor to end, whose monitor was killed */
#define KEEPER_CHANNELS 8         /* fronts at a time: more than the monitor has crews */

/* An answer being made.  `payload` grows by keeper_answer_add(). */
struct keeper_answer {
	enum keeper_status status; /* KEEPER_OK unless said otherwise */
	uint8_t *at;
	size_t n, room;
};

/* Beyond KEEPER_PAYLOAD_MAX, or without memory, the answer becomes KEEPER_FAILED. */
void keeper_answer_add(struct keeper_answer *a, const void *at, size_t n);

struct keeper_handler {
	enum keeper_kind kind;
	/* Answers one request; takes as long as its disk takes.  What a front may have of a wrong length or range: the
	 * front is trusted less than its own state, so check it as a stranger's. */
	void (*handle)(void *state, struct bytes request, struct keeper_answer *answer);
};

/* Something that is kept. */
struct keeper_feature {
	const char *name;                         /* for the log */
	bool (*wanted)(const struct settings *s); /* is it configured? */
	/* While another keeper may still have the folder: is all else there that is needed?  NULL: nothing else is.  The log says
	 * why it is not.  Return: 0 or negative errno, and the keeper ends. */
	int (*prove)(const struct settings *s);
	/* Before the jail, as the user the keeper stays, in state_dir (the working folder): open what is needed later, and
	 * let libraries load what they need.  The log says why it failed.  Return: 0 or negative errno, and the keeper ends. */
	int (*open)(const struct settings *s, void **ret_state);
	const struct keeper_handler *handlers;
	size_t n_handlers;
	/* Now and then, also where nothing is asked: what may be kept no longer goes.  NULL: nothing to do. */
	void (*tend)(void *state, int64_t now);
	/* After a few requests and before any of their answers goes out: make all of them last (fsync).  NULL: nothing to do.
	 * Return: 0 or negative errno: then the keeper ends, and their fronts hear KEEPER_LOST and no promise. */
	int (*settle)(void *state);
	void (*close)(void *state); /* at an orderly end */
};

extern const struct keeper_feature *const keeper_features[]; /* NULL behind the last */

/**
 * keeper_main() - the process, until the monitor says so or is gone
 * @state_dir_fd, @control: its only descriptors besides standard error; control is to the monitor (control.h)
 * Return: exit status.
 */
int keeper_main(const struct settings *s, int state_dir_fd, int control);
/* The same from the beginning of the process (role.h). */
int keeper_run(const struct settings *s);
