/* What a jailed worker may ask of the kernel: twelve calls, everything else kills the process; one that converts has a
 * thirteenth.  And what the zygote
 * may, whose filter they inherit beneath their own: what workers and digesters may, and forking, jailing and the channel.
 *
 * Found by tracing real scans and proven by running them under this filter; tests/sandbox/test_filter.c holds the
 * golden table.  Arguments are pinned as far as their meaning is fixed.  Two rules for writing a line:
 *   - an argument the kernel declares as int is compared in its low 32 bits only, because the kernel drops the
 *     others and libc may pass anything there;
 *   - mmap's descriptor is not looked at: MAP_ANONYMOUS makes the kernel ignore it. */
#include "filter.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "layers.h"
#include "rules.h"
#include "sandbox.h"

_Static_assert(sizeof(long) == 8, "the table is written for 64-bit calls");

static const struct rule allowed[] = {
	/* The injected reader: the one file, at any offset.  Not read(2): that would move an offset the client
	 * shares. */
	{ SCMP_SYS(pread64), 1, { INT_IS(0, SANDBOX_IN_FD, 0) } },
	/* What other files of a set say of this one.  In most workers there is no such descriptor. */
	{ SCMP_SYS(pread64), 1, { INT_IS(0, SANDBOX_DOCUMENT_FD, 0) } },
	/* The report. */
	{ SCMP_SYS(write), 1, { INT_IS(0, SANDBOX_OUT_FD, 0) } },
	/* How much of an upload is there: the front's marks, on the socket the report goes out by.  Of a file that is
	 * whole the output is a pipe, of which there is nothing to read. */
	{ SCMP_SYS(read), 1, { INT_IS(0, SANDBOX_OUT_FD, 0) } },
#ifndef WLK_SANITIZED
	/* malloc of large blocks: private, anonymous, never executable. */
	{ SCMP_SYS(mmap), 2,
	    { LONG_IS(2, PROT_NONE, PROT_READ | PROT_WRITE), LONG_IS(3, MAP_PRIVATE | MAP_ANONYMOUS, MAP_NORESERVE) } },
	/* malloc trims its heap.  Other advice could poison or share pages. */
	{ SCMP_SYS(madvise), 1, { INT_IS(2, MADV_DONTNEED, 0) } },
#endif
	/* free of large blocks. */
	{ SCMP_SYS(munmap), 0, { { 0 } } },
	/* realloc of large blocks moves pages instead of bytes; never onto an address of the caller's choice. */
	{ SCMP_SYS(mremap), 1, { LONG_IS(3, MREMAP_MAYMOVE, MREMAP_MAYMOVE) } },
	/* malloc of small blocks. */
	{ SCMP_SYS(brk), 0, { { 0 } } },
	/* Locks of libcrypto and libc; with one thread they are never contended and the call never made.  Private
	 * FUTEX_WAIT and FUTEX_WAKE, which differ in the lowest bit. */
	{ SCMP_SYS(futex), 1, { INT_IS(1, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, FUTEX_WAKE) } },
	/* Progress every 100 ms: CLOCK_REALTIME and CLOCK_MONOTONIC.  Usually answered by the vDSO; a real call
	 * where the machine's clock source has none. */
	{ SCMP_SYS(clock_gettime), 1, { INT_IS(0, CLOCK_REALTIME, CLOCK_MONOTONIC) } },
	/* The end. */
	{ SCMP_SYS(exit_group), 0, { { 0 } } },
	/* The end, as a thread's. */
	{ SCMP_SYS(exit), 0, { { 0 } } },
};

