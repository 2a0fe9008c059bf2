/* The store's file: opening it, being sure that it is ours, and its key.  See store.h. */
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store_sql.h"

#define APPLICATION_ID 0x774c6b31 /* "wLk1": file(1) and we know it by this */
#define SCHEMA_VERSION 2
#define PATH_BYTES_MAX 4096

/* Table and indexes, each as SQLite keeps its text.  by_day has the order in which rows go (of one day the oldest first: by
 * size, who fills the store with large ones would keep everybody's small ones out), and the bytes, so that sums do not read
 * the rows. */
#define CREATE_VERDICTS                                                            \
	"CREATE TABLE verdicts(id INTEGER PRIMARY KEY, key BLOB NOT NULL, "        \
	"sha256 BLOB NOT NULL, size INTEGER NOT NULL, used_day INTEGER NOT NULL, " \
	"bytes INTEGER NOT NULL, entry BLOB NOT NULL, mac BLOB NOT NULL) STRICT"

static const char *const tables[] = {
	CREATE_VERDICTS,
	"CREATE UNIQUE INDEX by_key ON verdicts(key)",
	"CREATE INDEX by_sha256 ON verdicts(sha256)",
	"CREATE INDEX by_day ON verdicts(used_day, id, bytes)",
};

static const struct sql_schema verdicts = { APPLICATION_ID, SCHEMA_VERSION, tables,
	sizeof(tables) / sizeof(tables[0]) };

/* NORMAL: a power cut may take the last rows, never the file; they are a cache. */
static const char settings[] = "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;"
			       "PRAGMA temp_store = MEMORY; PRAGMA synchronous = NORMAL;"
			       "PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -4096;";

static const char *const texts[SQL_N] = {
	[SQL_BEGIN] = "BEGIN IMMEDIATE",
	[SQL_COMMIT] = "COMMIT",
	[SQL_ROLLBACK] = "ROLLBACK",
	[SQL_GET] = "SELECT id, key, sha256, size, entry, mac, used_day FROM verdicts WHERE key = ?1",
	[SQL_USED] = "UPDATE verdicts SET used_day = ?2 WHERE id = ?1",
	[SQL_FORGET] = "DELETE FROM verdicts WHERE key = ?1 RETURNING bytes",
	[SQL_PUT] =
	    "INSERT INTO verdicts(key, sha256, size, used_day, bytes, entry, mac) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)",
	[SQL_EVICT] = "DELETE FROM verdicts WHERE id = (SELECT id FROM verdicts ORDER BY used_day, id LIMIT 1) "
		      "RETURNING bytes",
	[SQL_FIND] = "SELECT id, key, sha256, size, entry, mac, used_day FROM verdicts WHERE sha256 = ?1 ORDER BY id",
	[SQL_TOTALS] =
	    "SELECT count(*), coalesce(sum(bytes), 0), coalesce(min(used_day), -1), coalesce(max(used_day), -1) "
	    "FROM verdicts",
	[SQL_VERSION] = "PRAGMA data_version",
	[SQL_ALL] = "SELECT id, key, sha256, size, entry, mac, used_day FROM verdicts ORDER BY id",
};

int store_errno(int sqlite_code)
{
	switch (sqlite_code & 0xff) {
	case SQLITE_OK:
	case SQLITE_ROW:
	case SQLITE_DONE: return 0;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_MISMATCH: return -EUCLEAN;
	case SQLITE_BUSY:
	case SQLITE_LOCKED: return -EBUSY;
	case SQLITE_FULL: return -ENOSPC;
	case SQLITE_READONLY:
	case SQLITE_PERM:
	case SQLITE_AUTH: return -EROFS;
	case SQLITE_CANTOPEN: return -ENOENT;
	case SQLITE_NOMEM: return -ENOMEM;
	case SQLITE_TOOBIG: return -EFBIG;
	default: return -EIO;
	}
}

void store_explain(const struct store *s, const char *what, char *error)
{
	(void)snprintf(error, STORE_ERROR_MAX, "%s: %s", what, sqlite3_errmsg(s->db));
}

int sql_run(sqlite3 *db, const char *sql)
{
	return store_errno(sqlite3_exec(db, sql, NULL, NULL, NULL));
}

