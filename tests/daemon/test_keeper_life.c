/* The life of a keeper: every event in every phase, and stories with a clock that only the test moves. */
#include <stdbool.h>
#include <string.h>

#include "harness.h"
#include "keeper_life.h"

static bool has_process(int phase)
{
	return phase != LIFE_NONE && phase != LIFE_RESTING;
}

START_TEST(test_each_event_is_answered_in_each_phase)
{
	for (int phase = 0; phase < LIFE_N_PHASES; phase++) {
		for (int event = 0; event < LIFE_N_EVENTS; event++) {
			struct life_step s = life_step((enum life_phase)phase, (enum life_event)event);
			bool written = s.actions != 0 || s.next != LIFE_NONE || phase == LIFE_NONE ||
				       (phase == LIFE_RESTING && event == LIFE_TIMEOUT);

			ck_assert_msg(written, "phase %d, event %d", phase, event);
			ck_assert_int_lt(s.next, LIFE_N_PHASES);
		}
	}
}
END_TEST

START_TEST(test_a_process_is_started_where_there_is_none_and_forgotten_where_it_goes)
{
	for (int phase = 0; phase < LIFE_N_PHASES; phase++) {
		for (int event = 0; event < LIFE_N_EVENTS; event++) {
			struct life_step s = life_step((enum life_phase)phase, (enum life_event)event);
			bool begins = !has_process(phase) && has_process((int)s.next);
			bool ends = has_process(phase) && !has_process((int)s.next);

			ck_assert_msg(begins == !!(s.actions & LIFE_START), "phase %d, event %d", phase, event);
			ck_assert_msg(ends == !!(s.actions & LIFE_FORGET), "phase %d, event %d", phase, event);
		}
	}
}
END_TEST

/* Its word alone does not make it keep: the one before may still be writing. */
START_TEST(test_it_keeps_only_after_its_turn)
{
	for (int phase = 0; phase < LIFE_N_PHASES; phase++) {
		for (int event = 0; event < LIFE_N_EVENTS; event++) {
			struct life_step s = life_step((enum life_phase)phase, (enum life_event)event);

			if (s.next == LIFE_KEEPING && phase != LIFE_KEEPING)
				ck_assert(phase == LIFE_OPENING && event == LIFE_SAYS_READY);
			if (s.next == LIFE_OPENING && phase != LIFE_OPENING)
				ck_assert(phase == LIFE_PROVEN && (s.actions & LIFE_TELL_TURN));
		}
	}
}
END_TEST

static struct life life;

static unsigned on(enum life_event e, uint64_t now_ms)
{
	return life_on(&life, e, now_ms);
}

static void keep(uint64_t now_ms)
{
	memset(&life, 0, sizeof(life));
	ck_assert_uint_eq(on(LIFE_WANTED, now_ms), LIFE_START);
	on(LIFE_SAYS_PROVEN, now_ms);
	ck_assert_uint_eq(on(LIFE_TURN, now_ms), LIFE_TELL_TURN);
	on(LIFE_SAYS_READY, now_ms);
	ck_assert_int_eq(life.phase, LIFE_KEEPING);
	ck_assert_uint_eq(life.until_ms, LIFE_NEVER_MS);
}

START_TEST(test_one_that_is_told_to_end_gets_its_time_and_is_killed_then)
{
	uint64_t until;

	keep(0);
	ck_assert_uint_eq(on(LIFE_UNFIT, 1000), LIFE_TELL_END);
	ck_assert_uint_eq(on(LIFE_WANTED, 1001), 0); /* too late */
	until = life.until_ms;
	ck_assert_uint_eq(on(LIFE_TIMEOUT, until), LIFE_KILL);
	ck_assert_uint_eq(on(LIFE_TIMEOUT, life.until_ms), LIFE_FORGET | LIFE_SAY_STUCK);
}
END_TEST

START_TEST(test_one_that_worked_for_long_is_followed_at_once_and_one_that_did_not_later)
{
	keep(0);
	on(LIFE_DIED, 100000);
	ck_assert_uint_le(life.until_ms, 100000);
	keep(0);
	on(LIFE_DIED, 10);
	ck_assert_uint_eq(life.until_ms, LIFE_RETRY_MS);
}
END_TEST

START_TEST(test_starts_that_come_to_nothing_become_rarer_up_to_a_bound)
{
	uint64_t before = 0, now = 0;

	memset(&life, 0, sizeof(life));
	for (unsigned i = 0; i < 20; i++) {
		ck_assert_uint_eq(on(LIFE_WANTED, now), LIFE_START);
		ck_assert_uint_eq(on(LIFE_DIED, now), LIFE_FAILED | LIFE_FORGET);
		ck_assert_uint_ge(life.until_ms - now, before);
		ck_assert_uint_le(life.until_ms - now, LIFE_RETRY_MAX_MS);
		before = life.until_ms - now;
		now = life.until_ms;
		on(LIFE_TIMEOUT, now);
	}
	ck_assert_uint_eq(before, LIFE_RETRY_MAX_MS);
	ck_assert_uint_eq(life.failures, 20);
}
END_TEST

START_TEST(test_one_that_says_nothing_is_killed)
{
	memset(&life, 0, sizeof(life));
	on(LIFE_WANTED, 0);
	ck_assert_uint_eq(life.until_ms, LIFE_START_MS);
	ck_assert_uint_eq(on(LIFE_TIMEOUT, LIFE_START_MS), LIFE_KILL | LIFE_FAILED);
	ck_assert_uint_eq(on(LIFE_SAYS_PROVEN, LIFE_START_MS), 0);
	ck_assert_int_eq(life.phase, LIFE_KILLED);
}
END_TEST

HARNESS("keeper_life", test_each_event_is_answered_in_each_phase,
    test_a_process_is_started_where_there_is_none_and_forgotten_where_it_goes, test_it_keeps_only_after_its_turn,
    test_one_that_is_told_to_end_gets_its_time_and_is_killed_then,
    test_one_that_worked_for_long_is_followed_at_once_and_one_that_did_not_later,
    test_starts_that_come_to_nothing_become_rarer_up_to_a_bound, test_one_that_says_nothing_is_killed)
