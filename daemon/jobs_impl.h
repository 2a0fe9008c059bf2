/* What jobs.c and early.c share: the scan itself, and the steps of its life that both take. */
#pragma once

#include "jobs.h"
#include "strikes.h"

struct jobs {
	struct front *front;
	struct event *retry; /* a worker could not be made; try again soon */
	uint64_t last_id;
	size_t active;
	struct scan *lost; /* those whose workers do not end */
	struct strikes strikes;
};

/* See jobs.h. */
struct scan {
	struct queue_item item; /* first: the queue hands it back */
	struct jobs *jobs;
	scan_done_fn done; /* NULL: nobody waits (any more) */
	void *ctx;

	const struct policy *policy;
	char name[HTTP_NAME_MAX + 1], request_id[HTTP_REQUEST_ID_MAX + 1], tenant[QUEUE_TENANT_MAX + 1];
	uid_t peer_uid;
	pid_t peer_pid;
	struct facts_expect expect;
	enum verdict_source source;
	struct spool *spool; /* the input's owner, or NULL */
	int input;           /* -1 until there */

	struct event *timer; /* held back, deadline, grace: in this order */
	unsigned starts;
	bool arriving; /* a worker was started early, and not all of the body is here yet */
	bool retried;  /* its zygote went away once already */
	bool dropped;  /* nobody wants it any more */
	bool answered; /* only the end of its worker is still awaited */
	bool stuck;    /* not to be started: another one of its tenant is lost */
	struct scan *next_lost;

	/* of the present worker */
	struct zygote_link *link; /* NULL: none */
	struct scan *prev, *next; /* among the link's */
	uint64_t id;
	int output; /* our end of the report's way; -1 after its end */
	struct event *readable;
	struct facts *facts;
	uint64_t report_bytes;
	bool exited, killed, unsent; /* unsent: the order to kill did not fit into the channel */
	bool early, withdrawn;       /* started while the body was arriving; being ended without a verdict */
	int early_fd;                /* what an early one reads, ours until it has ended: the body may be gone sooner */
	uint64_t arrived, told;      /* bytes of the body: in its file; those an early worker was told of */
	uint64_t paced;              /* `arrived` when last looked at how fast it grows */
	struct event *pace;
	int status;
	enum wlk_cause cause; /* why we ended it */
	int64_t started_at;
	struct timespec started;
};

/* ---- jobs.c ---- */

/* Wait for a slot, now that all bytes are here. */
void scan_enqueue(struct scan *s);
/* Send it to a zygote.  Return: 0 or negative errno, and no worker is left. */
int scan_start(struct scan *s, struct zygote_link *l);
/* SIGKILL, once; the end of the worker follows. */
void scan_kill_worker(struct scan *s, enum wlk_cause cause);
/* No longer the link's.  Return: the link, if it has no scan left (tell zygote_unused()). */
struct zygote_link *scan_detach(struct scan *s);
/* Everything of the present worker. */
void scan_forget_worker(struct scan *s);
void scan_free(struct scan *s);

/* ---- early.c ---- */

/* What the present worker says counts for nothing. */
bool early_is_void(const struct scan *s);
void early_withdraw(struct scan *s);
/* A worker that counted for nothing has ended: scan from the spool, when the body is here. */
void early_start_over(struct scan *s);
void early_stop_pacing(struct scan *s);
