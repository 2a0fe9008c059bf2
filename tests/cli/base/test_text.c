/* Text for terminals and people. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "harness.h"

static void is_safe(const char *text, const char *want)
{
	char *safe = text_safe(text);

	ck_assert_str_eq(safe, want);
	free(safe);
}

static void is_escaped(const char *text, const char *want)
{
	char *escaped = text_escaped(text);

	ck_assert_str_eq(escaped, want);
	free(escaped);
}

START_TEST(test_what_acts_on_a_terminal_is_shown)
{
	is_safe("plain \xC3\xA9", "plain \xC3\xA9");
	is_safe("\x1B[31m", "\\x1B[31m");
	is_safe("a\nb", "a\\x0Ab");
	is_safe("\xFF", "\\xFF");
	is_safe("", "");
}
END_TEST

START_TEST(test_a_backslash_is_doubled_where_it_must_be_told_from_ours)
{
	is_escaped("a\\x1B", "a\\\\x1B");
	is_safe("a\\x1B", "a\\x1B"); /* it was escaped before */
	is_safe("\\\\", "\\\\");
}
END_TEST

START_TEST(test_numbers_are_grouped_by_thousands)
{
	char buf[TEXT_GROUPED_MAX];

	ck_assert_str_eq(text_grouped(0, buf), "0");
	ck_assert_str_eq(text_grouped(999, buf), "999");
	ck_assert_str_eq(text_grouped(1000, buf), "1,000");
	ck_assert_str_eq(text_grouped(UINT64_MAX, buf), "18,446,744,073,709,551,615");
}
END_TEST

START_TEST(test_sizes_are_decimal)
{
	char buf[TEXT_SIZE_MAX];

	ck_assert_str_eq(text_size(0, buf), "0 bytes");
	ck_assert_str_eq(text_size(1, buf), "1 byte");
	ck_assert_str_eq(text_size(999, buf), "999 bytes");
	ck_assert_str_eq(text_size(1000, buf), "1 kB");
	ck_assert_str_eq(text_size(1230000, buf), "1.23 MB");
	ck_assert_str_eq(text_size(UINT64_MAX, buf), "18.4 EB");
}
END_TEST

START_TEST(test_the_option_for_colour_wins)
{
	enum color_when when;

	ck_assert(color_parse("always", &when) && when == COLOR_ALWAYS && color_wanted(when, stdout));
	ck_assert(color_parse("never", &when) && when == COLOR_NEVER && !color_wanted(when, stdout));
	ck_assert(color_parse("auto", &when) && when == COLOR_AUTO && !color_parse("Auto", &when));
	setenv("CLICOLOR_FORCE", "1", 1);
	ck_assert(color_wanted(COLOR_AUTO, stdout) && !color_wanted(COLOR_NEVER, stdout));
	setenv("NO_COLOR", "1", 1);
	ck_assert(!color_wanted(COLOR_AUTO, stdout) && color_wanted(COLOR_ALWAYS, stdout));
}
END_TEST

HARNESS("text", test_what_acts_on_a_terminal_is_shown, test_a_backslash_is_doubled_where_it_must_be_told_from_ours,
    test_numbers_are_grouped_by_thousands, test_sizes_are_decimal, test_the_option_for_colour_wins)
