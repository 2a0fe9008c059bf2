/* Facts and a policy become a verdict about a file (judge.c), and JSON is written, in the members of docs/verdict.schema.json
 * and within VERDICT_BYTES_MAX. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checked.h"
#include "judgement.h"
#include "part.h"

/* Shares of VERDICT_BYTES_MAX; the findings get what is left, at least a quarter. */
#define ROWS_BYTES ((size_t)256 << 10)
#define FACTS_BYTES ((size_t)32 << 10)
#define CALLS_BYTES ((size_t)256 << 10)
#define CALL_SHOWN_MAX (4 * CALL_TEXT_MAX) /* each byte as \xNN */

const char *verdict_text(enum verdict_value v)
{
	static const char *const text[] = { "accept", "review", "error", "reject" };

	return text[v];
}

/* ---- file, weights, facts, scan ---- */

static json_t *file_json(struct judge *j)
{
	const struct report_final *final = &j->facts->final;
	bool has_size = j->cause != WLK_CAUSE_INPUT_UNREADABLE || final->size > 0;
	json_t *o = json_object();

	judge_put(j, o, "name", json_name(j->context->name));
	judge_put(j, o, "size", has_size ? json_from_number(final->size) : json_null());
	judge_put(j, o, "sha256", final->has_digest ? json_string(j->scene.sha256) : json_null());
	return o;
}

static json_t *row_json(struct judge *j, const struct nonfinite *row)
{
	json_t *o = json_object();

	judge_put(j, o, "tensor", json_bytes(row->tensor));
	judge_put(j, o, "dtype", json_string(dtype_info(row->dtype)->name));
	judge_put(j, o, "nan", json_count(row->nan));
	judge_put(j, o, "pos_inf", json_count(row->pos_inf));
	judge_put(j, o, "neg_inf", json_count(row->neg_inf));
	if (row->bool_invalid > 0)
		judge_put(j, o, "bool_invalid", json_count(row->bool_invalid));
	judge_put(j, o, offset_is_decoded(row->first_offset) ? "member_offset" : "first_offset",
	    json_count(offset_bare(row->first_offset)));
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
		judge_append(j, list, row);
	}
	judge_put(j, weights, "nonfinite", list);
	return j->facts->n_rows - i;
}

static json_t *weights_json(struct judge *j)
{
	const struct report_totals *totals = &j->facts->final.totals;
	json_t *o = json_object();
	uint64_t left_out;

	judge_put(j, o, "tensors", json_count(totals->tensors));
	judge_put(j, o, "elements", json_from_number(totals->elements));
	judge_put(j, o, "nan", json_count(totals->nan));
	judge_put(j, o, "pos_inf", json_count(totals->pos_inf));
	judge_put(j, o, "neg_inf", json_count(totals->neg_inf));
	judge_put(j, o, "bool_invalid", json_count(totals->bool_invalid));
	left_out = put_rows(j, o);
	if (!add_u64(left_out, totals->nonfinite_omitted, &left_out))
		left_out = JSON_EXACT_MAX;
	judge_put(j, o, "nonfinite_omitted", json_count(left_out));
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
	judge_put(j, facts, member, json_object());
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
	judge_put(j, facts, key, value);
	return size;
}

/* Whether all tensors are listed is said beside the list (tensors_json.h), and not where there is none. */
static bool fact_is_shown(const struct fact *f)
{
	return f->id != WLK_FACT_TENSORS_LISTED;
}

static bool any_fact_shown(const struct facts *f)
{
	for (size_t i = 0; i < f->n_facts; i++)
		if (fact_is_shown(&f->facts[i]))
			return true;
	return false;
}

static json_t *facts_json(struct judge *j)
{
	const size_t most = 4 * SHOWN_MAX + 64; /* key and value, a backslash as two, and what JSON puts around */
	json_t *o = json_object();
	size_t used = 0;

	for (size_t i = 0; i < j->facts->n_facts && used < FACTS_BYTES - most; i++)
		if (fact_is_shown(&j->facts->facts[i]))
			used += put_fact(j, o, &j->facts->facts[i]);
	return o;
}

/* ---- calls ---- */

static json_t *call_json(struct judge *j, const struct call_record *c)
{
	static const char *const standings[] = {
		[CALL_ALLOWED] = "allowed", [CALL_DOUBTFUL] = "doubtful", [CALL_DANGEROUS] = "dangerous"
	};
	char shown[CALL_SHOWN_MAX + 1];
	json_t *o = json_object();

	judge_put(j, o, "callee", json_bytes(bytes_of(c->text.at, c->callee_n)));
	judge_put(j, o, "text", json_string(text_show(c->text, shown, sizeof(shown))));
	judge_put(j, o, "standing", json_string(standings[c->standing]));
	judge_put(
	    j, o, offset_is_decoded(c->offset) ? "member_offset" : "offset", json_from_number(offset_bare(c->offset)));
	if (c->member.n > 0)
		judge_put(j, o, "member", json_bytes(c->member));
	if (c->cut)
		judge_put(j, o, "cut", json_true());
	return o;
}

/* In the order in which they are made, as many as fit, the dangerous ones before all others. */
static json_t *calls_json(struct judge *j)
{
	const struct facts *f = j->facts;
	json_t *list = json_array(), **made = calloc(f->n_calls + 1, sizeof(json_t *));
	size_t room = CALLS_BYTES;

	j->failed |= made == NULL;
	for (unsigned standing = N_CALL_STANDINGS; made != NULL && standing-- > 0;) {
		for (size_t i = 0; i < f->n_calls; i++) {
			size_t size;

			if (f->calls[i].standing != standing)
				continue;
			made[i] = call_json(j, &f->calls[i]);
			size = json_size(made[i]) + 1;
			if (size > room) {
				json_decref(made[i]);
				made[i] = NULL;
				continue;
			}
			room -= size;
		}
	}
	for (size_t i = 0; made != NULL && i < f->n_calls; i++)
		if (made[i] != NULL)
			judge_append(j, list, made[i]);
	free(made);
	return list;
}

