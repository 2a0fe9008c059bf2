/* The chunked coding (RFC 9112, section 7.1): see http.h. */
#include "checked.h"
#include "hex.h"
#include "http.h"

enum chunk_state {
	CHUNK_SIZE, /* hexadecimal digits, or the CR after them */
	CHUNK_SIZE_LF,
	CHUNK_DATA,
	CHUNK_DATA_CR, /* after the payload */
	CHUNK_DATA_LF,
	CHUNK_LAST_CR, /* after the chunk of size 0: the empty line, where trailers would stand */
	CHUNK_LAST_LF,
	CHUNK_DONE,
	CHUNK_FAILED,
};

#define CHUNK_DIGITS_MAX 16u /* 2^64-1 */

void http_chunks_init(struct http_chunks *c)
{
	*c = (struct http_chunks){ 0 };
}

/* Return: NULL, or what is wrong; as do the steps below. */
static const char *chunk_take_digit(struct http_chunks *c, uint8_t byte)
{
	int v = hex_digit(byte);

	if (v < 0)
		return byte == ';' ? "chunk extensions are not allowed" : "a chunk size is not a hexadecimal number";
	if (c->digits == CHUNK_DIGITS_MAX)
		return "a chunk size has more than 16 digits";
	c->digits++;
	c->left = c->left << 4 | (uint64_t)v; /* at most 16 digits: cannot wrap */
	return NULL;
}

static const char *chunk_end_size(struct http_chunks *c)
{
	if (!add_u64(c->total, c->left, &c->total))
		return "the chunks add up to more than 2^64-1 bytes";
	c->state = c->left > 0 ? CHUNK_DATA : CHUNK_LAST_CR;
	c->digits = 0;
	return NULL;
}

static const char *chunk_expect(struct http_chunks *c, uint8_t byte, uint8_t wanted, enum chunk_state next)
{
	if (byte != wanted)
		return c->state == CHUNK_LAST_CR ? "trailers are not allowed" : "a chunk does not end in CRLF";
	c->state = (uint8_t)next;
	return NULL;
}

/* One byte of framing. */
static const char *chunk_step(struct http_chunks *c, uint8_t byte)
{
	switch (c->state) {
	case CHUNK_SIZE:
		if (byte == '\r' && c->digits > 0)
			return chunk_expect(c, byte, '\r', CHUNK_SIZE_LF);
		return chunk_take_digit(c, byte);
	case CHUNK_SIZE_LF: return byte == '\n' ? chunk_end_size(c) : "a chunk size does not end in CRLF";
	case CHUNK_DATA_CR: return chunk_expect(c, byte, '\r', CHUNK_DATA_LF);
	case CHUNK_DATA_LF: return chunk_expect(c, byte, '\n', CHUNK_SIZE);
	case CHUNK_LAST_CR: return chunk_expect(c, byte, '\r', CHUNK_LAST_LF);
	case CHUNK_LAST_LF: return chunk_expect(c, byte, '\n', CHUNK_DONE);
	default: return "the body was refused before";
	}
}

static enum http_chunk_event chunk_fail(struct http_chunks *c, const char *detail, struct http_error *error)
{
	c->state = CHUNK_FAILED;
	if (error != NULL)
		*error = (struct http_error){ .problem = PROBLEM_BAD_REQUEST, .detail = detail };
	return HTTP_CHUNK_BAD;
}

static enum http_chunk_event chunk_take_data(
    struct http_chunks *c, const uint8_t *at, size_t n, size_t *used, struct bytes *payload)
{
	size_t take = (size_t)min_u64(n, c->left);

	*payload = bytes_of(at, take);
	*used += take;
	c->left -= take;
	if (c->left == 0)
		c->state = CHUNK_DATA_CR;
	return HTTP_CHUNK_DATA;
}

enum http_chunk_event http_chunk_next(struct http_chunks *c, const uint8_t *at, size_t n, size_t *ret_used,
    struct bytes *ret_payload, struct http_error *ret_error)
{
	*ret_used = 0;
	*ret_payload = bytes_of(NULL, 0);
	if (c->state == CHUNK_FAILED)
		return chunk_fail(c, "the body was refused before", ret_error);
	while (c->state != CHUNK_DONE && *ret_used < n) {
		const char *trouble;

		if (c->state == CHUNK_DATA)
			return chunk_take_data(c, at + *ret_used, n - *ret_used, ret_used, ret_payload);
		trouble = chunk_step(c, at[(*ret_used)++]);
		if (trouble != NULL)
			return chunk_fail(c, trouble, ret_error);
	}
	return c->state == CHUNK_DONE ? HTTP_CHUNK_END : HTTP_CHUNK_MORE;
}
