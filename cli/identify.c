/* weighlock identify: what files are.  The same jail as for a scan, and the same readers as far as they decide; no verdict is
 * made of what they say. */
#include "cli.h"

#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <string.h>

#include "cleanup.h"
#include "commands.h"
#include "facts.h"
#include "interrupt.h"
#include "local.h"
#include "mismatch.h"
#include "print.h"
#include "scan_options.h"
#include "window.h"

#define SHORT_OPTIONS ":hV"

enum { OPT_FORMAT = 256 };

static const struct option long_options[] = {
	{ "format", required_argument, NULL, OPT_FORMAT },
	USAGE_LONG_OPTIONS,
};

struct identify {
	enum print_format format;
	char *const *paths;
	size_t n_paths;
	struct policy *policy;
	struct backend *backend;
	struct walk *walk;
	struct window *window;
	struct progress progress;
	size_t n_done;
	bool differs, failed; /* some file is unknown or misnamed; could not be read */
};

/* ---- what is known of a file ---- */

static const struct fact *fact_of(const struct facts *f, enum wlk_fact id)
{
	for (size_t i = 0; i < f->n_facts; i++)
		if (f->facts[i].id == id)
			return &f->facts[i];
	return NULL;
}

/* A safetensors header, a pickle and most of protobuf have no signature: reading them is what decides. */
static const char *decided_by(const struct facts *f)
{
	if (f->final.format == WLK_FORMAT_UNKNOWN)
		return "nothing";
	if (fact_of(f, WLK_FACT_DECIDED_BY_NAME) != NULL)
		return "name";
	return fact_of(f, WLK_FACT_SIGNATURE) != NULL ? "signature" : "structure";
}

static json_t *name_or_null(enum wlk_format_id id)
{
	return format_is_listed(id) ? json_string(format_info(id)->name) : json_null();
}

static json_t *signature_text(const struct facts *f)
{
	const struct fact *sign = fact_of(f, WLK_FACT_SIGNATURE);
	char shown[512];

	return sign != NULL ? json_string(text_escape(sign->value.text, shown, sizeof(shown))) : json_null();
}

static json_t *describe(const struct task *t)
{
	const struct facts *f = t->facts;
	enum wlk_format_id hint = format_hint(t->input.name), id = f->final.format;
	const struct fact *at = fact_of(f, WLK_FACT_SIGNATURE_AT);
	const json_t *file = json_object_get(t->verdict, "file");

	return json_pack("{s:O?, s:o, s:s, s:s, s:o, s:o, s:o, s:b, s:o?}", "name", json_object_get(file, "name"),
	    "format", name_or_null(id), "level", id == WLK_FORMAT_UNKNOWN ? "none" : format_level(id), "decided",
	    decided_by(f), "signature", signature_text(f), "at",
	    at != NULL ? json_integer((json_int_t)at->value.number) : json_null(), "suggested", name_or_null(hint),
	    "agrees", mismatch_agree(hint, id), "error",
	    f->final.cause != WLK_CAUSE_NONE ? json_string(cause_text(f->final.cause)) : NULL);
}

static void task_done(void *ctx, struct slot *slot)
{
	struct identify *d = ctx;
	const struct task *t = &slot->task;

	d->n_done++;
	slot->note = t->facts != NULL ? describe(t) : NULL;
	if (slot->note == NULL) {
		window_fail(d->window, -ENOMEM);
		return;
	}
	if (t->facts->final.cause != WLK_CAUSE_NONE)
		d->failed = true;
	else if (t->facts->final.format == WLK_FORMAT_UNKNOWN || !json_is_true(json_object_get(slot->note, "agrees")))
		d->differs = true;
}

/* ---- printing ---- */

static const char *text_of(const json_t *note, const char *key)
{
	return json_string_value(json_object_get(note, key));
}

static void print_reason(const json_t *note)
{
	const char *decided = text_of(note, "decided");

	if (strcmp(decided, "signature") == 0)
		printf("; signature %s at %lld", text_of(note, "signature"),
		    (long long)json_integer_value(json_object_get(note, "at")));
	else if (strcmp(decided, "structure") == 0)
		printf("; by its structure");
	else if (strcmp(decided, "name") == 0)
		printf("; by its name only");
}

