/* libweighlock-client: ask weighlockd about a model file, from C, with nothing but libc.
 *
 * One handle is one question.  Blocking:
 *
 *	struct weighlock_scan *s = weighlock_scan_new(NULL);
 *
 *	weighlock_scan_pass_fd(s, fd);
 *	weighlock_scan_set_name(s, "model.safetensors");
 *	if (weighlock_scan_run(s) == WEIGHLOCK_VERDICT && weighlock_scan_accepted(s))
 *		publish();
 *	weighlock_scan_free(s);
 *
 * In an event loop of any make: weighlock_scan_step() once, then again whenever weighlock_scan_fd() is ready for
 * weighlock_scan_events() or weighlock_scan_timeout_ms() have gone by, until it says something other than
 * WEIGHLOCK_PENDING.  Nothing here blocks in step(), except a source of yours that does.
 *
 * Accept needs proof: a whole answer with status 200, one verdict in its header (of a stream: none) and the same in its
 * body, a complete scan of as many bytes as were sent, and the digest that was asked for, if one was.  Whatever else
 * arrives, or does not arrive, is something else than accept; a verdict this library does not know is WEIGHLOCK_OTHER.
 *
 * Handles are independent of each other; one must not be used by two threads at the same time.  No signal is raised,
 * no global state kept, nothing printed.  Setters return 0 or a negative errno, and are for the time before the first
 * step().  Texts given are copied; texts returned belong to the handle and live as long as it does. */
#ifndef WEIGHLOCK_CLIENT_H
#define WEIGHLOCK_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

#define WEIGHLOCK_SOCKET "/run/weighlock/weighlock.sock" /* the daemon's default */
#define WEIGHLOCK_ANSWER_MAX ((size_t)1 << 20)     /* bytes of a verdict or of a line of a stream; more is an error */
#define WEIGHLOCK_SET_ANSWER_MAX ((size_t)4 << 20) /* the same of a set, whose verdict lists its files */
#define WEIGHLOCK_MEMBERS_MAX 1024u                /* files of a set */
#define WEIGHLOCK_LENGTH_UNKNOWN UINT64_MAX

enum weighlock_outcome {
	WEIGHLOCK_PENDING = 0, /* not over */
	WEIGHLOCK_VERDICT,     /* there is a verdict, of whatever value */
	WEIGHLOCK_PROBLEM,     /* the daemon says why there is none: status, problem */
	WEIGHLOCK_FAILED,      /* no answer that can be relied on: errno, detail */
};

enum weighlock_verdict {
	WEIGHLOCK_NONE = 0,
	WEIGHLOCK_ACCEPT,
	WEIGHLOCK_REVIEW, /* a person or a second system should look */
	WEIGHLOCK_REJECT,
	WEIGHLOCK_ERROR, /* the scan could not finish */
	WEIGHLOCK_OTHER, /* a word of a later version: not accepted */
};

enum weighlock_retry {
	WEIGHLOCK_RETRY_NEVER = 0, /* the same question gets the same answer */
	WEIGHLOCK_RETRY_LATER,
};

struct weighlock_scan;

/* @socket_path: at most 107 bytes; NULL: WEIGHLOCK_SOCKET.  Return: NULL without memory or with too long a path. */
struct weighlock_scan *weighlock_scan_new(const char *socket_path);

/* At any time; what is under way is given up, and the daemon stops.  @s may be NULL. */
void weighlock_scan_free(struct weighlock_scan *s);

/* ---- the file: one of these three, or a set ---- */

/**
 * weighlock_scan_pass_fd() - let the daemon read the file in place
 * @fd: a regular file or memfd open for reading; stays the caller's, and open until the scan is over.  One that could be
 *	written to, and is not sealed, is opened again for reading (/proc): the daemon takes no other
 *
 * The cheapest way: nothing is copied.  The file may be written to meanwhile; then the verdict is error.
 */
int weighlock_scan_pass_fd(struct weighlock_scan *s, int fd);

/**
 * weighlock_scan_upload_fd() - send what can be read from @fd from where it stands
 * @fd: a file, pipe or socket; stays the caller's
 * @length: bytes to come; a source that ends before, or has more in its last read, fails the scan (EIO).
 *	WEIGHLOCK_LENGTH_UNKNOWN: until its end
 */
int weighlock_scan_upload_fd(struct weighlock_scan *s, int fd, uint64_t length);

/* The next bytes of a file.  Return: how many of at most @n were put to @buf; 0: the end; -EAGAIN: none yet, step again
 * (soon, or when there are some); another negative errno: fails the scan with it. */
typedef ssize_t (*weighlock_source_fn)(void *ctx, void *buf, size_t n);

/* As weighlock_scan_upload_fd(), from a function. */
int weighlock_scan_upload(struct weighlock_scan *s, weighlock_source_fn source, void *ctx, uint64_t length);

/* ---- a set: the files of a folder, judged one by one and against each other ---- */

/**
 * weighlock_scan_add_member() - one more file of a set
 * @fd: as of weighlock_scan_pass_fd()
 * @name: its path inside the folder: UTF-8 without control characters, 1 to 1024 bytes, none of them twice
 *
 * The verdict, and what else is asked about the answer, is the set's.  It is never better than that of any of its files;
 * accept needs a proof of each of them, as of a file that is asked about alone, and the set's own, which must list as many.
 * Return: 0; -EINVAL; -E2BIG beyond WEIGHLOCK_MEMBERS_MAX; -ENOMEM.
 */
