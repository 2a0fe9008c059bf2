/* Live deaths: enter the real jail and try what must not be possible.  Each act is one system call made from inside a
 * real worker; expected is SIGSYS, which is the filter's answer and nobody else's.  Every act is tried by a worker
 * whose zygote was started as this user and by one that was nobody's. */
#include <fcntl.h>
#include <linux/futex.h>
#include <malloc.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>

#include "harness.h"
#include "jail.h"
#include "sandbox.h"

static uint8_t page[4096] __attribute__((aligned(4096)));

/* X(what the jail kills, the act) */
#define ACTS(X)                                                                                                   \
	X(opening_a_file, syscall(SYS_openat, AT_FDCWD, "/", O_RDONLY))                                           \
	X(opening_with_openat2, syscall(SYS_openat2, AT_FDCWD, "/", page, 24))                                    \
	X(removing_a_file, syscall(SYS_unlinkat, AT_FDCWD, "/x", 0))                                              \
	X(making_a_socket, syscall(SYS_socket, AF_INET, SOCK_STREAM, 0))                                          \
	X(making_a_unix_socket, syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0))                                     \
	X(connecting, syscall(SYS_connect, SANDBOX_OUT_FD, page, 16))                                             \
	X(sending, syscall(SYS_sendmsg, SANDBOX_OUT_FD, page, 0))                                                 \
	X(receiving, syscall(SYS_recvmsg, SANDBOX_OUT_FD, page, 0))                                               \
	X(executing, syscall(SYS_execve, "/bin/sh", NULL, NULL))                                                  \
	X(executing_a_descriptor, syscall(SYS_execveat, SANDBOX_IN_FD, "", NULL, NULL, AT_EMPTY_PATH))            \
	X(forking, syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0))                                                       \
	X(forking_with_clone3, syscall(SYS_clone3, page, 64))                                                     \
	X(signalling_another, syscall(SYS_kill, 1, 0))                                                            \
	X(signalling_itself, syscall(SYS_tgkill, 1, 1, 0))                                                        \
	X(tracing, syscall(SYS_ptrace, 0, 0, 0, 0))                                                               \
	X(reading_another_process, syscall(SYS_process_vm_readv, 1, page, 1, page, 1, 0))                         \
	X(taking_a_descriptor, syscall(SYS_pidfd_open, 1, 0))                                                     \
	X(mounting, syscall(SYS_mount, "none", "/", "tmpfs", 0, NULL))                                            \
	X(changing_its_root, syscall(SYS_chroot, "/"))                                                            \
	X(making_a_namespace, syscall(SYS_unshare, CLONE_NEWUSER))                                                \
	X(joining_a_namespace, syscall(SYS_setns, SANDBOX_IN_FD, 0))                                              \
	X(changing_its_uid, syscall(SYS_setuid, 0))                                                               \
	X(changing_its_capabilities, syscall(SYS_capset, page, page))                                             \
	X(changing_a_process_option, syscall(SYS_prctl, PR_SET_DUMPABLE, 1, 0, 0, 0))                             \
	X(raising_a_limit, syscall(SYS_prlimit64, 0, RLIMIT_AS, NULL, page))                                      \
	X(another_filter, syscall(SYS_seccomp, 0, 0, NULL))                                                       \
	X(loading_bpf, syscall(SYS_bpf, 0, page, 64))                                                             \
	X(perf_events, syscall(SYS_perf_event_open, page, 0, -1, -1, 0))                                          \
	X(userfaultfd, syscall(SYS_userfaultfd, 0))                                                               \
	X(io_uring, syscall(SYS_io_uring_setup, 1, page))                                                         \
	X(memfd_create, syscall(SYS_memfd_create, "x", 0))                                                        \
	X(keys, syscall(SYS_keyctl, 0, 0, 0, 0, 0))                                                               \
	X(shared_memory_segments, syscall(SYS_shmget, 0, 4096, 01600))                                            \
	X(making_code_writable, syscall(SYS_mprotect, page, 4096, PROT_READ | PROT_WRITE | PROT_EXEC))            \
	X(mapping_executable_memory,                                                                              \
	    syscall(SYS_mmap, NULL, 4096UL, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0UL))         \
	X(mapping_its_input, syscall(SYS_mmap, NULL, 4096UL, PROT_READ, MAP_PRIVATE, SANDBOX_IN_FD, 0UL))         \
	X(mapping_shared_memory, syscall(SYS_mmap, NULL, 4096UL, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0UL)) \
	X(mapping_over_its_own_memory,                                                                            \
	    syscall(SYS_mmap, page, 4096UL, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0UL))         \
	X(moving_memory_to_a_chosen_place,                                                                        \
	    syscall(SYS_mremap, page, 4096UL, 4096UL, MREMAP_MAYMOVE | MREMAP_FIXED, page))                       \
	X(other_memory_advice, syscall(SYS_madvise, page, 4096UL, MADV_WILLNEED))                                 \
	X(writing_to_standard_output, syscall(SYS_write, STDOUT_FILENO, "x", 1))                                  \
	X(writing_to_its_input, syscall(SYS_write, SANDBOX_IN_FD, "x", 1))                                        \
	X(reading_its_output, syscall(SYS_pread64, SANDBOX_OUT_FD, page, 1, 0))                                   \
	X(moving_the_shared_offset_by_read, syscall(SYS_read, SANDBOX_IN_FD, page, 1))                            \
	X(moving_the_shared_offset_by_lseek, syscall(SYS_lseek, SANDBOX_IN_FD, 0, 0))                             \
	X(copying_a_descriptor, syscall(SYS_dup, SANDBOX_IN_FD))                                                  \
	X(closing_a_descriptor, syscall(SYS_close, SANDBOX_IN_FD))                                                \
	X(descriptor_flags, syscall(SYS_fcntl, SANDBOX_IN_FD, F_GETFL, 0))                                        \
	X(device_controls, syscall(SYS_ioctl, SANDBOX_IN_FD, 0, 0))                                               \
	X(learning_its_pid, syscall(SYS_getpid))                                                                  \
	X(more_randomness, syscall(SYS_getrandom, page, 1, 0))                                                    \
	X(sleeping, syscall(SYS_nanosleep, page, NULL))                                                           \
	X(catching_signals, syscall(SYS_rt_sigaction, SIGTERM, NULL, NULL, 8))                                    \
	X(waiting_on_shared_memory, syscall(SYS_futex, page, FUTEX_WAIT, 1, NULL, NULL, 0))                       \
	X(other_processes_clocks, syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, page))

