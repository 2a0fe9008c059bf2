/* Verdicts that were recorded, back as facts: as far as a verdict tells them, so that another policy can be tried on what
 * was judged before.  Texts are unescaped; one that was cut to fit stays cut, and findings that were left out of a verdict
 * count as omitted. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

#include "facts.h"

struct recorded {
	struct facts facts;   /* valid as long as this is */
	char *name;           /* in its own bytes; NULL: none */
	size_t n_unknown;     /* findings with codes this build does not know: they count for nothing */
	struct arena *memory; /* private */
};

/**
 * recorded_open() - read one verdict (weighlock.verdict/1)
 * Return: 0; -EINVAL: not such a verdict; -ENOMEM.  recorded_close() in any case.
 */
int recorded_open(const json_t *verdict, struct recorded *ret);
void recorded_close(struct recorded *r);