int weighlock_scan_add_member(struct weighlock_scan *s, int fd, const char *name);

/* The verdict about a file of a set, as soon as it is there; in any order, at most once each.  @member: counted from 0 as they
 * were added.  @json: one JSON object, without its line end, not NUL-terminated, valid during the call.
 * Return: other than 0 gives the scan up (ECANCELED). */
typedef int (*weighlock_member_fn)(
    void *ctx, size_t member, enum weighlock_verdict verdict, const char *json, size_t n);

/* Be told of them.  They hold although the set gets no verdict. */
int weighlock_scan_set_members(struct weighlock_scan *s, weighlock_member_fn member, void *ctx);

/* ---- what to ask ---- */

int weighlock_scan_set_name(struct weighlock_scan *s, const char *name);     /* UTF-8, 1 to 1024 bytes */
int weighlock_scan_set_policy(struct weighlock_scan *s, const char *policy); /* [A-Za-z0-9._-]{1,64} */
int weighlock_scan_set_tenant(struct weighlock_scan *s, const char *tenant); /* the same; only for some users */
int weighlock_scan_set_sha256(struct weighlock_scan *s, const char *hex);    /* expected digest: 64 hex digits */
int weighlock_scan_set_batch(struct weighlock_scan *s);                      /* others go first */
int weighlock_scan_set_request_id(struct weighlock_scan *s, const char *id); /* 1 to 128 token characters */

/* A line of a streamed answer that is not the last: one JSON object, without its line end, not NUL-terminated, valid
 * during the call.  Return: other than 0 gives the scan up (ECANCELED). */
typedef int (*weighlock_line_fn)(void *ctx, const char *line, size_t n);

/* Ask for a stream, and be told of progress.  The daemon then says something every few seconds, so that a time-out for
 * silence can be short whatever the file's size. */
int weighlock_scan_set_progress(struct weighlock_scan *s, weighlock_line_fn line, void *ctx);

/**
 * weighlock_scan_set_timeouts() - when to give up (ETIMEDOUT)
 * @silence_ms: no byte went in either direction.  0: the default: 60 s for a stream; otherwise 120 s, and a second for
 *	every 20 MB of the file, for the daemon is silent while it works
 * @total_ms: from the first step.  0: the default of an hour
 */
int weighlock_scan_set_timeouts(struct weighlock_scan *s, int64_t silence_ms, int64_t total_ms);

/**
 * weighlock_scan_set_patience() - wait for a daemon that is busy
 * @ms: how long altogether.  0, the default: not at all
 *
 * A refusal with 429 or 503 is not the end then: the same is asked again after as many seconds as its Retry-After says (1 if
 * it says nothing), as long as all these waits are within @ms and nothing was taken from a source.  Beyond that the refusal
 * is the outcome.  The time-out for silence does not run meanwhile, that for the whole does.
 */
int weighlock_scan_set_patience(struct weighlock_scan *s, int64_t ms);

/* ---- asking ---- */

/* Until it is over. */
enum weighlock_outcome weighlock_scan_run(struct weighlock_scan *s);

/* What can be done now, without waiting. */
enum weighlock_outcome weighlock_scan_step(struct weighlock_scan *s);

/* For poll() and its kind (level-triggered), after a step() that said WEIGHLOCK_PENDING.  The descriptor is -1 while
 * nothing is connected: at the beginning, and while a busy daemon is waited for, after which it may be another. */
int weighlock_scan_fd(const struct weighlock_scan *s);
short weighlock_scan_events(const struct weighlock_scan *s); /* POLLIN, POLLOUT */
int weighlock_scan_timeout_ms(const struct weighlock_scan *s);

/* ---- the answer ---- */

/* The one question of a gate. */
bool weighlock_scan_accepted(const struct weighlock_scan *s);

/* WEIGHLOCK_NONE unless the outcome is WEIGHLOCK_VERDICT. */
enum weighlock_verdict weighlock_scan_verdict(const struct weighlock_scan *s);

/* accept, review, reject, error, other or none. */
const char *weighlock_verdict_name(enum weighlock_verdict v);

/* Is it worth asking again, with a new handle?  @ret_after_s: may be NULL; not before so many seconds, 0 to 3600: what the
 * daemon said, 1 if it said nothing. */
enum weighlock_retry weighlock_scan_retry(const struct weighlock_scan *s, unsigned *ret_after_s);

/* The whole JSON text of verdict or problem as it came, NUL-terminated; "" if there is none. */
const char *weighlock_scan_json(const struct weighlock_scan *s, size_t *ret_n);

unsigned weighlock_scan_status(const struct weighlock_scan *s);        /* HTTP status; 0: none arrived */
const char *weighlock_scan_problem(const struct weighlock_scan *s);    /* urn:weighlock:problem:...; "" if none */
const char *weighlock_scan_request_id(const struct weighlock_scan *s); /* what to look for in the daemon's log, or "" */
int weighlock_scan_errno(const struct weighlock_scan *s);              /* positive, with WEIGHLOCK_FAILED; else 0 */
const char *weighlock_scan_detail(const struct weighlock_scan *s); /* what went wrong, in words; "" if nothing did */

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
