/* Facts meet rules: which action a finding gets.  First matching rule of the policy, then of its base, then
 * the severity.  Everything that could let a finding through by accident is refused in rule_applies(). */
#include <stdio.h>
#include <string.h>

#include "policy_impl.h"

static enum policy_action action_of_severity(enum finding_severity severity)
{
	switch (severity) {
	case SEVERITY_INFO:
	case SEVERITY_LOW: return ACTION_ACCEPT;
	case SEVERITY_MEDIUM: return ACTION_REVIEW;
	default: return ACTION_REJECT;
	}
}

static bool matches(const char *glob, const char *text)
{
	return glob == NULL || glob_match(glob, bytes_of_text(text));
}

/* What is the same for every occurrence of a code in one file. */
static bool rule_matches_code(const struct rule *r, enum wlk_finding code, const struct scene *s)
{
	const struct finding_info *info = finding_info(code);

	return matches(r->code, info->code) && matches(r->class, finding_class_text(info->class)) &&
	       matches(r->severity, finding_severity_text(info->severity)) && matches(r->format, s->format) &&
	       matches(r->path, s->path) && matches(r->tenant, s->tenant) &&
	       (r->sha256 == NULL || strcmp(r->sha256, s->sha256) == 0);
}

/* A number matches as its decimal digits. */
static bool matches_value(const char *glob, const struct value *v)
{
	char digits[32];

	if (glob == NULL)
		return true;
	if (v->kind != VALUE_NUMBER)
		return glob_match(glob, v->kind == VALUE_TEXT ? v->text : bytes_of_text(""));
	(void)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)v->number);
	return matches(glob, digits);
}

static bool rule_matches_occurrence(const struct rule *r, const struct finding *f)
{
	return (r->member == NULL || glob_match(r->member, f->member)) &&
	       (r->subject == NULL || glob_match(r->subject, f->subject)) && matches_value(r->found, &f->found) &&
	       matches_value(r->allowed, &f->allowed);
}

static bool rule_asks_occurrence(const struct rule *r)
{
	return r->member != NULL || r->subject != NULL || r->found != NULL || r->allowed != NULL;
}

static bool rule_expired(const struct rule *r, int64_t today)
{
	return r->expires != NULL && today > r->last_day;
}

static bool rule_names_code(const struct rule *r)
{
	return r->code != NULL && !glob_is_pattern(r->code);
}

bool rule_may_accept(const struct rule *r, enum finding_class class)
{
	switch (class) {
	case CLASS_INCOMPLETE: return false;             /* what was not examined cannot be found harmless */
	case CLASS_MALICIOUS: return rule_names_code(r); /* by name, never along with others */
	default: return true;
	}
}

/* May this rule, which matches, have its way?  If not it is passed over, as if it did not match. */
static bool rule_applies(
    const struct rule *r, enum wlk_finding code, enum policy_action base, const struct scene *s, bool omitted)
{
	if (rule_expired(r, s->today))
		return false;
	if (r->action < base && omitted)
		return false; /* nobody has seen all that it would let through */
	return r->action != ACTION_ACCEPT || rule_may_accept(r, finding_info(code)->class);
}

/* A built-in rule that asks only for what all occurrences share may lower a code with omitted ones. */
static enum policy_action base_action(
    const struct policy *p, const struct finding *f, const struct scene *s, bool omitted)
{
	enum policy_action by_severity = action_of_severity(finding_info(f->code)->severity);

	for (size_t i = 0; i < p->base->n_rules; i++) {
		const struct rule *r = &p->base->rules[i];

		if (!rule_matches_code(r, f->code, s) || !rule_matches_occurrence(r, f))
			continue;
		if (omitted && rule_asks_occurrence(r) && r->action < by_severity)
			continue;
		return r->action;
	}
	return by_severity;
}

/* What was not examined, or only as far as nobody may go by it, cannot be let through by an older opinion. */
bool policy_observes(const struct policy *p, enum wlk_finding code)
{
	if (p->pin_rules == 0 || finding_since(code) <= p->pin_rules || !finding_adds(code))
		return false;
	switch (finding_info(code)->class) {
	case CLASS_INCOMPLETE:
	case CLASS_UNSUPPORTED: return false;
	case CLASS_MALICIOUS: return p->pin_malicious;
	default: return true;
	}
}

/* @r: the rule that decided; NULL: none.  Whoever names a new code in full knows it: it is decided as he says. */
static struct judgement judgement_pinned(
    const struct policy *p, enum wlk_finding code, const struct rule *r, struct judgement j)
{
	if (j.action == ACTION_ACCEPT || (r != NULL && rule_names_code(r)) || !policy_observes(p, code))
		return j;
	return (struct judgement){ .action = ACTION_ACCEPT, .observed = j.action };
}

struct judgement judgement_worse(struct judgement a, struct judgement b)
{
	struct judgement worse = b.action > a.action ? b : a;

	worse.observed = a.observed > b.observed ? a.observed : b.observed;
	return worse;
}

struct judgement policy_judge(const struct policy *p, const struct finding *f, const struct scene *s, bool omitted)
{
	enum policy_action base = base_action(p, f, s, omitted);

	for (size_t i = 0; i < p->n_rules; i++) {
		const struct rule *r = &p->rules[i];

		if (!rule_matches_code(r, f->code, s) || !rule_matches_occurrence(r, f) ||
		    !rule_applies(r, f->code, base, s, omitted))
			continue;
		return judgement_pinned(p, f->code, r,
		    (struct judgement){ .action = r->action,
			.set_aside = r->action == ACTION_ACCEPT && base != ACTION_ACCEPT ? r : NULL });
	}
	return judgement_pinned(p, f->code, NULL, (struct judgement){ .action = base });
}

/* An occurrence that nobody lists may be the one a rule is about: the worst that any could say. */
struct judgement policy_judge_unlisted(const struct policy *p, enum wlk_finding code, const struct scene *s)
{
	const struct finding bare = { .code = code };
	enum policy_action base = base_action(p, &bare, s, true);
	struct judgement worst = judgement_pinned(p, code, NULL, (struct judgement){ .action = base });

	for (size_t i = 0; i < p->n_rules; i++) {
		const struct rule *r = &p->rules[i];

		struct judgement j = judgement_pinned(p, code, r, (struct judgement){ .action = r->action });

		if (rule_matches_code(r, code, s) && rule_applies(r, code, base, s, true))
			worst = judgement_worse(worst, j);
	}
	return worst;
}

/* A list of allowed formats is about models and about content nobody knows.  Side files and pointers hold no
 * model; their own findings decide, unless they are denied by name. */
bool policy_allows_format(const struct policy *p, enum wlk_format_id format)
{
	bool listed = format == WLK_FORMAT_UNKNOWN || format_info(format)->model;

	return !p->deny[format] && (!p->has_allow || !listed || p->allow[format]);
}
