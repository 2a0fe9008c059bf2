/* Buckets of tenants, with a clock that the test brings. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "rate.h"

#define MINUTE 60000u /* ms */
#define START UINT64_C(1000000)

static struct tenants *rate; /* each test runs in a process of its own */

static void start_with(uint64_t files, uint64_t bytes, struct config_tenant *own, size_t n)
{
	const struct config c = { .workers = 1,
		.files_per_minute_per_tenant = files,
		.bytes_per_minute_per_tenant = bytes,
		.tenants = own,
		.n_tenants = n };

	ck_assert_ptr_nonnull(rate = harness_keep(tenants_new(&c)));
}

static void start(uint64_t files, uint64_t bytes)
{
	start_with(files, bytes, NULL, 0);
}

/* As daemons do it. */
static bool send(const char *tenant, uint64_t files, uint64_t bytes, uint64_t now_ms)
{
	if (rate_wait_s(rate, tenant, 1, now_ms) > 0)
		return false;
	rate_pay(rate, tenant, files, bytes, now_ms);
	return true;
}

static unsigned send_many(const char *tenant, unsigned tries, uint64_t now_ms)
{
	unsigned n = 0;

	for (unsigned i = 0; i < tries; i++)
		n += send(tenant, 1, 0, now_ms);
	return n;
}

START_TEST(test_a_minutes_worth_may_come_at_once_and_then_one_at_a_time)
{
	start(60, RATE_OFF);
	ck_assert_uint_eq(send_many("a", 100, START), 60);
	ck_assert_uint_eq(rate_wait_s(rate, "a", 1, START), 1);
	ck_assert(!send("a", 1, 0, START + 999));
	ck_assert(send("a", 1, 0, START + 1000));
	ck_assert(!send("a", 1, 0, START + 1999));
	ck_assert(send("a", 1, 0, START + 2000));
	ck_assert_uint_eq(send_many("a", 100, START + 2000 + MINUTE), 60);
}
END_TEST

START_TEST(test_a_bucket_holds_what_it_should_at_any_rate)
{
	static const unsigned rates[] = { 1, 2, 3, 7, 59, 61, 999, 1000, 1001, 65537 };

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		start(rates[i], RATE_OFF);
		ck_assert_uint_eq(send_many("a", rates[i] + 5, START), rates[i]);
		tenants_free(rate);
	}
}
END_TEST

START_TEST(test_credit_is_not_saved_up)
{
	start(10, RATE_OFF);
	ck_assert_uint_eq(send_many("a", 20, START), 10);
	ck_assert_uint_eq(send_many("a", 20, START + 1000 * MINUTE), 10);
}
END_TEST

START_TEST(test_off_is_any_rate)
{
	start(RATE_OFF, RATE_OFF);
	ck_assert_uint_eq(send_many("a", 100000, START), 100000);
	rate_pay(rate, "a", 1 << 20, UINT64_MAX, START);
	ck_assert_uint_eq(rate_wait_s(rate, "a", 1, START), 0);
}
END_TEST

START_TEST(test_one_tenants_use_is_not_anothers)
{
	start(5, RATE_OFF);
	ck_assert_uint_eq(send_many("a", 10, START), 5);
	ck_assert_uint_eq(send_many("b", 10, START), 5);
	ck_assert_uint_eq(send_many("ab", 10, START), 5);
}
END_TEST

START_TEST(test_a_file_larger_than_the_bucket_gets_in_and_is_paid_for)
{
	start(RATE_OFF, 1000);
	ck_assert(send("a", 1, 999, START));
	ck_assert(send("a", 1, 5001, START));                     /* a byte was left */
	ck_assert_uint_eq(rate_wait_s(rate, "a", 1, START), 301); /* five minutes, and one byte's 60 ms */
	ck_assert(!send("a", 1, 0, START + 5 * MINUTE + 59));
	ck_assert(send("a", 1, 0, START + 5 * MINUTE + 60));
}
END_TEST

START_TEST(test_a_set_is_as_many_files_as_it_has)
{
	start(60, RATE_OFF);
	ck_assert(send("a", 1024, 0, START));
	ck_assert_uint_eq(rate_wait_s(rate, "a", 1, START), 1024 - 60 + 1);
	ck_assert(send("a", 1, 0, START + (1024 - 60 + 1) * 1000));
}
END_TEST

START_TEST(test_files_and_bytes_hold_each_for_itself)
{
	start(2, 100);
	ck_assert(send("a", 1, 100, START));
	ck_assert_uint_eq(rate_wait_s(rate, "a", 1, START), 1); /* 600 ms */
	ck_assert(send("a", 1, 0, START + 600));
	ck_assert_uint_eq(rate_wait_s(rate, "a", 1, START + 600), 30);
	ck_assert_uint_eq(rate_wait_s(rate, "a", 0, START + 600), 0); /* bytes there are */
}
END_TEST

START_TEST(test_small_pieces_cost_no_less_than_one_large)
{
	const unsigned pieces = 1 << 20; /* of a mebibyte; none is worth a whole number of nanoseconds */

	start(RATE_OFF, UINT64_C(1) << 40);
	for (unsigned i = 0; i < pieces - 20; i++)
		rate_pay(rate, "a", 0, 1 << 20, START);
	ck_assert_uint_eq(rate_wait_s(rate, "a", 1, START), 0);
	for (unsigned i = 0; i < 20; i++)
		rate_pay(rate, "a", 0, 1 << 20, START);
	ck_assert_uint_eq(rate_wait_s(rate, "a", 1, START), 1);
}
END_TEST

