/* Arguments that are text: numbers as the readers take them, escapes, UTF-8, names.  The differential test compares with
 * CPython; here stand the values. */
#include "walk.h"

#include "machine.h"

static struct bytes b(const char *text)
{
	return bytes_of_text(text);
}

START_TEST(test_ints_as_picklers_write_them)
{
	static const char *const plain[] = { "0", "7", "-7", "123456789", "-9223372036854775808",
		"9223372036854775807" };

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		struct number n = number_int(b(plain[i]));

		ck_assert(n.form == NUMBER_PLAIN && n.fits);
		ck_assert_int_eq(n.value, strtoll(plain[i], NULL, 10));
		ck_assert_int_eq(number_long(b(plain[i])).form, NUMBER_PLAIN);
	}
	ck_assert(!number_int(b("9223372036854775808")).fits && !number_int(b("-9223372036854775809")).fits);
	ck_assert_int_eq(number_long(b("12L")).value, 12);
	ck_assert_int_eq(number_int(b("12L")).form, NUMBER_BAD);
}
END_TEST

START_TEST(test_ints_that_only_some_readers_take)
{
	static const char *const odd[] = { "+1", " 1", "1 ", "1_0", "0x1f", "0X_1f", "0o17", "0b101", "-0", "010", "00",
		"0_0" };
	static const char *const bad[] = { "", " ", "-", "x", "1x", "08", "1__0", "_1", "1_", "0x", "0b2", "--1", "1.0",
		"0x1_" };

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		ck_assert_msg(number_int(b(odd[i])).form == (strcmp(odd[i], "-0") == 0 ? NUMBER_PLAIN : NUMBER_ODD),
		    "%s", odd[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(number_int(b(bad[i])).form == NUMBER_BAD, "%s", bad[i]);
	ck_assert_int_eq(number_int(bytes_of("5\0x", 3)).form, NUMBER_ODD);
	ck_assert_int_eq(number_int(bytes_of("\0x", 2)).form, NUMBER_ODD);
	ck_assert_int_eq(number_long(bytes_of("\0x", 2)).form, NUMBER_BAD);
	ck_assert_int_eq(number_long(b("010")).form, NUMBER_BAD);
}
END_TEST

START_TEST(test_indexes_have_one_value)
{
	ck_assert_int_eq(number_index(b("007")).value, 7);
	ck_assert_int_eq(number_index(b("007")).form, NUMBER_ODD);
	ck_assert_int_eq(number_index(b(" 1_0 ")).value, 10);
	ck_assert_int_eq(number_index(b("-3")).value, -3);
	ck_assert_int_eq(number_index(b("0x1")).form, NUMBER_BAD);
	ck_assert(!number_index(b("99999999999999999999")).fits);
}
END_TEST

START_TEST(test_floats)
{
	static const char *const plain[] = { "0.0", "1", "-1.5", "1e-05", "1.5e+300", "nan", "inf", "-inf" };
	static const char *const odd[] = { " 1.5", "+1.5", ".5", "5.", "1_0.5", "Infinity", "NAN", "+inf" };
	static const char *const bad[] = { "", "x", "1.5.2", "e5", "0x1p3", "1e", "1_.0", "--1", "infin", "1e5e" };
	bool nonfinite;

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		ck_assert_msg(
		    number_float(b(plain[i]), &nonfinite) == NUMBER_PLAIN && nonfinite == (i >= 5), "%s", plain[i]);
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		ck_assert_msg(number_float(b(odd[i]), &nonfinite) == NUMBER_ODD && nonfinite == (i >= 5), "%s", odd[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(number_float(b(bad[i]), &nonfinite) == NUMBER_BAD, "%s", bad[i]);
	ck_assert(number_float(b("1e308"), &nonfinite) == NUMBER_PLAIN && !nonfinite);
	ck_assert(number_float(b("1e309"), &nonfinite) == NUMBER_ODD && nonfinite);
}
END_TEST

static bool noted(const void *bytes, size_t n, enum pickle_note note)
{
	static struct walk w;
	bool found;

	w = (struct walk){ 0 };
	walk_bytes(&w, bytes, n);
	ck_assert_int_eq(w.end, PICKLE_STOPPED);
	found = walk_noted(&w, note);
	walk_done(&w);
	return found;
}
#define NOTED(literal, note) noted(literal, sizeof(literal) - 1, note)

START_TEST(test_what_only_some_readers_take_is_noted)
{
	ck_assert(NOTED("I1_0\n.", PICKLE_NOTE_NUMBER_TEXT) && !NOTED("I10\n.", PICKLE_NOTE_NUMBER_TEXT));
	ck_assert(NOTED("L0x1L\n.", PICKLE_NOTE_NUMBER_TEXT) && !NOTED("L1L\n.", PICKLE_NOTE_NUMBER_TEXT));
	ck_assert(NOTED("F 1\n.", PICKLE_NOTE_NUMBER_TEXT) && !NOTED("F1.0\n.", PICKLE_NOTE_NUMBER_TEXT));
	ck_assert(NOTED("Np01\n.", PICKLE_NOTE_NUMBER_TEXT) && !NOTED("Np1\n.", PICKLE_NOTE_NUMBER_TEXT));
	ck_assert(
	    NOTED("S'\xe9'\n.", PICKLE_NOTE_NONASCII_STRING) && !NOTED("S'\\xe9'\n.", PICKLE_NOTE_NONASCII_STRING));
	ck_assert(
	    NOTED("c\xc3\xa9\nx\n.", PICKLE_NOTE_NONASCII_STRING) && !NOTED("ce\nx\n.", PICKLE_NOTE_NONASCII_STRING));
	ck_assert(NOTED("Fnan\n.", PICKLE_NOTE_FLOAT_NONFINITE) && !NOTED("F1.0\n.", PICKLE_NOTE_FLOAT_NONFINITE));
	ck_assert(NOTED("G\x7f\xf0\0\0\0\0\0\0.", PICKLE_NOTE_FLOAT_NONFINITE));
	ck_assert(!NOTED("G\x7f\xef\xff\xff\xff\xff\xff\xff.", PICKLE_NOTE_FLOAT_NONFINITE));
}
END_TEST

START_TEST(test_4300_digits_and_one_more)
{
	static uint8_t line[1 + 4301 + 2];

	for (size_t n = 4300; n <= 4301; n++) {
		memset(line, '1', sizeof(line));
		line[0] = 'I';
		line[1 + n] = '\n';
		line[2 + n] = '.';
		ck_assert(noted(line, n + 3, PICKLE_NOTE_INT_DIGITS) == (n == 4301));
	}
}
END_TEST

START_TEST(test_a_line_of_a_megabyte_of_digits)
{
	static uint8_t line[(1 << 20) + 3];

	memset(line, '1', sizeof(line));
	line[0] = 'L';
	line[sizeof(line) - 2] = '\n';
	line[sizeof(line) - 1] = '.';
	ck_assert(noted(line, sizeof(line), PICKLE_NOTE_INT_DIGITS));
}
END_TEST

static void check_text(const char *bytes, size_t n, const void *expected, size_t expected_n)
{
	static struct walk w;
	struct bytes found;

	w = (struct walk){ 0 };
	walk_bytes(&w, bytes, n);
	if (expected == NULL) {
		ck_assert_int_eq(w.end, PICKLE_ARGUMENT);
	} else {
		ck_assert_int_eq(w.end, PICKLE_STOPPED);
		ck_assert(pickle_text(w.p, walk_result(&w), &found));
		ck_assert(bytes_equal(found, bytes_of(expected, expected_n)));
	}
	walk_done(&w);
}
#define TEXT(literal, expected) check_text(literal, sizeof(literal) - 1, expected, sizeof(expected) - 1)
#define NO_TEXT(literal) check_text(literal, sizeof(literal) - 1, NULL, 0)

START_TEST(test_string_escapes)
{
	TEXT("S''\n.", "");
	TEXT("S\"os\"\n.", "os");
	TEXT("S'\\x6f\\163'\n.", "os");
	TEXT("S'\\0\\7z\\1011'\n.", "\0\7zA1");
	TEXT("S'\\a\\b\\f\\n\\r\\t\\v\\\\\\'\\\"'\n.", "\a\b\f\n\r\t\v\\'\"");
	TEXT("S'\\q\\u0041'\n.", "\\q\\u0041");
	TEXT("S'it's'\n.", "it's");
	NO_TEXT("S'\n.");
	NO_TEXT("S\n.");
	NO_TEXT("Sa\n.");
	NO_TEXT("S'a\"\n.");
	NO_TEXT("S'a'\r\n.");
	NO_TEXT("S'\\x4'\n.");
	NO_TEXT("S'\\x4g'\n.");
	NO_TEXT("S'\\'\n.");
}
END_TEST

START_TEST(test_unicode_escapes)
{
	TEXT("V\n.", "");
	TEXT("Vos\n.", "os");
	TEXT("V\\u006f\\u0073\n.", "os");
	TEXT("V\\U0001f600\n.", "\xf0\x9f\x98\x80");
	TEXT("V\\ud800\n.", "\xed\xa0\x80");
	TEXT("V\xe9\n.", "\xc3\xa9");
	TEXT("V\\\\u0041\n.", "\\\\u0041");
	TEXT("V\\q\\\n.", "\\q\\");
	NO_TEXT("V\\u12\n.");
	NO_TEXT("V\\u12g4\n.");
	NO_TEXT("V\\U00110000\n.");
}
END_TEST

START_TEST(test_utf8_with_surrogates)
{
	TEXT("\x8c\x03\xed\xa0\x80.", "\xed\xa0\x80");
	TEXT("\x8c\x04\xf4\x8f\xbf\xbf.", "\xf4\x8f\xbf\xbf");
	NO_TEXT("\x8c\x04\xf4\x90\x80\x80.");
	NO_TEXT("\x8c\x02\xc0\x80.");
	NO_TEXT("\x8c\x02\xc1\xbf.");
	NO_TEXT("\x8c\x03\xe0\x9f\xbf.");
	NO_TEXT("\x8c\x04\xf0\x8f\xbf\xbf.");
	NO_TEXT("\x8c\x01\xc3.");
	NO_TEXT("\x8c\x01\x80.");
	NO_TEXT("\x8c\x04\xf5\x80\x80\x80.");
	TEXT("U\x01\xff.", "\xff"); /* which encoding it has is the reader's choice */
}
END_TEST

START_TEST(test_names_keep_their_carriage_return)
{
	struct walk w = { 0 };
	struct bytes module, name;

	WALK(&w, "cos\r\nsystem\n.");
	ck_assert(pickle_global(w.p, w.events[0].target, &module, &name));
	ck_assert(bytes_equal(module, b("os\r")) && bytes_equal(name, b("system")));
	walk_done(&w);
}
END_TEST

START_TEST(test_python_2_names_are_mapped)
{
	struct walk w = { 0 };
	struct bytes module, name;

	WALK(&w, "c__builtin__\neval\nccopy_reg\n_reconstructor\ncexceptions\nEnvironmentError\n.");
	ck_assert(pickle_global(w.p, w.events[0].target, &module, &name) && bytes_equal(module, b("__builtin__")));
	ck_assert(pickle_global_mapped(w.p, w.events[0].target, &module, &name));
	ck_assert(bytes_equal(module, b("builtins")) && bytes_equal(name, b("eval")));
	ck_assert(pickle_global_mapped(w.p, w.events[1].target, &module, &name) && bytes_equal(module, b("copyreg")));
	ck_assert(pickle_global_mapped(w.p, w.events[2].target, &module, &name) && bytes_equal(module, b("builtins")));
	walk_done(&w);
}
END_TEST

HARNESS("pickle-texts", test_ints_as_picklers_write_them, test_ints_that_only_some_readers_take,
    test_indexes_have_one_value, test_floats, test_what_only_some_readers_take_is_noted, test_4300_digits_and_one_more,
    test_a_line_of_a_megabyte_of_digits, test_string_escapes, test_unicode_escapes, test_utf8_with_surrogates,
    test_names_keep_their_carriage_return, test_python_2_names_are_mapped)
