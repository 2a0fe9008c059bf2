/* The keeper as the monitor executes it: what it needs of root, before it gives that up. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "keeper.h"
#include "keeper_sign.h"
#include "log.h"
#include "role.h"

/* The monitor says when to end, not whoever signals the whole service. */
static void ignore_signals(void)
{
	static const int ignored[] = { SIGTERM, SIGINT, SIGHUP, SIGPIPE, SIGXFSZ };

	for (size_t i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		signal(ignored[i], SIG_IGN);
	role_take_signals();
}

int keeper_run(const struct settings *s)
{
	int dir = open(s->config.state_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int r = dir < 0 ? -errno : 0;

	role_detach_terminal(); /* by its name */
	keeper_sign_read(s);    /* root's, perhaps */
	if (r == 0)
		r = role_drop_root(&dir, NULL);
	if (r < 0) {
		log_errno(-r, dir < 0 ? "state_dir %s" : "cannot give up root (state_dir %s)", s->config.state_dir);
		return EXIT_FAILURE;
	}
	prctl(PR_SET_DUMPABLE, 0);
	prctl(PR_SET_NAME, "weighlockd-keep"); /* for ps(1): 15 bytes */
	umask(0077);
	ignore_signals();
	return keeper_main(s, dir, ROLE_CONTROL_FD);
}
