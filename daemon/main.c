/* weighlockd: see weighlockd(8).  Reads its configuration and becomes the monitor; or is one of those that the monitor
 * starts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "front.h"
#include "keeper.h"
#include "log.h"
#include "monitor.h"
#include "oom.h"
#include "role.h"

#define EXIT_USAGE 4 /* usage or configuration error, as for weighlock(1) */

static const struct {
	const char *name;
	int (*run)(const struct settings *s);
	int oom;
} roles[] = { { ROLE_FRONT, front_run, OOM_FRONT }, { ROLE_KEEPER, keeper_run, OOM_KEEPER } };

/* Their threads are not joined. */
static _Noreturn void be(size_t role)
{
	struct settings *s;
	int r;

	oom_go_sooner(roles[role].oom);
	r = role_begin(&s);

	if (r < 0) {
		log_errno(-r, "%s: this is for weighlockd itself to start", roles[role].name);
		_exit(EXIT_USAGE);
	}
	_exit(roles[role].run(s));
}

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

	for (size_t i = 0; argc == 2 && i < sizeof(roles) / sizeof(roles[0]); i++) {
		if (strcmp(argv[1], roles[i].name) == 0)
			be(i);
	}
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
