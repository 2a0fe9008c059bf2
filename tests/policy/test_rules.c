/* Facts meet rules: which verdict each rule of the grammar makes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "made_facts.h"
#include "policy_impl.h"

#define DAY_S 86400

static struct made m;

static struct policy *parse(const char *rules)
{
	char text[4096], error[POLICY_ERROR_MAX];
	struct policy *p = NULL;

	(void)snprintf(text, sizeof(text), "version: 1\nrules:\n%s", rules);
	ck_assert_msg(policy_parse((const uint8_t *)text, strlen(text), "hub.yaml", &p, error) == 0, "%s", error);
	return p;
}

static enum verdict_value judge_in(struct policy *p, const struct verdict_context *c)
{
	struct verdict v;

	ck_assert_int_eq(verdict_make(p, &m.facts, c, &v), 0);
	json_decref(v.json);
	policy_free(p);
	return v.value;
}

static enum verdict_value judge(const char *rules)
{
	struct verdict_context c = made_context();

	return judge_in(parse(rules), &c);
}

static enum verdict_value judge_builtin(const char *name)
{
	struct verdict_context c = made_context();
	struct policy *p = NULL;

	ck_assert_int_eq(policy_by_name(name, &p), 0);
	return judge_in(p, &c);
}

static void one_finding(enum wlk_finding code)
{
	made_init(&m);
	(void)made_add_at(&m, code, 100, "layers.3.bias");
}

#define NAN_ACCEPTED(matcher) "- {" matcher ", action: accept, reason: r, expires: 2026-12-31}\n"

START_TEST(test_default_judges_by_severity)
{
	made_init(&m);
	ck_assert_int_eq(judge_builtin("default"), VERDICT_ACCEPT);
	one_finding(WLK_F_WEIGHTS_INF_MASK); /* info */
	ck_assert_int_eq(judge_builtin("default"), VERDICT_ACCEPT);
	one_finding(WLK_F_WEIGHTS_NAN); /* medium */
	ck_assert_int_eq(judge_builtin("default"), VERDICT_REVIEW);
	one_finding(WLK_F_ST_HEADER_START); /* high */
	ck_assert_int_eq(judge_builtin("default"), VERDICT_REJECT);
	one_finding(WLK_F_ST_DATA_OVERLAP); /* critical */
	ck_assert_int_eq(judge_builtin("default"), VERDICT_REJECT);
}
END_TEST

START_TEST(test_strict_turns_review_into_reject)
{
	one_finding(WLK_F_WEIGHTS_INF_MASK);
	ck_assert_int_eq(judge_builtin("strict"), VERDICT_ACCEPT);
	one_finding(WLK_F_WEIGHTS_NAN);
	ck_assert_int_eq(judge_builtin("strict"), VERDICT_REJECT);
}
END_TEST

START_TEST(test_reference_only_reviews_what_the_reference_loads)
{
	static const enum wlk_finding lax[] = { WLK_F_ST_DUPLICATE_TENSOR, WLK_F_ST_DUPLICATE_METADATA_KEY,
		WLK_F_ST_UNKNOWN_FIELD, WLK_F_ST_RANK_TOO_LARGE, WLK_F_ST_TENSOR_NAME_EMPTY, WLK_F_ST_TENSOR_NAME_LONG,
		WLK_F_ST_TENSOR_NAME_CONTROL, WLK_F_ST_TENSOR_NAME_UNICODE, WLK_F_ST_TENSOR_NAME_PATH,
		WLK_F_ST_METADATA_CONTROL, WLK_F_ST_METADATA_UNICODE, WLK_F_POLYGLOT_ZIP, WLK_F_POLYGLOT_MAGIC };
	static const enum wlk_finding wrong[] = { WLK_F_ST_DATA_OVERLAP, WLK_F_ST_SHAPE_OVERFLOW, WLK_F_ST_FIELD_TYPE,
		WLK_F_ST_HEADER_START, WLK_F_ST_HEADER_PADDING, WLK_F_ST_INTEGER_RANGE, WLK_F_ST_DUPLICATE_FIELD,
		WLK_F_ST_DUPLICATE_METADATA, WLK_F_ST_INTEGER_NEGATIVE, WLK_F_ST_FILE_TOO_SHORT };

	for (size_t i = 0; i < sizeof(lax) / sizeof(lax[0]); i++) {
		one_finding(lax[i]);
		ck_assert_msg(judge_builtin("reference") == VERDICT_REVIEW, "%s", finding_info(lax[i])->code);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		one_finding(wrong[i]);
		ck_assert_msg(judge_builtin("reference") == VERDICT_REJECT, "%s", finding_info(wrong[i])->code);
	}
}
END_TEST

