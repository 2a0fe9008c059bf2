/* The reply side of HTTP/1.1 (RFC 9112) as this client reads it: bytes go in as they arrive, and there is a whole reply,
 * or there is none.  No input or output.
 *
 * Strict where a server could be made to say two things: framing is one Content-Length or exactly "chunked", never the
 * connection's end; no header that we read comes twice; no folded lines, bare CR or LF, chunk extensions, trailers, nor
 * bytes behind the end.  The order, number and timing of feeds never matter. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WLC_HEAD_MAX 8192u      /* bytes of a reply's head, and of an interim one; the daemon's have 1 KiB at most */
#define WLC_REQUEST_ID_MAX 128u /* bytes */
#define WLC_WORD_MAX 31u        /* bytes of a verdict in a header */

enum wlc_reply_state {
	WLC_REPLY_HEAD, /* zeroed is ready */
	WLC_REPLY_BODY,
	WLC_REPLY_CHUNK_SIZE,
	WLC_REPLY_CHUNK,
	WLC_REPLY_CHUNK_END,
	WLC_REPLY_LAST,
	WLC_REPLY_WHOLE,
	WLC_REPLY_BROKEN, /* stays so; .why says why */
};

struct wlc_reply {
	enum wlc_reply_state state;
	const char *why;
	int error;         /* positive errno, with .why */
	bool may_continue; /* set by the caller: one "100 Continue" may come first */
	bool continued;    /* it did */

	/* of the head */
	unsigned status; /* 0: no head yet */
	unsigned retry_after_s;
	bool is_stream, is_json, is_problem;
	char verdict[WLC_WORD_MAX + 1];
	char request_id[WLC_REQUEST_ID_MAX + 1];

	/* Lines of a stream: called for each, without its end.  Return: false breaks the reply.  NULL: they are dropped. */
	bool (*line)(void *ctx, const char *at, size_t n);
	void *ctx;

	char *body; /* owned, NUL-terminated; of a stream the line that is not whole */
	size_t body_n, body_room, body_max;

	char head[WLC_HEAD_MAX];
	size_t head_n;
	uint64_t left;     /* of the body or chunk */
	unsigned n_digits; /* of a chunk's size */
	unsigned seen;     /* one bit a header that may come once */
	bool has_length, is_chunked, has_cr;
};

/* @body_max: bytes of a body, or of a stream's line. */
void wlc_reply_init(struct wlc_reply *r, size_t body_max);
void wlc_reply_done(struct wlc_reply *r);

/* Return: the state.  Bytes behind a whole reply break it. */
enum wlc_reply_state wlc_reply_feed(struct wlc_reply *r, const char *at, size_t n);
