/* See http_answer.h. */
#include "http_answer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define CHUNK_DIGITS_MAX 8u /* hexadecimal; the daemon's chunks are far smaller than 4 GiB */

void wlc_reply_init(struct wlc_reply *r, size_t body_max)
{
	*r = (struct wlc_reply){ .body_max = body_max };
}

void wlc_reply_done(struct wlc_reply *r)
{
	free(r->body);
	r->body = NULL;
}

static bool broken_by(struct wlc_reply *r, int error, const char *why)
{
	if (r->state != WLC_REPLY_BROKEN) {
		r->why = why;
		r->error = error;
	}
	r->state = WLC_REPLY_BROKEN;
	return false;
}

static bool broken(struct wlc_reply *r, const char *why)
{
	return broken_by(r, EPROTO, why);
}

static bool too_long(struct wlc_reply *r)
{
	return broken_by(r, EMSGSIZE, "the answer is too long");
}

/* ---- headers ---- */

struct span {
	const char *at;
	size_t n;
};

static bool span_is(struct span s, const char *text)
{
	return s.n == strlen(text) && memcmp(s.at, text, s.n) == 0;
}

static bool span_number(struct span s, size_t digits_max, uint64_t *ret)
{
	uint64_t v = 0;

	if (s.n == 0 || s.n > digits_max)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (s.at[i] < '0' || s.at[i] > '9')
			return false;
		v = v * 10 + (uint64_t)(s.at[i] - '0');
	}
	*ret = v;
	return true;
}

static bool take_length(struct wlc_reply *r, struct span value)
{
	r->has_length = span_number(value, 15, &r->left);
	return r->has_length;
}

static bool take_coding(struct wlc_reply *r, struct span value)
{
	r->is_chunked = span_is(value, "chunked");
	return r->is_chunked;
}

static bool take_type(struct wlc_reply *r, struct span value)
{
	r->is_stream = span_is(value, "application/x-ndjson");
	r->is_json = span_is(value, "application/json");
	r->is_problem = span_is(value, "application/problem+json");
	return true;
}

/* The time may be a date (RFC 9110, 10.2.3); the daemon writes seconds, and nothing depends on it. */
static bool take_retry_after(struct wlc_reply *r, struct span value)
{
	uint64_t v = 0;

	r->retry_after_s = span_number(value, 9, &v) ? (unsigned)v : 0;
	return true;
}

static bool copy_word(char *to, size_t max, struct span value)
{
	if (value.n == 0 || value.n > max)
		return false;
	memcpy(to, value.at, value.n);
	to[value.n] = '\0';
	return true;
}

static bool take_verdict(struct wlc_reply *r, struct span value)
{
	return copy_word(r->verdict, WLC_WORD_MAX, value);
}

static bool take_request_id(struct wlc_reply *r, struct span value)
{
	return copy_word(r->request_id, WLC_REQUEST_ID_MAX, value);
}

/* A coding of the body would make it another body. */
static bool take_nothing(struct wlc_reply *r, struct span value)
{
	(void)r;
	(void)value;
	return false;
}

static const struct rule {
	const char *name;
	bool (*take)(struct wlc_reply *r, struct span value);
	const char *why;
} rules[] = {
	{ "Content-Length", take_length, "the answer's Content-Length is none" },
	{ "Transfer-Encoding", take_coding, "the answer has a transfer coding other than chunked" },
	{ "Content-Type", take_type, NULL },
	{ "Content-Encoding", take_nothing, "the answer is compressed" },
	{ "Retry-After", take_retry_after, NULL },
	{ "Weighlock-Verdict", take_verdict, "the answer's verdict is too long" },
	{ "Weighlock-Request-Id", take_request_id, "the answer's request id is too long" },
};

static bool is_token(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static bool take_header(struct wlc_reply *r, struct span name, struct span value)
{
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		if (name.n != strlen(rules[i].name) || strncasecmp(name.at, rules[i].name, name.n) != 0)
			continue;
		if ((r->seen & 1u << i) != 0)
			return broken(r, "a header comes twice");
		r->seen |= 1u << i;
		return rules[i].take(r, value) || broken(r, rules[i].why);
	}
	return true;
}

