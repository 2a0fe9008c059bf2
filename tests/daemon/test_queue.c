/* Fairness and bounds of the queue, as deterministic simulations: a scan takes as long as its size says. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "queue.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

static struct queue_limits limits(unsigned slots)
{
	return (struct queue_limits){ .slots = slots, .items_max = 4096, .large_bytes = GIB };
}

static struct queue *new_queue(const struct queue_limits *l, const struct config *c)
{
	struct tenants *tenants = harness_keep(tenants_new(c));
	struct queue *q = tenants ? queue_new(l, tenants) : NULL;

	ck_assert_ptr_nonnull(q);
	return q;
}

static struct queue *queue_with(unsigned slots)
{
	struct queue_limits l = limits(slots);

	return new_queue(&l, &(struct config){ .workers = 1, .queue_max_per_tenant = 4096 });
}

static void come(struct queue *q, struct queue_item *item, const char *tenant, enum queue_lane lane, uint64_t size)
{
	ck_assert_int_eq(queue_admit(q, item, tenant, lane), QUEUE_OK);
	ck_assert_int_eq(item->state, QUEUE_ADMITTED);
	queue_push(q, item, size);
	ck_assert_int_eq(item->state, QUEUE_WAITING);
}

static void name_tenant(char *name, size_t i)
{
	snprintf(name, TENANT_NAME_MAX + 1, "tenant-%zu", i);
}

/* ---- order ---- */

START_TEST(test_one_tenant_is_served_in_order)
{
	struct queue *q = queue_with(1);
	struct queue_item items[3] = { 0 };

	for (size_t i = 0; i < 3; i++)
		come(q, &items[i], "a", QUEUE_INTERACTIVE, MIB);
	for (size_t i = 0; i < 3; i++) {
		ck_assert_uint_eq(queue_position(q, &items[i]), 1);
		ck_assert_ptr_eq(queue_next(q), &items[i]);
		ck_assert_int_eq(items[i].state, QUEUE_RUNNING);
		ck_assert_ptr_null(queue_next(q));
		queue_remove(q, &items[i]);
		ck_assert_int_eq(items[i].state, QUEUE_OUT);
	}
	ck_assert_ptr_null(queue_next(q));
	queue_free(q);
}
END_TEST

START_TEST(test_equal_files_of_two_tenants_alternate)
{
	struct queue *q = queue_with(1);
	struct queue_item a[4] = { 0 }, b[4] = { 0 };

	for (size_t i = 0; i < 4; i++)
		come(q, &a[i], "a", QUEUE_INTERACTIVE, MIB);
	for (size_t i = 0; i < 4; i++)
		come(q, &b[i], "b", QUEUE_INTERACTIVE, MIB);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_ptr_eq(queue_next(q), &a[i]);
		queue_remove(q, &a[i]);
		ck_assert_ptr_eq(queue_next(q), &b[i]);
		queue_remove(q, &b[i]);
	}
	queue_free(q);
}
END_TEST

START_TEST(test_shares_are_of_bytes_not_of_files)
{
	struct queue *q = queue_with(1);
	struct queue_item a[10] = { 0 }, b[100] = { 0 };
	uint64_t served_a = 0, served_b = 0;

	for (size_t i = 0; i < 10; i++)
		come(q, &a[i], "a", QUEUE_INTERACTIVE, 100 * MIB);
	for (size_t i = 0; i < 100; i++)
		come(q, &b[i], "b", QUEUE_INTERACTIVE, 10 * MIB);
	while (queue_counts(q).waiting > 0 && served_a < 500 * MIB) {
		struct queue_item *item = queue_next(q);

		*(item >= a && item < a + 10 ? &served_a : &served_b) += item->size;
		queue_remove(q, item);
	}
	/* Never further apart than one large file and the base costs. */
	ck_assert_uint_ge(served_b + 150 * MIB, served_a);
	ck_assert_uint_ge(served_a + 150 * MIB, served_b);
	queue_free(q);
}
END_TEST

/* ---- starvation ---- */

/* Run until `wanted` has been served too.  Return: bytes served before it. */
static uint64_t bytes_before(struct queue *q, const struct queue_item *wanted)
{
	uint64_t bytes = 0;

	for (;;) {
		struct queue_item *item = queue_next(q);
		uint64_t size;

		ck_assert_ptr_nonnull(item);
		size = item->size;
		queue_remove(q, item);
		if (item == wanted)
			return bytes;
		bytes += size;
	}
}

START_TEST(test_thousand_files_of_one_tenant_do_not_hold_up_another)
{
	static struct queue_item crowd[1000];
	struct queue *q = queue_with(1);
	struct queue_item one = { 0 };

	for (size_t i = 0; i < 1000; i++)
		come(q, &crowd[i], "crowd", QUEUE_INTERACTIVE, 10 * MIB);
	for (size_t i = 0; i < 5; i++)
		queue_remove(q, queue_next(q));
	come(q, &one, "one", QUEUE_INTERACTIVE, MIB);
	ck_assert_uint_le(queue_position(q, &one), 2);
	ck_assert_uint_le(bytes_before(q, &one), 10 * MIB);
	queue_free(q);
}
END_TEST

