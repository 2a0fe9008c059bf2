/* Findings as sentences: whose words they are. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "sentence.h"

static void reads(const char *finding, const char *want, bool want_says)
{
	json_t *json = json_loads(finding, 0, NULL);
	bool says = !want_says;
	char *sentence;

	ck_assert_ptr_nonnull(json);
	sentence = sentence_make(json, &says);
	ck_assert_str_eq(sentence, want);
	ck_assert_int_eq(says, want_says);
	free(sentence);
	json_decref(json);
}

START_TEST(test_a_sentence_has_its_subject_in_front)
{
	reads("{\"code\": \"pickle-call-dangerous\", \"subject\": \"os.system\", \"found\": \"id\"}",
	    "os.system(\"id\") would run when this file is loaded", true);
}
END_TEST

START_TEST(test_the_first_whose_values_are_known_is_taken)
{
	reads("{\"code\": \"pickle-call-dangerous\", \"subject\": \"os.system\"}",
	    "os.system(...) would run when this file is loaded", true);
	reads("{\"code\": \"weights-nan\", \"subject\": \"w\", \"found\": 1}",
	    "\"w\" holds NaN, which is not a number, in 1 element", true);
	reads("{\"code\": \"weights-nan\", \"subject\": \"w\", \"found\": 1200}",
	    "\"w\" holds NaN, which is not a number, in 1,200 elements", true);
	reads("{\"code\": \"weights-nan\", \"subject\": \"w\", \"found\": \"2 scales\"}",
	    "\"w\" holds NaN, which is not a number: 2 scales", true);
}
END_TEST

START_TEST(test_without_one_it_is_the_title_behind_its_subject)
{
	reads("{\"code\": \"pickle-call-dangerous\"}",
	    "The pickle calls something that acts on the machine that loads it", false);
	reads("{\"code\": \"onnx-dims\", \"subject\": \"w\"}",
	    "w: a tensor with a negative or very large dimension, or with too many", false);
}
END_TEST

START_TEST(test_names_keep_their_letters_and_stand_once)
{
	reads("{\"code\": \"torch-opcode-outside-weights-only\"}", "torch.load(weights_only=True) refuses the file",
	    false);
	reads("{\"code\": \"gguf-alignment-value\", \"subject\": \"general.alignment\"}",
	    "general.alignment is no power of two from 8 to 65,536", false);
	reads("{\"code\": \"onnx-dims\", \"subject\": \"a\"}",
	    "a: a tensor with a negative or very large dimension, or with too many", false);
}
END_TEST

START_TEST(test_a_code_that_nobody_knows_is_told_in_its_messages_words)
{
	reads("{\"code\": \"of-tomorrow\", \"message\": \"a new thing\"}", "A new thing", false);
	reads("{}", "?", false);
}
END_TEST

/* Only a word stands without quotes, so nobody goes on with our sentence in his own words. */
START_TEST(test_what_is_no_word_stands_in_quotes_and_cannot_leave_them)
{
	reads("{\"code\": \"pickle-global-unknown\", \"subject\": \"a is fine. b\"}",
	    "\"a is fine. b\" would be imported when this file is loaded, and nobody vouches for it", true);
	reads("{\"code\": \"pickle-global-unknown\", \"subject\": \"a\\\" is fine\"}",
	    "\"a\\\" is fine\" would be imported when this file is loaded, and nobody vouches for it", true);
}
END_TEST

START_TEST(test_a_long_value_is_cut_between_characters)
{
	char finding[600], want[600], value[3 * 80 + 1] = "";

	for (size_t i = 0; i < 80; i++)
		memcpy(value + 3 * i, "a\xC3\xA9", 4); /* three bytes: the limit lies in a character */
	snprintf(finding, sizeof(finding),
	    "{\"code\": \"pickle-call-dangerous\", \"subject\": \"exec\", \"found\": \"%s\"}", value);
	snprintf(want, sizeof(want), "exec(\"%.*sa...\") would run when this file is loaded", 3 * 53, value);
	reads(finding, want, true);
}
END_TEST

HARNESS("sentence", test_a_sentence_has_its_subject_in_front, test_the_first_whose_values_are_known_is_taken,
    test_without_one_it_is_the_title_behind_its_subject, test_names_keep_their_letters_and_stand_once,
    test_a_code_that_nobody_knows_is_told_in_its_messages_words,
    test_what_is_no_word_stands_in_quotes_and_cannot_leave_them, test_a_long_value_is_cut_between_characters)
