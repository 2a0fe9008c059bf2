/* The request head and the chunked coding, from the outside: bytes in, request or refusal out. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "http.h"

#define HOST "Host: localhost\r\n"
#define SHA "0123456789abcdefABCDEF0123456789000000000000000000000000000000ff"

#define SHA60 "000000000000000000000000000000000000000000000000000000000000"

static struct http_request request;
static struct http_error error;
static size_t head_n;

static enum http_progress parse_bytes(const void *at, size_t n)
{
	struct http_parser p;

	error = (struct http_error){ .problem = N_PROBLEMS };
	http_parser_init(&p);
	return http_parse_head(&p, at, n, &request, &head_n, &error);
}

static enum http_progress parse(const char *text)
{
	return parse_bytes(text, strlen(text));
}

/* A head that is fine but for one line, or for its request line. */
static enum http_progress parse_with(const char *line, const char *header)
{
	char text[4 * HTTP_HEAD_MAX];

	snprintf(text, sizeof(text), "%s HTTP/1.1\r\n" HOST "%s\r\n\r\n", line, header);
	return parse(text);
}

static enum http_progress parse_put(const char *header)
{
	return parse_with("PUT /v1/scan", header);
}

static enum http_progress parse_target(const char *target)
{
	char line[2 * HTTP_HEAD_MAX];

	snprintf(line, sizeof(line), "PUT %s", target);
	return parse_with(line, "Content-Length: 1");
}

