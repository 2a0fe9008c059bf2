/* The front as the monitor executes it: what it needs of the outside, before it can reach no more of it. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "front.h"
#include "log.h"
#include "role.h"

static int open_all(const struct settings *s, int *ret_spool)
{
	int r;

	*ret_spool = open(s->config.spool_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r = *ret_spool < 0 ? -errno : role_drop_root();
	if (r < 0) {
		log_errno(
		    -r, *ret_spool < 0 ? "spool_dir %s" : "cannot give up root (spool_dir %s)", s->config.spool_dir);
		return r;
	}
	if (settings_keep(s) && access(s->config.state_dir, R_OK | W_OK | X_OK) < 0) {
		r = -errno;
		log_errno(-r, "state_dir %s: uid %u cannot write in it", s->config.state_dir, geteuid());
	}
	return r;
}

int front_run(const struct settings *s)
{
	struct front_inherits from = {
		.control = ROLE_CONTROL_FD, .http = ROLE_HTTP_FD, .clamd = role_has(ROLE_CLAMD_FD) ? ROLE_CLAMD_FD : -1
	};

	prctl(PR_SET_NAME, "weighlockd"); /* it would be the number of a descriptor */
	if (role_has(ROLE_ENTRIES_FD))
		log_entries_to(ROLE_ENTRIES_FD);
	if (open_all(s, &from.spool_dir) < 0)
		return EXIT_FAILURE;
	prctl(PR_SET_DUMPABLE, 0);
	role_detach_terminal();
	signal(SIGPIPE, SIG_IGN);
	role_take_signals();
	return front_main(s, &from);
}
