/* The jail without its filter: what the other layers still refuse, all together and each alone.  And what only a look
 * from inside can show: which descriptors are open, which limits hold. */
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>

#include "enter.h"
#include "harness.h"
#include "jail.h"
#include "layers.h"

static uint8_t page[4096] __attribute__((aligned(4096)));

/* An act that must fail. Return: 0 when it did, else `code` to tell which succeeded. */
#define REFUSED(act, code)                    \
	do {                                  \
		errno = 0;                    \
		if ((act) >= 0 || errno == 0) \
			return (code);        \
	} while (0)

#define REFUSED_WITH(act, error, code)              \
	do {                                        \
		if ((act) >= 0 || errno != (error)) \
			return (code);              \
	} while (0)

static long connect_somewhere(void)
{
	const struct sockaddr_in to = {
		.sin_family = AF_INET, .sin_port = htons(80), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)
	};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	return fd < 0 ? -1 : connect(fd, (const struct sockaddr *)&to, sizeof(to));
}

static long map(int prot)
{
	void *p = mmap(NULL, sizeof(page), prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? -1 : 0;
}

/* ---- all layers but the filter ---- */

static pid_t outsider; /* a process that is not ours to touch */

static int acts_without_filter(void)
{
	const struct iovec here = { page, 16 }, there = { page + 32, 16 };

	REFUSED(open("/etc/passwd", O_RDONLY), 1);
	REFUSED(open("/", O_RDONLY), 2);
	REFUSED(creat("/x", 0600), 3);
	REFUSED(connect_somewhere(), 4);
	REFUSED(execl("/bin/true", "true", NULL), 5);
	REFUSED(kill(outsider, SIGKILL), 6);
	REFUSED(map(PROT_READ | PROT_WRITE | PROT_EXEC), 7);
	REFUSED(mprotect(page, sizeof(page), PROT_READ | PROT_EXEC), 8);
	REFUSED(mount("none", "/", "tmpfs", 0, NULL), 9);
	REFUSED(ptrace(PTRACE_ATTACH, outsider, NULL, NULL), 10);
	REFUSED(syscall(SYS_bpf, 0, page, 64), 11);
	REFUSED(syscall(SYS_io_uring_setup, 1, page), 12);
	REFUSED(syscall(SYS_userfaultfd, 0), 13);
	REFUSED(syscall(SYS_perf_event_open, page, 0, -1, -1, 0), 14);
	REFUSED(chroot("/"), 15);
	REFUSED(dup(SANDBOX_IN_FD), 16);
	REFUSED(syscall(SYS_mlock, page, sizeof(page)), 17); /* a sanitizer answers mlock(3) itself */
	REFUSED(sethostname("x", 1), 18);
	REFUSED(process_vm_readv(outsider, &here, 1, &there, 1, 0), 19);
	return 0;
}

/* Another process can be made where RLIMIT_NPROC does not bind, which is as root only. */
static int fork_without_filter(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid < 0 && errno == EAGAIN ? 0 : 1;
}

static int only_two_descriptors(void)
{
	for (int fd = 0; fd < 4096; fd++) {
		bool open = fcntl(fd, F_GETFD) >= 0;

		if (open != (fd == SANDBOX_IN_FD || fd == SANDBOX_OUT_FD))
			return 1;
	}
	return 0;
}

static bool limit_is(int resource, uint64_t soft, uint64_t hard)
{
	struct rlimit rl;

	return getrlimit((__rlimit_resource_t)resource, &rl) == 0 && rl.rlim_cur == soft && rl.rlim_max == hard;
}

/* The clock of a worker runs from here on. */
static struct timespec entered;

static bool clock_is(int64_t seconds)
{
	struct itimerval left;
	struct timespec now;

	if (getitimer(ITIMER_REAL, &left) < 0 || clock_gettime(CLOCK_MONOTONIC, &now) < 0)
		return false;
	return left.it_value.tv_sec <= seconds && left.it_value.tv_sec + 1 + now.tv_sec + 1 - entered.tv_sec >= seconds;
}

static int limits_hold(void)
{
#ifndef WLK_SANITIZED
	if (!limit_is(RLIMIT_AS, SANDBOX_AS_BYTES, SANDBOX_AS_BYTES))
		return 1;
#endif
	if (!limit_is(RLIMIT_CPU, 1, 3) || !limit_is(RLIMIT_FSIZE, 0, 0) || !limit_is(RLIMIT_NOFILE, 0, 0))
		return 2;
	if (!limit_is(RLIMIT_NPROC, 0, 0) || !limit_is(RLIMIT_CORE, 0, 0) || !limit_is(RLIMIT_MEMLOCK, 0, 0))
		return 3;
	return clock_is(1 + SANDBOX_OVERTIME_S) ? 0 : 4;
}

static int flags_hold(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2];
	int death = 0;

	if (prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0 || prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1 ||
	    prctl(PR_GET_PDEATHSIG, &death, 0, 0, 0) < 0 || death != SIGKILL)
		return 1;
	if (syscall(SYS_capget, &header, caps) < 0 || caps[0].effective || caps[0].permitted || caps[0].inheritable ||
	    caps[1].effective || caps[1].permitted || caps[1].inheritable)
		return 2;
	for (unsigned long cap = 0; cap < 41; cap++)
		if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_IS_SET, cap, 0, 0) != 0)
			return 3;
	return 0;
}

