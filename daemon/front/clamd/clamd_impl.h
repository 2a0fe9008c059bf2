/* What clamd.c, clamd_read.c and clamd_task.c share: a connection, and what is in work for it.
 *
 *	COMMANDS  reading commands; in a session, while others are in work
 *	PLACE     waiting for the place of an INSTREAM
 *	BODY      reading its chunks
 *	STORE     they are here, but not yet on disk
 *	LAST      no more commands: what is in work is answered, then it ends
 *	DRAIN     everything is answered; the client may still be sending
 *
 * Callbacks change the state and end with clamd_settle(), which alone reads on, writes and frees: nothing else may
 * free a connection, and nothing may touch one after it.  While anything is unsent nothing is read, so that a client
 * that does not read its answers cannot make more of them. */
#pragma once

#include <event2/buffer.h>

#include "clamd.h"
#include "clamd_protocol.h"
#include "fds.h"
#include "jobs.h"

enum clamd_state { CLAMD_COMMANDS, CLAMD_PLACE, CLAMD_BODY, CLAMD_STORE, CLAMD_LAST, CLAMD_DRAIN };

/* What the timer means. */
enum clamd_wait {
	CLAMD_WAIT_NOTHING, /* work has deadlines of its own */
	CLAMD_WAIT_IDLE,
	CLAMD_WAIT_COMMAND, /* the rest of one */
	CLAMD_WAIT_STORAGE,
	CLAMD_WAIT_BODY,  /* a window in which a least rate is measured */
	CLAMD_WAIT_REPLY, /* to be taken */
	CLAMD_WAIT_DRAIN,
};

/* A command in work: a scan, or a reload. */
struct clamd_task {
	struct clamd *client;
	struct clamd_task *prev, *next; /* among the client's */
	unsigned id;                    /* in its session; 0: none */
	char term;
	char name[24]; /* what the answer is about */
	bool reload;
	struct scan *scan;
	int fd; /* a client's descriptor being looked at; -1 */
	struct file_check *check;
};

struct clamd {
	struct front *front;
	struct clamd *prev, *next; /* among the front's */
	int fd;
	uid_t uid;
	pid_t pid;
	struct payer payer;
	bool owner;   /* may ask for a reload */
	bool refused; /* may not talk to us; is being told */
	enum clamd_state state;
	struct event *readable; /* level-triggered */
	struct event *hangup;   /* edge-triggered, while nothing is read */
	struct event *writable;
	struct event *timer;
	enum clamd_wait wait;
	struct evbuffer *out;
	size_t unsent; /* bytes of `out`, when last counted */

	uint8_t line[CLAMD_LINE_MAX]; /* read and not used */
	size_t line_n;
	char term;        /* of the last command, for what is said without one */
	struct fds fds;   /* received and not claimed: one at most */
	bool ended;       /* the client sends no more */
	bool gone;        /* it is not there any more, or beyond help */
	bool body_unread; /* it may be sending what nobody reads */
	bool held;        /* the next command waits for the end of a task */
	bool session;
	unsigned last_id;
	struct clamd_task *tasks;
	unsigned n_tasks;

	/* INSTREAM */
	struct clamd_task *upload; /* one of the tasks */
	struct spool *spool;
	struct clamd_chunks chunks;
	uint64_t body_max;
	bool no_room;       /* nothing is read until the spool wakes us */
	uint64_t window_n;  /* payload bytes since the rate window began */
	bool window_paused; /* we did not read all the time */
	size_t drained;
};

/* ---- clamd.c ---- */

void clamd_settle(struct clamd *c);
/* One line of answer.  @status: NULL: none. */
void clamd_say(struct clamd *c, unsigned id, char term, struct bytes name, const char *text, const char *status);
void clamd_put(struct clamd *c, const void *at, size_t n);
void clamd_close_client_fd(void *client, int fd);

/* ---- clamd_read.c ---- */

void clamd_on_readable(evutil_socket_t fd, short what, void *ctx);
/* Do what has been read, as far as it goes. */
void clamd_work(struct clamd *c);
/* Is it time for more commands? */
bool clamd_may_take(const struct clamd *c);
/* How an answer ends that nobody asked for. */
char clamd_term(const struct clamd *c);
/* The time of a drain is over. */
void clamd_end_drain(struct clamd *c);

/* ---- clamd_commands.c ---- */

/* Do it.  Return: false: not now, ask again when a task has ended. */
bool clamd_dispatch(struct clamd *c, const struct clamd_command *cmd);

/* ---- clamd_task.c ---- */

/* Return: false: not now. */
bool clamd_start_fildes(struct clamd *c, unsigned id, char term);
bool clamd_start_instream(struct clamd *c, unsigned id, char term);
void clamd_start_reload(struct clamd *c, unsigned id, char term);
/* A rate window is over: go on, or give the body up. */
void clamd_body_window(struct clamd *c);
/* The body of INSTREAM ends without a scan.  @text: with status ERROR; c->body_unread is the caller's. */
void clamd_fail_upload(struct clamd *c, const char *text);
/* All of it is here. */
void clamd_end_upload(struct clamd *c);
/* After spool_write(): has the spool failed? */
void clamd_check_spool(struct clamd *c);
/* So much has been sent. */
void clamd_pay(struct clamd *c, uint64_t files, uint64_t bytes);
/* Everything in work, without an answer. */
void clamd_drop_tasks(struct clamd *c);
