/* The door to the daemon: a request head and a chunked body, as a client's bytes.  The input is one stream, head
 * first.  Beyond not crashing: the answer does not depend on how the bytes were cut; a head that is accepted is
 * accepted from exactly its own bytes and from none fewer; what was accepted is within its documented bounds. */
#include <stdbool.h>
#include <string.h>

#include "fuzz.h"
#include "http.h"

/* What one way of feeding came to. */
struct head_result {
	enum http_progress progress;
	struct http_request request;
	size_t n;
	struct http_error error;
};

/* Cuts that depend on the input and nothing else, so that every finding is repeatable (xorshift64). */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static uint64_t seed_of(const uint8_t *data, size_t n)
{
	uint64_t h = 1469598103934665603u; /* FNV-1a */

	for (size_t i = 0; i < n; i++)
		h = (h ^ data[i]) * 1099511628211u;
	return h | 1;
}

/* Every piece in a block of its own size, for the sanitizer. */
static uint8_t *exact_copy(const uint8_t *data, size_t n)
{
	uint8_t *copy = malloc(n > 0 ? n : 1);

	FUZZ_REQUIRE(copy != NULL);
	if (n > 0)
		memcpy(copy, data, n);
	return copy;
}

/* ---- head ---- */

static struct head_result head_feed(struct http_parser *p, const uint8_t *data, size_t n)
{
	struct head_result r = { 0 };
	uint8_t *copy = exact_copy(data, n);

	r.progress = http_parse_head(p, copy, n, &r.request, &r.n, &r.error);
	free(copy);
	return r;
}

static struct head_result head_whole(const uint8_t *data, size_t n)
{
	struct http_parser p;

	http_parser_init(&p);
	return head_feed(&p, data, n);
}

static struct head_result head_in_pieces(const uint8_t *data, size_t n, uint64_t seed)
{
	struct head_result r = { 0 };
	struct http_parser p;

	http_parser_init(&p);
	for (size_t have = 0; have < n && r.progress == HTTP_NEED_MORE;) {
		have += 1 + next_random(&seed) % 700;
		r = head_feed(&p, data, have < n ? have : n);
	}
	return r;
}

static struct head_result head_by_bytes(const uint8_t *data, size_t n)
{
	struct head_result r = { 0 };
	struct http_parser p;

	http_parser_init(&p);
	for (size_t have = 1; have <= n && r.progress == HTTP_NEED_MORE; have++)
		r.progress = http_parse_head(&p, data, have, &r.request, &r.n, &r.error);
	return r;
}

static void require_same_head(const struct head_result *a, const struct head_result *b)
{
	FUZZ_REQUIRE(a->progress == b->progress);
	if (a->progress == HTTP_DONE) {
		FUZZ_REQUIRE(a->n == b->n);
		FUZZ_REQUIRE(memcmp(&a->request, &b->request, sizeof(a->request)) == 0);
	}
	if (a->progress == HTTP_BAD) {
		FUZZ_REQUIRE(a->error.problem == b->error.problem);
		FUZZ_REQUIRE(strcmp(a->error.detail, b->error.detail) == 0);
		FUZZ_REQUIRE(strcmp(a->request.request_id, b->request.request_id) == 0);
	}
}

static void require_good_request(const struct http_request *r)
{
	bool empty = r->body == HTTP_BODY_NONE || (r->body == HTTP_BODY_LENGTH && r->content_length == 0);

	FUZZ_REQUIRE(r->route != HTTP_ROUTE_NONE);
	FUZZ_REQUIRE(r->body == HTTP_BODY_LENGTH || r->content_length == 0);
	FUZZ_REQUIRE(r->n_fds <= HTTP_FDS_MAX);
	FUZZ_REQUIRE(r->is_set == (r->n_fds > 0 && !empty) && (r->n_fds < 2 || r->is_set));
	FUZZ_REQUIRE(!r->is_set || (!r->has_sha256 && (!r->tensors || r->ndjson)));
	FUZZ_REQUIRE(!r->tensor_digests || r->tensors);
	FUZZ_REQUIRE(!r->gate || !r->ndjson);
	FUZZ_REQUIRE(!r->expect_continue || !empty);
	FUZZ_REQUIRE(r->route == HTTP_ROUTE_EXCEPTIONS || (r->route == HTTP_ROUTE_SCAN) == (r->method != HTTP_GET));
	FUZZ_REQUIRE(r->route == HTTP_ROUTE_SCAN || (empty && r->n_fds == 0 && r->name[0] == '\0'));
	FUZZ_REQUIRE(r->route != HTTP_ROUTE_VERDICT || r->has_sha256);
	FUZZ_REQUIRE(r->name[HTTP_NAME_MAX] == '\0' && r->policy[HTTP_TOKEN_MAX] == '\0');
	FUZZ_REQUIRE(r->tenant[HTTP_TOKEN_MAX] == '\0' && r->request_id[HTTP_REQUEST_ID_MAX] == '\0');
}

