/* See verdict_log.h. */
#include "verdict_log.h"

#include <string.h>
#include <syslog.h>

#define ID_FILE "0c6f4d0fe9a94a0fb3b1d1a2d6a3c5b7"
#define ID_SET "6b2e7b0a53a64c3a8f0d9a4e1f7c2d58"

static unsigned priority_of(enum verdict_value v)
{
	switch (v) {
	case VERDICT_ACCEPT: return LOG_INFO;
	case VERDICT_REVIEW: return LOG_NOTICE;
	default: return LOG_WARNING;
	}
}

static void add(struct verdict_log_entry *e, const char *name, const char *value)
{
	e->fields[e->entry.n++] = (struct log_field){ .name = name, .value = value };
}

static bool is_there(const struct verdict_log_entry *e, const char *value)
{
	for (size_t i = 0; i < e->entry.n; i++) {
		if (strcmp(e->fields[i].name, "WEIGHLOCK_CODE") == 0 && strcmp(e->fields[i].value, value) == 0)
			return true;
	}
	return false;
}

/* Findings whose action the verdict has, each code once.  They are sorted: what decides comes first. */
static void add_codes(struct verdict_log_entry *e, const struct verdict *v)
{
	const json_t *finding;
	size_t i, n = 0;

	if (v->value == VERDICT_ACCEPT)
		return;
	json_array_foreach (json_object_get(v->json, "findings"), i, finding) {
		const char *code = json_string_value(json_object_get(finding, "code"));
		const char *action = json_string_value(json_object_get(finding, "action"));

		if (n == VERDICT_LOG_CODES_MAX || code == NULL || action == NULL ||
		    strcmp(action, verdict_text(v->value)) != 0)
			return;
		if (is_there(e, code))
			continue;
		add(e, "WEIGHLOCK_CODE", code);
		n++;
	}
}

const struct log_entry *verdict_log_entry(const struct verdict_log *l, struct verdict_log_entry *ret)
{
	const json_t *reasons = json_object_get(l->verdict->json, "reasons");

	ret->entry = (struct log_entry){ .message_id = l->of_set ? ID_SET : ID_FILE,
		.priority = priority_of(l->verdict->value),
		.fields = ret->fields };
	add(ret, "WEIGHLOCK_VERDICT", verdict_text(l->verdict->value));
	if (l->verdict->effective != l->verdict->value)
		add(ret, "WEIGHLOCK_EFFECTIVE", verdict_text(l->verdict->effective));
	add(ret, "WEIGHLOCK_CLASS", json_string_value(json_array_get(reasons, 0)));
	add(ret, "WEIGHLOCK_SHA256", l->sha256);
	add(ret, "WEIGHLOCK_TENANT", l->tenant);
	add(ret, "WEIGHLOCK_REQUEST_ID", l->request_id);
	add(ret, "WEIGHLOCK_POLICY", l->policy);
	add(ret, "WEIGHLOCK_ERROR", l->error);
	add_codes(ret, l->verdict);
	return &ret->entry;
}
