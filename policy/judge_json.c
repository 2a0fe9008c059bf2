/* What was judged, as JSON: findings within their room, and the members that every verdict has. */
#include "judgement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "checked.h"
#include "exceptions.h"
#include "part.h"

#define MESSAGE_MAX 300 /* bytes: the schema's maxLength */
#define EXCEPTIONS_SHOWN 16u
#define COUNT_BYTES 40 /* a "count" member added later */

/* ---- JSON that remembers a failure ---- */

void judge_put(struct judge *j, json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value) < 0)
		j->failed = true;
}

void judge_append(struct judge *j, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) < 0)
		j->failed = true;
}

json_t *json_from_number(uint64_t n)
{
	char text[32];

	if (n <= JSON_EXACT_MAX)
		return json_integer((json_int_t)n);
	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
	return json_string(text);
}

bool json_to_number(const json_t *value, uint64_t *ret)
{
	const char *text = json_string_value(value);
	char *end;

	if (json_is_integer(value) && json_integer_value(value) >= 0) {
		*ret = (uint64_t)json_integer_value(value);
		return true;
	}
	if (text == NULL || text[0] < '0' || text[0] > '9')
		return false;
	*ret = strtoull(text, &end, 10);
	return *end == '\0';
}

char *json_text(const json_t *json, size_t flags)
{
	size_t n = json != NULL ? json_dumpb(json, NULL, 0, flags) : 0;
	char *text = n > 0 ? malloc(n + 1) : NULL;

	if (text == NULL)
		return NULL;
	if (json_dumpb(json, text, n, flags) != n) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	return text;
}

json_t *json_count(uint64_t n)
{
	return json_integer((json_int_t)min_u64(n, JSON_EXACT_MAX));
}

json_t *json_bytes(struct bytes b)
{
	char shown[SHOWN_MAX + 1];

	return json_string(text_escape(b, shown, sizeof(shown)));
}

json_t *json_name(const char *name)
{
	char shown[NAME_SHOWN_MAX + 1];

	return name == NULL ? json_null() : json_string(text_escape(bytes_of_text(name), shown, sizeof(shown)));
}

json_t *json_value(const struct value *v)
{
	if (v->kind == VALUE_FLAG)
		return json_boolean(v->number != 0);
	return v->kind == VALUE_NUMBER ? json_from_number(v->number) : json_bytes(v->text);
}

size_t json_size(const json_t *json)
{
	return json_dumpb(json, NULL, 0, JSON_COMPACT);
}

/* ---- findings ---- */

/* The template and the numbers; never a byte from the file. */
static json_t *message_json(const struct finding *f)
{
	char text[MESSAGE_MAX + 1];
	size_t at = 0;

	at += (size_t)snprintf(text, sizeof(text), "%.200s", finding_info(f->code)->title);
	if (f->found.kind == VALUE_NUMBER)
		at +=
		    (size_t)snprintf(text + at, sizeof(text) - at, ": found %llu", (unsigned long long)f->found.number);
	if (f->allowed.kind == VALUE_NUMBER)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s allowed %llu",
		    f->found.kind == VALUE_NUMBER ? "," : ":", (unsigned long long)f->allowed.number);
	if (f->has_offset)
		(void)snprintf(text + at, sizeof(text) - at, " (at byte %llu%s)",
		    (unsigned long long)offset_bare(f->offset),
		    offset_is_decoded(f->offset) ? " of what the member holds" : "");
	return json_string(text);
}

static json_t *finding_json(struct judge *j, const struct item *item)
{
	const struct finding *f = &item->finding;
	const struct finding_info *info = finding_info(f->code);
	json_t *o = json_object();

	judge_put(j, o, "code", json_string(info->code));
	judge_put(j, o, "class", json_string(finding_class_text(info->class)));
	judge_put(j, o, "severity", json_string(finding_severity_text(info->severity)));
	judge_put(j, o, "action", json_string(policy_action_text(item->judgement.action)));
	judge_put(j, o, "message", message_json(f));
	if (f->has_offset)
		judge_put(j, o, offset_is_decoded(f->offset) ? "member_offset" : "offset",
		    json_from_number(offset_bare(f->offset)));
	if (f->has_length)
		judge_put(j, o, "length", json_from_number(f->length));
	if (f->member.n > 0)
		judge_put(j, o, "member", json_bytes(f->member));
	if (f->subject.n > 0)
		judge_put(j, o, "subject", json_bytes(f->subject));
	if (f->found.kind != VALUE_NONE)
		judge_put(j, o, "found", json_value(&f->found));
	if (f->allowed.kind != VALUE_NONE)
		judge_put(j, o, "allowed", json_value(&f->allowed));
	if (item->judgement.observed > item->judgement.action)
		judge_put(j, o, "observed", json_string(policy_action_text(item->judgement.observed)));
	if (item->excepted)
		judge_put(j, o, "excepted", json_true());
	if (item->judgement.set_aside != NULL) {
		judge_put(j, o, "reason", json_string(item->judgement.set_aside->reason));
		if (item->judgement.set_aside->owner != NULL)
			judge_put(j, o, "owner", json_string(item->judgement.set_aside->owner));
		judge_put(j, o, "expires", json_string(item->judgement.set_aside->expires));
	}
	return o;
}

