/* Once memory has run out, no JSON is printed any more. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "harness.h"
#include "json_line.h"

#define LARGE ((size_t)512 << 20)

START_TEST(test_what_is_made_while_memory_lasts_is_printed)
{
	json_t *o;
	char *text;

	json_watch();
	o = json_pack("{s:i, s:[b,n]}", "a", 1, "b", 1);
	text = json_line(o, JSON_COMPACT);
	ck_assert_str_eq(text, "{\"a\":1,\"b\":[true,null]}");
	free(text);
	json_decref(o);
	ck_assert_ptr_null(json_line(NULL, JSON_COMPACT));
}
END_TEST

/* The failure is jansson's caller's to see; here nobody looks. */
START_TEST(test_a_member_that_could_not_be_added_is_not_left_out)
{
	const struct rlimit limit = { .rlim_cur = LARGE + LARGE / 2, .rlim_max = LARGE + LARGE / 2 };
	char *large = mmap(NULL, LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	json_t *o;

	ck_assert(large != MAP_FAILED);
	json_watch();
	o = json_pack("{s:i}", "a", 1);
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
	ck_assert_int_lt(json_object_set_new(o, "b", json_stringn_nocheck(large, LARGE)), 0);
	ck_assert_ptr_null(json_line(o, JSON_COMPACT));
	json_decref(o);
}
END_TEST

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define SANITIZED /* which takes terabytes of addresses for itself */
#endif
#endif

static const char *without_addresses(const char *test)
{
#ifdef SANITIZED
	return strcmp(test, "test_a_member_that_could_not_be_added_is_not_left_out") == 0 ? "a sanitizer" : NULL;
#else
	(void)test;
	return NULL;
#endif
}

HARNESS_EXCEPT("json line", without_addresses, test_what_is_made_while_memory_lasts_is_printed,
    test_a_member_that_could_not_be_added_is_not_left_out)
