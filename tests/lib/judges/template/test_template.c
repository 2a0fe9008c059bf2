/* Chat templates: the entry's promises and every limit from both sides.  What each rule takes is in corpus/templates. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "cells.h"
#include "lexer.h"
#include "literal.h"
#include "template.h"

struct seen {
	unsigned of[WLK_N_FINDINGS], n;
	uint64_t first;
	char subject[32], found[32];
};

static void copy(char *to, size_t n, struct bytes b)
{
	snprintf(to, n, "%.*s", (int)b.n, (const char *)b.at);
}

static void see(void *ctx, const struct finding *f)
{
	struct seen *s = ctx;

	if (s->n++ == 0) {
		s->first = f->offset;
		copy(s->subject, sizeof(s->subject), f->subject);
		copy(s->found, sizeof(s->found), f->found.text);
	}
	s->of[f->code]++;
}

static enum wlk_status check_within(struct bytes text, struct template_options o, size_t budget, struct seen *ret)
{
	struct arena arena;
	enum wlk_status status;

	*ret = (struct seen){ .n = 0 };
	arena_init(&arena, budget);
	o.arena = &arena;
	o.finding = see;
	o.ctx = ret;
	status = template_check(text, &o);
	ck_assert_uint_eq(arena.used, 0);
	arena_done(&arena);
	return status;
}

static enum wlk_status check_bytes(struct bytes text, struct seen *ret)
{
	return check_within(text, (struct template_options){ .family = TEMPLATE_PLAIN }, TEMPLATE_MEMORY, ret);
}

static enum wlk_status check(const char *text, struct seen *ret)
{
	return check_bytes(bytes_of_text(text), ret);
}

/* n times the middle, between two ends. */
static struct bytes repeated(const char *begin, const char *middle, size_t n, const char *end)
{
	size_t a = strlen(begin), m = strlen(middle), z = strlen(end);
	char *text = malloc(a + n * m + z + 1);

	memcpy(text, begin, a);
	for (size_t i = 0; i < n; i++)
		memcpy(text + a + i * m, middle, m);
	memcpy(text + a + n * m, end, z + 1);
	return bytes_of(text, a + n * m + z);
}

static enum wlk_status check_repeated(
    const char *begin, const char *middle, size_t n, const char *end, struct seen *ret)
{
	struct bytes text = repeated(begin, middle, n, end);
	enum wlk_status status = check_bytes(text, ret);

	free((void *)(uintptr_t)text.at);
	return status;
}

START_TEST(test_findings_are_of_the_family_that_was_asked_for)
{
	struct seen s;

	check_within(bytes_of_text("{{ x.__class__ }}"), (struct template_options){ .family = TEMPLATE_GGUF },
	    TEMPLATE_MEMORY, &s);
	ck_assert_uint_eq(s.of[WLK_F_GGUF_TEMPLATE_DUNDER], 1);
	ck_assert_uint_eq(s.n, 1);
	check("{{ x.__class__ }}", &s);
	ck_assert_uint_eq(s.of[WLK_F_TEMPLATE_DUNDER], 1);
	ck_assert_uint_eq(s.n, 1);
}
END_TEST

START_TEST(test_findings_say_where_and_in_what)
{
	struct template_options o = { .family = TEMPLATE_PLAIN, .origin = 100, .subject = bytes_of_text("key") };
	struct seen s;

	check_within(bytes_of_text("text {{ x.__class__ }}"), o, TEMPLATE_MEMORY, &s);
	ck_assert_uint_eq(s.first, 110);
	ck_assert_str_eq(s.subject, "key");
	ck_assert_str_eq(s.found, "__class__");
	o.decoded = true;
	check_within(bytes_of_text("text {{ x.__class__ }}"), o, TEMPLATE_MEMORY, &s);
	ck_assert_uint_eq(s.first, 100);
}
END_TEST

START_TEST(test_the_longest_template_is_looked_into_and_no_longer_one)
{
	struct seen s;

	ck_assert_int_eq(check_repeated("", "x", TEMPLATE_BYTES_MAX, "", &s), WLK_DONE);
	ck_assert_uint_eq(s.n, 0);
	ck_assert_int_eq(check_bytes(bytes_of(NULL, TEMPLATE_BYTES_MAX + 1), &s), WLK_BROKEN);
	ck_assert_uint_eq(s.of[WLK_F_TEMPLATE_LENGTH], 1);
}
END_TEST

