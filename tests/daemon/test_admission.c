/* Who comes in: users who connect and ask for nothing run out, who asks does not; and places that run short. */
#include "admission.h"
#include "harness.h"

#define MOST 100u

static struct admission a;

/* How many of so many come in now. */
static unsigned knock(uid_t uid, unsigned n, uint64_t now_ms)
{
	unsigned in = 0;

	for (unsigned i = 0; i < n; i++)
		in += admission_knock(&a, uid, MOST, now_ms);
	return in;
}

START_TEST(test_who_asks_for_nothing_runs_out)
{
	ck_assert_uint_eq(knock(1, MOST, 5), MOST);
	ck_assert_uint_eq(knock(1, 1000000, 5), 0);
	ck_assert_uint_eq(knock(2, MOST, 5), MOST); /* which is nobody else's harm */
}
END_TEST

START_TEST(test_few_may_come_though_a_user_may_have_next_to_none)
{
	unsigned in = 0;

	for (unsigned i = 0; i < 2 * ADMISSION_KNOCKS_MIN; i++)
		in += admission_knock(&a, 1, 1, 5);
	ck_assert_uint_eq(in, ADMISSION_KNOCKS_MIN);
}
END_TEST

START_TEST(test_one_is_forgotten_after_the_other)
{
	ck_assert_uint_eq(knock(1, MOST, 5), MOST);
	ck_assert_uint_eq(knock(1, 9, 5 + ADMISSION_KNOCK_MS - 1), 0);
	ck_assert_uint_eq(knock(1, 9, 5 + ADMISSION_KNOCK_MS), 1);
	ck_assert_uint_eq(knock(1, 99, 5 + 4 * ADMISSION_KNOCK_MS), 3);
	ck_assert_uint_eq(knock(1, 1000, 5 + 1000 * ADMISSION_KNOCK_MS), MOST); /* and no more is saved up */
}
END_TEST

START_TEST(test_who_asks_may_come_as_often_as_he_likes)
{
	for (unsigned i = 0; i < 1000000; i++) {
		ck_assert_uint_eq(knock(1, 1, 5), 1);
		admission_asked(&a, 1);
	}
	for (unsigned i = 0; i < 1000; i++) /* nor is that saved up */
		admission_asked(&a, 1);
	ck_assert_uint_eq(knock(1, 1000, 5), MOST);
}
END_TEST

START_TEST(test_a_user_may_have_all_places_but_the_last_part)
{
	ck_assert(admission_place(479, 33, 512));
	ck_assert(!admission_place(480, 32, 512));
	ck_assert(admission_place(4, 32, 512) && !admission_place(5, 32, 512));
	ck_assert(admission_place(0, 1, 512) && !admission_place(1, 1, 512));
	ck_assert(!admission_place(0, 0, 512));
	ck_assert(admission_place(7, 1, 8)); /* too few to keep any */
}
END_TEST

/* Users come one after the other, and each takes all that it may. */
START_TEST(test_many_greedy_users_leave_a_place_for_another)
{
	unsigned left = 512, users = 0;

	while (left > 0 && users < 32) {
		unsigned held = 0;

		while (held < 256 && admission_place(held, left, 512)) {
			held++;
			left--;
		}
		ck_assert_uint_gt(held, 0);
		users++;
	}
	ck_assert_uint_ge(users, 15);
}
END_TEST

HARNESS("admission", test_who_asks_for_nothing_runs_out, test_few_may_come_though_a_user_may_have_next_to_none,
    test_one_is_forgotten_after_the_other, test_who_asks_may_come_as_often_as_he_likes,
    test_a_user_may_have_all_places_but_the_last_part, test_many_greedy_users_leave_a_place_for_another)
