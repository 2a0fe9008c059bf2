/* The cursor: one byte past the end is refused, moves nothing, and sticks. */
#include "harness.h"

#include "cursor.h"

static const uint8_t ten[10] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };

START_TEST(test_numbers_are_little_endian_at_any_alignment)
{
	struct cursor c = cur_over(bytes_of(ten, 10), 100);
	uint8_t u8;
	uint64_t u64;

	ck_assert(cur_u8(&c, &u8));
	ck_assert_uint_eq(u8, 1);
	ck_assert(cur_u64le(&c, &u64));
	ck_assert_uint_eq(u64, UINT64_C(0x0908070605040302));
	ck_assert_uint_eq(c.pos, 109);
	ck_assert_uint_eq(cur_left(&c), 1);

	uint16_t u16;
	uint32_t u32;

	c = cur_over(bytes_of(ten, 6), 0);
	ck_assert(cur_u16le(&c, &u16));
	ck_assert_uint_eq(u16, 0x0201);
	ck_assert(cur_u32le(&c, &u32));
	ck_assert_uint_eq(u32, 0x06050403);
	ck_assert_uint_eq(cur_left(&c), 0);
}
END_TEST

START_TEST(test_each_read_is_refused_one_byte_short)
{
	uint8_t u8 = 9;
	uint16_t u16 = 9;
	uint32_t u32 = 9;
	uint64_t u64 = 9;
	struct cursor c;

	c = cur_over(bytes_of(ten, 0), 5);
	ck_assert(!cur_u8(&c, &u8));
	ck_assert_uint_eq(u8, 0);
	c = cur_over(bytes_of(ten, 1), 5);
	ck_assert(!cur_u16le(&c, &u16));
	ck_assert_uint_eq(u16, 0);
	c = cur_over(bytes_of(ten, 3), 5);
	ck_assert(!cur_u32le(&c, &u32));
	ck_assert_uint_eq(u32, 0);
	c = cur_over(bytes_of(ten, 7), 5);
	ck_assert(!cur_u64le(&c, &u64));
	ck_assert_uint_eq(u64, 0);
	ck_assert_uint_eq(c.pos, 5);
}
END_TEST

START_TEST(test_first_failure_sticks)
{
	struct cursor c = cur_over(bytes_of(ten, 10), 0);
	uint8_t u8 = 9;

	ck_assert(cur_skip(&c, 10));
	ck_assert(!cur_skip(&c, 1));
	c = cur_over(bytes_of(ten, 10), 0);
	ck_assert(!cur_skip(&c, 11));
	ck_assert(!cur_u8(&c, &u8));
	ck_assert_uint_eq(u8, 0);
	ck_assert(!cur_skip(&c, 0));
	ck_assert_int_eq(c.err, CUR_SHORT);
	ck_assert_uint_eq(c.pos, 0);
	ck_assert_uint_eq(cur_left(&c), 0);
}
END_TEST

START_TEST(test_huge_length_does_not_wrap)
{
	struct cursor c = cur_over(bytes_of(ten, 10), 8);
	struct bytes b = bytes_of(ten, 3);

	ck_assert(!cur_bytes(&c, UINT64_MAX, &b));
	ck_assert_ptr_null(b.at);
	ck_assert_uint_eq(b.n, 0);
	ck_assert_uint_eq(c.pos, 8);
}
END_TEST

START_TEST(test_bytes_are_a_view)
{
	struct cursor c = cur_over(bytes_of(ten, 10), 1000);
	struct bytes b;

	ck_assert(cur_skip(&c, 3));
	ck_assert(cur_bytes(&c, 7, &b));
	ck_assert_ptr_eq(b.at, ten + 3);
	ck_assert_uint_eq(b.n, 7);
	ck_assert(cur_bytes(&c, 0, &b));
	ck_assert_uint_eq(b.n, 0);
}
END_TEST

START_TEST(test_carve_gives_a_child_its_bytes_and_no_more)
{
	struct cursor c = cur_over(bytes_of(ten, 10), 100), sub;
	uint8_t u8;

	ck_assert(cur_skip(&c, 2));
	ck_assert(cur_carve(&c, 3, &sub));
	ck_assert_uint_eq(c.pos, 105);
	ck_assert_uint_eq(sub.pos, 102);
	ck_assert_uint_eq(cur_left(&sub), 3);
	ck_assert(cur_u8(&sub, &u8));
	ck_assert_uint_eq(u8, 3);
	ck_assert(!cur_skip(&sub, 3));
	ck_assert_int_eq(c.err, CUR_OK);
	ck_assert(cur_u8(&c, &u8));
	ck_assert_uint_eq(u8, 6);
}
END_TEST

START_TEST(test_carve_refuses_one_byte_past_parent)
{
	struct cursor c = cur_over(bytes_of(ten, 10), 0), sub;

	ck_assert(cur_carve(&c, 10, &sub));
	c = cur_over(bytes_of(ten, 10), 0);
	ck_assert(!cur_carve(&c, 11, &sub));
	ck_assert_uint_eq(c.pos, 0);
	ck_assert_uint_eq(cur_left(&sub), 0);
	ck_assert(!cur_skip(&sub, 0));
}
END_TEST

HARNESS("cursor", test_numbers_are_little_endian_at_any_alignment, test_each_read_is_refused_one_byte_short,
    test_first_failure_sticks, test_huge_length_does_not_wrap, test_bytes_are_a_view,
    test_carve_gives_a_child_its_bytes_and_no_more, test_carve_refuses_one_byte_past_parent)
