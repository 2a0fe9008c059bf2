/* Text from files, manifest/escape.c. */
#include <string.h>

#include "harness.h"
#include "escape.h"

static void shows(const char *raw, size_t n, const char *want)
{
	char buf[512];

	ck_assert_str_eq(text_escape(bytes_of(raw, n), buf, sizeof(buf)), want);
}

#define SHOWS(raw, want) shows("" raw, sizeof(raw) - 1, want)

START_TEST(test_escape_leaves_printable_text_alone)
{
	SHOWS("", "");
	SHOWS("model.layers.0.weight", "model.layers.0.weight");
	SHOWS("gew\xC3\xB6hnlich \xE9\x87\x8D\xE3\x81\xBF \xF0\x9F\x98\x80",
	    "gew\xC3\xB6hnlich \xE9\x87\x8D\xE3\x81\xBF \xF0\x9F\x98\x80");
	SHOWS("~ \xC2\xA0", "~ \xC2\xA0"); /* the last before DEL, the first after C1 */
}
END_TEST

START_TEST(test_escape_shows_controls_as_bytes)
{
	SHOWS("\x1b[2J", "\\x1B[2J");
	SHOWS("a\0b", "a\\x00b");
	SHOWS("\n\t\r", "\\x0A\\x09\\x0D");
	SHOWS("\x1f\x7f", "\\x1F\\x7F");
	SHOWS("\xC2\x80\xC2\x9B\xC2\x9F", "\\xC2\\x80\\xC2\\x9B\\xC2\\x9F"); /* C1: CSI without ESC */
}
END_TEST

START_TEST(test_escape_shows_bidi_and_invisible_characters_as_bytes)
{
	SHOWS("\xE2\x80\xAE", "\\xE2\\x80\\xAE");                      /* U+202E override */
	SHOWS("\xE2\x81\xA6", "\\xE2\\x81\\xA6");                      /* U+2066 isolate */
	SHOWS("\xE2\x80\x8B", "\\xE2\\x80\\x8B");                      /* U+200B zero width space */
	SHOWS("\xE2\x80\xA8", "\\xE2\\x80\\xA8");                      /* U+2028 line separator */
	SHOWS("\xEF\xBB\xBF", "\\xEF\\xBB\\xBF");                      /* U+FEFF */
	SHOWS("\xC2\xAD", "\\xC2\\xAD");                               /* U+00AD soft hyphen */
	SHOWS("\xF3\xA0\x81\x81", "\\xF3\\xA0\\x81\\x81");             /* U+E0041 tag */
	SHOWS("\xEF\xB7\x90", "\\xEF\\xB7\\x90");                      /* U+FDD0 noncharacter */
	SHOWS("\xF4\x8F\xBF\xBF", "\\xF4\\x8F\\xBF\\xBF");             /* U+10FFFF */
	SHOWS("\xE2\x80\x90\xE2\x80\xA7", "\xE2\x80\x90\xE2\x80\xA7"); /* U+2010 and U+2027 are visible */
}
END_TEST

START_TEST(test_escape_shows_invalid_utf8_byte_by_byte)
{
	SHOWS("\xFF", "\\xFF");
	SHOWS("\x80", "\\x80");
	SHOWS("\xC3", "\\xC3");                            /* cut */
	SHOWS("\xC3(", "\\xC3(");                          /* the byte after it is kept */
	SHOWS("\xC0\xAF", "\\xC0\\xAF");                   /* overlong slash */
	SHOWS("\xE0\x80\xAF", "\\xE0\\x80\\xAF");          /* overlong */
	SHOWS("\xED\xA0\x80", "\\xED\\xA0\\x80");          /* surrogate */
	SHOWS("\xED\x9F\xBF", "\xED\x9F\xBF");             /* the last before them */
	SHOWS("\xF4\x90\x80\x80", "\\xF4\\x90\\x80\\x80"); /* above U+10FFFF */
	SHOWS("\xF8\x88\x80\x80\x80", "\\xF8\\x88\\x80\\x80\\x80");
}
END_TEST

START_TEST(test_escape_doubles_the_backslash)
{
	SHOWS("a\\x1Bb", "a\\\\x1Bb"); /* so that nobody can fake an escape */
}
END_TEST

static void cuts(const char *raw, size_t n, const char *want)
{
	char buf[64];

	memset(buf, '#', sizeof(buf));
	ck_assert_str_eq(text_escape(bytes_of_text(raw), buf, n), want);
	ck_assert_int_eq(buf[n], '#');
}

START_TEST(test_escape_cuts_at_whole_units)
{
	cuts("abcdefgh", 9, "abcdefgh"); /* fits to the byte */
	cuts("abcdefghi", 9, "abcde...");
	cuts("abcd\xC3\xA9xyz", 9, "abcd..."); /* the two bytes of one character stay together */
	cuts("a\x1bxxxx", 9, "a\\x1B...");
	cuts("abc\x1bxx", 9, "abc...");
	cuts("\xE2\x80\xAE", 13, "\\xE2\\x80\\xAE");
	cuts("\xE2\x80\xAE", 12, "...");
	cuts("\\\\\\\\\\", 9, "\\\\\\\\...");
}
END_TEST

START_TEST(test_escape_survives_buffers_too_small_for_the_mark)
{
	cuts("abc", 4, "abc");
	cuts("abcd", 4, "...");
	cuts("abcd", 3, "..");
	cuts("abcd", 2, ".");
	cuts("abcd", 1, "");
	cuts("", 1, "");
}
END_TEST

START_TEST(test_plain_is_what_escape_would_not_change)
{
	ck_assert(text_is_plain(bytes_of_text("a b\\c")));
	ck_assert(!text_is_plain(bytes_of_text("a\tb")));
	ck_assert(!text_is_plain(bytes_of_text("a\xE2\x80\xAE")));
	ck_assert(!text_is_plain(bytes_of("a\0", 2)));
	ck_assert(!text_is_plain(bytes_of_text("\xFF")));
}
END_TEST

HARNESS("policy_escape", test_escape_leaves_printable_text_alone, test_escape_shows_controls_as_bytes,
    test_escape_shows_bidi_and_invisible_characters_as_bytes, test_escape_shows_invalid_utf8_byte_by_byte,
    test_escape_doubles_the_backslash, test_escape_cuts_at_whole_units,
    test_escape_survives_buffers_too_small_for_the_mark, test_plain_is_what_escape_would_not_change)