#define ASSERT_BAD(progress, kind)                                     \
	do {                                                           \
		ck_assert_int_eq(progress, HTTP_BAD);                  \
		ck_assert_str_eq(problem_names[error.problem], #kind); \
		ck_assert_ptr_nonnull(error.detail);                   \
	} while (0)

static const char *const problem_names[] = {
#define X(id, type, status, retry, title) #id,
	PROBLEMS(X)
#undef X
	    "no problem",
};

/* ---- heads that are fine ---- */

START_TEST(test_curl_upload_is_understood)
{
	const char *head =
	    "PUT /v1/scan/model%20%C3%A4.safetensors HTTP/1.1\r\nHost: localhost\r\n"
	    "User-Agent: curl/7.88.1\r\nAccept: */*\r\nContent-Length: 123\r\nExpect: 100-continue\r\n\r\n";

	ck_assert_int_eq(parse(head), HTTP_DONE);
	ck_assert_uint_eq(head_n, strlen(head));
	ck_assert_int_eq(request.method, HTTP_PUT);
	ck_assert_int_eq(request.route, HTTP_ROUTE_SCAN);
	ck_assert_int_eq(request.body, HTTP_BODY_LENGTH);
	ck_assert_uint_eq(request.content_length, 123);
	ck_assert(request.expect_continue);
	ck_assert(!request.close && !request.ndjson);
	ck_assert_str_eq(request.name, "model \xC3\xA4.safetensors");
	ck_assert_uint_eq(request.n_fds, 0);
}
END_TEST

START_TEST(test_whole_query_is_read)
{
	ck_assert_int_eq(parse_target("/v1/scan?name=a/b%2B.bin&policy=strict&tenant=hub-1&sha256=" SHA
				      "&gate=1&tensors=1&calls=1&lane=batch&on_close=finish"),
	    HTTP_DONE);
	ck_assert_str_eq(request.name, "a/b+.bin");
	ck_assert_str_eq(request.policy, "strict");
	ck_assert_str_eq(request.tenant, "hub-1");
	ck_assert(
	    request.has_sha256 && request.sha256[0] == 0x01 && request.sha256[8] == 0xAB && request.sha256[31] == 0xFF);
	ck_assert(request.gate && request.tensors && request.calls && request.on_close_finish);
	ck_assert_int_eq(request.lane, HTTP_LANE_BATCH);
}
END_TEST

START_TEST(test_absent_query_means_defaults)
{
	ck_assert_int_eq(parse_target("/v1/scan"), HTTP_DONE);
	ck_assert_str_eq(request.name, "");
	ck_assert_str_eq(request.policy, "");
	ck_assert_str_eq(request.tenant, "");
	ck_assert(
	    !request.has_sha256 && !request.gate && !request.tensors && !request.calls && !request.on_close_finish);
	ck_assert_int_eq(request.lane, HTTP_LANE_INTERACTIVE);
}
END_TEST

START_TEST(test_every_route_answers_to_its_method)
{
	static const struct {
		const char *line;
		enum http_route route;
	} rows[] = {
		{ "POST /v1/scan", HTTP_ROUTE_SCAN },
		{ "PUT /v1/scan", HTTP_ROUTE_SCAN },
		{ "PUT /v1/scan/x", HTTP_ROUTE_SCAN },
		{ "GET /v1/verdicts/" SHA, HTTP_ROUTE_VERDICT },
		{ "GET /v1/rules", HTTP_ROUTE_RULES },
		{ "GET /v1/formats", HTTP_ROUTE_FORMATS },
		{ "GET /v1/version", HTTP_ROUTE_VERSION },
		{ "GET /healthz", HTTP_ROUTE_HEALTHZ },
		{ "GET /readyz", HTTP_ROUTE_READYZ },
		{ "GET /metrics", HTTP_ROUTE_METRICS },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		ck_assert_int_eq(parse_with(rows[i].line, "Content-Length: 0"), HTTP_DONE);
		ck_assert_int_eq(request.route, rows[i].route);
	}
	ck_assert_int_eq(parse_with("GET /v1/verdicts/" SHA, "A: b"), HTTP_DONE);
	ck_assert(request.has_sha256);
}
END_TEST

START_TEST(test_kept_verdict_is_asked_for_by_digest_name_and_policy)
{
	ck_assert_int_eq(parse_with("GET /v1/verdicts/" SHA "?name=a%20b&policy=strict", "A: b"), HTTP_DONE);
	ck_assert_int_eq(request.route, HTTP_ROUTE_VERDICT);
	ck_assert(request.has_sha256);
	ck_assert_str_eq(request.name, "a b");
	ck_assert_str_eq(request.policy, "strict");
	ASSERT_BAD(parse_with("GET /v1/verdicts/" SHA "?name=a&name=b", "A: b"), BAD_REQUEST);
	ASSERT_BAD(parse_with("GET /v1/verdicts/" SHA "?sha256=" SHA, "A: b"), BAD_REQUEST);
	ASSERT_BAD(parse_with("GET /v1/verdicts/" SHA "?gate=1", "A: b"), BAD_REQUEST);
	ASSERT_BAD(parse_with("GET /v1/verdicts/" SHA "?", "A: b"), BAD_REQUEST);
	ASSERT_BAD(parse_with("GET /v1/verdicts/" SHA "0", "A: b"), BAD_REQUEST);
	ASSERT_BAD(parse_with("GET /v1/rules?name=a", "A: b"), BAD_REQUEST);
}
END_TEST

START_TEST(test_head_arriving_byte_by_byte_is_one_head)
{
	const char *head = "GET /healthz HTTP/1.1\r\n" HOST "\r\nGET";
	struct http_parser p;

	http_parser_init(&p);
	for (size_t n = 0; n < strlen(head) - 3; n++)
		ck_assert_int_eq(
		    http_parse_head(&p, (const uint8_t *)head, n, &request, &head_n, &error), HTTP_NEED_MORE);
	ck_assert_int_eq(
	    http_parse_head(&p, (const uint8_t *)head, strlen(head), &request, &head_n, &error), HTTP_DONE);
	ck_assert_uint_eq(head_n, strlen(head) - 3);
}
END_TEST

START_TEST(test_connection_and_accept_lists_are_searched)
{
	ck_assert_int_eq(parse_put("Content-Length: 1\r\nConnection: TE, Close\r\nAccept: text/html"), HTTP_DONE);
	ck_assert(request.close && !request.ndjson);
	ck_assert_int_eq(parse_put("Content-Length: 1\r\nConnection: keep-alive\r\n"
				   "Accept: */*;q=0.1\r\nAccept: application/json, Application/X-NDJSON;q=1"),
	    HTTP_DONE);
	ck_assert(!request.close && request.ndjson);
}
END_TEST

START_TEST(test_descriptors_need_no_length)
{
	ck_assert_int_eq(parse_put("Weighlock-Source: fd; n=1"), HTTP_DONE);
	ck_assert_uint_eq(request.n_fds, 1);
	ck_assert_int_eq(request.body, HTTP_BODY_NONE);
	ck_assert_int_eq(parse_put("Weighlock-Source:fd;n=1\r\nContent-Length: 0"), HTTP_DONE);
	ck_assert_int_eq(request.body, HTTP_BODY_LENGTH);
	ck_assert(!request.is_set);
}
END_TEST

#define NAMES "Content-Type: application/json\r\nContent-Length: 9\r\n"

START_TEST(test_descriptors_with_names_are_a_set)
{
	ck_assert_int_eq(parse_put(NAMES "Weighlock-Source: fd; n=3"), HTTP_DONE);
	ck_assert(request.is_set && request.n_fds == 3 && request.content_length == 9);
	ck_assert_int_eq(parse_put("Weighlock-Source: fd; n=1\r\nTransfer-Encoding: chunked\r\nContent-Type: "
				   "APPLICATION/json ; charset=utf-8"),
	    HTTP_DONE);
	ck_assert(request.is_set && request.n_fds == 1);
	ck_assert_int_eq(parse_put(NAMES "Accept: */*"), HTTP_DONE);
	ck_assert(!request.is_set); /* a file that happens to be JSON */
}
END_TEST

START_TEST(test_sets_without_names_are_refused)
{
	ASSERT_BAD(parse_put("Weighlock-Source: fd; n=2"), BAD_REQUEST);
	ASSERT_BAD(
	    parse_put("Weighlock-Source: fd; n=2\r\nContent-Type: application/json\r\nContent-Length: 0"), BAD_REQUEST);
	ASSERT_BAD(parse_put("Weighlock-Source: fd; n=2\r\nContent-Length: 9"), MEDIA_TYPE);
	ASSERT_BAD(parse_put("Weighlock-Source: fd; n=1\r\nContent-Length: 9"), MEDIA_TYPE);
	ASSERT_BAD(
	    parse_put("Weighlock-Source: fd; n=2\r\nContent-Type: application/jsonx\r\nContent-Length: 9"), MEDIA_TYPE);
}
END_TEST

START_TEST(test_what_only_one_file_can_have_is_refused_for_sets)
{
	const char *set = NAMES "Weighlock-Source: fd; n=2";

	ASSERT_BAD(parse_with("POST /v1/scan?sha256=" SHA, set), BAD_REQUEST);
	ASSERT_BAD(parse_with("POST /v1/scan?tensors=1", set), BAD_REQUEST);
	ASSERT_BAD(parse_with("POST /v1/scan?calls=1", set), BAD_REQUEST);
	ck_assert_int_eq(
	    parse_with("POST /v1/scan?tensors=1", NAMES "Weighlock-Source: fd; n=2\r\nAccept: application/x-ndjson"),
	    HTTP_DONE);
	ck_assert(request.is_set && request.tensors);
}
END_TEST

START_TEST(test_digests_of_tensors_come_only_with_their_list)
{
	ck_assert_int_eq(parse_target("/v1/scan?tensors=1&tensor_digests=1"), HTTP_DONE);
	ck_assert(request.tensors && request.tensor_digests);
	ck_assert_int_eq(parse_target("/v1/scan?tensor_digests=0"), HTTP_DONE);
	ck_assert(!request.tensor_digests);
	ASSERT_BAD(parse_target("/v1/scan?tensor_digests=1"), BAD_REQUEST);
	ASSERT_BAD(parse_target("/v1/scan?tensor_digests=1&tensors=0"), BAD_REQUEST);
}
END_TEST

START_TEST(test_expect_without_body_is_nothing_to_wait_for)
{
	ck_assert_int_eq(parse_put("Content-Length: 0\r\nExpect: 100-continue"), HTTP_DONE);
	ck_assert(!request.expect_continue);
	ck_assert_int_eq(parse_put("Transfer-Encoding: chunked\r\nExpect: 100-Continue"), HTTP_DONE);
	ck_assert(request.expect_continue);
	ck_assert_int_eq(request.body, HTTP_BODY_CHUNKED);
}
END_TEST

START_TEST(test_names_may_use_every_token_character_and_values_are_trimmed)
{
	ck_assert_int_eq(
	    parse_put("azAZ09!#$%&'*+-.^_`|~:x\r\nCONTENT-LENGTH:\t 5 \t \r\nWEIGHLOCK-REQUEST-ID: azAZ09!~ "),
	    HTTP_DONE);
	ck_assert_uint_eq(request.content_length, 5);
	ck_assert_str_eq(request.request_id, "azAZ09!~");
	ck_assert_int_eq(parse_target("/v1/scan?policy=azAZ09._-&tenant=-_.90ZAza"), HTTP_DONE);
	ck_assert_str_eq(request.policy, "azAZ09._-");
	ck_assert_str_eq(request.tenant, "-_.90ZAza");
}
END_TEST

START_TEST(test_names_may_be_any_utf8)
{
	ck_assert_int_eq(
	    parse_target("/v1/scan/%C2%80%DF%BF%E0%A0%80%ED%9F%BF%EE%80%80%EF%BF%BF%F0%90%80%80%F4%8F%BF%BF%20~"),
	    HTTP_DONE);
	ck_assert_str_eq(request.name,
	    "\xC2\x80\xDF\xBF\xE0\xA0\x80\xED\x9F\xBF\xEE\x80\x80\xEF\xBF\xBF\xF0\x90\x80\x80"
	    "\xF4\x8F\xBF\xBF ~");
}
END_TEST

static bool decodes(const char *text, size_t max)
{
	/* An exact-size block: sanitizers see a look beyond the end. */
	size_t n = strlen(text), got;
	char *in = malloc(n > 0 ? n : 1), out[64];
	bool good;

	memcpy(in, text, n);
	good = http_percent_decode(bytes_of(in, n), out, max, &got);
	ck_assert(!good || (got <= max && out[got] == '\0'));
	free(in);
	return good;
}

START_TEST(test_percent_decoding_is_strict)
{
	ck_assert(decodes("%01%0a%7F%fF", 4));
	ck_assert(!decodes("%01%0a%7F%fF", 3));
	ck_assert(decodes("", 0));
	ck_assert(!decodes("%00", 9));
	ck_assert(!decodes("ab%", 9));
	ck_assert(!decodes("ab%4", 9));
	ck_assert(!decodes("%4g", 9));
	ck_assert(!decodes("%g4", 9));
	ck_assert(!decodes("%%41", 9));
}
END_TEST

/* ---- limits, in pairs ---- */

START_TEST(test_head_of_8192_bytes_passes_and_of_8193_does_not)
{
	char text[HTTP_HEAD_MAX + 2];
	int n = snprintf(text, sizeof(text), "GET /healthz HTTP/1.1\r\n" HOST "X: ");

	memset(text + n, 'a', sizeof(text) - (size_t)n);
	memcpy(text + HTTP_HEAD_MAX - 4, "\r\n\r\n", 4);
	ck_assert_int_eq(parse_bytes(text, HTTP_HEAD_MAX), HTTP_DONE);
	memcpy(text + HTTP_HEAD_MAX - 4, "a\r\n\r\n", 5);
	ck_assert_int_eq(parse_bytes(text, HTTP_HEAD_MAX - 1), HTTP_NEED_MORE);
	ASSERT_BAD(parse_bytes(text, HTTP_HEAD_MAX + 1), HEADERS_TOO_LARGE);
	ASSERT_BAD(parse_bytes(text, HTTP_HEAD_MAX), HEADERS_TOO_LARGE);
}
END_TEST

/* "PUT /v1/scan?..." padded with unknown text to exactly n bytes, CRLF included. */
static enum http_progress parse_line_of(size_t n)
{
	char text[HTTP_HEAD_MAX];
	const char *end = " HTTP/1.1\r\n" HOST "\r\n";
	size_t pad = n - strlen("GET /") - strlen(" HTTP/1.1\r\n");

	memcpy(text, "GET /", 5);
	memset(text + 5, 'a', pad);
	memcpy(text + 5 + pad, end, strlen(end));
	return parse_bytes(text, 5 + pad + strlen(end));
}

START_TEST(test_request_line_of_4096_bytes_is_read_and_of_4097_is_not)
{
	ASSERT_BAD(parse_line_of(HTTP_LINE_MAX), NOT_FOUND);
	ASSERT_BAD(parse_line_of(HTTP_LINE_MAX + 1), URI_TOO_LONG);
}
END_TEST

static enum http_progress parse_headers(unsigned n)
{
	char text[HTTP_HEAD_MAX] = "GET /healthz HTTP/1.1\r\n" HOST;

	for (unsigned i = 1; i < n; i++)
		strcat(text, "A: b\r\n");
	strcat(text, "\r\n");
	return parse(text);
}

START_TEST(test_32_header_lines_pass_and_33_do_not)
{
	ck_assert_int_eq(parse_headers(32), HTTP_DONE);
	ASSERT_BAD(parse_headers(33), HEADERS_TOO_LARGE);
}
END_TEST

START_TEST(test_content_length_of_64_bits_passes_and_one_more_does_not)
{
	ck_assert_int_eq(parse_put("Content-Length: 18446744073709551615"), HTTP_DONE);
	ck_assert_uint_eq(request.content_length, UINT64_MAX);
	ASSERT_BAD(parse_put("Content-Length: 18446744073709551616"), BAD_REQUEST);
	ASSERT_BAD(parse_put("Content-Length: 99999999999999999999999"), BAD_REQUEST);
}
END_TEST

START_TEST(test_1024_descriptors_pass_and_0_or_1025_do_not)
{
	ck_assert_int_eq(parse_put("Weighlock-Source: fd; n=1"), HTTP_DONE);
	ck_assert_int_eq(parse_put(NAMES "Weighlock-Source: fd; n=1024"), HTTP_DONE);
	ck_assert_uint_eq(request.n_fds, 1024);
	ASSERT_BAD(parse_put(NAMES "Weighlock-Source: fd; n=1025"), BAD_REQUEST);
	ASSERT_BAD(parse_put("Weighlock-Source: fd; n=0"), BAD_REQUEST);
	ASSERT_BAD(parse_put("Weighlock-Source: fd; n=4294967297"), BAD_REQUEST);
}
END_TEST

static enum http_progress parse_request_id(size_t n)
{
	char header[HTTP_HEAD_MAX] = "Content-Length: 1\r\nWeighlock-Request-Id: ";
	size_t at = strlen(header);

	memset(header + at, 'x', n);
	return parse_put(header);
}

START_TEST(test_request_id_of_128_bytes_passes_and_of_129_does_not)
{
	ck_assert_int_eq(parse_request_id(128), HTTP_DONE);
	ck_assert_uint_eq(strlen(request.request_id), 128);
	ASSERT_BAD(parse_request_id(129), BAD_REQUEST);
	ck_assert_str_eq(request.request_id, "");
	ASSERT_BAD(parse_request_id(0), BAD_REQUEST);
}
END_TEST

/* A name of n bytes, each written as an escape or as itself. */
static enum http_progress parse_name(const char *before, size_t n, const char *one)
{
	char target[HTTP_HEAD_MAX];

	strcpy(target, before);
	for (size_t i = 0; i < n; i++)
		strcat(target, one);
	return parse_target(target);
}

START_TEST(test_name_of_1024_bytes_passes_and_of_1025_does_not)
{
	ck_assert_int_eq(parse_name("/v1/scan/", 1024, "%41"), HTTP_DONE);
	ck_assert_uint_eq(strlen(request.name), 1024);
	ck_assert_int_eq(parse_name("/v1/scan?name=", 1024, "a"), HTTP_DONE);
	ASSERT_BAD(parse_name("/v1/scan/", 1025, "%41"), BAD_REQUEST);
	ASSERT_BAD(parse_name("/v1/scan?name=", 1025, "a"), BAD_REQUEST);
	ASSERT_BAD(parse_name("/v1/scan?name=", 0, "a"), BAD_REQUEST);
}
END_TEST

START_TEST(test_policy_and_tenant_of_64_bytes_pass_and_of_65_do_not)
{
	ck_assert_int_eq(parse_name("/v1/scan?policy=", 64, "p"), HTTP_DONE);
	ASSERT_BAD(parse_name("/v1/scan?policy=", 65, "p"), BAD_REQUEST);
	ck_assert_int_eq(parse_name("/v1/scan?tenant=", 64, "t"), HTTP_DONE);
	ASSERT_BAD(parse_name("/v1/scan?tenant=", 65, "t"), BAD_REQUEST);
	ASSERT_BAD(parse_target("/v1/scan?policy=a%2Fb"), BAD_REQUEST);
	ASSERT_BAD(parse_target("/v1/scan?tenant="), BAD_REQUEST);
}
END_TEST

/* ---- refusals ---- */

START_TEST(test_two_lengths_of_a_body_are_refused)
{
	ASSERT_BAD(parse_put("Content-Length: 5\r\nTransfer-Encoding: chunked"), BAD_REQUEST);
	ASSERT_BAD(parse_put("Transfer-Encoding: chunked\r\nContent-Length: 5"), BAD_REQUEST);
	ASSERT_BAD(parse_put("Content-Length: 5\r\nContent-Length: 6"), BAD_REQUEST);
	ASSERT_BAD(parse_put("Content-Length: 5\r\ncontent-length: 5"), BAD_REQUEST);
	ASSERT_BAD(parse_put("Content-Length: 5, 5"), BAD_REQUEST);
	ASSERT_BAD(parse_put("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked"), BAD_REQUEST);
}
END_TEST

START_TEST(test_length_that_is_no_plain_number_is_refused)
{
	static const char *const values[] = { "", "+5", "-5", "0x5", "5 5", "5.0", "5a", "\xD9\xA5" };

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		char header[64];

		snprintf(header, sizeof(header), "Content-Length: %s", values[i]);
		ASSERT_BAD(parse_put(header), BAD_REQUEST);
	}
}
END_TEST

