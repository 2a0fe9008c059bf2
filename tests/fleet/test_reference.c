/* fleet/reference.c: no way leads out of the roots. */
#include "reference.h"
#include "harness.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64], root[96];
static struct roots roots;

static void path_in(char *ret, size_t n, const char *name)
{
	snprintf(ret, n, "%s/%s", folder, name);
}

static void make_file(const char *name)
{
	char path[160];
	int fd;

	path_in(path, sizeof(path), name);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

static void make_tree(void)
{
	char path[160];

	strcpy(folder, "/tmp/weighlock-reference-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	path_in(root, sizeof(root), "root");
	ck_assert_int_eq(mkdir(root, 0700), 0);
	make_file("secret");
	make_file("root/file");
	path_in(path, sizeof(path), "root/sub");
	ck_assert_int_eq(mkdir(path, 0700), 0);
	make_file("root/sub/file");
	path_in(path, sizeof(path), "root/link");
	ck_assert_int_eq(symlink("file", path), 0);
	path_in(path, sizeof(path), "root/up");
	ck_assert_int_eq(symlink("..", path), 0);
	path_in(path, sizeof(path), "root/fifo");
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	roots = (struct roots){ 0 };
	ck_assert_int_eq(roots_add(&roots, root), 0);
}

static int open_below_root(const char *name)
{
	char ref[192];
	int fd;

	snprintf(ref, sizeof(ref), "file:%s/%s", root, name);
	fd = reference_open(&roots, ref);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

START_TEST(test_files_below_a_root)
{
	make_tree();
	ck_assert_int_eq(open_below_root("file"), 0);
	ck_assert_int_eq(open_below_root("sub/file"), 0);
	ck_assert_int_eq(open_below_root("sub/../file"), 0);
	ck_assert_int_eq(open_below_root("none"), -ENOENT);
	roots_close(&roots);
}
END_TEST

START_TEST(test_nothing_else)
{
	make_tree();
	ck_assert_int_eq(open_below_root("../secret"), -EACCES);
	ck_assert_int_eq(open_below_root("sub/../../secret"), -EACCES);
	ck_assert_int_eq(open_below_root("/etc/passwd"), -EACCES);
	ck_assert_int_eq(open_below_root("link"), -EACCES);
	ck_assert_int_eq(open_below_root("up/secret"), -EACCES);
	ck_assert_int_eq(open_below_root(""), -EACCES);
	ck_assert_int_eq(open_below_root("sub"), -EINVAL);
	ck_assert_int_eq(open_below_root("fifo"), -EINVAL);
	ck_assert_int_eq(reference_open(&roots, "file:/etc/passwd"), -EACCES);
	ck_assert_int_eq(reference_open(&roots, "https://example.org/x"), -EPROTONOSUPPORT);
	ck_assert_int_eq(reference_open(&roots, "/etc/passwd"), -EPROTONOSUPPORT);
	roots_close(&roots);
}
END_TEST

START_TEST(test_a_name_that_begins_as_a_root_is_not_below_it)
{
	char ref[192];

	make_tree();
	snprintf(ref, sizeof(ref), "file:%sx/file", root);
	ck_assert_int_eq(reference_open(&roots, ref), -EACCES);
	ck_assert_int_eq(roots_add(&roots, "relative"), -EINVAL);
	ck_assert_int_eq(roots_add(&roots, "/tmp/"), -EINVAL);
	ck_assert_int_eq(roots_add(&roots, "/"), -EINVAL);
	roots_close(&roots);
}
END_TEST

HARNESS(
    "fleet_reference", test_files_below_a_root, test_nothing_else, test_a_name_that_begins_as_a_root_is_not_below_it)
