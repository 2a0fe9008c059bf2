/* See stored.h. */
#include "stored.h"

#include <errno.h>
#include <openssl/evp.h>
#include <string.h>
#include <time.h>

#include "entry.h"
#include "facts_version.h"
#include "job.h"

/* Of what goes into a key.  Also raised when a reader is repaired that a file could take over: what it said then, it may have said
 * in another reader's name. */
#define KEY_VERSION 4
#define KEY_FIXED (1 + 8 + 4 + 1 + 32) /* version, owner, hint, whether names matter, SHA-256 */
#define LAYERS_MAX 32                  /* bits of entry.layers */

static enum wlk_format_id hint_of(const char *name)
{
	return format_hint(name && name[0] ? name : NULL);
}

/* Of the job: what its report can depend on.  How the bytes arrived, and whether a list of tensors or calls were asked for, are not
 * among it: reports with either are not kept, nor those of a file that changed.  The hint's number is its name's; a family's is its
 * place in a list, and whoever looks at it has another version (facts_versions.py) once that list is another. */
void stored_key(uint64_t owner, const struct policy *policy, const char *name, const uint8_t sha256[32],
    bool names_idle, uint8_t key[STORE_KEY_BYTES])
{
	static const struct bytes none = { 0 };
	const struct job job = { .task = JOB_FILE,
		.kind = SOURCE_IMMUTABLE,
		.family = config_family_hint(name && name[0] ? name : NULL),
		.limits = *policy_limits(policy),
		.pickle_names = { names_idle ? none : policy_pickle_names(policy) } };
	uint8_t text[KEY_FIXED + JOB_BYTES_MAX] = { KEY_VERSION };
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	size_t n;

	store_u64le(text + 1, owner);
	store_u32le(text + 1 + 8, format_number(hint_of(name)));
	text[1 + 8 + 4] = names_idle;
	memcpy(text + 1 + 8 + 4 + 1, sha256, 32);
	n = KEY_FIXED + job_encode(&job, text + KEY_FIXED);
	if (!ctx || EVP_DigestInit_ex(ctx, EVP_sha256(), NULL) != 1 || EVP_DigestUpdate(ctx, text, n) != 1 ||
	    EVP_DigestUpdate(ctx, job.pickle_names.lines.at, job.pickle_names.lines.n) != 1 ||
	    EVP_DigestFinal_ex(ctx, key, NULL) != 1)
		memset(key, 0, STORE_KEY_BYTES); /* without memory: nobody's row */
	EVP_MD_CTX_free(ctx);
}

void stored_key_of(unsigned i, uint64_t uid, const struct policy *policy, const char *name, const uint8_t sha256[32],
    uint8_t key[STORE_KEY_BYTES])
{
	stored_key(i < STORED_KEYS / 2 ? STORED_FOR_ALL : uid, policy, name, sha256, i % 2 == 0, key);
}

/* Whole, and about these bytes. */
static struct facts *decode(const struct store_row *row, const struct entry *e, const struct manifest_sink *sink)
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
	if (sink != NULL)
		facts_want_rows(f, sink);
	(void)facts_feed(f, e->report.at, e->report.n);
	facts_finish(f, WLK_CAUSE_NONE, &expect);
	return f;
}

bool stored_is_fact(const struct facts *f)
{
	return f->final.cause == WLK_CAUSE_NONE && f->has_final && f->final.has_digest;
}

int stored_facts(const struct store_row *row, enum wlk_format_id hint, const struct manifest_sink *sink,
    struct entry *e, struct facts **ret)
{
	struct facts *f;
	int r = 0;

	if (!entry_decode(row->entry, e))
		return -EBADMSG;
	f = decode(row, e, sink);
	if (f == NULL)
		return -ENOMEM;
	if (!stored_is_fact(f))
		r = -EBADMSG;
	else if (e->facts != facts_version(&f->final, hint))
		r = -ESTALE;
	if (r < 0)
		facts_free(f);
	else
		*ret = f;
	return r;
}

struct facts *stored_base(const struct store_row *row)
{
	struct facts *f = NULL;
	struct entry e;

	if (entry_decode(row->entry, &e) && e.pass == facts_version_of_pass())
		f = decode(row, &e, NULL);
	if (f == NULL || (stored_is_fact(f) && f->final.complete && f->has_pass && f->n_blocks > 0))
		return f;
	facts_free(f);
	return NULL;
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

int stored_judge(const struct policy *policy, const struct facts *f, const struct entry *e,
    const struct verdict_context *c, struct verdict *ret)
{
	struct verdict_context then = *c;
	int layer_errno[LAYERS_MAX];
	int r;

	if (c->n_layers > LAYERS_MAX)
		return -EBADMSG;
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
	struct facts *f;
	struct entry e;
	int r = stored_facts(row, hint_of(c->name), NULL, &e, &f);

	if (r < 0)
		return r;
	r = f->final.complete ? stored_judge(policy, f, &e, c, ret) : -EBADMSG;
	facts_free(f);
	return r;
}
