/* The request side of our HTTP/1.1 subset (RFC 9112, RFC 9110): pure functions over bytes, no input or output.
 *
 * Strict where two readers could disagree about where a request ends, because that is how requests are smuggled;
 * strict about our own query, because a misspelt `gate` would switch a gate off.  What is refused although the
 * RFC lets a server accept it: HTTP/1.0, absolute-form targets, empty lines before the request line, repeated
 * Content-Length, transfer codings other than one `chunked`, chunk extensions, trailers, obs-fold, methods other
 * than GET, HEAD, PUT and POST.  Every refusal in a head closes the connection. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "problem.h"

#define HTTP_HEAD_MAX 8192u      /* bytes, request line to empty line; several times what clients send */
#define HTTP_LINE_MAX 4096u      /* bytes of the request line with CRLF; a longest name, escaped, and the rest fit */
#define HTTP_HEADERS_MAX 32u     /* header lines */
#define HTTP_NAME_MAX 1024u      /* bytes of a decoded file name: NAME_MAX four times over */
#define HTTP_PRESENT_MAX 3072u   /* bytes of a list of ranges: what of a request line is left */
#define HTTP_TOKEN_MAX 64u       /* bytes of a policy or tenant name */
#define HTTP_REQUEST_ID_MAX 128u /* bytes */
#define HTTP_FDS_MAX 1024u       /* descriptors a request may announce */

enum http_method { HTTP_GET, HTTP_PUT, HTTP_POST, HTTP_HEAD };

enum http_route {
	HTTP_ROUTE_NONE,       /* not known (only after HTTP_BAD) */
	HTTP_ROUTE_SCAN,       /* POST, PUT /v1/scan and PUT /v1/scan/{name} */
	HTTP_ROUTE_VERDICT,    /* GET /v1/verdicts/{sha256} */
	HTTP_ROUTE_EXCEPTIONS, /* GET, POST /v1/exceptions */
	HTTP_ROUTE_RULES,      /* GET /v1/rules */
	HTTP_ROUTE_FORMATS,    /* GET /v1/formats */
	HTTP_ROUTE_VERSION,    /* GET /v1/version */
	HTTP_ROUTE_HEALTHZ,    /* GET /healthz */
	HTTP_ROUTE_READYZ,     /* GET /readyz */
	HTTP_ROUTE_METRICS,    /* GET /metrics */
};

enum http_body {
	HTTP_BODY_NONE,    /* none announced: every GET and HEAD, and a scan of descriptors without Content-Length */
	HTTP_BODY_LENGTH,  /* content_length bytes follow, maybe 0 */
	HTTP_BODY_CHUNKED, /* decode with http_chunk_next() */
};

enum http_lane { HTTP_LANE_INTERACTIVE, HTTP_LANE_BATCH };

/* A request head.  Owns its texts; plain data, may be copied.  Texts are NUL-terminated and "" where absent. */
struct http_request {
	enum http_method method;
	enum http_route route;
	enum http_body body;
	uint64_t content_length; /* with HTTP_BODY_LENGTH, else 0 */
	bool expect_continue;    /* the client waits for "100 Continue" before it sends the body */
	bool close;              /* Connection: close */
	bool ndjson;             /* Accept names application/x-ndjson; never together with gate */
	unsigned n_fds;          /* Weighlock-Source: fd; n=K, 1..HTTP_FDS_MAX; 0: the body is the file */
	bool is_set;             /* with n_fds: the body, never empty, is JSON that names the files of a set */

	/* the query, or the path where it carries a value; on HTTP_ROUTE_VERDICT name, policy and sha256, all on
	 * HTTP_ROUTE_SCAN */
	char name[HTTP_NAME_MAX + 1];    /* UTF-8 without control characters */
	char policy[HTTP_TOKEN_MAX + 1]; /* [A-Za-z0-9._-] */
	char tenant[HTTP_TOKEN_MAX + 1]; /* [A-Za-z0-9._-] */
	bool has_sha256;
	uint8_t sha256[32];   /* expected digest, or the one asked for on HTTP_ROUTE_VERDICT */
	enum http_lane lane;  /* interactive unless said otherwise */
	bool gate;            /* gate=1: a verdict other than accept is a 422 */
	bool tensors;         /* tensors=1: list them; of a set only together with ndjson */
	bool tensor_digests;  /* tensor_digests=1: with the SHA-256 of each; only together with tensors */
	bool calls;           /* calls=1: say what loading would call; of a set only together with ndjson */
	bool on_close_finish; /* on_close=finish: go on when the client is gone */
	bool
	    claimed; /* digest=claimed: of one descriptor, together with sha256, and with nothing that goes by a verdict */
	char present[HTTP_PRESENT_MAX +
		     1]; /* what of it is there, partial_read_ranges() has seen it; "": all; only with claimed */
	bool attest;     /* attest=1: sign the verdict; alone, of a single file */

