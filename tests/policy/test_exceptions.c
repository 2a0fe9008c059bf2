/* Exceptions by people: what a list says, what it lets pass, and what never passes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exceptions.h"
#include "harness.h"
#include "made_facts.h"

#define DIGEST "abababababababababababababababababababababababababababababababab"
#define OTHER "cdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd"
#define NOW 1790000000 /* 2026-09-21 */

static struct made m;
static char text[EXCEPTIONS_FILE_MAX + 1];
static char error[POLICY_ERROR_MAX];

static struct exceptions *parse(void)
{
	struct exceptions *e = NULL;

	ck_assert_msg(exceptions_parse(bytes_of_text(text), "list", &e, error) == 0, "%s", error);
	return e;
}

static int refused(void)
{
	struct exceptions *e = NULL;

	return exceptions_parse(bytes_of_text(text), "list", &e, error);
}

static struct exception like(const char *code)
{
	return (struct exception){ .sha256 = DIGEST,
		.codes = { code },
		.n_codes = 1,
		.reason = "looked at",
		.owner = "ml@example.org",
		.expires = "2026-12-31" };
}

static int add_as(uint64_t uid, struct exception x)
{
	const struct exception_act act = { .uid = uid, .name = uid == 1 ? "ann" : "bob", .now = NOW };
	struct exceptions *e = parse();
	char *line = NULL;
	int r = exceptions_add_line(e, &x, &act, &line, error);

	if (r == 0)
		memcpy(text + strlen(text), line, strlen(line) + 1);
	free(line);
	exceptions_free(e);
	return r;
}

static int add(uint64_t uid, const char *code)
{
	return add_as(uid, like(code));
}

static int revoke(uint64_t seq)
{
	const struct exception_act act = { .uid = 2, .name = "bob", .now = NOW };
	struct exceptions *e = parse();
	char *line = NULL;
	int r = exceptions_revoke_line(e, seq, "no more", &act, &line, error);

	if (r == 0)
		memcpy(text + strlen(text), line, strlen(line) + 1);
	free(line);
	exceptions_free(e);
	return r;
}

static struct verdict judge_on(int64_t day, const char *tenant)
{
	struct verdict_context c = made_context();
	struct exceptions *e = parse();
	struct policy *p;
	struct verdict v;

	c.started_at = NOW + day * 86400;
	c.tenant = tenant;
	ck_assert_int_eq(policy_by_name("default", &p), 0);
	policy_except(p, e);
	ck_assert_int_eq(verdict_make(p, &m.facts, &c, &v), 0);
	policy_free(p);
	exceptions_free(e);
	return v;
}

static enum verdict_value effective_on(int64_t day, const char *tenant)
{
	struct verdict v = judge_on(day, tenant);

	ck_assert_str_eq(json_string_value(json_object_get(v.json, "effective")), verdict_text(v.effective));
	json_decref(v.json);
	return v.effective;
}

static enum verdict_value effective(void)
{
	return effective_on(0, "t");
}

static void one_finding(enum wlk_finding code)
{
	made_init(&m);
	(void)made_add_at(&m, code, 100, "layers.3.bias");
	text[0] = '\0';
}

START_TEST(test_a_verdict_stays_and_says_what_is_effective)
{
	struct verdict v;
	const json_t *finding, *one;

	one_finding(WLK_F_ST_DATA_OVERLAP);
	ck_assert_int_eq(effective(), VERDICT_REJECT);
	ck_assert_int_eq(add(1, "safetensors-data-overlap"), 0);
	v = judge_on(0, "t");
	finding = json_array_get(json_object_get(v.json, "findings"), 0);
	one = json_array_get(json_object_get(v.json, "exceptions"), 0);
	ck_assert_int_eq(v.value, VERDICT_REJECT);
	ck_assert_int_eq(v.effective, VERDICT_ACCEPT);
	ck_assert_str_eq(json_string_value(json_object_get(v.json, "verdict")), "reject");
	ck_assert_str_eq(json_string_value(json_object_get(finding, "action")), "reject");
	ck_assert(json_is_true(json_object_get(finding, "excepted")));
	ck_assert_str_eq(json_string_value(json_object_get(one, "by")), "ann");
	json_decref(v.json);
}
END_TEST

