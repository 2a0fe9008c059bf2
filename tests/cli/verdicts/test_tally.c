/* Verdicts counted and read: what the exit status is made of. */
#include "harness.h"
#include "print.h"
#include "verdict_json.h"

static struct tally tally;

static void add(const char *text)
{
	json_t *verdict = json_loads(text, 0, NULL);

	tally_add(&tally, verdict);
	json_decref(verdict);
}

START_TEST(test_each_verdict_counts_by_its_word)
{
	tally = (struct tally){ 0 };
	add("{\"verdict\":\"accept\",\"format\":\"safetensors\",\"scan\":{\"bytes\":5}}");
	add("{\"verdict\":\"review\",\"format\":\"gguf\",\"scan\":{\"bytes\":-5}}");
	add("{\"verdict\":\"reject\",\"format\":null,\"scan\":{\"bytes\":7}}");
	add("{\"verdict\":\"error\",\"format\":\"lfs-pointer\"}");
	ck_assert(tally.files.n_accept == 1 && tally.files.n_review == 1 && tally.files.n_reject == 1 &&
		  tally.files.n_error == 1);
	ck_assert(tally_total(&tally.files) == 4 && tally_total(&tally.sets) == 0);
	ck_assert_uint_eq(tally.n_models, 2);
	ck_assert_uint_eq(tally.bytes, 12);
}
END_TEST

START_TEST(test_what_is_no_verdict_is_an_error)
{
	static const char *const texts[] = { "{}", "{\"verdict\":null}", "{\"verdict\":1}", "{\"verdict\":\"Accept\"}",
		"{\"verdict\":\"something-new\"}" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		json_t *verdict = json_loads(texts[i], 0, NULL);

		tally = (struct tally){ 0 };
		tally_add(&tally, verdict);
		ck_assert_uint_eq(tally.files.n_error, 1);
		ck_assert_int_eq(verdict_value_of(verdict), VERDICT_ERROR);
		json_decref(verdict);
	}
}
END_TEST

START_TEST(test_sets_count_by_themselves)
{
	tally = (struct tally){ 0 };
	add("{\"schema\":\"weighlock.set/1\",\"verdict\":\"reject\"}");
	add("{\"schema\":\"weighlock.set/2\",\"verdict\":\"reject\"}");
	ck_assert(tally.sets.n_reject == 1 && tally.files.n_reject == 1);
}
END_TEST

START_TEST(test_a_text_that_is_not_there_is_empty)
{
	json_t *o = json_pack("{s:s, s:i}", "a", "x", "b", 1);

	ck_assert_str_eq(verdict_member(o, "a"), "x");
	ck_assert_str_eq(verdict_member(o, "b"), "");
	ck_assert_str_eq(verdict_member(o, "c"), "");
	ck_assert_str_eq(verdict_member(NULL, "a"), "");
	json_decref(o);
}
END_TEST

HARNESS("tally", test_each_verdict_counts_by_its_word, test_what_is_no_verdict_is_an_error,
    test_sets_count_by_themselves, test_a_text_that_is_not_there_is_empty)
