/* Replies as bytes: heads, problems, chunks. */
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "reply.h"

static char head[REPLY_HEAD_MAX], whole[REPLY_PROBLEM_MAX], body[REPLY_BODY_MAX];

START_TEST(test_verdict_head_says_everything)
{
	const struct reply r = {
		.status = 200, .content_type = REPLY_JSON, .verdict = "accept", .request_id = "r-1", .body_n = 12
	};
	const char *wanted = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\n"
			     "Weighlock-Verdict: accept\r\nWeighlock-Request-Id: r-1\r\n\r\n";

	ck_assert_uint_eq(reply_head(&r, head), strlen(wanted));
	ck_assert_str_eq(head, wanted);
}
END_TEST

START_TEST(test_stream_head_has_no_length)
{
	const struct reply r = {
		.status = 200, .content_type = REPLY_NDJSON, .chunked = true, .close = true, .body_n = 12
	};

	(void)reply_head(&r, head);
	ck_assert_str_eq(head, "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n"
			       "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
}
END_TEST

START_TEST(test_longest_head_fits)
{
	char id[129];
	struct reply r = { .status = 431,
		.content_type = REPLY_METRICS,
		.verdict = "review",
		.request_id = id,
		.allow = "POST, PUT",
		.retry_after_s = 4294967295u,
		.close = true,
		.body_n = UINT64_MAX };

	memset(id, 'x', 128);
	id[128] = '\0';
	ck_assert_uint_lt(reply_head(&r, head), REPLY_HEAD_MAX);
	ck_assert_ptr_nonnull(strstr(head, "\r\nRetry-After: 4294967295\r\n"));
	ck_assert_ptr_nonnull(strstr(head, "\r\nAllow: POST, PUT\r\n"));
}
END_TEST

/* The body of a whole reply, parsed; its announced length must be right. */
static json_t *problem_of(const struct problem_reply *p)
{
	size_t n = reply_problem(p, whole);
	const char *end = strstr(whole, "\r\n\r\n");
	char length[64];
	json_t *o;

	ck_assert_ptr_nonnull(end);
	snprintf(length, sizeof(length), "\r\nContent-Length: %zu\r\n", strlen(end + 4));
	ck_assert_ptr_nonnull(strstr(whole, length));
	ck_assert_uint_eq(n, strlen(whole));
	ck_assert_ptr_nonnull(strstr(whole, "\r\nContent-Type: application/problem+json\r\n"));
	o = json_loads(end + 4, 0, NULL);
	ck_assert_ptr_nonnull(o);
	return o;
}

static const char *text_of(const json_t *o, const char *key)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text != NULL ? text : "(absent)";
}

START_TEST(test_every_problem_has_type_title_status_and_retry)
{
	for (int p = 0; p < N_PROBLEMS; p++) {
		const struct problem_reply reply = { .problem = p, .detail = "why", .request_id = "id" };
		json_t *o = problem_of(&reply);
		char line[64];

		snprintf(line, sizeof(line), "HTTP/1.1 %u ", problem_status(p));
		ck_assert_int_eq(strncmp(whole, line, strlen(line)), 0);
		ck_assert_str_eq(text_of(o, "type"), problem_type(p));
		ck_assert_int_eq(strncmp(problem_type(p), "urn:weighlock:problem:", 22), 0);
		ck_assert_str_eq(text_of(o, "title"), problem_title(p));
		ck_assert_int_eq(json_integer_value(json_object_get(o, "status")), problem_status(p));
		ck_assert_str_eq(text_of(o, "detail"), "why");
		ck_assert_str_eq(text_of(o, "request_id"), "id");
		ck_assert_str_eq(text_of(o, "retry"), problem_retry(p));
		ck_assert(strcmp(problem_retry(p), "never") == 0 || strcmp(problem_retry(p), "later") == 0);
		ck_assert_ptr_null(json_object_get(o, "verdict"));
		json_decref(o);
	}
}
END_TEST

/* Types are promises: this list only grows. */
START_TEST(test_problem_types_are_frozen)
{
	static const char *const frozen[] = { "bad-request 400 never", "descriptors 400 never", "forbidden 403 never",
		"not-found 404 never", "method-not-allowed 405 never", "slow 408 later", "length-required 411 never",
		"too-large 413 never", "uri-too-long 414 never", "unsupported-media-type 415 never",
		"expectation-failed 417 never", "header-too-large 431 never", "internal 500 later",
		"unsupported 501 never", "busy 503 later", "shutting-down 503 later", "http-version 505 never",
		"no-space 507 later", "answer-too-large 413 never", "not-recorded 507 later",
		"rate-limited 429 later" };

	ck_assert_uint_eq(N_PROBLEMS, sizeof(frozen) / sizeof(frozen[0]));
	for (int p = 0; p < N_PROBLEMS; p++) {
		char text[128];

		snprintf(text, sizeof(text), "%s %u %s", problem_type(p) + 22, problem_status(p), problem_retry(p));
		ck_assert_str_eq(text, frozen[p]);
	}
}
END_TEST

