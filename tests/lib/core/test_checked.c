/* Checked arithmetic: the last value that fits, the first that does not, and nothing stored on refusal. */
#include "harness.h"

#include "checked.h"

#define UNTOUCHED 42

START_TEST(test_add_stops_at_the_largest_value)
{
	uint64_t ret = UNTOUCHED;

	ck_assert(!add_u64(UINT64_MAX, 1, &ret));
	ck_assert_uint_eq(ret, UNTOUCHED);
	ck_assert(add_u64(UINT64_MAX - 1, 1, &ret));
	ck_assert_uint_eq(ret, UINT64_MAX);
}
END_TEST

START_TEST(test_sub_stops_at_zero)
{
	uint64_t ret = UNTOUCHED;

	ck_assert(!sub_u64(4, 5, &ret));
	ck_assert_uint_eq(ret, UNTOUCHED);
	ck_assert(sub_u64(5, 5, &ret));
	ck_assert_uint_eq(ret, 0);
}
END_TEST

START_TEST(test_mul_stops_at_the_largest_value)
{
	uint64_t ret = UNTOUCHED;

	ck_assert(!mul_u64(UINT64_C(1) << 32, UINT64_C(1) << 32, &ret));
	ck_assert_uint_eq(ret, UNTOUCHED);
	ck_assert(mul_u64(UINT64_MAX / 3, 3, &ret));
	ck_assert_uint_eq(ret, UINT64_MAX);
}
END_TEST

START_TEST(test_sizes_stop_at_the_largest_value)
{
	size_t ret = UNTOUCHED;

	ck_assert(!add_size(SIZE_MAX, 1, &ret));
	ck_assert(!mul_size(SIZE_MAX / 2 + 1, 2, &ret));
	ck_assert_uint_eq(ret, UNTOUCHED);
	ck_assert(add_size(SIZE_MAX - 1, 1, &ret));
	ck_assert(ret == SIZE_MAX);
	ck_assert(mul_size(SIZE_MAX / 3, 3, &ret));
	ck_assert(ret == SIZE_MAX);
	ck_assert(size_from_u64(SIZE_MAX, &ret));
	ck_assert(ret == SIZE_MAX);
}
END_TEST

HARNESS("checked", test_add_stops_at_the_largest_value, test_sub_stops_at_zero, test_mul_stops_at_the_largest_value,
    test_sizes_stop_at_the_largest_value)
