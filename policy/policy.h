/* Policies: opinions on facts.  A policy is built in (default, ci, reference, strict) or a YAML file of ordered
 * rules, limits and allowed formats; see weighlock.policy(5).  Policy files are read only when the operator names
 * them, never found under a scanned path. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "facts.h"
#include "scan_limits.h"

#define POLICY_FILE_MAX ((size_t)1 << 20) /* bytes of a policy file */
#define POLICY_RULES_MAX 4096
#define POLICY_ERROR_MAX 512
#define POLICY_NAME_MAX 64 /* bytes */

/* In order of severity. */
enum policy_action { ACTION_ACCEPT, ACTION_REVIEW, ACTION_REJECT };

const char *policy_action_text(enum policy_action a);

struct policy; /* immutable once loaded; may be shared by threads */

/* Names of the built-in policies, ended by NULL. */
extern const char *const policy_builtin_names[];
/* One table for people: what each of them does with NaN, Inf, masks, unknown formats, code ...; ends in a newline. */
extern const char policy_builtin_help[];

/**
 * policy_by_name() - a built-in policy
 * Return: 0; -ENOENT for an unknown name; -ENOMEM.
 */
int policy_by_name(const char *name, struct policy **ret);

/**
 * policy_parse() - a policy from YAML text
 * @origin: file name for messages and, without extension and folder, the policy's name
 * @error: POLICY_ERROR_MAX bytes; on failure "ORIGIN:LINE: what, found, allowed"
 * Return: 0; -EINVAL (see error); -ENOMEM.
 */
int policy_parse(const uint8_t *at, size_t n, const char *origin, struct policy **ret, char *error);

/* Open, read and parse; as above, and any errno of open(2) and read(2), with error filled. */
int policy_load(const char *path, struct policy **ret, char *error);

/**
 * policy_add_baseline() - set aside, for a time, findings that somebody has looked at (weighlock.policy(5))
 * Only before the policy is used for the first time.  Its digest changes, and its name gets ".baseline" behind it.
 * Return: 0; -EINVAL (see error: POLICY_ERROR_MAX bytes, also for a severity that the policy keeps baselines from); -ENOMEM;
 * any errno of open(2) and read(2).  After an error the policy is only good for policy_free().
 */
int policy_add_baseline(struct policy *p, const char *path, char *error);
/* May one of its baselines set this finding aside?  For what the code alone says. */
bool policy_takes_baseline(const struct policy *p, const char *code);
/* Entries that have expired, or will within 14 days: lines ending in a newline, or ""; malloc()ed; NULL without memory.
 * @now: Unix seconds. */
char *policy_baseline_warnings(const struct policy *p, int64_t now);

/* Names of the built-in packs (weighlock.policy(5)), ended by NULL. */
extern const char *const policy_pack_names[];
/**
 * policy_add_pack() - names that pickles may import besides: those of a built-in pack
 * Only before the policy is used for the first time.  Its digest changes, and its name gets the pack's behind it.
 * @name: NAME, or NAME@VERSION for the names that it had then
 * Return: 0; -ENOENT: there is no such pack, or version of it; -E2BIG: more names than a policy holds; -ENOMEM.  After an error the policy is only
 * good for policy_free().
 */
int policy_add_pack(struct policy *p, const char *name);

void policy_free(struct policy *p);

const char *policy_name(const struct policy *p);
/* Lower-case hex of the effective policy: built-in base, rules, limits, formats.  64 characters and NUL. */
const char *policy_sha256(const struct policy *p);
const struct limits *policy_limits(const struct policy *p);
/* Names that pickles may import beyond those built in, as lib/core/pickle_names.h has them; the policy's memory. */
struct bytes policy_pickle_names(const struct policy *p);
/* The effective policy as a YAML text that policy_parse() reads back to the same digest.  malloc()ed; NULL without
 * memory. */
char *policy_show(const struct policy *p);
/* What `weighlock policy check` should tell besides "it parses": rules that have expired or can never accept.
 * @now: Unix seconds.  Return: lines ending in a newline, or ""; malloc()ed; NULL without memory. */
char *policy_warnings(const struct policy *p, int64_t now);
