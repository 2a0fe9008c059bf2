/* weighlock inspect: everything that is known of a file, on one page.  The same jail as for a scan; what is shown of the file's
 * bytes is read there too (lib/view.h). */
#include "cli.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "cleanup.h"
#include "commands.h"
#include "inspect.h"
#include "interrupt.h"
#include "local.h"
#include "scan_options.h"
#include "window.h"

#define SHORT_OPTIONS ":hV"

enum { OPT_FORMAT = 256, OPT_POLICY, OPT_COLOR, OPT_TENSORS };

static const struct option long_options[] = {
	{ "format", required_argument, NULL, OPT_FORMAT },
	{ "policy", required_argument, NULL, OPT_POLICY },
	{ "color", required_argument, NULL, OPT_COLOR },
	{ "tensors", no_argument, NULL, OPT_TENSORS },
	USAGE_LONG_OPTIONS,
};

static const struct option case_options[] = {
	{ "policy", required_argument, NULL, OPT_POLICY },
	USAGE_LONG_OPTIONS,
};

struct inspect {
	const char *command; /* inspect, or case */
	bool is_case;
	enum print_format format;
	enum color_when color;
	struct print_style style;
	bool tensors;
	const char *policy_name;
	char *const *paths;
	size_t n_paths;
	struct policy *policy;
	struct backend *backend;
	struct walk *walk;
	struct window *window;
	struct progress progress;
	size_t n_done;
	bool refused, failed; /* some file was not accepted; could not be judged */
};

static void task_done(void *ctx, struct slot *slot)
{
	struct inspect *d = ctx;
	const struct task *t = &slot->task;

	d->n_done++;
	slot->note = t->facts != NULL && t->verdict != NULL ? inspect_json(t->verdict, t->facts) : NULL;
	if (slot->note != NULL && d->is_case) {
		json_t *whole = slot->note;

		slot->note = inspect_case(whole);
		json_decref(whole);
	}
	if (slot->note == NULL)
		window_fail(d->window, -ENOMEM);
	d->failed |= t->value == VERDICT_ERROR;
	d->refused |= t->value == VERDICT_REJECT || t->value == VERDICT_REVIEW;
}

static int note_take(void *ctx, struct slot *slot)
{
	const struct inspect *d = ctx;
	const struct tensor_rows *rows = d->tensors || d->is_case ? slot->task.rows : NULL;
	_cleanup_(freep) char *line = NULL;

	if (d->format == PRINT_TEXT) {
		int r = inspect_text(&d->style, slot->note, stdout);

		return r < 0 || rows == NULL ? r : print_text_rows(&d->style, rows, slot->task.listed, stdout);
	}
	line = print_json(slot->note, NULL);
	if (line == NULL)
		return -ENOMEM;
	if (rows != NULL) {
		int r = print_json_rows(line, rows, slot->task.listed, stdout);

		return r < 0 ? r : ferror(stdout) ? -EIO : 0;
	}
	fputs(line, stdout);
	return ferror(stdout) ? -EIO : 0;
}

static void progress_count(void *ctx, struct progress_state *ret)
{
	const struct inspect *d = ctx;

	ret->n_done = d->n_done;
}

/* ---- the command ---- */

static const struct option *options_of(const struct inspect *d)
{
	return d->is_case ? case_options : long_options;
}

static int take_option(struct inspect *d, int option, char **argv)
{
	switch (option) {
	case OPT_FORMAT:
		return format_parse(optarg, &d->format)
			   ? -1
			   : usage_error("inspect", "--format: found '%s', allowed text or json", optarg);
	case OPT_COLOR:
		return color_parse(optarg, &d->color)
			   ? -1
			   : usage_error("inspect", "--color: found '%s', allowed auto, always or never", optarg);
	case OPT_TENSORS: d->tensors = true; return -1;
	case OPT_POLICY: d->policy_name = optarg; return -1;
	default: return usage_option(d->command, option, options_of(d), SHORT_OPTIONS, argv[optind - 1]);
	}
}

static int options_parse(int argc, char **argv, struct inspect *d)
{
	int option, status = -1;

	opterr = 0;
	while (status < 0 && (option = getopt_long(argc, argv, SHORT_OPTIONS, options_of(d), NULL)) != -1)
		status = take_option(d, option, argv);
	if (status >= 0)
		return status;
	d->paths = argv + optind;
	d->n_paths = (size_t)(argc - optind);
	if (d->n_paths == 0)
		return usage_error(d->command, "no file given");
	for (size_t i = 0; i < d->n_paths; i++)
		if (d->paths[i][0] == '\0')
			return usage_error(d->command, "an empty path; in a script, is a variable not set?");
	d->style = (struct print_style){ .verbose = true, .color = color_wanted(d->color, stdout) };
	return -1;
}

static int exit_status(const struct inspect *d, int error)
{
	if (interrupt_signal() != 0)
		return 128 + interrupt_signal();
	if (error < 0)
		say("ended early: %s", strerrordesc_np(-error));
	if (d->refused)
		return output_finish(CLI_FAILED);
	return output_finish(error < 0 || d->failed ? CLI_INCOMPLETE : CLI_OK);
}

static int run(struct inspect *d)
{
	static const struct window_ops ops = { .done = task_done, .take = note_take, .progress = progress_count };
	struct window_options options = {
		.n_jobs = jobs_default(), .calls = true, .views = true, .rows = d->is_case, .digests = d->is_case
	};
	int r = policy_find(d->policy_name, &d->policy);

	if (r != CLI_OK)
		return r;
	r = interrupt_init();
	if (r == 0)
		r = walk_new(d->paths, d->n_paths, &d->walk);
	if (r == 0 && local_open(d->policy, &d->backend) < 0)
		return CLI_INCOMPLETE;
	options.policy = d->policy;
	options.rows |= d->tensors;
	options.stats = d->tensors;
	if (r == 0) {
		progress_init(&d->progress, false, now_ms());
		d->window = window_new(&options, d->backend, d->walk, &d->progress, &ops, d);
		r = d->window != NULL ? window_run(d->window) : -ENOMEM;
	}
	return exit_status(d, r);
}

static int inspect(struct inspect *d, int argc, char **argv)
{
	int status = options_parse(argc, argv, d);

	if (status >= 0)
		return status;
	status = run(d);
	if (d->backend != NULL)
		d->backend->ops->close(d->backend);
	window_free(d->window);
	walk_free(d->walk);
	policy_free(d->policy);
	return status;
}

int cmd_inspect(int argc, char **argv)
{
	return inspect(
	    &(struct inspect){ .command = "inspect", .format = PRINT_TEXT, .policy_name = "default" }, argc, argv);
}

int cmd_case(int argc, char **argv)
{
	return inspect(
	    &(struct inspect){ .command = "case", .is_case = true, .format = PRINT_JSON, .policy_name = "default" },
	    argc, argv);
}