/* Time in bytes: each running item ends when its size has gone by.  Return: when `wanted` got a slot. */
static uint64_t time_until(struct queue *q, struct queue_item *const *all, size_t n, const struct queue_item *wanted)
{
	uint64_t now = 0, ends[64] = { 0 };

	ck_assert_uint_le(n, 64);
	for (;;) {
		size_t first = n;

		for (struct queue_item *item; (item = queue_next(q)) != NULL;) {
			if (item == wanted)
				return now;
			for (size_t i = 0; i < n; i++)
				if (all[i] == item)
					ends[i] = now + item->size;
		}
		for (size_t i = 0; i < n; i++)
			if (all[i]->state == QUEUE_RUNNING && (first == n || ends[i] < ends[first]))
				first = i;
		ck_assert_uint_lt(first, n);
		now = ends[first];
		queue_remove(q, all[first]);
	}
}

START_TEST(test_huge_files_leave_a_slot_to_small_ones)
{
	struct queue *q = queue_with(4);
	struct queue_item huge[20] = { 0 }, small[2] = { 0 }, *all[22];

	for (size_t i = 0; i < 20; i++)
		come(q, all[i] = &huge[i], "hoarder", QUEUE_INTERACTIVE, 1000 * GIB);
	come(q, all[20] = &small[0], "hoarder", QUEUE_INTERACTIVE, MIB);
	/* Small ones of the hoarder itself pass its huge ones too. */
	ck_assert_uint_eq(time_until(q, all, 21, &small[0]), 0);
	ck_assert_uint_eq(queue_counts(q).running_large, 3);
	queue_remove(q, &small[0]);
	come(q, all[21] = &small[1], "other", QUEUE_INTERACTIVE, MIB);
	ck_assert_uint_eq(time_until(q, all, 22, &small[1]), 0);
	queue_free(q);
}
END_TEST

START_TEST(test_file_of_the_large_limit_is_small_and_one_byte_more_is_large)
{
	struct queue *q = queue_with(2);
	struct queue_item a = { 0 }, b = { 0 }, c = { 0 };

	come(q, &a, "t", QUEUE_INTERACTIVE, GIB + 1);
	come(q, &b, "t", QUEUE_INTERACTIVE, GIB + 1);
	ck_assert_ptr_eq(queue_next(q), &a);
	ck_assert_ptr_null(queue_next(q));
	come(q, &c, "t", QUEUE_INTERACTIVE, GIB);
	ck_assert_ptr_eq(queue_next(q), &c);
	queue_remove(q, &a);
	ck_assert_ptr_eq(queue_next(q), &b);
	queue_free(q);
}
END_TEST

START_TEST(test_single_slot_takes_large_files_too)
{
	struct queue *q = queue_with(1);
	struct queue_item a = { 0 };

	come(q, &a, "t", QUEUE_BATCH, 5 * GIB);
	ck_assert_ptr_eq(queue_next(q), &a);
	queue_free(q);
}
END_TEST

START_TEST(test_idle_tenant_saves_up_no_credit)
{
	struct queue *q = queue_with(1);
	struct queue_item old = { 0 }, a[8] = { 0 }, b[8] = { 0 };

	/* b is known from before; then a alone is served a lot. */
	come(q, &old, "b", QUEUE_INTERACTIVE, MIB);
	queue_remove(q, queue_next(q));
	for (size_t i = 0; i < 8; i++)
		come(q, &a[i], "a", QUEUE_INTERACTIVE, 100 * MIB);
	for (size_t i = 0; i < 4; i++)
		queue_remove(q, queue_next(q));
	for (size_t i = 0; i < 8; i++)
		come(q, &b[i], "b", QUEUE_INTERACTIVE, 100 * MIB);
	/* b does not get to catch up on 400 MiB first: a's next turn comes after one file of b's. */
	ck_assert_uint_le(bytes_before(q, &a[4]), 100 * MIB);
	ck_assert_uint_le(bytes_before(q, &b[1]), 200 * MIB);
	queue_free(q);
}
END_TEST

START_TEST(test_tenant_that_comes_one_by_one_saves_up_no_credit)
{
	struct queue *q = queue_with(1);
	struct queue_item a[8] = { 0 }, b = { 0 };
	size_t turns_of_b = 0;

	come(q, &b, "b", QUEUE_INTERACTIVE, MIB);
	queue_remove(q, queue_next(q));
	for (size_t i = 0; i < 8; i++)
		come(q, &a[i], "a", QUEUE_INTERACTIVE, 100 * MIB);
	for (size_t i = 0; i < 4; i++)
		queue_remove(q, queue_next(q));
	do {
		come(q, &b, "b", QUEUE_INTERACTIVE, 100 * MIB);
		ck_assert_uint_le(++turns_of_b, 2);
		queue_remove(q, queue_next(q));
	} while (b.state == QUEUE_OUT);
	queue_free(q);
}
END_TEST

