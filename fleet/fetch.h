/* Downloads of jobs' files, by libcurl: several at a time, in the agent's one loop, into files without names. */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fate.h"
#include "job.h"
#include "remote.h"

#define FETCH_CAUSE_MAX 40

struct fetch_settings {
	struct remote_allowed allowed;
	const char *region;      /* of S3 */
	const char *credentials; /* a file; NULL: the environment's */
	const char *ca;          /* whom to believe; NULL: whom the machine believes */
	const char *spool;       /* a folder for files without names; NULL: sealed memory files */
	uint64_t budget_bytes;   /* of all files that are here at once */
};

struct fetcher;
struct fetch; /* one file: it counts against the budget until fetch_free() */

/* @set: the caller's, as long as the fetcher.  Return: 0; -ENOSYS: this program was built without libcurl; -ENOMEM. */
int fetcher_new(const struct fetch_settings *set, struct fetcher **ret);
void fetcher_free(struct fetcher *f);

/* May @ref be for it, whatever is at its other end? */
bool fetch_is_meant(const char *ref);

/* How it ended. */
struct fetch_end {
	enum fate_end end;           /* END_JUDGED: it is whole */
	char cause[FETCH_CAUSE_MAX]; /* why it is not: nothing of the URL */
};

/* @f: NULL: nothing is fetched here.  Return: NULL: it did not begin, and @ret_end says why. */
struct fetch *fetch_begin(struct fetcher *f, const struct fleet_job *job, struct fetch_end *ret_end);
/* At any time. */
void fetch_free(struct fetch *d);

/* What can be done now, for all of them. */
void fetcher_step(struct fetcher *f);

/* Return: is it over?  @ret_fd: the file, from its beginning, which stays ours; with END_JUDGED. */
bool fetch_is_over(const struct fetch *d, struct fetch_end *ret_end, int *ret_fd);

/* As poll(2), until something of theirs is ready as well.  @f: may be NULL. */
void fetcher_wait(struct fetcher *f, struct pollfd *fds, size_t n, int timeout_ms);
