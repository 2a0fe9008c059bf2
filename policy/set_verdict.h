/* From a set of judged files, and what one more worker found when it laid them beside each other, to the verdict about
 * the set: docs/set.schema.json is the contract.  Its findings meet the policy as a file's do; a rule's `path` is the set's
 * name, its `format` is "set", its `member` the file that a finding is about. */
#pragma once

#include "set_file.h"
#include "verdict.h"

#define SET_FORMAT_TEXT "set" /* what policy rules' `format` globs match */

/**
 * set_verdict_make() - judge the set
 * @s: all members added and judged.
 * @f: the set scan's facts, after facts_finish(); NULL when there was none, because set_file_cause() forbids it.
 * @c: as for a file (verdict.h); name is the set's (the folder as given), or NULL.  `source` is not used.
 * The value is the worst of the members' and of what the policy makes of the set's own findings, `error` if it could
 * not be judged; accept needs a complete scan of the set and of every member.
 * The findings stay within VERDICT_BYTES_MAX; the members are listed all, whatever they take.
 * Return: 0 or -ENOMEM.  ret->json is owned: json_decref().
 */
int set_verdict_make(const struct policy *p, const struct set_file *s, const struct facts *f,
    const struct verdict_context *c, struct verdict *ret);

/**
 * set_digest() - the name of the set's bytes
 * SHA-256 over, for the members sorted by the bytes of their names: 64 hex digits, two spaces, the name, one NUL; so it is what
 * `sha256sum -z -- FILES | LC_ALL=C sort -z -k2 | sha256sum` prints in the folder.
 * Return: false when a member's digest is not known, or without memory.
 */
bool set_digest(const struct set_file *s, uint8_t ret[32]);
