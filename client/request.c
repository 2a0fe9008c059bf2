/* What is sent: the head, and the file in messages. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "scan_impl.h"

/* A text that grows in a buffer of known size; once it does not fit, it stays so. */
struct text {
	char *at;
	size_t n, room;
	bool full;
};

__attribute__((format(printf, 2, 3))) static void add(struct text *t, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(t->at + t->n, t->room - t->n, format, args);
	va_end(args);
	t->full = t->full || n < 0 || (size_t)n >= t->room - t->n;
	if (!t->full)
		t->n += (size_t)n;
}

/* RFC 3986, 2.3 and 3.4: in a query everything but these is written by its number. */
static bool is_unreserved(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("-._~/", c) != NULL);
}

static void add_parameter(struct text *t, const char *key, const char *value, char *separator)
{
	if (value[0] == '\0')
		return;
	add(t, "%c%s=", *separator, key);
	for (const char *c = value; *c != '\0'; c++)
		add(t, is_unreserved(*c) ? "%c" : "%%%02X", (unsigned)(unsigned char)*c);
	*separator = '&';
}

static size_t put(char *at, size_t n, char c)
{
	if (at != NULL)
		at[n] = c;
	return n + 1;
}

static void add_framing(struct text *t, const struct weighlock_scan *s, size_t body_n)
{
	if (scan_is_set(s))
		add(t, "Weighlock-Source: fd; n=%zu\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n",
		    s->set.n, body_n);
	else if (scan_passes(s))
		add(t, "Weighlock-Source: fd; n=1\r\nContent-Length: 0\r\n");
	else if (s->length == WEIGHLOCK_LENGTH_UNKNOWN)
		add(t, "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n");
	else
		add(t, "Content-Length: %" PRIu64 "\r\n%s", s->length, s->length > 0 ? "Expect: 100-continue\r\n" : "");
}

static void add_head(struct text *t, const struct weighlock_scan *s, size_t body_n)
{
	char separator = '?';

	add(t, "POST /v1/scan");
	add_parameter(t, "name", s->name, &separator);
	add_parameter(t, "policy", s->policy, &separator);
	add_parameter(t, "tenant", s->tenant, &separator);
	add_parameter(t, "sha256", s->sha256, &separator);
	add_parameter(t, "lane", s->batch ? "batch" : "", &separator);
	add(t, " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
	add(t, "Accept: %s\r\n", scan_streams(s) ? "application/x-ndjson" : "application/json");
	if (s->request_id[0] != '\0')
		add(t, "Weighlock-Request-Id: %s\r\n", s->request_id);
	add_framing(t, s, body_n);
	add(t, "\r\n");
}

/* {"members":["...", ...]}.  Return: bytes it takes, which are put to @at unless that is NULL. */
static size_t put_members(const struct weighlock_scan *s, char *at)
{
	static const char open[] = "{\"members\":[", close[] = "]}";
	size_t n = 0;

	for (const char *c = open; *c != '\0'; c++)
		n = put(at, n, *c);
	for (size_t i = 0; i < s->set.n; i++) {
		n = i > 0 ? put(at, n, ',') : n;
		n = put(at, n, '"');
		for (const char *c = s->members[i].name; *c != '\0'; c++) {
			n = *c == '"' || *c == '\\' ? put(at, n, '\\') : n;
			n = put(at, n, *c);
		}
		n = put(at, n, '"');
	}
	for (const char *c = close; *c != '\0'; c++)
		n = put(at, n, *c);
	return n;
}

int scan_begin(struct weighlock_scan *s)
{
	size_t body_n = scan_is_set(s) ? put_members(s, NULL) : 0;
	size_t room = SCAN_HEAD_MAX + body_n;
	struct text t = { .room = SCAN_HEAD_MAX };

	if (scan_has_body(s))
		room = SCAN_BLOCK + SCAN_FRAME_MAX;
	if (s->out == NULL)
		s->out = malloc(room);
	if (s->out == NULL)
		return -ENOMEM;
	t.at = s->out;
	add_head(&t, s, body_n);
	if (t.full)
		return -EINVAL;
	if (scan_is_set(s))
		(void)put_members(s, s->out + t.n);
	s->out_at = 0;
	s->out_n = t.n + body_n;
	return 0;
}

static ssize_t read_source(struct weighlock_scan *s, void *to, size_t n)
{
	ssize_t got;

	if (s->source != NULL)
		return s->source(s->source_ctx, to, n);
	do {
		got = read(s->upload_fd, to, n);
	} while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : got;
}

/* Around @n bytes that are in .out already, behind room for a size. */
static void frame(struct weighlock_scan *s, size_t n)
{
	char size[16];
	int digits = snprintf(size, sizeof(size), "%zx\r\n", n);

	s->out_at = SCAN_FRAME_MAX / 2 - (size_t)digits;
	memcpy(s->out + s->out_at, size, (size_t)digits);
	s->out_n = SCAN_FRAME_MAX / 2 + n;
	memcpy(s->out + s->out_n, "\r\n", 2);
	s->out_n += 2;
}

static int fill_chunk(struct weighlock_scan *s)
{
	ssize_t n = read_source(s, s->out + SCAN_FRAME_MAX / 2, SCAN_BLOCK);

	if (n < 0)
		return (int)n;
	if ((size_t)n > SCAN_BLOCK)
		return -EINVAL;
	frame(s, (size_t)n); /* of the end, too: a chunk of nothing */
	s->sent += (uint64_t)n;
	s->source_over = n == 0;
	return 0;
}

/* One byte more than is wanted is asked for: a source with more to say than was announced is another file. */
static int fill_plain(struct weighlock_scan *s)
{
	uint64_t left = s->length - s->sent;
	size_t want = (left < SCAN_BLOCK ? (size_t)left : SCAN_BLOCK) + 1;
	ssize_t n = read_source(s, s->out, want);

	if (n < 0)
		return (int)n;
	if (n == 0 || (size_t)n > want || (uint64_t)n > left)
		return -EIO;
	s->out_at = 0;
	s->out_n = (size_t)n;
	s->sent += (uint64_t)n;
	s->source_over = s->sent == s->length;
	return 0;
}

int scan_fill(struct weighlock_scan *s)
{
	return s->length == WEIGHLOCK_LENGTH_UNKNOWN ? fill_chunk(s) : fill_plain(s);
}
