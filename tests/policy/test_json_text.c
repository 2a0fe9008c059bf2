/* JSON as text, or nothing: whatever allocation fails. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "verdict.h"

static unsigned n_left; /* allocations of jansson's that succeed */

static void *scarce_malloc(size_t n)
{
	return n_left > 0 && n_left-- > 0 ? malloc(n) : NULL;
}

static json_t *document(void)
{
	json_t *o = json_object();
	char key[32], value[200];

	memset(value, 'v', sizeof(value) - 1);
	value[sizeof(value) - 1] = '\0';
	for (int i = 0; i < 40; i++) {
		snprintf(key, sizeof(key), "key-%d", i);
		ck_assert_int_eq(
		    json_object_set_new(o, key, i % 3 == 0 ? json_pack("[i,n,{s:b}]", i, "x", 1) : json_string(value)),
		    0);
	}
	return o;
}

START_TEST(test_a_text_is_whole_or_there_is_none)
{
	static const size_t flags[] = { JSON_COMPACT, JSON_COMPACT | JSON_ENSURE_ASCII, JSON_SORT_KEYS };

	for (size_t f = 0; f < sizeof(flags) / sizeof(flags[0]); f++) {
		json_t *o = document();
		char *whole = json_dumps(o, flags[f]), *text = NULL;

		json_set_alloc_funcs(scarce_malloc, free);
		for (unsigned n = 0; text == NULL; n++) {
			ck_assert_uint_lt(n, 1000);
			n_left = n;
			text = json_text(o, flags[f]);
			ck_assert(text == NULL || strcmp(text, whole) == 0);
		}
		json_set_alloc_funcs(malloc, free);
		free(text);
		free(whole);
		json_decref(o);
	}
	ck_assert_ptr_null(json_text(NULL, JSON_COMPACT));
}
END_TEST

HARNESS("json text", test_a_text_is_whole_or_there_is_none)
