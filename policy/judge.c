/* Facts meet a policy.  In order: every finding gets its action (rules.c); the findings are sorted, what decides first;
 * the value follows from the worst action and from whether the scan is whole. */
#include "judgement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "exceptions.h"
#include "mismatch.h"
#include "part.h"
#include "policy_impl.h"

/* ---- the scene ---- */

static const char *or_empty(const char *text)
{
	return text != NULL ? text : "";
}

void judge_set_scene(struct judge *j, const uint8_t *sha256)
{
	const struct verdict_context *c = j->context;

	j->scene.path = or_empty(c->path != NULL ? c->path : c->name);
	j->scene.tenant = or_empty(c->tenant);
	j->scene.today = day_of_time(c->started_at);
	if (sha256 != NULL)
		hex_write(sha256, 32, j->scene.sha256);
}

/* ---- findings to items ---- */

bool judge_omitted(const struct judge *j, enum wlk_finding code)
{
	return j->facts->per_code[code] > j->listed[code];
}

/* A name that a pack has: what would lift it is said where others look for what is allowed.  Rules have not seen it. */
static void propose_pack(struct finding *f)
{
	const char *remedy =
	    f->code == WLK_F_PICKLE_GLOBAL_UNKNOWN && f->allowed.kind == VALUE_NONE ? pack_of_name(f->subject) : NULL;

	if (remedy != NULL)
		f->allowed = value_text(bytes_of_text(remedy));
}

static struct item *add_item(struct judge *j, const struct finding *f)
{
	struct item *item = &j->items[j->n_items];

	*item = (struct item){ .finding = *f,
		.judgement = policy_judge(j->policy, f, &j->scene, judge_omitted(j, f->code)),
		.order = j->n_items };
	propose_pack(&item->finding);
	j->n_items++;
	return item;
}

static struct item *last_of_code(struct judge *j, enum wlk_finding code)
{
	struct item *last = NULL;

	for (size_t i = 0; i < j->n_items; i++)
		if (j->items[i].finding.code == code)
			last = &j->items[i];
	return last;
}

/* The last one listed stands for those that were only counted; when none was listed, one without details. */
static void add_unlisted(struct judge *j, enum wlk_finding code)
{
	const struct finding bare = { .code = code };
	struct item *item = last_of_code(j, code);

	if (item == NULL)
		item = add_item(j, &bare);
	item->judgement = judgement_worse(item->judgement, policy_judge_unlisted(j->policy, code, &j->scene));
}

/* Content nobody recognised is refused only when somebody looked: a scan that died before has none. */
static bool format_refused(const struct judge *j)
{
	enum wlk_format_id format = j->facts->final.format;

	if (j->of_set)
		return false;
	if (format == WLK_FORMAT_UNKNOWN && j->facts->per_code[WLK_F_FORMAT_UNKNOWN] == 0)
		return false;
	return !policy_allows_format(j->policy, format);
}

static void add_format_refused(struct judge *j)
{
	const struct finding f = {
		.code = WLK_F_FORMAT_NOT_ALLOWED,
		.found = value_text(bytes_of_text(format_info(j->facts->final.format)->name)),
	};

	(void)add_item(j, &f);
}

/* Without an offset first: such a finding is about the whole file. */
static uint64_t sort_offset(const struct finding *f)
{
	return f->has_offset ? offset_bare(f->offset) : 0;
}

