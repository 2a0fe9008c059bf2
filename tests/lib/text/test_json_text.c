#include <stdio.h>

#include "harness.h"
#include "json_text.h"

/* Append text at n.  Return: the new length. */
static size_t put(char *buf, size_t n, const char *text)
{
	size_t k = strlen(text);

	memcpy(buf + n, text, k + 1);
	return n + k;
}

static struct json over(const char *text)
{
	const uint8_t *at = (const uint8_t *)text;

	return (struct json){ .base = at, .p = at, .end = at + strlen(text) };
}

static bool skips(const char *text)
{
	struct json j = over(text);

	return json_skip(&j, 0) && j.p == j.end;
}

static struct json_text string(const char *text)
{
	struct json j = over(text);
	struct json_text t;

	ck_assert_msg(json_read_string(&j, &t), "%s", text);
	ck_assert(j.p == j.end);
	return t;
}

static bool is_string(const char *text)
{
	struct json j = over(text);
	struct json_text t;

	return json_read_string(&j, &t) && j.p == j.end;
}

static void decodes(const char *text, const char *expected)
{
	struct json_text t = string(text);
	uint8_t buf[256];
	size_t n = json_decode(&t.raw, buf, sizeof(buf));

	ck_assert_uint_eq(n, strlen(expected));
	ck_assert_mem_eq(buf, expected, n);
	ck_assert_uint_eq(t.raw.n, 0);
}

START_TEST(test_string_ends_at_its_quote_whatever_its_length)
{
	char text[100];

	for (size_t n = 0; n < 80; n++) {
		struct json j;
		struct json_text t;

		memset(text, 'x', sizeof(text));
		text[0] = '"';
		text[n + 1] = '"';
		j = (struct json){ .base = (uint8_t *)text, .p = (uint8_t *)text, .end = (uint8_t *)text + n + 2 };
		ck_assert(json_read_string(&j, &t));
		ck_assert_uint_eq(t.raw.n, n);
		ck_assert(t.plain && !t.escaped);
		j = (struct json){ .base = (uint8_t *)text, .p = (uint8_t *)text, .end = (uint8_t *)text + n + 1 };
		ck_assert(!json_read_string(&j, &t));
		ck_assert_uint_eq(j.err_at, n + 1);
	}
}
END_TEST

START_TEST(test_string_is_not_plain_with_one_odd_byte_wherever_it_is)
{
	const char odd[] = { '/', 0x7F, (char)0xC3 };
	char text[64];

	for (size_t at = 1; at < 60; at++)
		for (size_t k = 0; k < sizeof(odd); k++) {
			memset(text, 'x', sizeof(text));
			text[0] = text[60] = '"';
			text[61] = 0;
			text[at] = odd[k];
			ck_assert_msg(!string(text).plain, "%zu %zu", at, k);
		}
}
END_TEST

START_TEST(test_string_refuses_each_control_character_and_allows_del)
{
	char text[] = "\"ab?cd\"";

	for (int c = 1; c < 0x20; c++) {
		text[3] = (char)c;
		ck_assert_msg(!is_string(text), "%d", c);
	}
	text[3] = 0x20;
	ck_assert(is_string(text));
	text[3] = 0x7F;
	ck_assert(is_string(text));
}
END_TEST

START_TEST(test_string_knows_the_nine_escapes_and_no_other)
{
	char text[] = "\"\\?0000\"";

	for (int c = 1; c < 256; c++) {
		text[2] = (char)c;
		ck_assert_msg(is_string(text) == (strchr("\"\\/bfnrtu", c) != NULL) || c == '"', "%d", c);
	}
	ck_assert(!is_string("\"\\u123\""));
	ck_assert(!is_string("\"\\u12g4\""));
	ck_assert(!is_string("\"\\u{61}\""));
	ck_assert(!is_string("\"\\"));
	ck_assert(!is_string("\"\\u00"));
}
END_TEST

