/* under_filter allow|deny CALL... -- PROGRAM ARG...: run a program under a seccomp filter that answers EPERM.
 *   allow: to every call but those named, as systemd installs a unit's SystemCallFilter=;
 *   deny:  to the calls named, as a container's profile does.
 * Names this architecture does not know are skipped, as systemd does. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <seccomp.h>

int main(int argc, char **argv)
{
	bool allow = argc > 1 && strcmp(argv[1], "allow") == 0;
	scmp_filter_ctx filter = seccomp_init(allow ? SCMP_ACT_ERRNO(EPERM) : SCMP_ACT_ALLOW);
	int i = 2, known = 0;

	if (filter == NULL)
		return 70;
	for (; i < argc && strcmp(argv[i], "--") != 0; i++) {
		int nr = seccomp_syscall_resolve_name(argv[i]);

		if (nr == __NR_SCMP_ERROR)
			continue;
		if (seccomp_rule_add(filter, allow ? SCMP_ACT_ALLOW : SCMP_ACT_ERRNO(EPERM), nr, 0) == 0)
			known++;
	}
	if (i + 1 >= argc || known == 0) {
		fprintf(stderr, "under_filter: %d calls known, no program\n", known);
		return 64;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || seccomp_load(filter) != 0)
		return 71;
	execv(argv[i + 1], argv + i + 1);
	perror(argv[i + 1]);
	return 72;
}
