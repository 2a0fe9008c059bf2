/* The store's file: what is kept comes back, bounds hold, and what was not written here is not read. */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"
#include "store.h"

#define DAY INT64_C(86400)
#define NOON (INT64_C(20000) * DAY + 43200)

static char folder[64], path[96], error[STORE_ERROR_MAX];
static struct store *store;

static int open_with(enum store_mode mode, uint64_t rows, uint64_t bytes)
{
	store_close(store);
	store = NULL;
	return store_open(path, mode, &(struct store_bounds){ rows, bytes }, &store, error);
}

static void begin(void)
{
	strcpy(folder, "/tmp/test-store-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/" STORE_FILE, folder);
	ck_assert_int_eq(open_with(STORE_KEEP, 1000, 1 << 20), 0);
}

static void end(void)
{
	char command[128];

	store_close(store);
	store = NULL;
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}

static uint8_t entry[STORE_ENTRY_MAX + 1];

static struct store_row row_of(uint8_t which, size_t n)
{
	struct store_row row = { .size = which, .entry = bytes_of(entry, n) };

	memset(entry, which, n);
	memset(row.key, which, sizeof(row.key));
	memset(row.sha256, ~which, sizeof(row.sha256));
	return row;
}

static int put(uint8_t which, size_t n, int64_t now)
{
	struct store_row row = row_of(which, n);

	return store_put(store, &row, now);
}

static int get(uint8_t which, int64_t now, struct store_row *ret)
{
	return store_get(store, row_of(which, 0).key, now, ret);
}

static int has(uint8_t which)
{
	struct store_row row;

	return get(which, NOON, &row);
}

static uint64_t count(void)
{
	struct store_stats s;

	ck_assert_int_eq(store_stats(store, &s), 0);
	return s.rows;
}

/* Another program changes the file behind its back. */
static void change(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void change(const char *format, ...)
{
	char sql[512];
	sqlite3 *db;
	va_list args;

	va_start(args, format);
	vsnprintf(sql, sizeof(sql), format, args);
	va_end(args);
	ck_assert_int_eq(sqlite3_open(path, &db), SQLITE_OK);
	ck_assert_msg(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK, "%s: %s", sql, sqlite3_errmsg(db));
	sqlite3_close(db);
}

START_TEST(test_row_comes_back_also_after_reopening)
{
	struct store_row row;

	begin();
	ck_assert_int_eq(has(1), 0);
	ck_assert_int_eq(put(1, 1000, NOON), 0);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(get(1, NOON, &row), 1);
		ck_assert_uint_eq(row.size, 1);
		ck_assert_uint_eq(row.entry.n, 1000);
		ck_assert_uint_eq(row.entry.at[999], 1);
		ck_assert_uint_eq(row.sha256[0], 0xFE);
		ck_assert_int_eq(open_with(STORE_KEEP, 1000, 1 << 20), 0);
	}
	ck_assert_int_eq(has(2), 0);
	end();
}
END_TEST

START_TEST(test_same_key_is_one_row_and_the_last_one_counts)
{
	struct store_row row;

	begin();
	ck_assert_int_eq(put(1, 1000, NOON), 0);
	ck_assert_int_eq(put(1, 500, NOON), 0);
	ck_assert_uint_eq(count(), 1);
	ck_assert_int_eq(get(1, NOON, &row), 1);
	ck_assert_uint_eq(row.entry.n, 500);
	end();
}
END_TEST

START_TEST(test_rows_are_bounded_and_the_longest_unused_goes_first)
{
	struct store_row row;

	begin();
	ck_assert_int_eq(open_with(STORE_KEEP, 3, 1 << 20), 0);
	for (uint8_t i = 1; i <= 3; i++)
		ck_assert_int_eq(put(i, 100, NOON + i * DAY), 0);
	ck_assert_int_eq(get(1, NOON + 4 * DAY, &row), 1); /* used again: now the newest */
	ck_assert_int_eq(put(4, 100, NOON + 5 * DAY), 0);
	ck_assert_uint_eq(count(), 3);
	ck_assert_int_eq(has(2), 0);
	ck_assert_int_eq(has(1), 1);
	ck_assert_int_eq(has(3), 1);
	ck_assert_int_eq(has(4), 1);
	end();
}
END_TEST

START_TEST(test_of_one_day_the_oldest_goes_first_whatever_its_size)
{
	begin();
	ck_assert_int_eq(open_with(STORE_KEEP, 3, 1 << 20), 0);
	for (uint8_t i = 1; i <= 3; i++)
		ck_assert_int_eq(put(i, 1000, NOON), 0);
	for (uint8_t i = 4; i <= 6; i++) {
		ck_assert_int_eq(put(i, i % 2 ? 10 : 2000, NOON), 0);
		ck_assert_int_eq(has(i), 1);
		ck_assert_int_eq(has(i - 3), 0);
	}
	end();
}
END_TEST

