/* What a machine that scans its own files remembers: of each file what it was when it was judged, the report, and what came of
 * it; of each folder the verdict about its set.  A SQLite file like the verdict store's (store_sql.h), and a user's own: who can
 * write it could as well write the files.  What is read is decoded as if a stranger had written it all the same.
 *
 * A file's row is a function of its bytes, the question and the rules; what ended otherwise has a row without a report, which
 * answers nothing.  Rows are written in batches: what is lost with the process is done again. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "store.h"

#define SCANS_REPORT_MAX ((size_t)64 << 20) /* bytes; a longer one is not kept, and its file judged each time */
#define SCANS_PATH_MAX 16384u               /* bytes */
#define SCANS_NONE (-1)                     /* no verdict: before the first one, or a folder that is no set */

struct scans;

/* What shows that a file is the one it was: as long as nobody sets the clock back, its inode says when it was changed. */
struct scans_stat {
	uint64_t device, inode, size;
	int64_t mtime_ns, ctime_ns;
};

struct scans_stat scans_stat_of(const struct stat *st);

/* What came of it. */
struct scans_verdict {
	uint8_t judge[32]; /* by whom: policy, build, day */
	int value;         /* enum verdict_value, or SCANS_NONE */
	const char *format;
	const char *codes; /* of the findings, each once, separated by blanks; "": none */
	int64_t at;        /* Unix seconds */
};

/* Strings and bytes of rows that are read are views until the next call. */
struct scans_file {
	int64_t id;
	struct bytes path;
	struct scans_stat stat;
	bool settled; /* nobody could have changed it without changing its stat */
	bool has_report;
	uint8_t sha256[32], key[STORE_KEY_BYTES]; /* of the report: stored_key(), and how it was asked as a member */
	uint32_t reader;                          /* format_number() */
	unsigned chosen;
	bool names_idle;
	bool again; /* judged once the others of its folder were */
	uint64_t facts;
	struct scans_verdict verdict;
	int64_t changed_at; /* when another verdict came of it than before */
	int was;            /* the value before that */
};

/* @error: STORE_ERROR_MAX bytes.  Return: 0; negative errno, with one line in @error. */
int scans_open(const char *path, enum store_mode mode, struct scans **ret, char *error);
/* Writes what is still held. */
void scans_close(struct scans *s);
int scans_flush(struct scans *s);
/* The same, if it is held for long: to be called now and then. */
int scans_tick(struct scans *s);

/* The row of a path.  Return: 1; 0: there is none; negative errno. */
int scans_find(struct scans *s, struct bytes path, struct scans_file *ret);
/* Its report, behind its entry's head (entry.h).  Return: 1, a view; 0; negative errno. */
int scans_report(struct scans *s, int64_t id, struct bytes *ret);
/* Keep a file's row, and learn its id.  @entry: empty: there is no report.  Return: 0 or negative errno. */
int scans_put(struct scans *s, struct scans_file *f, struct bytes entry);
/* Another verdict about what is the same. */
int scans_put_verdict(struct scans *s, int64_t id, const struct scans_verdict *v);
/* It is not there any more. */
int scans_forget(struct scans *s, int64_t id);

/* A folder as a set.  @members: digest of all that it depends on. */
int scans_find_set(struct scans *s, struct bytes path, uint8_t members[32], struct scans_verdict *ret);
int scans_put_set(struct scans *s, struct bytes path, const uint8_t members[32], const struct scans_verdict *v);

/* All files under a folder (empty: all), in the order of their paths; or all sets.  @each: true to go on.  Return: 0; negative
 * errno. */
int scans_each(struct scans *s, struct bytes below, bool (*each)(void *ctx, const struct scans_file *f), void *ctx);
int scans_each_set(struct scans *s, bool (*each)(void *ctx, const struct scans_file *f), void *ctx);