static int64_t read_pragma(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *stmt;
	int64_t value = -1;

	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		return -1;
	if (sqlite3_step(stmt) == SQLITE_ROW)
		value = sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return value;
}

/* ---- is it ours? ---- */

static int create(sqlite3 *db, const struct sql_schema *schema)
{
	char sql[4096];
	int n = snprintf(sql, sizeof(sql), "BEGIN IMMEDIATE; PRAGMA application_id = %d; PRAGMA user_version = %d;",
	    schema->application_id, schema->version);

	for (size_t i = 0; i < schema->n; i++)
		n += snprintf(sql + n, sizeof(sql) - (size_t)n, "%s;", schema->texts[i]);
	(void)snprintf(sql + n, sizeof(sql) - (size_t)n, "COMMIT;");
	return sql_run(db, sql);
}

/* Exactly our tables and indexes, in the order they were made, and nothing that could run. */
static int check_schema(sqlite3 *db, const struct sql_schema *schema)
{
	sqlite3_stmt *stmt;
	size_t n = 0;
	int r = sqlite3_prepare_v2(db, "SELECT sql FROM sqlite_schema ORDER BY rowid", -1, &stmt, NULL);
	bool same = true;

	while (r == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW) {
		const unsigned char *sql = sqlite3_column_text(stmt, 0);

		same = same && sql != NULL && n < schema->n && strcmp((const char *)sql, schema->texts[n]) == 0;
		n++;
	}
	if (r == SQLITE_OK)
		r = sqlite3_finalize(stmt);
	if (r != SQLITE_OK)
		return store_errno(r);
	return same && n == schema->n && read_pragma(db, "PRAGMA application_id") == schema->application_id &&
		       read_pragma(db, "PRAGMA user_version") == schema->version
		   ? 0
		   : -EUCLEAN;
}

/* A new file has pages of nothing; a file that is being made by somebody else is locked until it is whole. */
static bool is_new(sqlite3 *db)
{
	return read_pragma(db, "PRAGMA page_count") == 0;
}

int sql_prepare(sqlite3 *db, const char *const *queries, int n, sqlite3_stmt **ret)
{
	int r = SQLITE_OK;

	for (int i = 0; i < n && r == SQLITE_OK; i++)
		r = sqlite3_prepare_v3(db, queries[i], -1, SQLITE_PREPARE_PERSISTENT, &ret[i], NULL);
	return store_errno(r);
}

