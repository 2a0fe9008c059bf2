/* weighlock scan: a window (window.h) moves over the walk; verdicts are printed in the order of the inputs. */
#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend.h"
#include "changes.h"
#include "cleanup.h"
#include "client.h"
#include "commands.h"
#include "exceptions.h"
#include "ignore.h"
#include "inspect.h"
#include "interrupt.h"
#include "local.h"
#include "outputs.h"
#include "print.h"
#include "progress.h"
#include "scan_db.h"
#include "scan_options.h"
#include "walk.h"
#include "window.h"

#define COUNT_AFTER_MS 500
#define COUNT_PIECE_MS 20 /* results wait so long at most */

struct scan {
	const struct scan_options *o;
	struct policy *policy;
	struct exceptions *exceptions;
	struct backend *backend;
	struct outputs *outputs;
	struct walk *walk, *ahead; /* ahead: the same, to count what there is; NULL: nobody looks */
	struct ignore_file *ignore;
	struct changes **changes; /* of each path given; NULL: all of it */
	char *left_out;           /* what is said of that at the end */
	struct proposal proposal;
	struct walk_count counted;
	int64_t counted_ms; /* when that was gone on with */
	struct window *window;
	struct scan_db *db; /* NULL: nothing is remembered */
	struct window_options window_options;
	struct progress progress;
	struct tally tally;
	size_t n_done;                  /* files */
	uint64_t bytes_passed;          /* of those that were not read */
	int64_t started_ms, started_at; /* by a clock that only moves forward; Unix seconds */
	int error;                      /* negative errno that ended it */
};

/* ---- results ---- */

/* Count it, and turn it into text at once: a verdict's text is much smaller than its JSON tree. */
static void task_done(void *ctx, struct slot *slot)
{
	struct scan *s = ctx;
	const struct task *t = &slot->task;

	tally_add(&s->tally, t->verdict);
	s->n_done += !slot->of_folder;
	if (s->db != NULL && !scan_db_keep(s->db, slot)) {
		s->tally.n_known++;
		return;
	}
	if (!outputs_want(s->outputs, t->verdict))
		return;
	slot->text = print_json(t->verdict, t->line);
	slot->name = strdup(t->input.name);
	if (s->window_options.views && t->facts != NULL && t->facts->has_views)
		slot->note = inspect_views(t->facts, s->o->calls);
	if (slot->text == NULL || slot->name == NULL)
		window_fail(s->window, -ENOMEM);
}

static int result_print(void *ctx, struct slot *slot)
{
	struct scan *s = ctx;
	const struct task *t = &slot->task;
	const struct shown shown = {
		.name = slot->name,
		.line = slot->text,
		.rows = s->o->tensors ? t->rows : NULL,
		.listed = t->listed,
		.drawn = t->rows,
		.views = json_string_value(slot->note),
	};

	if (slot->text == NULL)
		return 0;
	progress_clear(&s->progress);
	return outputs_put(s->outputs, &shown);
}

/* How much there is: counted in small pieces while workers are busy, and not for scans that nobody has to wait for. */
static void count_ahead(struct scan *s)
{
	int64_t now = now_ms();

	if (s->ahead == NULL || s->counted.whole || now < s->started_ms + COUNT_AFTER_MS ||
	    now < s->counted_ms + 2 * COUNT_PIECE_MS)
		return;
	walk_count(s->ahead, now + COUNT_PIECE_MS, &s->counted);
	s->counted_ms = now;
}

static void progress_count(void *ctx, struct progress_state *ret)
{
	struct scan *s = ctx;

	if (s->db != NULL)
		scan_db_tick(s->db);
	count_ahead(s);
	ret->all = s->counted;
	ret->n_done = s->n_done;
	ret->bytes_done = s->bytes_passed + s->tally.bytes;
}

/* ---- what is remembered ---- */

static enum window_known is_known(void *ctx, struct slot *slot)
{
	struct scan *s = ctx;
	enum window_known known = scan_db_known(s->db, slot);

	window_fail(s->window, scan_db_error(s->db));
	s->n_done += known == WINDOW_KNOWN;
	s->bytes_passed += known == WINDOW_KNOWN ? slot->task.input.size : 0;
	return known;
}

