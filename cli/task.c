/* Verdicts about what nobody judged: unreadable entries, jobs that could not be begun or answered. */
#include "backend.h"

#include <stdlib.h>
#include <time.h>

#include "cleanup.h"
#include "cli.h"
#include "facts.h"

void verdict_detail(json_t *verdict, const char *detail)
{
	json_t *scan = json_object_get(verdict, "scan");
	_cleanup_(freep) char *safe = text_safe(detail);

	if (json_is_object(scan) && safe != NULL)
		(void)json_object_set_new(scan, "detail", json_string(safe));
}

void task_fail(struct task *t, const struct policy *p, enum wlk_cause cause, const char *detail, const char *retry)
{
	const struct verdict_context context = {
		.name = t->input.name,
		.source = t->input.source,
		.started_at = (int64_t)time(NULL),
		.duration_ms = (double)(now_us() - t->started_us) / 1000,
	};
	struct facts *facts = facts_unread(cause, t->input.size);
	struct verdict verdict = { 0 };

	t->done = true;
	if (facts != NULL && verdict_make(p, facts, &context, &verdict) == 0) {
		if (detail != NULL)
			verdict_detail(verdict.json, detail);
		if (retry != NULL)
			(void)json_object_set_new(json_object_get(verdict.json, "scan"), "retry", json_string(retry));
		t->verdict = verdict.json;
	}
	facts_free(facts);
}
