/* The front's own jail: an event loop, a spool and threads live in it; an intruder does not. */
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ptrace.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <time.h>

#include "channel.h"
#include "inside.h"
#include "sandbox.h"

static char spool_path[16];
static int spool, listener;

static void make_surroundings(void)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX }; /* no name: the kernel gives an abstract one */

	spool = folder_make(spool_path);
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	ck_assert_int_eq(bind(listener, (const struct sockaddr *)&at, sizeof(sa_family_t)), 0);
	ck_assert_int_eq(listen(listener, 5), 0);
}

static void remove_surroundings(void)
{
	rmdir(spool_path);
	close(spool);
	close(listener);
}

/* ---- killed ---- */

#define ACTS(X)                                                                                   \
	X(executing, syscall(SYS_execve, "/bin/true", NULL, NULL))                                \
	X(executing_a_descriptor, syscall(SYS_execveat, spool, "", NULL, NULL, AT_EMPTY_PATH))    \
	X(forking, fork())                                                                        \
	X(forking_with_clone3, syscall(SYS_clone3, spool_path, 64))                               \
	X(tracing, ptrace(PTRACE_TRACEME, 0, NULL, NULL))                                         \
	X(reading_another_process, syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0)) \
	X(signalling_another, kill(getppid(), 0))                                                 \
	X(making_a_socket, socket(AF_INET, SOCK_STREAM, 0))                                       \
	X(making_a_unix_socket, socket(AF_UNIX, SOCK_STREAM, 0))                                  \
	X(connecting, connect(listener, NULL, 0))                                                 \
	X(binding, bind(listener, NULL, 0))                                                       \
	X(listening, listen(listener, 5))                                                         \
	X(mounting, syscall(SYS_mount, "none", "/", "tmpfs", 0, NULL))                            \
	X(making_a_namespace, unshare(CLONE_NEWUSER))                                             \
	X(joining_a_namespace, setns(spool, 0))                                                   \
	X(changing_its_uid, setuid(0))                                                            \
	X(loading_bpf, syscall(SYS_bpf, 0, NULL, 0))                                              \
	X(keys, syscall(SYS_keyctl, 0, 0, 0, 0, 0))                                               \
	X(userfaultfd, syscall(SYS_userfaultfd, 0))                                               \
	X(io_uring, syscall(SYS_io_uring_setup, 1, NULL))                                         \
	X(perf_events, syscall(SYS_perf_event_open, NULL, 0, -1, -1, 0))                          \
	X(changing_its_root, chroot("/"))

static int enter(void)
{
	return sandbox_front_landlock(&spool, 1) < 0 || sandbox_front_filter() < 0 ? -1 : 0;
}

static const struct jail jails[] = { { make_surroundings, remove_surroundings, enter },
	{ make_surroundings, remove_surroundings, sandbox_front_filter } };

static void expect(int (*act)(void), int sig, int code)
{
	expect_in(jails, act, sig, code);
}

#define X(name, act) TEST_DIES(front, name, act)
ACTS(X)
#undef X

/* ---- refused, and survived ---- */

static int refusals(void)
{
	int pair[2], r = refusals_of_all();
	struct utsname names;

	if (r != 0)
		return r;
	if (!refused(uname(&names), EPERM))
		return 6;
	if (!refused(openat(spool, "x", O_CREAT | O_RDWR | O_CLOEXEC, 0600), EPERM) ||
	    !refused(openat(spool, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), EPERM) || /* linkat(2) could name it */
	    !refused(open("/tmp/x", O_WRONLY), EPERM) || !refused(unlinkat(spool, "x", 0), EPERM))
		return 9;
	if (!refused(setsockopt(listener, SOL_SOCKET, SO_ATTACH_FILTER, "", 1), EPERM) ||
	    !refused(setsockopt(listener, SOL_SOCKET, SO_SNDBUF, "", 4), EPERM) ||
	    !refused(getsockopt(listener, 0, 1, &names, &(socklen_t){ 4 }), EPERM))
		return 10;
	if (!refused(sendto(listener, "", 1, 0, (const void *)&names, sizeof(sa_family_t)), EPERM))
		return 11;
	if (!refused(mkdirat(spool, "x", 0700), EPERM) || !refused(linkat(spool, ".", spool, "x", 0), EPERM))
		return 7;
	if (!refused(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair), EPERM) ||
	    !refused(socketpair(AF_UNIX, SOCK_RAW | SOCK_CLOEXEC, 0, pair), EPERM) ||
	    !refused(socketpair(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), EPERM))
		return 8;
	return 0;
}

START_TEST(test_other_calls_fail_and_the_front_lives)
{
	expect(refusals, 0, 0);
}
END_TEST

static int opening(void)
{
	return files_are_refused() ? 0 : 1;
}

START_TEST(test_landlock_keeps_the_front_to_its_spool)
{
	expect_in_one(&jails[0], opening, 0, 0);
}
END_TEST

