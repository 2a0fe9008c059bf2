/* The front: the one process that talks to clients.  One event loop, no thread but those of pool.h, no file opened
 * but in the spool folder, no model byte parsed.  It is given its listener, settings and spool folder by fork, jails
 * itself, and gets zygotes from the monitor.
 *
 *	front.c      set-up, listener, signals, control channel, health
 *	conn.c       a connection: head, body, reply, drain; conn_read.c and conn_write.c are its two directions
 *	request.c    what a request head asks for, and whether it may
 *	clamd.c      a connection of a client of clamd; clamd_read.c, clamd_commands.c, clamd_task.c: what it asks for
 *	jobs.c       scans: slots; jobs_worker.c: reports, deadlines; jobs_answer.c: verdicts
 *	early.c      workers that follow an upload
 *	keep.c       reports on their way to the verdict store; keep_reply.c: answers from there
 *	set.c        several files of one request, and the set they are
 *	listing.c    answers that are made while they are written
 *	zygotes.c    channels to zygotes: retirement, succession, ping
 *	tenants.c    limits of tenants: queue.c, budget.c and rate.c keep them
 *	tally.c      what is counted; metrics.c prints it
 *	endpoints.c  everything that is not a scan */
#pragma once

#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "files.h"
#include "keeper_link.h"
#include "queue.h"
#include "settings.h"
#include "spool.h"
#include "status.h"
#include "tally.h"
#include "tenants.h"
#include "verdict.h"

struct clamd;
struct conn;
struct jobs;
struct keep;
struct zygotes;

/* Counted since the start of this front; /metrics prints them. */
struct metrics {
	uint64_t connections, refused_peers, requests, problems;
	uint64_t verdicts[VERDICT_REJECT + 1];
	uint64_t causes[WLK_N_CAUSES];     /* of verdicts that carry one */
	uint64_t sets[VERDICT_REJECT + 1]; /* verdicts about sets; those of their files are among the others */
	uint64_t bytes_scanned, upload_bytes;
	uint64_t zygotes_started, zygotes_retired, slots_lost, accept_failures;
	uint64_t store_stored, store_refused,
	    store_failed;                        /* reports kept; not worth keeping, or no room for a second look; not
							     * taken by the keeper */
	uint64_t store_disagreed;                /* two workers, two digests: an alarm */
	uint64_t store_hits, store_misses;       /* questions answered from the store, and not */
	uint64_t audit_recorded, audit_failed;   /* verdicts in the audit log, and those that are not */
	uint64_t early_started, early_withdrawn; /* workers that began before their upload was complete */
};

struct front {
	const struct settings *settings;
	struct event_base *base;
	struct files files;
	struct spool_store *spools;
	struct queue *queue;
	struct tenants tenants;
	struct jobs *jobs;
	struct zygotes *zygotes;
	struct keeper_link *keeper; /* NULL: nothing is kept */
	struct keep *keeps;         /* reports on their way to it */
	struct {
		bool known; /* as of the keeper's last answer: */
		uint64_t seq;
		uint8_t head[32];
	} audit;
	struct metrics metrics;
	struct tally tally;
	time_t started_at;

	int control;                             /* to the monitor */
	struct event *listener, *clamd_listener; /* the second: NULL where there is none */
	struct event *accept_timer, *drain_timer, *control_readable, *on_term, *on_int, *on_hup;
	int spare_fd;         /* given up for a moment when descriptors run out */
	struct conn *conns;   /* all of them, but for: */
	struct clamd *clamds; /* those of clamd's clients */
	struct {
		uint64_t said_ms; /* when it was logged last that a peer is not allowed */
		unsigned unsaid;  /* those since then */
	} strangers;
	unsigned n_conns, n_refused; /* of both; n_refused of n_conns are no more than being told so */
	size_t unsent;               /* bytes of answers, of all of them */
	bool proven;                 /* the built-in sample was accepted */
	bool kept;                   /* there was a keeper once */
	bool draining;

	uint8_t scratch[SPOOL_BUFFER]; /* what a read brings; empty between callbacks */
};

struct front_inherits {
	int control;     /* to the monitor */
	int http, clamd; /* listen; clamd: -1 where there is none */
	int spool_dir;
};

/* The whole process, from its beginning (role.h).  Return: exit status. */
int front_run(const struct settings *s);

/**
 * front_main() - run until drained
 * @from: open and the front's own
 * Return: exit status.  The process should end at once then, by _exit(2): its threads are not joined.
 */
int front_main(const struct settings *s, const struct front_inherits *from);

/* Does it take requests, and can it keep its promises about them?  (But for a zygote.) */
bool front_is_ready(const struct front *f);
/* A connection has ended: its place may be taken, and a draining front may be done. */
void front_conn_closed(struct front *f);
/* A connection asks for nothing: somebody else may have its place. */
void front_conn_idle(struct front *f);
/* Something in flight has ended: a draining front may be done. */
void front_maybe_done(struct front *f);
/* A word to the monitor; lost when the monitor is gone, which ends the front anyway. */
void front_tell(struct front *f, uint32_t type, uint64_t id, int status);

/* Milliseconds of a clock that only moves forward. */
uint64_t front_now_ms(void);
