/* See queue_pg.h. */
#include "queue_pg.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "say.h"


static const struct statement fetch_jobs = { "fetch",
	"with ready as materialized (select item from weighlock.job where lane = $1::smallint and ready_at <= now()"
	" order by ready_at limit $2::int for update skip locked)"
	" update weighlock.job j set ready_at = now() + make_interval(secs => $3::int), token = "
	"nextval('weighlock.token'),"
	" node = $4, deliveries = j.deliveries + 1 from ready, weighlock.item i where j.item = ready.item and i.n = "
	"j.item"
	" returning j.item, j.token, j.deliveries, j.attempts, j.faults, i.doc, j.lane",
	4 };
static const struct statement extend_job = { "extend",
	"update weighlock.job set ready_at = now() + make_interval(secs => $3::int) where item = $1::bigint and token "
	"= $2::bigint"
	" returning 1",
	3 };
static const struct statement end_jobs = { "done",
	"delete from weighlock.job j using unnest($1::bigint[], $2::bigint[]) d(item, token) where j.item = d.item and "
	"j.token = d.token",
	2 };
static const struct statement retry_job = { "retry",
	"update weighlock.job set ready_at = now() + make_interval(secs => $3::int), token = 0, node = '',"
	" attempts = attempts + $4::int, faults = faults + $5::int, deliveries = deliveries - (1 - $4::int)"
	" where item = $1::bigint and token = $2::bigint",
	5 };
static const struct statement set_job_aside = { "set_aside",
	"with gone as (delete from weighlock.job where item = $1::bigint and token = $2::bigint returning item, lane)"
	" insert into weighlock.failed (item, cause, lane) select item, $3, lane from gone on conflict do nothing",
	3 };

/* A job whose document is not one of ours is nobody's: it is told, and its lease runs out again and again until a person looks. */
static bool read_job(const PGresult *r, int row, struct queue_job *ret)
{
	const char *doc = PQgetvalue(r, row, 5), *why = job_read(doc, strlen(doc), &ret->job);

	ret->item = database_number(r, row, 0);
	ret->token = database_number(r, row, 1);
	ret->deliveries = (unsigned)database_number(r, row, 2);
	ret->attempts = (unsigned)database_number(r, row, 3);
	ret->faults = (unsigned)database_number(r, row, 4);
	ret->job.lane = (enum job_lane)database_number(r, row, 6);
	if (why != NULL)
		fleet_say("item %lld of the inventory: %s", (long long)ret->item, why);
	return why == NULL && (size_t)ret->job.lane < N_JOB_LANES;
}

static int pg_fetch(void *ctx, enum job_lane lane, size_t n, struct queue_job *ret)
{
	struct queue_pg *p = ctx;
	char lane_text[DATABASE_NUMBER_MAX], n_text[DATABASE_NUMBER_MAX], lease[DATABASE_NUMBER_MAX];
	const char *const values[] = { database_write_number(lane_text, lane), database_write_number(n_text, (int64_t)n),
		database_write_number(lease, QUEUE_LEASE_S), p->node };
	PGresult *r = database_ask(p->db, &fetch_jobs, values);
	int got = 0;

	if (r == NULL)
		return -EIO;
	for (int i = 0; i < PQntuples(r); i++)
		got += read_job(r, i, &ret[got]) ? 1 : 0;
	PQclear(r);
	return got;
}

static int pg_extend(void *ctx, const struct queue_job *job)
{
	struct queue_pg *p = ctx;
	char item[DATABASE_NUMBER_MAX], token[DATABASE_NUMBER_MAX], lease[DATABASE_NUMBER_MAX];
	const char *const values[] = { database_write_number(item, job->item), database_write_number(token, job->token),
		database_write_number(lease, QUEUE_LEASE_S) };
	PGresult *r = database_ask(p->db, &extend_job, values);
	int n = r != NULL ? PQntuples(r) : -1;

	PQclear(r);
	return n < 0 ? -EIO : n == 0 ? -ENOENT : 0;
}

/* An array as PostgreSQL reads it: {1,2,3}. */
struct numbers {
	char at[QUEUE_DONE_MAX * DATABASE_NUMBER_MAX];
	size_t n;
};

static void add_number(struct numbers *a, int64_t value)
{
	a->n += (size_t)snprintf(a->at + a->n, sizeof(a->at) - a->n, "%c%lld", a->n == 0 ? '{' : ',', (long long)value);
}

/* There is room: the last number has less than DATABASE_NUMBER_MAX. */
static void end_numbers(struct numbers *a)
{
	(void)snprintf(a->at + a->n, sizeof(a->at) - a->n, "}");
}

static int pg_done(void *ctx, const struct queue_job *const *jobs, size_t n)
{
	static struct numbers items, tokens; /* static: too large for the stack */
	struct queue_pg *p = ctx;
	const char *const values[] = { items.at, tokens.at };

	items.n = tokens.n = 0;
	for (size_t i = 0; i < n && i < QUEUE_DONE_MAX; i++) {
		add_number(&items, jobs[i]->item);
		add_number(&tokens, jobs[i]->token);
	}
	end_numbers(&items);
	end_numbers(&tokens);
	return database_tell(p->db, &end_jobs, values);
}

static int pg_retry(void *ctx, const struct queue_job *job, unsigned delay_s, bool counts, bool fault)
{
	struct queue_pg *p = ctx;
	char item[DATABASE_NUMBER_MAX], token[DATABASE_NUMBER_MAX], delay[DATABASE_NUMBER_MAX];
	const char *const values[] = { database_write_number(item, job->item), database_write_number(token, job->token), database_write_number(delay, delay_s),
		counts ? "1" : "0", fault ? "1" : "0" };

	return database_tell(p->db, &retry_job, values);
}

static int pg_set_aside(void *ctx, const struct queue_job *job, const char *cause)
{
	struct queue_pg *p = ctx;
	char item[DATABASE_NUMBER_MAX], token[DATABASE_NUMBER_MAX];
	const char *const values[] = { database_write_number(item, job->item), database_write_number(token, job->token), cause };

	return database_tell(p->db, &set_job_aside, values);
}

void queue_pg_init(struct queue_pg *p, struct queue *ret)
{
	*ret = (struct queue){ .ctx = p,
		.fetch = pg_fetch,
		.extend = pg_extend,
		.done = pg_done,
		.retry = pg_retry,
		.set_aside = pg_set_aside };
}
