/* Tokens of Python literals: what each text is, and which lax forms are remembered. */
#include "harness.h"

#include <string.h>

#include "python_literal.h"

/* The tokens of a text, one letter each: S string, I integer, W word, marks themselves, ! error, . end. */
static const char *kinds_of(const char *text, struct literal *l)
{
	static char kinds[64];
	static struct arena arena;
	size_t n = 0;

	arena_done(&arena);
	arena_init(&arena, 1 << 20);
	literal_init(l, bytes_of_text(text), &arena);
	do {
		switch (literal_next(l)) {
		case LITERAL_END: kinds[n++] = '.'; break;
		case LITERAL_MARK: kinds[n++] = l->mark; break;
		case LITERAL_STRING: kinds[n++] = 'S'; break;
		case LITERAL_INT: kinds[n++] = 'I'; break;
		case LITERAL_WORD: kinds[n++] = 'W'; break;
		default: kinds[n++] = '!'; break;
		}
	} while (n + 1 < sizeof(kinds) && l->kind != LITERAL_END && l->kind != LITERAL_ERROR);
	kinds[n] = '\0';
	return kinds;
}

START_TEST(test_tokens)
{
	static const struct {
		const char *text, *kinds;
	} all[] = {
		{ "", "." },
		{ "{'a': (1, True), \"b\": [None]}", "{S:(I,W),S:[W]}." },
		{ "Truely", "!" },
		{ "True_", "!" },
		{ "true", "!" },
		{ "'a", "!" },
		{ "'a\n'", "!" },
		{ "'''a\n'''", "S." },
		{ "''", "S." },
		{ "'a' 'b'", "S." },
		{ "'a', 'b'", "S,S." },
		{ "b'a'", "!" },
		{ "f'a'", "!" },
		{ "ur'a'", "!" },
		{ "rr'a'", "!" },
		{ "1.0", "I!" },
		{ "01", "!" },
		{ "00", "I." },
		{ "0x", "!" },
		{ "0b12", "II." },
		{ "1__0", "I!" },
		{ "1_", "I!" },
		{ "- -1", "I." },
		{ "-x", "!" },
		{ "'\\N{DIGIT ONE}'", "!" },
		{ "'\\x4'", "!" },
		{ "'\\U00110000'", "!" },
		{ "\\\n1", "!" },
		{ "1 # x\r2", "II." },
		{ "...", "!" },
	};
	struct literal l;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		ck_assert_msg(strcmp(kinds_of(all[i].text, &l), all[i].kinds) == 0, "%s: %s, not %s", all[i].text,
		    kinds_of(all[i].text, &l), all[i].kinds);
}
END_TEST

/* The first token. */
static struct literal first_of(const char *text, struct arena *arena)
{
	struct literal l;

	literal_init(&l, bytes_of_text(text), arena);
	literal_next(&l);
	return l;
}

START_TEST(test_strings_are_decoded_as_python_does)
{
	static const struct {
		const char *text, *string;
		unsigned lax;
	} all[] = {
		{ "'abc'", "abc", 0 },
		{ "\"it's\"", "it's", 0 },
		{ "'\\x41\\102\\u0043\\U00000044'", "ABCD", LITERAL_LAX_STRING },
		{ "'\\n\\t\\\\\\''", "\n\t\\'", LITERAL_LAX_STRING },
		{ "'\\q'", "\\q", LITERAL_LAX_STRING },
		{ "r'\\n'", "\\n", LITERAL_LAX_STRING },
		{ "u'a'", "a", LITERAL_LAX_STRING },
		{ "'a' \"b\" '''c'''", "abc", LITERAL_LAX_STRING },
		{ "'a\\\nb'", "ab", LITERAL_LAX_STRING },
		{ "'\\xe9\\u6f22\\U0001f600'", "\xc3\xa9\xe6\xbc\xa2\xf0\x9f\x98\x80", LITERAL_LAX_STRING },
		{ "'\t'", "\t", LITERAL_LAX_STRING },
		{ "'a' # b\n'c'", "ac", LITERAL_LAX_STRING | LITERAL_LAX_SPACE | LITERAL_LAX_COMMENT },
	};
	struct arena arena;

	arena_init(&arena, 1 << 20);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct literal l = first_of(all[i].text, &arena);

		ck_assert_msg(l.kind == LITERAL_STRING && bytes_equal(l.string, bytes_of_text(all[i].string)),
		    "%s: %.*s", all[i].text, (int)l.string.n, l.string.at);
		ck_assert_msg(l.lax == all[i].lax, "%s: %x", all[i].text, l.lax);
	}
	arena_done(&arena);
}
END_TEST

START_TEST(test_integers)
{
	static const struct {
		const char *text;
		uint64_t number;
		unsigned lax;
		bool negative;
	} all[] = {
		{ "0", 0, 0, false },
		{ "18446744073709551614", UINT64_MAX - 1, 0, false },
		{ "18446744073709551616", UINT64_MAX, 0, false },
		{ "99999999999999999999999999", UINT64_MAX, 0, false },
		{ "0x1F", 31, LITERAL_LAX_NUMBER, false },
		{ "0o17", 15, LITERAL_LAX_NUMBER, false },
		{ "0b101", 5, LITERAL_LAX_NUMBER, false },
		{ "1_000", 1000, LITERAL_LAX_NUMBER, false },
		{ "-3", 3, LITERAL_LAX_NUMBER, true },
		{ "- - 3", 3, LITERAL_LAX_NUMBER, false },
		{ "-0", 0, LITERAL_LAX_NUMBER, false },
		{ "3L", 3, LITERAL_LAX_LONG, false },
	};
	struct arena arena;

	arena_init(&arena, 1 << 20);
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct literal l = first_of(all[i].text, &arena);

		ck_assert_msg(l.kind == LITERAL_INT && l.number == all[i].number && l.negative == all[i].negative, "%s",
		    all[i].text);
		ck_assert_msg(l.lax == all[i].lax, "%s: %x", all[i].text, l.lax);
	}
	arena_done(&arena);
}
END_TEST

START_TEST(test_an_error_stays)
{
	struct literal l;

	ck_assert_str_eq(kinds_of("(x)", &l), "(!");
	ck_assert_int_eq(literal_next(&l), LITERAL_ERROR);
	ck_assert(!literal_take(&l, ')'));
}
END_TEST

START_TEST(test_a_spent_arena_is_an_error)
{
	struct arena arena;
	struct literal l;

	arena_init(&arena, 0);
	l = first_of("'\\x41'", &arena);
	ck_assert_int_eq(l.kind, LITERAL_ERROR);
	ck_assert(arena.exhausted);
	arena_done(&arena);
}
END_TEST

HARNESS("python_literal", test_tokens, test_strings_are_decoded_as_python_does, test_integers, test_an_error_stays,
    test_a_spent_arena_is_an_error)
