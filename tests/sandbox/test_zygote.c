/* The zygote from the front's side: start, jobs, cancel, the end; and everything that can go wrong in between. */
#include <dirent.h>
#include <fcntl.h>
#include <linux/securebits.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#include "channel.h"
#include "harness.h"
#include "jail.h"
#include "layers.h"
#include "sandbox.h"

static int program(const char *path)
{
	int fd = open(path, O_PATH | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	return fd;
}

static struct zygote started(void)
{
	struct zygote z;
	int fd = program(OBEDIENT_WORKER);

	ck_assert_int_eq(zygote_start(fd, sandbox_build_id(), &z), 0);
	close(fd);
	return z;
}

/* The next message, waited for. */
static int next_message(const struct zygote *z, struct channel_message *m)
{
	struct pollfd p = { .fd = z->channel, .events = POLLIN };
	int fds[CHANNEL_FDS_MAX];

	if (poll(&p, 1, 20000) != 1)
		return -ETIMEDOUT;
	return channel_recv(z->channel, m, fds);
}

static void send_job_to(const struct zygote *z, uint64_t id, const char *input, int out)
{
	struct channel_message m = { .type = CHANNEL_JOB, .id = id };
	int in = memfd_create("input", MFD_CLOEXEC);
	struct pollfd room = { .fd = z->channel, .events = POLLOUT };
	int fds[] = { in, out };
	int r;

	ck_assert_int_ge(in, 0);
	ck_assert_int_eq(write(in, input, strlen(input)), (ssize_t)strlen(input));
	while ((r = channel_send(z->channel, &m, fds, 2)) == -EAGAIN)
		ck_assert_int_eq(poll(&room, 1, 20000), 1);
	ck_assert_int_eq(r, 0);
	close(in);
}

/* Return: the end of the pipe from which the report is read. */
static int send_job(const struct zygote *z, uint64_t id, const char *input)
{
	int out[2];

	ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
	send_job_to(z, id, input, out[1]);
	close(out[1]);
	return out[0];
}

static int wait_status(const struct zygote *z, uint64_t id)
{
	struct channel_message m;

	ck_assert_int_eq(next_message(z, &m), 1);
	ck_assert_uint_eq(m.type, CHANNEL_EXITED);
	ck_assert_uint_eq(m.id, id);
	ck_assert_int_eq(m.error, 0);
	return m.status;
}

static int status_of(const char *input)
{
	struct zygote z = started();
	int out = send_job(&z, 1, input);
	int status = wait_status(&z, 1);

	close(out);
	zygote_stop(&z);
	return status;
}

/* A field of /proc/PID/status, or of an own child's. */
static bool status_says(pid_t pid, const char *expected)
{
	char path[64], line[256];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	ck_assert_ptr_nonnull(f);
	while (!found && fgets(line, sizeof(line), f) != NULL)
		found = strcmp(line, expected) == 0;
	fclose(f);
	return found;
}

START_TEST(test_worker_reads_its_file_and_writes_its_report)
{
	struct zygote z = started();
	int out = send_job(&z, 42, "write 0\nall of this");
	char got[64] = { 0 };

	ck_assert(ended_with(wait_status(&z, 42), 0));
	ck_assert_int_eq(read(out, got, sizeof(got)), 11);
	ck_assert_str_eq(got, "all of this");
	/* nobody else holds the writing end */
	ck_assert_int_eq(read(out, got, sizeof(got)), 0);
	close(out);
	zygote_stop(&z);
}
END_TEST

START_TEST(test_every_end_of_a_worker_is_told_as_it_was)
{
	int status;

	ck_assert(ended_with(status_of("exit 7\n"), 7));
	ck_assert(killed_by(status_of("trap\n"), SIGILL));
#ifndef WLK_SANITIZED
	ck_assert(killed_by(status_of("forbidden\n"), SIGSYS));
#endif
	/* On a busy machine its clock runs out before its processor time does. */
	status = status_of("spin\n");
	ck_assert(killed_by(status, SIGXCPU) || killed_by(status, SIGALRM));
}
END_TEST

START_TEST(test_sleeping_worker_is_ended_by_the_clock_though_nobody_cancels_it)
{
	ck_assert(killed_by(status_of("sleep\n"), SIGALRM));
}
END_TEST

#ifndef WLK_SANITIZED
START_TEST(test_zygote_itself_is_filtered)
{
	struct zygote z = started();
	siginfo_t info = { 0 };

	ck_assert(status_says(z.pid, "Seccomp:\t2\n"));
	/* stopped and resumed in the middle of its wait, it goes on */
	ck_assert_int_eq(kill(z.pid, SIGSTOP), 0);
	ck_assert_int_eq(waitid(P_PID, (id_t)z.pid, &info, WSTOPPED), 0);
	ck_assert_int_eq(kill(z.pid, SIGCONT), 0);
	close(send_job(&z, 1, "exit 7\n"));
	ck_assert(ended_with(wait_status(&z, 1), 7));
	zygote_stop(&z);
}
END_TEST
#endif

START_TEST(test_worker_ends_when_nobody_reads_its_report)
{
	struct zygote z = started();
	int out = send_job(&z, 1, "flood\n");

	close(out);
	ck_assert(ended_with(wait_status(&z, 1), 92));
	zygote_stop(&z);
}
END_TEST

START_TEST(test_cancel_kills_that_worker_and_no_other)
{
	struct zygote z = started();
	const struct channel_message cancel = { .type = CHANNEL_CANCEL, .id = 2 };
	struct channel_message unknown = { .type = CHANNEL_CANCEL, .id = 99 };
	int full[2];

	/* The first waits in write(2) for a reader; the second must go. */
	ck_assert_int_eq(pipe2(full, O_CLOEXEC), 0);
	send_job_to(&z, 1, "flood\n", full[1]);
	close(full[1]);
	close(send_job(&z, 2, "spin\n"));
	ck_assert_int_eq(channel_send(z.channel, &unknown, NULL, 0), 0);
	ck_assert_int_eq(channel_send(z.channel, &cancel, NULL, 0), 0);
	ck_assert(killed_by(wait_status(&z, 2), SIGKILL));
	close(full[0]);
	ck_assert(ended_with(wait_status(&z, 1), 92));
	zygote_stop(&z);
}
END_TEST

START_TEST(test_ping_is_answered)
{
	struct zygote z = started();
	struct channel_message m = { .type = CHANNEL_PING, .id = 5 };

	ck_assert_int_eq(channel_send(z.channel, &m, NULL, 0), 0);
	ck_assert_int_eq(next_message(&z, &m), 1);
	ck_assert_uint_eq(m.type, CHANNEL_PONG);
	ck_assert_uint_eq(m.id, 5);
	zygote_stop(&z);
}
END_TEST

START_TEST(test_many_workers_each_end_once)
{
	enum { N = 50 }; /* their EXITED fit the channel unread */
	struct zygote z = started();
	bool seen[N] = { false };

	for (unsigned i = 0; i < N; i++)
		close(send_job(&z, i, "exit 0\n"));
	for (unsigned i = 0; i < N; i++) {
		struct channel_message m;

		ck_assert_int_eq(next_message(&z, &m), 1);
		ck_assert_uint_eq(m.type, CHANNEL_EXITED);
		ck_assert_uint_lt(m.id, N);
		ck_assert_msg(!seen[m.id], "worker %u ended twice", (unsigned)m.id);
		seen[m.id] = true;
	}
	zygote_stop(&z);
}
END_TEST

START_TEST(test_last_worker_of_the_table_is_taken_and_the_next_refused)
{
	struct zygote z = started();
	int out[2];
	struct channel_message m;

	ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
	for (unsigned i = 0; i < CHANNEL_WORKERS_MAX; i++)
		send_job_to(&z, i, "flood\n", out[1]);
	send_job_to(&z, CHANNEL_WORKERS_MAX, "flood\n", out[1]);
	ck_assert_int_eq(next_message(&z, &m), 1);
	ck_assert_uint_eq(m.type, CHANNEL_EXITED);
	ck_assert_uint_eq(m.id, CHANNEL_WORKERS_MAX);
	ck_assert_int_eq(m.error, -EAGAIN);
	/* and all the others are alive: each ends when its pipe does */
	close(out[1]);
	close(out[0]);
	for (unsigned i = 0; i < CHANNEL_WORKERS_MAX; i++) {
		ck_assert_int_eq(next_message(&z, &m), 1);
		ck_assert_int_eq(m.error, 0);
		ck_assert(ended_with(m.status, 92));
	}
	zygote_stop(&z);
}
END_TEST

START_TEST(test_job_without_two_descriptors_ends_before_the_jail)
{
	struct zygote z = started();
	struct channel_message m = { .type = CHANNEL_JOB, .id = 3 };
	const int one = STDOUT_FILENO;

	for (size_t n_fds = 0; n_fds < 2; n_fds++) {
		ck_assert_int_eq(channel_send(z.channel, &m, &one, n_fds), 0);
		ck_assert(ended_with(wait_status(&z, 3), SANDBOX_EXIT_JAIL));
	}
	zygote_stop(&z);
}
END_TEST

START_TEST(test_descriptors_that_cannot_be_opened_end_that_worker_only)
{
	struct zygote z = started();
	struct rlimit before, lower;

	ck_assert_int_eq(prlimit(z.pid, RLIMIT_NOFILE, NULL, &before), 0);
	lower = (struct rlimit){ SANDBOX_OUT_FD, before.rlim_max };
	ck_assert_int_eq(prlimit(z.pid, RLIMIT_NOFILE, &lower, NULL), 0);
	close(send_job(&z, 1, "exit 0\n"));
	ck_assert(ended_with(wait_status(&z, 1), SANDBOX_EXIT_JAIL));
	ck_assert_int_eq(prlimit(z.pid, RLIMIT_NOFILE, &before, NULL), 0);
	close(send_job(&z, 2, "exit 7\n"));
	ck_assert(ended_with(wait_status(&z, 2), 7));
	zygote_stop(&z);
}
END_TEST

static size_t open_descriptors_of(pid_t pid)
{
	char path[64];
	size_t n = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	ck_assert_ptr_nonnull(dir);
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

/* What cannot be shown here is that it never held them: tests/integration/test_storage.py. */
START_TEST(test_zygote_keeps_no_descriptor_of_a_job)
{
	struct zygote z = started();
	size_t before;
	int outs[10];

	close(send_job(&z, 98, "exit 0\n")); /* after its HELLO it opens one more of its own */
	(void)wait_status(&z, 98);
	before = open_descriptors_of(z.pid);
	for (unsigned i = 0; i < 10; i++)
		outs[i] = send_job(&z, i, "spin\n");
	close(send_job(&z, 99, "exit 0\n"));
	(void)wait_status(&z, 99);
	ck_assert_uint_eq(open_descriptors_of(z.pid), before);
	for (unsigned i = 0; i < 10; i++)
		close(outs[i]);
	zygote_stop(&z);
}
END_TEST

/* The first child of a process, or 0. */
static pid_t child_of(pid_t pid)
{
	char path[64];
	int child = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	f = fopen(path, "re");
	if (f == NULL || fscanf(f, "%d", &child) != 1)
		child = 0;
	if (f != NULL)
		fclose(f);
	return (pid_t)child;
}

/* The killer meets some workers before they have taken their job and some after. */
START_TEST(test_workers_killed_at_any_moment_each_end_once)
{
	struct zygote z = started();

	for (unsigned id = 1; id <= 300; id++) {
		pid_t worker;
		int out = send_job(&z, id, "sleep\n");

		while ((worker = child_of(z.pid)) == 0)
			;
		if (id % 2 == 0)
			usleep(id);
		(void)kill(worker, SIGKILL);
		ck_assert(killed_by(wait_status(&z, id), SIGKILL));
		close(out);
	}
	close(send_job(&z, 301, "exit 7\n"));
	ck_assert(ended_with(wait_status(&z, 301), 7));
	zygote_stop(&z);
}
END_TEST

START_TEST(test_second_job_of_an_id_in_use_is_answered_with_an_error)
{
	struct zygote z = started();
	struct channel_message m;
	int out = send_job(&z, 3, "flood\n");

	close(send_job(&z, 3, "exit 0\n"));
	ck_assert_int_eq(next_message(&z, &m), 1);
	ck_assert_int_eq(m.error, -EEXIST);
	close(out);
	ck_assert(ended_with(wait_status(&z, 3), 92));
	zygote_stop(&z);
}
END_TEST

START_TEST(test_refused_fork_is_answered_with_its_errno)
{
	struct zygote z = started();
	const struct rlimit none = { 0, 0 };
	struct channel_message m;

	/* The zygote is nobody, whom RLIMIT_NPROC binds. */
	ck_assert_int_eq(prlimit(z.pid, RLIMIT_NPROC, &none, NULL), 0);
	close(send_job(&z, 8, "exit 0\n"));
	ck_assert_int_eq(next_message(&z, &m), 1);
	ck_assert_uint_eq(m.type, CHANNEL_EXITED);
	ck_assert_uint_eq(m.id, 8);
	ck_assert_int_eq(m.error, -EAGAIN);
	/* and it is gone: the next is the next */
	ck_assert_int_eq(channel_send(z.channel, &(struct channel_message){ .type = CHANNEL_PING }, NULL, 0), 0);
	ck_assert_int_eq(next_message(&z, &m), 1);
	ck_assert_uint_eq(m.type, CHANNEL_PONG);
	zygote_stop(&z);
}
END_TEST

START_TEST(test_closed_channel_lets_workers_finish_and_then_the_zygote_ends)
{
	struct zygote z = started();
	int out[2], status;
	char sink[4096];

	ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
	send_job_to(&z, 1, "flood\n", out[1]);
	close(out[1]);
	/* the worker is at work */
	ck_assert_int_gt(read(out[0], sink, sizeof(sink)), 0);
	close(z.channel);
	z.channel = -1;
	usleep(100000);
	ck_assert_int_eq(waitpid(z.pid, &status, WNOHANG), 0);
	ck_assert_int_gt(read(out[0], sink, sizeof(sink)), 0);
	close(out[0]);
	ck_assert_int_eq(waitpid(z.pid, &status, 0), z.pid);
	ck_assert(ended_with(status, 0));
}
END_TEST

START_TEST(test_killed_zygote_takes_its_workers_along)
{
	struct zygote z = started();
	char byte;
	int out = send_job(&z, 1, "spin\n");

	/* the worker exists as soon as the zygote answers what came after it */
	struct channel_message m = { .type = CHANNEL_PING };

	ck_assert_int_eq(channel_send(z.channel, &m, NULL, 0), 0);
	ck_assert_int_eq(next_message(&z, &m), 1);
	zygote_stop(&z);
	ck_assert_int_eq(z.channel, -1);
	/* end of file: the only other holder of the pipe is gone */
	ck_assert_int_eq(read(out, &byte, 1), 0);
	close(out);
	zygote_stop(&z); /* twice is fine */
}
END_TEST

START_TEST(test_front_hears_of_a_zygote_that_died)
{
	struct zygote z = started();
	struct channel_message m = { .type = CHANNEL_PING };

	kill(z.pid, SIGKILL);
	ck_assert_int_eq(next_message(&z, &m), 0);
	ck_assert_int_eq(channel_send(z.channel, &m, NULL, 0), -EPIPE);
	zygote_stop(&z);
}
END_TEST

START_TEST(test_unknown_message_ends_the_zygote)
{
	struct zygote z = started();
	const struct channel_message m = { .type = 77 };
	int status;

	ck_assert_int_eq(channel_send(z.channel, &m, NULL, 0), 0);
	ck_assert_int_eq(waitpid(z.pid, &status, 0), z.pid);
	ck_assert(ended_with(status, 1));
	close(z.channel);
}
END_TEST

START_TEST(test_another_build_is_refused)
{
	struct zygote z;
	int fd = program(OBEDIENT_WORKER);

	ck_assert_int_eq(zygote_start(fd, sandbox_build_id() + 1, &z), -ENOEXEC);
	ck_assert_int_eq(z.channel, -1);
	ck_assert_int_eq(z.pid, 0);
	ck_assert_int_eq(waitpid(-1, NULL, 0), -1); /* nothing left behind */
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

START_TEST(test_program_that_says_nothing_is_refused)
{
	struct zygote z;
	int fd = program("/bin/true");

	ck_assert_int_eq(zygote_start(fd, sandbox_build_id(), &z), -EPROTO);
	ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
}
END_TEST

START_TEST(test_program_that_waits_is_given_up_after_ten_seconds)
{
	struct zygote z;
	struct timespec before, after;
	/* writes to /dev/null for ever, and never to the channel */
	int fd = program("/bin/yes");

	clock_gettime(CLOCK_MONOTONIC, &before);
	ck_assert_int_eq(zygote_start(fd, sandbox_build_id(), &z), -EPROTO);
	clock_gettime(CLOCK_MONOTONIC, &after);
	ck_assert_int_ge(after.tv_sec - before.tv_sec, 9);
	ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
}
END_TEST

START_TEST(test_what_cannot_be_executed_is_told_with_its_errno)
{
	struct zygote z;
	int fd = program("/etc/passwd");

	ck_assert_int_eq(zygote_start(fd, sandbox_build_id(), &z), -EACCES);
}
END_TEST

START_TEST(test_zygote_is_nobody_without_capabilities)
{
	struct zygote z = started();

	if (geteuid() == 0)
		ck_assert(status_says(z.pid, "Uid:\t65534\t65534\t65534\t65534\n"));
	else
		ck_assert(!status_says(z.pid, "Uid:\t0\t0\t0\t0\n"));
	ck_assert(status_says(z.pid, "CapInh:\t0000000000000000\n"));
	ck_assert(status_says(z.pid, "CapPrm:\t0000000000000000\n"));
	ck_assert(status_says(z.pid, "CapEff:\t0000000000000000\n"));
	ck_assert(status_says(z.pid, "CapBnd:\t0000000000000000\n"));
	ck_assert(status_says(z.pid, "CapAmb:\t0000000000000000\n"));
	ck_assert(status_says(z.pid, "NoNewPrivs:\t1\n"));
	zygote_stop(&z);
}
END_TEST

static int nobody_starts_one(void *arg)
{
	struct zygote z;
	int r = zygote_start(*(int *)arg, sandbox_build_id(), &z);

	if (r < 0)
		return 1;
	for (size_t i = 0; i < SANDBOX_N_LAYERS; i++)
		if (sandbox_layer_info((enum sandbox_layer)i)->mandatory && z.layer_errno[i] != 0)
			return 2;
	zygote_stop(&z);
	return 0;
}

START_TEST(test_ordinary_user_may_start_one)
{
	int fd = program(OBEDIENT_WORKER);

	ck_assert(ended_with(in_child(AS_NOBODY, nobody_starts_one, &fd), 0));
	close(fd);
}
END_TEST

#ifndef WLK_SANITIZED
/* A hard limit below our own binds more, not less: it stays, and the layer is there. */
static int start_under_low_memory(void *arg)
{
	const struct rlimit low = { SANDBOX_AS_BYTES - 1, SANDBOX_AS_BYTES - 1 };
	struct zygote z;

	if (setrlimit(RLIMIT_AS, &low) < 0)
		return 1;
	if (zygote_start(*(int *)arg, sandbox_build_id(), &z) != 0)
		return 2;
	zygote_stop(&z);
	return z.layer_errno[SANDBOX_RLIMITS] == 0 ? 0 : 3;
}

START_TEST(test_limits_lower_than_ours_are_kept)
{
	int fd = program(OBEDIENT_WORKER);

	ck_assert(ended_with(in_child(AS_NOBODY, start_under_low_memory, &fd), 0));
	close(fd);
}
END_TEST

/* Surroundings that refuse PR_SET_DUMPABLE, 0. */
static int start_where_undumpable_is_refused(void *arg)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ALLOW);
	struct zygote z;

	if (ctx == NULL ||
	    seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(prctl), 2, SCMP_A0(SCMP_CMP_EQ, PR_SET_DUMPABLE),
		SCMP_A1(SCMP_CMP_EQ, 0)) < 0 ||
	    seccomp_load(ctx) < 0)
		return 1;
	if (zygote_start(*(int *)arg, sandbox_build_id(), &z) != -EPERM)
		return 2;
	return z.layer_errno[SANDBOX_UNDUMPABLE] == EPERM && z.layer_errno[SANDBOX_SECCOMP] == 0 ? 0 : 3;
}

