/* Replies as a client reads them: whole, or not at all, however they are cut. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "http_answer.h"

#define JSON_HEAD "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
#define STREAM_HEAD "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n"

static char lines[4096];

static bool on_line(void *ctx, const char *at, size_t n)
{
	strncat(lines, at, n);
	strcat(lines, "|");
	return *(bool *)ctx;
}

/* In pieces of @step bytes; the reply must come to the same end whatever they are. */
static enum wlc_reply_state feed(const char *text, size_t step, struct wlc_reply *r)
{
	static bool go_on = true;
	size_t n = strlen(text);

	wlc_reply_init(r, 1000);
	r->may_continue = true;
	r->line = on_line;
	r->ctx = &go_on;
	lines[0] = '\0';
	for (size_t at = 0; at < n; at += step)
		(void)wlc_reply_feed(r, text + at, step < n - at ? step : n - at);
	return r->state;
}

static enum wlc_reply_state end_of(const char *text)
{
	struct wlc_reply r;
	enum wlc_reply_state whole = feed(text, SIZE_MAX / 2, &r);

	wlc_reply_done(&r);
	for (size_t step = 1; step < 4; step++) {
		ck_assert_int_eq(feed(text, step, &r), whole);
		wlc_reply_done(&r);
	}
	return whole;
}

START_TEST(test_a_verdict_is_read)
{
	struct wlc_reply r;

	ck_assert_int_eq(
	    feed(JSON_HEAD "Content-Length: 3\r\nweighlock-verdict:  accept \r\nWeighlock-Request-Id: id-1\r\n"
			   "Retry-After: 7\r\n\r\n{}\n",
		5, &r),
	    WLC_REPLY_WHOLE);
	ck_assert_uint_eq(r.status, 200);
	ck_assert_str_eq(r.verdict, "accept");
	ck_assert_str_eq(r.request_id, "id-1");
	ck_assert_uint_eq(r.retry_after_s, 7);
	ck_assert(r.is_json && !r.is_stream && !r.is_problem && !r.continued);
	ck_assert_str_eq(r.body, "{}\n");
	wlc_reply_done(&r);
}
END_TEST

START_TEST(test_lines_of_a_stream_are_read)
{
	struct wlc_reply r;

	ck_assert_int_eq(
	    end_of(STREAM_HEAD "2\r\na\n\r\n3\r\nbc\n\r\nA\r\nd\ne\n012345\r\n1\r\n\n\r\n0\r\n\r\n"), WLC_REPLY_WHOLE);
	(void)feed(STREAM_HEAD "2\r\na\n\r\n3\r\nbc\n\r\nA\r\nd\ne\n012345\r\n1\r\n\n\r\n0\r\n\r\n", 1, &r);
	ck_assert_str_eq(lines, "a|bc|d|e|012345|");
	wlc_reply_done(&r);
}
END_TEST

START_TEST(test_one_invitation_may_come_first)
{
	struct wlc_reply r;
	static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n" JSON_HEAD "Content-Length: 2\r\n\r\n{}";

	ck_assert_int_eq(end_of(text), WLC_REPLY_WHOLE);
	(void)feed(text, 1, &r);
	ck_assert(r.continued && r.status == 200);
	wlc_reply_done(&r);
	ck_assert_int_eq(end_of("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"), WLC_REPLY_BROKEN);
	ck_assert_int_eq(end_of("HTTP/1.1 100 Continue\r\nWeighlock-Verdict: accept\r\n\r\n"), WLC_REPLY_BROKEN);
	ck_assert_int_eq(end_of("HTTP/1.1 103 Early Hints\r\n\r\n"), WLC_REPLY_BROKEN);
}
END_TEST

START_TEST(test_an_invitation_nobody_asked_for_is_refused)
{
	struct wlc_reply r;
	static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";

	wlc_reply_init(&r, 1000);
	ck_assert_int_eq(wlc_reply_feed(&r, text, sizeof(text) - 1), WLC_REPLY_BROKEN);
	wlc_reply_done(&r);
}
END_TEST

