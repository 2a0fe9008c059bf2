/* A connection to PostgreSQL, which holds the truth (inventory, verdicts) and by default the queue.  Its answers are awaited, each
 * for a bounded time.  A connection that is lost is made anew by whoever asks next, not more often than once a second. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libpq-fe.h>

#define DATABASE_WAIT_S 10 /* for an answer */
#define DATABASE_PREPARED_MAX 32
#define DATABASE_NUMBER_MAX 24 /* of a number as text, with its end */

struct statement {
	const char *name, *sql;
	int n; /* parameters, all of them texts */
};

struct database {
	const char
	    *conninfo;   /* the caller's; as of libpq: also "service=..." or "" and PG... variables.  Never logged. */
	PGconn *conn;    /* NULL: lost */
	int64_t lost_ms; /* on the monotonic clock */
	const char *listens; /* a channel, or NULL */
	bool lazy;           /* what was answered may be lost in a crash: for hints */
	bool refused;        /* the last question: its values are at fault, and asked again they get the same answer */
	const struct statement *prepared[DATABASE_PREPARED_MAX];
	size_t n_prepared;
};

/* Return: 0, or -EIO: told once a second at most, without what the operator's settings hold. */
int database_open(struct database *d);
void database_close(struct database *d);

/**
 * database_ask() - one statement
 * @values: s->n texts, NULL for null
 * Return: the answer, to be freed with PQclear(); NULL: it was told, and the connection may be lost (d->conn is NULL then).
 */
PGresult *database_ask(struct database *d, const struct statement *s, const char *const *values);

/* The same for who wants no row.  Return: 0 or -EIO. */
int database_tell(struct database *d, const struct statement *s, const char *const *values);

/* Text that is no statement with parameters: migrations, BEGIN.  Return: 0 or -EIO. */
int database_run(struct database *d, const char *sql);

/* Take what has come in; was there a notification? */
bool database_was_notified(struct database *d);

/* A number as a statement takes it.  @ret: DATABASE_NUMBER_MAX bytes.  Return: @ret. */
const char *database_write_number(char *ret, int64_t value);

/* A number of a row; 0 for null. */
int64_t database_number(const PGresult *r, int row, int column);
