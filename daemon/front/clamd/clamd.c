/* See clamd.h.  Here: what a connection is as a client; see client.h. */
#include <string.h>

#include "clamd_impl.h"

static struct clamd *clamd_of(struct client *io)
{
	return (struct clamd *)io;
}

void clamd_say(struct clamd *c, unsigned id, char term, struct bytes name, const char *text, const char *status)
{
	const struct clamd_reply r = { .id = id, .name = name, .text = text, .status = status, .term = term };
	char buf[CLAMD_REPLY_MAX];

	if (status != NULL && strcmp(status, "ERROR") == 0)
		clamd_env(c)->tally.problems++;
	client_put(&c->io, buf, clamd_reply(&r, buf));
}

static void begin(struct client *io)
{
	clamd_of(io)->term = '\n';
}

/* It has not said yet how its answers end: a client sees that there is an error, whatever it takes for the end. */
static void refuse(struct client *io, enum client_refusal why)
{
	static const char *const texts[] = {
		[CLIENT_STRANGER] = "your uid and groups are not allowed to talk to this daemon",
		[CLIENT_TOO_MANY] = "your uid has too many connections",
		[CLIENT_DRAINED] = "the daemon is ending",
	};
	struct clamd *c = clamd_of(io);

	clamd_say(c, 0, c->term, bytes_of(NULL, 0), texts[why], "ERROR");
	c->body_unread = true;
	c->state = CLAMD_LAST;
}

static bool is_idle(const struct client *io)
{
	const struct clamd *c = (const struct clamd *)io;

	return c->state == CLAMD_COMMANDS && c->n_tasks == 0 && io->unsent == 0;
}

/* No more commands; but where another front takes over, what was sent before it could know is answered. */
static void end_commands(struct clamd *c)
{
	if (c->state != CLAMD_COMMANDS || (c->io.all->env->replaced && (c->line_n > 0 || client_last_look(&c->io))))
		return;
	c->state = CLAMD_LAST;
}

/* The rest of what was read waits where answers pile up: as long as they can be written, it is done now. */
static bool work(struct client *io)
{
	struct clamd *c = clamd_of(io);

	clamd_work(c);
	if (evbuffer_get_length(io->out) > 0)
		return true;
	if (io->all->env->draining)
		end_commands(c);
	if (c->state == CLAMD_LAST && c->n_tasks == 0)
		client_finish(io, c->body_unread);
	return false;
}

static bool wants_to_read(const struct client *io)
{
	const struct clamd *c = (const struct clamd *)io;

	return clamd_may_take(c) || (c->state == CLAMD_BODY && !c->no_room);
}

static bool has_more(const struct client *io)
{
	(void)io;
	return false;
}

static enum client_wait awaits(const struct client *io)
{
	const struct clamd *c = (const struct clamd *)io;

	if (evbuffer_get_length(io->out) > 0)
		return CLIENT_WAIT_REPLY;
	switch (c->state) {
	case CLAMD_PLACE:
	case CLAMD_STORE: return CLIENT_WAIT_STORAGE;
	case CLAMD_BODY: return CLIENT_WAIT_BODY;
	case CLAMD_COMMANDS:
		if (c->n_tasks > 0)
			return CLIENT_WAIT_NOTHING;
		return c->line_n > 0 ? CLIENT_WAIT_HEAD : CLIENT_WAIT_IDLE;
	default: return CLIENT_WAIT_NOTHING;
	}
}

static void late(struct client *io, enum client_wait w)
{
	struct clamd *c = clamd_of(io);

	switch (w) {
	case CLIENT_WAIT_HEAD:
		clamd_say(c, 0, clamd_term(c), bytes_of(NULL, 0), "COMMAND READ TIMED OUT", NULL);
		c->state = CLAMD_LAST;
		break;
	case CLIENT_WAIT_STORAGE:
		c->body_unread = c->state == CLAMD_PLACE;
		clamd_fail_upload(c, "storage does not answer");
		break;
	case CLIENT_WAIT_BODY:
		if (!client_too_slow(io, c->spool))
			break;
		c->body_unread = true;
		clamd_fail_upload(c, "the stream comes too slowly");
		break;
	default: break;
	}
}

static void drain(struct client *io)
{
	struct clamd *c = clamd_of(io);

	end_commands(c);
	c->session = c->session && c->state == CLAMD_COMMANDS; /* a body on its way is the last thing */
}

static void abandon(struct client *io)
{
	clamd_drop_tasks(clamd_of(io));
	if (io->unsent == 0 && !is_idle(io))
		refuse(io, CLIENT_DRAINED);
	else
		clamd_of(io)->state = CLAMD_LAST;
}

static size_t held(const struct client *io)
{
	(void)io;
	return 0;
}

static void drop(struct client *io)
{
	if (clamd_of(io)->n_tasks > 0)
		client_left(io);
	clamd_drop_tasks(clamd_of(io));
}

const struct client_kind clamd_kind = { .size = sizeof(struct clamd),
	.begin = begin,
	.refuse = refuse,
	.read = clamd_read,
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
