/* The front's side of the audit log: a verdict is recorded before it is released.
 *
 * With `audit: required` whoever has a verdict waits with it until the keeper says that its line lasts, and gives none when
 * it cannot be written (AUDIT_REFUSE).  With `audit: on` nobody waits, and lines that are lost are counted.
 *
 * What waits is held in memory, and how long the disk says: so it is counted, and while there is too much of it nobody begins
 * what would end in one more (audit_is_behind()). */
#pragma once

#include <jansson.h>

#include "keeper_link.h"
#include "settings.h"
#include "tally.h"

#define AUDIT_BEHIND "too many verdicts wait to be recorded in the audit log"
#define AUDIT_NOT_RECORDED "the verdict could not be recorded in the audit log, so it is not given"

#define AUDIT_HELD_MAX \
	((size_t)128 << 20) /* bytes that wait, before no more work is begun: twenty of the largest verdicts */
#define AUDIT_HELD_FACTOR 6 /* what a byte of a verdict's text takes, with its tree and the facts (measured) */
#define AUDIT_HELD_LEAST ((size_t)96 << 10) /* of the smallest, with its scan and its connection */

struct audit_call;

struct audit {
	struct keeper_link *keeper;
	enum config_audit mode;
	struct tally *tally;
	size_t held; /* bytes of what waits */
	const struct settings *settings;
	bool known; /* as of the keeper's last answer: */
	uint64_t seq;
	uint8_t head[32];
};

struct audit_event {
	const char *kind;      /* "verdict", "set", "lookup" */
	const json_t *verdict; /* of a file or a set */
	const char *tenant;
	uid_t uid; /* who gets it */
	pid_t pid;
};

enum audit_step {
	AUDIT_RELEASE, /* now: nobody has to wait */
	AUDIT_WAIT,    /* until the callback */
	AUDIT_REFUSE,  /* never: it cannot be recorded */
};

/**
 * audit_verdict() - before a verdict is released
 * @done: with AUDIT_WAIT, called exactly once, on the event loop and never from inside a function below, unless
 *        audit_forget() is
 * @ret: with AUDIT_WAIT; else NULL
 */
enum audit_step audit_verdict(struct audit *a, const struct audit_event *e, void (*done)(void *ctx, bool recorded),
    void *ctx, struct audit_call **ret);
/* Does so much wait that nothing should be begun which ends in a verdict? */
bool audit_is_behind(const struct audit *a);
/* Nobody waits any more; it is recorded all the same.  NULL is fine. */
void audit_forget(struct audit_call *c);

/* For GET /v1/version: {"mode", "seq", "head"} of the last line this front was told of.  NULL: no log, or no memory. */
json_t *audit_json(const struct audit *a);
