/* A verdict as an in-toto Statement v1: the subject is the file, by its SHA-256; the predicate is a test-result v0.1, with
 * the whole verdict in it as `weighlock_verdict`.  docs/statement.schema.json has the members.
 *
 * One type of predicate for every verdict: who only looks for a signature and finds one must read "result" to learn
 * anything, and FAILED is in it for everything that is neither accept (PASSED) nor review (WARNED). */
#pragma once

#include <jansson.h>

#define STATEMENT_PAYLOAD_TYPE "application/vnd.in-toto+json"
#define STATEMENT_TYPE "https://in-toto.io/Statement/v1"
#define STATEMENT_PREDICATE "https://in-toto.io/attestation/test-result/v0.1"

/**
 * statement_make() - what is to be signed
 * @verdict: of a file, as policy/verdict.h made it
 * @ret: malloc()ed text; NULL with -ENOENT
 * Return: 0; -ENOENT: the verdict has no digest that was taken, so there is nothing that it could be about; -ENOMEM.
 */
int statement_make(const json_t *verdict, char **ret);

/* What a statement says. */
struct statement {
	json_t *json;
	const char *sha256, *name; /* name: NULL for none */
	const char *verdict;       /* "accept" ... */
	const json_t *whole;       /* the verdict */
};

/* Strict, and consistent in itself: subject, result and verdict say the same.  Return: NULL; or why not, static. */
const char *statement_read(const void *at, size_t n, struct statement *ret);
void statement_done(struct statement *s);

/* The codes of the findings because of which the verdict is what it is, each once, at most @max.  A new array of strings;
 * NULL without memory. */
json_t *statement_codes(const json_t *verdict, size_t max);
