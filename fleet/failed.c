/* weighlock-fleet failed: what waits for a person.  Nothing here is ever accepted by waiting. */
#include "commands.h"

#include <stdio.h>
#include <string.h>

#include "say.h"
#include "schema.h"

static const struct statement list = { "failed_list",
	"select i.id, f.cause, to_char(f.added at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"') from "
	"weighlock.failed f"
	" join weighlock.item i on i.n = f.item where $1 = 'all' or i.id = $1 order by f.added, i.n",
	1 };
static const struct statement attempts = { "failed_attempts",
	"select to_char(a.added at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"'), a.node, a.cause, a.doc, i.doc"
	" from weighlock.attempt a join weighlock.item i on i.n = a.item join weighlock.failed f on f.item = i.n"
	" where $1 = 'all' or i.id = $1 order by a.n",
	1 };
static const struct statement again = { "failed_retry",
	"with f as (delete from weighlock.failed f using weighlock.item i where i.n = f.item and ($1 = 'all' or i.id = "
	"$1)"
	" returning f.item, f.lane), n as (select pg_notify('weighlock_jobs', ''))"
	" insert into weighlock.job (item, lane) select item, f.lane from f, n on conflict do nothing returning 1",
	1 };
/* It stays in the list of failures of the inventory's past; reconcile does not bring it back. */
static const struct statement drop = { "failed_drop",
	"update weighlock.failed f set cause = 'dropped' from weighlock.item i where i.n = f.item and ($1 = 'all' or "
	"i.id = $1)"
	" and f.cause <> 'dropped' returning 1",
	1 };

static int print_rows(const PGresult *r, int columns)
{
	int ok = 0;

	for (int i = 0; i < PQntuples(r); i++) {
		for (int k = 0; k < columns && ok >= 0; k++)
			ok = printf("%s%s", PQgetvalue(r, i, k), k + 1 < columns ? "\t" : "\n");
	}
	return ok < 0 || fflush(stdout) != 0 ? EXIT_FAULT : EXIT_OK;
}

/* @columns: 0: how many rows there were is what it says. */
static int run(struct fleet *f, const struct statement *s, const char *id, int columns)
{
	PGresult *r;
	int status;

	if (schema_check(&f->truth) < 0 || (r = database_ask(&f->truth, s, &id)) == NULL)
		return EXIT_FAULT;
	if (columns > 0)
		status = print_rows(r, columns);
	else
		status = printf("%d\n", PQntuples(r)) < 0 ? EXIT_FAULT : EXIT_OK;
	if (status == EXIT_OK && PQntuples(r) == 0 && strcmp(id, "all") != 0) {
		fleet_say("nothing that failed has the id %s", id);
		status = EXIT_SOME;
	}
	PQclear(r);
	return status;
}

int cmd_failed(struct fleet *f)
{
	static const struct {
		const char *name;
		const struct statement *s;
		int columns;
	} ways[] = { { "list", &list, 3 }, { "show", &attempts, 5 }, { "retry", &again, 0 }, { "drop", &drop, 0 } };
	const char *way = f->argc > 0 ? f->argv[0] : "", *id = f->argc > 1 ? f->argv[1] : NULL;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		if (strcmp(ways[i].name, way) == 0 && f->argc <= 2 && (id != NULL || ways[i].s == &list))
			return run(f, ways[i].s, id != NULL ? id : "all", ways[i].columns);
	}
	fleet_say("failed takes list, or show, retry or drop and an id, or all");
	return EXIT_USAGE;
}
