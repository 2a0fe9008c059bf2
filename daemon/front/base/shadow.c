/* See shadow.h. */
#include "shadow.h"

#include "log.h"

/* The code that decides: findings are sorted. */
static const char *first_code(const struct verdict *v)
{
	const json_t *first = json_array_get(json_object_get(v->json, "findings"), 0);
	const char *code = json_string_value(json_object_get(first, "code"));

	return v->value != VERDICT_ACCEPT && code != NULL ? code : "-";
}

static void compare(
    struct env *env, const struct verdict_context *c, const struct verdict *v, const struct verdict *other)
{
	const struct policy *shadow = env->settings->shadow_policy;
	/* Codes of the one that is worse: why the other would have it so, or not. */
	const struct verdict *worse = other->value > v->value ? other : v;

	env->tally.shadow[v->value][other->value]++;
	if (v->value != other->value)
		log_line("shadow policy disagrees: verdict=%s shadow=%s id=%s policy=%s shadow-policy=%s code=%s",
		    verdict_text(v->value), verdict_text(other->value), c->request_id ? c->request_id : "-",
		    policy_name(env->settings->default_policy), policy_name(shadow), first_code(worse));
}

void shadow_judge(struct env *env, const struct policy *by, const struct set_file *set, const struct facts *f,
    const struct verdict_context *c, const struct verdict *v)
{
	const struct policy *shadow = env->settings->shadow_policy;
	struct verdict other;
	int r;

	if (shadow == NULL || by != env->settings->default_policy)
		return;
	r = set ? set_verdict_make(shadow, set, f, c, &other) : verdict_make(shadow, f, c, &other);
	if (r < 0) {
		log_line("shadow policy could not judge: id=%s, out of memory", c->request_id ? c->request_id : "-");
		return;
	}
	compare(env, c, v, &other);
	json_decref(other.json);
}