static void one_number(enum wlk_finding code, uint64_t found)
{
	one_finding(code);
	m.findings[0].found = value_number(found);
}

static void one_type(const char *found, const char *allowed)
{
	one_finding(WLK_F_ST_FIELD_TYPE);
	m.findings[0].found = value_text(bytes_of_text(found));
	m.findings[0].allowed = value_text(bytes_of_text(allowed));
}

START_TEST(test_reference_tells_what_it_loads_by_what_was_found)
{
	for (uint64_t byte = 0; byte < 256; byte++) {
		bool space = byte == '\t' || byte == '\n' || byte == '\r' || byte == ' ';

		one_number(WLK_F_ST_HEADER_START, byte);
		ck_assert_int_eq(judge_builtin("reference"), space ? VERDICT_REVIEW : VERDICT_REJECT);
		one_number(WLK_F_ST_HEADER_PADDING, byte);
		ck_assert_int_eq(judge_builtin("reference"), space && byte != ' ' ? VERDICT_REVIEW : VERDICT_REJECT);
	}
	one_number(WLK_F_ST_INTEGER_RANGE, UINT64_MAX);
	ck_assert_int_eq(judge_builtin("reference"), VERDICT_REVIEW);
	one_type("array", "object");
	ck_assert_int_eq(judge_builtin("reference"), VERDICT_REVIEW);
	one_type("object", "string");
	ck_assert_int_eq(judge_builtin("reference"), VERDICT_REVIEW);
	one_type("array", "string");
	ck_assert_int_eq(judge_builtin("reference"), VERDICT_REJECT);
	one_type("object", "array");
	ck_assert_int_eq(judge_builtin("reference"), VERDICT_REJECT);
}
END_TEST

START_TEST(test_reference_tolerates_omitted_occurrences_only_of_what_it_knows_whole)
{
	one_finding(WLK_F_ST_DUPLICATE_TENSOR);
	m.facts.per_code[WLK_F_ST_DUPLICATE_TENSOR] = 1000;
	ck_assert_int_eq(judge_builtin("reference"), VERDICT_REVIEW);
	one_type("array", "object");
	m.facts.per_code[WLK_F_ST_FIELD_TYPE] = 1000; /* the others may be anything */
	ck_assert_int_eq(judge_builtin("reference"), VERDICT_REJECT);
}
END_TEST

START_TEST(test_reference_rejects_polyglots_of_other_formats)
{
	one_finding(WLK_F_POLYGLOT_ZIP);
	m.facts.final.format = WLK_FORMAT_LFS_POINTER;
	ck_assert_int_eq(judge_builtin("reference"), VERDICT_REJECT);
}
END_TEST

START_TEST(test_the_first_matching_rule_wins)
{
	one_finding(WLK_F_WEIGHTS_NAN);
	ck_assert_int_eq(judge("- {code: weights-nan, action: reject, reason: r}\n" NAN_ACCEPTED("code: weights-nan")),
	    VERDICT_REJECT);
	ck_assert_int_eq(judge(NAN_ACCEPTED("code: weights-nan") "- {code: weights-nan, action: reject, reason: r}\n"),
	    VERDICT_ACCEPT);
	ck_assert_int_eq(judge("- {code: weights-inf, action: reject, reason: r}\n"), VERDICT_REVIEW);
}
END_TEST

