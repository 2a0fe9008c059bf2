/* What the store's two halves share: store.c has the rows, store_file.c the file. */
#pragma once

#include <sqlite3.h>

#include "store.h"

#define STORE_MAC_BYTES 32u

enum store_statement {
	SQL_BEGIN,
	SQL_COMMIT,
	SQL_ROLLBACK,
	SQL_GET,
	SQL_USED,
	SQL_FORGET,
	SQL_PUT,
	SQL_EVICT,
	SQL_FIND,
	SQL_TOTALS,
	SQL_VERSION,
	SQL_ALL,
	SQL_N
};

struct store {
	sqlite3 *db;
	sqlite3_stmt *statements[SQL_N];
	struct store_bounds bounds;
	uint8_t mac_key[32];
	uint64_t rows, bytes; /* as of: */
	int64_t version;      /* what SQLite says changes when another process has written; -1: not counted yet */
};

/* What a file of ours holds: tables and indexes, each as SQLite keeps its text, in the order they are made. */
struct sql_schema {
	int application_id; /* file(1) and we know it by this */
	int version;
	const char *const *texts;
	size_t n;
};

/**
 * sql_open() - open a database, and be sure that it is exactly what the schema says
 * Whatever the file says of itself is somebody's claim: no trigger, view or function out of it runs, cells are checked.
 * @ret: also set when it fails, for its message; sqlite3_close() takes NULL.
 * Return: 0; -EUCLEAN: damaged, or none of ours; -ENOENT; other negative errno.
 */
int sql_open(const char *path, enum store_mode mode, const struct sql_schema *schema, sqlite3 **ret);
int sql_run(sqlite3 *db, const char *sql);
int sql_prepare(sqlite3 *db, const char *const *texts, int n, sqlite3_stmt **ret);

/* SQLite's answer as an errno: 0; -EUCLEAN for damage; -EBUSY, -ENOSPC, -EROFS, -ENOMEM, -EIO. */
int store_errno(int sqlite_code);
/* The database's own text for its last failure, behind @what, as one line. */
void store_explain(const struct store *s, const char *what, char *error);
