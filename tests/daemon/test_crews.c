/* The lives of crews: every event in every phase, and stories with a clock that only the test moves. */
#include <string.h>

#include "crews.h"
#include "harness.h"

/* Every pair of them, as phase and event. */
#define EACH_PAIR                                                                      \
	for (int pair = 0, phase = 0, event = 0; pair < CREW_N_PHASES * CREW_N_EVENTS; \
	     pair++, phase = pair / CREW_N_EVENTS, event = pair % CREW_N_EVENTS)

static bool has_process(int phase)
{
	return phase == CREW_COMING || phase == CREW_PROVEN || phase == CREW_SERVING || phase == CREW_DRAINING;
}

/* ---- the table ---- */

/* What nobody wrote down is all zero: to CREW_FREE, and nothing done. */
START_TEST(test_each_event_is_answered_in_each_phase)
{
	EACH_PAIR
	{
		struct crew_step s = crew_step((enum crew_phase)phase, (enum crew_event)event);

		ck_assert_msg(s.next != CREW_FREE || s.actions != 0, "phase %d, event %d", phase, event);
		ck_assert_int_lt(s.next, CREW_N_PHASES);
		if (s.actions & CREW_IMPOSSIBLE)
			ck_assert(s.actions == CREW_IMPOSSIBLE && s.next == (enum crew_phase)phase);
	}
}
END_TEST

START_TEST(test_a_place_is_free_only_after_everything_was_forgotten)
{
	EACH_PAIR
	{
		struct crew_step s = crew_step((enum crew_phase)phase, (enum crew_event)event);
		bool freed = s.next == CREW_FREE && phase != CREW_FREE;

		ck_assert_msg(freed == !!(s.actions & CREW_FORGET), "phase %d, event %d", phase, event);
		ck_assert(!freed || phase == CREW_ENDING);
	}
}
END_TEST

/* Else there would be two of a crew, or one that nobody has started. */
START_TEST(test_a_front_is_started_where_there_was_none_and_nowhere_else)
{
	EACH_PAIR
	{
		struct crew_step s = crew_step((enum crew_phase)phase, (enum crew_event)event);
		bool begins = has_process((int)s.next) && !has_process(phase);

		ck_assert_msg(begins == !!(s.actions & CREW_START), "phase %d, event %d", phase, event);
		ck_assert(!begins || s.next == CREW_COMING);
	}
}
END_TEST

START_TEST(test_who_leaves_its_process_kills_it_and_its_zygotes)
{
	EACH_PAIR
	{
		struct crew_step s = crew_step((enum crew_phase)phase, (enum crew_event)event);

		if (has_process(phase) && !has_process((int)s.next))
			ck_assert_msg(s.actions & CREW_KILL, "phase %d, event %d", phase, event);
	}
}
END_TEST

START_TEST(test_requests_are_taken_only_with_a_proven_front_and_a_keeper)
{
	EACH_PAIR
	{
		struct crew_step s = crew_step((enum crew_phase)phase, (enum crew_event)event);
		bool takes_over = s.next == CREW_SERVING && phase != CREW_SERVING;

		ck_assert(takes_over == !!(s.actions & CREW_SERVE));
		ck_assert(!takes_over || (phase == CREW_PROVEN && event == CREW_KEEPER_READY));
	}
}
END_TEST

START_TEST(test_stopping_never_starts_anything)
{
	for (int phase = 0; phase < CREW_N_PHASES; phase++) {
		struct crew_step stop = crew_step((enum crew_phase)phase, CREW_STOP);
		struct crew_step now = crew_step((enum crew_phase)phase, CREW_STOP_NOW);

		ck_assert(!((stop.actions | now.actions) & (CREW_START | CREW_SERVE)));
		ck_assert(phase == CREW_FREE || now.next == CREW_ENDING);
		ck_assert(phase == CREW_FREE || stop.next == CREW_ENDING || stop.next == CREW_DRAINING);
	}
}
END_TEST

/* ---- stories ---- */

static struct crews all;
static struct crew_orders orders;
static uint64_t now_ms;

