/* Heads are written line by line into a buffer that is known to be large enough: every variable part is bounded by
 * the request parser or by us, and an assert stands behind that.  Problem bodies are made by jansson, which knows
 * how to escape; without memory a fixed text takes their place, so that a refusal can always be sent. */
#include <assert.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "reply.h"

/* A buffer being filled.  What does not fit is a bug: lengths are bounded before. */
struct text {
	char *at;
	size_t n, size;
};

__attribute__((format(printf, 2, 3))) static void text_add(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->at + t->n, t->size - t->n, format, args);
	va_end(args);
	assert(n >= 0 && (size_t)n < t->size - t->n);
	t->n += (size_t)n;
}

/* A header line with a value from elsewhere: no byte of it may end the line. */
static void text_add_header(struct text *t, const char *name, const char *value)
{
	if (value == NULL || value[0] == '\0')
		return;
	for (const char *c = value; *c != '\0'; c++)
		assert((unsigned char)*c >= 0x20 && *c != 0x7F);
	text_add(t, "%s: %s\r\n", name, value);
}

const char *reply_reason(unsigned status)
{
	static const struct {
		unsigned status;
		const char *reason;
	} reasons[] = {
		{ 200, "OK" },
		{ 202, "Accepted" },
		{ 400, "Bad Request" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" },
		{ 405, "Method Not Allowed" },
		{ 408, "Request Timeout" },
		{ 411, "Length Required" },
		{ 413, "Content Too Large" },
		{ 414, "URI Too Long" },
		{ 415, "Unsupported Media Type" },
		{ 417, "Expectation Failed" },
		{ 422, "Unprocessable Content" },
		{ 429, "Too Many Requests" },
		{ 431, "Request Header Fields Too Large" },
		{ 500, "Internal Server Error" },
		{ 501, "Not Implemented" },
		{ 503, "Service Unavailable" },
		{ 505, "HTTP Version Not Supported" },
		{ 507, "Insufficient Storage" },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (reasons[i].status == status)
			return reasons[i].reason;
	}
	assert(false && "a status we do not use");
	return "Unknown";
}

size_t reply_head(const struct reply *r, char buf[REPLY_HEAD_MAX])
{
	struct text t = { .at = buf, .size = REPLY_HEAD_MAX };

	text_add(&t, "HTTP/1.1 %u %s\r\n", r->status, reply_reason(r->status));
	text_add_header(&t, "Content-Type", r->content_type);
	if (r->chunked)
		text_add(&t, "Transfer-Encoding: chunked\r\n");
	else
		text_add(&t, "Content-Length: %" PRIu64 "\r\n", r->body_n);
	text_add_header(&t, "Weighlock-Verdict", r->verdict);
	text_add_header(&t, "Weighlock-Request-Id", r->request_id);
	text_add_header(&t, "Allow", r->allow);
	if (r->retry_after_s > 0)
		text_add(&t, "Retry-After: %u\r\n", r->retry_after_s);
	if (r->close)
		text_add(&t, "Connection: close\r\n");
	text_add(&t, "\r\n");
	return t.n;
}

/* ---- problems ---- */

struct problem_info {
	const char *type;
	unsigned status;
	const char *retry;
	const char *title;
};

#define RETRY_NEVER "never"
#define RETRY_LATER "later"

static const struct problem_info *problem_info(enum problem p)
{
	static const struct problem_info table[N_PROBLEMS] = {
#define X(id, type, status, retry, title) { "urn:weighlock:problem:" type, status, RETRY_##retry, title },
		PROBLEMS(X)
#undef X
	};

	assert(p < N_PROBLEMS);
	return &table[p];
}

unsigned problem_status(enum problem p)
{
	return problem_info(p)->status;
}

const char *problem_type(enum problem p)
{
	return problem_info(p)->type;
}

const char *problem_title(enum problem p)
{
	return problem_info(p)->title;
}

const char *problem_retry(enum problem p)
{
	return problem_info(p)->retry;
}

/* At most n bytes of text as a JSON string, cut between characters.  Not UTF-8: NULL, and the member is left out. */
static json_t *json_cut(const char *text, size_t n)
{
	size_t length = strnlen(text, n + 1);

	if (length > n) {
		length = n;
		while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80)
			length--;
	}
	return json_stringn(text, length);
}

static void json_add_text(json_t *o, const char *key, const char *text)
{
	json_t *value = text != NULL && text[0] != '\0' ? json_cut(text, REPLY_DETAIL_MAX) : NULL;

	if (value != NULL)
		(void)json_object_set_new(o, key, value);
}

static json_t *problem_json(const struct problem_reply *p)
{
	const struct problem_info *info = problem_info(p->problem);
	json_t *o = json_object();

	json_add_text(o, "type", info->type);
	json_add_text(o, "title", info->title);
	if (o != NULL)
		(void)json_object_set_new(o, "status", json_integer((json_int_t)info->status));
	json_add_text(o, "detail", p->detail);
	json_add_text(o, "retry", info->retry);
	json_add_text(o, "request_id", p->request_id);
	return o;
}

size_t reply_problem_body(const struct problem_reply *p, char buf[REPLY_BODY_MAX])
{
	const struct problem_info *info = problem_info(p->problem);
	struct text t = { .at = buf, .size = REPLY_BODY_MAX };
	json_t *o = problem_json(p);
	/* json_dumpb() returns what it would need; 0 is failure.  Required members could only be missing for want of
	 * memory, and then the plain text below has them. */
	size_t n = o != NULL && json_object_get(o, "type") != NULL && json_object_get(o, "title") != NULL &&
			   json_object_get(o, "status") != NULL && json_object_get(o, "retry") != NULL
		       ? json_dumpb(o, buf, REPLY_BODY_MAX - 1, JSON_COMPACT)
		       : 0;

	json_decref(o);
	if (n > 0 && n < REPLY_BODY_MAX) {
		buf[n] = '\0';
		return n;
	}
	text_add(&t, "{\"type\":\"%s\",\"title\":\"%s\",\"status\":%u,\"retry\":\"%s\"}", info->type, info->title,
	    info->status, info->retry);
	return t.n;
}

/* RFC 9110, 10.2.3, and RFC 6585, 4: a 503 and a 429 say when to come again, or clients guess. */
static unsigned problem_retry_after(const struct problem_reply *p)
{
	unsigned status = problem_status(p->problem);

	return p->retry_after_s > 0 || (status != 429 && status != 503) ? p->retry_after_s : 1;
}

size_t reply_problem(const struct problem_reply *p, char buf[REPLY_PROBLEM_MAX])
{
	char body[REPLY_BODY_MAX];
	size_t body_n = reply_problem_body(p, body);
	const struct reply r = {
		.status = problem_status(p->problem),
		.content_type = REPLY_PROBLEM_JSON,
		.request_id = p->request_id,
		.allow = p->allow,
		.retry_after_s = problem_retry_after(p),
		.close = p->close,
		.body_n = body_n,
	};
	size_t n = reply_head(&r, buf);

	memcpy(buf + n, body, body_n + 1);
	return n + body_n;
}

size_t reply_chunk_head(uint64_t n, char buf[REPLY_CHUNK_HEAD_MAX])
{
	struct text t = { .at = buf, .size = REPLY_CHUNK_HEAD_MAX };

	assert(n > 0);
	text_add(&t, "%" PRIx64 "\r\n", n);
	return t.n;
}
