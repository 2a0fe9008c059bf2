/* The table of tenants: who has an entry, who is forgotten for another, and what is then left of the debt. */
#include <stdio.h>
#include <string.h>

#include "budget.h"
#include "harness.h"
#include "queue.h"
#include "rate.h"
#include "strikes.h"

#define START UINT64_C(1000000)
#define MINUTE 60000u /* ms */

static struct tenants *tenants; /* each test runs in a process of its own */

static struct config_tenant own[1]; /* borrowed by the table */

static void start(void)
{
	static char name[] = "hub";
	const struct config c = { .workers = 1,
		.queue_max_per_tenant = 4,
		.files_per_minute_per_tenant = 3,
		.bytes_per_minute_per_tenant = RATE_OFF,
		.tenants = own,
		.n_tenants = 1 };

	own[0] = (struct config_tenant){ .name = name, .files_per_minute = 9 };
	ck_assert_ptr_nonnull(tenants = harness_keep(tenants_new(&c)));
	tenants_at(tenants, START);
}

static const char *name_of(unsigned i)
{
	static char text[16];

	snprintf(text, sizeof(text), "t%u", i);
	return text;
}

/* So many that there is no free entry left. */
static void fill(void (*with)(const char *name))
{
	for (unsigned i = 0; i < TENANTS_MAX; i++)
		with(name_of(i));
}

static void owe(const char *name)
{
	rate_pay(tenants, name, 1, 0, START);
}

static void hold_room(const char *name)
{
	tenant_need(tenants, name)->room[TENANT_MEMORY] = 1;
}

static void hold_place(const char *name)
{
	tenant_need(tenants, name)->places.items = 1;
}

static void strike(const char *name)
{
	strikes_add(tenants, name, START);
}

static void just_be(const char *name)
{
	tenant_need(tenants, name);
}

START_TEST(test_who_holds_something_is_not_forgotten)
{
	start();
	fill(hold_room);
	ck_assert_ptr_null(tenant_need(tenants, "late"));
	tenant_find(tenants, "t7")->room[TENANT_MEMORY] = 0;
	ck_assert_ptr_nonnull(tenant_need(tenants, "late"));
	ck_assert_ptr_null(tenant_find(tenants, "t7"));
	start();
	fill(hold_place);
	ck_assert_ptr_null(tenant_need(tenants, "late"));
}
END_TEST

START_TEST(test_who_is_named_has_an_entry_for_good)
{
	start();
	fill(hold_room);
	ck_assert_ptr_nonnull(tenant_need(tenants, "hub"));
	ck_assert_uint_eq(rate_wait_s(tenants, "hub", 1, START), 0);
	fill(just_be);
	ck_assert_ptr_nonnull(tenant_find(tenants, "hub"));
}
END_TEST

START_TEST(test_a_debtor_is_forgotten_only_where_somebody_needs_its_place)
{
	start();
	fill(owe);
	ck_assert_ptr_null(tenant_know(tenants, "late"));
	ck_assert_ptr_nonnull(tenant_need(tenants, "late"));
	start();
	fill(strike);
	ck_assert_ptr_null(tenant_know(tenants, "late"));
	ck_assert_ptr_nonnull(tenant_need(tenants, "late"));
}
END_TEST

START_TEST(test_who_owes_least_is_forgotten_first)
{
	start();
	fill(owe);
	for (unsigned i = 0; i < TENANTS_MAX; i++) {
		if (i != 500)
			owe(name_of(i));
	}
	just_be("late");
	ck_assert_ptr_null(tenant_find(tenants, "t500"));
	ck_assert_ptr_nonnull(tenant_find(tenants, "t499"));
}
END_TEST

/* Else new names would be a way to send for nothing. */
START_TEST(test_those_who_come_in_debtors_places_share_one_bucket)
{
	unsigned sent = 0;

	start();
	fill(owe);
	for (unsigned i = 0; i < 3 * TENANTS_MAX; i++) {
		char name[16];

		snprintf(name, sizeof(name), "new%u", i);
		just_be(name);
		if (rate_wait_s(tenants, name, 1, START) > 0)
			continue;
		rate_pay(tenants, name, 1, 0, START);
		sent++;
	}
	ck_assert_uint_eq(sent, 2); /* of three, of which one was owed already */
	ck_assert_uint_gt(rate_wait_s(tenants, "newest", 1, START), 0);
	ck_assert_uint_eq(rate_wait_s(tenants, "newest", 1, START + MINUTE), 0);
}
END_TEST

START_TEST(test_what_was_owed_is_not_forgiven_by_being_forgotten)
{
	start();
	for (int i = 0; i < 3; i++)
		owe("debtor");
	for (unsigned i = 0; i < TENANTS_MAX; i++)
		hold_room(name_of(i));
	ck_assert_ptr_null(tenant_find(tenants, "debtor"));
	tenant_find(tenants, "t7")->room[TENANT_MEMORY] = 0;
	just_be("debtor");
	ck_assert_uint_gt(rate_wait_s(tenants, "debtor", 1, START), 0);
}
END_TEST

START_TEST(test_an_entry_starts_with_nothing_of_who_had_it)
{
	const struct tenant *e;

	start();
	fill(strike);
	e = tenant_need(tenants, "late");
	ck_assert(e->strikes.n == 0 && e->places.items == 0 && e->room[TENANT_FOLDER] == 0);
	ck_assert(!strikes_pace(tenants, "late", START));
}
END_TEST

/* Whose storage hangs keeps what it has. */
START_TEST(test_of_three_slots_or_more_one_is_never_a_single_tenants)
{
	static const struct {
		unsigned workers, said, each;
	} rows[] = { { 1, 0, 0 }, { 2, 0, 0 }, { 3, 0, 2 }, { 4, 0, 3 }, { 64, 0, 63 }, { 3, 3, 3 }, { 2, 1, 1 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct config c = { .workers = rows[i].workers, .workers_per_tenant = rows[i].said };
		struct tenants *t = harness_keep(tenants_new(&c));

		ck_assert_uint_eq(t->slots_each, rows[i].each);
	}
}
END_TEST

HARNESS("tenant", test_who_holds_something_is_not_forgotten, test_who_is_named_has_an_entry_for_good,
    test_a_debtor_is_forgotten_only_where_somebody_needs_its_place, test_who_owes_least_is_forgotten_first,
    test_those_who_come_in_debtors_places_share_one_bucket, test_what_was_owed_is_not_forgiven_by_being_forgotten,
    test_an_entry_starts_with_nothing_of_who_had_it, test_of_three_slots_or_more_one_is_never_a_single_tenants)