static json_t *reader_json(struct judge *j)
{
	const struct format_info *info = format_info(j->facts->final.format);
	json_t *o;

	if (j->facts->final.format == WLK_FORMAT_UNKNOWN)
		return json_null();
	o = json_object();
	judge_put(j, o, "format", json_string(info->name));
	judge_put(j, o, "revision", json_integer((json_int_t)info->revision));
	return o;
}

#define RANGE_TEXT 48u /* bytes of one: two numbers of 20 digits, and what stands around them */

/* As HTTP writes it, and takes it in `present`. */
static json_t *wanted_json(const struct facts *f)
{
	char *text = malloc(f->n_wanted * RANGE_TEXT + 1);
	size_t at = 0;
	json_t *o;

	if (text == NULL)
		return NULL;
	for (size_t i = 0; i < f->n_wanted; i++)
		at += (size_t)snprintf(text + at, RANGE_TEXT, "%s%llu-%llu", i > 0 ? "," : "",
		    (unsigned long long)f->wanted[i].begin, (unsigned long long)(f->wanted[i].end - 1));
	o = json_stringn(text, at);
	free(text);
	return o;
}

static json_t *scan_json(struct judge *j)
{
	static const char *const sources[] = { "spool", "sealed", "fd", "file" };
	json_t *o = json_object();

	judge_put_engine(j, o);
	judge_put(j, o, "reader", reader_json(j));
	judge_put_time(j, o);
	judge_put(j, o, "bytes", json_from_number(j->facts->final.bytes));
	judge_put(j, o, "source", json_string(sources[j->context->source]));
	if (j->facts->final.has_digest)
		judge_put(j, o, "digest_by", json_string(digest_by_text(j->facts->digest_by)));
	if (j->facts->has_final && !j->facts->final.names_idle)
		judge_put(j, o, "names_matter", json_true());
	if (j->facts->weights != WEIGHTS_READ)
		judge_put(j, o, "weights", json_string(j->facts->weights == WEIGHTS_STORED ? "stored" : "not-read"));
	if (j->facts->n_wanted > 0)
		judge_put(j, o, "needs", wanted_json(j->facts));
	judge_put_end(j, o);
	return o;
}

/* ---- the whole ---- */

/* An error, and a review only because part of the file was not examined, have no finding as their cause: they are
 * "incomplete". */
static json_t *reasons_json(struct judge *j)
{
	json_t *list = judge_reasons(j);

	if (json_array_size(list) == 0 && j->value != VERDICT_ACCEPT)
		judge_append(j, list, json_string(finding_class_text(CLASS_INCOMPLETE)));
	return list;
}

static void put_head(struct judge *j, json_t *root)
{
	const struct report_final *final = &j->facts->final;

	judge_put(j, root, "schema", json_string("weighlock.verdict/1"));
	judge_put(j, root, "verdict", json_string(verdict_text(j->value)));
	judge_put_effective(j, root);
	judge_put(j, root, "complete", json_boolean(j->complete));
	judge_put(j, root, "reasons", reasons_json(j));
	judge_put(j, root, "file", file_json(j));
	judge_put(j, root, "format",
	    final->format == WLK_FORMAT_UNKNOWN ? json_null() : json_string(format_info(final->format)->name));
	/* By its name an empty file can be of a model's format: it holds none. */
	judge_put(j, root, "model", json_boolean(format_info(final->format)->model && final->size > 0));
	judge_put(j, root, "media_type", final->media_type.n > 0 ? json_bytes(final->media_type) : json_null());
	judge_put(j, root, "policy", judge_policy(j));
	judge_put(j, root, "findings", json_array()); /* keeps its place; filled when the room is known */
}

static json_t *verdict_json(struct judge *j)
{
	json_t *root = json_object();
	size_t used;

	put_head(j, root);
	if (judge_any_set_aside(j))
		judge_put(j, root, "suppressed", judge_findings(j, true, SUPPRESSED_BYTES));
	judge_put_exceptions(j, root);
	if (weighed(j))
		judge_put(j, root, "weights", weights_json(j));
	if (any_fact_shown(j->facts))
		judge_put(j, root, "facts", facts_json(j));
	if (j->facts->has_calls)
		judge_put(j, root, "calls", calls_json(j));
	judge_put(j, root, "scan", scan_json(j));
	used = json_size(root);
	assert(used < VERDICT_BYTES_MAX / 4 * 3);
	judge_put(j, root, "findings", judge_findings(j, false, VERDICT_BYTES_MAX - used));
	return root;
}

int verdict_make(const struct policy *p, const struct facts *f, const struct verdict_context *c, struct verdict *ret)
{
	struct judge j = { .policy = p, .facts = f, .context = c };

	judge_set_scene(&j, f->final.has_digest ? f->final.sha256 : NULL);
	j.scene.format = format_info(f->final.format)->name;
	return judge_end(&j, judge_run(&j) ? verdict_json(&j) : NULL, ret);
}

char *verdict_dump(const struct verdict *v)
{
	return json_text(v->json, JSON_COMPACT | JSON_REAL_PRECISION(15));
}