/* On a busy machine the clock would be first, and Check answers it. */
static int spin(void)
{
	const struct itimerval never = { 0 };

	if (setitimer(ITIMER_REAL, &never, NULL) < 0)
		return 1;
	for (volatile unsigned i = 0;; i++)
		;
	return 0;
}

static int write_to_a_regular_file(void)
{
	return write(SANDBOX_OUT_FD, "x", 1) == 1 ? 1 : 0;
}

/* ---- such a worker ---- */

static void enter_without_filter(const struct sandbox *sb, pid_t zygote)
{
	int layer_errno[SANDBOX_N_LAYERS] = { 0 };

	enter_rehearse(sb, zygote, 1, SANDBOX_SECCOMP, layer_errno);
	for (size_t i = 0; i < SANDBOX_N_LAYERS; i++)
		if (layer_errno[i] != 0)
			_exit(96);
}

/* Descriptors beyond those of a worker as a careless zygote might have them: low, high and not close-on-exec. */
static void leave_descriptors_open(int file)
{
	dup2(file, 0);
	dup2(file, 5);
	dup2(file, 700);
	dup2(file, 1023);
}

static int worker_without_filter(void *arg)
{
	int (*act)(void) = *(int (**)(void))arg;
	static const struct sandbox sb;
	int layer_errno[SANDBOX_N_LAYERS] = { 0 };
	int status, file = fcntl(memfd_create("file", 0), F_DUPFD, 20);
	pid_t zygote, pid;

	/* A namespace for those who need one to make the others, as zygote_start() would. */
	if (geteuid() != 0 && unshare(CLONE_NEWUSER) < 0)
		return 98;
	zygote = getpid();
	prepare_confine(layer_errno);
	pid = fork();
	if (pid == 0) {
		dup2(file, SANDBOX_IN_FD);
		dup2(file, SANDBOX_OUT_FD);
		leave_descriptors_open(file);
		clock_gettime(CLOCK_MONOTONIC, &entered);
		enter_without_filter(&sb, zygote);
		_exit(act());
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 97;
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void expect_as(enum as who, int (*act)(void), int code)
{
	int status = in_child(who, worker_without_filter, &act);

	ck_assert_msg(ended_with(status, code), "as %s: ended with %d, not %d", who == AS_SELF ? "itself" : "nobody",
	    WEXITSTATUS(status), code);
}

static void expect(int (*act)(void), int code)
{
	expect_as(AS_SELF, act, code);
	expect_as(AS_NOBODY, act, code);
}

START_TEST(test_without_the_filter_the_other_layers_refuse_nearly_everything)
{
	outsider = getpid();
	expect(acts_without_filter, 0);
}
END_TEST

START_TEST(test_without_the_filter_nobody_cannot_fork)
{
	expect_as(AS_NOBODY, fork_without_filter, 0);
}
END_TEST

START_TEST(test_exactly_input_and_output_are_open)
{
	expect(only_two_descriptors, 0);
}
END_TEST

START_TEST(test_limits_are_as_announced)
{
	expect(limits_hold, 0);
}
END_TEST

START_TEST(test_flags_and_capabilities_are_as_announced)
{
	expect(flags_hold, 0);
}
END_TEST

START_TEST(test_processor_time_ends_with_its_own_signal)
{
	expect(spin, 128 + SIGXCPU);
}
END_TEST

START_TEST(test_regular_file_cannot_be_written)
{
	/* a memfd is regular enough; the report goes to a pipe, which the limit does not concern */
	expect(write_to_a_regular_file, 128 + SIGXFSZ);
}
END_TEST

/* ---- each layer alone ---- */

static void alone(int (*body)(void *arg), enum as who)
{
	int status = in_child(who, body, NULL);

	ck_assert_msg(ended_with(status, 0), "status %x", (unsigned)status);
}

static int landlock_alone(void *arg)
{
	(void)arg;
	if (layer_no_new_privs() < 0 || layer_landlock_deny_all() < 0)
		return 90;
	REFUSED_WITH(open("/etc/passwd", O_RDONLY), EACCES, 1);
	REFUSED_WITH(open("/tmp", O_RDONLY | O_DIRECTORY), EACCES, 2);
	REFUSED_WITH(creat("/tmp/wlk-x", 0600), EACCES, 3);
	REFUSED_WITH(execl("/bin/true", "true", NULL), EACCES, 4);
	REFUSED_WITH(connect_somewhere(), EACCES, 5);
	REFUSED_WITH(kill(getppid(), 0), EPERM, 6);
	return 0;
}

START_TEST(test_landlock_alone_refuses_files_programs_tcp_and_signals)
{
	alone(landlock_alone, AS_SELF);
	alone(landlock_alone, AS_NOBODY);
}
END_TEST

static int quota_alone(void *arg)
{
	const uint64_t bytes = *(const uint64_t *)arg;

	if (layer_rlimits(10, bytes) < 0)
		return 90;
	return limit_is(RLIMIT_FSIZE, bytes, bytes) ? 0 : 1;
}

START_TEST(test_an_output_may_grow_to_its_quota_and_no_further)
{
	const uint64_t quotas[] = { 0, 1, (uint64_t)1 << 40 };

	for (size_t i = 0; i < 3; i++) {
		int status = in_child(AS_SELF, quota_alone, (void *)(uintptr_t)&quotas[i]);

		ck_assert_msg(ended_with(status, 0), "%zu: status %x", i, (unsigned)status);
	}
}
END_TEST

/* With a document, and without: descriptors as leave_descriptors_open() has them. */
static int descriptors_alone(void *arg)
{
	bool document = *(const bool *)arg;
	int file = fcntl(memfd_create("file", 0), F_DUPFD, 20);

	for (int fd = SANDBOX_IN_FD; fd <= SANDBOX_CHANNEL_FD; fd++)
		dup2(file, fd);
	leave_descriptors_open(file);
	if (layer_descriptors(document) < 0)
		return 90;
	for (int fd = 0; fd < 4096; fd++) {
		bool stays = fd == SANDBOX_IN_FD || fd == SANDBOX_OUT_FD || (document && fd == SANDBOX_DOCUMENT_FD);

		if ((fcntl(fd, F_GETFD) >= 0) != stays)
			return 1;
	}
	return 0;
}

START_TEST(test_a_document_stays_open_only_where_the_job_has_one)
{
	const bool with[] = { false, true };

	for (size_t i = 0; i < 2; i++) {
		int status = in_child(AS_SELF, descriptors_alone, (void *)(uintptr_t)&with[i]);

		ck_assert_msg(ended_with(status, 0), "%zu: status %x", i, (unsigned)status);
	}
}
END_TEST

static int mdwe_alone(void *arg)
{
	(void)arg;
	if (layer_mdwe() < 0)
		return 90;
	REFUSED_WITH(map(PROT_READ | PROT_WRITE | PROT_EXEC), EACCES, 1);
	REFUSED_WITH(mprotect(page, sizeof(page), PROT_READ | PROT_EXEC), EACCES, 2);
	return map(PROT_READ | PROT_WRITE);
}

START_TEST(test_mdwe_alone_refuses_writable_code)
{
	alone(mdwe_alone, AS_SELF);
	alone(mdwe_alone, AS_NOBODY);
}
END_TEST

static int empty_root_alone(void *arg)
{
	struct dirent *entry;
	int mount_ns;
	DIR *root;

	(void)arg;
	if (geteuid() != 0 && unshare(CLONE_NEWUSER) < 0)
		return 89;
	if (layer_empty_root(&mount_ns) < 0 || mount_ns != 0)
		return 90;
	root = opendir("/");
	if (root == NULL)
		return 1;
	while ((entry = readdir(root)) != NULL)
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			return 2;
	REFUSED_WITH(creat("/x", 0600), EROFS, 3);
	REFUSED_WITH(open("../../etc/passwd", O_RDONLY), ENOENT, 4);
	REFUSED_WITH(open("/proc/self/status", O_RDONLY), ENOENT, 5);
	return 0;
}

static bool machine_is_whole(void)
{
	return access("/etc/passwd", R_OK) == 0 && access("/proc/self/status", R_OK) == 0;
}

/* What front and keeper have without Landlock and without their filters. */
static int secluded(void *arg)
{
	char number[16];
	int file = open(arg, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600), dir, own;

	if (geteuid() != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0) /* nobody may no more than this in here */
		return 89;
	dir = open(arg, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	own = open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0 || own < 0 || file < 0)
		return 1;
	if (sandbox_seclude(&dir, &own) != 0)
		return 2;
	REFUSED_WITH(open("/etc/passwd", O_RDONLY), ENOENT, 3);
	REFUSED_WITH(openat(dir, "../../etc/passwd", O_RDONLY), ENOENT, 4);
	REFUSED_WITH(openat(own, "../status", O_RDONLY), ENOENT, 5);
	REFUSED_WITH(openat(own, "../../self/status", O_RDONLY), ENOENT, 6);
	(void)snprintf(number, sizeof(number), "%d", file);
	if (openat(own, number, O_RDONLY | O_CLOEXEC) < 0)
		return 7;
	REFUSED(connect_somewhere(), 8);
	return 0;
}

START_TEST(test_whoever_is_secluded_has_one_folder_and_its_own_descriptors)
{
	char path[] = "/tmp/wlk-XXXXXX";

	ck_assert_ptr_nonnull(mkdtemp(path));
	ck_assert_int_eq(chmod(path, 0777), 0);
	for (enum as who = AS_SELF; who <= AS_NOBODY; who++) {
		int status = in_child(who, secluded, path);

		ck_assert_msg(ended_with(status, 0), "status %x", (unsigned)status);
	}
	ck_assert_int_eq(rmdir(path), 0);
	ck_assert(access("/etc/passwd", R_OK) == 0);
}
END_TEST

static const int constant[4096] = { 1 };

static int sealed_alone(void *arg)
{
	const uintptr_t at = ((uintptr_t)constant + 4095) & ~(uintptr_t)4095;

	(void)arg;
	layer_seal_memory();
	if (syscall(462 /* mseal */, 0UL, 0UL, 0UL) < 0 && errno == ENOSYS)
		return 0;
	REFUSED_WITH(munmap((void *)at, 4096), EPERM, 1);
	REFUSED_WITH(mprotect((void *)at, 4096, PROT_READ | PROT_WRITE), EPERM, 2);
	REFUSED_WITH(munmap((void *)((uintptr_t)&sealed_alone & ~(uintptr_t)4095), 4096), EPERM, 3);
	return 0;
}

START_TEST(test_what_is_read_only_stays_mapped_as_it_is)
{
	alone(sealed_alone, AS_SELF);
	alone(sealed_alone, AS_NOBODY);
}
END_TEST

static int speculation_alone(void *arg)
{
	static const unsigned long kinds[] = { PR_SPEC_STORE_BYPASS, PR_SPEC_INDIRECT_BRANCH };

	(void)arg;
	layer_speculation();
	for (size_t i = 0; i < 2; i++) {
		int state = prctl(PR_GET_SPECULATION_CTRL, kinds[i], 0, 0, 0);

		if (state >= 0 && (state & PR_SPEC_PRCTL) != 0 && (state & PR_SPEC_ENABLE) != 0)
			return 1;
	}
	return 0;
}

START_TEST(test_speculation_is_given_up_where_a_process_may_choose)
{
	alone(speculation_alone, AS_SELF);
}
END_TEST

START_TEST(test_empty_root_alone_is_empty_and_only_ours)
{
	alone(empty_root_alone, AS_SELF);
	alone(empty_root_alone, AS_NOBODY);
	/* and the machine has kept its own */
	ck_assert(machine_is_whole());
}
END_TEST

static int no_caps_alone(void *arg)
{
	(void)arg;
	if (layer_no_caps() < 0)
		return 90;
	REFUSED_WITH(chroot("/"), EPERM, 1);
	REFUSED_WITH(setgroups(0, NULL), EPERM, 2);
	REFUSED_WITH(mount("none", "/tmp", "tmpfs", 0, NULL), EPERM, 3);
	if (geteuid() != 0)
		return 0;
	/* being root no longer means anything, and neither does executing something as root */
	REFUSED_WITH(setresuid(NOBODY, NOBODY, NOBODY), EPERM, 4);
	return prctl(PR_CAPBSET_READ, CAP_SYS_ADMIN, 0, 0, 0);
}

START_TEST(test_without_capabilities_root_is_nobody)
{
	alone(no_caps_alone, AS_SELF);
	alone(no_caps_alone, AS_NOBODY);
}
END_TEST

static int net_ns_alone(void *arg)
{
	(void)arg;
	if (geteuid() != 0 && unshare(CLONE_NEWUSER) < 0)
		return 89;
	if (layer_unshare(CLONE_NEWNET) < 0)
		return 90;
	REFUSED_WITH(connect_somewhere(), ENETUNREACH, 1);
	return 0;
}

START_TEST(test_network_namespace_alone_has_no_network)
{
	alone(net_ns_alone, AS_SELF);
	alone(net_ns_alone, AS_NOBODY);
}
END_TEST

static int orphan(void *arg)
{
	/* getppid() is the test: any other number is a dead zygote's */
	(void)arg;
	return layer_pdeathsig(getppid() + 1) == -ESRCH && layer_pdeathsig(getppid()) == 0 ? 0 : 1;
}

START_TEST(test_worker_of_a_dead_zygote_does_not_start)
{
	alone(orphan, AS_SELF);
}
END_TEST

/* A parent dies while its child runs: nothing else kills the child here, there is no PID namespace. */
static int parent_of_a_survivor(void *arg)
{
	const int *p = arg;
	pid_t self = getpid(), pid = fork();

	if (pid == 0) {
		if (layer_pdeathsig(self) < 0 || write(p[1], "x", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	/* wait for it to be armed, then die */
	if (read(p[0], page, 1) == 1)
		raise(SIGKILL);
	return 1;
}

START_TEST(test_worker_dies_with_its_zygote)
{
	int p[2];
	char byte;

	ck_assert_int_eq(pipe(p), 0);
	ck_assert(killed_by(in_child(AS_SELF, parent_of_a_survivor, p), SIGKILL));
	close(p[1]);
	/* end of file, because the survivor that held the other end is none */
	ck_assert_int_eq(read(p[0], &byte, 1), 0);
}
END_TEST

/* What cannot even be tried where user namespaces are forbidden. */
static const char *left_out(const char *test)
{
	static const char *const needing[] = {
		"test_without_the_filter_the_other_layers_refuse_nearly_everything",
		"test_without_the_filter_nobody_cannot_fork",
		"test_exactly_input_and_output_are_open",
		"test_limits_are_as_announced",
		"test_flags_and_capabilities_are_as_announced",
		"test_processor_time_ends_with_its_own_signal",
		"test_regular_file_cannot_be_written",
		"test_empty_root_alone_is_empty_and_only_ours",
		"test_whoever_is_secluded_has_one_folder_and_its_own_descriptors",
		"test_network_namespace_alone_has_no_network",
		NULL,
	};

	return without_user_namespaces(test, needing);
}

HARNESS_EXCEPT("layers", left_out, test_without_the_filter_the_other_layers_refuse_nearly_everything,
    test_without_the_filter_nobody_cannot_fork, test_exactly_input_and_output_are_open, test_limits_are_as_announced,
    test_flags_and_capabilities_are_as_announced, test_processor_time_ends_with_its_own_signal,
    test_regular_file_cannot_be_written, test_landlock_alone_refuses_files_programs_tcp_and_signals,
    test_mdwe_alone_refuses_writable_code, test_a_document_stays_open_only_where_the_job_has_one,
    test_an_output_may_grow_to_its_quota_and_no_further, test_empty_root_alone_is_empty_and_only_ours,
    test_whoever_is_secluded_has_one_folder_and_its_own_descriptors, test_what_is_read_only_stays_mapped_as_it_is,
    test_speculation_is_given_up_where_a_process_may_choose, test_without_capabilities_root_is_nobody,
    test_network_namespace_alone_has_no_network, test_worker_of_a_dead_zygote_does_not_start,
    test_worker_dies_with_its_zygote)
