/* The store's rows.  See store.h. */
#include <errno.h>
#include <limits.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

#include "store_sql.h"

enum { COLUMN_ID, COLUMN_KEY, COLUMN_SHA256, COLUMN_SIZE, COLUMN_ENTRY, COLUMN_MAC, COLUMN_DAY };

/* ---- the HMAC: over everything a row says, in pieces of fixed length but the last ---- */

static bool mac_of(const struct store *s, const struct store_row *row, uint8_t mac[STORE_MAC_BYTES])
{
	static uint8_t text[STORE_KEY_BYTES + 32 + 8 + STORE_ENTRY_MAX];
	uint8_t *at = text;
	unsigned n = 0;

	if (row->entry.n > STORE_ENTRY_MAX)
		return false;
	memcpy(at, row->key, STORE_KEY_BYTES);
	memcpy(at + STORE_KEY_BYTES, row->sha256, 32);
	store_u64le(at + STORE_KEY_BYTES + 32, row->size);
	at += STORE_KEY_BYTES + 32 + 8;
	bytes_copy(at, row->entry);
	at += row->entry.n;
	return HMAC(EVP_sha256(), s->mac_key, sizeof(s->mac_key), text, (size_t)(at - text), mac, &n) &&
	       n == STORE_MAC_BYTES;
}

/* ---- statements ---- */

static sqlite3_stmt *statement(struct store *s, enum store_statement which)
{
	sqlite3_reset(s->statements[which]);
	return s->statements[which];
}

/* One that gives no row.  Return: 0 or negative errno. */
static int step(struct store *s, enum store_statement which)
{
	int r = store_errno(sqlite3_step(s->statements[which]));

	sqlite3_reset(s->statements[which]);
	return r;
}

static int run(struct store *s, enum store_statement which)
{
	(void)statement(s, which);
	return step(s, which);
}

static struct bytes column(sqlite3_stmt *stmt, int i)
{
	const void *at = sqlite3_column_blob(stmt, i);

	return bytes_of(at, (size_t)sqlite3_column_bytes(stmt, i));
}

/* Return: whether it is a row that this store wrote. */
static bool read_row(const struct store *s, sqlite3_stmt *stmt, struct store_row *ret)
{
	struct bytes key = column(stmt, COLUMN_KEY), sha256 = column(stmt, COLUMN_SHA256),
		     mac = column(stmt, COLUMN_MAC);
	uint8_t expected[STORE_MAC_BYTES];

	if (key.n != STORE_KEY_BYTES || sha256.n != 32 || mac.n != STORE_MAC_BYTES ||
	    sqlite3_column_int64(stmt, COLUMN_SIZE) < 0)
		return false;
	memcpy(ret->key, key.at, key.n);
	memcpy(ret->sha256, sha256.at, sha256.n);
	ret->size = (uint64_t)sqlite3_column_int64(stmt, COLUMN_SIZE);
	ret->entry = column(stmt, COLUMN_ENTRY);
	return mac_of(s, ret, expected) && CRYPTO_memcmp(expected, mac.at, mac.n) == 0;
}

/* ---- totals ---- */

static int count(struct store *s)
{
	sqlite3_stmt *stmt = statement(s, SQL_TOTALS);
	int r = sqlite3_step(stmt);

	if (r == SQLITE_ROW) {
		s->rows = (uint64_t)sqlite3_column_int64(stmt, 0);
		s->bytes = (uint64_t)sqlite3_column_int64(stmt, 1);
	}
	sqlite3_reset(stmt);
	/* Its text is right, so it is the numbers: a sum that no bytes of ours can have.  Nothing could be kept with it. */
	return r == SQLITE_ERROR ? -EUCLEAN : store_errno(r);
}

/* Counted once, and again after another process (the command's gc or clear) has written. */
static int count_if_changed(struct store *s)
{
	sqlite3_stmt *stmt = statement(s, SQL_VERSION);
	int r = sqlite3_step(stmt);
	int64_t version = r == SQLITE_ROW ? sqlite3_column_int64(stmt, 0) : -1;

	sqlite3_reset(stmt);
	if (store_errno(r) < 0 || version == s->version)
		return store_errno(r);
	r = count(s);
	s->version = r < 0 ? -1 : version;
	return r;
}

