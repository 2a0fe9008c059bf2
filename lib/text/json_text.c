/* JSON as hostile text: see json_text.h.  The loops that see every byte look at 16 bytes at a time (lanes.h). */
#include <assert.h>
#include <string.h>

#include "json_text.h"
#include "lanes.h"

bool json_fail(struct json *j, enum json_err err, const uint8_t *where)
{
	if (j->err == JSON_OK) {
		j->err = err;
		j->err_at = (size_t)(where - j->base);
	}
	return false;
}

/* -- strings -- */

/* Value of a hex digit plus one; 0 for every other byte. */
static const uint8_t hex_digits[256] = {
	['0'] = 1,
	['1'] = 2,
	['2'] = 3,
	['3'] = 4,
	['4'] = 5,
	['5'] = 6,
	['6'] = 7,
	['7'] = 8,
	['8'] = 9,
	['9'] = 10,
	['a'] = 11,
	['b'] = 12,
	['c'] = 13,
	['d'] = 14,
	['e'] = 15,
	['f'] = 16,
	['A'] = 11,
	['B'] = 12,
	['C'] = 13,
	['D'] = 14,
	['E'] = 15,
	['F'] = 16,
};

static inline bool hex4(const uint8_t *p, const uint8_t *end, uint32_t *ret)
{
	uint32_t a, b, c, d;

	if (end - p < 4)
		return false;
	a = hex_digits[p[0]];
	b = hex_digits[p[1]];
	c = hex_digits[p[2]];
	d = hex_digits[p[3]];
	if (a == 0 || b == 0 || c == 0 || d == 0)
		return false;
	*ret = (a - 1) << 12 | (b - 1) << 8 | (c - 1) << 4 | (d - 1);
	return true;
}

static bool is_high_surrogate(uint32_t c)
{
	return c >= 0xD800 && c <= 0xDBFF;
}

static bool is_low_surrogate(uint32_t c)
{
	return c >= 0xDC00 && c <= 0xDFFF;
}

/* The characters of single-letter escapes; 0 for what escapes nothing. */
static const uint8_t escape_letters[256] = {
	['"'] = '"',
	['\\'] = '\\',
	['/'] = '/',
	['b'] = '\b',
	['f'] = '\f',
	['n'] = '\n',
	['r'] = '\r',
	['t'] = '\t',
};

/* One escape, at its backslash.  Both halves of a surrogate pair are one escape; half a pair is U+FFFD with *lone.
 * Return: its length; 0 when RFC 8259 knows no such escape. */
static inline size_t escape_read(const uint8_t *p, const uint8_t *end, uint32_t *ret, bool *lone)
{
	uint32_t low;

	*lone = false;
	if (end - p < 2)
		return 0;
	if (p[1] != 'u') {
		*ret = escape_letters[p[1]];
		return *ret != 0 ? 2 : 0;
	}
	if (!hex4(p + 2, end, ret))
		return 0;
	if (is_high_surrogate(*ret) && end - p >= 12 && p[6] == '\\' && p[7] == 'u' && hex4(p + 8, end, &low) &&
	    is_low_surrogate(low)) {
		*ret = 0x10000 + ((*ret - 0xD800) << 10 | (low - 0xDC00));
		return 12;
	}
	if (is_high_surrogate(*ret) || is_low_surrogate(*ret)) {
		*ret = 0xFFFD;
		*lone = true;
	}
	return 6;
}

/* Forward to the first quote, backslash or control character, or to the end.  *plain becomes false when there may
 * be a slash, DEL or non-ASCII byte on the way. */
static inline const uint8_t *string_run(const uint8_t *p, const uint8_t *end, bool *plain)
{
	u8x16 odd = { 0 };

	while (end - p >= LANES) {
		u8x16 v = load_lanes(p);
		u8x16 stop = (u8x16)((v == '"') | (v == '\\') | (v < 0x20));

		odd |= (u8x16)((v > 0x7E) | (v == '/'));
		if (any_lane(stop)) {
			*plain = *plain && !any_lane(odd);
			return p + first_lane(stop);
		}
		p += LANES;
	}
	*plain = *plain && !any_lane(odd);
	for (; p < end && *p != '"' && *p != '\\' && *p >= 0x20; p++)
		*plain = *plain && *p <= 0x7E && *p != '/';
	return p;
}

/* All escapes that follow each other from p. */
static bool string_escapes(struct json *j, const uint8_t **p)
{
	while (*p < j->end && **p == '\\') {
		uint32_t c;
		bool lone;
		size_t n = escape_read(*p, j->end, &c, &lone);

		if (n == 0)
			return json_fail(j, JSON_SYNTAX, *p);
		if (lone && j->n_lone++ == 0)
			j->first_lone_at = (size_t)(*p - j->base);
		*p += n;
	}
	return true;
}

