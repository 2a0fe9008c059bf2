/* weighlock scan: a window of tasks moves over the walk.  At most n_jobs are being judged; a few more may be
 * done and wait for an earlier one, because results come out in the order of the inputs.  So memory depends
 * on the window and not on how much there is to scan. */
#include "cli.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "backend.h"
#include "cleanup.h"
#include "client.h"
#include "interrupt.h"
#include "local.h"
#include "print.h"
#include "progress.h"
#include "scan_options.h"
#include "walk.h"

#define WAITING_MAX 64 /* results held back; each at most a verdict's text */

#define WINDOW_MAX (JOBS_MAX + WAITING_MAX)

/* A place in the window. */
struct slot {
	struct task task;
	bool finished; /* counted and rendered */
	char *text;    /* to be printed; NULL: nothing */
};

struct scan {
	const struct scan_options *o;
	struct policy *policy;
	struct backend *backend;
	struct walk *walk;
	struct progress progress;
	struct tally tally;
	int64_t started_ms;
	bool walked;     /* nothing more to come */
	int error;       /* negative errno that ends the scan */
	size_t first, n; /* the window: slots[first], ..., n of them, in a ring */
	size_t n_running;
	struct slot slots[WINDOW_MAX];
};

static struct slot *slot_at(struct scan *s, size_t i)
{
	return &s->slots[(s->first + i) % WINDOW_MAX];
}

/* ---- results ---- */

static bool is_shown(const struct scan *s, const json_t *verdict)
{
	const char *value = json_string_value(json_object_get(verdict, "verdict"));

	return !s->o->style.quiet || value == NULL || strcmp(value, "accept") != 0;
}

/* Count it, and turn it into text at once: a verdict's text is much smaller than its JSON tree. */
static void slot_finish(struct scan *s, struct slot *slot)
{
	struct task *t = &slot->task;
	bool text = s->o->style.format == PRINT_TEXT;

	slot->finished = true;
	tally_add(&s->tally, t->verdict);
	if (t->verdict != NULL && is_shown(s, t->verdict)) {
		slot->text = text ? print_text(&s->o->style, t->verdict) : print_json(t->verdict, t->line);
		if (slot->text == NULL)
			s->error = -ENOMEM;
	}
	if (t->verdict == NULL)
		s->error = -ENOMEM;
	json_decref(t->verdict);
	free(t->line);
	t->verdict = NULL;
	t->line = NULL;
	input_done(&t->input);
}

static void slot_print(struct scan *s, struct slot *slot)
{
	if (slot->text != NULL) {
		progress_clear(&s->progress);
		fputs(slot->text, stdout);
		if (ferror(stdout))
			s->error = -EIO;
	}
	free(slot->text);
	slot->text = NULL;
}

/* Whatever is done, rendered; whatever is next in order, printed. */
static void results_take(struct scan *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct slot *slot = slot_at(s, i);

		if (slot->task.done && !slot->finished) {
			slot_finish(s, slot);
			s->n_running--;
		}
	}
	while (s->n > 0 && slot_at(s, 0)->finished && s->error == 0) {
		slot_print(s, slot_at(s, 0));
		s->first = (s->first + 1) % WINDOW_MAX;
		s->n--;
	}
}

/* ---- inputs ---- */

static void task_begin(struct scan *s, struct task *t)
{
	t->started_us = now_us();
	if (t->input.trouble != NULL)
		task_fail(t, s->policy, WLK_CAUSE_INPUT_UNREADABLE, t->input.trouble, "never");
	else
		s->backend->ops->start(s->backend, t);
}

static bool has_room(const struct scan *s)
{
	return s->n_running < s->o->n_jobs && s->n < s->o->n_jobs + WAITING_MAX;
}

static void inputs_take(struct scan *s)
{
	while (!s->walked && s->error == 0 && interrupt_signal() == 0 && has_room(s)) {
		struct slot *slot = slot_at(s, s->n);
		int r;

		*slot = (struct slot){ .task.input.fd = -1 };
		r = walk_next(s->walk, &slot->task.input);
		if (r == 0)
			s->walked = true;
		if (r < 0 && r != -EINTR)
			s->error = r;
		if (r <= 0)
			return;
		s->n++;
		s->n_running++;
		task_begin(s, &slot->task);
		results_take(s);
	}
}

/* ---- waiting ---- */

static void progress_show(struct scan *s, int64_t now)
{
	struct progress_state state = { .n_done = tally_total(&s->tally), .bytes_done = s->tally.bytes };

	for (size_t i = 0; i < s->n; i++) {
		const struct task *t = &slot_at(s, i)->task;

		if (slot_at(s, i)->finished)
			continue;
		state.bytes_done += t->progress;
		if (state.name == NULL) {
			state.name = t->input.name;
			state.size = t->input.size;
			state.at = t->progress;
		}
	}
	progress_draw(&s->progress, &state, now);
}

