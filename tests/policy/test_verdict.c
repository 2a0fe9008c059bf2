/* From hand-made facts to verdicts: value, reasons, bounds and text, policy/verdict.c and catalog.c. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "made_facts.h"

static struct made m;
static struct verdict v;

static struct policy *parse(const char *text)
{
	char error[POLICY_ERROR_MAX];
	struct policy *p = NULL;

	ck_assert_msg(policy_parse((const uint8_t *)text, strlen(text), "hub.yaml", &p, error) == 0, "%s", error);
	return p;
}

static void judge_with(const char *policy)
{
	struct verdict_context c = made_context();
	struct policy *p = parse(policy);

	ck_assert_int_eq(verdict_make(p, &m.facts, &c, &v), 0);
	policy_free(p);
}

static void judge(void)
{
	judge_with("version: 1\n");
}

static const json_t *at(const char *member)
{
	const json_t *value = json_object_get(v.json, member);

	ck_assert_msg(value != NULL, "%s", member);
	return value;
}

static const json_t *finding(size_t i)
{
	return json_array_get(at("findings"), i);
}

static const char *text_of(const json_t *object, const char *member)
{
	const char *text = json_string_value(json_object_get(object, member));

	return text != NULL ? text : "(none)";
}

static void check_dump(const char *want_part, bool present)
{
	char *text = verdict_dump(&v);

	ck_assert_ptr_nonnull(text);
	ck_assert_msg((strstr(text, want_part) != NULL) == present, "%s in %s", want_part, text);
	free(text);
}

static void value_is(enum verdict_value want, bool complete, const char *cause)
{
	ck_assert_int_eq(v.value, want);
	ck_assert_str_eq(text_of(v.json, "verdict"), verdict_text(want));
	ck_assert_int_eq(json_is_true(at("complete")), complete);
	ck_assert_str_eq(text_of(at("scan"), "error"), cause != NULL ? cause : "(none)");
	json_decref(v.json);
}

static void reasons_are(const char *a, const char *b, const char *c)
{
	const char *const want[] = { a, b, c };
	size_t n = 0;

	while (n < 3 && want[n] != NULL)
		n++;
	ck_assert_uint_eq(json_array_size(at("reasons")), n);
	for (size_t i = 0; i < n; i++)
		ck_assert_str_eq(json_string_value(json_array_get(at("reasons"), i)), want[i]);
}

/* ---- the value ---- */

START_TEST(test_accept_needs_a_complete_scan_with_a_digest)
{
	made_init(&m);
	judge();
	reasons_are(NULL, NULL, NULL);
	value_is(VERDICT_ACCEPT, true, NULL);

	made_init(&m);
	m.facts.final.has_digest = false;
	judge();
	ck_assert(json_is_null(json_object_get(at("file"), "sha256")));
	value_is(VERDICT_ERROR, false, "worker-protocol");

	made_init(&m);
	m.facts.has_final = false;
	judge();
	value_is(VERDICT_ERROR, false, "worker-protocol");

	made_init(&m);
	m.facts.final.complete = false; /* and nothing says why */
	judge();
	reasons_are("incomplete", NULL, NULL);
	value_is(VERDICT_ERROR, false, "worker-protocol");
}
END_TEST

START_TEST(test_a_remark_does_not_explain_an_incomplete_scan)
{
	made_init(&m);
	m.facts.final.complete = false;
	(void)made_add(&m, WLK_F_ST_METADATA_NULL);
	judge();
	value_is(VERDICT_ERROR, false, "worker-protocol");
}
END_TEST

START_TEST(test_every_cause_is_an_error_and_says_when_to_retry)
{
	for (unsigned i = WLK_CAUSE_NONE + 1; i < WLK_N_CAUSES; i++) {
		enum wlk_cause cause = (enum wlk_cause)i;

		made_init(&m);
		made_stop(&m, cause);
		judge();
		reasons_are("incomplete", NULL, NULL);
		ck_assert_str_eq(
		    text_of(at("scan"), "retry"), cause_retry(cause) == WLK_RETRY_LATER ? "later" : "never");
		value_is(VERDICT_ERROR, false, cause_text(cause));
	}
}
END_TEST

