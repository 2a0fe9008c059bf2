/* See stored.h. */
#include "stored.h"

#include <errno.h>
#include <openssl/evp.h>
#include <string.h>
#include <time.h>

#include "entry.h"
#include "job.h"

#define KEY_VERSION 2              /* of what goes into a key */
#define KEY_FIXED (1 + 8 + 8 + 32) /* version, owner, build, SHA-256 */
#define LAYERS_MAX 32              /* bits of entry.layers */

/* Of the job: what its report can depend on.  How the bytes arrived, and whether a list of tensors was asked for, are not
 * among it: reports with a list are not kept, nor those of a file that changed. */
void stored_key(uint64_t owner, const struct policy *policy, const char *name, const uint8_t sha256[32], uint64_t build,
    uint8_t key[STORE_KEY_BYTES])
{
	const struct job job = { .task = JOB_FILE,
		.kind = SOURCE_IMMUTABLE,
		.hint = format_hint(name && name[0] ? name : NULL),
		.family = config_family_hint(name && name[0] ? name : NULL),
		.limits = *policy_limits(policy),
		.pickle_names = { policy_pickle_names(policy) } };
	uint8_t text[KEY_FIXED + JOB_BYTES_MAX] = { KEY_VERSION };
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	size_t n;

	store_u64le(text + 1, owner);
	store_u64le(text + 1 + 8, build);
	memcpy(text + 1 + 8 + 8, sha256, 32);
	n = KEY_FIXED + job_encode(&job, text + KEY_FIXED);
	if (!ctx || EVP_DigestInit_ex(ctx, EVP_sha256(), NULL) != 1 || EVP_DigestUpdate(ctx, text, n) != 1 ||
	    EVP_DigestUpdate(ctx, job.pickle_names.lines.at, job.pickle_names.lines.n) != 1 ||
	    EVP_DigestFinal_ex(ctx, key, NULL) != 1)
		memset(key, 0, STORE_KEY_BYTES); /* without memory: nobody's row */
	EVP_MD_CTX_free(ctx);
}

/* Whole, complete, and about these bytes. */
static struct facts *decode(const struct store_row *row, const struct entry *e)
{
	struct facts_expect expect = { .size = row->size,
		.has_sha256 = true,
		.taken_by = e->source == VERDICT_SPOOL ? DIGEST_BY_FRONT : DIGEST_BY_DIGESTER,
		.has_taken = true };
	struct facts *f = facts_new();

	if (f == NULL)
		return NULL;
	memcpy(expect.sha256, row->sha256, sizeof(expect.sha256));
	memcpy(expect.taken, row->sha256, sizeof(expect.taken));
	(void)facts_feed(f, e->report.at, e->report.n);
	facts_finish(f, WLK_CAUSE_NONE, &expect);
	return f;
}

static bool is_sound(const struct facts *f)
{
	return f->final.complete && f->final.cause == WLK_CAUSE_NONE && f->has_final && f->final.has_digest;
}

/* It says of itself that it is not of today.  Return: false without memory. */
static bool mark_cached(json_t *verdict, int64_t scanned_at)
{
	json_t *scan = json_object_get(verdict, "scan");
	time_t t = (time_t)scanned_at;
	char text[32];
	struct tm tm;

	if (!gmtime_r(&t, &tm) || strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		return false;
	return json_object_set_new(scan, "time", json_string(text)) == 0 &&
	       json_object_set_new(scan, "cached", json_true()) == 0;
}

static int judge(const struct policy *policy, const struct facts *f, const struct entry *e,
    const struct verdict_context *c, struct verdict *ret)
{
	struct verdict_context then = *c;
	int layer_errno[LAYERS_MAX];
	int r;

	for (unsigned i = 0; i < LAYERS_MAX; i++)
		layer_errno[i] = (e->layers >> i & 1) ? 0 : ENOENT;
	then.source = e->source;
	then.layer_errno = layer_errno;
	then.duration_ms = (double)e->us / 1e3;
	r = verdict_make(policy, f, &then, ret);
	if (r < 0)
		return r;
	if (mark_cached(ret->json, e->scanned_at))
		return 0;
	json_decref(ret->json);
	return -ENOMEM;
}

int stored_verdict(
    const struct policy *policy, const struct store_row *row, const struct verdict_context *c, struct verdict *ret)
{
	struct entry e;
	struct facts *f;
	int r;

	if (!entry_decode(row->entry, &e) || c->n_layers > LAYERS_MAX)
		return -EBADMSG;
	f = decode(row, &e);
	if (f == NULL)
		return -ENOMEM;
	r = is_sound(f) ? judge(policy, f, &e, c, ret) : -EBADMSG;
	facts_free(f);
	return r;
}
