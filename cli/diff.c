/* weighlock diff: which tensors differ between two files, or between two folders of shards.  Both sides go through the same
 * jail as a scan, with the digest of each tensor; what is compared are those, so the bytes themselves are read once and by
 * nobody else. */
#include "cli.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <sys/random.h>

#include "commands.h"
#include "diff_match.h"
#include "interrupt.h"
#include "local.h"
#include "print.h"
#include "scan_options.h"
#include "window.h"

#define SHORT_OPTIONS ":j:qhV"

enum { OPT_FORMAT = 256, OPT_NO_PROGRESS, OPT_POLICY };

static const struct option long_options[] = {
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "policy", required_argument, NULL, OPT_POLICY },
	{ "no-progress", no_argument, NULL, OPT_NO_PROGRESS },
	{ "jobs", required_argument, NULL, 'j' },
	{ "workers", required_argument, NULL, 'j' }, /* as the daemon calls it */
	{ "quiet", no_argument, NULL, 'q' },
	USAGE_LONG_OPTIONS,
};

struct options {
	enum print_format format;
	bool quiet, no_progress;
	const char *policy;
	size_t n_jobs;
	char *const *paths; /* two */
};

struct diff {
	const struct options *o;
	struct policy *policy;
	struct backend *backend;
	struct progress progress;
	struct window *window;
	struct side a, b;
	struct side *side; /* being read */
	size_t n_done;
};

/* ---- options ---- */

static int take_option(int option, char **argv, struct options *o)
{
	switch (option) {
	case OPT_FORMAT:
		if (!format_parse(optarg, &o->format))
			return usage_error("diff", "--format: found '%s', allowed text or json", optarg);
		return -1;
	case OPT_POLICY: o->policy = optarg; return -1;
	case OPT_NO_PROGRESS: o->no_progress = true; return -1;
	case 'q': o->quiet = true; return -1;
	case 'j':
		if (!jobs_parse(optarg, &o->n_jobs))
			return usage_error("diff", "--jobs: found '%s', allowed 1 to %d", optarg, JOBS_MAX);
		return -1;
	default: return usage_option("diff", option, long_options, SHORT_OPTIONS, argv[optind - 1]);
	}
}

static int options_parse(int argc, char **argv, struct options *ret)
{
	int option, status = -1;

	*ret = (struct options){ .n_jobs = jobs_default(), .policy = "default" };
	opterr = 0;
	while (status < 0 && (option = getopt_long(argc, argv, SHORT_OPTIONS, long_options, NULL)) != -1)
		status = take_option(option, argv, ret);
	if (status >= 0)
		return status;
	ret->paths = argv + optind;
	if (argc - optind != 2)
		return usage_error("diff", "two files or folders are needed");
	if (ret->paths[0][0] == '\0' || ret->paths[1][0] == '\0')
		return usage_error("diff", "an empty path; in a script, is a variable not set?");
	if (strcmp(ret->paths[0], "-") == 0 && strcmp(ret->paths[1], "-") == 0)
		return usage_error("diff", "standard input (-) can be read once only");
	return -1;
}

/* ---- one side ---- */

static void file_done(void *ctx, struct slot *slot)
{
	struct diff *d = ctx;

	d->n_done++;
	slot->note = side_note(&slot->task);
	if (slot->note == NULL)
		window_fail(d->window, -ENOMEM);
}

/* To standard error: what keeps the comparison from being whole, and what is compared though nobody should use it. */
static void file_remark(struct diff *d, const struct slot *slot)
{
	const char *name = json_string_value(json_object_get(slot->note, "name"));
	const char *trouble = json_string_value(json_object_get(slot->note, "trouble"));
	bool plain = json_is_true(json_object_get(slot->note, "plain"));

	if (name == NULL)
		name = "?";
	progress_clear(&d->progress);
	if (slot->task.value == VERDICT_ERROR)
		say("%s: could not be judged%s%s", name, trouble != NULL ? ": " : "", trouble != NULL ? trouble : "");
	else if (!slot->task.listed && !plain)
		say("%s: not all of its tensors are known", name);
	else if (slot->task.value == VERDICT_REJECT && (tensor_rows_count(slot->task.rows) > 0 || !plain))
		say("%s: is rejected (weighlock scan says why)", name);
}

static int file_take(void *ctx, struct slot *slot)
{
	struct diff *d = ctx;

	file_remark(d, slot);
	return side_add(d->side, slot);
}