START_TEST(test_missing_mandatory_layer_refuses_to_start_and_is_named)
{
	int fd = program(OBEDIENT_WORKER);

	ck_assert(ended_with(in_child(AS_NOBODY, start_where_undumpable_is_refused, &fd), 0));
	close(fd);
}
END_TEST
#endif

static bool write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool ok = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* A user namespace in which no further one can be made, as in many containers. */
static bool forbid_user_namespaces(void)
{
	char map[64];
	const uid_t uid = geteuid();
	const gid_t gid = getegid();

	/* or /proc/self belongs to root */
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0 || unshare(CLONE_NEWUSER) < 0)
		return false;
	snprintf(map, sizeof(map), "0 %u 1", (unsigned)uid);
	if (!write_file("/proc/self/uid_map", map) || !write_file("/proc/self/setgroups", "deny"))
		return false;
	snprintf(map, sizeof(map), "0 %u 1", (unsigned)gid);
	return write_file("/proc/self/gid_map", map) && write_file("/proc/sys/user/max_user_namespaces", "0");
}

/* Root of a container: no user namespace, no other uid to become; all else still holds. */
static int container_root_starts_one(void *arg)
{
	struct zygote z;
	int r = 0;

	if (!forbid_user_namespaces())
		return 10;
	if (zygote_start(*(int *)arg, sandbox_build_id(), &z) < 0)
		return 11;
	for (size_t i = 0; i < SANDBOX_N_LAYERS; i++) {
		bool refused = i == SANDBOX_USER_NS || i == SANDBOX_UID_DROP;

		if ((z.layer_errno[i] != 0) != refused)
			r = 20 + (int)i;
	}
	if (z.layer_errno[SANDBOX_USER_NS] != ENOSPC)
		r = 12;
	zygote_stop(&z);
	return r;
}

