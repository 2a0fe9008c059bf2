/* From what the store keeps to a verdict: name checks and policy now, facts then.  What the daemon and the command's
 * `store get` have in common. */
#pragma once

#include "entry.h"
#include "facts.h"
#include "store.h"
#include "verdict.h"

#define STORED_FOR_ALL UINT64_MAX

/**
 * stored_key() - everything of the question that a report about these bytes depends on, as the key of a row
 * @owner: STORED_FOR_ALL; or the uid whose client could have changed the file between the two workers that read it: who has
 *     taken over the first of them and gives the second one another file has a report about that one, so it is
 *     nobody's but his
 * @policy, @name: as of the job: its limits, the names a pickle may import, the format the name suggests.  NULL: no name
 * @names_idle: of the report (report_final): no policy's names have anything to do with it, and they are not in the key
 *
 * The file's size is not in it: who asks by digest does not know it, and the digest says it.  What it depends on of the engine
 * stands in the row (entry.h): only the report says which reader's rules those are.
 */
void stored_key(uint64_t owner, const struct policy *policy, const char *name, const uint8_t sha256[32],
    bool names_idle, uint8_t key[STORE_KEY_BYTES]);

/* Where a row may be that answers this caller: first what is kept for all.  @i: below STORED_KEYS */
#define STORED_KEYS 4u
void stored_key_of(unsigned i, uint64_t uid, const struct policy *policy, const char *name, const uint8_t sha256[32],
    uint8_t key[STORE_KEY_BYTES]);

/* Does the same follow from the same bytes each time?  Not where the scan was stopped: that was an attempt. */
bool stored_is_fact(const struct facts *f);

/**
 * stored_facts() - decode a row as if a stranger had written it
 * @hint: of the job
 * @sink: as of facts_want_rows(), for reports with rows; else NULL
 * Return: 0, with *ret to be freed; -ESTALE: this build's engine might say something else; -EBADMSG: it is no report of facts about
 * these bytes; -ENOMEM.
 */
int stored_facts(const struct store_row *row, enum wlk_format_id hint, const struct manifest_sink *sink,
    struct entry *ret_entry, struct facts **ret);
/**
 * stored_base() - decode a row as what a claim of its digest is held to (facts_claim()), whatever rules made it
 * Return: facts to be freed; NULL: it is none: not sound, not complete, or of an engine whose pass was another.
 */
struct facts *stored_base(const struct store_row *row);
/* The verdict that follows today.  @c, @ret: as of stored_verdict().  Return: 0 or -ENOMEM. */
int stored_judge(const struct policy *policy, const struct facts *f, const struct entry *e,
    const struct verdict_context *c, struct verdict *ret);

/**
 * stored_verdict() - decode a row as if a stranger had written it, and judge
 * @c: of the question; what is known of the scan (source, layers, duration) comes from the row.  c->layer_names and
 *     c->n_layers are needed, c->layer_errno is not; c->started_at is today, for rules that expire
 * The verdict says `"cached": true` and the time of its scan in "scan".
 * Return: 0; -ESTALE: this build's engine might say something else; -EBADMSG: it is not a whole, complete report about
 * these bytes; -ENOMEM.
 */
int stored_verdict(
    const struct policy *policy, const struct store_row *row, const struct verdict_context *c, struct verdict *ret);