START_TEST(test_bytes_are_bounded_too)
{
	begin();
	ck_assert_int_eq(open_with(STORE_KEEP, 1000, 2500), 0);
	for (uint8_t i = 1; i <= 3; i++)
		ck_assert_int_eq(put(i, 1000, NOON + i * DAY), 0);
	ck_assert_uint_eq(count(), 2);
	ck_assert_int_eq(has(1), 0);
	ck_assert_int_eq(put(9, 2500, NOON + 9 * DAY), 0);
	ck_assert_uint_eq(count(), 1);
	ck_assert_int_eq(put(10, 2501, NOON + 9 * DAY), -EFBIG);
	ck_assert_int_eq(has(9), 1);
	end();
}
END_TEST

START_TEST(test_entry_has_a_longest)
{
	begin();
	ck_assert_int_eq(put(1, STORE_ENTRY_MAX, NOON), 0);
	ck_assert_int_eq(put(2, STORE_ENTRY_MAX + 1, NOON), -EFBIG);
	ck_assert_int_eq(put(3, 0, NOON), -EFBIG);
	ck_assert_uint_eq(count(), 1);
	end();
}
END_TEST

START_TEST(test_totals_are_right_after_another_program_has_deleted)
{
	begin();
	ck_assert_int_eq(open_with(STORE_KEEP, 3, 1 << 20), 0);
	for (uint8_t i = 1; i <= 3; i++)
		ck_assert_int_eq(put(i, 100, NOON + i * DAY), 0);
	change("DELETE FROM verdicts WHERE size < 3");
	ck_assert_int_eq(put(4, 100, NOON + 4 * DAY), 0);
	ck_assert_int_eq(put(5, 100, NOON + 5 * DAY), 0);
	ck_assert_uint_eq(count(), 3);
	ck_assert_int_eq(has(3), 1);
	end();
}
END_TEST

START_TEST(test_row_that_was_changed_is_refused_and_gone)
{
	static const char *const changes[] = { "entry = CAST(x'00' || substr(entry, 2) AS BLOB)", "size = size + 1",
		"sha256 = zeroblob(32)", "mac = zeroblob(32)", "mac = x''", "entry = x''", "sha256 = x'00'",
		"size = -1", "key = x'0202020202020202020202020202020202020202020202020202020202020202'" };

	begin();
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		uint8_t which = strncmp(changes[i], "key", 3) == 0 ? 2 : 1;

		ck_assert_int_eq(put(1, 100, NOON), 0);
		ck_assert_int_eq(has(1), 1);
		store_release(store);
		change("UPDATE verdicts SET %s", changes[i]);
		ck_assert_msg(has(which) == -EBADMSG, "%s", changes[i]);
		ck_assert_msg(has(which) == 0, "%s", changes[i]);
		ck_assert_uint_eq(count(), 0);
	}
	end();
}
END_TEST

START_TEST(test_rows_written_under_another_key_are_not_read)
{
	char key_path[128];
	struct stat st;

	begin();
	ck_assert_int_eq(put(1, 100, NOON), 0);
	snprintf(key_path, sizeof(key_path), "%s" STORE_KEY_SUFFIX, path);
	ck_assert_int_eq(stat(key_path, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
	ck_assert_int_eq(unlink(key_path), 0);
	ck_assert_int_eq(open_with(STORE_LOOK, 0, 0), -ENOENT);
	ck_assert_int_eq(open_with(STORE_KEEP, 1000, 1 << 20), 0);
	ck_assert_int_eq(has(1), -EBADMSG);
	end();
}
END_TEST

static void write_file(const char *text)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	for (int i = 0; i < 1000; i++)
		fputs(text, f);
	fclose(f);
}

/* Return: the mode of the key's file, and its contents. */
static mode_t look_at_key(const char *key_path, uint8_t key[32])
{
	struct stat st;
	int fd = open(key_path, O_RDONLY | O_NONBLOCK);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(read(fd, key, 32), 32);
	close(fd);
	return st.st_mode & 0777;
}

START_TEST(test_key_that_is_no_secret_is_replaced)
{
	static const mode_t modes[] = { 0640, 0602, 0604, 0610 };
	uint8_t before[32], held[32], after[32];
	char key_path[128];

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
		int fd;

		begin();
		snprintf(key_path, sizeof(key_path), "%s" STORE_KEY_SUFFIX, path);
		ck_assert_int_eq(look_at_key(key_path, before), 0600);
		ck_assert_int_eq(put(1, 100, NOON), 0);
		ck_assert_int_eq(chmod(key_path, modes[i]), 0);
		fd = open(key_path, O_RDONLY); /* somebody has it open */
		ck_assert_int_eq(open_with(STORE_KEEP, 1000, 1 << 20), 0);
		ck_assert_int_eq(look_at_key(key_path, after), 0600);
		ck_assert_int_eq(pread(fd, held, 32, 0), 32);
		close(fd);
		ck_assert_mem_eq(held, before, 32);
		ck_assert_mem_ne(after, before, 32);
		ck_assert_int_eq(has(1), -EBADMSG);
		ck_assert_int_eq(open_with(STORE_KEEP, 1000, 1 << 20), 0);
		ck_assert_int_eq(look_at_key(key_path, held), 0600);
		ck_assert_mem_eq(held, after, 32); /* that one is */
		end();
	}
}
END_TEST

