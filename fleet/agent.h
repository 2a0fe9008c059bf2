/* An agent: takes jobs from the queue, hands their files to this machine's daemon, writes down what it says.  It parses no byte
 * of a model. */
#pragma once

#include <stdbool.h>

#include "database.h"
#include "fetch.h"
#include "queue.h"
#include "reference.h"

#define AGENT_PLACES_MAX QUEUE_DONE_MAX

struct agent_settings {
	const char *socket_path; /* NULL: the daemon's default */
	const char *node;        /* by which people know this machine */
	unsigned places;         /* scans at the same time, 1 to AGENT_PLACES_MAX */
	bool until_empty;        /* end when there is nothing to do, nor will be */
};

/**
 * agent_run() - until SIGTERM or SIGINT: then what has not begun goes back, and what has is awaited
 * @fetcher: NULL: files are below the roots and nowhere else
 * @truth, @hints: two connections; @hints listens for new jobs
 * Return: 0, or negative errno.
 *
 * A verdict is on disk before its job is done.  Without a database nothing new begins, and what was judged waits here for it.
 */
int agent_run(const struct agent_settings *settings, const struct roots *roots, struct fetcher *fetcher, const struct queue *queue,
    struct database *truth, struct database *hints);
