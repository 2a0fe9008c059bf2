/* See reply_stream.h.  Strict: RFC 9112, 7.1, without extensions and trailers, which the daemon does not send. */
#include "reply_stream.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SIZE_DIGITS_MAX 8u /* of a chunk */

static bool broken(struct reply_stream *s)
{
	s->state = STREAM_BROKEN;
	return false;
}

static bool hold(struct reply_stream *s, struct bytes b)
{
	size_t room = s->held_room == 0 ? 8192 : s->held_room;
	uint8_t *bigger;

	if (b.n > STREAM_LINE_MAX - s->held_n)
		return broken(s);
	while (room < s->held_n + b.n)
		room *= 2;
	bigger = room > s->held_room ? realloc(s->held, room) : s->held;
	if (bigger == NULL)
		return broken(s);
	s->held = bigger;
	s->held_room = room;
	bytes_copy(s->held + s->held_n, b);
	s->held_n += b.n;
	return true;
}

/* Is this head that of a stream? */
static bool is_stream(struct bytes head)
{
	static const char status[] = "HTTP/1.1 200 ", chunked[] = "\r\nTransfer-Encoding: chunked\r\n";

	if (head.n < sizeof(status) || memcmp(head.at, status, sizeof(status) - 1) != 0)
		return false;
	for (size_t i = 0; i + sizeof(chunked) - 1 <= head.n; i++)
		if (strncasecmp((const char *)head.at + i, chunked, sizeof(chunked) - 1) == 0)
			return true;
	return false;
}

/* Return: bytes taken. */
static size_t take_head(struct reply_stream *s, struct bytes in)
{
	size_t before = s->held_n, head_n;
	const uint8_t *end;

	if (!hold(s, in))
		return in.n;
	end = memmem(s->held, s->held_n, "\r\n\r\n", 4);
	if (end == NULL)
		return in.n;
	head_n = (size_t)(end - s->held) + 4;
	if (!is_stream(bytes_of(s->held, head_n))) {
		s->state = STREAM_OTHER;
		return in.n;
	}
	s->state = STREAM_SIZE;
	s->held_n = 0;
	return head_n - before;
}

static size_t take_size(struct reply_stream *s, uint8_t c)
{
	static const char digits[] = "0123456789abcdef";
	const char *digit = c != '\0' ? strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c) : NULL;

	if (digit != NULL && s->size_n < SIZE_DIGITS_MAX) {
		s->left = s->left << 4 | (uint64_t)(digit - digits);
		s->size_n++;
	} else if (c == '\n' && s->size_n > SIZE_DIGITS_MAX) {
		s->state = s->left > 0 ? STREAM_DATA : STREAM_LAST;
		s->size_n = 0;
	} else if (c == '\r' && s->size_n > 0 && s->size_n <= SIZE_DIGITS_MAX) {
		s->size_n = SIZE_DIGITS_MAX + 1; /* only a line feed may follow */
	} else {
		(void)broken(s);
	}
	return 1;
}

/* CR LF, and then @next. */
static size_t take_line_end(struct reply_stream *s, uint8_t c, enum reply_stream_state next)
{
	if (c != (s->size_n == 0 ? '\r' : '\n')) {
		(void)broken(s);
	} else if (s->size_n++ == 1) {
		s->state = next;
		s->size_n = 0;
	}
	return 1;
}

/* Up to the end of a line, of the chunk or of what is there. */
static size_t take_data(struct reply_stream *s, struct bytes in, bool (*line)(void *ctx, struct bytes line), void *ctx)
{
	size_t n = in.n < s->left ? in.n : (size_t)s->left;
	const uint8_t *end = memchr(in.at, '\n', n);

	if (end != NULL)
		n = (size_t)(end - in.at) + 1;
	s->left -= n;
	if (s->left == 0)
		s->state = STREAM_DATA_END;
	if (!hold(s, bytes_of(in.at, end != NULL ? n - 1 : n)))
		return n;
	if (end != NULL) {
		size_t held = s->held_n;

		s->held_n = 0;
		if (!line(ctx, bytes_of(s->held, held)))
			(void)broken(s);
	}
	return n;
}

static size_t take(struct reply_stream *s, struct bytes in, bool (*line)(void *ctx, struct bytes line), void *ctx)
{
	switch (s->state) {
	case STREAM_HEAD: return take_head(s, in);
	case STREAM_OTHER: (void)hold(s, in); return in.n;
	case STREAM_SIZE: return take_size(s, in.at[0]);
	case STREAM_DATA: return take_data(s, in, line, ctx);
	case STREAM_DATA_END: return take_line_end(s, in.at[0], STREAM_SIZE);
	case STREAM_LAST: return take_line_end(s, in.at[0], s->held_n == 0 ? STREAM_OVER : STREAM_BROKEN);
	default: (void)broken(s); return in.n;
	}
}

bool reply_stream_feed(struct reply_stream *s, struct bytes in, bool (*line)(void *ctx, struct bytes line), void *ctx)
{
	while (in.n > 0 && s->state != STREAM_BROKEN) {
		size_t n = take(s, in, line, ctx);

		in = bytes_of(in.at + n, in.n - n);
	}
	return s->state != STREAM_BROKEN;
}

void reply_stream_done(struct reply_stream *s)
{
	free(s->held);
	*s = (struct reply_stream){ 0 };
}