START_TEST(test_transfer_codings_but_chunked_are_refused)
{
	static const char *const values[] = { "gzip", "gzip, chunked", "chunked, chunked", "Chunked", "chunked;x",
		"identity", "" };

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		char header[64];

		snprintf(header, sizeof(header), "Transfer-Encoding: %s", values[i]);
		ASSERT_BAD(parse_put(header), UNSUPPORTED);
	}
}
END_TEST

START_TEST(test_scan_without_length_is_refused)
{
	ASSERT_BAD(parse_put("A: b"), LENGTH_REQUIRED);
	ASSERT_BAD(parse_with("POST /v1/scan", "Connection: close"), LENGTH_REQUIRED);
}
END_TEST

START_TEST(test_body_or_descriptors_where_none_belong_are_refused)
{
	ASSERT_BAD(parse_with("GET /healthz", "Content-Length: 1"), BAD_REQUEST);
	ASSERT_BAD(parse_with("GET /healthz", "Transfer-Encoding: chunked"), BAD_REQUEST);
	ASSERT_BAD(parse_with("GET /healthz", "Weighlock-Source: fd; n=1"), BAD_REQUEST);
}
END_TEST

START_TEST(test_folded_header_is_refused)
{
	ASSERT_BAD(parse_put("Content-Length: 1\r\nX: a\r\n b"), BAD_REQUEST);
	ASSERT_BAD(parse_put("Content-Length: 1\r\nX: a\r\n\tb"), BAD_REQUEST);
	ASSERT_BAD(parse("GET /healthz HTTP/1.1\r\n " HOST "\r\n"), BAD_REQUEST);
}
END_TEST

