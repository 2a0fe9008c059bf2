/* See scans.h. */
#include "scans.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "store_sql.h"
#include "verdict.h"

/* A transaction: what a process that is killed has to do again. */
#define BATCH_ROWS 256
#define BATCH_S 1

static const char *const tables[] = {
	"CREATE TABLE files(id INTEGER PRIMARY KEY, path BLOB NOT NULL, device INTEGER NOT NULL, inode INTEGER NOT "
	"NULL, "
	"size INTEGER NOT NULL, mtime INTEGER NOT NULL, ctime INTEGER NOT NULL, settled INTEGER NOT NULL, "
	"sha256 BLOB NOT NULL, question BLOB NOT NULL, reader INTEGER NOT NULL, chosen INTEGER NOT NULL, "
	"idle INTEGER NOT NULL, again INTEGER NOT NULL, facts INTEGER NOT NULL, reported INTEGER NOT NULL, "
	"judge BLOB NOT NULL, value INTEGER NOT NULL, format TEXT NOT NULL, codes TEXT NOT NULL, judged INTEGER NOT "
	"NULL, "
	"changed INTEGER NOT NULL, was INTEGER NOT NULL) STRICT",
	"CREATE UNIQUE INDEX by_path ON files(path)",
	"CREATE TABLE reports(id INTEGER PRIMARY KEY, entry BLOB NOT NULL) STRICT",
	"CREATE TABLE sets(id INTEGER PRIMARY KEY, path BLOB NOT NULL, members BLOB NOT NULL, judge BLOB NOT NULL, "
	"value INTEGER NOT NULL, codes TEXT NOT NULL, judged INTEGER NOT NULL, changed INTEGER NOT NULL, "
	"was INTEGER NOT NULL) STRICT",
	"CREATE UNIQUE INDEX set_by_path ON sets(path)",
};

static const struct sql_schema schema = { 0x774c6b32, 1, tables, sizeof(tables) / sizeof(tables[0]) }; /* "wLk2" */

#define FILE_COLUMNS                                                                                                   \
	"id, path, device, inode, size, mtime, ctime, settled, sha256, question, reader, chosen, idle, again, facts, " \
	"reported, judge, value, format, codes, judged, changed, was"

/* Another verdict: another value, or for other reasons. */
#define CHANGED(table, value, codes) #table ".value <> " value " OR " #table ".codes <> " codes

enum query {
	FIND,
	REPORT,
	PUT,
	PUT_REPORT,
	DROP_REPORT,
	PUT_VERDICT,
	FORGET,
	FIND_SET,
	PUT_SET,
	BEGIN,
	COMMIT,
	N_QUERIES
};

static const char *const queries[N_QUERIES] = {
	[FIND] = "SELECT " FILE_COLUMNS " FROM files WHERE path = ?1",
	[REPORT] = "SELECT entry FROM reports WHERE id = ?1",
	[PUT] =
	    "INSERT INTO files(path, device, inode, size, mtime, ctime, settled, sha256, question, reader, chosen, "
	    "idle, again, "
	    "facts, reported, judge, value, format, codes, judged, changed, was) "
	    "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?20, "
	    "-1) "
	    "ON CONFLICT(path) DO UPDATE SET device = ?2, inode = ?3, size = ?4, mtime = ?5, ctime = ?6, settled = ?7, "
	    "sha256 = ?8, question = ?9, reader = ?10, chosen = ?11, idle = ?12, again = ?13, facts = ?14, reported = "
	    "?15, "
	    "judge = ?16, value = ?17, format = ?18, codes = ?19, judged = ?20, "
	    "was = CASE WHEN " CHANGED(files, "?17", "?19") " THEN files.value ELSE was END, "
							    "changed = CASE WHEN " CHANGED(files, "?17",
								"?19") " THEN ?20 ELSE changed END RETURNING id",
	[PUT_REPORT] = "INSERT OR REPLACE INTO reports(id, entry) VALUES(?1, ?2)",
	[DROP_REPORT] = "DELETE FROM reports WHERE id = ?1",
	[PUT_VERDICT] =
	    "UPDATE files SET judge = ?2, value = ?3, format = ?4, codes = ?5, judged = ?6, "
	    "was = CASE WHEN " CHANGED(files, "?3", "?5") " THEN files.value ELSE was END, "
							  "changed = CASE WHEN " CHANGED(files, "?3",
							      "?5") " THEN ?6 ELSE changed END WHERE id = ?1",
	[FORGET] = "DELETE FROM files WHERE id = ?1",
	[FIND_SET] = "SELECT members, judge, value, codes, judged FROM sets WHERE path = ?1",
	[PUT_SET] = "INSERT INTO sets(path, members, judge, value, codes, judged, changed, was) "
		    "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?6, -1) ON CONFLICT(path) DO UPDATE SET members = ?2, judge = ?3, "
		    "value = ?4, codes = ?5, judged = ?6, "
		    "was = CASE WHEN " CHANGED(sets, "?4", "?5") " THEN sets.value ELSE was END, "
								 "changed = CASE WHEN " CHANGED(
								     sets, "?4", "?5") " THEN ?6 ELSE changed END",
	[BEGIN] = "BEGIN IMMEDIATE",
	[COMMIT] = "COMMIT",
};