START_TEST(test_put_back_takes_back_what_was_charged_and_no_more)
{
	struct queue *q = queue_with(1);
	struct queue_item a[3] = { 0 }, b[30] = { 0 };

	for (size_t i = 0; i < 3; i++)
		come(q, &a[i], "a", QUEUE_INTERACTIVE, i == 0 ? 100 * MIB : 10 * MIB);
	for (size_t i = 0; i < 30; i++)
		come(q, &b[i], "b", QUEUE_INTERACTIVE, 10 * MIB);
	(void)bytes_before(q, &a[0]);
	for (struct queue_item *item; (item = queue_next(q)) != &a[1];)
		queue_remove(q, item);
	queue_put_back(q, &a[1]);
	/* Its turn again, and then b's: a still has the 100 MiB to its account. */
	ck_assert_ptr_eq(queue_next(q), &a[1]);
	queue_remove(q, &a[1]);
	ck_assert_ptr_ne(queue_next(q), &a[2]);
	queue_free(q);
}
END_TEST

START_TEST(test_leaving_does_not_wipe_what_was_had)
{
	struct queue *q = queue_with(1);
	struct queue_item big = { 0 }, again = { 0 }, b[20] = { 0 };

	for (size_t i = 0; i < 20; i++)
		come(q, &b[i], "b", QUEUE_INTERACTIVE, 10 * MIB);
	queue_remove(q, queue_next(q));
	come(q, &big, "a", QUEUE_INTERACTIVE, 100 * MIB);
	(void)bytes_before(q, &big);
	come(q, &again, "a", QUEUE_INTERACTIVE, 100 * MIB);
	/* a had 100 MiB: b gets about as much before a's turn comes again. */
	ck_assert_uint_ge(bytes_before(q, &again), 80 * MIB);
	queue_free(q);
}
END_TEST

START_TEST(test_tenant_held_back_by_its_large_file_keeps_its_place)
{
	struct queue *q = queue_with(2);
	struct queue_item large[2] = { 0 }, small[2] = { 0 }, a[9] = { 0 };

	come(q, &large[0], "x", QUEUE_INTERACTIVE, 2 * GIB);
	ck_assert_ptr_eq(queue_next(q), &large[0]);
	come(q, &large[1], "b", QUEUE_INTERACTIVE, 2 * GIB);
	for (size_t i = 0; i < 9; i++)
		come(q, &a[i], "a", QUEUE_INTERACTIVE, 10 * MIB);
	for (size_t i = 0; i < 5; i++)
		queue_remove(q, queue_next(q));
	/* b waited all the time: it is not a newcomer, and has two files to come before a's next. */
	come(q, &small[0], "b", QUEUE_INTERACTIVE, 20 * MIB);
	come(q, &small[1], "b", QUEUE_INTERACTIVE, 20 * MIB);
	ck_assert_uint_eq(bytes_before(q, &small[1]), 20 * MIB);
	queue_free(q);
}
END_TEST

START_TEST(test_tenants_with_the_least_debt_are_forgotten_first)
{
	static struct queue_item idle;
	struct queue *q = queue_with(1);
	struct queue_item b[20] = { 0 }, big[2] = { 0 }, fresh = { 0 };
	char name[TENANT_NAME_MAX + 1];

	come(q, &big[0], "debtor", QUEUE_INTERACTIVE, 0); /* the first place in the table */
	queue_remove(q, queue_next(q));
	for (size_t i = 0; i < TENANTS_MAX - 2; i++) {
		name_tenant(name, i);
		come(q, &idle, name, QUEUE_INTERACTIVE, 0);
		queue_remove(q, queue_next(q));
	}
	for (size_t i = 0; i < 20; i++)
		come(q, &b[i], "b", QUEUE_INTERACTIVE, 10 * MIB);
	queue_remove(q, queue_next(q));
	come(q, &big[0], "debtor", QUEUE_INTERACTIVE, 100 * MIB);
	(void)bytes_before(q, &big[0]);
	ck_assert_int_eq(queue_admit(q, &fresh, "fresh", QUEUE_BATCH), QUEUE_OK);
	come(q, &big[1], "debtor", QUEUE_INTERACTIVE, 100 * MIB);
	ck_assert_uint_ge(bytes_before(q, &big[1]), 80 * MIB);
	queue_free(q);
}
END_TEST

START_TEST(test_debts_end_when_nobody_waits)
{
	struct queue *q = queue_with(1);
	struct queue_item big = { 0 }, a = { 0 }, b[3] = { 0 };

	come(q, &big, "a", QUEUE_INTERACTIVE, 100 * GIB);
	queue_remove(q, queue_next(q));
	for (size_t i = 0; i < 3; i++)
		come(q, &b[i], "b", QUEUE_INTERACTIVE, MIB);
	come(q, &a, "a", QUEUE_INTERACTIVE, MIB);
	ck_assert_uint_le(bytes_before(q, &a), MIB);
	queue_free(q);
}
END_TEST

/* ---- lanes ---- */

