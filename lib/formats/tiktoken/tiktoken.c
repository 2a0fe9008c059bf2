/* Lines of tokens: see tiktoken.h.  Goes through the file once, before the pass. */
#include "tiktoken.h"

#include "checked.h"
#include "scoped_names.h"

#define TOKEN_MAX 1024u /* bytes of base64; the longest published token has 172 */
#define TOKENS_MAX (1u << 22)
#define BYTES 256u /* tokens of one byte */

enum phase { IN_TOKEN, IN_RANK, AT_LINE_FEED };

struct vocabulary {
	struct layout *l;
	struct scoped_names names;
	enum phase phase;
	uint64_t at; /* of the line */
	uint8_t token[TOKEN_MAX];
	size_t n, padding, digits;
	uint64_t rank, next;    /* the least that the next line may have */
	uint32_t tokens, bytes; /* all; of one byte */
	bool broken;
};

static bool fault(struct vocabulary *v, const char *what)
{
	layout_finding(v->l, &(struct finding){ .code = WLK_F_TIKTOKEN_LINE,
				 .has_offset = true,
				 .offset = v->at,
				 .found = value_text(bytes_of_text(what)) });
	v->broken = true;
	return false;
}

/* -- base64 (RFC 4648, section 4) -- */

static uint8_t digit(uint8_t c)
{
	if (c >= 'A' && c <= 'Z')
		return (uint8_t)(c - 'A');
	if (c >= 'a' && c <= 'z')
		return (uint8_t)(c - 'a' + 26);
	if (c >= '0' && c <= '9')
		return (uint8_t)(c - '0' + 52);
	return c == '+' ? 62 : c == '/' ? 63 : 64;
}

/* Whole groups of four, and no bit set that nobody reads: one spelling for each token. */
static bool is_base64(const struct vocabulary *v)
{
	uint8_t unread = v->padding == 0 ? 0 : v->padding == 1 ? 3 : 15;

	return v->n > 0 && v->padding <= 2 && (v->n + v->padding) % 4 == 0 && (digit(v->token[v->n - 1]) & unread) == 0;
}

/* -- a line -- */

static bool end_token(struct vocabulary *v)
{
	struct scoped_name name = scoped_name_of(&v->names, bytes_of(v->token, v->n), 0);

	if (!is_base64(v))
		return fault(v, "no base64");
	if (scoped_names_find(&v->names, name, 1u << SCOPED_KEY, 0) != NULL)
		return fault(v, "a token given twice");
	if (++v->tokens > TOKENS_MAX)
		return fault(v, "more tokens than any vocabulary has");
	scoped_names_add(&v->names, name, SCOPED_KEY, v->at);
	v->bytes += v->n == 2 ? 1 : 0;
	v->phase = IN_RANK;
	return !v->names.failed;
}

static bool end_line(struct vocabulary *v)
{
	if (v->digits == 0 || v->rank < v->next)
		return fault(v, "ranks do not ascend");
	v->next = v->rank + 1;
	v->phase = IN_TOKEN;
	v->n = v->padding = v->digits = 0;
	v->rank = 0;
	return true;
}

static bool take_token(struct vocabulary *v, uint8_t c)
{
	if (c == ' ')
		return end_token(v);
	if (c == '=')
		return ++v->padding <= 2 || fault(v, "no base64");
	if (v->padding > 0 || digit(c) == 64)
		return fault(v, "no base64");
	if (v->n == TOKEN_MAX)
		return fault(v, "a long token");
	v->token[v->n++] = c;
	return true;
}

static bool take_rank(struct vocabulary *v, uint8_t c)
{
	if (c == '\n')
		return end_line(v);
	if (c == '\r') {
		v->phase = AT_LINE_FEED;
		return true;
	}
	if (c < '0' || c > '9' || (v->digits == 1 && v->rank == 0))
		return fault(v, "no rank");
	v->rank = v->rank * 10 + (c - '0'); /* at most nine digits */
	return ++v->digits <= 9 || fault(v, "no rank");
}

static bool take(struct vocabulary *v, uint8_t c)
{
	switch (v->phase) {
	case IN_TOKEN: return take_token(v, c);
	case IN_RANK: return take_rank(v, c);
	case AT_LINE_FEED: return c == '\n' ? end_line(v) : fault(v, "half of a line's end");
	}
	return false;
}

static uint64_t feed(void *ctx, const uint8_t *at, size_t n, uint64_t offset)
{
	struct vocabulary *v = ctx;

	for (size_t i = 0; i < n; i++) {
		if (v->phase == IN_TOKEN && v->n == 0 && v->padding == 0)
			v->at = offset + i;
		if (!take(v, at[i]))
			return FEED_END;
	}
	return offset + n;
}

/* -- the whole -- */

static bool is_whole(struct vocabulary *v)
{
	if (v->phase == IN_TOKEN && v->n == 0 && v->padding == 0)
		return true;
	return v->phase == IN_RANK ? end_line(v) : fault(v, "cut short"); /* the last line may lack its end */
}

/* The library (src/lib.rs, byte_pair_merge) begins with single bytes, and looks each up: it ends the program when one has no
 * rank. */
static bool ends_well(struct vocabulary *v)
{
	return is_whole(v) && (v->bytes == BYTES || fault(v, "not every byte is a token"));
}

static enum wlk_status layout(struct layout *l)
{
	struct vocabulary *v = arena_alloc(l->arena, 1, sizeof(*v));
	struct extent *e = extents_add(l->extents);
	uint64_t memory;

	if (v == NULL || e == NULL)
		return layout_stop(l);
	e->end = l->part.size;
	e->kind = EXTENT_METADATA;
	/* A line has seven bytes at least; a name takes 32, twice while its table grows, and a bucket. */
	layout_raise_memory(l, mul_u64(min_u64(l->part.size / 7, TOKENS_MAX), 144, &memory) ? memory : 0);
	v->l = l;
	scoped_names_init(&v->names, l->arena, &l->seed);
	if (!part_preview(&l->part, 0, (struct feeder){ feed, v }) || v->names.failed)
		return layout_stop(l);
	return !v->broken && ends_well(v) ? WLK_DONE : WLK_BROKEN;
}

/* Two lines of one shape that count up: prose does not begin so. */
static size_t line_is(struct bytes head, size_t at, uint8_t rank)
{
	size_t from = at;

	while (at < head.n && digit(head.at[at]) < 64)
		at++;
	while (at < head.n && head.at[at] == '=')
		at++;
	if (at == from || (at - from) % 4 != 0 || head.n - at < 3 || head.at[at] != ' ' || head.at[at + 1] != rank)
		return 0;
	at += head.at[at + 2] == '\r' ? 3 : 2;
	return at < head.n && head.at[at] == '\n' ? at + 1 : 0;
}

static bool probe(const struct probe *p)
{
	struct bytes head = bytes_of(p->head, p->n);
	size_t second = line_is(head, 0, '0');

	return second > 0 && line_is(head, second, '1') > 0;
}

const struct wlk_format format_tiktoken = {
	.id = WLK_FORMAT_TIKTOKEN, .probe = probe, .layout = layout, .nested = NESTED_RANDOM
};