START_TEST(test_without_user_namespaces_container_root_gets_the_others)
{
	int fd = program(OBEDIENT_WORKER);
	int status = in_child(AS_SELF, container_root_starts_one, &fd);

	ck_assert_msg(ended_with(status, 0), "status %x", (unsigned)status);
	close(fd);
}
END_TEST

struct mapped {
	int worker_fd;
	int ready[2], go[2];
};

/* As root of a namespace that has other uids, but allows no further one. */
static int mapped_root_starts_one(void *arg)
{
	const struct mapped *m = arg;
	struct zygote z;
	char byte = 0;
	int r = 0;

	if (unshare(CLONE_NEWUSER) < 0 || write(m->ready[1], &byte, 1) != 1 || read(m->go[0], &byte, 1) != 1 ||
	    !write_file("/proc/sys/user/max_user_namespaces", "0"))
		return 10;
	if (zygote_start(m->worker_fd, sandbox_build_id(), &z) < 0)
		return 11;
	for (size_t i = 0; i < SANDBOX_N_LAYERS; i++)
		if ((z.layer_errno[i] != 0) != (i == SANDBOX_USER_NS))
			r = 20 + (int)i;
	if (!status_says(z.pid, "Uid:\t65534\t65534\t65534\t65534\n") ||
	    !status_says(z.pid, "CapPrm:\t0000000000000000\n"))
		r = 12;
	zygote_stop(&z);
	return r;
}