START_TEST(test_interactive_goes_first_and_batch_gets_one_pick_in_eight)
{
	struct queue *q = queue_with(1);
	struct queue_item batch[2] = { 0 }, now[20] = { 0 };

	for (size_t i = 0; i < 2; i++)
		come(q, &batch[i], "a", QUEUE_BATCH, MIB);
	for (size_t i = 0; i < 20; i++)
		come(q, &now[i], "a", QUEUE_INTERACTIVE, MIB);
	for (size_t pick = 1; pick <= 2 * QUEUE_BATCH_EVERY; pick++) {
		struct queue_item *item = queue_next(q);

		ck_assert_int_eq(item->lane, pick % QUEUE_BATCH_EVERY == 0 ? QUEUE_BATCH : QUEUE_INTERACTIVE);
		queue_remove(q, item);
	}
	queue_free(q);
}
END_TEST

START_TEST(test_batch_alone_is_served_at_once)
{
	struct queue *q = queue_with(1);
	struct queue_item batch = { 0 };

	come(q, &batch, "a", QUEUE_BATCH, MIB);
	ck_assert_ptr_eq(queue_next(q), &batch);
	queue_free(q);
}
END_TEST

/* ---- leaving ---- */

START_TEST(test_items_leave_from_first_middle_and_last_place)
{
	struct queue *q = queue_with(1);
	struct queue_item i[5] = { 0 };

	for (size_t n = 0; n < 5; n++)
		come(q, &i[n], "a", QUEUE_INTERACTIVE, MIB);
	queue_remove(q, &i[2]);
	queue_remove(q, &i[0]);
	queue_remove(q, &i[4]);
	queue_remove(q, &i[4]); /* out already: nothing happens */
	ck_assert_uint_eq(queue_counts(q).waiting, 2);
	ck_assert_uint_eq(queue_position(q, &i[3]), 2);
	ck_assert_uint_eq(queue_position(q, &i[4]), 0);
	ck_assert_ptr_eq(queue_next(q), &i[1]);
	queue_remove(q, &i[1]);
	ck_assert_ptr_eq(queue_next(q), &i[3]);
	queue_free(q);
}
END_TEST

START_TEST(test_leaving_frees_what_was_held)
{
	struct queue *q = queue_with(3);
	struct queue_item admitted = { 0 }, waiting = { 0 }, running = { 0 };

	ck_assert_int_eq(queue_admit(q, &admitted, "a", QUEUE_BATCH), QUEUE_OK);
	come(q, &running, "b", QUEUE_INTERACTIVE, 2 * GIB);
	ck_assert_ptr_eq(queue_next(q), &running);
	come(q, &waiting, "c", QUEUE_INTERACTIVE, MIB);
	ck_assert_uint_eq(queue_counts(q).tenants, 3);
	ck_assert_uint_eq(queue_counts(q).admitted, 1);
	ck_assert_uint_eq(queue_counts(q).running_large, 1);
	queue_remove(q, &admitted);
	queue_remove(q, &waiting);
	queue_remove(q, &running);
	ck_assert_uint_eq(queue_counts(q).tenants, 0);
	ck_assert_uint_eq(queue_counts(q).admitted + queue_counts(q).waiting + queue_counts(q).running, 0);
	ck_assert_uint_eq(queue_counts(q).running_large, 0);
	queue_free(q);
}
END_TEST

START_TEST(test_place_is_handed_on_in_a_full_queue)
{
	struct queue_limits l = { .slots = 1, .items_max = 2, .large_bytes = GIB };
	struct queue *q = new_queue(&l, &(struct config){ .workers = 1, .queue_max_per_tenant = 1 });
	struct queue_item place = { 0 }, scan = { 0 }, other = { 0 }, late = { 0 };

	ck_assert_int_eq(queue_admit(q, &place, "a", QUEUE_BATCH), QUEUE_OK);
	ck_assert_int_eq(queue_admit(q, &other, "b", QUEUE_BATCH), QUEUE_OK);
	for (size_t i = 0; i < 3; i++) { /* admitted, running, waiting */
		queue_hand_over(q, &place, &scan);
		ck_assert_int_eq(place.state, QUEUE_OUT);
		ck_assert_int_eq(scan.state, QUEUE_ADMITTED);
		ck_assert_int_eq(scan.lane, QUEUE_BATCH);
		ck_assert_int_eq(queue_admit(q, &late, "a", QUEUE_BATCH), QUEUE_FULL);
		if (i > 0)
			queue_push(q, &scan, 2 * GIB);
		if (i == 1)
			ck_assert_ptr_eq(queue_next(q), &scan);
		queue_hand_over(q, &scan, &place);
		ck_assert_int_eq(scan.state, QUEUE_OUT);
		ck_assert_int_eq(place.state, QUEUE_ADMITTED);
		ck_assert_uint_eq(queue_counts(q).admitted, 2);
		ck_assert_uint_eq(queue_counts(q).waiting + queue_counts(q).running, 0);
		ck_assert_uint_eq(queue_counts(q).running_large, 0);
	}
	queue_remove(q, &other);
	ck_assert_int_eq(queue_admit(q, &late, "a", QUEUE_BATCH), QUEUE_TENANT_FULL);
	queue_remove(q, &place);
	ck_assert_int_eq(queue_admit(q, &late, "a", QUEUE_BATCH), QUEUE_OK);
	ck_assert_uint_eq(queue_counts(q).tenants, 1);
	queue_free(q);
}
END_TEST

