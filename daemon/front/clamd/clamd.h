/* Clients of ClamAV's daemon, on a socket of their own: clamd_protocol.h is what they say, and here it becomes scans
 * like everybody's.  The same peers, tenants, places in the queue, spool and descriptor rules as for HTTP, and the
 * default policy; only the answer is one line that says less than a verdict does:
 *
 *	accept                  OK
 *	reject, review          FOUND, with the class and code of what decided
 *	error, or no verdict    ERROR
 *
 * Never OK for what was not examined completely.  Paths are not opened: the front sees no file system, and the
 * client's rights are not ours; SCAN and its kin say so, with ERROR. */
#pragma once

#include "client.h"

#define CLAMD_TASKS_MAX 32                     /* of a session at a time; then its next command waits */
#define CLAMD_BACKLOG_MAX ((size_t)16 << 10)   /* bytes of answers not taken; then, too */
#define CLAMD_READS_PER_TURN 64                /* a chunk each, or part of one; then it is another connection's turn */
#define CLAMD_BYTES_PER_TURN ((size_t)1 << 20) /* and so many bytes */

/* What commands need that is no client's. */
struct clamd_service {
	/* Ask for a reload; clamd_reload_answered() follows.  Return: 0 or negative errno. */
	int (*ask_reload)(void *ctx);
	void *ctx;
};

/* Of clients whose service is a struct clamd_service. */
extern const struct client_kind clamd_kind;

/* Is there a reload? */
void clamd_reload_answered(struct clients *all, bool reloading);
