/* Facts and a policy become a verdict.  In order: every finding gets its action (rules.c); the findings are
 * sorted, what decides first; the value follows from the worst action and from whether the scan is whole;
 * then JSON is written, in the members of docs/verdict.schema.json and within VERDICT_BYTES_MAX. */
#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "checked.h"
#include "policy_impl.h"

#define SHOWN_MAX 256        /* bytes of a subject, member, found, allowed: the schema's maxLength */
#define MESSAGE_MAX 300      /* the same, of a message */
#define NAME_SHOWN_MAX 16384 /* PATH_MAX bytes, each as \xNN */
#define JSON_EXACT_MAX ((UINT64_C(1) << 53) - 1) /* RFC 7493: beyond it a number is a string */

/* Shares of VERDICT_BYTES_MAX; the findings get what is left, at least half. */
#define ROWS_BYTES ((size_t)256 << 10)
#define SUPPRESSED_BYTES ((size_t)128 << 10)
#define FACTS_BYTES ((size_t)32 << 10)
#define COUNT_BYTES 40 /* a "count" member added later */

/* One finding on its way into the verdict. */
struct item {
	struct finding finding;
	enum policy_action action;
	const struct rule *set_aside; /* then it goes to "suppressed" */
	size_t order;                 /* in the report */
	json_t *json;                 /* owned until it is in a list; NULL: left out for size */
};

struct judge {
	const struct policy *policy;
	const struct facts *facts;
	const struct verdict_context *context;
	struct scene scene;
	struct item *items;
	size_t n_items;
	uint64_t listed[WLK_N_FINDINGS]; /* findings of a code in the report; fewer than facts->per_code:
					    omitted */
	enum verdict_value value;
	bool complete;
	enum wlk_cause cause; /* NONE, or why nobody can vouch for the whole file */
	bool failed;          /* out of memory somewhere; checked once, at the end */
};

const char *verdict_text(enum verdict_value v)
{
	static const char *const text[] = { "accept", "review", "error", "reject" };

	return text[v];
}

/* ---- JSON that remembers a failure ---- */

static void put(struct judge *j, json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value) < 0)
		j->failed = true;
}

static void append(struct judge *j, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) < 0)
		j->failed = true;
}

static json_t *json_number(uint64_t n)
{
	char text[32];

	if (n <= JSON_EXACT_MAX)
		return json_integer((json_int_t)n);
	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
	return json_string(text);
}

/* Where the schema has no strings: counts of elements, which a file of WLK_LIMITS file-size cannot bring so
 * far. */
static json_t *json_count(uint64_t n)
{
	return json_integer((json_int_t)min_u64(n, JSON_EXACT_MAX));
}

static json_t *json_bytes(struct bytes b)
{
	char shown[SHOWN_MAX + 1];

	return json_string(text_escape(b, shown, sizeof(shown)));
}

static json_t *json_value(const struct value *v)
{
	if (v->kind == VALUE_FLAG)
		return json_boolean(v->number != 0);
	return v->kind == VALUE_NUMBER ? json_number(v->number) : json_bytes(v->text);
}

static size_t json_size(const json_t *json)
{
	return json_dumpb(json, NULL, 0, JSON_COMPACT);
}

/* ---- the scene ---- */

static const char *or_empty(const char *text)
{
	return text != NULL ? text : "";
}

