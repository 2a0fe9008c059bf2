/* Scans: from "the bytes are here" to a verdict.  A scan waits in the queue, gets a slot, is sent to the zygote with
 * its input and the end of a pipe, and its report is decoded as it comes.  A verdict needs both the end of the
 * report and the end of the worker; neither is waited for without a bound.
 *
 * What happens when is scan_phase.h.  A scan belongs to jobs.c.  The connection that asked holds a pointer until its callback has been called or it has
 * said that it is no longer interested. */
#pragma once

#include "audit.h"
#include "env.h"
#include "facts.h"
#include "job.h"
#include "keep.h"
#include "rows.h"
#include "spool.h"
#include "strikes.h"
#include "queue.h"
#include "verdict.h"
#include "zygotes.h"

#define SCAN_NAME_MAX 1024u      /* bytes of a file's name */
#define SCAN_REQUEST_ID_MAX 128u /* bytes */

#define JOBS_GRACE_MS 2000 /* for what must follow: the end of a killed worker, the end of its report */
#define JOBS_REPORT_MAX ((uint64_t)32 << 20) /* bytes: twice the largest sound report, progress of a day included */
#define JOBS_STARTS_MAX 50 /* attempts to get a worker forked, 100 ms apart, before the answer is "busy" */
#define JOBS_RESTART_MS 100
#define JOBS_EARLY_MIN ((uint64_t)16 << 20) /* bytes: below it the whole scan takes 10 ms, and waiting for it no less */
#define JOBS_MARKS \
	128 /* a worker is told of each such part of the body; one is 8 bytes, and 768 of the socket's 200 K */
#define JOBS_PACE_S 1 /* how often a body's pace is looked at; so long an idle client keeps a slot others want */

struct jobs;
struct scan;

/* What jobs work with; theirs for good.  Queue and spools are also those of whoever asks for a scan. */
struct jobs_parts {
	struct env *env;
	struct queue *queue;
	struct tenants *tenants;
	struct spool_store *spools;
	struct zygotes *zygotes;
	struct audit audit;
	struct keeps keeps;
};

/* Why there is no verdict. */
enum trouble {
	TROUBLE_BUSY,         /* not now */
	TROUBLE_INTERNAL,     /* memory, or a bug */
	TROUBLE_NOT_RECORDED, /* AUDIT_NOT_RECORDED */
	TROUBLE_TOO_LARGE,    /* what would be the answer */
};

/* What a connection asks for.  Texts are copied. */
struct scan_request {
	const struct policy *policy;
	const char *name, *request_id, *tenant; /* name may be "" */
	enum queue_lane lane;
	bool by_descriptor; /* the bytes are on storage of the caller's choice */
	bool has_sha256;
	const uint8_t *sha256;
	uid_t peer_uid; /* for the log, and whose share the rows are of */
	pid_t peer_pid;
	enum job_kind task;
	enum job_part part; /* of JOB_FILE; see struct job, as for the next three */
	/* What others say of the file: a sealed descriptor of ours, of which the scan takes a copy.  document_size 0: nothing. */
	int document;
	uint64_t document_size;
	uint32_t member;
	bool rows, digests, stats; /* of tensors; see struct job */
	bool calls;                /* likewise */
	bool keep;                 /* for the verdict store, if it is worth it (keep.h) */
	bool unrecorded;           /* nobody is given its verdict: not for the audit log */
	/* A place in the queue that the asker has (QUEUE_ADMITTED): the scan takes it and gives it back when it leaves.  Until
	 * then, or scan_forget(), it must exist.  In another state, or NULL: the scan has to find a place of its own. */
	struct queue_item *place;
};

/* How it ended: a verdict (of other jobs than JOB_FILE only facts), or a problem when there could be none. */
struct scan_result {
	bool has_verdict;
	enum verdict_value value, effective;   /* what gates go by: the latter */
	char *json;                            /* one line; borrowed: dup or copy */
	const json_t *verdict;                 /* the same; borrowed */
	const struct facts *facts;             /* finished; borrowed, like the context; NULL: a problem */
	const struct verdict_context *context; /* of other jobs than JOB_FILE: what a verdict can be made with */
	struct rows *rows;                     /* where they were asked for: now the callee's */
	bool put_off; /* of JOB_PART_MEMBER: nobody knows what it is, so there is no verdict yet */
	int input;    /* then, of scan_start_fd(): now the callee's again */
	enum trouble trouble;
	const char *detail; /* a sentence for a person */
};

typedef void (*scan_done_fn)(void *ctx, const struct scan_result *result);

/* @parts: copied; its zygotes are made here.  @tell: a word to the monitor; see zygotes.h */
int jobs_new(const struct jobs_parts *parts, void (*tell)(void *ctx, uint32_t type, uint64_t id, int status), void *ctx,
    struct jobs **ret);
struct jobs_parts *jobs_parts(struct jobs *j);
/* Are requests taken, and can what is promised about them be kept?  (But for a zygote.) */
bool jobs_are_good(const struct jobs_parts *parts);
/* Give free slots to those who wait. */
void jobs_pump(struct jobs *j);
/* Scans not answered yet, and what is held for more to come: a front does not end before. */
size_t jobs_active(const struct jobs *j);
void jobs_hold(struct jobs *j);
void jobs_release(struct jobs *j);
/* How long the scan that waits for a slot longest has waited; 0: none does. */
uint64_t jobs_oldest_wait_ms(const struct jobs *j);
/* SANDBOX_N_LAYERS names, for verdicts. */
const char *const *jobs_layer_names(void);

/**
 * scan_admit() - may this request come in?  Before its bytes do.
 * @done: called exactly once, on the event loop and never from inside a function below, unless scan_forget() is
 * Return: QUEUE_OK with *ret; else why not (QUEUE_FULL also without memory; QUEUE_TENANT_FULL also for descriptors
 * of a tenant whose storage holds a worker that cannot be ended: one slot a tenant is enough to lose).
 */
enum queue_answer scan_admit(
    struct jobs *j, const struct scan_request *r, scan_done_fn done, void *ctx, struct scan **ret);

/* The bytes are here; the scan takes what it is given.  @spool or @fd: the input (fd: a client's descriptor). */
void scan_start_spool(struct scan *s, struct spool *spool);
void scan_start_fd(struct scan *s, int fd, uint64_t size, bool sealed);
/**
 * scan_claim() - before scan_start_fd(): only its structure is read, and its digest is what the asker says
 * @base: what is known of that digest (facts_claim()), now the scan's; NULL: nothing.  @present: what of the file is there
 *     (partial_read_ranges()); "": all
 * Return: false without memory, and nothing is taken.
 */
bool scan_claim(struct scan *s, struct facts *base, const uint8_t sha256[32], const char *present);
/* The same for a sealed descriptor of our own. */
void scan_start_own(struct scan *s, int fd, uint64_t size);

/* More of the body has been stored: a worker may begin with it, or go on.  As often as there is news, until
 * scan_start_spool(). */
void scan_follow(struct scan *s, const struct spool *spool);

/* The client is gone.  @finish: go on all the same, for the log. */
void scan_forget(struct scan *s, bool finish);
/* It was admitted and will not begin: a place that it took goes back at once.  @s: no scan_start_*() was called. */
void scan_give_back(struct scan *s);

bool scan_running(const struct scan *s);
size_t scan_position(const struct scan *s);   /* in the queue, 1 is next */
uint64_t scan_progress(const struct scan *s); /* bytes done, of scan_size() */
uint64_t scan_size(const struct scan *s);