	/* on HTTP_ROUTE_EXCEPTIONS, with sha256 and tenant */
	char codes[HTTP_NAME_MAX + 1]; /* separated by commas */
	char reason[HTTP_NAME_MAX + 1], owner[HTTP_NAME_MAX + 1];
	char expires[HTTP_TOKEN_MAX + 1], revoke[HTTP_TOKEN_MAX + 1];

	char request_id[HTTP_REQUEST_ID_MAX + 1]; /* header token characters */
};

/* Why a head or body was refused.  The texts are static. */
struct http_error {
	enum problem problem;
	const char *detail;     /* a sentence: what was found, what is allowed */
	const char *allow;      /* for the Allow header, with PROBLEM_METHOD; else NULL */
	unsigned retry_after_s; /* for the Retry-After header; 0: as the status has it */
};

enum http_progress {
	HTTP_NEED_MORE,
	HTTP_DONE,
	HTTP_BAD,
};

/* Where the search for the end of the head stands, so that a head arriving byte by byte is read once. */
struct http_parser {
	size_t seen;    /* bytes of the head looked at */
	bool line_done; /* the request line has ended */
};

/* Zeroed is ready; call for every new head. */
void http_parser_init(struct http_parser *p);

/**
 * http_parse_head() - read a request head from the start of a growing buffer
 * @at, @n: everything received since the head began; the bytes given before must still be there, unchanged
 * @ret: filled on HTTP_DONE; on HTTP_BAD only request_id is worth reading (it was valid, or is "")
 * @ret_head_n: on HTTP_DONE, bytes the head occupies; what follows is body or the next head
 * @ret_error: on HTTP_BAD
 *
 * Looks at each byte at most a fixed number of times, however it is fed; the answer does not depend on how it was
 * fed.  Looks at no more than HTTP_HEAD_MAX bytes, and never needs more: a buffer of that size suffices.
 * Return: HTTP_NEED_MORE (come again with more bytes), HTTP_DONE, HTTP_BAD (reply and close).
 */
enum http_progress http_parse_head(struct http_parser *p, const uint8_t *at, size_t n, struct http_request *ret,
    size_t *ret_head_n, struct http_error *ret_error);

enum http_chunk_event {
	HTTP_CHUNK_MORE, /* everything was consumed, give more */
	HTTP_CHUNK_DATA, /* *ret_payload holds at least one byte of the body; call again with the rest */
	HTTP_CHUNK_END,  /* the body is complete; bytes after *ret_used are the next head */
	HTTP_CHUNK_BAD,  /* not the chunked coding as we read it; stays so */
};

/* The chunked decoder's whole state (RFC 9112, section 7.1).  Zeroed is ready. */
struct http_chunks {
	uint8_t state;
	uint8_t digits; /* of the size being read, leading zeros included; at most 16 */
	uint64_t left;  /* of the current chunk: payload bytes to come */
	uint64_t total; /* payload bytes announced so far: known before they arrive, for limits */
};

void http_chunks_init(struct http_chunks *c);

/**
 * http_chunk_next() - the next event in a chunked body
 * @at, @n: bytes not consumed yet; n may be 0 (HTTP_CHUNK_MORE, or END/BAD again)
 * @ret_used: bytes consumed by this call: drop them (after using the payload) before the next one
 * @ret_payload: with HTTP_CHUNK_DATA a range inside @at; else empty
 *
 *	while ((e = http_chunk_next(&c, at, n, &used, &payload)) == HTTP_CHUNK_DATA) {
 *		keep(payload);
 *		at += used, n -= used;
 *	}
 *
 * Sizes are 1 to 16 hexadecimal digits; a sum beyond 2^64-1, an extension, a trailer, white space or a bare CR or
 * LF is HTTP_CHUNK_BAD, with *ret_error (may be NULL) saying so.
 */
enum http_chunk_event http_chunk_next(struct http_chunks *c, const uint8_t *at, size_t n, size_t *ret_used,
    struct bytes *ret_payload, struct http_error *ret_error);

/* May a file be called so, in logs and JSON?  1 to HTTP_NAME_MAX bytes of UTF-8 without control characters. */
bool http_is_name(struct bytes name);

/* Percent-decode (RFC 3986, 2.1).  @buf: room for n bytes and a NUL; may not overlap.  Return: false for a bad escape
 * or %00, and for more than @max decoded bytes; else *ret_n bytes, NUL-terminated. */
bool http_percent_decode(struct bytes in, char *buf, size_t max, size_t *ret_n);
