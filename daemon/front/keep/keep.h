/* Keeping reports in the verdict store, and answering from it.
 *
 * A worker that its file has taken over can lie about that file.  It must not do so for ever, so a report is kept only
 * when a second worker, which parses nothing and only takes the digest of the same descriptor, comes to the same digest.
 * (The lie about the structure is not found so; but that the report is about these bytes, whoever asks by digest relies
 * on.)  That worker is one more job of the same tenant, in the batch lane and after the answer: who sent the file does
 * not wait for it, and when the queue is full it is not made.
 *
 * Behind an unsealed descriptor the client can exchange one file for another between the two.  What is kept of such a file
 * answers that client's uid and nobody else (stored_key()).
 *
 * Kept are complete reports of single files that were asked for without a list of tensors.  Nothing of it decides
 * anything: every failure ends in "not kept", and a verdict given from the store is made of its facts anew. */
#pragma once

#include "jobs.h"

#define KEEP_RETRY_AFTER_S 1 /* of a 202: most scans take less */

struct conn;
struct keep;

/* A scan has started that may be kept.  Return: NULL: it is not to be, or there is no memory. */
struct keep *keep_new(struct front *f);
/* The next bytes of its report, once the decoder has taken them.  @k: NULL is fine. */
void keep_add(struct keep *k, const uint8_t *at, size_t n);
/* The scan comes to nothing (or to another try). */
void keep_drop(struct keep *k);

/* The scan has been answered with a complete report, and its worker is gone.  Takes over s->keep, and the input if it goes
 * on with it. */
void keep_report(struct scan *s, const struct verdict_context *c);

/* GET /v1/verdicts/{sha256}. */
void keep_reply(struct conn *c);
/* Is something on its way to the store that is about these bytes? */
bool keep_is_coming(const struct front *f, const uint8_t sha256[32]);