static void begin_story(void)
{
	memset(&all, 0, sizeof(all));
	now_ms = 1000;
}

static unsigned on(int i, enum crew_event e)
{
	memset(&orders, 0, sizeof(orders));
	crews_on(&all, (size_t)i, e, now_ms, &orders);
	return orders.of[i];
}

static unsigned tick(int i)
{
	memset(&orders, 0, sizeof(orders));
	crews_tick(&all, now_ms, &orders);
	return orders.of[i];
}

static int begin(void)
{
	memset(&orders, 0, sizeof(orders));
	return crews_begin(&all, 30000, now_ms, &orders);
}

/* One that serves. */
static int serving(void)
{
	int i = begin();

	ck_assert_int_ge(i, 0);
	ck_assert_uint_eq(orders.of[i], CREW_START);
	ck_assert_uint_eq(on(i, CREW_FRONT_READY), 0);
	ck_assert_uint_eq(on(i, CREW_KEEPER_READY), CREW_SERVE);
	return i;
}

START_TEST(test_a_reload_replaces_and_the_old_one_drains)
{
	int old, new;

	begin_story();
	old = serving();
	new = begin();
	on(new, CREW_FRONT_READY);
	on(new, CREW_KEEPER_READY);
	ck_assert_uint_eq(orders.of[old], CREW_TELL_DRAIN);
	ck_assert_int_eq(crews_serving(&all), new);
	ck_assert_uint_eq(on(old, CREW_FRONT_LOST), CREW_KILL);
	ck_assert_uint_eq(on(old, CREW_ALL_GONE), CREW_FORGET);
	ck_assert_int_eq(all.of[old].phase, CREW_FREE);
}
END_TEST

START_TEST(test_a_front_that_would_have_replaced_another_is_not_tried_again)
{
	static const enum crew_event bad[] = { CREW_FRONT_LOST, CREW_KEEPER_FAILED };

	for (size_t i = 0; i < 2; i++) {
		int old, new;

		begin_story();
		old = serving();
		new = begin();
		ck_assert_uint_eq(on(new, bad[i]), CREW_KILL | CREW_SAY_REFUSED);
		ck_assert_int_eq(all.of[new].phase, CREW_ENDING);
		ck_assert_int_eq(crews_serving(&all), old);
		ck_assert_uint_eq(all.failures, 0);
	}
}
END_TEST

START_TEST(test_the_first_failure_ends_a_service_that_was_never_ready)
{
	static const enum crew_event bad[] = { CREW_FRONT_LOST, CREW_KEEPER_FAILED, CREW_ZYGOTE_FAILED };

	for (size_t i = 0; i < 3; i++) {
		begin_story();
		begin();
		on(0, bad[i]);
		ck_assert(all.failed && all.stopping);
		ck_assert_int_eq(all.of[0].phase, CREW_ENDING);
	}
}
END_TEST

START_TEST(test_one_that_served_is_started_again_and_given_up_after_many_failures)
{
	int i;

	begin_story();
	i = serving();
	for (unsigned n = 1; n < CREWS_FAILURES_MAX; n++) {
		ck_assert(on(i, CREW_FRONT_LOST) & CREW_FAILURE);
		now_ms += CREW_RETRY_MS - 1;
		ck_assert_uint_eq(tick(i), 0);
		now_ms += 1;
		ck_assert_uint_eq(tick(i), CREW_START);
	}
	ck_assert(!all.failed);
	on(i, CREW_FRONT_LOST);
	ck_assert(all.failed);
	ck_assert_int_eq(all.of[i].phase, CREW_ENDING);
}
END_TEST

START_TEST(test_a_front_without_a_keeper_is_better_than_none)
{
	int i;

	begin_story();
	i = serving();
	on(i, CREW_FRONT_LOST);
	now_ms += CREW_RETRY_MS;
	tick(i);
	on(i, CREW_FRONT_READY);
	ck_assert_uint_eq(on(i, CREW_KEEPER_FAILED), CREW_SERVE);
}
END_TEST

