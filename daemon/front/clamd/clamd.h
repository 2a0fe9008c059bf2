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

#include "front.h"

#define CLAMD_TASKS_MAX 32                     /* of a session at a time; then its next command waits */
#define CLAMD_BACKLOG_MAX ((size_t)16 << 10)   /* bytes of answers not taken; then, too */
#define CLAMD_READS_PER_TURN 64                /* a chunk each, or part of one; then it is another connection's turn */
#define CLAMD_BYTES_PER_TURN ((size_t)1 << 20) /* and so many bytes */

/* Take over a socket accepted from the listener of clamd's clients, as conn_new(). */
void clamd_new(struct front *f, int fd);
/* Among the front's; NULL: it is the last. */
struct clamd *clamd_next(const struct clamd *c);
/* The front is draining: no more commands. */
void clamd_drain(struct clamd *c);
/* The monitor's answer to CONTROL_WANT_RELOAD: is there a reload? */
void clamd_reload_answered(struct front *f, bool reloading);
/* Connections of this user. */
unsigned clamd_count_uid(const struct front *f, uid_t uid);

/* ---- for room.c ---- */

uid_t clamd_uid(const struct clamd *c);
int clamd_fd(const struct clamd *c);
/* Nothing is in work, and nothing waits to be written. */
bool clamd_is_idle(const struct clamd *c);
void clamd_drop(struct clamd *c);
