/* Days of the calendar, policy/days.c. */
#include "harness.h"
#include "policy_impl.h"

static int64_t day(const char *text)
{
	int64_t ret = -1;

	ck_assert_msg(day_parse(text, &ret), "%s", text);
	return ret;
}

static void refused(const char *text)
{
	int64_t ret = -1;

	ck_assert_msg(!day_parse(text, &ret), "%s", text);
	ck_assert_int_eq(ret, -1);
}

START_TEST(test_day_parse_counts_from_1970)
{
	ck_assert_int_eq(day("1970-01-01"), 0);
	ck_assert_int_eq(day("1970-01-31"), 30);
	ck_assert_int_eq(day("1971-01-01"), 365);
	ck_assert_int_eq(day("2000-03-01"), 11017);
	ck_assert_int_eq(day("2026-11-21"), 20778);
	ck_assert_int_eq(day("9999-12-31"), 2932896);
}
END_TEST

START_TEST(test_day_parse_knows_leap_years)
{
	ck_assert_int_eq(day("2024-02-29") + 1, day("2024-03-01"));
	ck_assert_int_eq(day("2000-02-29") + 1, day("2000-03-01"));
	refused("2023-02-29");
	refused("2100-02-29");
}
END_TEST

START_TEST(test_day_parse_refuses_what_is_no_day)
{
	static const char *const bad[] = { "", "2026", "2026-1-1", "2026-00-10", "2026-13-10", "2026-04-31",
		"2026-04-00", "2026-04-30 ", " 2026-04-30", "2026/04/30", "26-04-30", "1969-12-31", "2026-04-3x",
		"2026-04-30T00:00:00Z", "-026-04-30", "2026-0" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refused(bad[i]);
}
END_TEST

START_TEST(test_day_of_time_changes_at_midnight_utc)
{
	ck_assert_int_eq(day_of_time(0), 0);
	ck_assert_int_eq(day_of_time(86399), 0);
	ck_assert_int_eq(day_of_time(86400), 1);
	ck_assert_int_eq(day_of_time(-1), -1);
	ck_assert_int_eq(day_of_time(-86400), -1);
	ck_assert_int_eq(day_of_time(-86401), -2);
}
END_TEST

HARNESS("policy_days", test_day_parse_counts_from_1970, test_day_parse_knows_leap_years,
    test_day_parse_refuses_what_is_no_day, test_day_of_time_changes_at_midnight_utc)