START_TEST(test_another_code_of_the_same_file_reopens_it)
{
	one_finding(WLK_F_ST_DATA_OVERLAP);
	ck_assert_int_eq(add(1, "safetensors-data-overlap"), 0);
	(void)made_add(&m, WLK_F_WEIGHTS_NAN);
	ck_assert_int_eq(effective(), VERDICT_REVIEW);
	ck_assert_int_eq(add(1, "weights-nan"), 0);
	ck_assert_int_eq(effective(), VERDICT_ACCEPT);
}
END_TEST

START_TEST(test_another_file_another_tenant_and_another_day_are_not_meant)
{
	struct exception x = like("weights-nan");

	one_finding(WLK_F_WEIGHTS_NAN);
	x.sha256 = OTHER;
	ck_assert_int_eq(add_as(1, x), 0);
	ck_assert_int_eq(effective(), VERDICT_REVIEW);
	x.sha256 = DIGEST;
	x.tenant = "lab";
	ck_assert_int_eq(add_as(1, x), 0);
	ck_assert_int_eq(effective(), VERDICT_REVIEW);
	ck_assert_int_eq(effective_on(0, "lab"), VERDICT_ACCEPT);
	ck_assert_int_eq(effective_on(101, "lab"), VERDICT_ACCEPT); /* 2026-12-31 */
	ck_assert_int_eq(effective_on(102, "lab"), VERDICT_REVIEW);
}
END_TEST

START_TEST(test_malicious_needs_two_people)
{
	one_finding(WLK_F_PICKLE_GLOBAL_DANGEROUS);
	ck_assert_int_eq(add(1, "pickle-global-dangerous"), 0);
	ck_assert_int_eq(add(1, "pickle-global-dangerous"), 0);
	ck_assert_int_eq(effective(), VERDICT_REJECT);
	ck_assert_int_eq(add(2, "pickle-global-dangerous"), 0);
	ck_assert_int_eq(effective(), VERDICT_ACCEPT);
	ck_assert_int_eq(revoke(2), 0);
	ck_assert_int_eq(effective(), VERDICT_REJECT);
}
END_TEST

START_TEST(test_what_was_not_examined_is_never_excepted)
{
	one_finding(WLK_F_ST_DATA_OVERLAP);
	ck_assert_int_eq(add(1, "safetensors-data-overlap"), 0);
	m.facts.final.complete = false;
	ck_assert_int_eq(effective(), VERDICT_REJECT);
	for (unsigned i = 0; i < WLK_N_FINDINGS; i++) {
		const struct finding_info *info = finding_info((enum wlk_finding)i);

		one_finding((enum wlk_finding)i);
		if (info->class != CLASS_INCOMPLETE)
			continue;
		ck_assert_int_eq(add(1, info->code), -EINVAL);
		/* One that somebody wrote by hand. */
		(void)snprintf(text, sizeof(text),
		    "{\"schema\":\"weighlock.exception/1\",\"seq\":0,\"prev\":\"%064d\",\"at\":\"x\",\"by\":{\"uid\":1,"
		    "\"name\":\"a\"},\"add\":{\"sha256\":\"" DIGEST "\",\"codes\":[\"%s\"],\"reason\":\"r\","
		    "\"owner\":\"o\",\"expires\":\"2026-12-31\"}}\n",
		    0, info->code);
		ck_assert_int_ne(effective(), VERDICT_ACCEPT);
	}
	made_init(&m);
	made_stop(&m, WLK_CAUSE_LIMIT_TIME);
	text[0] = '\0';
	ck_assert_int_eq(effective(), VERDICT_ERROR);
}
END_TEST

