/* A set: the files of one request, each judged by a scan of its own, and then, by one more, against each other.  Nothing is
 * compared here: what the workers say of their files is gathered (manifest/set_file.h), and the last one gets it as its only
 * descriptor.
 *
 * A set keeps one place in the queue from its admission to its end.  Its scans use that place one after the other, and
 * besides it as many as the queue gives them; the others wait here.  So a set that was let in can always go on, however
 * full the queue is, and takes no more than a tenant may have.  What is held for it is bounded: descriptors by files.h,
 * tensors and verdicts by the tenant's share of the memory for bodies, and lines that the client has not taken by waiting
 * with the next files until it has. */
#pragma once

#include "fds.h"
#include "jobs.h"
#include "listing.h"

#define SET_AHEAD 2                        /* files of a set under way beyond the number of slots */
#define SET_TEXTS_MAX ((uint64_t)64 << 20) /* bytes of verdicts in an answer that is no stream */
#define SET_CHECK_RETRY_MS 100             /* until a descriptor is looked at again, when too many were */

struct set;

struct set_request {
	struct scan_request
	    scan;              /* of each of them; its name is the set's; rows, digests, task and place are not used */
	uint64_t size_max;     /* bytes of a file */
	bool lines;            /* verdicts are given out one by one (set_take_line()), else all at the end */
	bool tensors, digests; /* with lines: list them */
};

/**
 * set_admit() - may this request come in?  Before its names are read.
 * @news: called on the event loop and never from inside a function below, when set_take_line() or set_over() may have
 *        something
 * Return: as scan_admit().
 */
enum queue_answer set_admit(
    struct jobs *j, const struct set_request *r, void (*news)(void *ctx), void *ctx, struct set **ret);

/* @names: array of strings, taken; @fds: as many descriptors of r->scan.peer_uid, in the same order; taken. */
void set_start(struct set *s, json_t *names, struct fds *fds);

/* The client is gone.  @finish: go on all the same, for the log. */
void set_forget(struct set *s, bool finish);

/* The verdict about a file that has been judged, once; NULL: none now.  The caller's. */
struct listing *set_take_line(struct set *s);
/* There is room for more lines. */
void set_wake(struct set *s);
/* Bytes held for the client: lines not taken. */
size_t set_held(const struct set *s);

struct set_result {
	struct listing *verdict; /* now the caller's; NULL: a problem */
	enum verdict_value value, effective;
	enum trouble trouble;
	const char *detail;
};

/* Return: false as long as it is not over, or lines are left.  Once true, only set_forget() may follow. */
bool set_over(struct set *s, struct set_result *ret);

/* What is going on, as JSON objects: each file that is being read, or else that they wait. */
void set_tell_progress(const struct set *s, void (*line)(void *ctx, const char *text, size_t n), void *ctx);
