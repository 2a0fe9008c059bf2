/* weighlock: validate untrusted model files.  Only finds the subcommand; see weighlock(1). */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli.h"
#include "commands.h"
#include "json_line.h"

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "scan", cmd_scan },
	{ "admit", cmd_admit },
	{ "exec", cmd_exec },
	{ "convert", cmd_convert },
	{ "diff", cmd_diff },
	{ "verdict-diff", cmd_verdict_diff },
	{ "identify", cmd_identify },
	{ "inspect", cmd_inspect },
	{ "case", cmd_case },
	{ "rules", cmd_rules },
	{ "formats", cmd_formats },
	{ "policy", cmd_policy },
	{ "exception", cmd_exception },
	{ "report", cmd_report },
	{ "store", cmd_store },
	{ "audit", cmd_audit },
	{ "verify", cmd_verify },
	{ "metrics", cmd_metrics },
	{ "doctor", cmd_doctor },
};

static int unknown_command(const char *typed)
{
	char question[NEAREST_QUESTION_MAX];

	return usage_error(NULL, "unknown command '%s'%s", typed, usage_nearest(typed, question));
}

static int cmd_help(int argc, char **argv)
{
	const char *command = argc > 1 ? argv[1] : NULL;

	if (command != NULL && command[0] == '-')
		return usage_plain_option("help", command);
	if (argc > 2)
		return usage_error(NULL, "help takes one command");
	if (usage_text(command) == NULL)
		return unknown_command(command);
	return usage_print(command);
}

static void pipe_broken(int signal)
{
	(void)signal;
}

/* A reader that went away is a failed write, told by output_finish().  A handler, not SIG_IGN: what is
 * ignored stays ignored in the programs we start. */
static void pipes_break_quietly(void)
{
	const struct sigaction act = { .sa_handler = pipe_broken, .sa_flags = SA_RESTART };

	(void)sigaction(SIGPIPE, &act, NULL);
}

/* A standard descriptor that is closed would become the first file we open, and be read or written as what it
 * is not. Each gets a stand-in on which its use fails: reading 0, writing 1 and 2. */
static bool standard_fds_fill(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
			return false;
	}
	return true;
}

int main(int argc, char **argv)
{
	if (!standard_fds_fill())
		return CLI_INCOMPLETE;
	pipes_break_quietly();
	json_watch();
	if (argc < 2) {
		fputs(usage_text(NULL), stderr);
		return CLI_USAGE;
	}
	if (argv[1][0] == '-')
		return usage_plain_option(NULL, argv[1]);
	if (strcmp(argv[1], "help") == 0)
		return cmd_help(argc - 1, argv + 1);
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(argv[1], commands[i].name) == 0)
			return commands[i].run(argc - 1, argv + 1);
	}
	return unknown_command(argv[1]);
}
