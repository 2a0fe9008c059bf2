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
#include <stdlib.h>

static inline int harness_run(const char *name, const TTest *const *tests, size_t n, double timeout_s)
{
	Suite *suite = suite_create(name);
	SRunner *runner;
	int failed;

	for (size_t i = 0; i < n; i++) {
		TCase *tc = tcase_create(tests[i]->name);

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

#define HARNESS(name, ...)                                                             \
	int main(void)                                                                 \
	{                                                                              \
		const TTest *const tests[] = { __VA_ARGS__ };                          \
                                                                                       \
		return harness_run(name, tests, sizeof(tests) / sizeof(tests[0]), 60); \
	}
