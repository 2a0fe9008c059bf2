/* The audit log's chain, and its files: what is written is whole, what is changed is found, and what fails leaves no
 * trace. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <openssl/sha.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit_file.h"
#include "audit_texts.h"
#include "harness.h"

#define DAY INT64_C(86400)
#define ZEROS "0000000000000000000000000000000000000000000000000000000000000000"
#define RECORD "{\"kind\":\"verdict\",\"name\":\"a\"}"

/* ---- records ---- */

static bool is_sound(const char *text)
{
	return audit_record_is_sound(bytes_of_text(text));
}

START_TEST(test_record_is_an_object_of_a_known_kind_without_the_chains_members)
{
	static const char *const bad[] = { "", "{}", "[1]", "{\"kind\":\"begin\"}", "{\"kind\":1}", "{\"x\":1}",
		"{\"kind\":\"verdict\",\"seq\":1}", "{\"kind\":\"verdict\",\"prev\":1}",
		"{\"kind\":\"verdict\",\"time\":1}", "{\"kind\":\"verdict\",\"schema\":1}",
		"{\"kind\":\"verdict\",\"kind\":\"set\"}", "{\"kind\":\"verdict\"}\n", "{\"kind\":\"verdict\"",
		"{\"kind\":\"verdict\",\"a\":\"\n\"}", "{\"kind\":\"verdict\",\"a\":\"\xc3\xa4\"}",
		"{\"kind\":\"verdict\"}}", "{ \"kind\":\"verdict\"}" };

	ck_assert(is_sound("{\"kind\":\"verdict\"}"));
	ck_assert(is_sound("{\"kind\":\"set\"}"));
	ck_assert(is_sound("{\"kind\":\"lookup\",\"name\":\"\\u00e4\"}"));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!is_sound(bad[i]), "%s", bad[i]);
}
END_TEST

START_TEST(test_longest_record_is_taken_and_one_byte_more_is_refused)
{
	char *text = malloc(AUDIT_RECORD_MAX + 2), line[AUDIT_LINE_MAX];
	const struct audit_chain last = { .next = UINT64_MAX };
	size_t n = (size_t)snprintf(text, AUDIT_RECORD_MAX + 2, "{\"kind\":\"verdict\",\"name\":\"");

	memset(text + n, 'x', AUDIT_RECORD_MAX - n);
	memcpy(text + AUDIT_RECORD_MAX - 2, "\"}", 2);
	ck_assert(audit_record_is_sound(bytes_of(text, AUDIT_RECORD_MAX)));
	ck_assert_uint_lt(
	    audit_line(&last, bytes_of(text, AUDIT_RECORD_MAX), INT64_C(253402300799), line), AUDIT_LINE_MAX);
	memcpy(text + AUDIT_RECORD_MAX - 2, "x\"}", 3);
	ck_assert(!audit_record_is_sound(bytes_of(text, AUDIT_RECORD_MAX + 1)));
	free(text);
}
END_TEST

/* ---- the chain ---- */

START_TEST(test_line_is_these_very_bytes)
{
	struct audit_chain c = { 0 };
	static const char first[] =
	    "{\"schema\":\"weighlock.audit/1\",\"seq\":0,\"prev\":\"00000000000000000000000000000000"
	    "00000000000000000000000000000000\",\"time\":\"2026-11-21T22:00:00Z\",\"kind\":\"verdict\","
	    "\"name\":\"a\"}\n";
	char line[AUDIT_LINE_MAX];
	uint8_t digest[32];
	size_t n = audit_line(&c, bytes_of_text(RECORD), 1795298400, line);

	ck_assert_uint_eq(n, sizeof(first) - 1);
	ck_assert_mem_eq(line, first, n);
	audit_advance(&c, bytes_of(line, n));
	SHA256((const uint8_t *)first, sizeof(first) - 1, digest);
	ck_assert_mem_eq(c.head, digest, 32);
	ck_assert_uint_eq(c.next, 1);
}
END_TEST

