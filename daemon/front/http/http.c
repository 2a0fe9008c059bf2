/* The head parser works in two steps.  Step one looks for the empty line, byte by byte as they arrive, and refuses
 * what no valid head may hold (control characters, a CR or LF on its own) at once.  Step two runs when the head is
 * whole: it splits lines at CRLF and reads request line, headers, framing, route and query, in that order, so that
 * a reply to a bad route can still carry the caller's request id.  Section numbers are those of RFC 9112 unless
 * another is named. */
#include <string.h>

#include "checked.h"
#include "hex.h"
#include "http.h"

/* What step two works on.  Handlers return false after head_refuse(). */
struct head {
	struct http_request *req;
	struct http_error *error;
	struct bytes method, path, query;
	bool has_query;
	unsigned seen_headers; /* one bit per row of header_rules */
	unsigned seen_query;   /* one bit per row of query_rules */
	bool has_host;
	bool has_length;
	bool has_chunked;
	bool expect;
	bool json; /* Content-Type */
};

static bool head_refuse(struct head *h, enum problem problem, const char *detail)
{
	*h->error = (struct http_error){ .problem = problem, .detail = detail };
	return false;
}

static bool head_bad(struct head *h, const char *detail)
{
	return head_refuse(h, PROBLEM_BAD_REQUEST, detail);
}

/* ---- characters ---- */

static bool is_digit(uint8_t c)
{
	return c >= '0' && c <= '9';
}

