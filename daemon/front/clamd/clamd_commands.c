/* What each command of clamd's protocol does; those that take time are in clamd_task.c. */
#include <stdio.h>
#include <time.h>

#include "clamd_impl.h"
#include "findings.h"

#define NO_NAME bytes_of(NULL, 0)

static void say(struct clamd *c, unsigned id, const struct clamd_command *cmd, const char *text)
{
	clamd_say(c, id, cmd->term, NO_NAME, text, NULL);
}

/* Clients take this apart: the version of the engine, a number that grows with the rules, and a date, here when these rules were
 * loaded, in the form of ctime(3). */
static void version(const struct clamd *c, char *buf, size_t n)
{
	const time_t started_at = (time_t)clamd_env(c)->started_at;
	char date[64] = "";
	struct tm tm;

	if (gmtime_r(&started_at, &tm))
		(void)strftime(date, sizeof(date), "%a %b %e %H:%M:%S %Y", &tm);
	snprintf(buf, n, "ClamAV " WLK_VERSION "/%d/%s", WLK_RULES_VERSION, date);
}

static void say_version(struct clamd *c, unsigned id, const struct clamd_command *cmd)
{
	char text[128];

	version(c, text, sizeof(text));
	say(c, id, cmd, text);
}

static void say_offered(struct clamd *c, unsigned id, const struct clamd_command *cmd)
{
	char text[128], all[128 + 256];

	version(c, text, sizeof(text));
	snprintf(all, sizeof(all), "%s| %s", text, clamd_offered());
	say(c, id, cmd, all);
}

/* In the form of clamd, as far as its figures exist here: threads are slots for scans, and memory is not measured. */
static void say_stats(struct clamd *c, unsigned id, const struct clamd_command *cmd)
{
	const struct queue_counts q = queue_counts(jobs_parts(c->io.all->jobs)->queue);
	char text[512];
	int n = 0;

	if (id > 0)
		n = snprintf(text, sizeof(text), "%u: ", id);
	n += snprintf(text + n, sizeof(text) - (size_t)n,
	    "POOLS: 1\n\nSTATE: %s PRIMARY\nTHREADS: live %zu  idle 0 max %u idle-timeout 0\nQUEUE: %zu items\n\n"
	    "MEMSTATS: heap N/A mmap N/A used N/A free N/A releasable N/A pools 0 pools_used N/A pools_total N/A\nEND",
	    clamd_env(c)->proven ? "VALID" : "INVALID", q.running, q.slots, q.waiting);
	client_put(&c->io, text, (size_t)n);
	client_put(&c->io, &cmd->term, 1);
}

/* The front has no file system to look at, and what a client may read is not for us to decide. */
static void say_no_paths(struct clamd *c, unsigned id, const struct clamd_command *cmd)
{
	clamd_say(
	    c, id, cmd->term, cmd->path, "paths are not opened here; use clamdscan --fdpass or --stream", "ERROR");
}

static void say_unknown(struct clamd *c, unsigned id, const struct clamd_command *cmd)
{
	clamd_env(c)->tally.problems++;
	say(c, id, cmd, "UNKNOWN COMMAND");
	c->state = CLAMD_LAST;
}

static void say_unavailable(struct clamd *c, unsigned id, const struct clamd_command *cmd)
{
	clamd_env(c)->tally.problems++;
	say(c, id, cmd, "COMMAND UNAVAILABLE");
}

/* Return: false: not now. */
static bool begin(struct clamd *c, unsigned id, const struct clamd_command *cmd)
{
	switch (cmd->verb) {
	case CLAMD_PING: say(c, id, cmd, "PONG"); break;
	case CLAMD_VERSION: say_version(c, id, cmd); break;
	case CLAMD_VERSIONCOMMANDS: say_offered(c, id, cmd); break;
	case CLAMD_STATS: say_stats(c, id, cmd); break;
	case CLAMD_SCAN:
	case CLAMD_CONTSCAN:
	case CLAMD_MULTISCAN:
	case CLAMD_ALLMATCHSCAN: say_no_paths(c, id, cmd); break;
	case CLAMD_FILDES: return clamd_start_fildes(c, id, cmd->term);
	case CLAMD_INSTREAM: return clamd_start_instream(c, id, cmd->term);
	case CLAMD_RELOAD:
		if (c->io.peer.owner)
			clamd_start_reload(c, id, cmd->term);
		else
			say_unavailable(c, id, cmd);
		break;
	case CLAMD_SHUTDOWN: say_unavailable(c, id, cmd); break;
	default: say_unknown(c, id, cmd); break;
	}
	return true;
}

static bool in_session(struct clamd *c, const struct clamd_command *cmd)
{
	static const struct clamd_command unknown = { .verb = CLAMD_UNKNOWN, .term = '\n' };

	if (cmd->verb == CLAMD_END && cmd->prefixed) {
		c->state = CLAMD_LAST;
		return true;
	}
	if (!begin(c, c->last_id + 1, cmd->prefixed ? cmd : &unknown))
		return false;
	c->last_id++;
	return true;
}

bool clamd_dispatch(struct clamd *c, const struct clamd_command *cmd)
{
	if (c->session)
		return in_session(c, cmd);
	if (cmd->verb == CLAMD_IDSESSION && cmd->prefixed) {
		c->session = true;
		return true;
	}
	if (!begin(c, 0, cmd))
		return false;
	if (c->state == CLAMD_COMMANDS)
		c->state = CLAMD_LAST; /* one command a connection, outside of sessions */
	return true;
}
