/* The audit log's writer, killed before and after each of its system calls: what was settled is there, the chain is whole,
 * nothing is called an alarm, and it goes on.  So is one that was killed while it repaired what the first left. */
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "audit_file.h"
#include "harness.h"
#include "killed.h"

#define RECORD "{\"kind\":\"verdict\",\"name\":\"a\"}"
#define FILE_MAX 500   /* bytes: two or three lines a file, so that all of its life is seen */
#define STOPS_MAX 1000 /* of one work: it ends long before */

static char folder[64];
static int dir;
static uint64_t *settled; /* lines, shared with those who are killed */

static void begin(void)
{
	if (!settled)
		settled = mmap(NULL, sizeof(*settled), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	*settled = 0;
	strcpy(folder, "/tmp/weighlock-killed-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	dir = open(folder, O_RDONLY | O_DIRECTORY);
}

static void end(void)
{
	char command[128];

	close(dir);
	sprintf(command, "rm -r %s", folder);
	ck_assert_int_eq(system(command), 0);
}

/* A life: open, some lines, each of them settled, and the end. */
static void live(void *ctx)
{
	int n = *(int *)ctx;
	char note[AUDIT_ERROR_MAX];
	struct audit_file *f;
	struct audit_chain chain;

	if (audit_file_open(dir, FILE_MAX, &f, note) < 0)
		return;
	for (int i = 0; i < n; i++) {
		if (audit_file_append(f, bytes_of_text(RECORD), &chain) < 0 || audit_file_settle(f) < 0)
			return;
		*settled = chain.next;
	}
	audit_file_close(f);
}

/* ---- all of the files, as `weighlock audit verify` reads them ---- */

static void check_file(struct audit_check *c, const char *name)
{
	char error[AUDIT_ERROR_MAX] = "", line[AUDIT_LINE_MAX + 1];
	FILE *f = fdopen(openat(dir, name, O_RDONLY), "r");

	ck_assert_ptr_nonnull(f);
	audit_check_file(c);
	while (fgets(line, sizeof(line), f))
		ck_assert_msg(audit_check_line(c, bytes_of_text(line), error), "%s: %s", name, error);
	fclose(f);
}

/* Return: the number of lines. */
static uint64_t assert_whole(void)
{
	char error[AUDIT_ERROR_MAX] = "", name[AUDIT_NAME_BYTES];
	struct audit_check c = { 0 };

	for (;;) {
		audit_old_name(c.chain.next, 0, name);
		if (faccessat(dir, name, F_OK, 0) < 0)
			break;
		check_file(&c, name);
	}
	check_file(&c, AUDIT_FILE);
	ck_assert_msg(audit_check_end(&c, error), "%s", error);
	return c.chain.next;
}

/* After a crash: nothing to be alarmed about, nothing lost, and it goes on. */
static void assert_goes_on(unsigned stop)
{
	char note[AUDIT_ERROR_MAX];
	struct audit_file *f;
	struct audit_chain chain;
	uint64_t before = *settled;

	ck_assert_int_eq(audit_file_open(dir, FILE_MAX, &f, note), 0);
	ck_assert_msg(strstr(note, "ALARM") == NULL, "killed at %u: %s", stop, note);
	ck_assert_int_eq(audit_file_append(f, bytes_of_text(RECORD), &chain), 0);
	ck_assert_int_eq(audit_file_settle(f), 0);
	audit_file_close(f);
	ck_assert_uint_ge(assert_whole(), before + 1);
	ck_assert_uint_eq(assert_whole(), chain.next);
}

/* ---- tests ---- */

START_TEST(test_a_writer_that_is_killed_anywhere_leaves_a_chain_that_goes_on)
{
	int n = 4;
	unsigned stop = 1;
	bool killed = true;

	for (; killed && stop < STOPS_MAX; stop++) {
		begin();
		killed = killed_at(stop, live, &n);
		assert_goes_on(stop);
		end();
	}
	ck_assert_uint_lt(stop, STOPS_MAX);
	ck_assert_uint_gt(stop, 60);
}
END_TEST

START_TEST(test_one_that_is_killed_again_while_it_repairs_does_too)
{
	int n = 4, none = 0;

	for (unsigned stop = 1, again = 1; stop < 100; stop += 2, again = again % 37 + 1) {
		begin();
		(void)killed_at(stop, live, &n);
		(void)killed_at(again, live, &none);
		assert_goes_on(stop);
		end();
	}
}
END_TEST

static void tear(const char *at, size_t n)
{
	int fd = openat(dir, AUDIT_FILE, O_WRONLY | O_APPEND);

	ck_assert_int_eq(write(fd, at, n), (ssize_t)n);
	close(fd);
}

START_TEST(test_a_torn_line_is_closed_off_whenever_that_is_killed)
{
	static const char torn[] = "{\"schema\":\"weighlock.audit/1\",\"seq\":2,\"prev\":\"00";
	int one = 1, none = 0;
	bool killed = true;

	for (unsigned stop = 1; killed; stop++) {
		ck_assert_uint_lt(stop, STOPS_MAX);
		begin();
		live(&one);
		tear(torn, sizeof(torn) - 1);
		killed = killed_at(stop, live, &none);
		assert_goes_on(stop);
		end();
	}
}
END_TEST

/* Everything of a line but its newline. */
START_TEST(test_a_line_without_its_end_is_a_line)
{
	int two = 2;
	struct stat st;
	uint64_t n;
	int fd;

	begin();
	live(&two);
	n = assert_whole();
	fd = openat(dir, AUDIT_FILE, O_WRONLY);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(ftruncate(fd, st.st_size - 1), 0);
	close(fd);
	assert_goes_on(0);
	ck_assert_uint_ge(assert_whole(), n + 2); /* all of them, one that says that it starts, and one more */
	end();
}
END_TEST

static const char *skip(const char *test)
{
	(void)test;
	return killed_is_possible() ? NULL : "ptrace(2) is not allowed here";
}

HARNESS_EXCEPT("audit_killed", skip, test_a_writer_that_is_killed_anywhere_leaves_a_chain_that_goes_on,
    test_one_that_is_killed_again_while_it_repairs_does_too, test_a_torn_line_is_closed_off_whenever_that_is_killed,
    test_a_line_without_its_end_is_a_line)
