/* The names of a set's files, from the body of a request. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "http.h"
#include "set_names.h"

static const char *detail;

static json_t *parse(const char *text, size_t n_files)
{
	json_t *names = set_names_parse(text, strlen(text), n_files, &detail);

	ck_assert((names == NULL) == (detail != NULL));
	return names;
}

static void refuse(const char *text, size_t n_files, const char *why)
{
	ck_assert_ptr_null(parse(text, n_files));
	ck_assert_msg(strstr(detail, why) != NULL, "%s: %s", text, detail);
}

START_TEST(test_names_come_in_the_order_of_the_files)
{
	json_t *names = parse("{\"members\":[\"b\",\"a\",\"\\u00e4/c\"]}", 3);

	ck_assert_str_eq(json_string_value(json_array_get(names, 0)), "b");
	ck_assert_str_eq(json_string_value(json_array_get(names, 1)), "a");
	ck_assert_str_eq(json_string_value(json_array_get(names, 2)), "\xC3\xA4/c");
	json_decref(names);
}
END_TEST

START_TEST(test_bodies_of_another_form_are_refused)
{
	static const char *const bad[] = { "{}", "[]", "[\"a\"]", "{\"members\":\"a\"}", "{\"members\":{\"a\":1}}",
		"{\"members\":null}", "{\"members\":[\"a\"],\"x\":0}", "{\"Members\":[\"a\"]}" };

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		refuse(bad[i], 1, "not of the form");
	refuse("", 1, "not JSON");
	refuse("\"a\"", 1, "not JSON");
	refuse("{\"members\":[\"a\"]}{}", 1, "not JSON");
	refuse("{\"members\":[\"a\"],\"members\":[\"a\"]}", 1, "not JSON");
	refuse("{\"members\":[\"a\\u0000\"]}", 1, "not JSON");
	refuse("{\"members\":[\"\x80\"]}", 1, "not JSON");
}
END_TEST

START_TEST(test_there_must_be_a_name_for_each_file)
{
	refuse("{\"members\":[]}", 1, "not as many");
	refuse("{\"members\":[\"a\"]}", 2, "not as many");
	refuse("{\"members\":[\"a\",\"b\"]}", 1, "not as many");
}
END_TEST

START_TEST(test_names_that_no_file_may_have_are_refused)
{
	refuse("{\"members\":[\"\"]}", 1, "a name that");
	refuse("{\"members\":[\"a\",7]}", 2, "a name that");
	refuse("{\"members\":[\"a\",null]}", 2, "a name that");
	refuse("{\"members\":[\"a\\n\"]}", 1, "a name that");
	refuse("{\"members\":[\"a\\u007f\"]}", 1, "a name that");
}
END_TEST

START_TEST(test_names_have_one_form)
{
	static const char *const bad[] = { ".", "..", "/", "/a", "a/", "a//b", "./a", "../a", "a/./b", "a/../b",
		"a/.." };
	char body[64];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		snprintf(body, sizeof(body), "{\"members\":[\"%s\"]}", bad[i]);
		refuse(body, 1, "lead down");
	}
	json_decref(parse("{\"members\":[\".a\",\"..a/b..\",\"a/.../b\"]}", 3));
	ck_assert_ptr_null(detail);
}
END_TEST

START_TEST(test_no_name_may_come_twice)
{
	refuse("{\"members\":[\"a\",\"b\",\"a\"]}", 3, "twice");
	refuse("{\"members\":[\"a\",\"\\u0061\"]}", 2, "twice");
	json_decref(parse("{\"members\":[\"a\",\"A\",\"a \"]}", 3));
	ck_assert_ptr_null(detail);
}
END_TEST

START_TEST(test_name_of_1024_bytes_passes_and_of_1025_does_not)
{
	char text[HTTP_NAME_MAX + 64], name[HTTP_NAME_MAX + 2];

	for (size_t n = HTTP_NAME_MAX; n <= HTTP_NAME_MAX + 1; n++) {
		json_t *names;

		memset(name, 'x', n);
		name[n] = '\0';
		snprintf(text, sizeof(text), "{\"members\":[\"%s\"]}", name);
		names = parse(text, 1);
		ck_assert((names != NULL) == (n == HTTP_NAME_MAX));
		json_decref(names);
	}
}
END_TEST

START_TEST(test_1024_names_are_compared)
{
	char *text = malloc(SET_NAMES_BYTES_MAX);
	size_t n = (size_t)sprintf(text, "{\"members\":[\"x\"");

	for (unsigned i = 1; i < HTTP_FDS_MAX; i++)
		n += (size_t)sprintf(text + n, ",\"%u\"", i);
	(void)sprintf(text + n, "]}");
	json_decref(parse(text, HTTP_FDS_MAX));
	ck_assert_ptr_null(detail);
	(void)sprintf(text + n - 6, "\"x\"]}");
	refuse(text, HTTP_FDS_MAX, "twice");
	free(text);
}
END_TEST

HARNESS("set_names", test_names_come_in_the_order_of_the_files, test_bodies_of_another_form_are_refused,
    test_there_must_be_a_name_for_each_file, test_names_that_no_file_may_have_are_refused, test_names_have_one_form,
    test_no_name_may_come_twice, test_name_of_1024_bytes_passes_and_of_1025_does_not, test_1024_names_are_compared)
