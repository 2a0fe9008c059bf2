/* The jail of the daemon's keeper (daemon/keeper/keeper.h): one thread that keeps files in one folder, which Landlock holds it
 * to.  It reads requests of a front and rows of its own files; were it taken over, it could forge what is kept, and
 * neither start a program nor reach the network nor another process.
 *
 * As in front.c: what SQLite and the loop need is allowed, what only an intruder needs kills, anything else a library
 * may try fails with EPERM. */
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "rules.h"
#include "sandbox.h"

/* clang-format off: a call and its reason a line */
static const int allowed[] = {
	/* the loop, and channels to fronts, received from the monitor */
	SCMP_SYS(poll),            /* waiting; */
	SCMP_SYS(ppoll),           /* ... as some machines' libc asks for it, */
	SCMP_SYS(restart_syscall), /* ... and going on after SIGSTOP and SIGCONT */
	SCMP_SYS(recvmsg),         /* the monitor's words, with a channel */
	SCMP_SYS(shutdown),        /* no more requests: the orderly end */
	/* files below the folder: where openat may reach is Landlock's to say */
	SCMP_SYS(openat), /* database, its log and index; the folder, to fsync it */
	SCMP_SYS(open),   /* ... as SQLite asks where libc has it */
	SCMP_SYS(close),
	SCMP_SYS(read),     /* requests; SQLite's own files where it does not know pread */
	SCMP_SYS(write),    /* log lines, and words to the monitor */
	SCMP_SYS(pread64),  /* pages */
	SCMP_SYS(pwrite64), /* pages */
	SCMP_SYS(writev),   /* records appended to a file in one piece */
	SCMP_SYS(lseek),    /* where a file ends */
	SCMP_SYS(fsync),    /* what was answered is to last */
	SCMP_SYS(fdatasync),
	SCMP_SYS(ftruncate), /* checkpoints, and pages given back */
	SCMP_SYS(fallocate), /* room in the log's index */
	SCMP_SYS(unlink),    /* the log of a database that is closed, a journal that is done */
	SCMP_SYS(unlinkat),
	SCMP_SYS(rename), /* a database that is damaged is moved aside */
	SCMP_SYS(renameat),
	SCMP_SYS(renameat2),
	SCMP_SYS(fstat), /* is it still the same file, and how large? */
	SCMP_SYS(stat),
	SCMP_SYS(lstat),
	SCMP_SYS(newfstatat),
	SCMP_SYS(statx),
	SCMP_SYS(access), /* is there a journal to be rolled back? */
	SCMP_SYS(faccessat),
	SCMP_SYS(faccessat2),
	SCMP_SYS(getcwd),   /* full names are made of it */
	SCMP_SYS(readlink), /* ... and of links that are none */
	SCMP_SYS(readlinkat),
	SCMP_SYS(flock), /* locks against another daemon, and by fcntl against the command's maintenance */
	/* memory; what may be mapped is below */
	SCMP_SYS(munmap),
	SCMP_SYS(mremap),
	SCMP_SYS(brk),
	SCMP_SYS(madvise),
	/* time, identity and chance */
	SCMP_SYS(clock_gettime),
	SCMP_SYS(gettimeofday),
	SCMP_SYS(time),
	SCMP_SYS(nanosleep), /* while somebody else has the database locked */
	SCMP_SYS(clock_nanosleep),
	SCMP_SYS(getrandom), /* salts of the log */
	SCMP_SYS(getpid),    /* SQLite tells a forked copy of itself by it */
	SCMP_SYS(gettid),    /* abort(3) */
	SCMP_SYS(geteuid),   /* who owns new files */
	SCMP_SYS(futex),     /* libcrypto's locks */
	/* signals, and the end */
	SCMP_SYS(rt_sigaction),
	SCMP_SYS(rt_sigprocmask),
	SCMP_SYS(rt_sigreturn),
	SCMP_SYS(sigaltstack),
	SCMP_SYS(exit),
	SCMP_SYS(exit_group),
};
/* clang-format on */

/* Locks of files; SQLite's, too. */
static const struct rule pinned[] = {
	{ SCMP_SYS(fcntl), 1, { INT_IS(1, F_GETLK, 0) } },
	{ SCMP_SYS(fcntl), 1, { INT_IS(1, F_SETLK, 0) } },
	{ SCMP_SYS(fcntl), 1, { INT_IS(1, F_SETLKW, 0) } },
	{ SCMP_SYS(fcntl), 1, { INT_IS(1, F_OFD_GETLK, 0) } },
	{ SCMP_SYS(fcntl), 1, { INT_IS(1, F_OFD_SETLK, 0) } },
};

static int keeper_rules(scmp_filter_ctx ctx)
{
	int r = seccomp_attr_set(ctx, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);

	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]) && r == 0; i++)
		r = seccomp_rule_add(ctx, SCMP_ACT_ALLOW, allowed[i], 0);
	if (r == 0)
		r = filter_kill_intruders(ctx);
	if (r == 0)
		r = filter_add_common(
		    ctx); /* the log's index is shared with the command's maintenance: a mapping may be of a file */
	return r == 0 ? filter_add_rules(ctx, pinned, sizeof(pinned) / sizeof(pinned[0])) : r;
}

int sandbox_keeper_filter(void)
{
	scmp_filter_ctx ctx = seccomp_init(SCMP_ACT_ERRNO(EPERM));
	int r;

	if (ctx == NULL)
		return -ENOMEM;
	r = keeper_rules(ctx);
	if (r == 0)
		r = seccomp_load(ctx); /* also sets no_new_privs */
	seccomp_release(ctx);
	return r;
}