/* Run a DELETE ... RETURNING bytes.  Return: how many rows went; negative errno. */
static int delete_some(struct store *s, sqlite3_stmt *stmt)
{
	int n = 0, r;

	while ((r = sqlite3_step(stmt)) == SQLITE_ROW) {
		s->rows--;
		s->bytes -= (uint64_t)sqlite3_column_int64(stmt, 0);
		n++;
	}
	sqlite3_reset(stmt);
	return r == SQLITE_DONE ? n : store_errno(r);
}

static int forget(struct store *s, const uint8_t key[STORE_KEY_BYTES])
{
	sqlite3_stmt *stmt = statement(s, SQL_FORGET);

	sqlite3_bind_blob(stmt, 1, key, STORE_KEY_BYTES, SQLITE_STATIC);
	return delete_some(s, stmt);
}

/* Within a transaction, after the totals are right.  Return: how many rows went; negative errno. */
static int64_t evict(struct store *s, const struct store_bounds *bounds)
{
	int64_t n = 0;

	while (s->rows > bounds->rows || s->bytes > bounds->bytes) {
		int r = delete_some(s, statement(s, SQL_EVICT));

		if (r <= 0) { /* sums that are not those of the rows: somebody else's file */
			s->version = -1;
			return r < 0 ? r : n;
		}
		n += r;
	}
	return n;
}

/* ---- transactions: the totals are right only if it ends well ---- */

static int begin(struct store *s)
{
	int r = run(s, SQL_BEGIN);

	if (r == 0) {
		r = count_if_changed(s);
		if (r < 0)
			(void)run(s, SQL_ROLLBACK);
	}
	return r;
}

static int end(struct store *s, int r)
{
	if (r >= 0)
		r = run(s, SQL_COMMIT);
	if (r < 0) {
		(void)run(s, SQL_ROLLBACK);
		s->version = -1;
	}
	return r;
}

/* ---- get and put ---- */

/* One write a day and row. */
static void mark_used(struct store *s, int64_t id, int64_t day)
{
	sqlite3_stmt *stmt = statement(s, SQL_USED);

	sqlite3_bind_int64(stmt, 1, id);
	sqlite3_bind_int64(stmt, 2, day);
	(void)step(s, SQL_USED); /* if not, it is evicted sooner */
}

static int drop_unsound(struct store *s, const uint8_t key[STORE_KEY_BYTES])
{
	int r = begin(s);

	if (r == 0)
		r = end(s, forget(s, key));
	return r == -EUCLEAN ? r : -EBADMSG;
}

int store_get(struct store *s, const uint8_t key[STORE_KEY_BYTES], int64_t now, struct store_row *ret)
{
	sqlite3_stmt *stmt = statement(s, SQL_GET);
	int64_t today = now / STORE_DAY_S;
	int r;

	sqlite3_bind_blob(stmt, 1, key, STORE_KEY_BYTES, SQLITE_STATIC);
	r = sqlite3_step(stmt);
	if (r != SQLITE_ROW) {
		sqlite3_reset(stmt);
		return store_errno(r);
	}
	if (!read_row(s, stmt, ret)) {
		sqlite3_reset(stmt);
		return drop_unsound(s, key);
	}
	if (sqlite3_column_int64(stmt, COLUMN_DAY) != today)
		mark_used(s, sqlite3_column_int64(stmt, COLUMN_ID), today);
	return 1; /* the statement stays where it is: the entry is its own */
}

void store_release(struct store *s)
{
	(void)statement(s, SQL_GET);
}

static int insert(struct store *s, const struct store_row *row, int64_t now)
{
	sqlite3_stmt *stmt = statement(s, SQL_PUT);
	uint8_t mac[STORE_MAC_BYTES];
	int r;

	if (!mac_of(s, row, mac))
		return -ENOMEM;
	sqlite3_bind_blob(stmt, 1, row->key, STORE_KEY_BYTES, SQLITE_STATIC);
	sqlite3_bind_blob(stmt, 2, row->sha256, 32, SQLITE_STATIC);
	sqlite3_bind_int64(stmt, 3, (int64_t)row->size);
	sqlite3_bind_int64(stmt, 4, now / STORE_DAY_S);
	sqlite3_bind_int64(stmt, 5, (int64_t)row->entry.n);
	sqlite3_bind_blob(stmt, 6, row->entry.at, (int)row->entry.n, SQLITE_STATIC);
	sqlite3_bind_blob(stmt, 7, mac, sizeof(mac), SQLITE_STATIC);
	r = step(s, SQL_PUT);
	sqlite3_clear_bindings(stmt);
	if (r == 0) {
		s->rows++;
		s->bytes += row->entry.n;
	}
	return r;
}

