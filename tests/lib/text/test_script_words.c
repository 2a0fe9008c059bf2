#include "harness.h"
#include "script_words.h"

/* In two pieces, the first of so many bytes. */
static struct script_words feed(const char *text, size_t first)
{
	struct script_words w = { 0 };

	script_words_feed(&w, (const uint8_t *)text, first);
	script_words_feed(&w, (const uint8_t *)text + first, strlen(text) - first);
	return w;
}

START_TEST(test_tags_are_seen_in_any_case_and_across_pieces)
{
	const char *const yes[] = { "<script>", "a <SCRIPT src=b>", "<?php ", "x<?PhP\n", "<html>", "<HTML lang",
		"<<script>", "<scripscript <script/>" };
	const char *const no[] = { "", "<", "<script", "<scripts>", "<?php", "<?phpx", "script>", "<htm l>",
		"< script>" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		for (size_t n = 0; n <= strlen(yes[i]); n++)
			ck_assert_msg(feed(yes[i], n).markup, "%s at %zu", yes[i], n);
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++)
		for (size_t n = 0; n <= strlen(no[i]); n++)
			ck_assert_msg(!feed(no[i], n).markup, "%s at %zu", no[i], n);
}
END_TEST

START_TEST(test_tags_are_seen_byte_by_byte)
{
	struct script_words w = { 0 };

	for (const char *p = "some text, then <script >"; *p != '\0'; p++)
		script_words_feed(&w, (const uint8_t *)p, 1);
	ck_assert(w.markup);
}
END_TEST

START_TEST(test_a_first_line_may_stand_behind_the_mark_of_utf8)
{
	const char *const yes[] = { "#!", "#!/bin/sh", "\xef\xbb\xbf#!/bin/sh" };
	const char *const no[] = { "", "#", " #!/bin/sh", "\xef\xbb\xbf", "\xef\xbb\xbf\xef\xbb\xbf#!", "\n#!" };

	for (size_t i = 0; i < sizeof(yes) / sizeof(yes[0]); i++)
		for (size_t n = 0; n <= strlen(yes[i]); n++) {
			const struct script_words w = feed(yes[i], n);

			ck_assert_msg(script_words_begins(&w), "%s at %zu", yes[i], n);
		}
	for (size_t i = 0; i < sizeof(no) / sizeof(no[0]); i++) {
		const struct script_words w = feed(no[i], 0);

		ck_assert_msg(!script_words_begins(&w), "%s", no[i]);
	}
}
END_TEST

HARNESS("script_words", test_tags_are_seen_in_any_case_and_across_pieces, test_tags_are_seen_byte_by_byte,
    test_a_first_line_may_stand_behind_the_mark_of_utf8)