START_TEST(test_an_empty_template_is_one)
{
	struct seen s;

	ck_assert_int_eq(check_bytes(bytes_of(NULL, 0), &s), WLK_DONE);
	ck_assert_uint_eq(s.n, 0);
}
END_TEST

START_TEST(test_what_is_no_utf8_is_not_understood)
{
	struct seen s;

	ck_assert_int_eq(check("{{ '\xc3' }}", &s), WLK_BROKEN);
	ck_assert_uint_eq(s.of[WLK_F_TEMPLATE_HIDDEN_TEXT], 1);
	ck_assert_int_eq(check("cut \xe2\x82", &s), WLK_BROKEN);
	ck_assert_int_eq(check("\xe2\x82\xac", &s), WLK_DONE);
	ck_assert_uint_eq(s.n, 0);
}
END_TEST

static enum wlk_status check_brackets(unsigned n, struct seen *ret)
{
	char open[LEXER_DEPTH_MAX + 2] = "", close[LEXER_DEPTH_MAX + 2] = "", text[3 * LEXER_DEPTH_MAX];

	memset(open, '(', n);
	memset(close, ')', n);
	snprintf(text, sizeof(text), "{{ %sx%s }}", open, close);
	return check(text, ret);
}

START_TEST(test_brackets_nest_to_the_limit)
{
	struct seen s;

	ck_assert_int_eq(check_brackets(LEXER_DEPTH_MAX, &s), WLK_DONE);
	ck_assert_uint_eq(s.n, 0);
	ck_assert_int_eq(check_brackets(LEXER_DEPTH_MAX + 1, &s), WLK_BROKEN);
	ck_assert_uint_eq(s.of[WLK_F_TEMPLATE_DOS], 1);
}
END_TEST

/* Brackets that do not match leave frames and depth alike. */
START_TEST(test_wrong_brackets_open_no_more_than_the_limit)
{
	struct seen s;

	ck_assert_int_eq(check_repeated("{{ ", "(]", 5000, " }}", &s), WLK_BROKEN);
	ck_assert_int_eq(check_repeated("{{ ", ")", 5000, " }}", &s), WLK_DONE);
	ck_assert_int_eq(check_repeated("{% for ", "(", 150, " in x %}", &s), WLK_DONE);
}
END_TEST

START_TEST(test_blocks_nest_to_the_limit)
{
	struct bytes ends = repeated("", "{% endif %}", 200, "");
	struct seen s;

	ck_assert_int_eq(check_repeated("", "{% if x %}", 200, (const char *)ends.at, &s), WLK_DONE);
	ck_assert_uint_eq(s.n, 0);
	ck_assert_int_eq(check_repeated("", "{% if x %}", 201, (const char *)ends.at, &s), WLK_BROKEN);
	ck_assert_uint_eq(s.of[WLK_F_TEMPLATE_DOS], 1);
	free((void *)(uintptr_t)ends.at);
}
END_TEST

START_TEST(test_four_loops_nest_and_five_do_not)
{
	struct seen s;

	check_repeated("", "{% for b in b %}", 4, "{% endfor %}{% endfor %}{% endfor %}{% endfor %}", &s);
	ck_assert_uint_eq(s.n, 0);
	check_repeated("", "{% for b in b %}", 5, "{% endfor %}{% endfor %}{% endfor %}{% endfor %}{% endfor %}", &s);
	ck_assert_uint_eq(s.of[WLK_F_TEMPLATE_DOS], 1);
	ck_assert_uint_eq(s.n, 1);
}
END_TEST

START_TEST(test_ranges_reach_a_million)
{
	struct seen s;

	check("{{ range(1000000) }}{{ range(0, 1_000_000) }}", &s);
	ck_assert_uint_eq(s.n, 0);
	check("{{ range(1000001) }}", &s);
	ck_assert_uint_eq(s.of[WLK_F_TEMPLATE_DOS], 1);
	check("{{ 1000001 }}{{ x == 99999999 }}", &s); /* a number that nothing counts to */
	ck_assert_uint_eq(s.n, 0);
}
END_TEST