static void progress_count(void *ctx, struct progress_state *ret)
{
	const struct diff *d = ctx;

	ret->n_done = d->n_done;
}

/* Return: 0 or negative errno. */
static int side_fill(struct diff *d, struct side *side, char *const *path)
{
	static const struct window_ops ops = { .done = file_done, .take = file_take, .progress = progress_count };
	const struct window_options options = {
		.policy = d->policy, .n_jobs = d->o->n_jobs, .rows = true, .digests = true, .stats = true
	};
	struct walk *walk = NULL;
	int r = walk_new(path, 1, &walk);

	if (r < 0)
		return r;
	d->side = side;
	d->window = window_new(&options, d->backend, walk, &d->progress, &ops, d);
	r = d->window != NULL ? window_run(d->window) : -ENOMEM;
	if (r == 0 && interrupt_signal() == 0)
		r = side_end(side);
	if (r < 0 || interrupt_signal() != 0) {
		d->backend->ops->close(d->backend); /* what is under way borrows from the window */
		d->backend = NULL;
	}
	window_free(d->window);
	walk_free(walk);
	return r;
}

/* ---- the comparison ---- */

static bool side_is_whole(const struct side *s)
{
	if (s->n == 0 && !s->incomplete)
		say("%s: no tensors found", s->path);
	return !s->incomplete && s->worst != VERDICT_ERROR && s->n > 0;
}

/* Something that could not be judged wins over a difference: it may be the reason of it. */
static int compare(struct diff *d)
{
	struct diff_result result = { .a = &d->a, .b = &d->b };
	bool whole_a = side_is_whole(&d->a), whole_b = side_is_whole(&d->b);
	int r = diff_match(&d->a, &d->b, &result.counts);

	result.complete = whole_a && whole_b && result.counts.unknown == 0;
	result.same = result.counts.changed + result.counts.removed + result.counts.added == 0;
	if (r == 0 && !d->o->quiet)
		r = d->o->format == PRINT_JSON ? diff_print_json(&result) : diff_print_text(&result);
	if (r < 0) {
		say("the comparison ended early: %s", strerrordesc_np(-r));
		return CLI_INCOMPLETE;
	}
	if (!result.complete)
		return output_finish(CLI_INCOMPLETE);
	return output_finish(result.same ? CLI_OK : CLI_FAILED);
}

static int sides_fill(struct diff *d)
{
	int r = side_fill(d, &d->a, &d->o->paths[0]);

	if (r == 0 && interrupt_signal() == 0)
		r = side_fill(d, &d->b, &d->o->paths[1]);
	progress_clear(&d->progress);
	if (interrupt_signal() != 0)
		return 128 + interrupt_signal();
	if (r == -E2BIG)
		say("more tensors on one side than can be compared (%zu)", DIFF_TENSORS_MAX);
	else if (r < 0)
		say("the comparison ended early: %s", strerrordesc_np(-r));
	return r < 0 ? CLI_INCOMPLETE : compare(d);
}

static int diff_begin(struct diff *d)
{
	struct siphash_key key;
	int r;

	if (getrandom(&key, sizeof(key), 0) != (ssize_t)sizeof(key))
		return -EIO;
	r = side_init(&d->a, d->o->paths[0], &key);
	if (r == 0)
		r = side_init(&d->b, d->o->paths[1], &key);
	return r == 0 ? interrupt_init() : r;
}

static int diff_run(struct diff *d)
{
	int r = diff_begin(d);

	if (r < 0) {
		say("cannot start: %s", strerrordesc_np(-r));
		return CLI_INCOMPLETE;
	}
	if (policy_find(d->o->policy, &d->policy) != 0)
		return CLI_USAGE;
	if (local_open(d->policy, &d->backend) < 0)
		return CLI_INCOMPLETE;
	progress_init(&d->progress, !d->o->no_progress && !d->o->quiet, now_ms());
	return sides_fill(d);
}

int cmd_diff(int argc, char **argv)
{
	struct options o;
	struct diff d = { .o = &o, .a.fd = -1, .b.fd = -1 };
	int status = options_parse(argc, argv, &o);

	if (status >= 0)
		return status;
	status = diff_run(&d);
	if (d.backend != NULL)
		d.backend->ops->close(d.backend);
	side_done(&d.a);
	side_done(&d.b);
	policy_free(d.policy);
	return status;
}
