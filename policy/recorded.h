/* Verdicts that were recorded, back as facts: as far as a verdict tells them, so that another policy can be tried on what
 * was judged before.  Texts are unescaped; one that was cut to fit stays cut, and findings that were left out of a verdict
 * count as omitted. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "facts.h"
#include "policy.h"

struct recorded {
	struct facts facts; /* valid as long as this is */
	char *name;         /* in its own bytes; NULL: none */
	size_t n_unknown;   /* findings with codes this build does not know: they count for nothing */
	bool names_matter;  /* the report depends on the names that the policy allowed */
	const char *limits_sha256, *names_sha256; /* of that policy's, the verdict's memory; NULL: none */
	struct arena *memory;                     /* private */
};

/**
 * recorded_open() - read one verdict (weighlock.verdict/1)
 * Return: 0; -EINVAL: not such a verdict; -ENOMEM.  recorded_close() in any case.
 */
int recorded_open(const json_t *verdict, struct recorded *ret);
void recorded_close(struct recorded *r);

/* Why a verdict does not say what another policy would make of the file: its report would be another. */
enum untried { UNTRIED_NOT, UNTRIED_LIMITS, UNTRIED_NAMES, UNTRIED_UNKNOWN_CODES, N_UNTRIED };
enum untried recorded_untried(const struct recorded *r, const struct policy *p);