/* The hottest function of a header: one place where string_run() is inlined, and fields stored one by one, because
 * copying a struct just put together waits for its stores. */
bool json_read_string(struct json *j, struct json_text *ret)
{
	const uint8_t *begin, *p;
	bool plain = true, escaped = false;

	if (!json_expect(j, '"'))
		return false;
	begin = p = j->p;
	for (;;) {
		p = string_run(p, j->end, &plain);
		if (p == j->end || *p != '\\')
			break;
		escaped = true;
		if (!string_escapes(j, &p))
			return false;
	}
	if (p == j->end || *p != '"') /* the end of the text, or a raw control character */
		return json_fail(j, JSON_SYNTAX, p);
	ret->raw.at = begin;
	ret->raw.n = (size_t)(p - begin);
	ret->escaped = escaped;
	ret->plain = plain && !escaped;
	j->p = p + 1;
	return true;
}

bool json_key(struct json *j, struct json_text *ret)
{
	return json_read_string(j, ret) && json_expect(j, ':');
}

/* -- numbers and literals -- */

static bool is_digit(const struct json *j, const uint8_t *p)
{
	return p < j->end && *p >= '0' && *p <= '9';
}

static bool digits(struct json *j, const uint8_t **p)
{
	if (!is_digit(j, *p))
		return json_fail(j, JSON_SYNTAX, *p);
	while (is_digit(j, *p))
		++*p;
	return true;
}

/* The integer part: 0, or digits that do not begin with 0. */
static bool integer_part(struct json *j, const uint8_t **p, struct json_number *n)
{
	if (!is_digit(j, *p))
		return json_fail(j, JSON_SYNTAX, *p);
	if (**p == '0') {
		++*p;
		return is_digit(j, *p) ? json_fail(j, JSON_SYNTAX, *p) : true;
	}
	for (; is_digit(j, *p); ++*p)
		n->fits = n->fits && !__builtin_mul_overflow(n->value, 10u, &n->value) &&
			  !__builtin_add_overflow(n->value, (uint64_t)(**p - '0'), &n->value);
	return true;
}

bool json_number(struct json *j, struct json_number *ret)
{
	struct json_number n = { .plain = true, .fits = true };
	const uint8_t *p;

	json_space(j);
	p = j->p;
	if (p < j->end && *p == '-') {
		n.negative = true;
		n.plain = false;
		p++;
	}
	if (!integer_part(j, &p, &n))
		return false;
	if (p < j->end && *p == '.') {
		n.plain = false;
		p++;
		if (!digits(j, &p))
			return false;
	}
	if (p < j->end && (*p | 0x20) == 'e') {
		n.plain = false;
		p++;
		if (p < j->end && (*p == '+' || *p == '-'))
			p++;
		if (!digits(j, &p))
			return false;
	}
	j->p = p;
	*ret = n;
	return true;
}

bool json_literal(struct json *j, const char *word)
{
	size_t n = strlen(word);

	json_space(j);
	if ((size_t)(j->end - j->p) < n || memcmp(j->p, word, n) != 0)
		return json_fail(j, JSON_SYNTAX, j->p);
	j->p += n;
	return true;
}

/* -- values nobody looks at -- */

/* One bit a level says whether the bracket was a brace. */
struct nesting {
	uint64_t bits[(JSON_DEPTH_MAX + 64) / 64];
	unsigned n;
};

static bool nesting_is_object(const struct nesting *s)
{
	return (s->bits[(s->n - 1) / 64] >> ((s->n - 1) % 64) & 1) != 0;
}

static uint8_t nesting_close(const struct nesting *s)
{
	return nesting_is_object(s) ? '}' : ']';
}

static bool nesting_open(struct json *j, struct nesting *s, unsigned depth)
{
	uint64_t bit = UINT64_C(1) << s->n % 64;

	if (depth >= JSON_DEPTH_MAX || s->n >= JSON_DEPTH_MAX - depth)
		return json_fail(j, JSON_DEPTH, j->p);
	if (*j->p == '{')
		s->bits[s->n / 64] |= bit;
	else
		s->bits[s->n / 64] &= ~bit;
	s->n++;
	j->p++;
	return true;
}

