/* The front: the one process that talks to clients.  One event loop, no thread but those of pool.h, no file opened
 * but in the spool folder, no model byte parsed.  It is executed by the monitor (run.c), jails
 * itself, and gets zygotes from the monitor.
 *
 *	base/     the loop and what all work with: threads for what may block, clients' descriptors, peers, counters
 *	tenants/  limits of tenants: queue.c, budget.c and rate.c keep them
 *	spool/    where bodies and lists wait
 *	keep/     the way to the keeper: reports for the verdict store, the audit log
 *	zygotes/  channels to zygotes: retirement, succession, ping
 *	jobs/     scans: scan_phase.c says what happens when, the others do it
 *	sets/     several files of one request, and the set they are
 *	clients/  who is connected: reading, writing, time, places
 *	http/     requests and replies
 *	clamd/    clients of clamd
 *	front.c   set-up, signals, control channel, health; metrics.c prints what is counted */
#pragma once

#include "settings.h"

struct front_inherits {
	int control;     /* to the monitor */
	int http, clamd; /* listen; clamd: -1 where there is none */
	int spool_dir;
	int own_fds; /* /proc/self/fd */
};

/* The whole process, from its beginning (role.h).  Return: exit status. */
int front_run(const struct settings *s);

/**
 * front_main() - run until drained
 * @from: open and the front's own
 * Return: exit status.  The process should end at once then, by _exit(2): its threads are not joined.
 */
int front_main(const struct settings *s, const struct front_inherits *from);
