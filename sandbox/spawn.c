/* Starting the zygote: a child in namespaces of its own, with nobody's uid, no descriptor of ours, no environment,
 * executed from a descriptor that was opened long before.
 *
 * Only the user and the PID namespace are made here, because a process cannot move itself into them; the others the
 * zygote makes for itself (prepare.c).  Where the kernel or the surroundings refuse, fewer are tried, down to a
 * plain fork.  The parent may have threads, so between clone and exec the child makes async-signal-safe calls only:
 * nothing that locks or allocates. */
#include "sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "channel.h"

#define NOBODY 65534u
#define STOP_WAIT_MS 1000      /* for the end of what was killed; it takes a millisecond */
#define HELLO_TIMEOUT_MS 10000 /* loading libraries takes milliseconds; a machine on its knees may take seconds */
#define SETTLE_TIMEOUT_MS 3000 /* for a few calls of ours before the program is executed */

_Static_assert((int)SANDBOX_N_LAYERS <= CHANNEL_LAYERS_MAX, "a HELLO has room for every layer");

/* ---- the child, between clone and exec ---- */

struct child {
	int channel;
	int worker_fd;
	bool user_ns; /* the parent writes the maps; ids are those inside */
	bool drop_uid;
};

/* What the child tells the parent before exec: it is ready for its maps, and whether it could change its uid. */
struct ready {
	int32_t uid_errno;
};

/* What the parent answers when the maps of the user namespace are written. */
struct go {
	bool change_uid; /* to 0 inside, which is nobody outside */
};

/* The parent learns why through the channel, in the words the program itself would use. */
static _Noreturn void child_fail(int channel, int error)
{
	const struct channel_message m = { .type = CHANNEL_HELLO, .error = error };

	(void)channel_send(channel, &m, NULL, 0);
	_exit(127);
}

/* exec keeps ignored signals ignored and the mask as it is: both are the parent's habits, not the worker's. */
static void child_reset_signals(void)
{
	const struct sigaction dfl = { .sa_handler = SIG_DFL };
	sigset_t none;

	for (int sig = 1; sig < NSIG; sig++)
		(void)sigaction(sig, &dfl, NULL);
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* The raw calls: libc's wrappers would stop for the parent's other threads, which do not exist here. */
static int child_set_ids(long id)
{
	if (syscall(SYS_setgroups, 0L, NULL) < 0 || syscall(SYS_setresgid, id, id, id) < 0 ||
	    syscall(SYS_setresuid, id, id, id) < 0)
		return -errno;
	return 0;
}

/* Root without a user namespace: the zygote still needs to make its namespaces and to empty its capabilities, so
 * these two survive the change of uid and the exec, as ambient capabilities; sandbox_prepare() drops them.
 * Best effort: what is missing shows in the layers. */
static void child_keep_caps(void)
{
	const unsigned keep = 1u << CAP_SYS_ADMIN | 1u << CAP_SETPCAP;
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3, .pid = 0 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data) < 0)
		return;
	data[0].permitted &= keep;
	data[0].effective = data[0].inheritable = data[0].permitted;
	data[1] = (struct __user_cap_data_struct){ 0 };
	if (syscall(SYS_capset, &header, data) < 0)
		return;
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_ADMIN, 0UL, 0UL);
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SETPCAP, 0UL, 0UL);
}

static int child_drop_uid(void)
{
	int r;

	(void)prctl(PR_SET_KEEPCAPS, 1UL, 0UL, 0UL, 0UL);
	r = child_set_ids(NOBODY);
	if (r == 0)
		child_keep_caps();
	return r;
}

/* Wait for the parent's word that the maps are written.  End of channel: it gave up on us. */
static struct go child_wait_for_maps(int channel)
{
	struct go go;
	ssize_t n;

	do
		n = recv(channel, &go, sizeof(go), 0);
	while (n < 0 && errno == EINTR);
	if (n != sizeof(go))
		_exit(127);
	return go;
}

static void child_become_nobody(const struct child *c)
{
	struct ready ready = { 0 };
	int r;

	/* /proc/PID/uid_map belongs to root unless we are dumpable, and the parent may not be root. */
	(void)prctl(PR_SET_DUMPABLE, 1UL, 0UL, 0UL, 0UL);
	if (c->drop_uid && !c->user_ns)
		ready.uid_errno = -child_drop_uid();
	if (send(c->channel, &ready, sizeof(ready), MSG_NOSIGNAL) != sizeof(ready))
		_exit(127);
	if (!c->user_ns)
		return;
	if (!child_wait_for_maps(c->channel).change_uid)
		return;
	r = child_set_ids(0);
	if (r < 0)
		child_fail(c->channel, r);
}

/* 0 and 1: /dev/null.  2: as the parent's, for the program's own complaints before it serves.  And the channel at its
 * place.  Everything else is closed by exec.  Returns where the program's descriptor went, or negative errno. */