/* A chain of n lines, the first of kind begin. */
struct made {
	char line[8][AUDIT_LINE_MAX];
	size_t n[8];
};

static struct made made;

static void make(size_t n)
{
	struct audit_chain c = { 0 };

	for (size_t i = 0; i < n; i++) {
		made.n[i] = audit_line(&c, bytes_of_text(i == 0 ? "{\"kind\":\"begin\"}" : RECORD), 0, made.line[i]);
		audit_advance(&c, bytes_of(made.line[i], made.n[i]));
	}
}

/* Return: how many of these lines are fine; all: also the end. */
static size_t check(const size_t *order, size_t n, char *error)
{
	struct audit_check c = { 0 };

	error[0] = '\0';
	audit_check_file(&c);
	for (size_t i = 0; i < n; i++) {
		if (!audit_check_line(&c, bytes_of(made.line[order[i]], made.n[order[i]]), error))
			return i;
	}
	return audit_check_end(&c, error) ? n : n - 1;
}

START_TEST(test_whole_chain_is_fine_and_missing_moved_or_repeated_lines_are_not)
{
	static const struct {
		size_t order[5], n, good;
		const char *what;
	} cases[] = {
		{ { 0, 1, 2, 3, 4 }, 5, 5, "" },
		{ { 0, 1, 2, 3 }, 4, 4, "" },
		{ { 0, 2, 3, 4 }, 4, 1, "seq: found 2, expected 1" },
		{ { 0, 1, 3, 2, 4 }, 5, 2, "seq: found 3, expected 2" },
		{ { 0, 1, 1, 2, 3 }, 5, 2, "seq: found 1, expected 2" },
		{ { 1, 2, 3, 4 }, 4, 0, "kind: found another, expected begin" },
		{ { 0, 0, 1, 2 }, 4, 1, "kind: found begin inside a file" },
	};
	char error[AUDIT_ERROR_MAX];

	make(5);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ck_assert_uint_eq(check(cases[i].order, cases[i].n, error), cases[i].good);
		ck_assert_msg(strncmp(error, cases[i].what, strlen(cases[i].what)) == 0, "%s", error);
	}
}
END_TEST

START_TEST(test_every_changed_bit_is_found)
{
	static const size_t order[] = { 0, 1, 2, 3 };
	char error[AUDIT_ERROR_MAX];

	make(4);
	for (size_t at = 0; at < made.n[1]; at++) {
		for (unsigned bit = 0; bit < 8; bit++) {
			made.line[1][at] = (char)(made.line[1][at] ^ (1 << bit));
			ck_assert_msg(check(order, 4, error) < 4, "byte %zu bit %u", at, bit);
			made.line[1][at] = (char)(made.line[1][at] ^ (1 << bit));
		}
	}
	ck_assert_uint_eq(check(order, 4, error), 4);
}
END_TEST

START_TEST(test_head_is_that_of_any_line_but_not_of_one_that_is_missing)
{
	char error[AUDIT_ERROR_MAX];

	make(4);
	for (size_t lines = 1; lines <= 4; lines++) {
		struct audit_check c = { 0 };
		struct audit_wanted w = { 0 };

		SHA256((const uint8_t *)made.line[2], made.n[2], w.head);
		audit_check_want(&c, &w, 1);
		audit_check_file(&c);
		for (size_t i = 0; i < lines; i++)
			ck_assert(audit_check_line(&c, bytes_of(made.line[i], made.n[i]), error));
		ck_assert_int_eq(audit_check_end(&c, error), lines >= 3);
	}
}
END_TEST

/* ---- files ---- */

static char folder[64];
static int dir;
static struct audit_file *file;

static void open_log(uint64_t max, const char *expected_note)
{
	char note[AUDIT_ERROR_MAX];

	ck_assert_int_eq(audit_file_open(dir, max, &file, note), 0);
	ck_assert_msg(expected_note[0] ? strstr(note, expected_note) != NULL : note[0] == '\0', "%s", note);
}