static void hex_of(const uint8_t sha256[32], char hex[POLICY_SHA256_HEX + 1])
{
	for (size_t i = 0; i < 32; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", sha256[i]);
}

static void set_scene(struct judge *j)
{
	const struct report_final *final = &j->facts->final;
	const struct verdict_context *c = j->context;

	j->scene = (struct scene){
		.path = or_empty(c->path != NULL ? c->path : c->name),
		.tenant = or_empty(c->tenant),
		.format = format_info(final->format)->name,
		.today = day_of_time(c->started_at),
	};
	if (final->has_digest)
		hex_of(final->sha256, j->scene.sha256);
}

/* ---- findings to items ---- */

static bool omitted(const struct judge *j, enum wlk_finding code)
{
	return j->facts->per_code[code] > j->listed[code];
}

static struct item *add_item(struct judge *j, const struct finding *f)
{
	struct judgement judgement = policy_judge(j->policy, f, &j->scene, omitted(j, f->code));
	struct item *item = &j->items[j->n_items];

	*item = (struct item){
		.finding = *f, .action = judgement.action, .set_aside = judgement.set_aside, .order = j->n_items
	};
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
	enum policy_action worst = policy_judge_unlisted(j->policy, code, &j->scene);
	struct item *item = last_of_code(j, code);

	if (item == NULL)
		item = add_item(j, &bare);
	if (worst > item->action)
		item->action = worst;
}

/* Content nobody recognised is refused only when somebody looked: a scan that died before has none. */
static bool format_refused(const struct judge *j)
{
	enum wlk_format_id format = j->facts->final.format;

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
	return f->has_offset ? f->offset : 0;
}

/* What decides comes first, then what is worse, then what comes first in the file, then as reported. */
static int compare_items(const void *va, const void *vb)
{
	const struct item *a = va, *b = vb;
	enum finding_severity severity_a = finding_info(a->finding.code)->severity;
	enum finding_severity severity_b = finding_info(b->finding.code)->severity;

	if (a->action != b->action)
		return a->action > b->action ? -1 : 1;
	if (severity_a != severity_b)
		return severity_a > severity_b ? -1 : 1;
	if (sort_offset(&a->finding) != sort_offset(&b->finding))
		return sort_offset(&a->finding) < sort_offset(&b->finding) ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static bool make_items(struct judge *j)
{
	const struct facts *f = j->facts;

	/* One more for each code that has none listed, one for the format. */
	j->items = calloc(f->n_findings + WLK_N_FINDINGS + 1, sizeof(*j->items));
	if (j->items == NULL)
		return false;
	for (size_t i = 0; i < f->n_findings; i++)
		j->listed[f->findings[i].code]++;
	for (size_t i = 0; i < f->n_findings; i++)
		(void)add_item(j, &f->findings[i]);
	for (unsigned code = 0; code < WLK_N_FINDINGS; code++)
		if (omitted(j, (enum wlk_finding)code))
			add_unlisted(j, (enum wlk_finding)code);
	if (format_refused(j))
		add_format_refused(j);
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
	return j->n_items > 0 ? j->items[0].action : ACTION_ACCEPT; /* sorted */
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

/* Rank of each class among what caused the verdict: 0 none, else 1 + its worst severity. */
static void rank_classes(const struct judge *j, unsigned rank[N_FINDING_CLASSES])
{
	bool caused = j->value == VERDICT_REJECT || j->value == VERDICT_REVIEW;

	memset(rank, 0, N_FINDING_CLASSES * sizeof(*rank));
	for (size_t i = 0; caused && i < j->n_items; i++) {
		const struct finding_info *info = finding_info(j->items[i].finding.code);

		if (j->items[i].action != worst_action(j) || j->items[i].action == ACTION_ACCEPT)
			continue;
		if (rank[info->class] < 1 + (unsigned)info->severity)
			rank[info->class] = 1 + (unsigned)info->severity;
	}
}

/* Worst first, then in the order of enum finding_class.  An error, and a review only because part of the file
 * was not examined, have no finding as their cause: they are "incomplete". */
static json_t *reasons_json(struct judge *j)
{
	unsigned rank[N_FINDING_CLASSES];
	json_t *list = json_array();

	rank_classes(j, rank);
	for (unsigned level = N_FINDING_SEVERITIES; level > 0; level--)
		for (unsigned class = 0; class < N_FINDING_CLASSES; class ++)
			if (rank[class] == level)
				append(j, list, json_string(finding_class_text((enum finding_class) class)));
	if (json_array_size(list) == 0 && j->value != VERDICT_ACCEPT)
		append(j, list, json_string(finding_class_text(CLASS_INCOMPLETE)));
	return list;
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
		(void)snprintf(text + at, sizeof(text) - at, " (at byte %llu)", (unsigned long long)f->offset);
	return json_string(text);
}

static json_t *finding_json(struct judge *j, const struct item *item)
{
	const struct finding *f = &item->finding;
	const struct finding_info *info = finding_info(f->code);
	json_t *o = json_object();

	put(j, o, "code", json_string(info->code));
	put(j, o, "class", json_string(finding_class_text(info->class)));
	put(j, o, "severity", json_string(finding_severity_text(info->severity)));
	put(j, o, "action", json_string(policy_action_text(item->action)));
	put(j, o, "message", message_json(f));
	if (f->has_offset)
		put(j, o, "offset", json_number(f->offset));
	if (f->has_length)
		put(j, o, "length", json_number(f->length));
	if (f->member.n > 0)
		put(j, o, "member", json_bytes(f->member));
	if (f->subject.n > 0)
		put(j, o, "subject", json_bytes(f->subject));
	if (f->found.kind != VALUE_NONE)
		put(j, o, "found", json_value(&f->found));
	if (f->allowed.kind != VALUE_NONE)
		put(j, o, "allowed", json_value(&f->allowed));
	if (item->set_aside != NULL) {
		put(j, o, "reason", json_string(item->set_aside->reason));
		if (item->set_aside->owner != NULL)
			put(j, o, "owner", json_string(item->set_aside->owner));
		put(j, o, "expires", json_string(item->set_aside->expires));
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

		if ((item->set_aside != NULL) != set_aside || seen[item->finding.code])
			continue;
		seen[item->finding.code] = true;
		if (!fit_item(j, item, &room))
			return;
	}
	for (size_t i = 0; i < j->n_items; i++) {
		struct item *item = &j->items[i];

		if ((item->set_aside != NULL) == set_aside && item->json == NULL && !fit_item(j, item, &room))
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

		if ((item->set_aside != NULL) != set_aside)
			continue;
		all[item->finding.code]++;
		if (item->json == NULL)
			continue;
		shown[item->finding.code]++;
		last[item->finding.code] = item;
	}
	for (unsigned code = 0; code < WLK_N_FINDINGS; code++) {
		if (!set_aside && omitted(j, (enum wlk_finding)code))
			all[code] = j->facts->per_code[code];
		if (last[code] != NULL && all[code] > shown[code])
			put(j, last[code]->json, "count", json_count(all[code]));
	}
}

static json_t *take_items(struct judge *j, bool set_aside)
{
	json_t *list = json_array();

	for (size_t i = 0; i < j->n_items; i++) {
		struct item *item = &j->items[i];

		if ((item->set_aside != NULL) != set_aside || item->json == NULL)
			continue;
		append(j, list, item->json);
		item->json = NULL;
	}
	return list;
}

static json_t *findings_json(struct judge *j, bool set_aside, size_t room)
{
	fit_items(j, set_aside, room);
	put_counts(j, set_aside);
	return take_items(j, set_aside);
}

static bool any_set_aside(const struct judge *j)
{
	for (size_t i = 0; i < j->n_items; i++)
		if (j->items[i].set_aside != NULL)
			return true;
	return false;
}

/* ---- file, weights, facts, scan ---- */

static json_t *file_json(struct judge *j)
{
	const struct report_final *final = &j->facts->final;
	char shown[NAME_SHOWN_MAX + 1];
	bool has_size = j->cause != WLK_CAUSE_INPUT_UNREADABLE || final->size > 0;
	json_t *o = json_object();

	put(j, o, "name",
	    j->context->name == NULL ? json_null()
				     : json_string(text_escape(bytes_of_text(j->context->name), shown, sizeof(shown))));
	put(j, o, "size", has_size ? json_number(final->size) : json_null());
	put(j, o, "sha256", final->has_digest ? json_string(j->scene.sha256) : json_null());
	return o;
}

static json_t *row_json(struct judge *j, const struct nonfinite *row)
{
	json_t *o = json_object();

	put(j, o, "tensor", json_bytes(row->tensor));
	put(j, o, "dtype", json_string(dtype_info(row->dtype)->name));
	put(j, o, "nan", json_count(row->nan));
	put(j, o, "pos_inf", json_count(row->pos_inf));
	put(j, o, "neg_inf", json_count(row->neg_inf));
	if (row->bool_invalid > 0)
		put(j, o, "bool_invalid", json_count(row->bool_invalid));
	put(j, o, "first_offset", json_count(row->first_offset));
	return o;
}

/* Return: how many rows did not fit. */
static uint64_t put_rows(struct judge *j, json_t *weights)
{
	json_t *list = json_array();
	size_t room = ROWS_BYTES, i;

	for (i = 0; i < j->facts->n_rows; i++) {
		json_t *row = row_json(j, &j->facts->rows[i]);
		size_t size = json_size(row) + 1;

		if (size > room) {
			json_decref(row);
			break;
		}
		room -= size;
		append(j, list, row);
	}
	put(j, weights, "nonfinite", list);
	return j->facts->n_rows - i;
}

static json_t *weights_json(struct judge *j)
{
	const struct report_totals *totals = &j->facts->final.totals;
	json_t *o = json_object();
	uint64_t left_out;

	put(j, o, "tensors", json_count(totals->tensors));
	put(j, o, "elements", json_number(totals->elements));
	put(j, o, "nan", json_count(totals->nan));
	put(j, o, "pos_inf", json_count(totals->pos_inf));
	put(j, o, "neg_inf", json_count(totals->neg_inf));
	put(j, o, "bool_invalid", json_count(totals->bool_invalid));
	left_out = put_rows(j, o);
	if (!add_u64(left_out, totals->nonfinite_omitted, &left_out))
		left_out = JSON_EXACT_MAX;
	put(j, o, "nonfinite_omitted", json_count(left_out));
	return o;
}

/* Only where the scan came as far as the elements: zeros nobody counted would read like a result. */
static bool weighed(const struct judge *j)
{
	const struct report_final *final = &j->facts->final;

	return j->facts->has_final && format_info(final->format)->model &&
	       (j->complete || final->totals.elements > 0 || j->facts->n_rows > 0);
}

static const char *fact_member(enum wlk_fact id, bool *ret_keyed)
{
	static const struct {
		const char *member;
		bool keyed;
	} table[] = {
#define X(id, member, keyed) { member, keyed },
		WLK_FACTS(X)
#undef X
	};

	*ret_keyed = table[id].keyed;
	return table[id].member;
}

/* The object that the fact's value goes into: one of its own for keyed facts. */
static json_t *fact_object(struct judge *j, json_t *facts, const char *member)
{
	json_t *map = json_object_get(facts, member);

	if (map != NULL)
		return map;
	put(j, facts, member, json_object());
	return json_object_get(facts, member);
}

/* Return: bytes it takes, at most. */
static size_t put_fact(struct judge *j, json_t *facts, const struct fact *f)
{
	char shown[SHOWN_MAX + 1];
	bool keyed;
	const char *key = fact_member(f->id, &keyed);
	json_t *value = f->value.kind == VALUE_NONE ? json_null() : json_value(&f->value);
	size_t size = json_dumpb(value, NULL, 0, JSON_ENCODE_ANY) + strlen(key) + 16;

	if (keyed) {
		facts = fact_object(j, facts, key);
		key = text_escape(f->key, shown, sizeof(shown));
		size += 2 * strlen(key);
	}
	put(j, facts, key, value);
	return size;
}

static json_t *facts_json(struct judge *j)
{
	const size_t most = 4 * SHOWN_MAX + 64; /* key and value, a backslash as two, and what JSON puts around */
	json_t *o = json_object();
	size_t used = 0;

	for (size_t i = 0; i < j->facts->n_facts && used < FACTS_BYTES - most; i++)
		used += put_fact(j, o, &j->facts->facts[i]);
	return o;
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
			append(j, list, json_string(c->layer_names[i]));
	return list;
}

static json_t *reader_json(struct judge *j)
{
	const struct format_info *info = format_info(j->facts->final.format);
	json_t *o;

	if (j->facts->final.format == WLK_FORMAT_UNKNOWN)
		return json_null();
	o = json_object();
	put(j, o, "format", json_string(info->name));
	put(j, o, "revision", json_integer((json_int_t)info->revision));
	return o;
}

static json_t *scan_json(struct judge *j)
{
	static const char *const sources[] = { "spool", "sealed", "fd", "file" };
	const struct verdict_context *c = j->context;
	json_t *o = json_object();

	put(j, o, "engine", json_string("weighlock " WLK_VERSION));
	put(j, o, "rules", json_string(rules_sha256()));
	put(j, o, "rules_version", json_integer(WLK_RULES_VERSION));
	put(j, o, "reader", reader_json(j));
	put(j, o, "time", time_json(c->started_at));
	put(j, o, "duration_ms", duration_json(c->duration_ms));
	put(j, o, "bytes", json_number(j->facts->final.bytes));
	put(j, o, "source", json_string(sources[c->source]));
	if (c->layer_errno != NULL)
		put(j, o, "layers", layers_json(j));
	if (c->request_id != NULL)
		put(j, o, "request_id", json_bytes(bytes_of_text(c->request_id)));
	if (j->cause != WLK_CAUSE_NONE) {
		put(j, o, "error", json_string(cause_text(j->cause)));
		put(j, o, "retry", json_string(cause_retry(j->cause) == WLK_RETRY_LATER ? "later" : "never"));
	}
	return o;
}

static json_t *policy_json(struct judge *j)
{
	json_t *o = json_object();

	put(j, o, "name", json_string(policy_name(j->policy)));
	put(j, o, "sha256", json_string(policy_sha256(j->policy)));
	return o;
}

/* ---- the whole ---- */

static void put_head(struct judge *j, json_t *root)
{
	const struct report_final *final = &j->facts->final;

	put(j, root, "schema", json_string("weighlock.verdict/1"));
	put(j, root, "verdict", json_string(verdict_text(j->value)));
	put(j, root, "complete", json_boolean(j->complete));
	put(j, root, "reasons", reasons_json(j));
	put(j, root, "file", file_json(j));
	put(j, root, "format",
	    final->format == WLK_FORMAT_UNKNOWN ? json_null() : json_string(format_info(final->format)->name));
	put(j, root, "media_type", final->media_type.n > 0 ? json_bytes(final->media_type) : json_null());
	put(j, root, "policy", policy_json(j));
	put(j, root, "findings", json_array()); /* keeps its place; filled when the room is known */
}

static json_t *verdict_json(struct judge *j)
{
	json_t *root = json_object();
	size_t used;

	put_head(j, root);
	if (any_set_aside(j))
		put(j, root, "suppressed", findings_json(j, true, SUPPRESSED_BYTES));
	if (weighed(j))
		put(j, root, "weights", weights_json(j));
	if (j->facts->n_facts > 0)
		put(j, root, "facts", facts_json(j));
	put(j, root, "scan", scan_json(j));
	used = json_size(root);
	assert(used < VERDICT_BYTES_MAX / 2);
	put(j, root, "findings", findings_json(j, false, VERDICT_BYTES_MAX - used));
	return root;
}

static void judge_done(struct judge *j)
{
	for (size_t i = 0; i < j->n_items; i++)
		json_decref(j->items[i].json);
	free(j->items);
}

int verdict_make(const struct policy *p, const struct facts *f, const struct verdict_context *c, struct verdict *ret)
{
	struct judge j = { .policy = p, .facts = f, .context = c };
	json_t *json;

	set_scene(&j);
	if (!make_items(&j))
		return -ENOMEM;
	set_completeness(&j);
	set_value(&j);
	json = verdict_json(&j);
	judge_done(&j);
	if (j.failed || json == NULL) {
		json_decref(json);
		return -ENOMEM;
	}
	*ret = (struct verdict){ .value = j.value, .json = json };
	return 0;
}

char *verdict_dump(const struct verdict *v)
{
	return json_dumps(v->json, JSON_COMPACT | JSON_REAL_PRECISION(15));
}
