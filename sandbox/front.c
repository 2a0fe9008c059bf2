/* The jail of the process that talks to clients.  It parses no model file, but HTTP heads, jobs and reports from
 * strangers: were it taken over, it could answer wrongly, and neither start a program nor reach the network nor open
 * a file outside its spool.
 *
 * Three answers: calls an event loop, its spool and its threads need are allowed; calls only an intruder makes kill
 * the process; whatever else a library may try fails with EPERM, as it would on a stricter machine. */
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "layers.h"
#include "rules.h"
#include "sandbox.h"

/* clang-format off: a table to be read by groups */
static const int allowed[] = {
	/* the event loop */
	SCMP_SYS(epoll_create1),
	SCMP_SYS(epoll_ctl),
	SCMP_SYS(epoll_wait),
	SCMP_SYS(epoll_pwait),
	SCMP_SYS(epoll_pwait2),
	SCMP_SYS(poll),
	SCMP_SYS(ppoll),
	SCMP_SYS(eventfd2),
	SCMP_SYS(timerfd_create),
	SCMP_SYS(timerfd_settime),
	SCMP_SYS(timerfd_gettime),
	SCMP_SYS(pipe2),
	/* clients and the zygote, over sockets that exist already */
	SCMP_SYS(accept4),
	SCMP_SYS(accept),
	SCMP_SYS(recvmsg),
	SCMP_SYS(sendmsg),
	SCMP_SYS(recvfrom),
	SCMP_SYS(shutdown),
	SCMP_SYS(getsockname),
	SCMP_SYS(getpeername),
	/* bytes */
	SCMP_SYS(read),
	SCMP_SYS(readv),
	SCMP_SYS(pread64),
	SCMP_SYS(preadv),
	SCMP_SYS(write),
	SCMP_SYS(writev),
	SCMP_SYS(pwrite64),
	SCMP_SYS(pwritev),
	SCMP_SYS(lseek),
	SCMP_SYS(close),
	SCMP_SYS(dup),
	/* the spool: a sealed memfd or O_TMPFILE */
	SCMP_SYS(memfd_create),
	SCMP_SYS(ftruncate),
	SCMP_SYS(fallocate),
	SCMP_SYS(fadvise64),
	SCMP_SYS(fstat),
	SCMP_SYS(newfstatat),
	SCMP_SYS(statx),
	SCMP_SYS(fstatfs),
	SCMP_SYS(fsync),
	SCMP_SYS(fdatasync),
	/* memory; what may be mapped is below */
	SCMP_SYS(munmap),
	SCMP_SYS(mremap),
	SCMP_SYS(brk),
	SCMP_SYS(madvise),
	/* threads that exist already */
	SCMP_SYS(futex),
	SCMP_SYS(sched_yield),
	SCMP_SYS(set_robust_list),
	SCMP_SYS(rseq),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
	SCMP_SYS(restart_syscall),
	SCMP_SYS(sigaltstack),
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(rt_sigpending),
	SCMP_SYS(rt_sigtimedwait),
	/* time, identity and chance */
	SCMP_SYS(clock_gettime),
	SCMP_SYS(clock_getres),
	SCMP_SYS(clock_nanosleep),
	SCMP_SYS(nanosleep),
	SCMP_SYS(gettimeofday),
	SCMP_SYS(time),
	SCMP_SYS(getrandom),
	SCMP_SYS(getpid),
	SCMP_SYS(gettid),
	SCMP_SYS(getppid),
	SCMP_SYS(getuid),
	SCMP_SYS(geteuid),
	SCMP_SYS(getgid),
	SCMP_SYS(getegid),
	SCMP_SYS(getrusage),
	SCMP_SYS(sysinfo),
	SCMP_SYS(sched_getaffinity),
};
/* clang-format on */

