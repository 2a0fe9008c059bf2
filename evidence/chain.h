/* The audit log's lines, and the chain they are: JSON objects, one a line, each with the SHA-256 of the line before it, so
 * that none can be changed, taken out or moved without all that follow it being made anew; and a head that was kept
 * elsewhere shows even that.  Bytes in, bytes out.
 *
 * A line is {"schema", "seq", "prev", "time", "kind", ...} and a newline; docs/audit.schema.json has its members.  "prev"
 * is the digest of the whole line before, newline included (`sha256sum` of it), also across files; 64 zeros stand before
 * the first of all.  "seq" counts from 0.  A file begins with a line of kind "begin".
 *
 * What a crash left half written stays, and gets its newline; the next line, of kind "torn", names its digest as any
 * line does, and its length.  It has no number. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bytes.h"

#define AUDIT_SCHEMA "weighlock.audit/1"
#define AUDIT_RECORD_MAX ((size_t)16 << 10) /* bytes of what a line is about; the longest there is has 9 KiB */
#define AUDIT_LINE_MAX (AUDIT_RECORD_MAX + 256)
#define AUDIT_SEQ_MAX ((UINT64_C(1) << 53) - 1) /* the last number that every reader of JSON reads as it is */
#define AUDIT_ERROR_MAX 512u

/* Where a chain stands. */
struct audit_chain {
	uint64_t next;    /* seq of the next line */
	uint8_t head[32]; /* of the last one; zeros before the first */
};

/* Is it a record that a line may be made of: a JSON object of printable ASCII, at most AUDIT_RECORD_MAX bytes, one of the
 * kinds that are about verdicts, and with none of the members that the chain adds? */
bool audit_record_is_sound(struct bytes record);

/**
 * audit_line() - the next line
 * @record: "{...}", not empty; sound, or our own
 * @now: Unix seconds
 * Return: bytes written, newline included.
 */
size_t audit_line(const struct audit_chain *c, struct bytes record, int64_t now, char buf[AUDIT_LINE_MAX]);
/* It has been written: go on behind it. */
void audit_advance(struct audit_chain *c, struct bytes line);
/* The same for what is no line: it has a digest, and no number. */
void audit_advance_torn(struct audit_chain *c, struct bytes torn);

/* What a line says of itself. */
struct audit_link {
	uint64_t seq, torn; /* torn: of kind "torn", how long what is before it is; else 0 */
	uint8_t prev[32];
	bool begins;   /* of kind "begin" */
	bool alarm;    /* of kind "begin" or "start", with "alarm": the writer found something missing */
	bool has_text; /* what it says of people is beside the log (audit_texts.h), and this is its hash: */
	uint8_t text[32];
};

/* @line: newline included.  Return: false when it is not a line of an audit log. */
bool audit_read(struct bytes line, struct audit_link *ret);

/* ---- checking ---- */

/* A head that one of the lines must have. */
struct audit_wanted {
	uint8_t head[32];
	bool has_next; /* it is known of which line it is: */
	uint64_t next; /* ... the one before this number */
	bool own;      /* the log's own: never from before the first line that is looked at */
	bool seen;
};

struct audit_check {
	struct audit_chain chain;
	bool started;                /* a line has been seen */
	bool at_begin;               /* the next line is the first of its file */
	uint64_t torn;               /* bytes of a line that the next one must call torn; 0: none */
	uint64_t lines;              /* good ones */
	struct audit_link last;      /* of those */
	uint64_t first;              /* seq of the first */
	uint64_t alarms, alarm;      /* lines that say so, and seq of the first of them */
	struct audit_wanted *wanted; /* see audit_check_want() */
	size_t n_wanted;
};

/* Before the first line.  @wanted: borrowed, and sorted. */
void audit_check_want(struct audit_check *c, struct audit_wanted *wanted, size_t n);
/* A head from before the first line, of which nothing can be said: those lines were not given. */
bool audit_check_is_before(const struct audit_check *c, const struct audit_wanted *w);
/* The next lines come from another file. */
void audit_check_file(struct audit_check *c);
/* @line: newline included.  @error: AUDIT_ERROR_MAX bytes: what was found and what was expected.  Return: false. */
bool audit_check_line(struct audit_check *c, struct bytes line, char *error);
/* Nothing more will come.  Return: as audit_check_line(). */
bool audit_check_end(const struct audit_check *c, char *error);