START_TEST(test_bare_cr_lf_nul_and_controls_are_refused_at_once)
{
	static const char *const starts[] = { "GET /healthz HTTP/1.1\n", "GET /healthz\rX", "GET /he\x01", "GET /\x7F",
		"\r\n", "\x16\x03\x01", "GET / HTTP/1.1\r\r" };
	const char nul[] = "GET /healthz HTTP/1.1\r\nHost: a\0b";

	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
		ASSERT_BAD(parse(starts[i]), BAD_REQUEST);
	ASSERT_BAD(parse_bytes(nul, sizeof(nul) - 1), BAD_REQUEST);
	ck_assert_int_eq(parse_bytes(nul, sizeof(nul) - 3), HTTP_NEED_MORE);
}
END_TEST

START_TEST(test_header_names_must_be_tokens)
{
	static const char *const lines[] = { "Content-Length : 1", "X Y: 1", ": 1", "X\tY: 1", "X", "\"X\": 1",
		"X\xC3\xA4: 1" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char header[64];

		snprintf(header, sizeof(header), "Content-Length: 1\r\n%s", lines[i]);
		ASSERT_BAD(parse_put(header), BAD_REQUEST);
	}
}
END_TEST

START_TEST(test_host_is_required_once)
{
	ASSERT_BAD(parse("GET /healthz HTTP/1.1\r\n\r\n"), BAD_REQUEST);
	ASSERT_BAD(parse("GET /healthz HTTP/1.1\r\n" HOST HOST "\r\n"), BAD_REQUEST);
	ASSERT_BAD(parse("GET /healthz HTTP/1.1\r\nHost: a b\r\n\r\n"), BAD_REQUEST);
	ck_assert_int_eq(parse("GET /healthz HTTP/1.1\r\nHost:\r\n\r\n"), HTTP_DONE);
	ck_assert_int_eq(parse("GET /healthz HTTP/1.1\r\nhost: [::1]:80\r\n\r\n"), HTTP_DONE);
}
END_TEST

