/* What a front has counted, by reasons from fixed lists: nothing a client chose can become a label, so the number of time
 * series is fixed too.  metrics.c prints it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "findings.h"
#include "status.h"
#include "verdict.h"

/* How workers end.  X(name, text of the label); texts are permanent. */
#define TALLY_EXITS(X)                                                                       \
	X(DONE, "done")           /* by itself, with exit status 0 and a report */           \
	X(SECCOMP, "seccomp")     /* SIGSYS: a call that the filter does not have */         \
	X(CRASH, "crash")         /* another signal */                                       \
	X(FAILED, "failed")       /* another exit status */                                  \
	X(JAIL, "jail")           /* a mandatory layer was refused */                        \
	X(CPU, "cpu")             /* SIGXCPU: RLIMIT_CPU */                                  \
	X(ALARM, "alarm")         /* SIGALRM: its own timer, after a deadline nobody kept */ \
	X(KILLED, "killed")       /* SIGKILL by somebody else; the kernel out of memory */   \
	X(DEADLINE, "deadline")   /* SIGKILL by us: out of time */                           \
	X(PROTOCOL, "protocol")   /* its report was malformed or too long, or missing */     \
	X(CANCELLED, "cancelled") /* SIGKILL by us: nobody wanted it any more */             \
	X(ZYGOTE, "zygote")       /* its zygote went away, and it with it */                 \
	X(STUCK, "stuck")         /* SIGKILL did not end it in time; its slot is lost for now */

enum tally_exit {
#define X(name, text) TALLY_EXIT_##name,
	TALLY_EXITS(X)
#undef X
	    N_TALLY_EXITS
};

/* Why an upload or a descriptor was not taken. */
#define TALLY_REFUSALS(X)                                                                  \
	X(QUEUE, "queue")               /* queue-max */                                    \
	X(TENANT, "tenant")             /* queue-max-per-tenant, or a worker that hangs */ \
	X(TOO_LARGE, "too-large")       /* max-body, or the policy's file-size */          \
	X(UNSENT, "unsent")             /* too many answers that nobody reads */           \
	X(UNRECORDED, "unrecorded")     /* too many that wait for the audit log */         \
	X(DRAINING, "draining")         /* the daemon is ending */                         \
	X(SPOOL_BUSY, "spool-busy")     /* the user's share of the spool, or memory */     \
	X(SPOOL_FULL, "spool-full")     /* the spool, or its disk */                       \
	X(TENANT_SPOOL, "tenant-spool") /* spool-bytes-per-tenant */                       \
	X(RATE, "rate")                 /* files- or bytes-per-minute-per-tenant */

enum tally_refusal {
#define X(name, text) TALLY_REFUSAL_##name,
	TALLY_REFUSALS(X)
#undef X
	    N_TALLY_REFUSALS
};

/* Sizes of files: upper bounds in bytes, the last class has none. */
#define TALLY_SIZES(X)                       \
	X(UINT64_C(1) << 20, "up-to-1MiB")   \
	X(UINT64_C(64) << 20, "up-to-64MiB") \
	X(UINT64_C(1) << 30, "up-to-1GiB")   \
	X(UINT64_C(16) << 30, "up-to-16GiB") \
	X(UINT64_MAX, "above-16GiB")

#define X(bytes, text) +1
enum { N_TALLY_SIZES = TALLY_SIZES(X) };
#undef X

/* Upper bounds of the buckets, in milliseconds and as the label's text in seconds; one more, +Inf, follows.  From what a
 * small file takes to the deadline of the largest. */
#define TALLY_BUCKETS(X)   \
	X(2, "0.002")      \
	X(5, "0.005")      \
	X(10, "0.01")      \
	X(25, "0.025")     \
	X(50, "0.05")      \
	X(100, "0.1")      \
	X(250, "0.25")     \
	X(500, "0.5")      \
	X(1000, "1")       \
	X(2500, "2.5")     \
	X(5000, "5")       \
	X(10000, "10")     \
	X(30000, "30")     \
	X(60000, "60")     \
	X(300000, "300")   \
	X(1800000, "1800") \
	X(7200000, "7200")

#define X(ms, text) +1
enum { N_TALLY_BUCKETS = 1 + TALLY_BUCKETS(X) };
#undef X

/* Verdicts that no class decided (all accept), beside enum finding_class. */
#define TALLY_NO_CLASS N_FINDING_CLASSES

struct tally_histogram {
	uint64_t buckets[N_TALLY_BUCKETS]; /* each for itself, not cumulated */
	double sum_s;
};

struct tally {
	uint64_t verdicts[VERDICT_REJECT + 1][N_FINDING_CLASSES + 1]; /* by value and by the worst class that decided */
	uint64_t exits[N_TALLY_EXITS];
	uint64_t refusals[N_TALLY_REFUSALS];
	struct tally_histogram scans[N_TALLY_SIZES]; /* seconds from a worker's start to its verdict */

	uint64_t connections, refused_peers, accept_failures, requests;
	uint64_t problems;                 /* answers that are no verdicts and no answers to a question */
	uint64_t causes[WLK_N_CAUSES];     /* of verdicts that carry one */
	uint64_t sets[VERDICT_REJECT + 1]; /* verdicts about sets; those of their files are among the others */
	uint64_t shadow[VERDICT_REJECT + 1][VERDICT_REJECT + 1]; /* by what default_policy and shadow_policy said */
	uint64_t bytes_scanned, upload_bytes;
	uint64_t zygotes_started, zygotes_retired, slots_lost;
	uint64_t store_stored, store_refused, store_failed; /* reports kept; not worth keeping, or no room for a second
							     * look; not taken by the keeper */
	uint64_t store_hits, store_misses;                  /* questions answered from the store, and not */
	uint64_t audit_recorded, audit_failed;              /* verdicts in the audit log, and those that are not */
	uint64_t early_started, early_withdrawn;            /* workers that began before their upload was complete */
};

/* A verdict about a file; its "reasons" say which class decided. */
void tally_verdict(struct tally *t, const struct verdict *v);
/* @size: of the file, in bytes */
void tally_scan(struct tally *t, uint64_t size, double ms);

/**
 * tally_exit() - a worker has ended
 * @status: see waitpid(2)
 * @killed: the front had sent SIGKILL, because of @cause
 */
void tally_exit(struct tally *t, int status, bool killed, enum wlk_cause cause);