static bool parse_header(struct wlc_reply *r, struct span line)
{
	struct span name = { .at = line.at }, value;

	while (name.n < line.n && is_token(line.at[name.n]))
		name.n++;
	if (name.n == 0 || name.n == line.n || line.at[name.n] != ':')
		return broken(r, "a header line is none");
	value = (struct span){ line.at + name.n + 1, line.n - name.n - 1 };
	for (; value.n > 0 && (value.at[0] == ' ' || value.at[0] == '\t'); value.n--)
		value.at++;
	while (value.n > 0 && (value.at[value.n - 1] == ' ' || value.at[value.n - 1] == '\t'))
		value.n--;
	return take_header(r, name, value);
}

/* RFC 9112, 4: the space behind the status is there even without a reason. */
static bool parse_status(struct wlc_reply *r, struct span line)
{
	static const char version[] = "HTTP/1.1 ";
	size_t n = sizeof(version) - 1;
	uint64_t status = 0;

	if (line.n < n + 4 || memcmp(line.at, version, n) != 0 || line.at[n + 3] != ' ' ||
	    !span_number((struct span){ line.at + n, 3 }, 3, &status) || status < 100 || status > 599)
		return broken(r, "the answer is not HTTP/1.1");
	r->status = (unsigned)status;
	return true;
}

/* ---- the head ---- */

/* The next line; push_head() has seen to it that there is one. */
static struct span take_line(struct span *rest)
{
	const char *end = memchr(rest->at, '\r', rest->n);
	struct span line = { rest->at, (size_t)(end - rest->at) };

	rest->at = end + 2;
	rest->n -= line.n + 2;
	return line;
}

static bool take_interim(struct wlc_reply *r)
{
	if (!r->may_continue || r->continued || r->seen != 0)
		return broken(r, "an interim answer that was not asked for");
	r->continued = true;
	r->status = 0;
	return true;
}

static bool start_body(struct wlc_reply *r)
{
	if (r->is_chunked == r->has_length)
		return broken(r, "the answer does not say where it ends");
	if (r->is_chunked)
		r->state = WLC_REPLY_CHUNK_SIZE;
	else
		r->state = r->left > 0 ? WLC_REPLY_BODY : WLC_REPLY_WHOLE;
	if (r->has_length && r->left > r->body_max)
		return too_long(r);
	return true;
}

static bool parse_head(struct wlc_reply *r)
{
	struct span rest = { r->head, r->head_n }, line;

	r->head_n = 0;
	line = take_line(&rest);
	if (!parse_status(r, line))
		return false;
	while ((line = take_line(&rest)).n > 0) {
		if (!parse_header(r, line))
			return false;
	}
	if (r->status == 100)
		return take_interim(r);
	return r->status >= 200 ? start_body(r) : broken(r, "an interim answer that was not asked for");
}

static bool head_is_whole(const struct wlc_reply *r)
{
	return r->head_n >= 4 && memcmp(r->head + r->head_n - 4, "\r\n\r\n", 4) == 0;
}

static bool push_head(struct wlc_reply *r, char c)
{
	bool after_cr = r->head_n > 0 && r->head[r->head_n - 1] == '\r';

	if (r->head_n == sizeof(r->head))
		return broken(r, "the answer's head is too long");
	if ((c == '\n') != after_cr || ((unsigned char)c < 0x20 && strchr("\r\n\t", c) == NULL) || c == 0x7F ||
	    c == '\0')
		return broken(r, "a character that no head may hold");
	r->head[r->head_n++] = c;
	if (r->head_n == 2 && c == '\n')
		return broken(r, "the answer begins with an empty line");
	return !head_is_whole(r) || parse_head(r);
}

/* ---- the body ---- */

