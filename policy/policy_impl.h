/* What the files of this folder share: how a policy looks inside, and what its parts ask of each other. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "document.h"
#include "glob.h"
#include "hex.h"
#include "policy.h"
#include "verdict.h"

/* The globs of a rule, in the order they are documented and shown.  X(name). */
#define RULE_GLOBS(X) X(code) X(class) X(severity) X(format) X(path) X(member) X(subject) X(found) X(allowed) X(tenant)

/* One rule.  Globs and sha256 are NULL where the rule does not ask; a rule that asks nothing matches
 * everything. */
struct rule {
#define X(name) const char *name;
	RULE_GLOBS(X)
#undef X
	const char *sha256; /* lower-case hex of the file */
	enum policy_action action;
	const char *reason, *owner;
	const char *expires; /* YYYY-MM-DD, the last day on which the rule applies; NULL: no end */
	int64_t last_day;    /* the same, in days since 1970-01-01 */
	unsigned line;       /* where it stands in its file, from 1 */
	bool of_baseline;
};

/* A policy that needs no file.  What its rules do not decide, the severity does. */
struct builtin {
	const char *name;
	const struct rule *rules;
	size_t n_rules;
	/* Names of model formats, ended by NULL; NULL: all. */
	const char *const *formats;
};

const struct builtin *builtin_by_name(const char *name); /* NULL for an unknown one */

struct policy {
	struct arena arena; /* owns all that follows */
	const struct builtin *base;
	const char *name;
	struct rule *rules;
	size_t n_rules;
	struct limits limits;
	int baseline_severity;       /* the worst that a baseline may set aside; -1: nothing */
	const char *baseline_origin; /* NULL: none was added */
	unsigned pin_rules;          /* codes newer than this rules version observe; 0: the policy is not pinned */
	bool pin_malicious;          /* also those of class malicious */
	bool has_allow;
	bool allow[WLK_N_FORMATS], deny[WLK_N_FORMATS];
	const char **pickle_names;                 /* sorted, each once; room for POLICY_PICKLE_NAMES_MAX */
	size_t n_pickle_names, pickle_names_bytes; /* a line end each included */
	struct bytes pickle_lines;                 /* the same as pickle_names.h wants them; made by policy_seal() */
	const struct exceptions *exceptions;       /* borrowed, and no part of the policy; NULL: none are asked */
	const char *shown;
	char sha256[SHA256_HEX + 1];
	/* What of the policy a report depends on; "": as without a policy. */
	char limits_sha256[SHA256_HEX + 1], names_sha256[SHA256_HEX + 1];
};

#define POLICY_BYTES_MAX ((size_t)32 << 20) /* memory of one policy: 1 MiB of text makes far less */
#define POLICY_PICKLE_NAMES_MAX 4096        /* of packs and lists together */

/* A policy equal to its base, to be filled in; ended by policy_seal().  NULL without memory. */
struct policy *policy_new(const struct builtin *base);
/* Forget the base and take another, before anything else is filled in. */
void policy_set_base(struct policy *p, const struct builtin *base);
/* Write the canonical text and its digest; afterwards the policy does not change.  False without memory. */
bool policy_seal(struct policy *p);
/* Does the policy say nothing that its base does not say? */
bool policy_is_base(const struct policy *p);
/* Read a whole file of at most @n_max bytes, which @buf has room for.  Return: 0 or negative errno with error filled. */
int policy_read_file(const char *path, const char *what, uint8_t *buf, size_t n_max, size_t *ret_n, char *error);

#define PIN_RULES_OLDEST 5u /* codes.txt says of every code since which of them add */
#define BASELINE_SEVERITY_DEFAULT SEVERITY_MEDIUM
/* A copy of a text in the policy's memory; NULL without. */
const char *policy_text(struct policy *p, const char *text);

/* ---- packs.c: names a pickle may import ---- */

struct pack_name {
	const char *line; /* name and grant */
	unsigned since;   /* the pack's version */
};

/* Names that belong together, built in: what the pickles of one library import. */
struct pickle_pack {
	const char *name;
	const struct pack_name *names; /* ended by one without a line */
	unsigned version;
	const char *remedy; /* "by the pack NAME" */
};

/* NAME, or NAME@VERSION for what it was then.  Return: NULL for an unknown one. */
const struct pickle_pack *pack_by_name(const char *name, unsigned *ret_version);
extern const char packs_known[]; /* for messages */
/* "by the pack NAME" of the first that grants the name anything; NULL: none does. */
const char *pack_of_name(struct bytes name);

enum name_added { NAME_ADDED, NAME_THERE, NAME_NO_ROOM };
/* Keeps the names sorted.  @name: borrowed. */
enum name_added policy_add_pickle_name(struct policy *p, const char *name);
/* Make p->pickle_lines.  False without memory. */
bool policy_seal_pickle_names(struct policy *p);

/* ---- rules.c: facts meet rules ---- */

/* What rules may ask about, besides the finding. */
struct scene {
	const char *path, *tenant, *format; /* never NULL */
	char sha256[SHA256_HEX + 1];        /* empty without a digest */
	int64_t today;                      /* days since 1970-01-01, UTC */
};

struct judgement {
	enum policy_action action;
	const struct rule *set_aside; /* the policy's own rule that accepted what its base does not; else NULL */
	enum policy_action observed;  /* what the action would be, were the policy not pinned; ACCEPT: the same */
};

/**
 * policy_judge() - what the policy makes of one finding
 * @omitted: the code occurred more often than the report lists.  Then nothing lowers the action, for the
 * rule's author cannot have seen what it would let through.
 */
struct judgement policy_judge(const struct policy *p, const struct finding *f, const struct scene *s, bool omitted);
/* The worst that a rule could make of an occurrence of this code that the report does not list. */
struct judgement policy_judge_unlisted(const struct policy *p, enum wlk_finding code, const struct scene *s);
struct judgement judgement_worse(struct judgement a, struct judgement b);
/* Is the code newer than what the policy is pinned to, and may it be looked at only? */
bool policy_observes(const struct policy *p, enum wlk_finding code);
/* May a rule that accepts, and matches, accept a finding of this class? */
bool rule_may_accept(const struct rule *r, enum finding_class class);
/* May this policy see the format at all?  Unknown content only where nothing was said about formats. */
bool policy_allows_format(const struct policy *p, enum wlk_format_id format);

/* ---- days.c ---- */

/* "YYYY-MM-DD", a day that exists, from 1970 on; *ret in days since 1970-01-01. */
bool day_parse(const char *text, int64_t *ret);
/* Days since 1970-01-01 of a time in Unix seconds, UTC. */
int64_t day_of_time(int64_t unix_s);
