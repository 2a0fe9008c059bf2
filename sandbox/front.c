/* The jail of the process that talks to clients.  It parses no model file, but HTTP heads, jobs and reports from
 * strangers: were it taken over, it could answer wrongly, and neither start a program nor reach the network nor open
 * a file outside its spool.
 *
 * Three answers: calls an event loop, its spool and its threads need are allowed; calls only an intruder makes kill
 * the process; whatever else a library may try fails with EPERM, as it would on a stricter machine. */
#include <errno.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "intruders.h"
#include "layers.h"
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
	SCMP_SYS(sendto),
	SCMP_SYS(getsockopt),
	SCMP_SYS(setsockopt),
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
	SCMP_SYS(fcntl),
	/* the spool: a sealed memfd or O_TMPFILE; where openat may reach is Landlock's to say */
	SCMP_SYS(memfd_create),
	SCMP_SYS(openat),
	SCMP_SYS(ftruncate),
	SCMP_SYS(fallocate),
	SCMP_SYS(fadvise64),
	SCMP_SYS(fstat),
	SCMP_SYS(newfstatat),
	SCMP_SYS(statx),
	SCMP_SYS(fstatfs),
	SCMP_SYS(fsync),
	SCMP_SYS(fdatasync),
	SCMP_SYS(unlinkat),
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
static const int deadly[] = {
	/* another program, another process */
	SCMP_SYS(execve),
	SCMP_SYS(execveat),
	SCMP_SYS(fork),
	SCMP_SYS(vfork),
	SCMP_SYS(clone),
	SCMP_SYS(clone3),
	/* other processes' business */
	SCMP_SYS(ptrace),
	SCMP_SYS(process_vm_readv),
	SCMP_SYS(process_vm_writev),
	SCMP_SYS(process_madvise),
	SCMP_SYS(kill),
	SCMP_SYS(tkill),
	SCMP_SYS(rt_sigqueueinfo),
	SCMP_SYS(rt_tgsigqueueinfo),
	SCMP_SYS(pidfd_open),
	SCMP_SYS(pidfd_getfd),
	SCMP_SYS(pidfd_send_signal),
	SCMP_SYS(kcmp),
	/* new ways out */
	SCMP_SYS(socket),
	SCMP_SYS(connect),
	SCMP_SYS(bind),
	SCMP_SYS(listen),
	/* other views of the machine */
	SCMP_SYS(mount),
	SCMP_SYS(umount2),
	SCMP_SYS(pivot_root),
	SCMP_SYS(chroot),
	SCMP_SYS(unshare),
	SCMP_SYS(setns),
	SCMP_SYS(open_tree),
	SCMP_SYS(move_mount),
	SCMP_SYS(fsopen),
	SCMP_SYS(fsconfig),
	SCMP_SYS(fsmount),
	SCMP_SYS(fspick),
	SCMP_SYS(mount_setattr),
	SCMP_SYS(open_by_handle_at),
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

/* libseccomp itself skips calls this architecture does not have. */
static int add_list(scmp_filter_ctx ctx, uint32_t action, const int *calls, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		r = seccomp_rule_add(ctx, action, calls[i], 0);
	return r;
}

int filter_kill_intruders(scmp_filter_ctx ctx)
{
	return add_list(ctx, SCMP_ACT_KILL_PROCESS, deadly, sizeof(deadly) / sizeof(deadly[0]));
}

/* Calls that are fine with some arguments only; with others they fall to EPERM. */
static int add_pinned(scmp_filter_ctx ctx)
{
	const struct scmp_arg_cmp not_executable = { 2, SCMP_CMP_MASKED_EQ, PROT_EXEC, 0 };
	const struct scmp_arg_cmp self = { 0, SCMP_CMP_MASKED_EQ, UINT32_MAX, (scmp_datum_t)getpid() };
	const struct scmp_arg_cmp name_thread = { 0, SCMP_CMP_MASKED_EQ, UINT32_MAX, PR_SET_NAME };
	/* Two ends that are connected to each other and nothing else.  Not of datagrams: those can be sent to any
	 * address. */
	const struct scmp_arg_cmp stream_pair[] = { { 0, SCMP_CMP_MASKED_EQ, UINT32_MAX, AF_UNIX },
		{ 1, SCMP_CMP_MASKED_EQ, UINT32_MAX, SOCK_STREAM | SOCK_CLOEXEC } };
	/* The same of packets: the channel to a digester. */
	const struct scmp_arg_cmp packet_pair[] = { { 0, SCMP_CMP_MASKED_EQ, UINT32_MAX, AF_UNIX },
		{ 1, SCMP_CMP_MASKED_EQ, UINT32_MAX, SOCK_SEQPACKET | SOCK_CLOEXEC } };
	int r = seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 1, &not_executable);

	if (r == 0)
		r = seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, &not_executable);
	/* abort(3) and raise(3) */
	if (r == 0)
		r = seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW, SCMP_SYS(tgkill), 1, &self);
	if (r == 0)
		r = seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW, SCMP_SYS(prctl), 1, &name_thread);
	if (r == 0)
		r = seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW, SCMP_SYS(socketpair), 2, stream_pair);
	if (r == 0)
		r = seccomp_rule_add_array(ctx, SCMP_ACT_ALLOW, SCMP_SYS(socketpair), 2, packet_pair);
	return r;
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
	return r == 0 ? add_pinned(ctx) : r;
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
