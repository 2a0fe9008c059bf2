/* See clamd_protocol.h. */
#include "clamd_protocol.h"

#include <stdio.h>
#include <string.h>

#include "checked.h"

/* ---- commands ---- */

static const struct {
	const char *word;
	bool path;
} verbs[] = { [CLAMD_UNKNOWN] = { "", false },
#define X(id, path, offer) [CLAMD_##id] = { #id, path },
	CLAMD_VERBS(X)
#undef X
};

#define N_VERBS (sizeof(verbs) / sizeof(verbs[0]))

static bool is_word(const uint8_t *at, size_t n, const char *word)
{
	return n == strlen(word) && memcmp(at, word, n) == 0;
}

/* @at, @n: without prefix and end. */
static void read_words(const uint8_t *at, size_t n, struct clamd_command *ret)
{
	const uint8_t *space = memchr(at, ' ', n);
	size_t word_n = space ? (size_t)(space - at) : n;

	for (size_t i = CLAMD_UNKNOWN + 1; i < N_VERBS; i++) {
		if (!is_word(at, word_n, verbs[i].word) || verbs[i].path != (n - word_n > 1) ||
		    (!verbs[i].path && space != NULL))
			continue;
		ret->verb = (enum clamd_verb)i;
		if (verbs[i].path)
			ret->path = (struct bytes){ .at = space + 1, .n = n - word_n - 1 };
	}
}

/* A line may end as on other systems. */
static size_t without_return(const uint8_t *at, size_t n)
{
	return n > 0 && at[n - 1] == '\r' ? n - 1 : n;
}

static bool needs_no_end(const uint8_t *at, size_t n)
{
	struct clamd_command c = { .verb = CLAMD_UNKNOWN };

	read_words(at, n, &c);
	return c.verb != CLAMD_UNKNOWN && !verbs[c.verb].path;
}

bool clamd_parse(const uint8_t *at, size_t n, bool ended, struct clamd_command *ret, size_t *ret_used)
{
	const uint8_t *end;
	size_t prefix, body;

	if (n == 0)
		return false;
	*ret = (struct clamd_command){ .verb = CLAMD_UNKNOWN, .term = at[0] == 'z' ? '\0' : '\n' };
	ret->prefixed = at[0] == 'z' || at[0] == 'n';
	prefix = ret->prefixed ? 1 : 0;
	end = memchr(at, ret->term, n);
	if (end == NULL && n < CLAMD_LINE_MAX && !ended && (ret->prefixed || !needs_no_end(at, n)))
		return false;
	body = end ? (size_t)(end - at) : n;
	*ret_used = end ? body + 1 : n;
	/* Of a command with a prefix the end is part: without it, it is not one. */
	if (end != NULL || (!ret->prefixed && n < CLAMD_LINE_MAX))
		read_words(
		    at + prefix, ret->term == '\n' ? without_return(at + prefix, body - prefix) : body - prefix, ret);
	return true;
}

/* ---- chunks ---- */

size_t clamd_chunks_want(const struct clamd_chunks *c)
{
	return c->left > 0 ? (size_t)c->left + sizeof(c->head) : sizeof(c->head) - c->head_n;
}

static uint32_t be32(const uint8_t at[4])
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static enum clamd_chunk_event end_head(struct clamd_chunks *c)
{
	c->head_n = 0;
	c->left = be32(c->head);
	if (c->left == 0)
		return CLAMD_CHUNK_END;
	if (!add_u64(c->total, c->left, &c->total))
		c->total = UINT64_MAX;
	return CLAMD_CHUNK_HEAD;
}

enum clamd_chunk_event clamd_chunks_next(
    struct clamd_chunks *c, const uint8_t *at, size_t n, size_t *ret_used, struct bytes *ret_payload)
{
	size_t missing = sizeof(c->head) - c->head_n;

	*ret_payload = (struct bytes){ .at = at, .n = 0 };
	*ret_used = 0;
	if (n == 0)
		return CLAMD_CHUNK_MORE;
	if (c->left > 0) {
		*ret_used = ret_payload->n = n < c->left ? n : c->left;
		c->left -= (uint32_t)*ret_used;
		return CLAMD_CHUNK_DATA;
	}
	*ret_used = n < missing ? n : missing;
	memcpy(c->head + c->head_n, at, *ret_used);
	c->head_n += (unsigned)*ret_used;
	return n < missing ? CLAMD_CHUNK_MORE : end_head(c);
}

/* ---- answers ---- */

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_alphanumeric(char c)
{
	return is_lower(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* At most half of what a signature may have, so that two of them fit. */
static size_t put_pascal(const char *text, char *to)
{
	bool first = true;
	size_t n = 0;

	for (; *text && n < CLAMD_SIGNATURE_MAX / 2 - 8; text++) {
		if (is_alphanumeric(*text))
			to[n++] = first && is_lower(*text) ? (char)(*text - 'a' + 'A') : *text;
		first = !is_alphanumeric(*text);
	}
	return n;
}

const char *clamd_signature(const char *class, const char *code, char buf[CLAMD_SIGNATURE_MAX])
{
	static const char first[] = "Weighlock.";
	size_t n = sizeof(first) - 1;

	memcpy(buf, first, n);
	n += put_pascal(class, buf + n);
	buf[n++] = '.';
	n += put_pascal(code, buf + n);
	buf[n] = '\0';
	return buf;
}

static bool is_control(uint8_t c)
{
	return c < 0x20 || c == 0x7f;
}

static size_t put_name(struct bytes name, char *to)
{
	size_t n = name.n < CLAMD_LINE_MAX ? name.n : CLAMD_LINE_MAX;

	for (size_t i = 0; i < n; i++)
		to[i] = is_control(name.at[i]) ? '?' : (char)name.at[i];
	to[n++] = ':';
	to[n++] = ' ';
	return n;
}

static size_t put_text(const char *text, size_t room, char *to)
{
	size_t n = strlen(text);

	n = n < room ? n : room;
	memcpy(to, text, n);
	return n;
}

size_t clamd_reply(const struct clamd_reply *r, char buf[CLAMD_REPLY_MAX])
{
	const size_t status_max = 8, id_max = 16;
	size_t n = 0;

	if (r->id > 0)
		n += (size_t)snprintf(buf, id_max, "%u: ", r->id);
	if (r->name.n > 0)
		n += put_name(r->name, buf + n);
	n += put_text(r->text, CLAMD_REPLY_MAX - CLAMD_LINE_MAX - id_max - status_max - 4, buf + n);
	if (r->status) {
		if (r->text[0])
			buf[n++] = ' ';
		n += put_text(r->status, status_max, buf + n);
	}
	buf[n++] = r->term;
	return n;
}

const char *clamd_offered(void)
{
#define X(id, path, offer) offer
	return "COMMANDS:" CLAMD_VERBS(X);
#undef X
}
