/* `scan --db`: what the window asks of somebody who remembers (window.h), answered out of a database of scans (scans.h). */
#pragma once

#include <limits.h>

#include "policy.h"
#include "print.h"
#include "scans.h"
#include "window.h"

#define SCAN_DB_LONGEST (SCANS_PATH_MAX - PATH_MAX - 1) /* bytes of a path below a given folder */

struct scan_db;

struct scan_db_options {
	const char *path;
	const struct policy *policy; /* borrowed, like the walk */
	const struct walk *walk;
	struct tally *tally; /* where what is known is counted */
	bool lasting;        /* the policy says the same on any day */
	bool outdated; /* look only at files that are known, and judge those that newer rules could make another of */
	bool verify;   /* hash what seems the same */
};

/* Says what is wrong.  Return: 0 or negative errno. */
int scan_db_open(const struct scan_db_options *o, struct scan_db **ret);
/* Writes what is still held.  NULL is fine. */
void scan_db_close(struct scan_db *db);

/* As window_ops has them, with the database for their context; a failure is kept for scan_db_error(). */
enum window_known scan_db_known(struct scan_db *db, struct slot *slot);
int scan_db_recall(struct scan_db *db, struct folder *folder);
bool scan_db_set_known(struct scan_db *db, struct slot *slot);
void scan_db_forget(struct folder *folder);
/* Of done(): keep it.  Return: is it news?  It is not when known facts came to the same verdict as before. */
bool scan_db_keep(struct scan_db *db, const struct slot *slot);

/* Now and then, while others work: what is held does not get old. */
void scan_db_tick(struct scan_db *db);

/* Is it the database itself? */
bool scan_db_owns(const struct scan_db *db, const struct stat *st);

/* All was looked at: what is kept of given folders and was not there any more goes away.  @whole: nothing of them was left out. */
void scan_db_finish(struct scan_db *db, bool whole);
/* Negative errno that ends the scan, which is told. */
int scan_db_error(const struct scan_db *db);
