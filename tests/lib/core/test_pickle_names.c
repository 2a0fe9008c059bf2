/* Names a policy allows to pickles: what a list may look like, and what it holds. */
#include "harness.h"
#include "pickle_names.h"

static bool valid(const char *lines)
{
	return pickle_names_valid(bytes_of_text(lines));
}

START_TEST(test_lines_are_sorted_names_each_once)
{
	ck_assert(valid(""));
	ck_assert(valid("a.b\n"));
	ck_assert(valid("a.B\na.b\na.b.c\nb._c9\n"));
	ck_assert(!valid("a.b"));
	ck_assert(!valid("a.b\na.b\n"));
	ck_assert(!valid("b.b\na.b\n"));
	ck_assert(!valid("\n"));
	ck_assert(!valid("a.b\n\n"));
	ck_assert(valid("a.b call\na.b.c object\na.b0 member\na.c value\n"));
	ck_assert(!valid("a.b\na.b call\n")); /* the same name */
	ck_assert(!valid("a.b call\na.b object\n"));
}
END_TEST

START_TEST(test_a_name_is_identifiers_joined_by_dots)
{
	static const char *const wrong[] = { "eval\n", "a.\n", ".b\n", "a..b\n", "a.b.\n", "a.9\n", "9.a\n", "a.*\n",
		"a.b c\n", "a.b \n", "a.b  call\n", "a.b call \n", "a.b calls\n", "a.b\r\n", "a.\xc3\xa9\n",
		"a-b.c\n" };

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		ck_assert_msg(!valid(wrong[i]), "%s", wrong[i]);
}
END_TEST

START_TEST(test_a_name_has_at_most_256_bytes)
{
	char line[PICKLE_NAME_MAX + 3];

	memset(line, 'x', sizeof(line));
	line[1] = '.';
	line[PICKLE_NAME_MAX] = '\n';
	ck_assert(pickle_names_valid(bytes_of(line, PICKLE_NAME_MAX + 1)));
	line[PICKLE_NAME_MAX] = 'x';
	line[PICKLE_NAME_MAX + 1] = '\n';
	ck_assert(!pickle_names_valid(bytes_of(line, PICKLE_NAME_MAX + 2)));
}
END_TEST

/* A list of this many bytes: lines of 8, and a last one of what is left. */
static bool list_valid(size_t bytes)
{
	static char lines[2 * PICKLE_NAMES_BYTES_MAX];
	size_t at = 0;

	for (unsigned i = 0; bytes - at >= 24; i++)
		at += (size_t)sprintf(lines + at, "a.b%04x\n", i);
	memset(lines + at, 'z', bytes - at);
	lines[at + 1] = '.';
	lines[bytes - 1] = '\n';
	return pickle_names_valid(bytes_of(lines, bytes));
}

START_TEST(test_a_list_is_bounded)
{
	ck_assert(list_valid(PICKLE_NAMES_BYTES_MAX));
	ck_assert(!list_valid(PICKLE_NAMES_BYTES_MAX + 1));
}
END_TEST

static enum pickle_grant holds(const char *module, const char *name)
{
	const struct pickle_names names = { bytes_of_text(
	    "a.b\nc.d.E\nc.d.F object\nsklearn.svm._classes.SVC\nz.z\n") };

	return pickle_names_grant(&names, bytes_of_text(module), bytes_of_text(name));
}

START_TEST(test_every_name_of_a_list_is_found)
{
	ck_assert(holds("a", "b"));
	ck_assert(holds("c.d", "E"));
	ck_assert(holds("c.d", "F"));
	ck_assert_int_eq(holds("a", "b"), PICKLE_GRANT_ANY);
	ck_assert_int_eq(holds("c.d", "F"), PICKLE_GRANT_OBJECT);
	ck_assert_int_eq(holds("c.d", "G"), PICKLE_GRANT_NONE);
	ck_assert(holds("sklearn.svm._classes", "SVC"));
	ck_assert(holds("z", "z"));
}
END_TEST

START_TEST(test_nothing_else_is_found)
{
	static const char *const others[][2] = { { "a", "c" }, { "a", "" }, { "", "a.b" }, { "a", "bb" }, { "aa", "b" },
		{ "c.d", "D" }, { "c", "d" }, { "zz", "z" }, { "sklearn.svm._classes", "SVR" } };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		ck_assert_msg(!holds(others[i][0], others[i][1]), "%s %s", others[i][0], others[i][1]);
}
END_TEST

/* Module c, name d.E is an attribute of what c.d is: another thing than module c.d, name E. */
START_TEST(test_a_dotted_name_is_never_held)
{
	ck_assert(!holds("c", "d.E"));
	ck_assert(!holds("sklearn", "svm._classes.SVC"));
}
END_TEST

START_TEST(test_an_empty_list_holds_nothing)
{
	const struct pickle_names none = { 0 };

	ck_assert(!pickle_names_grant(&none, bytes_of_text("a"), bytes_of_text("b")));
}
END_TEST

HARNESS("pickle_names", test_lines_are_sorted_names_each_once, test_a_name_is_identifiers_joined_by_dots,
    test_a_name_has_at_most_256_bytes, test_a_list_is_bounded, test_every_name_of_a_list_is_found,
    test_nothing_else_is_found, test_a_dotted_name_is_never_held, test_an_empty_list_holds_nothing)