/* What decides comes first, then what is worse, then what comes first in the file, then as reported. */
static int compare_items(const void *va, const void *vb)
{
	const struct item *a = va, *b = vb;
	enum finding_severity severity_a = finding_info(a->finding.code)->severity;
	enum finding_severity severity_b = finding_info(b->finding.code)->severity;

	if (a->judgement.action != b->judgement.action)
		return a->judgement.action > b->judgement.action ? -1 : 1;
	if (severity_a != severity_b)
		return severity_a > severity_b ? -1 : 1;
	if (sort_offset(&a->finding) != sort_offset(&b->finding))
		return sort_offset(&a->finding) < sort_offset(&b->finding) ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

/* Sets have no name of their own. */
static void add_mismatch(struct judge *j)
{
	struct finding f;

	if (!j->of_set && mismatch_find(j->facts, j->context->name, &f))
		(void)add_item(j, &f);
}

static bool make_items(struct judge *j)
{
	const struct facts *f = j->facts;

	/* One more for each code that has none listed, one for the format, one for the name. */
	j->items = calloc(f->n_findings + WLK_N_FINDINGS + 2, sizeof(*j->items));
	if (j->items == NULL)
		return false;
	for (size_t i = 0; i < f->n_findings; i++)
		j->listed[f->findings[i].code]++;
	for (size_t i = 0; i < f->n_findings; i++)
		(void)add_item(j, &f->findings[i]);
	for (unsigned code = 0; code < WLK_N_FINDINGS; code++)
		if (judge_omitted(j, (enum wlk_finding)code))
			add_unlisted(j, (enum wlk_finding)code);
	if (format_refused(j))
		add_format_refused(j);
	add_mismatch(j);
	qsort(j->items, j->n_items, sizeof(*j->items), compare_items);
	return true;
}

/* ---- the value ---- */

/* Facts that contradict themselves are a worker that did not keep to its protocol; facts_finish() says so
 * first. */
static void set_completeness(struct judge *j)
{
	const struct report_final *final = &j->facts->final;

	j->cause = final->cause;
	if (j->cause == WLK_CAUSE_NONE && (!j->facts->has_final || (final->complete && !final->has_digest)))
		j->cause = WLK_CAUSE_WORKER_PROTOCOL;
	j->complete = final->complete && j->cause == WLK_CAUSE_NONE;
}

/* A broken or unknown file cannot be examined whole, and its findings say why.  Remarks do not. */
static bool incompleteness_explained(const struct judge *j)
{
	for (size_t i = 0; i < j->n_items; i++)
		if (finding_info(j->items[i].finding.code)->severity >= SEVERITY_MEDIUM)
			return true;
	return false;
}

static enum policy_action worst_action(const struct judge *j)
{
	return j->n_items > 0 ? j->items[0].judgement.action : ACTION_ACCEPT; /* sorted */
}

/* reject > error > review > accept */
static void set_value(struct judge *j)
{
	enum policy_action worst = worst_action(j);

	if (j->cause == WLK_CAUSE_NONE && !j->complete && !incompleteness_explained(j))
		j->cause = WLK_CAUSE_WORKER_PROTOCOL;
	if (worst == ACTION_REJECT)
		j->value = VERDICT_REJECT;
	else if (j->cause != WLK_CAUSE_NONE)
		j->value = VERDICT_ERROR;
	else if (worst == ACTION_REVIEW || !j->complete)
		j->value = VERDICT_REVIEW;
	else
		j->value = VERDICT_ACCEPT;
}

static void mark_excepted(struct judge *j)
{
	const struct scene *s = &j->scene;

	for (size_t i = 0; i < j->n_items; i++)
		j->items[i].excepted =
		    j->items[i].judgement.action != ACTION_ACCEPT &&
		    exceptions_cover(j->policy->exceptions, j->items[i].finding.code, s->sha256, s->tenant, s->today);
}

/* What the findings that nobody has excepted make of it.  Only of what was examined whole: nobody can have looked at the rest. */
static void set_effective(struct judge *j)
{
	enum policy_action worst = ACTION_ACCEPT;

	j->effective = j->value;
	if (j->policy->exceptions == NULL || !j->complete || j->scene.sha256[0] == '\0')
		return;
	mark_excepted(j);
	for (size_t i = 0; i < j->n_items; i++)
		if (!j->items[i].excepted && j->items[i].judgement.action > worst)
			worst = j->items[i].judgement.action;
	j->effective = worst == ACTION_REJECT   ? VERDICT_REJECT
		       : worst == ACTION_REVIEW ? VERDICT_REVIEW
						: VERDICT_ACCEPT;
}

/* Rank of each class among what caused the verdict: 0 none, else 1 + its worst severity. */
static void rank_classes(const struct judge *j, unsigned rank[N_FINDING_CLASSES])
{
	bool caused = j->value == VERDICT_REJECT || j->value == VERDICT_REVIEW;

	memset(rank, 0, N_FINDING_CLASSES * sizeof(*rank));
	for (size_t i = 0; caused && i < j->n_items; i++) {
		const struct finding_info *info = finding_info(j->items[i].finding.code);

		if (j->items[i].judgement.action != worst_action(j) || j->items[i].judgement.action == ACTION_ACCEPT)
			continue;
		if (rank[info->class] < 1 + (unsigned)info->severity)
			rank[info->class] = 1 + (unsigned)info->severity;
	}
}

/* Worst first, then in the order of enum finding_class. */
json_t *judge_reasons(struct judge *j)
{
	unsigned rank[N_FINDING_CLASSES];
	json_t *list = json_array();

	rank_classes(j, rank);
	for (unsigned level = N_FINDING_SEVERITIES; level > 0; level--)
		for (unsigned class = 0; class < N_FINDING_CLASSES; class ++)
			if (rank[class] == level)
				judge_append(j, list, json_string(finding_class_text((enum finding_class) class)));
	return list;
}

/* ---- the whole ---- */

bool judge_any_set_aside(const struct judge *j)
{
	for (size_t i = 0; i < j->n_items; i++)
		if (j->items[i].judgement.set_aside != NULL)
			return true;
	return false;
}

bool judge_run(struct judge *j)
{
	if (!make_items(j))
		return false;
	set_completeness(j);
	set_value(j);
	set_effective(j);
	return true;
}

static void judge_done(struct judge *j)
{
	for (size_t i = 0; i < j->n_items; i++)
		json_decref(j->items[i].json);
	free(j->items);
}

int judge_end(struct judge *j, json_t *json, struct verdict *ret)
{
	judge_done(j);
	if (j->failed || json == NULL) {
		json_decref(json);
		return -ENOMEM;
	}
	*ret = (struct verdict){ .value = j->value, .effective = j->effective, .json = json };
	return 0;
}