struct scans {
	sqlite3 *db;
	sqlite3_stmt *queries[N_QUERIES];
	unsigned held; /* rows of the transaction that is open; 0: none is */
	time_t since;  /* when it was begun */
};

struct scans_stat scans_stat_of(const struct stat *st)
{
	return (struct scans_stat){ .device = st->st_dev,
		.inode = st->st_ino,
		.size = (uint64_t)st->st_size,
		.mtime_ns = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec,
		.ctime_ns = (int64_t)st->st_ctim.tv_sec * 1000000000 + st->st_ctim.tv_nsec };
}

/* ---- queries ---- */

static sqlite3_stmt *query(struct scans *s, enum query which)
{
	sqlite3_reset(s->queries[which]);
	return s->queries[which];
}

static int step(sqlite3_stmt *q)
{
	int r = store_errno(sqlite3_step(q));

	sqlite3_reset(q);
	return r;
}

static void bind_bytes(sqlite3_stmt *q, int i, struct bytes b)
{
	sqlite3_bind_blob(q, i, b.n > 0 ? (const void *)b.at : "", (int)b.n, SQLITE_STATIC);
}

static struct bytes bytes_in(sqlite3_stmt *q, int i)
{
	const void *at = sqlite3_column_blob(q, i);

	return bytes_of(at, (size_t)sqlite3_column_bytes(q, i));
}

static bool copy_in(sqlite3_stmt *q, int i, uint8_t *to, size_t n)
{
	struct bytes b = bytes_in(q, i);

	if (b.n == n)
		memcpy(to, b.at, n);
	return b.n == n;
}

static const char *text_in(sqlite3_stmt *q, int i)
{
	const unsigned char *text = sqlite3_column_text(q, i);

	return text != NULL ? (const char *)text : "";
}

static bool is_value(int value)
{
	return value >= SCANS_NONE && value <= VERDICT_REJECT;
}

#define ID_MAX INT32_MAX /* who reads marks them in a map of bits */

/* As names of formats and codes are; of a file that is not ours they would be shown. */
static bool is_words(const char *text, const char *others)
{
	for (; *text != '\0'; text++)
		if ((*text < 'a' || *text > 'z') && (*text < '0' || *text > '9') && strchr(others, *text) == NULL)
			return false;
	return true;
}

/* A row of FILE_COLUMNS.  Return: whether it is one of ours. */
static bool read_file(sqlite3_stmt *q, struct scans_file *f)
{
	*f = (struct scans_file){ .id = sqlite3_column_int64(q, 0),
		.path = bytes_in(q, 1),
		.stat = { .device = (uint64_t)sqlite3_column_int64(q, 2),
		    .inode = (uint64_t)sqlite3_column_int64(q, 3),
		    .size = (uint64_t)sqlite3_column_int64(q, 4),
		    .mtime_ns = sqlite3_column_int64(q, 5),
		    .ctime_ns = sqlite3_column_int64(q, 6) },
		.settled = sqlite3_column_int(q, 7) != 0,
		.reader = (uint32_t)sqlite3_column_int64(q, 10),
		.chosen = (unsigned)sqlite3_column_int(q, 11),
		.names_idle = sqlite3_column_int(q, 12) != 0,
		.again = sqlite3_column_int(q, 13) != 0,
		.facts = (uint64_t)sqlite3_column_int64(q, 14),
		.has_report = sqlite3_column_int(q, 15) != 0,
		.verdict = { .value = sqlite3_column_int(q, 17),
		    .format = text_in(q, 18),
		    .codes = text_in(q, 19),
		    .at = sqlite3_column_int64(q, 20) },
		.changed_at = sqlite3_column_int64(q, 21),
		.was = sqlite3_column_int(q, 22) };
	return f->id > 0 && f->id <= ID_MAX && is_words(f->verdict.format, "-") && is_words(f->verdict.codes, "- ") &&
	       is_value(f->verdict.value) && f->verdict.value != SCANS_NONE && is_value(f->was) &&
	       copy_in(q, 8, f->sha256, 32) && copy_in(q, 9, f->key, STORE_KEY_BYTES) &&
	       copy_in(q, 16, f->verdict.judge, 32);
}

/* ---- batches ---- */

