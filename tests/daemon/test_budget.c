/* Who may hold how much of a room: users, tenants, bodies larger than a share, and more tenants than there are entries. */
#include <errno.h>
#include <stdio.h>

#include "budget.h"
#include "harness.h"

#define ROOM UINT64_C(4096)
#define USER (ROOM / 2)  /* a user's share */
#define NAMED (USER / 2) /* of a tenant that a request names */

static struct budget budget; /* each test runs in a process of its own */

static void start(uint64_t max, uint64_t each, struct config_tenant *own, size_t n)
{
	const struct config c = { .workers = 1, .spool_bytes_per_tenant = each, .tenants = own, .n_tenants = n };
	struct tenants *tenants = harness_keep(tenants_new(&c));

	ck_assert_ptr_nonnull(tenants);
	budget_init(&budget, tenants, TENANT_FOLDER, max);
}

static void start_plain(void)
{
	start(ROOM, 0, NULL, 0);
}

static int take(uid_t uid, const char *tenant, uint64_t bytes)
{
	const struct payer p = payer_of(uid, tenant);

	return budget_take(&budget, &p, bytes);
}

static int take_body(uid_t uid, const char *tenant, uint64_t bytes, uint64_t held)
{
	const struct payer p = payer_of(uid, tenant);

	return budget_take_body(&budget, &p, bytes, held);
}

static void give_back(uid_t uid, const char *tenant, uint64_t bytes)
{
	const struct payer p = payer_of(uid, tenant);

	budget_give_back(&budget, &p, bytes);
}

START_TEST(test_a_user_gets_half_and_not_a_byte_more)
{
	start_plain();
	ck_assert_int_eq(take(1, "uid:1", USER), 0);
	ck_assert_int_eq(take(1, "uid:1", 1), -ENOBUFS);
	ck_assert_uint_eq(budget.used, USER);
	ck_assert_int_eq(take(2, "uid:2", USER), 0);
	give_back(1, "uid:1", 1);
	ck_assert_int_eq(take(1, "uid:1", 1), 0);
}
END_TEST

START_TEST(test_a_named_tenant_gets_half_of_its_users_half)
{
	start_plain();
	ck_assert_int_eq(take(1, "a", NAMED), 0);
	ck_assert_int_eq(take(1, "a", 1), -EBUSY);
	ck_assert_int_eq(take(1, "b", NAMED), 0);
	ck_assert_int_eq(take(1, "c", 1), -ENOBUFS); /* however many it names */
	ck_assert_uint_eq(budget.used, USER);
	ck_assert_int_eq(take(2, "a", 1), -EBUSY); /* whoever names it */
	ck_assert_int_eq(take(2, "d", NAMED), 0);
}
END_TEST

START_TEST(test_a_share_that_was_set_is_the_most_there_is)
{
	start(ROOM, 100, NULL, 0);
	ck_assert_int_eq(take_body(1, "a", 101, 0), -E2BIG);
	ck_assert_int_eq(take_body(1, "a", 100, 0), 0);
	ck_assert_int_eq(take_body(1, "a", 1, 100), -E2BIG);
	ck_assert_int_eq(take_body(1, "a", 1, 0), -EBUSY);
	ck_assert_int_eq(take_body(1, "uid:1", 101, 0), -E2BIG);
	ck_assert_int_eq(take_body(1, "uid:1", 100, 0), 0);
	give_back(1, "a", 100);
	ck_assert_int_eq(take_body(1, "a", 1, 0), 0);
}
END_TEST

START_TEST(test_single_tenants_have_shares_of_their_own)
{
	struct config_tenant own[] = { { .name = (char[]){ "a" }, .spool_bytes = 10 }, { .name = (char[]){ "b" } },
		{ .name = (char[]){ "c" }, .spool_bytes = 200 } };

	start(ROOM, 100, own, 3);
	ck_assert_int_eq(take(1, "a", 11), -E2BIG);
	ck_assert_int_eq(take(1, "a", 10), 0);
	ck_assert_int_eq(take(1, "b", 101), -E2BIG);
	ck_assert_int_eq(take(1, "b", 100), 0);
	ck_assert_int_eq(take(1, "c", 201), -E2BIG);
	ck_assert_int_eq(take(1, "c", 200), 0);
}
END_TEST