START_TEST(test_error_stands_above_review)
{
	made_init(&m);
	(void)made_add(&m, WLK_F_WEIGHTS_NAN);
	made_stop(&m, WLK_CAUSE_INPUT_CHANGED);
	judge();
	value_is(VERDICT_ERROR, false, "input-changed");
}
END_TEST

START_TEST(test_reject_stands_above_error_and_keeps_the_cause)
{
	made_init(&m);
	(void)made_add(&m, WLK_F_ST_DATA_OVERLAP);
	made_stop(&m, WLK_CAUSE_WORKER_CRASHED);
	judge();
	reasons_are("ambiguous", NULL, NULL);
	ck_assert_str_eq(text_of(at("scan"), "retry"), "never");
	value_is(VERDICT_REJECT, false, "worker-crashed");
}
END_TEST

START_TEST(test_a_contradictory_accept_is_an_error)
{
	made_init(&m);
	m.facts.final.cause = WLK_CAUSE_LIMIT_TIME; /* complete stays set */
	judge();
	value_is(VERDICT_ERROR, false, "limit-time");
}
END_TEST

START_TEST(test_a_broken_file_is_rejected_for_what_was_found)
{
	made_init(&m);
	(void)made_add_at(&m, WLK_F_ST_JSON_SYNTAX, 9, "");
	m.facts.final.complete = false;
	judge();
	reasons_are("malformed", NULL, NULL);
	value_is(VERDICT_REJECT, false, NULL);
}
END_TEST

START_TEST(test_a_file_nobody_could_read_has_neither_size_nor_digest)
{
	made_init(&m);
	m.facts.final = (struct report_final){ .cause = WLK_CAUSE_INPUT_UNREADABLE };
	judge();
	ck_assert(json_is_null(json_object_get(at("file"), "size")));
	ck_assert(json_is_null(json_object_get(at("file"), "sha256")));
	ck_assert(json_is_null(at("format")));
	value_is(VERDICT_ERROR, false, "input-unreadable");
}
END_TEST

START_TEST(test_reasons_are_the_classes_that_decided_worst_first)
{
	made_init(&m);
	(void)made_add(&m, WLK_F_WEIGHTS_NAN);          /* quality, medium: does not decide */
	(void)made_add(&m, WLK_F_ST_TENSOR_NAME_EMPTY); /* quality, high */
	(void)made_add(&m, WLK_F_ST_JSON_SYNTAX);       /* malformed, high */
	(void)made_add(&m, WLK_F_ST_HEADER_START);      /* malformed, high */
	(void)made_add(&m, WLK_F_ST_DATA_OVERLAP);      /* ambiguous, critical */
	judge();
	reasons_are("ambiguous", "malformed", "quality");
	value_is(VERDICT_REJECT, true, NULL);

	made_init(&m);
	(void)made_add(&m, WLK_F_WEIGHTS_NAN);
	(void)made_add(&m, WLK_F_WEIGHTS_INF_MASK);
	judge();
	reasons_are("quality", NULL, NULL);
	value_is(VERDICT_REVIEW, true, NULL);
}
END_TEST

/* ---- findings ---- */

START_TEST(test_findings_are_sorted_worst_first_then_by_offset)
{
	made_init(&m);
	(void)made_add_at(&m, WLK_F_WEIGHTS_NAN, 5, "nan");
	(void)made_add_at(&m, WLK_F_ST_HEADER_START, 900, "late");
	(void)made_add_at(&m, WLK_F_ST_HEADER_PADDING, 8, "early");
	(void)made_add_at(&m, WLK_F_ST_DATA_OVERLAP, 999, "worst");
	judge();
	ck_assert_str_eq(text_of(finding(0), "subject"), "worst");
	ck_assert_str_eq(text_of(finding(1), "subject"), "early");
	ck_assert_str_eq(text_of(finding(2), "subject"), "late");
	ck_assert_str_eq(text_of(finding(3), "subject"), "nan");
	ck_assert_str_eq(text_of(finding(0), "action"), "reject");
	ck_assert_str_eq(text_of(finding(3), "action"), "review");
	json_decref(v.json);
}
END_TEST