START_TEST(test_request_line_must_be_three_words)
{
	static const char *const lines[] = { "GET", "GET /healthz", "GET  /healthz HTTP/1.1", "GET /healthz  HTTP/1.1",
		" GET /healthz HTTP/1.1", "GET /healthz HTTP/1.1 ", "GET\t/healthz\tHTTP/1.1", "GET /healthz http/1.1",
		"GET /healthz HTTP/1.10", "GET healthz HTTP/1.1", "GET http://x/healthz HTTP/1.1", "GET * HTTP/1.1",
		"G(T /healthz HTTP/1.1", "GET /he\xC3\xA4 HTTP/1.1", "GET /healthz#x HTTP/1.1", "GET /<> HTTP/1.1" };

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char head[128];

		snprintf(head, sizeof(head), "%s\r\n" HOST "\r\n", lines[i]);
		ASSERT_BAD(parse(head), BAD_REQUEST);
	}
}
END_TEST

START_TEST(test_other_versions_are_refused_by_name)
{
	ASSERT_BAD(parse("GET /healthz HTTP/1.0\r\n\r\n"), HTTP_VERSION);
	ASSERT_BAD(parse("PRI * HTTP/2.0\r\n\r\n"), BAD_REQUEST);
	ASSERT_BAD(parse("GET / HTTP/2.0\r\n\r\n"), HTTP_VERSION);
}
END_TEST