int store_put(struct store *s, const struct store_row *row, int64_t now)
{
	int r;

	if (row->entry.n == 0 || row->entry.n > STORE_ENTRY_MAX || row->entry.n > s->bounds.bytes ||
	    s->bounds.rows == 0 || row->size > INT64_MAX)
		return -EFBIG;
	store_release(s); /* or BEGIN would see the file as it was then */
	r = begin(s);
	if (r < 0)
		return r;
	r = forget(s, row->key);
	if (r >= 0)
		r = insert(s, row, now);
	if (r >= 0)
		r = evict(s, &s->bounds) < 0 ? -EIO : 0;
	return end(s, r);
}

/* ---- maintenance ---- */

int store_find(
    struct store *s, const uint8_t sha256[32], void (*each)(void *ctx, const struct store_row *row), void *ctx)
{
	sqlite3_stmt *stmt = statement(s, SQL_FIND);
	struct store_row row;
	int n = 0, r;

	sqlite3_bind_blob(stmt, 1, sha256, 32, SQLITE_STATIC);
	while ((r = sqlite3_step(stmt)) == SQLITE_ROW) {
		if (!read_row(s, stmt, &row))
			continue;
		each(ctx, &row);
		n++;
	}
	sqlite3_reset(stmt);
	return r == SQLITE_DONE ? n : store_errno(r);
}

static int64_t drop_unused(struct store *s, int64_t before_day)
{
	sqlite3_stmt *stmt;
	int64_t n;
	int r = sqlite3_prepare_v2(s->db, "DELETE FROM verdicts WHERE used_day < ?1 RETURNING bytes", -1, &stmt, NULL);

	if (r != SQLITE_OK)
		return store_errno(r);
	sqlite3_bind_int64(stmt, 1, before_day);
	n = delete_some(s, stmt);
	sqlite3_finalize(stmt);
	return n;
}

int64_t store_gc(struct store *s, const struct store_bounds *bounds, int64_t before_day)
{
	int64_t unused, evicted = 0;
	int r = begin(s);

	if (r < 0)
		return r;
	unused = drop_unused(s, before_day);
	if (unused >= 0)
		evicted = evict(s, bounds);
	r = end(s, unused < 0 ? (int)unused : evicted < 0 ? (int)evicted : 0);
	if (r == 0) /* while the daemon reads, what cannot be given back now is later */
		(void)sqlite3_exec(
		    s->db, "PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE);", NULL, NULL, NULL);
	return r < 0 ? r : unused + evicted;
}

int64_t store_clear(struct store *s)
{
	return store_gc(s, &(struct store_bounds){ UINT64_MAX, UINT64_MAX }, INT64_MAX);
}

static uint64_t pragma(struct store *s, const char *sql)
{
	sqlite3_stmt *stmt;
	uint64_t value = 0;

	if (sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL) != SQLITE_OK)
		return 0;
	if (sqlite3_step(stmt) == SQLITE_ROW)
		value = (uint64_t)sqlite3_column_int64(stmt, 0);
	sqlite3_finalize(stmt);
	return value;
}

int store_stats(struct store *s, struct store_stats *ret)
{
	sqlite3_stmt *stmt = statement(s, SQL_TOTALS);
	uint64_t page = pragma(s, "PRAGMA page_size");
	int r = sqlite3_step(stmt);

	*ret = (struct store_stats){ .file_bytes = page * pragma(s, "PRAGMA page_count"),
		.free_bytes = page * pragma(s, "PRAGMA freelist_count") };
	if (r == SQLITE_ROW) {
		ret->rows = (uint64_t)sqlite3_column_int64(stmt, 0);
		ret->bytes = (uint64_t)sqlite3_column_int64(stmt, 1);
		ret->oldest_day = sqlite3_column_int64(stmt, 2);
		ret->newest_day = sqlite3_column_int64(stmt, 3);
	}
	sqlite3_reset(stmt);
	return store_errno(r);
}

int store_check(struct store *s, uint64_t *ret_bad)
{
	sqlite3_stmt *stmt = statement(s, SQL_ALL);
	struct store_row row;
	int r;

	*ret_bad = 0;
	while ((r = sqlite3_step(stmt)) == SQLITE_ROW)
		*ret_bad += !read_row(s, stmt, &row);
	sqlite3_reset(stmt);
	return store_errno(r);
}