START_TEST(test_every_matcher_must_match)
{
	one_finding(WLK_F_WEIGHTS_NAN);
	m.findings[0].member = bytes_of_text("inner/a.bin");
	ck_assert_int_eq(judge(NAN_ACCEPTED("class: quality, code: 'weights-*'")), VERDICT_ACCEPT);
	ck_assert_int_eq(judge(NAN_ACCEPTED("class: code, code: 'weights-*'")), VERDICT_REVIEW);
	ck_assert_int_eq(judge(NAN_ACCEPTED("severity: medium")), VERDICT_ACCEPT);
	ck_assert_int_eq(judge(NAN_ACCEPTED("severity: high")), VERDICT_REVIEW);
	ck_assert_int_eq(judge(NAN_ACCEPTED("format: safetensors")), VERDICT_ACCEPT);
	ck_assert_int_eq(judge(NAN_ACCEPTED("format: unknown")), VERDICT_REVIEW);
	ck_assert_int_eq(judge(NAN_ACCEPTED("subject: 'layers.*.bias'")), VERDICT_ACCEPT);
	ck_assert_int_eq(judge(NAN_ACCEPTED("subject: 'layers.*.weight'")), VERDICT_REVIEW);
	ck_assert_int_eq(judge(NAN_ACCEPTED("member: 'inner/*'")), VERDICT_ACCEPT);
	ck_assert_int_eq(judge(NAN_ACCEPTED("member: 'outer/*'")), VERDICT_REVIEW);
	m.findings[0].found = value_number(120);
	m.findings[0].allowed = value_text(bytes_of_text("none"));
	ck_assert_int_eq(judge(NAN_ACCEPTED("found: '12?', allowed: none")), VERDICT_ACCEPT);
	ck_assert_int_eq(judge(NAN_ACCEPTED("found: '12'")), VERDICT_REVIEW);
	ck_assert_int_eq(judge(NAN_ACCEPTED("allowed: some")), VERDICT_REVIEW);
	ck_assert_int_eq(judge(NAN_ACCEPTED("path: '*.safetensors'")), VERDICT_ACCEPT);
	ck_assert_int_eq(judge(NAN_ACCEPTED("path: '*.bin'")), VERDICT_REVIEW);
	ck_assert_int_eq(judge(NAN_ACCEPTED("tenant: '?*'")), VERDICT_REVIEW); /* none was named */
}
END_TEST

START_TEST(test_rules_see_path_and_tenant_of_the_request)
{
	struct verdict_context c = made_context();

	one_finding(WLK_F_WEIGHTS_NAN);
	c.path = "research/x/model.safetensors";
	c.tenant = "team-a";
	ck_assert_int_eq(judge_in(parse(NAN_ACCEPTED("path: 'research/*', tenant: 'team-?'")), &c), VERDICT_ACCEPT);
	ck_assert_int_eq(judge_in(parse(NAN_ACCEPTED("path: 'model.*'")), &c), VERDICT_REVIEW); /* path, not name */
}
END_TEST

#define AB8 "abababababababab"

START_TEST(test_a_rule_for_one_file_needs_its_digest)
{
	one_finding(WLK_F_WEIGHTS_NAN);
	ck_assert_int_eq(judge(NAN_ACCEPTED("sha256: " AB8 AB8 AB8 AB8)), VERDICT_ACCEPT);
	m.facts.final.sha256[31] = 0;
	ck_assert_int_eq(judge(NAN_ACCEPTED("sha256: " AB8 AB8 AB8 AB8)), VERDICT_REVIEW);
}
END_TEST

START_TEST(test_a_rule_applies_through_its_last_day)
{
	struct verdict_context c = made_context();
	const char *rule = "- {code: weights-nan, action: accept, reason: r, expires: 2026-11-21}\n";

	one_finding(WLK_F_WEIGHTS_NAN);
	c.started_at = MADE_NOW; /* its first second */
	ck_assert_int_eq(judge_in(parse(rule), &c), VERDICT_ACCEPT);
	c.started_at = MADE_NOW + DAY_S - 1;
	ck_assert_int_eq(judge_in(parse(rule), &c), VERDICT_ACCEPT);
	c.started_at = MADE_NOW + DAY_S;
	ck_assert_int_eq(judge_in(parse(rule), &c), VERDICT_REVIEW);
}
END_TEST

