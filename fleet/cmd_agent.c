/* weighlock-fleet setup, agent: what an operator runs on a machine. */
#include "commands.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "agent.h"
#include "fetch.h"
#include "queue_pg.h"
#include "say.h"
#include "schema.h"

#define BUDGET_MIB_MAX (1u << 24)

int cmd_setup(struct fleet *f)
{
	if (options_read(f->argc, f->argv, NULL, 0) != f->argc) {
		fleet_say("setup takes no options");
		return EXIT_USAGE;
	}
	return schema_migrate(&f->truth) < 0 ? EXIT_FAULT : EXIT_OK;
}

/* Options that may come again, which the table of options cannot say. */
struct list_option {
	const char *name;
	int (*add)(void *to, const char *value);
	void *to;
	const char *wanted;
};

static int add_root(void *to, const char *value)
{
	return roots_add(to, value);
}

static int add_host(void *to, const char *value)
{
	return remote_allow_host(to, value);
}

static int add_net(void *to, const char *value)
{
	return remote_allow_net(to, value);
}

/* Return: words that it took; 0: it is another's; -1: told. */
static int take_listed(char **argv, int left, const struct list_option *o)
{
	const size_t n = strlen(o->name);
	const bool joined = strncmp(argv[0], o->name, n) == 0 && argv[0][n] == '=';
	const char *value = joined ? argv[0] + n + 1 : left > 1 && strcmp(argv[0], o->name) == 0 ? argv[1] : NULL;
	int r = value != NULL ? o->add(o->to, value) : 0;

	if (value == NULL)
		return 0;
	if (r == 0)
		return joined ? 1 : 2;
	fleet_say("%s %s: %s", o->name, value, r == -EINVAL ? o->wanted : strerror(-r));
	return -1;
}

/* Return: how many words are left, which @argv begins with then; -1: told. */
static int take_lists(int argc, char **argv, const struct list_option *o, size_t n_o)
{
	int n = 0;

	for (int i = 0; i < argc;) {
		int took = 0;

		for (size_t k = 0; k < n_o && took == 0; k++)
			took = take_listed(argv + i, argc - i, &o[k]);
		if (took < 0)
			return -1;
		if (took == 0)
			argv[n++] = argv[i++];
		i += took;
	}
	return n;
}

/* Nothing that is not listed is fetched: without a list there is nothing to do it with. */
static int open_fetcher(const struct fetch_settings *set, struct fetcher **ret)
{
	int r;

	*ret = NULL;
	if (set->allowed.n_hosts == 0 && set->allowed.s3 == NULL)
		return 0;
	if (set->allowed.s3 != NULL && !remote_is_host(set->allowed.s3)) {
		fleet_say("--s3 is HOST or HOST:PORT");
		return -EINVAL;
	}
	r = fetcher_new(set, ret);
	if (r < 0)
		fleet_say("nothing can be fetched: %s", r == -ENOSYS ? "this program was built without libcurl" : strerror(-r));
	return r;
}

static int serve(struct fleet *f, const struct agent_settings *settings, const struct roots *roots, struct fetcher *fetcher)
{
	struct queue_pg pg = { .db = &f->hints, .node = settings->node };
	struct queue queue;
	int r;

	f->hints.listens = "weighlock_jobs";
	queue_pg_init(&pg, &queue);
	if (schema_check(&f->truth) < 0 || database_open(&f->hints) < 0)
		return EXIT_FAULT;
	r = agent_run(settings, roots, fetcher, &queue, &f->truth, &f->hints);
	if (r < 0)
		fleet_say("%s", strerror(-r));
	return r < 0 ? EXIT_FAULT : EXIT_OK;
}

struct agent_options {
	struct agent_settings set;
	struct roots roots;
	struct fetch_settings fetch;
};

static bool read_options(int argc, char **argv, struct agent_options *o)
{
	const char *jobs = "8", *budget = "128";
	unsigned mib;
	const struct list_option lists[] = {
		{ "--root", add_root, &o->roots, "it is to be absolute, without a slash at its end" },
		{ "--allow-host", add_host, &o->fetch.allowed, "it is HOST, HOST:PORT or *.HOST" },
		{ "--allow-net", add_net, &o->fetch.allowed, "it is ADDRESS/BITS" },
	};
	const struct option_row rows[] = { { "--socket", &o->set.socket_path, NULL }, { "--jobs", &jobs, NULL },
		{ "--node", &o->set.node, NULL }, { "--until-empty", NULL, &o->set.until_empty },
		{ "--s3", &o->fetch.allowed.s3, NULL }, { "--s3-region", &o->fetch.region, NULL },
		{ "--s3-credentials", &o->fetch.credentials, NULL }, { "--ca", &o->fetch.ca, NULL },
		{ "--spool", &o->fetch.spool, NULL }, { "--budget", &budget, NULL } };
	int n = take_lists(argc, argv, lists, sizeof(lists) / sizeof(lists[0]));

	if (n < 0 || options_read(n, argv, rows, sizeof(rows) / sizeof(rows[0])) != n ||
	    !option_number("--jobs", jobs, AGENT_PLACES_MAX, &o->set.places) ||
	    !option_number("--budget", budget, BUDGET_MIB_MAX, &mib))
		return false;
	o->fetch.budget_bytes = (uint64_t)mib << 20;
	return true;
}

int cmd_agent(struct fleet *f)
{
	char host[256] = "";
	struct agent_options o = { .fetch = { .region = "us-east-1" } };
	struct fetcher *fetcher = NULL;
	int status = EXIT_USAGE;

	(void)gethostname(host, sizeof(host) - 1);
	o.set.node = host;
	if (read_options(f->argc, f->argv, &o) && open_fetcher(&o.fetch, &fetcher) == 0) {
		if (o.roots.n == 0 && fetcher == NULL)
			fleet_say("no --root, --allow-host or --s3: every job will be set aside");
		status = serve(f, &o.set, &o.roots, fetcher);
	}
	fetcher_free(fetcher);
	roots_close(&o.roots);
	return status;
}
