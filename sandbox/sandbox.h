/* Starting and jailing processes.  Knows no format and never looks at a job.
 *
 * Who calls what:
 *   monitor or command   zygote_start()    spawns the worker program by descriptor, in fresh namespaces
 *                        zygote_spawn(), zygote_hello(): the same without waiting
 *   zygote (worker/)     sandbox_prepare() once: empty root, no capabilities, compiled filters
 *                        sandbox_confine_zygote(): from now on only forking and the channel
 *   worker (worker/)     sandbox_enter()   after fork: rlimits, no_new_privs, ..., filter last
 *   digester (worker/)   sandbox_enter_digester()  the same
 *   front (daemon/)      sandbox_front_landlock(), sandbox_front_filter(): the daemon's own, wider jail
 *   keeper (daemon/)     sandbox_front_landlock(), sandbox_keeper_filter(): of the process that writes what stays
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* X(id, name, mandatory, remedy when refused).  The name is what verdicts (scan.layers) and doctor print. */
#define SANDBOX_LAYERS(X)                                                                                       \
	X(RLIMITS, "rlimits", true, "setrlimit(2) was refused")                                                 \
	X(NO_NEW_PRIVS, "no-new-privs", true, "needs Linux 3.5 or later")                                       \
	X(UNDUMPABLE, "undumpable", true, "PR_SET_DUMPABLE was refused")                                        \
	X(PDEATHSIG, "pdeathsig", true, "PR_SET_PDEATHSIG was refused")                                         \
	X(DESCRIPTORS, "descriptors", true, "close_range(2) needs Linux 5.9 or later")                          \
	X(SECCOMP, "seccomp", true, "the kernel needs CONFIG_SECCOMP_FILTER; containers must allow seccomp(2)") \
	X(LANDLOCK, "landlock", false, "needs Linux 5.13 or later with landlock in the lsm= list")              \
	X(MDWE, "mdwe", false, "needs Linux 6.3 or later")                                                      \
	X(USER_NS, "user-ns", false, "user namespaces are forbidden here (RestrictNamespaces=, container)")     \
	X(MOUNT_NS, "mount-ns", false, "needs the user namespace or CAP_SYS_ADMIN")                             \
	X(PID_NS, "pid-ns", false, "needs the user namespace or CAP_SYS_ADMIN")                                 \
	X(NET_NS, "net-ns", false, "needs the user namespace or CAP_SYS_ADMIN")                                 \
	X(IPC_NS, "ipc-ns", false, "needs the user namespace or CAP_SYS_ADMIN")                                 \
	X(UTS_NS, "uts-ns", false, "needs the user namespace or CAP_SYS_ADMIN")                                 \
	X(EMPTY_ROOT, "empty-root", false, "needs the mount namespace")                                         \
	X(NO_CAPS, "no-caps", false, "capabilities could not be dropped")                                       \
	X(UID_DROP, "uid-drop", false, "started as root, but changing to an unprivileged uid was refused")

enum sandbox_layer {
#define X(id, name, mandatory, remedy) SANDBOX_##id,
	SANDBOX_LAYERS(X)
#undef X
	    SANDBOX_N_LAYERS
};

struct sandbox_layer_info {
	const char *name;
	bool mandatory;
	const char *remedy;
};

const struct sandbox_layer_info *sandbox_layer_info(enum sandbox_layer layer);

/* Where the jailed worker finds its two descriptors; nothing else is open, but that a job may come with a third, a
 * document of the front's that says what its file is. */
#define SANDBOX_IN_FD 3
#define SANDBOX_OUT_FD 4
#define SANDBOX_DOCUMENT_FD 5
/* In the document's place, of a worker that converts: where the output goes.  Such a job has no document. */
#define SANDBOX_MADE_FD SANDBOX_DOCUMENT_FD
/* Where descriptors arrive that come with a job besides these two: the third is a document, an output, or the memory of a digester
 * in a job with neither; the fourth that memory.  It is mapped before the jail closes, and gone then. */