/* Write one item if it fits; false when the room is spent. */
static bool fit_item(struct judge *j, struct item *item, size_t *room)
{
	json_t *json = finding_json(j, item);
	size_t size = json_size(json) + COUNT_BYTES;

	if (size > *room) {
		json_decref(json);
		return false;
	}
	*room -= size;
	item->json = json;
	return true;
}

/* First one of every code, so that no code disappears, then as many as fit, worst first. */
static void fit_items(struct judge *j, bool set_aside, size_t room)
{
	bool seen[WLK_N_FINDINGS] = { false };

	for (size_t i = 0; i < j->n_items; i++) {
		struct item *item = &j->items[i];

		if ((item->judgement.set_aside != NULL) != set_aside || seen[item->finding.code])
			continue;
		seen[item->finding.code] = true;
		if (!fit_item(j, item, &room))
			return;
	}
	for (size_t i = 0; i < j->n_items; i++) {
		struct item *item = &j->items[i];

		if ((item->judgement.set_aside != NULL) == set_aside && item->json == NULL && !fit_item(j, item, &room))
			return;
	}
}

/* On the last one shown of each code: how many there are, when that is more than are shown. */
static void put_counts(struct judge *j, bool set_aside)
{
	struct item *last[WLK_N_FINDINGS] = { NULL };
	uint64_t all[WLK_N_FINDINGS] = { 0 }, shown[WLK_N_FINDINGS] = { 0 };

	for (size_t i = 0; i < j->n_items; i++) {
		struct item *item = &j->items[i];

		if ((item->judgement.set_aside != NULL) != set_aside)
			continue;
		all[item->finding.code]++;
		if (item->json == NULL)
			continue;
		shown[item->finding.code]++;
		last[item->finding.code] = item;
	}
	for (unsigned code = 0; code < WLK_N_FINDINGS; code++) {
		if (!set_aside && judge_omitted(j, (enum wlk_finding)code))
			all[code] = j->facts->per_code[code];
		if (last[code] != NULL && all[code] > shown[code])
			judge_put(j, last[code]->json, "count", json_count(all[code]));
	}
}

static json_t *take_items(struct judge *j, bool set_aside)
{
	json_t *list = json_array();

	for (size_t i = 0; i < j->n_items; i++) {
		struct item *item = &j->items[i];

		if ((item->judgement.set_aside != NULL) != set_aside || item->json == NULL)
			continue;
		judge_append(j, list, item->json);
		item->json = NULL;
	}
	return list;
}

json_t *judge_findings(struct judge *j, bool set_aside, size_t room)
{
	fit_items(j, set_aside, room);
	put_counts(j, set_aside);
	return take_items(j, set_aside);
}

/* ---- policy and scan ---- */

/* Findings that decide nothing, for the policy is pinned. */
static uint64_t count_observed(const struct judge *j)
{
	uint64_t n = 0;
	bool seen[WLK_N_FINDINGS] = { false };

	for (size_t i = 0; i < j->n_items; i++) {
		const struct item *item = &j->items[i];

		if (item->judgement.observed <= item->judgement.action)
			continue;
		n++;
		if (judge_omitted(j, item->finding.code) && !seen[item->finding.code])
			n += j->facts->per_code[item->finding.code] - j->listed[item->finding.code];
		seen[item->finding.code] = true;
	}
	return n;
}

