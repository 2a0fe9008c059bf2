/* What every part of the front works with: the loop, what the operator wants, threads for what may block, and what is
 * counted.  Nobody finds other parts here: those are given to whoever needs them. */
#pragma once

#include <event2/event.h>

#include "files.h"
#include "settings.h"
#include "tally.h"

#define ENV_SCRATCH ((size_t)256 << 10) /* bytes read at a time */

struct env {
	struct event_base *base;
	const struct settings *settings;
	struct files files;
	struct tally tally;
	int64_t started_at;        /* seconds since 1970 */
	bool draining;             /* the front ends when it has answered what it has */
	bool replaced;             /* ... and another takes new connections: what is asked of this one, it answers */
	bool proven;               /* the built-in sample was accepted */
	bool kept;                 /* there was a keeper, once */
	void (*rested)(void *ctx); /* something in flight has ended: a draining front may be done */
	void *ctx;
	uint8_t scratch[ENV_SCRATCH]; /* what a read brings; empty between callbacks */
};
