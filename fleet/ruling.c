/* See ruling.h. */
#include "ruling.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <openssl/evp.h>

#include "hex.h"

/* "" for what is no text, or does not fit: nothing below takes that for an answer. */
static const char *word(const json_t *object, const char *key, char *ret, size_t room)
{
	const json_t *value = json_object_get(object, key);
	const char *text = json_string_value(value);
	size_t n = json_string_length(value);

	ret[0] = '\0';
	if (text != NULL && n < room && strlen(text) == n)
		memcpy(ret, text, n + 1);
	return ret;
}

static void end_as(struct ruling *r, enum fate_end end, const char *cause)
{
	r->end = end;
	snprintf(r->cause, sizeof(r->cause), "%s", cause[0] != '\0' ? cause : "no-cause");
}

/* ---- what is the same whoever scanned it ---- */

static bool copy(const json_t *from, json_t *to, const char *key)
{
	json_t *value = json_object_get(from, key);

	return value == NULL || json_object_set(to, key, value) == 0;
}

/* Not the file's name, which is the question's; not libmagic's opinion, which is another library's; not time and layers. */
static json_t *canonical(const json_t *v)
{
	static const char *const kept[] = { "schema", "verdict", "complete", "reasons", "format", "findings", "weights",
		"facts" };
	const json_t *scan = json_object_get(v, "scan");
	json_t *c = json_object();
	bool ok = c != NULL;

	for (size_t i = 0; ok && i < sizeof(kept) / sizeof(kept[0]); i++)
		ok = copy(v, c, kept[i]);
	ok = ok && copy(scan, c, "rules") && copy(scan, c, "reader");
	if (ok)
		return c;
	json_decref(c);
	return NULL;
}

static bool digest_facts(const json_t *v, char *ret)
{
	json_t *c = canonical(v);
	char *text = c != NULL ? json_dumps(c, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
	uint8_t sum[32];
	bool ok = text != NULL && EVP_Digest(text, strlen(text), sum, NULL, EVP_sha256(), NULL) == 1;

	if (ok)
		hex_write(sum, sizeof(sum), ret);
	free(text);
	json_decref(c);
	return ok;
}

/* ---- the row ---- */

static bool names_the_file(const json_t *v, const struct fleet_job *job)
{
	const json_t *file = json_object_get(v, "file"), *size = json_object_get(file, "size");
	char sha256[64 + 1];

	return strcmp(word(file, "sha256", sha256, sizeof(sha256)), job->sha256) == 0 && json_is_integer(size) &&
	       json_integer_value(size) == (json_int_t)job->size;
}

static bool read_row(const json_t *v, struct ruling *r)
{
	const json_t *scan = json_object_get(v, "scan"), *policy = json_object_get(v, "policy");
	const json_t *reader = json_object_get(scan, "reader");
	char format[RULING_WORD_MAX - 24], by[RULING_WORD_MAX];

	word(scan, "rules", r->rules, sizeof(r->rules));
	word(policy, "name", r->policy, sizeof(r->policy));
	word(policy, "sha256", r->policy_sha256, sizeof(r->policy_sha256));
	r->complete = json_is_true(json_object_get(v, "complete"));
	r->rules_version = json_integer_value(json_object_get(scan, "rules_version"));
	if (word(reader, "format", format, sizeof(format))[0] != '\0')
		snprintf(r->reader, sizeof(r->reader), "%s/%lld", format,
		    (long long)json_integer_value(json_object_get(reader, "revision")));
	word(scan, "digest_by", by, sizeof(by));
	return is_sha256_hex(r->rules) && is_sha256_hex(r->policy_sha256) && r->policy[0] != '\0' &&
	       r->rules_version > 0 && by[0] != '\0' && strcmp(by, "caller") != 0 && digest_facts(v, r->facts_sha256);
}

/* Causes of which the worker itself died: lib/core's names, which never change. */
static bool is_fault(const char *error)
{
	return strcmp(error, "worker-crashed") == 0 || strcmp(error, "worker-killed-seccomp") == 0;
}

static void read_error(const json_t *v, struct ruling *r)
{
	const json_t *scan = json_object_get(v, "scan");
	char error[RULING_WORD_MAX], retry[16];

	word(scan, "error", error, sizeof(error));
	word(scan, "retry", retry, sizeof(retry));
	if (strcmp(error, "digest-mismatch") == 0)
		end_as(r, END_OTHER_BYTES, error);
	else if (is_fault(error))
		end_as(r, END_FAULT, error);
	else
		end_as(r, strcmp(retry, "later") == 0 ? END_LATER : END_NEVER, error);
}

static bool is_opinion(const char *verdict)
{
	return strcmp(verdict, "accept") == 0 || strcmp(verdict, "review") == 0 || strcmp(verdict, "reject") == 0;
}

static void read_verdict(const json_t *v, const struct fleet_job *job, struct ruling *r)
{
	const json_t *scan = json_object_get(v, "scan");

	word(v, "verdict", r->verdict, sizeof(r->verdict));
	if (strcmp(r->verdict, "error") == 0 || json_is_string(json_object_get(scan, "error")))
		read_error(v, r);
	else if (!is_opinion(r->verdict))
		end_as(r, END_NEVER, "unknown-verdict");
	else if (!names_the_file(v, job))
		end_as(r, END_OTHER_BYTES, "other-bytes");
	else if (!read_row(v, r))
		end_as(r, END_NEVER, "no-row");
	else
		r->end = END_JUDGED;
}

void ruling_of(const char *json, size_t n, const struct fleet_job *job, struct ruling *ret)
{
	json_t *v = json_loadb(json, n, JSON_REJECT_DUPLICATES, NULL);

	*ret = (struct ruling){ 0 };
	if (json_is_object(v))
		read_verdict(v, job, ret);
	else
		end_as(ret, END_LATER, "no-json");
	json_decref(v);
}
