/* UTF-8: the bounds of each length, whole texts and texts in pieces, and Python's surrogates. */
#include "harness.h"
#include "utf8.h"

START_TEST(test_accepts_first_and_last_of_each_length)
{
	const char *const good[] = { "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
		"\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF" };

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ck_assert_uint_eq(utf8_check(bytes_of_text(good[i])), strlen(good[i]));
}
END_TEST

START_TEST(test_refuses_neighbours_of_each_bound)
{
	const char *const bad[] = { "\x80", "\xBF", "\xC1\xBF", "\xC0\x80", "\xE0\x9F\xBF", "\xED\xA0\x80",
		"\xED\xBF\xBF", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xC2", "\xC2\x41",
		"\xE1\x80", "\xE1\x80\x41", "\xF1\x80\x80", "\xF1\x80\x80\xC0" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(utf8_check(bytes_of_text(bad[i])) == 0, "%zu", i);
}
END_TEST

START_TEST(test_finds_one_bad_byte_wherever_it_is)
{
	char text[300];

	for (size_t at = 0; at < sizeof(text); at++) {
		memset(text, 'a', sizeof(text));
		text[at] = (char)0xFF;
		ck_assert_uint_eq(utf8_check(bytes_of(text, sizeof(text))), at);
	}
}
END_TEST

START_TEST(test_reads_a_character_across_any_block_border)
{
	char text[200];

	for (size_t at = 0; at + 3 <= sizeof(text); at++) {
		memset(text, 'a', sizeof(text));
		memcpy(text + at, "\xE2\x82\xAC", 3);
		ck_assert_uint_eq(utf8_check(bytes_of(text, sizeof(text))), sizeof(text));
	}
}
END_TEST

/* In two pieces, cut wherever it may be. */
static bool pieces_are_whole(struct bytes text, bool surrogates)
{
	bool all = true;

	for (size_t cut = 0; cut <= text.n; cut++) {
		struct utf8_stream u = { .surrogates = surrogates };

		all = all && utf8_stream_feed(&u, text.at, cut) && utf8_stream_feed(&u, text.at + cut, text.n - cut) &&
		      utf8_stream_whole(&u);
	}
	return all;
}

START_TEST(test_pieces_are_what_the_whole_is)
{
	uint8_t text[3];

	for (uint32_t c = 0; c < 0x1000000; c += c < 0x10000 ? 1 : 61) {
		for (size_t i = 0; i < 3; i++)
			text[i] = (uint8_t)(c >> 8 * i);
		ck_assert_msg(
		    (utf8_check(bytes_of(text, 3)) == 3) == pieces_are_whole(bytes_of(text, 3), false), "%06x", c);
	}
}
END_TEST

START_TEST(test_surrogates_only_where_they_are_asked_for)
{
	const char *const surrogates[] = { "\xED\xA0\x80", "\xED\xBF\xBF", "a\xED\xA0\xBD\xED\xB8\x80z" };

	for (size_t i = 0; i < sizeof(surrogates) / sizeof(surrogates[0]); i++) {
		ck_assert(pieces_are_whole(bytes_of_text(surrogates[i]), true));
		ck_assert(!pieces_are_whole(bytes_of_text(surrogates[i]), false));
	}
	ck_assert(
	    !pieces_are_whole(bytes_of_text("\xED\xC0\x80"), true) && !pieces_are_whole(bytes_of_text("\xED"), true));
}
END_TEST

HARNESS("utf8", test_accepts_first_and_last_of_each_length, test_refuses_neighbours_of_each_bound,
    test_finds_one_bad_byte_wherever_it_is, test_reads_a_character_across_any_block_border,
    test_pieces_are_what_the_whole_is, test_surrogates_only_where_they_are_asked_for)