#ifdef WLK_SANITIZED
/* What AddressSanitizer does to its shadow and when it reports.  Never in a release: such a build refuses to install. */
static const struct rule allowed_sanitizer[] = {
	{ SCMP_SYS(write), 1, { INT_IS(0, STDERR_FILENO, 0) } },
	{ SCMP_SYS(mmap), 0, { { 0 } } },
	{ SCMP_SYS(madvise), 0, { { 0 } } },
	{ SCMP_SYS(sigaltstack), 0, { { 0 } } },
	{ SCMP_SYS(rt_sigprocmask), 0, { { 0 } } },
	{ SCMP_SYS(getpid), 0, { { 0 } } },
	{ SCMP_SYS(gettid), 0, { { 0 } } },
	{ SCMP_SYS(sched_yield), 0, { { 0 } } },
};
#endif

/* A digester: it looks at no byte, so what it may do with descriptors is wider. */
static const struct rule allowed_digester[] = {
	/* Its channel, on which files come. */
	{ SCMP_SYS(recvmsg), 1, { INT_IS(0, SANDBOX_IN_FD, 0) } },
	{ SCMP_SYS(sendmsg), 1, { INT_IS(0, SANDBOX_IN_FD, 0) } },
/* Waiting for one, or for room for a mark. */
#ifdef __NR_poll
	{ SCMP_SYS(poll), 0, { { 0 } } },
#endif
	{ SCMP_SYS(ppoll), 0, { { 0 } } },
	{ SCMP_SYS(restart_syscall), 0, { { 0 } } },
	/* The file, which is whichever came. */
	{ SCMP_SYS(pread64), 0, { { 0 } } },
	{ SCMP_SYS(fadvise64), 0, { { 0 } } },
	{ SCMP_SYS(close), 0, { { 0 } } },
	/* The memory its bytes go to: a file of our own, shared with the worker, which cannot be written to in any other way. */
	{ SCMP_SYS(memfd_create), 0, { { 0 } } },
	{ SCMP_SYS(ftruncate), 0, { { 0 } } },
	{ SCMP_SYS(fcntl), 1, { INT_IS(1, F_ADD_SEALS, 0) } },
	{ SCMP_SYS(mmap), 2, { LONG_IS(2, PROT_READ, PROT_WRITE), LONG_IS(3, MAP_SHARED, 0) } },
	{ SCMP_SYS(munmap), 0, { { 0 } } },
	/* Marks: to whom the socket belongs, never to an address; and few before one is taken. */
	{ SCMP_SYS(sendto), 1, { LONG_IS(4, 0, 0) } },
	{ SCMP_SYS(setsockopt), 2, { INT_IS(1, SOL_SOCKET, 0), INT_IS(2, SO_SNDBUF, 0) } },
	/* Of a large file another copy of it reads, by a pair of sockets.  fork(3) as libc makes it: a process, no thread, no
	 * namespace; clone3 hides its flags behind a pointer. */
	{ SCMP_SYS(socketpair), 2, { INT_IS(0, AF_UNIX, 0), INT_IS(1, SOCK_STREAM | SOCK_CLOEXEC, 0) } },
	{ SCMP_SYS(read), 0, { { 0 } } },
	{ SCMP_SYS(clone), 1, { LONG_IS(0, CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | SIGCHLD, 0) } },
	{ SCMP_SYS(set_robust_list), 0, { { 0 } } },
	{ SCMP_SYS(wait4), 0, { { 0 } } },
	{ SCMP_SYS(getpid), 0, { { 0 } } },
	{ SCMP_SYS(getppid), 0, { { 0 } } },
	{ SCMP_SYS(prctl), 2, { INT_IS(0, PR_SET_PDEATHSIG, 0), LONG_IS(1, SIGKILL, 0) } },
	{ SCMP_SYS(exit_group), 0, { { 0 } } },
	{ SCMP_SYS(exit), 0, { { 0 } } },
};

/* A worker that converts: its output, at any offset, as far as RLIMIT_FSIZE goes.  To the others the descriptor is a document,
 * which is read; this one's is open for writing only. */
static const struct rule allowed_made[] = {
	{ SCMP_SYS(pwrite64), 1, { INT_IS(0, SANDBOX_MADE_FD, 0) } },
};

