/* What answers mean.  One answer is an accept; each with one thing changed is not. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "outcome.h"

#define DIGEST "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER_DIGEST "1123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define FILE_12 "\"file\":{\"name\":\"m\",\"size\":12,\"sha256\":\"" DIGEST "\"}"
#define SCHEMA "\"schema\":\"weighlock.verdict/1\","
#define ACCEPT "{" SCHEMA "\"verdict\":\"accept\",\"complete\":true," FILE_12 ",\"scan\":{}}"

static const struct wlc_expect ours = { .sent_whole = true, .size = 12, .sha256 = DIGEST };

static struct wlc_reply reply_of(unsigned status, const char *header)
{
	struct wlc_reply r = {
		.state = WLC_REPLY_WHOLE, .status = status, .is_json = status == 200, .is_problem = status != 200
	};

	snprintf(r.verdict, sizeof(r.verdict), "%s", header);
	return r;
}

static struct wlc_result judged(struct wlc_reply r, const char *json, struct wlc_expect e)
{
	struct wlc_result ret;

	wlc_judge(&r, json, json != NULL ? strlen(json) : 0, &e, &ret);
	ck_assert(ret.outcome != WEIGHLOCK_PENDING && ret.detail != NULL);
	ck_assert((ret.verdict != WEIGHLOCK_NONE) == (ret.outcome == WEIGHLOCK_VERDICT));
	return ret;
}

static struct wlc_result of_body(const char *header, const char *json)
{
	return judged(reply_of(200, header), json, ours);
}

START_TEST(test_an_accept_of_our_bytes_is_one)
{
	ck_assert_int_eq(of_body("accept", ACCEPT).verdict, WEIGHLOCK_ACCEPT);
	ck_assert_int_eq(of_body("accept", ACCEPT).retry, WEIGHLOCK_RETRY_NEVER);
	ck_assert_int_eq(
	    judged(reply_of(200, "accept"), ACCEPT, (struct wlc_expect){ .sent_whole = true, .size = 12, .sha256 = "" })
		.verdict,
	    WEIGHLOCK_ACCEPT);
}
END_TEST

START_TEST(test_an_accept_with_one_thing_changed_is_none)
{
	static const struct {
		const char *header, *json;
	} cases[] = {
		{ "", ACCEPT },
		{ "review", ACCEPT },
		{ "Accept", ACCEPT },
		{ "accept", "{" SCHEMA "\"verdict\":\"accept\",\"complete\":false," FILE_12 "}" },
		{ "accept", "{" SCHEMA "\"verdict\":\"accept\"," FILE_12 "}" },
		{ "accept", "{" SCHEMA "\"verdict\":\"accept\",\"complete\":true," FILE_12
			    ",\"scan\":{\"error\":\"cancelled\"}}" },
		{ "accept", "{" SCHEMA "\"verdict\":\"accept\",\"complete\":true," FILE_12
			    ",\"scan\":{\"digest_by\":\"caller\"}}" },
		{ "accept",
		    "{\"schema\":\"weighlock.verdict/2\",\"verdict\":\"accept\",\"complete\":true," FILE_12 "}" },
		{ "accept", "{\"verdict\":\"accept\",\"complete\":true," FILE_12 "}" },
		{ "accept",
		    "{" SCHEMA "\"verdict\":\"accept\",\"complete\":true,\"file\":{\"size\":11,\"sha256\":\"" DIGEST
		    "\"}}" },
		{ "accept",
		    "{" SCHEMA "\"verdict\":\"accept\",\"complete\":true,\"file\":{\"sha256\":\"" DIGEST "\"}}" },
		{ "accept", "{" SCHEMA
			    "\"verdict\":\"accept\",\"complete\":true,\"file\":{\"size\":12,\"sha256\":\"" OTHER_DIGEST
			    "\"}}" },
		{ "accept", "{" SCHEMA "\"verdict\":\"accept\",\"complete\":true,\"file\":{\"size\":12}}" },
		{ "accept", "{" SCHEMA "\"verdict\":\"accept\",\"complete\":true}" },
		{ "accept",
		    "{" SCHEMA
		    "\"verdict\":\"accept\",\"complete\":true,\"type\":\"urn:weighlock:problem:busy\"," FILE_12 "}" },
		{ "accept", "{" SCHEMA "\"verdict\":\"ACCEPT\",\"complete\":true," FILE_12 "}" },
		{ "accept", "{" SCHEMA "\"verdict\":\"accept \",\"complete\":true," FILE_12 "}" },
		{ "accept", ACCEPT ACCEPT },
		{ "accept", "accept" },
		{ "accept", "" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct wlc_result r = of_body(cases[i].header, cases[i].json);

		ck_assert_msg(
		    r.outcome == WEIGHLOCK_FAILED && r.error == EPROTO, "%s: %s", cases[i].header, cases[i].json);
	}
}
END_TEST

START_TEST(test_surroundings_of_an_accept_count)
{
	struct wlc_reply r = reply_of(200, "accept");
	struct wlc_expect e = ours;

	e.sent_whole = false;
	ck_assert_int_eq(judged(r, ACCEPT, e).outcome, WEIGHLOCK_FAILED);
	r.state = WLC_REPLY_BODY;
	ck_assert_int_eq(judged(r, ACCEPT, ours).outcome, WEIGHLOCK_FAILED);
	r = reply_of(200, "accept");
	r.is_json = false;
	ck_assert_int_eq(judged(r, ACCEPT, ours).outcome, WEIGHLOCK_FAILED);
	for (unsigned status = 201; status < 600; status++)
		ck_assert_int_ne(judged(reply_of(status, "accept"), ACCEPT, ours).outcome, WEIGHLOCK_VERDICT);
}
END_TEST

START_TEST(test_other_verdicts_are_what_they_say)
{
	char json[256];
	static const struct {
		const char *word;
		enum weighlock_verdict verdict;
	} cases[] = { { "review", WEIGHLOCK_REVIEW }, { "reject", WEIGHLOCK_REJECT }, { "error", WEIGHLOCK_ERROR },
		{ "quarantine", WEIGHLOCK_OTHER }, { "none", WEIGHLOCK_OTHER }, { "other", WEIGHLOCK_OTHER } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		snprintf(json, sizeof(json), "{" SCHEMA "\"verdict\":\"%s\"}", cases[i].word);
		ck_assert_int_eq(of_body(cases[i].word, json).verdict, cases[i].verdict);
	}
}
END_TEST

START_TEST(test_errors_say_whether_to_ask_again)
{
	struct wlc_reply r = reply_of(200, "error");

	r.retry_after_s = 9;
	ck_assert_int_eq(of_body("error", "{" SCHEMA "\"verdict\":\"error\",\"scan\":{\"retry\":\"never\"}}").retry,
	    WEIGHLOCK_RETRY_NEVER);
	ck_assert_int_eq(of_body("error", "{" SCHEMA "\"verdict\":\"error\",\"scan\":{\"retry\":\"later\"}}").retry,
	    WEIGHLOCK_RETRY_LATER);
	ck_assert_uint_eq(of_body("error", "{" SCHEMA "\"verdict\":\"error\"}").retry_after_s, 1);
	ck_assert_uint_eq(judged(r, "{" SCHEMA "\"verdict\":\"error\"}", ours).retry_after_s, 9);
}
END_TEST

START_TEST(test_problems_say_whether_to_ask_again)
{
	struct wlc_reply r = reply_of(503, "");
	struct wlc_result got;

	r.retry_after_s = 100000;
	got = judged(r, "{\"type\":\"urn:weighlock:problem:busy\",\"status\":503,\"retry\":\"later\"}", ours);
	ck_assert(got.outcome == WEIGHLOCK_PROBLEM && got.retry == WEIGHLOCK_RETRY_LATER && got.retry_after_s == 3600);
	ck_assert_str_eq(got.problem, "urn:weighlock:problem:busy");
	got = judged(reply_of(413, ""), "{\"type\":\"urn:weighlock:problem:too-large\",\"retry\":\"never\"}", ours);
	ck_assert(got.outcome == WEIGHLOCK_PROBLEM && got.retry == WEIGHLOCK_RETRY_NEVER && got.retry_after_s == 0);
	got = judged(reply_of(502, ""), "<html>", ours); /* of something in between */
	ck_assert(got.outcome == WEIGHLOCK_PROBLEM && got.retry == WEIGHLOCK_RETRY_LATER && got.problem[0] == '\0');
	got = judged(reply_of(404, ""), "", ours);
	ck_assert(got.outcome == WEIGHLOCK_PROBLEM && got.retry == WEIGHLOCK_RETRY_NEVER);
}
END_TEST

