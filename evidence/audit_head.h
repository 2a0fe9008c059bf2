/* The head of an audit log, as a file: where the chain stands, beside the log and wherever somebody keeps it.
 *
 * Its text is one JSON object {"schema", "seq", "head", "file", "check"} of AUDIT_HEAD_BYTES, whatever it says: "seq" is the
 * number of the last line that lasts, -1 before the first, and "head" its SHA-256.  It is written over in place, less than a
 * sector from a file's beginning, so that power loss leaves it as it was or as it was to be, and never
 * empty; "check" tells who reads it while it is being written. */
#pragma once

#include "chain.h"

#define AUDIT_HEAD "audit.head"
#define AUDIT_HEAD_SCHEMA "weighlock.audit-head/1"
#define AUDIT_HEAD_BYTES 256u
#define AUDIT_HEAD_TYPE "application/vnd.weighlock.audit-head+json" /* of one that is signed (dsse.h) */

enum audit_head_state { AUDIT_HEAD_GOOD, AUDIT_HEAD_NONE, AUDIT_HEAD_BAD };

/* A head's text, also one without "check" or with other members.  Return: false when it is none. */
bool audit_head_parse(struct bytes text, struct audit_chain *ret);

/* @dir: descriptor of the folder, or AT_FDCWD.  AUDIT_HEAD_BAD: it is there, and cannot be read (errno, or 0) or is none. */
enum audit_head_state audit_head_read(int dir, const char *name, struct audit_chain *ret);

/* A new one that lasts when this returns, in place of the old.  Return: a descriptor for audit_head_write(); negative errno. */
int audit_head_create(int dir, const struct audit_chain *c);

/* Over the old one; waits for no disk.  Return: 0 or negative errno. */
int audit_head_write(int fd, const struct audit_chain *c);
