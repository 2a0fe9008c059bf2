/* A reply that comes in lines while it is made: HTTP/1.1, chunked, application/x-ndjson.  Fed with what arrives, it gives
 * whole lines; any other reply is left to reply_parse(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

enum reply_stream_state {
	STREAM_HEAD,  /* the head is not all here */
	STREAM_OTHER, /* it is no stream: reply_parse() may know it, at its end */
	STREAM_SIZE,  /* of the next chunk */
	STREAM_DATA,
	STREAM_DATA_END, /* the line end behind a chunk */
	STREAM_LAST,     /* the empty line behind the last chunk */
	STREAM_OVER,     /* whole */
	STREAM_BROKEN,   /* malformed, or a line beyond STREAM_LINE_MAX */
};

#define STREAM_LINE_MAX ((size_t)4 << 20) /* a set's verdict: a verdict's findings, and 1,024 members */

struct reply_stream {
	enum reply_stream_state state;
	uint64_t left; /* bytes of the chunk at hand */
	uint8_t *held; /* owned: the head, the rest of a chunk's size, or a line that is not whole */
	size_t held_n, held_room;
	size_t size_n; /* digits of a chunk's size so far */
};

/**
 * reply_stream_feed() - what arrived
 * @line: called for each whole line, without its end; the bytes are valid during the call.  Return: false ends it.
 * In the state STREAM_OTHER .held is all that came.  Return: false when the state became STREAM_BROKEN, or without memory.
 */
bool reply_stream_feed(struct reply_stream *s, struct bytes in, bool (*line)(void *ctx, struct bytes line), void *ctx);
void reply_stream_done(struct reply_stream *s);