static void print_suggestion(const json_t *note)
{
	const char *suggested = text_of(note, "suggested");

	bool agrees = json_is_true(json_object_get(note, "agrees"));

	if (suggested == NULL)
		printf("; the name suggests %s", agrees ? "nothing" : "a model");
	else if (text_of(note, "format") == NULL || !agrees)
		printf("; the name suggests %s", suggested);
	else
		printf("; the name agrees");
}

static void print_note(const json_t *note)
{
	const char *format = text_of(note, "format"), *error = text_of(note, "error"), *name = text_of(note, "name");
	_cleanup_(freep) char *safe = text_safe(name != NULL ? name : "?");

	printf("%s: ", safe != NULL ? safe : "?");
	if (error != NULL) {
		printf("could not be read (%s)\n", error);
		return;
	}
	printf("%s", format != NULL ? format : "unknown");
	print_reason(note);
	print_suggestion(note);
	putchar('\n');
}

static int note_take(void *ctx, struct slot *slot)
{
	const struct identify *d = ctx;
	char *line = d->format == PRINT_JSON ? print_json(slot->note, NULL) : NULL;

	if (d->format == PRINT_JSON && line == NULL)
		return -ENOMEM;
	if (line != NULL)
		fputs(line, stdout);
	else
		print_note(slot->note);
	freep(&line);
	return ferror(stdout) ? -EIO : 0;
}

static void progress_count(void *ctx, struct progress_state *ret)
{
	const struct identify *d = ctx;

	ret->n_done = d->n_done;
}

/* ---- the command ---- */

static int options_parse(int argc, char **argv, struct identify *d)
{
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, SHORT_OPTIONS, long_options, NULL)) != -1) {
		if (option != OPT_FORMAT)
			return usage_option("identify", option, long_options, SHORT_OPTIONS, argv[optind - 1]);
		if (!format_parse(optarg, &d->format))
			return usage_error("identify", "--format: found '%s', allowed text or json", optarg);
	}
	d->paths = argv + optind;
	d->n_paths = (size_t)(argc - optind);
	if (d->n_paths == 0)
		return usage_error("identify", "no file given");
	for (size_t i = 0; i < d->n_paths; i++)
		if (d->paths[i][0] == '\0')
			return usage_error("identify", "an empty path; in a script, is a variable not set?");
	return -1;
}

static int run(struct identify *d)
{
	static const struct window_ops ops = { .done = task_done, .take = note_take, .progress = progress_count };
	struct window_options options = { .n_jobs = jobs_default(), .identify = true };
	int r = interrupt_init();

	if (r == 0)
		r = policy_find("default", &d->policy) == 0 ? walk_new(d->paths, d->n_paths, &d->walk) : -EINVAL;
	if (r == 0 && local_open(d->policy, &d->backend) < 0)
		return CLI_INCOMPLETE;
	options.policy = d->policy;
	if (r == 0) {
		progress_init(&d->progress, false, now_ms());
		d->window = window_new(&options, d->backend, d->walk, &d->progress, &ops, d);
		r = d->window != NULL ? window_run(d->window) : -ENOMEM;
	}
	if (interrupt_signal() != 0)
		return 128 + interrupt_signal();
	if (r < 0)
		say("ended early: %s", strerrordesc_np(-r));
	if (r < 0 || d->failed)
		return output_finish(CLI_INCOMPLETE);
	return output_finish(d->differs ? CLI_FAILED : CLI_OK);
}

int cmd_identify(int argc, char **argv)
{
	struct identify d = { .format = PRINT_TEXT };
	int status = options_parse(argc, argv, &d);

	if (status >= 0)
		return status;
	status = run(&d);
	if (d.backend != NULL)
		d.backend->ops->close(d.backend);
	window_free(d.window);
	walk_free(d.walk);
	policy_free(d.policy);
	return status;
}
