/* Reading the tree of document.h by tables of keys, so that a misspelt key is an error with its line and never a rule that
 * silently does nothing.  Shared by what reads policies, rules and baselines. */
#pragma once

#include "policy_impl.h"

struct reader {
	struct policy *p;
	const char *origin;
	char *error;
};

/* One key of a map: who reads its value into what. */
struct key {
	const char *name;
	bool (*read)(struct reader *r, const struct node *value, void *target);
	size_t at; /* offset in target, for readers that store one field */
};

/* Writes the message; false, for `return reader_fail(...)`. */
bool reader_fail(struct reader *r, const struct node *at, const char *what, const char *found, const char *allowed);
bool reader_no_memory(struct reader *r, const struct node *at);
bool reader_kind(struct reader *r, const struct node *n, enum node_kind kind, const char *what);
/* Is it text with something in it? */
bool reader_text(struct reader *r, const struct node *n);
bool reader_map(struct reader *r, const struct node *map, const struct key *keys, size_t n_keys, void *target);
/* `version:` of a policy or baseline: 1. */
bool reader_version(struct reader *r, const struct node *n, void *target);
/* NULL: there is none. */
const struct node *node_member(const struct node *map, const char *key);
size_t node_count(const struct node *n);

/* The names of all formats, cut to fit. */
const char *reader_formats(char *buf, size_t n);

/* ---- parse_rules.c ---- */

/* The list `rules:` of a policy; into r->p. */
bool reader_rules(struct reader *r, const struct node *list, void *target);
/* The list `findings:` of a baseline; into r->p, before the rules that are there. */
bool reader_findings(struct reader *r, const struct node *list, void *target);
/* `baseline:` of a policy: the worst severity that a baseline may set aside. */
bool reader_baseline_severity(struct reader *r, const struct node *n, void *target);
