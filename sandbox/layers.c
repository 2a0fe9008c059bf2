/* The layers of the jail that are not seccomp: each a step of its own, so that each can be tried without the
 * others.  The order they are taken in is told in prepare.c (zygote) and enter.c (worker). */
#include "layers.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <linux/securebits.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "sandbox.h"

#ifndef PR_SET_MDWE /* Linux 6.3; younger than the headers of Debian 12 */
#define PR_SET_MDWE 65
#define PR_MDWE_REFUSE_EXEC_GAIN 1
#endif

#ifndef SYS_mseal /* Linux 6.10; the same number on every architecture */
#define SYS_mseal 462
#endif

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static int set_option(int option, unsigned long value)
{
	return prctl(option, value, 0UL, 0UL, 0UL) < 0 ? -errno : 0;
}

int layer_unshare(int flag)
{
	return unshare(flag) < 0 ? -errno : 0;
}

/* What will be the root, at a place that is there: a folder that was cut out of its tree, or nothing at all. */
static int mount_at(const char *at, int tree)
{
	if (tree >= 0)
		return move_mount(tree, "", AT_FDCWD, at, MOVE_MOUNT_F_EMPTY_PATH);
	return mount("none", at, "tmpfs", MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC, "size=4k,mode=0555");
}

int layer_empty_root(int *ret_namespace)
{
	return layer_root(-1, ret_namespace);
}

int layer_tree(int at, const char *path)
{
	int fd = open_tree(at, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);

	return fd < 0 ? -errno : fd;
}

int layer_root(int tree, int *ret_namespace)
{
	/* Any folder will do as the place where the new root stands for a moment; /proc is on every Linux, and the
	 * new file system hides it instead of the other way round. */
	static const char at[] = "/proc";

	*ret_namespace = layer_unshare(CLONE_NEWNS);
	if (*ret_namespace < 0)
		return *ret_namespace;
	/* First of all: what we mount and unmount must not travel back to the namespace we came from. */
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 || mount_at(at, tree) < 0 || chdir(at) < 0)
		return -errno;
	/* With both names the same the old root lands on top of the new one (pivot_root(2), NOTES) and needs no
	 * folder of its own; detaching uncovers the new one. */
	if (syscall(SYS_pivot_root, ".", ".") < 0 || umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		return -errno;
	return 0;
}

/* Refused without CAP_SETPCAP; then there is no capability to keep in the first place, which capget() shows. */
static void drop_bounding_set(void)
{
	for (unsigned long cap = 0; cap < 64; cap++)
		(void)prctl(PR_CAPBSET_DROP, cap, 0UL, 0UL, 0UL);
	(void)prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0UL, 0UL, 0UL);
	/* Being uid 0 must not mean anything, for ever. */
	(void)prctl(PR_SET_SECUREBITS,
	    SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP | SECBIT_NO_SETUID_FIXUP_LOCKED |
		SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED,
	    0UL, 0UL, 0UL);
}

int layer_no_caps(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3, .pid = 0 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	drop_bounding_set();
	if (syscall(SYS_capset, &header, data) < 0 || syscall(SYS_capget, &header, data) < 0)
		return -errno;
	for (size_t i = 0; i < COUNT(data); i++)
		if ((data[i].effective | data[i].permitted | data[i].inheritable) != 0)
			return -EPERM;
	return 0;
}

int layer_no_new_privs(void)
{
	return set_option(PR_SET_NO_NEW_PRIVS, 1);
}

int layer_mdwe(void)
{
	return set_option(PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN);
}

/* Where the kernel lets each process choose; elsewhere it has decided for all. */
void layer_speculation(void)
{
	(void)prctl(PR_SET_SPECULATION_CTRL, PR_SPEC_STORE_BYPASS, PR_SPEC_FORCE_DISABLE, 0UL, 0UL);
	(void)prctl(PR_SET_SPECULATION_CTRL, PR_SPEC_INDIRECT_BRANCH, PR_SPEC_FORCE_DISABLE, 0UL, 0UL);
}

/* Whole pages of an object: its code and constants, and what was made read-only once it was relocated. */
static int seal_object(struct dl_phdr_info *info, size_t size, void *ctx)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE) - 1;

	(void)size;
	(void)ctx;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t begin = (info->dlpi_addr + p->p_vaddr) & ~page;
		uintptr_t end = info->dlpi_addr + p->p_vaddr + p->p_memsz;

		/* What is not all read-only shares its last page with what is written to. */
		end = p->p_type == PT_GNU_RELRO ? end & ~page : (end + page) & ~page;
		if ((p->p_type == PT_GNU_RELRO || (p->p_type == PT_LOAD && (p->p_flags & PF_W) == 0)) && begin < end)
			(void)syscall(SYS_mseal, begin, end - begin, 0UL);
	}
	return 0;
}