START_TEST(test_a_message_is_the_title_and_the_numbers)
{
	struct finding *f;

	made_init(&m);
	f = made_add_at(&m, WLK_F_ST_SIZE_MISMATCH, 512, "evil\x1b[2J");
	f->found = value_number(12);
	f->allowed = value_number(UINT64_MAX);
	judge();
	ck_assert_str_eq(text_of(finding(0), "message"), "the bytes of a tensor are not what its shape and type need: "
							 "found 12, allowed 18446744073709551615 (at byte 512)");
	ck_assert_str_eq(text_of(finding(0), "subject"), "evil\\x1B[2J");
	ck_assert_int_eq(json_integer_value(json_object_get(finding(0), "found")), 12);
	ck_assert_str_eq(text_of(finding(0), "allowed"), "18446744073709551615"); /* above 2^53-1 */
	check_dump("\x1b", false);
	json_decref(v.json);
}
END_TEST

START_TEST(test_numbers_above_2_53_minus_1_are_strings)
{
	made_init(&m);
	(void)made_add_at(&m, WLK_F_ST_HEADER_START, (UINT64_C(1) << 53) - 1, "a");
	(void)made_add_at(&m, WLK_F_ST_HEADER_START, UINT64_C(1) << 53, "b");
	judge();
	check_dump("\"offset\":9007199254740991,", true);
	check_dump("\"offset\":\"9007199254740992\",", true);
	json_decref(v.json);
}
END_TEST

START_TEST(test_texts_of_a_finding_are_cut_to_256_bytes)
{
	char long_name[REPORT_STRING_MAX];
	struct finding *f;

	made_init(&m);
	memset(long_name, 0x01, sizeof(long_name));
	f = made_add(&m, WLK_F_ST_TENSOR_NAME_CONTROL);
	f->subject = f->member = bytes_of(long_name, sizeof(long_name));
	f->found = f->allowed = value_text(bytes_of(long_name, sizeof(long_name)));
	judge();
	for (const char *const *key = (const char *const[]){ "subject", "member", "found", "allowed", NULL }; *key;
	     key++) {
		ck_assert_uint_eq(strlen(text_of(finding(0), *key)), 4 * 63 + 3);
		ck_assert_str_eq(text_of(finding(0), *key) + 4 * 63, "...");
	}
	json_decref(v.json);
}
END_TEST

START_TEST(test_the_last_of_a_code_carries_the_count_of_all)
{
	made_init(&m);
	(void)made_add_at(&m, WLK_F_WEIGHTS_NAN, 2, "b");
	(void)made_add_at(&m, WLK_F_WEIGHTS_NAN, 1, "a");
	m.facts.per_code[WLK_F_WEIGHTS_NAN] = 1234;
	judge();
	ck_assert_ptr_null(json_object_get(finding(0), "count"));
	ck_assert_int_eq(json_integer_value(json_object_get(finding(1), "count")), 1234);
	json_decref(v.json);

	m.facts.per_code[WLK_F_WEIGHTS_NAN] = 2; /* all are listed */
	judge();
	ck_assert_ptr_null(json_object_get(finding(1), "count"));
	json_decref(v.json);
}
END_TEST

START_TEST(test_a_code_that_was_only_counted_is_listed_once)
{
	made_init(&m);
	m.facts.per_code[WLK_F_ST_DATA_HOLE] = 7;
	judge();
	ck_assert_uint_eq(json_array_size(at("findings")), 1);
	ck_assert_str_eq(text_of(finding(0), "code"), "safetensors-data-hole");
	ck_assert_int_eq(json_integer_value(json_object_get(finding(0), "count")), 7);
	value_is(VERDICT_REJECT, true, NULL);
}
END_TEST

START_TEST(test_what_a_rule_sets_aside_is_shown_with_its_reason)
{
	const json_t *s;

	made_init(&m);
	(void)made_add_at(&m, WLK_F_WEIGHTS_NAN, 100, "bn.running_var");
	(void)made_add_at(&m, WLK_F_WEIGHTS_INF_MASK, 200, "mask");
	judge_with("version: 1\nrules:\n- {class: quality, action: accept, reason: known, owner: me, "
		   "expires: 2026-12-31}\n");
	ck_assert_uint_eq(json_array_size(at("suppressed")), 1);
	s = json_array_get(at("suppressed"), 0);
	ck_assert_str_eq(text_of(s, "code"), "weights-nan");
	ck_assert_str_eq(text_of(s, "reason"), "known");
	ck_assert_str_eq(text_of(s, "owner"), "me");
	ck_assert_str_eq(text_of(s, "expires"), "2026-12-31");
	ck_assert_uint_eq(json_array_size(at("findings")), 1); /* the mask was accepted anyway */
	ck_assert_str_eq(text_of(finding(0), "code"), "weights-inf-mask");
	value_is(VERDICT_ACCEPT, true, NULL);
}
END_TEST