/* ---- allowed ---- */

static int spooling(void)
{
	int file = openat(spool, ".", O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
	int memory = memfd_create("spool", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	struct statfs fs;
	struct stat st;

	if (file < 0 || memory < 0)
		return 1;
	if (fallocate(file, 0, 0, 65536) < 0 || pwrite(file, "x", 1, 70000) != 1 || ftruncate(file, 10) < 0)
		return 2;
	if (fstat(file, &st) < 0 || st.st_size != 10 || fstatfs(spool, &fs) < 0)
		return 3;
	if (write(memory, "x", 1) != 1 || fcntl(memory, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK) < 0 ||
	    (fcntl(memory, F_GET_SEALS) & F_SEAL_WRITE) == 0 || (fcntl(memory, F_GETFL) & O_ACCMODE) != O_RDWR)
		return 4;
	return 0;
}

static int serving(void)
{
	int loop = epoll_create1(EPOLL_CLOEXEC), wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	struct epoll_event e = { .events = EPOLLIN };
	struct ucred peer;
	socklen_t size = sizeof(peer);
	char random[8];

	if (loop < 0 || wake < 0 || timer < 0 || epoll_ctl(loop, EPOLL_CTL_ADD, listener, &e) < 0 ||
	    epoll_wait(loop, &e, 1, 0) != 0)
		return 1;
	if (!refused(accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK), EAGAIN))
		return 2;
	if (fcntl(listener, F_SETFL, O_NONBLOCK) < 0 || fcntl(listener, F_DUPFD_CLOEXEC, 0) < 0)
		return 4;
	if (getsockopt(listener, SOL_SOCKET, SO_TYPE, &peer, &size) < 0 ||
	    getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		return 3;
	return 0;
}

START_TEST(test_spool_works_inside)
{
	expect(spooling, 0, 0);
}
END_TEST

START_TEST(test_event_loop_works_inside)
{
	expect(serving, 0, 0);
}
END_TEST

/* What a worker that follows an upload reports by, and is told by how much of it is there. */
static int pairing(void)
{
	int pair[2];
	char byte;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return 1;
	return write(pair[0], "x", 1) == 1 && read(pair[1], &byte, 1) == 1 && write(pair[1], "y", 1) == 1 &&
		       read(pair[0], &byte, 1) == 1
		   ? 0
		   : 2;
}

START_TEST(test_a_pair_of_streams_can_be_made_inside)
{
	expect(pairing, 0, 0);
}
END_TEST

/* A job goes to the zygote and its answer comes back. */
static int zygote_channel[2];

static int talking(void)
{
	struct channel_message m = { .type = CHANNEL_JOB };
	int fds[CHANNEL_FDS_MAX] = { spool, spool };

	return channel_send(zygote_channel[0], &m, fds, 2) == 0 && channel_recv(zygote_channel[1], &m, fds) == 1 &&
		       fds[1] >= 0
		   ? 0
		   : 1;
}

START_TEST(test_zygote_can_be_talked_to_from_inside)
{
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, zygote_channel), 0);
	expect(talking, 0, 0);
}
END_TEST

START_TEST(test_assertion_in_the_front_is_an_abort_and_not_a_violation)
{
	expect(aborting, SIGABRT, 0);
}
END_TEST

/* ---- all threads ---- */

static int go[2];

static void *thread_waits_and_acts(void *arg)
{
	char byte;

	(void)arg;
	if (read(go[0], &byte, 1) == 1)
		(void)!socket(AF_UNIX, SOCK_STREAM, 0);
	_exit(7); /* alive after a forbidden call */
}

static int threaded(void *arg)
{
	pthread_t t;

	(void)arg;
	if (pipe(go) < 0 || sandbox_front_landlock(&spool, 1) < 0 ||
	    pthread_create(&t, NULL, thread_waits_and_acts, NULL) != 0 || sandbox_front_filter() < 0 ||
	    write(go[1], "x", 1) != 1)
		return 90;
	pthread_join(t, NULL);
	return 8;
}

START_TEST(test_filter_holds_for_threads_that_existed_before)
{
	make_surroundings();
	ck_assert(killed_by(in_child(AS_SELF, threaded, NULL), SIGSYS));
	ck_assert(killed_by(in_child(AS_NOBODY, threaded, NULL), SIGSYS));
	remove_surroundings();
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
#define X(name, act) test_front_dies_of_##name,
		ACTS(X)
#undef X
		    test_other_calls_fail_and_the_front_lives,
		test_landlock_keeps_the_front_to_its_spool,
		test_spool_works_inside,
		test_event_loop_works_inside,
		test_a_pair_of_streams_can_be_made_inside,
		test_zygote_can_be_talked_to_from_inside,
		test_assertion_in_the_front_is_an_abort_and_not_a_violation,
		test_filter_holds_for_threads_that_existed_before,
	};

	return harness_run("front", tests, sizeof(tests) / sizeof(tests[0]), 60, NULL);
}
