/* The audit log as files of one folder: AUDIT_FILE is being written, those before it are called by the number of their
 * first line, and AUDIT_HEAD says where the chain stands.  For one writer.
 *
 * An append is a write and no more; audit_file_settle() makes all since the last one last (one fsync for many), and
 * nobody may be told before.  What fails leaves the file as it was.  No file with a byte in it is ever deleted. */
#pragma once

#include "audit_head.h"
#include "audit_names.h"
#include "chain.h"

#define AUDIT_FILE "audit.jsonl"

struct audit_file;

/**
 * audit_file_open() - go on where the log ends, or begin one
 * @dir: descriptor of the folder; borrowed, as long as the file is open
 * @max: bytes of a file, about; then the next one begins
 * @note: AUDIT_ERROR_MAX bytes; something the log of the daemon should say (a torn line, a tail that is missing), or ""
 *
 * AUDIT_HEAD must be there, and be the head of a line.  No crash and no loss of power leaves it otherwise: it is made to last
 * before the first line of all, written only when its line lasts, and made to last again before a file is left for the
 * next.  So the honest thing is a head that is older than the log's end, of a line of this file or of the last one before it.
 * All else (no head, one that cannot be read, one of no line, one beyond the end) is an alarm: the next line of kind
 * begin or start says so, and where the log ends before its head it goes on behind the head, so that whoever checks it sees the gap.
 *
 * Where the file is missing, or empty, the one before it has the end: a crash may come between the two.
 * Return: 0 or negative errno.
 */
int audit_file_open(int dir, uint64_t max, struct audit_file **ret, char *note);
/* The number of the first line that was written since then. */
uint64_t audit_file_own(const struct audit_file *f);
/* @record: sound.  @ret: where the chain stands with it.  Return: 0 or negative errno: it is not in the log. */
int audit_file_append(struct audit_file *f, struct bytes record, struct audit_chain *ret);
/* Return: 0; negative errno: nobody knows what is on the disk, and the file can only be closed; -ESTALE: somebody else has cut,
 * written to or deleted it or its head. */
int audit_file_settle(struct audit_file *f);
void audit_file_close(struct audit_file *f); /* NULL is fine */
