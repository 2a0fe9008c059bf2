/* What a verdict's JSON is to a fleet: a row that anybody would have written, or an attempt with a cause.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fate.h"
#include "job.h"

#define RULING_WORD_MAX 63u

struct ruling {
	enum fate_end end;
	char cause[RULING_WORD_MAX + 1]; /* why it is no row */

	/* with END_JUDGED */
	char verdict[RULING_WORD_MAX + 1];
	bool complete;      /* every byte was explained; a reject stands without */
	char rules[64 + 1]; /* digest of the rules, digits */
	int64_t rules_version;
	char reader[RULING_WORD_MAX +
		    1]; /* "safetensors/1": the format, and the revision of who read it; "" for neither */
	char policy[RULING_WORD_MAX + 1], policy_sha256[64 + 1];
	char facts_sha256[64 + 1]; /* of what does not depend on when, where and how it was scanned */
};

/**
 * ruling_of() - read a verdict about one file
 * @json, @n: as libweighlock-client gives it with WEIGHLOCK_VERDICT
 *
 * A row comes of a whole report (no scan.error), is accept, review or reject, names the digest and the size that were announced,
 * rules and policy by their digests, and was hashed by the daemon (digest_by is not "caller").  What is not all of that is an
 * attempt: so a row depends on its key and on nothing else.
 */
void ruling_of(const char *json, size_t n, const struct fleet_job *job, struct ruling *ret);