static bool is_alpha(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* tchar (RFC 9110, 5.6.2). */
static bool is_token(uint8_t c)
{
	return is_digit(c) || is_alpha(c) || (c != 0 && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

/* What a path and a query may be written with (RFC 3986, 3.3 and 3.4). */
static bool is_target(uint8_t c)
{
	return is_digit(c) || is_alpha(c) || (c != 0 && strchr("-._~%!$&'()*+,;=:@/?", c) != NULL);
}

static bool is_visible(uint8_t c)
{
	return c > 0x20 && c < 0x7F;
}

/* Names of policies and tenants. */
static bool is_name(uint8_t c)
{
	return is_digit(c) || is_alpha(c) || c == '.' || c == '_' || c == '-';
}

static bool all(struct bytes b, bool (*is)(uint8_t))
{
	for (size_t i = 0; i < b.n; i++) {
		if (!is(b.at[i]))
			return false;
	}
	return true;
}

static uint8_t lower(uint8_t c)
{
	return c >= 'A' && c <= 'Z' ? (uint8_t)(c | 0x20) : c;
}

/* ---- runs of bytes ---- */

static struct bytes slice(struct bytes b, size_t from, size_t to)
{
	return bytes_of(b.at + from, to - from);
}

static bool equals(struct bytes b, const char *text)
{
	return bytes_equal(b, bytes_of_text(text));
}

/* @text in lower case. */
static bool equals_any_case(struct bytes b, const char *text)
{
	if (b.n != strlen(text))
		return false;
	for (size_t i = 0; i < b.n; i++) {
		if (lower(b.at[i]) != (uint8_t)text[i])
			return false;
	}
	return true;
}

static bool starts_any_case(struct bytes b, const char *text)
{
	size_t n = strlen(text);

	return b.n >= n && equals_any_case(bytes_of(b.at, n), text);
}

static struct bytes trim(struct bytes b)
{
	while (b.n > 0 && (b.at[0] == ' ' || b.at[0] == '\t'))
		b = slice(b, 1, b.n);
	while (b.n > 0 && (b.at[b.n - 1] == ' ' || b.at[b.n - 1] == '\t'))
		b.n--;
	return b;
}

/* Cut at the first @by: *ret_head is what precedes it, *b what follows.  Without one, everything and nothing.
 * Return: whether there was one. */
static bool cut(struct bytes *b, char by, struct bytes *ret_head)
{
	const uint8_t *at = b->n > 0 ? memchr(b->at, by, b->n) : NULL;
	size_t n = at != NULL ? (size_t)(at - b->at) : b->n;

	*ret_head = bytes_of(b->at, n);
	*b = at != NULL ? slice(*b, n + 1, b->n) : bytes_of(NULL, 0);
	return at != NULL;
}

/* Decimal digits only, at least one; no sign, no space, no wrap. */
static bool parse_u64(struct bytes b, uint64_t *ret)
{
	uint64_t v = 0;

	if (b.n == 0 || !all(b, is_digit))
		return false;
	for (size_t i = 0; i < b.n; i++) {
		if (!mul_u64(v, 10, &v) || !add_u64(v, (uint64_t)(b.at[i] - '0'), &v))
			return false;
	}
	*ret = v;
	return true;
}

bool http_percent_decode(struct bytes in, char *buf, size_t max, size_t *ret_n)
{
	size_t n = 0;

	for (size_t i = 0; i < in.n; i++) {
		uint8_t c = in.at[i];

		if (c == '%') {
			int high = in.n - i > 2 ? hex_digit(in.at[i + 1]) : -1;
			int low = in.n - i > 2 ? hex_digit(in.at[i + 2]) : -1;

			if (high < 0 || low < 0 || (high == 0 && low == 0))
				return false;
			c = (uint8_t)(high * 16 + low);
			i += 2;
		}
		if (n == max)
			return false;
		buf[n++] = (char)c;
	}
	buf[n] = '\0';
	*ret_n = n;
	return true;
}

/* Length of the UTF-8 sequence at the start of b, 0 if it is none (RFC 3629: shortest form, no surrogates). */
static size_t utf8_sequence(struct bytes b)
{
	uint8_t c = b.at[0];
	size_t n = c < 0x80 ? 1 : c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;

	if (n == 0 || n > b.n)
		return 0;
	for (size_t i = 1; i < n; i++) {
		if ((b.at[i] & 0xC0) != 0x80)
			return 0;
	}
	if ((c == 0xE0 && b.at[1] < 0xA0) || (c == 0xED && b.at[1] > 0x9F) || (c == 0xF0 && b.at[1] < 0x90) ||
	    (c == 0xF4 && b.at[1] > 0x8F))
		return 0;
	return n;
}

bool http_is_name(struct bytes b)
{
	if (b.n == 0 || b.n > HTTP_NAME_MAX)
		return false;
	while (b.n > 0) {
		size_t n = utf8_sequence(b);

		if (n == 0 || b.at[0] < 0x20 || b.at[0] == 0x7F)
			return false;
		b = slice(b, n, b.n);
	}
	return true;
}

/* ---- headers ---- */

/* RFC 9110, 7.2.  Over a Unix socket the name means nothing, but its absence means that this is no HTTP/1.1. */
static bool take_host(struct head *h, struct bytes value)
{
	h->has_host = true;
	return all(value, is_visible) || head_bad(h, "Host: characters that are not visible ASCII");
}

static bool take_length(struct head *h, struct bytes value)
{
	h->has_length = true;
	return parse_u64(value, &h->req->content_length) ||
	       head_bad(h, "Content-Length: not a decimal number below 2^64");
}

/* 6.1: a coding we do not know hides where the body ends. */
static bool take_transfer_encoding(struct head *h, struct bytes value)
{
	h->has_chunked = true;
	return equals(value, "chunked") ||
	       head_refuse(h, PROBLEM_UNSUPPORTED, "Transfer-Encoding: only exactly \"chunked\" is allowed");
}

static bool take_connection(struct head *h, struct bytes value)
{
	struct bytes token;
	bool more;

	do {
		more = cut(&value, ',', &token);
		if (equals_any_case(trim(token), "close"))
			h->req->close = true;
	} while (more);
	return true;
}

static bool take_expect(struct head *h, struct bytes value)
{
	h->expect = true;
	return equals_any_case(value, "100-continue") ||
	       head_refuse(h, PROBLEM_EXPECTATION, "Expect: only 100-continue is allowed");
}

/* Whoever lists our stream type can read it.  Anything else gets JSON: every client that asks for text/html and
 * shows what comes is better served by the answer than by a 406 (RFC 9110, 12.4.1 allows it). */
static bool take_accept(struct head *h, struct bytes value)
{
	struct bytes range, type;
	bool more;

	do {
		more = cut(&value, ',', &range);
		cut(&range, ';', &type);
		if (equals_any_case(trim(type), "application/x-ndjson"))
			h->req->ndjson = true;
	} while (more);
	return true;
}

/* The digest is that of the bytes as sent; a coded body would be judged as something nobody will load. */
static bool take_content_encoding(struct head *h, struct bytes value)
{
	return equals_any_case(value, "identity") ||
	       head_refuse(h, PROBLEM_MEDIA_TYPE, "Content-Encoding: the body must be the file as it is");
}

/* curl -F and browsers wrap files; the wrapped bytes are not the file. */
static bool take_content_type(struct head *h, struct bytes value)
{
	struct bytes type, rest = value;

	cut(&rest, ';', &type);
	h->json = equals_any_case(trim(type), "application/json");
	return !starts_any_case(value, "multipart/") ||
	       head_refuse(h, PROBLEM_MEDIA_TYPE,
		   "Content-Type: multipart bodies are not unpacked, send the file itself (curl -T FILE)");
}

/* RFC 9110, 14.5: a part must not be taken for the whole. */
static bool take_content_range(struct head *h, struct bytes value)
{
	(void)value;
	return head_bad(h, "Content-Range: a part of a file cannot be judged");
}

/* `fd; n=K` */
static bool take_source(struct head *h, struct bytes value)
{
	struct bytes kind;
	uint64_t n = 0;

	cut(&value, ';', &kind);
	value = trim(value);
	if (!equals(trim(kind), "fd") || value.n < 3 || value.at[0] != 'n' || value.at[1] != '=' ||
	    !parse_u64(slice(value, 2, value.n), &n))
		return head_bad(h, "Weighlock-Source: not of the form \"fd; n=K\"");
	if (n < 1 || n > HTTP_FDS_MAX)
		return head_bad(h, "Weighlock-Source: n is not within 1 and 1024");
	h->req->n_fds = (unsigned)n;
	return true;
}

static bool take_request_id(struct head *h, struct bytes value)
{
	if (value.n == 0 || value.n > HTTP_REQUEST_ID_MAX || !all(value, is_token))
		return head_bad(h, "Weighlock-Request-Id: not 1 to 128 token characters");
	memcpy(h->req->request_id, value.at, value.n);
	return true;
}

/* Lower case.  `once`: a second line of that name is refused, even when it says the same. */
static const struct header_rule {
	const char *name;
	bool once;
	bool (*take)(struct head *h, struct bytes value);
} header_rules[] = {
	{ "host", true, take_host },
	{ "content-length", true, take_length },
	{ "transfer-encoding", true, take_transfer_encoding },
	{ "connection", false, take_connection },
	{ "expect", true, take_expect },
	{ "accept", false, take_accept },
	{ "content-encoding", true, take_content_encoding },
	{ "content-type", true, take_content_type },
	{ "content-range", true, take_content_range },
	{ "weighlock-source", true, take_source },
	{ "weighlock-request-id", true, take_request_id },
};

#define N_HEADER_RULES (sizeof(header_rules) / sizeof(header_rules[0]))

static bool head_take_header(struct head *h, struct bytes name, struct bytes value)
{
	for (size_t i = 0; i < N_HEADER_RULES; i++) {
		const struct header_rule *rule = &header_rules[i];

		if (!equals_any_case(name, rule->name))
			continue;
		if (rule->once && (h->seen_headers & 1u << i) != 0)
			return head_bad(h, "a header that may come once comes twice");
		h->seen_headers |= 1u << i;
		return rule->take(h, value);
	}
	/* Of other people's headers we know nothing; of ours we know all, so this one is misspelt. */
	return !starts_any_case(name, "weighlock-") || head_bad(h, "a Weighlock- header of unknown name");
}

/* 5.1: no space before the colon (the name would not be a token); 5.2: no folded lines. */
static bool head_parse_header(struct head *h, struct bytes line)
{
	struct bytes name;

	if (line.at[0] == ' ' || line.at[0] == '\t')
		return head_bad(h, "a header line is folded");
	if (!cut(&line, ':', &name))
		return head_bad(h, "a header line has no colon");
	if (name.n == 0 || !all(name, is_token))
		return head_bad(h, "a header name is not a token");
	return head_take_header(h, name, trim(line));
}

/* The next line of *rest without its CRLF.  Step one has seen to it that CR and LF only come together. */
static struct bytes head_take_line(struct bytes *rest)
{
	struct bytes line;

	cut(rest, '\n', &line);
	return slice(line, 0, line.n - 1);
}

static bool head_parse_headers(struct head *h, struct bytes rest)
{
	unsigned n = 0;

	for (;;) {
		struct bytes line = head_take_line(&rest);

		if (line.n == 0)
			break;
		if (++n > HTTP_HEADERS_MAX)
			return head_refuse(h, PROBLEM_HEADERS_TOO_LARGE, "more than 32 header lines");
		if (!head_parse_header(h, line))
			return false;
	}
	return h->has_host || head_bad(h, "Host is missing");
}

/* ---- request line ---- */

static bool head_parse_version(struct head *h, struct bytes version)
{
	if (equals(version, "HTTP/1.1"))
		return true;
	if (version.n == 8 && memcmp(version.at, "HTTP/", 5) == 0 && is_digit(version.at[5]) && version.at[6] == '.' &&
	    is_digit(version.at[7]))
		return head_refuse(h, PROBLEM_HTTP_VERSION, "the request is not HTTP/1.1");
	return head_bad(h, "the request line does not end in \" HTTP/1.1\"");
}

/* 3: method SP request-target SP HTTP-version, with single spaces. */
static bool head_parse_line(struct head *h, struct bytes line)
{
	struct bytes target;

	if (!cut(&line, ' ', &h->method) || !cut(&line, ' ', &target))
		return head_bad(h, "the request line is not three words");
	if (h->method.n == 0 || !all(h->method, is_token))
		return head_bad(h, "the method is not a token");
	if (target.n == 0 || target.at[0] != '/' || !all(target, is_target))
		return head_bad(h, "the target is not an absolute path of URI characters");
	if (!head_parse_version(h, line))
		return false;
	h->has_query = cut(&target, '?', &h->path);
	h->query = target;
	return true;
}

/* ---- query ---- */

static bool take_flag(struct head *h, struct bytes value, bool *ret)
{
	if (!equals(value, "0") && !equals(value, "1"))
		return head_bad(h, "query: a switch that is neither 0 nor 1");
	*ret = value.at[0] == '1';
	return true;
}

static bool take_name(struct head *h, struct bytes value)
{
	size_t n = 0;

	if (!http_percent_decode(value, h->req->name, HTTP_NAME_MAX, &n) || !http_is_name(bytes_of(h->req->name, n)))
		return head_bad(h, "name: not 1 to 1024 bytes of UTF-8 without control characters, percent-encoded");
	return true;
}

static bool take_token(struct head *h, struct bytes value, char ret[HTTP_TOKEN_MAX + 1], const char *detail)
{
	size_t n = 0;

	return (http_percent_decode(value, ret, HTTP_TOKEN_MAX, &n) && n > 0 && all(bytes_of(ret, n), is_name)) ||
	       head_bad(h, detail);
}

static bool take_query_name(struct head *h, struct bytes value)
{
	/* Forms write a space as '+', everybody else means a plus. */
	if (value.n > 0 && memchr(value.at, '+', value.n) != NULL)
		return head_bad(h, "name: write %20 or %2B instead of '+'");
	return take_name(h, value);
}

static bool take_query_policy(struct head *h, struct bytes value)
{
	return take_token(h, value, h->req->policy, "policy: not 1 to 64 of A-Z a-z 0-9 . _ -");
}

static bool take_query_tenant(struct head *h, struct bytes value)
{
	return take_token(h, value, h->req->tenant, "tenant: not 1 to 64 of A-Z a-z 0-9 . _ -");
}

static bool take_query_sha256(struct head *h, struct bytes value)
{
	h->req->has_sha256 = hex_read(value, h->req->sha256, sizeof(h->req->sha256));
	return h->req->has_sha256 || head_bad(h, "sha256: not 64 hexadecimal digits");
}

static bool take_query_gate(struct head *h, struct bytes value)
{
	return take_flag(h, value, &h->req->gate);
}

static bool take_query_tensors(struct head *h, struct bytes value)
{
	return take_flag(h, value, &h->req->tensors);
}

static bool take_query_tensor_digests(struct head *h, struct bytes value)
{
	return take_flag(h, value, &h->req->tensor_digests);
}

static bool take_query_lane(struct head *h, struct bytes value)
{
	if (equals(value, "batch"))
		h->req->lane = HTTP_LANE_BATCH;
	else if (!equals(value, "interactive"))
		return head_bad(h, "lane: neither interactive nor batch");
	return true;
}

static bool take_query_on_close(struct head *h, struct bytes value)
{
	h->req->on_close_finish = equals(value, "finish");
	return h->req->on_close_finish || head_bad(h, "on_close: only finish is allowed");
}

static bool take_query_attest(struct head *h, struct bytes value)
{
	return take_flag(h, value, &h->req->attest);
}

static const struct query_rule {
	const char *key;
	bool (*take)(struct head *h, struct bytes value);
	bool of_verdicts; /* HTTP_ROUTE_VERDICT takes it too */
} query_rules[] = {
	{ "name", take_query_name, true },
	{ "policy", take_query_policy, true },
	{ "tenant", take_query_tenant, false },
	{ "sha256", take_query_sha256, false },
	{ "gate", take_query_gate, false },
	{ "tensors", take_query_tensors, false },
	{ "tensor_digests", take_query_tensor_digests, false },
	{ "lane", take_query_lane, false },
	{ "on_close", take_query_on_close, false },
	{ "attest", take_query_attest, true },
};

#define N_QUERY_RULES (sizeof(query_rules) / sizeof(query_rules[0]))

static bool head_take_query(struct head *h, struct bytes key, struct bytes value)
{
	for (size_t i = 0; i < N_QUERY_RULES; i++) {
		if (!equals(key, query_rules[i].key))
			continue;
		if (h->req->route == HTTP_ROUTE_VERDICT && !query_rules[i].of_verdicts)
			return head_bad(h, "query: a key that is none of name, policy and attest");
		if ((h->seen_query & 1u << i) != 0)
			return head_bad(h, "query: a key comes twice");
		h->seen_query |= 1u << i;
		return query_rules[i].take(h, value);
	}
	return head_bad(h,
	    "query: a key that is none of name, policy, tenant, sha256, gate, tensors, tensor_digests, lane, "
	    "on_close, attest");
}

static bool head_parse_query(struct head *h)
{
	struct bytes rest = h->query, pair, key;
	bool more;

	do {
		more = cut(&rest, '&', &pair);
		if (!cut(&pair, '=', &key))
			return head_bad(h, "query: not of the form key=value");
		if (!head_take_query(h, key, pair))
			return false;
	} while (more);
	if (h->req->gate && h->req->ndjson)
		return head_bad(h, "gate=1 answers by status, a stream always has 200: ask for one of them");
	if (h->req->tensor_digests && !h->req->tensors)
		return head_bad(h, "tensor_digests=1 adds to the list that tensors=1 asks for");
	if (h->req->attest && (h->req->ndjson || h->req->tensors))
		return head_bad(h, "attest=1 is answered with an envelope: neither as a stream nor with tensors=1");
	return true;
}

/* ---- route ---- */

#define METHOD_BIT(m) (1u << (m))

static const struct route_rule {
	const char *path; /* one that ends in '/' stands for itself followed by one more segment */
	enum http_route route;
	unsigned methods;
	const char *allow;
} route_rules[] = {
	{ "/v1/scan", HTTP_ROUTE_SCAN, METHOD_BIT(HTTP_POST) | METHOD_BIT(HTTP_PUT), "POST, PUT" },
	{ "/v1/scan/", HTTP_ROUTE_SCAN, METHOD_BIT(HTTP_PUT), "PUT" },
	{ "/v1/verdicts/", HTTP_ROUTE_VERDICT, METHOD_BIT(HTTP_GET), "GET" },
	{ "/v1/rules", HTTP_ROUTE_RULES, METHOD_BIT(HTTP_GET), "GET" },
	{ "/v1/formats", HTTP_ROUTE_FORMATS, METHOD_BIT(HTTP_GET), "GET" },
	{ "/v1/version", HTTP_ROUTE_VERSION, METHOD_BIT(HTTP_GET), "GET" },
	{ "/healthz", HTTP_ROUTE_HEALTHZ, METHOD_BIT(HTTP_GET), "GET" },
	{ "/readyz", HTTP_ROUTE_READYZ, METHOD_BIT(HTTP_GET), "GET" },
	{ "/metrics", HTTP_ROUTE_METRICS, METHOD_BIT(HTTP_GET), "GET" },
};

#define N_ROUTE_RULES (sizeof(route_rules) / sizeof(route_rules[0]))

/* Does the path belong to this row, and what is its last segment if the row has one? */
static bool route_matches(const struct route_rule *rule, struct bytes path, struct bytes *ret_segment)
{
	size_t n = strlen(rule->path);

	*ret_segment = bytes_of(NULL, 0);
	if (rule->path[n - 1] != '/')
		return equals(path, rule->path);
	if (path.n <= n || memcmp(path.at, rule->path, n) != 0 || memchr(path.at + n, '/', path.n - n) != NULL)
		return false;
	*ret_segment = slice(path, n, path.n);
	return true;
}

static bool head_parse_method(struct head *h)
{
	if (equals(h->method, "GET"))
		h->req->method = HTTP_GET;
	else if (equals(h->method, "PUT"))
		h->req->method = HTTP_PUT;
	else if (equals(h->method, "POST"))
		h->req->method = HTTP_POST;
	else
		return head_refuse(h, PROBLEM_UNSUPPORTED, "the method is none of GET, PUT and POST");
	return true;
}

static bool head_parse_route(struct head *h, struct bytes *ret_segment)
{
	for (size_t i = 0; i < N_ROUTE_RULES; i++) {
		const struct route_rule *rule = &route_rules[i];

		if (!route_matches(rule, h->path, ret_segment))
			continue;
		if ((METHOD_BIT(h->req->method) & rule->methods) == 0) {
			head_refuse(h, PROBLEM_METHOD, "the path does not answer to this method");
			h->error->allow = rule->allow;
			return false;
		}
		h->req->route = rule->route;
		return true;
	}
	return head_refuse(h, PROBLEM_NOT_FOUND, "no such path");
}

/* The value in the path counts as the query's key of that name: both are one too many. */
static bool head_take_segment(struct head *h, struct bytes segment)
{
	if (segment.n == 0)
		return true;
	if (h->req->route == HTTP_ROUTE_SCAN)
		return take_name(h, segment);
	return take_query_sha256(h, segment);
}

static bool head_parse_target(struct head *h)
{
	struct bytes segment;

	if (!head_parse_method(h) || !head_parse_route(h, &segment))
		return false;
	if (h->has_query) {
		if (h->req->route != HTTP_ROUTE_SCAN && h->req->route != HTTP_ROUTE_VERDICT)
			return head_bad(h, "query: this path takes none");
		if (!head_parse_query(h))
			return false;
	}
	if (segment.n > 0 && h->req->route == HTTP_ROUTE_SCAN && h->req->name[0] != '\0')
		return head_bad(h, "name: given in the path and in the query");
	return head_take_segment(h, segment);
}

/* ---- framing ---- */

/* 6.3.  A request whose length two readers could see differently is refused before anything is done with it. */
static bool head_parse_framing(struct head *h)
{
	if (h->has_length && h->has_chunked)
		return head_bad(h, "Content-Length and Transfer-Encoding together");
	if (h->has_chunked)
		h->req->body = HTTP_BODY_CHUNKED;
	else if (h->has_length)
		h->req->body = HTTP_BODY_LENGTH;
	return true;
}

/* Descriptors with a body are a set: its names.  What it says of one file, or would need to hold of all, has no place. */
static bool head_check_set(struct head *h, bool empty)
{
	struct http_request *r = h->req;

	if (r->n_fds == 0 || (empty && r->n_fds == 1))
		return true;
	if (empty)
		return head_bad(h, "several descriptors are a set: the body must name them, {\"members\":[\"...\"]}");
	if (!h->json)
		return head_refuse(h, PROBLEM_MEDIA_TYPE,
		    "a request brings a file or descriptors; with descriptors the body is their names, "
		    "application/json");
	if (r->has_sha256)
		return head_bad(h, "sha256: one digest cannot be that of several files");
	if (r->attest)
		return head_bad(h, "attest=1 is about one file, and this is a set");
	if (r->tensors && !r->ndjson)
		return head_bad(h, "tensors=1 of a set is answered as application/x-ndjson only");
	r->is_set = true;
	return true;
}

/* What the route makes of the body. */
static bool head_check_body(struct head *h)
{
	struct http_request *r = h->req;
	bool empty = r->body == HTTP_BODY_NONE || (r->body == HTTP_BODY_LENGTH && r->content_length == 0);

	if (r->route == HTTP_ROUTE_SCAN) {
		if (r->body == HTTP_BODY_NONE && r->n_fds == 0)
			return head_refuse(h, PROBLEM_LENGTH_REQUIRED, "neither Content-Length nor Transfer-Encoding");
	} else {
		if (!empty || r->n_fds > 0)
			return head_bad(h, "this path takes neither a body nor descriptors");
		r->body = HTTP_BODY_NONE;
	}
	/* RFC 9110, 10.1.1: without a body there is nothing to wait for. */
	r->expect_continue = h->expect && !empty;
	return head_check_set(h, empty);
}

static bool head_parse(struct bytes data, struct http_request *req, struct http_error *error)
{
	struct head h = { .req = req, .error = error };

	memset(req, 0, sizeof(*req));
	return head_parse_line(&h, head_take_line(&data)) && head_parse_headers(&h, data) && head_parse_framing(&h) &&
	       head_parse_target(&h) && head_check_body(&h);
}

/* ---- step one ---- */

void http_parser_init(struct http_parser *p)
{
	*p = (struct http_parser){ 0 };
}

/* May @c follow @before?  NULL, or what is wrong. */
static const char *byte_trouble(uint8_t before, uint8_t c)
{
	if (before == '\r' && c != '\n')
		return "a CR without LF";
	if (c == '\n' && before != '\r')
		return "a LF without CR";
	if ((c < 0x20 && c != '\t' && c != '\r' && c != '\n') || c == 0x7F)
		return "a control character";
	return NULL;
}

/* Take byte i of the head.  DONE: it is the last one. */
static enum http_progress parser_take(struct http_parser *p, const uint8_t *at, size_t i, struct http_error *error)
{
	const char *trouble = byte_trouble(i > 0 ? at[i - 1] : 0, at[i]);

	if (trouble == NULL && at[i] == '\n' && i == 1)
		trouble = "an empty line before the request line";
	if (trouble != NULL) {
		*error = (struct http_error){ .problem = PROBLEM_BAD_REQUEST, .detail = trouble };
		return HTTP_BAD;
	}
	if (at[i] == '\n' && p->line_done && at[i - 2] == '\n')
		return HTTP_DONE;
	if (at[i] == '\n')
		p->line_done = true;
	if (!p->line_done && i + 1 >= HTTP_LINE_MAX) {
		*error = (struct http_error){ .problem = PROBLEM_URI_TOO_LONG,
			.detail = "the request line is longer than 4096 bytes" };
		return HTTP_BAD;
	}
	return HTTP_NEED_MORE;
}

enum http_progress http_parse_head(struct http_parser *p, const uint8_t *at, size_t n, struct http_request *ret,
    size_t *ret_head_n, struct http_error *ret_error)
{
	enum http_progress progress = HTTP_NEED_MORE;

	ret->request_id[0] = '\0';
	while (progress == HTTP_NEED_MORE && p->seen < n && p->seen < HTTP_HEAD_MAX)
		progress = parser_take(p, at, p->seen++, ret_error);
	if (progress == HTTP_NEED_MORE && p->seen == HTTP_HEAD_MAX) {
		*ret_error = (struct http_error){ .problem = PROBLEM_HEADERS_TOO_LARGE,
			.detail = "the head is longer than 8192 bytes" };
		return HTTP_BAD;
	}
	if (progress != HTTP_DONE)
		return progress;
	if (!head_parse(bytes_of(at, p->seen), ret, ret_error))
		return HTTP_BAD;
	*ret_head_n = p->seen;
	return HTTP_DONE;
}

/* ---- chunked coding ---- */

enum chunk_state {
	CHUNK_SIZE, /* hexadecimal digits, or the CR after them */
	CHUNK_SIZE_LF,
	CHUNK_DATA,
	CHUNK_DATA_CR, /* after the payload */
	CHUNK_DATA_LF,
	CHUNK_LAST_CR, /* after the chunk of size 0: the empty line, where trailers would stand */
	CHUNK_LAST_LF,
	CHUNK_DONE,
	CHUNK_FAILED,
};

#define CHUNK_DIGITS_MAX 16u /* 2^64-1 */

void http_chunks_init(struct http_chunks *c)
{
	*c = (struct http_chunks){ 0 };
}

/* Return: NULL, or what is wrong; as do the steps below. */
static const char *chunk_take_digit(struct http_chunks *c, uint8_t byte)
{
	int v = hex_digit(byte);

	if (v < 0)
		return byte == ';' ? "chunk extensions are not allowed" : "a chunk size is not a hexadecimal number";
	if (c->digits == CHUNK_DIGITS_MAX)
		return "a chunk size has more than 16 digits";
	c->digits++;
	c->left = c->left << 4 | (uint64_t)v; /* at most 16 digits: cannot wrap */
	return NULL;
}

static const char *chunk_end_size(struct http_chunks *c)
{
	if (!add_u64(c->total, c->left, &c->total))
		return "the chunks add up to more than 2^64-1 bytes";
	c->state = c->left > 0 ? CHUNK_DATA : CHUNK_LAST_CR;
	c->digits = 0;
	return NULL;
}

static const char *chunk_expect(struct http_chunks *c, uint8_t byte, uint8_t wanted, enum chunk_state next)
{
	if (byte != wanted)
		return c->state == CHUNK_LAST_CR ? "trailers are not allowed" : "a chunk does not end in CRLF";
	c->state = (uint8_t)next;
	return NULL;
}

/* One byte of framing. */
static const char *chunk_step(struct http_chunks *c, uint8_t byte)
{
	switch (c->state) {
	case CHUNK_SIZE:
		if (byte == '\r' && c->digits > 0)
			return chunk_expect(c, byte, '\r', CHUNK_SIZE_LF);
		return chunk_take_digit(c, byte);
	case CHUNK_SIZE_LF: return byte == '\n' ? chunk_end_size(c) : "a chunk size does not end in CRLF";
	case CHUNK_DATA_CR: return chunk_expect(c, byte, '\r', CHUNK_DATA_LF);
	case CHUNK_DATA_LF: return chunk_expect(c, byte, '\n', CHUNK_SIZE);
	case CHUNK_LAST_CR: return chunk_expect(c, byte, '\r', CHUNK_LAST_LF);
	case CHUNK_LAST_LF: return chunk_expect(c, byte, '\n', CHUNK_DONE);
	default: return "the body was refused before";
	}
}

static enum http_chunk_event chunk_fail(struct http_chunks *c, const char *detail, struct http_error *error)
{
	c->state = CHUNK_FAILED;
	if (error != NULL)
		*error = (struct http_error){ .problem = PROBLEM_BAD_REQUEST, .detail = detail };
	return HTTP_CHUNK_BAD;
}

static enum http_chunk_event chunk_take_data(
    struct http_chunks *c, const uint8_t *at, size_t n, size_t *used, struct bytes *payload)
{
	size_t take = (size_t)min_u64(n, c->left);

	*payload = bytes_of(at, take);
	*used += take;
	c->left -= take;
	if (c->left == 0)
		c->state = CHUNK_DATA_CR;
	return HTTP_CHUNK_DATA;
}

enum http_chunk_event http_chunk_next(struct http_chunks *c, const uint8_t *at, size_t n, size_t *ret_used,
    struct bytes *ret_payload, struct http_error *ret_error)
{
	*ret_used = 0;
	*ret_payload = bytes_of(NULL, 0);
	if (c->state == CHUNK_FAILED)
		return chunk_fail(c, "the body was refused before", ret_error);
	while (c->state != CHUNK_DONE && *ret_used < n) {
		const char *trouble;

		if (c->state == CHUNK_DATA)
			return chunk_take_data(c, at + *ret_used, n - *ret_used, ret_used, ret_payload);
		trouble = chunk_step(c, at[(*ret_used)++]);
		if (trouble != NULL)
			return chunk_fail(c, trouble, ret_error);
	}
	return c->state == CHUNK_DONE ? HTTP_CHUNK_END : HTTP_CHUNK_MORE;
}