#define SANDBOX_THIRD_FD SANDBOX_DOCUMENT_FD
#define SANDBOX_FOURTH_FD (SANDBOX_CHANNEL_FD + 1)
/* Where the worker program finds its channel when it is executed: above those places, into which a worker receives
 * its descriptors. */
#define SANDBOX_CHANNEL_FD 6

#define SANDBOX_OVERTIME_S 5                 /* the front kills at the deadline; this long after it the kernel does */
#define SANDBOX_AS_BYTES ((uint64_t)1 << 30) /* address space of a worker: four times what the largest scan needs */

struct sandbox; /* the compiled filter and what has been found out about the surroundings */

/* ---- the parent ---- */

struct zygote {
	pid_t pid;
	int channel; /* SOCK_SEQPACKET, non-blocking, owned */
	uint64_t build;
	int layer_errno[SANDBOX_N_LAYERS]; /* 0: active in every worker */
};

/**
 * zygote_start() - run the worker program and wait for its HELLO (at most 10 s)
 * @worker_fd: the program, opened O_PATH|O_CLOEXEC or O_RDONLY|O_CLOEXEC before; executed by descriptor
 * @build: build id it must announce; see sandbox_build_id()
 * Tries clone with user, mount, PID, net, IPC and UTS namespaces, so that the zygote is PID 1 of its namespace;
 * where that is refused, with fewer, down to a plain fork.  As root the child becomes uid/gid 65534 outside.
 * Return: 0; -ENOEXEC (wrong build), -EPROTO (no handshake), -EPERM (a mandatory layer is missing: ret->layer_errno
 * says which), other negative errno.
 * On failure nothing is left behind, but ret->layer_errno is kept for those who explain it (-1: not known).
 * Safe in a program with threads.  To retire a zygote, close its channel: it ends when its last worker has.
 */
int zygote_start(int worker_fd, uint64_t build, struct zygote *ret);
/* The same for those who must not wait, in two steps.  The first waits only for a few calls of ours; it returns with the
 * program executed, and then the channel becomes readable when the second has something to take: -EAGAIN: not yet; after
 * any other error zygote_stop(), or kill, reap and close. */
int zygote_spawn(int worker_fd, struct zygote *ret);
int zygote_hello(struct zygote *z, uint64_t build);
/* Close the channel, kill, reap: workers in flight die with it.  One that cannot die, for its storage does not answer, is not
 * waited for longer than a second, and left behind.  Safe on a zeroed struct with channel -1. */
void zygote_stop(struct zygote *z);

/* An id of this very build, the same in every program of one build. */
uint64_t sandbox_build_id(void);

/* ---- the worker program ---- */

/**
 * sandbox_prepare() - in the zygote, once, after everything is loaded
 * Empty root, capabilities dropped, Landlock probed, filter compiled and exported.
 * Return: 0 or negative errno; *ret lives as long as the process.  layer_errno is filled as far as known, each
 * worker's mandatory layers tried in a forked child so that the HELLO tells the truth.
 */
int sandbox_prepare(struct sandbox **ret, int layer_errno[SANDBOX_N_LAYERS]);

/**
 * sandbox_confine_zygote() - the zygote's own seccomp filter, after everything else was prepared
 * What is left: fork, wait, kill, the channel on SANDBOX_CHANNEL_FD, and what sandbox_enter() and a worker need.
 * Workers inherit it.  Only where sandbox_prepare() found SANDBOX_SECCOMP active.
 * Return: 0 or negative errno.
 */
int sandbox_confine_zygote(const struct sandbox *sb);

