/* The target of a request: route and query. */
#include "hex.h"
#include "http_impl.h"
#include "partial.h"

/* ---- query ---- */

static bool take_flag(struct head *h, struct bytes value, bool *ret)
{
	if (!equals(value, "0") && !equals(value, "1"))
		return head_bad(h, "query: a switch that is neither 0 nor 1");
	*ret = value.at[0] == '1';
	return true;
}

static bool take_text(struct head *h, struct bytes value, char ret[HTTP_NAME_MAX + 1], const char *detail)
{
	size_t n = 0;

	return (http_percent_decode(value, ret, HTTP_NAME_MAX, &n) && http_is_name(bytes_of(ret, n))) ||
	       head_bad(h, detail);
}

static bool take_name(struct head *h, struct bytes value)
{
	return take_text(
	    h, value, h->req->name, "name: not 1 to 1024 bytes of UTF-8 without control characters, percent-encoded");
}

static bool take_token(struct head *h, struct bytes value, char ret[HTTP_TOKEN_MAX + 1], const char *detail)
{
	size_t n = 0;

	return (http_percent_decode(value, ret, HTTP_TOKEN_MAX, &n) && n > 0 && all(bytes_of(ret, n), is_name)) ||
	       head_bad(h, detail);
}

static bool take_query_name(struct head *h, struct bytes value)
{
	/* Forms write a space as '+', everybody else means a plus. */
	if (value.n > 0 && memchr(value.at, '+', value.n) != NULL)
		return head_bad(h, "name: write %20 or %2B instead of '+'");
	return take_name(h, value);
}

static bool take_query_policy(struct head *h, struct bytes value)
{
	return take_token(h, value, h->req->policy, "policy: not 1 to 64 of A-Z a-z 0-9 . _ -");
}

static bool take_query_tenant(struct head *h, struct bytes value)
{
	return take_token(h, value, h->req->tenant, "tenant: not 1 to 64 of A-Z a-z 0-9 . _ -");
}

static bool take_query_sha256(struct head *h, struct bytes value)
{
	h->req->has_sha256 = hex_read(value, h->req->sha256, sizeof(h->req->sha256));
	return h->req->has_sha256 || head_bad(h, "sha256: not 64 hexadecimal digits");
}

static bool take_query_gate(struct head *h, struct bytes value)
{
	return take_flag(h, value, &h->req->gate);
}

static bool take_query_tensors(struct head *h, struct bytes value)
{
	return take_flag(h, value, &h->req->tensors);
}

static bool take_query_tensor_digests(struct head *h, struct bytes value)
{
	return take_flag(h, value, &h->req->tensor_digests);
}

static bool take_query_calls(struct head *h, struct bytes value)
{
	return take_flag(h, value, &h->req->calls);
}

static bool take_query_lane(struct head *h, struct bytes value)
{
	if (equals(value, "batch"))
		h->req->lane = HTTP_LANE_BATCH;
	else if (!equals(value, "interactive"))
		return head_bad(h, "lane: neither interactive nor batch");
	return true;
}

static bool take_query_on_close(struct head *h, struct bytes value)
{
	h->req->on_close_finish = equals(value, "finish");
	return h->req->on_close_finish || head_bad(h, "on_close: only finish is allowed");
}

static bool take_query_attest(struct head *h, struct bytes value)
{
	return take_flag(h, value, &h->req->attest);
}

static bool take_query_codes(struct head *h, struct bytes value)
{
	return take_text(h, value, h->req->codes, "code: not 1 to 1024 bytes, codes separated by commas");
}

static bool take_query_reason(struct head *h, struct bytes value)
{
	return take_text(h, value, h->req->reason, "reason: not 1 to 1024 bytes of UTF-8, percent-encoded");
}

static bool take_query_owner(struct head *h, struct bytes value)
{
	return take_text(h, value, h->req->owner, "owner: not 1 to 1024 bytes of UTF-8, percent-encoded");
}

static bool take_query_expires(struct head *h, struct bytes value)
{
	return take_token(h, value, h->req->expires, "expires: not YYYY-MM-DD");
}

static bool take_query_revoke(struct head *h, struct bytes value)
{
	return take_token(h, value, h->req->revoke, "revoke: not the number of an exception");
}

static bool take_query_digest(struct head *h, struct bytes value)
{
	h->req->claimed = equals(value, "claimed");
	return h->req->claimed || head_bad(h, "digest: only claimed is allowed");
}

static bool take_query_present(struct head *h, struct bytes value)
{
	static struct partial scratch; /* of one event loop */
	size_t n = 0;

	if (!http_percent_decode(value, h->req->present, HTTP_PRESENT_MAX, &n) ||
	    !partial_read_ranges(bytes_of(h->req->present, n), &scratch))
		return head_bad(
		    h, "present: neither none nor ascending ranges such as 0-65535,131072-196607, in 3072 bytes");
	return true;
}

