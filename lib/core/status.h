/* The three kinds of trouble a reader can be in, kept apart everywhere in lib/:
 *   the file is bad        - a finding in the report, and a normal return;
 *   we could not finish    - WLK_INCOMPLETE, with a cause in the report: never "clean";
 *   we have a bug          - assert: the worker dies and its caller records a crash. */
#pragma once

#include <stdbool.h>

enum wlk_status {
	WLK_DONE,       /* every byte this step is responsible for was examined */
	WLK_BROKEN,     /* the file's structure ended the step early; findings say where.  The rest of the file
	                 * was hashed but not understood, so the verdict is incomplete and never accept. */
	WLK_INCOMPLETE, /* a budget or a read stopped us: report_stop() has recorded the cause */
};

/* Why a scan did not finish.  The text is the wire contract (scan.error in the verdict); codes are permanent.
 * X(name, text, retry): retry is what a caller should do with the same file - LATER: may succeed; NEVER: the
 * same bytes will end the same way. */
#define WLK_CAUSES(X)                                            \
	X(NONE, "none", NEVER)                                   \
	X(LIMIT_TIME, "limit-time", LATER)                       \
	X(LIMIT_MEMORY, "limit-memory", NEVER)                   \
	X(LIMIT_OUTPUT, "limit-output", NEVER)                   \
	X(LIMIT_REREAD, "limit-reread", NEVER)                   \
	X(LIMIT_NESTED, "limit-nested", NEVER)                   \
	X(LIMIT_SIZE, "limit-size", NEVER)                       \
	X(LIMIT_WORK, "limit-work", NEVER)                       \
	X(WORKER_CRASHED, "worker-crashed", NEVER)               \
	X(WORKER_TIMEOUT, "worker-timeout", LATER)               \
	X(WORKER_KILLED_SECCOMP, "worker-killed-seccomp", NEVER) \
	X(WORKER_PROTOCOL, "worker-protocol", NEVER)             \
	X(INPUT_CHANGED, "input-changed", LATER)                 \
	X(INPUT_UNREADABLE, "input-unreadable", LATER)           \
	X(INPUT_TRUNCATED, "input-truncated", LATER)             \
	X(INPUT_ABSENT, "input-absent", LATER)                   \
	X(INPUT_UNPROVEN, "input-unproven", NEVER)               \
	X(DIGEST_MISMATCH, "digest-mismatch", NEVER)             \
	X(CANCELLED, "cancelled", LATER)                         \
	X(INTERNAL, "internal", LATER)                           \
	X(BUSY, "busy", LATER)

enum wlk_cause {
#define X(name, text, retry) WLK_CAUSE_##name,
	WLK_CAUSES(X)
#undef X
	    WLK_N_CAUSES
};

enum wlk_retry { WLK_RETRY_NEVER, WLK_RETRY_LATER };

/* Both take any value below WLK_N_CAUSES; out of range is a bug. */
const char *cause_text(enum wlk_cause cause);
enum wlk_retry cause_retry(enum wlk_cause cause);

/* Why a worker's scan is to be doubted, from its wait status (see waitpid(2)): NONE for exit status 0, seccomp for
 * SIGSYS, time for SIGXCPU, internal for a jail that could not close (exit status 90), crashed for everything
 * else.  A death the front caused itself is the front's to name. */
enum wlk_cause cause_from_wait_status(int status);
/* Did the process end by a fault of its own?  Nobody sends these signals. */
bool wait_status_is_fault(int status);
/* Of the error of a digester (sandbox/digester.h); 0: none. */
enum wlk_cause cause_from_digest(int error);
