/* The front: the one process that talks to clients.  One event loop, no thread but those of pool.h, no file opened
 * but in the spool folder, no model byte parsed.  It is given its listener, settings and spool folder by fork, jails
 * itself, and gets zygotes from the monitor.
 *
 *	front.c      set-up, listener, signals, control channel, health
 *	conn.c       a connection: head, body, reply, drain; conn_read.c and conn_write.c are its two directions
 *	request.c    what a request head asks for, and whether it may
 *	jobs.c       scans: slots, workers' reports, deadlines, verdicts
 *	early.c      workers that follow an upload
 *	zygotes.c    channels to zygotes: retirement, succession, ping
 *	endpoints.c  everything that is not a scan */
#pragma once

#include <event2/event.h>
#include <event2/listener.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "files.h"
#include "queue.h"
#include "settings.h"
#include "spool.h"
#include "status.h"
#include "verdict.h"

struct conn;
struct jobs;
struct zygotes;

/* Counted since the start of this front; /metrics prints them. */
struct metrics {
	uint64_t connections, refused_peers, requests, problems;
	uint64_t verdicts[VERDICT_REJECT + 1];
	uint64_t causes[WLK_N_CAUSES]; /* of verdicts that carry one */
	uint64_t bytes_scanned, upload_bytes;
	uint64_t zygotes_started, zygotes_retired, slots_lost, accept_failures;
	uint64_t early_started, early_withdrawn; /* workers that began before their upload was complete */
};

struct front {
	const struct settings *settings;
	struct event_base *base;
	struct files files;
	struct spool_store *spools;
	struct queue *queue;
	struct jobs *jobs;
	struct zygotes *zygotes;
	struct metrics metrics;
	time_t started_at;

	int control; /* to the monitor */
	struct evconnlistener *listener;
	struct event *accept_timer, *drain_timer, *control_readable, *on_term, *on_int, *on_hup;
	int spare_fd;                /* given up for a moment when descriptors run out */
	struct conn *conns;          /* all of them */
	unsigned n_conns, n_refused; /* n_refused of n_conns are no more than being told so */
	size_t unsent;               /* bytes of answers, of all of them */
	bool proven;                 /* the built-in sample was accepted */
	bool draining;

	uint8_t scratch[SPOOL_BUFFER]; /* what a read brings; empty between callbacks */
};

/**
 * front_main() - run until drained
 * @listen_fd, @spool_dir_fd, @control: open and the front's own
 * Return: exit status.  The process should end at once then, by _exit(2): its threads are not joined.
 */
int front_main(const struct settings *s, int listen_fd, int spool_dir_fd, int control);

/* A connection has ended: its place may be taken, and a draining front may be done. */
void front_conn_closed(struct front *f);
/* Something in flight has ended: a draining front may be done. */
void front_maybe_done(struct front *f);
/* A word to the monitor; lost when the monitor is gone, which ends the front anyway. */
void front_tell(struct front *f, uint32_t type, uint64_t id, int status);

/* Milliseconds of a clock that only moves forward. */
uint64_t front_now_ms(void);
