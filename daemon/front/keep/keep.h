/* Keeping reports in the verdict store.
 *
 * A worker that its file has taken over can lie about that file.  It must not do so for ever, so a report about a descriptor
 * is kept only when a second worker, which parses nothing and only takes the digest of the same descriptor, comes to the same digest.
 * (The lie about the structure is not found so; but that the report is about these bytes, whoever asks by digest relies
 * on.)  That worker is one more job of the same tenant, in the batch lane and after the answer: who sent the file does
 * not wait for it, and when the queue is full it is not made.  The job is jobs_digest.c's; here is the report meanwhile.  Of a
 * body the spool has taken the digest, and there is nothing to be looked at twice.
 *
 * Behind an unsealed descriptor the client can exchange one file for another between the two.  What is kept of such a file
 * answers that client's uid and nobody else (stored_key()).
 *
 * Kept are complete reports of single files that were asked for without a list of tensors.  Nothing of it decides
 * anything: every failure ends in "not kept", and a verdict given from the store is made of its facts anew. */
#pragma once

#include "env.h"
#include "facts.h"
#include "keeper_link.h"
#include "verdict.h"

struct keep;

struct keeps {
	struct env *env;
	struct keeper_link *keeper;
	struct keep *first; /* those under way: from the end of their scans on */
};

/* A scan has started that may be kept.  Return: NULL: it is not to be, or there is no memory. */
struct keep *keep_new(struct keeps *ks);
/* The next bytes of its report, once the decoder has taken them.  @k: NULL is fine. */
void keep_add(struct keep *k, const uint8_t *at, size_t n);
/* The scan comes to nothing (or to another try). */
void keep_drop(struct keep *k);

/* What a report is about. */
struct keep_about {
	const struct policy *policy;
	const char *name;
	uid_t uid; /* who gave an unsealed descriptor */
	uint64_t size;
	const uint8_t *sha256;
	const struct report_final *final;
	const struct verdict_context *context;
};

/* The report is whole; now the digest is to be taken again.  Return: false, and @k is gone: it is too long. */
bool keep_begin(struct keep *k, const struct keep_about *about);
/* The second digest, as the first one was taken; NULL: there is none.  Takes @k. */
void keep_end(struct keep *k, const uint8_t *sha256);
/* It is not worth keeping, or cannot be looked at again.  Takes @k. */
void keep_refuse(struct keep *k);

/* Is something on its way to the store that is about these bytes? */
bool keep_is_coming(const struct keeps *ks, const uint8_t sha256[32]);
