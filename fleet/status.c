/* weighlock-fleet status: where a fleet stands, for people and for Prometheus. */
#include "commands.h"

#include <stdio.h>
#include <string.h>

#include "say.h"
#include "schema.h"

/* One row a number: group, name, value.  Leased: with somebody now; waiting: for its delay. */
static const struct statement numbers = { "numbers",
	"with lane(n, name) as (values (0, 'small'), (1, 'large'), (2, 'rescan')), j as (select lane,"
	" count(*) filter (where token <> 0 and ready_at > now()) leased,"
	" count(*) filter (where token = 0 and ready_at > now()) waiting, count(*) filter (where ready_at <= now()) "
	"ready,"
	" coalesce(extract(epoch from now() - min(ready_at))::bigint, 0) oldest from weighlock.job group by lane)"
	" select * from ("
	" select 1 o, 'jobs_ready' g, 'lane' label, lane.name, coalesce(j.ready, 0) v from lane left join j on j.lane "
	"= lane.n"
	" union all select 2, 'jobs_leased', 'lane', lane.name, coalesce(j.leased, 0) from lane left join j on j.lane "
	"= lane.n"
	" union all select 3, 'jobs_waiting', 'lane', lane.name, coalesce(j.waiting, 0) from lane left join j on "
	"j.lane = lane.n"
	" union all select 4, 'oldest_ready_seconds', 'lane', lane.name, greatest(coalesce(j.oldest, 0), 0) from lane"
	" left join j on j.lane = lane.n"
	" union all select 5, 'items', '', '', (select count(*) from weighlock.item)"
	" union all select 6, 'verdicts', 'verdict', w, (select count(*) from weighlock.verdict where verdict = w)"
	" from unnest(array['accept', 'review', 'reject']) w"
	" union all select 7, 'failed', '', '', (select count(*) from weighlock.failed)"
	" union all select 8, 'alarms', 'kind', kind, count(*) from weighlock.alarm group by kind"
	") t order by o, name",
	0 };

/* For Prometheus: what a group's numbers mean. */
static const char *help_of(const char *group)
{
	static const char *const help[][2] = { { "jobs_ready", "Jobs that wait for an agent." },
		{ "jobs_leased", "Jobs that an agent has." }, { "jobs_waiting", "Jobs that wait for their next attempt." },
		{ "oldest_ready_seconds", "How long the oldest ready job has waited." }, { "items", "Files in the inventory." },
		{ "verdicts", "Verdicts, of all rules." }, { "failed", "Jobs that wait for a person." },
		{ "alarms", "What must not be: other bytes than announced, two verdicts for one file." } };

	for (size_t i = 0; i < sizeof(help) / sizeof(help[0]); i++) {
		if (strcmp(group, help[i][0]) == 0)
			return help[i][1];
	}
	return group;
}

static int print_row(const PGresult *r, int i, bool metrics)
{
	const char *group = PQgetvalue(r, i, 1), *label = PQgetvalue(r, i, 2), *name = PQgetvalue(r, i, 3),
		   *value = PQgetvalue(r, i, 4);

	if (!metrics)
		return printf("%-22s %-18s %12s\n", group, name, value);
	if (i == 0 || strcmp(group, PQgetvalue(r, i - 1, 1)) != 0)
		printf("# HELP weighlock_fleet_%s %s\n# TYPE weighlock_fleet_%s gauge\n", group, help_of(group), group);
	if (label[0] == '\0')
		return printf("weighlock_fleet_%s %s\n", group, value);
	return printf("weighlock_fleet_%s{%s=\"%s\"} %s\n", group, label, name, value);
}

int cmd_status(struct fleet *f)
{
	bool metrics = false;
	const struct option_row rows[] = { { "--metrics", NULL, &metrics } };
	PGresult *r;
	int ok = 0;

	if (options_read(f->argc, f->argv, rows, 1) != f->argc) {
		fleet_say("status takes --metrics");
		return EXIT_USAGE;
	}
	if (schema_check(&f->truth) < 0 || (r = database_ask(&f->truth, &numbers, NULL)) == NULL)
		return EXIT_FAULT;
	for (int i = 0; i < PQntuples(r) && ok >= 0; i++)
		ok = print_row(r, i, metrics);
	PQclear(r);
	return ok < 0 || fflush(stdout) != 0 ? EXIT_FAULT : EXIT_OK;
}