START_TEST(test_behind_an_expired_rule_the_next_one_counts)
{
	one_finding(WLK_F_WEIGHTS_NAN);
	ck_assert_int_eq(judge("- {code: weights-nan, action: accept, reason: r, expires: 2026-11-20}\n"
			       "- {code: weights-nan, action: reject, reason: r}\n"),
	    VERDICT_REJECT);
}
END_TEST

START_TEST(test_nothing_lowers_a_code_with_omitted_occurrences)
{
	one_finding(WLK_F_WEIGHTS_NAN);
	ck_assert_int_eq(judge(NAN_ACCEPTED("code: weights-nan")), VERDICT_ACCEPT);
	m.facts.per_code[WLK_F_WEIGHTS_NAN] = 2;
	ck_assert_int_eq(judge(NAN_ACCEPTED("code: weights-nan")), VERDICT_REVIEW);
	one_finding(WLK_F_ST_HEADER_START);
	ck_assert_int_eq(judge("- {code: '*', action: review, reason: r}\n"), VERDICT_REVIEW);
	m.facts.per_code[WLK_F_ST_HEADER_START] = 2;
	ck_assert_int_eq(judge("- {code: '*', action: review, reason: r}\n"), VERDICT_REJECT);
}
END_TEST

/* Every listed finding keeps its action too, not only the one that stands for the omitted. */
static void every_action_is(struct policy *p, const char *want)
{
	struct verdict_context c = made_context();
	struct verdict v;
	const json_t *list;

	ck_assert_int_eq(verdict_make(p, &m.facts, &c, &v), 0);
	list = json_object_get(v.json, "findings");
	ck_assert_uint_eq(json_array_size(list), m.facts.n_findings);
	for (size_t i = 0; i < m.facts.n_findings; i++)
		ck_assert_str_eq(json_string_value(json_object_get(json_array_get(list, i), "action")), want);
	ck_assert_ptr_null(json_object_get(v.json, "suppressed"));
	json_decref(v.json);
	policy_free(p);
}

START_TEST(test_omitted_occurrences_keep_all_listed_ones_in_force)
{
	struct policy *reference = NULL;

	one_finding(WLK_F_WEIGHTS_NAN);
	(void)made_add_at(&m, WLK_F_WEIGHTS_NAN, 200, "layers.4.bias");
	m.facts.per_code[WLK_F_WEIGHTS_NAN] = 3;
	every_action_is(parse(NAN_ACCEPTED("code: weights-nan")), "review");

	one_type("array", "object");
	(void)made_add_at(&m, WLK_F_ST_FIELD_TYPE, 200, "layers.4.bias");
	m.findings[1].found = m.findings[0].found;
	m.findings[1].allowed = m.findings[0].allowed;
	m.facts.per_code[WLK_F_ST_FIELD_TYPE] = 3;
	ck_assert_int_eq(policy_by_name("reference", &reference), 0);
	every_action_is(reference, "reject");
}
END_TEST

START_TEST(test_malicious_findings_are_accepted_by_name_only)
{
	const struct rule by_name = { .code = "weights-nan", .action = ACTION_ACCEPT };
	const struct rule by_glob = { .code = "weights-*", .action = ACTION_ACCEPT };
	const struct rule by_nothing = { .action = ACTION_ACCEPT };

	ck_assert(rule_may_accept(&by_name, CLASS_MALICIOUS));
	ck_assert(!rule_may_accept(&by_glob, CLASS_MALICIOUS));
	ck_assert(!rule_may_accept(&by_nothing, CLASS_MALICIOUS));
	ck_assert(rule_may_accept(&by_nothing, CLASS_QUALITY));
	ck_assert(!rule_may_accept(&by_name, CLASS_INCOMPLETE));
}
END_TEST

