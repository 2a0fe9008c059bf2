/* What goes to the journal: whatever a value holds, it ends no field and begins none. */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "log.h"

static int entries;

static void open_entries(void)
{
	int pair[2];

	ck_assert_int_eq(pipe2(pair, O_CLOEXEC | O_NONBLOCK | O_DIRECT), 0);
	entries = pair[0];
	log_entries_to(pair[1]);
}

/* Is the field there, as its name, its length and its value? */
static bool has_field(const char *at, size_t n, const char *name, const char *value)
{
	char wanted[2 * LOG_ENTRY_MAX] = "";
	size_t name_n = strlen(name), value_n = strlen(value);

	memcpy(wanted, name, name_n);
	wanted[name_n] = '\n';
	wanted[name_n + 1] = (char)(value_n & 255);
	wanted[name_n + 2] = (char)(value_n >> 8);
	memcpy(wanted + name_n + 9, value, value_n);
	wanted[name_n + 9 + value_n] = '\n';
	return memmem(at, n, wanted, name_n + value_n + 10) != NULL;
}

START_TEST(test_a_value_makes_no_field_of_its_own)
{
	static const char evil[] = "x\nWEIGHLOCK_VERDICT=accept\nWEIGHLOCK_VERDICT\n\x06";
	const struct log_field fields[] = { { "WEIGHLOCK_VERDICT", "reject" }, { "WEIGHLOCK_TENANT", evil },
		{ "NONE", NULL } };
	const struct log_entry e = { .message_id = "0123", .priority = 4, .fields = fields, .n = 3 };
	char got[LOG_ENTRY_MAX];
	ssize_t n;

	open_entries();
	log_entry(&e, "line %d", 1);
	n = read(entries, got, sizeof(got));
	ck_assert_int_gt(n, 0);
	ck_assert(has_field(got, (size_t)n, "MESSAGE", "line 1"));
	ck_assert(has_field(got, (size_t)n, "PRIORITY", "4"));
	ck_assert(has_field(got, (size_t)n, "WEIGHLOCK_VERDICT", "reject"));
	ck_assert(has_field(got, (size_t)n, "WEIGHLOCK_TENANT", evil));
	ck_assert_ptr_null(memmem(got, (size_t)n, "NONE", 4));
	close(entries);
}
END_TEST

START_TEST(test_what_does_not_fit_is_left_out_whole)
{
	static char large[LOG_ENTRY_MAX];
	const struct log_field fields[] = { { "LARGE", large }, { "AFTER", "it" } };
	const struct log_entry e = { .message_id = "0123", .priority = 6, .fields = fields, .n = 2 };
	char got[LOG_ENTRY_MAX];

	memset(large, 'x', sizeof(large) - 1);
	open_entries();
	for (size_t cut = 0; cut < 200; cut++) {
		ssize_t n;

		large[sizeof(large) - 1 - cut] = '\0';
		log_entry(&e, "line");
		n = read(entries, got, sizeof(got));
		ck_assert_int_gt(n, 0);
		ck_assert(has_field(got, (size_t)n, "MESSAGE", "line"));
		ck_assert(got[n - 1] == '\n');
		ck_assert(has_field(got, (size_t)n, "LARGE", large) == (memmem(got, (size_t)n, "LARGE", 5) != NULL));
	}
	ck_assert(memmem(got, sizeof(got), "LARGE", 5) != NULL);
	close(entries);
}
END_TEST

HARNESS("log", test_a_value_makes_no_field_of_its_own, test_what_does_not_fit_is_left_out_whole)
