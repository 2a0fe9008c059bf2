/* See database.h. */
#include "database.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

#define AGAIN_MS 1000

/* Of libpq's texts the first line: the others are hints and contexts. */
static void tell(const char *what, const char *text)
{
	fleet_say("%s: %.*s", what, (int)strcspn(text, "\n"), text);
}

static void lose(struct database *d)
{
	PQfinish(d->conn);
	d->conn = NULL;
	d->n_prepared = 0;
	d->lost_ms = fleet_now_ms();
}

static int listen_again(struct database *d)
{
	char text[64];

	if (d->listens == NULL)
		return 0;
	snprintf(text, sizeof(text), "LISTEN %s", d->listens);
	return database_run(d, text);
}

#define OPTIONS "-c statement_timeout=10s -c lock_timeout=5s -c idle_in_transaction_session_timeout=60s"

static PGconn *dial(const struct database *d)
{
	/* Ours come first, so that the operator's win. */
	static const char *const names[] = { "application_name", "connect_timeout", "tcp_user_timeout", "options",
		"dbname", NULL };
	const char *const values[] = { "weighlock-fleet", "5", "10000",
		d->lazy ? OPTIONS " -c synchronous_commit=off" : OPTIONS, d->conninfo, NULL };

	return PQconnectdbParams(names, values, 1);
}

int database_open(struct database *d)
{
	if (d->conn != NULL)
		return 0;
	if (d->lost_ms != 0 && fleet_now_ms() - d->lost_ms < AGAIN_MS)
		return -EIO;
	d->conn = dial(d);
	if (PQstatus(d->conn) == CONNECTION_OK && PQsetClientEncoding(d->conn, "UTF8") == 0)
		return listen_again(d);
	fleet_say(
	    "the database is not reached: %.*s", (int)strcspn(PQerrorMessage(d->conn), "\n"), PQerrorMessage(d->conn));
	lose(d);
	return -EIO;
}

void database_close(struct database *d)
{
	if (d->conn != NULL)
		lose(d);
}

/* ---- answers ---- */

/* One that does not come in time is of a connection that is given up: what was asked may still happen, as after any loss. */
static PGresult *await(struct database *d)
{
	const int64_t until = fleet_now_ms() + DATABASE_WAIT_S * 1000 + 2000;
	PGresult *last = NULL, *next;

	for (;;) {
		while (PQisBusy(d->conn)) {
			struct pollfd p = { .fd = PQsocket(d->conn), .events = POLLIN };
			const int64_t left = until - fleet_now_ms();

			if (left <= 0 || (poll(&p, 1, (int)left) < 0 && errno != EINTR) || !PQconsumeInput(d->conn)) {
				PQclear(last);
				return NULL;
			}
		}
		next = PQgetResult(d->conn);
		if (next == NULL)
			return last;
		PQclear(last);
		last = next;
	}
}

/* Data exceptions and constraints (PostgreSQL, "Error Codes").  A full disk, a lock that takes too long and the like pass. */
static bool blames_values(const PGresult *r)
{
	const char *state = r != NULL ? PQresultErrorField(r, PG_DIAG_SQLSTATE) : NULL;

	return state != NULL && (strncmp(state, "22", 2) == 0 || strncmp(state, "23", 2) == 0);
}

static PGresult *checked(struct database *d, const char *what, bool sent)
{
	PGresult *r = sent ? await(d) : NULL;
	ExecStatusType status = r != NULL ? PQresultStatus(r) : PGRES_FATAL_ERROR;

	d->refused = blames_values(r);
	if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
		return r;
	tell(what, r != NULL ? PQresultErrorMessage(r) : "no answer from the database");
	PQclear(r);
	if (r == NULL || PQstatus(d->conn) != CONNECTION_OK)
		lose(d);
	return NULL;
}

static int prepare(struct database *d, const struct statement *s)
{
	PGresult *r;

	for (size_t i = 0; i < d->n_prepared; i++) {
		if (d->prepared[i] == s)
			return 0;
	}
	if (d->n_prepared == DATABASE_PREPARED_MAX)
		return -EIO;
	r = checked(d, s->name, PQsendPrepare(d->conn, s->name, s->sql, s->n, NULL) == 1);
	if (r == NULL)
		return -EIO;
	PQclear(r);
	d->prepared[d->n_prepared++] = s;
	return 0;
}

PGresult *database_ask(struct database *d, const struct statement *s, const char *const *values)
{
	d->refused = false;
	if (database_open(d) < 0 || prepare(d, s) < 0)
		return NULL;
	return checked(d, s->name, PQsendQueryPrepared(d->conn, s->name, s->n, values, NULL, NULL, 0) == 1);
}

int database_tell(struct database *d, const struct statement *s, const char *const *values)
{
	PGresult *r = database_ask(d, s, values);

	PQclear(r);
	return r != NULL ? 0 : -EIO;
}

int database_run(struct database *d, const char *sql)
{
	PGresult *r;

	if (database_open(d) < 0)
		return -EIO;
	r = checked(d, "database", PQsendQuery(d->conn, sql) == 1);
	PQclear(r);
	return r != NULL ? 0 : -EIO;
}

bool database_was_notified(struct database *d)
{
	PGnotify *n;
	bool was = false;

	if (d->conn == NULL)
		return false;
	if (!PQconsumeInput(d->conn)) {
		lose(d);
		return true; /* look: who was not connected heard nothing */
	}
	while ((n = PQnotifies(d->conn)) != NULL) {
		was = true;
		PQfreemem(n);
	}
	return was;
}

const char *database_write_number(char *ret, int64_t value)
{
	snprintf(ret, DATABASE_NUMBER_MAX, "%lld", (long long)value);
	return ret;
}

int64_t database_number(const PGresult *r, int row, int column)
{
	return strtoll(PQgetvalue(r, row, column), NULL, 10);
}
