#include <stdio.h>

#include "harness.h"
#include "text_rules.h"

/* The text as json_read_string() hands it over. */
static struct text_faults inspect(const char *quoted)
{
	const uint8_t *at = (const uint8_t *)quoted;
	struct json j = { .base = at, .p = at, .end = at + strlen(quoted) };
	struct json_text t;

	ck_assert_msg(json_read_string(&j, &t), "%s", quoted);
	return text_inspect(&t);
}

static struct text_faults inspect_char(uint32_t c)
{
	char text[32];

	if (c < 0x10000)
		snprintf(text, sizeof(text), "\"a\\u%04xb\"", c);
	else
		snprintf(text, sizeof(text), "\"a\\u%04x\\u%04xb\"", 0xD7C0 + (c >> 10), 0xDC00 + (c & 0x3FF));
	return inspect(text);
}

START_TEST(test_controls_are_c0_del_and_c1)
{
	const uint32_t yes[] = { 0, 1, 9, 0x1B, 0x1F, 0x7F, 0x80, 0x85, 0x9B, 0x9F }, no[] = { 0x20, 0x7E, 0xA0 };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		ck_assert_msg(inspect_char(yes[i]).control, "%x", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		ck_assert_msg(!inspect_char(no[i]).control, "%x", no[i]);
}
END_TEST

START_TEST(test_text_may_have_line_breaks_and_tabs)
{
	const uint32_t fine[] = { '\t', '\n', '\r' }, not [] = { 0, 8, 0x0B, 0x0C, 0x1B, 0x7F, 0x85, 0x9B };

	for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++)
		ck_assert_msg(!inspect_char(fine[i]).text_control, "%x", fine[i]);
	for (size_t i = 0; i < sizeof(not ) / sizeof(not [0]); i++)
		ck_assert_msg(inspect_char(not [i]).text_control, "%x", not [i]);
}
END_TEST

START_TEST(test_invisible_characters_and_their_neighbours)
{
	const uint32_t yes[] = { 0xAD, 0x61C, 0x180E, 0x200B, 0x200F, 0x2028, 0x202E, 0x2060, 0x2066, 0x206F, 0xFDD0,
		0xFDEF, 0xFEFF, 0xFFF0, 0xFFFB, 0xFFFE, 0xFFFF, 0x1FFFE, 0x10FFFF, 0xE0000, 0xE0041, 0xE007F, 0x34F,
		0x115F, 0x1160, 0x17B4, 0x17B5, 0x3164, 0xFFA0, 0x1BCA0, 0x1BCA3, 0x1D173, 0x1D17A, 0xE0100, 0xE0FFF };
	const uint32_t no[] = { 0xAC, 0xAE, 0x61B, 0x180D, 0x180F, 0x200A, 0x2010, 0x2027, 0x202F, 0x205F, 0x2070,
		0xFDCF, 0xFDF0, 0xFEFE, 0xFF00, 0xFFEF, 0xFFFC, 0xFFFD, 0x10000, 0x1F600, 0xDFFFD, 0xE1000, 0x4E2D,
		0x34E, 0x350, 0x115E, 0x1161, 0x17B3, 0x17B6, 0x3163, 0x3165, 0xFF9F, 0xFFA1, 0x1BC9F, 0x1BCA4, 0x1D172,
		0x1D17B };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		ck_assert_msg(inspect_char(yes[i]).invisible, "%x", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		ck_assert_msg(!inspect_char(no[i]).invisible, "%x", no[i]);
}
END_TEST

START_TEST(test_variation_selector_needs_something_to_vary)
{
	/* heart, keycap, ideograph */
	const char *const no[] = { "\"\xE2\x9D\xA4\xEF\xB8\x8F\"", "\"1\xEF\xB8\x8F\xE2\x83\xA3\"",
		"\"\xE8\xBE\xBB\xEF\xB8\x80\"" };
	const char *const yes[] = { "\"\xEF\xB8\x8F\"", "\"w\xEF\xB8\x80\"", "\"w\\ufe0f\"", "\"/\xEF\xB8\x8F\"",
		"\"\xE2\x9D\xA4\xEF\xB8\x8F\xEF\xB8\x8E\"" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		ck_assert_msg(inspect(yes[i]).invisible, "%s", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		ck_assert_msg(!inspect(no[i]).invisible, "%s", no[i]);
}
END_TEST

START_TEST(test_direction_is_overrides_and_isolates_alone)
{
	const uint32_t yes[] = { 0x202A, 0x202E, 0x2066, 0x2069 },
		       no[] = { 0x200E, 0x200F, 0x61C, 0x2029, 0x202F, 0x2065, 0x206A };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		ck_assert_msg(inspect_char(yes[i]).direction, "%x", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		ck_assert_msg(!inspect_char(no[i]).direction, "%x", no[i]);
}
END_TEST

START_TEST(test_only_a_whole_component_of_two_dots_climbs)
{
	const char *const yes[] = { "\"..\"", "\"../a\"", "\"a/..\"", "\"a/../b\"", "\"..\\\\a\"", "\"a\\\\..\\\\b\"",
		"\"/..\"", "\"\\u002e.\"", "\"a\\u002f../b\"", "\"../\"", "\"\xC3\xA9/..\"" };
	const char *const no[] = { "\"\"", "\".\"", "\"...\"", "\"a..b\"", "\"a/..b\"", "\"a../b\"", "\"a/.../b\"",
		"\"/a\"", "\"./a\"", "\"a/./b\"", "\"a\xC3\xA9..\"", "\"..\xC3\xA9\"", "\"\\n..\"" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		ck_assert_msg(inspect(yes[i]).climbs, "%s", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		ck_assert_msg(!inspect(no[i]).climbs, "%s", no[i]);
}
END_TEST

START_TEST(test_length_is_of_the_decoded_text)
{
	ck_assert_uint_eq(inspect("\"\"").length, 0);
	ck_assert_uint_eq(inspect("\"abc\"").length, 3);
	ck_assert_uint_eq(inspect("\"\\u0061\\u00e9\\u20ac\\ud83d\\ude00\\n\"").length, 1 + 2 + 3 + 4 + 1);
}
END_TEST

HARNESS("text_rules", test_controls_are_c0_del_and_c1, test_text_may_have_line_breaks_and_tabs,
    test_invisible_characters_and_their_neighbours, test_variation_selector_needs_something_to_vary,
    test_direction_is_overrides_and_isolates_alone, test_only_a_whole_component_of_two_dots_climbs,
    test_length_is_of_the_decoded_text)