START_TEST(test_a_rule_about_a_subject_reaches_occurrences_nobody_lists)
{
	one_finding(WLK_F_WEIGHTS_NAN);
	ck_assert_int_eq(judge("- {subject: secret, action: reject, reason: r}\n"), VERDICT_REVIEW);
	m.facts.per_code[WLK_F_WEIGHTS_NAN] = 2; /* the other one may be about `secret` */
	ck_assert_int_eq(judge("- {subject: secret, action: reject, reason: r}\n"), VERDICT_REJECT);
}
END_TEST

START_TEST(test_a_code_that_was_only_counted_is_judged)
{
	made_init(&m);
	m.facts.per_code[WLK_F_ST_DATA_OVERLAP] = 7;
	ck_assert_int_eq(judge_builtin("default"), VERDICT_REJECT);
}
END_TEST

START_TEST(test_incomplete_findings_cannot_be_accepted)
{
	one_finding(WLK_F_LIMIT_TENSORS);
	m.facts.final.complete = false;
	ck_assert_int_eq(judge(NAN_ACCEPTED("code: 'limit-*'")), VERDICT_REJECT); /* the rule is passed over */
	ck_assert_int_eq(judge("- {code: 'limit-*', action: review, reason: r}\n"), VERDICT_REVIEW);
}
END_TEST

START_TEST(test_a_broken_file_is_never_accepted_whatever_the_rules)
{
	one_finding(WLK_F_ST_JSON_SYNTAX);
	m.facts.final.complete = false;
	ck_assert_int_eq(judge(NAN_ACCEPTED("code: '*'")), VERDICT_REVIEW);
}
END_TEST

START_TEST(test_a_format_the_policy_does_not_allow_is_rejected)
{
	char error[POLICY_ERROR_MAX];
	const char *text = "version: 1\nformats: {deny: [safetensors]}\n";
	struct verdict_context c = made_context();
	struct policy *p = NULL;

	made_init(&m);
	ck_assert_int_eq(policy_parse((const uint8_t *)text, strlen(text), "x", &p, error), 0);
	ck_assert_int_eq(judge_in(p, &c), VERDICT_REJECT);
}
END_TEST

START_TEST(test_unknown_content_is_reviewed_and_under_an_allow_list_rejected)
{
	one_finding(WLK_F_FORMAT_UNKNOWN);
	m.facts.final.format = WLK_FORMAT_UNKNOWN;
	m.facts.final.complete = false;
	ck_assert_int_eq(judge_builtin("default"), VERDICT_REVIEW);
	ck_assert_int_eq(judge_builtin("strict"), VERDICT_REJECT);
	made_init(&m); /* died before anybody looked: that is an error, not a format */
	m.facts.final.format = WLK_FORMAT_UNKNOWN;
	made_stop(&m, WLK_CAUSE_WORKER_CRASHED);
	ck_assert_int_eq(judge_builtin("strict"), VERDICT_ERROR);
}
END_TEST

START_TEST(test_ci_accepts_what_repositories_hold_beside_models)
{
	const enum wlk_finding codes[] = { WLK_F_REPO_CODE, WLK_F_NPY_OBJECT_PICKLE, WLK_F_ONNX_TENSOR_ONLY,
		WLK_F_FORMAT_HTML, WLK_F_FORMAT_BESIDE };

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
		one_finding(codes[i]);
		ck_assert_int_eq(judge_builtin("default"), VERDICT_REVIEW);
		ck_assert_int_eq(judge_builtin("ci"), VERDICT_ACCEPT);
		ck_assert_int_eq(judge_builtin("strict"), VERDICT_REJECT);
	}
}
END_TEST

