/* JSON as hostile text: tokens read in place, never a tree.  Follows RFC 8259; stricter readers (which numbers,
 * which escapes) are built from the same tokens.  Nothing here allocates, recurses or looks past `end`.
 *
 * The caller has proven the text to be UTF-8 (utf8_check), so strings are only searched for what ends them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "siphash.h"
#include "unicode.h"
#include "utf8.h"

/* Deepest nesting, the outermost value included.  The reference loader's parser refuses the same (128). */
#define JSON_DEPTH_MAX 127u

/* Ordered so that a caller can tell "no JSON" from "JSON beyond our bound". */
enum json_err { JSON_OK, JSON_SYNTAX, JSON_DEPTH };

struct json {
	const uint8_t *base; /* offsets are counted from here */
	const uint8_t *p, *end;
	enum json_err err; /* first failure, kept */
	size_t err_at;
	/* Halves of surrogate pairs in escapes: grammatical, but no text.  Not an error of the token. */
	uint64_t n_lone;
	size_t first_lone_at;
};

/* A string's characters as they stand in the text, between the quotes. */
struct json_text {
	struct bytes raw;
	bool escaped; /* raw holds a backslash: compare and print it decoded */
	bool plain;   /* surely only 0x20..0x7E without a slash or an escape; false may be a false alarm */
};

/* Every number RFC 8259 allows, and how it was written. */
struct json_number {
	uint64_t value;
	bool negative; /* also -0 */
	bool plain;    /* digits only: no sign, fraction or exponent */
	bool fits;     /* value is what the digits say */
};

static inline size_t json_at(const struct json *j)
{
	return (size_t)(j->p - j->base);
}

/* Record the first failure.  Return: false, to be passed on. */
bool json_fail(struct json *j, enum json_err err, const uint8_t *where);