static int recall(void *ctx, struct folder *folder)
{
	return scan_db_recall(((struct scan *)ctx)->db, folder);
}

static bool is_set_known(void *ctx, struct slot *slot)
{
	return scan_db_set_known(((struct scan *)ctx)->db, slot);
}

static void forget(void *ctx, struct folder *folder)
{
	(void)ctx;
	scan_db_forget(folder);
}

static const struct window_ops remembering_ops = { .known = is_known,
	.recall = recall,
	.set_known = is_set_known,
	.forget = forget,
	.done = task_done,
	.take = result_print,
	.progress = progress_count };

static const struct window_ops scan_ops = { .done = task_done, .take = result_print, .progress = progress_count };

/* ---- beginning and end ---- */

/* Whoever relies on an entry has to hear in time that it ends. */
static int add_baseline(struct scan *s)
{
	char error[POLICY_ERROR_MAX];
	int r = policy_add_baseline(s->policy, s->o->baseline, error);
	_cleanup_(freep) char *warnings = NULL;
	char *rest;

	if (r < 0) {
		say("%s", error[0] != '\0' ? error : strerror(-r));
		return CLI_USAGE;
	}
	warnings = policy_baseline_warnings(s->policy, s->started_at);
	rest = warnings;
	for (char *line = warnings; line != NULL && (line = strsep(&rest, "\n")) != NULL && line[0] != '\0';)
		say("%s", line);
	return CLI_OK;
}

static int add_exceptions(struct scan *s)
{
	char error[POLICY_ERROR_MAX];

	if (exceptions_load(s->o->exceptions, &s->exceptions, error) < 0) {
		say("%s", error);
		return CLI_USAGE;
	}
	policy_except(s->policy, s->exceptions);
	return CLI_OK;
}

/* Where the daemon judges, ours only stands in for what it does not see. */
static int scan_policy(struct scan *s)
{
	const char *wanted = s->o->socket == NULL && s->o->policy != NULL ? s->o->policy : "default";

	int status = policy_find(wanted, &s->policy);

	if (status == CLI_OK)
		status = policy_add_packs(s->policy, "scan", s->o->packs, s->o->n_packs);
	if (status == CLI_OK && s->o->baseline != NULL)
		status = add_baseline(s);
	return status == CLI_OK && s->o->exceptions != NULL ? add_exceptions(s) : status;
}

/* What we write is not what is scanned, though it may lie there. */
static bool is_own(void *ctx, const struct stat *st)
{
	const struct scan *s = ctx;

	return outputs_own(s->outputs, st) || (s->db != NULL && scan_db_owns(s->db, st));
}

/* Built-in ones have no rules that expire. */
static bool policy_is_lasting(const char *name)
{
	struct policy *p = NULL;
	bool lasting = name == NULL || policy_by_name(name, &p) == 0;

	policy_free(p);
	return lasting;
}

/* A page shows what is known of a file only while its worker is there. */
static bool draws(const struct scan_options *o)
{
	bool page = false;

	for (size_t i = 0; i < o->n_outputs; i++)
		page = page || o->outputs[i].format == OUTPUT_HTML;
	return page && o->socket == NULL && o->db == NULL;
}

/* Beside the reports that were asked for. */
static int open_outputs(struct scan *s)
{
	const struct scan_options *o = s->o;
	struct output_spec specs[OUTPUTS_MAX];
	size_t n = o->n_outputs;

	s->proposal = (struct proposal){ .policy = s->policy,
		.base = o->policy != NULL ? o->policy : "default",
		.packs = o->packs,
		.n_packs = o->n_packs,
		.now = s->started_at };
	memcpy(specs, o->outputs, n * sizeof(specs[0]));
	if (n + (o->write_baseline != NULL) + (o->save_policy != NULL) > OUTPUTS_MAX)
		return usage_error("scan", "at most %d reports", OUTPUTS_MAX);
	if (o->write_baseline != NULL)
		specs[n++] = (struct output_spec){ OUTPUT_BASELINE, o->write_baseline, &s->proposal };
	if (o->save_policy != NULL)
		specs[n++] = (struct output_spec){ OUTPUT_POLICY, o->save_policy, &s->proposal };
	return outputs_open(specs, n, &o->style,
	    (struct output_failing){ .review = o->fail_on == FAIL_ON_REVIEW, .reject = o->fail_on != FAIL_ON_NEVER },
	    &s->outputs);
}