START_TEST(test_pointers_are_never_accepted)
{
	made_init(&m);
	(void)made_add(&m, WLK_F_LFS_POINTER);
	m.facts.final.format = WLK_FORMAT_LFS_POINTER;
	ck_assert_int_eq(judge_builtin("default"), VERDICT_REVIEW);
	ck_assert_int_eq(judge_builtin("ci"), VERDICT_REVIEW);
	ck_assert_int_eq(judge_builtin("reference"), VERDICT_REVIEW);
	ck_assert_int_eq(judge_builtin("strict"), VERDICT_REJECT);
}
END_TEST

#define PIN_6 "- {code: format-unknown, action: review, reason: r}\npin_rules: 6\n"
#define PIN_5 "- {code: format-unknown, action: review, reason: r}\npin_rules: 5\n"

START_TEST(test_codes_newer_than_the_pin_observe)
{
	one_finding(WLK_F_GGUF_RUNTIME_LIMIT); /* of 7, high */
	ck_assert_int_eq(judge(PIN_6), VERDICT_ACCEPT);
	ck_assert_int_eq(judge(PIN_6 "base: strict\n"), VERDICT_ACCEPT);
	ck_assert_int_eq(judge("- {code: format-unknown, action: review, reason: r}\npin_rules: 7\n"), VERDICT_REJECT);
	(void)made_add(&m, WLK_F_WEIGHTS_NAN); /* of 1: decides as ever */
	ck_assert_int_eq(judge(PIN_6), VERDICT_REVIEW);
}
END_TEST

START_TEST(test_a_rule_that_names_a_newer_code_decides)
{
	one_finding(WLK_F_GGUF_RUNTIME_LIMIT);
	ck_assert_int_eq(
	    judge("- {code: gguf-runtime-limit, action: review, reason: r}\npin_rules: 6\n"), VERDICT_REVIEW);
	ck_assert_int_eq(judge("- {code: gguf-runtime-*, action: reject, reason: r}\npin_rules: 6\n"), VERDICT_ACCEPT);
	m.facts.per_code[WLK_F_GGUF_RUNTIME_LIMIT] = 200;
	ck_assert_int_eq(judge(PIN_6), VERDICT_ACCEPT);
	ck_assert_int_eq(judge("- {code: gguf-runtime-limit, subject: x, action: reject, reason: r}\npin_rules: 6\n"),
	    VERDICT_REJECT); /* one of those nobody lists */
}
END_TEST

START_TEST(test_what_came_with_a_reader_or_in_place_of_another_decides_under_a_pin)
{
	static const enum wlk_finding held[] = { WLK_F_ZIP_NAME_WINDOWS, WLK_F_KERAS_LAMBDA_OWN,
		WLK_F_TORCH_SCRIPT_UNKNOWN, WLK_F_CTRANSLATE2_VARIABLE };

	for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++) {
		one_finding(held[i]);
		ck_assert_msg(judge(PIN_6) != VERDICT_ACCEPT, "%s", finding_info(held[i])->code);
	}
}
END_TEST

START_TEST(test_only_what_adds_and_vouches_for_nothing_observes)
{
	for (unsigned i = 0; i < WLK_N_FINDINGS; i++) {
		const struct finding_info *info = finding_info((enum wlk_finding)i);
		enum verdict_value pinned, not ;

		one_finding((enum wlk_finding)i);
		pinned = judge(PIN_5);
		not = judge_builtin("default");
		if (info->class == CLASS_INCOMPLETE || info->class == CLASS_UNSUPPORTED ||
		    info->class == CLASS_MALICIOUS || finding_since((enum wlk_finding)i) <= 5)
			ck_assert_msg(pinned == not, "%s", info->code);
		ck_assert_msg(
		    finding_since((enum wlk_finding)i) > 5 || !finding_adds((enum wlk_finding)i), "%s", info->code);
	}
}
END_TEST

START_TEST(test_newer_malicious_codes_decide_unless_they_are_pinned_too)
{
	one_finding(WLK_F_PICKLE_LOAD_TIME); /* of 6 */
	ck_assert_int_eq(judge(PIN_5), VERDICT_REJECT);
	ck_assert_int_eq(judge(PIN_5 "pin_malicious: false\n"), VERDICT_REJECT);
	ck_assert_int_eq(judge(PIN_5 "pin_malicious: true\n"), VERDICT_ACCEPT);
}
END_TEST

