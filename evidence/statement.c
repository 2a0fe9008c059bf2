/* See statement.h. */
#include "statement.h"
#include "hex.h"
#include "whole_json.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define CODES_MAX 64u /* in a predicate: the verdict in it has them all */

static const char *text_in(const json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

static bool has(const json_t *array, const char *text)
{
	size_t i;
	const json_t *item;

	json_array_foreach (array, i, item) {
		if (strcmp(json_string_value(item), text) == 0)
			return true;
	}
	return false;
}

/* Codes of findings with this action.  Return: false without memory. */
static bool add_codes(json_t *codes, const json_t *verdict, const char *action, size_t max)
{
	size_t i;
	const json_t *f;

	json_array_foreach (json_object_get(verdict, "findings"), i, f) {
		const char *code = text_in(f, "code"), *what = text_in(f, "action");

		if (code != NULL && what != NULL && strcmp(what, action) == 0 && json_array_size(codes) < max &&
		    !has(codes, code) && json_array_append_new(codes, json_string(code)) < 0)
			return false;
	}
	return true;
}

static json_t *codes_with(const json_t *verdict, const char *action, size_t max)
{
	json_t *codes = json_array();

	if (codes != NULL && add_codes(codes, verdict, action, max))
		return codes;
	json_decref(codes);
	return NULL;
}

/* An error has no finding as its cause, unless it is one of those that are about limits: those are "review" or less, and
 * what ended the scan is said in scan.error. */
json_t *statement_codes(const json_t *verdict, size_t max)
{
	const char *value = text_in(verdict, "verdict");

	return value != NULL && strcmp(value, "accept") != 0 ? codes_with(verdict, value, max) : json_array();
}

static const char *result_of(const char *verdict)
{
	if (strcmp(verdict, "accept") == 0)
		return "PASSED";
	return strcmp(verdict, "review") == 0 ? "WARNED" : "FAILED";
}

/* ---- making ---- */

static json_t *subject(const json_t *verdict, const char *sha256)
{
	const char *name = text_in(json_object_get(verdict, "file"), "name");
	json_t *o = json_pack("{s:{s:s}}", "digest", "sha256", sha256);

	if (o != NULL && name != NULL && json_object_set_new(o, "name", json_string(name)) < 0) {
		json_decref(o);
		o = NULL;
	}
	return json_pack("[o]", o);
}

static json_t *configuration(const json_t *verdict)
{
	const json_t *policy = json_object_get(verdict, "policy");
	const char *name = text_in(policy, "name"), *sha256 = text_in(policy, "sha256");

	return name != NULL && sha256 != NULL ? json_pack("[{s:s, s:{s:s}}]", "name", name, "digest", "sha256", sha256)
					      : json_array();
}

static json_t *predicate(const json_t *verdict, const char *value)
{
	json_t *warned = codes_with(verdict, "review", CODES_MAX), *failed = codes_with(verdict, "reject", CODES_MAX);

	return json_pack("{s:s, s:o, s:o, s:o, s:O}", "result", result_of(value), "configuration",
	    configuration(verdict), "warnedTests", warned, "failedTests", failed, "weighlock_verdict", verdict);
}

/* Nobody whose key this is has seen bytes of that digest. */
static bool is_claimed(const json_t *verdict)
{
	const char *by = text_in(json_object_get(verdict, "scan"), "digest_by");

	return by != NULL && strcmp(by, "caller") == 0;
}

int statement_make(const json_t *verdict, char **ret)
{
	const char *sha256 = text_in(json_object_get(verdict, "file"), "sha256"), *value = text_in(verdict, "verdict");
	json_t *o;

	*ret = NULL;
	if (sha256 == NULL || value == NULL || is_claimed(verdict))
		return -ENOENT;
	o = json_pack("{s:s, s:o, s:s, s:o}", "_type", STATEMENT_TYPE, "subject", subject(verdict, sha256),
	    "predicateType", STATEMENT_PREDICATE, "predicate", predicate(verdict, value));
	*ret = whole_json(o, JSON_COMPACT | JSON_REAL_PRECISION(15));
	json_decref(o);
	return *ret ? 0 : -ENOMEM;
}

/* ---- reading ---- */

static bool is(const char *text, const char *expected)
{
	return text != NULL && strcmp(text, expected) == 0;
}

/* As we write it: another spelling of a digest would never be that of a file. */
static bool is_digest(const char *text)
{
	return is_sha256_hex(text);
}

static const char *read_it(struct statement *s)
{
	const json_t *subjects = json_object_get(s->json, "subject"), *first = json_array_get(subjects, 0);
	const json_t *predicate = json_object_get(s->json, "predicate");

	if (!is(text_in(s->json, "_type"), STATEMENT_TYPE))
		return "the payload is no in-toto Statement v1";
	if (!is(text_in(s->json, "predicateType"), STATEMENT_PREDICATE))
		return "its predicate is of another type";
	s->whole = json_object_get(predicate, "weighlock_verdict");
	s->sha256 = text_in(json_object_get(first, "digest"), "sha256");
	s->name = text_in(first, "name");
	s->verdict = text_in(s->whole, "verdict");
	if (json_array_size(subjects) != 1 || !s->sha256 || !is_digest(s->sha256))
		return "it has not one subject with a SHA-256";
	if (!is(text_in(s->whole, "schema"), "weighlock.verdict/1") || !s->verdict)
		return "there is no verdict in it";
	if (!is(text_in(json_object_get(s->whole, "file"), "sha256"), s->sha256))
		return "its verdict is about another file than its subject";
	if (is_claimed(s->whole))
		return "its verdict's digest is only claimed";
	if (!is(text_in(predicate, "result"), result_of(s->verdict)))
		return "its result is not its verdict's";
	return NULL;
}

const char *statement_read(const void *at, size_t n, struct statement *ret)
{
	const char *why;

	*ret = (struct statement){ .json = json_loadb(at, n, JSON_REJECT_DUPLICATES, NULL) };
	why = ret->json ? read_it(ret) : "the payload is no JSON";
	if (why != NULL)
		statement_done(ret);
	return why;
}

void statement_done(struct statement *s)
{
	json_decref(s->json);
	*s = (struct statement){ 0 };
}
