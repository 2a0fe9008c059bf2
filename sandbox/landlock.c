/* Landlock: rules the kernel keeps for one process and its children, without any privilege.  The worker's ruleset
 * grants nothing; the front's grants regular files below its own folders.
 *
 * Follows Documentation/userspace-api/landlock.rst of Linux 6.18 (ABI 7).  A right may only be handled by a kernel
 * that knows it, so the ABI is asked first.  The constants of ABI 3 and later are younger than the headers of
 * Debian 12 and are written out here. */
#include "layers.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FS_TRUNCATE (UINT64_C(1) << 14)  /* ABI 3 */
#define FS_IOCTL_DEV (UINT64_C(1) << 15) /* ABI 5 */
#define NET_BIND_TCP (UINT64_C(1) << 0)  /* ABI 4 */
#define NET_CONNECT_TCP (UINT64_C(1) << 1)
#define SCOPE_ABSTRACT_UNIX (UINT64_C(1) << 0) /* ABI 6 */
#define SCOPE_SIGNAL (UINT64_C(1) << 1)

#define FS_ABI_1 ((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1) /* all rights up to the last one of ABI 1 */

/* struct landlock_ruleset_attr of ABI 6; older kernels are given a shorter size. */
struct ruleset_attr {
	uint64_t fs;
	uint64_t net;    /* ABI 4 */
	uint64_t scoped; /* ABI 6 */
};

static uint64_t fs_rights(int abi)
{
	uint64_t rights = FS_ABI_1;

	if (abi >= 2)
		rights |= LANDLOCK_ACCESS_FS_REFER;
	if (abi >= 3)
		rights |= FS_TRUNCATE;
	if (abi >= 5)
		rights |= FS_IOCTL_DEV;
	return rights;
}

/* The kernel never answers EPERM to this; a filter around us does, when it is older than Landlock (systemd-nspawn). */
static int abi_version(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	if (abi < 0)
		return errno == EPERM ? -EOPNOTSUPP : -errno;
	return (int)abi;
}

int landlock_ruleset_new(uint64_t *ret_handled_fs)
{
	struct ruleset_attr attr = { 0 };
	size_t size = sizeof(attr.fs);
	int abi = abi_version();
	long fd;

	if (abi < 0)
		return abi;
	attr.fs = fs_rights(abi);
	if (abi >= 4) {
		attr.net = NET_BIND_TCP | NET_CONNECT_TCP;
		size = sizeof(attr.fs) + sizeof(attr.net);
	}
	if (abi >= 6) {
		attr.scoped = SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL;
		size = sizeof(attr);
	}
	fd = syscall(SYS_landlock_create_ruleset, &attr, size, 0);
	if (fd < 0)
		return -errno;
	*ret_handled_fs = attr.fs;
	return (int)fd;
}

static int allow_beneath(int ruleset, int path_fd, uint64_t access)
{
	struct landlock_path_beneath_attr attr = { .allowed_access = access, .parent_fd = path_fd };

	return syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &attr, 0) < 0 ? -errno : 0;
}

int landlock_allow_files(int ruleset, int dir_fd, uint64_t handled_fs)
{
	return allow_beneath(ruleset, dir_fd,
	    handled_fs &
		(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | FS_TRUNCATE |
		    LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_READ_DIR));
}

/* Moving files between folders is denied by whatever ruleset, unless it handles and grants that (ABI 2). */
static int allow_moving(int ruleset)
{
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int r = root < 0 ? -errno : allow_beneath(ruleset, root, LANDLOCK_ACCESS_FS_REFER);

	if (root >= 0)
		(void)close(root);
	return r;
}

int landlock_reading_new(void)
{
	struct ruleset_attr attr = { .fs = LANDLOCK_ACCESS_FS_READ_FILE };
	int abi = abi_version();
	int fd, r = 0;

	if (abi < 0)
		return abi;
	if (abi >= 2)
		attr.fs |= LANDLOCK_ACCESS_FS_REFER;
	fd = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr.fs), 0);
	if (fd < 0)
		return -errno;
	if (abi >= 2)
		r = allow_moving(fd);
	if (r == 0)
		return fd;
	(void)close(fd);
	return r;
}

int landlock_allow_reading(int ruleset, int path_fd)
{
	return allow_beneath(ruleset, path_fd, LANDLOCK_ACCESS_FS_READ_FILE);
}

int landlock_apply(int ruleset)
{
	if (syscall(SYS_landlock_restrict_self, ruleset, 0) < 0)
		return -errno;
	return 0;
}

int layer_landlock_deny_all(void)
{
	uint64_t handled;
	int ruleset = landlock_ruleset_new(&handled);
	int r;

	if (ruleset < 0)
		return ruleset;
	r = landlock_apply(ruleset);
	close(ruleset);
	return r;
}
