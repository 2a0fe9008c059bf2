/* What the front knows about a file after a scan: the worker's report, decoded as if a stranger had written it,
 * because one day one may have.  Strict and bounded: any length, order, number or sum that does not fit ends the
 * decoding, and the scan counts as worker-protocol.  The decoder allocates at most FACTS_BYTES_MAX. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "report.h"

#define FACTS_BYTES_MAX ((size_t)16 << 20)  /* 4,096 findings with their texts, and 1,000 rows */
#define FACTS_FEED_MAX ((uint64_t)64 << 20) /* bytes of a report: the above encoded, and a day of progress records */

/* Who took the digest, and so can be believed about it. */
enum digest_by {
	DIGEST_BY_WORKER,   /* the process that judged it: a document of our own, no file */
	DIGEST_BY_FRONT,    /* the daemon, as the body came */
	DIGEST_BY_COMMAND,  /* the command, of standard input as it came */
	DIGEST_BY_DIGESTER, /* a process that parses nothing, of a descriptor */
	DIGEST_BY_CALLER,   /* nobody of ours: it is claimed (JOB_STRUCTURE) */
};

/* As verdicts and the log say it. */
const char *digest_by_text(enum digest_by by);

/* Have the weights been looked at? */
enum facts_weights {
	WEIGHTS_READ,     /* in the scan, as far as it came */
	WEIGHTS_NOT_READ, /* only the structure was */
	WEIGHTS_STORED,   /* likewise, and a whole scan of the same digest says what is in them */
};

struct facts {
	struct finding *findings; /* texts point into blocks owned by the facts */
	size_t n_findings;
	uint64_t per_code[WLK_N_FINDINGS]; /* in all, listed or not */
	struct nonfinite *rows;
	size_t n_rows;
	struct fact *facts;
	size_t n_facts;
	bool has_calls; /* they were asked for */
	struct call_record *calls;
	size_t n_calls;
	bool has_views; /* likewise */
	struct view_record *views;
	size_t n_views;
	uint64_t progress; /* bytes done, as last reported: informative, not checked */
	bool has_final;
	struct report_final final;
	enum digest_by digest_by; /* once finished, where there is a digest */
	enum facts_weights weights;
	bool has_pass;           /* RECORD_PASS came ... */
	uint8_t pass[32];        /* ... with this, ... */
	size_t findings_at_pass; /* ... behind so many findings and facts */
	size_t facts_at_pass;
	struct partial_block *blocks; /* that were noted */
	size_t n_blocks;
	struct partial_range *wanted; /* of a job that did not find them */
	size_t n_wanted;
	uint64_t manifest_rows, manifest_bytes; /* given to the sink; bytes with the u32 before each */
	struct facts_decoder *decoder;          /* private */
};

/* What the job said, to compare the report with. */
struct facts_expect {
	uint64_t size;
	bool has_sha256; /* the caller announced a digest */
	uint8_t sha256[32];
	/* Of job.undigested: who took the digest of exactly the bytes that the worker was given, and it.  A report that has one
	 * all the same is a lie. */
	enum digest_by taken_by;
	bool has_taken; /* false: it could not be taken */
	/* DIGEST_BY_CALLER: what it read was JOB_STRUCTURE's, so it can say nothing of the weights, and is never complete by itself:
	 * facts_claim(). */
	/* The worker was given the file itself, and saw what was hashed only as it went by: of what it says the digest counts
	 * if all of that did, or if it says nothing. */
	bool flowed;
	uint8_t taken[32];
};

/* Return: NULL without memory.  Free with facts_free(NULL is fine). */
struct facts *facts_new(void);
void facts_free(struct facts *f);

/* Rows of the manifest go there; @sink is borrowed until facts_finish().  Without it a report that has any is malformed.
 * When the scan turns out as worker-protocol, what the sink took counts for nothing. */
void facts_want_rows(struct facts *f, const struct manifest_sink *sink);

/* Calls are kept.  Without it a report that has any is malformed. */
void facts_want_calls(struct facts *f);
/* Likewise views. */
void facts_want_views(struct facts *f);

/**
 * facts_feed() - the next bytes of a report, in pieces of any size
 * Return: false once the report is malformed or beyond bounds; stays false.
 */
bool facts_feed(struct facts *f, const uint8_t *at, size_t n);

/**
 * facts_finish() - end of the report
 * @cause: what the front knows of the worker's end: WLK_CAUSE_NONE when it ended by itself with status 0, else the
 *         cause (crash, time-out, seccomp, cancelled).
 * Decides f->final.cause and f->final.complete:
 *   malformed, contradictory (size, sums, rows, digest missing from a complete report or not its to take) or without final record
 *   although the worker ended well: WORKER_PROTOCOL, and the findings are dropped, for they cannot be trusted;
 *   ended badly: @cause, findings received so far stay;
 *   a digest other than the expected one: DIGEST_MISMATCH, findings stay.
 * A digest that others took stands, whatever has become of the worker.
 * Afterwards complete implies cause NONE, a final record and a digest.
 */
void facts_finish(struct facts *f, enum wlk_cause cause, const struct facts_expect *expect);

/* Add a finding about the whole file to finished facts: its code, what was found, and what is allowed, are copied.  Return: false without memory. */
bool facts_add(struct facts *f, const struct finding *got);

/**
 * facts_claim() - finished facts of JOB_STRUCTURE, and what is known of the digest that was claimed
 * @base: finished facts of a whole scan of that digest, by an engine whose pass is this one's; NULL: there are none.  Outlives @f.
 * The pass is a function of the bytes and of what RECORD_PASS digests.  Where that is the same, all that the base's found is
 * taken (weights, padding, polyglots) and the facts are complete; else they say that the weights were not read
 * (weights-not-read).
 * Return: false without memory.
 */
bool facts_claim(struct facts *f, const struct facts *base);

/* Are the rows of the manifest that came all there are?  After facts_finish(). */
bool facts_tensors_listed(const struct facts *f);

/* Has the worker put the file off (JOB_PART_MEMBER), and said nothing else?  After facts_finish(). */
bool facts_put_off(const struct facts *f);

/* Facts about a file nobody could read: a final record with this cause and nothing else. */
struct facts *facts_unread(enum wlk_cause cause, uint64_t size);