START_TEST(test_wrong_method_names_the_right_ones)
{
	ASSERT_BAD(parse_with("GET /v1/scan", "A: b"), METHOD);
	ck_assert_str_eq(error.allow, "POST, PUT");
	ASSERT_BAD(parse_with("POST /v1/scan/x", "Content-Length: 1"), METHOD);
	ck_assert_str_eq(error.allow, "PUT");
	ASSERT_BAD(parse_with("POST /healthz", "Content-Length: 0"), METHOD);
	ck_assert_str_eq(error.allow, "GET, HEAD");
	ASSERT_BAD(parse_with("HEAD /v1/scan", "A: b"), METHOD);
	ASSERT_BAD(parse_with("OPTIONS /healthz", "A: b"), UNSUPPORTED);
	ASSERT_BAD(parse_with("get /healthz", "A: b"), UNSUPPORTED);
	ck_assert_ptr_null(error.allow);
}
END_TEST

START_TEST(test_unknown_paths_are_not_found)
{
	static const char *const paths[] = { "/", "/v1", "/v1/scan/", "/v1/scan/a/b", "/v1/scans", "//v1/scan",
		"/v1//scan", "/v1/%73can", "/healthz/", "/v1/verdicts/", "/v1/verdicts", "/../v1/scan" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		ASSERT_BAD(parse_target(paths[i]), NOT_FOUND);
}
END_TEST

START_TEST(test_refusal_of_a_path_still_knows_the_request_id)
{
	ASSERT_BAD(parse_with("GET /nowhere", "Weighlock-Request-Id: abc.1"), NOT_FOUND);
	ck_assert_str_eq(request.request_id, "abc.1");
}
END_TEST

START_TEST(test_query_mistakes_are_refused)
{
	static const char *const queries[] = { "", "gate", "gates=1", "Gate=1", "gate=2", "gate=", "gate=1&gate=1",
		"gate=0&gate=1", "gate=1&", "&gate=1", "gate=%31", "name=a+b", "name=%", "name=%4", "name=%zz",
		"name=%00", "name=a%0Ab", "name=%FF", "name=%C3", "name=%ED%A0%80", "name=%C0%80", "name=%F4%90%80%80",
		"lane=fast", "on_close=stop", "sha256=12", "sha256=" SHA "0", "sha256=" SHA60 "000g",
		"sha256=" SHA60 "00g0", "name=%E0%9F%BF", "name=%F0%8F%BF%BF", "name=%F5%80%80%80", "name=%C1%BF",
		"name=%80", "name=%C3a", "name=%F0%90%80", "name=%7F", "name=%1F", "tensors=yes", "n%61me=x" };

	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		char target[256];

		snprintf(target, sizeof(target), "/v1/scan?%s", queries[i]);
		ASSERT_BAD(parse_target(target), BAD_REQUEST);
	}
	ASSERT_BAD(parse_with("GET /healthz?gate=1", "A: b"), BAD_REQUEST);
}
END_TEST

START_TEST(test_name_in_path_and_query_is_one_too_many)
{
	ck_assert_int_eq(parse_target("/v1/scan/a+b?gate=1"), HTTP_DONE);
	ck_assert_str_eq(request.name, "a+b");
	ASSERT_BAD(parse_target("/v1/scan/a?name=a"), BAD_REQUEST);
}
END_TEST

