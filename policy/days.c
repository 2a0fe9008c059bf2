/* Days of the civil calendar (proleptic Gregorian, UTC): all that expiry dates need.  Not mktime(3): it
 * depends on the time zone and accepts the 31st of February. */
#include "policy_impl.h"

#define DAY_SECONDS 86400

static bool is_leap(int year)
{
	return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int days_in_month(int year, int month)
{
	static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

	return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

static bool digits(const char *text, int n, int *ret)
{
	int value = 0;

	for (int i = 0; i < n; i++) {
		if (text[i] < '0' || text[i] > '9')
			return false;
		value = value * 10 + (text[i] - '0');
	}
	*ret = value;
	return true;
}

bool day_parse(const char *text, int64_t *ret)
{
	int year, month, day;
	int64_t days = 0;

	if (!digits(text, 4, &year) || text[4] != '-' || !digits(text + 5, 2, &month) || text[7] != '-' ||
	    !digits(text + 8, 2, &day) || text[10] != '\0')
		return false;
	if (year < 1970 || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month))
		return false;
	for (int y = 1970; y < year; y++)
		days += is_leap(y) ? 366 : 365;
	for (int m = 1; m < month; m++)
		days += days_in_month(year, m);
	*ret = days + day - 1;
	return true;
}

int64_t day_of_time(int64_t unix_s)
{
	int64_t day = unix_s / DAY_SECONDS;

	return unix_s % DAY_SECONDS < 0 ? day - 1 : day;
}
