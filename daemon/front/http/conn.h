/* One client that speaks HTTP.  A request goes through the states in order; whatever is answered, REPLY follows:
 *
 *	HEAD    reading a head, or idle between requests
 *	ADMIT   waiting for the place of a body, or for what a descriptor is, or for the keeper
 *	INVITE  writing 100 Continue
 *	BODY    reading the body into its place
 *	STORE   the body is complete, but not yet on disk
 *	SCAN    in the queue or with a worker; a stream's lines go out meanwhile
 *	REPLY   writing the answer
 *
 * While a request is in work nothing is read (no next head before the reply is out), so that pipelining costs the
 * client, and not us; only its disappearance is watched for.  What is below changes the state and puts bytes; callbacks
 * end with client_settle(), which alone goes on from there (client.h). */
#pragma once

#include "client.h"
#include "http.h"
#include "listing.h"
#include "release.h"
#include "reply.h"
#include "set.h"

#define CONN_PIECES_PER_TURN 4                 /* of LISTING_PIECE bytes each, written in one turn */
#define CONN_STREAM_BACKLOG ((size_t)64 << 10) /* bytes; progress lines are left out while more are unread */
#define CONN_UNSENT_DETAIL "answers given before have not been taken"

#define CONN_METRICS_MAX \
	((size_t)96 << 10) /* bytes of GET /metrics: fourfold what it is today; every list in it is fixed */

/* What requests need that is no client's. */
struct http {
	struct keeper_link *keeper; /* NULL: there is none */
	struct excepting *excepting;
	uint64_t problems[N_PROBLEMS];
	/* Return: false if they do not fit, which is a bug. */
	bool (*metrics)(void *ctx, char buf[CONN_METRICS_MAX]);
	void *ctx;
};

enum conn_state { CONN_HEAD, CONN_ADMIT, CONN_INVITE, CONN_BODY, CONN_STORE, CONN_SCAN, CONN_REPLY };

struct conn {
	struct client io; /* first: see client.h */
	enum conn_state state;

	uint8_t head[HTTP_HEAD_MAX]; /* what has been read and not used: a head, perhaps more */
	size_t head_n;
	struct http_parser parser;
	struct http_request req;

	/* the request in work */
	bool close_after, body_unread; /* after the reply: close; the client may still be sending */
	bool streaming;                /* the head of a stream of lines is out */
	uint64_t body_n;               /* payload bytes received */
	struct http_chunks chunks;
	uint64_t body_max;
	struct fds claimed; /* descriptors of the request, until they go where they are used */
	int source_fd;      /* a client's descriptor being looked at; -1 */
	struct file_check *check;
	struct spool *spool;
	struct scan *scan;
	struct set *set;
	uint64_t except_seq;      /* of the line that the keeper is asked for */
	struct keeper_call *kept; /* a question to the verdict store */
	unsigned kept_at;         /* under which of the keys (stored.h) */
	struct facts *base;       /* what a claimed digest is held to; NULL: nothing is kept */
	struct release release;   /* a verdict on its last steps */
	struct listing *listing;  /* of the answer, or of a line before it, being written; NULL */
	bool listing_is_last;
	unsigned pieces; /* of it, made in this turn */
};

/* Of clients whose service is a struct http. */
extern const struct client_kind conn_kind;

static inline struct http *conn_http(const struct conn *c)
{
	return c->io.service;
}

static inline struct env *conn_env(const struct conn *c)
{
	return c->io.all->env;
}

static inline struct jobs_parts *conn_parts(const struct conn *c)
{
	return jobs_parts(c->io.all->jobs);
}

/* ---- conn.c ---- */

/* What a request holds, whether it ended well or not. */
void conn_drop_request(struct conn *c, bool may_finish);
/* Wait in this state for spool, descriptor, keeper or scan. */
void conn_wait(struct conn *c, enum conn_state state);

/* ---- conn_read.c ---- */

void conn_read(struct client *io);
/* Is there a whole head in what has been read?  Then its request begins.  Return: whether there was. */
bool conn_parse(struct conn *c);
/* The body may come (after 100 Continue, where it was asked for). */
void conn_start_body(struct conn *c);
/* What came with the head is the first of the body.  Return: whether any of it could be used. */
bool conn_take_early(struct conn *c);

/* ---- conn_write.c ---- */

/* Answer with a whole body, or with "busy" when too much is unsent.  @r: status, type, verdict; the rest is filled
 * in. */
void conn_reply(struct conn *c, const struct reply *r, const void *body, size_t n);
/* The same with an answer that is made while it is written; @l: taken. */
void conn_reply_listing(struct conn *c, const struct reply *r, struct listing *l);
/* A line of a stream before the last one; @l: taken.  No other may follow before c->listing is NULL again; then
 * set_wake() is called. */
void conn_add_line(struct conn *c, struct listing *l);
/* The next piece of a listing.  Return: false: not in this turn. */
bool conn_add_piece(struct conn *c);
/* Answer with a problem.  @detail: may be NULL.  Drops what the request holds. */
void conn_problem(struct conn *c, enum problem problem, const char *detail);
/* The same with headers. */
void conn_refuse(struct conn *c, const struct http_error *e);
/* The same for a refused head. */
void conn_refuse_head(struct conn *c, const struct http_error *e);
/* Start the stream of lines that ends with the verdict; and its next line. */
void conn_start_stream(struct conn *c);
void conn_next_line(struct conn *c);

/* ---- request.c ---- */

/* c->req holds a head: do what it says. */
void request_start(struct conn *c);
/* It is known what its digest is held to, if anything: look at its descriptor. */
void request_claimed(struct conn *c);
/* The body is complete. */
void request_body_done(struct conn *c);
/* Answer with the problem a spool's error amounts to. */
void request_spool_failed(struct conn *c, int error);
/* There is no verdict, for this reason. */
enum problem request_problem(enum trouble t);

/* ---- endpoints.c, keep_reply.c ---- */

void endpoint_reply(struct conn *c);
/* GET /v1/verdicts/{sha256}. */
void keep_reply(struct conn *c);
/* GET and POST /v1/exceptions. */
void except_reply(struct conn *c);
/* Look for a whole report about the digest that is claimed; then request_claimed(). */
void keep_find_base(struct conn *c);