START_TEST(test_item_put_back_is_first_again_and_costs_nothing)
{
	struct queue *q = queue_with(1);
	struct queue_item a[2] = { 0 }, b = { 0 };

	come(q, &a[0], "a", QUEUE_INTERACTIVE, 100 * MIB);
	come(q, &a[1], "a", QUEUE_INTERACTIVE, 100 * MIB);
	come(q, &b, "b", QUEUE_INTERACTIVE, MIB);
	ck_assert_ptr_eq(queue_next(q), &a[0]);
	queue_put_back(q, &a[0]);
	ck_assert_int_eq(a[0].state, QUEUE_WAITING);
	ck_assert_uint_eq(queue_counts(q).running, 0);
	ck_assert_ptr_eq(queue_next(q), &a[0]);
	queue_remove(q, &a[0]);
	ck_assert_ptr_eq(queue_next(q), &b);
	queue_free(q);
}
END_TEST

/* ---- bounds ---- */

START_TEST(test_last_place_is_given_and_one_more_is_refused)
{
	struct queue_limits l = { .slots = 1, .items_max = 2, .large_bytes = GIB };
	struct queue *q = new_queue(&l, &(struct config){ .workers = 1, .queue_max_per_tenant = 2 });
	struct queue_item i[3] = { 0 };

	ck_assert_int_eq(queue_admit(q, &i[0], "a", QUEUE_INTERACTIVE), QUEUE_OK);
	come(q, &i[1], "b", QUEUE_INTERACTIVE, MIB);
	ck_assert_ptr_nonnull(queue_next(q)); /* running still counts */
	ck_assert_int_eq(queue_admit(q, &i[2], "c", QUEUE_INTERACTIVE), QUEUE_FULL);
	ck_assert_int_eq(i[2].state, QUEUE_OUT);
	queue_remove(q, &i[0]);
	ck_assert_int_eq(queue_admit(q, &i[2], "c", QUEUE_INTERACTIVE), QUEUE_OK);
	queue_free(q);
}
END_TEST

START_TEST(test_last_place_of_a_tenant_is_given_and_one_more_is_refused)
{
	struct queue_limits l = { .slots = 1, .items_max = 9, .large_bytes = GIB };
	struct queue *q = new_queue(&l, &(struct config){ .workers = 1, .queue_max_per_tenant = 2 });
	struct queue_item i[4] = { 0 };

	ck_assert_int_eq(queue_admit(q, &i[0], "a", QUEUE_INTERACTIVE), QUEUE_OK);
	ck_assert_int_eq(queue_admit(q, &i[1], "a", QUEUE_BATCH), QUEUE_OK);
	ck_assert_int_eq(queue_admit(q, &i[2], "a", QUEUE_INTERACTIVE), QUEUE_TENANT_FULL);
	ck_assert_int_eq(queue_admit(q, &i[3], "b", QUEUE_INTERACTIVE), QUEUE_OK);
	ck_assert_uint_eq(queue_counts(q).tenants, 2);
	queue_free(q);
}
END_TEST

START_TEST(test_1024_busy_tenants_fit_and_one_more_is_refused)
{
	static struct queue_item i[TENANTS_MAX + 1];
	struct queue *q = queue_with(1);
	char name[TENANT_NAME_MAX + 1];

	for (size_t n = 0; n < TENANTS_MAX; n++) {
		name_tenant(name, n);
		ck_assert_int_eq(queue_admit(q, &i[n], name, QUEUE_INTERACTIVE), QUEUE_OK);
	}
	name_tenant(name, TENANTS_MAX);
	ck_assert_int_eq(queue_admit(q, &i[TENANTS_MAX], name, QUEUE_INTERACTIVE), QUEUE_TENANT_FULL);
	queue_remove(q, &i[7]);
	ck_assert_int_eq(queue_admit(q, &i[TENANTS_MAX], name, QUEUE_INTERACTIVE), QUEUE_OK);
	ck_assert_uint_eq(queue_counts(q).tenants, TENANTS_MAX);
	queue_free(q);
}
END_TEST

START_TEST(test_longest_tenant_name_is_told_from_its_beginning)
{
	struct queue *q = queue_with(1);
	struct queue_item a = { 0 }, b = { 0 };
	char name[TENANT_NAME_MAX + 1] = { 0 };

	memset(name, 'x', TENANT_NAME_MAX);
	ck_assert_int_eq(queue_admit(q, &a, name, QUEUE_INTERACTIVE), QUEUE_OK);
	name[TENANT_NAME_MAX - 1] = '\0';
	ck_assert_int_eq(queue_admit(q, &b, name, QUEUE_INTERACTIVE), QUEUE_OK);
	ck_assert_uint_eq(queue_counts(q).tenants, 2);
	queue_free(q);
}
END_TEST

START_TEST(test_slots_are_lost_but_for_the_last_and_found_again)
{
	struct queue *q = queue_with(2);
	struct queue_item i[2] = { 0 };

	queue_lose_slot(q);
	queue_lose_slot(q);
	ck_assert_uint_eq(queue_counts(q).slots, 1);
	come(q, &i[0], "a", QUEUE_INTERACTIVE, MIB);
	come(q, &i[1], "a", QUEUE_INTERACTIVE, MIB);
	ck_assert_ptr_nonnull(queue_next(q));
	ck_assert_ptr_null(queue_next(q));
	queue_find_slot(q);
	queue_find_slot(q);
	ck_assert_uint_eq(queue_counts(q).slots, 2);
	ck_assert_ptr_nonnull(queue_next(q));
	queue_free(q);
}
END_TEST

