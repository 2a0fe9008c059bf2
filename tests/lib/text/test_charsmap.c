#include "charsmap.h"
#include "harness.h"

#define UNITS 512u
#define TEXTS "a\0bc\0\xC3\xA9"

/* A root that leads to the second block, a leaf, texts. */
static uint8_t map[4 + UNITS * 4 + sizeof(TEXTS)];
static size_t at;

static void set_unit(uint32_t i, uint32_t unit)
{
	store_u32le(map + 4 + i * 4, unit);
}

static void make(void)
{
	memset(map, 0, sizeof(map));
	store_u32le(map, UNITS * 4);
	memcpy(map + 4 + UNITS * 4, TEXTS, sizeof(TEXTS));
	set_unit(0, 256u << 10);
	set_unit(300, 0x80000000u | 2);
}

static enum charsmap_fault check(size_t n)
{
	return charsmap_check(bytes_of(map, n), &at);
}

START_TEST(test_a_sound_map)
{
	make();
	ck_assert_int_eq(check(sizeof(map)), CHARSMAP_SOUND);
}
END_TEST

START_TEST(test_size)
{
	make();
	ck_assert_int_eq(check(4 + UNITS * 4 - 1), CHARSMAP_SIZE);
	ck_assert_int_eq(check(3), CHARSMAP_SIZE);
	ck_assert_int_eq(check(0), CHARSMAP_SIZE);
	store_u32le(map, UNITS * 4 - 1);
	ck_assert_int_eq(check(sizeof(map)), CHARSMAP_SIZE);
	store_u32le(map, 0x7ffffff0);
	ck_assert_int_eq(check(sizeof(map)), CHARSMAP_SIZE);
	store_u32le(map, 0);
	ck_assert_int_eq(check(sizeof(map)), CHARSMAP_SIZE);
}
END_TEST

START_TEST(test_texts_are_utf8_and_end)
{
	make();
	ck_assert_int_eq(check(sizeof(map) - 1), CHARSMAP_TEXTS);
	map[4 + UNITS * 4] = 0xFF;
	ck_assert_int_eq(check(sizeof(map)), CHARSMAP_TEXTS);
	ck_assert_uint_eq(at, 4 + UNITS * 4);
}
END_TEST

START_TEST(test_a_leaf_leads_to_the_beginning_of_a_text)
{
	const uint32_t good[] = { 0, 2, 5 }, bad[] = { 1, 3, 4, 6, 7, sizeof(TEXTS), 9, 0x7fffffff };

	make();
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		set_unit(300, 0x80000000u | good[i]);
		ck_assert_msg(check(sizeof(map)) == CHARSMAP_SOUND, "%u", good[i]);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		set_unit(300, 0x80000000u | bad[i]);
		ck_assert_msg(check(sizeof(map)) == CHARSMAP_LEAF, "%u", bad[i]);
		ck_assert_uint_eq(at, 4 + 300 * 4);
	}
}
END_TEST

START_TEST(test_a_unit_leads_into_the_trie)
{
	make();
	set_unit(10, 1u << 10 | 512u); /* one unit of 256 */
	ck_assert_int_eq(check(sizeof(map)), CHARSMAP_SOUND);
	set_unit(10, 2u << 10 | 512u);
	ck_assert_int_eq(check(sizeof(map)), CHARSMAP_OFFSET);
	set_unit(10, 511u << 10);
	ck_assert_int_eq(check(sizeof(map)), CHARSMAP_SOUND);
	set_unit(10, 512u << 10);
	ck_assert_int_eq(check(sizeof(map)), CHARSMAP_OFFSET);
}
END_TEST

/* Even a root of 0 is where every search begins. */
START_TEST(test_the_root_is_asked_whatever_it_is)
{
	uint8_t small[8] = { 4 };

	ck_assert_int_eq(charsmap_check(bytes_of(small, sizeof(small)), &at), CHARSMAP_OFFSET);
	make();
	set_unit(0, 0);
	ck_assert_int_eq(check(sizeof(map)), CHARSMAP_SOUND);
}
END_TEST

HARNESS("charsmap", test_a_sound_map, test_size, test_texts_are_utf8_and_end,
    test_a_leaf_leads_to_the_beginning_of_a_text, test_a_unit_leads_into_the_trie,
    test_the_root_is_asked_whatever_it_is)
