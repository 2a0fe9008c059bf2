#include "harness.h"
#include "regex_cost.h"

static struct arena arena;
static struct regex *x;

static void begin(void)
{
	arena_init(&arena, 8u << 20);
	x = regex_new(&arena);
	ck_assert_ptr_nonnull(x);
}

static void end(void)
{
	arena_done(&arena);
}

static void check_all(const char *const *list, size_t n, enum regex_dialect d, enum regex_cost expected)
{
	begin();
	for (size_t i = 0; i < n; i++) {
		enum regex_cost c = regex_judge(x, bytes_of_text(list[i]), d);

		ck_assert_msg(c == expected, "%s: %s", list[i], regex_cost_words(c));
	}
	end();
}
#define CHECK_ALL(list, d, expected) check_all(list, sizeof(list) / sizeof((list)[0]), d, expected)

/* The splits of GPT-2, cl100k (as written twice), o200k, Llama 3, Qwen2, DeepSeek, Gemma, BLOOM, CLIP, Kimi and others. */
static const char *const splits[] = {
	"'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
	"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| "
	"?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
	"'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}++|\\p{N}{1,3}+| "
	"?[^\\s\\p{L}\\p{N}]++[\\r\\n]*+|\\s++$|\\s*[\\r\\n]|\\s+(?!\\S)|\\s",
	"[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|"
	"'ll|'d)?|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'"
	"re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
	"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| "
	"?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
	"[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\\r\\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| "
	"?[\\p{P}\\p{S}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
	"[\xe4\xb8\x80-\xe9\xbe\xa5\xe3\x81\x80-\xe3\x82\x9f\xe3\x82\xa0-\xe3\x83\xbf]+",
	" {2,}",
	"\xe2\x96\x81",
	"(?=(\\d{3})+(?!\\d))",
	"(?<=\\D)(?=(?:\\d{3})+(?!\\d))",
	" ?[^(\\s|[.,!?\xe2\x80\xa6\xe3\x80\x82\xef\xbc\x8c\xe3\x80\x81\xe0\xa5\xa4\xdb\x94\xd8\x8c])]+",
	"'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+",
	"[\\p{Han}]+|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}&&[^\\p{Han}]]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{"
	"M}&&[^\\p{Han}]]+",
	"[^\\r\\n\\p{L}\\p{N}]?((?=[\\p{L}])([^a-z]))*((?=[\\p{L}])([^A-Z]))+(?:'[sS]|'[tT])?",
	"[0-9][0-9][0-9]",
	"\\d{1,3}(?=(?:\\d{3})*\\b)",
	"(?:\\p{L}\\p{M}*)+",
	"[[:punct:]]+",
	"\\x{4e00}|\\uFF01|\\x20",
};

START_TEST(test_published_splits_cost_nothing)
{
	CHECK_ALL(splits, REGEX_ONIGURUMA, REGEX_FINE);
}
END_TEST

START_TEST(test_honest_loops)
{
	const char *const list[] = { "(?:[a-z]+\\.)*[a-z]+", "(?>[a-z]+)*", "(?:[a-z]++)*", "(a|b)*", "(?:\\s+\\w+)*",
		"(ab?)+", "(?:'[a-z]+)+", "(?:\\d{3})+", "(a+b)+", "(?:a{1,3}b)*", "((a|b)c)*", "(?:\\.[a-z]\\w*)*",
		"a{1000}", "(?:x{100}){100}", "", "{", "a{,x}", "(?i)abc|def", "(?:\\r\\n|\\r|\\n)", "(?:a{2,4}b)*",
		"((?:ab){1,3}c)*" };

	CHECK_ALL(list, REGEX_ONIGURUMA, REGEX_FINE);
}
END_TEST

START_TEST(test_loops_that_multiply)
{
	const char *const list[] = { "(a+)+$", "(a|a)*", "(\\s*\\w+)*", "(a*)*", "(?:a+)+b", "([a-zA-Z]+)*$", "(a|aa)+",
		"(a|a?)+", "(.*a)+", "(x+x+)+y", "(a?a)+", "(x(a|a)y)*", "(xa*a*y)*", "(a*b*)*", "(a+|b+)*", "(ab|ac)*",
		"(a{1,9})+", "(?:\\p{L}+\\p{M}*)+", "(\\w+\\s?)*$", "((?:a)+)+", "a**", "(?=(a+)+$)", "(?>(a+)+b)",
		"(?<n>[^b]+)+c", "(?i:a|A)*", "(\\p{Foo}|a)*", "(a+){20}", "(a{1,3}+)$", "x{1,3}+y", "(x(a?|b?)y)*",
		"(x(a?)?y)*", "([\\d\\w]|\\d)+", "(?:[^\\n]+|.)*", "(\xc3\xa9|\xc3\xa9)*", "((a+)b?)*" };

	CHECK_ALL(list, REGEX_ONIGURUMA, REGEX_BACKTRACKS);
}
END_TEST