static int64_t sooner(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Milliseconds until the clock wants something, for poll(2). */
static int patience(const struct scan *s, int64_t now)
{
	int64_t next = sooner(s->backend->ops->next_ms(s->backend), progress_next_ms(&s->progress));

	if (next == INT64_MAX)
		return -1;
	return next <= now ? 0 : (int)sooner(next - now, 60000);
}

static void wait_for_news(struct scan *s)
{
	struct pollfd fds[] = { { .fd = s->backend->epoll_fd, .events = POLLIN },
		{ .fd = interrupt_fd(), .events = POLLIN } };
	int64_t now = now_ms();

	(void)fflush(stdout);
	progress_show(s, now);
	(void)poll(fds, 2, patience(s, now));
	s->backend->ops->turn(s->backend, now_ms());
}

static void scan_run(struct scan *s)
{
	while (s->error == 0 && interrupt_signal() == 0) {
		/* In this order: a place that became free is filled again before we wait for the others. */
		results_take(s);
		inputs_take(s);
		if (s->walked && s->n == 0)
			return;
		if (s->n_running > 0 && s->error == 0)
			wait_for_news(s);
	}
}

/* ---- beginning and end ---- */

/* Where the daemon judges, ours only stands in for what it does not see. */
static int scan_policy(struct scan *s)
{
	const char *wanted = s->o->socket == NULL && s->o->policy != NULL ? s->o->policy : "default";

	return policy_find(wanted, &s->policy);
}

static int scan_open(struct scan *s)
{
	const struct scan_options *o = s->o;
	int r = interrupt_init();

	if (r == 0)
		r = walk_new(o->paths, o->n_paths, &s->walk);
	if (r < 0) {
		say("cannot start: %s", strerror(-r));
		return CLI_INCOMPLETE;
	}
	if (o->socket != NULL)
		r = client_open(o->socket, o->policy, s->policy, &s->backend);
	else
		r = local_open(s->policy, &s->backend);
	return r < 0 ? CLI_INCOMPLETE : CLI_OK;
}

static void scan_close(struct scan *s)
{
	progress_clear(&s->progress);
	if (s->backend != NULL)
		s->backend->ops->close(s->backend);
	for (size_t i = 0; i < s->n; i++) {
		struct slot *slot = slot_at(s, i);

		input_done(&slot->task.input);
		json_decref(slot->task.verdict);
		free(slot->task.line);
		free(slot->text);
	}
	walk_free(s->walk);
	policy_free(s->policy);
	free(s);
}

/* 1 wins over 2, 2 over 3: see enum cli_exit.  What could not be examined is never a success, whatever
 * --fail-on says: it lowers what counts as a failure, not what counts as a scan. */
static int exit_status(const struct scan_options *o, const struct tally *t, bool broken)
{
	bool failed =
	    (o->fail_on != FAIL_ON_NEVER && t->n_reject > 0) || (o->fail_on == FAIL_ON_REVIEW && t->n_review > 0);

	if (failed)
		return CLI_FAILED;
	if (broken || t->n_error > 0)
		return CLI_INCOMPLETE;
	if (t->n_models > 0 || o->allow_empty)
		return CLI_OK;
	say("no model file among the inputs (%zu looked at); --allow-empty accepts that", tally_total(t));
	return CLI_NO_MODEL;
}

static int scan_finish(struct scan *s)
{
	progress_clear(&s->progress);
	if (interrupt_signal() != 0) {
		(void)fflush(stdout);
		return 128 + interrupt_signal();
	}
	if (s->error == 0 && s->o->style.format == PRINT_TEXT && !s->o->style.quiet)
		print_summary(&s->tally, now_ms() - s->started_ms);
	if (s->error != 0 && s->error != -EIO)
		say("the scan ended early: %s", strerror(-s->error));
	return output_finish(exit_status(s->o, &s->tally, s->error != 0));
}

int cmd_scan(int argc, char **argv)
{
	struct scan_options o;
	int status = scan_options_parse(argc, argv, &o);
	struct scan *s;

	if (status >= 0)
		return status;
	o.style.color = color_wanted(o.color, stdout);
	s = calloc(1, sizeof(*s));
	if (s == NULL) {
		say("out of memory");
		return CLI_INCOMPLETE;
	}
	s->o = &o;
	s->started_ms = now_ms();
	progress_init(&s->progress, !o.no_progress && !o.style.quiet, s->started_ms);
	status = scan_policy(s);
	if (status == CLI_OK)
		status = scan_open(s);
	if (status == CLI_OK) {
		scan_run(s);
		status = scan_finish(s);
	}
	scan_close(s);
	return status;
}
