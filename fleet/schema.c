/* See schema.h. */
#include "schema.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "say.h"

#define LOCK "pg_advisory_xact_lock(7781234051)" /* ours, whoever else locks in this database */

struct migration {
	int version;
	const char *sql;
};

#include "migrations.h"

#define N_MIGRATIONS (sizeof(migrations) / sizeof(migrations[0]))

static const struct statement version = { "version", "select coalesce(max(version), 0) from weighlock.migration", 0 };

static int newest(void)
{
	return migrations[N_MIGRATIONS - 1].version;
}

static int read_version(struct database *d, int *ret)
{
	PGresult *r = database_ask(d, &version, NULL);

	if (r == NULL)
		return -EIO;
	*ret = (int)database_number(r, 0, 0);
	PQclear(r);
	return 0;
}

static int migrate(struct database *d, const struct migration *m)
{
	char note[96];

	snprintf(note, sizeof(note), "insert into weighlock.migration (version) values (%d)", m->version);
	if (database_run(d, "set local search_path = weighlock, pg_catalog") < 0 || database_run(d, m->sql) < 0 ||
	    database_run(d, note) < 0)
		return -EIO;
	fleet_say("the database is of version %d now", m->version);
	return 0;
}

static int migrate_all(struct database *d)
{
	int have;

	if (database_run(d, "select " LOCK) < 0 || database_run(d, "create schema if not exists weighlock") < 0 ||
	    database_run(d, "create table if not exists weighlock.migration (version integer primary key, added "
			    "timestamptz not null default now())") < 0 ||
	    read_version(d, &have) < 0)
		return -EIO;
	if (have > newest())
		return -EPROTO;
	for (size_t i = 0; i < N_MIGRATIONS; i++) {
		if (migrations[i].version > have && migrate(d, &migrations[i]) < 0)
			return -EIO;
	}
	return database_run(d, "commit");
}

int schema_migrate(struct database *d)
{
	int r = database_run(d, "begin");

	if (r == 0)
		r = migrate_all(d);
	if (r < 0)
		database_close(d); /* which takes it back */
	if (r == -EPROTO)
		fleet_say("the database is of a later version than this program");
	return r;
}

int schema_check(struct database *d)
{
	int have;

	if (read_version(d, &have) < 0)
		return -EIO;
	if (have == newest())
		return 0;
	fleet_say("the database is of version %d and this program of %d: run `weighlock-fleet setup`", have, newest());
	return -EPROTO;
}
