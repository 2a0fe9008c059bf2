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

/* What was lost or refused is asked for again soon. */
static void on_list(void *ctx, enum keeper_status status, struct bytes answer)
{
	struct excepting *x = ctx;
	char error[POLICY_ERROR_MAX];
	struct exceptions *list;

	if (status == KEEPER_NOT_FOUND || status == KEEPER_LOST)
		return;
	if (status != KEEPER_OK)
		log_line("exceptions: the keeper cannot read them; those known before count");
	else if (exceptions_parse(answer, "exceptions", &list, error) == 0)
		take(x, list);
	else
		log_line("exceptions: %s", error);
}

void excepting_fetch(struct excepting *x)
{
	const struct bytes known = bytes_of_text(exceptions_head(x->list));

	if (!keeper_ask(x->keeper, KEEPER_EXCEPTIONS, known, on_list, x))
		log_line("exceptions: the keeper cannot be asked now; those known before count");
}

static void on_clock(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd;
	(void)what;
	excepting_fetch(ctx);
}

int excepting_init(struct excepting *x, struct env *env, struct keeper_link *keeper)
{
	const struct timeval every = { .tv_sec = EXCEPTING_LOOK_S };
	char error[POLICY_ERROR_MAX];
	struct exceptions *none = NULL;

	*x = (struct excepting){ .env = env, .keeper = keeper };
	if (!env->settings->config.exceptions)
		return 0;
	x->clock = event_new(env->base, -1, EV_PERSIST, on_clock, x);
	if (!x->clock || event_add(x->clock, &every) < 0 || exceptions_parse((struct bytes){ 0 }, "", &none, error) < 0)
		return -ENOMEM;
	take(x, none);
	excepting_fetch(x);
	return 0;
}