START_TEST(test_more_names_than_fit_are_a_finding)
{
	size_t n = 0;
	char *text = malloc(24 * (size_t)CELLS_MAX);
	struct seen s;

	for (unsigned i = 0; i < CELLS_MAX + 10; i++)
		n += (size_t)sprintf(text + n, "{%% set a%x=1 %%}", i);
	ck_assert_int_eq(check_bytes(bytes_of(text, n), &s), WLK_BROKEN);
	ck_assert_uint_eq(s.of[WLK_F_TEMPLATE_DOS], 1);
	free(text);
}
END_TEST

START_TEST(test_a_text_doubles_until_it_is_large)
{
	struct seen s;

	check_repeated("{% set a = 'x' %}", "{% set a = a ~ a %}", 15, "{{ a }}", &s);
	ck_assert_uint_eq(s.n, 0);
	check_repeated("{% set a = 'x' %}", "{% set a = a ~ a %}", 30, "{{ a }}", &s);
	ck_assert_uint_gt(s.of[WLK_F_TEMPLATE_DOS], 0);
	check_repeated("{% set a = 'x' %}", "{% set a = a ~ 'x' %}", 1000, "{{ a }}", &s);
	ck_assert_uint_eq(s.n, 0);
}
END_TEST

/* However much there is, it is enough or said not to be. */
START_TEST(test_without_memory_nothing_is_vouched_for)
{
	const struct template_options o = { .family = TEMPLATE_PLAIN };
	const struct bytes text = bytes_of_text("{% set a = b %}{% if c %}{{ d[e ~ f] }}{% endif %}");
	enum wlk_status status = WLK_INCOMPLETE;
	unsigned refused = 0;
	struct seen s;

	for (size_t budget = 1024; status == WLK_INCOMPLETE && budget < TEMPLATE_MEMORY; budget += 1024, refused++)
		status = check_within(text, o, budget, &s);
	ck_assert_int_eq(status, WLK_DONE);
	ck_assert_uint_eq(s.of[WLK_F_TEMPLATE_INTROSPECTION], 1);
	ck_assert_uint_gt(refused, 10);
}
END_TEST

/* A megabyte of what costs most must not take longer than its length: the harness ends what does. */
START_TEST(test_a_megabyte_of_anything_is_soon_done)
{
	static const char *const worst[] = { "{{a[b]}}", "{%", "{{", "{#", "{{'", "{% raw %}", "(", "a ", "'__a'~",
		"__", "{{'__a__'}}", "{% set a=a~a %}", "{% for a in a %}", "{% if a %}", "a.a", "[a", "\\", "{%-\n",
		"{{ {", "{{ a|map(a) }}", "{{ '\\N{LOW LINE}' }}", "{% macro a(b=c) %}", "{% raw %}{% endraw",
		"{{a}}{#x#}" };
	struct seen s;

	for (size_t i = 0; i < sizeof(worst) / sizeof(worst[0]); i++) {
		size_t n = TEMPLATE_BYTES_MAX / strlen(worst[i]) - 8;

		ck_assert_int_ne(check_repeated("{{ x }}", worst[i], n, "", &s), WLK_INCOMPLETE);
		ck_assert_int_ne(check_repeated("{{ ", worst[i], n, "", &s), WLK_INCOMPLETE);
	}
}
END_TEST

START_TEST(test_literals_are_decoded_as_python_does)
{
	static const struct {
		const char *raw, *text;
	} rows[] = { { "a\\x5fb", "a_b" }, { "\\137\\1377", "__7" }, { "\\u005f\\U0000005F", "__" },
		{ "\\N{LOW LINE}\\N{latin small letter q}\\N{LATIN CAPITAL LETTER Q}", "_qQ" }, { "a\\\nb", "ab" },
		{ "\\d\\\\\\'", "\\d\\'" }, { "\\x5", "?" }, { "\\N{SNOWMAN}", "?" }, { "\\", "\\" },
		{ "\xef\xbc\xbf\xef\xbd\x81", "_a" }, { "\\18", "?8" } };
	char buf[32];
	bool whole;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t n = template_literal_decode(bytes_of_text(rows[i].raw), buf, sizeof(buf), &whole);

		ck_assert(whole);
		ck_assert_msg(n == strlen(rows[i].text) && memcmp(buf, rows[i].text, n) == 0, "%s: %.*s", rows[i].raw,
		    (int)n, buf);
	}
	ck_assert_uint_eq(template_literal_decode(bytes_of_text("abc"), buf, 2, &whole), 2);
	ck_assert(!whole);
}
END_TEST