/* clang-format off: a table to be read by groups */
/* Also to the monitor, and to whatever it starts. */
static const int deadly_to_all[] = {
	/* other processes' business */
	SCMP_SYS(ptrace),
	SCMP_SYS(process_vm_readv),
	SCMP_SYS(process_vm_writev),
	SCMP_SYS(process_madvise),
	SCMP_SYS(pidfd_getfd),
	SCMP_SYS(kcmp),
	/* other views of the machine */
	SCMP_SYS(chroot),
	SCMP_SYS(setns),
	SCMP_SYS(fsopen),
	SCMP_SYS(fsconfig),
	SCMP_SYS(fsmount),
	SCMP_SYS(fspick),
	SCMP_SYS(mount_setattr),
	SCMP_SYS(open_by_handle_at),
	/* large and rarely needed parts of the kernel */
	SCMP_SYS(bpf),
	SCMP_SYS(perf_event_open),
	SCMP_SYS(keyctl),
	SCMP_SYS(add_key),
	SCMP_SYS(request_key),
	SCMP_SYS(userfaultfd),
	SCMP_SYS(io_uring_setup),
	SCMP_SYS(io_uring_enter),
	SCMP_SYS(io_uring_register),
	SCMP_SYS(init_module),
	SCMP_SYS(finit_module),
	SCMP_SYS(delete_module),
	SCMP_SYS(kexec_load),
	SCMP_SYS(kexec_file_load),
	SCMP_SYS(reboot),
	SCMP_SYS(swapon),
	SCMP_SYS(swapoff),
	SCMP_SYS(acct),
	SCMP_SYS(quotactl),
	SCMP_SYS(syslog),
	SCMP_SYS(settimeofday),
	SCMP_SYS(clock_settime),
	SCMP_SYS(adjtimex),
	SCMP_SYS(clock_adjtime),
	SCMP_SYS(personality),
};
/* clang-format on */

/* clang-format off: a table to be read by groups */
static const int deadly[] = {
	/* another program, another process */
	SCMP_SYS(execve),
	SCMP_SYS(execveat),
	SCMP_SYS(fork),
	SCMP_SYS(vfork),
	SCMP_SYS(clone),
	SCMP_SYS(clone3),
	/* other processes' business */
	SCMP_SYS(kill),
	SCMP_SYS(tkill),
	SCMP_SYS(rt_sigqueueinfo),
	SCMP_SYS(rt_tgsigqueueinfo),
	SCMP_SYS(pidfd_open),
	SCMP_SYS(pidfd_send_signal),
	/* new ways out */
	SCMP_SYS(socket),
	SCMP_SYS(connect),
	SCMP_SYS(bind),
	SCMP_SYS(listen),
	/* other views of the machine */
	SCMP_SYS(mount),
	SCMP_SYS(umount2),
	SCMP_SYS(pivot_root),
	SCMP_SYS(unshare),
	SCMP_SYS(open_tree),
	SCMP_SYS(move_mount),
	/* another identity */
	SCMP_SYS(setuid),
	SCMP_SYS(setgid),
	SCMP_SYS(setreuid),
	SCMP_SYS(setregid),
	SCMP_SYS(setresuid),
	SCMP_SYS(setresgid),
	SCMP_SYS(setgroups),
	SCMP_SYS(setfsuid),
	SCMP_SYS(setfsgid),
	SCMP_SYS(capset),
};
/* clang-format on */

/* libseccomp itself skips calls this architecture does not have. */
static int add_list(scmp_filter_ctx ctx, uint32_t action, const int *calls, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		r = seccomp_rule_add(ctx, action, calls[i], 0);
	return r;
}

int filter_kill_everywhere(scmp_filter_ctx ctx)
{
	return add_list(ctx, SCMP_ACT_KILL_PROCESS, deadly_to_all, sizeof(deadly_to_all) / sizeof(deadly_to_all[0]));
}

int filter_kill_intruders(scmp_filter_ctx ctx)
{
	int r = filter_kill_everywhere(ctx);

	return r == 0 ? add_list(ctx, SCMP_ACT_KILL_PROCESS, deadly, sizeof(deadly) / sizeof(deadly[0])) : r;
}

