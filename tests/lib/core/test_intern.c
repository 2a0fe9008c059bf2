/* lib/core/intern.c: texts told apart. */
#include <stdio.h>

#include "harness.h"
#include "intern.h"

static const struct siphash_key seed = { .k0 = 3, .k1 = 5 };

static uint32_t add(struct intern *t, const char *text)
{
	uint32_t id = INTERN_NONE;

	ck_assert(intern_add(t, bytes_of_text(text), &id));
	return id;
}

START_TEST(test_texts_are_numbered_as_they_come)
{
	struct arena a;
	struct intern t;

	arena_init(&a, 1 << 20);
	intern_init(&t, &a, seed);
	ck_assert_uint_eq(intern_find(&t, bytes_of_text("a")), INTERN_NONE);
	ck_assert_uint_eq(add(&t, "a"), 0);
	ck_assert_uint_eq(add(&t, ""), 1);
	ck_assert_uint_eq(add(&t, "ab"), 2);
	ck_assert_uint_eq(add(&t, "a"), 0);
	ck_assert_uint_eq(add(&t, ""), 1);
	ck_assert_uint_eq(t.n, 3);
	ck_assert_uint_eq(intern_find(&t, bytes_of_text("ab")), 2);
	ck_assert_uint_eq(intern_find(&t, bytes_of_text("b")), INTERN_NONE);
	ck_assert(bytes_equal(intern_text(&t, 2), bytes_of_text("ab")));
	arena_done(&a);
}
END_TEST

START_TEST(test_texts_that_hold_nul_differ_behind_it)
{
	struct arena a;
	struct intern t;
	uint32_t id;

	arena_init(&a, 1 << 20);
	intern_init(&t, &a, seed);
	ck_assert(intern_add(&t, bytes_of("a\0b", 3), &id) && id == 0);
	ck_assert(intern_add(&t, bytes_of("a\0c", 3), &id) && id == 1);
	ck_assert(intern_add(&t, bytes_of("a", 1), &id) && id == 2);
	arena_done(&a);
}
END_TEST

/* Equal hashes must not make equal texts: of 200,000 texts some share 32 bits, whatever the key. */
START_TEST(test_many_texts_stay_apart)
{
	struct arena a;
	struct intern t;
	char text[32];

	arena_init(&a, (size_t)64 << 20);
	intern_init(&t, &a, seed);
	for (uint32_t round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 200000; i++) {
			snprintf(text, sizeof(text), "layer.%u", i);
			ck_assert_uint_eq(add(&t, text), i);
		}
	}
	ck_assert_uint_eq(t.n, 200000);
	arena_done(&a);
}
END_TEST

START_TEST(test_values_are_kept_when_the_table_grows)
{
	struct arena a;
	struct intern t;
	char text[32];
	uint32_t id;

	arena_init(&a, (size_t)16 << 20);
	intern_init(&t, &a, seed);
	for (uint32_t i = 0; i < 1000; i++) {
		snprintf(text, sizeof(text), "%u", i);
		ck_assert_uint_eq(t.list != NULL && i > 0 ? t.list[i - 1].value[1] : 0, i > 0 ? i - 1 : 0);
		id = add(&t, text);
		t.list[id].value[1] = i;
	}
	for (uint32_t i = 0; i < 1000; i++)
		ck_assert_uint_eq(t.list[i].value[1], i);
	ck_assert_uint_eq(t.list[999].value[0], 0);
	arena_done(&a);
}
END_TEST

START_TEST(test_a_spent_arena_refuses_and_keeps_what_is_there)
{
	struct arena a;
	struct intern t;
	char text[128];
	uint32_t n = 0, id;

	arena_init(&a, 16384);
	intern_init(&t, &a, seed);
	do
		snprintf(text, sizeof(text), "%0100u", n);
	while (intern_add(&t, bytes_of_text(text), &id) && id == n++);
	ck_assert(n > 10 && t.n == n && a.exhausted);
	for (uint32_t i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "%0100u", i);
		ck_assert_uint_eq(intern_find(&t, bytes_of_text(text)), i);
	}
	arena_done(&a);
}
END_TEST

START_TEST(test_done_gives_the_memory_back)
{
	struct arena a;
	struct intern t;
	size_t before;

	arena_init(&a, 1 << 20);
	intern_init(&t, &a, seed);
	before = a.used;
	add(&t, "a");
	ck_assert_uint_gt(a.used, before);
	intern_done(&t);
	ck_assert_uint_eq(a.used, before);
	ck_assert_uint_eq(intern_find(&t, bytes_of_text("a")), INTERN_NONE);
	ck_assert_uint_eq(add(&t, "b"), 0);
	arena_done(&a);
}
END_TEST

HARNESS("intern", test_texts_are_numbered_as_they_come, test_texts_that_hold_nul_differ_behind_it,
    test_many_texts_stay_apart, test_values_are_kept_when_the_table_grows,
    test_a_spent_arena_refuses_and_keeps_what_is_there, test_done_gives_the_memory_back)