static bool skip_scalar(struct json *j, uint8_t first)
{
	struct json_text text;
	struct json_number number;
	uint64_t small;

	if (json_small(j, &small))
		return true;
	switch (first) {
	case '"': return json_read_string(j, &text);
	case 't': return json_literal(j, "true");
	case 'f': return json_literal(j, "false");
	case 'n': return json_literal(j, "null");
	default: return json_number(j, &number);
	}
}

/* A value has ended: close what ends with it, and stop before the next item. */
static bool skip_after(struct json *j, struct nesting *s)
{
	struct json_text key;
	bool more;

	while (s->n > 0) {
		if (!json_more(j, nesting_close(s), &more))
			return false;
		if (more)
			return nesting_is_object(s) ? json_key(j, &key) : true;
		s->n--;
	}
	return true;
}

bool json_skip(struct json *j, unsigned depth)
{
	struct nesting s = { .n = 0 };
	struct json_text key;

	do {
		uint8_t first = json_peek(j);

		if (first == '{' || first == '[') {
			if (!nesting_open(j, &s, depth))
				return false;
			if (json_any(j, nesting_close(&s))) {
				if (nesting_is_object(&s) && !json_key(j, &key))
					return false;
				continue;
			}
			s.n--;
		} else if (!skip_scalar(j, first)) {
			return false;
		}
		if (!skip_after(j, &s))
			return false;
	} while (s.n > 0);
	return true;
}

/* -- decoded text -- */

uint32_t json_char_hard(const uint8_t **p, const uint8_t *end)
{
	uint32_t c;
	bool lone;
	size_t n;

	if (**p != '\\')
		return utf8_next(p);
	n = escape_read(*p, end, &c, &lone);
	assert(n != 0); /* json_read_string() has taken it */
	*p += n;
	return c;
}

size_t json_decode(struct bytes *raw, uint8_t *buf, size_t n)
{
	const uint8_t *p = raw->at, *end = raw->at + raw->n, *next = p;
	size_t used = 0;
	uint8_t one[4];
	uint32_t c;

	for (; json_char(&next, end, &c); p = next) {
		size_t k = utf8_put(c, one);

		if (k > n - used)
			break;
		if (k == 1)
			buf[used] = one[0];
		else
			memcpy(buf + used, one, k);
		used += k;
	}
	*raw = bytes_of(p, (size_t)(end - p));
	return used;
}

struct bytes json_word_hard(const struct json_text *t, uint8_t buf[JSON_WORD_MAX])
{
	struct bytes rest = t->raw;
	size_t n = json_decode(&rest, buf, JSON_WORD_MAX);

	return bytes_of(buf, rest.n == 0 ? n : 0);
}

bool json_text_equal(const struct json_text *a, const struct json_text *b)
{
	const uint8_t *p = a->raw.at, *p_end = p + a->raw.n, *q = b->raw.at, *q_end = q + b->raw.n;
	uint32_t c, d;

	if (bytes_equal(a->raw, b->raw))
		return true;
	if (!a->escaped && !b->escaped)
		return false;
	while (json_char(&p, p_end, &c))
		if (!json_char(&q, q_end, &d) || c != d)
			return false;
	return q == q_end;
}

static uint64_t hash_chain(uint64_t hash, const uint8_t *at, size_t n, const struct siphash_key *key)
{
	struct siphash_key next = { .k0 = key->k0 ^ hash, .k1 = key->k1 };

	return siphash13(at, n, &next);
}

/* The largest piece of unescaped text, cut where a character ends. */
static size_t piece_length(struct bytes raw)
{
	size_t n = JSON_HASH_PIECE;

	if (raw.n <= n)
		return raw.n;
	while ((raw.at[n] & 0xC0) == 0x80)
		n--;
	return n;
}

static uint64_t hash_raw(struct bytes raw, const struct siphash_key *key)
{
	uint64_t hash = 0;

	while (raw.n > 0) {
		size_t n = piece_length(raw);

		hash = hash_chain(hash, raw.at, n, key);
		raw.at += n;
		raw.n -= n;
	}
	return hash;
}

/* The same for escaped text: pieces end at the same characters in every spelling. */
static uint64_t hash_decoded(struct bytes raw, const struct siphash_key *key)
{
	uint8_t piece[JSON_HASH_PIECE];
	uint64_t hash = 0;

	do {
		size_t n = json_decode(&raw, piece, sizeof(piece));

		hash = hash_chain(hash, piece, n, key);
	} while (raw.n > 0);
	return hash;
}

uint64_t json_text_hash_hard(const struct json_text *t, const struct siphash_key *key)
{
	return t->escaped ? hash_decoded(t->raw, key) : hash_raw(t->raw, key);
}
