/* See excepting.h. */
#include "excepting.h"

#include <errno.h>

#include "log.h"

static void take(struct excepting *x, struct exceptions *list)
{
	const struct settings *s = x->env->settings;

	for (size_t i = 0; i < s->n_policies; i++)
		policy_except(s->policies[i], list);
	exceptions_free(x->list);
	x->list = list;
}

void excepting_take(struct excepting *x, enum keeper_status status, struct bytes answer)
{
	char error[POLICY_ERROR_MAX];
	struct exceptions *list;

	if (status != KEEPER_OK)
		log_line("exceptions: the keeper cannot read them; those known before count");
	else if (exceptions_parse(answer, "exceptions", &list, error) == 0)
		take(x, list);
	else
		log_line("exceptions: %s", error);
}

/* What a keeper that ended did not answer, the next one does. */
static void on_list(void *ctx, enum keeper_status status, struct bytes answer)
{
	if (status == KEEPER_LOST || status == KEEPER_LATE)
		excepting_fetch(ctx);
	else
		excepting_take(ctx, status, answer);
}

void excepting_fetch(struct excepting *x)
{
	if (!keeper_ask(x->keeper, KEEPER_EXCEPTIONS, (struct bytes){ 0 }, on_list, x))
		log_line("exceptions: the keeper cannot be asked now; those known before count");
}

int excepting_init(struct excepting *x, struct env *env, struct keeper_link *keeper)
{
	char error[POLICY_ERROR_MAX];
	struct exceptions *none = NULL;

	*x = (struct excepting){ .env = env, .keeper = keeper };
	if (!env->settings->config.exceptions)
		return 0;
	if (exceptions_parse((struct bytes){ 0 }, "", &none, error) < 0)
		return -ENOMEM;
	take(x, none);
	excepting_fetch(x);
	return 0;
}
