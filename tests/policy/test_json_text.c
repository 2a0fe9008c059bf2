/* JSON as text, or nothing: whatever allocation fails. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "verdict.h"

static unsigned n_made, failing; /* allocations of jansson's; which one of them fails, the next may succeed */

static void *scarce_malloc(size_t n)
{
	return ++n_made == failing ? NULL : malloc(n);
}

/* A short member, and one whose name is longer than what stands for its value: the kind that is dropped. */
static json_t *document(size_t key_n)
{
	json_t *o = json_pack("{s:[i,n,b]}", "first", 1, 1);
	char key[512];

	memset(key, 'k', key_n);
	key[key_n] = '\0';
	ck_assert_int_eq(json_object_set_new(o, key, json_integer(7)), 0);
	return o;
}

static void is_whole_or_none(size_t key_n, size_t flags)
{
	json_t *o = document(key_n);
	char *whole = json_dumps(o, flags), *text = NULL;

	json_set_alloc_funcs(scarce_malloc, free);
	failing = 0;
	do {
		free(text);
		failing++;
		n_made = 0;
		text = json_text(o, flags);
		ck_assert_msg(text == NULL || strcmp(text, whole) == 0, "%s", text);
	} while (n_made >= failing);
	ck_assert_ptr_nonnull(text);
	json_set_alloc_funcs(malloc, free);
	free(text);
	free(whole);
	json_decref(o);
}

START_TEST(test_a_text_is_whole_or_there_is_none)
{
	for (size_t key_n = 1; key_n < 300; key_n++) {
		is_whole_or_none(key_n, JSON_COMPACT);
		is_whole_or_none(key_n, JSON_COMPACT | JSON_ENSURE_ASCII);
		is_whole_or_none(key_n, JSON_SORT_KEYS);
	}
	ck_assert_ptr_null(json_text(NULL, JSON_COMPACT));
}
END_TEST

HARNESS("json text", test_a_text_is_whole_or_there_is_none)
