/* Calls as text: what is shown, what is cut, and that nothing in it acts. */
#include "harness.h"

#include <math.h>
#include <string.h>

#include "call_text.h"

static struct call_text text;

static bool reads(const char *expected)
{
	return bytes_equal(bytes_of(text.at, text.n), bytes_of_text(expected));
}

static bool string_reads(struct bytes head, uint64_t n, bool is_text, const char *expected)
{
	call_text_begin(&text);
	call_text_string(&text, head, n, is_text);
	return reads(expected);
}

static bool float_reads(double v, const char *expected)
{
	call_text_begin(&text);
	call_text_float(&text, v);
	return reads(expected);
}

START_TEST(test_strings_are_escaped_as_python_does)
{
	ck_assert(string_reads(bytes_of_text("a'\"\\\n\r\t\x7f"), 8, true, "\"a'\\\"\\\\\\n\\r\\t\\x7f\""));
	ck_assert(string_reads(bytes_of_text("\xc3\xa4"), 2, true, "\"\xc3\xa4\""));
	ck_assert(string_reads(bytes_of_text("\xc3\xa4"), 2, false, "b\"\\xc3\\xa4\""));
	ck_assert(string_reads(bytes_of_text("\xc3"), 1, true, "\"\\xc3\""));
	ck_assert(string_reads(bytes_of_text("\xed\xa0\x80!"), 4, true, "\"\\xed\\xa0\\x80!\"")); /* a surrogate */
	ck_assert(string_reads(bytes_of_text(""), 0, true, "\"\""));
}
END_TEST

START_TEST(test_what_is_not_there_is_marked)
{
	ck_assert(string_reads(bytes_of_text("ab"), 2, true, "\"ab\"") && !text.cut);
	ck_assert(string_reads(bytes_of_text("ab"), 3, true, "\"ab\xe2\x80\xa6\"") && text.cut);
}
END_TEST

START_TEST(test_a_string_of_four_kilobytes_is_whole_and_one_byte_more_is_not)
{
	static uint8_t many[CALL_STRING_MAX + 1];

	memset(many, 'x', sizeof(many));
	call_text_begin(&text);
	call_text_string(&text, bytes_of(many, CALL_STRING_MAX), CALL_STRING_MAX, true);
	ck_assert(!text.cut && text.n == CALL_STRING_MAX + 2);
	call_text_begin(&text);
	call_text_string(&text, bytes_of(many, sizeof(many)), sizeof(many), true);
	ck_assert(text.cut && text.n == CALL_STRING_MAX + 5);
}
END_TEST

/* Up to the last byte, then the mark, and nothing behind it; no character is torn. */
START_TEST(test_a_text_ends_with_the_mark_when_it_is_full)
{
	for (unsigned lead = 0; lead < 4; lead++) {
		call_text_begin(&text);
		for (unsigned i = 0; i < lead; i++)
			call_text_put(&text, ".");
		for (unsigned i = 0; i < CALL_TEXT_MAX; i++)
			call_text_name(&text, bytes_of_text("\xf0\x9f\x98\x80"));
		call_text_put(&text, "more");
		ck_assert(text.full && text.cut && text.n <= CALL_TEXT_MAX && text.n > CALL_TEXT_MAX - 8);
		ck_assert((text.n - lead - 3) % 4 == 0);
		ck_assert_mem_eq(text.at + text.n - 3, "\xe2\x80\xa6", 3);
	}
}
END_TEST

START_TEST(test_what_is_called_is_the_beginning)
{
	call_text_begin(&text);
	call_text_name(&text, bytes_of_text("os.system"));
	call_text_callee(&text);
	call_text_put(&text, "(");
	call_text_integer(&text, INT64_MIN);
	call_text_put(&text, ")");
	ck_assert(reads("os.system(-9223372036854775808)"));
	ck_assert_uint_eq(text.callee_n, 9);
}
END_TEST

START_TEST(test_floats_have_six_decimals)
{
	ck_assert(float_reads(0, "0.0"));
	ck_assert(float_reads(0.1, "0.1"));
	ck_assert(float_reads(-2.5, "-2.5"));
	ck_assert(float_reads(1e15, "1000000000000000.0"));
	ck_assert(float_reads(1e16, "1.0e16"));
	ck_assert(float_reads(1e-7, "1.0e-7"));
	ck_assert(float_reads(0.0001, "0.0001"));
	ck_assert(float_reads(1.0000001, "1.0"));
	ck_assert(float_reads((double)INFINITY, "inf"));
	ck_assert(float_reads((double)-INFINITY, "-inf"));
	ck_assert(float_reads((double)NAN, "nan"));
}
END_TEST

HARNESS("call_text", test_strings_are_escaped_as_python_does, test_what_is_not_there_is_marked,
    test_a_string_of_four_kilobytes_is_whole_and_one_byte_more_is_not, test_a_text_ends_with_the_mark_when_it_is_full,
    test_what_is_called_is_the_beginning, test_floats_have_six_decimals)