static int open_database(const char *path, enum store_mode mode, sqlite3 **ret)
{
	int flags = (mode == STORE_LOOK ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) |
		    (mode == STORE_KEEP ? SQLITE_OPEN_CREATE : 0) | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW;
	int r;

	if (mode != STORE_KEEP && access(path, F_OK) < 0)
		return -errno;
	r = sqlite3_open_v2(path, ret, flags, NULL);
	if (r != SQLITE_OK)
		return store_errno(r);
	sqlite3_extended_result_codes(*ret, 1);
	sqlite3_busy_timeout(*ret, STORE_BUSY_MS);
	sqlite3_limit(*ret, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_db_config(*ret, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(*ret, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(*ret, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	return sql_run(*ret, settings);
}

int sql_open(const char *path, enum store_mode mode, const struct sql_schema *wanted, sqlite3 **ret)
{
	int r;

	*ret = NULL;
	r = open_database(path, mode, ret);
	/* Both are properties of the file, to be set before there is anything in it. */
	if (r == 0 && mode == STORE_KEEP && is_new(*ret))
		r = sql_run(*ret, "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL;");
	if (r == 0 && mode == STORE_KEEP && read_pragma(*ret, "SELECT count(*) FROM sqlite_schema") == 0)
		r = create(*ret, wanted);
	return r == 0 ? check_schema(*ret, wanted) : r;
}

/* ---- the key of the HMACs ---- */

/* A new file, and not the old one written over: who has that one open, or may open it, would read the new key, too. */
static int make_key(const char *path, uint8_t key[32])
{
	int fd = -1, r = unlink(path) < 0 && errno != ENOENT ? -errno : 0;

	if (r == 0)
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return r < 0 ? r : -errno;
	if (getrandom(key, 32, 0) != 32 || write(fd, key, 32) != 32 || fsync(fd) < 0)
		r = errno ? -errno : -EIO;
	close(fd);
	return r;
}

/* What others may read or write is no secret: rows could be theirs. */
static bool is_secret(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid() &&
	       (st.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

/* Rows under a key that is lost, or known to others, are not read any more, and go in their time. */
static int load_key(struct store *s, const char *database, enum store_mode mode)
{
	char path[PATH_BYTES_MAX];
	ssize_t n = 0;
	int fd;

	if (snprintf(path, sizeof(path), "%s" STORE_KEY_SUFFIX, database) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0 && (errno != ENOENT || mode != STORE_KEEP))
		return -errno;
	if (fd >= 0 && (mode != STORE_KEEP || is_secret(fd)))
		n = read(fd, s->mac_key, sizeof(s->mac_key));
	if (fd >= 0)
		close(fd);
	if (n == (ssize_t)sizeof(s->mac_key))
		return 0;
	return mode == STORE_KEEP ? make_key(path, s->mac_key) : -EUCLEAN;
}

/* libcrypto reads its configuration and looks for its code when it is first used: now, for a keeper has a jail to go
 * to. */
static int warm_up(const struct store *s)
{
	uint8_t mac[EVP_MAX_MD_SIZE];
	unsigned n;

	return HMAC(EVP_sha256(), s->mac_key, sizeof(s->mac_key), mac, 0, mac, &n) ? 0 : -ENOTSUP;
}

/* ---- opening ---- */

static int open_all(struct store *s, const char *path, enum store_mode mode)
{
	int r = sql_open(path, mode, &verdicts, &s->db);

	if (r == 0)
		sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, 4 << 20);
	return r == 0 ? sql_prepare(s->db, texts, SQL_N, s->statements) : r;
}

int store_open(
    const char *path, enum store_mode mode, const struct store_bounds *bounds, struct store **ret, char *error)
{
	struct store *s = calloc(1, sizeof(*s));
	int r;

	if (s == NULL) {
		(void)snprintf(error, STORE_ERROR_MAX, "%s: out of memory", path);
		return -ENOMEM;
	}
	s->version = -1;
	s->bounds = bounds ? *bounds : (struct store_bounds){ UINT64_MAX, UINT64_MAX };
	r = open_all(s, path, mode);
	if (r < 0) {
		(void)snprintf(error, STORE_ERROR_MAX, "%s: %s", path,
		    r == -EUCLEAN ? "damaged, or no verdict store of this version"
		    : s->db       ? sqlite3_errmsg(s->db)
				  : strerror(-r));
	} else {
		r = load_key(s, path, mode);
		if (r == 0)
			r = warm_up(s);
		if (r < 0)
			(void)snprintf(error, STORE_ERROR_MAX, "%s" STORE_KEY_SUFFIX ": %s", path, strerror(-r));
	}
	if (r < 0) {
		store_close(s);
		return r;
	}
	*ret = s;
	return 0;
}

void store_close(struct store *s)
{
	if (s == NULL)
		return;
	for (int i = 0; i < SQL_N; i++)
		sqlite3_finalize(s->statements[i]);
	sqlite3_close(s->db);
	explicit_bzero(s->mac_key, sizeof(s->mac_key));
	free(s);
}

int store_move_aside(const char *path)
{
	static const char *const logs[] = { "-wal", "-shm", "-journal" };
	char other[PATH_BYTES_MAX];

	if (snprintf(other, sizeof(other), "%s" STORE_DAMAGED_SUFFIX, path) >= (int)sizeof(other))
		return -ENAMETOOLONG;
	for (size_t i = 0; i < sizeof(logs) / sizeof(logs[0]); i++) { /* first: a new file must never meet an old log */
		(void)snprintf(other, sizeof(other), "%s%s", path, logs[i]);
		if (unlink(other) < 0 && errno != ENOENT)
			return -errno;
	}
	(void)snprintf(other, sizeof(other), "%s" STORE_DAMAGED_SUFFIX, path);
	return rename(path, other) < 0 ? -errno : 0;
}