START_TEST(test_absurd_size_does_not_wrap_the_shares)
{
	struct queue *q = queue_with(2);
	struct queue_item a[3] = { 0 }, b = { 0 };

	come(q, &a[0], "a", QUEUE_INTERACTIVE, UINT64_MAX);
	come(q, &a[1], "a", QUEUE_INTERACTIVE, UINT64_MAX);
	ck_assert_ptr_eq(queue_next(q), &a[0]);
	queue_remove(q, &a[0]);
	come(q, &a[2], "a", QUEUE_INTERACTIVE, 1);
	come(q, &b, "b", QUEUE_INTERACTIVE, 1);
	ck_assert_ptr_eq(queue_next(q), &b);
	queue_free(q);
}
END_TEST

START_TEST(test_position_of_batch_counts_interactive)
{
	struct queue *q = queue_with(1);
	struct queue_item batch = { 0 }, now[2] = { 0 };

	come(q, &batch, "a", QUEUE_BATCH, MIB);
	come(q, &now[0], "b", QUEUE_INTERACTIVE, MIB);
	come(q, &now[1], "c", QUEUE_INTERACTIVE, MIB);
	ck_assert_uint_eq(queue_position(q, &batch), 3);
	ck_assert_uint_eq(queue_position(q, &now[0]), 1);
	queue_free(q);
}
END_TEST

/* ---- shares ---- */

static struct config_tenant own[] = { { .name = (char[]){ "big" }, .workers = 3 },
	{ .name = (char[]){ "small" }, .workers = 1, .queue_max = 2 } };

static struct queue *queue_with_shares(unsigned slots, unsigned each)
{
	struct queue_limits l = limits(slots);

	const struct config c = { .workers = slots,
		.workers_per_tenant = each,
		.queue_max_per_tenant = 4096,
		.tenants = own,
		.n_tenants = 2 };

	return new_queue(&l, &c);
}

START_TEST(test_a_tenant_holds_no_more_slots_than_it_may)
{
	struct queue *q = queue_with_shares(4, 2);
	struct queue_item a[4] = { 0 }, b = { 0 };

	for (size_t i = 0; i < 4; i++)
		come(q, &a[i], "a", i % 2 ? QUEUE_INTERACTIVE : QUEUE_BATCH, MIB);
	ck_assert_ptr_nonnull(queue_next(q));
	ck_assert_ptr_nonnull(queue_next(q));
	ck_assert_ptr_null(queue_next(q)); /* two slots are idle, and stay so */
	come(q, &b, "b", QUEUE_BATCH, GIB);
	ck_assert_ptr_eq(queue_next(q), &b);
	ck_assert_ptr_null(queue_next(q));
	for (size_t i = 0; i < 4; i++) {
		if (a[i].state != QUEUE_RUNNING)
			continue;
		queue_remove(q, &a[i]);
		break;
	}
	ck_assert_ptr_nonnull(queue_next(q));
	ck_assert_ptr_null(queue_next(q));
	queue_free(q);
}
END_TEST

START_TEST(test_shares_are_of_the_tenants_they_name)
{
	struct queue *q = queue_with_shares(8, 2);
	struct queue_item big[5] = { 0 }, small[3] = { 0 };

	for (size_t i = 0; i < 5; i++)
		come(q, &big[i], "big", QUEUE_INTERACTIVE, MIB);
	for (size_t i = 0; i < 2; i++)
		come(q, &small[i], "small", QUEUE_INTERACTIVE, MIB);
	ck_assert_int_eq(queue_admit(q, &small[2], "small", QUEUE_INTERACTIVE), QUEUE_TENANT_FULL);
	for (size_t i = 0; i < 4; i++)
		ck_assert_ptr_nonnull(queue_next(q));
	ck_assert_ptr_null(queue_next(q));
	ck_assert_int_eq(big[2].state, QUEUE_RUNNING);
	ck_assert_int_eq(big[3].state, QUEUE_WAITING);
	ck_assert_int_eq(small[0].state, QUEUE_RUNNING);
	ck_assert_int_eq(small[1].state, QUEUE_WAITING);
	queue_free(q);
}
END_TEST

START_TEST(test_slots_come_back_however_an_item_leaves)
{
	struct queue *q = queue_with_shares(4, 1);
	struct queue_item a = { 0 }, b = { 0 }, heir = { 0 };

	come(q, &a, "a", QUEUE_INTERACTIVE, MIB);
	come(q, &b, "a", QUEUE_INTERACTIVE, MIB);
	ck_assert_ptr_eq(queue_next(q), &a);
	ck_assert_ptr_null(queue_next(q));
	queue_put_back(q, &a);
	ck_assert_ptr_eq(queue_next(q), &a);
	queue_hand_over(q, &a, &heir);
	ck_assert_ptr_eq(queue_next(q), &b);
	queue_take_back(q, &b);
	queue_push(q, &heir, MIB);
	ck_assert_ptr_eq(queue_next(q), &heir);
	queue_push(q, &b, MIB);
	ck_assert_ptr_null(queue_next(q));
	queue_remove(q, &heir);
	ck_assert_ptr_eq(queue_next(q), &b);
	queue_free(q);
}
END_TEST

