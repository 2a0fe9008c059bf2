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

/* SQLite's answer as an errno: 0; -EUCLEAN for damage; -EBUSY, -ENOSPC, -EROFS, -ENOMEM, -EIO. */
int store_errno(int sqlite_code);
/* The database's own text for its last failure, behind @what, as one line. */
void store_explain(const struct store *s, const char *what, char *error);