void layer_seal_memory(void)
{
	(void)dl_iterate_phdr(seal_object, NULL);
}

int layer_pdeathsig(pid_t parent)
{
	int r = set_option(PR_SET_PDEATHSIG, SIGKILL);

	/* Asked after the signal is armed: a zygote that died in between is seen by one or the other. */
	if (r == 0 && getppid() != parent)
		return -ESRCH;
	return r;
}

static rlim_t smaller(rlim_t a, rlim_t b)
{
	return a < b ? a : b;
}

/* A hard limit the surroundings set lower still (ulimit -t in a CI job) binds more, not less: keep it. */
static int lower_limit(__rlimit_resource_t resource, uint64_t soft, uint64_t hard)
{
	struct rlimit rl;

	if (getrlimit(resource, &rl) < 0)
		return -errno;
	rl.rlim_max = smaller(rl.rlim_max, hard);
	rl.rlim_cur = smaller(soft, rl.rlim_max);
	return setrlimit(resource, &rl) < 0 ? -errno : 0;
}

/* RLIMIT_CPU does not count sleep.  The timer cannot be taken back under the filter. */
static int limit_wall_time(uint64_t seconds)
{
	const struct itimerval end = { .it_value.tv_sec = (time_t)seconds };

	return setitimer(ITIMER_REAL, &end, NULL) < 0 ? -errno : 0;
}

int layer_rlimits(uint64_t cpu_seconds, uint64_t made_bytes)
{
	const struct {
		int resource; /* as __rlimit_resource_t, which is not an int in every libc */
		uint64_t soft, hard;
	} limits[] = {
#ifndef WLK_SANITIZED /* a sanitizer maps terabytes of shadow memory */
		{ RLIMIT_AS, SANDBOX_AS_BYTES, SANDBOX_AS_BYTES },
#endif
		{ RLIMIT_CPU, cpu_seconds, cpu_seconds + 2 }, /* SIGXCPU tells time from other deaths; then SIGKILL */
		{ RLIMIT_FSIZE, made_bytes, made_bytes },     /* regular files only: the report goes to a pipe */
		{ RLIMIT_NOFILE, 0, 0 },                      /* what is open stays open */
		{ RLIMIT_NPROC, 0, 0 },                       /* does not bind root */
		{ RLIMIT_CORE, 0, 0 },                        /* a core would hold the client's bytes */
		{ RLIMIT_MEMLOCK, 0, 0 },
	};

	for (size_t i = 0; i < COUNT(limits); i++) {
		if (lower_limit((__rlimit_resource_t)limits[i].resource, limits[i].soft, limits[i].hard) < 0)
			return -errno;
	}
	return limit_wall_time(cpu_seconds + SANDBOX_OVERTIME_S);
}

#define DIGESTER_FILE_BYTES ((uint64_t)16 << 20) /* its memory files; sealed at less */

int layer_rlimits_digester(void)
{
	const struct {
		int resource;
		uint64_t value;
	} limits[] = {
#ifndef WLK_SANITIZED
		{ RLIMIT_AS, SANDBOX_AS_BYTES },
#endif
		{ RLIMIT_FSIZE,
		    DIGESTER_FILE_BYTES }, /* not RLIMIT_NOFILE, which bounds what its user has on the way to others */
		{ RLIMIT_CORE, 0 },
		{ RLIMIT_MEMLOCK, 0 },
	};

	for (size_t i = 0; i < COUNT(limits); i++) {
		if (lower_limit((__rlimit_resource_t)limits[i].resource, limits[i].value, limits[i].value) < 0)
			return -errno;
	}
	return 0;
}

int layer_undumpable(void)
{
	return set_option(PR_SET_DUMPABLE, 0);
}

int layer_descriptors(bool third)
{
	const unsigned last = third ? SANDBOX_DOCUMENT_FD : SANDBOX_OUT_FD;

	_Static_assert(SANDBOX_OUT_FD == SANDBOX_IN_FD + 1 && SANDBOX_DOCUMENT_FD == SANDBOX_OUT_FD + 1,
	    "those that stay are neighbours");

	if (syscall(SYS_close_range, 0U, (unsigned)SANDBOX_IN_FD - 1, 0U) < 0 ||
	    syscall(SYS_close_range, last + 1, ~0U, 0U) < 0)
		return -errno;
	return 0;
}

int layer_only_descriptor(unsigned fd)
{
	if (syscall(SYS_close_range, 0U, fd - 1, 0U) < 0 || syscall(SYS_close_range, fd + 1, ~0U, 0U) < 0)
		return -errno;
	return 0;
}