int scans_flush(struct scans *s)
{
	int r = s->held > 0 ? step(query(s, COMMIT)) : 0;

	if (r == 0)
		s->held = 0;
	return r;
}

int scans_tick(struct scans *s)
{
	return s->held > 0 && time(NULL) > s->since + BATCH_S ? scans_flush(s) : 0;
}

/* Before a row is written. */
static int hold(struct scans *s)
{
	int r;

	sqlite3_reset(s->queries[FIND]); /* views end: nothing is read that is older than what is written */
	sqlite3_reset(s->queries[REPORT]);
	sqlite3_reset(s->queries[FIND_SET]);
	r = s->held >= BATCH_ROWS ? scans_flush(s) : scans_tick(s);

	if (r == 0 && s->held == 0)
		r = step(query(s, BEGIN));
	if (s->held == 0)
		s->since = time(NULL);
	if (r == 0)
		s->held++;
	return r;
}

/* ---- files ---- */

int scans_find(struct scans *s, struct bytes path, struct scans_file *ret)
{
	sqlite3_stmt *q = query(s, FIND);
	int r;

	bind_bytes(q, 1, path);
	r = sqlite3_step(q);
	if (r != SQLITE_ROW) {
		sqlite3_reset(q);
		return store_errno(r);
	}
	return read_file(q, ret) ? 1 : -EUCLEAN;
}

int scans_report(struct scans *s, int64_t id, struct bytes *ret)
{
	sqlite3_stmt *q = query(s, REPORT);
	int r;

	sqlite3_bind_int64(q, 1, id);
	r = sqlite3_step(q);
	if (r == SQLITE_ROW)
		*ret = bytes_in(q, 0);
	else
		sqlite3_reset(q);
	return r == SQLITE_ROW ? 1 : store_errno(r);
}

static void bind_verdict(sqlite3_stmt *q, int i, const struct scans_verdict *v)
{
	sqlite3_bind_blob(q, i, v->judge, sizeof(v->judge), SQLITE_STATIC);
	sqlite3_bind_int(q, i + 1, v->value);
	sqlite3_bind_text(q, i + 2, v->format, -1, SQLITE_STATIC);
	sqlite3_bind_text(q, i + 3, v->codes, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, i + 4, v->at);
}

static void bind_file(sqlite3_stmt *q, const struct scans_file *f)
{
	const int64_t numbers[] = { (int64_t)f->stat.device, (int64_t)f->stat.inode, (int64_t)f->stat.size,
		f->stat.mtime_ns, f->stat.ctime_ns, f->settled };
	const int64_t more[] = { f->reader, f->chosen, f->names_idle, f->again, (int64_t)f->facts, f->has_report };

	bind_bytes(q, 1, f->path);
	for (int i = 0; i < 6; i++)
		sqlite3_bind_int64(q, 2 + i, numbers[i]);
	sqlite3_bind_blob(q, 8, f->sha256, sizeof(f->sha256), SQLITE_STATIC);
	sqlite3_bind_blob(q, 9, f->key, sizeof(f->key), SQLITE_STATIC);
	for (int i = 0; i < 6; i++)
		sqlite3_bind_int64(q, 10 + i, more[i]);
	bind_verdict(q, 16, &f->verdict);
}

static int put_report(struct scans *s, int64_t id, struct bytes entry)
{
	sqlite3_stmt *q = query(s, entry.n > 0 ? PUT_REPORT : DROP_REPORT);

	sqlite3_bind_int64(q, 1, id);
	if (entry.n > 0)
		bind_bytes(q, 2, entry);
	return step(q);
}

int scans_put(struct scans *s, struct scans_file *f, struct bytes entry)
{
	sqlite3_stmt *q;
	int r = hold(s);

	if (r < 0)
		return r;
	q = query(s, PUT);
	bind_file(q, f);
	r = sqlite3_step(q);
	if (r == SQLITE_ROW) {
		f->id = sqlite3_column_int64(q, 0);
		r = sqlite3_step(q);
	}
	sqlite3_reset(q);
	return r == SQLITE_DONE ? put_report(s, f->id, entry) : store_errno(r);
}

int scans_put_verdict(struct scans *s, int64_t id, const struct scans_verdict *v)
{
	sqlite3_stmt *q = query(s, PUT_VERDICT);
	int r = hold(s);

	sqlite3_bind_int64(q, 1, id);
	bind_verdict(q, 2, v);
	return r < 0 ? r : step(q);
}

int scans_forget(struct scans *s, int64_t id)
{
	sqlite3_stmt *q = query(s, FORGET);
	int r = hold(s);

	sqlite3_bind_int64(q, 1, id);
	if (r == 0)
		r = step(q);
	return r < 0 ? r : put_report(s, id, (struct bytes){ 0 });
}

/* ---- sets ---- */