/**
 * sandbox_enter() - in the forked worker: give everything up, filter last
 * The input must be on SANDBOX_IN_FD and the output on SANDBOX_OUT_FD already; everything else is closed here.
 * @third: SANDBOX_DOCUMENT_FD stays open, too: to be read, or as SANDBOX_MADE_FD to be written, @made_bytes at most.
 * @zygote_pid: getppid() must still say so.
 * @cpu_seconds: RLIMIT_CPU: SIGXCPU then, SIGKILL two seconds later.  By the clock, SANDBOX_OVERTIME_S after it:
 *               SIGALRM, so that a worker which sleeps ends even if whoever should kill it is gone.
 * Does not return on failure of a mandatory layer: _exit(SANDBOX_EXIT_JAIL).
 */
enum sandbox_third { SANDBOX_THIRD_NONE, SANDBOX_THIRD_DOCUMENT, SANDBOX_THIRD_MADE };
void sandbox_enter(
    const struct sandbox *sb, pid_t zygote_pid, uint64_t cpu_seconds, enum sandbox_third third, uint64_t made_bytes);

/**
 * sandbox_enter_digester() - the same for a process that reads clients' files and looks at nothing in them
 * Its channel is on SANDBOX_IN_FD; everything else is closed here.  It may receive descriptors by it, read them, make and
 * seal memory files, tell marks, and fork a copy of itself.
 */
void sandbox_enter_digester(const struct sandbox *sb, pid_t zygote_pid);

#define SANDBOX_EXIT_JAIL 90 /* a mandatory layer was refused */

/* ---- the daemon's front: no exec, fork, ptrace, new sockets or other processes' business ---- */

/**
 * sandbox_monitor() - the process that starts the others, before it starts any
 * Of root's capabilities those go that neither it nor a child needs; a filter, which all inherit, kills for what none of them does
 * (tracing, other processes' memory, modules, BPF, io_uring, clocks, ...), and lets sockets be local ones only.
 * Return: 0 or negative errno: there is no filter.
 */
int sandbox_monitor(void);

/**
 * sandbox_seclude() - before root is given up and any thread exists: namespaces (net, IPC, UTS), and @dir as the root of all files
 * @dir: a folder; exchanged for the new root.  @own: of /proc/self/fd, exchanged for one that leads nowhere else; NULL: none
 * Also what needs no privilege: MDWE, speculation, mseal.  No user namespace: in one, every caller is nobody (SO_PEERCRED).
 * Return: 0; negative errno: the file system is as it was, or @dir still is what it was and nothing else has a name.
 */
int sandbox_seclude(int *dir, int *own);

/**
 * sandbox_front_landlock() - no file outside these folders may be opened or created from now on
 * @dir_fds: folders (spool, state) in which regular files may be created, opened and removed; kept open by the
 *           caller.  n_dir_fds 0 forbids all files.  Descriptors that are already open keep working.
 * Also sets no_new_privs, and where the kernel knows it forbids TCP, abstract Unix sockets and signals to others.
 * Landlock binds the calling thread and those it makes later: call before any thread exists.
 * Return: 0; -ENOSYS or -EOPNOTSUPP where the kernel has no Landlock; other negative errno.
 */
int sandbox_front_landlock(const int *dir_fds, size_t n_dir_fds);

/**
 * sandbox_front_filter() - the front's seccomp filter, on all threads (TSYNC)
 * Call with all threads made and all sockets open.  exec, fork, clone, socket, connect, bind, listen, kill, ptrace,
 * mount, bpf and the like kill the process; any other call that is not on the list fails with EPERM.
 * So libraries must have opened what they need: time zone, /dev/urandom; sd_notify(3) opens a socket and is the
 * monitor's to call.
 * Return: 0 or negative errno.
 */
int sandbox_front_filter(void);

/**
 * sandbox_keeper_filter() - the seccomp filter of the daemon's keeper, which has one thread
 * After everything that is opened once is open.  Files (where, is Landlock's to say), locks, and channels that come by
 * descriptor; what the front dies of it dies of too; any other call fails with EPERM.
 * Return: 0 or negative errno.
 */
int sandbox_keeper_filter(void);
