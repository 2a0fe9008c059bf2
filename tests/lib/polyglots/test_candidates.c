/* Where signatures may stand: both builds say the same of every byte and length, and what is there is never missed. */
#include "harness.h"

#include <string.h>

#include "candidates.h"

static const int16_t wanted[][CANDIDATE_BYTES] = { { 0xBC, 0xAF, 0x27 }, { '_', 'H', 'A' }, { 0x60, 0xEA, -1 },
	{ 'u', 's', 't' } };

static struct candidates candidates_of_wanted(void)
{
	struct candidates c = { 0 };

	for (unsigned i = 0; i < 4; i++)
		candidates_add(&c, i, wanted[i]);
	return c;
}

START_TEST(test_what_is_there_is_found_at_every_place_and_length)
{
	const struct candidates c = candidates_of_wanted();
	uint8_t b[150] = { 0 };

	for (size_t n = 0; n <= sizeof(b); n++)
		for (size_t at = 0; at + CANDIDATE_BYTES <= n; at++) {
			for (unsigned i = 0; i < CANDIDATE_BYTES; i++)
				b[at + i] = (uint8_t)wanted[at % 4][i];
			ck_assert_uint_eq(candidates_next(&c, b, 0, n), at);
			ck_assert_uint_eq(candidates_next(&c, b, at, n), at);
			ck_assert_uint_eq(candidates_next(&c, b, at + 1, n), n);
			memset(b, 0, sizeof(b));
		}
	ck_assert_uint_eq(candidates_next(&c, b, 0, sizeof(b)), sizeof(b));
}
END_TEST

START_TEST(test_both_builds_agree)
{
	const struct candidates c = candidates_of_wanted();
	uint8_t b[4096];
	uint64_t seed = 1;

	for (size_t i = 0; i < sizeof(b); i++) { /* bytes of the signatures, and others */
		seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
		b[i] = seed >> 62 ? (uint8_t)wanted[seed >> 40 & 3][seed >> 50 & 1] : (uint8_t)(seed >> 33);
	}
	for (size_t i = 0; i < sizeof(b); i++)
		ck_assert_uint_eq(candidates_next(&c, b, i, sizeof(b)), candidates_next_baseline(&c, b, i, sizeof(b)));
}
END_TEST

HARNESS("candidates", test_what_is_there_is_found_at_every_place_and_length, test_both_builds_agree)
