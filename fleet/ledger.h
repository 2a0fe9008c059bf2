/* What was found, written down: verdicts and the items they answer, attempts, alarms.  Each is on disk when it returns, or when its group
 * is committed. */
#pragma once

#include "database.h"
#include "queue.h"
#include "ruling.h"

/* @json: the verdict's, NUL-terminated.  Return: 0; -EIO: the database is away or has no room, ask again, it does no harm; -EINVAL:
 * it does not take this one.  Between ledger_begin() and ledger_commit() the first that is not 0 ends all of them. */
int ledger_record(struct database *d, const struct queue_job *job, const struct ruling *r, const char *json);

/* Several rows for one wait for the disk.  Return: 0 or -EIO: none of them is written. */
int ledger_begin(struct database *d);
int ledger_commit(struct database *d);
void ledger_abort(struct database *d);

/* @alarm: both are written, or neither.  Return: as of ledger_record(). */
int ledger_attempt(struct database *d, const struct queue_job *job, const char *cause, const char *node, const char *json,
    bool alarm);