static const struct query_rule {
	const char *key;
	bool (*take)(struct head *h, struct bytes value);
	bool of_verdicts; /* HTTP_ROUTE_VERDICT takes it too */
} query_rules[] = {
	{ "name", take_query_name, true },
	{ "policy", take_query_policy, true },
	{ "tenant", take_query_tenant, false },
	{ "sha256", take_query_sha256, false },
	{ "gate", take_query_gate, false },
	{ "tensors", take_query_tensors, false },
	{ "tensor_digests", take_query_tensor_digests, false },
	{ "calls", take_query_calls, false },
	{ "lane", take_query_lane, false },
	{ "on_close", take_query_on_close, false },
	{ "attest", take_query_attest, true },
	{ "digest", take_query_digest, false },
	{ "present", take_query_present, false },
};

#define N_QUERY_RULES (sizeof(query_rules) / sizeof(query_rules[0]))

static const struct query_rule exception_rules[] = {
	{ "sha256", take_query_sha256, false },
	{ "code", take_query_codes, false },
	{ "tenant", take_query_tenant, false },
	{ "reason", take_query_reason, false },
	{ "owner", take_query_owner, false },
	{ "expires", take_query_expires, false },
	{ "revoke", take_query_revoke, false },
};

#define N_EXCEPTION_RULES (sizeof(exception_rules) / sizeof(exception_rules[0]))

static bool head_take_exception(struct head *h, struct bytes key, struct bytes value)
{
	for (size_t i = 0; i < N_EXCEPTION_RULES; i++) {
		if (!equals(key, exception_rules[i].key))
			continue;
		if ((h->seen_query & 1u << i) != 0)
			return head_bad(h, "query: a key comes twice");
		h->seen_query |= 1u << i;
		return exception_rules[i].take(h, value);
	}
	return head_bad(h, "query: a key that is none of sha256, code, tenant, reason, owner, expires, revoke");
}

static bool head_take_query(struct head *h, struct bytes key, struct bytes value)
{
	if (h->req->route == HTTP_ROUTE_EXCEPTIONS)
		return head_take_exception(h, key, value);
	for (size_t i = 0; i < N_QUERY_RULES; i++) {
		if (!equals(key, query_rules[i].key))
			continue;
		if (h->req->route == HTTP_ROUTE_VERDICT && !query_rules[i].of_verdicts)
			return head_bad(h, "query: a key that is none of name, policy and attest");
		if ((h->seen_query & 1u << i) != 0)
			return head_bad(h, "query: a key comes twice");
		h->seen_query |= 1u << i;
		return query_rules[i].take(h, value);
	}
	return head_bad(h,
	    "query: a key that is none of name, policy, tenant, sha256, gate, tensors, tensor_digests, calls, lane, "
	    "on_close, attest, digest, present");
}

static bool head_parse_query(struct head *h)
{
	struct bytes rest = h->query, pair, key;
	bool more;

	do {
		more = cut(&rest, '&', &pair);
		if (!cut(&pair, '=', &key))
			return head_bad(h, "query: not of the form key=value");
		if (!head_take_query(h, key, pair))
			return false;
	} while (more);
	if (h->req->gate && h->req->ndjson)
		return head_bad(h, "gate=1 answers by status, a stream always has 200: ask for one of them");
	if (h->req->tensor_digests && !h->req->tensors)
		return head_bad(h, "tensor_digests=1 adds to the list that tensors=1 asks for");
	if (h->req->attest && (h->req->ndjson || h->req->tensors))
		return head_bad(h, "attest=1 is answered with an envelope: neither as a stream nor with tensors=1");
	if (h->req->present[0] != '\0' && !h->req->claimed)
		return head_bad(h, "present says what is there of a file with digest=claimed");
	if (h->req->claimed && (!h->req->has_sha256 || h->req->gate || h->req->attest || h->req->tensors ||
				   h->req->calls || h->req->ndjson))
		return head_bad(h, "digest=claimed takes sha256, and neither gate, attest, tensors, calls nor a "
				   "stream: nothing goes by it");
	return true;
}

/* ---- route ---- */

#define METHOD_BIT(m) (1u << (m))

