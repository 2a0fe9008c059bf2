/* The fields that a verdict has in the journal (docs/man/weighlockd.8.scd, LOG).  Names and message ids are permanent. */
#pragma once

#include "log.h"
#include "verdict.h"

#define VERDICT_LOG_CODES_MAX 16 /* of the findings that decided; more are left out */

/* Escaped as in the log line. */
struct verdict_log {
	const struct verdict *verdict;
	bool of_set;
	const char *sha256, *tenant, *request_id, *policy, *error;
};

struct verdict_log_entry {
	struct log_entry entry;
	struct log_field fields[8 + VERDICT_LOG_CODES_MAX];
};

/* @ret: borrows from @l and its verdict.  Return: the entry in @ret, for log_entry(). */
const struct log_entry *verdict_log_entry(const struct verdict_log *l, struct verdict_log_entry *ret);
