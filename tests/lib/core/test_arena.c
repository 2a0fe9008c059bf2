/* The arena: budget, zeroes, growth. */
#include "harness.h"

#include <stdint.h>
#include <string.h>

#include "arena.h"

static bool all_zero(const uint8_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (at[i] != 0)
			return false;
	}
	return true;
}

START_TEST(test_memory_is_zero_and_aligned)
{
	struct arena a;

	arena_init(&a, 1 << 20);
	for (size_t n = 1; n < 20000; n = n * 3 / 2 + 1) {
		uint8_t *at = arena_alloc(&a, n, 1);

		ck_assert_ptr_nonnull(at);
		ck_assert_uint_eq((uintptr_t)at % _Alignof(max_align_t), 0);
		ck_assert(all_zero(at, n));
		memset(at, 0xff, n);
	}
	arena_done(&a);
}
END_TEST

START_TEST(test_pieces_of_a_chunk_do_not_share_bytes)
{
	uint8_t *at[2000];
	struct arena a;

	arena_init(&a, 1 << 20);
	for (unsigned i = 0; i < 2000; i++) {
		at[i] = arena_alloc(&a, i % 100 + 1, 1);
		memset(at[i], (int)(i & 0xff), i % 100 + 1);
	}
	for (unsigned i = 0; i < 2000; i++) {
		for (unsigned j = 0; j < i % 100 + 1; j++)
			ck_assert_uint_eq(at[i][j], i & 0xff);
	}
	arena_done(&a);
}
END_TEST

START_TEST(test_nothing_is_a_valid_pointer)
{
	struct arena a;

	arena_init(&a, 1 << 20);
	ck_assert_ptr_nonnull(arena_alloc(&a, 0, 8));
	ck_assert_ptr_nonnull(arena_alloc(&a, 8, 0));
	ck_assert_ptr_nonnull(arena_resize(&a, NULL, 0, 8));
	ck_assert(!a.exhausted);
	arena_done(&a);
}
END_TEST

/* What a block of n bytes costs, header included. */
static size_t cost_of(size_t n)
{
	struct arena a;
	size_t used;

	arena_init(&a, SIZE_MAX);
	arena_resize(&a, NULL, n, 1);
	used = a.used;
	arena_done(&a);
	return used;
}

START_TEST(test_budget_is_met_to_the_byte)
{
	size_t cost = cost_of(100000);
	struct arena a;

	arena_init(&a, cost);
	ck_assert_ptr_nonnull(arena_alloc(&a, 100000, 1));
	ck_assert(!a.exhausted);
	ck_assert_ptr_null(arena_alloc(&a, 0, 0));
	ck_assert(a.exhausted);
	ck_assert_uint_eq(a.used, cost);
	arena_done(&a);

	arena_init(&a, cost - 1);
	ck_assert_ptr_null(arena_alloc(&a, 100000, 1));
	ck_assert(a.exhausted);
	ck_assert_uint_eq(a.used, 0);
	arena_raise_budget(&a, cost);
	ck_assert_ptr_nonnull(arena_alloc(&a, 100000, 1));
	arena_done(&a);
}
END_TEST

START_TEST(test_charge_counts_against_the_budget)
{
	struct arena a;

	arena_init(&a, 1000);
	ck_assert(arena_charge(&a, 999));
	ck_assert(arena_charge(&a, 1));
	ck_assert(!a.exhausted);
	ck_assert(!arena_charge(&a, 1));
	ck_assert(a.exhausted);
	ck_assert_uint_eq(a.used, 1000);
	arena_done(&a);
}
END_TEST

START_TEST(test_budget_is_never_lowered)
{
	struct arena a;

	arena_init(&a, 1000);
	arena_raise_budget(&a, 10);
	ck_assert_uint_eq(a.budget, 1000);
	arena_done(&a);
}
END_TEST

START_TEST(test_wrapping_size_is_refused)
{
	struct arena a;

	arena_init(&a, SIZE_MAX);
	ck_assert_ptr_null(arena_alloc(&a, SIZE_MAX / 2 + 1, 2));
	ck_assert(a.exhausted);
	ck_assert_ptr_null(arena_alloc(&a, SIZE_MAX, 1));
	ck_assert_ptr_null(arena_resize(&a, NULL, SIZE_MAX, 1));
	ck_assert_ptr_null(arena_resize(&a, NULL, SIZE_MAX / 2 + 1, 2));
	arena_done(&a);
}
END_TEST