START_TEST(test_what_two_readers_could_read_differently_is_refused)
{
	static const char *const texts[] = {
		JSON_HEAD "Content-Length: 2\r\n\r\n{}x",
		JSON_HEAD "Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
		JSON_HEAD "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
		JSON_HEAD "\r\n{}",
		JSON_HEAD "Content-Length: +2\r\n\r\n{}",
		JSON_HEAD "Content-Length: \r\n\r\n{}",
		JSON_HEAD "Content-Length: 2, 2\r\n\r\n{}",
		JSON_HEAD "Content-Length: 99999999999999999999\r\n\r\n{}",
		JSON_HEAD "Content-Length: 1001\r\n\r\n",
		JSON_HEAD "Transfer-Encoding: gzip, chunked\r\n\r\n",
		JSON_HEAD "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}",
		JSON_HEAD "Content-Length: 2\r\nWeighlock-Verdict: reject\r\nWeighlock-Verdict: accept\r\n\r\n{}",
		JSON_HEAD "Content-Length: 2\r\nContent-Type: application/json\r\n\r\n{}",
		JSON_HEAD "Content-Length : 2\r\n\r\n{}",
		JSON_HEAD "Content-Length: 2\r\n folded: 1\r\n\r\n{}",
		JSON_HEAD "Content-Length: 2\n\r\n{}",
		JSON_HEAD "Content-Length: 2\r\rx: 1\r\n\r\n{}",
		JSON_HEAD "Content-Length: 2\r\n: 1\r\n\r\n{}",
		JSON_HEAD "Content-Length: 2\r\nno colon\r\n\r\n{}",
		JSON_HEAD "Content-Length: 2\r\nx: \x01\r\n\r\n{}",
		"\r\n" JSON_HEAD "Content-Length: 2\r\n\r\n{}",
		"HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}",
		"HTTP/2 200 OK\r\nContent-Length: 2\r\n\r\n{}",
		"HTTP/1.1 20 OK\r\nContent-Length: 2\r\n\r\n{}",
		"HTTP/1.1 2000 OK\r\nContent-Length: 2\r\n\r\n{}",
		"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\n{}",
		"HTTP/1.1  200 OK\r\nContent-Length: 2\r\n\r\n{}",
		"HTTP/1.1 999 OK\r\nContent-Length: 2\r\n\r\n{}",
		"GET / HTTP/1.1\r\n\r\n",
		STREAM_HEAD "2;x=1\r\n{}\r\n0\r\n\r\n",
		STREAM_HEAD "\r\n",
		STREAM_HEAD "x\r\n",
		STREAM_HEAD "-2\r\n{}\r\n",
		STREAM_HEAD "0x2\r\n{}\r\n",
		STREAM_HEAD "2\r\n{}\n\r\n0\r\n\r\n",
		STREAM_HEAD "2\n{}\r\n0\r\n\r\n",
		STREAM_HEAD "2\r\n{}\r\n0\r\nTrailer: 1\r\n\r\n",
		STREAM_HEAD "2\r\n{}\r\n0\r\n\r\nx",
		STREAM_HEAD "000000002\r\n{}\r\n0\r\n\r\n",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		ck_assert_msg(end_of(texts[i]) == WLC_REPLY_BROKEN, "%zu: %s", i, texts[i]);
}
END_TEST

START_TEST(test_every_beginning_of_a_reply_is_none)
{
	static const char *const texts[] = { JSON_HEAD "Content-Length: 5\r\n\r\n{   }",
		STREAM_HEAD "3\r\n{}\n\r\n10\r\n{\"a\":1,\"b\":22 }\n\r\n0\r\n\r\n" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char cut[512];

		ck_assert_int_eq(end_of(texts[i]), WLC_REPLY_WHOLE);
		for (size_t n = 0; n < strlen(texts[i]); n++) {
			memcpy(cut, texts[i], n);
			cut[n] = '\0';
			ck_assert_int_lt(end_of(cut), WLC_REPLY_WHOLE);
		}
	}
}
END_TEST

START_TEST(test_heads_bodies_and_lines_have_limits)
{
	static char text[20000];
	struct wlc_reply r;

	strcpy(text, JSON_HEAD "x: ");
	memset(text + strlen(text), 'x', WLC_HEAD_MAX);
	ck_assert_int_eq(end_of(text), WLC_REPLY_BROKEN);
	memset(text, 0, sizeof(text));
	strcpy(text, STREAM_HEAD "3e8\r\n");
	memset(text + strlen(text), 'x', 1000);
	ck_assert_int_eq(feed(text, 100, &r), WLC_REPLY_CHUNK_END);
	wlc_reply_done(&r);
	strcat(text, "\r\n1\r\nx");
	ck_assert_int_eq(end_of(text), WLC_REPLY_BROKEN);
}
END_TEST

START_TEST(test_a_line_that_is_refused_breaks_the_reply)
{
	bool go_on = false;
	struct wlc_reply r;

	wlc_reply_init(&r, 1000);
	r.line = on_line;
	r.ctx = &go_on;
	ck_assert_int_eq(
	    wlc_reply_feed(&r, STREAM_HEAD "2\r\na\n", sizeof(STREAM_HEAD "2\r\na\n") - 1), WLC_REPLY_BROKEN);
	wlc_reply_done(&r);
}
END_TEST

HARNESS("client http answer", test_a_verdict_is_read, test_lines_of_a_stream_are_read,
    test_one_invitation_may_come_first, test_an_invitation_nobody_asked_for_is_refused,
    test_what_two_readers_could_read_differently_is_refused, test_every_beginning_of_a_reply_is_none,
    test_heads_bodies_and_lines_have_limits, test_a_line_that_is_refused_breaks_the_reply)