START_TEST(test_a_format_that_is_not_allowed_says_so)
{
	made_init(&m);
	judge_with("version: 1\nformats: {allow: []}\n");
	ck_assert_str_eq(text_of(finding(0), "code"), "format-not-allowed");
	ck_assert_str_eq(text_of(finding(0), "found"), "safetensors");
	reasons_are("unsupported", NULL, NULL);
	value_is(VERDICT_REJECT, true, NULL);
}
END_TEST

/* ---- bounds ---- */

/* Everything as long as it can be, in bytes that grow fivefold. */
static void make_huge(struct finding *findings, uint8_t *junk)
{
	static uint8_t keys[256][64];

	made_init(&m);
	memset(junk, 0xff, REPORT_STRING_MAX);
	for (size_t i = 0; i < REPORT_FINDINGS_MAX; i++) {
		enum wlk_finding code = (enum wlk_finding)(i % 50);

		findings[i] = (struct finding){ .code = code,
			.has_offset = true,
			.offset = UINT64_MAX - i,
			.has_length = true,
			.length = UINT64_MAX,
			.subject = bytes_of(junk, REPORT_STRING_MAX),
			.member = bytes_of(junk, REPORT_STRING_MAX),
			.found = value_text(bytes_of(junk, REPORT_STRING_MAX)),
			.allowed = value_text(bytes_of(junk, REPORT_STRING_MAX)) };
		m.facts.per_code[code]++;
	}
	m.facts.findings = findings;
	m.facts.n_findings = REPORT_FINDINGS_MAX;
	for (size_t i = 0; i < REPORT_NONFINITE_MAX; i++)
		m.rows[i] = (struct nonfinite){ .tensor = bytes_of(junk, REPORT_STRING_MAX),
			.dtype = WLK_DTYPE_F8_E4M3FNUZ,
			.nan = UINT64_MAX,
			.pos_inf = UINT64_MAX,
			.neg_inf = UINT64_MAX,
			.first_offset = UINT64_MAX };
	m.facts.n_rows = REPORT_NONFINITE_MAX;
	m.facts.final.totals.nonfinite_omitted = 5;
	for (size_t i = 0; i < 256; i++) {
		keys[i][0] = (uint8_t)i;
		memset(keys[i] + 1, 0xff, sizeof(keys[i]) - 1);
		m.extra[i] = (struct fact){ .id = WLK_FACT_TENSORS_BY_DTYPE,
			.key = bytes_of(keys[i], sizeof(keys[i])),
			.value = value_text(bytes_of(junk, REPORT_STRING_MAX)) };
	}
	m.facts.n_facts = 256;
	m.facts.final.media_type = bytes_of(junk, REPORT_STRING_MAX);
}

static void check_counts_add_up(const struct facts *f)
{
	uint64_t shown[WLK_N_FINDINGS] = { 0 }, counted[WLK_N_FINDINGS] = { 0 };

	for (size_t i = 0; i < json_array_size(at("findings")); i++) {
		enum wlk_finding code;

		ck_assert(finding_by_code(text_of(finding(i), "code"), &code));
		shown[code]++;
		counted[code] = (uint64_t)json_integer_value(json_object_get(finding(i), "count"));
	}
	for (unsigned code = 0; code < WLK_N_FINDINGS; code++) {
		ck_assert((shown[code] > 0) == (f->per_code[code] > 0)); /* no code disappears */
		ck_assert(shown[code] == f->per_code[code] || counted[code] == f->per_code[code]);
	}
}

