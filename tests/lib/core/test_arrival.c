/* Waiting for bytes: for as many as are asked for, for no more than there will be, and not for ever. */
#include "harness.h"

#include "arrival.h"

#define SIZE 1000u

/* Marks to come, in order, and how many have been asked for. */
struct marks {
	uint64_t list[8];
	size_t n, asked;
};

static bool next_mark(void *ctx, uint64_t *ret_mark)
{
	struct marks *m = ctx;

	if (m->asked++ >= m->n)
		return false;
	*ret_mark = m->list[m->asked - 1];
	return true;
}

static struct arrival arrival_of(struct marks *m)
{
	return (struct arrival){ .next = next_mark, .ctx = m, .size = SIZE };
}

START_TEST(test_a_read_waits_for_its_last_byte_and_no_longer)
{
	struct marks m = { .list = { 10, 99, 100, 101, SIZE }, .n = 5 };
	struct arrival a = arrival_of(&m);

	ck_assert(arrival_wait(&a, 90, 10));
	ck_assert_uint_eq(a.mark, 100);
	ck_assert_uint_eq(m.asked, 3);
	ck_assert(arrival_wait(&a, 0, 100)); /* is there: nothing to wait for */
	ck_assert_uint_eq(m.asked, 3);
	ck_assert(arrival_wait(&a, 100, 1));
	ck_assert_uint_eq(m.asked, 4);
}
END_TEST

START_TEST(test_nothing_is_waited_for_where_nothing_is_read)
{
	struct marks m = { .n = 0 };
	struct arrival a = arrival_of(&m);

	ck_assert(arrival_wait(&a, 0, 0));
	ck_assert_uint_eq(m.asked, 0);
}
END_TEST

START_TEST(test_a_read_at_or_beyond_the_end_waits_for_the_whole_file)
{
	static const uint64_t offsets[] = { SIZE - 1, SIZE, SIZE + 1, UINT64_MAX };

	for (size_t i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		struct marks m = { .list = { SIZE - 1, SIZE, SIZE }, .n = 3 };
		struct arrival a = arrival_of(&m);

		ck_assert(arrival_wait(&a, offsets[i], 2));
		ck_assert_uint_eq(a.mark, SIZE);
		ck_assert_uint_eq(m.asked, 2);
	}
}
END_TEST

START_TEST(test_the_end_of_the_marks_is_the_end_of_waiting)
{
	struct marks m = { .list = { 500 }, .n = 1 };
	struct arrival a = arrival_of(&m);

	ck_assert(!arrival_wait(&a, 0, SIZE));
	ck_assert(arrival_wait(&a, 0, 500));
	ck_assert(!arrival_wait(&a, 500, 1));
}
END_TEST

START_TEST(test_marks_that_go_back_or_beyond_the_file_end_it_too)
{
	struct marks back = { .list = { 500, 499, SIZE }, .n = 3 }, beyond = { .list = { SIZE + 1, SIZE }, .n = 2 };
	struct arrival a = arrival_of(&back), b = arrival_of(&beyond);

	ck_assert(!arrival_wait(&a, 0, SIZE));
	ck_assert_uint_eq(a.mark, 500);
	ck_assert(!arrival_wait(&b, 0, 1));
	ck_assert_uint_eq(b.mark, 0);
}
END_TEST

HARNESS("arrival", test_a_read_waits_for_its_last_byte_and_no_longer, test_nothing_is_waited_for_where_nothing_is_read,
    test_a_read_at_or_beyond_the_end_waits_for_the_whole_file, test_the_end_of_the_marks_is_the_end_of_waiting,
    test_marks_that_go_back_or_beyond_the_file_end_it_too)
