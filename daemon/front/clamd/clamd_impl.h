/* What clamd.c, clamd_read.c and clamd_task.c share: a connection, and what is in work for it.
 *
 *	COMMANDS  reading commands; in a session, while others are in work
 *	PLACE     waiting for the place of an INSTREAM
 *	BODY      reading its chunks
 *	STORE     they are here, but not yet on disk
 *	LAST      no more commands: what is in work is answered, then it ends
 *
 * While anything is unsent nothing is read, so that a client that does not read its answers cannot make more of them. */
#pragma once

#include "clamd.h"
#include "clamd_protocol.h"

enum clamd_state { CLAMD_COMMANDS, CLAMD_PLACE, CLAMD_BODY, CLAMD_STORE, CLAMD_LAST };

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
	struct client io; /* first: see client.h */
	enum clamd_state state;

	uint8_t line[CLAMD_LINE_MAX]; /* read and not used */
	size_t line_n;
	char term;        /* of the last command, for what is said without one */
	bool ended;       /* the client sends no more */
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
	bool no_room; /* nothing is read until the spool wakes us */
};

static inline struct env *clamd_env(const struct clamd *c)
{
	return c->io.all->env;
}

/* ---- clamd.c ---- */

/* One line of answer.  @status: NULL: none. */
void clamd_say(struct clamd *c, unsigned id, char term, struct bytes name, const char *text, const char *status);

/* ---- clamd_read.c ---- */

void clamd_read(struct client *io);
/* Do what has been read, as far as it goes. */
void clamd_work(struct clamd *c);
/* Is it time for more commands? */
bool clamd_may_take(const struct clamd *c);
/* How an answer ends that nobody asked for. */
char clamd_term(const struct clamd *c);

/* ---- clamd_commands.c ---- */

/* Do it.  Return: false: not now, ask again when a task has ended. */
bool clamd_dispatch(struct clamd *c, const struct clamd_command *cmd);

/* ---- clamd_task.c ---- */

/* Return: false: not now. */
bool clamd_start_fildes(struct clamd *c, unsigned id, char term);
bool clamd_start_instream(struct clamd *c, unsigned id, char term);
void clamd_start_reload(struct clamd *c, unsigned id, char term);
/* The body of INSTREAM ends without a scan.  @text: with status ERROR; c->body_unread is the caller's. */
void clamd_fail_upload(struct clamd *c, const char *text);
/* All of it is here. */
void clamd_end_upload(struct clamd *c);
/* After spool_write(): has the spool failed? */
void clamd_check_spool(struct clamd *c);
/* Everything in work, without an answer. */
void clamd_drop_tasks(struct clamd *c);
