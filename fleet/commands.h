/* The subcommands.  Each returns an exit status. */
#pragma once

#include "database.h"
#include "options.h"

enum { EXIT_OK = 0, EXIT_USAGE = 2, EXIT_FAULT = 3, EXIT_SOME = 1 };

struct fleet {
	struct database truth, hints; /* two connections to one database; only agents and who waits use the second */
	int argc;                     /* behind the subcommand's name */
	char **argv;
};

int cmd_setup(struct fleet *f);
int cmd_submit(struct fleet *f);
int cmd_agent(struct fleet *f);
int cmd_reconcile(struct fleet *f);
int cmd_status(struct fleet *f);
int cmd_failed(struct fleet *f);
int cmd_watch(struct fleet *f);