static void judge_huge(const char *policy)
{
	char name[4097];
	struct verdict_context c = made_context();
	struct policy *p = parse(policy);

	memset(name, 0xff, sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	c.name = c.request_id = name;
	ck_assert_int_eq(verdict_make(p, &m.facts, &c, &v), 0);
	policy_free(p);
}

START_TEST(test_the_largest_verdict_stays_below_1_mib_and_counts_the_rest)
{
	static struct finding findings[REPORT_FINDINGS_MAX];
	static uint8_t junk[REPORT_STRING_MAX];
	const json_t *weights;
	char *text;

	make_huge(findings, junk);
	judge_huge("version: 1\n");
	text = verdict_dump(&v);
	ck_assert_uint_le(strlen(text), VERDICT_BYTES_MAX);
	ck_assert_uint_ge(
	    strlen(text), VERDICT_BYTES_MAX - 32768); /* not cut for nothing: a finding and the room kept for counts */
	ck_assert_ptr_null(strchr(text, '\n'));
	free(text);
	check_counts_add_up(&m.facts);
	ck_assert_uint_le(json_dumpb(at("facts"), NULL, 0, JSON_COMPACT), 32768);
	weights = at("weights");
	ck_assert_uint_eq(json_array_size(json_object_get(weights, "nonfinite")) +
			      (uint64_t)json_integer_value(json_object_get(weights, "nonfinite_omitted")),
	    REPORT_NONFINITE_MAX + 5);
	value_is(VERDICT_REJECT, true, NULL);
}
END_TEST

START_TEST(test_as_many_findings_set_aside_stay_below_1_mib_too)
{
	static struct finding findings[REPORT_FINDINGS_MAX];
	static uint8_t junk[REPORT_STRING_MAX];
	char *text;

	make_huge(findings, junk);
	judge_huge("version: 1\nrules:\n- {code: '*', action: accept, reason: r, expires: 2099-01-01}\n");
	text = verdict_dump(&v);
	ck_assert_uint_le(strlen(text), VERDICT_BYTES_MAX);
	ck_assert_ptr_nonnull(strstr(text, "\"suppressed\":[{"));
	free(text);
	json_decref(v.json);
}
END_TEST

/* ---- the rest ---- */

START_TEST(test_weights_are_shown_only_when_they_were_looked_at)
{
	made_init(&m);
	judge();
	ck_assert_int_eq(json_integer_value(json_object_get(at("weights"), "elements")), 1000);
	json_decref(v.json);
	m.facts.final.totals = (struct report_totals){ 0 };
	m.facts.final.complete = false;
	(void)made_add(&m, WLK_F_ST_FILE_TOO_SHORT);
	judge();
	ck_assert_ptr_null(json_object_get(v.json, "weights"));
	json_decref(v.json);
	made_init(&m);
	m.facts.final.format = WLK_FORMAT_LFS_POINTER;
	judge();
	ck_assert_ptr_null(json_object_get(v.json, "weights"));
	json_decref(v.json);
}
END_TEST

START_TEST(test_rows_and_facts_come_through)
{
	made_init(&m);
	m.rows[0] = (struct nonfinite){
		.tensor = bytes_of_text("a\nb"), .dtype = WLK_DTYPE_BF16, .nan = 3, .pos_inf = 1, .first_offset = 77
	};
	m.facts.n_rows = 1;
	m.extra[0] =
	    (struct fact){ .id = WLK_FACT_TENSORS_BY_DTYPE, .key = bytes_of_text("F32"), .value = value_number(2) };
	m.extra[1] =
	    (struct fact){ .id = WLK_FACT_TENSORS_BY_DTYPE, .key = bytes_of_text("I8"), .value = value_number(1) };
	m.extra[2] = (struct fact){ .id = WLK_FACT_HEADER_BYTES, .value = value_number(80) };
	m.facts.n_facts = 3;
	judge();
	check_dump("\"nonfinite\":[{\"tensor\":\"a\\\\x0Ab\",\"dtype\":\"BF16\",\"nan\":3,\"pos_inf\":1,"
		   "\"neg_inf\":0,"
		   "\"first_offset\":77}],\"nonfinite_omitted\":0",
	    true);
	check_dump("\"facts\":{\"tensors_by_dtype\":{\"F32\":2,\"I8\":1},\"header_bytes\":80}", true);
	json_decref(v.json);
}
END_TEST

START_TEST(test_the_scan_says_who_when_and_how)
{
	static const int layer_errno[] = { 0, 1, 0 };
	static const char *const layer_names[] = { "seccomp", "landlock", "no-caps" };
	struct verdict_context c = made_context();
	struct policy *p = parse("version: 1\n");
	const json_t *scan;

	made_init(&m);
	c.layer_errno = layer_errno;
	c.layer_names = layer_names;
	c.n_layers = 3;
	c.request_id = "r-1\x1b";
	c.source = VERDICT_SEALED;
	c.name = "a\\b\x07\xff.safetensors";
	ck_assert_int_eq(verdict_make(p, &m.facts, &c, &v), 0);
	policy_free(p);
	scan = at("scan");
	ck_assert_str_eq(text_of(scan, "engine"), "weighlock " WLK_VERSION);
	ck_assert_str_eq(text_of(scan, "rules"), rules_sha256());
	ck_assert_str_eq(text_of(scan, "time"), "2026-11-21T00:00:00Z");
	ck_assert_str_eq(text_of(scan, "source"), "sealed");
	ck_assert_str_eq(text_of(scan, "request_id"), "r-1\\x1B");
	ck_assert_str_eq(text_of(at("file"), "name"), "a\\\\b\\x07\\xFF.safetensors");
	check_dump("\"layers\":[\"seccomp\",\"no-caps\"]", true);
	check_dump("\"duration_ms\":12.346,", true);
	check_dump("\"reader\":{\"format\":\"safetensors\",\"revision\":1}", true);
	json_decref(v.json);
}
END_TEST

START_TEST(test_rules_json_lists_every_finding)
{
	json_t *rules = rules_json();
	json_t *formats = formats_json();

	ck_assert_uint_eq(json_array_size(json_object_get(rules, "rules")), WLK_N_FINDINGS);
	ck_assert_str_eq(text_of(rules, "sha256"), rules_sha256());
	ck_assert_uint_eq(strlen(rules_sha256()), 64);
	ck_assert_uint_eq(json_array_size(json_object_get(formats, "formats")),
	    WLK_N_FORMATS - 4); /* not the unknown, the unread, the named as such and sets */
	ck_assert_str_eq(text_of(json_array_get(json_object_get(formats, "formats"), 0), "format"), "safetensors");
	json_decref(rules);
	json_decref(formats);
}
END_TEST

START_TEST(test_rules_json_names_the_advisories)
{
	json_t *rules = rules_json(), *list = json_object_get(rules, "rules"), *rule, *numbers;
	size_t i, n_empty = 0;

	json_array_foreach (list, i, rule) {
		numbers = json_object_get(rule, "references");
		ck_assert(json_is_array(numbers));
		n_empty += json_array_size(numbers) == 0;
		if (strcmp(text_of(rule, "code"), "config-digest") != 0)
			continue;
		ck_assert_uint_eq(json_array_size(numbers), 2);
		ck_assert_str_eq(json_string_value(json_array_get(numbers, 1)), "CVE-2026-7020");
	}
	ck_assert_uint_gt(n_empty, 0);
	json_decref(rules);
}
END_TEST

START_TEST(test_every_title_fits_a_message_with_its_numbers)
{
	for (unsigned i = 0; i < WLK_N_FINDINGS; i++)
		ck_assert_uint_le(strlen(finding_info((enum wlk_finding)i)->title), 200);
}
END_TEST

HARNESS("policy_verdict", test_accept_needs_a_complete_scan_with_a_digest,
    test_a_remark_does_not_explain_an_incomplete_scan, test_every_cause_is_an_error_and_says_when_to_retry,
    test_error_stands_above_review, test_reject_stands_above_error_and_keeps_the_cause,
    test_a_contradictory_accept_is_an_error, test_a_broken_file_is_rejected_for_what_was_found,
    test_a_file_nobody_could_read_has_neither_size_nor_digest, test_reasons_are_the_classes_that_decided_worst_first,
    test_findings_are_sorted_worst_first_then_by_offset, test_a_message_is_the_title_and_the_numbers,
    test_numbers_above_2_53_minus_1_are_strings, test_texts_of_a_finding_are_cut_to_256_bytes,
    test_the_last_of_a_code_carries_the_count_of_all, test_a_code_that_was_only_counted_is_listed_once,
    test_what_a_rule_sets_aside_is_shown_with_its_reason, test_a_format_that_is_not_allowed_says_so,
    test_the_largest_verdict_stays_below_1_mib_and_counts_the_rest,
    test_as_many_findings_set_aside_stay_below_1_mib_too, test_weights_are_shown_only_when_they_were_looked_at,
    test_rows_and_facts_come_through, test_the_scan_says_who_when_and_how, test_rules_json_lists_every_finding,
    test_rules_json_names_the_advisories, test_every_title_fits_a_message_with_its_numbers)