START_TEST(test_key_that_is_no_file_is_replaced)
{
	uint8_t key[32];
	char key_path[128];

	begin();
	snprintf(key_path, sizeof(key_path), "%s" STORE_KEY_SUFFIX, path);
	ck_assert_int_eq(unlink(key_path), 0);
	ck_assert_int_eq(mkfifo(key_path, 0600), 0);
	ck_assert_int_eq(open_with(STORE_KEEP, 1000, 1 << 20), 0);
	ck_assert_int_eq(look_at_key(key_path, key), 0600);
	ck_assert_int_eq(put(1, 100, NOON), 0);
	ck_assert_int_eq(has(1), 1);
	end();
}
END_TEST

START_TEST(test_sum_that_nobody_can_count_is_damage)
{
	begin();
	for (uint8_t i = 1; i <= 2; i++)
		ck_assert_int_eq(put(i, 100, NOON), 0);
	change("UPDATE verdicts SET bytes = 9223372036854775807");
	ck_assert_int_eq(put(3, 100, NOON), -EUCLEAN);
	ck_assert_int_eq(store_clear(store), -EUCLEAN);
	ck_assert_int_eq(has(1), 1); /* what is signed is not touched by it */
	end();
}
END_TEST

START_TEST(test_file_that_is_no_store_is_refused_and_can_be_moved_aside)
{
	char aside[128];

	begin();
	store_close(store);
	store = NULL;
	write_file("this is no database, ");
	ck_assert_int_eq(open_with(STORE_KEEP, 1000, 1 << 20), -EUCLEAN);
	ck_assert_ptr_nonnull(strstr(error, path));
	ck_assert_int_eq(store_move_aside(path), 0);
	snprintf(aside, sizeof(aside), "%s" STORE_DAMAGED_SUFFIX, path);
	ck_assert_int_eq(access(aside, F_OK), 0);
	ck_assert_int_eq(open_with(STORE_KEEP, 1000, 1 << 20), 0);
	ck_assert_int_eq(put(1, 100, NOON), 0);
	end();
}
END_TEST

START_TEST(test_database_with_anything_else_in_it_is_refused)
{
	static const char *const changes[] = {
		"CREATE TRIGGER t AFTER INSERT ON verdicts BEGIN DELETE FROM verdicts; END",
		"CREATE VIEW v AS SELECT * FROM verdicts", "CREATE TABLE more(x)", "DROP INDEX by_key",
		"PRAGMA user_version = 1", "PRAGMA application_id = 7", "ALTER TABLE verdicts ADD COLUMN note ANY"
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		begin();
		store_close(store);
		store = NULL;
		change("%s", changes[i]);
		ck_assert_msg(open_with(STORE_KEEP, 1000, 1 << 20) == -EUCLEAN, "%s", changes[i]);
		end();
	}
}
END_TEST

/* Pages are overwritten while it is open: no crash, no row, and damage is called damage. */
START_TEST(test_damaged_pages_give_no_row)
{
	uint8_t junk[4096];
	bool any_damage = false;
	int fd;

	begin();
	for (uint8_t i = 1; i < 100; i++)
		ck_assert_int_eq(put(i, 2000, NOON), 0);
	store_close(store); /* all of it is in the file now */
	store = NULL;
	memset(junk, 0x5A, sizeof(junk));
	fd = open(path, O_RDWR);
	for (off_t page = 3; page < 20; page++)
		ck_assert_int_eq(pwrite(fd, junk, sizeof(junk), page * 4096), sizeof(junk));
	close(fd);
	ck_assert_int_eq(open_with(STORE_KEEP, 1000, 1 << 20), 0);
	for (uint8_t i = 1; i < 100; i++) {
		struct store_row row;
		int r = get(i, NOON, &row);

		ck_assert_msg(r == 1 || r == 0 || r == -EUCLEAN || r == -EBADMSG, "%d", r);
		ck_assert(r != 1 || row.entry.at[0] == i);
		any_damage = any_damage || r == -EUCLEAN;
	}
	ck_assert(any_damage);
	end();
}
END_TEST

