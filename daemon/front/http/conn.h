/* One client's connection.  A request goes through the states in order; errors jump to REPLY:
 *
 *	HEAD    reading a head, or idle between requests
 *	ADMIT   waiting for the place of a body, or for what a descriptor is
 *	INVITE  writing 100 Continue
 *	BODY    reading the body into its place
 *	STORE   the body is complete, but not yet on disk
 *	SCAN    in the queue or with a worker; a stream's lines go out meanwhile
 *	REPLY   writing the answer
 *	DRAIN   an early answer is out; the client may still be sending
 *
 * While a request is in work nothing is read (no next head before the reply is out), so that pipelining costs the
 * client, and not us; only its disappearance is watched for. */
#pragma once

#include <event2/buffer.h>
#include <sys/socket.h>

#include "fds.h"
#include "front.h"
#include "http.h"
#include "jobs.h"
#include "listing.h"
#include "release.h"
#include "reply.h"
#include "set.h"

#define CONN_READS_PER_TURN 4                  /* of SPOOL_BUFFER bytes each; then it is another connection's turn */
#define CONN_PIECES_PER_TURN 4                 /* of LISTING_PIECE bytes each, written in one turn */
#define CONN_RATE_WINDOW_S 10                  /* in which the least body rate is measured */
#define CONN_DRAIN_BYTES ((size_t)1 << 20)     /* taken from a client that sends on although it has its answer */
#define CONN_DRAIN_MS 2000                     /* and so long it may take to notice */
#define CONN_STREAM_BACKLOG ((size_t)64 << 10) /* bytes; progress lines are left out while more are unread */

#define CONN_REFUSED_MAX 64                     /* refused peers that are still told why; they take no other's place */
#define CONN_STRANGERS_MS UINT64_C(1000)        /* between lines that tell of peers who may not ask */
#define CONN_UNSENT_MAX ((size_t)64 << 20)      /* bytes of all answers together that their clients do not take */
#define CONN_UNSENT_EACH_MAX ((size_t)16 << 20) /* and of one uid's; a verdict has at most 1 MiB */
#define CONN_UNSENT_DETAIL "answers given before have not been taken"

enum conn_state { CONN_HEAD, CONN_ADMIT, CONN_INVITE, CONN_BODY, CONN_STORE, CONN_SCAN, CONN_REPLY, CONN_DRAIN };

struct conn {
	struct front *front;
	struct conn *prev, *next; /* among the front's */
	int fd;
	enum conn_state state;
	struct event *readable; /* level-triggered: HEAD, BODY, DRAIN */
	struct event *hangup;   /* edge-triggered: ADMIT, INVITE, STORE, SCAN */
	struct event *writable;
	struct event *timer; /* what it means depends on the state */
	struct evbuffer *out;

	uid_t uid;
	pid_t pid;
	bool may_name_tenant;
	struct payer payer; /* of the request in work, where it is a scan */
	bool refused;       /* may not talk to us; is being told */
	size_t unsent;      /* bytes of `out`, when last looked at */

	uint8_t head[HTTP_HEAD_MAX]; /* what has been read and not used: a head, perhaps more */
	size_t head_n;
	struct http_parser parser;
	struct http_request req;
	struct fds fds; /* received and not claimed */

	/* the request in work */
	bool close_after, body_unread; /* after the reply: close; the client may still be sending */
	bool streaming;                /* the head of a stream of lines is out */
	bool broken;                   /* no memory for a part of the reply */
	uint64_t body_n;               /* payload bytes received */
	struct http_chunks chunks;
	uint64_t window_n;  /* bytes since the rate window began */
	bool window_paused; /* we did not read all the time */
	uint64_t body_max;
	struct fds claimed; /* descriptors of the request, until they go where they are used */
	int source_fd;      /* a client's descriptor being looked at; -1 */
	struct file_check *check;
	struct spool *spool;
	struct scan *scan;
	struct set *set;
	struct keeper_call *kept; /* a question to the verdict store */
	struct release release;   /* a verdict on its last steps */
	struct listing *listing;  /* of the answer, or of a line before it, being written; NULL */
	bool listing_is_last;
	uint64_t moved_ms; /* when the client took something last */
	size_t drained;
};

/* Take over an accepted socket; refuses a peer that is not allowed, and closes where memory is short. */
void conn_new(struct front *f, int fd);
/* Connections of this user, to both sockets. */
unsigned conn_count_uid(const struct front *f, uid_t uid);
/* Log that this peer is not allowed, on either socket: one line in CONN_STRANGERS_MS, the others as a number. */
void conn_log_stranger(struct front *f, uid_t uid, pid_t pid);
/* The front is draining: a connection without a request closes. */
void conn_drain(struct conn *c);

/* ---- for request.c, endpoints.c and the keeper's side ----
 *
 * Whatever answers may free the connection, or begin its next request: nothing may touch it after that. */

/* Answer with a whole body, or with "busy" when too much is unsent.  @r: status, type, verdict; the rest is filled
 * in. */
void conn_reply(struct conn *c, const struct reply *r, const void *body, size_t n);
bool conn_may_answer(const struct conn *c, size_t n);
/* The same with an answer that is made while it is written; @l: taken. */
void conn_reply_listing(struct conn *c, const struct reply *r, struct listing *l);
/* A line of a stream before the last one; @l: taken.  No other may follow before c->listing is NULL again; then
 * set_wake() is called. */
void conn_add_line(struct conn *c, struct listing *l);
/* What is held for its answer has changed: count it. */
void conn_count_held(struct conn *c);
/* Answer with a problem.  @detail: may be NULL.  Drops what the request holds. */
void conn_problem(struct conn *c, enum problem problem, const char *detail);
/* The same with headers. */
void conn_refuse(struct conn *c, const struct http_error *e);
/* The same for a refused head. */
void conn_refuse_head(struct conn *c, const struct http_error *e);
/* The body may come (after 100 Continue, where it was asked for). */
void conn_start_body(struct conn *c);
/* There is room again. */
void conn_resume_body(struct conn *c);
/* Wait in this state for spool, descriptor or scan. */
void conn_wait(struct conn *c, enum conn_state state);
/* Start the stream of lines that ends with the verdict. */
void conn_start_stream(struct conn *c);

/* ---- request.c ---- */

/* c->req holds a head: do what it says. */
void request_start(struct conn *c);
/* The body is complete. */
void request_body_done(struct conn *c);
/* Spool callback: something changed. */
void request_wake(void *ctx);
/* Answer with the problem a spool's error amounts to. */
void request_spool_failed(struct conn *c, int error);
/* 32 random hexadecimal digits for a request that brought no id. */
void request_id_make(char buf[HTTP_REQUEST_ID_MAX + 1]);

/* ---- endpoints.c ---- */

void endpoint_reply(struct conn *c);
