/* The verdict store: reports that a jailed worker made and the front's decoder accepted, in a SQLite file.  Facts only:
 * no name, no policy, no verdict, for those are looked at anew with each answer.
 *
 * Rows are found by a key that says everything of the question that a report depends on, and say which state of the engine
 * made them (stored.h): another build's are taken where that has not changed, and replaced where it has.  A row is a function
 * of both; what is not (an error, a time-out) is none.  What nobody asks for any more is evicted.  Each row
 * carries an HMAC under a key that lies beside the database, so that what was not written here is not read; and who
 * reads a row decodes it as if a stranger had written it all the same.
 *
 * A rowid table with an index on the key: with the key as primary key of a table WITHOUT ROWID, random keys split fat
 * pages, at a third of the speed and twice the size.
 *
 * Not for several threads.  Several processes may have it open: SQLite's locks keep them apart. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

#define STORE_FILE "verdicts.sqlite"        /* in the daemon's state_dir */
#define STORE_KEY_SUFFIX ".key"             /* the file of the HMAC's key: beside it, 0600 */
#define STORE_DAMAGED_SUFFIX ".damaged"     /* what a file that is no sound database is renamed to */
#define STORE_KEY_BYTES 32u                 /* of a row's key */
#define STORE_ENTRY_MAX ((size_t)300 << 10) /* bytes of an entry */
#define STORE_BUSY_MS 2000                  /* wait for another process's lock */
#define STORE_ERROR_MAX 256u
#define STORE_DAY_S 86400

struct store;

enum store_mode {
	STORE_KEEP,     /* create it if need be, read and write: the keeper */
	STORE_MAINTAIN, /* an existing one, read and write */
	STORE_LOOK,     /* an existing one, read only */
};

/* What may be in it; what was not asked for on the most days goes first. */
struct store_bounds {
	uint64_t rows;
	uint64_t bytes; /* of entries */
};

/* One report.  Borrowed. */
struct store_row {
	uint8_t key[STORE_KEY_BYTES];
	uint8_t sha256[32]; /* of the file */
	uint64_t size;      /* of the file, at most INT64_MAX */
	struct bytes entry; /* at most STORE_ENTRY_MAX; entry.h */
};

struct store_stats {
	uint64_t rows, bytes;            /* of entries */
	uint64_t file_bytes, free_bytes; /* of the database; free ones are used again */
	int64_t oldest_day, newest_day;  /* on which a row was used last: days since 1970; -1: there is none */
};

/**
 * store_open() - open, and check that it is what this build writes
 * @path: of the database.  @bounds: for STORE_KEEP; else ignored
 * @error: STORE_ERROR_MAX bytes; one line on failure
 * Return: 0; -EUCLEAN: damaged, or no database of ours (store_move_aside()); -ENOENT; other negative errno.
 */
int store_open(
    const char *path, enum store_mode mode, const struct store_bounds *bounds, struct store **ret, char *error);
void store_close(struct store *s); /* NULL is fine */

/* Rename the file, replacing one that was renamed before, and forget its log.  Return: 0 or negative errno. */
int store_move_aside(const char *path);

/**
 * store_get() - the row of a key
 * @now: Unix seconds: today it was used
 * @ret: its entry is a view until the next call
 * Return: 1; 0: there is none; -EBADMSG: there was one that was not written here, and it is deleted; -EUCLEAN: the file is
 * damaged; other negative errno.
 */
int store_get(struct store *s, const uint8_t key[STORE_KEY_BYTES], int64_t now, struct store_row *ret);

/* Views end here, and with them the state of the file they were read from: nothing is held that a checkpoint waits for. */
void store_release(struct store *s);

/* Keep a row, instead of one with the same key, and let go what is beyond the bounds.
 * Return: 0; -EFBIG: the entry is too long, or the bounds have no room for it; -EUCLEAN; other negative errno. */
int store_put(struct store *s, const struct store_row *row, int64_t now);

/* Every row of a file, as far as it was written here: call @each, which may not call the store.
 * Return: how many; negative errno. */
int store_find(
    struct store *s, const uint8_t sha256[32], void (*each)(void *ctx, const struct store_row *row), void *ctx);

/**
 * store_gc() - evict down to the bounds, and rows not used since @before_day; give free pages back to the file system
 * @bounds: UINT64_MAX: any.  @before_day: INT64_MIN: none
 * Return: how many rows went; negative errno.
 */
int64_t store_gc(struct store *s, const struct store_bounds *bounds, int64_t before_day);
/* Every row.  Return: as store_gc(). */
int64_t store_clear(struct store *s);
int store_stats(struct store *s, struct store_stats *ret);
/* Read all of it and compare every HMAC.  @ret_bad: rows that were not written here.  Return: 0 or negative errno. */
int store_check(struct store *s, uint64_t *ret_bad);
