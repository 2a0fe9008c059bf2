/* What a client of clamd sends: commands, descriptors, chunks, and what nobody wants any more.  See clamd_impl.h. */
#include <errno.h>
#include <string.h>

#include "clamd_impl.h"

char clamd_term(const struct clamd *c)
{
	if (c->line_n == 0)
		return c->term;
	return c->line[0] == 'z' ? '\0' : '\n';
}

/* No more is read of what it sends. */
static void give_up(struct clamd *c, const char *text)
{
	client_drop_descriptors(&c->io);
	c->body_unread = true;
	if (c->upload) {
		clamd_fail_upload(c, text);
		return;
	}
	clamd_say(c, 0, clamd_term(c), bytes_of(NULL, 0), text, "ERROR");
	c->state = CLAMD_LAST;
}

/* ---- chunks ---- */

/* @n: at most what the spool has room for. */
static void take_chunks(struct clamd *c, const uint8_t *at, size_t n)
{
	enum clamd_chunk_event e;
	struct bytes payload;
	size_t used;

	while (c->upload && (e = clamd_chunks_next(&c->chunks, at, n, &used, &payload)) != CLAMD_CHUNK_MORE) {
		at += used;
		n -= used;
		if (e == CLAMD_CHUNK_END) {
			clamd_end_upload(c);
			return;
		}
		if (e == CLAMD_CHUNK_HEAD && c->chunks.total > c->body_max) {
			clamd_env(c)->tally.refusals[TALLY_REFUSAL_TOO_LARGE]++;
			give_up(c, "INSTREAM size limit exceeded.");
			return;
		}
		if (payload.n > 0) {
			spool_write(c->spool, payload.at, payload.n);
			c->io.window_n += payload.n;
			clamd_env(c)->tally.upload_bytes += payload.n;
			client_pay(&c->io, 0, payload.n);
			clamd_check_spool(c);
		}
	}
}

/* How much may be taken now: to the end of the stream and no further, for the next command may follow. */
static size_t body_want(struct clamd *c)
{
	size_t room = spool_room(c->spool), want = clamd_chunks_want(&c->chunks);

	c->no_room = room == 0;
	c->io.window_paused = c->io.window_paused || c->no_room;
	return want < room ? want : room;
}

static void use_line(struct clamd *c, size_t n)
{
	c->line_n -= n;
	memmove(c->line, c->line + n, c->line_n);
}

/* The body's first bytes came with its command. */
static void take_early(struct clamd *c)
{
	size_t at = 0;

	while (c->state == CLAMD_BODY && at < c->line_n) {
		size_t n = body_want(c);

		if (n == 0)
			break;
		n = n < c->line_n - at ? n : c->line_n - at;
		take_chunks(c, c->line + at, n);
		at += n;
	}
	use_line(c, at);
}

static void read_body(struct clamd *c)
{
	size_t turn = 0;

	for (unsigned i = 0; i < CLAMD_READS_PER_TURN && turn < CLAMD_BYTES_PER_TURN && c->state == CLAMD_BODY; i++) {
		size_t want = body_want(c);
		ssize_t n = want > 0 ? client_receive(&c->io, clamd_env(c)->scratch, want) : -EAGAIN;

		if (client_is_transient(n))
			return;
		if (client_is_about_descriptors(n) || c->io.fds.n > 0) {
			give_up(c, "a descriptor came without FILDES");
		} else if (n <= 0) {
			client_end(&c->io); /* in the middle: nobody to tell */
			return;
		} else {
			take_chunks(c, clamd_env(c)->scratch, (size_t)n);
			turn += (size_t)n;
		}
	}
}

/* ---- commands ---- */

bool clamd_may_take(const struct clamd *c)
{
	return c->state == CLAMD_COMMANDS && !c->held && c->io.phase == CLIENT_OPEN && c->n_tasks < CLAMD_TASKS_MAX &&
	       evbuffer_get_length(c->io.out) <= CLAMD_BACKLOG_MAX;
}

/* Return: whether there was a command, and it is done or in work. */
static bool take_command(struct clamd *c)
{
	struct clamd_command cmd;
	size_t used;

	if (!clamd_parse(c->line, c->line_n, c->ended, &cmd, &used)) {
		if (c->ended)
			c->state = CLAMD_LAST;
		return false;
	}
	c->term = cmd.term;
	/* One more byte, of any value, carries the descriptor. */
	if (cmd.verb == CLAMD_FILDES) {
		if (used == c->line_n && !c->ended)
			return false;
		used += used < c->line_n;
	}
	if (!clamd_dispatch(c, &cmd)) {
		c->held = true;
		return false;
	}
	client_renew(&c->io); /* the next one has its own time */
	client_asked(&c->io);
	use_line(c, used);
	return true;
}

void clamd_work(struct clamd *c)
{
	bool more = true;

	while (more) {
		if (c->state == CLAMD_BODY && c->line_n > 0 && !c->no_room)
			take_early(c);
		else
			more = clamd_may_take(c) && take_command(c);
	}
}

static void read_commands(struct clamd *c)
{
	ssize_t n = client_receive(&c->io, c->line + c->line_n, sizeof(c->line) - c->line_n);

	if (client_is_transient(n))
		return;
	c->line_n += n > 0 ? (size_t)n : 0;
	if (client_is_about_descriptors(n))
		give_up(c, n == -EMFILE ? "no more descriptors can be taken" : "too many descriptors came at once");
	else if (c->io.fds.n > 1)
		give_up(c, "more than one descriptor came for FILDES");
	else if (n < 0)
		client_end(&c->io);
	else if (n == 0)
		c->ended = true;
}

void clamd_read(struct client *io)
{
	struct clamd *c = (struct clamd *)io;

	if (c->state == CLAMD_COMMANDS)
		read_commands(c);
	else if (c->state == CLAMD_BODY)
		read_body(c);
}
