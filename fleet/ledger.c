/* See ledger.h. */
#include "ledger.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "say.h"

#define NUMBER_MAX 24
#define HEX "'hex')"

static const struct statement record = { "record",
	"select weighlock.record($1::bigint, decode($2, " HEX ", $3::bigint, $4, decode($5, " HEX
	", $6::int, $7, $8, decode($9, " HEX ", $10, $11::boolean, decode($12, " HEX
	", rtrim($13, E'\\n')), pg_notify('weighlock_answers', '')",
	13 };
static const struct statement attempt = { "attempt",
	"insert into weighlock.attempt (item, cause, node, doc) values ($1::bigint, $2, $3, $4)", 4 };
static const struct statement alarm_row = { "alarm",
	"insert into weighlock.alarm (item, kind, doc) values ($1::bigint, $2, $3)", 3 };

static const char *number(char *ret, int64_t value)
{
	snprintf(ret, NUMBER_MAX, "%lld", (long long)value);
	return ret;
}

int ledger_record(struct database *d, const struct queue_job *job, const struct ruling *r, const char *json)
{
	char item[NUMBER_MAX], size[NUMBER_MAX], version[NUMBER_MAX];
	const char *const values[] = { number(item, job->item), job->job.sha256, number(size, (int64_t)job->job.size),
		job->job.name, r->rules, number(version, r->rules_version), r->reader, r->policy, r->policy_sha256,
		r->verdict, r->complete ? "true" : "false", r->facts_sha256, json };
	PGresult *got = database_ask(d, &record, values);

	if (got == NULL)
		return d->conn == NULL ? -EIO : -EINVAL;
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

int ledger_attempt(
    struct database *d, const struct queue_job *job, const char *cause, const char *node, const char *json)
{
	char item[NUMBER_MAX];
	const char *const values[] = { number(item, job->item), cause, node, json };

	return database_tell(d, &attempt, values);
}

int ledger_alarm(struct database *d, const struct queue_job *job, const char *kind, const char *json)
{
	char item[NUMBER_MAX];
	const char *const values[] = { number(item, job->item), kind, json };

	fleet_say("ALARM %s: id=%s sha256=%s", kind, job->job.id, job->job.sha256);
	return database_tell(d, &alarm_row, values);
}
