/* The head parser works in two steps.  Step one looks for the empty line, byte by byte as they arrive, and refuses
 * what no valid head may hold (control characters, a CR or LF on its own) at once.  Step two runs when the head is
 * whole: it splits lines at CRLF and reads request line, headers, framing, route and query, in that order, so that
 * a reply to a bad route can still carry the caller's request id.  Section numbers are those of RFC 9112 unless
 * another is named. */
#include "http_impl.h"

bool head_refuse(struct head *h, enum problem problem, const char *detail)
{
	*h->error = (struct http_error){ .problem = problem, .detail = detail };
	return false;
}

bool head_bad(struct head *h, const char *detail)
{
	return head_refuse(h, PROBLEM_BAD_REQUEST, detail);
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
	if ((r->tensors || r->calls) && !r->ndjson)
		return head_bad(h, "tensors=1 and calls=1 of a set are answered as application/x-ndjson only");
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
