/* weighlock-fleet reconcile: the inventory against the verdicts.  Whatever has none by the current rules, and is neither queued nor
 * set aside, is queued as a rescan: so everything that a queue can lose becomes a delay. */
#include "commands.h"

#include <stdio.h>
#include <string.h>

#include "job.h"
#include "hex.h"
#include "say.h"
#include "schema.h"

#define RANGE 10000 /* items a statement: short ones, so that agents never wait for us */

static const struct statement newest_rules = { "newest_rules",
	"select encode(rules, 'hex') from weighlock.verdict order by rules_version desc, n desc limit 1", 0 };
static const struct statement last_item = { "last_item", "select coalesce(max(n), 0) from weighlock.item", 0 };
static const struct statement enqueue = { "enqueue",
	"insert into weighlock.job (item, lane) select i.n, $4::smallint from weighlock.item i"
	" where i.n > $1::bigint and i.n <= $2::bigint"
	" and not exists (select from weighlock.answer a where a.item = i.n and a.rules = decode($3, 'hex'))"
	" and not exists (select from weighlock.failed f where f.item = i.n) on conflict do nothing returning 1",
	4 };
static const struct statement tell_agents = { "tell_agents", "select pg_notify('weighlock_jobs', '')", 0 };

/* "": nobody has judged anything, so that nothing has a verdict. */
static int find_rules(struct database *d, const char *asked, char *ret)
{
	PGresult *r;

	snprintf(ret, SHA256_HEX + 1, "%s", asked);
	if (asked[0] != '\0')
		return 0;
	r = database_ask(d, &newest_rules, NULL);
	if (r == NULL)
		return -1;
	if (PQntuples(r) > 0)
		snprintf(ret, SHA256_HEX + 1, "%s", PQgetvalue(r, 0, 0));
	PQclear(r);
	return 0;
}

static int ask_number(struct database *d, const struct statement *s, int64_t *ret)
{
	PGresult *r = database_ask(d, s, NULL);

	if (r == NULL)
		return -1;
	*ret = database_number(r, 0, 0);
	PQclear(r);
	return 0;
}

static int enqueue_range(struct database *d, int64_t after, const char *rules, size_t *n)
{
	char from[DATABASE_NUMBER_MAX], to[DATABASE_NUMBER_MAX], lane[DATABASE_NUMBER_MAX];
	const char *const values[] = { database_write_number(from, after), database_write_number(to, after + RANGE),
		rules, database_write_number(lane, LANE_RESCAN) };
	PGresult *r = database_ask(d, &enqueue, values);

	if (r == NULL)
		return -1;
	*n += (size_t)PQntuples(r);
	PQclear(r);
	return 0;
}

static int run(struct database *d, const char *asked)
{
	char rules[SHA256_HEX + 1];
	int64_t last;
	size_t n = 0;

	if (schema_check(d) < 0 || find_rules(d, asked, rules) < 0 || ask_number(d, &last_item, &last) < 0)
		return EXIT_FAULT;
	for (int64_t at = 0; at < last; at += RANGE) {
		if (enqueue_range(d, at, rules, &n) < 0)
			return EXIT_FAULT;
	}
	if (n > 0 && database_tell(d, &tell_agents, NULL) < 0)
		return EXIT_FAULT;
	printf("%zu queued\n", n);
	return EXIT_OK;
}

int cmd_reconcile(struct fleet *f)
{
	const char *rules = "";
	const struct option_row rows[] = { { "--rules", &rules, NULL } };

	if (options_read(f->argc, f->argv, rows, 1) != f->argc || (rules[0] != '\0' && !is_sha256_hex(rules))) {
		fleet_say("reconcile takes --rules and 64 lower-case digits");
		return EXIT_USAGE;
	}
	return run(&f->truth, rules);
}
