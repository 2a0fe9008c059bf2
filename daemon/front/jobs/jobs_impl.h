/* What jobs.c, jobs_worker.c, jobs_answer.c, jobs_digest.c and early.c share: the scan itself, and what they do with it.
 * When they do it scan_phase.h says. */
#pragma once

#include "digester.h"
#include "jobs.h"
#include "scan_phase.h"

struct jobs {
	struct jobs_parts parts;
	void (*tell)(void *ctx, uint32_t type, uint64_t id, int status);
	void *tell_ctx;
	struct event *retry; /* a worker could not be made; try again soon */
	size_t active;
	struct scan *lost; /* those whose workers do not end */
};

/* One attempt at a scan.  Zeroed, but for output and early_fd, before it. */
struct scan_worker {
	struct zygote_job job;
	int output; /* our end of the report's way; -1 after its end */
	struct event *readable;
	struct facts *facts;
	struct rows *rows; /* NULL: not asked for */
	struct keep *keep; /* NULL: nobody wants to keep it */
	uint64_t report_bytes;
	bool exited;
	int status;           /* then */
	enum wlk_cause cause; /* why we ended it; WLK_CAUSE_NONE: we did not */
	bool malformed;       /* its report is none, or longer than any */
	bool unmade;          /* it, or its digest, could not be begun: nothing of it counts when both have ended */
	bool starved;         /* there was no room for its rows */

	/* of a descriptor */
	enum digester_way way;
	struct digest_call digest;

	bool by_socket; /* it reports by one, for marks come in by it: of one that follows its body, or a digester */
	/* of one that follows its body */
	int early_fd;   /* what it reads, ours until it has ended: the body may be gone sooner */
	uint64_t told;  /* bytes it knows of */
	uint64_t paced; /* `arrived` when last looked at how fast it grows */
	struct event *pace;
};

/* See jobs.h. */
struct scan {
	struct queue_item item; /* first: the queue hands it back */
	struct jobs *jobs;
	enum scan_phase phase;
	scan_done_fn done; /* NULL: nobody waits (any more) */
	void *ctx;
	bool wanted; /* though nobody waits, it is to be finished */

	/* the request */
	const struct policy *policy;
	char name[SCAN_NAME_MAX + 1], request_id[SCAN_REQUEST_ID_MAX + 1], tenant[TENANT_NAME_MAX + 1];
	uid_t peer_uid;
	pid_t peer_pid;
	struct facts_expect expect;
	enum verdict_source source;
	enum job_kind task;
	enum job_part part;
	int document; /* a copy; -1: none */
	uint64_t document_size;
	uint32_t member;
	bool claims;        /* its digest is the asker's word (scan_claim()) ... */
	struct facts *base; /* ... and held to this; NULL: to nothing */
	bool wants_rows, wants_digests, wants_stats, wants_calls, wants_keep, unrecorded;

	struct spool *spool;     /* the input's owner, or NULL */
	int input;               /* -1 until there */
	bool input_is_ours;      /* and not a client's descriptor */
	uint64_t arrived;        /* bytes of a body that are in its file */
	struct queue_item *heir; /* who gets its place in the queue when it leaves; NULL: nobody */
	uint64_t queued_ms;      /* when it began to wait for a slot */

	struct event *timer; /* the tenant's pace, then deadline, then grace */
	uint64_t hold_ms;    /* for that pace */
	unsigned starts;     /* attempts to have a worker made */
	bool retried;        /* its zygote went away once already */
	bool followed;       /* a worker has followed its body: there is no second one */
	struct scan_worker worker;
	int64_t started_at; /* of the worker: seconds since 1970 */
	double started_ms;

	/* the verdict, until it is told */
	struct audit_call *recording; /* what it waits for; NULL: nothing (any more) */
	bool recorded;
	struct verdict verdict;
	char *json;

	struct scan *next_lost;
};

/* ---- jobs.c ---- */

/* It has happened.  The scan may be gone afterwards. */
void scan_event(struct scan *s, enum scan_event e);

/* ---- jobs_digest.c ---- */

/* The digest of a body is there, or will never be; or it is still to come, and told of. */
void scan_expect_digest(struct scan *s);
/* Is it a digester's to take? */
bool scan_wants_digester(const struct scan *s);
/* Return: 0, and scan_on_digested() follows; negative errno. */
int scan_start_digest(struct scan *s, struct digester *d);
void scan_on_digested(struct scan *s, int error, const uint8_t *sha256);
/* Nobody will use it: the file is read again, soon or when others have said what it is. */
bool scan_drops_digest(const struct scan *s);
/* Is it still to come? */
bool scan_awaits_digest(const struct scan *s);
/* It has a verdict: is its report kept?  Takes the worker's `keep`. */
void scan_keep(struct scan *s, const struct verdict_context *c);

/* ---- jobs_worker.c ---- */

void scan_set_timer(struct scan *s, uint64_t ms);
void scan_on_timer(evutil_socket_t fd, short what, void *ctx);
/* Send it to a zygote.  Return: 0 or negative errno, and no worker is left. */
int scan_start(struct scan *s, struct zygote_link *l);
/* SIGKILL; the end of the worker follows. */
void scan_kill_worker(struct scan *s);
void scan_init_worker(struct scan *s);
/* Everything of the present worker, its zygote's interest in it too. */
void scan_forget_worker(struct scan *s);
void scan_close_output(struct scan *s);
/* The worker could not be made. */
void scan_on_unmade(struct scan *s);
/* The worker has ended, so has its report, and the digest is there: it is over.  Where something is missing, wait for it. */
void scan_check_over(struct scan *s);
/* Count the end of a worker that exited with status 0. */
void scan_count_end(const struct scan *s);
/* Whoever sent the file, where it was the file that ended its worker. */
void scan_punish(struct scan *s);

/* ---- jobs_answer.c ---- */

/* Facts become the answer.  Return: what has come of it, SCAN_EV_TOLD or SCAN_EV_WAIT. */
enum scan_event scan_answer(struct scan *s);
void scan_refuse(struct scan *s, enum trouble trouble, const char *detail);
void scan_tell_recorded(struct scan *s);

/* ---- early.c ---- */

void early_stop_pacing(struct scan *s);
