/* lib/judges/config: how many names of a configuration are looked up.  corpus/identify has what they are taken for. */
#include <stdlib.h>

#include "harness.h"
#include "memory_scan.h"

#define LINE "- _target_: torch.nn.ReLU\n"
#define LINES 65536u
#define LAST "- _target_: os.system\n"

static struct facts *judge(size_t lines)
{
	size_t n = lines * strlen(LINE) + strlen(LAST);
	struct job job = { .size = n, .kind = SOURCE_IMMUTABLE, .hint = WLK_FORMAT_YAML, .limits = LIMITS_DEFAULT };
	char *text = malloc(n + 1);
	struct facts *facts;

	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < lines; i++)
		memcpy(text + i * strlen(LINE), LINE, strlen(LINE));
	memcpy(text + lines * strlen(LINE), LAST, strlen(LAST) + 1);
	facts = memory_scan_job(text, n, &job);
	free(text);
	return facts;
}

START_TEST(test_the_last_name_that_is_looked_up)
{
	struct facts *f = judge(LINES - 1);

	ck_assert_uint_eq(f->per_code[WLK_F_CONFIG_TARGET], 1);
	ck_assert_uint_eq(f->per_code[WLK_F_CONFIG_LIMIT], 0);
	facts_free(f);
}
END_TEST

START_TEST(test_a_name_that_nobody_looks_up_is_a_limit)
{
	struct facts *f = judge(LINES);

	ck_assert_uint_eq(f->per_code[WLK_F_CONFIG_TARGET], 0);
	ck_assert_uint_eq(f->per_code[WLK_F_CONFIG_LIMIT], 1);
	facts_free(f);
}
END_TEST

HARNESS("config_yaml", test_the_last_name_that_is_looked_up, test_a_name_that_nobody_looks_up_is_a_limit)
