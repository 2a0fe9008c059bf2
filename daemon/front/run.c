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

/* Asked as who we are now; the folder was opened when it still had a name. */
static int check_state(const struct settings *s, int state)
{
	int r = state < 0 || faccessat(state, ".", R_OK | W_OK | X_OK, 0) < 0 ? -errno : 0;

	if (r < 0)
		log_errno(-r, "state_dir %s: uid %u cannot write in it", s->config.state_dir, geteuid());
	return r;
}

static int open_all(const struct settings *s, struct front_inherits *ret)
{
	int state = settings_keep(s) ? open(s->config.state_dir, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
	int error = errno, r;

	ret->own_fds = open("/proc/self/fd", O_PATH | O_DIRECTORY | O_CLOEXEC);
	ret->spool_dir = open(s->config.spool_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	r = ret->spool_dir < 0 ? -errno : role_drop_root(&ret->spool_dir, &ret->own_fds);
	if (r < 0)
		log_errno(-r, ret->spool_dir < 0 ? "spool_dir %s" : "cannot give up root (spool_dir %s)",
		    s->config.spool_dir);
	errno = error;
	if (r == 0 && settings_keep(s))
		r = check_state(s, state);
	if (state >= 0)
		close(state);
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
	role_detach_terminal(); /* by its name */
	if (open_all(s, &from) < 0)
		return EXIT_FAILURE;
	prctl(PR_SET_DUMPABLE, 0);
	signal(SIGPIPE, SIG_IGN);
	role_take_signals();
	return front_main(s, &from);
}