/* With other arguments these fall to EPERM. */
static const struct rule common[] = {
	{ SCMP_SYS(mmap), 1, { { 2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0 } } },
	{ SCMP_SYS(mprotect), 1, { { 2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0 } } },
	/* Not F_SETOWN, F_SETSIG, F_SETLEASE or F_NOTIFY, nor O_ASYNC: by them the kernel sends any signal to any process of
	 * this user. */
	{ SCMP_SYS(fcntl), 1, { INT_IS(1, F_GETFD, 0) } },
	{ SCMP_SYS(fcntl), 1, { INT_IS(1, F_SETFD, 0) } },
	{ SCMP_SYS(fcntl), 1, { INT_IS(1, F_GETFL, 0) } },
	{ SCMP_SYS(fcntl), 2, { INT_IS(1, F_SETFL, 0), { 2, SCMP_CMP_MASKED_EQ, O_ASYNC, 0 } } },
	/* To whom the socket belongs, never to an address: who passes one may choose where it goes. */
	{ SCMP_SYS(sendto), 1, { LONG_IS(4, 0, 0) } },
};

static const struct rule pinned[] = {
	/* A nameless file of the spool, and that file again, for reading: where that may reach is Landlock's to say, but no
	 * file that has a name is opened for writing, or made, on any kernel. */
	{ SCMP_SYS(openat), 1, { INT_IS(2, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0) } },
	{ SCMP_SYS(openat), 1, { INT_IS(2, O_RDONLY | O_CLOEXEC, 0) } },
	{ SCMP_SYS(fcntl), 1, { INT_IS(1, F_DUPFD_CLOEXEC, 0) } },
	{ SCMP_SYS(fcntl), 1, { INT_IS(1, F_ADD_SEALS, 0) } },
	{ SCMP_SYS(fcntl), 1, { INT_IS(1, F_GET_SEALS, 0) } },
	/* Who asks, and of what kind a socket is.  None is set: among them are programs for the kernel. */
	{ SCMP_SYS(getsockopt), 1, { INT_IS(1, SOL_SOCKET, 0) } },
	/* Two ends that are connected to each other and nothing else.  Not of datagrams: those can be sent to any address. */
	{ SCMP_SYS(socketpair), 2, { INT_IS(0, AF_UNIX, 0), INT_IS(1, SOCK_STREAM | SOCK_CLOEXEC, 0) } },
	/* The same of packets: the channel to a digester. */
	{ SCMP_SYS(socketpair), 2, { INT_IS(0, AF_UNIX, 0), INT_IS(1, SOCK_SEQPACKET | SOCK_CLOEXEC, 0) } },
	{ SCMP_SYS(prctl), 1, { INT_IS(0, PR_SET_NAME, 0) } },
};

int filter_add_common(scmp_filter_ctx ctx)
{
	const struct rule self = { SCMP_SYS(tgkill), 1, { INT_IS(0, (scmp_datum_t)getpid(), 0) } };
	int r = filter_add_rules(ctx, common, sizeof(common) / sizeof(common[0]));

	return r == 0 ? filter_add_rules(ctx, &self, 1) : r; /* abort(3) and raise(3) */
}

static int front_rules(scmp_filter_ctx ctx)
{
	int r = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);

	if (r == 0)
		r = seccomp_attr_set(ctx, SCMP_FLTATR_CTL_TSYNC, 1);
	if (r == 0)
		r = add_list(ctx, SCMP_ACT_ALLOW, allowed, sizeof(allowed) / sizeof(allowed[0]));
	if (r == 0)
		r = filter_kill_intruders(ctx);
	if (r == 0)
		r = filter_add_common(ctx);
	return r == 0 ? filter_add_rules(ctx, pinned, sizeof(pinned) / sizeof(pinned[0])) : r;
}

int sandbox_front_filter(void)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int r;

	if (ctx == NULL)
		return -ENOMEM;
	r = front_rules(ctx);
	if (r == 0)
		r = seccomp_load(ctx); /* also sets no_new_privs */
	seccomp_release(ctx);
	return r;
}

int sandbox_front_landlock(const int *dir_fds, size_t n_dir_fds)
{
	uint64_t handled_fs;
	int ruleset = landlock_ruleset_new(&handled_fs);
	int r = ruleset < 0 ? ruleset : 0;

	for (size_t i = 0; i < n_dir_fds && r == 0; i++)
		r = landlock_allow_files(ruleset, dir_fds[i], handled_fs);
	if (r == 0)
		r = layer_no_new_privs();
	if (r == 0)
		r = landlock_apply(ruleset);
	if (ruleset >= 0)
		close(ruleset);
	return r;
}
