/* The keeper's own jail: a folder with files that stay, and channels; nothing else. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>

#include "channel.h"
#include "harness.h"
#include "jail.h"
#include "sandbox.h"

static char path[64];
static int folder, channel[2];

static void make_surroundings(void)
{
	strcpy(path, "/tmp/wlk-state-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(path));
	ck_assert_int_eq(chmod(path, 0777), 0);
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ge(folder, 0);
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, channel), 0);
}

static void remove_surroundings(void)
{
	rmdir(path);
	close(folder);
	close(channel[0]);
	close(channel[1]);
}

static int jailed_act(void *arg)
{
	if (fchdir(folder) < 0 || sandbox_front_landlock(&folder, 1) < 0 || sandbox_keeper_filter() < 0)
		return 90;
	return (*(int (**)(void))arg)();
}

static void expect(int (*act)(void), int sig, int code)
{
	for (enum as who = AS_SELF; who <= AS_NOBODY; who++) {
		int status;

		make_surroundings();
		status = in_child(who, jailed_act, &act);
		ck_assert_msg(sig != 0 ? killed_by(status, sig) : ended_with(status, code), "as %s: status %x",
		    who == AS_SELF ? "itself" : "nobody", (unsigned)status);
		remove_surroundings();
	}
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

#define X(name, act)                           \
	static int act_##name(void)            \
	{                                      \
		(void)!(act);                  \
		return 0;                      \
	}                                      \
	START_TEST(test_keeper_dies_of_##name) \
	{                                      \
		expect(act_##name, SIGSYS, 0); \
	}                                      \
	END_TEST
ACTS(X)
#undef X

/* ---- refused, and survived ---- */

static bool refused(long r, int error)
{
	return r < 0 && errno == error;
}

static int refusals(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int pair[2];

	if (page == MAP_FAILED)
		return 1;
	if (!refused(mprotect(page, 4096, PROT_READ | PROT_EXEC), EPERM))
		return 2;
	if (mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		return 3;
	if (!refused(open("/etc/passwd", O_RDONLY), EACCES) ||
	    !refused(open("/tmp/x", O_CREAT | O_WRONLY, 0600), EACCES))
		return 4;
	if (!refused(rename("/etc/hostname", "x"), EACCES) && !refused(rename("/etc/hostname", "x"), EXDEV))
		return 5;
	if (!refused(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), EPERM) ||
	    !refused(syscall(SYS_epoll_create1, 0), EPERM))
		return 6;
	if (!refused(syscall(SYS_memfd_create, "x", 0), EPERM) || !refused(mkdirat(folder, "x", 0700), EPERM))
		return 7;
	if (!refused(fcntl(folder, F_SETOWN, 1), EPERM) || !refused(prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), EPERM))
		return 8;
	return 0;
}

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

/* A channel to a front comes from the monitor, and is used. */
static int talking(void)
{
	struct channel_message m = { .type = 1 };
	int fds[CHANNEL_FDS_MAX], ends[2] = { channel[0], -1 };
	struct pollfd p = { .fd = channel[1], .events = POLLIN };
	const struct timespec moment = { .tv_nsec = 1 };

	if (channel_send(channel[0], &m, ends, 1) < 0 || poll(&p, 1, 1000) != 1 ||
	    channel_recv(channel[1], &m, fds) != 1 || fds[0] < 0)
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

static int aborting(void)
{
	abort();
}

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
		test_files_can_be_kept_inside,
		test_channels_can_be_used_inside,
		test_assertion_in_the_keeper_is_an_abort_and_not_a_violation,
	};

	return harness_run("keeper", tests, sizeof(tests) / sizeof(tests[0]), 60, NULL);
}
