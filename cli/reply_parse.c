/* See reply_parse.h.  We ask for Connection: close and take no other coding, so this is all that can come. */
#include "reply_parse.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#define NUMBER_DIGITS_MAX 9u /* of any number in a head: below 2^32 */

/* The next line without its CRLF.  Return: false when no whole line is left. */
static bool line_take(struct bytes *in, struct bytes *ret)
{
	const uint8_t *end = in->n >= 2 ? memmem(in->at, in->n, "\r\n", 2) : NULL;

	if (end == NULL)
		return false;
	*ret = bytes_of(in->at, (size_t)(end - in->at));
	in->at = end + 2;
	in->n -= ret->n + 2;
	return true;
}

static bool number_parse(struct bytes in, unsigned *ret)
{
	unsigned value = 0;

	if (in.n == 0 || in.n > NUMBER_DIGITS_MAX)
		return false;
	for (size_t i = 0; i < in.n; i++) {
		if (in.at[i] < '0' || in.at[i] > '9')
			return false;
		value = value * 10 + (in.at[i] - '0');
	}
	*ret = value;
	return true;
}

static bool status_parse(struct bytes line, unsigned *ret)
{
	static const char version[] = "HTTP/1.1 ";
	size_t n = sizeof(version) - 1;

	return line.n >= n + 3 && memcmp(line.at, version, n) == 0 && (line.n == n + 3 || line.at[n + 3] == ' ') &&
	       number_parse(bytes_of(line.at + n, 3), ret);
}

/* The value of header @name, if the line is one. */
static bool header_is(struct bytes line, const char *name, struct bytes *ret)
{
	size_t n = strlen(name);

	if (line.n <= n || strncasecmp((const char *)line.at, name, n) != 0 || line.at[n] != ':')
		return false;
	*ret = bytes_of(line.at + n + 1, line.n - n - 1);
	while (ret->n > 0 && ret->at[0] == ' ') {
		ret->at++;
		ret->n--;
	}
	return true;
}

bool reply_parse(struct bytes in, struct http_reply *ret)
{
	struct bytes line, value;
	bool has_length = false;
	unsigned length = 0;

	*ret = (struct http_reply){ 0 };
	if (!line_take(&in, &line) || !status_parse(line, &ret->status))
		return false;
	while (line_take(&in, &line) && line.n > 0) {
		if (header_is(line, "Content-Length", &value)) {
			if (has_length || !number_parse(value, &length))
				return false;
			has_length = true;
		} else if (header_is(line, "Transfer-Encoding", &value)) {
			return false;
		} else if (header_is(line, "Retry-After", &value)) {
			(void)number_parse(value, &ret->retry_after_s);
		}
	}
	ret->body = in;
	return line.n == 0 && has_length && length == in.n;
}
