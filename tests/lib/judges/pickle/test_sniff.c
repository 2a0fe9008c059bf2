/* Telling pickles from other bytes. */
#include "walk.h"

#include <math.h>

static bool sniff(const void *at, size_t n, uint64_t size, bool *ret_acts)
{
	struct arena arena;
	bool found;

	arena_init(&arena, SIZE_MAX);
	found = pickle_sniff(at, n, size, &arena, ret_acts);
	ck_assert_uint_eq(arena.used, 0);
	arena_done(&arena);
	return found;
}
#define SNIFF(literal) sniff(literal, sizeof(literal) - 1, sizeof(literal) - 1, NULL)

START_TEST(test_pickles_of_every_protocol)
{
	ck_assert(SNIFF("(dp0\nVa\np1\nI1\ns."));
	ck_assert(SNIFF("}q\x00X\x01\x00\x00\x00"
			"aK\x01s."));
	ck_assert(SNIFF("\x80\x02}q\x00."));
	ck_assert(SNIFF("\x80\x03N."));
	ck_assert(SNIFF("\x80\x04\x95\x02\x00\x00\x00\x00\x00\x00\x00}."));
	ck_assert(SNIFF("\x80\x05]\x94."));
	ck_assert(SNIFF("K\x01."));
}
END_TEST

START_TEST(test_the_head_of_a_large_pickle)
{
	static const char head[] = "\x80\x02}q\x00(X\x05\x00\x00\x00stateq\x01";

	ck_assert(sniff(head, sizeof(head) - 1, 1 << 20, NULL));
}
END_TEST

START_TEST(test_the_head_of_a_large_pickle_without_a_protocol)
{
	static const char head[] = "(lp0\nI1\naI2\naI3\naI4\naI5\naI6\naI7\na";
	static const char repeated[] = "NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN";

	ck_assert(sniff(head, sizeof(head) - 1, 1 << 20, NULL));
	ck_assert(!sniff(head, 20, 1 << 20, NULL)); /* too few to tell */
	ck_assert(!sniff(repeated, sizeof(repeated) - 1, 1 << 20, NULL));
}
END_TEST

START_TEST(test_an_import_tells_without_a_protocol)
{
	bool acts = false;

	ck_assert(sniff("cos\nsystem\n(S'id'\ntRjunk", 25, 1000, &acts));
	ck_assert(acts);
	acts = false;
	ck_assert(sniff("U\x02osU\x06system\x93junk", 17, 1000, &acts));
	ck_assert(acts);
	ck_assert(sniff("(ios\nsystem\n\xff\xff", 15, 1000, &acts));
	ck_assert(SNIFF("\x82\x01)Rjunk"));
}
END_TEST

START_TEST(test_data_alone_has_no_acts)
{
	bool acts = false;

	ck_assert(sniff("\x80\x02}.", 4, 4, &acts));
	ck_assert(!acts);
}
END_TEST

START_TEST(test_what_is_no_pickle)
{
	static const uint8_t zeros[4096];

	ck_assert(!SNIFF(""));
	ck_assert(!sniff(zeros, sizeof(zeros), sizeof(zeros), NULL));
	ck_assert(!SNIFF("\x80\x06}."));
	ck_assert(!SNIFF("\x80\x02\xff\xff\xff\xff"));
	ck_assert(!SNIFF("K\x01.more")); /* no act, and not all of it */
	ck_assert(!SNIFF("c?\n!\nN0"));  /* names of nothing */
	ck_assert(!SNIFF("{\"a\": 1}"));
	ck_assert(!SNIFF("PK\x03\x04\x14\x00\x00\x00"));
	ck_assert(!SNIFF("\x7f"
			 "ELF\x02\x01\x01"));
	ck_assert(!SNIFF("It is a truth universally acknowledged, that\na single man\n"));
	ck_assert(!SNIFF("import os\n"));
}
END_TEST

static uint64_t state = 88172645463325252;

static uint64_t next_random(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state * UINT64_C(0x2545f4914f6cdd1d);
}

static void fill_uniform(uint8_t *at, size_t n)
{
	for (size_t i = 0; i < n; i += 8)
		store_u64le(at + i, next_random());
}

static float gaussian(void)
{
	double a = (double)((next_random() >> 11) + 1) / 9007199254740993.0;
	double b = (double)(next_random() >> 11) / 9007199254740992.0;

	return (float)(sqrt(-2 * log(a)) * cos(6.283185307179586 * b) * 0.02);
}

static void fill_f32(uint8_t *at, size_t n)
{
	for (size_t i = 0; i < n; i += 4) {
		float f = gaussian();

		memcpy(at + i, &f, sizeof(f));
	}
}

static void fill_bf16(uint8_t *at, size_t n)
{
	for (size_t i = 0; i < n; i += 2) {
		float f = gaussian();
		uint32_t bits;

		memcpy(&bits, &f, sizeof(bits));
		store_u16le(at + i, (uint16_t)(bits >> 16));
	}
}

START_TEST(test_weights_are_not_taken_for_pickles)
{
	static void (*const fills[])(uint8_t *, size_t) = { fill_uniform, fill_f32, fill_bf16 };
	uint8_t head[256];
	unsigned found = 0;

	for (size_t kind = 0; kind < 3; kind++) {
		for (unsigned i = 0; i < 50000; i++) {
			fills[kind](head, sizeof(head));
			found += sniff(head, sizeof(head), 1 << 20, NULL);
		}
	}
	ck_assert_uint_le(found, 1);
}
END_TEST

HARNESS("pickle-sniff", test_pickles_of_every_protocol, test_the_head_of_a_large_pickle,
    test_the_head_of_a_large_pickle_without_a_protocol, test_an_import_tells_without_a_protocol,
    test_data_alone_has_no_acts, test_what_is_no_pickle, test_weights_are_not_taken_for_pickles)