START_TEST(test_gc_evicts_by_bounds_and_by_day_and_gives_pages_back)
{
	struct store_stats before, after;

	begin();
	for (uint8_t i = 1; i <= 100; i++)
		ck_assert_int_eq(put(i, 2000, NOON + i * DAY), 0);
	ck_assert_int_eq(open_with(STORE_MAINTAIN, 0, 0), 0);
	ck_assert_int_eq(store_stats(store, &before), 0);
	ck_assert_int_eq(before.oldest_day, 20001);
	ck_assert_int_eq(before.newest_day, 20100);
	ck_assert_int_eq(store_gc(store, &(struct store_bounds){ UINT64_MAX, UINT64_MAX }, 20011), 10);
	ck_assert_int_eq(store_gc(store, &(struct store_bounds){ 50, UINT64_MAX }, INT64_MIN), 40);
	ck_assert_int_eq(store_gc(store, &(struct store_bounds){ UINT64_MAX, 20000 }, INT64_MIN), 40);
	ck_assert_int_eq(has(100), 1);
	ck_assert_int_eq(has(90), 0);
	store_release(store);
	ck_assert_int_eq(store_stats(store, &after), 0);
	ck_assert_uint_eq(after.rows, 10);
	ck_assert_uint_eq(after.bytes, 20000);
	ck_assert_uint_lt(after.file_bytes, before.file_bytes / 2);
	ck_assert_int_eq(store_clear(store), 10);
	ck_assert_uint_eq(count(), 0);
	end();
}
END_TEST

static unsigned found;

static void on_found(void *ctx, const struct store_row *row)
{
	ck_assert_uint_eq(row->sha256[0], 0xFE);
	*(unsigned *)ctx += 1;
}

START_TEST(test_all_rows_of_a_file_are_found)
{
	struct store_row row;

	begin();
	for (uint8_t i = 1; i <= 3; i++) {
		row = row_of(i, 100);
		memset(row.sha256, 0xFE, 32);
		ck_assert_int_eq(store_put(store, &row, NOON), 0);
	}
	row = row_of(4, 100);
	ck_assert_int_eq(store_put(store, &row, NOON), 0);
	memset(row.sha256, 0xFE, 32);
	ck_assert_int_eq(store_find(store, row.sha256, on_found, &found), 3);
	ck_assert_uint_eq(found, 3);
	end();
}
END_TEST

START_TEST(test_check_counts_rows_that_were_not_written_here)
{
	uint64_t bad;

	begin();
	for (uint8_t i = 1; i <= 5; i++)
		ck_assert_int_eq(put(i, 100, NOON), 0);
	ck_assert_int_eq(store_check(store, &bad), 0);
	ck_assert_uint_eq(bad, 0);
	change("UPDATE verdicts SET size = 77 WHERE size IN (2, 3)");
	ck_assert_int_eq(store_check(store, &bad), 0);
	ck_assert_uint_eq(bad, 2);
	end();
}
END_TEST

/* The command's maintenance goes on beside the daemon. */
START_TEST(test_two_at_a_time)
{
	struct store *other;
	struct store_row row;

	begin();
	ck_assert_int_eq(put(1, 100, NOON), 0);
	ck_assert_int_eq(has(1), 1); /* and its view stays open: a reader does not keep a writer away */
	ck_assert_int_eq(store_open(path, STORE_MAINTAIN, NULL, &other, error), 0);
	ck_assert_int_eq(store_clear(other), 1);
	ck_assert_int_eq(put(2, 100, NOON), 0);
	ck_assert_int_eq(store_get(other, row_of(2, 0).key, NOON, &row), 1);
	ck_assert_int_eq(has(1), 0);
	store_close(other);
	end();
}
END_TEST

HARNESS("store", test_row_comes_back_also_after_reopening, test_same_key_is_one_row_and_the_last_one_counts,
    test_rows_are_bounded_and_the_longest_unused_goes_first, test_of_one_day_the_oldest_goes_first_whatever_its_size,
    test_bytes_are_bounded_too, test_entry_has_a_longest, test_totals_are_right_after_another_program_has_deleted,
    test_row_that_was_changed_is_refused_and_gone, test_rows_written_under_another_key_are_not_read,
    test_key_that_is_no_secret_is_replaced, test_key_that_is_no_file_is_replaced,
    test_sum_that_nobody_can_count_is_damage, test_file_that_is_no_store_is_refused_and_can_be_moved_aside,
    test_database_with_anything_else_in_it_is_refused, test_damaged_pages_give_no_row,
    test_gc_evicts_by_bounds_and_by_day_and_gives_pages_back, test_all_rows_of_a_file_are_found,
    test_check_counts_rows_that_were_not_written_here, test_two_at_a_time)