static void begin(uint64_t max)
{
	snprintf(folder, sizeof(folder), "/tmp/weighlock-audit-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	dir = open(folder, O_RDONLY | O_DIRECTORY);
	open_log(max, "");
}

static int truncate_log(off_t size)
{
	int fd = openat(dir, AUDIT_FILE, O_WRONLY | O_CLOEXEC), r = ftruncate(fd, size);

	close(fd);
	return r;
}

static void end(void)
{
	char command[128];

	audit_file_close(file);
	close(dir);
	snprintf(command, sizeof(command), "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}

static int add(void)
{
	struct audit_chain chain;

	return audit_file_append(file, bytes_of_text(RECORD), &chain);
}

/* The text of a file.  free() it. */
static char *text_of(const char *name, size_t *ret_n)
{
	int fd = openat(dir, name, O_RDONLY);
	char *at = calloc(1, 1 << 20);

	ck_assert_int_ge(fd, 0);
	*ret_n = (size_t)read(fd, at, (1 << 20) - 1);
	close(fd);
	return at;
}

static bool check_file(struct audit_check *c, const char *name, char *error)
{
	size_t n;
	char *text = text_of(name, &n), *at = text;
	bool good = true;

	audit_check_file(c);
	while (good && at < text + n) {
		char *newline = memchr(at, '\n', (size_t)(text + n - at));
		size_t length = newline ? (size_t)(newline - at) + 1 : (size_t)(text + n - at);

		good = audit_check_line(c, bytes_of(at, length), error);
		at += length;
	}
	free(text);
	return good;
}

static uint64_t assert_whole(void)
{
	char error[AUDIT_ERROR_MAX] = "";
	struct audit_check c = { 0 };

	ck_assert_msg(check_file(&c, AUDIT_FILE, error) && audit_check_end(&c, error), "%s", error);
	return c.lines;
}

static void write_behind(const char *at, size_t n)
{
	int fd = openat(dir, AUDIT_FILE, O_WRONLY | O_APPEND);

	ck_assert_int_eq(write(fd, at, n), (ssize_t)n);
	close(fd);
}

START_TEST(test_log_goes_on_after_it_was_closed)
{
	begin(1 << 20);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(add(), 0);
	ck_assert_int_eq(audit_file_settle(file), 0);
	audit_file_close(file);
	open_log(1 << 20, "");
	ck_assert_int_eq(add(), 0);
	ck_assert_uint_eq(assert_whole(), 1 + 3 + 1 + 1);
	end();
}
END_TEST

START_TEST(test_torn_line_is_closed_off_whatever_is_in_it)
{
	static const struct bytes torn[] = { { (const uint8_t *)"{\"sch", 5 }, { (const uint8_t *)"\0\0\0", 3 },
		{ (const uint8_t *)"\"", 1 } };

	for (size_t i = 0; i < sizeof(torn) / sizeof(torn[0]); i++) {
		begin(1 << 20);
		ck_assert_int_eq(add(), 0);
		audit_file_close(file);
		write_behind((const char *)torn[i].at, torn[i].n);
		open_log(1 << 20, "torn");
		ck_assert_int_eq(add(), 0);
		ck_assert_uint_eq(assert_whole(), 5);
		end();
	}
}
END_TEST

START_TEST(test_end_that_is_missing_is_an_alarm_and_stays_visible)
{
	char error[AUDIT_ERROR_MAX];
	struct audit_check c = { 0 };
	struct stat st;

	begin(1 << 20);
	fstatat(dir, AUDIT_FILE, &st, 0);
	ck_assert_int_eq(add(), 0);
	ck_assert_int_eq(audit_file_settle(file), 0);
	audit_file_close(file);
	ck_assert_int_eq(truncate_log(st.st_size), 0);
	open_log(1 << 20, "ALARM");
	ck_assert(!check_file(&c, AUDIT_FILE, error));
	ck_assert_msg(strncmp(error, "seq: found 2, expected 1", 24) == 0, "%s", error);
	end();
}
END_TEST

START_TEST(test_end_that_was_exchanged_is_an_alarm)
{
	size_t n;
	char *text, *a;
	int fd;

	begin(1 << 20);
	ck_assert_int_eq(add(), 0);
	ck_assert_int_eq(audit_file_settle(file), 0);
	audit_file_close(file);
	text = text_of(AUDIT_FILE, &n);
	a = strstr(text, "\"name\":\"a\"");
	fd = openat(dir, AUDIT_FILE, O_WRONLY);
	ck_assert_int_eq(pwrite(fd, "b", 1, a - text + 8), 1);
	close(fd);
	free(text);
	open_log(1 << 20, "ALARM");
	end();
}
END_TEST

/* ---- the head ---- */

static void delete_log(void)
{
	ck_assert_int_eq(unlinkat(dir, AUDIT_FILE, 0), 0);
}

static void write_head(const char *at, size_t n)
{
	int fd = openat(dir, AUDIT_HEAD, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_eq(write(fd, at, n), (ssize_t)n);
	close(fd);
}

/* What was said once stays in the log: whoever checks it hears of it, and the next start is none. */
static void assert_alarm_is_kept(const char *what)
{
	char error[AUDIT_ERROR_MAX] = "", member[64];
	struct audit_check c = { 0 };
	size_t n;
	char *text;

	snprintf(member, sizeof(member), "\"alarm\":\"%s\"", what);
	audit_file_close(file);
	open_log(1 << 20, "");
	text = text_of(AUDIT_FILE, &n);
	ck_assert_msg(strstr(text, member) != NULL, "%s: %s", what, text);
	free(text);
	ck_assert_msg(check_file(&c, AUDIT_FILE, error), "%s", error);
	ck_assert(!audit_check_end(&c, error));
	ck_assert_msg(strncmp(error, "alarm: found 1 of", 17) == 0, "%s", error);
}

static void begin_with_line_and_close(void)
{
	begin(1 << 20);
	ck_assert_int_eq(add(), 0);
	ck_assert_int_eq(audit_file_settle(file), 0);
	audit_file_close(file);
}

START_TEST(test_head_that_is_missing_is_an_alarm)
{
	begin_with_line_and_close();
	ck_assert_int_eq(unlinkat(dir, AUDIT_HEAD, 0), 0);
	open_log(1 << 20, "ALARM");
	assert_alarm_is_kept("head-missing");
	end();
	begin_with_line_and_close();
	ck_assert_int_eq(unlinkat(dir, AUDIT_HEAD, 0), 0);
	close(openat(dir, AUDIT_FILE, O_WRONLY | O_TRUNC));
	open_log(1 << 20, "ALARM");
	assert_alarm_is_kept("head-missing");
	end();
}
END_TEST

START_TEST(test_head_that_cannot_be_read_is_an_alarm)
{
	char text[AUDIT_HEAD_BYTES];
	int fd;

	for (size_t kept = 0; kept <= 200; kept += 25) {
		begin_with_line_and_close();
		fd = openat(dir, AUDIT_HEAD, O_RDONLY);
		ck_assert_int_eq(read(fd, text, sizeof(text)), AUDIT_HEAD_BYTES);
		close(fd);
		write_head(text, kept);
		open_log(1 << 20, "ALARM");
		assert_alarm_is_kept("head-unreadable");
		end();
	}
	begin_with_line_and_close();
	ck_assert_int_eq(renameat(dir, AUDIT_HEAD, dir, "elsewhere"), 0);
	ck_assert_int_eq(symlinkat("elsewhere", dir, AUDIT_HEAD), 0);
	open_log(1 << 20, "ALARM");
	assert_alarm_is_kept("head-unreadable");
	end();
}
END_TEST

/* The end is cut, and then so many lines put in its place that the log is longer than its head says. */
START_TEST(test_end_that_was_written_anew_beyond_the_head_is_an_alarm)
{
	char line[AUDIT_LINE_MAX];
	struct audit_chain c = { 0 };
	size_t n, first;
	char *text;

	begin_with_line_and_close();
	text = text_of(AUDIT_FILE, &n);
	first = (size_t)(strchr(text, '\n') - text) + 1;
	audit_advance(&c, bytes_of(text, first));
	free(text);
	ck_assert_int_eq(truncate_log((off_t)first), 0);
	for (int i = 0; i < 3; i++) {
		n = audit_line(&c, bytes_of_text("{\"kind\":\"verdict\",\"name\":\"b\"}"), 0, line);
		write_behind(line, n);
		audit_advance(&c, bytes_of(line, n));
	}
	open_log(1 << 20, "ALARM");
	assert_alarm_is_kept("head-disagrees");
	end();
}
END_TEST

/* Power loss may take back whatever was written to the head since it was made to last, which was when its file began. */
START_TEST(test_head_that_is_older_is_none_but_not_from_before_the_last_file)
{
	char heads[12][AUDIT_HEAD_BYTES], note[AUDIT_ERROR_MAX];
	size_t own = 0, n;
	struct audit_link first;
	char *text;

	begin(900);
	for (size_t i = 0; i < 12; i++) {
		int fd = openat(dir, AUDIT_HEAD, O_RDONLY);

		ck_assert_int_eq(read(fd, heads[i], AUDIT_HEAD_BYTES), AUDIT_HEAD_BYTES);
		close(fd);
		ck_assert_int_eq(add(), 0);
		ck_assert_int_eq(audit_file_settle(file), 0);
	}
	audit_file_close(file);
	text = text_of(AUDIT_FILE, &n);
	ck_assert(audit_read(bytes_of(text, (size_t)(strchr(text, '\n') - text) + 1), &first) && first.seq > 4);
	for (size_t i = 0; i < 12; i++) {
		struct audit_chain head;

		write_head(heads[i], AUDIT_HEAD_BYTES);
		ck_assert(audit_head_parse(bytes_of(heads[i], AUDIT_HEAD_BYTES), &head));
		ck_assert_int_eq(audit_file_open(dir, 1 << 20, &file, note), 0);
		ck_assert_msg((strstr(note, "ALARM") != NULL) == (head.next < first.seq), "%zu: %s", i, note);
		own += note[0] == '\0';
		audit_file_close(file);
		close(openat(dir, AUDIT_FILE, O_WRONLY | O_TRUNC));
		write_behind(text, n);
	}
	free(text);
	ck_assert(own >= 2 && own < 12);
	open_log(1 << 20, "ALARM");
	end();
}
END_TEST

START_TEST(test_head_says_before_the_first_line_that_there_is_none)
{
	static const char *const bad[] = { "", "{}", "{\"schema\":\"weighlock.audit-head/1\",\"seq\":0}",
		"{\"schema\":\"weighlock.audit-head/1\",\"seq\":-2,\"head\":\"" ZEROS "\"}",
		"{\"schema\":\"weighlock.audit-head/1\",\"seq\":0,\"head\":\"" ZEROS "\"}",
		"{\"schema\":\"weighlock.audit-head/2\",\"seq\":-1,\"head\":\"" ZEROS "\"}",
		"{\"schema\":\"weighlock.audit-head/1\",\"seq\":-1,\"head\":\"" ZEROS "\",\"check\":\"" ZEROS "\"}" };
	struct audit_chain c = { 0 }, head;
	int fd;

	begin(1 << 20);
	audit_file_close(file);
	delete_log();
	fd = audit_head_create(dir, &c);
	ck_assert_int_ge(fd, 0);
	close(fd);
	ck_assert_int_eq(audit_head_read(dir, AUDIT_HEAD, &head), AUDIT_HEAD_GOOD);
	ck_assert_uint_eq(head.next, 0);
	open_log(1 << 20, ""); /* where a crash came between the head and the log */
	assert_whole();
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!audit_head_parse(bytes_of_text(bad[i]), &head), "%s", bad[i]);
	ck_assert(audit_head_parse(
	    bytes_of_text("{\"schema\":\"weighlock.audit-head/1\",\"seq\":-1,\"head\":\"" ZEROS "\"}"), &head));
	end();
}
END_TEST

START_TEST(test_next_file_begins_at_the_limit_and_names_the_one_before)
{
	char error[AUDIT_ERROR_MAX] = "", name[64];
	struct audit_check c = { 0 };
	struct audit_link l;
	size_t n;
	char *text;

	begin(1000);
	for (int i = 0; i < 10; i++)
		ck_assert_int_eq(add(), 0);
	text = text_of(AUDIT_FILE, &n);
	ck_assert(audit_read(bytes_of(text, (size_t)(strchr(text, '\n') - text) + 1), &l));
	ck_assert(l.begins && l.seq > 0);
	free(text);
	snprintf(name, sizeof(name), AUDIT_OLD_FORMAT ".jsonl", UINT64_C(0));
	for (uint64_t first = 0; faccessat(dir, name, F_OK, 0) == 0; first = c.chain.next) {
		snprintf(name, sizeof(name), AUDIT_OLD_FORMAT ".jsonl", first);
		if (faccessat(dir, name, F_OK, 0) < 0)
			break;
		ck_assert_msg(check_file(&c, name, error), "%s", error);
	}
	ck_assert_msg(check_file(&c, AUDIT_FILE, error) && audit_check_end(&c, error), "%s", error);
	ck_assert_uint_gt(c.lines, 11);
	end();
}
END_TEST

START_TEST(test_no_file_is_replaced_when_numbers_come_again)
{
	char name[64], *text;
	size_t n;
	int fd;

	snprintf(name, sizeof(name), AUDIT_OLD_FORMAT ".jsonl", UINT64_C(0));
	begin(300);
	fd = openat(dir, name, O_WRONLY | O_CREAT, 0600);
	ck_assert_int_eq(write(fd, "evidence", 8), 8);
	close(fd);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(add(), 0);
	text = text_of(name, &n);
	ck_assert_str_eq(text, "evidence");
	free(text);
	snprintf(name, sizeof(name), AUDIT_OLD_FORMAT "-1.jsonl", UINT64_C(0));
	ck_assert_int_eq(faccessat(dir, name, F_OK, 0), 0);
	end();
}
END_TEST

/* Less room than a line needs, at every place: nothing of it stays. */
START_TEST(test_append_that_fails_leaves_the_file_as_it_was)
{
	struct rlimit unlimited, limit;
	struct stat before, after;

	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &unlimited);
	begin(1 << 20);
	for (rlim_t room = 0; room < 140; room += 13) {
		ck_assert_int_eq(add(), 0);
		fstatat(dir, AUDIT_FILE, &before, 0);
		limit = (struct rlimit){ .rlim_cur = (rlim_t)before.st_size + room, .rlim_max = unlimited.rlim_max };
		setrlimit(RLIMIT_FSIZE, &limit);
		ck_assert_int_eq(add(), -EFBIG);
		setrlimit(RLIMIT_FSIZE, &unlimited);
		fstatat(dir, AUDIT_FILE, &after, 0);
		ck_assert_int_eq(before.st_size, after.st_size);
	}
	ck_assert_int_eq(add(), 0);
	assert_whole();
	end();
}
END_TEST

/* ---- what others do to its files ---- */

static void cut(void)
{
	struct stat st;
	int fd = openat(dir, AUDIT_FILE, O_WRONLY);

	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(ftruncate(fd, st.st_size - 1), 0);
	close(fd);
}

static void empty(void)
{
	close(openat(dir, AUDIT_FILE, O_WRONLY | O_TRUNC));
}

static void add_a_byte(void)
{
	write_behind("x", 1);
}

static void delete_head(void)
{
	ck_assert_int_eq(unlinkat(dir, AUDIT_HEAD, 0), 0);
}

static void empty_head(void)
{
	close(openat(dir, AUDIT_HEAD, O_WRONLY | O_TRUNC));
}

START_TEST(test_file_that_others_change_while_it_is_written_takes_no_more)
{
	static void (*const acts[])(void) = { cut, empty, add_a_byte, delete_log, delete_head, empty_head };
	char note[AUDIT_ERROR_MAX];

	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++) {
		begin(1 << 20);
		ck_assert_int_eq(add(), 0);
		ck_assert_int_eq(audit_file_settle(file), 0);
		acts[i]();
		ck_assert_int_eq(audit_file_settle(file), 0); /* nothing is promised */
		ck_assert_int_eq(add(), 0);
		ck_assert_int_eq(audit_file_settle(file), -ESTALE);
		audit_file_close(file);
		ck_assert_int_eq(audit_file_open(dir, 1 << 20, &file, note), 0);
		ck_assert_msg(acts[i] == cut || strstr(note, "ALARM") != NULL, "%zu: %s", i, note);
		ck_assert_int_eq(add(), 0);
		ck_assert_int_eq(audit_file_settle(file), 0);
		end();
	}
}
END_TEST

START_TEST(test_file_that_was_moved_away_is_followed_by_another)
{
	char error[AUDIT_ERROR_MAX] = "";
	struct audit_check c = { 0 };

	begin(500);
	ck_assert_int_eq(add(), 0);
	ck_assert_int_eq(renameat(dir, AUDIT_FILE, dir, "archived"), 0);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(add(), 0);
	ck_assert_int_eq(audit_file_settle(file), 0);
	ck_assert_msg(check_file(&c, "archived", error), "%s", error);
	ck_assert_msg(check_file(&c, AUDIT_FILE, error) && audit_check_end(&c, error), "%s", error);
	ck_assert_uint_eq(c.lines, 1 + 1 + 3 + 1);
	end();
}
END_TEST

START_TEST(test_missing_file_is_followed_from_the_newest_before_it)
{
	char error[AUDIT_ERROR_MAX] = "", name[AUDIT_NAME_BYTES];
	struct audit_check c = { 0 };
	struct audit_link l;
	size_t n;
	char *text;

	begin(500);
	for (int i = 0; i < 8; i++)
		ck_assert_int_eq(add(), 0);
	audit_file_close(file);
	text = text_of(AUDIT_FILE, &n);
	ck_assert(audit_read(bytes_of(text, (size_t)(strchr(text, '\n') - text) + 1), &l) && l.seq > 5);
	free(text);
	delete_log();
	close(openat(dir, "audit-99999999999999999999999999.jsonl", O_CREAT, 0600)); /* names that are not ours */
	close(openat(dir, "audit-00000000000000000009.jsonl.gz", O_CREAT, 0600));
	close(openat(dir, "audit-9.jsonl", O_CREAT, 0600));
	open_log(500, "");
	do {
		audit_old_name(c.chain.next, 0, name);
		ck_assert_msg(check_file(&c, name, error), "%s: %s", name, error);
	} while (c.chain.next < l.seq);
	ck_assert_msg(check_file(&c, AUDIT_FILE, error), "%s", error);
	text = text_of(AUDIT_FILE, &n);
	ck_assert_msg(strstr(text, name) != NULL, "%s", text);
	free(text);
	end();
}
END_TEST

/* 2^53 is one that some readers of JSON take for its neighbour. */
START_TEST(test_numbers_end_where_they_could_be_misread)
{
	struct audit_chain last = { .next = AUDIT_SEQ_MAX };
	struct audit_link l;
	char line[AUDIT_LINE_MAX], note[AUDIT_ERROR_MAX];
	size_t n = audit_line(&last, bytes_of_text("{\"kind\":\"begin\"}"), 0, line);
	int fd;

	ck_assert(audit_read(bytes_of(line, n), &l));
	begin(1 << 20);
	audit_file_close(file);
	fd = openat(dir, AUDIT_FILE, O_WRONLY | O_TRUNC);
	ck_assert_int_eq(write(fd, line, n), (ssize_t)n);
	close(fd);
	ck_assert_int_eq(audit_file_open(dir, 1 << 20, &file, note), -EOVERFLOW);
	file = NULL;
	end();
	last.next++;
	n = audit_line(&last, bytes_of_text(RECORD), 0, line);
	ck_assert(!audit_read(bytes_of(line, n), &l));
}
END_TEST

START_TEST(test_newest_of_files_with_one_number_is_the_last)
{
	static const char *const names[] = { "audit-00000000000000000007.jsonl", "audit-00000000000000000007-9.jsonl",
		"audit-00000000000000000007-10.jsonl", "audit-00000000000000000005-11.jsonl" };
	char name[AUDIT_NAME_BYTES];

	begin(1 << 20);
	ck_assert_int_eq(audit_newest_name(dir, name), 0);
	ck_assert_str_eq(name, "");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		close(openat(dir, names[i], O_CREAT, 0600));
	ck_assert_int_eq(audit_newest_name(dir, name), 0);
	ck_assert_str_eq(name, names[2]);
	end();
}
END_TEST

/* ---- texts beside it ---- */

static bool is_there(const char *day)
{
	char name[AUDIT_TEXTS_NAME_BYTES];

	(void)snprintf(name, sizeof(name), AUDIT_TEXTS_PREFIX "%s.jsonl", day);
	return faccessat(dir, name, F_OK, 0) == 0;
}

START_TEST(test_texts_go_with_their_days_though_nothing_is_written)
{
	const struct bytes text = bytes_of_text("{\"salt\":\"00\"}");
	struct audit_texts *t;

	begin(1 << 20);
	ck_assert_int_eq(audit_texts_open(dir, 2, 0, 100 * DAY, &t), 0);
	ck_assert_int_eq(audit_texts_append(t, 0, text), 0);
	ck_assert_int_eq(audit_texts_tend(t, 101 * DAY - 1), 0);
	ck_assert_int_eq(audit_texts_tend(t, 102 * DAY - 1), 0);
	ck_assert(is_there("1970-04-11"));
	ck_assert_int_eq(audit_texts_append(t, 1, text), 0);
	ck_assert_int_eq(audit_texts_tend(t, 102 * DAY), 0);
	ck_assert(!is_there("1970-04-11") && is_there("1970-04-12"));
	ck_assert_int_eq(audit_texts_tend(t, 200 * DAY), 0);
	ck_assert(!is_there("1970-04-12"));
	audit_texts_close(t);
	end();
}
END_TEST

HARNESS("audit", test_record_is_an_object_of_a_known_kind_without_the_chains_members,
    test_longest_record_is_taken_and_one_byte_more_is_refused, test_line_is_these_very_bytes,
    test_whole_chain_is_fine_and_missing_moved_or_repeated_lines_are_not, test_every_changed_bit_is_found,
    test_head_is_that_of_any_line_but_not_of_one_that_is_missing, test_log_goes_on_after_it_was_closed,
    test_torn_line_is_closed_off_whatever_is_in_it, test_end_that_is_missing_is_an_alarm_and_stays_visible,
    test_end_that_was_exchanged_is_an_alarm, test_head_that_is_missing_is_an_alarm,
    test_head_that_cannot_be_read_is_an_alarm, test_end_that_was_written_anew_beyond_the_head_is_an_alarm,
    test_head_that_is_older_is_none_but_not_from_before_the_last_file,
    test_head_says_before_the_first_line_that_there_is_none,
    test_next_file_begins_at_the_limit_and_names_the_one_before, test_no_file_is_replaced_when_numbers_come_again,
    test_append_that_fails_leaves_the_file_as_it_was, test_file_that_others_change_while_it_is_written_takes_no_more,
    test_file_that_was_moved_away_is_followed_by_another, test_missing_file_is_followed_from_the_newest_before_it,
    test_numbers_end_where_they_could_be_misread, test_newest_of_files_with_one_number_is_the_last,
    test_texts_go_with_their_days_though_nothing_is_written)
