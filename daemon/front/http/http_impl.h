/* What http.c and http_target.c share: a head on its way to a struct http_request. */
#pragma once

#include "http_text.h"

/* What step two works on.  Handlers return false after head_refuse(). */
struct head {
	struct http_request *req;
	struct http_error *error;
	struct bytes method, path, query;
	bool has_query;
	unsigned seen_headers; /* one bit per row of header_rules */
	unsigned seen_query;   /* one bit per row of query_rules */
	bool has_host;
	bool has_length;
	bool has_chunked;
	bool expect;
	bool json; /* Content-Type */
};

/* Return: false. */
bool head_refuse(struct head *h, enum problem problem, const char *detail);
bool head_bad(struct head *h, const char *detail);

/* ---- http_target.c ---- */

/* Method, path and query: h->req's route and what it is asked with.  Return: false after head_refuse(). */
bool head_parse_target(struct head *h);
