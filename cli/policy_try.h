/* What the two halves of `weighlock policy try` share: policy_try.c reads verdicts and tells, policy_try_db.c reads a database of
 * scans. */
#pragma once

#include "print.h"
#include "recorded.h"
#include "verdict.h"

#define TRIAL_PACKS_MAX 32u
#define TRIAL_VALUES (VERDICT_REJECT + 1)

/* Why something was not tried: enum untried, and of a database: */
enum trial_reason {
	TRIAL_NO_REPORT = N_UNTRIED, /* an attempt, or it was too long */
	TRIAL_STALE,                 /* it was made by other rules */
	TRIAL_OTHER_REPORT,          /* the policy asks for another */
	N_TRIAL_REASONS
};

struct trial {
	enum print_format format;
	const char *policy_name, *verdicts, *packs[TRIAL_PACKS_MAX];
	size_t n_packs;
	struct policy *policy;
	size_t n[TRIAL_VALUES][TRIAL_VALUES]; /* from, to */
	size_t n_changed, n_sets, n_untried[N_TRIAL_REASONS];
};

/* One was tried.  @name: NULL: it has none. */
void trial_take(struct trial *t, const char *name, enum verdict_value from, const struct verdict *new);

/* Is the file a database of scans? */
bool trial_is_db(const char *path);
/* Says what is wrong.  Return: 0 or negative errno. */
int trial_db(struct trial *t);