/* The zygote, once it has said or is about to say HELLO; and a worker until its own filter is in place. */
static const struct rule allowed_zygote[] = {
	/* The channel. */
	{ SCMP_SYS(sendmsg), 1, { INT_IS(0, SANDBOX_CHANNEL_FD, 0) } },
	{ SCMP_SYS(recvmsg), 1, { INT_IS(0, SANDBOX_CHANNEL_FD, 0) } },
	/* The end of a worker.  (Waiting for it, reading, forking are a digester's, too.) */
	{ SCMP_SYS(signalfd4), 0, { { 0 } } },
	{ SCMP_SYS(rt_sigprocmask), 0, { { 0 } } },
	/* A worker makes room for its two descriptors, and keeps no other. */
	{ SCMP_SYS(close_range), 1, { INT_IS(2, 0, 0) } },
	/* What a worker does between fork and its own filter: see worker/main.c and enter.c. */
	{ SCMP_SYS(getrandom), 0, { { 0 } } },
	{ SCMP_SYS(prctl), 2, { INT_IS(0, PR_SET_NO_NEW_PRIVS, 0), LONG_IS(1, 1, 0) } },
	{ SCMP_SYS(prctl), 2, { INT_IS(0, PR_SET_DUMPABLE, 0), LONG_IS(1, 0, 0) } },
	{ SCMP_SYS(prlimit64), 1, { INT_IS(0, 0, 0) } },
	{ SCMP_SYS(setitimer), 1, { INT_IS(0, ITIMER_REAL, 0) } },
	{ SCMP_SYS(seccomp), 2, { INT_IS(0, SECCOMP_SET_MODE_FILTER, 0), INT_IS(1, 0, 0) } },
};

int filter_add_rules(scmp_filter_ctx ctx, const struct rule *rules, size_t n)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		r = seccomp_rule_add_exact_array(ctx, SCMP_ACT_ALLOW, rules[i].call, rules[i].n_args, rules[i].args);
	return r;
}

#ifdef WLK_SANITIZED
/* What a sanitizer tries and can do without. */
static const int refused[] = { SCMP_SYS(openat), SCMP_SYS(readlink), SCMP_SYS(readlinkat), SCMP_SYS(ioctl),
	SCMP_SYS(newfstatat), SCMP_SYS(fstat), SCMP_SYS(prctl), SCMP_SYS(mprotect), SCMP_SYS(rt_sigaction),
	SCMP_SYS(clone), SCMP_SYS(open) };

/* A refusal without arguments wins over a rule with some: a digester's fork, and that it dies with who started it. */
static bool is_digesters(int call)
{
	return call == SCMP_SYS(clone) || call == SCMP_SYS(prctl);
}

static int add_sanitizers(scmp_filter_ctx ctx, bool digester)
{
	int r = filter_add_rules(ctx, allowed_sanitizer, sizeof(allowed_sanitizer) / sizeof(allowed_sanitizer[0]));

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]) && r == 0; i++)
		if (!digester || !is_digesters(refused[i]))
			r = seccomp_rule_add(ctx, SCMP_ACT_ERRNO(EPERM), refused[i], 0);
	return r;
}
#else
static int add_sanitizers(scmp_filter_ctx ctx, bool digester)
{
	(void)ctx;
	(void)digester;
	return 0;
}
#endif

#define PID_BITS 22 /* Linux numbers processes below 4 Mi: PID_MAX_LIMIT, include/linux/threads.h */

/* CANCEL, and a worker's word to the zygote that it has taken its job: to one process, never to a group (0, or negative)
 * or everybody (-1).  A rule compares an argument once, and masked: so one rule for each bit of which one must be set. */
static int add_kill(scmp_filter_ctx ctx, int signal_number)
{
	const scmp_datum_t beyond = UINT32_MAX & ~((UINT64_C(1) << PID_BITS) - 1);
	const struct scmp_arg_cmp signal_is = INT_IS(1, (scmp_datum_t)signal_number, 0);
	int r = 0;

	for (unsigned bit = 0; bit < PID_BITS && r == 0; bit++) {
		const scmp_datum_t set = UINT64_C(1) << bit;
		const struct scmp_arg_cmp args[] = { { 0, SCMP_CMP_MASKED_EQ, beyond | set, set }, signal_is };

		r = seccomp_rule_add_exact_array(ctx, SCMP_ACT_ALLOW, SCMP_SYS(kill), 2, args);
	}
	return r;
}

