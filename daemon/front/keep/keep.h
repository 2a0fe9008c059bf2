/* Keeping reports in the verdict store.
 *
 * A worker that its file has taken over can lie about that file, but not about which file it is: its digest is taken where
 * nothing is parsed (jobs_digest.c), so whoever asks by digest is told of these bytes.  What is kept of a file behind an
 * unsealed descriptor answers that client's uid and nobody else (stored_key()).
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

/* The report is whole: to the store, unless it is too long.  Takes @k. */
void keep_put(struct keep *k, const struct keep_about *about);
/* It is not worth keeping.  Takes @k. */
void keep_refuse(struct keep *k);

/* Is something on its way to the store that is about these bytes? */
bool keep_is_coming(const struct keeps *ks, const uint8_t sha256[32]);