START_TEST(test_debts_do_not_wrap)
{
	start(1, 1);
	for (unsigned i = 0; i < 100; i++)
		rate_pay(rate, "a", 1024, UINT64_MAX, START);
	ck_assert_uint_eq(rate_wait_s(rate, "a", 1, START), RATE_WAIT_MAX_S);
	ck_assert_uint_eq(rate_wait_s(rate, "a", 1, START + UINT64_C(99) * 365 * 86400 * 1000), RATE_WAIT_MAX_S);
	ck_assert_uint_eq(rate_wait_s(rate, "b", 1, START), 0);
}
END_TEST

START_TEST(test_single_tenants_have_limits_of_their_own)
{
	struct config_tenant own[] = { { .name = (char[]){ "hub" }, .files_per_minute = 10 },
		{ .name = (char[]){ "free" }, .files_per_minute = RATE_OFF, .bytes_per_minute = RATE_OFF },
		{ .name = (char[]){ "bulk" }, .bytes_per_minute = 50 } };

	start_with(2, RATE_OFF, own, 3);
	ck_assert_uint_eq(send_many("hub", 20, START), 10);
	ck_assert_uint_eq(send_many("free", 1000, START), 1000);
	ck_assert_uint_eq(send_many("bulk", 20, START), 2); /* files as everybody */
	ck_assert(send("bulk", 1, 50, START + MINUTE));
	ck_assert_uint_gt(rate_wait_s(rate, "bulk", 0, START + MINUTE), 0);
	ck_assert_uint_eq(send_many("other", 20, START), 2);
}
END_TEST

/* ---- more names than places ---- */

static const char *name_of(unsigned i)
{
	static char text[16];

	snprintf(text, sizeof(text), "t%u", i);
	return text;
}

START_TEST(test_names_without_a_place_share_one_bucket)
{
	start(3, RATE_OFF);
	for (unsigned i = 0; i < TENANTS_MAX; i++)
		ck_assert(send(name_of(i), 1, 0, START));
	ck_assert_uint_eq(send_many("late", 9, START), 3);
	ck_assert_uint_eq(send_many("later", 9, START), 0);
	ck_assert_uint_eq(send_many(name_of(0), 9, START), 2); /* who has a place is not concerned */
	/* Places become free; who gets one begins with what is left in the common bucket. */
	ck_assert_uint_eq(send_many("late", 9, START + 20000), 1);
	ck_assert_uint_eq(send_many("later", 9, START + 20000), 1);
	ck_assert_uint_eq(send_many("late", 9, START + MINUTE), 2);
}
END_TEST

START_TEST(test_who_is_in_debt_keeps_its_place)
{
	start(3, RATE_OFF);
	ck_assert_uint_eq(send_many("debtor", 9, START), 3);
	for (unsigned i = 0; i < 3 * TENANTS_MAX; i++)
		(void)send(name_of(i), 1, 0, START);
	ck_assert_uint_eq(send_many("debtor", 9, START), 0);
	ck_assert_uint_eq(send_many("debtor", 9, START + 20000), 1);
}
END_TEST

START_TEST(test_tenants_with_limits_of_their_own_need_no_place)
{
	struct config_tenant own[] = { { .name = (char[]){ "hub" }, .files_per_minute = 3 } };

	start_with(3, RATE_OFF, own, 1);
	for (unsigned i = 0; i < 3 * TENANTS_MAX; i++)
		(void)send(name_of(i), 1, 0, START);
	ck_assert_uint_eq(send_many("hub", 9, START), 3);
}
END_TEST

#define MODEL_NAMES (TENANTS_MAX + 600)

START_TEST(test_no_name_gets_more_than_from_a_bucket_of_its_own)
{
	static struct config_tenant own[MODEL_NAMES];
	unsigned long refused = 0, sent = 0;
	struct tenants *exact; /* a bucket a name, without any bound on memory */
	uint64_t now = START;

	for (unsigned i = 0; i < MODEL_NAMES; i++)
		own[i].name = strdup(name_of(i));
	start_with(6, 600, own, MODEL_NAMES);
	exact = rate;
	start(6, 600);
	srand(5);
	for (unsigned step = 0; step < 60000; step++) {
		unsigned who = (unsigned)rand() % (step % 7 == 0 ? 40 : MODEL_NAMES);
		uint64_t bytes = rand() % 50 == 0 ? 1000 : (uint64_t)rand() % 200;

		now += (uint64_t)rand() % 40;
		if (!send(name_of(who), 1, bytes, now)) {
			refused++;
			continue;
		}
		sent++;
		ck_assert_uint_eq(rate_wait_s(exact, name_of(who), 1, now), 0);
		rate_pay(exact, name_of(who), 1, bytes, now);
	}
	/* Not for nothing: there was plenty of both. */
	ck_assert_uint_gt(sent, 5000);
	ck_assert_uint_gt(refused, 5000);
}
END_TEST

HARNESS("rate", test_a_minutes_worth_may_come_at_once_and_then_one_at_a_time,
    test_a_bucket_holds_what_it_should_at_any_rate, test_credit_is_not_saved_up, test_off_is_any_rate,
    test_one_tenants_use_is_not_anothers, test_a_file_larger_than_the_bucket_gets_in_and_is_paid_for,
    test_a_set_is_as_many_files_as_it_has, test_files_and_bytes_hold_each_for_itself,
    test_small_pieces_cost_no_less_than_one_large, test_debts_do_not_wrap, test_single_tenants_have_limits_of_their_own,
    test_names_without_a_place_share_one_bucket, test_who_is_in_debt_keeps_its_place,
    test_tenants_with_limits_of_their_own_need_no_place, test_no_name_gets_more_than_from_a_bucket_of_its_own)