static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* What the caller wants left out.  Return: an exit status. */
static int scan_choose(struct scan *s)
{
	const struct scan_options *o = s->o;
	int r = o->ignore_file != NULL ? ignore_load(o->ignore_file, &s->ignore) : 0;

	if (r < 0) {
		say("--ignore-file: cannot read %s: %s", o->ignore_file, strerror(-r));
		return CLI_USAGE;
	}
	if (o->base == NULL)
		return CLI_OK;
	s->changes = calloc(o->n_paths, sizeof(s->changes[0]));
	if (s->changes == NULL)
		r = -ENOMEM;
	for (size_t i = 0; r == 0 && i < o->n_paths; i++)
		if (strcmp(o->paths[i], "-") != 0 && is_folder(o->paths[i]))
			r = changes_since(o->paths[i], o->base, &s->changes[i]);
	return r < 0 ? CLI_USAGE : CLI_OK;
}

/* Lines behind the totals. */
static char *left_out_text(const struct scan *s)
{
	struct walk_left_out n = walk_left_out(s->walk);
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (f == NULL)
		return NULL;
	if (n.by_globs > 0 && s->o->n_include + s->o->n_exclude > 0)
		fprintf(f, "%zu left out by --include or --exclude\n", n.by_globs);
	if (n.by_git > 0)
		fprintf(f, "%zu left out: .git\n", n.by_git);
	if (n.unchanged > 0)
		fprintf(f, "%zu left out: not changed since %s\n", n.unchanged, s->o->base);
	for (size_t i = 0; s->ignore != NULL && i < s->ignore->n_rules; i++) {
		const struct ignore_rule *rule = &s->ignore->rules[i];
		_cleanup_(freep) char *pattern = rule->n_hits > 0 ? text_safe(rule->text) : NULL;

		if (pattern != NULL)
			fprintf(f, "%zu left out by %s:%u: %s\n", rule->n_hits, s->ignore->path, rule->line, pattern);
	}
	(void)fclose(f);
	return text;
}

static int scan_open(struct scan *s)
{
	const struct scan_options *o = s->o;
	struct walk_filter filter = { .include = o->include,
		.exclude = o->exclude,
		.n_include = o->n_include,
		.n_exclude = o->n_exclude,
		.stdin_name = o->name,
		.longest = o->db != NULL ? SCAN_DB_LONGEST : 0,
		.ignore = s->ignore,
		.changes = s->changes,
		.skips_git = true,
		.is_own = is_own,
		.ctx = s };
	int r = interrupt_init();

	if (r == 0)
		r = walk_new(o->paths, o->n_paths, &s->walk);
	if (r == 0 && s->progress.wanted)
		r = walk_new(o->paths, o->n_paths, &s->ahead);
	if (r < 0) {
		say("cannot start: %s", strerror(-r));
		return CLI_INCOMPLETE;
	}
	walk_filter(s->walk, &filter);
	if (s->ahead != NULL)
		walk_filter(s->ahead, &filter);
	r = open_outputs(s);
	if (r != 0)
		return r;
	if (o->socket != NULL)
		r = client_open(o->socket, o->policy, s->policy, &s->backend);
	else
		r = local_open(s->policy, &s->backend);
	if (r < 0)
		return CLI_INCOMPLETE;
	s->window_options = (struct window_options){ .policy = s->policy,
		.n_jobs = o->n_jobs,
		.sets = o->base == NULL, /* of a folder of which not all is looked at, much would be missing */
		.rows = o->tensors || draws(o),
		.digests = o->digests,
		.stats = o->tensors,
		.calls = o->calls,
		.views = draws(o) };
	if (o->db != NULL && scan_db_open(&(struct scan_db_options){ .path = o->db,
					      .policy = s->policy,
					      .walk = s->walk,
					      .tally = &s->tally,
					      .lasting = policy_is_lasting(o->policy),
					      .outdated = o->outdated,
					      .verify = o->verify },
				 &s->db) < 0)
		return CLI_INCOMPLETE;
	s->window = window_new(
	    &s->window_options, s->backend, s->walk, &s->progress, s->db != NULL ? &remembering_ops : &scan_ops, s);
	if (s->window == NULL)
		say("cannot start: %s", strerror(ENOMEM));
	return s->window == NULL ? CLI_INCOMPLETE : CLI_OK;
}

