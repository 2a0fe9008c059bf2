/* Who judges: a worker started here (local.c) or the daemon (client.c).  Both take a task, go on with it when
 * their descriptor becomes readable, and leave a verdict in it. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "status.h"
#include "walk.h"

/* One input on its way to a verdict. */
struct task {
	struct input input;
	int64_t started_us; /* now_us() */
	uint64_t progress;  /* bytes judged so far, where known */
	bool done;
	json_t *verdict; /* owned; set when done.  NULL: no memory for it */
	char *line;      /* owned; the daemon's own words where they can be printed as they are, else NULL */
	void *work;      /* the backend's own */
};

struct backend;

struct backend_ops {
	/* Begin; the task's descriptor is closed as soon as it was passed on.  The task is borrowed until
	 * done. Never fails: what cannot be begun is done at once, with a verdict that says so. */
	void (*start)(struct backend *b, struct task *t);
	/* Do what can be done without waiting. */
	void (*turn)(struct backend *b, int64_t now);
	/* When turn() wants to be called though nothing is readable; INT64_MAX: never. */
	int64_t (*next_ms)(const struct backend *b);
	/* Ends everything under way. */
	void (*close)(struct backend *b);
};

struct backend {
	const struct backend_ops *ops;
	int epoll_fd; /* readable when turn() has something to do */
};

/* The verdict `error` about something that was not examined, for @detail (may be NULL).  @retry NULL: as the
 * cause says.  Leaves it in the task and marks it done. */
void task_fail(struct task *t, const struct policy *p, enum wlk_cause cause, const char *detail, const char *retry);

/* Add scan.detail, a sentence for a person.  @detail may hold anything. */
void verdict_detail(json_t *verdict, const char *detail);
