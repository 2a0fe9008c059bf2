/* The monitor's own jail: it starts everything, and does nothing that only an intruder does; nor does what it starts. */
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "inside.h"
#include "sandbox.h"

static void nothing(void)
{
}

static void expect(int (*act)(void), int sig, int code)
{
	static const struct jail jail = { nothing, nothing, sandbox_monitor };

	expect_in_one(&jail, act, sig, code);
}

#define ACTS(X)                                                                                   \
	X(tracing, ptrace(PTRACE_TRACEME, 0, NULL, NULL))                                         \
	X(reading_another_process, syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0)) \
	X(taking_a_descriptor, syscall(SYS_pidfd_getfd, 0, 0, 0))                                 \
	X(joining_a_namespace, setns(0, 0))                                                       \
	X(opening_by_handle, syscall(SYS_open_by_handle_at, 0, NULL, 0))                          \
	X(loading_a_module, syscall(SYS_finit_module, 0, "", 0))                                  \
	X(loading_bpf, syscall(SYS_bpf, 0, NULL, 0))                                              \
	X(keys, syscall(SYS_keyctl, 0, 0, 0, 0, 0))                                               \
	X(io_uring, syscall(SYS_io_uring_setup, 1, NULL))                                         \
	X(setting_the_clock, syscall(SYS_clock_settime, 0, NULL))                                 \
	X(another_personality, syscall(SYS_personality, 0x0040000))                               \
	X(a_trace_by_its_child, fork() == 0 ? ptrace(PTRACE_TRACEME, 0, NULL, NULL) : child_dies())

static int child_dies(void)
{
	int status;

	if (wait(&status) < 0 || !killed_by(status, SIGSYS))
		_exit(1);
	raise(SIGSYS);
	return 0;
}

#define X(name, act) TEST_DIES(monitor, name, act)
ACTS(X)
#undef X

/* Nothing of root's but what it needs, and its children cannot get it back either. */
static int capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3, .pid = 0 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { { 0 } };
	static const unsigned gone[] = { CAP_SYS_MODULE, CAP_SYS_RAWIO, CAP_SYS_PTRACE, CAP_SYS_BOOT, CAP_SYS_TIME,
		CAP_NET_ADMIN, CAP_NET_RAW, CAP_MKNOD, CAP_SYS_CHROOT, CAP_LINUX_IMMUTABLE, CAP_SYSLOG };

	if (syscall(SYS_capget, &header, data) < 0)
		return 1;
	for (size_t i = 0; i < sizeof(gone) / sizeof(gone[0]); i++)
		if ((data[gone[i] / 32].permitted >> gone[i] % 32 & 1) != 0 ||
		    (geteuid() == 0 && prctl(PR_CAPBSET_READ, gone[i], 0, 0, 0) != 0))
			return 2;
	return 0;
}

START_TEST(test_of_roots_capabilities_most_are_gone)
{
	expect(capabilities, 0, 0);
}
END_TEST

static int starting(void)
{
	int pair[2], status;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) < 0 || socket(AF_UNIX, SOCK_DGRAM, 0) < 0)
		return 1;
	if (!refused(socket(AF_INET, SOCK_STREAM, 0), EAFNOSUPPORT) ||
	    !refused(socket(AF_NETLINK, SOCK_RAW, 0), EAFNOSUPPORT))
		return 2;
	pid = fork();
	if (pid == 0) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(9);
	}
	return waitpid(pid, &status, 0) == pid && ended_with(status, 0) ? 0 : 3;
}

START_TEST(test_it_starts_programs_and_talks_to_them)
{
	expect(starting, 0, 0);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
#define X(name, act) test_monitor_dies_of_##name,
		ACTS(X)
#undef X
		    test_of_roots_capabilities_most_are_gone,
		test_it_starts_programs_and_talks_to_them,
	};

	return harness_run("monitor", tests, sizeof(tests) / sizeof(tests[0]), 60, NULL);
}
