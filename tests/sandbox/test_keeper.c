/* The keeper's own jail: a folder with files that stay, and channels; nothing else. */
#include <poll.h>
#include <sys/file.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

#include "channel.h"
#include "inside.h"
#include "sandbox.h"

static char path[16];
static int folder, channel[2];

static void make_surroundings(void)
{
	struct channel_message m = { .type = 1 };

	folder = folder_make(path);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, channel), 0);
	ck_assert_int_ge(channel_send(channel[0], &m, &channel[0], 1), 0);
}

static void remove_surroundings(void)
{
	rmdir(path);
	close(folder);
	close(channel[0]);
	close(channel[1]);
}

static int enter(void)
{
	return fchdir(folder) < 0 || sandbox_front_landlock(&folder, 1) < 0 || sandbox_keeper_filter() < 0 ? -1 : 0;
}

static int enter_bare(void)
{
	return fchdir(folder) < 0 || sandbox_keeper_filter() < 0 ? -1 : 0;
}

static const struct jail jails[] = { { make_surroundings, remove_surroundings, enter },
	{ make_surroundings, remove_surroundings, enter_bare } };

static void expect(int (*act)(void), int sig, int code)
{
	expect_in(jails, act, sig, code);
}

/* ---- killed ---- */

#define ACTS(X)                                                                                   \
	X(executing, syscall(SYS_execve, "/bin/true", NULL, NULL))                                \
	X(forking, fork())                                                                        \
	X(making_a_thread, syscall(SYS_clone3, path, 64))                                         \
	X(tracing, ptrace(PTRACE_TRACEME, 0, NULL, NULL))                                         \
	X(reading_another_process, syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0)) \
	X(signalling_another, kill(getppid(), 0))                                                 \
	X(making_a_socket, socket(AF_UNIX, SOCK_STREAM, 0))                                       \
	X(connecting, connect(channel[0], NULL, 0))                                               \
	X(changing_its_uid, setuid(0))                                                            \
	X(loading_bpf, syscall(SYS_bpf, 0, NULL, 0))                                              \
	X(io_uring, syscall(SYS_io_uring_setup, 1, NULL))

#define X(name, act) TEST_DIES(keeper, name, act)
ACTS(X)
#undef X

/* ---- refused, and survived ---- */

static int refusals(void)
{
	int pair[2], r = refusals_of_all();

	if (r != 0)
		return r;
	if (!refused(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), EPERM) ||
	    !refused(syscall(SYS_epoll_create1, 0), EPERM))
		return 7;
	if (!refused(syscall(SYS_memfd_create, "x", 0), EPERM) || !refused(mkdirat(folder, "x", 0700), EPERM))
		return 8;
	return refused(sendto(channel[0], "", 1, 0, (const struct sockaddr *)path, sizeof(sa_family_t)), EPERM) ? 0 : 9;
}

static int opening(void)
{
	if (!files_are_refused())
		return 1;
	return refused(rename("/etc/hostname", "x"), EACCES) || refused(rename("/etc/hostname", "x"), EXDEV) ? 0 : 2;
}

START_TEST(test_landlock_keeps_the_keeper_to_its_folder)
{
	expect_in_one(&jails[0], opening, 0, 0);
}
END_TEST

START_TEST(test_other_calls_fail_and_the_keeper_lives)
{
	expect(refusals, 0, 0);
}
END_TEST

/* ---- allowed ---- */

static int keeping(void)
{
	int file = openat(AT_FDCWD, "log", O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	int dir = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct flock lock = { .l_type = F_WRLCK };
	struct stat st;
	void *shared;

	if (file < 0 || dir < 0 || write(file, "line\n", 5) != 5 || pwrite(file, "x", 1, 9) != 1 || fsync(file) < 0 ||
	    fdatasync(file) < 0 || fsync(dir) < 0)
		return 1;
	if (flock(file, LOCK_EX) < 0 || fcntl(file, F_SETLK, &lock) < 0 || ftruncate(file, 4096) < 0)
		return 2;
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (shared == MAP_FAILED || munmap(shared, 4096) < 0)
		return 3;
	if (stat("log", &st) < 0 || st.st_size != 4096 || access("log", R_OK) < 0)
		return 4;
	if (rename("log", "log.1") < 0 || unlink("log.1") < 0)
		return 5;
	return 0;
}

START_TEST(test_files_can_be_kept_inside)
{
	expect(keeping, 0, 0);
}
END_TEST

/* A channel to a front comes from the monitor, and is used; the keeper itself sends no descriptor to anybody. */
static int talking(void)
{
	struct channel_message m = { .type = 1 };
	int fds[CHANNEL_FDS_MAX];
	struct pollfd p = { .fd = channel[1], .events = POLLIN };
	const struct timespec moment = { .tv_nsec = 1 };

	if (channel_send(channel[0], &m, &channel[0], 1) >= 0)
		return 3;
	if (poll(&p, 1, 1000) != 1 || channel_recv(channel[1], &m, fds) != 1 || fds[0] < 0)
		return 1;
	if (send(fds[0], "x", 1, MSG_NOSIGNAL) != 1 || shutdown(fds[0], SHUT_RD) < 0 || nanosleep(&moment, NULL) < 0)
		return 2;
	return 0;
}

START_TEST(test_channels_can_be_used_inside)
{
	expect(talking, 0, 0);
}
END_TEST

START_TEST(test_assertion_in_the_keeper_is_an_abort_and_not_a_violation)
{
	expect(aborting, SIGABRT, 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
#define X(name, act) test_keeper_dies_of_##name,
		ACTS(X)
#undef X
		    test_other_calls_fail_and_the_keeper_lives,
		test_landlock_keeps_the_keeper_to_its_folder,
		test_files_can_be_kept_inside,
		test_channels_can_be_used_inside,
		test_assertion_in_the_keeper_is_an_abort_and_not_a_violation,
	};

	return harness_run("keeper", tests, sizeof(tests) / sizeof(tests[0]), 60, NULL);
}