START_TEST(test_gate_with_stream_is_refused)
{
	ASSERT_BAD(parse_with("PUT /v1/scan?gate=1", "Content-Length: 1\r\nAccept: application/x-ndjson"), BAD_REQUEST);
	ck_assert_int_eq(
	    parse_with("PUT /v1/scan?gate=0", "Content-Length: 1\r\nAccept: application/x-ndjson"), HTTP_DONE);
}
END_TEST

START_TEST(test_bodies_that_are_not_the_file_are_refused)
{
	ASSERT_BAD(parse_put("Content-Length: 1\r\nContent-Encoding: gzip"), MEDIA_TYPE);
	ASSERT_BAD(parse_put("Content-Length: 1\r\nContent-Type: multipart/form-data; boundary=x"), MEDIA_TYPE);
	ASSERT_BAD(parse_put("Content-Length: 1\r\nContent-Range: bytes 0-0/2"), BAD_REQUEST);
	ck_assert_int_eq(parse_put("Content-Length: 1\r\nContent-Encoding: identity\r\n"
				   "Content-Type: application/x-www-form-urlencoded"),
	    HTTP_DONE);
}
END_TEST

START_TEST(test_expectations_but_continue_are_refused)
{
	ASSERT_BAD(parse_put("Content-Length: 1\r\nExpect: 200-ok"), EXPECTATION);
	ASSERT_BAD(parse_put("Content-Length: 1\r\nExpect: 100-continue, x"), EXPECTATION);
}
END_TEST

START_TEST(test_misspelt_headers_of_ours_are_refused)
{
	ASSERT_BAD(parse_put("Content-Length: 1\r\nWeighlock-Sources: fd; n=1"), BAD_REQUEST);
	ASSERT_BAD(parse_put("Content-Length: 1\r\nWeighlock-: x"), BAD_REQUEST);
	ASSERT_BAD(parse_put("Weighlock-Source: fd"), BAD_REQUEST);
	ASSERT_BAD(parse_put("Weighlock-Source: file; n=1"), BAD_REQUEST);
	ASSERT_BAD(parse_put("Weighlock-Source: fd; m=1"), BAD_REQUEST);
	ASSERT_BAD(parse_put("Weighlock-Source: fd; n 1"), BAD_REQUEST);
	ASSERT_BAD(parse_put("Weighlock-Source: fd; n="), BAD_REQUEST);
	ASSERT_BAD(parse_put("Weighlock-Source: fd, n=1"), BAD_REQUEST);
	ASSERT_BAD(parse_put("Weighlock-Source: fd; n=1; m=2"), BAD_REQUEST);
	ASSERT_BAD(parse_put("Weighlock-Source: fd; n=1\r\nWeighlock-Source: fd; n=1"), BAD_REQUEST);
	ASSERT_BAD(parse_put("Content-Length: 1\r\nWeighlock-Request-Id: a b"), BAD_REQUEST);
}
END_TEST

/* ---- chunked coding ---- */

static char body[256];
static size_t body_n, rest_n;

/* Decode in pieces of at most `piece` bytes. */
static enum http_chunk_event decode(const char *text, size_t piece)
{
	enum http_chunk_event e = HTTP_CHUNK_MORE;
	struct http_chunks c;
	size_t n = strlen(text), at = 0;

	body_n = 0;
	http_chunks_init(&c);
	while (at < n && (e == HTTP_CHUNK_MORE || e == HTTP_CHUNK_DATA)) {
		struct bytes payload;
		size_t used;

		e = http_chunk_next(
		    &c, (const uint8_t *)text + at, n - at < piece ? n - at : piece, &used, &payload, &error);
		memcpy(body + body_n, payload.at != NULL ? payload.at : (const uint8_t *)"", payload.n);
		body_n += payload.n;
		at += used;
	}
	rest_n = n - at;
	return e;
}

START_TEST(test_chunks_are_joined_however_they_arrive)
{
	const char *text = "5\r\nhello\r\n00A\r\n0123456789\r\n0\r\n\r\nGET";

	for (size_t piece = 1; piece <= strlen(text); piece++) {
		ck_assert_int_eq(decode(text, piece), HTTP_CHUNK_END);
		ck_assert_mem_eq(body, "hello0123456789", 15);
		ck_assert_uint_eq(body_n, 15);
		ck_assert_uint_eq(rest_n, 3);
	}
}
END_TEST

START_TEST(test_empty_chunked_body_ends)
{
	ck_assert_int_eq(decode("0\r\n\r\n", 99), HTTP_CHUNK_END);
	ck_assert_int_eq(decode("000\r\n\r\n", 99), HTTP_CHUNK_END);
	ck_assert_uint_eq(body_n, 0);
	ck_assert_int_eq(decode("0\r\n\r", 99), HTTP_CHUNK_MORE);
}
END_TEST

