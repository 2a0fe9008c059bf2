/* Everything the socket can answer instead of a verdict, in one table: type URN, status, title, and whether the
 * same request may succeed later (RFC 9457).  A 4xx or 5xx means that no verdict exists; a verdict of any value
 * is a 200 (with gate=1 a 422 that carries a verdict, and is no problem in this sense).  Types are stable for ever.
 * X(id, type after "urn:weighlock:problem:", status, retry, title). */
#pragma once

#define PROBLEMS(X)                                                                                               \
	X(BAD_REQUEST, "bad-request", 400, NEVER, "The request is not one we understand")                         \
	X(DESCRIPTORS, "descriptors", 400, NEVER, "The descriptors are not those the request announces")          \
	X(FORBIDDEN, "forbidden", 403, NEVER, "This peer may not do that")                                        \
	X(NOT_FOUND, "not-found", 404, NEVER, "There is nothing here")                                            \
	X(METHOD, "method-not-allowed", 405, NEVER, "The path does not answer to this method")                    \
	X(SLOW, "slow", 408, LATER, "The request came too slowly")                                                \
	X(LENGTH_REQUIRED, "length-required", 411, NEVER, "Content-Length or chunked coding is needed")           \
	X(TOO_LARGE, "too-large", 413, NEVER, "The file is larger than the limit")                                \
	X(URI_TOO_LONG, "uri-too-long", 414, NEVER, "The request line is longer than the limit")                  \
	X(MEDIA_TYPE, "unsupported-media-type", 415, NEVER, "The body must be the file itself, or a set's names") \
	X(EXPECTATION, "expectation-failed", 417, NEVER, "Only 100-continue may be expected")                     \
	X(HEADERS_TOO_LARGE, "header-too-large", 431, NEVER, "The request head is larger than the limit")         \
	X(INTERNAL, "internal", 500, LATER, "The daemon could not do its work")                                   \
	X(UNSUPPORTED, "unsupported", 501, NEVER, "The daemon does not do this")                                  \
	X(BUSY, "busy", 503, LATER, "Too much to do at the moment")                                               \
	X(SHUTTING_DOWN, "shutting-down", 503, LATER, "The daemon is shutting down")                              \
	X(HTTP_VERSION, "http-version", 505, NEVER, "Only HTTP/1.1 is spoken here")                               \
	X(NO_SPACE, "no-space", 507, LATER, "There is no room for the body")                                      \
	X(ANSWER_TOO_LARGE, "answer-too-large", 413, NEVER, "The answer would be larger than the limit")          \
	X(NOT_RECORDED, "not-recorded", 507, LATER, "The verdict could not be recorded, so none is given")        \
	X(RATE_LIMITED, "rate-limited", 429, LATER, "This tenant has sent more than it may in a minute")

enum problem {
#define X(id, type, status, retry, title) PROBLEM_##id,
	PROBLEMS(X)
#undef X
	    N_PROBLEMS
};