START_TEST(test_without_user_namespaces_root_becomes_nobody_and_gets_the_others)
{
	struct mapped m = { .worker_fd = program(OBEDIENT_WORKER) };
	char path[64], byte = 0;
	int status;
	pid_t pid;

	if (geteuid() != 0)
		return; /* only root has other uids to give */
	ck_assert_int_eq(pipe(m.ready) + pipe(m.go), 0);
	pid = fork();
	if (pid == 0)
		_exit(mapped_root_starts_one(&m));
	ck_assert_int_eq(read(m.ready[0], &byte, 1), 1);
	snprintf(path, sizeof(path), "/proc/%d/uid_map", (int)pid);
	ck_assert(write_file(path, "0 0 65536"));
	snprintf(path, sizeof(path), "/proc/%d/gid_map", (int)pid);
	ck_assert(write_file(path, "0 0 65536"));
	ck_assert_int_eq(write(m.go[1], &byte, 1), 1);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(ended_with(status, 0), "status %x", (unsigned)status);
}
END_TEST

/* The same without the right to make any namespace. */
static int powerless_start_one(void *arg)
{
	struct zygote z;
	int r = 0;

	if (!forbid_user_namespaces())
		return 10;
	/* nobody, in a namespace that allows no other */
	for (int cap = 0; cap < 64; cap++)
		(void)prctl(PR_CAPBSET_DROP, cap, 0, 0, 0);
	if (prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED, 0, 0, 0) < 0 || layer_no_caps() < 0)
		return 13;
	if (zygote_start(*(int *)arg, sandbox_build_id(), &z) < 0)
		return 11;
	for (size_t i = 0; i < SANDBOX_N_LAYERS; i++) {
		const char *name = sandbox_layer_info((enum sandbox_layer)i)->name;
		bool refused = strstr(name, "-ns") != NULL || i == SANDBOX_EMPTY_ROOT || i == SANDBOX_UID_DROP;

		if ((z.layer_errno[i] != 0) != refused)
			r = 20 + (int)i;
	}
	zygote_stop(&z);
	return r;
}