/* Whose filter it is.  The zygote's holds what the others' do: they are installed on top of it. */
enum confined { CONFINED_WORKER, CONFINED_MADE, CONFINED_DIGESTER, CONFINED_ZYGOTE };

#define TABLE(rules) (rules), sizeof(rules) / sizeof((rules)[0])

static int add_rules(scmp_filter_ctx ctx, enum confined who)
{
	/* A foreign architecture's number means another call: i386 and x32 end the process, not just the thread. */
	int r = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);

	if (r == 0 && who != CONFINED_DIGESTER)
		r = filter_add_rules(ctx, TABLE(allowed));
	if (r == 0 && (who == CONFINED_MADE || who == CONFINED_ZYGOTE))
		r = filter_add_rules(ctx, TABLE(allowed_made));
	if (r == 0 && (who == CONFINED_DIGESTER || who == CONFINED_ZYGOTE))
		r = filter_add_rules(ctx, TABLE(allowed_digester));
	if (r == 0 && who == CONFINED_ZYGOTE)
		r = filter_add_rules(ctx, TABLE(allowed_zygote));
	if (r == 0 && who == CONFINED_ZYGOTE)
		r = add_kill(ctx, SIGKILL);
	if (r == 0 && who == CONFINED_ZYGOTE)
		r = add_kill(ctx, SIGUSR1);
	return r == 0 ? add_sanitizers(ctx, who == CONFINED_DIGESTER) : r;
}

/* libseccomp 2.5 exports to a descriptor only. */
static int export_program(scmp_filter_ctx ctx, struct filter *ret)
{
	int fd = memfd_create("filter", MFD_CLOEXEC);
	ssize_t n;
	int r;

	if (fd < 0)
		return -errno;
	r = seccomp_export_bpf(ctx, fd);
	n = r == 0 ? pread(fd, ret->insns, sizeof(ret->insns), 0) : 0;
	if (n < 0)
		r = -errno;
	close(fd);
	/* A program that fills the buffer may have been cut off. */
	if (r == 0 && (n == 0 || (size_t)n >= sizeof(ret->insns)))
		r = -E2BIG;
	if (r == 0)
		ret->n = (size_t)n / sizeof(ret->insns[0]);
	return r;
}

/* libseccomp gives no reason.  Usually the kernel or a container refuses seccomp(2), and says so when asked. */
static int why_no_context(void)
{
	const uint32_t action = SECCOMP_RET_KILL_PROCESS;

	return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0U, &action) < 0 ? -errno : -ENOMEM;
}

static int compile(enum confined who, struct filter *ret)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_KILL_PROCESS);
	int r;

	if (ctx == NULL)
		return why_no_context();
	r = add_rules(ctx, who);
	if (r == 0)
		r = export_program(ctx, ret);
	seccomp_release(ctx);
	return r;
}

int filter_compile(struct filter *ret)
{
	return compile(CONFINED_WORKER, ret);
}

int filter_compile_made(struct filter *ret)
{
	return compile(CONFINED_MADE, ret);
}

int filter_compile_digester(struct filter *ret)
{
	return compile(CONFINED_DIGESTER, ret);
}

int filter_compile_zygote(struct filter *ret)
{
	return compile(CONFINED_ZYGOTE, ret);
}

int layer_filter(const struct filter *filter)
{
	struct sock_fprog program = { .len = (unsigned short)filter->n };

	/* The kernel only reads it; struct sock_fprog has no const to say so with. */
	memcpy(&program.filter, &(const struct sock_filter *){ filter->insns }, sizeof(program.filter));
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0U, &program) < 0)
		return -errno;
	return 0;
}
