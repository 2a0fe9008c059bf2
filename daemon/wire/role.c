/* See role.h. */
#include "role.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "control.h"
#include "sandbox.h"

#define NOBODY 65534

bool role_has(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

int role_begin(struct settings **ret)
{
	int r;

	prctl(PR_SET_DUMPABLE, 0);
	if (!role_has(ROLE_CONTROL_FD) || !role_has(ROLE_WORDS_FD) || !role_has(ROLE_SETTINGS_FD))
		return -EBADF;
	r = settings_unpack(ROLE_SETTINGS_FD, ret);
	close(ROLE_SETTINGS_FD);
	for (int fd = ROLE_CONTROL_FD; fd < ROLE_FDS_END; fd++)
		(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	return r;
}

int role_say(uint32_t type, uint64_t id, int status)
{
	const struct control_word w = { .type = type, .status = status, .id = id };

	return write(ROLE_WORDS_FD, &w, sizeof(w)) == (ssize_t)sizeof(w) ? 0 : -EPIPE;
}

int role_drop_root(int *dir, int *own)
{
	const struct passwd *pw = geteuid() == 0 ? getpwnam("weighlock") : NULL; /* while there are files to look in */
	uid_t uid = NOBODY;
	gid_t gid = NOBODY;

	(void)sandbox_seclude(dir, own);
	if (geteuid() != 0)
		return 0;
	if (pw != NULL) {
		uid = pw->pw_uid;
		gid = pw->pw_gid;
	}
	if (setgroups(0, NULL) < 0 || setresgid(gid, gid, gid) < 0 || setresuid(uid, uid, uid) < 0)
		return -errno;
	return 0;
}

void role_detach_terminal(void)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0)
		return;
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	if (null > STDERR_FILENO)
		close(null);
}

void role_take_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}
