/* See process.h. */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#define NOBODY 65534

int process_drop_root(void)
{
	const struct passwd *pw;
	uid_t uid = NOBODY;
	gid_t gid = NOBODY;

	if (geteuid() != 0)
		return 0;
	pw = getpwnam("weighlock");
	if (pw) {
		uid = pw->pw_uid;
		gid = pw->pw_gid;
	}
	if (setgroups(0, NULL) < 0 || setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0)
		return -errno;
	return 0;
}

void process_detach_terminal(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return;
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	if (null > STDERR_FILENO)
		close(null);
}