/* The head's own bytes are enough, and none of them is too many. */
static void require_exact_head(const uint8_t *data, size_t n, const struct head_result *r)
{
	struct head_result own, fewer;

	FUZZ_REQUIRE(r->n >= 4 && r->n <= n && r->n <= HTTP_HEAD_MAX);
	FUZZ_REQUIRE(memcmp(data + r->n - 4, "\r\n\r\n", 4) == 0);
	own = head_whole(data, r->n);
	require_same_head(r, &own);
	fewer = head_whole(data, r->n - 1);
	FUZZ_REQUIRE(fewer.progress == HTTP_NEED_MORE);
}

static size_t check_head(const uint8_t *data, size_t n, uint64_t seed)
{
	struct head_result whole = head_whole(data, n), pieces = head_in_pieces(data, n, seed);
	struct head_result bytes = head_by_bytes(data, n);

	require_same_head(&whole, &pieces);
	require_same_head(&whole, &bytes);
	if (whole.progress == HTTP_NEED_MORE)
		FUZZ_REQUIRE(n < HTTP_HEAD_MAX);
	if (whole.progress == HTTP_BAD)
		FUZZ_REQUIRE(whole.error.detail != NULL && whole.error.problem < N_PROBLEMS);
	if (whole.progress != HTTP_DONE)
		return 0;
	require_good_request(&whole.request);
	require_exact_head(data, n, &whole);
	return whole.n;
}

/* ---- chunked body ---- */

struct body_result {
	enum http_chunk_event last;
	uint8_t *body;
	size_t body_n;
	size_t used; /* of the input */
	uint64_t total;
};

/* Feed one piece until it is used up or the body ends. */
static void body_feed(struct http_chunks *c, const uint8_t *data, size_t n, struct body_result *r)
{
	uint8_t *copy = exact_copy(data, n);
	const uint8_t *at = copy;

	do {
		struct bytes payload;
		size_t used;

		r->last = http_chunk_next(c, at, n, &used, &payload, NULL);
		FUZZ_REQUIRE(used <= n);
		FUZZ_REQUIRE((r->last == HTTP_CHUNK_DATA) == (payload.n > 0));
		if (payload.n > 0) {
			FUZZ_REQUIRE(payload.at >= at && payload.at + payload.n == at + used);
			memcpy(r->body + r->body_n, payload.at, payload.n);
			r->body_n += payload.n;
		}
		r->used += used;
		at += used;
		n -= used;
	} while (r->last == HTTP_CHUNK_DATA);
	FUZZ_REQUIRE(r->last != HTTP_CHUNK_MORE || n == 0);
	free(copy);
}

static struct body_result body_in_pieces(const uint8_t *data, size_t n, uint64_t seed, size_t piece_max)
{
	struct body_result r = { .last = HTTP_CHUNK_MORE, .body = malloc(n > 0 ? n : 1) };
	struct http_chunks c;

	FUZZ_REQUIRE(r.body != NULL);
	http_chunks_init(&c);
	for (size_t at = 0; at < n && r.last == HTTP_CHUNK_MORE;) {
		size_t piece = 1 + next_random(&seed) % piece_max;

		piece = piece < n - at ? piece : n - at;
		body_feed(&c, data + at, piece, &r);
		at += piece;
	}
	r.total = c.total;
	return r;
}

static void check_body(const uint8_t *data, size_t n, uint64_t seed)
{
	struct body_result whole = { .last = HTTP_CHUNK_MORE, .body = malloc(n > 0 ? n : 1) };
	struct body_result pieces = body_in_pieces(data, n, seed, 64);
	struct http_chunks c;

	FUZZ_REQUIRE(whole.body != NULL);
	http_chunks_init(&c);
	body_feed(&c, data, n, &whole);
	whole.total = c.total;
	FUZZ_REQUIRE(whole.last == pieces.last && whole.body_n == pieces.body_n && whole.total == pieces.total);
	FUZZ_REQUIRE(memcmp(whole.body, pieces.body, whole.body_n) == 0);
	FUZZ_REQUIRE(whole.used == pieces.used);
	FUZZ_REQUIRE(whole.body_n <= whole.total);
	if (whole.last == HTTP_CHUNK_END)
		FUZZ_REQUIRE(whole.body_n == whole.total);
	free(whole.body);
	free(pieces.body);
}

int fuzz_one(const uint8_t *data, size_t n)
{
	uint64_t seed = seed_of(data, n);
	size_t head_n = check_head(data, n, seed);

	/* Without a good head the whole input is tried as a body: the decoder does not depend on one. */
	check_body(data + head_n, n - head_n, seed);
	return 0;
}
