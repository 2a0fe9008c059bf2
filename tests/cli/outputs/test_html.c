/* A page that is too large leaves out details first, then lines, of what is accepted before the rest, and says so. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "output.h"

#define LINES_MAX 50000u

static struct output page;
static char *text;
static size_t text_n;

static void page_begin(void)
{
	static const struct print_style style = { 0 };

	page = (struct output){ .writer = &writer_html, .style = &style, .state = calloc(1, writer_html.state_size) };
	page.f = open_memstream(&text, &text_n);
	ck_assert(page.state != NULL && page.f != NULL);
	ck_assert_int_eq(writer_html.begin(&page), 0);
}

static void page_end(void)
{
	static const struct tally tally = { 0 };

	ck_assert_int_eq(writer_html.end(&page, &(struct outcome){ .tally = &tally, .whole = true }), 0);
	writer_html.free(&page);
	free(page.state);
	ck_assert_int_eq(fclose(page.f), 0);
}

/* @detail: bytes of text in what stands behind the line. */
static void put(const char *verdict, size_t n, size_t detail)
{
	char *large = calloc(1, detail + 1);
	json_t *v;

	memset(large, 'x', detail);
	v = json_pack("{s:s, s:{s:s}, s:[], s:{s:s}}", "verdict", verdict, "file", "name", "f", "findings", "scan",
	    "detail", large);
	ck_assert_ptr_nonnull(v);
	for (size_t i = 0; i < n; i++)
		ck_assert_int_eq(writer_html.put(&page, &(struct shown){ .line = "" }, v), 0);
	json_decref(v);
	free(large);
}

/* No strstr(3): where it is watched each call looks at all that follows, and the page has a hundred megabytes. */
static size_t count(const char *what)
{
	size_t n = 0, length = strlen(what);

	for (const char *at = text; *at != '\0'; at++)
		n += *at == *what && strncmp(at, what, length) == 0;
	return n;
}

START_TEST(test_accepted_lines_take_half_of_the_page_and_others_all_of_it)
{
	page_begin();
	put("accept", LINES_MAX / 2 + 3, 0);
	put("reject", LINES_MAX / 2, 0);
	put("review", 1, 0);
	page_end();
	ck_assert_uint_eq(count("data-verdict=\"accept\" data-size"), LINES_MAX / 2);
	ck_assert_uint_eq(count("data-verdict=\"reject\" data-size"), LINES_MAX / 2);
	ck_assert_uint_eq(count("data-verdict=\"review\" data-size"), 0);
	ck_assert_uint_eq(count(">4 more are counted above and have no line.<"), 1);
	free(text);
}
END_TEST

START_TEST(test_details_of_what_is_accepted_are_left_out_first)
{
	page_begin();
	put("accept", 40, 1 << 20);
	put("reject", 40, 1 << 20);
	page_end();
	/* 32 MiB, then 64: the line that goes beyond is the last. */
	ck_assert_uint_eq(count("\"verdict\":\"accept\""), 32);
	ck_assert_uint_eq(count("\"verdict\":\"reject\""), 32);
	ck_assert_uint_eq(count("data-size"), 80);
	ck_assert_uint_eq(count(": 16 lines have none.<"), 1);
	free(text);
}
END_TEST

HARNESS("html", test_accepted_lines_take_half_of_the_page_and_others_all_of_it,
    test_details_of_what_is_accepted_are_left_out_first)