/* What the real job does, and what libc does for it. */
static int allowed_life(void)
{
	struct timespec t;
	char byte;
	void *big = malloc(100 << 20);

	if (big == NULL || pread(SANDBOX_IN_FD, &byte, 1, 0) < 0)
		return 1;
	memset(big, 1, 100 << 20);
	big = realloc(big, 200 << 20);
	if (big == NULL)
		return 2;
	free(big);
	for (size_t i = 1; i < 2000; i++)
		free(malloc(i * 100));
	if (write(SANDBOX_OUT_FD, "x", 1) != 1 || clock_gettime(CLOCK_MONOTONIC, &t) < 0 ||
	    syscall(SYS_clock_gettime, CLOCK_REALTIME, &t) < 0 ||
	    syscall(SYS_futex, page, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0) < 0)
		return 3;
	/* Its output is a pipe here: there is nothing to read, but to try is no violation. */
	if (read(SANDBOX_OUT_FD, &byte, 1) != -1)
		return 4;
	return 0;
}

/* RLIMIT_AS: malloc says no, and asks nothing that kills. */
static int too_much_memory(void)
{
	void *volatile p = malloc((size_t)2 << 30); /* volatile, or a compiler answers in malloc's place */
	size_t n = 0;

	if (p != NULL)
		return 1;
	/* and so does a heap of small pieces */
	while ((p = malloc(1 << 16)) != NULL)
		n++;
	return n > 0 && n < SANDBOX_AS_BYTES >> 16 ? 0 : 2;
}

/* ---- one worker of a zygote of our own ---- */

