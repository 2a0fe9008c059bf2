/* Files for the next scan, from what this one found: a baseline (--write-baseline) and a policy file (--save-policy). */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct policy;

struct proposal {
	const struct policy *policy; /* that judges */
	const char *base;            /* the built-in one that it is or begins as */
	const char *const *packs;    /* that were added to it */
	size_t n_packs;
	int64_t now; /* Unix seconds */
};
