#include "harness.h"
#include "token_id.h"

static bool sound(const char *digits, bool negative_too)
{
	return tokenizer_id_is_sound(bytes_of_text(digits), negative_too);
}

START_TEST(test_whole_numbers_up_to_the_largest)
{
	const char *const yes[] = { "0", "7", "151643", "2147483646" };
	const char *const no[] = { "2147483647", "1099511627776", "99999999999999999999999999", "-1", "1.5", "1e3", "",
		"-", "x" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		ck_assert_msg(sound(yes[i], false) && sound(yes[i], true), "%s", yes[i]);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		ck_assert_msg(!sound(no[i], false), "%s", no[i]);
}
END_TEST

START_TEST(test_negative_ones_where_they_mean_none)
{
	ck_assert(sound("-1", true));
	ck_assert(sound("-100", true));
	ck_assert(!sound("-", true));
	ck_assert(!sound("-1.5", true));
	ck_assert(!sound("--1", true));
	ck_assert(!sound("-2147483648", true));
}
END_TEST

HARNESS("tokenizer_id", test_whole_numbers_up_to_the_largest, test_negative_ones_where_they_mean_none)
