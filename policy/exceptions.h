/* Exceptions by people: somebody has looked at one file, known by its digest, and answers for the codes that were found in it.
 * They are no policy: a verdict stays what it is, and says beside it what gates go by (`effective`).
 *
 * They are kept in a text file with a line of JSON for each act, an exception or its end, and nothing is ever taken out of it: who
 * let what pass, why and until when is what is asked later.  A line names the SHA-256 of the one before, so that one that was changed
 * or lost breaks the file, which then is refused as a whole.  Not a database: it is read by people and kept in a repository,
 * and one that is read whole at the start needs no library where it is trusted.  Who may write the file may except. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy.h"

#define EXCEPTIONS_FILE_MAX ((size_t)1 << 20) /* bytes */
#define EXCEPTIONS_ADD_MAX \
	(EXCEPTIONS_FILE_MAX / 4 * 3) /* ... beyond which there are only ends: what was let pass can be stopped */
#define EXCEPTIONS_HEAD 64u           /* hexadecimal digits */
#define EXCEPTION_CODES_MAX 64u       /* of one */
#define EXCEPTION_TEXT_MAX 1024u      /* bytes of a reason, an owner */
#define EXCEPTION_LINE_MAX 16384u

/* One that was added.  Its texts live as long as the list. */
struct exception {
	uint64_t seq;                                                     /* number of its line, from 0 */
	const char *sha256, *tenant, *reason, *owner, *expires, *at, *by; /* tenant: NULL: any */
	const char *codes[EXCEPTION_CODES_MAX];
	size_t n_codes;
	uint64_t uid;     /* who added it; `by` is his name */
	int64_t last_day; /* days since 1970-01-01 */
	bool revoked;
};

struct exceptions;

/**
 * exceptions_parse() - a list from the file's text
 * @error: POLICY_ERROR_MAX bytes; on failure "ORIGIN:LINE: what"
 * Return: 0; -EINVAL; -ENOMEM.
 */
int exceptions_parse(struct bytes text, const char *origin, struct exceptions **ret, char *error);
/* Open, read and parse; as above, and any errno of open(2) and read(2), with error filled. */
int exceptions_load(const char *path, struct exceptions **ret, char *error);
void exceptions_free(struct exceptions *e); /* NULL is fine */

size_t exceptions_count(const struct exceptions *e);
uint64_t exceptions_lines(const struct exceptions *e); /* the number of the next line */
/* SHA-256 of the last line, and so of all: EXCEPTIONS_HEAD digits; zeros: of none. */
const char *exceptions_head(const struct exceptions *e);
const struct exception *exceptions_at(const struct exceptions *e, size_t i);
/* Neither revoked nor expired. */
bool exception_is_live(const struct exception *x, int64_t today);

/* Who acts, by what the kernel says of him, and when. */
struct exception_act {
	uint64_t uid;
	const char *name;
	int64_t now; /* Unix seconds */
};

/**
 * exceptions_add_line(), exceptions_revoke_line() - the line that is to be written behind all others
 * @x: sha256, codes, tenant, reason, owner and expires
 * @error: POLICY_ERROR_MAX bytes; on -EINVAL what is wrong
 * Return: 0 with *ret, malloc()ed, a newline at its end; -EINVAL; -ENOMEM.
 */
int exceptions_add_line(
    const struct exceptions *e, const struct exception *x, const struct exception_act *act, char **ret, char *error);
int exceptions_revoke_line(const struct exceptions *e, uint64_t seq, const char *reason,
    const struct exception_act *act, char **ret, char *error);

/**
 * exceptions_append() - one more line, made to last
 * @path: made where it is missing.  Who else wants to append waits.
 * @make: the line that follows from what is there; as exceptions_add_line()
 * Return: 0; -EINVAL: the list, or what is to be added, is not sound; other negative errno.  @error is filled.
 */
int exceptions_append(const char *path, int (*make)(void *ctx, const struct exceptions *e, char **ret, char *error),
    void *ctx, char *error);
/* The file's text, malloc()ed; empty where there is no file.  Return: 0 or negative errno, with @error filled. */
int exceptions_read(const char *path, char **ret, size_t *ret_n, char *error);

/* For machines: {"seq", "sha256", ...}, of one and of all.  NULL without memory. */
json_t *exception_json(const struct exception *x, int64_t today);
json_t *exceptions_json(const struct exceptions *e, int64_t today);

/* ---- what they do ---- */

/* Verdicts of this policy say what is effective.  @e: borrowed, until the policy is freed; NULL: none are asked. */
void policy_except(struct policy *p, const struct exceptions *e);

/* Is it about this file, and in force today?  @tenant: never NULL. */
bool exception_is_about(const struct exception *x, const char *sha256, const char *tenant, int64_t today);
/**
 * exceptions_cover() - may findings of this code pass in this file?
 * Never of class incomplete: nobody has seen it.  Of class malicious when two people say so.
 */
bool exceptions_cover(
    const struct exceptions *e, enum wlk_finding code, const char *sha256, const char *tenant, int64_t today);
