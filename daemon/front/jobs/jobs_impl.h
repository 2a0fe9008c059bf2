/* What jobs.c, jobs_worker.c, jobs_answer.c and early.c share: the scan itself, and the steps of its life that they take
 * together. */
#pragma once

#include "audit.h"
#include "jobs.h"
#include "keep.h"
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
	enum job_kind task;
	enum job_part part;
	int document; /* a copy; -1: none */
	uint64_t document_size;
	uint32_t member;
	bool wants_rows, wants_digests;
	bool wants_keep, unrecorded;
	struct spool *spool;     /* the input's owner, or NULL */
	int input;               /* -1 until there */
	bool input_is_ours;      /* and not a client's descriptor */
	struct queue_item *heir; /* who gets its place in the queue when it leaves; NULL: nobody */

	struct event *timer; /* held back, deadline, grace: in this order */
	unsigned starts;
	bool arriving; /* a worker was started early, and not all of the body is here yet */
	bool retried;  /* its zygote went away once already */
	bool dropped;  /* nobody wants it any more */
	bool answered; /* only the end of its worker is still awaited */
	bool stuck;    /* not to be started: another one of its tenant is lost */
	bool lost;     /* its worker does not end */

	/* the verdict, until it is told */
	struct audit_call *recording; /* what it waits for; NULL: nothing (any more) */
	struct verdict verdict;
	char *json;

	struct scan *next_lost;

	/* of the present worker */
	struct zygote_link *link; /* NULL: none */
	struct scan *prev, *next; /* among the link's */
	uint64_t id;
	int output; /* our end of the report's way; -1 after its end */
	struct event *readable;
	struct facts *facts;
	struct rows *rows; /* NULL: not asked for */
	struct keep *keep; /* NULL: nobody wants to keep it */
	uint64_t report_bytes;
	bool starved;                /* killed because there was no room for its rows */
	bool exited, killed, unsent; /* unsent: the order to kill did not fit into the channel */
	bool ended_well;             /* exited with status 0, and it is not counted yet as what: its report decides */
	bool malformed;              /* its report is none, or longer than any */
	bool early, withdrawn;       /* started while the body was arriving; being ended without a verdict */
	int early_fd;                /* what an early one reads, ours until it has ended: the body may be gone sooner */
	uint64_t arrived, told;      /* bytes of the body: in its file; those an early worker was told of */
	uint64_t paced;              /* `arrived` when last looked at how fast it grows */
	struct event *pace;
	int status;
	enum wlk_cause cause; /* why we ended it */
	uint64_t queued_ms;   /* when it began to wait for a slot */
	int64_t started_at;
	struct timespec started;
};

/* ---- jobs.c ---- */

/* Into the queue, and let whose turn it is begin. */
void scan_push(struct scan *s);
/* Wait for a slot, now that all bytes are here. */
void scan_enqueue(struct scan *s);
/* Its place in the queue goes to its heir, or is free. */
void scan_leave_queue(struct scan *s);
void scan_free(struct scan *s);
/* Everything but the answer, which is still to be told: slot, input and worker. */
void scan_shed(struct scan *s);

/* ---- jobs_worker.c ---- */

/* What it means depends on the scan's state. */
void scan_set_timer(struct scan *s, uint64_t ms);
void scan_on_timer(evutil_socket_t fd, short what, void *ctx);
/* Send it to a zygote.  Return: 0 or negative errno, and no worker is left. */
int scan_start(struct scan *s, struct zygote_link *l);
/* SIGKILL, once; the end of the worker follows. */
void scan_kill_worker(struct scan *s, enum wlk_cause cause);
/* No longer the link's.  Return: the link, if it has no scan left (tell zygote_unused()). */
struct zygote_link *scan_detach(struct scan *s);
/* Everything of the present worker. */
void scan_forget_worker(struct scan *s);
void scan_close_output(struct scan *s);
/* The worker is gone, or as good as: answer, and free the scan or start over. */
void scan_end_worker(struct scan *s);
/* The same once both its end and that of its report are here. */
void scan_maybe_end(struct scan *s);
/* Count the end of a worker that exited with status 0, once. */
void scan_count_end(struct scan *s);
/* Is there a worker of this tenant that SIGKILL did not end? */
bool jobs_tenant_is_stuck(const struct jobs *j, const char *tenant);
/* That worker has ended after all. */
void scan_found(struct scan *s);

/* ---- jobs_answer.c ---- */

/* Facts become the answer.  @cause: what is known of the worker's end. */
void scan_answer(struct scan *s, enum wlk_cause cause);
void scan_refuse(struct scan *s, enum problem problem, const char *detail);
void scan_count_answered(struct scan *s);

/* ---- early.c ---- */

/* What the present worker says counts for nothing. */
bool early_is_void(const struct scan *s);
void early_withdraw(struct scan *s);
/* A worker that counted for nothing has ended: scan from the spool, when the body is here. */
void early_start_over(struct scan *s);
void early_stop_pacing(struct scan *s);