START_TEST(test_references_and_conditions)
{
	const char *const list[] = { "(a)\\1", "(?<n>a)\\k<n>", "(?P<n>a)(?P=n)", "\\g<0>", "(?R)", "(a)(?(1)b|c)",
		"(?1)", "(?&n)" };

	CHECK_ALL(list, REGEX_ONIGURUMA, REGEX_REFERENCE);
}
END_TEST

START_TEST(test_counts)
{
	const char *const list[] = { "a{1001}", "a{2,1001}", "a{1001,}", "(x{900}){900}", "(?:x{100}){101}",
		"(?:(?:a{22}){22}){22}" };

	CHECK_ALL(list, REGEX_ONIGURUMA, REGEX_COUNT);
}
END_TEST

START_TEST(test_what_does_not_parse)
{
	const char *const list[] = { "(", "a)", "[a", "*a", "a\\", "(?<n", "[z-a]", "(?x: a b )", "(?x", "(?i", "(?",
		"\\p{L", "(?{x})", "(*FAIL)", "(?~a)", "\\x{41" };

	CHECK_ALL(list, REGEX_ONIGURUMA, REGEX_UNREAD);
}
END_TEST

START_TEST(test_python_names_of_modules)
{
	const char *const fine[] = { ".*\\.(q|v)_proj", "[[a]+",
		"(?:.*?(?:vision|image).*?(?:self_attn|mlp).*?(?:q_proj|v_proj).*?)", "a{1,3}+b",
		"model\\.layers\\.(?:\\d+)\\.self_attn\\.[qkvo]_proj", "(?i)abc|def" };
	const char *const bad[] = { "(\\w+\\.?)*q_proj", "(a+)+" };

	CHECK_ALL(fine, REGEX_PYTHON, REGEX_FINE);
	CHECK_ALL(bad, REGEX_PYTHON, REGEX_BACKTRACKS);
}
END_TEST

static enum regex_cost judge_nested(unsigned depth, unsigned length)
{
	char *text = malloc(length + 1);
	enum regex_cost c;

	memset(text, 'a', length);
	memset(text, '(', depth);
	memset(text + length - depth, ')', depth);
	begin();
	c = regex_judge(x, bytes_of(text, length), REGEX_ONIGURUMA);
	end();
	free(text);
	return c;
}

START_TEST(test_limits_come_in_pairs)
{
	ck_assert_int_eq(judge_nested(64, 200), REGEX_FINE);
	ck_assert_int_eq(judge_nested(65, 200), REGEX_DEEP);
	ck_assert_int_eq(judge_nested(1, REGEX_BYTES_MAX), REGEX_FINE);
	ck_assert_int_eq(judge_nested(1, REGEX_BYTES_MAX + 1), REGEX_LONG);
}
END_TEST

/* Many loops, each as large as is looked at: the steps of all expressions together are bounded, and what is beyond is found. */
START_TEST(test_steps_are_bounded)
{
	char text[8000] = "";
	enum regex_cost c = REGEX_FINE;

	for (unsigned i = 0; i < 26; i++) {
		strcat(text, "(?:");
		for (unsigned k = 0; k < 90; k++)
			strcat(text, k % 2 ? "a" : "[ab]");
		strcat(text, "x)*");
	}
	begin();
	for (unsigned i = 0; i < 256; i++)
		c = regex_judge(x, bytes_of_text(text), REGEX_ONIGURUMA);
	ck_assert_int_ne(c, REGEX_UNREAD);
	end();
}
END_TEST

HARNESS("regex_cost", test_published_splits_cost_nothing, test_honest_loops, test_loops_that_multiply,
    test_references_and_conditions, test_counts, test_what_does_not_parse, test_python_names_of_modules,
    test_limits_come_in_pairs, test_steps_are_bounded)