START_TEST(test_chunk_mistakes_are_refused)
{
	static const char *const bodies[] = { "\r\n", "x", " 5\r\n", "5 \r\n", "5\n", "5\rX", "5;a=b\r\n", "-1\r\n",
		"0x5\r\n", "5\r\nhelloX", "5\r\nhello\n", "5\r\nhello\rX", "0\r\nX: y\r\n\r\n", "0\r\n\rX", "0\r\n\n",
		"\xD9\xA5\r\n" };

	for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
		ck_assert_int_eq(decode(bodies[i], 99), HTTP_CHUNK_BAD);
		ck_assert_int_eq(error.problem, PROBLEM_BAD_REQUEST);
		ck_assert_int_eq(decode(bodies[i], 1), HTTP_CHUNK_BAD);
	}
}
END_TEST

START_TEST(test_chunk_size_of_16_digits_passes_and_of_17_does_not)
{
	struct http_chunks c;
	struct bytes payload;
	size_t used;

	http_chunks_init(&c);
	ck_assert_int_eq(
	    http_chunk_next(&c, (const uint8_t *)"ffffffffffffffff\r\n", 18, &used, &payload, NULL), HTTP_CHUNK_MORE);
	ck_assert_uint_eq(c.left, UINT64_MAX);
	ck_assert_uint_eq(c.total, UINT64_MAX);
	ck_assert_int_eq(decode("00000000000000001\r\n", 99), HTTP_CHUNK_BAD);
}
END_TEST

START_TEST(test_chunks_adding_up_beyond_64_bits_are_refused)
{
	ck_assert_int_eq(decode("1\r\na\r\nfffffffffffffffe\r\n", 99), HTTP_CHUNK_MORE);
	ck_assert_int_eq(decode("1\r\na\r\nffffffffffffffff\r\n", 99), HTTP_CHUNK_BAD);
}
END_TEST

START_TEST(test_refused_and_ended_bodies_stay_so)
{
	struct http_chunks c;
	struct bytes payload;
	size_t used;

	http_chunks_init(&c);
	ck_assert_int_eq(http_chunk_next(&c, (const uint8_t *)"x", 1, &used, &payload, NULL), HTTP_CHUNK_BAD);
	ck_assert_int_eq(http_chunk_next(&c, (const uint8_t *)"0\r\n\r\n", 5, &used, &payload, NULL), HTTP_CHUNK_BAD);
	ck_assert_uint_eq(used, 0);
	http_chunks_init(&c);
	ck_assert_int_eq(http_chunk_next(&c, (const uint8_t *)"0\r\n\r\n", 5, &used, &payload, NULL), HTTP_CHUNK_END);
	ck_assert_int_eq(http_chunk_next(&c, (const uint8_t *)"x", 1, &used, &payload, NULL), HTTP_CHUNK_END);
	ck_assert_uint_eq(used, 0);
}
END_TEST

HARNESS("http", test_curl_upload_is_understood, test_whole_query_is_read, test_absent_query_means_defaults,
    test_every_route_answers_to_its_method, test_kept_verdict_is_asked_for_by_digest_name_and_policy,
    test_head_arriving_byte_by_byte_is_one_head, test_connection_and_accept_lists_are_searched,
    test_descriptors_need_no_length, test_descriptors_with_names_are_a_set, test_sets_without_names_are_refused,
    test_what_only_one_file_can_have_is_refused_for_sets, test_digests_of_tensors_come_only_with_their_list,
    test_expect_without_body_is_nothing_to_wait_for, test_names_may_use_every_token_character_and_values_are_trimmed,
    test_names_may_be_any_utf8, test_percent_decoding_is_strict, test_head_of_8192_bytes_passes_and_of_8193_does_not,
    test_request_line_of_4096_bytes_is_read_and_of_4097_is_not, test_32_header_lines_pass_and_33_do_not,
    test_content_length_of_64_bits_passes_and_one_more_does_not, test_1024_descriptors_pass_and_0_or_1025_do_not,
    test_request_id_of_128_bytes_passes_and_of_129_does_not, test_name_of_1024_bytes_passes_and_of_1025_does_not,
    test_policy_and_tenant_of_64_bytes_pass_and_of_65_do_not, test_two_lengths_of_a_body_are_refused,
    test_length_that_is_no_plain_number_is_refused, test_transfer_codings_but_chunked_are_refused,
    test_scan_without_length_is_refused, test_body_or_descriptors_where_none_belong_are_refused,
    test_folded_header_is_refused, test_bare_cr_lf_nul_and_controls_are_refused_at_once,
    test_header_names_must_be_tokens, test_host_is_required_once, test_request_line_must_be_three_words,
    test_other_versions_are_refused_by_name, test_wrong_method_names_the_right_ones, test_unknown_paths_are_not_found,
    test_refusal_of_a_path_still_knows_the_request_id, test_query_mistakes_are_refused,
    test_name_in_path_and_query_is_one_too_many, test_gate_with_stream_is_refused,
    test_bodies_that_are_not_the_file_are_refused, test_expectations_but_continue_are_refused,
    test_misspelt_headers_of_ours_are_refused, test_chunks_are_joined_however_they_arrive, test_empty_chunked_body_ends,
    test_chunk_mistakes_are_refused, test_chunk_size_of_16_digits_passes_and_of_17_does_not,
    test_chunks_adding_up_beyond_64_bits_are_refused, test_refused_and_ended_bodies_stay_so)
