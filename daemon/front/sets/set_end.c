/* The end of a set: what is known of its files becomes one document, one more worker judges it, and the verdict goes out
 * with those of the files. */
#include "set_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "log.h"
#include "memory_file.h"
#include "set_verdict.h"
#include "shadow.h"
#include "verdict_log.h"

/* ---- the texts of an answer ---- */

struct texts {
	struct jobs_parts *parts;
	struct payer payer;
	int fd;
	uint64_t size, paid;
};

struct texts *texts_new(struct jobs_parts *parts, const struct payer *p)
{
	struct texts *t = malloc(sizeof(*t));

	if (t == NULL)
		return NULL;
	*t = (struct texts){ .parts = parts, .payer = *p, .fd = memory_file_new("weighlock-verdicts") };
	if (t->fd >= 0)
		return t;
	free(t);
	return NULL;
}

void texts_free(void *texts)
{
	struct texts *t = texts;

	if (t == NULL)
		return;
	files_close(&t->parts->env->files, t->fd);
	spool_store_return(t->parts->spools, &t->payer, t->paid);
	free(t);
}

int texts_fd(const struct texts *t)
{
	return t->fd;
}

int texts_add(struct texts *t, const char *text, struct listing_range *ret)
{
	uint64_t n = strlen(text) + 1, due;
	int r;

	if (n > SET_TEXTS_MAX - t->size)
		return -EFBIG;
	due = (t->size + n + ROWS_STEP - 1) / ROWS_STEP * ROWS_STEP;
	if (!spool_store_lend(t->parts->spools, &t->payer, due - t->paid))
		return -ENOBUFS;
	t->paid = due;
	*ret = (struct listing_range){ .at = t->size, .n = n };
	r = memory_file_write(t->fd, text, n - 1, t->size);
	if (r == 0)
		r = memory_file_write(t->fd, ",", 1, t->size + n - 1);
	t->size += n;
	return r;
}

/* ---- the verdict ---- */

/* @otherwise: where there is none. */
static const char *text_in(const json_t *json, const char *key, const char *otherwise)
{
	const char *text = json_string_value(json_object_get(json, key));

	return text != NULL ? text : otherwise;
}

static void log_verdict(const struct set *s, const struct verdict *v, double ms)
{
	const struct scan_request *r = &s->request.scan;
	const char *sha256 = text_in(v->json, "sha256", "-");
	const char *error = text_in(json_object_get(v->json, "scan"), "error", "none");
	char tenant[4 * TENANT_NAME_MAX + 1], pseudonym[SETTINGS_PSEUDONYM_BYTES];
	struct verdict_log_entry entry;

	if (s->parts->env->settings->config.log_level < CONFIG_LOG_INFO)
		return;
	log_escape(settings_tenant(s->parts->env->settings, s->tenant, pseudonym), tenant, sizeof(tenant));
	log_entry(verdict_log_entry(&(struct verdict_log){ .verdict = v,
					.of_set = true,
					.sha256 = sha256,
					.tenant = tenant,
					.request_id = s->request_id,
					.policy = policy_name(r->policy),
					.error = error },
		      &entry),
	    "set=%s id=%s uid=%u pid=%d tenant=%s files=%zu sha256=%s policy=%s ms=%.1f error=%s%s%s",
	    verdict_text(v->value), s->request_id, r->peer_uid, r->peer_pid, tenant, s->n, sha256,
	    policy_name(r->policy), ms, error, v->effective != v->value ? " effective=" : "",
	    v->effective != v->value ? verdict_text(v->effective) : "");
}

static void give(struct set *s)
{
	s->over = true;
	set_step_soon(s);
}

static void refuse_unrecorded(struct set *s)
{
	free(s->json);
	s->json = NULL;
	set_fail(s, TROUBLE_NOT_RECORDED, AUDIT_NOT_RECORDED);
}

static void on_recorded(void *ctx, bool recorded)
{
	struct set *s = ctx;

	s->recording = NULL;
	if (recorded)
		give(s);
	else
		refuse_unrecorded(s);
}

static void release(struct set *s, const struct verdict *v)
{
	const struct scan_request *r = &s->request.scan;
	const struct audit_event e = {
		.kind = "set", .verdict = v->json, .tenant = s->tenant, .uid = r->peer_uid, .pid = r->peer_pid
	};
	enum audit_step step = audit_verdict(&s->parts->audit, &e, on_recorded, s, &s->recording);

	if (step == AUDIT_RELEASE)
		give(s);
	else if (step == AUDIT_REFUSE)
		refuse_unrecorded(s);
}