START_TEST(test_a_pin_accepts_nothing_that_was_not_examined_whole)
{
	one_finding(WLK_F_GGUF_RUNTIME_LIMIT);
	m.facts.final.complete = false;
	ck_assert_int_eq(judge(PIN_6), VERDICT_REVIEW);
	one_finding(WLK_F_GGUF_RUNTIME_LIMIT);
	made_stop(&m, WLK_CAUSE_LIMIT_TIME);
	ck_assert_int_eq(judge(PIN_6), VERDICT_ERROR);
}
END_TEST

START_TEST(test_verdicts_show_the_pin_and_what_observed)
{
	struct verdict_context c = made_context();
	struct policy *p = parse(PIN_6 "pin_malicious: true\n"), *again;
	char error[POLICY_ERROR_MAX], *text = policy_show(p);
	const json_t *finding, *policy;
	struct verdict v;

	one_finding(WLK_F_GGUF_RUNTIME_LIMIT);
	m.facts.per_code[WLK_F_GGUF_RUNTIME_LIMIT] = 150;
	ck_assert_int_eq(verdict_make(p, &m.facts, &c, &v), 0);
	finding = json_array_get(json_object_get(v.json, "findings"), 0);
	policy = json_object_get(v.json, "policy");
	ck_assert_str_eq(json_string_value(json_object_get(finding, "action")), "accept");
	ck_assert_str_eq(json_string_value(json_object_get(finding, "observed")), "reject");
	ck_assert_int_eq(json_integer_value(json_object_get(policy, "pin_rules")), 6);
	ck_assert_int_eq(json_integer_value(json_object_get(policy, "observed")), 150);
	ck_assert(json_is_true(json_object_get(policy, "pin_malicious")));
	ck_assert_int_eq(policy_parse((const uint8_t *)text, strlen(text), "shown", &again, error), 0);
	ck_assert_str_eq(policy_sha256(p), policy_sha256(again));
	json_decref(v.json);
	policy_free(again);
	policy_free(p);
	free(text);
}
END_TEST

HARNESS("policy_rules", test_codes_newer_than_the_pin_observe, test_a_rule_that_names_a_newer_code_decides,
    test_what_came_with_a_reader_or_in_place_of_another_decides_under_a_pin,
    test_only_what_adds_and_vouches_for_nothing_observes, test_newer_malicious_codes_decide_unless_they_are_pinned_too,
    test_a_pin_accepts_nothing_that_was_not_examined_whole, test_verdicts_show_the_pin_and_what_observed,
    test_ci_accepts_what_repositories_hold_beside_models, test_default_judges_by_severity,
    test_strict_turns_review_into_reject, test_reference_only_reviews_what_the_reference_loads,
    test_reference_tells_what_it_loads_by_what_was_found,
    test_reference_tolerates_omitted_occurrences_only_of_what_it_knows_whole,
    test_reference_rejects_polyglots_of_other_formats, test_the_first_matching_rule_wins, test_every_matcher_must_match,
    test_rules_see_path_and_tenant_of_the_request, test_a_rule_for_one_file_needs_its_digest,
    test_a_rule_applies_through_its_last_day, test_behind_an_expired_rule_the_next_one_counts,
    test_nothing_lowers_a_code_with_omitted_occurrences, test_omitted_occurrences_keep_all_listed_ones_in_force,
    test_malicious_findings_are_accepted_by_name_only, test_a_rule_about_a_subject_reaches_occurrences_nobody_lists,
    test_a_code_that_was_only_counted_is_judged, test_incomplete_findings_cannot_be_accepted,
    test_a_broken_file_is_never_accepted_whatever_the_rules, test_a_format_the_policy_does_not_allow_is_rejected,
    test_unknown_content_is_reviewed_and_under_an_allow_list_rejected, test_pointers_are_never_accepted)