static bool special(const char *text)
{
	struct dunder_search s = { .n = 0 };
	bool found = false;

	for (; *text != 0; text++)
		found |= template_dunder_feed(&s, (uint8_t)*text);
	return found;
}

START_TEST(test_words_between_underscores_are_found_anywhere)
{
	ck_assert(special("__class__"));
	ck_assert(special("see x.__Class__.y"));
	ck_assert(special("__ssalc__"));
	ck_assert(special("___class___"));
	ck_assert(special("__reduce_ex__"));
	ck_assert(special("0123456789012345678901234567890123456789012345678901234567__class__"));
	ck_assert(!special("__main__"));
	ck_assert(!special("__start__"));
	ck_assert(!special("_class_"));
	ck_assert(!special("__class_"));
	ck_assert(!special("__cl ass__"));
	ck_assert(!special("a__b__c__d"));
}
END_TEST

START_TEST(test_cells_only_come_to_hold_more)
{
	struct arena arena;
	struct cells t;
	uint32_t a, b;

	arena_init(&arena, (size_t)1 << 20);
	cells_init(&t, &arena, (struct siphash_key){ .k0 = 1 });
	ck_assert_uint_eq(cells_find(&t, CELL_VARIABLE, 0, bytes_of_text("a")), CELL_NONE);
	a = cells_get(&t, CELL_VARIABLE, 0, bytes_of_text("a"));
	b = cells_get(&t, CELL_FIELD, 0, bytes_of_text("a"));
	ck_assert_uint_ne(a, b);
	ck_assert_uint_ne(a, cells_get(&t, CELL_VARIABLE, 1, bytes_of_text("a")));
	ck_assert_uint_eq(a, cells_get(&t, CELL_VARIABLE, 0, bytes_of_text("a")));
	cells_assign(&t, a, (struct trait){ .self = IS_TEXT, .descent = DESCENT_PART, .n.size = 3 }, 1);
	ck_assert(t.changed);
	t.changed = false;
	cells_assign(
	    &t, a, (struct trait){ .self = IS_TEXT, .n.size = 2 }, 1); /* of no descent: it has none any more */
	ck_assert(t.changed);
	t.changed = false;
	cells_assign(&t, a, (struct trait){ .self = IS_TEXT, .n.size = 2 }, 1);
	ck_assert(!t.changed);
	ck_assert_uint_eq(t.cells[a].v.n.size, 3);
	ck_assert_uint_eq(t.cells[a].v.descent, DESCENT_NONE);
	cells_assign(&t, a, (struct trait){ .self = IS_COMPOSED }, 1);
	ck_assert(t.changed);
	ck_assert_uint_eq(t.cells[a].v.self, IS_TEXT | IS_COMPOSED);
	cells_done(&t);
	arena_done(&arena);
}
END_TEST

HARNESS("template", test_findings_are_of_the_family_that_was_asked_for, test_findings_say_where_and_in_what,
    test_the_longest_template_is_looked_into_and_no_longer_one, test_an_empty_template_is_one,
    test_what_is_no_utf8_is_not_understood, test_brackets_nest_to_the_limit,
    test_wrong_brackets_open_no_more_than_the_limit, test_blocks_nest_to_the_limit,
    test_four_loops_nest_and_five_do_not, test_ranges_reach_a_million, test_more_names_than_fit_are_a_finding,
    test_a_text_doubles_until_it_is_large, test_without_memory_nothing_is_vouched_for,
    test_a_megabyte_of_anything_is_soon_done, test_literals_are_decoded_as_python_does,
    test_words_between_underscores_are_found_anywhere, test_cells_only_come_to_hold_more)