START_TEST(test_one_body_may_be_larger_than_a_share_when_it_is_all)
{
	start_plain();
	ck_assert_int_eq(take_body(1, "uid:1", USER + 1, 0), 0);
	ck_assert_int_eq(take_body(1, "uid:1", 1, USER + 1), 0);
	ck_assert_int_eq(take_body(1, "uid:1", 1, 0), -ENOBUFS);
	give_back(1, "uid:1", USER + 2);
	ck_assert_int_eq(take(1, "uid:1", USER + 1), -ENOBUFS); /* a body, not anything */
	ck_assert_int_eq(take_body(1, "a", NAMED + 1, 0), 0);
	ck_assert_int_eq(take_body(1, "a", 1, 0), -EBUSY);
	ck_assert_int_eq(take_body(1, "b", NAMED, 0), -ENOBUFS); /* of the user's share that is too much */
	ck_assert_int_eq(take_body(1, "b", NAMED - 1, 0), 0);
	ck_assert_int_eq(take_body(2, "uid:2", ROOM + 1, 0), -ENOSPC);
}
END_TEST

START_TEST(test_a_share_ends_where_the_users_does)
{
	const struct payer user = payer_of(1, "uid:1"), named = payer_of(1, "a");

	start_plain();
	ck_assert_uint_eq(budget_share(&budget, &user), USER);
	ck_assert_uint_eq(budget_share(&budget, &named), NAMED);
	start(ROOM, USER + 1, NULL, 0);
	ck_assert_uint_eq(budget_share(&budget, &named), USER);
	ck_assert_int_eq(take(1, "a", USER + 1), -ENOBUFS);
}
END_TEST

START_TEST(test_what_is_left_is_told_of_a_share_that_was_set)
{
	struct config_tenant own[] = { { .name = (char[]){ "a" }, .spool_bytes = 10 } };
	const struct payer a = payer_of(1, "a"), b = payer_of(1, "b");

	start(ROOM, 0, own, 1);
	ck_assert_uint_eq(budget_left(&budget, &a, 0), 10);
	ck_assert_uint_eq(budget_left(&budget, &a, 9), 1);
	ck_assert_uint_eq(budget_left(&budget, &a, 10), 0);
	ck_assert_uint_eq(budget_left(&budget, &a, 11), 0);
	ck_assert_uint_eq(budget_left(&budget, &b, 11), UINT64_MAX);
}
END_TEST

START_TEST(test_a_refusal_changes_nothing)
{
	start_plain();
	ck_assert_int_eq(take(1, "a", NAMED), 0);
	ck_assert_int_eq(take(1, "a", UINT64_MAX), -ENOSPC);
	ck_assert_int_eq(take_body(1, "b", UINT64_MAX, UINT64_MAX - 1), -ENOSPC);
	ck_assert_int_eq(take(1, "b", USER), -ENOBUFS);
	ck_assert_int_eq(take(1, "b", NAMED), 0);
	give_back(1, "a", NAMED);
	give_back(1, "b", NAMED);
	ck_assert_uint_eq(budget.used, 0);
	ck_assert_uint_eq(budget.used_by[1], 0);
}
END_TEST

START_TEST(test_more_tenants_than_entries_get_nothing_until_one_lets_go)
{
	char name[16];

	start(UINT64_C(1) << 40, 0, NULL, 0);
	for (unsigned i = 0; i < TENANTS_MAX; i++) {
		snprintf(name, sizeof(name), "t%u", i);
		ck_assert_int_eq(take(i, name, 1), 0);
	}
	ck_assert_int_eq(take(1, "late", 1), -ENOBUFS);
	ck_assert_int_eq(take(1, "late", 0), 0); /* nothing can be had always */
	ck_assert_int_eq(take(7, "t7", 1), 0);   /* those who have an entry go on */
	give_back(7, "t7", 1);
	ck_assert_int_eq(take(1, "late", 1), -ENOBUFS);
	give_back(7, "t7", 1);
	ck_assert_int_eq(take(1, "late", 1), 0);
	ck_assert_int_eq(take(7, "t7", 1), -ENOBUFS);
}
END_TEST

START_TEST(test_what_has_come_is_charged_though_it_be_too_much)
{
	const struct payer p = payer_of(1, "a");

	start_plain();
	ck_assert_int_eq(take(1, "a", NAMED), 0);
	budget_charge(&budget, &p, 50);
	ck_assert_uint_eq(budget.used, NAMED + 50);
	give_back(1, "a", 50);
	ck_assert_int_eq(take(1, "a", 1), -EBUSY);
	give_back(1, "a", NAMED);
	ck_assert_uint_eq(budget.used, 0);
}
END_TEST

HARNESS("budget", test_a_user_gets_half_and_not_a_byte_more, test_a_named_tenant_gets_half_of_its_users_half,
    test_a_share_that_was_set_is_the_most_there_is, test_single_tenants_have_shares_of_their_own,
    test_one_body_may_be_larger_than_a_share_when_it_is_all, test_a_share_ends_where_the_users_does,
    test_what_is_left_is_told_of_a_share_that_was_set, test_a_refusal_changes_nothing,
    test_more_tenants_than_entries_get_nothing_until_one_lets_go, test_what_has_come_is_charged_though_it_be_too_much)