static void put_pin(struct judge *j, json_t *policy)
{
	if (j->policy->pin_rules == 0)
		return;
	judge_put(j, policy, "pin_rules", json_integer(j->policy->pin_rules));
	if (j->policy->pin_malicious)
		judge_put(j, policy, "pin_malicious", json_true());
	judge_put(j, policy, "observed", json_count(count_observed(j)));
}

json_t *judge_policy(struct judge *j)
{
	json_t *o = json_object();

	judge_put(j, o, "name", json_string(policy_name(j->policy)));
	judge_put(j, o, "sha256", json_string(policy_sha256(j->policy)));
	if (j->policy->limits_sha256[0] != '\0')
		judge_put(j, o, "limits_sha256", json_string(j->policy->limits_sha256));
	if (j->policy->names_sha256[0] != '\0')
		judge_put(j, o, "names_sha256", json_string(j->policy->names_sha256));
	put_pin(j, o);
	return o;
}

void judge_put_effective(struct judge *j, json_t *root)
{
	if (j->policy->exceptions != NULL)
		judge_put(j, root, "effective", json_string(verdict_text(j->effective)));
}

static json_t *exception_shown(struct judge *j, const struct exception *x)
{
	json_t *o = json_object(), *codes = json_array();

	for (size_t i = 0; i < x->n_codes; i++)
		judge_append(j, codes, json_string(x->codes[i]));
	judge_put(j, o, "seq", json_count(x->seq));
	judge_put(j, o, "codes", codes);
	judge_put(j, o, "by", json_bytes(bytes_of_text(x->by)));
	judge_put(j, o, "owner", json_bytes(bytes_of_text(x->owner)));
	judge_put(j, o, "reason", json_bytes(bytes_of_text(x->reason)));
	judge_put(j, o, "expires", json_string(x->expires));
	return o;
}

void judge_put_exceptions(struct judge *j, json_t *root)
{
	const struct exceptions *e = j->policy->exceptions;
	const struct scene *s = &j->scene;
	json_t *list;

	if (e == NULL || s->sha256[0] == '\0')
		return;
	list = json_array();
	for (size_t i = 0; i < exceptions_count(e) && json_array_size(list) < EXCEPTIONS_SHOWN; i++)
		if (exception_is_about(exceptions_at(e, i), s->sha256, s->tenant, s->today))
			judge_append(j, list, exception_shown(j, exceptions_at(e, i)));
	if (json_array_size(list) > 0)
		judge_put(j, root, "exceptions", list);
	else
		json_decref(list);
}

static json_t *time_json(int64_t unix_s)
{
	char text[64];
	time_t t = (time_t)unix_s;
	struct tm tm;

	if (gmtime_r(&t, &tm) == NULL || strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		return json_string("1970-01-01T00:00:00Z");
	return json_string(text);
}

/* To the microsecond: more digits would be noise.  Not a number, negative or above 30 years: nobody measured
 * it. */
static json_t *duration_json(double ms)
{
	return json_real(ms >= 0 && ms < 1e12 ? (double)(int64_t)(ms * 1000 + 0.5) / 1000 : 0);
}

static json_t *layers_json(struct judge *j)
{
	const struct verdict_context *c = j->context;
	json_t *list = json_array();

	for (size_t i = 0; i < c->n_layers; i++)
		if (c->layer_errno[i] == 0)
			judge_append(j, list, json_string(c->layer_names[i]));
	return list;
}

void judge_put_engine(struct judge *j, json_t *scan)
{
	judge_put(j, scan, "engine", json_string("weighlock " WLK_VERSION));
	judge_put(j, scan, "rules", json_string(rules_sha256()));
	judge_put(j, scan, "rules_version", json_integer(WLK_RULES_VERSION));
}

void judge_put_time(struct judge *j, json_t *scan)
{
	judge_put(j, scan, "time", time_json(j->context->started_at));
	judge_put(j, scan, "duration_ms", duration_json(j->context->duration_ms));
}

void judge_put_end(struct judge *j, json_t *scan)
{
	const struct verdict_context *c = j->context;

	if (c->layer_errno != NULL)
		judge_put(j, scan, "layers", layers_json(j));
	if (c->request_id != NULL)
		judge_put(j, scan, "request_id", json_bytes(bytes_of_text(c->request_id)));
	if (j->cause == WLK_CAUSE_NONE)
		return;
	judge_put(j, scan, "error", json_string(cause_text(j->cause)));
	judge_put(j, scan, "retry", json_string(cause_retry(j->cause) == WLK_RETRY_LATER ? "later" : "never"));
}
