/* What verdicts about files and about sets have in common: findings get their actions and are put in order, a value follows,
 * and they become JSON.  The two verdicts differ in what they say around it (verdict.c, set_verdict.c). */
#pragma once

#include "policy_impl.h"

#define SHOWN_MAX 256        /* bytes of a subject, member, found, allowed: the schema's maxLength */
#define NAME_SHOWN_MAX 16384 /* PATH_MAX bytes, each as \xNN */
#define JSON_EXACT_MAX ((UINT64_C(1) << 53) - 1) /* RFC 7493: beyond it a number is a string */
#define SUPPRESSED_BYTES ((size_t)128 << 10)     /* share of VERDICT_BYTES_MAX */

/* One finding on its way into the verdict. */
struct item {
	struct finding finding;
	struct judgement judgement; /* set_aside: then it goes to "suppressed" */
	size_t order;               /* in the report */
	bool excepted;              /* people have looked at it */
	json_t *json;               /* owned until it is in a list; NULL: left out for size */
};

struct judge {
	const struct policy *policy;
	const struct facts *facts;
	const struct verdict_context *context;
	struct scene scene;
	bool of_set; /* not of a file: it has no format that a policy could refuse */
	struct item *items;
	size_t n_items;
	uint64_t listed[WLK_N_FINDINGS]; /* findings of a code in the report; fewer than facts->per_code:
					    omitted */
	enum verdict_value value, effective;
	bool complete;
	enum wlk_cause cause; /* NONE, or why nobody can vouch for the whole */
	bool failed;          /* out of memory somewhere; checked once, at the end */
};

/* ---- judge.c ---- */

/* From policy, facts, context and scene (all but these zero) to items, cause, completeness and value.  False without
 * memory.  judge_end() in any case. */
bool judge_run(struct judge *j);
/* The verdict, from @json, which is taken; NULL: without memory.  Return: 0 or -ENOMEM. */
int judge_end(struct judge *j, json_t *json, struct verdict *ret);
/* The scene but for its format. */
void judge_set_scene(struct judge *j, const uint8_t *sha256);
/* More of this code than are listed? */
bool judge_omitted(const struct judge *j, enum wlk_finding code);
bool judge_any_set_aside(const struct judge *j);
/* The classes of the findings that caused the value, worst first; empty when none did. */
json_t *judge_reasons(struct judge *j);

/* ---- judge_json.c: JSON that remembers a failure ---- */

void judge_put(struct judge *j, json_t *object, const char *key, json_t *value);
void judge_append(struct judge *j, json_t *array, json_t *value);
/* Findings, or those set aside, worst first, as many as fit into @room bytes. */
json_t *judge_findings(struct judge *j, bool set_aside, size_t room);
json_t *judge_policy(struct judge *j);
/* `effective`, behind "verdict"; and the exceptions that are about this digest. */
void judge_put_effective(struct judge *j, json_t *root);
void judge_put_exceptions(struct judge *j, json_t *root);

/* Parts of "scan", in the order of the schemas: who and when; jail, request and cause. */
void judge_put_engine(struct judge *j, json_t *scan);
void judge_put_time(struct judge *j, json_t *scan);
void judge_put_end(struct judge *j, json_t *scan);

/* Where the schemas have no strings: counts, which no file of WLK_LIMITS file-size brings so far. */
json_t *json_count(uint64_t n);
json_t *json_bytes(struct bytes b);  /* escaped, at most SHOWN_MAX */
json_t *json_name(const char *name); /* escaped whole; NULL: null */
json_t *json_value(const struct value *v);
size_t json_size(const json_t *json); /* as compact text */