int scans_find_set(struct scans *s, struct bytes path, uint8_t members[32], struct scans_verdict *ret)
{
	sqlite3_stmt *q = query(s, FIND_SET);
	int r;

	bind_bytes(q, 1, path);
	r = sqlite3_step(q);
	if (r != SQLITE_ROW) {
		sqlite3_reset(q);
		return store_errno(r);
	}
	*ret = (struct scans_verdict){ .value = sqlite3_column_int(q, 2),
		.format = "",
		.codes = text_in(q, 3),
		.at = sqlite3_column_int64(q, 4) };
	return is_value(ret->value) && copy_in(q, 0, members, 32) && copy_in(q, 1, ret->judge, 32) ? 1 : -EUCLEAN;
}

int scans_put_set(struct scans *s, struct bytes path, const uint8_t members[32], const struct scans_verdict *v)
{
	sqlite3_stmt *q = query(s, PUT_SET);
	int r = hold(s);

	bind_bytes(q, 1, path);
	sqlite3_bind_blob(q, 2, members, 32, SQLITE_STATIC);
	sqlite3_bind_blob(q, 3, v->judge, sizeof(v->judge), SQLITE_STATIC);
	sqlite3_bind_int(q, 4, v->value);
	sqlite3_bind_text(q, 5, v->codes, -1, SQLITE_STATIC);
	sqlite3_bind_int64(q, 6, v->at);
	return r < 0 ? r : step(q);
}

/* ---- all of them ---- */

static int each_row(struct scans *s, sqlite3_stmt *q, bool (*each)(void *ctx, const struct scans_file *f), void *ctx)
{
	struct scans_file f;
	int r;

	(void)s;
	while ((r = sqlite3_step(q)) == SQLITE_ROW) {
		if (!read_file(q, &f)) {
			r = SQLITE_CORRUPT;
			break;
		}
		if (!each(ctx, &f)) {
			r = SQLITE_DONE;
			break;
		}
	}
	sqlite3_finalize(q);
	return store_errno(r);
}

int scans_each(struct scans *s, struct bytes below, bool (*each)(void *ctx, const struct scans_file *f), void *ctx)
{
	static const char text[] =
	    "SELECT " FILE_COLUMNS " FROM files WHERE path >= ?1 AND (?2 IS NULL OR path < ?2) ORDER BY path";
	uint8_t begin[SCANS_PATH_MAX], end[SCANS_PATH_MAX];
	sqlite3_stmt *q;
	int r = sqlite3_prepare_v2(s->db, text, -1, &q, NULL);

	if (r != SQLITE_OK)
		return store_errno(r);
	if (below.n >= sizeof(begin) - 1) {
		sqlite3_finalize(q);
		return -ENAMETOOLONG;
	}
	bytes_copy(begin, below);
	bytes_copy(end, below);
	begin[below.n] = '/';
	end[below.n] = '/' + 1;
	bind_bytes(q, 1, bytes_of(begin, below.n > 0 ? below.n + 1 : 0));
	if (below.n > 0)
		bind_bytes(q, 2, bytes_of(end, below.n + 1));
	return each_row(s, q, each, ctx);
}

int scans_each_set(struct scans *s, bool (*each)(void *ctx, const struct scans_file *f), void *ctx)
{
	/* As files are: a set has no bytes of its own. */
	static const char text[] =
	    "SELECT id, path, 0, 0, 0, 0, 0, 1, zeroblob(32), zeroblob(32), 0, 0, 0, 0, 0, 0, judge, "
	    "value, 'set', codes, judged, changed, was FROM sets WHERE value >= 0 ORDER BY path";
	sqlite3_stmt *q;
	int r = sqlite3_prepare_v2(s->db, text, -1, &q, NULL);

	return r == SQLITE_OK ? each_row(s, q, each, ctx) : store_errno(r);
}

/* ---- the file ---- */

int scans_open(const char *path, enum store_mode mode, struct scans **ret, char *error)
{
	struct scans *s = calloc(1, sizeof(*s));
	int r = s != NULL ? sql_open(path, mode, &schema, &s->db) : -ENOMEM;

	if (r == 0)
		r = sql_prepare(s->db, queries, N_QUERIES, s->queries);
	if (r < 0) {
		(void)snprintf(error, STORE_ERROR_MAX, "%s: %s", path,
		    r == -EUCLEAN        ? "damaged, or no database of scans of this version"
		    : s != NULL && s->db ? sqlite3_errmsg(s->db)
					 : strerror(-r));
		scans_close(s);
		return r;
	}
	*ret = s;
	return 0;
}

void scans_close(struct scans *s)
{
	if (s == NULL)
		return;
	(void)scans_flush(s);
	for (int i = 0; i < N_QUERIES; i++)
		sqlite3_finalize(s->queries[i]);
	sqlite3_close(s->db);
	free(s);
}
