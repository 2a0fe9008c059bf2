/* From facts and a policy to the verdict: docs/verdict.schema.json is the contract.  All text is written here, from
 * the findings table; bytes from the file appear only escaped and bounded, in subject, member and found. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "escape.h"
#include "facts.h"
#include "policy.h"
#include "verdict_value.h"

#define VERDICT_BYTES_MAX ((size_t)1 << 20) /* of JSON text; findings beyond it are counted, worst first kept */

const char *verdict_text(enum verdict_value v);

/* A count or size in JSON: an integer, or beyond 2^53, which not every reader keeps, decimal digits in a string. */
json_t *json_from_number(uint64_t n);
/* Return: false if the value is neither; it may be NULL. */
bool json_to_number(const json_t *value, uint64_t *ret);

/**
 * json_text() - what json_dumps() gives, or nothing
 * jansson 2.14 goes on when the buffer that it lets grow has no room for an object's key, so that its text can be complete and
 * wrong.  Here the room is known before: nothing grows.
 * Return: malloc()ed, NULL without memory or without @json.
 */
char *json_text(const json_t *json, size_t flags);

enum verdict_source { VERDICT_SPOOL, VERDICT_SEALED, VERDICT_FD, VERDICT_FILE };

/* What is known about the request rather than the file.  Strings borrowed for the call; NULL where absent. */
struct verdict_context {
	const char *name; /* as the caller gave it */
	const char *path; /* what policy rules' `path` globs match; NULL: name */
	const char *tenant;
	const char *request_id;
	enum verdict_source source;
	const int *layer_errno; /* SANDBOX_N_LAYERS items, 0: active; names from layer_names */
	const char *const *layer_names;
	size_t n_layers;
	int64_t started_at; /* Unix seconds: scan.time, and "today" for expiries */
	double duration_ms;
};

struct verdict {
	enum verdict_value value;
	enum verdict_value effective; /* what gates go by: the same, unless people have excepted what decided */
	json_t *json;                 /* owned: json_decref() */
};

/**
 * verdict_make() - judge
 * Never accepts unless facts->final.complete and every finding's action is accept.
 * Return: 0 or -ENOMEM.
 */
int verdict_make(const struct policy *p, const struct facts *f, const struct verdict_context *c, struct verdict *ret);

/* One line of JSON without a newline, at most VERDICT_BYTES_MAX; malloc()ed, NULL without memory. */
char *verdict_dump(const struct verdict *v);

/* The findings table for `weighlock rules --format json` and GET /v1/rules; formats for /v1/formats.  New
 * references; NULL without memory. */
json_t *rules_json(void);
json_t *formats_json(void);
/* The numbers of the advisories a finding answers, as texts. */
json_t *rule_references_json(enum wlk_finding code);
/* Digest of the findings table and built-in lists (scan.rules), 64 hex digits and NUL, static. */
const char *rules_sha256(void);
