/* See ledger.h. */
#include "ledger.h"

#include <errno.h>
#include <string.h>

#include "say.h"

#define HEX "'hex')"

static const struct statement record = { "record",
	"select weighlock.record($1::bigint, decode($2, " HEX ", $3::bigint, $4, decode($5, " HEX
	", $6::int, $7, $8, decode($9, " HEX ", $10, $11::boolean, decode($12, " HEX
	", rtrim($13, E'\\n')), pg_notify('weighlock_answers', '')",
	13 };
static const struct statement attempt = { "attempt",
	"with a as (insert into weighlock.alarm (item, kind, doc) select $1::bigint, $2::text, $4::text where $5::boolean)"
	" insert into weighlock.attempt (item, cause, node, doc) values ($1::bigint, $2::text, $3, $4::text)",
	5 };

int ledger_record(struct database *d, const struct queue_job *job, const struct ruling *r, const char *json)
{
	char item[DATABASE_NUMBER_MAX], size[DATABASE_NUMBER_MAX], version[DATABASE_NUMBER_MAX];
	const char *const values[] = { database_write_number(item, job->item), job->job.sha256, database_write_number(size, (int64_t)job->job.size),
		job->job.name, r->rules, database_write_number(version, r->rules_version), r->reader, r->policy, r->policy_sha256,
		r->verdict, r->complete ? "true" : "false", r->facts_sha256, json };
	PGresult *got = database_ask(d, &record, values);

	if (got == NULL)
		return d->refused ? -EINVAL : -EIO;
	if (strcmp(PQgetvalue(got, 0, 0), "differs") == 0)
		fleet_say("ALARM verdict-differs: id=%s sha256=%s", job->job.id, job->job.sha256);
	PQclear(got);
	return 0;
}

int ledger_begin(struct database *d)
{
	return database_run(d, "begin");
}

int ledger_commit(struct database *d)
{
	return database_run(d, "commit");
}

void ledger_abort(struct database *d)
{
	if (d->conn != NULL)
		(void)database_run(d, "rollback");
}

int ledger_attempt(struct database *d, const struct queue_job *job, const char *cause, const char *node, const char *json,
    bool alarm)
{
	char item[DATABASE_NUMBER_MAX];
	const char *const values[] = { database_write_number(item, job->item), cause, node, json,
		alarm ? "true" : "false" };

	if (database_tell(d, &attempt, values) < 0)
		return d->refused ? -EINVAL : -EIO;
	if (alarm)
		fleet_say("ALARM %s: id=%s sha256=%s", cause, job->job.id, job->job.sha256);
	return 0;
}