static int worker(int (*act)(void))
{
	int layer_errno[SANDBOX_N_LAYERS] = { 0 };
	struct sandbox *sb;
	int status, out[2], file = memfd_create("input", 0);
	pid_t zygote = getpid(), pid;

	if (mallopt(M_ARENA_MAX, 1) != 1 || file < 0 || pipe(out) < 0 || sandbox_prepare(&sb, layer_errno) < 0)
		return 98;
	pid = fork();
	if (pid == 0) {
		int in = fcntl(file, F_DUPFD, 10), to = fcntl(out[1], F_DUPFD, 10);

		dup2(in, SANDBOX_IN_FD);
		dup2(to, SANDBOX_OUT_FD);
		sandbox_enter(sb, zygote, 10, SANDBOX_THIRD_NONE, 0);
		_exit(act());
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 97;
	/* this process is nobody's child of note: it hands on how its worker ended */
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int worker_of(void *arg)
{
	return worker(*(int (**)(void))arg);
}

static void expect(int (*act)(void), int code)
{
	for (enum as who = AS_SELF; who <= AS_NOBODY; who++) {
		int status = in_child(who, worker_of, &act);

		ck_assert_msg(ended_with(status, code), "as %s: ended with %d, not %d",
		    who == AS_SELF ? "itself" : "nobody", WEXITSTATUS(status), code);
	}
}

#define X(name, act)                              \
	static int act_##name(void)               \
	{                                         \
		(void)(act);                      \
		return 0;                         \
	}                                         \
	START_TEST(test_jail_kills_##name)        \
	{                                         \
		expect(act_##name, 128 + SIGSYS); \
	}                                         \
	END_TEST
ACTS(X)
#undef X

#ifdef __x86_64__
/* The same numbers mean other calls there: i386's 20 is getpid, x32's calls carry a bit. */
static int act_i386(void)
{
	long r = 20;

	__asm__ volatile("int $0x80" : "+a"(r) : : "memory");
	return 0;
}

static int act_x32(void)
{
	syscall(0x40000000 | SYS_exit_group, 0);
	return 0;
}

START_TEST(test_jail_kills_calls_of_other_architectures)
{
	expect(act_i386, 128 + SIGSYS);
	expect(act_x32, 128 + SIGSYS);
}
END_TEST
#endif

/* ---- the zygote ---- */

/* X(what is killed in a zygote, which still forks and talks, the act) */
#define ZYGOTE_ACTS(X)                                                                                \
	X(opening_a_file, syscall(SYS_openat, AT_FDCWD, "/", O_RDONLY))                               \
	X(making_a_socket, syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0))                              \
	X(executing, syscall(SYS_execve, "/bin/sh", NULL, NULL))                                      \
	X(executing_a_descriptor, syscall(SYS_execveat, 3, "", NULL, NULL, AT_EMPTY_PATH))            \
	X(making_a_namespace, syscall(SYS_unshare, CLONE_NEWUSER))                                    \
	X(forking_into_a_namespace, syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0))          \
	X(making_a_thread, syscall(SYS_clone, CLONE_VM | CLONE_SIGHAND | CLONE_THREAD, 0, 0, 0, 0))   \
	X(forking_with_clone3, syscall(SYS_clone3, page, 64))                                         \
	X(tracing, syscall(SYS_ptrace, 0, 0, 0, 0))                                                   \
	X(asking_softly, syscall(SYS_kill, getpid(), SIGTERM))                                        \
	X(signalling_everybody, syscall(SYS_kill, -1, SIGKILL))                                       \
	X(limiting_another, syscall(SYS_prlimit64, getppid(), RLIMIT_NOFILE, NULL, NULL))             \
	X(becoming_dumpable, prctl(PR_SET_DUMPABLE, 1, 0, 0, 0))                                      \
	X(mapping_code, syscall(SYS_mmap, NULL, 4096, PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) \
	X(writing_elsewhere, syscall(SYS_write, STDERR_FILENO, page, 1))                              \
	X(sending_elsewhere, syscall(SYS_sendmsg, STDERR_FILENO, page, 0))

static int zygote_of(void *arg)
{
	int layer_errno[SANDBOX_N_LAYERS] = { 0 };
	struct sandbox *sb;

	if (sandbox_prepare(&sb, layer_errno) < 0 || sandbox_confine_zygote(sb) < 0)
		return 98;
	return (*(int (**)(void))arg)();
}

static void expect_zygote_killed(int (*act)(void))
{
	for (enum as who = AS_SELF; who <= AS_NOBODY; who++) {
		int status = in_child(who, zygote_of, &act);

		ck_assert_msg(killed_by(status, SIGSYS), "wait status %x", (unsigned)status);
	}
}

#define X(name, act)                                 \
	static int zygote_##name(void)               \
	{                                            \
		(void)(act);                         \
		return 0;                            \
	}                                            \
	START_TEST(test_zygote_is_killed_for_##name) \
	{                                            \
		expect_zygote_killed(zygote_##name); \
	}                                            \
	END_TEST
ZYGOTE_ACTS(X)
#undef X

START_TEST(test_jail_lets_a_scan_live)
{
	expect(allowed_life, 0);
}
END_TEST

START_TEST(test_memory_beyond_the_limit_is_refused_without_a_death)
{
	expect(too_much_memory, 0);
}
END_TEST

#ifndef __x86_64__
#define test_jail_kills_calls_of_other_architectures test_jail_lets_a_scan_live
#endif

int main(void)
{
	const TTest *const tests[] = {
#define X(name, act) test_jail_kills_##name,
		ACTS(X)
#undef X
#define X(name, act) test_zygote_is_killed_for_##name,
		    ZYGOTE_ACTS(X)
#undef X
			test_memory_beyond_the_limit_is_refused_without_a_death,
		test_jail_kills_calls_of_other_architectures,
		test_jail_lets_a_scan_live,
	};

	return harness_run("deaths", tests, sizeof(tests) / sizeof(tests[0]), 60, NULL);
}
