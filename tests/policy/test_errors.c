/* What is wrong with a policy file, with its line: every errors/NAME.yaml is refused with exactly
 * errors/NAME.txt. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "policy.h"

#define ERROR_FILES 73

static size_t read_file(const char *name, char *buf, size_t n)
{
	char path[4096];
	FILE *in;
	size_t got;

	ck_assert_int_lt(snprintf(path, sizeof(path), "%s/%s", ERRORS_DIR, name), sizeof(path));
	in = fopen(path, "rb");
	ck_assert_msg(in != NULL, "%s", path);
	got = fread(buf, 1, n - 1, in);
	buf[got] = '\0';
	fclose(in);
	return got;
}

static void check_error_file(const char *name)
{
	char text[4096], want[1024], expected[300], error[POLICY_ERROR_MAX];
	struct policy *p = NULL;
	size_t n = read_file(name, text, sizeof(text));

	(void)snprintf(expected, sizeof(expected), "%.*s.txt", (int)(strlen(name) - 5), name);
	(void)read_file(expected, want, sizeof(want));
	want[strcspn(want, "\n")] = '\0';
	ck_assert_int_eq(policy_parse((const uint8_t *)text, n, name, &p, error), -EINVAL);
	ck_assert_ptr_null(p);
	ck_assert_str_eq(error, want);
}

START_TEST(test_every_error_file_is_refused_with_its_line)
{
	DIR *dir = opendir(ERRORS_DIR);
	int n = 0;

	ck_assert_ptr_nonnull(dir);
	for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
		size_t length = strlen(e->d_name);

		if (length < 6 || strcmp(e->d_name + length - 5, ".yaml") != 0)
			continue;
		check_error_file(e->d_name);
		n++;
	}
	closedir(dir);
	ck_assert_int_eq(n, ERROR_FILES);
}
END_TEST

static void refused(const char *text, size_t n, const char *origin, const char *want)
{
	char error[POLICY_ERROR_MAX];
	struct policy *p = NULL;

	ck_assert_int_eq(policy_parse((const uint8_t *)text, n, origin, &p, error), -EINVAL);
	ck_assert_str_eq(error, want);
}

START_TEST(test_the_name_from_the_file_must_be_a_name)
{
	refused("version: 1\n", 11, "/etc/my policy.yaml",
	    "/etc/my policy.yaml:1: the file's name makes no policy name; add name:; found 'my policy'; "
	    "allowed: 1 to 64 "
	    "letters, digits, '.', '_' and '-'");
	refused("version: 1\nbase: ci\n", 20, "/etc/strict.yaml",
	    "/etc/strict.yaml:1: the name of a built-in policy; found 'strict'; allowed: name: one of your "
	    "own");
}
END_TEST

START_TEST(test_an_origin_cannot_act_on_the_terminal)
{
	refused("", 0, "\x1b[2J", "\\x1B[2J:1: the file is empty; allowed: a map that begins with version: 1");
}
END_TEST

/* n times `item` after `head`. */
static char *repeat(const char *head, const char *item, size_t n, size_t *ret_n)
{
	size_t head_n = strlen(head), item_n = strlen(item);
	char *text = malloc(head_n + n * item_n + 1);

	ck_assert_ptr_nonnull(text);
	memcpy(text, head, head_n + 1);
	for (size_t i = 0; i < n; i++)
		memcpy(text + head_n + i * item_n, item, item_n + 1);
	*ret_n = head_n + n * item_n;
	return text;
}

static int parse_repeated(const char *head, const char *item, size_t n, char *error)
{
	struct policy *p = NULL;
	size_t length;
	char *text = repeat(head, item, n, &length);
	int r = policy_parse((const uint8_t *)text, length, "x.yaml", &p, error);

	free(text);
	policy_free(p);
	return r;
}

START_TEST(test_4096_rules_are_read_and_one_more_is_refused)
{
	char error[POLICY_ERROR_MAX];

	ck_assert_int_eq(parse_repeated("version: 1\nrules:\n", "- {action: review, reason: r}\n", 4096, error), 0);
	ck_assert_int_eq(
	    parse_repeated("version: 1\nrules:\n", "- {action: review, reason: r}\n", 4097, error), -EINVAL);
	ck_assert_str_eq(error, "x.yaml:3: too many rules; allowed: 4096");
}
END_TEST

START_TEST(test_a_file_of_1_mib_is_read_and_one_byte_more_is_refused)
{
	char error[POLICY_ERROR_MAX];
	const char *head = "version: 1\n";

	ck_assert_int_eq(parse_repeated(head, "#", POLICY_FILE_MAX - strlen(head), error), 0);
	ck_assert_int_eq(parse_repeated(head, "#", POLICY_FILE_MAX - strlen(head) + 1, error), -EINVAL);
	ck_assert_str_eq(error, "x.yaml:1: the file is too large; allowed: 1 MiB");
}
END_TEST

START_TEST(test_too_many_values_are_refused_before_they_cost_memory)
{
	char error[POLICY_ERROR_MAX];

	ck_assert_int_eq(parse_repeated("version: 1\nrules:\n", "- a\n", 70000, error), -EINVAL);
	ck_assert_str_eq(error, "x.yaml:65536: too many values; allowed: 65536");
}
END_TEST

START_TEST(test_a_policy_that_grows_too_large_when_shown_is_refused)
{
	char error[POLICY_ERROR_MAX], item[1100] = "- {action: review, reason: '";

	memset(item + 28, '"', 1000);
	strcpy(item + 1028, "'}\n");
	ck_assert_int_eq(parse_repeated("version: 1\nrules:\n", item, 1000, error), -EINVAL);
	ck_assert_str_eq(error, "x.yaml:1: the policy is too large when written out; allowed: 1 MiB");
}
END_TEST

HARNESS("policy_errors", test_every_error_file_is_refused_with_its_line, test_the_name_from_the_file_must_be_a_name,
    test_an_origin_cannot_act_on_the_terminal, test_4096_rules_are_read_and_one_more_is_refused,
    test_a_file_of_1_mib_is_read_and_one_byte_more_is_refused, test_too_many_values_are_refused_before_they_cost_memory,
    test_a_policy_that_grows_too_large_when_shown_is_refused)