static inline bool json_is_space(uint8_t c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static inline void json_space(struct json *j)
{
	while (j->p < j->end && json_is_space(*j->p))
		j->p++;
}

/* The next byte of meaning, whitespace skipped; 0, which begins no token, at the end. */
static inline uint8_t json_peek(struct json *j)
{
	json_space(j);
	return j->p < j->end ? *j->p : 0;
}

static inline bool json_expect(struct json *j, uint8_t c)
{
	if (json_peek(j) != c)
		return json_fail(j, JSON_SYNTAX, j->p);
	j->p++;
	return true;
}

/* After a member or an item: a comma (*ret_more) or the closing bracket. */
static inline bool json_more(struct json *j, uint8_t close, bool *ret_more)
{
	uint8_t c = json_peek(j);

	if (c != ',' && c != close)
		return json_fail(j, JSON_SYNTAX, j->p);
	*ret_more = c == ',';
	j->p++;
	return true;
}

/* After an opening bracket: is there a first item?  Takes the closing bracket when there is none. */
static inline bool json_any(struct json *j, uint8_t close)
{
	if (json_peek(j) != close)
		return true;
	j->p++;
	return false;
}

/* How many of the 8 bytes of v, from the lowest, are digits before the first that is none; *ret_digits is v with each
 * digit in place of its character. */
static inline unsigned json_digits(uint64_t v, uint64_t *ret_digits)
{
	uint64_t d = v ^ UINT64_C(0x3030303030303030);
	/* The top bit of a byte: 10 or more.  A carry can only spoil bytes above the first of them. */
	uint64_t other = ((d + UINT64_C(0x7676767676767676)) | d) & UINT64_C(0x8080808080808080);

	*ret_digits = d;
	return other != 0 ? (unsigned)__builtin_ctzll(other) / 8 : 8;
}

/* The number that 8 digits spell, the first in the lowest byte: pairs, then fours, then all. */
static inline uint64_t json_eight(uint64_t d)
{
	d = (d * 10 + (d >> 8)) & UINT64_C(0x00FF00FF00FF00FF);
	d = (d * 100 + (d >> 16)) & UINT64_C(0x0000FFFF0000FFFF);
	return (d * 10000 + (d >> 32)) & UINT32_MAX;
}

/* What nearly every number is: 1 to 15 digits that end at a comma or a closing bracket, where *p is left.  Return:
 * false, with nothing moved, for any other, which json_number() may still take.  Two ways to read the same; both
 * inlined, so that the caller's position stays in a register. */
#define JSON_SMALL_DIGITS 15
#define JSON_INLINE static inline __attribute__((always_inline))

/* The digits from q on, one by one: those before it are worth v. */
JSON_INLINE bool json_small_rest(const uint8_t **p, const uint8_t *end, const uint8_t *q, uint64_t v, uint64_t *ret)
{
	const uint8_t *begin = *p;

	while (q < end && q - begin < JSON_SMALL_DIGITS && *q >= '0' && *q <= '9')
		v = v * 10 + (*q++ - (uint64_t)'0');
	if (q == begin || q == end || (*q != ',' && *q != ']') || (*begin == '0' && q - begin > 1))
		return false;
	*p = q;
	*ret = v;
	return true;
}

/* Best for one to four digits: their end is foreseen by the branch predictor. */
JSON_INLINE bool json_small_short(const uint8_t **p, const uint8_t *end, uint64_t *ret)
{
	return json_small_rest(p, end, *p, 0, ret);
}

/* Best for more, and for any length that changes: eight at once. */
JSON_INLINE bool json_small_long(const uint8_t **p, const uint8_t *end, uint64_t *ret)
{
	static const uint32_t power[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000 };
	const uint8_t *q = *p;
	uint64_t v = 0, d;
	unsigned n;

	/* Missing ones are zeros in front. */
	if (end - q >= 8) {
		n = json_digits(load_u64le(q), &d);
		if (n == 0)
			return false;
		v = json_eight(d << 8 * (8 - n));
		q += n;
	}
	/* The other seven: a digit follows only on eight. */
	if (end - q >= 8 && *q >= '0' && *q <= '9') {
		n = json_digits(load_u64le(q), &d);
		if (n > JSON_SMALL_DIGITS - 8)
			return false;
		v = v * power[n] + json_eight(d << 8 * (8 - n));
		q += n;
	}
	return json_small_rest(p, end, q, v, ret);
}

static inline bool json_small(struct json *j, uint64_t *ret)
{
	return json_small_long(&j->p, j->end, ret);
}

/* Exactly these bytes, or nothing moved: for what every writer spells alike. */
static inline bool json_take(struct json *j, const void *bytes, size_t n)
{
	if ((size_t)(j->end - j->p) < n || memcmp(j->p, bytes, n) != 0)
		return false;
	j->p += n;
	return true;
}

/* Each takes one token, whitespace before it included, or fails and says where. */
bool json_read_string(struct json *j, struct json_text *ret);
bool json_number(struct json *j, struct json_number *ret);
bool json_literal(struct json *j, const char *word);
/* A member's name and its colon. */
bool json_key(struct json *j, struct json_text *ret);
/* Any one value; `depth` brackets are open around it.  Nesting costs a bit a level, not stack. */
bool json_skip(struct json *j, unsigned depth);

/* One character that is not ASCII, or an escape; *p is not at the end. */
uint32_t json_char_hard(const uint8_t **p, const uint8_t *end);

/* The next decoded character of a string that json_read_string() took; false at its end.  Half a surrogate pair comes
 * out as U+FFFD. */
static inline bool json_char(const uint8_t **p, const uint8_t *end, uint32_t *ret)
{
	if (*p == end)
		return false;
	*ret = **p < 0x80 && **p != '\\' ? *(*p)++ : json_char_hard(p, end);
	return true;
}

/* Decode as many whole characters as fit into buf.  Return: bytes written; *raw is what is left. */
size_t json_decode(struct bytes *raw, uint8_t *buf, size_t n);
/* Do two strings mean the same characters, however they are spelled? */
bool json_text_equal(const struct json_text *a, const struct json_text *b);
/* The decoded text when it has at most JSON_WORD_MAX bytes: what is compared with the words of a format.  buf is
 * used only when there is something to decode.  Return: empty for a longer text, which is no such word. */
#define JSON_WORD_MAX 16u
struct bytes json_word_hard(const struct json_text *t, uint8_t buf[JSON_WORD_MAX]);

static inline struct bytes json_word(const struct json_text *t, uint8_t buf[JSON_WORD_MAX])
{
	return t->escaped ? json_word_hard(t, buf) : t->raw;
}

/* Keyed hash of the decoded text: equal texts have equal hashes, however they are spelled.  Long ones are hashed as a
 * chain of pieces, so that decoding one never needs more memory than a piece. */
#define JSON_HASH_PIECE 1024
uint64_t json_text_hash_hard(const struct json_text *t, const struct siphash_key *key);

static inline uint64_t json_text_hash(const struct json_text *t, const struct siphash_key *key)
{
	if (t->escaped || t->raw.n > JSON_HASH_PIECE)
		return json_text_hash_hard(t, key);
	return siphash13(t->raw.at, t->raw.n, key);
}
