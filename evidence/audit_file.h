/* The audit log as files of one folder: AUDIT_FILE is being written, those before it are called by the number of their
 * first line, and AUDIT_HEAD says where the chain stands.  For one writer.
 *
 * An append is a write and no more; audit_file_settle() makes all since the last one last (one fsync for many), and
 * nobody may be told before.  What fails leaves the file as it was.  No file with a byte in it is ever deleted. */
#pragma once

#include "audit_names.h"
#include "chain.h"

#define AUDIT_FILE "audit.jsonl"
#define AUDIT_HEAD "audit.head" /* {"schema", "seq", "head", "file"}: of the last line that lasts */
#define AUDIT_HEAD_SCHEMA "weighlock.audit-head/1"

struct audit_file;

/**
 * audit_file_open() - go on where the log ends, or begin one
 * @dir: descriptor of the folder; borrowed, as long as the file is open
 * @max: bytes of a file, about; then the next one begins
 * @note: AUDIT_ERROR_MAX bytes; something the log of the daemon should say (a torn line, a tail that is missing), or ""
 *
 * The end must fit AUDIT_HEAD, if there is one: when the log ends before it, lines have been taken away.  The log goes on
 * behind the head then, so that whoever checks it sees the gap.  Where the file is missing, or empty, the one before it has
 * the end: a crash may come between the two.
 * Return: 0 or negative errno.
 */
int audit_file_open(int dir, uint64_t max, struct audit_file **ret, char *note);
/* @record: sound.  @ret: where the chain stands with it.  Return: 0 or negative errno: it is not in the log. */
int audit_file_append(struct audit_file *f, struct bytes record, struct audit_chain *ret);
/* Return: 0; negative errno: nobody knows what is on the disk, and the file can only be closed; -ESTALE: somebody else has cut,
 * written to or deleted it. */
int audit_file_settle(struct audit_file *f);
void audit_file_close(struct audit_file *f); /* NULL is fine */
