#include <stdio.h>

#include "harness.h"
#include "names.h"

#define MANY 5000

static struct json_text list[MANY];
static uint32_t twice_of[MANY]; /* earlier + 1, by i */
static size_t n_twice;

static struct json_text at(void *ctx, uint32_t i)
{
	(void)ctx;
	return list[i];
}

static void twice(void *ctx, uint32_t i, uint32_t earlier)
{
	(void)ctx;
	ck_assert_uint_lt(earlier, i);
	twice_of[i] = earlier + 1;
	n_twice++;
}

static bool check(size_t n, struct arena *arena)
{
	struct names names = { .at = at, .twice = twice, .seed = { 1, 2 } };

	memset(twice_of, 0, sizeof(twice_of));
	n_twice = 0;
	return names_check(&names, n, arena);
}

/* Names that repeat after `period`, of which every third occurrence is spelled with an escape. */
static void fill(size_t period)
{
	static char text[MANY][24];

	for (size_t i = 0; i < MANY; i++) {
		bool escaped = i / period % 3 == 1;

		snprintf(text[i], sizeof(text[i]), "%s%zu", escaped ? "\\u006e" : "n", i % period);
		list[i] = (struct json_text){ .raw = bytes_of_text(text[i]), .escaped = escaped };
	}
}

START_TEST(test_distinct_names_are_not_twice)
{
	struct arena arena;

	arena_init(&arena, 1 << 20);
	fill(MANY);
	for (size_t n = 0; n < MANY; n = n * 2 + 1) {
		ck_assert(check(n, &arena));
		ck_assert_uint_eq(n_twice, 0);
	}
	arena_done(&arena);
}
END_TEST

START_TEST(test_each_repetition_names_the_last_one_before_it)
{
	const size_t periods[] = { 1, 2, 15, 16, 17, 1000, MANY - 1 };
	struct arena arena;

	arena_init(&arena, 1 << 20);
	for (size_t k = 0; k < sizeof(periods) / sizeof(periods[0]); k++) {
		fill(periods[k]);
		ck_assert(check(MANY, &arena));
		ck_assert_uint_eq(n_twice, MANY - periods[k]);
		for (size_t i = periods[k]; i < MANY; i++)
			ck_assert_uint_eq(twice_of[i], i - periods[k] + 1);
	}
	arena_done(&arena);
}
END_TEST

START_TEST(test_memory_is_bounded_and_given_back)
{
	struct arena arena;
	size_t before;

	fill(MANY);
	arena_init(&arena, MANY * 32 + 256);
	before = arena.used;
	ck_assert(check(MANY, &arena));
	ck_assert_uint_eq(arena.used, before);
	arena_done(&arena);
	arena_init(&arena, MANY);
	ck_assert(!check(MANY, &arena));
	arena_done(&arena);
}
END_TEST

/* Hashes of the caller, every third of a list: those of the names, or one for all, when only the texts can tell. */
START_TEST(test_hashes_of_the_caller_only_find_candidates)
{
	static uint32_t hashes[MANY * 3];
	const size_t sizes[] = { 2, 32, 33, 500 };
	struct siphash_key seed = { 1, 2 };
	struct arena arena;

	arena_init(&arena, 1 << 20);
	fill(20);
	for (int same = 0; same < 2; same++) {
		for (size_t i = 0; i < MANY; i++)
			hashes[i * 3] = same ? 0xABCD1234 : names_hash(&list[i], &seed);
		for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
			struct names names = {
				.at = at, .twice = twice, .seed = seed, .hashes = hashes, .hash_stride = 3
			};

			memset(twice_of, 0, sizeof(twice_of));
			n_twice = 0;
			ck_assert(names_check(&names, sizes[k], &arena));
			ck_assert_uint_eq(n_twice, sizes[k] > 20 ? sizes[k] - 20 : 0);
			for (size_t i = 20; i < sizes[k]; i++)
				ck_assert_uint_eq(twice_of[i], i - 20 + 1);
		}
	}
	arena_done(&arena);
}
END_TEST

HARNESS("names", test_distinct_names_are_not_twice, test_each_repetition_names_the_last_one_before_it,
    test_memory_is_bounded_and_given_back, test_hashes_of_the_caller_only_find_candidates)
