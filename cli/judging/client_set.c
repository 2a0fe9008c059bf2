/* The files of a folder in one question: a verdict for each as it is judged, the set's last.  A daemon that stays busy, or
 * refuses (it is older, or the names are too long together), gets the files one by one instead. */
#include "client_impl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "cli.h"
#include "verdict_json.h"

struct set_call {
	struct call call;
	struct client *client;
	struct task **tasks; /* n of them, borrowed until they are done: then NULL */
	size_t n, n_taken;
	struct task *set;
};

static struct set_call *set_call_of(struct call *call)
{
	return (struct set_call *)(void *)call;
}

static void set_free(struct call *base)
{
	struct set_call *call = set_call_of(base);

	free(call->tasks);
	free(call);
}

/* ---- the answer ---- */

static void task_take(struct task *t, json_t *verdict)
{
	t->verdict = verdict;
	t->value = verdict_value_of(verdict);
	t->effective = verdict_effective_of(verdict);
	t->done = true;
	closep(&t->input.fd);
	t->input.fd = -1;
}

/* A file's verdict. */
static int take_member(void *ctx, size_t i, enum weighlock_verdict verdict, const char *at, size_t n)
{
	struct set_call *call = ctx;
	json_t *json = client_json(at, n);

	(void)verdict;
	if (!client_is_verdict(json)) {
		json_decref(json);
		return -EPROTO;
	}
	if (client_keeps_promise(call->client, call->tasks[i], json)) {
		client_rename(json, call->tasks[i]->input.name);
		task_take(call->tasks[i], json);
	} else {
		json_decref(json);
	}
	call->tasks[i] = NULL;
	call->n_taken++;
	return 0;
}

/* The set's own.  Return: false: it is not what it must be. */
static bool take_set(struct set_call *call)
{
	_cleanup_(freep) char *name = text_escaped(call->set->input.name);
	size_t n;
	const char *at = weighlock_scan_json(call->call.scan, &n);
	json_t *json = client_json(at, n);

	if (name == NULL || !json_is_string(json_object_get(json, "verdict")) ||
	    json_object_set_new(json, "name", json_string(name)) < 0) {
		json_decref(json);
		return false;
	}
	task_take(call->set, json);
	return true;
}

/* ---- the end ---- */

/* None of those that are left was judged: they are to be started one by one.  @busy: together they might be judged at
 * another time. */
static void set_return(struct set_call *call, bool busy)
{
	for (size_t i = 0; i < call->n; i++)
		if (call->tasks[i] != NULL)
			call->tasks[i]->again = true;
	call->set->again = true;
	call->set->busy = busy;
}

/* What has no verdict by now gets none. */
static void set_fail(struct set_call *call)
{
	for (size_t i = 0; i < call->n; i++)
		if (call->tasks[i] != NULL)
			client_fail_outcome(call->client, call->tasks[i], call->call.scan);
	client_fail_outcome(call->client, call->set, call->call.scan);
}

/* Was nothing said about these files, or something else than was asked?  Then each, asked about by itself, says why. */
static bool is_refusal(const struct set_call *call)
{
	const struct weighlock_scan *s = call->call.scan;

	if (weighlock_scan_errno(s) == ETIMEDOUT)
		return false;
	return weighlock_scan_status(s) == 0 || weighlock_scan_status(s) >= 400 ||
	       (weighlock_scan_errno(s) == EPROTO && call->n_taken == 0);
}

static void set_over(struct client *c, struct call *base, enum weighlock_outcome outcome)
{
	struct set_call *call = set_call_of(base);

	if (outcome == WEIGHLOCK_VERDICT) {
		if (!take_set(call))
			client_fail(
			    c, call->set, WLK_CAUSE_INTERNAL, "the daemon's answer is not what was asked for", NULL);
	} else if (is_refusal(call)) {
		set_return(call, client_is_busy(base->scan) ||
				     (outcome == WEIGHLOCK_FAILED && weighlock_scan_errno(base->scan) != EPROTO));
	} else {
		set_fail(call);
	}
}

/* ---- the question ---- */

/* Return: 0; -ENOMEM; another negative errno: it cannot be asked. */
static int add_members(struct set_call *call)
{
	int r = weighlock_scan_set_members(call->call.scan, take_member, call);

	for (size_t i = 0; i < call->n && r == 0; i++) {
		const struct input *in = &call->tasks[i]->input;
		_cleanup_(freep) char *name = text_safe(in->name + in->member_at);

		r = name == NULL ? -ENOMEM : weighlock_scan_add_member(call->call.scan, in->fd, name);
	}
	return r;
}

static struct set_call *set_new(struct client *c, struct task *const *tasks, size_t n, struct task *set)
{
	struct set_call *call = calloc(1, sizeof(*call));

	if (call == NULL)
		return NULL;
	*call = (struct set_call){
		.call = { .scan = weighlock_scan_new(c->socket_path), .over = set_over, .free = set_free },
		.client = c,
		.tasks = calloc(n, sizeof(*tasks)),
		.n = n,
		.set = set,
	};
	if (call->call.scan != NULL && call->tasks != NULL) {
		memcpy(call->tasks, tasks, n * sizeof(*tasks));
		return call;
	}
	weighlock_scan_free(call->call.scan);
	set_free(&call->call);
	return NULL;
}

void client_start_set(struct backend *b, struct task *const *tasks, size_t n, struct task *set)
{
	struct client *c = (struct client *)(void *)b;
	struct set_call *call = set_new(c, tasks, n, set);
	_cleanup_(freep) char *name = text_safe(set->input.name);
	int r = call == NULL ? -ENOMEM : add_members(call);

	if (r == 0) {
		client_ask(
		    c, &call->call, name != NULL && strlen(name) <= CLIENT_NAME_MAX ? name : "folder", CLIENT_WAIT_MS);
		return;
	}
	for (size_t i = 0; i < n; i++)
		tasks[i]->again = true;
	set->again = true;
	set->busy = r == -ENOMEM;
	if (call == NULL)
		return;
	weighlock_scan_free(call->call.scan);
	set_free(&call->call);
}
