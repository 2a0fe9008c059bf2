/* See job.h. */
#include "job.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>
#include <openssl/evp.h>

#include "hex.h"

#define SCHEMA "weighlock.job/1"
#define ID_BYTES "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-"
#define WORD_BYTES "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"

static const char *const lane_names[N_JOB_LANES] = { "small", "large", "rescan" };

const char *job_lane_name(enum job_lane lane)
{
	return lane_names[lane];
}

bool job_lane_of(const char *name, enum job_lane *ret)
{
	for (size_t i = 0; i < N_JOB_LANES; i++) {
		if (strcmp(name, lane_names[i]) != 0)
			continue;
		*ret = (enum job_lane)i;
		return true;
	}
	return false;
}

/* ---- reading ---- */

/* A text of printable bytes that fits, or of @bytes if that is given.  An absent one is "". */
static bool take_text(const json_t *object, const char *key, const char *bytes, char *ret, size_t room)
{
	const json_t *value = json_object_get(object, key);
	const char *text = json_string_value(value);
	size_t n = json_string_length(value);

	ret[0] = '\0';
	if (value == NULL)
		return true;
	if (text == NULL || n == 0 || n >= room || strlen(text) != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			return false;
	}
	if (bytes != NULL && strspn(text, bytes) != n)
		return false;
	memcpy(ret, text, n + 1);
	return true;
}

static bool take_count(const json_t *object, const char *key, bool wanted, int64_t *ret)
{
	const json_t *value = json_object_get(object, key);

	*ret = json_integer_value(value);
	return value == NULL ? !wanted : json_is_integer(value) && *ret >= 0;
}

static const char *take_lane(const json_t *object, struct fleet_job *job)
{
	char lane[16];

	if (!take_text(object, "lane", NULL, lane, sizeof(lane)))
		return "lane is small, large or rescan";
	if (lane[0] == '\0')
		job->lane = job->size >= JOB_LARGE_BYTES ? LANE_LARGE : LANE_SMALL;
	else if (!job_lane_of(lane, &job->lane))
		return "lane is small, large or rescan";
	return NULL;
}

static const char *take_name(const json_t *object, struct fleet_job *job)
{
	char path[JOB_REF_MAX + 1];
	const char *last;

	/* behind a '?' stands what a server wants to know */
	snprintf(path, sizeof(path), "%s", job->ref);
	if (strncmp(path, "https:", 6) == 0)
		path[strcspn(path, "?")] = '\0';
	last = strrchr(path, '/');
	if (!take_text(object, "name", NULL, job->name, sizeof(job->name)))
		return "name is 1 to 512 bytes without control characters";
	if (job->name[0] != '\0')
		return NULL;
	if (last == NULL || last[1] == '\0' || strlen(last + 1) >= sizeof(job->name))
		return "name is wanted: the reference does not end in one";
	memcpy(job->name, last + 1, strlen(last + 1) + 1);
	return NULL;
}

/* The same question has the same name: each part stands behind its length. */
static bool name_itself(struct fleet_job *job)
{
	const char *const parts[] = { job->ref, job->sha256, job->name, job->tenant, job->policy };
	EVP_MD_CTX *c = EVP_MD_CTX_new();
	uint8_t sum[32];
	bool ok = c != NULL && EVP_DigestInit_ex(c, EVP_sha256(), NULL) == 1;

	for (size_t i = 0; ok && i < sizeof(parts) / sizeof(parts[0]); i++) {
		const uint64_t n = strlen(parts[i]);

		ok = EVP_DigestUpdate(c, &n, sizeof(n)) == 1 && EVP_DigestUpdate(c, parts[i], n) == 1;
	}
	ok = ok && EVP_DigestFinal_ex(c, sum, NULL) == 1;
	EVP_MD_CTX_free(c);
	if (ok)
		hex_write(sum, sizeof(sum), job->id);
	return ok;
}