START_TEST(test_early_start_is_within_the_share)
{
	struct queue *q = queue_with_shares(4, 1);
	struct queue_item a = { 0 }, b = { 0 }, c = { 0 };

	ck_assert_int_eq(queue_admit(q, &a, "a", QUEUE_INTERACTIVE), QUEUE_OK);
	ck_assert_int_eq(queue_admit(q, &b, "a", QUEUE_INTERACTIVE), QUEUE_OK);
	ck_assert_int_eq(queue_admit(q, &c, "c", QUEUE_INTERACTIVE), QUEUE_OK);
	ck_assert(queue_start_early(q, &a, MIB));
	ck_assert(!queue_start_early(q, &b, MIB));
	ck_assert(queue_start_early(q, &c, MIB));
	queue_free(q);
}
END_TEST

START_TEST(test_the_oldest_is_who_has_waited_longest)
{
	struct queue *q = queue_with_shares(4, 1);
	struct queue_item a = { 0 }, b = { 0 }, c = { 0 };

	ck_assert_ptr_null(queue_oldest(q));
	come(q, &a, "a", QUEUE_BATCH, MIB);
	come(q, &b, "a", QUEUE_INTERACTIVE, 2 * GIB);
	come(q, &c, "c", QUEUE_INTERACTIVE, MIB);
	ck_assert_ptr_eq(queue_oldest(q), &a);
	queue_remove(q, &a);
	ck_assert_ptr_eq(queue_oldest(q), &b);
	ck_assert_ptr_nonnull(queue_next(q));
	ck_assert_ptr_nonnull(queue_next(q));
	ck_assert_ptr_null(queue_oldest(q)); /* both run */
	queue_free(q);
}
END_TEST

/* ---- early ---- */

static void admit(struct queue *q, struct queue_item *item, const char *tenant)
{
	ck_assert_int_eq(queue_admit(q, item, tenant, QUEUE_INTERACTIVE), QUEUE_OK);
}

START_TEST(test_early_start_leaves_a_slot_to_others)
{
	struct queue *q = queue_with(3);
	struct queue_item early[3] = { 0 }, small = { 0 }, large = { 0 };

	for (size_t i = 0; i < 3; i++) {
		admit(q, &early[i], "a");
		ck_assert(queue_start_early(q, &early[i], MIB) == (i < 2));
	}
	ck_assert_int_eq(early[2].state, QUEUE_ADMITTED);
	ck_assert_uint_eq(queue_counts(q).running_large, 2); /* as if they were large */
	come(q, &large, "b", QUEUE_INTERACTIVE, 2 * GIB);
	ck_assert_ptr_null(queue_next(q));
	come(q, &small, "b", QUEUE_INTERACTIVE, MIB);
	ck_assert_ptr_eq(queue_next(q), &small);
	queue_remove(q, &early[0]);
	queue_remove(q, &early[1]);
	ck_assert_ptr_eq(queue_next(q), &large);
	ck_assert_uint_eq(queue_counts(q).running_large, 1);
	queue_free(q);
}
END_TEST

START_TEST(test_early_start_never_takes_the_only_slot)
{
	struct queue *q = queue_with(1);
	struct queue_item item = { 0 };

	admit(q, &item, "a");
	ck_assert(!queue_start_early(q, &item, MIB));
	ck_assert_uint_eq(queue_counts(q).admitted, 1);
	queue_free(q);
}
END_TEST

START_TEST(test_early_start_passes_nobody_who_waits)
{
	struct queue *q = queue_with(3);
	struct queue_item waits = { 0 }, item = { 0 };

	admit(q, &item, "a");
	come(q, &waits, "b", QUEUE_BATCH, MIB);
	ck_assert(!queue_start_early(q, &item, MIB));
	ck_assert_ptr_eq(queue_next(q), &waits);
	ck_assert(queue_start_early(q, &item, MIB));
	queue_free(q);
}
END_TEST

START_TEST(test_early_start_taken_back_costs_nothing_and_may_come_again)
{
	struct queue *q = queue_with(2);
	struct queue_item item = { 0 }, a = { 0 }, b = { 0 };

	admit(q, &item, "a");
	ck_assert(queue_start_early(q, &item, GIB));
	queue_take_back(q, &item);
	ck_assert_int_eq(item.state, QUEUE_ADMITTED);
	ck_assert_uint_eq(queue_counts(q).running, 0);
	ck_assert_uint_eq(queue_counts(q).running_large, 0);
	ck_assert_uint_eq(queue_counts(q).admitted, 1);
	come(q, &a, "a", QUEUE_INTERACTIVE, MIB); /* charged, its tenant would be behind b's */
	come(q, &b, "b", QUEUE_INTERACTIVE, MIB);
	ck_assert_ptr_eq(queue_next(q), &a);
	queue_push(q, &item, GIB);
	ck_assert_ptr_eq(queue_next(q), &b);
	queue_remove(q, &b);
	ck_assert_ptr_eq(queue_next(q), &item);
	queue_free(q);
}
END_TEST