/* A thread that waits for storage keeps its process, killed or not. */
START_TEST(test_a_service_ends_although_a_front_never_does)
{
	int i;

	begin_story();
	i = serving();
	memset(&orders, 0, sizeof(orders));
	crews_stop(&all, now_ms, &orders);
	ck_assert_uint_eq(orders.of[i], CREW_TELL_DRAIN);
	now_ms += 30000 + CREW_GRACE_MS - 1;
	ck_assert_uint_eq(tick(i), 0);
	now_ms += 1;
	ck_assert_uint_eq(tick(i), CREW_KILL | CREW_SAY_LATE);
	now_ms += CREW_GRACE_MS;
	ck_assert_uint_eq(tick(i), CREW_FORGET | CREW_SAY_STUCK);
	ck_assert(!crews_any(&all));
	ck_assert_uint_eq(crews_due_ms(&all), CREWS_NEVER_MS);
}
END_TEST

START_TEST(test_fronts_that_never_end_do_not_use_up_the_places)
{
	begin_story();
	serving();
	for (int n = 0; n < 3 * CREWS_MAX; n++) {
		int new = begin();

		ck_assert_int_ge(new, 0);
		on(new, CREW_FRONT_READY);
		on(new, CREW_KEEPER_READY);
		now_ms += 30000 + CREW_GRACE_MS;
		tick(new);
		now_ms += CREW_GRACE_MS;
		tick(new);
	}
}
END_TEST

START_TEST(test_a_front_that_does_not_get_ready_holds_up_no_later_reload)
{
	int old, new;

	begin_story();
	old = serving();
	new = begin();
	ck_assert_int_eq(crews_coming(&all), new);
	now_ms += CREW_COMING_MS;
	ck_assert(tick(new) & CREW_KILL);
	ck_assert_int_eq(crews_coming(&all), -1);
	ck_assert_int_eq(crews_serving(&all), old);
}
END_TEST

START_TEST(test_a_second_stop_kills)
{
	int a, b;

	begin_story();
	a = serving();
	b = begin();
	memset(&orders, 0, sizeof(orders));
	crews_stop(&all, now_ms, &orders);
	ck_assert(orders.of[a] == CREW_TELL_DRAIN && orders.of[b] == CREW_TELL_DRAIN);
	ck_assert_uint_eq(on(b, CREW_FRONT_READY), 0); /* in that very moment: it takes over from nobody */
	ck_assert_int_eq(all.of[b].phase, CREW_DRAINING);
	memset(&orders, 0, sizeof(orders));
	crews_stop(&all, now_ms, &orders);
	ck_assert(orders.of[a] == CREW_KILL && orders.of[b] == CREW_KILL);
}
END_TEST

START_TEST(test_two_that_get_ready_leave_the_later_one)
{
	int old, a, b;

	begin_story();
	old = serving();
	a = begin();
	b = begin();
	on(b, CREW_FRONT_READY);
	on(b, CREW_KEEPER_READY);
	ck_assert(orders.of[old] == CREW_TELL_DRAIN && orders.of[a] == CREW_TELL_DRAIN);
	on(a, CREW_FRONT_READY);
	on(a, CREW_KEEPER_READY);
	ck_assert_int_eq(crews_serving(&all), b);
}
END_TEST

HARNESS("crews", test_each_event_is_answered_in_each_phase, test_a_place_is_free_only_after_everything_was_forgotten,
    test_a_front_is_started_where_there_was_none_and_nowhere_else, test_who_leaves_its_process_kills_it_and_its_zygotes,
    test_requests_are_taken_only_with_a_proven_front_and_a_keeper, test_stopping_never_starts_anything,
    test_a_reload_replaces_and_the_old_one_drains, test_a_front_that_would_have_replaced_another_is_not_tried_again,
    test_the_first_failure_ends_a_service_that_was_never_ready,
    test_one_that_served_is_started_again_and_given_up_after_many_failures,
    test_a_front_without_a_keeper_is_better_than_none, test_a_service_ends_although_a_front_never_does,
    test_fronts_that_never_end_do_not_use_up_the_places, test_a_front_that_does_not_get_ready_holds_up_no_later_reload,
    test_a_second_stop_kills, test_two_that_get_ready_leave_the_later_one)
