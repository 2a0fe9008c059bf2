/* Globs of policy rules, policy/glob.c. */
#include <string.h>

#include "harness.h"
#include "policy_impl.h"

struct glob_case {
	const char *glob, *text;
	bool matches;
};

static const struct glob_case cases[] = {
	{ "", "", true },
	{ "", "a", false },
	{ "a", "a", true },
	{ "a", "ab", false },
	{ "ab", "a", false },
	{ "*", "", true },
	{ "*", "anything/at all", true },
	{ "a*", "a", true },
	{ "a*", "ba", false },
	{ "*a", "a", true },
	{ "*a", "ab", false },
	{ "*a", "aab a", true },
	{ "a*b*c", "abc", true },
	{ "a*b*c", "a--b--b--c", true },
	{ "a*b*c", "a--c--b", false },
	{ "**", "x", true },
	{ "a**", "a", true },
	{ "?", "a", true },
	{ "?", "", false },
	{ "?", "ab", false },
	{ "??", "ab", true },
	{ "a?c", "a/c", true },
	{ "*?", "", false },
	{ "*?", "x", true },
	{ "?", "\xC3\xA9", true },         /* one character of two bytes */
	{ "?", "\xF0\x9F\x98\x80", true }, /* of four */
	{ "?", "\xC3", true },             /* a byte that is no UTF-8 */
	{ "?", "\xC3\xC3", false },
	{ "\\*", "*", true },
	{ "\\*", "a", false },
	{ "\\?", "?", true },
	{ "\\\\", "\\", true },
	{ "a\\", "a\\", true },
	{ "[a]", "[a]", true }, /* brackets are themselves */
	{ "[a]", "a", false },
	{ "model.layers.*.weight", "model.layers.0.mlp.weight", true },
	{ "model.layers.*.weight", "model.layers.weight", false },
	{ "polyglot-*", "polyglot-zip", true },
	{ "polyglot-*", "polyglot", false },
	{ "WEIGHTS", "weights", false },
};

START_TEST(test_glob_match_agrees_with_the_table)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(glob_match(cases[i].glob, bytes_of_text(cases[i].text)) == cases[i].matches, "%s ~ %s",
		    cases[i].glob, cases[i].text);
}
END_TEST

START_TEST(test_glob_match_sees_bytes_behind_a_nul)
{
	ck_assert(!glob_match("a", bytes_of("a\0b", 3)));
	ck_assert(glob_match("a*b", bytes_of("a\0b", 3)));
	ck_assert(glob_match("a?b", bytes_of("a\0b", 3)));
}
END_TEST

START_TEST(test_glob_match_stays_quick_on_many_stars)
{
	char glob[129], text[1025];

	/* 64 stars against a text that almost matches: with naive backtracking this never ends. */
	for (size_t i = 0; i < 128; i += 2)
		memcpy(glob + i, "*a", 2);
	glob[127] = 'b';
	glob[128] = '\0';
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	ck_assert(!glob_match(glob, bytes_of_text(text)));
}
END_TEST

START_TEST(test_glob_is_pattern_tells_fixed_texts)
{
	ck_assert(!glob_is_pattern("weights-nan"));
	ck_assert(!glob_is_pattern("a[b]"));
	ck_assert(glob_is_pattern("weights-*"));
	ck_assert(glob_is_pattern("weights-na?"));
	ck_assert(glob_is_pattern("weights\\-nan"));
}
END_TEST

HARNESS("policy_glob", test_glob_match_agrees_with_the_table, test_glob_match_sees_bytes_behind_a_nul,
    test_glob_match_stays_quick_on_many_stars, test_glob_is_pattern_tells_fixed_texts)
