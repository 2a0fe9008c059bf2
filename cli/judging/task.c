/* Verdicts about what nobody judged: unreadable entries, jobs that could not be begun or answered. */
#include "backend.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cleanup.h"
#include "cli.h"
#include "facts.h"
#include "hex.h"
#include "set_verdict.h"

void verdict_detail(json_t *verdict, const char *detail)
{
	json_t *scan = json_object_get(verdict, "scan");
	_cleanup_(freep) char *safe = text_safe(detail);

	if (json_is_object(scan) && safe != NULL)
		(void)json_object_set_new(scan, "detail", json_string(safe));
}

const char *rule_path(const char *name)
{
	return strncmp(name, "./", 2) == 0 ? name + 2 : name;
}

bool task_add_findings(const struct task *t, struct facts *f)
{
	const struct input *in = &t->input;
	char hex[65];

	if (!in->has_promised || !f->final.has_digest ||
	    memcmp(in->promised, f->final.sha256, sizeof(in->promised)) == 0)
		return true;
	hex_write(in->promised, sizeof(in->promised), hex);
	return facts_add(
	    f, &(struct finding){ .code = WLK_F_OCI_BLOB_DIGEST, .allowed = value_text(bytes_of_text(hex)) });
}

void task_judge(struct task *t, const struct policy *p, struct facts *f, const struct verdict_context *c)
{
	struct verdict verdict = { 0 };
	int r;

	if (f != NULL && !t->calls) /* they came along with views, and nobody asked for them */
		f->has_calls = false;
	r = f == NULL || !task_add_findings(t, f) ? -ENOMEM
	    : t->set != NULL                      ? set_verdict_make(p, t->set, f, c, &verdict)
						  : verdict_make(p, f, c, &verdict);
	t->done = true;
	t->facts = f;
	if (r < 0)
		return;
	t->listed = facts_tensors_listed(f);
	t->value = verdict.value;
	t->effective = verdict.effective;
	t->verdict = verdict.json;
}

void task_fail(struct task *t, const struct policy *p, enum wlk_cause cause, const char *detail, const char *retry)
{
	const struct verdict_context context = {
		.name = t->input.name,
		.path = rule_path(t->input.name),
		.source = t->input.source,
		.started_at = (int64_t)time(NULL),
		.duration_ms = (double)(now_us() - t->started_us) / 1000,
	};

	task_judge(t, p, facts_unread(cause, t->input.size), &context);
	if (detail != NULL)
		verdict_detail(t->verdict, detail);
	if (retry != NULL)
		(void)json_object_set_new(json_object_get(t->verdict, "scan"), "retry", json_string(retry));
}
