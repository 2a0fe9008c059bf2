/* The reply side of HTTP as a client reads it: a pure function over everything that arrived. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "bytes.h"

struct http_reply {
	unsigned status;
	unsigned retry_after_s; /* 0: not said */
	struct bytes body;      /* points into the input */
};

/**
 * reply_parse() - a whole reply, after the connection's end
 * Strict: a status line of HTTP/1.1, one Content-Length, and exactly that many bytes.  A reply cut short must
 * never pass for a shorter one. Return: false when it is none.
 */
bool reply_parse(struct bytes in, struct http_reply *ret);