static const char *take_all(const json_t *o, struct fleet_job *job)
{
	char schema[32];
	int64_t size;
	const char *why;

	if (!take_text(o, "schema", NULL, schema, sizeof(schema)) || (schema[0] && strcmp(schema, SCHEMA) != 0))
		return "schema is \"" SCHEMA "\"";
	if (!take_text(o, "ref", NULL, job->ref, sizeof(job->ref)) || job->ref[0] == '\0')
		return "ref is wanted: 1 to 768 bytes without control characters";
	if (!take_text(o, "sha256", NULL, job->sha256, sizeof(job->sha256)) || !is_sha256_hex(job->sha256))
		return "sha256 is wanted: 64 lower-case hexadecimal digits";
	if (!take_count(o, "size", true, &size))
		return "size is wanted: a number of bytes";
	job->size = (uint64_t)size;
	if (!take_count(o, "deadline", false, &job->deadline))
		return "deadline is in seconds of the Unix clock";
	if (!take_text(o, "tenant", WORD_BYTES, job->tenant, sizeof(job->tenant)) ||
	    !take_text(o, "policy", WORD_BYTES, job->policy, sizeof(job->policy)))
		return "tenant and policy are [A-Za-z0-9._-]{1,64}";
	if ((why = take_name(o, job)) != NULL || (why = take_lane(o, job)) != NULL)
		return why;
	if (!take_text(o, "id", ID_BYTES, job->id, sizeof(job->id)))
		return "id is [A-Za-z0-9._:-]{1,128}";
	return job->id[0] != '\0' || name_itself(job) ? NULL : "no memory";
}

static bool knows(const char *key)
{
	static const char *const known[] = { "schema", "id", "ref", "sha256", "size", "name", "tenant", "policy",
		"lane", "deadline" };

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(key, known[i]) == 0)
			return true;
	}
	return false;
}

const char *job_read(const char *at, size_t n, struct fleet_job *ret)
{
	const char *why = NULL, *key;
	json_t *o, *value;

	*ret = (struct fleet_job){ 0 };
	if (n > JOB_TEXT_MAX)
		return "a job has 1,024 bytes at most";
	o = json_loadb(at, n, JSON_REJECT_DUPLICATES, NULL);
	if (!json_is_object(o))
		why = "it is no JSON object";
	json_object_foreach (o, key, value) {
		if (!knows(key))
			why = "it has a member that this version does not know";
	}
	if (why == NULL)
		why = take_all(o, ret);
	json_decref(o);
	return why;
}

/* ---- writing ---- */

/* Return: false: no memory.  An empty text is left out. */
static bool put_text(json_t *o, const char *key, const char *text)
{
	return text[0] == '\0' || json_object_set_new(o, key, json_string(text)) == 0;
}

static bool put_all(json_t *o, const struct fleet_job *job)
{
	return put_text(o, "schema", SCHEMA) && put_text(o, "id", job->id) && put_text(o, "ref", job->ref) &&
	       put_text(o, "sha256", job->sha256) &&
	       json_object_set_new(o, "size", json_integer((json_int_t)job->size)) == 0 &&
	       put_text(o, "name", job->name) && put_text(o, "tenant", job->tenant) &&
	       put_text(o, "policy", job->policy) && put_text(o, "lane", lane_names[job->lane]) &&
	       (job->deadline == 0 || json_object_set_new(o, "deadline", json_integer(job->deadline)) == 0);
}

const char *job_write(const struct fleet_job *job, char *ret)
{
	json_t *o = json_object();
	size_t n = 0;
	bool ok = o != NULL && put_all(o, job);

	if (ok)
		n = json_dumpb(o, ret, JOB_TEXT_MAX, JSON_COMPACT);
	json_decref(o);
	if (!ok || n == 0)
		return "no memory";
	if (n > JOB_TEXT_MAX)
		return "a job has 1,024 bytes at most";
	ret[n] = '\0';
	return NULL;
}
