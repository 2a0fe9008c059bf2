/* Who is paced, how fast, and for how long. */
#include <stdio.h>

#include "harness.h"
#include "strikes.h"

static struct tenants *tenants; /* each test runs in a process of its own */

static void start(void)
{
	ck_assert_ptr_nonnull(tenants = tenants_new(&(struct config){ .workers = 1 }));
}

static void strike(const char *tenant, unsigned times, uint64_t now_ms)
{
	for (unsigned i = 0; i < times; i++)
		strikes_add(tenants, tenant, now_ms);
}

START_TEST(test_two_strikes_are_free_and_the_third_paces)
{
	start();
	strike("a", STRIKES_FREE - 1, 1000);
	ck_assert(!strikes_pace(tenants, "a", 1000));
	ck_assert_uint_eq(strikes_hold_ms(tenants, "a", 1000), 0);
	strike("a", 1, 1000);
	ck_assert(strikes_pace(tenants, "a", 1000));
	ck_assert(!strikes_pace(tenants, "b", 1000));
}
END_TEST

START_TEST(test_turns_of_a_paced_tenant_come_one_after_the_other)
{
	start();
	strike("a", STRIKES_FREE + 1, 1000);
	ck_assert_uint_eq(strikes_hold_ms(tenants, "a", 1000), 0);
	ck_assert_uint_eq(strikes_hold_ms(tenants, "a", 1000), 2 * STRIKES_PACE_MS);
	ck_assert_uint_eq(strikes_hold_ms(tenants, "a", 1050), 4 * STRIKES_PACE_MS - 50);
	ck_assert_uint_eq(strikes_hold_ms(tenants, "b", 1050), 0);
}
END_TEST

START_TEST(test_being_asked_about_takes_no_turn)
{
	start();
	strike("a", STRIKES_FREE, 1000);
	for (int i = 0; i < 5; i++)
		ck_assert(strikes_pace(tenants, "a", 1000));
	ck_assert_uint_eq(strikes_hold_ms(tenants, "a", 1000), 0);
}
END_TEST

START_TEST(test_pace_has_a_slowest)
{
	start();
	strike("a", 1000, 1000);
	ck_assert_uint_eq(strikes_hold_ms(tenants, "a", 1000), 0);
	ck_assert_uint_eq(strikes_hold_ms(tenants, "a", 1000), 6400);
}
END_TEST

START_TEST(test_half_is_forgotten_every_half_minute)
{
	start();
	strike("a", 2 * STRIKES_FREE, 1000);
	ck_assert(strikes_pace(tenants, "a", 1000 + STRIKES_FORGIVE_MS)); /* half are left */
	ck_assert(strikes_pace(tenants, "a", 1000 + 2 * STRIKES_FORGIVE_MS - 1));
	ck_assert(!strikes_pace(tenants, "a", 1000 + 2 * STRIKES_FORGIVE_MS));
}
END_TEST

START_TEST(test_who_was_struck_longest_ago_is_forgotten_first)
{
	char tenant[TENANT_NAME_MAX + 1];

	start();
	strike("first", STRIKES_FREE, 1000);
	strike("second", STRIKES_FREE, 1001);
	for (unsigned i = 0; i < TENANTS_MAX - 1; i++) {
		snprintf(tenant, sizeof(tenant), "tenant-%u", i);
		strike(tenant, STRIKES_FREE, 2000);
	}
	ck_assert(!strikes_pace(tenants, "first", 2000));
	ck_assert(strikes_pace(tenants, "second", 2000));
	ck_assert(strikes_pace(tenants, tenant, 2000));
}
END_TEST

HARNESS("strikes", test_two_strikes_are_free_and_the_third_paces, test_turns_of_a_paced_tenant_come_one_after_the_other,
    test_being_asked_about_takes_no_turn, test_pace_has_a_slowest, test_half_is_forgotten_every_half_minute,
    test_who_was_struck_longest_ago_is_forgotten_first)
