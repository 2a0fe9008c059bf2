/* What another policy would make of files whose reports `weighlock scan --db` has kept.  A report answers it where the policy would
 * have asked the same question (stored_key()); the others are counted. */
#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backend.h"
#include "cleanup.h"
#include "cli.h"
#include "entry.h"
#include "facts_version.h"
#include "job.h"
#include "policy_try.h"
#include "sandbox.h"
#include "scans.h"
#include "stored.h"

struct reading {
	struct trial *trial;
	struct scans *scans;
	const char *layer_names[SANDBOX_N_LAYERS];
	int error;
};

bool trial_is_db(const char *path)
{
	static const char magic[] = "SQLite format 3";
	char head[sizeof(magic)] = "";
	_cleanup_(closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd >= 0 && pread(fd, head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
	       memcmp(head, magic, sizeof(magic)) == 0;
}

/* As scan_db.c makes it, of a file that was judged without what others of its folder say of it. */
static bool is_its_question(const struct reading *r, const struct scans_file *f, const char *name)
{
	uint8_t key[STORE_KEY_BYTES + 1], hash[EVP_MAX_MD_SIZE];

	stored_key(STORED_FOR_ALL, r->trial->policy, name, f->sha256, f->names_idle, key);
	for (uint8_t part = JOB_PART_ALONE; part < JOB_N_PARTS; part++) {
		key[STORE_KEY_BYTES] = part;
		if (EVP_Digest(key, sizeof(key), hash, NULL, EVP_sha256(), NULL) == 1 &&
		    memcmp(hash, f->key, STORE_KEY_BYTES) == 0)
			return true;
	}
	return false;
}

/* Return: UNTRIED_NOT: its report says what the policy makes of it. */
static unsigned why_not(const struct reading *r, const struct scans_file *f, const char *name)
{
	struct report_final final = { .chosen = (enum report_chosen)f->chosen };

	if (!f->has_report)
		return TRIAL_NO_REPORT;
	if (f->chosen >= REPORT_N_CHOSEN || !format_by_number(f->reader, &final.reader) ||
	    f->facts != facts_version(&final, format_hint(name)))
		return TRIAL_STALE;
	return is_its_question(r, f, name) ? UNTRIED_NOT : TRIAL_OTHER_REPORT;
}

/* The verdict that follows from its report.  Return: 0 or negative errno. */
static int judge(struct reading *r, const struct scans_file *f, const char *name, struct verdict *ret)
{
	const struct verdict_context c = { .name = name,
		.path = rule_path(name),
		.layer_names = r->layer_names,
		.n_layers = SANDBOX_N_LAYERS,
		.started_at = (int64_t)time(NULL) };
	struct store_row row = { .size = f->stat.size };
	struct tensor_rows *rows = tensor_rows_new(TASK_ROWS_MAX);
	struct facts *facts = NULL;
	struct entry entry;
	int status = rows != NULL ? scans_report(r->scans, f->id, &row.entry) : -ENOMEM;

	memcpy(row.sha256, f->sha256, sizeof(row.sha256));
	status = status == 0  ? -EUCLEAN
		 : status < 0 ? status
			      : stored_facts(&row, format_hint(name), tensor_rows_sink(rows), &entry, &facts);
	if (status == 0)
		status = stored_judge(r->trial->policy, facts, &entry, &c, ret);
	facts_free(facts);
	tensor_rows_free(rows);
	return status;
}

static bool try_file(void *ctx, const struct scans_file *f)
{
	struct reading *r = ctx;
	_cleanup_(freep) char *name = strndup((const char *)f->path.at, f->path.n);
	unsigned why = name != NULL ? why_not(r, f, name) : UNTRIED_NOT;
	struct verdict v;

	if (name == NULL || f->verdict.value < 0 || f->verdict.value > VERDICT_REJECT)
		r->error = name == NULL ? -ENOMEM : -EUCLEAN;
	else if (why != UNTRIED_NOT)
		r->trial->n_untried[why]++;
	else
		r->error = judge(r, f, name, &v);
	if (r->error == 0 && why == UNTRIED_NOT) {
		trial_take(r->trial, name, (enum verdict_value)f->verdict.value, &v);
		json_decref(v.json);
	}
	return r->error == 0;
}

static bool count_set(void *ctx, const struct scans_file *f)
{
	(void)f;
	((struct reading *)ctx)->trial->n_sets++;
	return true;
}

int trial_db(struct trial *t)
{
	struct reading r = { .trial = t };
	char error[STORE_ERROR_MAX];
	int status = scans_open(t->verdicts, STORE_LOOK, &r.scans, error);

	if (status < 0) {
		say("%s", error);
		return status;
	}
	for (int i = 0; i < SANDBOX_N_LAYERS; i++)
		r.layer_names[i] = sandbox_layer_info((enum sandbox_layer)i)->name;
	status = scans_each(r.scans, (struct bytes){ 0 }, try_file, &r);
	if (status == 0)
		status = r.error != 0 ? r.error : scans_each_set(r.scans, count_set, &r);
	scans_close(r.scans);
	if (status < 0)
		say("%s: %s", t->verdicts, status == -EUCLEAN || status == -EBADMSG ? "damaged" : strerror(-status));
	return status;
}
