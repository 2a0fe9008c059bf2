/* What every unit test program shares: Check suites, printed as TAP so that `meson test` counts each test.
 *
 *	START_TEST(test_carve_refuses_one_byte_past_parent)
 *	{
 *		...
 *	}
 *	END_TEST
 *
 *	HARNESS("cursor", test_carve_refuses_one_byte_past_parent, ...) */
#pragma once

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

/* What a test leaves for the end of its process, which a leak checker need not tell. */
static inline void *harness_keep(void *p)
{
	static void *volatile kept[4096];
	static unsigned n;

	ck_assert_uint_lt(n, sizeof(kept) / sizeof(kept[0]));
	kept[n++] = p;
	return p;
}

/* Why a test cannot run here, or NULL.  Check knows no skipping: such a test is left out, with a line that says so. */
typedef const char *(*harness_skip_fn)(const char *test);

static inline int harness_run(
    const char *name, const TTest *const *tests, size_t n, double timeout_s, harness_skip_fn skip)
{
	Suite *suite = suite_create(name);
	SRunner *runner;
	int failed;

	for (size_t i = 0; i < n; i++) {
		const char *why = skip != NULL ? skip(tests[i]->name) : NULL;
		TCase *tc;

		if (why != NULL) {
			printf("# left out: %s: %s\n", tests[i]->name, why);
			continue;
		}
		tc = tcase_create(tests[i]->name);
		tcase_set_timeout(tc, timeout_s);
		tcase_add_test(tc, tests[i]);
		suite_add_tcase(suite, tc);
	}
	runner = srunner_create(suite);
	srunner_set_tap(runner, "-");
	srunner_run_all(runner, CK_SILENT);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* The whole main(); HARNESS_EXCEPT with a harness_skip_fn for tests the surroundings may forbid. */
#define HARNESS_EXCEPT(name, skip, ...)                                                       \
	int main(void)                                                                        \
	{                                                                                     \
		const TTest *const tests[] = { __VA_ARGS__ };                                 \
                                                                                              \
		return harness_run(name, tests, sizeof(tests) / sizeof(tests[0]), 600, skip); \
	}

#define HARNESS(name, ...) HARNESS_EXCEPT(name, NULL, __VA_ARGS__)
