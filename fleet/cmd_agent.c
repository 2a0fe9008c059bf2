/* weighlock-fleet setup, agent: what an operator runs on a machine. */
#include "commands.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "agent.h"
#include "queue_pg.h"
#include "say.h"
#include "schema.h"

int cmd_setup(struct fleet *f)
{
	if (options_read(f->argc, f->argv, NULL, 0) != f->argc) {
		fleet_say("setup takes no options");
		return EXIT_USAGE;
	}
	return schema_migrate(&f->truth) < 0 ? EXIT_FAULT : EXIT_OK;
}

/* --root may come again, which the table of options cannot say. */
static int take_roots(int argc, char **argv, struct roots *r, int *ret_n)
{
	int n = 0;

	for (int i = 0; i < argc; i++) {
		const char *path = strncmp(argv[i], "--root=", 7) == 0 ? argv[i] + 7 : NULL;
		int error;

		if (strcmp(argv[i], "--root") == 0 && i + 1 < argc)
			path = argv[++i];
		if (path == NULL) {
			argv[n++] = argv[i];
			continue;
		}
		error = roots_add(r, path);
		if (error < 0) {
			fleet_say("--root %s: %s", path,
			    error == -EINVAL ? "it is to be absolute, without a slash at its end" : strerror(-error));
			return -1;
		}
	}
	*ret_n = n;
	return 0;
}

static int serve(struct fleet *f, const struct agent_settings *settings, const struct roots *roots)
{
	struct queue_pg pg = { .db = &f->hints, .node = settings->node };
	struct queue queue;
	int r;

	f->hints.listens = "weighlock_jobs";
	queue_pg_init(&pg, &queue);
	if (schema_check(&f->truth) < 0 || database_open(&f->hints) < 0)
		return EXIT_FAULT;
	r = agent_run(settings, roots, &queue, &f->truth, &f->hints);
	if (r < 0)
		fleet_say("%s", strerror(-r));
	return r < 0 ? EXIT_FAULT : EXIT_OK;
}

int cmd_agent(struct fleet *f)
{
	char host[256] = "";
	const char *jobs = "8", *node = NULL;
	struct agent_settings set = { 0 };
	const struct option_row rows[] = { { "--socket", &set.socket_path, NULL }, { "--jobs", &jobs, NULL },
		{ "--node", &node, NULL }, { "--until-empty", NULL, &set.until_empty } };
	struct roots roots = { 0 };
	int n, status;

	if (take_roots(f->argc, f->argv, &roots, &n) < 0)
		return EXIT_USAGE;
	if (options_read(n, f->argv, rows, sizeof(rows) / sizeof(rows[0])) != n ||
	    !option_number("--jobs", jobs, AGENT_PLACES_MAX, &set.places)) {
		roots_close(&roots);
		return EXIT_USAGE;
	}
	(void)gethostname(host, sizeof(host) - 1);
	set.node = node != NULL ? node : host;
	if (roots.n == 0)
		fleet_say("no --root: every job will be set aside");
	status = serve(f, &set, &roots);
	roots_close(&roots);
	return status;
}
