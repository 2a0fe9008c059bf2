/* SipHash-1-3 against values of two other programs: an implementation written from the paper, and
 * CPython 3.11, whose hash of bytes is SipHash-1-3 (zero key under PYTHONHASHSEED=0). */
#include "harness.h"

#include <string.h>

#include "siphash.h"

static void fill(uint8_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		at[i] = (uint8_t)i;
}

START_TEST(test_known_values_with_the_paper_key)
{
	static const struct {
		size_t n;
		uint64_t hash;
	} known[] = {
		{ 0, UINT64_C(0xabac0158050fc4dc) },
		{ 1, UINT64_C(0xc9f49bf37d57ca93) },
		{ 7, UINT64_C(0xd3927d989bb11140) },
		{ 8, UINT64_C(0x369095118d299a8e) },
		{ 9, UINT64_C(0x25a48eb36c063de4) },
		{ 15, UINT64_C(0xd320d86d2a519956) },
		{ 16, UINT64_C(0xcc4fdd1a7d908b66) },
		{ 63, UINT64_C(0x9d199062b7bbb3a8) },
	};
	struct siphash_key key = { UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908) };
	uint8_t data[63];

	fill(data, sizeof(data));
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		ck_assert_uint_eq(siphash13(data, known[i].n, &key), known[i].hash);
}
END_TEST

START_TEST(test_known_values_with_a_zero_key)
{
	struct siphash_key key = { 0, 0 };
	uint8_t data[15];

	fill(data, sizeof(data));
	ck_assert_uint_eq(siphash13(data, 1, &key), UINT64_C(0x68a914128e01e473));
	ck_assert_uint_eq(siphash13(data, 8, &key), UINT64_C(0xead411e67ebe2eea));
	ck_assert_uint_eq(siphash13(data, 15, &key), UINT64_C(0xf30eb725bb91c9ea));
}
END_TEST

START_TEST(test_every_bit_of_key_and_data_counts)
{
	struct siphash_key key = { 1, 2 };
	uint8_t data[24];
	uint64_t whole;

	fill(data, sizeof(data));
	whole = siphash13(data, sizeof(data), &key);
	for (size_t bit = 0; bit < 8 * sizeof(data); bit++) {
		data[bit / 8] ^= (uint8_t)(1u << bit % 8);
		ck_assert_uint_ne(siphash13(data, sizeof(data), &key), whole);
		data[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	for (unsigned bit = 0; bit < 64; bit++) {
		struct siphash_key k0 = { 1 ^ UINT64_C(1) << bit, 2 }, k1 = { 1, 2 ^ UINT64_C(1) << bit };

		ck_assert_uint_ne(siphash13(data, sizeof(data), &k0), whole);
		ck_assert_uint_ne(siphash13(data, sizeof(data), &k1), whole);
	}
}
END_TEST

START_TEST(test_alignment_does_not_matter)
{
	struct siphash_key key = { 3, 4 };
	uint8_t data[40], moved[48];

	fill(data, sizeof(data));
	for (size_t shift = 0; shift < 8; shift++) {
		memcpy(moved + shift, data, sizeof(data));
		ck_assert_uint_eq(siphash13(moved + shift, sizeof(data), &key), siphash13(data, sizeof(data), &key));
	}
}
END_TEST

HARNESS("siphash", test_known_values_with_the_paper_key, test_known_values_with_a_zero_key,
    test_every_bit_of_key_and_data_counts, test_alignment_does_not_matter)