static int child_arrange_descriptors(const struct child *c)
{
	int channel = fcntl(c->channel, F_DUPFD_CLOEXEC, 10);
	int worker_fd = fcntl(c->worker_fd, F_DUPFD_CLOEXEC, 10);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (channel < 0 || worker_fd < 0 || null < 0)
		return -errno;
	if ((null != 0 && dup2(null, 0) < 0) || (null != 1 && dup2(null, 1) < 0) ||
	    dup2(channel, SANDBOX_CHANNEL_FD) < 0 ||
	    syscall(SYS_close_range, (unsigned)STDERR_FILENO + 1, (unsigned)SANDBOX_CHANNEL_FD - 1,
		(unsigned)CLOSE_RANGE_CLOEXEC) < 0 ||
	    syscall(SYS_close_range, (unsigned)SANDBOX_CHANNEL_FD + 1, ~0U, (unsigned)CLOSE_RANGE_CLOEXEC) < 0)
		return -errno;
	return worker_fd;
}

static _Noreturn void child_main(const struct child *c)
{
	static char name[] = "weighlock-worker";
	char *const argv[] = { name, NULL };
	char *const envp[] = { NULL };
	int worker_fd;

	child_reset_signals();
	child_become_nobody(c);
	/* Out of the terminal's reach: an interrupt is for the program that talks to the user. */
	(void)setsid();
	/* The worker program ends with its channel; a program that is none ends with us.  After the uid changed, which
	 * would clear it. */
	(void)prctl(PR_SET_PDEATHSIG, (unsigned long)SIGKILL, 0UL, 0UL, 0UL);
	worker_fd = child_arrange_descriptors(c);
	if (worker_fd < 0)
		child_fail(c->channel, worker_fd);
	/* From here on the channel has its number. */
	syscall(SYS_execveat, worker_fd, "", argv, envp, AT_EMPTY_PATH);
	child_fail(SANDBOX_CHANNEL_FD, -errno);
}

/* ---- the parent ---- */

/* One attempt.  The child exists and waits, or negative errno. */
static pid_t attempt_clone(int flags, const struct child *c)
{
	sigset_t all, before;
	long pid;

	/* No handler of the parent's may run in the child. */
	sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	/* Not clone3: where namespaces are restricted by seccomp it does not exist. All other arguments are zero, so
	 * their order, which differs between architectures, does not matter. */
	pid = syscall(SYS_clone, (unsigned long)flags | SIGCHLD, 0UL, 0UL, 0UL, 0UL);
	if (pid == 0)
		child_main(c);
	if (pid < 0)
		pid = -errno;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return (pid_t)pid;
}

static int proc_write(pid_t pid, const char *name, const char *text)
{
	char path[64];
	ssize_t n;
	int fd, r = 0;

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = write(fd, text, strlen(text));
	if (n != (ssize_t)strlen(text))
		r = n < 0 ? -errno : -EIO;
	close(fd);
	return r;
}

static int map_one(pid_t pid, uid_t uid, gid_t gid)
{
	char line[32];
	int r;

	(void)snprintf(line, sizeof(line), "0 %u 1\n", (unsigned)uid);
	r = proc_write(pid, "uid_map", line);
	if (r < 0)
		return r;
	(void)snprintf(line, sizeof(line), "0 %u 1\n", (unsigned)gid);
	return proc_write(pid, "gid_map", line);
}

/* uid 0 inside is nobody outside, or an ordinary user is itself.
 * @ret_uid_errno: 0, or why root had to stay root. */
static int write_maps(pid_t pid, struct child *c, int *ret_uid_errno)
{
	int r;

	*ret_uid_errno = 0;
	if (c->drop_uid) {
		r = map_one(pid, NOBODY, NOBODY);
		if (r == 0)
			return 0;
		*ret_uid_errno = -r;
	}
	/* user_namespaces(7): one who may not set any gid must first give up setgroups(2). */
	r = proc_write(pid, "setgroups", "deny");
	return r < 0 ? r : map_one(pid, geteuid(), getegid());
}

static int64_t now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Return: 0 when the channel has something to say, -EPROTO when the deadline passes first. */
static int wait_readable(int channel, int64_t deadline_ms)
{
	struct pollfd p = { .fd = channel, .events = POLLIN };
	int64_t left;

	while ((left = deadline_ms - now_ms()) > 0) {
		int n = poll(&p, 1, (int)left);

		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return -errno;
	}
	return -EPROTO;
}

/* Until the child has its maps and its uid. */
static int settle_ids(pid_t pid, struct child *c, int channel, int *ret_uid_errno)
{
	struct ready ready;
	struct go go;
	int r = wait_readable(channel, now_ms() + SETTLE_TIMEOUT_MS);

	if (r < 0)
		return r;
	if (recv(channel, &ready, sizeof(ready), 0) != sizeof(ready))
		return -EPROTO;
	*ret_uid_errno = ready.uid_errno;
	if (!c->user_ns)
		return 0;
	r = write_maps(pid, c, ret_uid_errno);
	if (r < 0)
		return r;
	go.change_uid = c->drop_uid && *ret_uid_errno == 0;
	return send(channel, &go, sizeof(go), MSG_NOSIGNAL) == sizeof(go) ? 0 : -EPROTO;
}

/* The end of a PID namespace waits for all that is in it, and a process whose storage does not answer cannot be killed: such
 * a one is left to init, which outlives us. */