/* @f: what the last worker found, with its @context; NULL: it was not asked, because the set cannot be judged. */
static void conclude(struct set *s, const struct facts *f, const struct verdict_context *context)
{
	struct verdict_context c = context ? *context : (struct verdict_context){ .request_id = s->request_id };
	struct verdict v;

	c.name = s->name[0] ? s->name : NULL;
	c.tenant = s->tenant;
	c.started_at = s->started_at;
	c.duration_ms = clock_now_ms_exact() - s->started_ms; /* of all of it, as the caller sees it */
	if (set_verdict_make(s->request.scan.policy, s->file, f, &c, &v) < 0) {
		set_fail(s, TROUBLE_INTERNAL, "out of memory");
		return;
	}
	s->json = verdict_dump(&v);
	if (s->json) {
		s->value = v.value;
		s->effective = v.effective;
		s->parts->env->tally.sets[v.value]++;
		log_verdict(s, &v, c.duration_ms);
		shadow_judge(s->parts->env, s->request.scan.policy, s->file, f, &c, &v);
		release(s, &v);
	} else {
		set_fail(s, TROUBLE_INTERNAL, "out of memory");
	}
	json_decref(v.json);
}

/* ---- the worker ---- */

static void on_judged(void *ctx, const struct scan_result *r)
{
	struct set *s = ctx;

	s->judge = NULL;
	if (r->facts)
		conclude(s, r->facts, r->context);
	else
		set_fail(s, r->trouble, r->detail);
}

static void start_worker(struct set *s, int document, uint64_t size)
{
	struct scan_request r = set_scan_request(s);
	int fd = fcntl(document, F_DUPFD_CLOEXEC, 0);

	r.task = JOB_SET;
	if (fd < 0 || scan_admit(s->jobs, &r, on_judged, s, &s->judge) != QUEUE_OK) {
		files_close(&s->parts->env->files, fd);
		set_fail(s, TROUBLE_BUSY, "descriptors or memory are short at the moment");
		return;
	}
	scan_start_own(s->judge, fd, size);
}

/* ---- the document: up to a gigabyte is moved, so a thread does it ---- */

struct sealing {
	struct task task;
	struct set *set;
	bool claims; /* for those that are put off, and not for the set */
	int fd;
	uint64_t size;
};

static void seal_run(struct task *t)
{
	struct sealing *w = (struct sealing *)t;
	struct set_file *file = w->set->file;

	w->fd = w->claims ? set_file_claims(file, &w->size) : set_file_seal(file, &w->size);
}

static void have_claims(struct set *s, int fd, uint64_t size)
{
	s->claims = fd;
	s->claims_size = fd >= 0 ? size : 0;
	s->claimed = true;
	set_step_soon(s);
}

static void seal_done(struct task *t)
{
	struct sealing *w = (struct sealing *)t;
	struct set *s = w->set;
	int fd = w->fd;
	bool claims = w->claims;
	uint64_t size = w->size;

	free(w);
	s->sealing = false;
	if (s->abandoned)
		set_free(s);
	else if (claims)
		have_claims(s, fd, size);
	else if (fd < 0)
		conclude(s, NULL, NULL);
	else
		start_worker(s, fd, size);
}

static void seal(struct set *s, bool claims)
{
	struct sealing *w = malloc(sizeof(*w));

	if (w == NULL) {
		set_fail(s, TROUBLE_INTERNAL, "out of memory");
		return;
	}
	*w = (struct sealing){ .task = { .run = seal_run, .done = seal_done }, .set = s, .claims = claims, .fd = -1 };
	s->sealing = true;
	pool_post(s->parts->env->files.ours, &w->task);
}

/* Rows that are in it are in memory twice until the set is judged. */
void set_claim(struct set *s)
{
	uint64_t bytes = set_file_cause(s->file) == WLK_CAUSE_NONE ? set_file_claims_bytes(s->file, s->n_put_off) : 0;

	if (bytes == 0) {
		have_claims(s, -1, 0);
		return;
	}
	if (!spool_store_lend(s->parts->spools, &s->payer, bytes)) {
		set_fail(s, TROUBLE_BUSY, "the room for lists of tensors is taken at the moment");
		return;
	}
	s->rows_paid += bytes;
	seal(s, true);
}

void set_judge(struct set *s)
{
	if (set_file_cause(s->file) == WLK_CAUSE_NONE)
		seal(s, false);
	else
		conclude(s, NULL, NULL);
}

/* ---- the answer ---- */

struct listing *set_listing(struct set *s)
{
	struct listing *l = listing_new(s->json);
	struct listing_range *ranges;

	if (l == NULL || s->request.lines)
		return l;
	ranges = calloc(s->n, sizeof(*ranges));
	if (ranges == NULL) {
		listing_free(l);
		return NULL;
	}
	for (size_t i = 0; i < s->n; i++)
		ranges[i] = s->members[i].text;
	ranges[s->n - 1].n--; /* no comma behind the last */
	listing_add_files(l, texts_fd(s->texts), ranges, s->n, texts_free, s->texts);
	s->texts = NULL;
	return l;
}