START_TEST(test_a_stream_ends_in_a_verdict_or_a_problem)
{
	struct wlc_reply r = { .state = WLC_REPLY_WHOLE, .status = 200, .is_stream = true };
	struct wlc_expect e = ours;

	e.streamed = true;
	ck_assert_int_eq(judged(r, ACCEPT, e).verdict, WEIGHLOCK_ACCEPT);
	ck_assert_int_eq(judged(r, "{\"type\":\"urn:weighlock:problem:internal\",\"retry\":\"later\"}", e).outcome,
	    WEIGHLOCK_PROBLEM);
	ck_assert_int_eq(judged(r, NULL, e).outcome, WEIGHLOCK_FAILED);
	ck_assert_int_eq(judged(r, "{\"event\":\"progress\"}", e).outcome, WEIGHLOCK_FAILED);
	ck_assert_int_eq(judged(r, ACCEPT, ours).outcome, WEIGHLOCK_FAILED); /* nobody asked for a stream */
	ck_assert_int_eq(
	    judged(reply_of(200, "accept"), ACCEPT, e).outcome, WEIGHLOCK_FAILED); /* and here somebody did */
	strcpy(r.verdict, "accept");
	ck_assert_int_eq(judged(r, ACCEPT, e).outcome, WEIGHLOCK_FAILED);
}
END_TEST

HARNESS("client outcome", test_an_accept_of_our_bytes_is_one, test_an_accept_with_one_thing_changed_is_none,
    test_surroundings_of_an_accept_count, test_other_verdicts_are_what_they_say, test_errors_say_whether_to_ask_again,
    test_problems_say_whether_to_ask_again, test_a_stream_ends_in_a_verdict_or_a_problem)
