/* See conn.h.  Here: its beginning, its steps and its end; conn_read.c and conn_write.c are the two directions. */
#include "conn.h"

#include <stdlib.h>
#include <string.h>

static struct conn *conn_of(struct client *io)
{
	return (struct conn *)io;
}

void conn_drop_request(struct conn *c, bool may_finish)
{
	struct files *files = &conn_env(c)->files;

	if (c->scan)
		scan_forget(c->scan, may_finish && c->req.on_close_finish);
	c->scan = NULL;
	if (c->set)
		set_forget(c->set, may_finish && c->req.on_close_finish);
	c->set = NULL;
	if (c->kept)
		keeper_forget(c->kept);
	c->kept = NULL;
	facts_free(c->base);
	c->base = NULL;
	release_drop(&c->release);
	files_close_all(files, c->io.peer.uid, &c->claimed);
	spool_free(c->spool);
	c->spool = NULL;
	if (c->check)
		file_check_forget(c->check); /* closes it, later */
	else
		files_close_client(files, c->io.peer.uid, c->source_fd);
	c->check = NULL;
	c->source_fd = -1;
}

void conn_wait(struct conn *c, enum conn_state state)
{
	c->state = state;
	client_renew(&c->io);
}

static void next_request(struct conn *c)
{
	c->state = CONN_HEAD;
	c->req = (struct http_request){ 0 };
	http_parser_init(&c->parser);
	c->close_after = c->body_unread = c->streaming = false;
	c->body_n = 0;
	client_renew(&c->io);
}

/* What was sent before it could know is answered. */
static void end_if_idle(struct conn *c)
{
	if (c->state == CONN_HEAD && c->head_n == 0 && !client_last_look(&c->io))
		client_end(&c->io);
}

/* The answer is with the kernel.  Return: whether another may follow. */
static bool end_reply(struct conn *c)
{
	if (c->body_unread || c->close_after) {
		client_finish(&c->io, c->body_unread);
		return false;
	}
	next_request(c);
	if (conn_env(c)->draining) /* and this answer was made before, and promised that the connection stays */
		end_if_idle(c);
	return true;
}

/* ---- as a client ---- */

static void begin(struct client *io)
{
	conn_of(io)->source_fd = -1;
}

static void refuse(struct client *io, enum client_refusal why)
{
	static const struct http_error errors[] = {
		[CLIENT_STRANGER] = { .problem = PROBLEM_FORBIDDEN,
		    .detail = "your uid and groups are not allowed to talk to this daemon" },
		[CLIENT_TOO_MANY] = { .problem = PROBLEM_BUSY, .detail = "your uid has too many connections" },
		[CLIENT_DRAINED] = { .problem = PROBLEM_SHUTTING_DOWN },
	};

	conn_refuse_head(conn_of(io), &errors[why]);
}

static bool work(struct client *io)
{
	struct conn *c = conn_of(io);

	if (evbuffer_get_length(io->out) > 0)
		return true; /* that first */
	if (c->listing)
		return conn_add_piece(c);
	switch (c->state) {
	case CONN_HEAD: return c->head_n > 0 && conn_parse(c);
	case CONN_INVITE: conn_start_body(c); return true;
	case CONN_BODY: return c->head_n > 0 && conn_take_early(c);
	case CONN_REPLY: return end_reply(c);
	default: return false;
	}
}

/* A spool that has no room wakes us when it has. */
static bool wants_to_read(const struct client *io)
{
	const struct conn *c = (const struct conn *)io;

	return c->state == CONN_HEAD || (c->state == CONN_BODY && c->head_n == 0 && spool_room(c->spool) > 0);
}

static bool has_more(const struct client *io)
{
	return ((const struct conn *)io)->listing != NULL;
}

static bool is_idle(const struct client *io)
{
	return ((const struct conn *)io)->state == CONN_HEAD;
}

static enum client_wait awaits(const struct client *io)
{
	const struct conn *c = (const struct conn *)io;

	switch (c->state) {
	case CONN_HEAD: return c->head_n > 0 ? CLIENT_WAIT_HEAD : CLIENT_WAIT_IDLE;
	case CONN_ADMIT:
	case CONN_STORE: return CLIENT_WAIT_STORAGE;
	case CONN_BODY: return CLIENT_WAIT_BODY;
	case CONN_SCAN: return c->streaming ? CLIENT_WAIT_LINE : CLIENT_WAIT_NOTHING; /* jobs.c has the deadline */
	default: return CLIENT_WAIT_REPLY;
	}
}

static void late(struct client *io, enum client_wait w)
{
	struct conn *c = conn_of(io);

	switch (w) {
	case CLIENT_WAIT_HEAD:
		conn_refuse_head(c,
		    &(struct http_error){ .problem = PROBLEM_SLOW, .detail = "the request head did not come in time" });
		break;
	case CLIENT_WAIT_STORAGE:
		c->body_unread = true;
		conn_problem(c, PROBLEM_BUSY, "storage does not answer");
		break;
	case CLIENT_WAIT_BODY:
		if (!client_too_slow(io, c->spool))
			break;
		c->body_unread = true;
		conn_problem(c, PROBLEM_SLOW, "the body comes too slowly");
		break;
	default: conn_next_line(c); break;
	}
}

static void drain(struct client *io)
{
	end_if_idle(conn_of(io)); /* answers that are yet to be made say that they are the last */
}

static void abandon(struct client *io)
{
	const struct http_error dead = { .problem = PROBLEM_SHUTTING_DOWN, .detail = "the daemon has died" };
	struct conn *c = conn_of(io);

	end_if_idle(c);
	if (io->phase != CLIENT_OPEN || c->state == CONN_REPLY)
		return;
	if (c->state == CONN_SCAN)
		conn_refuse(c, &dead);
	else
		conn_refuse_head(c, &dead);
}

static size_t held(const struct client *io)
{
	const struct conn *c = (const struct conn *)io;

	return (c->listing ? listing_held(c->listing) : 0) + (c->set ? set_held(c->set) : 0);
}

static void drop(struct client *io)
{
	struct conn *c = conn_of(io);

	if (c->state != CONN_HEAD && c->state != CONN_REPLY && !(c->state == CONN_SCAN && c->req.on_close_finish))
		client_left(io);
	conn_drop_request(c, true);
	listing_free(c->listing);
}

const struct client_kind conn_kind = { .size = sizeof(struct conn),
	.begin = begin,
	.refuse = refuse,
	.read = conn_read,
	.work = work,
	.wants_to_read = wants_to_read,
	.has_more = has_more,
	.is_idle = is_idle,
	.awaits = awaits,
	.late = late,
	.drain = drain,
	.abandon = abandon,
	.held = held,
	.drop = drop };
