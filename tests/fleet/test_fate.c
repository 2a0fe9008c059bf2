/* fleet/fate.c: what becomes of a job. */
#include "fate.h"
#include "harness.h"

static void becomes(enum fate_end end, unsigned attempts, unsigned faults, enum fate_do what, unsigned delay_s)
{
	const struct fate f = fate_of(end, attempts, faults, attempts + 1);

	ck_assert_msg(f.what == what && f.delay_s == delay_s, "end %d after %u: %d in %u s", (int)end, attempts,
	    (int)f.what, f.delay_s);
}

START_TEST(test_four_attempts_with_growing_delays)
{
	becomes(END_LATER, 0, 0, FATE_RETRY, 5);
	becomes(END_LATER, 1, 0, FATE_RETRY, 60);
	becomes(END_LATER, 2, 0, FATE_RETRY, 600);
	becomes(END_LATER, 3, 0, FATE_SET_ASIDE, 0);
}
END_TEST

START_TEST(test_a_file_that_kills_two_workers_is_a_persons)
{
	becomes(END_FAULT, 0, 1, FATE_RETRY, 5);
	becomes(END_FAULT, 1, 2, FATE_SET_ASIDE, 0);
	becomes(END_LATER, 1, 1, FATE_RETRY, 60);
}
END_TEST

START_TEST(test_what_will_not_change_is_not_tried_again)
{
	becomes(END_NEVER, 0, 0, FATE_SET_ASIDE, 0);
	becomes(END_REFUSED, 0, 0, FATE_SET_ASIDE, 0);
	becomes(END_JUDGED, 3, 1, FATE_DONE, 0);
	ck_assert(!fate_of(END_REFUSED, 0, 0, 1).alarm);
	ck_assert(fate_of(END_OTHER_BYTES, 0, 0, 1).alarm);
	becomes(END_OTHER_BYTES, 0, 0, FATE_SET_ASIDE, 0);
}
END_TEST

START_TEST(test_a_daemon_that_is_away_blames_no_file)
{
	becomes(END_UNASKED, 3, 1, FATE_GIVE_BACK, 5);
}
END_TEST

START_TEST(test_nothing_is_delivered_for_ever)
{
	ck_assert_int_eq(fate_of(END_LATER, 0, 0, FATE_DELIVERIES_MAX).what, FATE_SET_ASIDE);
	ck_assert_int_eq(fate_of(END_UNASKED, 0, 0, FATE_DELIVERIES_MAX).what, FATE_SET_ASIDE);
	ck_assert_int_eq(fate_of(END_JUDGED, 0, 0, FATE_DELIVERIES_MAX).what, FATE_DONE);
}
END_TEST

HARNESS("fleet_fate", test_four_attempts_with_growing_delays, test_a_file_that_kills_two_workers_is_a_persons,
    test_what_will_not_change_is_not_tried_again, test_a_daemon_that_is_away_blames_no_file,
    test_nothing_is_delivered_for_ever)