static bool keep(struct wlc_reply *r, const char *at, size_t n)
{
	size_t room = r->body_room > 0 ? r->body_room : 4096;
	char *bigger;

	if (n > r->body_max - r->body_n)
		return too_long(r);
	while (room - 1 < r->body_n + n)
		room *= 2;
	if (room != r->body_room) {
		bigger = realloc(r->body, room);
		if (bigger == NULL)
			return broken_by(r, ENOMEM, "out of memory");
		r->body = bigger;
		r->body_room = room;
	}
	memcpy(r->body + r->body_n, at, n);
	r->body_n += n;
	r->body[r->body_n] = '\0';
	return true;
}

static bool end_line(struct wlc_reply *r)
{
	size_t n = r->body_n;

	r->body_n = 0;
	return r->line == NULL || r->line(r->ctx, r->body != NULL ? r->body : "", n) ||
	       broken(r, "a line of the answer is not what it should be");
}

static bool take_payload(struct wlc_reply *r, const char *at, size_t n)
{
	const char *end;

	if (!r->is_stream)
		return keep(r, at, n);
	while (n > 0 && (end = memchr(at, '\n', n)) != NULL) {
		if (!keep(r, at, (size_t)(end - at)) || !end_line(r))
			return false;
		n -= (size_t)(end + 1 - at);
		at = end + 1;
	}
	return keep(r, at, n);
}

/* As much of a body or chunk as is here. */
static bool push_payload(struct wlc_reply *r, const char *at, size_t n, size_t *ret_used)
{
	*ret_used = n < r->left ? n : (size_t)r->left;
	r->left -= *ret_used;
	if (!take_payload(r, at, *ret_used))
		return false;
	if (r->left == 0)
		r->state = r->state == WLC_REPLY_CHUNK ? WLC_REPLY_CHUNK_END : WLC_REPLY_WHOLE;
	return true;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* A CR, then a LF.  *ret_over: this was the LF. */
static bool push_line_end(struct wlc_reply *r, char c, bool *ret_over)
{
	*ret_over = r->has_cr && c == '\n';
	if (c != (r->has_cr ? '\n' : '\r'))
		return broken(r, "a chunk does not end where it should");
	r->has_cr = !r->has_cr;
	return true;
}

static bool push_chunk_size(struct wlc_reply *r, char c)
{
	int digit = hex_value(c);
	bool over;

	if (digit >= 0 && !r->has_cr) {
		r->left = r->n_digits == 0 ? (uint64_t)digit : r->left * 16 + (uint64_t)digit;
		return ++r->n_digits <= CHUNK_DIGITS_MAX || broken(r, "a chunk is too long");
	}
	if (r->n_digits == 0)
		return broken(r, "a chunk has no size");
	if (!push_line_end(r, c, &over))
		return false;
	if (over) {
		r->state = r->left > 0 ? WLC_REPLY_CHUNK : WLC_REPLY_LAST;
		r->n_digits = 0;
	}
	return true;
}

static bool push_chunk_end(struct wlc_reply *r, char c)
{
	bool over;

	if (!push_line_end(r, c, &over))
		return false;
	if (over)
		r->state = r->state == WLC_REPLY_CHUNK_END ? WLC_REPLY_CHUNK_SIZE : WLC_REPLY_WHOLE;
	return true;
}

static bool push(struct wlc_reply *r, const char *at, size_t n, size_t *ret_used)
{
	*ret_used = 1;
	switch (r->state) {
	case WLC_REPLY_HEAD: return push_head(r, *at);
	case WLC_REPLY_BODY:
	case WLC_REPLY_CHUNK: return push_payload(r, at, n, ret_used);
	case WLC_REPLY_CHUNK_SIZE: return push_chunk_size(r, *at);
	case WLC_REPLY_CHUNK_END:
	case WLC_REPLY_LAST: return push_chunk_end(r, *at);
	case WLC_REPLY_WHOLE: return broken(r, "something follows the answer");
	default: return false;
	}
}

enum wlc_reply_state wlc_reply_feed(struct wlc_reply *r, const char *at, size_t n)
{
	size_t used;

	while (n > 0 && push(r, at, n, &used)) {
		at += used;
		n -= used;
	}
	return r->state;
}