START_TEST(test_resize_keeps_content_and_zeroes_the_rest)
{
	struct arena a;
	uint8_t *at = NULL;
	size_t old = 0;

	arena_init(&a, 64 << 20);
	for (size_t n = 10; n < 4 << 20; n *= 2) {
		at = arena_resize(&a, at, n, 1);
		ck_assert_ptr_nonnull(at);
		for (size_t i = 0; i < old; i++)
			ck_assert_uint_eq(at[i], 7);
		ck_assert(all_zero(at + old, n - old));
		memset(at, 7, n);
		old = n;
	}
	at = arena_resize(&a, at, 100, 1);
	at = arena_resize(&a, at, 200, 1);
	ck_assert_uint_eq(at[99], 7);
	ck_assert(all_zero(at + 100, 100));
	arena_release(&a, at);
	ck_assert_uint_eq(a.used, 0);
	arena_done(&a);
}
END_TEST

START_TEST(test_raw_resize_keeps_content_and_counts_alike)
{
	struct arena a, raw;
	uint8_t *at = NULL, *raw_at = NULL;

	arena_init(&a, 64 << 20);
	arena_init(&raw, 64 << 20);
	for (size_t n = 10; n < 4 << 20; n *= 3) {
		at = arena_resize(&a, at, n, 1);
		raw_at = arena_resize_raw(&raw, raw_at, n, 1);
		ck_assert_ptr_nonnull(raw_at);
		ck_assert_uint_eq(a.used, raw.used);
		for (size_t i = 0; n > 10 && i < n / 3; i++)
			ck_assert_uint_eq(raw_at[i], 7);
		memset(raw_at, 7, n);
	}
	ck_assert_ptr_null(arena_resize_raw(&raw, raw_at, 1, 64 << 20));
	ck_assert(raw.exhausted);
	arena_done(&a);
	arena_done(&raw);
}
END_TEST

/* Chunks come from the C library with what was there before (MALLOC_PERTURB_ fills them in every test run). */
START_TEST(test_recycled_chunks_are_handed_out_zeroed)
{
	struct arena a;

	for (int round = 0; round < 3; round++) {
		arena_init(&a, 1 << 20);
		for (size_t n = 1; n < 3000; n += 7) {
			uint8_t *at = arena_alloc(&a, n, 1);

			ck_assert_ptr_nonnull(at);
			ck_assert(all_zero(at, n));
			memset(at, 0xff, n);
			if (a.used > 900000)
				break;
		}
		arena_done(&a);
	}
}
END_TEST

START_TEST(test_refused_resize_leaves_the_old_block)
{
	size_t cost = cost_of(1000);
	struct arena a;
	uint8_t *at;

	arena_init(&a, cost);
	at = arena_resize(&a, NULL, 500, 1);
	at = arena_resize(&a, at, 1000, 1);
	ck_assert_ptr_nonnull(at);
	memset(at, 3, 1000);
	ck_assert_ptr_null(arena_resize(&a, at, 1001, 1));
	ck_assert(a.exhausted);
	ck_assert_uint_eq(at[999], 3);
	ck_assert_uint_eq(a.used, cost);
	arena_done(&a);
}
END_TEST

START_TEST(test_blocks_can_be_released_in_any_order)
{
	struct arena a;
	void *at[3];

	arena_init(&a, 1 << 20);
	for (int order = 0; order < 3; order++) {
		for (int i = 0; i < 3; i++)
			at[i] = arena_resize(&a, NULL, 100, 1);
		for (int i = 0; i < 3; i++)
			arena_release(&a, at[(i + order) % 3]);
		ck_assert_uint_eq(a.used, 0);
		ck_assert_ptr_null(a.blocks);
	}
	arena_release(&a, NULL);
	arena_done(&a);
}
END_TEST

HARNESS("arena", test_memory_is_zero_and_aligned, test_pieces_of_a_chunk_do_not_share_bytes,
    test_nothing_is_a_valid_pointer, test_budget_is_met_to_the_byte, test_charge_counts_against_the_budget,
    test_budget_is_never_lowered, test_wrapping_size_is_refused, test_resize_keeps_content_and_zeroes_the_rest,
    test_raw_resize_keeps_content_and_counts_alike, test_recycled_chunks_are_handed_out_zeroed,
    test_refused_resize_leaves_the_old_block, test_blocks_can_be_released_in_any_order)