START_TEST(test_without_any_namespace_the_rest_of_the_jail_stands)
{
	int fd = program(OBEDIENT_WORKER);
	int status = in_child(AS_NOBODY, powerless_start_one, &fd);

	ck_assert_msg(ended_with(status, 0), "status %x", (unsigned)status);
	close(fd);
}
END_TEST

START_TEST(test_real_worker_program_says_hello)
{
	struct zygote z;
	int fd = program(WEIGHLOCK_WORKER);

	ck_assert_int_eq(zygote_start(fd, sandbox_build_id(), &z), 0);
#ifndef WLK_SANITIZED
	ck_assert(status_says(z.pid, "Seccomp:\t2\n"));
#endif
	zygote_stop(&z);
	close(fd);
}
END_TEST

/* What cannot even be tried where user namespaces are forbidden. */
static const char *left_out(const char *test)
{
	static const char *const needing[] = {
		"test_refused_fork_is_answered_with_its_errno",
		"test_without_user_namespaces_container_root_gets_the_others",
		"test_without_user_namespaces_root_becomes_nobody_and_gets_the_others",
		"test_without_any_namespace_the_rest_of_the_jail_stands",
		NULL,
	};

	return without_user_namespaces(test, needing);
}

HARNESS_EXCEPT("zygote", left_out, test_worker_reads_its_file_and_writes_its_report,
    test_every_end_of_a_worker_is_told_as_it_was, test_worker_ends_when_nobody_reads_its_report,
    test_cancel_kills_that_worker_and_no_other, test_ping_is_answered, test_many_workers_each_end_once,
    test_last_worker_of_the_table_is_taken_and_the_next_refused, test_job_without_two_descriptors_ends_before_the_jail,
    test_descriptors_that_cannot_be_opened_end_that_worker_only, test_zygote_keeps_no_descriptor_of_a_job,
    test_workers_killed_at_any_moment_each_end_once, test_second_job_of_an_id_in_use_is_answered_with_an_error,
    test_refused_fork_is_answered_with_its_errno, test_closed_channel_lets_workers_finish_and_then_the_zygote_ends,
    test_killed_zygote_takes_its_workers_along, test_front_hears_of_a_zygote_that_died,
    test_unknown_message_ends_the_zygote, test_another_build_is_refused, test_program_that_says_nothing_is_refused,
    test_program_that_waits_is_given_up_after_ten_seconds, test_what_cannot_be_executed_is_told_with_its_errno,
    test_zygote_is_nobody_without_capabilities, test_ordinary_user_may_start_one,
    test_sleeping_worker_is_ended_by_the_clock_though_nobody_cancels_it,
#ifndef WLK_SANITIZED
    test_zygote_itself_is_filtered, test_limits_lower_than_ours_are_kept,
    test_missing_mandatory_layer_refuses_to_start_and_is_named,
#endif
    test_without_user_namespaces_container_root_gets_the_others,
    test_without_user_namespaces_root_becomes_nobody_and_gets_the_others,
    test_without_any_namespace_the_rest_of_the_jail_stands, test_real_worker_program_says_hello)
