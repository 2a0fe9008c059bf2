/* How a process that the monitor executed begins.
 *
 * The monitor is the only one that forks, and it executes this program anew in each child: one that is started again after
 * a crash has another layout and another canary than the one that crashed.  So a child has nothing of the monitor but what
 * is handed to it: `weighlockd ROLE`, and descriptors at these places. */
#pragma once

#include "settings.h"

#define ROLE_FRONT "front"
#define ROLE_KEEPER "keeper"

enum {
	ROLE_CONTROL_FD = 3, /* from the monitor (control.h): a socket that takes nothing from us */
	ROLE_WORDS_FD,       /* to the monitor: a pipe, for a pipe brings no descriptors */
	ROLE_SETTINGS_FD,    /* settings_pack() */
	/* the front's alone: */
	ROLE_ENTRIES_FD, /* log_entries_to(); closed where there is no journal */
	ROLE_HTTP_FD,    /* listens */
	ROLE_CLAMD_FD,   /* the same; closed where there is none */
	ROLE_FDS_END
};

/**
 * role_begin() - first of all: not dumpable, what is inherited is not for others, and the settings are read
 * Return: 0; negative errno, -EBADF where it was not the monitor who started this.
 */
int role_begin(struct settings **ret);

/* Is this place of the table above taken? */
bool role_has(int fd);
/* A word to the monitor (control.h).  It is lost where the monitor is gone, or where it does not hear: to wait for it would
 * be worse.  Return: 0 or negative errno. */
int role_say(uint32_t type, uint64_t id, int status);
/* All files but those of one folder, where that is allowed (sandbox_seclude(), which exchanges both); and root gives itself up for
 * the user "weighlock", or for nobody.  Return: 0 or negative errno. */
int role_drop_root(int *dir, int *own);
/* Standard input and output are nobody's business there; standard error is for the log. */
void role_detach_terminal(void);
/* The monitor blocks what it reads from a descriptor, and a mask outlives exec. */
void role_take_signals(void);