START_TEST(test_early_start_put_back_waits_as_what_it_is)
{
	struct queue *q = queue_with(2);
	struct queue_item early = { 0 }, large = { 0 };

	admit(q, &early, "a");
	ck_assert(queue_start_early(q, &early, MIB));
	queue_put_back(q, &early);
	come(q, &large, "b", QUEUE_INTERACTIVE, 2 * GIB);
	ck_assert_ptr_eq(queue_next(q), &early);
	ck_assert_ptr_eq(queue_next(q), &large); /* which it could not beside another large one */
	queue_free(q);
}
END_TEST

/* Every state change at random; the counts must always add up, and everybody must come out in the end. */
START_TEST(test_thousands_of_random_moves_keep_the_books)
{
	static struct queue_item items[200];
	struct queue *q = queue_with(5);
	uint64_t x = 88172645463325252u;
	size_t running = 0;

	for (size_t move = 0; move < 200000; move++) {
		struct queue_item *item;
		char name[TENANT_NAME_MAX + 1];
		struct queue_counts c;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		item = &items[x % 200];
		name_tenant(name, (x >> 8) % 7);
		if (item->state == QUEUE_OUT)
			ck_assert_int_eq(queue_admit(q, item, name, (x >> 16) % QUEUE_N_LANES), QUEUE_OK);
		else if (item->state == QUEUE_ADMITTED && (x >> 36) % 4 == 0)
			(void)queue_start_early(q, item, (x >> 20) % (3 * GIB));
		else if (item->state == QUEUE_ADMITTED)
			queue_push(q, item, (x >> 20) % (3 * GIB));
		else if (item->state == QUEUE_RUNNING && (x >> 32) % 4 == 0)
			queue_put_back(q, item);
		else if (item->state == QUEUE_RUNNING && (x >> 32) % 4 == 1)
			queue_take_back(q, item);
		else if ((x >> 36) % 4 == 1 && items[(x >> 44) % 200].state == QUEUE_OUT)
			queue_hand_over(q, item, &items[(x >> 44) % 200]);
		else
			queue_remove(q, item);
		if ((x >> 40) % 2 == 0)
			(void)queue_next(q);
		c = queue_counts(q);
		ck_assert_uint_le(c.running, 5);
		ck_assert_uint_le(c.running_large, 4);
		running = 0;
		for (size_t i = 0; i < 200; i++)
			running += items[i].state == QUEUE_RUNNING;
		ck_assert_uint_eq(running, c.running);
	}
	for (size_t i = 0; i < 200; i++) {
		if (items[i].state != QUEUE_WAITING)
			queue_remove(q, &items[i]);
	}
	for (struct queue_item *item; (item = queue_next(q)) != NULL;)
		queue_remove(q, item);
	ck_assert_uint_eq(queue_counts(q).tenants, 0);
	queue_free(q);
}
END_TEST

HARNESS("queue", test_a_tenant_holds_no_more_slots_than_it_may, test_shares_are_of_the_tenants_they_name,
    test_slots_come_back_however_an_item_leaves, test_early_start_is_within_the_share,
    test_the_oldest_is_who_has_waited_longest, test_one_tenant_is_served_in_order,
    test_equal_files_of_two_tenants_alternate, test_shares_are_of_bytes_not_of_files,
    test_thousand_files_of_one_tenant_do_not_hold_up_another, test_huge_files_leave_a_slot_to_small_ones,
    test_file_of_the_large_limit_is_small_and_one_byte_more_is_large, test_single_slot_takes_large_files_too,
    test_idle_tenant_saves_up_no_credit, test_tenant_that_comes_one_by_one_saves_up_no_credit,
    test_put_back_takes_back_what_was_charged_and_no_more, test_leaving_does_not_wipe_what_was_had,
    test_tenant_held_back_by_its_large_file_keeps_its_place, test_tenants_with_the_least_debt_are_forgotten_first,
    test_debts_end_when_nobody_waits, test_interactive_goes_first_and_batch_gets_one_pick_in_eight,
    test_batch_alone_is_served_at_once, test_items_leave_from_first_middle_and_last_place,
    test_leaving_frees_what_was_held, test_place_is_handed_on_in_a_full_queue,
    test_item_put_back_is_first_again_and_costs_nothing, test_last_place_is_given_and_one_more_is_refused,
    test_last_place_of_a_tenant_is_given_and_one_more_is_refused, test_1024_busy_tenants_fit_and_one_more_is_refused,
    test_longest_tenant_name_is_told_from_its_beginning, test_slots_are_lost_but_for_the_last_and_found_again,
    test_absurd_size_does_not_wrap_the_shares, test_position_of_batch_counts_interactive,
    test_early_start_leaves_a_slot_to_others, test_early_start_never_takes_the_only_slot,
    test_early_start_passes_nobody_who_waits, test_early_start_taken_back_costs_nothing_and_may_come_again,
    test_early_start_put_back_waits_as_what_it_is, test_thousands_of_random_moves_keep_the_books)