static const struct route_rule {
	const char *path; /* one that ends in '/' stands for itself followed by one more segment */
	enum http_route route;
	unsigned methods;
	const char *allow;
} route_rules[] = {
	{ "/v1/scan", HTTP_ROUTE_SCAN, METHOD_BIT(HTTP_POST) | METHOD_BIT(HTTP_PUT), "POST, PUT" },
	{ "/v1/scan/", HTTP_ROUTE_SCAN, METHOD_BIT(HTTP_PUT), "PUT" },
	{ "/v1/verdicts/", HTTP_ROUTE_VERDICT, METHOD_BIT(HTTP_GET) | METHOD_BIT(HTTP_HEAD), "GET, HEAD" },
	{ "/v1/exceptions", HTTP_ROUTE_EXCEPTIONS, METHOD_BIT(HTTP_GET) | METHOD_BIT(HTTP_HEAD) | METHOD_BIT(HTTP_POST),
	    "GET, HEAD, POST" },
	{ "/v1/rules", HTTP_ROUTE_RULES, METHOD_BIT(HTTP_GET) | METHOD_BIT(HTTP_HEAD), "GET, HEAD" },
	{ "/v1/formats", HTTP_ROUTE_FORMATS, METHOD_BIT(HTTP_GET) | METHOD_BIT(HTTP_HEAD), "GET, HEAD" },
	{ "/v1/version", HTTP_ROUTE_VERSION, METHOD_BIT(HTTP_GET) | METHOD_BIT(HTTP_HEAD), "GET, HEAD" },
	{ "/healthz", HTTP_ROUTE_HEALTHZ, METHOD_BIT(HTTP_GET) | METHOD_BIT(HTTP_HEAD), "GET, HEAD" },
	{ "/readyz", HTTP_ROUTE_READYZ, METHOD_BIT(HTTP_GET) | METHOD_BIT(HTTP_HEAD), "GET, HEAD" },
	{ "/metrics", HTTP_ROUTE_METRICS, METHOD_BIT(HTTP_GET) | METHOD_BIT(HTTP_HEAD), "GET, HEAD" },
};

#define N_ROUTE_RULES (sizeof(route_rules) / sizeof(route_rules[0]))

/* Does the path belong to this row, and what is its last segment if the row has one? */
static bool route_matches(const struct route_rule *rule, struct bytes path, struct bytes *ret_segment)
{
	size_t n = strlen(rule->path);

	*ret_segment = bytes_of(NULL, 0);
	if (rule->path[n - 1] != '/')
		return equals(path, rule->path);
	if (path.n <= n || memcmp(path.at, rule->path, n) != 0 || memchr(path.at + n, '/', path.n - n) != NULL)
		return false;
	*ret_segment = slice(path, n, path.n);
	return true;
}

static bool head_parse_method(struct head *h)
{
	if (equals(h->method, "GET"))
		h->req->method = HTTP_GET;
	else if (equals(h->method, "HEAD"))
		h->req->method = HTTP_HEAD;
	else if (equals(h->method, "PUT"))
		h->req->method = HTTP_PUT;
	else if (equals(h->method, "POST"))
		h->req->method = HTTP_POST;
	else
		return head_refuse(h, PROBLEM_UNSUPPORTED, "the method is none of GET, HEAD, PUT and POST");
	return true;
}

static bool head_parse_route(struct head *h, struct bytes *ret_segment)
{
	for (size_t i = 0; i < N_ROUTE_RULES; i++) {
		const struct route_rule *rule = &route_rules[i];

		if (!route_matches(rule, h->path, ret_segment))
			continue;
		if ((METHOD_BIT(h->req->method) & rule->methods) == 0) {
			head_refuse(h, PROBLEM_METHOD, "the path does not answer to this method");
			h->error->allow = rule->allow;
			return false;
		}
		h->req->route = rule->route;
		return true;
	}
	return head_refuse(h, PROBLEM_NOT_FOUND, "no such path");
}

/* The value in the path counts as the query's key of that name: both are one too many. */
static bool head_take_segment(struct head *h, struct bytes segment)
{
	if (segment.n == 0)
		return true;
	if (h->req->route == HTTP_ROUTE_SCAN)
		return take_name(h, segment);
	return take_query_sha256(h, segment);
}

bool head_parse_target(struct head *h)
{
	struct bytes segment;

	if (!head_parse_method(h) || !head_parse_route(h, &segment))
		return false;
	if (h->has_query) {
		if (h->req->route != HTTP_ROUTE_SCAN && h->req->route != HTTP_ROUTE_VERDICT &&
		    (h->req->route != HTTP_ROUTE_EXCEPTIONS || h->req->method != HTTP_POST))
			return head_bad(h, "query: this path takes none");
		if (!head_parse_query(h))
			return false;
	}
	if (segment.n > 0 && h->req->route == HTTP_ROUTE_SCAN && h->req->name[0] != '\0')
		return head_bad(h, "name: given in the path and in the query");
	return head_take_segment(h, segment);
}