START_TEST(test_an_exception_that_says_too_little_is_refused)
{
	struct exception x = like("weights-nan");

	one_finding(WLK_F_WEIGHTS_NAN);
	ck_assert_int_eq(add(1, "weights-nam"), -EINVAL);
	ck_assert_int_eq(add(1, "weights-*"), -EINVAL);
	x.expires = "2026-09-20"; /* yesterday */
	ck_assert_int_eq(add_as(1, x), -EINVAL);
	x = like("weights-nan");
	x.owner = NULL;
	ck_assert_int_eq(add_as(1, x), -EINVAL);
	x = like("weights-nan");
	x.reason = "";
	ck_assert_int_eq(add_as(1, x), -EINVAL);
	x = like("weights-nan");
	x.sha256 = "abab";
	ck_assert_int_eq(add_as(1, x), -EINVAL);
	ck_assert_int_eq(revoke(0), -EINVAL);
	ck_assert_uint_eq(strlen(text), 0);
}
END_TEST

START_TEST(test_a_list_that_was_changed_is_refused_as_a_whole)
{
	static char copy[sizeof(text)];
	char *second;

	one_finding(WLK_F_WEIGHTS_NAN);
	ck_assert_int_eq(add(1, "weights-nan"), 0);
	ck_assert_int_eq(add(2, "weights-inf"), 0);
	ck_assert_int_eq(revoke(0), 0);
	ck_assert_int_eq(revoke(0), -EINVAL);
	memcpy(copy, text, sizeof(text));
	second = strchr(text, '\n') + 1;
	memmove(text, second, strlen(second) + 1); /* without the first */
	ck_assert_int_eq(refused(), -EINVAL);
	memcpy(text, copy, sizeof(text));
	*strstr(text, "looked") = 'c'; /* another reason */
	ck_assert_int_eq(refused(), -EINVAL);
	memcpy(text, copy, sizeof(text));
	text[strlen(text) - 1] = '\0';
	ck_assert_int_eq(refused(), -EINVAL);
	ck_assert_str_eq(error, "list:3: the last line has no end");
	memcpy(text, copy, sizeof(text));
	exceptions_free(parse());
}
END_TEST

START_TEST(test_members_that_are_not_known_are_refused)
{
	static const char start[] =
	    "{\"schema\":\"weighlock.exception/1\",\"seq\":0,\"prev\":\"%064d\",\"at\":\"x\",\"by\":{"
	    "\"uid\":1,\"name\":\"a\"},\"add\":{\"sha256\":\"" DIGEST "\",\"codes\":[\"weights-nan\"],"
	    "\"reason\":\"r\",\"owner\":\"o\",\"expires\":\"2026-12-31\"%s}}\n";

	(void)snprintf(text, sizeof(text), start, 0, "");
	exceptions_free(parse());
	(void)snprintf(text, sizeof(text), start, 0, ",\"path\":\"a\"");
	ck_assert_int_eq(refused(), -EINVAL);
	(void)snprintf(text, sizeof(text), start, 0, ",\"tenant\":\"\"");
	ck_assert_int_eq(refused(), -EINVAL);
}
END_TEST

/* What was let pass can be taken back, however many others there are. */
START_TEST(test_a_full_list_takes_revocations)
{
	static char long_text[EXCEPTION_TEXT_MAX + 1];
	const struct exception_act act = { .uid = 1, .name = "ann", .now = NOW };
	struct exception x = like("weights-nan");
	struct exceptions *e;
	char *line = NULL;

	text[0] = '\0';
	memset(long_text, 1, EXCEPTION_TEXT_MAX); /* six bytes each, as JSON */
	x.reason = x.owner = long_text;
	while (strlen(text) <= EXCEPTIONS_ADD_MAX)
		ck_assert_int_eq(add_as(1, x), 0);
	ck_assert_int_eq(add(1, "weights-nan"), -EINVAL);
	ck_assert_ptr_nonnull(strstr(error, "full"));
	e = parse();
	ck_assert_int_eq(exceptions_revoke_line(e, 0, "no more", &act, &line, error), 0);
	free(line);
	exceptions_free(e);
}
END_TEST

HARNESS("policy_exceptions", test_a_verdict_stays_and_says_what_is_effective,
    test_another_code_of_the_same_file_reopens_it, test_another_file_another_tenant_and_another_day_are_not_meant,
    test_malicious_needs_two_people, test_what_was_not_examined_is_never_excepted,
    test_an_exception_that_says_too_little_is_refused, test_a_list_that_was_changed_is_refused_as_a_whole,
    test_members_that_are_not_known_are_refused, test_a_full_list_takes_revocations)
