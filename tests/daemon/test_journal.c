/* Entries from children, one of which somebody may have taken over, on their way to journald. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness.h"
#include "journal.h"
#include "log.h"

static int journald;
static struct journal ours;

static void open_both(void)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	char folder[] = "/tmp/weighlock-journal-XXXXXX";

	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(a.sun_path, sizeof(a.sun_path), "%s/s", folder);
	journald = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	ck_assert_int_eq(bind(journald, (const struct sockaddr *)&a, sizeof(a)), 0);
	ck_assert_int_eq(journal_open(a.sun_path, &ours), 0);
	unlink(a.sun_path);
	rmdir(folder);
}

static void close_both(void)
{
	journal_close(&ours);
	close(journald);
}

/* A field as log.c writes it. */
static size_t add(char *to, const char *name, const char *value)
{
	size_t n = strlen(name), value_n = strlen(value);

	memcpy(to, name, n);
	to[n++] = '\n';
	for (size_t i = 0; i < 8; i++)
		to[n++] = (char)((uint64_t)value_n >> (8 * i));
	memcpy(to + n, value, value_n);
	n += value_n;
	to[n++] = '\n';
	return n;
}

/* Does journald get it? */
static bool arrives(const char *entry, size_t n)
{
	char got[LOG_ENTRY_MAX];
	ssize_t r;

	journal_pass(&ours, entry, n);
	r = recv(journald, got, sizeof(got), 0);
	ck_assert(r < 0 || ((size_t)r == n && memcmp(got, entry, n) == 0));
	return r >= 0;
}

static bool field_arrives(const char *name, const char *value)
{
	char entry[LOG_ENTRY_MAX];
	size_t n = add(entry, "MESSAGE", "line");

	return arrives(entry, n + add(entry + n, name, value));
}

START_TEST(test_what_log_entry_writes_arrives)
{
	const struct log_field fields[] = { { "WEIGHLOCK_VERDICT", "reject" }, { "WEIGHLOCK_TENANT", "a\nb=c\n" } };
	const struct log_entry e = { .message_id = "0123", .priority = 4, .fields = fields, .n = 2 };
	char entry[LOG_ENTRY_MAX];
	int pair[2];
	ssize_t n;

	open_both();
	ck_assert_int_eq(pipe2(pair, O_DIRECT | O_NONBLOCK), 0);
	log_entries_to(pair[1]);
	log_entry(&e, "line");
	n = read(pair[0], entry, sizeof(entry));
	ck_assert_int_gt(n, 0);
	ck_assert(arrives(entry, (size_t)n));
	close_both();
}
END_TEST

START_TEST(test_only_a_childs_own_fields_arrive)
{
	static const char *const bad[] = { "_PID", "OBJECT_PID", "UNIT", "WEIGHLOCK", "WEIGHLOCK_", "MESSAGE=x", "",
		"SYSLOG_FACILITY" };

	open_both();
	ck_assert(field_arrives("WEIGHLOCK_X", "1"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!field_arrives(bad[i], "1"), "%s", bad[i]);
	close_both();
}
END_TEST

START_TEST(test_what_is_cut_or_lies_about_its_length_does_not_arrive)
{
	char entry[LOG_ENTRY_MAX];
	size_t first = add(entry, "MESSAGE", "line"), n = first + add(entry + first, "WEIGHLOCK_X", "value");

	open_both();
	ck_assert(arrives(entry, n));
	for (size_t cut = 1; cut < n; cut++)
		ck_assert_msg(arrives(entry, n - cut) == (n - cut == first), "cut by %zu", cut);
	for (size_t i = 0; i < 8; i++) { /* of the length */
		for (unsigned bit = 0; bit < 8; bit++) {
			char *at = &entry[strlen("MESSAGE") + 1 + i];

			*at = (char)(*at ^ (1 << bit));
			ck_assert(!arrives(entry, n));
			*at = (char)(*at ^ (1 << bit));
		}
	}
	ck_assert(!arrives("MESSAGE=line\n", 13)); /* the other form of the protocol is not one of ours */
	close_both();
}
END_TEST

START_TEST(test_a_journal_that_is_named_and_missing_is_an_error)
{
	char longer[256] = "";
	struct journal j;

	memset(longer, 'x', sizeof(longer) - 1);
	ck_assert_int_lt(journal_open("/nowhere/at/all", &j), 0);
	ck_assert_int_lt(journal_open(longer, &j), 0);
	ck_assert_int_eq(journal_open("off", &j), 0);
	ck_assert_int_eq(j.fd, -1);
	ck_assert_int_eq(journal_open("auto", &j), 0);
}
END_TEST

HARNESS("journal", test_what_log_entry_writes_arrives, test_only_a_childs_own_fields_arrive,
    test_what_is_cut_or_lies_about_its_length_does_not_arrive, test_a_journal_that_is_named_and_missing_is_an_error)
