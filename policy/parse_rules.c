/* Rules of a policy, and the entries of a baseline, which are rules that can do less. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "reader.h"

/* Text is borrowed from the tree: both live in the policy's arena. */
static void store_text(void *target, const struct node *n)
{
	*(const char **)target = n->text;
}

static bool read_glob(struct reader *r, const struct node *n, void *target)
{
	if (!reader_text(r, n))
		return false;
	store_text(target, n);
	return true;
}

/* A glob over a closed set of words: without a wildcard it must be one of them, or it is a typing error. */
static bool read_word(
    struct reader *r, const struct node *n, void *target, bool known, const char *what, const char *allowed)
{
	if (!known && !glob_is_pattern(n->text))
		return reader_fail(r, n, what, n->text, allowed);
	return read_glob(r, n, target);
}

static bool read_code(struct reader *r, const struct node *n, void *target)
{
	enum wlk_finding code;

	return reader_text(r, n) && read_word(r, n, target, finding_by_code(n->text, &code), "unknown code",
					"a code of `weighlock rules`, or a glob");
}

static bool read_class(struct reader *r, const struct node *n, void *target)
{
	bool known = false;

	if (!reader_text(r, n))
		return false;
	for (unsigned i = 0; !known && i < N_FINDING_CLASSES; i++)
		known = strcmp(n->text, finding_class_text((enum finding_class)i)) == 0;
	return read_word(r, n, target, known, "unknown class",
	    "malicious, malformed, ambiguous, code, unsupported, quality, incomplete, or a glob");
}

static bool read_severity(struct reader *r, const struct node *n, void *target)
{
	bool known = false;

	if (!reader_text(r, n))
		return false;
	for (unsigned i = 0; !known && i < N_FINDING_SEVERITIES; i++)
		known = strcmp(n->text, finding_severity_text((enum finding_severity)i)) == 0;
	return read_word(r, n, target, known, "unknown severity", "info, low, medium, high, critical, or a glob");
}

static bool read_format(struct reader *r, const struct node *n, void *target)
{
	char allowed[300];
	enum wlk_format_id id;

	return reader_text(r, n) && read_word(r, n, target, format_by_name(n->text, &id), "unknown format",
					reader_formats(allowed, sizeof(allowed)));
}

static bool read_sha256(struct reader *r, const struct node *n, void *target)
{
	if (!reader_text(r, n))
		return false;
	if (!is_sha256_hex(n->text))
		return reader_fail(r, n, "not a SHA-256", n->text, "64 lower-case hexadecimal digits");
	store_text(target, n);
	return true;
}

static bool read_action(struct reader *r, const struct node *n, void *target)
{
	enum policy_action *action = target;

	if (!reader_text(r, n))
		return false;
	for (unsigned i = ACTION_ACCEPT; i <= ACTION_REJECT; i++) {
		if (strcmp(n->text, policy_action_text((enum policy_action)i)) != 0)
			continue;
		*action = (enum policy_action)i;
		return true;
	}
	return reader_fail(r, n, "unknown action", n->text, "accept, review, reject");
}

static bool read_expires(struct reader *r, const struct node *n, void *target)
{
	struct rule *rule = target;

	if (!reader_text(r, n))
		return false;
	if (!day_parse(n->text, &rule->last_day))
		return reader_fail(r, n, "not a day", n->text, "YYYY-MM-DD, the last day on which the rule applies");
	rule->expires = n->text;
	return true;
}

static const struct key rule_keys[] = {
	{ "code", read_code, offsetof(struct rule, code) },
	{ "class", read_class, offsetof(struct rule, class) },
	{ "severity", read_severity, offsetof(struct rule, severity) },
	{ "format", read_format, offsetof(struct rule, format) },
	{ "path", read_glob, offsetof(struct rule, path) },
	{ "member", read_glob, offsetof(struct rule, member) },
	{ "subject", read_glob, offsetof(struct rule, subject) },
	{ "found", read_glob, offsetof(struct rule, found) },
	{ "allowed", read_glob, offsetof(struct rule, allowed) },
	{ "tenant", read_glob, offsetof(struct rule, tenant) },
	{ "sha256", read_sha256, offsetof(struct rule, sha256) },
	{ "action", read_action, offsetof(struct rule, action) },
	{ "reason", read_glob, offsetof(struct rule, reason) },
	{ "owner", read_glob, offsetof(struct rule, owner) },
	{ "expires", read_expires, 0 },
};

/* A rule that could never do what it says is refused, so that nobody relies on it. */
static bool check_rule(struct reader *r, const struct node *n, const struct rule *rule)
{
	enum wlk_finding code;

	if (node_member(n, "action") == NULL)
		return reader_fail(r, n, "a rule without action", NULL, "action: accept, review or reject");
	if (rule->reason == NULL)
		return reader_fail(r, n, "a rule without reason", NULL, "reason: why this rule exists");
	if (rule->action != ACTION_ACCEPT)
		return true;
	if (rule->expires == NULL)
		return reader_fail(r, n, "a rule that accepts and does not expire", NULL, "expires: YYYY-MM-DD");
	if ((rule->class != NULL && strcmp(rule->class, "incomplete") == 0) ||
	    (rule->code != NULL && finding_by_code(rule->code, &code) && finding_info(code)->class == CLASS_INCOMPLETE))
		return reader_fail(
		    r, n, "findings of class incomplete cannot be accepted", NULL, "action: review or reject");
	if (rule->class != NULL && strcmp(rule->class, "malicious") == 0 &&
	    (rule->code == NULL || glob_is_pattern(rule->code)))
		return reader_fail(
		    r, n, "findings of class malicious are accepted by code only", NULL, "a code without wildcards");
	return true;
}

