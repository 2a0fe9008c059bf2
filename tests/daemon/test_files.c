/* Clients' descriptors: what is learnt of them, who holds how many, and what is taken by a message. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "files.h"
#include "harness.h"

#define UID 1000

static struct event_base *base;
static struct files files;
static struct file_facts found;
static unsigned n_found;

static void begin(void)
{
	base = event_base_new();
	ck_assert_int_eq(files_init(&files, base), 0);
}

static void on_found(void *ctx, const struct file_facts *facts)
{
	(void)ctx;
	found = *facts;
	n_found++;
}

static void look_at(int fd)
{
	unsigned before = n_found;

	ck_assert_ptr_nonnull(files_check(&files, UID, fd, on_found, NULL));
	while (n_found == before)
		event_base_loop(base, EVLOOP_ONCE);
}

static int memory(size_t n, int seals)
{
	int fd = memfd_create("x", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	ck_assert_int_eq(ftruncate(fd, (off_t)n), 0);
	ck_assert_int_eq(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

START_TEST(test_size_and_seals_are_found_out)
{
	begin();
	look_at(memory(5, 0));
	ck_assert(found.error == 0 && found.size == 5 && !found.sealed);
	look_at(memory(6, F_SEAL_WRITE | F_SEAL_GROW)); /* one is missing */
	ck_assert(found.size == 6 && !found.sealed);
	look_at(memory(7, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK));
	ck_assert(found.size == 7 && found.sealed);
}
END_TEST

START_TEST(test_what_is_no_file_is_none)
{
	int ends[2];

	begin();
	ck_assert_int_eq(pipe(ends), 0);
	look_at(ends[0]);
	ck_assert_int_eq(found.error, -EINVAL);
	look_at(open("/", O_RDONLY | O_DIRECTORY));
	ck_assert_int_eq(found.error, -EINVAL);
}
END_TEST

START_TEST(test_modes_a_worker_cannot_read_with_or_others_could_write_with_are_refused)
{
	ck_assert(files_mode_ok(open("/dev/null", O_RDONLY)));
	ck_assert(!files_mode_ok(open("/dev/null", O_WRONLY)));
	ck_assert(!files_mode_ok(open("/dev/null", O_RDWR))); /* it could be written to, here */
	ck_assert(!files_mode_ok(memory(1, 0)));
	ck_assert(!files_mode_ok(memory(1, F_SEAL_WRITE)));
	ck_assert(files_mode_ok(memory(1, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK)));
	ck_assert(!files_mode_ok(open("/dev/null", O_PATH)));
	ck_assert(!files_mode_ok(-1));
}
END_TEST

START_TEST(test_a_check_that_was_forgotten_closes_and_calls_nobody)
{
	int fd = memory(1, 0);

	begin();
	files_received(&files, UID, 1);
	file_check_forget(files_check(&files, UID, fd, on_found, NULL));
	while (files_held(&files) > 0)
		event_base_loop(base, EVLOOP_ONCE);
	ck_assert_uint_eq(n_found, 0);
	ck_assert(fcntl(fd, F_GETFD) < 0 && errno == EBADF);
}
END_TEST

START_TEST(test_so_many_are_looked_at_and_no_more)
{
	int fd = memory(1, 0);

	begin();
	for (unsigned i = 0; i < FILES_CHECKS_MAX; i++)
		ck_assert_ptr_nonnull(files_check(&files, UID, fd, on_found, NULL));
	ck_assert_ptr_null(files_check(&files, UID, fd, on_found, NULL));
	ck_assert_ptr_nonnull(files_check(&files, UID + 1, fd, on_found, NULL));
	while (n_found <= FILES_CHECKS_MAX)
		event_base_loop(base, EVLOOP_ONCE);
	ck_assert_ptr_nonnull(files_check(&files, UID, fd, on_found, NULL));
}
END_TEST

/* ---- messages ---- */

static int ends[2];

static void send_descriptors(unsigned n)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(FDS_PER_MESSAGE_MAX * sizeof(int))];
	} control = { 0 };
	char byte = 0;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr m = { .msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control };
	struct cmsghdr *c;

	m.msg_controllen = CMSG_SPACE(n * sizeof(int));
	c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(n * sizeof(int));
	for (unsigned i = 0; i < n; i++)
		memcpy(CMSG_DATA(c) + i * sizeof(int), &ends[0], sizeof(int));
	ck_assert_int_eq(sendmsg(ends[0], &m, 0), 1);
}

START_TEST(test_descriptors_are_counted_from_their_message_to_their_end)
{
	struct fds list = { 0 };
	char byte;

	begin();
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	send_descriptors(3);
	ck_assert_int_eq(files_receive(&files, UID, &list, ends[1], &byte, 1), 1);
	ck_assert(list.n == 3 && files_held(&files) == 3);
	files_close_client(&files, UID, fds_pop(&list));
	files_close_all(&files, UID, &list);
	while (files_held(&files) > 0)
		event_base_loop(base, EVLOOP_ONCE);
	ck_assert_uint_eq(list.n, 0);
	ck_assert_int_eq(files_receive(&files, UID, &list, ends[1], &byte, 1), -EAGAIN);
}
END_TEST

START_TEST(test_who_holds_too_many_gets_no_more)
{
	struct fds list = { 0 };
	char byte;

	begin();
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	files_received(&files, UID, FILES_HELD_MAX - FDS_PER_MESSAGE_MAX);
	ck_assert(files_may_receive(&files, UID));
	files_received(&files, UID, 1);
	ck_assert(!files_may_receive(&files, UID) && files_may_receive(&files, UID + 1));
	send_descriptors(2);
	ck_assert_int_eq(files_receive(&files, UID, &list, ends[1], &byte, 1), -EMFILE);
	ck_assert_uint_eq(list.n, 0);
	ck_assert_uint_eq(files_held(&files), FILES_HELD_MAX - FDS_PER_MESSAGE_MAX + 1);
}
END_TEST

HARNESS("files", test_size_and_seals_are_found_out, test_what_is_no_file_is_none,
    test_modes_a_worker_cannot_read_with_or_others_could_write_with_are_refused,
    test_a_check_that_was_forgotten_closes_and_calls_nobody, test_so_many_are_looked_at_and_no_more,
    test_descriptors_are_counted_from_their_message_to_their_end, test_who_holds_too_many_gets_no_more)
