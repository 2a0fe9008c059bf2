/* weighlockd: see weighlockd(8).  Reads its configuration and becomes the monitor. */
#include <stdio.h>
#include <stdlib.h>

#include "log.h"
#include "monitor.h"

#define EXIT_USAGE 4 /* usage or configuration error, as for weighlock(1) */

static int check(struct settings *s)
{
	for (size_t i = 0; i < s->n_policies; i++)
		printf("policy %s %s\n", policy_name(s->policies[i]), policy_sha256(s->policies[i]));
	printf("configuration is good\n");
	settings_free(s);
	return EXIT_SUCCESS;
}

int main(int argc, char *argv[])
{
	char error[POLICY_ERROR_MAX];
	enum config_what what;
	struct settings *s;

	if (settings_load(argc, argv, &s, &what, error) < 0) {
		log_line("%s", error);
		return EXIT_USAGE;
	}
	switch (what) {
	case CONFIG_CHECK: return check(s);
	case CONFIG_VERSION: printf("weighlockd %s\n", WLK_VERSION); return EXIT_SUCCESS;
	case CONFIG_HELP: config_help(stdout); return EXIT_SUCCESS;
	case CONFIG_RUN: break;
	}
	return monitor_run(argc, argv, s);
}