static bool read_rule(struct reader *r, const struct node *n, struct rule *rule)
{
	rule->line = n->line;
	return reader_kind(r, n, NODE_MAP, "a rule is not a map") &&
	       reader_map(r, n, rule_keys, sizeof(rule_keys) / sizeof(rule_keys[0]), rule) && check_rule(r, n, rule);
}

bool reader_rules(struct reader *r, const struct node *list, void *target)
{
	size_t n_rules;

	(void)target;
	if (!reader_kind(r, list, NODE_LIST, "rules is not a list"))
		return false;
	n_rules = node_count(list);
	if (n_rules > POLICY_RULES_MAX)
		return reader_fail(r, list, "too many rules", NULL, "4096");
	r->p->rules = arena_alloc(&r->p->arena, n_rules, sizeof(*r->p->rules));
	if (r->p->rules == NULL)
		return reader_no_memory(r, list);
	for (const struct node *n = list->child; n != NULL; n = n->next)
		if (!read_rule(r, n, &r->p->rules[r->p->n_rules++]))
			return false;
	return true;
}

/* ---- baselines ---- */

bool reader_baseline_severity(struct reader *r, const struct node *n, void *target)
{
	(void)target;
	if (!reader_text(r, n))
		return false;
	for (int i = -1; i < (int)N_FINDING_SEVERITIES; i++) {
		if (strcmp(n->text, i < 0 ? "none" : finding_severity_text((enum finding_severity)i)) != 0)
			continue;
		r->p->baseline_severity = i;
		return true;
	}
	return reader_fail(r, n, "unknown severity", n->text, "none, info, low, medium, high, critical");
}

/* An entry is about one finding that somebody has seen: its code in full, where it is, and until when. */
static const struct key entry_keys[] = {
	{ "code", read_code, offsetof(struct rule, code) },
	{ "sha256", read_sha256, offsetof(struct rule, sha256) },
	{ "path", read_glob, offsetof(struct rule, path) },
	{ "member", read_glob, offsetof(struct rule, member) },
	{ "subject", read_glob, offsetof(struct rule, subject) },
	{ "reason", read_glob, offsetof(struct rule, reason) },
	{ "owner", read_glob, offsetof(struct rule, owner) },
	{ "expires", read_expires, 0 },
};

/* What the policy keeps to itself: the code says how bad it is, so it can be told before anything is scanned. */
static bool check_severity(struct reader *r, const struct node *n, const struct finding_info *info)
{
	char what[160];

	if ((int)info->severity <= r->p->baseline_severity)
		return true;
	(void)snprintf(what, sizeof(what), "%s is %s, which the policy keeps from baselines", info->code,
	    finding_severity_text(info->severity));
	return reader_fail(r, n, what, NULL,
	    r->p->baseline_severity < 0 ? "no baseline"
					: finding_severity_text((enum finding_severity)r->p->baseline_severity));
}

static bool check_entry(struct reader *r, const struct node *n, const struct rule *rule)
{
	enum wlk_finding code;

	if (rule->code == NULL || !finding_by_code(rule->code, &code))
		return reader_fail(
		    r, n, "an entry without code", rule->code, "code: one of `weighlock rules`, in full");
	if (rule->sha256 == NULL && rule->path == NULL)
		return reader_fail(r, n, "an entry for every file", NULL, "sha256: or path:");
	if (rule->reason == NULL || rule->owner == NULL || rule->expires == NULL)
		return reader_fail(r, n, "an entry needs a reason, an owner and an end", NULL,
		    "reason: why, owner: who, expires: YYYY-MM-DD");
	if (finding_info(code)->class == CLASS_INCOMPLETE)
		return reader_fail(r, n, "what was not examined cannot be set aside", rule->code, NULL);
	return check_severity(r, n, finding_info(code));
}

static bool read_entry(struct reader *r, const struct node *n, struct rule *rule)
{
	rule->line = n->line;
	rule->of_baseline = true;
	rule->action = ACTION_ACCEPT;
	return reader_kind(r, n, NODE_MAP, "an entry is not a map") &&
	       reader_map(r, n, entry_keys, sizeof(entry_keys) / sizeof(entry_keys[0]), rule) &&
	       check_entry(r, n, rule);
}

/* The first rule that matches decides: entries are about less than the policy's rules, so they stand before them. */
bool reader_findings(struct reader *r, const struct node *list, void *target)
{
	struct policy *p = r->p;
	struct rule *rules;
	size_t n;

	(void)target;
	if (!reader_kind(r, list, NODE_LIST, "findings is not a list"))
		return false;
	n = node_count(list);
	if (n > POLICY_RULES_MAX)
		return reader_fail(r, list, "too many entries", NULL, "4096");
	rules = arena_alloc(&p->arena, n + p->n_rules, sizeof(*rules));
	if (rules == NULL)
		return reader_no_memory(r, list);
	if (p->n_rules > 0)
		memcpy(rules + n, p->rules, p->n_rules * sizeof(*rules));
	p->rules = rules;
	p->n_rules += n;
	for (const struct node *one = list->child; one != NULL; one = one->next)
		if (!read_entry(r, one, rules++))
			return false;
	return true;
}