static void reap(pid_t pid)
{
	int64_t until = now_ms() + STOP_WAIT_MS;
	struct timespec pause = { .tv_nsec = 100000 };

	(void)kill(pid, SIGKILL);
	while (waitpid(pid, NULL, WNOHANG) == 0 && now_ms() < until) {
		(void)nanosleep(&pause, NULL);
		pause.tv_nsec = pause.tv_nsec < 10000000 ? 2 * pause.tv_nsec : pause.tv_nsec;
	}
}

static void close_keep_errno(int fd)
{
	int saved = errno;

	if (fd >= 0)
		close(fd);
	errno = saved;
}

/* Return: 0 and a child about to exec; negative errno and nothing left behind. */
static int attempt(int worker_fd, int flags, struct zygote *z)
{
	struct child c = {
		.worker_fd = worker_fd, .user_ns = (flags & CLONE_NEWUSER) != 0, .drop_uid = geteuid() == 0
	};
	int pair[2], r, uid_errno = 0;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	c.channel = pair[1];
	pid = attempt_clone(flags, &c);
	close_keep_errno(pair[1]);
	r = pid < 0 ? pid : settle_ids(pid, &c, pair[0], &uid_errno);
	if (r < 0) {
		close(pair[0]);
		if (pid > 0)
			reap(pid);
		return r;
	}
	z->pid = pid;
	z->channel = pair[0];
	z->layer_errno[SANDBOX_UID_DROP] = uid_errno;
	return 0;
}

/* As much of user and PID namespace as can be had, and why not more. */
static int attempt_all(int worker_fd, struct zygote *z)
{
	static const int flags[] = { CLONE_NEWUSER | CLONE_NEWPID, CLONE_NEWUSER, CLONE_NEWPID, 0 };
	int r = 0, refused[sizeof(flags) / sizeof(flags[0])] = { 0 };

	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		r = attempt(worker_fd, flags[i], z);
		refused[i] = -r;
		if (r == 0) {
			/* Each namespace's errno is that of the attempt in which it was the one in question. */
			z->layer_errno[SANDBOX_USER_NS] = (flags[i] & CLONE_NEWUSER) != 0 ? 0 : refused[1];
			z->layer_errno[SANDBOX_PID_NS] = (flags[i] & CLONE_NEWPID) != 0 ? 0 : refused[i == 1 ? 0 : 2];
			return 0;
		}
		if (r == -EPROTO)
			break; /* a child that does not answer will not answer with fewer namespaces either */
	}
	return r;
}

static void layers_from_hello(const struct channel_message *hello, struct zygote *z)
{
	for (size_t i = 0; i < SANDBOX_N_LAYERS; i++)
		/* These three only the parent knows for certain, and has set already. */
		if (i != SANDBOX_USER_NS && i != SANDBOX_PID_NS && i != SANDBOX_UID_DROP)
			z->layer_errno[i] = hello->layer_errno[i];
}

static int mandatory_layers(const struct zygote *z)
{
	for (size_t i = 0; i < SANDBOX_N_LAYERS; i++)
		if (sandbox_layer_info((enum sandbox_layer)i)->mandatory && z->layer_errno[i] != 0)
			return -EPERM;
	return 0;
}

int zygote_spawn(int worker_fd, struct zygote *ret)
{
	int r;

	*ret = (struct zygote){ .channel = -1 };
	for (size_t i = 0; i < SANDBOX_N_LAYERS; i++)
		ret->layer_errno[i] = -1;
	r = attempt_all(worker_fd, ret);
	if (r == 0 && fcntl(ret->channel, F_SETFL, O_NONBLOCK) < 0) {
		r = -errno;
		zygote_stop(ret);
	}
	return r;
}

int zygote_hello(struct zygote *z, uint64_t build)
{
	struct channel_message hello;
	int fds[CHANNEL_FDS_MAX];
	int r = channel_recv(z->channel, &hello, fds);

	for (size_t i = 0; i < CHANNEL_FDS_MAX; i++)
		close_keep_errno(fds[i]); /* a HELLO brings none */
	if (r == -EAGAIN)
		return r;
	if (r <= 0 || hello.type != CHANNEL_HELLO)
		return -EPROTO;
	if (hello.error != 0)
		return hello.error < 0 && hello.error != -EAGAIN ? hello.error : -EPROTO;
	if (hello.build != build)
		return -ENOEXEC;
	z->build = hello.build;
	layers_from_hello(&hello, z);
	return mandatory_layers(z);
}

int zygote_start(int worker_fd, uint64_t build, struct zygote *ret)
{
	int r = zygote_spawn(worker_fd, ret);

	if (r < 0)
		return r;
	r = wait_readable(ret->channel, now_ms() + HELLO_TIMEOUT_MS);
	if (r == 0)
		r = zygote_hello(ret, build);
	if (r < 0)
		zygote_stop(ret);
	return r;
}

void zygote_stop(struct zygote *z)
{
	if (z->channel >= 0)
		close(z->channel);
	z->channel = -1;
	if (z->pid > 0)
		reap(z->pid);
	z->pid = 0;
}