static void scan_close(struct scan *s)
{
	progress_clear(&s->progress);
	if (s->backend != NULL)
		s->backend->ops->close(s->backend);
	window_free(s->window);
	scan_db_close(s->db);
	outputs_free(s->outputs);
	walk_free(s->walk);
	walk_free(s->ahead);
	ignore_free(s->ignore);
	for (size_t i = 0; s->changes != NULL && i < s->o->n_paths; i++)
		changes_free(s->changes[i]);
	free(s->changes);
	free(s->left_out);
	policy_free(s->policy);
	exceptions_free(s->exceptions);
	free(s);
}

static bool is_failure(const struct scan_options *o, const struct counts *c)
{
	return (o->fail_on != FAIL_ON_NEVER && c->n_reject > 0) || (o->fail_on == FAIL_ON_REVIEW && c->n_review > 0);
}

/* 1 wins over 2, 2 over 3: see enum cli_exit.  What could not be examined is never a success, whatever
 * --fail-on says: it lowers what counts as a failure, not what counts as a scan. */
static int exit_status(const struct scan_options *o, const struct tally *t, bool broken)
{
	if (is_failure(o, &t->files) || is_failure(o, &t->sets))
		return CLI_FAILED;
	if (broken || t->files.n_error > 0 || t->sets.n_error > 0)
		return CLI_INCOMPLETE;
	if (t->n_models > 0 || o->allow_empty)
		return CLI_OK;
	say("no model file among the inputs (%zu looked at); --allow-empty accepts that", tally_total(&t->files));
	return CLI_NO_MODEL;
}

/* The documents first: whatever the status is going to be, they are there to tell why. */
static int scan_finish(struct scan *s)
{
	struct outcome outcome = { .tally = &s->tally, .started_at = s->started_at, .whole = s->error == 0 };
	int status;

	progress_clear(&s->progress);
	if (s->db != NULL && s->error == 0) {
		if (interrupt_signal() == 0)
			scan_db_finish(s->db, s->o->n_include + s->o->n_exclude == 0 && s->ignore == NULL);
		s->error = scan_db_error(s->db);
	}
	if (interrupt_signal() != 0) {
		(void)fflush(stdout);
		return 128 + interrupt_signal();
	}
	status = exit_status(s->o, &s->tally, s->error != 0);
	s->tally.left_out = s->left_out = left_out_text(s);
	outcome.elapsed_ms = now_ms() - s->started_ms;
	outcome.status = status;
	if (!outputs_finish(s->outputs, &outcome) && status == CLI_OK)
		status = CLI_INCOMPLETE;
	if (s->error != 0 && s->error != -EIO)
		say("the scan ended early: %s", strerror(-s->error));
	return output_finish(status);
}

int cmd_scan(int argc, char **argv)
{
	struct scan_options o;
	int status = scan_options_parse(argc, argv, &o);
	struct scan *s;

	if (status >= 0)
		return status;
	o.style.color = color_wanted(o.color, stdout);
	o.style.width = width_wanted(stdout);
	s = calloc(1, sizeof(*s));
	if (s == NULL) {
		say("out of memory");
		return CLI_INCOMPLETE;
	}
	s->o = &o;
	s->started_ms = now_ms();
	s->started_at = (int64_t)time(NULL);
	progress_init(&s->progress, !o.no_progress && !o.style.quiet, s->started_ms);
	status = scan_policy(s);
	if (status == CLI_OK)
		status = scan_choose(s);
	if (status == CLI_OK)
		status = scan_open(s);
	if (status == CLI_OK) {
		s->error = window_run(s->window);
		status = scan_finish(s);
	}
	scan_close(s);
	return status;
}