START_TEST(test_decode_turns_escapes_into_utf8)
{
	decodes("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t");
	decodes("\"\\u0041\\u00e9\\u20AC\\ud83d\\uDE00z\"", "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z");
	decodes("\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\"", "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
}
END_TEST

START_TEST(test_decode_never_splits_a_character)
{
	struct json_text t = string("\"ab\\u20ACc\"");
	uint8_t buf[8];

	ck_assert_uint_eq(json_decode(&t.raw, buf, 4), 2);
	ck_assert_uint_eq(t.raw.n, 7);
	ck_assert_uint_eq(json_decode(&t.raw, buf, 4), 4);
	ck_assert_uint_eq(t.raw.n, 0);
}
END_TEST

START_TEST(test_lone_surrogates_are_counted_and_pairs_are_not)
{
	const char *const lone[] = { "\"\\ud800\"", "\"\\udfff\"", "\"\\ud800x\"", "\"\\ud800\\n\"",
		"\"\\ud800\\u0041\"", "\"\\ud800\\ud800\\udc00\"", "\"\\udc00\\ud800\"" };
	const uint64_t counts[] = { 1, 1, 1, 1, 1, 1, 2 };
	struct json_text t;
	struct json j;

	for (size_t i = 0; i < sizeof(lone) / sizeof(lone[0]); i++) {
		j = over(lone[i]);
		ck_assert(json_read_string(&j, &t));
		ck_assert_uint_eq(j.n_lone, counts[i]);
		ck_assert_uint_eq(j.first_lone_at, 1);
	}
	j = over("\"\\ud7ff\\ue000\\ud800\\udc00\"");
	ck_assert(json_read_string(&j, &t));
	ck_assert_uint_eq(j.n_lone, 0);
}
END_TEST

START_TEST(test_equal_texts_have_equal_hashes_however_they_are_spelled)
{
	const char *const same[] = { "\"a\xC3\xA9/\"", "\"\\u0061\xC3\xA9/\"", "\"a\\u00e9\\/\"",
		"\"\\u0061\\u00E9\\u002f\"" };
	struct siphash_key key = { 3, 4 };
	struct json_text first = string(same[0]), other = string("\"a\xC3\xA8/\"");

	for (size_t i = 0; i < 4; i++) {
		struct json_text t = string(same[i]);

		ck_assert(json_text_equal(&first, &t) && json_text_equal(&t, &first));
		ck_assert(json_text_hash(&first, &key) == json_text_hash(&t, &key));
		ck_assert(!json_text_equal(&other, &t) && !json_text_equal(&t, &other));
		ck_assert(json_text_hash(&other, &key) != json_text_hash(&t, &key));
	}
	other = string("\"a\xC3\xA9\"");
	ck_assert(!json_text_equal(&first, &other) && !json_text_equal(&other, &first));
}
END_TEST

/* Around the piece of the hash chain, with a character that does not divide it. */
START_TEST(test_long_texts_hash_alike_raw_and_escaped)
{
	static char raw[4 * 3100], escaped[10 * 3100];
	struct siphash_key key = { 5, 6 };

	for (size_t n = 1; n < 3000; n += 1 + n / 2 % 7) {
		size_t r = 0, e = 0;
		struct json_text a, b;

		raw[r++] = escaped[e++] = '"';
		for (size_t i = 0; i < n; i++) {
			r = put(raw, r, i % 3 ? "a" : "\xE2\x82\xAC");
			e = put(escaped, e, i % 3 ? (i % 5 ? "a" : "\\u0061") : "\\u20ac");
		}
		put(raw, r, "\"");
		put(escaped, e, "\"");
		a = string(raw);
		b = string(escaped);
		ck_assert_msg(json_text_hash(&a, &key) == json_text_hash(&b, &key), "%zu", n);
		ck_assert(json_text_equal(&a, &b));
	}
}
END_TEST

START_TEST(test_word_is_decoded_up_to_its_bound)
{
	uint8_t buf[JSON_WORD_MAX];
	struct json_text fits = string("\"\\u0030123456789abcdef\""), longer = string("\"\\u0030123456789abcdefg\"");

	ck_assert(bytes_equal(json_word(&fits, buf), bytes_of_text("0123456789abcdef")));
	ck_assert_uint_eq(json_word(&longer, buf).n, 0);
}
END_TEST

START_TEST(test_numbers_follow_the_grammar)
{
	const char *const good[] = { "0", "-0", "9", "10", "1.0", "0.5", "1e5", "1E+5", "1e-5", "-1.25e10", "1e400" };
	const char *const bad[] = { "01", "-", "+1", "1.", ".5", "1e", "1e+", "00", "-01", "0x10", "NaN", "Infinity",
		"1_0" };

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ck_assert_msg(skips(good[i]), "%s", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!skips(bad[i]), "%s", bad[i]);
}
END_TEST

START_TEST(test_number_fits_up_to_two_to_the_sixty_four_minus_one)
{
	struct json j = over("18446744073709551615"), k = over("18446744073709551616"), l = over("-1.0");
	struct json_number n;

	ck_assert(json_number(&j, &n) && n.fits && n.plain && !n.negative);
	ck_assert(n.value == UINT64_MAX);
	ck_assert(json_number(&k, &n) && !n.fits && n.plain);
	ck_assert(json_number(&l, &n) && n.negative && !n.plain);
}
END_TEST

START_TEST(test_small_number_takes_fifteen_digits_and_leaves_the_rest)
{
	const char *const refused[] = { "1234567890123456,", "01,", "1", "1 ,", "1.0,", "1e3]", "-1,", "", ",", "1}" };
	struct json j = over("123456789012345,");
	uint64_t v = 0;

	ck_assert(json_small(&j, &v) && *j.p == ',');
	ck_assert(v == UINT64_C(123456789012345));
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		j = over(refused[i]);
		ck_assert_msg(!json_small(&j, &v) && j.p == j.base, "%s", refused[i]);
	}
}
END_TEST