START_TEST(test_busy_always_says_when_to_come_again)
{
	struct problem_reply p = { .problem = PROBLEM_BUSY };

	json_decref(problem_of(&p));
	ck_assert_ptr_nonnull(strstr(whole, "\r\nRetry-After: 1\r\n"));
	p.retry_after_s = 17;
	json_decref(problem_of(&p));
	ck_assert_ptr_nonnull(strstr(whole, "\r\nRetry-After: 17\r\n"));
	p = (struct problem_reply){ .problem = PROBLEM_RATE_LIMITED };
	json_decref(problem_of(&p));
	ck_assert_ptr_nonnull(strstr(whole, "\r\nRetry-After: 1\r\n"));
	p = (struct problem_reply){ .problem = PROBLEM_BAD_REQUEST };
	json_decref(problem_of(&p));
	ck_assert_ptr_null(strstr(whole, "Retry-After"));
}
END_TEST

START_TEST(test_method_problem_says_what_is_allowed)
{
	const struct problem_reply p = { .problem = PROBLEM_METHOD, .allow = "GET", .close = true };

	json_decref(problem_of(&p));
	ck_assert_ptr_nonnull(strstr(whole, "\r\nAllow: GET\r\n"));
	ck_assert_ptr_nonnull(strstr(whole, "\r\nConnection: close\r\n"));
}
END_TEST

START_TEST(test_detail_is_escaped_and_stays_one_line)
{
	const struct problem_reply p = { .problem = PROBLEM_INTERNAL, .detail = "a\"b\\c\nd\x01\xC3\xA4" };
	json_t *o = problem_of(&p);

	ck_assert_str_eq(text_of(o, "detail"), p.detail);
	(void)reply_problem_body(&p, body);
	ck_assert_ptr_null(strchr(body, '\n'));
	json_decref(o);
}
END_TEST

/* n bytes of detail.  Return: the length that arrives. */
static size_t detail_of(size_t n, const char *unit)
{
	char detail[2 * REPLY_DETAIL_MAX] = "";
	struct problem_reply p = { .problem = PROBLEM_INTERNAL, .detail = detail };
	size_t length;
	json_t *o;

	while (strlen(detail) + strlen(unit) <= n)
		strcat(detail, unit);
	o = problem_of(&p);
	length = strlen(text_of(o, "detail"));
	json_decref(o);
	return length;
}

START_TEST(test_detail_of_512_bytes_is_kept_and_more_is_cut_between_characters)
{
	ck_assert_uint_eq(detail_of(REPLY_DETAIL_MAX, "x"), REPLY_DETAIL_MAX);
	ck_assert_uint_eq(detail_of(REPLY_DETAIL_MAX + 1, "x"), REPLY_DETAIL_MAX);
	ck_assert_uint_eq(detail_of(REPLY_DETAIL_MAX + 10, "\xE2\x82\xAC"), 510);
	/* the worst that escaping can do still fits */
	ck_assert_uint_eq(detail_of(REPLY_DETAIL_MAX, "\x01"), REPLY_DETAIL_MAX);
}
END_TEST

START_TEST(test_detail_that_is_no_text_is_left_out)
{
	const struct problem_reply p = { .problem = PROBLEM_INTERNAL, .detail = "\xFF\xFE" };
	json_t *o = problem_of(&p);

	ck_assert_str_eq(text_of(o, "detail"), "(absent)");
	ck_assert_str_eq(text_of(o, "retry"), "later");
	json_decref(o);
}
END_TEST

static void *no_memory(size_t n)
{
	(void)n;
	return NULL;
}

START_TEST(test_problem_without_memory_still_says_the_essential)
{
	const struct problem_reply p = { .problem = PROBLEM_BUSY, .detail = "why" };

	json_set_alloc_funcs(no_memory, free);
	(void)reply_problem_body(&p, body);
	json_set_alloc_funcs(malloc, free);
	ck_assert_str_eq(body, "{\"type\":\"urn:weighlock:problem:busy\",\"title\":\"Too much to do at the moment\","
			       "\"status\":503,\"retry\":\"later\"}");
}
END_TEST

START_TEST(test_chunk_heads_are_hexadecimal)
{
	char chunk[REPLY_CHUNK_HEAD_MAX];

	ck_assert_uint_eq(reply_chunk_head(1, chunk), 3);
	ck_assert_str_eq(chunk, "1\r\n");
	ck_assert_uint_eq(reply_chunk_head(UINT64_MAX, chunk), 18);
	ck_assert_str_eq(chunk, "ffffffffffffffff\r\n");
}
END_TEST

HARNESS("reply", test_verdict_head_says_everything, test_stream_head_has_no_length, test_longest_head_fits,
    test_every_problem_has_type_title_status_and_retry, test_problem_types_are_frozen,
    test_busy_always_says_when_to_come_again, test_method_problem_says_what_is_allowed,
    test_detail_is_escaped_and_stays_one_line, test_detail_of_512_bytes_is_kept_and_more_is_cut_between_characters,
    test_detail_that_is_no_text_is_left_out, test_problem_without_memory_still_says_the_essential,
    test_chunk_heads_are_hexadecimal)
