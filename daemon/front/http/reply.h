/* The reply side of our HTTP/1.1 subset: heads and problem bodies as bytes in the caller's buffer.  No input or
 * output, nothing kept.  Every reply carries the request id; every problem says whether to retry. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "problem.h"

#define REPLY_HEAD_MAX 1024u  /* bytes of any head we write, NUL included */
#define REPLY_DETAIL_MAX 512u /* bytes of a problem's detail; more is cut */
#define REPLY_BODY_MAX 4096u  /* bytes of a problem's body, NUL included: a detail all of \u0001 and the rest */
#define REPLY_PROBLEM_MAX (REPLY_HEAD_MAX + REPLY_BODY_MAX) /* bytes of a whole problem reply */
#define REPLY_CHUNK_HEAD_MAX 19u                            /* 16 hex digits, CRLF, NUL */

#define REPLY_CONTINUE "HTTP/1.1 100 Continue\r\n\r\n"
#define REPLY_CHUNK_TAIL "\r\n"      /* after a chunk's payload */
#define REPLY_CHUNKS_END "0\r\n\r\n" /* after the last chunk */

#define REPLY_JSON "application/json"
#define REPLY_NDJSON "application/x-ndjson"
#define REPLY_PROBLEM_JSON "application/problem+json"
#define REPLY_TEXT "text/plain; charset=utf-8"
#define REPLY_METRICS "text/plain; version=0.0.4; charset=utf-8"

/* One reply's head.  Texts are borrowed for the call and must hold no control characters (that is a bug). */
struct reply {
	unsigned status;          /* one that reply_reason() knows */
	const char *content_type; /* NULL: no body type */
	const char *verdict;      /* Weighlock-Verdict; NULL: none */
	const char *request_id;   /* Weighlock-Request-Id; NULL or "": none */
	const char *allow;        /* NULL: none */
	unsigned retry_after_s;   /* 0: none */
	bool close;               /* Connection: close */
	bool chunked;             /* Transfer-Encoding: chunked instead of Content-Length */
	uint64_t body_n;          /* bytes of the body, unless chunked */
};

/* Text for a status we use; out of that set is a bug. */
const char *reply_reason(unsigned status);

/* Write the head, empty line included.  Return: bytes written, without the NUL that follows them. */
size_t reply_head(const struct reply *r, char buf[REPLY_HEAD_MAX]);

/* The problem's status, whole type URN, title, and "never" or "later". */
unsigned problem_status(enum problem p);
const char *problem_type(enum problem p);
const char *problem_title(enum problem p);
const char *problem_retry(enum problem p);

/* What one problem reply needs besides its kind.  Texts borrowed; NULL where absent. */
struct problem_reply {
	enum problem problem;
	const char *detail;     /* a sentence for a person; anything, escaped as JSON and cut at REPLY_DETAIL_MAX */
	const char *request_id; /* as struct reply */
	const char *allow;      /* with PROBLEM_METHOD */
	unsigned retry_after_s; /* 0: 1 s where the status calls for the header (429, 503), else none */
	bool close;
};

/**
 * reply_problem_body() - {"type", "title", "status", "detail", "retry", "request_id"} as one line without a newline
 * Also fit to be the last line of a stream: it has no "verdict", so a reader cannot take it for one.
 * Return: bytes written, without the NUL.  Without memory it is the same object less detail and request_id.
 */
size_t reply_problem_body(const struct problem_reply *p, char buf[REPLY_BODY_MAX]);

/* Head and body of a problem reply, ready to send.  Return: bytes written, without the NUL. */
size_t reply_problem(const struct problem_reply *p, char buf[REPLY_PROBLEM_MAX]);

/**
 * reply_chunk_head() - what goes before a chunk of @n payload bytes; REPLY_CHUNK_TAIL goes after it
 * @n: at least 1 (an empty chunk would end the stream).  For a line of NDJSON count its newline.
 * Return: bytes written, without the NUL.
 */
size_t reply_chunk_head(uint64_t n, char buf[REPLY_CHUNK_HEAD_MAX]);