/* Every byte, at every place of a number of every length, with as little or as much behind it: the same answer as
 * json_number(), or none. */
START_TEST(test_small_number_agrees_with_the_grammar_whatever_follows)
{
	for (unsigned n = 1; n <= 17; n++)
		for (unsigned at = 0; at <= n; at++)
			for (unsigned c = 1; c < 256; c++) {
				char text[40] = "98765432109876543,1,2,3,4,5,6";
				struct json small, full;
				struct json_number number;
				uint64_t v;

				memmove(text + n, text + 17, sizeof(text) - 17);
				text[at] = (char)c;
				text[n + 1 + c % 12] = 0;
				small = full = over(text);
				if (!json_small(&small, &v))
					continue;
				ck_assert_msg(json_number(&full, &number) && number.plain && number.fits, "%s", text);
				ck_assert_msg(v == number.value && small.p == full.p, "%s", text);
			}
}
END_TEST

START_TEST(test_skip_takes_every_kind_of_value)
{
	const char *const good[] = { "{}", "[]", "[[],{}]", "{\"a\":[1,{\"b\":null}],\"c\":true}", " [ 1 , 2 ] ",
		"\"x\"", "null", "true", "false", "{\"a\" : {\"b\":[]}}" };
	const char *const bad[] = { "", "{", "[", "[1,]", "{,}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "[1 2]", "[}",
		"{]", "[1}", "{\"a\":1]", "nul", "True", "[,1]", "{1:2}", "{\"a\"=1}", "'x'", "[\v1]", "//",
		"\xEF\xBB\xBF[]" };

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct json j = over(good[i]);

		ck_assert_msg(json_skip(&j, 0), "%s", good[i]);
		json_space(&j);
		ck_assert_msg(j.p == j.end, "%s", good[i]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!skips(bad[i]), "%s", bad[i]);
}
END_TEST

/* `open` brackets of alternating kind around a number. */
static struct json nested(char *text, unsigned open)
{
	size_t n = 0;

	for (unsigned i = 0; i < open; i++)
		n = put(text, n, i % 3 ? "[" : "{\"k\":");
	n = put(text, n, "1");
	for (unsigned i = open; i-- > 0;)
		n = put(text, n, i % 3 ? "]" : "}");
	return over(text);
}

START_TEST(test_skip_stops_at_the_depth_bound_wherever_it_starts)
{
	static char text[8 * JSON_DEPTH_MAX];
	const unsigned around[] = { 0, 1, 2, 3, JSON_DEPTH_MAX - 1, JSON_DEPTH_MAX };

	for (size_t i = 0; i < sizeof(around) / sizeof(around[0]); i++) {
		unsigned last = JSON_DEPTH_MAX - around[i];
		struct json j = nested(text, last);

		ck_assert_msg(json_skip(&j, around[i]) && j.p == j.end, "%u", around[i]);
		j = nested(text, last + 1);
		ck_assert(!json_skip(&j, around[i]));
		ck_assert_int_eq(j.err, JSON_DEPTH);
	}
}
END_TEST

START_TEST(test_first_failure_is_kept)
{
	struct json j = over("[1,x]");

	ck_assert(!json_skip(&j, 0));
	ck_assert_uint_eq(j.err_at, 3);
	json_fail(&j, JSON_DEPTH, j.end);
	ck_assert_int_eq(j.err, JSON_SYNTAX);
	ck_assert_uint_eq(j.err_at, 3);
}
END_TEST

HARNESS("json_text", test_string_ends_at_its_quote_whatever_its_length,
    test_string_is_not_plain_with_one_odd_byte_wherever_it_is,
    test_string_refuses_each_control_character_and_allows_del, test_string_knows_the_nine_escapes_and_no_other,
    test_decode_turns_escapes_into_utf8, test_decode_never_splits_a_character,
    test_lone_surrogates_are_counted_and_pairs_are_not, test_equal_texts_have_equal_hashes_however_they_are_spelled,
    test_long_texts_hash_alike_raw_and_escaped, test_word_is_decoded_up_to_its_bound, test_numbers_follow_the_grammar,
    test_number_fits_up_to_two_to_the_sixty_four_minus_one, test_small_number_takes_fifteen_digits_and_leaves_the_rest,
    test_small_number_agrees_with_the_grammar_whatever_follows, test_skip_takes_every_kind_of_value,
    test_skip_stops_at_the_depth_bound_wherever_it_starts, test_first_failure_is_kept)
