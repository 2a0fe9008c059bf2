/* weighlock-fleet: the same judgement on many machines.  A client of weighlockd's socket, in a process of its own; finds the
 * subcommand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "json_memory.h"
#include "say.h"

static const struct {
	const char *name;
	int (*run)(struct fleet *f);
} commands[] = {
	{ "setup", cmd_setup },
	{ "submit", cmd_submit },
	{ "agent", cmd_agent },
	{ "reconcile", cmd_reconcile },
	{ "status", cmd_status },
	{ "failed", cmd_failed },
	{ "watch", cmd_watch },
};

static const char usage[] =
    "usage: weighlock-fleet [--database CONNINFO] COMMAND [OPTION...]\n"
    "\n"
    "  setup                     make the tables, or bring them up to this version\n"
    "  submit [FILE]             jobs, a JSON object a line (docs/job.schema.json), from FILE or standard input\n"
    "      --wait                print each verdict as it comes; 1 if any is not accept\n"
    "  agent                     take jobs, have this machine's daemon judge them, write down what it says\n"
    "      --root DIR            files may be read below DIR; again for more\n"
    "      --socket PATH         the daemon's\n"
    "      --jobs N              files at the same time (8)\n"
    "      --node NAME           this machine's name, for people\n"
    "      --until-empty         end when nothing is left\n"
    "      --allow-host HOST     https: may be fetched from HOST, HOST:PORT or below *.HOST; again for more\n"
    "      --allow-net NET/BITS  although it is private, loopback or the like; again for more\n"
    "      --s3 HOST[:PORT]      where s3: leads\n"
    "      --s3-region REGION    (us-east-1)\n"
    "      --s3-credentials FILE as AWS's shared credentials file; otherwise AWS_ACCESS_KEY_ID and so on\n"
    "      --ca FILE             certificates that servers must have; otherwise the machine's\n"
    "      --spool DIR           what is fetched goes to files without names in DIR; otherwise to memory\n"
    "      --budget MIB          of all that is fetched and not judged (128)\n"
    "  reconcile                 queue whatever has no verdict by the current rules\n"
    "      --rules SHA256        which rules those are; otherwise the newest that any verdict names\n"
    "  status                    numbers: jobs, verdicts, failures, alarms\n"
    "      --metrics             the same for Prometheus\n"
    "  failed list|show ID|retry ID|drop ID\n"
    "                            what waits for a person; `all` for ID means each\n"
    "  watch                     verdicts as they come, a JSON line each, for ever\n"
    "      --since CURSOR        behind that line\n"
    "      --until-now           end with the last there is\n"
    "      --cursor FILE         begin behind the line that FILE names, and keep it there\n"
    "      --webhook URL         each is given to URL until it is taken, instead of printed\n"
    "      --secret FILE         whose first line signs what is given (HMAC-SHA256)\n"
    "      --ca FILE             as of agent\n"
    "\n"
    "CONNINFO is libpq's: \"service=weighlock\", \"host=db dbname=hub sslmode=verify-full\"; without it PGSERVICE, "
    "PGHOST\n"
    "and the like count. Keep passwords in PGPASSFILE.\n"
    "\n"
    "exit status: 0 done, 1 some of it is not as wished, 2 usage, 3 it could not be done\n";

static int find_and_run(struct fleet *f, const char *name)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(commands[i].name, name) == 0)
			return commands[i].run(f);
	}
	fleet_say("unknown command '%s'", name);
	return EXIT_USAGE;
}

static int print(const char *text)
{
	return fputs(text, stdout) < 0 || fflush(stdout) != 0 ? EXIT_FAULT : EXIT_OK;
}

int main(int argc, char **argv)
{
	const char *conninfo = "";
	bool help = false, version = false;
	const struct option_row rows[] = { { "--database", &conninfo, NULL }, { "--help", NULL, &help },
		{ "--version", NULL, &version } };
	int at = options_read(argc - 1, argv + 1, rows, sizeof(rows) / sizeof(rows[0])), status;
	struct fleet f;

	json_memory_or_end(malloc);
	if (at < 0)
		return EXIT_USAGE;
	if (help)
		return print(usage);
	if (version)
		return print("weighlock-fleet " WLK_VERSION "\n");
	argv += at + 1;
	argc -= at + 1;
	if (argc < 1) {
		fputs(usage, stderr);
		return EXIT_USAGE;
	}
	f = (struct fleet){ .truth = { .conninfo = conninfo },
		.hints = { .conninfo = conninfo, .lazy = true },
		.argc = argc - 1,
		.argv = argv + 1 };
	status = find_and_run(&f, argv[0]);
	database_close(&f.hints);
	database_close(&f.truth);
	return status;
}
